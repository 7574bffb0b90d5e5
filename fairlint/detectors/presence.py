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
    either,
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
    guards = _guards(site)
    values = {id(guard.test): guard.test for guard in guards}
    if not all(_asks(value, site, asked, is_test=True) for value in values.values()):
        return False
    if any(event.kind in {"filter", "rank"} and site.asks(event.value) for event in site.events):
        return False
    if not all(_asks(event.value, site, asked, is_test=False) for event in site.fed):
        return False
    if not (asked.truths or asked.absent) or any(read.mention.form == "flag" for read in asked.truths):
        return False
    if not (
        any(_counts(read) or _is_yes(read, context) for read in asked.truths)
        or any(_is_yes(read, context) for read in asked.absent)
    ):
        return True
    return not any(map(_scores, site.events)) and _are_used_behind(guards, context)


def _guards(site: Site) -> list[Guard]:
    """The tests that the site itself makes, each once."""
    found = {
        id(guard.node): guard
        for event in site.events
        for guard in event.guards
        if id(guard.site) in site.branches and site.asks(guard.test)
    }
    return list(found.values())


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
            Operation(op="==", arguments=(held, Const(value=None | "")))
            | Operation(op="==", arguments=(Const(value=None | ""), held))
        ):
            asked.absent.extend(site.dependence.reads(held, site.attribute))
            return _asks(held, site, asked, is_test=False)
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
    return read.mention.form == "value" and "yes" in context.attribute(read.mention.attribute).core_groups


def _scores(event: Event) -> bool:
    """Whether an event changes a number, sets an outcome, or gives a number."""
    match event.kind:
        case "update":
            return True
        case "assign":
            return classify_target(event.target) in _SCORES and not isinstance(event.value, Opaque | Text)
        case "return":
            return any(_is_number(one) for one in either(event.value))
        case _:
            return False


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and type(value.value) in {int, float}


def _are_used_behind(guards: list[Guard], context: Context) -> bool:
    """Whether what was given is used behind the tests: they only keep that from failing."""
    tests = [guard.node.span for guard in guards]
    return bool(guards) and all(_is_used_behind(guard.node, tests, context) for guard in guards)


def _is_used_behind(test: Node, tests: list[Span], context: Context) -> bool:
    function = context.functions.get(context.function_at(test.span))
    body: tuple[Node, ...] = context.body if function is None else function.body
    tested = {_text(part, context) for part in tree.walk(test) if isinstance(part, tree.Name | tree.Field)}
    for part in (part for statement in body for part in tree.walk(statement)):
        if not isinstance(part, tree.Name | tree.Field) or part.span.start < test.span.end:
            continue
        if _text(part, context) in tested and not any(_within(part.span, other) for other in tests):
            return True
    return False


def _within(span: Span, outer: Span) -> bool:
    return outer.start <= span.start and span.end <= outer.end


def _text(node: Node, context: Context) -> str:
    return context.source.text(node.span)
