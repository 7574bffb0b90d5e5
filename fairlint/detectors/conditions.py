"""Under which other conditions a site changes something: `if experienced: score += 2 if male else 0`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from fairlint.detectors.context import Context
from fairlint.findings.uses import GroupPoints
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.values.events import Event, Guard
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Choice, Const, Opaque, Operation, Value
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MOST_CONDITIONS = 2
"""So many are written out; with more of them the points are told as the most that there can be."""
MOST_EVENTS = 40
LONGEST = 60
MOST_PARTS = 200
"""Parts of a value that are looked through for where it is cut off."""


def conditional(points: GroupPoints, site: Site, event: Event, context: Context) -> GroupPoints:
    """Return the points, with the condition under which alone they are given, where the code has one."""
    alike = [
        one
        for one in site.events
        if (one.kind, one.target, one.function) == (event.kind, event.target, event.function)
    ]
    if not alike or len(alike) > MOST_EVENTS:
        return points
    found = [_conditions_of_event(one, site, context) for one in alike]
    common = {text: inside for text, inside in found[0].items() if all(text in one for one in found)}
    told = list(filter(None, common))
    explains = (
        any(common.values())
        and all(one.keys() == common.keys() for one in found)
        and not any(_has_other_choice(one, site) for one in alike)
    )
    if len(told) > MOST_CONDITIONS or any(len(text) > LONGEST for text in told):
        return replace(points, at_most=True)
    return replace(points, where=" and ".join(told), at_most=points.at_most and not explains)


def apply_bounds(points: GroupPoints, site: Site, event: Event, context: Context) -> GroupPoints:
    """Return the points, as the most that there can be where what they are added to is cut off later, or they
    are: `min(score, 100)`, `if score > 100: score = 100`.
    """
    if points.op == "set" or points.at_most:
        return points
    nothing = {"add": 0.0, "multiply": 1.0}[points.op]
    told = [*points.by_group.values(), *([] if points.other is None else [points.other])]
    ways = {"min": any(one > nothing for one in told), "max": any(one < nothing for one in told)}
    for one, cuts in context.once(_find_bounds, event.function):
        is_later = one.node.span.start >= event.node.span.start
        is_of_it = (
            _is_part_of_result(one, event, site) if one.kind == "return" else one.target == event.target
        )
        if is_later and is_of_it and any(ways[cut] and _holds_it(of, one, event, site) for cut, of in cuts):
            return replace(points, at_most=True)
    return points


def _is_part_of_result(end: Event, event: Event, site: Site) -> bool:
    """Return whether what is handed back has what an event changes in it."""
    return site.asks(end.value) or any(
        isinstance(part, tree.Name | tree.Field) and path_of(part) == event.target
        for part in tree.walk(end.node)
    )


def _holds_it(cut: Value | None, end: Event, event: Event, site: Site) -> bool:
    """Return whether what is cut off is made of what the points are added to: not another factor of it."""
    if cut is None or not site.asks(end.value) or site.asks(cut) or site.dependence.on_old(cut):
        return True
    parts = islice(walk(cut), MOST_PARTS)
    return any(isinstance(part, Opaque) and part.key == event.target for part in parts)


_Cut = tuple[str, Value | None]
"""`min` for a highest number or `max` for a lowest, and what is cut off: None for the event's own target."""


def _find_bounds(function: str, context: Context) -> list[tuple[Event, list[_Cut]]]:
    """Return where a function cuts numbers off."""
    found: list[tuple[Event, list[_Cut]]] = []
    for event in context.events:
        if event.function == function and event.kind in {"return", "assign", "update"}:
            cuts = [cut for part in islice(walk(event.value), MOST_PARTS) for cut in _cuts_in_value(part)]
            cuts += ((cut, None) for cut, _ in _cut_by_branch(event))
            if cuts:
                found.append((event, cuts))
    return found


def _cuts_in_value(part: Value) -> Iterator[_Cut]:
    match part:
        case Operation(op="min" | "max" as op, arguments=arguments):
            if any(isinstance(one, Const) for one in arguments):
                yield from ((op, one) for one in arguments if not isinstance(one, Const))
        case Choice(test=test, then=then, otherwise=otherwise):
            yield from _cuts_of_choice(test, then, holds=True)
            yield from _cuts_of_choice(test, otherwise, holds=False)
        case _:
            return


def _cuts_of_choice(test: Value, given: Value, *, holds: bool) -> Iterator[_Cut]:
    """Yield whether what is compared with a limit gets the limit where it is past it, or not up to it."""
    while isinstance(test, Operation) and test.op == "not":
        test, holds = test.arguments[0], not holds
    if isinstance(test, Operation) and test.op in {"<", ">="} and isinstance(given, Const):
        left, right = test.arguments
        limit = left if isinstance(left, Const) else right
        if isinstance(limit, Const) and limit.value == given.value:
            is_above = (limit is left) == (test.op == "<")
            yield "min" if is_above == holds else "max", right if limit is left else left


def _cut_by_branch(event: Event) -> Iterator[_Cut]:
    """As `_cuts_in_value`, of `if score > 40: score = 40`."""
    last = event.guards.last
    if event.kind == "assign" and last is not None:
        names = {path_of(part) for part in tree.walk(last.node)}
        yield from _cuts_of_choice(last.test, event.value, holds=last.holds) if event.target in names else ()


def _conditions_of_event(event: Event, site: Site, context: Context) -> dict[str, bool]:
    """Return what has to hold for an event besides the group, as written, and whether the site asks for it.

    That the attribute is given at all is an empty text: it goes without saying.
    """
    found: dict[str, bool] = {}
    entered = {id(guard.site) for guard in event.guards if guard.holds}
    for guard in event.guards:
        if guard.implied or isinstance(guard.site, tree.Loop | tree.Switch):
            continue
        if not guard.holds and id(guard.site) in entered:
            continue  # an `elif` goes without saying that those before it do not hold
        for node, holds in _iter_conjuncts(guard.node, guard.holds):
            if (text := _condition_text(node, guard, site, context)) is not None:
                shown = text if holds or not text else f"not {_bracket_text(node, text)}"
                found.setdefault(shown, not site.is_around(guard))
    return found


def _iter_conjuncts(node: Node, holds: bool) -> Iterator[tuple[Node, bool]]:
    """Yield the parts of a test that all have to hold, or all not to."""
    match node:
        case tree.BoolOp(op=op, values=values) if (op == "and") == holds:
            for value in values:
                yield from _iter_conjuncts(value, holds)
        case tree.Unary(op="not", operand=operand):
            yield from _iter_conjuncts(operand, not holds)
        case _:
            yield node, holds


def _condition_text(node: Node, guard: Guard, site: Site, context: Context) -> str | None:
    """Return a condition as written; empty for one that asks whether the attribute is given, None for one
    about the attribute itself or the run.
    """
    value = guard.test if node is guard.node else context.facts.value_of(node)
    if (value is not None and site.asks(value)) or any(
        node.span.start <= start < node.span.end for start in site.reads
    ):
        return None
    text = " ".join(context.source.text(node.span).split())
    own = {part for read in site.reads.values() for part in (read.mention.identifier, read.receiver)}
    is_of_run = any(isinstance(part, tree.Name) and part.id.startswith("__") for part in tree.walk(node))
    names = (read.mention.identifier for read in site.reads.values())
    is_given = text in own or any(len(name) > 2 and name in text for name in names)
    return None if is_of_run else "" if is_given else text


def _bracket_text(node: Node, text: str) -> str:
    return text if isinstance(node, tree.Name | tree.Field | tree.Call | tree.Index) else f"({text})"


def _has_other_choice(event: Event, site: Site) -> bool:
    """Return whether the amount itself depends on something else."""
    return any(isinstance(part, Choice) and not site.asks(part.test) for part in walk(event.value))
