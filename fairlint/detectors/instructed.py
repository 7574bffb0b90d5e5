"""Texts that tell a model or a reader to prefer or avoid a group of people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.analysis.effects import any_word
from fairlint.analysis.texts import asking, instructions, templates
from fairlint.analysis.texts.templates import Usage
from fairlint.detectors.addressees import addressee, is_evaluation
from fairlint.detectors.context import Context
from fairlint.detectors.describing import plain_use
from fairlint.detectors.text_places import words_at
from fairlint.syntax import tree
from fairlint.uses import Step, Use
from fairlint.vocabulary.model import Evidence, Mention


def observe(used: Iterable[Usage], context: Context) -> Iterator[Use]:
    """The preferences of all texts of a file; a place may be told more than once."""
    read: dict[str, tuple[instructions.Preference, ...]] = {}
    left = asking.MOST_READ
    for usage in used:
        flat = asking.flattened(templates.running_text(usage.parts))
        if flat not in read:
            left -= len(flat)
            if left < 0:
                return
            read[flat] = tuple(instructions.preferences(flat))
        for found in read[flat]:
            if (use := _use(found, usage, flat, context)) is not None:
                yield use


def _use(found: instructions.Preference, usage: Usage, flat: str, context: Context) -> Use | None:
    silent = asking.words()["prefer.silent"]
    last = usage.name.rpartition(".")[2]
    if usage.kind == "call" and (last in silent or any_word(usage.keyword, silent)):
        return None
    speech = asking.speech_of(flat)
    evidence = addressee(usage, speech, context)
    if found.is_work:
        evidence.append(Evidence(1, "the text is about work, money, homes or schools"))
    if not evidence or (speech.clinical and not speech.scarce and not found.is_work):
        return None
    evidence.append(Evidence(1, f"the text says whom to prefer or avoid (`{found.verb}`)"))
    mention = Mention(found.attribute, found.attribute, (found.attribute,), "strong", "value")
    node = tree.Name(words_at(found.words, usage, context), found.words)
    tags = {"instruction", "audit"} if is_evaluation(usage, context) else {"instruction"}
    return plain_use(
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
        tags=tags,
    )
