"""Texts that tell a model or a reader to prefer or avoid a group of people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.detectors.context import Context
from fairlint.detectors.prompt_recipients import addressee, guessed
from fairlint.detectors.text_places import words_at
from fairlint.detectors.use_builder import plain_use
from fairlint.lexicon.load import word_lists
from fairlint.lexicon.model import Evidence, Mention
from fairlint.readers.prompts import prompt_intent, stated_preference, templates
from fairlint.readers.prompts.usages import Usage
from fairlint.semantics.effects import any_word
from fairlint.syntax import tree
from fairlint.uses import Step, Use


def observe(used: Iterable[Usage], context: Context) -> Iterator[Use]:
    """The preferences of all texts of a file; a place may be told more than once."""
    read: dict[str, tuple[stated_preference.Preference, ...]] = {}
    left = prompt_intent.MOST_READ
    for usage in used:
        text = templates.running_text(usage.pieces)
        flat = prompt_intent.flattened(text)
        if flat not in read:
            left -= len(flat)
            if left < 0:
                context.facts.cut(usage.begin, prompt_intent.READ_ALL)
                return
            read[flat] = tuple(stated_preference.preferences(flat, context.vocabulary))
        reason = usage.left_out or prompt_intent.left_out(text)
        if reason and (read[flat] or prompt_intent.speech_of(flat).addresses):
            context.facts.cut(usage.begin, reason)
        for found in read[flat]:
            if (use := _use(found, usage, flat, context)) is not None:
                yield use


def _use(found: stated_preference.Preference, usage: Usage, flat: str, context: Context) -> Use | None:
    silent = word_lists("preferences")["silent"]
    last = usage.name.rpartition(".")[2]
    if usage.kind == "call" and (last in silent or any_word(usage.keyword, silent)):
        return None
    speech = prompt_intent.speech_of(flat)
    evidence = addressee(usage, speech, context)
    if found.is_work:
        evidence.append(Evidence(1, "the text is about work, money, homes or schools"))
    if not evidence or (speech.clinical and not speech.scarce and not found.is_work):
        return None
    evidence += [Evidence(1, f"the text says whom to prefer or avoid (`{found.verb}`)"), *guessed(usage)]
    mention = Mention(found.attribute, found.attribute, (found.attribute,), "strong", "value")
    node = tree.Name(words_at(found.words, usage, context), found.words)
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
        tags={"instruction"},
    )
