"""Clauses of a statement that give people an amount by a case, and ranks within a group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sqlglot import exp

from fairlint.analyses.sql import clause_effects
from fairlint.analyses.sql.clauses import Clause
from fairlint.analyses.sql.conditions import NULL, Person, Reader, Subject, worlds
from fairlint.analyses.sql.nodes import Sql
from fairlint.analyses.sql.rows import FeedingSelect, ancestors
from fairlint.findings.uses import GroupPoints
from fairlint.support.records import replace

if TYPE_CHECKING:
    from fairlint.analyses.sql.statements import StatementAnalyzer

_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile, exp.PercentRank, exp.CumeDist)


def case_clauses(
    analyzer: StatementAnalyzer, root: Sql, selects: list[FeedingSelect]
) -> Iterator[Clause | None]:
    """Yield the clauses of the cases in a statement."""
    live = {id(one.select) for one in selects}
    for node in root.find_all(exp.Case, exp.If, exp.DecodeCase, exp.Mul):
        if isinstance(node, exp.If) and isinstance(node.parent, exp.Case):
            continue
        if isinstance(node, exp.Mul) and not isinstance(
            node.this.unnest() if isinstance(node.this, exp.Paren) else node.expression.unnest(),
            exp.Predicate,
        ):
            continue
        if any(isinstance(up, exp.Case | exp.If) for up in ancestors(node)):
            continue
        select = node.find_ancestor(exp.Select)
        if select is not None and id(select) not in live:
            continue
        if any(isinstance(up, exp.AggFunc | exp.Group | exp.Filter) for up in ancestors(node)):
            continue
        for attribute in analyzer.column_attributes(node):
            yield _case_clause(analyzer, node, attribute)


def _case_clause(analyzer: StatementAnalyzer, node: Sql, attribute: str) -> Clause | None:
    reader = analyzer.reader(attribute)
    subject = _case_subject(analyzer, node, reader)
    if subject is None:
        return None

    asked = _with_what_fills(node)

    def ask(world: dict[Sql, bool]) -> object:
        return [reader.amount(asked, person, world) for person in (None, *reader.people())]

    ask({})
    people = reader.people()
    best: dict[Person, float | str | None] = {}
    for world in worlds(ask):
        answers = {person: reader.amount(asked, person, dict(world)) for person in people}
        if len(set(answers.values())) > 1 and (
            not best or len(set(answers.values())) > len(set(best.values()))
        ):
            best = answers
    changed = None if best else _given_back(node, reader)
    if not (best or changed) or not (reader.written or reader.cuts):
        return None
    applied = clause_effects.application_of_amount(node)
    target, place = clause_effects.target(applied.whole)
    clause = Clause(
        subject,
        "CASE",
        "points",
        groups=tuple(dict.fromkeys(reader.group(text) or text for text in reader.written)),
        target=target,
        written=tuple(reader.written),
        cut=bool(reader.cuts),
        place=place,
    )
    if changed is not None:
        return replace(clause, deed="points", points=changed)
    is_lost = not _has_null_default(asked, applied.whole)
    return _given(clause, best, reader, applied, is_lost=is_lost)


def _given(
    clause: Clause,
    best: Mapping[Person, float | str | None],
    reader: Reader,
    applied: clause_effects.Application,
    *,
    is_lost: bool,
) -> Clause:
    """Return the clause with what each person gets; `is_lost` says that NULL makes the whole NULL."""
    op, sign = applied.op, applied.factor
    amounts = {person: value for person, value in best.items() if isinstance(value, float)}
    lacking = [person for person, value in best.items() if value is NULL]
    if amounts and len(amounts) + len(lacking) == len(best):
        scaled = {person: value * sign for person, value in amounts.items()}
        points = clause_effects.points(op, scaled, reader.attribute, lacking=lacking)
        return replace(clause, deed="points", points=replace(points, missing=is_lost and bool(lacking)))
    texts = tuple(
        dict.fromkeys(value for value in best.values() if isinstance(value, str) and value is not NULL)
    )
    if not texts:
        return clause
    outcomes = {
        person: repr(value) if isinstance(value, str) and value is not NULL else "NULL"
        for person, value in best.items()
    }
    shown = clause_effects.results_by_group(outcomes, reader.attribute)
    return replace(clause, deed="outcome", outcomes=shown, texts=texts)


def _given_back(node: Sql, reader: Reader) -> GroupPoints | None:
    """Return what each group gets of a column that a CASE gives back changed:
    `CASE WHEN sex = 'M' THEN pay * 1.1 ELSE pay END`.
    """
    if len({column.name for branch in _case_results(node) for column in branch.find_all(exp.Column)}) != 1:
        return None
    tables: list[dict[Person, float | str | None]] = []
    for reader.held in (0.0, 1.0):
        tables.append({person: reader.amount(node, person, {}) for person in reader.people()})
    reader.held = None
    added, held = tables
    factors = {
        person: value - base
        for person, base in added.items()
        if isinstance(base, float) and isinstance(value := held[person], float)
    }
    if len(factors) < len(added):
        return None
    amounts = {person: value for person, value in added.items() if isinstance(value, float)}
    if set(factors.values()) == {1.0} and len(set(amounts.values())) > 1:
        return clause_effects.points("add", amounts, reader.attribute)
    if set(amounts.values()) == {0.0} and len(set(factors.values())) > 1:
        rounded = {person: round(value, 10) for person, value in factors.items()}
        return clause_effects.points("multiply", rounded, reader.attribute)
    return None


def _case_subject(analyzer: StatementAnalyzer, node: Sql, reader: Reader) -> Subject | None:
    """Return the attribute where the branches ask for it, not where they give it back."""
    if isinstance(node, exp.Case) and node.this is not None:
        return reader.subject(node.this) or analyzer.first(exp.Paren(this=node.this.copy()), reader)
    tests: list[Sql] = []
    if isinstance(node, exp.Case):
        tests = [branch.this for branch in node.args["ifs"]]
    elif isinstance(node, exp.DecodeCase):
        return reader.subject(node.expressions[0])
    else:
        tests = [node.this] if isinstance(node, exp.If) else [node.this, node.expression]
    for test in tests:
        if (subject := _first_or_self(analyzer, test, reader)) is not None:
            return subject
    return None


def _first_or_self(analyzer: StatementAnalyzer, test: Sql, reader: Reader) -> Subject | None:
    return reader.subject(test) or analyzer.first(test, reader)


def window_clauses(
    analyzer: StatementAnalyzer, root: Sql, selects: list[FeedingSelect]
) -> Iterator[Clause | None]:
    """Yield a rank by an attribute, or within a group, with a cut at it."""
    ranks = [window for window in root.find_all(exp.Window) if isinstance(window.this, _RANKS)]
    if not ranks:
        return
    cuts = {
        column.name.lower()
        for one in selects
        for name in ("where", "qualify", "having")
        if (part := one.select.args.get(name)) is not None
        for test in part.walk(prune=_is_comparison)
        if _is_comparison(test)
        for column in test.find_all(exp.Column)
    }
    for window in ranks:
        alias = window.parent.alias if isinstance(window.parent, exp.Alias) else ""
        if alias.lower() not in cuts and window.find_ancestor(exp.Qualify) is None:
            continue
        order = window.args.get("order")
        for key in order.expressions if order is not None else ():
            for attribute in analyzer.column_attributes(key):
                if (subject := analyzer.reader(attribute).subject(key.this)) is not None:
                    yield Clause(subject, "ORDER BY", "rank")
        for key in window.args.get("partition_by") or ():
            for attribute in analyzer.column_attributes(key):
                if (subject := analyzer.reader(attribute).subject(key)) is not None:
                    yield Clause(subject, "PARTITION BY", "share")


def _with_what_fills(node: Sql) -> Sql:
    """Return an amount with what stands in for it where it is NULL: `COALESCE(CASE ... END, 0)`."""
    while isinstance(up := node.parent, exp.Coalesce | exp.Paren | exp.Cast) and up.this is node:
        node = up
    return node


def _has_null_default(asked: Sql, whole: Sql) -> bool:
    """Return whether something stands in for a whole sum where a part of it is NULL."""
    while asked is not whole and asked.parent is not None:
        asked = asked.parent
        if isinstance(asked, exp.Coalesce):
            return True
    return isinstance(whole, exp.Coalesce) and whole is not asked


def _case_results(node: Sql) -> list[Sql]:
    """Return what a CASE gives back, branch by branch."""
    if not isinstance(node, exp.Case):
        return []
    given = [branch.args["true"] for branch in node.args["ifs"]]
    default = node.args.get("default")
    return given if default is None else [*given, default]


def _is_comparison(node: Sql) -> bool:
    return isinstance(node, exp.LT | exp.LTE | exp.EQ | exp.GT | exp.GTE | exp.Between)
