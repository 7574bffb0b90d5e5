"""What happens to a person at a site, as it is compared between groups and told."""

from __future__ import annotations

from zlib import crc32

from fairlint.detectors.consequential_acts import relevant
from fairlint.detectors.context import Context
from fairlint.semantics.groups.results import LinearSum, Result, Unknown
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.values.amounts import known_number, readable
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.marks import hidden_mark
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const, Scalar, Sequence, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside

_LONGEST_ACT = 8_000
"""Characters of an act that are kept; a longer one is cut in its middle."""
TURNED_AWAY = "people are turned away by an error"
GOES_ON = ("goes on",)
Outcome = tuple[str, ...]


def values_of(events: list[Event]) -> list[Value]:
    """Return what the events give, return or change."""
    return [event.value for event in events]


def tests_of(events: list[Event]) -> int:
    """Return how many tests lead to the events."""
    return sum(1 + len(event.guards) for event in events)


def outcome(events: list[Event], site: Site, hypothesis: Specialization, context: Context) -> Outcome:
    """Return what happens to the person: the acts on the way and how it ends.

    What a variable is given is no act of its own where the variable is what is returned.
    """
    acts: list[tuple[str, str]] = []
    last: Event | None = None
    for event in events:
        if not relevant(event, site, hypothesis):
            continue
        own = site.has(event)
        asked = told_apart(event, site, hypothesis) if own else hypothesis
        described = describe(event, asked, context, own=own)
        if event.kind in {"return", "raise", "continue", "break"}:
            is_told = own and site.attribute in context.dependence.attributes(event.value)
            given = event.node.value if is_told and isinstance(event.node, tree.Return) else None
            name = path_of(given) if given is not None else None
            return (*(act for target, act in acts if not target or target != name), described)
        if last is not None and _is_given_anew(last, event, context):
            acts.pop()
        acts.append((event.target if event.kind == "assign" else "", described))
        last = event
    return tuple(act for _, act in acts) or GOES_ON


def _is_given_anew(before: Event, event: Event, context: Context) -> bool:
    """Return whether something is given another value before anything is done with the one it has."""
    if before.kind != "assign" or event.kind != "assign" or before.target != event.target:
        return False
    between = context.source.data[before.node.span.end : event.node.span.start]
    return before.run == event.run and before.node.span.end <= event.node.span.start and b"(" not in between


def told_apart(event: Event, site: Site, hypothesis: Specialization) -> Specialization:
    """Return the hypothesis for what an event does, where other sites have a say in it, too: not by them."""
    if not site.has_branch_elsewhere(event.value):
        return hypothesis
    return hypothesis.putting_aside(site.is_elsewhere)


def describe(event: Event, hypothesis: Specialization, context: Context, *, own: bool) -> str:
    """Return one act in the code's words, with what is known about its value.

    What a function of the file calls is told with what it was given there. An act that is not the site's
    `own` may differ by group for reasons that another site gives; its text stands for it.
    """
    match event.kind:
        case "return" | "assign" if own and hypothesis.naming.attribute.name in context.dependence.attributes(
            event.value
        ):
            result = hypothesis.evaluate(event.value)
            is_count = context.conventions.computed is not None or context.facts.is_count(event.value)
            is_number = is_count and isinstance(result, Const) and isinstance(result.value, bool)
            value = f"{result.value:d}" if is_number else _display_value(result, hypothesis)  # type: ignore[union-attr]
            return f"return {value}" if event.kind == "return" else f"{event.target} = {value}"
        case "call" if event.way or (
            own and hypothesis.naming.attribute.name in context.dependence.attributes(event.value)
        ):
            values = event.value.items if isinstance(event.value, Sequence) else ()
            shown = ", ".join(_display_value(hypothesis.evaluate(item), hypothesis) for item in values)
            return f"{event.target}({shown})"
        case "continue":
            return "skipped"
        case "append" if (row := _of_row(event)) is not None:
            return f"{event.target} gets {row!r}"
        case _:
            return act_text(event.node, context)


def _of_row(event: Event) -> Scalar:
    """Return what joins a list, where it stands in a row of a table that is gone through."""
    value = event.value
    if not isinstance(value, Const) or value.node is None or inside(value.node, event.node):
        return None
    return value.value


def act_text(node: Node, context: Context) -> str:
    """Return an act as the code writes it, on one line; what differs far behind stays apart."""
    known = context.once(_known_acts, "")
    if id(node) not in known:
        known[id(node)] = _format_act(node, context)
    return known[id(node)]


def _known_acts(_function: str, _context: Context) -> dict[int, str]:
    return {}


def _format_act(node: Node, context: Context) -> str:
    given = node.value if isinstance(node, tree.Return) and not node.is_yield else None
    text = " ".join(context.source.text((given or node).span).split()).removesuffix(";")
    text = text if given is None else f"return {text}"
    if len(text) <= _LONGEST_ACT:
        return text
    half = _LONGEST_ACT // 2
    return f"{text[:half]}…{hidden_mark(crc32(text.encode()))}{text[-half:]}"


def _display_value(result: Result, hypothesis: Specialization) -> str:
    match result:
        case Const(value=value, label=label):
            return label or repr(value)
        case LinearSum(amount=amount) if (plain := known_number(amount)) is not None:
            return f"{plain:g}"
        case LinearSum(amount=amount):
            return readable(amount)
        case Unknown(key="?"):
            return "…"
        case _:
            return hypothesis.key(result)
