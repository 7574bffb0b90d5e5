"""Which group of which attribute a guess speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from fairlint.analyses.assumptions.attribute_reads import Read
from fairlint.analyses.assumptions.guess_sources import is_call_with_effect, is_name, lexicon
from fairlint.semantics.names.syntax_index import NOWHERE
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const, Sequence, Table, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.words import split_words

if TYPE_CHECKING:
    from fairlint.analyses.assumptions.inferred_groups import InferenceFinder

MOST_ARMS = 30
MOST_SAID = 4
"""Words of a text that is printed and says somebody's group; longer ones may say anything of it."""


def mentions_in(finder: InferenceFinder, words: tuple[str, ...]) -> Iterator[Read]:
    """Yield what the words of a name mention, by themselves and with the next one: `skin_tone`."""
    for word in (*words, *(f"{first}_{second}" for first, second in pairwise(words))):
        yield from finder.reader.named(word, NOWHERE)


def assigned_group(finder: InferenceFinder, part: Node) -> tuple[str, str] | None:
    """Return the attribute and group that a statement gives: `gender = "female"`, `return "female"`."""
    match part:
        case tree.Return(value=value) if value is not None:
            return group_in(finder, finder.reader.values(value), value)
        case tree.Assign(targets=(target,), value=value, op=None) if value is not None:
            values = finder.reader.values(value)
            found = group_of(finder, finder.reader.written(target), values)
            return found or group_in(finder, values, value)
        case tree.Expression(value=tree.Call(arguments=(first, *_)) as call) if is_call_with_effect(
            finder, call, "shows"
        ):
            said = finder.reader.values(first)
            return group_in(finder, said, first) or _group_in_words(finder, said)
        case _:
            return None


def _group_in_words(finder: InferenceFinder, values: Iterable[Value]) -> tuple[str, str] | None:
    """Return the group that a few words name: `"Detected: MALE"`."""
    for value in values:
        text = value.value if isinstance(value, Const) and isinstance(value.value, str) else ""
        words = re.findall(r"[A-Za-z]+", text)
        for word in words if len(words) <= MOST_SAID else ():
            for attribute, group in finder.reader.groups_in(word):
                if attribute in lexicon()["attributes"]:
                    return attribute, group
    return None


def group_of_name_list(finder: InferenceFinder, test: Node) -> tuple[str, str] | None:
    """Return the group whose names a list holds: `if first in FEMALE_NAMES`."""
    match test:
        case tree.Compare(op="in", left=left, right=right) if is_name(finder, left):
            words = split_words(path_of(right) or "")
            if {"names", "name"}.isdisjoint(words):
                return None
            groups = (pair for word in words for pair in finder.reader.groups_in(word))
            return next((pair for pair in groups if pair[0] in lexicon()["attributes"]), None)
        case _:
            return None


def group_in(finder: InferenceFinder, values: Iterable[Value], node: Node) -> tuple[str, str] | None:
    """Return the group that a text or the first part of a tuple names, by itself or for the
    function around.
    """
    first = [_first_part(value) for value in values]
    for value in first:
        text = value.value if isinstance(value, Const) else None
        for attribute, group in finder.reader.groups_in(text) if isinstance(text, str) else ():
            if attribute in lexicon()["attributes"]:
                return attribute, group
    for outer in finder.reader.syntax.around(node):
        if isinstance(outer, tree.Function):
            return group_of(finder, mentions_in(finder, split_words(outer.name)), first)
    return None


def group_of(
    finder: InferenceFinder, reads: Iterable[Read], values: Iterable[Value]
) -> tuple[str, str] | None:
    """Return the group of one of some attributes that a value is."""
    known = list(values)
    for read in reads:
        attribute = read.mention.attribute
        groups = (finder.reader.group_of(attribute, value) for value in known)
        group = next((one for one in groups if one is not None), None)
        if attribute in lexicon()["attributes"] and finder.reader.is_somebody(attribute, group):
            return attribute, group or ""
    return None


def groups_in_table(finder: InferenceFinder, table: Value, node: Node) -> tuple[str, list[str]]:
    """Return the attribute whose groups a table holds, of which all are one's, and its keys."""
    if not isinstance(table, Table) or len(table.entries) < 2:
        return "", []
    found = [group_in(finder, [value], node) for _, value in table.entries[:MOST_ARMS]]
    first = found[0]
    if first is None or any(one is None or one[0] != first[0] for one in found):
        return "", []
    return first[0], [str(one.value) for one, _ in table.entries if isinstance(one, Const)]


def _first_part(value: Value) -> Value:
    match value:
        case Sequence(items=(first, *_)) | Table(entries=((_, first), *_)):
            return first
        case _:
            return value
