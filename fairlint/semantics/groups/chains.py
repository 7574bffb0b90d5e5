"""Chains of branches: separate `if`s that share people out among amounts, as `elif` does within one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fairlint.semantics.groups.asking import is_bare
from fairlint.semantics.groups.dependencies import Dependence
from fairlint.semantics.names.effects import is_show
from fairlint.semantics.values.events import Event, Guards
from fairlint.semantics.values.symbolic import Const, Operation, Value
from fairlint.semantics.values.symbolic import Sequence as Listed
from fairlint.semantics.values.traversal import either, walk
from fairlint.syntax.tree import Return

MOST_EVENTS = 40
"""How many events of a branch are compared with those of another one."""
MOST_KNOWN = 60
"""How many known values are tried to see whether two branches concern the same people."""
NOBODY_NAMED = "\0"
"""Stands for a group that no test names."""

ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "**", "neg", "min", "max", "abs"})


def sort_of(events: Iterable[Event]) -> str:
    """Return what a branch gives, where it gives nothing else: `amounts`, which it returns or puts into
    variables, or `answers`, which it returns in words or as a yes or no.
    """
    given = [event for event in events if event.kind == "raise" or _is_result_event(event)]
    ends = [one for event in given for one in either(event.value)]
    if not given or any(event.kind == "raise" for event in given):
        return ""
    if all(map(_is_number, ends)):
        return "amounts"
    is_said = all(isinstance(one, Const) and isinstance(one.value, str | bool) for one in ends)
    return "answers" if is_said and all(event.kind == "return" for event in given) else ""


def _is_result_event(event: Event) -> bool:
    """Return whether an event returns something or puts it into a variable."""
    if event.kind == "return":
        return not isinstance(event.node, Return) or event.node.value is not None
    return event.kind in {"update", "assign"}


def _is_number(value: Value) -> bool:
    if isinstance(value, Const):
        return isinstance(value.value, int | float) and not isinstance(value.value, bool)
    return isinstance(value, Operation) and value.op in ARITHMETIC


def is_of_one(before: Sequence[Event], events: Sequence[Event]) -> bool:
    """Return whether two branches of one function give to the same: its result, or one variable."""
    return before[0].function == events[0].function and _result_targets(before) == _result_targets(events)


def _result_targets(events: Iterable[Event]) -> set[str]:
    """Return what gets an amount: variables, and the result of the function, which has no name."""
    return {"" if event.kind == "return" else event.target for event in events if _is_result_event(event)}


def tell_apart(branches: Iterable[Iterable[Event]]) -> bool:
    """Return whether branches give different amounts or answers.

    Two that give the same (`return 0` for the young and `return 0` for the old) are two requirements.
    """
    written: set[object] = set()
    for events in branches:
        for event in events:
            if _is_result_event(event):
                ends = list(either(event.value))
                written.update(one.value if isinstance(one, Const) else event.node.span for one in ends)
    return len(written) > 1


def goes_on(before: Sequence[Event], events: Sequence[Event], attribute: str, dependence: Dependence) -> bool:
    """Return whether events of a branch change what those of an earlier one have changed, and either put
    something else in its place, or do so for other people.
    """
    targets = {event.target for event in before if event.kind in {"update", "assign"}}
    own = {event.target for event in events if event.kind in {"update", "assign"}}
    if len(targets) != 1 or own != targets or max(len(before), len(events)) > MOST_EVENTS:
        return False
    if not sort_of(before) == sort_of(events) == "amounts" or not _are_of_one_run(before, events):
        return False
    if not any(event.kind == "update" for event in events):
        return True
    return _are_for_others(before, events, attribute, dependence)


def says_on(before: Sequence[Event], events: Sequence[Event], attribute: str, dependence: Dependence) -> bool:
    """Return whether branches only tell people something, the later one other people: `print` and `print`."""
    if max(len(before), len(events)) > MOST_EVENTS or not (_only_tells(before) and _only_tells(events)):
        return False
    return _are_of_one_run(before, events) and _are_for_others(before, events, attribute, dependence)


def _only_tells(events: Sequence[Event]) -> bool:
    said = any(event.kind == "call" and is_show(event.target) for event in events)
    return said and all(event.kind in {"call", "read", "assign"} for event in events)


def _are_of_one_run(before: Sequence[Event], events: Sequence[Event]) -> bool:
    last, first = before[-1], events[0]
    return (last.function, last.loop, last.run) == (first.function, first.loop, first.run)


def _are_for_others(
    before: Sequence[Event], events: Sequence[Event], attribute: str, dependence: Dependence
) -> bool:
    """Return whether nobody whom the tests of two branches may name gets to both."""
    ways = [event.guards for event in (*before, *events)]
    tests = [guard.test for way in ways for guard in way]
    known = _known_values(tests, attribute, dependence)
    return 0 < len(known) <= MOST_KNOWN and not any(
        _may_happen(before, one, attribute, dependence) and _may_happen(events, one, attribute, dependence)
        for one in known
    )


def _known_values(tests: Iterable[Value], attribute: str, dependence: Dependence) -> list[Const]:
    """Return values of an attribute that tests may tell apart: those they name, what is near, and one of
    nobody.
    """
    found: dict[object, None] = {}
    is_ordered = False
    for part in walk(*tests):
        if not isinstance(part, Operation) or part.op not in {"==", "in", "<", ">="}:
            continue
        if not any(is_bare(side, attribute, dependence) for side in part.arguments):
            continue
        is_ordered |= part.op in {"<", ">="}
        for side in part.arguments:
            for one in side.items if isinstance(side, Listed) else (side,):
                if isinstance(one, Const) and isinstance(one.value, int | float):
                    found |= dict.fromkeys((one.value - 0.5, one.value, one.value + 0.5))
                elif isinstance(one, Const):
                    found.setdefault(one.value)
        if len(found) > MOST_KNOWN:
            break
    if not is_ordered:
        found.setdefault(NOBODY_NAMED)
    return [Const(one) for one in found if isinstance(one, str | int | float)]


def _may_happen(events: Iterable[Event], known: Const, attribute: str, dependence: Dependence) -> bool:
    return any(
        _may_pass(event.guards, known, attribute, dependence) for event in events if event.kind != "read"
    )


def _may_pass(way: Guards, known: Const, attribute: str, dependence: Dependence) -> bool:
    return all(holds_of(guard.test, known, attribute, dependence) is not (not guard.holds) for guard in way)


def holds_of(test: Value, known: Const, attribute: str, dependence: Dependence) -> bool | None:
    """Return whether a test holds of whoever has a known value of the attribute; None where that hangs on
    more.
    """
    if not isinstance(test, Operation):
        return None
    match test.op, test.arguments:
        case "not", (only,):
            found = holds_of(only, known, attribute, dependence)
            return None if found is None else not found
        case "and" | "or", arguments:
            answers = {holds_of(part, known, attribute, dependence) for part in arguments}
            decides = test.op == "or"
            return decides if decides in answers else None if None in answers else not decides
        case "==" | "in", (left, right) if is_bare(left, attribute, dependence):
            items = right.items if isinstance(right, Listed) else (right,)
            values = [one.value for one in items if isinstance(one, Const)]
            return known.value in values if len(values) == len(items) else None
        case "<" | ">=" as op, (left, right):
            ends = [known if is_bare(side, attribute, dependence) else side for side in (left, right)]
            numbers = [one.value if isinstance(one, Const) else None for one in ends]
            match numbers:
                case [int() | float() as first, int() | float() as second]:
                    return first < second if op == "<" else first >= second
                case _:
                    return None
        case _:
            return None
