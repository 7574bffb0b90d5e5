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

SCORE = "FairScore"
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
            heads, rows = _heads(kind, several=several), tuple(moved_document(known))
            note = f"{NOTE.format(adjective=kind.adjective)} {conclusion_of(rows)}"
            found.append(Table(f"{kind.noun.capitalize()}s", note, heads, rows))
    return found


def conclusion_of(rows: Sequence[Row]) -> str:
    """Return in how many rows a figure moves by more than its bounds, and what could not have been seen."""
    known = [row["interval"] for row in rows if row["interval"] is not None]
    if not known:
        return "No difference has bounds, so nothing is said of any."
    moved = sum(not low <= 0 <= high for low, high in known)
    widest = max(max(abs(low), abs(high)) for low, high in known)
    if moved:
        return (
            f"In {moved} of {len(known)} rows, the bounds do not hold 0. They are not adjusted for the "
            f"number of rows, so {words.number(len(known) / 20, 1)} would be expected by chance alone."
        )
    return (
        f"All {len(known)} bounds hold 0, so no figure is shown to move. That does not say that figures "
        f"stay: by these bounds, one could move by {words.number(widest, 2)}."
    )


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
    if row["measure"].startswith(SCORE) and row["scenario"]:
        return ", ".join(where)  # the row above them has the name
    return ", ".join((row["measure"], *filter(None, where)))


def _interval_cell(row: Mapping[str, Any]) -> str:
    bounds = row["interval"]
    if bounds is None:
        return words.MISSING
    return f"{words.difference(bounds[0])} to {words.difference(bounds[1])}"
