"""What is known of a statement, and of each clause of it that treats people by an attribute."""

from __future__ import annotations

from collections.abc import Mapping

from fairlint.analyses.sql.conditions import Subject
from fairlint.findings.uses import GroupPoints
from fairlint.support.records import Record, field


class Clause(Record):
    """One place in a statement where an attribute tells people apart."""

    subject: Subject
    name: str
    """WHERE, HAVING, ON, ORDER BY, CASE, JOIN or a window's PARTITION BY."""
    deed: str
    """select, points, outcome, rank, share: what it does there."""
    groups: tuple[str, ...] = ()
    outcomes: Mapping[str, str] = field(default_factory=dict)
    points: GroupPoints | None = None
    target: str = ""
    asked: bool = False
    """Whether the group is given from outside."""
    written: tuple[str, ...] = ()
    cut: bool = False
    texts: tuple[str, ...] = ()
    """What it says of people, in the query's words."""
    place: str = ""
    """The part of the statement that an amount is for: AS, ORDER BY, SET, WHERE or SELECT."""


class Statement(Record):
    """One statement and its clauses."""

    kind: str
    target: str
    """The table or view that is written, or the columns that are set."""
    tables: tuple[str, ...]
    named: tuple[str, ...]
    """Names that the statement gives to its own queries: `WITH eligible AS (...)`."""
    columns: tuple[str, ...]
    limited: bool
    offset: bool
    ordered: tuple[str, ...]
    """Columns that people are ordered by."""
    locked: bool
    report: bool
    """Whether it only gives figures of many people."""
    comments: str
    sets: tuple[tuple[str, str], ...] = ()
    """UPDATE: the columns that are set, with the new values as far as they are texts."""
    clauses: tuple[Clause, ...] = ()
    left_out: int = 0
    """How many of its SELECTs are not looked at, because there are too many."""
