"""Who is told a text: a model, somebody who reads it, or a log."""

from __future__ import annotations

import re

from fairlint.detectors.context import Context
from fairlint.lexicon import split_words
from fairlint.lexicon.model import Evidence
from fairlint.lexicon.phrases import alternatives
from fairlint.readers.prompts import prompt_intent
from fairlint.readers.prompts.usages import Usage
from fairlint.semantics.effects import any_word, is_show


def addressee(usage: Usage, speech: prompt_intent.Speech, context: Context) -> list[Evidence]:
    """The reasons to believe that somebody is asked, empty where the text goes elsewhere."""
    words = prompt_intent.words()
    last = usage.name.rpartition(".")[2]
    called = set(split_words(usage.name))
    whole = called | set(split_words(usage.keyword))
    near = set(split_words(usage.function))
    silent = usage.kind == "call" and not called & words["models_sure"]
    if silent and (is_show(usage.name) or last in words["silent"]):
        return []
    if whole & words["names"] or (usage.kind == "return" and called & words["names"]):
        return [Evidence(2, f"`{last or usage.keyword}` is a prompt")]
    if silent and called & words["silent"]:
        return []
    if usage.kind == "call" and (whole & words["models_calls"] or _is_made_of_a_model(usage, context)):
        return [Evidence(2, f"`{usage.name}` hands the text to a model")]
    model = _speaks_to_a_model(near, context)
    speaks = speech.addresses or speech.plays
    if near & words["names_sure"] or (near & words["names"] and (model or speaks)):
        return [Evidence(2, f"`{usage.function}` puts a prompt together")]
    if model and speaks:
        return [Evidence(2, "the text speaks to a model")]
    if model and whole & words["names_weak"]:
        return [Evidence(1, f"`{last or usage.keyword}` goes to a model")]
    if speech.addresses and speech.plays:
        return [Evidence(2, "the text tells its reader who to be and what to answer")]
    if speaks:
        weight = 2 if whole & words["names_weak"] else 1
        return [Evidence(weight, "the text tells its reader what to do")]
    return []


def _is_made_of_a_model(usage: Usage, context: Context) -> bool:
    """Whether what is called was made by a call that gives a model: `gen = pipeline("text-generation")`."""
    maker = context.execution.facts.call_of(usage.callee)
    return maker is not None and not prompt_intent.words()["models_calls"].isdisjoint(split_words(maker.name))


def may_address(context: Context) -> bool:
    """Whether `addressee` could find anybody for any text of the file."""
    words = prompt_intent.words()
    known, prose = context.written.words, context.written.prose
    return (
        not known.isdisjoint(words["names"])
        or not known.isdisjoint(words["models_calls"])
        or prompt_intent.says("address", prose) is not None
        or prompt_intent.says("role", prose) is not None
        or _speaks_to_a_model(set(), context)
    )


def _speaks_to_a_model(near: set[str], context: Context) -> bool:
    words = prompt_intent.words()
    imports = {part for module in context.definitions.imports for part in module.split(".")[:2]}
    return (
        not words["models"].isdisjoint(imports)
        or not words["models_calls"].isdisjoint(near)
        or bool(re.search(_model_named(), context.source.data))
    )


def _model_named() -> bytes:
    return f"(?i){alternatives(prompt_intent.words()['models_named'])}".encode()


def is_evaluation(usage: Usage, context: Context) -> bool:
    """Whether the code asks the same about several groups, to see whether the answers differ."""
    return any_word(
        f"{usage.function} {usage.name} {context.source.path}", prompt_intent.words()["evaluation"]
    )
