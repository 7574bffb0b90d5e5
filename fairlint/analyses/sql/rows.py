"""Which rows a query's result is made of, and whether they are people or figures. Loads sqlglot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from fairlint.analyses.sql.nodes import Sql, argument
from fairlint.analyses.sql.words import words
from fairlint.support.records import Record
from fairlint.vocabulary.words import split_words

_UNION = (exp.Union, exp.Except, exp.Intersect)


DEEPEST = 60
"""How deep what feeds a query is looked for: more SELECTs than can nest so deep are named as not read."""


class FeedingSelect(Record):
    """A select of whose rows a result is made, and whether these are left out."""

    select: exp.Select
    negated: bool


def feeding(query: Sql | None, ctes: Mapping[str, Sql], *, negated: bool = False) -> Iterator[FeedingSelect]:
    """Yield the selects whose rows the result is made of, the outer first.

    Each is given once, however many ways lead to it.
    """
    yield from _walk_feeding_selects(query, ctes, set(), negated, 0)


def _walk_feeding_selects(
    query: Sql | None, ctes: Mapping[str, Sql], given: set[tuple[int, bool]], negated: bool, depth: int
) -> Iterator[FeedingSelect]:
    if query is None or depth > DEEPEST:
        return
    if isinstance(query, _UNION):
        left, right = query.this, query.expression
        yield from _walk_feeding_selects(left, ctes, given, negated, depth)  # a long chain nests by itself
        turned = not negated if isinstance(query, exp.Except) else negated
        yield from _walk_feeding_selects(right, ctes, given, turned, depth + 1)
        return
    if isinstance(query, exp.Subquery | exp.Paren | exp.CTE | exp.Lateral):
        yield from _walk_feeding_selects(query.this, ctes, given, negated, depth + 1)
        return
    if isinstance(query, exp.Table):
        known = ctes.get(query.name.lower())
        if known is not None and not query.args.get("db"):
            rest = {name: inner for name, inner in ctes.items() if inner is not known}
            yield from _walk_feeding_selects(known, rest, given, negated, depth + 1)
        return
    if not isinstance(query, exp.Select) or is_report(query) or (id(query), negated) in given:
        return
    given.add((id(query), negated))
    yield FeedingSelect(query, negated)
    from_ = argument(query, "from")
    sources = [from_.this] if from_ is not None else []
    sources += [join.this for join in query.args.get("joins") or () if not join.side]
    for source in sources:
        yield from _walk_feeding_selects(source, ctes, given, negated, depth + 1)
    if (where := query.args.get("where")) is not None:
        for inner, turned in _queries_in_tests(where):
            yield from _walk_feeding_selects(inner, ctes, given, turned != negated, depth + 1)


def subqueries(where: Sql, ctes: Mapping[str, Sql]) -> Iterator[FeedingSelect]:
    """Yield the selects that rows have to be in: `id IN (SELECT ...)`, `EXISTS (SELECT ...)`."""
    given: set[tuple[int, bool]] = set()
    for inner, turned in _queries_in_tests(where):
        yield from _walk_feeding_selects(inner, ctes, given, turned, 1)


def _queries_in_tests(where: Sql) -> Iterator[tuple[Sql, bool]]:
    """Yield the queries that rows have to be in, or must not be in."""
    for test in where.find_all(exp.In, exp.Exists):
        if test.find_ancestor(exp.Select) is not where.find_ancestor(exp.Select):
            continue
        inner = test.args.get("query") if isinstance(test, exp.In) else test.this
        turned = any(isinstance(up, exp.Not) for up in ancestors(test))
        if isinstance(inner, Sql):
            yield inner, turned


def ancestors(node: Sql) -> Iterator[Sql]:
    """Yield what a node stands in, up to its statement."""
    up = node.parent
    while up is not None and not isinstance(up, exp.Select | exp.Update | exp.Delete):
        yield up
        up = up.parent


def has_row_limit(node: Sql | None) -> bool:
    """Return whether only some rows are taken, and more than none."""
    if node is None:
        return False
    limit = node.args.get("limit")
    if limit is None:
        return False
    number = limit.args.get("expression") or limit.args.get("count")
    return not (isinstance(number, exp.Literal) and str(number.this) == "0")


def is_report(select: exp.Select) -> bool:
    """Return whether the rows are figures of many people, and no people."""
    group = select.args.get("group")
    if group is not None:
        people = words()["people"]
        keys = [column for key in group.expressions for column in key.find_all(exp.Column)]
        return not any(not people.isdisjoint(split_words(key.name)) for key in keys)
    counted = [part for part in select.expressions if _has_plain_aggregate(part)]
    return bool(counted) and len(counted) == len(
        [part for part in select.expressions if not isinstance(part.unalias(), exp.Literal)]
    )


def _has_plain_aggregate(part: Sql) -> bool:
    for found in part.find_all(exp.AggFunc):
        if not any(isinstance(up, exp.Window) for up in ancestors(found)):
            return True
    return False
