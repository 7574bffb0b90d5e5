"""From what code guesses a group: a first name, a place, a text, figures, or what a model says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from fairlint.analyses.assumptions import answering_models as models
from fairlint.semantics.values.paths import last_name, path_of
from fairlint.semantics.values.symbolic import Const, Value
from fairlint.semantics.values.traversal import walk
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import split_words

if TYPE_CHECKING:
    from fairlint.analyses.assumptions.inferred_groups import InferenceFinder

OF_A_MODEL = "what a model says"
OF_FIGURES = "the highest of a table's columns"
OF_A_PLACE = "where somebody lives"
OF_A_TITLE = "a pronoun or title"
OF_A_TEXT = "words in a text"
lexicon = partial(word_lists, "inferred_groups")
"""The names and words of `inferred_groups.toml`."""


def source_of(finder: InferenceFinder, test: Node) -> tuple[str, Node]:
    """Return what a test looks at that tells nobody's group, the end of a name, a pitch, a pronoun, and where
    it does so: in the test itself, or where its variable is given a value.
    """
    for part in asked_by(finder, test):
        if source := _told_by(finder, part):
            return source, test if inside(part, test) else part
    return "", test


def asked_by(finder: InferenceFinder, test: Node) -> Iterator[Node]:
    """Yield the parts of a test, and the calls and comparisons that its variables come from."""
    facts = finder.reader.facts
    for part in tree.walk(test):
        yield part
        for value in finder.reader.values(part) if isinstance(part, tree.Name | tree.Index) else ():
            places = map(facts.place_of, facts.behind(value))
            yield from (place for place in places if isinstance(place, tree.Call | tree.Compare))


def _told_by(finder: InferenceFinder, part: Node) -> str:
    words, names = lexicon(), finder.reader.names
    match part:
        case tree.Call() if is_model_s(finder, part):
            return OF_A_MODEL
        case tree.Call(function=tree.Field(value=value), arguments=(_, *_)) if is_call_with_effect(
            finder, part, "applies"
        ):
            return _looked_up_by(finder, value)
        case tree.Call(function=tree.Field(name=name, value=value)) if name in words[
            "looks_at_letters"
        ] and is_name(finder, value):
            return "the letters of a name"
        case tree.Call(function=tree.Field(value=value)) if is_call_with_effect(
            finder, part, "compares", "in"
        ) and is_name(finder, value):
            return "a list of names"
        case tree.Call(function=tree.Field(name=name), arguments=(*first, value)) if (
            name in words["looks_for_pattern"]
        ):
            said = [text for one in first for text in names(one)]
            return "the letters of a name" if is_name(finder, value) else _said_in(finder, said, value)
        case tree.Compare(op="in" | "==" as op, left=left, right=right) if is_name(finder, left):
            if isinstance(left, tree.Index) or _is_letter(finder, left, right, op):
                return "the letters of a name"
            return "a list of names" if _lists_names(finder, right) else ""
        case tree.Compare(op="<" | "<=" | ">" | ">="):
            return _measurement_source(finder, part)
        case tree.Compare(op="in" | "==" as op, left=left, right=right):
            said = names(left) or names(right)
            return (
                _source_if_pronouns(said)
                or _said_in(finder, said, right if op == "in" else None)
                or _appearance_source(finder, part)
            )
        case tree.Call(arguments=(tree.Comprehension() as over,)) if is_call_with_effect(
            finder, part, "asks of all"
        ):
            return _said_one_by_one(finder, over)
        case _:
            return ""


def _measurement_source(finder: InferenceFinder, test: tree.Compare) -> str:
    """Return what a number was measured from that a test compares: how likely it is, or how high a
    voice is.
    """
    if models.is_likelihood(test, finder.reader):
        return OF_A_MODEL
    called = {word for side in (test.left, test.right) for word in _words_of(finder, side)}
    if called & lexicon()["sources_pitch"]:
        return "the pitch of a voice"
    if looks := _appearance_source(finder, test):
        return looks
    return _measured_by(finder, [*finder.reader.values(test.left), *finder.reader.values(test.right)])


def _appearance_source(finder: InferenceFinder, test: tree.Compare) -> str:
    """Return whether it is asked how somebody looks: `hair_style == "long"`."""
    words = {word for side in (test.left, test.right) for word in _words_of(finder, side)}
    return "" if words.isdisjoint(lexicon()["sources_looks"]) else "how somebody looks"


def _said_one_by_one(finder: InferenceFinder, over: tree.Comprehension) -> str:
    """`any(word in text for word in ["she", "her"])`."""
    said = [text for one in over.generators for text in finder.reader.names(one.iterable)]
    asked = over.element
    subject = asked.right if isinstance(asked, tree.Compare) and asked.op == "in" else None
    if subject is not None and is_name(finder, subject):
        return "the letters of a name"
    return _source_if_pronouns(said) or _said_in(finder, said, subject)


def _said_in(finder: InferenceFinder, said: list[Const], subject: Node | None) -> str:
    """Return whether words for a group are looked for in what somebody has said or written."""
    if subject is None or lexicon()["sources_said"].isdisjoint(_words_of(finder, subject)):
        return ""
    words = [word for text in said for word in re.findall(r"[A-Za-z]{3,}", str(text.value))]
    named = (pair for word in words for pair in finder.reader.groups_in(word))
    return OF_A_TEXT if any(pair[0] in lexicon()["attributes"] for pair in named) else ""


def _looked_up_by(finder: InferenceFinder, subject: Node) -> str:
    """Return what a column is looked up by that tells nobody's group: a surname, or where somebody lives."""
    called = _words_of(finder, subject)
    if not lexicon()["sources_place"].isdisjoint(called):
        return OF_A_PLACE
    return "a list of names" if not lexicon()["sources_surname"].isdisjoint(called) else ""


def _measured_by(finder: InferenceFinder, values: list[Value]) -> str:
    """Return what numbers were measured from that are compared: the pitch of a voice, pronouns in a text."""
    facts = finder.reader.facts
    behind = [one for value in values for part in walk(value) for one in facts.behind(part)]
    calls = [call for one in behind if (call := facts.call_giving(one)) is not None]
    for call in calls:
        called = {word for one in call.node.arguments for word in _words_in(path_of(one) or "")}
        called.update(_words_in(call.name))
        if not called.isdisjoint(lexicon()["measures_pitch"]):
            return "the pitch of a voice"
    counted = [one for call in calls if call.name.endswith("count") for one in call.arguments]
    return _source_if_pronouns([one for one in counted if isinstance(one, Const)])


def is_call_with_effect(finder: InferenceFinder, node: Node, does: str, op: str = "") -> bool:
    """Return whether an expression is a call that does something, by an operator where one is asked for."""
    calls = finder.reader.calls(node) if isinstance(node, tree.Call) else ()
    known = [finder.reader.known(call, does) for call in calls if does in finder.reader.does(call)]
    return any(one is not None and op in {"", one.entry.given.get("op")} for one in known)


def _words_of(finder: InferenceFinder, node: Node) -> set[str]:
    """Return the words that a value goes by: those of a variable, and of the field or column that
    it holds.
    """
    places = map(finder.reader.facts.place_of, finder.reader.values(node))
    written = (node, *(_without_methods(place) for place in places if place is not None))
    called = [path_of(one) or "" for one in written]
    called += [
        str(name.value)
        for one in written
        if isinstance(one, tree.Index)
        for name in finder.reader.names(one.index)
    ]
    return {word for name in called for word in _words_in(name.rpartition(".")[2])}


def is_name(finder: InferenceFinder, node: Node) -> bool:
    """Return whether an expression is a person's name, or a letter of it."""
    while True:
        match node:
            case tree.Call(function=tree.Field(value=inner)) | tree.Field(name="str", value=inner):
                node = inner
            case tree.Index(value=tree.Field(name="str", value=inner)):  # `df["name"].str[-1]`
                node = inner
            case tree.Index(value=inner, index=index) if not finder.reader.names(index):
                node = inner
            case _:
                return not lexicon()["sources_name"].isdisjoint(_words_of(finder, node))


def _is_letter(finder: InferenceFinder, left: Node, right: Node, op: str) -> bool:
    """Return whether a variable that holds a part of a name is compared with letters: `end = name[-1]`."""
    if not lexicon()["sources_name"].isdisjoint(split_words(path_of(left) or "")):
        return False  # the name as a whole
    values = finder.reader.values(right)
    texts = [value.value for value in values if isinstance(value, Const) and isinstance(value.value, str)]
    known = bool(texts) and len(texts) == len(values)
    return known and (op == "in" or all(len(text) == 1 and not text.isdigit() for text in texts))


def _lists_names(finder: InferenceFinder, node: Node) -> bool:
    """Return whether a list is one of names of a group, by its own name or by what stands in it."""
    words = split_words(path_of(node) or "")
    if not {"names", "name"}.isdisjoint(words):
        return True
    return any(
        finder.reader.groups_in(word) or finder.reader.groups_in(word.removesuffix("s")) for word in words
    ) or (len(finder.reader.names(node)) > 1)


def is_model_s(finder: InferenceFinder, call: tree.Call) -> bool:
    """Return whether a call gives what a model says, or the likeliest of several."""
    words = split_words(last_name(call.function) or "")
    return not lexicon()["picks_class"].isdisjoint(words) or is_call_with_effect(finder, call, "predicts")


def _without_methods(node: Node) -> Node:
    """Return what methods are called on that are given constants at most: `name` of `(name or
    "").strip()`.
    """
    while True:
        match node:
            case tree.Call(function=tree.Field(value=inner), arguments=given) if all(
                isinstance(one, tree.Literal) for one in given
            ):
                node = inner
            case tree.BoolOp(op="or", values=(inner, tree.Literal())):
                node = inner
            case _:
                return node


def _words_in(name: str) -> set[str]:
    """Return the words of a name, by themselves and with the next one: `f0`, `first_name`."""
    words = split_words(name)
    return {*words, *(first + second for first, second in pairwise(words))}


def _source_if_pronouns(names: list[Const]) -> str:
    is_told = bool(names) and all(is_pronoun(str(name.value)) for name in names)
    return OF_A_TITLE if is_told else ""


def is_pronoun(text: str) -> bool:
    """Report whether a text is a pronoun that tells a gender."""
    words = lexicon()
    bare = text.strip(" .,").lower()
    return bare in words["pronouns_male"] or bare in words["pronouns_female"]
