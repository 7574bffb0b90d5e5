"""The table of what perturbations of prompts move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.bench.report import words
from fairlint.bench.report.suite_parts import count_head, text_head
from fairlint.bench.report.suite_report import Head, Row, Table
from fairlint.bench.runs.view import RunView

TITLE = "Perturbations"
SCORE = "FairScore"
NOTE = (
    "Each figure over what the plain run and the perturbed one both have: subjects of a FairScore, else "
    "answers to the same prompt with the same sample. The difference is perturbed less plain. Its 95 % "
    "bounds take answers to one prompt as alike."
)


def perturbation_tables(views: Sequence[RunView]) -> list[Table]:
    """Return the table of runs among which are perturbed ones and their plain run; none without these."""
    if not any((view.metrics["settings"].get("suite") or {}).get("perturb") for view in views):
        return []
    from fairlint.bench.figures.perturbing import moved_document, moved_figures  # noqa: PLC0415 (it reads reports)

    known = moved_figures(views)
    if not known:
        return []
    several = len({one.run for one in known}) > 1
    heads = (
        *([text_head("run", "Run")] if several else []),
        text_head("perturbation", "Perturbation"),
        Head("Figure", _figure_cell, is_text=True),
        Head("Plain", lambda row: words.number(row["plain"], 3)),
        Head("Perturbed", lambda row: words.number(row["perturbed"], 3)),
        Head("Difference", lambda row: words.difference(row["difference"])),
        Head("95 % interval", _interval_cell),
        count_head("pairs", "Pairs"),
        count_head("prompts", "Prompts"),
    )
    rows = tuple(moved_document(known))
    return [Table(TITLE, f"{NOTE} {conclusion_of(rows)}", heads, rows)]


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
