"""Who is told a text: a model, a person who reads it, or a log."""

from __future__ import annotations

import re
from itertools import islice

from fairlint.analyses.prompts import prompt_intent
from fairlint.analyses.prompts.usages import Usage
from fairlint.detectors import purpose_context
from fairlint.detectors.context import Context
from fairlint.detectors.user_input import serves
from fairlint.findings.uses import Use
from fairlint.semantics.names.effects import is_show
from fairlint.semantics.tables.libraries import PROMPTS, about
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.vocabulary import split_words
from fairlint.vocabulary.model import Evidence
from fairlint.vocabulary.phrases import alternatives

_MOST_NODES = 2_000
CLINICAL = 3
"""How much it says for a clinical context that a text is about a person's health."""


def addressee(usage: Usage, speech: prompt_intent.Speech, context: Context) -> list[Evidence]:
    """Return the reasons to believe that a person is asked, empty where the text goes elsewhere."""
    if (asked := _model_call_evidence(usage)) is not None:
        return asked
    words = prompt_intent.words()
    last = usage.name.rpartition(".")[2]
    called = set(split_words(usage.name))
    if usage.kind == "return":
        if (function := context.function_named(usage.function)) is not None and serves(function, context):
            return []  # who has asked for a page is answered
        called -= words["names_asking"]
    whole = called | set(split_words(usage.keyword))
    silent = usage.kind == "call" and not called & words["models_sure"]
    if silent and (is_show(usage.name) or last in words["silent"]):
        return []
    is_spoken_to = speech.addresses or _speaks_to_a_model(context)
    if whole & words["names_sure"] or (whole & words["names"] and is_spoken_to):
        is_called = usage.kind == "call" and not set(split_words(usage.keyword)) & words["names"]
        told = "is given a prompt, as its name says" if is_called else "is a prompt"
        return [Evidence(2, f"`{last or usage.keyword}` {told}")]
    if silent and called & words["silent"]:
        return []
    sure = whole & words["models_sure"] or _is_made_of_a_model(usage, context)
    whole -= frozenset() if sure else _asks_nobody(usage, called, context)
    is_one = is_spoken_to or not usage.is_whole_call
    if usage.kind == "call" and (sure or (whole & words["models_calls"] and is_one)):
        return [Evidence(2, f"`{usage.name}` hands the text to a model, as its name says")]
    return _by_speech(usage, whole, speech, context)


def _by_speech(
    usage: Usage, whole: set[str], speech: prompt_intent.Speech, context: Context
) -> list[Evidence]:
    """Return the reasons in what the text says, and in the code around it.

    That it has to do with those who decide says nothing by itself: a table of admitted students does, too.
    """
    words = prompt_intent.words()
    last = usage.name.rpartition(".")[2]
    near = set(split_words(usage.function))
    if usage.kind == "return":
        near -= words["names_asking"]
    model = _speaks_to_a_model(context)
    if (usage.is_whole_call and not model) or speech.is_letter or (whole | near) & words["to_people"]:
        return []
    if near & words["names_sure"] or (near & words["names"] and (model or speech.addresses)):
        return [Evidence(2, f"`{usage.function}` puts a prompt together")]
    if model and (speech.addresses or speech.plays):
        return [Evidence(2, "the text speaks to a model")]
    if model and whole & words["names_weak"]:
        return [Evidence(1, f"`{last or usage.keyword}` goes to a model")]
    if not speech.addresses:
        return []
    if speech.plays:
        return [Evidence(2, "the text tells its reader who to be and what to answer")]
    sure = whole & words["names_weak"] or near & words["models_calls"]
    if not (model or speech.orders):
        return []
    return [Evidence(2 if sure else 1, "the text tells its reader what to do")]


def _model_call_evidence(usage: Usage) -> list[Evidence] | None:
    """Return what the model of a library says: that a language model is sent the text, or not this argument;
    None where no call is known to ask one.
    """
    known = usage.known
    if known is None or "asks model" not in known.entry.does:
        return None
    given = usage.keyword or usage.place
    if usage.place is not None and given not in (known.entry.places("argument") or (given,)):
        return []
    says = f"`{usage.name}` sends the text to a language model, says the model of `{known.library.name}`"
    by_name = f"`{usage.name}` is known by its name alone: nothing says whose it is"
    return [Evidence(2, says), *([Evidence(0, by_name)] if known.by_name else [])]


def evidence_of_name_guesses(usage: Usage) -> list[Evidence]:
    """Return what has to be said of a text that is one only if the names of calls say what they do."""
    return [Evidence(0, f"`{name}` holds or fills the text, as its name says") for name in usage.guessed]


def clinical(use: Use, speech: prompt_intent.Speech) -> Use:
    """Return the same Use with the context of medicine: the text is about a person's health."""
    if use.context.name:
        return use
    said = Evidence(CLINICAL, f"the text is about a person's health (`{speech.clinical}`), and ranks nobody")
    return replace(use, context=purpose_context.make_use_context("clinical", [said]))


def _is_made_of_a_model(usage: Usage, context: Context) -> bool:
    """Return whether what is called was made by a call that gives a model: `gen =
    pipeline("text-generation")`.
    """
    maker = context.execution.facts.call_of(None if usage.call is None else usage.call.callee)
    return maker is not None and not prompt_intent.words()["models_calls"].isdisjoint(split_words(maker.name))


def _asks_nobody(usage: Usage, called: set[str], context: Context) -> frozenset[str]:
    """Return the words by which a call seems to ask a model, where it makes a document or its body
    asks none.
    """
    words = prompt_intent.words()
    is_none = called & words["documents"] or _is_own_without_a_model(usage, context)
    return frozenset(words["models_calls"]) if is_none else frozenset()


def _is_own_without_a_model(usage: Usage, context: Context) -> bool:
    """Return whether what is called is a function of the file that calls nothing but what is known, and no
    model.
    """
    name = usage.name
    if own := context.conventions.own_name(name):
        name = f"{usage.function.rpartition('.')[0]}.{own}"
    function = context.functions.get(name)
    if usage.kind != "call" or function is None:
        return False
    calls = [part for part in islice(tree.walk(function), _MOST_NODES) if isinstance(part, tree.Call)]
    known = [context.may_be(call) for call in calls]
    return all(found and not any("asks model" in one.entry.does for one in found) for found in known)


def may_address(context: Context) -> bool:
    """Return whether `addressee` could find anybody for any text of the file."""
    words = prompt_intent.words()
    known, prose = context.written.words, context.written.prose
    return (
        not known.isdisjoint(words["names"])
        or not known.isdisjoint(words["models_calls"])
        or prompt_intent.says("address", prose) is not None
        or _speaks_to_a_model(context)
        or any("asks model" in found.entry.does for _, found in context.execution.program.found.values())
    )


def _speaks_to_a_model(context: Context) -> bool:
    return context.once(_has_a_model, "")


def _has_a_model(_function: str, context: Context) -> bool:
    """Return whether the file imports what speaks to a language model, or names one."""
    return PROMPTS in about(context.execution.program) or bool(
        re.search(_model_name_pattern(), context.source.data)
    )


def _model_name_pattern() -> bytes:
    return f"(?i){alternatives(prompt_intent.words()['models_named'])}".encode()
