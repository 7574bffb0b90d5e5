"""What differs between groups at a test though nothing calls it an outcome: the names in the code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from fairlint.detectors.sinks import only_looks
from fairlint.support.records import Record
from fairlint.syntax.tree import Call

if TYPE_CHECKING:
    from fairlint.detectors.context import Context
    from fairlint.findings.uses import Use
    from fairlint.semantics.values.events import Event

MOST_NAMES = 4
"""Names that are told of one test."""
_RESULT = frozenset({"assign", "update", "append", "filter"})


class Unseen(Record):
    """A name in the code whose value, result or call differs between groups."""

    name: str
    sort: Literal["called", "set", "returned"]
    package: str = ""
    """Of what is called: the package it is known to be of, by which a library model can name it."""


def unseen(use: Use, context: Context) -> tuple[Unseen, ...]:
    """Return what hangs on the test that a Use is, each name once, in the order of the code."""
    found: dict[str, Unseen] = {}
    for site in context.execution.sites:
        if site.attribute == use.attribute and site.start.span == use.span:
            for event in site.events:
                found.update((one.name, found.get(one.name, one)) for one in _unseen_names(event, context))
    return tuple(found.values())[:MOST_NAMES]


def _unseen_names(event: Event, context: Context) -> Iterator[Unseen]:
    if event.kind == "call" and isinstance(event.node, Call) and not only_looks(event, context):
        made = context.facts.calls_at(event.node)
        package, _, _ = (made[-1].qualified.replace(":", ".") if made else "").rpartition(".")
        yield Unseen(event.target, "called", package)
    elif event.kind in _RESULT and event.target and event.target != "assert":
        yield Unseen(event.target, "set")
    elif event.kind == "return" and event.function:
        yield Unseen(event.function.rpartition(".")[2], "returned")


def remedy(found: Sequence[Unseen]) -> str:
    """Return how to say that one of them is an outcome; empty where there is none."""
    modelled = [one for one in found if one.package]
    ways = [
        f"if `{one.name}` decides about people, say so in a library model of `{one.package}`"
        f' (`library-models`): {one.name.rpartition(".")[2]} = "decides"'
        for one in modelled[:1]
    ]
    if others := [f"`{one.name}`" for one in found if not one.package]:
        ways.append(
            f"if {' or '.join(others)} is an outcome or a score, a name that says so is seen"
            " (with a word such as `decision` or `score`)"
        )
    return "; ".join(ways)
