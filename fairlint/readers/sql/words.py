"""The words that say what a query is for; data in `words.txt` beside this module."""

from __future__ import annotations

from functools import cache

from fairlint.lexicon.lists import word_file
from fairlint.records import Record


class Words(Record):
    """The sections of `words.txt`."""

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


@cache
def words() -> Words:
    """The shipped words."""
    sections = word_file("sql.txt")
    return Words(
        purpose=sections["purpose"],
        weak_purpose=sections["purpose.weak"],
        judged=sections["judged"],
        things=sections["things"],
        report=sections["report"],
        people=sections["people"],
        points=sections["points"],
        merit=sections["merit"],
        state=sections["state"],
        shown=sections["shown"],
        executes=sections["executes"],
    )
