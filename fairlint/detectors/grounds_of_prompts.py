"""Prompts that ask for a decision about a person and name protected attributes by which it is to be made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from fairlint.analyses.prompts import prompt_intent, stated_grounds, templates
from fairlint.analyses.prompts.usages import Usage
from fairlint.detectors.context import Context
from fairlint.detectors.prompt_recipients import addressee, clinical, evidence_of_name_guesses
from fairlint.detectors.text_places import words_at
from fairlint.detectors.use_builder import plain_use
from fairlint.findings.uses import Step, Use
from fairlint.syntax import tree
from fairlint.vocabulary.model import Evidence

USE_COSTS = 200
"""Steps to tell one attribute, beside the characters of its text."""


def observe(used: Iterable[Usage], filled: AbstractSet[tuple[int, str]], context: Context) -> Iterator[Use]:
    """Yield the attributes that the texts of a file say to decide by; a place may be told more than once.

    Those that are `filled` into a text, by its number, are told there.
    """
    asked: dict[str, prompt_intent.Ask | None] = {}
    for number, usage in enumerate(used):
        flat = prompt_intent.flatten_text(templates.running_text(templates.open_placeholders(usage.pieces)))
        if not context.may_read(usage.begin, len(usage.pieces) + len(flat) // 4):
            return
        found = tuple(stated_grounds.grounds(flat, context.vocabulary))
        if not found or prompt_intent.is_program(flat):
            continue
        if flat not in asked:
            asked[flat] = prompt_intent.ask_of(flat)
        speech = prompt_intent.speech_of(flat)
        if (ask := asked[flat]) is None or not (reasons := addressee(usage, speech, context)):
            continue
        for ground in found:
            if (number, ground.mention.attribute) in filled:
                continue
            if context.may_read(usage.begin, USE_COSTS) and _is_at_stake(ground, flat, context):
                use = _ground_use(ground, usage, ask, reasons, context)
                healing = speech.clinical and not speech.scarce
                if healing or not ask.is_care:
                    yield clinical(use, speech) if healing else use


def _is_at_stake(ground: stated_grounds.Ground, flat: str, context: Context) -> bool:
    """Return whether the attribute is protected, and is to play a part."""
    name = ground.mention.attribute
    if context.attribute(name).kind != "protected":
        return False
    terms = (name.replace("_", " "), " ".join(ground.mention.words))
    return not (prompt_intent.plays_no_part(flat, terms) or prompt_intent.says("ignore_what", flat))


def _ground_use(
    ground: stated_grounds.Ground,
    usage: Usage,
    ask: prompt_intent.Ask,
    reasons: list[Evidence],
    context: Context,
) -> Use:
    node = tree.Name(words_at(ground.words, usage, context), ground.words)
    return plain_use(
        context,
        ground.mention,
        node,
        kind="prompt",
        effect="decide",
        shape="read",
        evidence=(
            Evidence(ask.weight, f"the text asks for a decision about a person (`{ask.verb}`)"),
            Evidence(2, f"it says by what to decide (`{ground.words}`)"),
            *reasons,
            *evidence_of_name_guesses(usage),
        ),
        flow=(Step(node.span, "it is said by what to decide"),),
        target=usage.name or None,
        detail=ground.words,
        tags={"instruction"},
    )
