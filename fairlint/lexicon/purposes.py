"""Lawful purposes: pensions, taxes, sports, the weights of a survey. There the law or the rules of the matter
themselves look at an attribute.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fairlint.lexicon.context import Lexicon, bag_of, joined
from fairlint.lexicon.model import Surroundings
from fairlint.lexicon.tables import table, texts
from fairlint.records import Record

_MOST_NAMES = 200


class Purpose(Record):
    """A purpose, the words that tell of it, and those that tell of another one."""

    name: str
    attributes: frozenset[str]
    """Those that it looks at; none for all."""
    words: Lexicon
    """One of them stands in the name of the function, its class, the person or the target."""
    doings: Lexicon
    """Where there are any, one of them stands in the name of the function or the target."""
    unless: Lexicon
    """Where one of them stands anywhere in the function, a person is chosen, priced or judged."""


def read(raw: Mapping[str, object]) -> tuple[Purpose, ...]:
    """The purposes of context.toml."""
    return tuple(_purpose(name, table(entry, f"lawful.{name}")) for name, entry in raw.items())


def _purpose(name: str, entry: Mapping[str, object]) -> Purpose:
    where = f"lawful.{name}"
    return Purpose(
        name,
        frozenset(texts(entry.get("attributes", []), f"{where}.attributes")),
        Lexicon.read(entry["words"], f"{where}.words"),
        Lexicon.read(entry.get("doings", ""), f"{where}.doings"),
        Lexicon.read(entry["unless"], f"{where}.unless"),
    )


def purpose_of(
    purposes: Iterable[Purpose], attribute: str, around: Surroundings, targets: Iterable[str]
) -> str:
    """The purpose for which the code around looks at an attribute, empty where it has none of these.

    `targets` are the names of what hangs on the attribute: variables that it changes, functions that return
    by it.
    """
    doing = joined(map(bag_of, (around.function, *targets)))
    near = joined((doing, bag_of(around.receiver), bag_of(around.receiver_type)))
    for purpose in purposes:
        if purpose.attributes and attribute not in purpose.attributes:
            continue
        if not near.hits(purpose.words):
            continue
        lists = purpose.doings
        if (lists.words or lists.phrases) and not doing.hits(lists):
            continue
        names = joined((near, bag_of(around.prose), *map(bag_of, around.siblings[:_MOST_NAMES])))
        if not names.hits(purpose.unless):
            return purpose.name
    return ""
