"""The tables of what perturbations and mitigations move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairlint.bench.report import words
from fairlint.bench.report.suite_parts import count_head, text_head
from fairlint.bench.report.suite_report import Head, Row, Table
from fairlint.bench.runs.view import RunView

if TYPE_CHECKING:
    from fairlint.bench.figures.variants import Variant

NOTE = (
    "Each figure over what the plain run and the {adjective} one both have: subjects of a FairScore, else "
    "answers to the same prompt with the same sample. The difference is {adjective} less plain. Its 95 % "
    "bounds take answers to one prompt as alike."
)


def variant_tables(views: Sequence[RunView]) -> list[Table]:
    """Return the tables of runs among which are perturbed or mitigated ones and their plain run; none without
    these.
    """
    from fairlint.bench.figures.variants import VARIANTS, change_of, moved_by, moved_document  # noqa: PLC0415 (it reads reports)

    found = []
    for kind in VARIANTS:
        known = moved_by(kind, views) if any(change_of(kind, view) for view in views) else []
        if known:
            several = len({one.run for one in known}) > 1
            heads, note = _heads(kind, several=several), NOTE.format(adjective=kind.adjective)
            found.append(Table(f"{kind.noun.capitalize()}s", note, heads, tuple(moved_document(known))))
    return found


def _heads(kind: Variant, *, several: bool) -> tuple[Head, ...]:
    return (
        *([text_head("run", "Run")] if several else []),
        text_head(kind.noun, kind.noun.capitalize()),
        Head("Figure", _figure_cell, is_text=True),
        Head("Plain", lambda row: words.number(row["plain"], 3)),
        Head(kind.adjective.capitalize(), lambda row: words.number(row[kind.adjective], 3)),
        Head("Difference", lambda row: words.difference(row["difference"])),
        Head("95 % interval", _interval_cell),
        count_head("pairs", "Pairs"),
        count_head("prompts", "Prompts"),
    )


def _figure_cell(row: Row) -> str:
    where = (row["scenario"], words.name(row["attribute"]))
    return ", ".join((row["measure"], *filter(None, where)))


def _interval_cell(row: Mapping[str, Any]) -> str:
    bounds = row["interval"]
    if bounds is None:
        return words.MISSING
    return f"{words.difference(bounds[0])} to {words.difference(bounds[1])}"
