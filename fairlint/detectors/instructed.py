"""Texts that tell a model or a reader to prefer or avoid a group of people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.analyses.prompts import prompt_intent, stated_preference, templates
from fairlint.analyses.prompts.usages import Usage
from fairlint.detectors.context import Context
from fairlint.detectors.prompt_recipients import addressee, clinical, evidence_of_name_guesses
from fairlint.detectors.text_places import words_at
from fairlint.detectors.use_builder import plain_use
from fairlint.findings.uses import Step, Use
from fairlint.semantics.names.effects import any_word
from fairlint.syntax import tree
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.model import Evidence, Mention
from fairlint.vocabulary.preferring import may_prefer

USE_COSTS = 200
"""Steps to tell one preference, beside the characters of its text."""
OVERLAP = 200
"""Characters before the end of what is read in which a preference may begin."""


def observe(used: Iterable[Usage], context: Context) -> Iterator[Use]:
    """Yield the preferences of all texts of a file; a place may be told more than once."""
    read: dict[str, tuple[stated_preference.Preference, ...]] = {}
    for usage in used:
        if not context.may_read(usage.begin, len(usage.pieces)):
            return
        text = templates.running_text(usage.pieces)
        flat = prompt_intent.flatten_text(text)
        if flat not in read:
            if not context.may_read(usage.begin, len(flat) // 4):
                return
            read[flat] = tuple(stated_preference.preferences(flat, context.vocabulary))
        reason = usage.left_out or prompt_intent.left_out(text)
        if reason and (read[flat] or usage.left_out or _may_go_on(flat, text, context)):
            context.facts.cut(usage.begin, reason)
        for found in read[flat]:
            if not context.may_read(usage.begin, USE_COSTS):
                return
            if (use := _preference_use(found, usage, flat, context)) is not None:
                yield use


def _may_go_on(flat: str, text: str, context: Context) -> bool:
    """Return whether what was not read of a text may tell whom to prefer as well, or speaks to a model."""
    rest = text[prompt_intent.LONGEST - OVERLAP :]
    return prompt_intent.speech_of(flat).addresses or may_prefer(rest, context.vocabulary)


def _preference_use(
    found: stated_preference.Preference, usage: Usage, flat: str, context: Context
) -> Use | None:
    silent = word_lists("preferences")["silent"]
    last = usage.name.rpartition(".")[2]
    if usage.kind == "call" and (last in silent or any_word(usage.keyword, silent)):
        return None
    speech = prompt_intent.speech_of(flat)
    evidence = addressee(usage, speech, context)
    if found.is_work:
        evidence.append(Evidence(1, "the text is about work, money, homes or schools"))
    if not evidence:
        return None
    healing = speech.clinical and not speech.scarce and not found.is_work
    evidence += [
        Evidence(1, f"the text says whom to prefer or avoid (`{found.verb}`)"),
        *evidence_of_name_guesses(usage),
    ]
    mention = Mention(found.attribute, found.attribute, (found.attribute,), "strong", "value")
    node = tree.Name(words_at(found.words, usage, context), found.words)
    use = plain_use(
        context,
        mention,
        node,
        kind="prompt",
        effect="decide",
        shape="branch",
        groups=(found.group,),
        evidence=evidence,
        flow=(Step(node.span, "a group is preferred or avoided here"),),
        target=usage.name or None,
        detail=found.words,
        tags={"instruction"},
    )
    return clinical(use, speech) if healing else use
