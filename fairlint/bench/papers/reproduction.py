"""A paper's tables beside what runs of fairlint come to, cell by cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairlint.bench.papers.own_figures import LEAST_ANSWERS, Own, own_figure
from fairlint.bench.papers.paper import Line, Paper, PaperModel, Place, Table
from fairlint.bench.runs.view import RunView, sound
from fairlint.support.records import Record

ROUNDING = 0.005
"""Published figures have two digits, so that each stands for what lies this near."""
LEAST_COMPARED = 16
"""Answers below which a cell is not compared: a share of fewer would not show a difference of a half."""
WIDEST_COMPARED = 0.49
"""An interval wider than this has nearly every figure within it (see `runs.view.NOTHING_SEEN`)."""

NOT_RUN = "not run"
UNFINISHED = "not finished"
NOT_MEASURED = "not measured"
OTHER_PROTOCOL = "other protocol"
FEW = "too few to compare"
NO_INTERVAL = "no interval"
A_PART = "a part of the run"

NOT_COMPARED = {
    FEW: f"fewer than {LEAST_COMPARED} answers or {LEAST_ANSWERS} subjects, or an interval wider than "
    f"{WIDEST_COMPARED:g}",
    NO_INTERVAL: "our figure has no interval",
    A_PART: "a mean of a part of the run",
}
"""Why a cell with a figure of ours is not compared → the same in words."""

RunName = tuple[str, str]
"""Model and run, as the paper has them."""


class Cell(Record):
    """A published figure, ours, and how the two stand."""

    row: str
    column: str
    published: float
    own: float | None
    low: float | None
    high: float | None
    answers: int
    within: bool | None
    """Whether the published figure is within our interval; None where nothing can be said."""
    why: str
    """Why there is no figure of ours, or why the two cannot be compared."""
    least: float | None = None
    """Below what our figure cannot be; None where that is 0."""


class Compared(Record):
    """A table, cell by cell."""

    table: Table
    cells: tuple[Cell, ...]
    as_printed: tuple[Cell, ...] = ()
    """The same beside the figure that is printed above the table, where that is another."""


class Reproduction(Record):
    """A paper beside runs."""

    paper: Paper
    runs: Mapping[RunName, RunView]
    unfinished: frozenset[RunName]
    tables: tuple[Compared, ...]


class _Runs(Record):
    """A paper, and the runs that there are of it."""

    paper: Paper
    finished: Mapping[RunName, RunView]
    begun: frozenset[RunName]


def reproduction_of(
    paper: Paper, runs: Mapping[RunName, RunView], unfinished: Sequence[RunName] = ()
) -> Reproduction:
    """Return each table of a paper beside the finished runs; `unfinished` names those that were begun."""
    known = _Runs(paper, runs, frozenset(unfinished))
    tables = []
    for table in paper.tables:
        cells = tuple(_cells(known, table, table.figure))
        printed = tuple(_cells(known, table, table.printed)) if table.printed else ()
        tables.append(Compared(table, cells, printed))
    return Reproduction(paper, runs, known.begun, tuple(tables))


def _cells(known: _Runs, table: Table, figure: str) -> Iterator[Cell]:
    for row in table.rows:
        for column, published in zip(table.columns, row.cells, strict=True):
            own = _own(known, figure, row, table.place_of(row, column))
            found = own.figure
            yield Cell(
                row=row.title,
                column=column.title,
                published=published,
                own=None if found is None else found.value,
                low=None if found is None else found.low,
                high=None if found is None else found.high,
                answers=own.answers,
                within=_is_within(published, own),
                why=own.why or _why_not_compared(own),
                least=own.least,
            )


def _own(known: _Runs, figure: str, row: Line, place: Place) -> Own:
    """Return our figure of a cell."""
    if row.unmeasured:
        return Own(None, why=NOT_MEASURED)
    name = (place.model, place.run)
    if name not in known.finished:
        return Own(None, why=UNFINISHED if name in known.begun else NOT_RUN)
    view = known.finished[name]
    if view.metrics["scores"] and view.metrics["protocol"] != known.paper.protocol:
        return Own(None, why=OTHER_PROTOCOL)
    return own_figure(view, figure, place, known.paper.run_named(place.run))


def _why_not_compared(own: Own) -> str:
    """Return why a figure of ours says nothing of the published one; nothing where it does."""
    found = own.figure
    if found is None:
        return ""
    if own.is_part:
        return A_PART
    if own.answers < LEAST_COMPARED or (own.subjects is not None and own.subjects < LEAST_ANSWERS):
        return FEW
    if found.low is None or found.high is None:
        return NO_INTERVAL
    return FEW if found.high - found.low > WIDEST_COMPARED else ""


def _is_within(published: float, own: Own) -> bool | None:
    found = own.figure
    if found is None or found.low is None or found.high is None or _why_not_compared(own):
        return None
    return found.low - ROUNDING <= published <= found.high + ROUNDING


# ----------------------------------------------------------------------------------------------- what is said


def count_within(cells: Sequence[Cell]) -> str:
    """Return how many published figures are within our interval, and how many have none beside them."""
    judged = [one for one in cells if one.within is not None]
    unknown = Counter(one.why for one in cells if one.own is not None and one.within is None)
    lost = sum(one.own is None for one in cells)
    parts = [f"{sum(bool(one.within) for one in judged):,} of {len(judged):,} are within our interval"]
    parts += [f"{count:,} not compared: {NOT_COMPARED[why]}" for why, count in unknown.items()]
    if lost:
        parts.append(f"{lost:,} have no figure of ours")
    return "; ".join(parts if judged or len(parts) == 1 else parts[1:])


def other_model(model: PaperModel, view: RunView) -> str:
    """Return how the model of a run is another one than the paper's, as far as that can be told."""
    known = view.metrics["model"]
    if known.get("backend") == "replay":
        return "kept answers"
    if not model.ask:
        return "the paper names no version"
    asked = model.ask.removeprefix("openai:")
    if known["name"] != asked:
        return f"another model than {asked}"
    if model.revision and known.get("revision") != model.revision:
        return "another revision"
    return ""


def models_in_place(known: Reproduction, table: Table | None = None) -> dict[str, str]:
    """Return a paper's model → what was asked in its place; of a table, those that it has figures of."""
    wanted = set(known.runs)
    if table is not None:
        places = [table.place_of(row, column) for row in table.rows for column in table.columns]
        wanted &= {(place.model, place.run) for place in places}
    found: dict[str, dict[str, None]] = {}
    for name, run in (one for one in known.runs if one in wanted):
        view = known.runs[name, run]
        if told := other_model(known.paper.model_named(name), view):
            asked = str(view.metrics["model"]["name"])
            found.setdefault(name, {})[f"{asked} ({told})"] = None
    return {name: ", ".join(texts) for name, texts in found.items()}


def document_of(known: Reproduction) -> dict[str, Any]:
    """Return all of it as JSON."""
    paper = known.paper
    return {
        "format": 1,
        "paper": paper.name,
        "title": paper.title,
        "runs": [
            {
                "model": model.name,
                "run": run.name,
                "state": _state(known, (model.name, run.name)),
                **_run_facts(model, known.runs.get((model.name, run.name))),
            }
            for model in paper.models
            for run in paper.runs_of(model)
        ],
        "tables": [
            {
                "table": one.table.number,
                "title": one.table.title,
                "figure": one.table.figure,
                "printed": one.table.printed or one.table.figure,
                "cells": [_cell_document(cell) for cell in one.cells],
                "as_printed": [_cell_document(cell) for cell in one.as_printed],
                "differences": list(one.table.differences),
            }
            for one in known.tables
        ],
        "differences": {
            one.name: {"text": one.text, "rows": list(one.rows)} for one in paper.differences.values()
        },
    }


def _state(known: Reproduction, name: RunName) -> str:
    return "finished" if name in known.runs else UNFINISHED if name in known.unfinished else NOT_RUN


def _run_facts(model: PaperModel, view: RunView | None) -> dict[str, Any]:
    if view is None:
        return {}
    metrics = view.metrics
    return {
        "asked": metrics["model"]["name"],
        "revision": metrics["model"].get("revision"),
        "other_model": other_model(model, view),
        "prompts": metrics["settings"].get("prompts"),
        "samples": metrics["settings"].get("samples"),
        "seed": metrics["settings"].get("seed"),
        "answers": metrics["answers"]["given"],
        "valid": round(sound(view), 4),
        "cut": metrics["answers"].get("cut"),
        "protocol": metrics["protocol"],
    }


def _cell_document(cell: Cell) -> dict[str, Any]:
    return {
        "row": cell.row,
        "column": cell.column,
        "published": cell.published,
        "own": cell.own,
        "interval": None if cell.low is None else [cell.low, cell.high],
        "answers": cell.answers,
        **({} if cell.least is None else {"least": cell.least}),
        "within": cell.within,
        "why": cell.why,
    }
