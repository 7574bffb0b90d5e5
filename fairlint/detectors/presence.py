"""Whether code only asks if a value was given: `if not diagnosis: return []` tells no groups apart."""

from __future__ import annotations

from fairlint.detectors.context import Context
from fairlint.records import Record, field
from fairlint.semantics.effects import classify_target
from fairlint.semantics.sites import Site
from fairlint.semantics.values import (
    Choice,
    Const,
    Each,
    Event,
    Guard,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Table,
    Text,
    Value,
)
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, Span

MOST_LOOKED_AT = 400
"""Parts of values that are looked at for one site."""
_SCORES = frozenset({"score", "weak score", "hurdle", "outcome"})


class _Asked(Record, frozen=False):
    """What a site asks about its attribute."""

    absent: list[Protected] = field(default_factory=list)
    """The reads that it compares with nothing: `diagnosis is None`."""
    truths: list[Protected] = field(default_factory=list)
    """The reads whose bare truth it asks: `if diagnosis`."""
    left: int = MOST_LOOKED_AT


def only_asks_whether_given(site: Site, context: Context) -> bool:
    """Whether the site asks of the attribute only if there is a value, and that makes no group."""
    asked = _Asked()
    values = [guard.test for event in site.events for guard in event.guards if site.asks(guard.test)]
    if not all(
        _asks(value, site, asked, is_test=True) for value in {id(one): one for one in values}.values()
    ):
        return False
    told = [event.value for event in site.events if event.kind != "filter"]
    if not all(_asks(value, site, asked, is_test=False) for value in told):
        return False
    if not (asked.truths or asked.absent) or any(read.mention.form == "flag" for read in asked.truths):
        return False
    if not (
        any(_counts(read) or _is_yes(read, context) for read in asked.truths)
        or any(_is_yes(read, context) for read in asked.absent)
    ):
        return True
    return not any(_scores(event) for event in site.events) and _is_used_behind(site, context)


def _asks(value: Value, site: Site, asked: _Asked, *, is_test: bool) -> bool:
    """Whether `value` asks, and hands on, nothing else of the attribute; what it asks is noted."""
    asked.left -= 1
    if asked.left < 0:
        return False
    if not site.asks(value):
        return True
    match value:
        case Protected():
            if is_test:
                asked.truths.append(value)
            return True
        case Operation(op="and" | "or" | "not", arguments=parts):
            return all(_asks(part, site, asked, is_test=True) for part in parts)
        case (
            Operation(op="==", arguments=(Protected() as read, Const(value=None | "")))
            | Operation(op="==", arguments=(Const(value=None | ""), Protected() as read))
        ):
            asked.absent.append(read)
            return True
        case Choice(test=test, then=then, otherwise=otherwise):
            inner = all(_asks(part, site, asked, is_test=is_test) for part in (then, otherwise))
            return inner and _asks(test, site, asked, is_test=True)
        case Sequence() | Table() | Text() | Each() | Opaque():
            return not is_test
        case _:
            return False


def _counts(read: Protected) -> bool:
    """Whether no value, or 0, is a number like any other: `if num_children`. Nobody has no age."""
    return read.mention.form in {"number", "date"} and read.mention.attribute != "age"


def _is_yes(read: Protected, context: Context) -> bool:
    """Whether there being a value makes a group: who has a diagnosis is ill."""
    return "yes" in context.attribute(read.mention.attribute).core_groups


def _scores(event: Event) -> bool:
    """Whether an event changes a number or sets an outcome."""
    if event.kind == "update":
        return True
    return (
        event.kind == "assign" and isinstance(event.value, Const) and classify_target(event.target) in _SCORES
    )


def _is_used_behind(site: Site, context: Context) -> bool:
    """Whether what was given is used behind the tests: they only keep that from failing."""
    guards = {id(guard): guard for event in site.events for guard in event.guards if site.asks(guard.test)}
    return bool(guards) and all(_uses(guard, site, context) for guard in guards.values())


def _uses(guard: Guard, site: Site, context: Context) -> bool:
    function = context.functions.get(context.function_at(guard.node.span))
    body: tuple[Node, ...] = context.body if function is None else function.body
    tested = {
        _text(part, context) for part in tree.walk(guard.node) if isinstance(part, tree.Name | tree.Field)
    }
    tests = [test.node.span for event in site.events for test in event.guards if site.asks(test.test)]
    for part in (part for statement in body for part in tree.walk(statement)):
        if not isinstance(part, tree.Name | tree.Field) or part.span.start < guard.node.span.end:
            continue
        if _text(part, context) in tested and not any(_within(part.span, test) for test in tests):
            return True
    return False


def _within(span: Span, outer: Span) -> bool:
    return outer.start <= span.start and span.end <= outer.end


def _text(node: Node, context: Context) -> str:
    return context.source.text(node.span)
