"""What a whole file is about: what its comments and texts say, what it names, what its models are to tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from fairlint.detectors.context import Context
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tokens import Tokens
from fairlint.vocabulary.bags import Bag, bag_of, join_bags
from fairlint.vocabulary.words import singular, split_words

_MOST_NAMES = 4_000
_MOST_SAID = 60_000
"""Bytes of comments and texts that are read."""
_LONGEST_NAME = 40
_LONGEST_SAID = 2_000
"""Bytes of one comment or text; what is longer is data or a page."""
_MOST_NODES = 6_000
_MOST_PARTS = 40
_NAME = lazy_expression(rb"(?<!\w)[A-Za-z_]\w\w+")
_EDGES = b"\"'`#/* \t\r\n"
_OF_LABELS = frozenset({"y", "target", "label", "labels", "outcome", "response", "dependent"})
"""Words of a variable that holds what a model is to tell."""
_FORMULA = "~"
_TAKES_OUT = frozenset({"drop", "pop"})


class FileTopic(Record):
    """The words of one file, in the kinds in which they say something."""

    said: Bag
    """Of its comments, its documentation, its sentences, and the text beside a notebook's code."""
    written: Bag
    """Of all that it names: variables, fields, keys, columns, files."""
    label: Bag
    """Of what its models are to tell: the columns that are their labels."""
    imports: Bag
    """Of the modules that it imports, and of what it imports from them."""
    shared: Bag
    """Of the files that name the same model, said and written."""


def topic_of(context: Context) -> FileTopic:
    """Return what a file is about."""
    return context.once(_compute_topic, "")


def _compute_topic(_: str, context: Context) -> FileTopic:
    tokens = context.definitions.tokens
    said, names = _read_sentences_and_names(context.source.data, tokens)
    others = [_read_sentences_and_names(data, tokens) for data in context.source.companions]
    return FileTopic(
        join_bags(map(bag_of, (*said, *context.source.prose))),
        _words_of_names(names),
        join_bags(map(bag_of, dict.fromkeys(_label_columns(context)))),
        join_bags(map(bag_of, (*context.definitions.imports, *sorted(context.definitions.imported)))),
        join_bags(
            (
                *(_words_of_names(names) for _, names in others),
                *(bag_of(text) for said, _ in others for text in said),
            )
        ),
    )


def _read_sentences_and_names(data: bytes, tokens: Tokens | None) -> tuple[list[str], dict[str, None]]:
    """Return the sentences of some code, and its names, those in quotes among them."""
    names: dict[str, None] = {}
    said: list[str] = []
    at = size = 0
    for start, end in tokens.ended(data) if tokens is not None else ():
        _collect_names(data, at, start, names)
        at = end
        text = data[start : min(end, start + _LONGEST_SAID)].strip(_EDGES)
        if b" " not in text and len(text) <= _LONGEST_NAME:
            names[text.decode("utf-8", "replace")] = None
        elif size < _MOST_SAID:
            size += len(text)
            said.append(text.decode("utf-8", "replace"))
        if len(text) <= _LONGEST_NAME:  # `Blood Pressure` is a column
            names[text.decode("utf-8", "replace")] = None
    _collect_names(data, at, len(data), names)
    return said, names


def _collect_names(data: bytes, start: int, end: int, names: dict[str, None]) -> None:
    if len(names) < _MOST_NAMES:
        found = (one[0] for one in _NAME.finditer(data, start, end))
        names.update(dict.fromkeys(name.decode() for name in found if len(name) <= _LONGEST_NAME))


def _words_of_names(names: Iterable[str]) -> Bag:
    """Return all names as one; `bag_of` would keep each."""
    split = [split_words(name) for name in islice(names, _MOST_NAMES)]
    words = frozenset(word for one in split for word in one)
    return Bag(words | frozenset(map(singular, words)), "|".join(f" {' '.join(one)} " for one in split))


def _label_columns(context: Context) -> Iterator[str]:
    """Return the names of columns that a variable for labels is made of, or that are taken out of a table for
    it: `y = people["hired"]`, `X = people.drop(columns="hired")`, `TARGET = "hired"`, `"hired ~ age"`.
    """
    own = (node for statement in context.body for node in tree.walk(statement))
    inner = (node for name in context.functions for node in context.nodes_of(name))
    for node in islice(chain(own, inner), _MOST_NODES):
        match node:
            case tree.Assign(targets=targets, value=value) if value is not None and _is_for_labels(targets):
                yield from _columns_in(value)
            case tree.Call(function=tree.Field(name=name)) if name in _TAKES_OUT:
                yield from _columns_in(node)
            case tree.Literal(value=str() as text) if _FORMULA in text:
                yield text.partition(_FORMULA)[0][:_LONGEST_NAME]


def _is_for_labels(targets: Iterable[tree.Node]) -> bool:
    return any(
        isinstance(target, tree.Name) and not _OF_LABELS.isdisjoint(split_words(target.id))
        for target in targets
    )


def _columns_in(value: tree.Node) -> Iterator[str]:
    for part in islice(tree.walk(value), _MOST_PARTS):
        match part:
            case tree.Literal(value=str() as text) if len(text) <= _LONGEST_NAME:
                yield text
            case tree.Field(name=name):
                yield name
