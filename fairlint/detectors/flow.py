"""The way from where an attribute is read to what depends on it, step by step."""

from __future__ import annotations

from itertools import islice

from fairlint.detectors.context import MOST_COMPARED, Context
from fairlint.findings.uses import Step
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.interpreter.operations import TRUTHS
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import Choice, Const, Lookup, Operation, Table, Value
from fairlint.semantics.values.symbolic import Sequence as Listed
from fairlint.semantics.values.traversal import walk
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, Span, inside

TYPE_CHECKING = False  # importing typing at run time takes long

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_READS = 100
"""Reads that are told as the way to one use, the last ones."""
MOST_BRANCHES = 6
"""Branches of a chain that a flow shows."""


def _is_alike(one: Event, other: Event) -> bool:
    """Return whether two branches change the same."""
    mine, theirs = ((it.kind, it.target, it.function, it.run) for it in (one, other))
    return mine == theirs


def flow_of(context: Context, site: Site, event: Event | None, last: str) -> tuple[Step, ...]:
    """Return the stations from the read to the effect."""
    steps: dict[tuple[int, int], Step] = {}

    def add(node: Node, message: str) -> None:
        steps.setdefault((node.span.start, node.span.end), Step(node.span, message))

    attribute = site.attribute.replace("_", " ")
    reads = sorted(site.reads.values(), key=lambda read: read.node.span.start)
    for read in reads[-MOST_READS:]:
        if read.named is not None:
            add(read.named, f"{attribute} is named here")
        add(read.node, f"{attribute} is read here")
    for row in islice(_matching_rows(context, site), MOST_READS):
        add(row, "the table says this")
    values: list[Value] = [site.test] if event is None else [site.test, event.value]
    for value in values:
        for part in walk(value):
            if isinstance(part, Lookup) and site.attribute in context.dependence.attributes(part.subject):
                if part.table.entries:
                    add(part.table.node, f"the table {part.table.name}".rstrip())
                add(part.node, "the table is read by group")
            elif isinstance(part, Choice) and site.attribute in context.dependence.attributes(part.test):
                add(_headline_node(part.node), "groups part ways here")
    told = {_line_of_span(context, one.span) for one in steps.values()}
    for node in islice(_loaded_data_nodes(context, site), MOST_READS):
        if _line_of_span(context, node.span) not in told and not _is_within(node, steps.values()):
            add(node, "the file says this")
    if event is not None:
        branches = [one for one in site.guarded if event.kind == "update" and _is_alike(one, event)]
        for one in sorted([event, *branches[:MOST_BRANCHES]], key=lambda one: one.node.span.start):
            add(one.node, last)
    return tuple(steps.values())


def _line_of_span(context: Context, span: Span) -> int:
    return context.source.position(span.start).line


def _loaded_data_nodes(context: Context, site: Site) -> Iterator[Node]:
    """Yield what of files of data has a hand in a site."""
    parsed = context.execution.tree
    spans = (one.span for part in (parsed, *parsed.modules) for one in part.data)
    begins = [span.start for span in spans if span is not None]
    if not begins:
        return
    first = min(begins)
    tests = (guard.test for guard in context.guards(site))
    for part in islice(walk(site.test, *tests, *(event.value for event in site.events)), MOST_COMPARED):
        node = part.node if isinstance(part, Const | Listed | Table) else None
        if node is not None and node.span.start >= first:
            yield node


def _matching_rows(context: Context, site: Site) -> Iterator[Node]:
    """Yield where a table holds what the site compares the attribute with: its row, and not the test."""
    for guard in context.guards(site):
        for part in islice(walk(guard.test), MOST_COMPARED):
            if not isinstance(part, Operation) or part.op not in TRUTHS or not site.asks(part):
                continue
            sides = part.arguments
            for side in sides:
                if (
                    isinstance(side, Const | Listed)
                    and side.node is not None
                    and not inside(side.node, guard.node)
                    and not inside(side.node, part.node)
                ):
                    yield side.node


def _is_within(node: Node, steps: Iterable[Step]) -> bool:
    return any(one.span.start <= node.span.start < one.span.end for one in steps)


def _headline_node(node: Node) -> Node:
    match node:
        case tree.If(test=test) | tree.Conditional(test=test):
            return test
        case tree.Switch(subject=subject):
            return subject
        case _:
            return node
