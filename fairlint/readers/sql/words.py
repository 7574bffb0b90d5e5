"""The words that say what a query is for; data in `lexicon/words/sql.toml`."""

from __future__ import annotations

from functools import cache

from fairlint.lexicon.load import word_lists
from fairlint.records import Record


class Words(Record):
    """The sections of `sql.toml`."""

    purpose: frozenset[str]
    weak_purpose: frozenset[str]
    judged: frozenset[str]
    things: frozenset[str]
    report: frozenset[str]
    people: frozenset[str]
    points: frozenset[str]
    merit: frozenset[str]
    state: frozenset[str]
    shown: frozenset[str]
    executes: frozenset[str]
    units: frozenset[str]
    writes: frozenset[str]
    selects: frozenset[str]
    orders: frozenset[str]
    takes_few: frozenset[str]
    conditions: frozenset[str]
    expressions: frozenset[str]
    no_rows: frozenset[str]


@cache
def words() -> Words:
    """The shipped words."""
    return Words(**word_lists("sql"))
