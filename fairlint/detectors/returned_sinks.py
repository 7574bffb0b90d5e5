"""What is decided by what a function returns."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from fairlint.detectors.context import Context
from fairlint.detectors.outcomes import act_text
from fairlint.detectors.roles import are_people, is_class_of_group, objects, said_name
from fairlint.detectors.sinks import Sink, decision_verbs, names_a_group, sink
from fairlint.detectors.user_input import is_user_choice
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.effects import (
    announces_outcome,
    announcing_words,
    any_word,
    classify_target,
    lexicon,
)
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.paths import path_of
from fairlint.support.records import Record, field, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.words import split_words

_GOES_TO = "→ "
"""Stands before the page that somebody is sent to."""


def gives_text(function: str, context: Context) -> bool:
    """Return whether a function says of itself that it gives a text: a rank's name is no rank."""
    node = context.function_named(function)
    return node is not None and context.conventions.is_text(node.returns)


class Returned(Record, frozen=False, slots=False):
    """What not every group is returned, as it is written."""

    texts: list[str]
    known: dict[str, Sink] = field(default_factory=dict)
    """What it amounts to, by the function that returns it."""

    @cached_property
    def strings(self) -> list[str]:
        """Those that are texts."""
        return [text for text in self.texts if text[:1] in "'\""]


_ANSWERS = frozenset({"0", "1", "-1"})
_TRUTHS = frozenset({repr(True), repr(False), repr(None), "true", "false"})


def return_sink(  # noqa: PLR0917 (as above)
    site: Site, event: Event, role: str, returned: Returned, differing: set[str], context: Context
) -> Sink | None:
    """Return what a returned value decides, if it does."""
    function = event.function
    if role == "mention":
        return Sink("show")
    if role in {"", "show"} and is_user_choice(event.value, site.attribute, context):
        return Sink("show")
    strings = returned.strings
    if not returned.texts:
        return None
    if _TRUTHS.issuperset(returned.texts) and is_class_of_group(function, site.attribute, context):
        return Sink("show")
    if role == "check" and not strings:
        return Sink("check")
    if role == "score" and not strings and gives_text(function, context):
        return Sink("show")
    if _is_called_after(event, site.attribute, context):
        return Sink("show")
    if function not in returned.known:
        found = _returned_sink(function, role, returned, site.attribute, differing, context)
        returned.known[function] = found
    return returned.known[function]


def _returned_sink(  # noqa: PLR0917 (as above)
    function: str, role: str, returned: Returned, attribute: str, differing: set[str], context: Context
) -> Sink:
    """Return what all that a function returns amounts to, whichever of its returns is looked at."""
    name = said_name(function) or "the file"
    if returned.strings:
        return _text_sink(returned.strings, name, role, attribute, context)
    found = _plain_sink(returned.texts, name, role, are_answers=not context.conventions.or_gives_value)
    said = _announced_apart(function, differing, context) if found.effect == "none" else frozenset()
    if said and all(word.startswith(_GOES_TO) for word in said):
        return sink("decide", 1, f"`{name}` sends people to different pages")
    return sink("decide", 2, f"`{name}` returns what announces the outcome") if said else found


def _is_called_after(event: Event, attribute: str, context: Context) -> bool:
    """Return whether the variable that is returned bears the attribute's own name: it holds a code of the
    group.
    """
    given = event.node.value if isinstance(event.node, tree.Return) else None
    name = (path_of(given) or "").rpartition(".")[2] if isinstance(given, tree.Name | tree.Field) else ""
    return any(
        mention.attribute == attribute and mention.group is None and mention.strength != "proxy"
        for mention in context.vocabulary.mentions(name)
    )


def _text_sink(strings: list[str], name: str, role: str, attribute: str, context: Context) -> Sink:
    """Return what it is that different texts are returned."""
    is_said = any(map(announces_outcome, strings))
    if is_said and role in {"decide", "score", "predicate"}:
        return sink("decide", 2, f"returned by `{name}` as the outcome")
    if all(_says_group(text, attribute, context) for text in strings):
        return Sink("show")  # the group in other words
    if is_said and role != "show":
        found = sink("decide", 2, f"returned by `{name}` as the outcome")
        return found if any(map(announcing_words, strings)) else replace(found, said="answer")
    if role == "score" or (role == "decide" and not _may_be_of_things(name, attribute, context)):
        return sink("decide", 2, f"`{name}` returns a decision")
    if role == "decide":
        found = sink("decide", 2, f"`{name}` may return a decision")
        return replace(found, said="answer" if _is_treatment(name) else "shape")
    if role == "" and _is_treatment(name) and not any(names_a_group(text, context) for text in strings):
        return sink("decide", 1, f"`{name}` says how a person is treated")
    return Sink("show")


def _says_group(text: str, attribute: str, context: Context) -> bool:
    """Return whether a returned text, with its quotes, is a name of a group or of whoever is of it:
    `"father"`.
    """
    said = text.strip("'\"")
    if not said or context.vocabulary.group_of(attribute, said) is not None:
        return True
    words = split_words(said)
    return attribute == "gender" and bool(words) and lexicon()["gendered"].issuperset(words)


def _may_be_of_things(name: str, attribute: str, context: Context) -> bool:
    """Return whether what decides by its name does so of things as often as of people: `classify_mapping`."""
    words, lexicon_ = split_words(name), lexicon()
    if lexicon_["outcome"].intersection(words) - lexicon_["of_things"]:
        return False
    of = objects(words)
    return bool(of) and not are_people(of, attribute, context)


def _is_treatment(name: str) -> bool:
    """Return whether a function's name says that it gives the way in which a person is treated:
    `choose_plan`.
    """
    words = split_words(name)
    return bool(words) and (words[-1] in lexicon()["treatment"] or words[0] in lexicon()["treats"])


def _announced_apart(function: str, differing: set[str], context: Context) -> frozenset[str]:
    """Return the words of what is returned, where it announces one outcome for some and another, or none, for
    others.
    """
    said_by = context.once(find_announcements, function)
    told = {said for act, said in said_by.items() if act in differing}
    return frozenset().union(*told) if len(told) > 1 else frozenset()


def find_announcements(function: str, context: Context) -> dict[str, frozenset[str]]:
    """Return the words of the outcomes that the returns of a function announce, by what they return."""
    return {
        act_text(event.node, context): _announcing_words(event.node.value, context)
        for event in context.timeline.ends(function, 0)
        if isinstance(event.node, tree.Return) and event.node.value is not None
    }


def _announcing_words(value: Node, context: Context) -> frozenset[str]:
    """Return the words of a returned expression that announce an outcome: of its texts, keys, and names."""
    lists = lexicon()
    announcing = (lists["outcome_text"] - lists["talk"]) | lists["refusal"]
    found: set[str] = set()
    for part in tree.walk(value):
        match part:
            case tree.Literal(value=str() as text):
                found |= announcing_words(text)
            case tree.Literal(value=int() as code):
                found |= lists["refusal"] & {str(code)}
            case tree.Call(arguments=(page, *_)) if context.may(part, "sends on"):
                found.add(f"{_GOES_TO}{context.source.text(page.span)}")
            case tree.Name(id=name) | tree.Field(name=name):
                found |= announcing.intersection(split_words(name))
            case tree.Collection(items=items):
                keyed = [(item.key.value, item.value) for item in items if isinstance(item.key, tree.Literal)]
                found |= _named_verdicts(keyed, context)
            case tree.Call(keywords=keywords):
                found |= _named_verdicts(keywords, context)
            case _:
                pass
    return frozenset(found)


def _named_verdicts(keyed: Iterable[tuple[object, Node]], context: Context) -> set[str]:
    """Return what is said under keys that name an outcome: `approved=False`."""
    return {
        f"{key}={context.source.text(value.span)}"
        for key, value in keyed
        if isinstance(key, str) and any_word(key, decision_verbs()) and isinstance(value, tree.Literal)
    }


def _plain_sink(returned: list[str], name: str, role: str, *, are_answers: bool) -> Sink:
    """Return what it is that different numbers, truth values or other things are returned.

    `are_answers` is for languages in which 0 and 1 say no and yes.
    """
    is_truth = any(text in _TRUTHS for text in returned)
    if role in {"decide", "score", "predicate"}:
        found = sink("decide", 2, f"`{name}` returns a decision")
        says_state = role == "predicate" and split_words(name)[0] in lexicon()["states"]
        return replace(found, said="answer") if says_state else found
    if role == "show" or (role == "" and not is_truth and any_word(name, lexicon()["binning"])):
        return Sink("show")
    if role == "" and not is_truth and classify_target(name) == "count":
        return Sink("show")  # how many of the people are of the group
    if is_truth or any(map(_is_number, returned)):
        found = sink("decide", 1, f"`{name}` returns a different result")
        is_answer = are_answers and all(text in _ANSWERS for text in returned if _is_number(text))
        return found if is_truth or is_answer else replace(found, said="shape")
    return Sink("none")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
