"""Whether code only writes a number in another way: the band "20-29" becomes 25, or the second of five codes.

Such a number stands for the attribute itself, and is no score or decision; what becomes of it is told where
it is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

from fairlint.detectors.context import Context
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    MISSING,
    OLD,
    Choice,
    Const,
    Lookup,
    Operation,
    Protected,
    Sequence,
    Value,
)
from fairlint.semantics.values.traversal import either
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MOST_ENDS = 200
"""Alternatives of a value that are looked at; what has more is taken for no code."""
MOST_TESTS = 2_000
"""Conditions on the ways to all of them, as above: each site would ask those before it once more."""
FEWEST_CODES = 3
NEAR_THE_MIDDLE = 1.5
"""So far a number may be from the middle of the numbers that it stands for."""

_YES_OR_NO = frozenset({"bool", "any", "all", "isinstance", "hasattr"})

Test = tuple[Value, bool]
Range = tuple[float, float]


class _Band(Record):
    low: float
    high: float
    number: float
    is_written: bool
    """Whether a text names the band, and no limits cut it."""


def is_flag(name: str, function: str, context: Context) -> bool:
    """Return whether a variable of a function says yes or no whenever it is given something there."""
    return context.once(_find_flags, function).get(name, False)


def _find_flags(function: str, context: Context) -> dict[str, bool]:
    """Return the variables that a function gives something, and whether that is only ever a yes or no."""
    node = context.function_named(function)
    found: dict[str, bool] = {}
    for part in (inner for statement in node.body for inner in tree.walk(statement)) if node else ():
        if isinstance(part, tree.Assign):
            says = part.op is None and part.value is not None and _says_yes_or_no(part.value)
            for target in part.targets:
                name = path_of(target) or ""
                found[name] = says and found.get(name, True)
    return found


def _says_yes_or_no(node: Node) -> bool:
    match node:
        case tree.Literal(value=bool()) | tree.Compare() | tree.Unary(op="not"):
            return True
        case tree.BoolOp(values=values):
            return all(map(_says_yes_or_no, values))
        case tree.Call(function=tree.Name(id=called)):
            return called in _YES_OR_NO
        case _:
            return False


def only_decodes(site: Site, context: Context) -> bool:
    """Return whether the site only says the group of a code by its name: `{0: "female", 1: "male"}[code]`."""
    tables = [one for one in map(context.facts.value_of, tree.walk(site.start)) if isinstance(one, Lookup)]
    return bool(tables) and all(
        isinstance(one, Const)
        and isinstance(one.value, str)
        and (
            context.vocabulary.group_of(site.attribute, one.value) is not None
            or context.vocabulary.is_missing(site.attribute, one.value)
        )
        for part in tables
        for _, entry in part.table.entries
        for one in either(entry)
    )


def only_recodes(site: Site, events: Iterable[Event], context: Context) -> bool:
    """Return whether what the events give each band of a number is one of its own numbers, or counts the
    bands; of an attribute without numbers, whether it is handed back as it was where no code is asked for.
    """
    has_bands, events = bool(context.attribute(site.attribute).bands), list(events)
    if len(events) >= MOST_ENDS or any(_is_verdict(event.value) for event in events):
        return False
    if sum(len(event.guards) for event in events) > MOST_TESTS:
        return False
    if not (has_bands or any(isinstance(event.value, Protected | Choice) for event in events)):
        return False
    ends = list(islice((end for event in events for end in _possible_results(event, site)), MOST_ENDS))
    if len(ends) == MOST_ENDS:
        return False
    if not has_bands:
        return _hands_it_back([value for _, value in ends], site)
    if any(read.mention.form == "flag" for read in site.reads.values()):
        return False
    return _writes_bands(ends, site, context)


def _writes_bands(ends: Iterable[tuple[list[Test], Value]], site: Site, context: Context) -> bool:
    found: list[_Band] = []
    for tests, value in ends:
        if value is OLD or value is MISSING or isinstance(value, Protected):
            continue
        if not isinstance(value, Const) or isinstance(value.value, bool):
            return False
        within = _range_of_tests(tests, site, context)
        if isinstance(value.value, int | float) and within is not None:
            (low, high), is_written = within
            found.append(_Band(low, high, float(value.value), is_written))
        elif isinstance(value.value, str) and value.value:
            return False
    if len({band.number for band in found}) < 2:
        return False
    if not all(band.is_written for band in found):
        return all(map(_is_middle, found)) and any(band.high < math.inf and band.low > 0 for band in found)
    return all(band.low <= band.number <= band.high for band in found) or _counts_bands(found)


def _is_verdict(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, bool)


def _hands_it_back(values: list[Value], site: Site) -> bool:
    """Return whether one of some values is the attribute itself, and the others are known texts or
    numbers.
    """
    own = [value for value in values if isinstance(value, Protected) and site.asks(value)]
    others = [value for value in values if value not in own]
    codes = [one for one in others if isinstance(one, Const) and isinstance(one.value, str | int | float)]
    return bool(own) and len(codes) == len(others) and not any(isinstance(one.value, bool) for one in codes)


def _is_middle(band: _Band) -> bool:
    if band.low > 0 and band.high < math.inf:
        return abs(band.number - (band.low + band.high) / 2) <= NEAR_THE_MIDDLE
    return band.low <= band.number <= band.high


def _counts_bands(found: list[_Band]) -> bool:
    """Return whether the bands have the numbers 1, 2, 3 … in their order."""
    numbers = [band.number for band in sorted(found, key=lambda band: (band.low, band.high))]
    rises = all(after - before == 1 for before, after in pairwise(numbers))
    return len(numbers) >= FEWEST_CODES and numbers[0] in {0.0, 1.0} and rises


def _possible_results(event: Event, site: Site) -> Iterator[tuple[list[Test], Value]]:
    """Yield what an event may give, each with the tests that lead to it."""
    tests = [(guard.test, guard.holds) for guard in event.guards if site.asks(guard.test)]
    stack: list[tuple[list[Test], Value]] = [(tests, event.value)]
    while stack:
        held, value = stack.pop()
        match value:
            case Choice(test=test, then=then, otherwise=otherwise) if site.asks(test):
                stack += [([*held, (test, False)], otherwise), ([*held, (test, True)], then)]
            case Lookup(subject=subject, table=table, default=default, node=node) if site.asks(subject):
                yield from (
                    ([*held, (Operation("==", (subject, key), node), True)], entry)
                    for key, entry in table.entries
                )
                if default is not None:
                    stack.append((held, default))
            case _:
                yield held, value


def _range_of_tests(tests: list[Test], site: Site, context: Context) -> tuple[Range, bool] | None:
    """Return the numbers for which tests on the attribute hold, and whether a text says it."""
    low, high, is_written = 0.0, math.inf, False
    stack = list(tests)
    while stack:
        test, holds = stack.pop()
        if not isinstance(test, Operation):
            continue
        if test.op == "not":
            stack.append((test.arguments[0], not holds))
        elif (test.op, holds) in {("and", True), ("or", False)}:
            stack += [(part, holds) for part in test.arguments]
        elif (named := _range_of_named_bands(test, site, context)) is not None:
            if holds:
                low, high, is_written = max(low, named[0]), min(high, named[1]), True
        elif (limit := _limit_of_test(test, site)) is not None:
            number, is_below = limit
            if is_below == holds:
                high = min(high, number)
            else:
                low = max(low, number)
    return None if (low, high) == (0.0, math.inf) else ((low, high), is_written)


def _range_of_named_bands(test: Operation, site: Site, context: Context) -> Range | None:
    """Return the band or bands that the attribute is compared with by name."""
    if test.op == "or":
        ranges = [
            _range_of_named_bands(part, site, context)
            for part in test.arguments
            if isinstance(part, Operation)
        ]
        whole = len(ranges) == len(test.arguments)
    elif test.op in {"==", "in"} and any(site.asks(side) for side in test.arguments):
        texts = [
            one.value
            for side in test.arguments
            if not site.asks(side)
            for one in (side.items if isinstance(side, Sequence) else (side,))
            if isinstance(one, Const)
        ]
        ranges = [
            context.vocabulary.range_in(site.attribute, text) if isinstance(text, str) else None
            for text in texts
        ]
        whole = True
    else:
        return None
    known = [one for one in ranges if one is not None]
    if not known or not whole or len(known) < len(ranges):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _limit_of_test(test: Operation, site: Site) -> tuple[float, bool] | None:
    """Return the number that the attribute is compared with, and whether the test asks if it is below."""
    if test.op not in {"<", ">="}:
        return None
    left, right = test.arguments
    for read, other, is_below in ((left, right, test.op == "<"), (right, left, test.op == ">=")):
        if isinstance(read, Protected) and site.asks(read) and isinstance(other, Const):
            number = other.value
            return (float(number), is_below) if isinstance(number, int | float) else None
    return None
