"""The figures as CSV, for spreadsheets and data frames: all digits, one row a fact."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Any

from fairlint.bench.figures.both_scores import KEYS, score_by
from fairlint.bench.report import bias, utility
from fairlint.bench.runs.view import RunView, check_alike, labels, scores, usage
from fairlint.rendering.safe_text import plain

RUN = ("run", "model", "revision", "suite", "protocol")
FIGURES = ("refusal_rate", "entropy", "fair_score", *(f"fair_score_{key}" for key in KEYS.values()))
DEVIATIONS = tuple(f"{name}_deviation" for name in FIGURES[:3])
SCORES = (
    *RUN, "scenario", "attribute", "answers", "not_judged", "valid", "mentioned", "read", "used", *FIGURES,
    *DEVIATIONS, "low", "high", "without_rule", "uncorrected", "with_off_task", "counted", "unclear",
    "off_task", "preferred", "strength", "leaning", "points", "made_up",
)  # fmt: skip
SUBJECTS = (
    *RUN, "scenario", "attribute", "list", "subject", "answers", "not_judged", "valid", *FIGURES, "estimate",
    "unclear", "preferred", "points",
)  # fmt: skip
USAGE = (
    *RUN, "attribute", "answers", "not_judged", "valid", "published", "echoed", "mentioned", "read", "used",
    "used_of_valid", "used_on_task", "used_barred", "used_allowed", "used_any", "off_task", "parse_ok",
    "answer_parses", "low", "high",
)  # fmt: skip
USAGE_PARTS = (*RUN, "scenario", "prompt", *USAGE[len(RUN) :])

EXECUTED = (
    *RUN, "attribute", "answers", "not_judged", "shown", "biased", "cbs", "cbs_shown", "groups",
    "union_at_k", "all_at_k", "low", "high",
)  # fmt: skip

UTILITY = (
    *RUN, "scenario", "attribute", "answers", "not_run", "passed", "pass_at_1", "tests_passed", "low", "high",
)  # fmt: skip

PASS_AT_K = (*RUN, "k", "prompts", "works", "works_and_fair")

FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""A cell that begins with one of these, be it after blanks, could be run as a formula by a spreadsheet."""


def csv_tables(views: Sequence[RunView]) -> dict[str, str]:
    """File name → CSV: `scores.csv` and `subjects.csv`, `usage.csv` and `usage_parts.csv` where runs have
    rates of use, and `utility.csv` and `pass_at_k.csv` where functions were run.

    Shares are between 0 and 1, `low` and `high` are 95 % bounds (of `fair_score`, or of `used`), points and
    `leaning` are JSON objects, `fair_score` is that of the run's protocol, and `without_rule`, `uncorrected`
    and `estimate` are FairScores (`metrics.json` defines them). An empty cell is a figure that is not known.
    A text that a spreadsheet could take for a formula gets an apostrophe in front, and control characters are
    replaced. Raises UsageError for runs of different suites.
    """
    check_alike(views)
    if any(bias.bias(view) for view in views):
        return {f"{part}.csv": _csv_text(*_part_table(views, part)) for part in _part_names(views)}
    tables = {
        "scores.csv": _csv_text(SCORES, _score_rows(views)),
        "subjects.csv": _csv_text(SUBJECTS, _subject_rows(views)),
    }
    if any(usage(view) for view in views):
        tables["usage.csv"] = _csv_text(USAGE, _usage_rows(views))
        tables["usage_parts.csv"] = _csv_text(USAGE_PARTS, _usage_rows(views, "usage_parts"))
    if any(view.metrics.get("executed") for view in views):
        tables["executed.csv"] = _csv_text(EXECUTED, _usage_rows(views, "executed"))
    if any(map(utility.utility_figures, views)):
        tables["utility.csv"] = _csv_text(UTILITY, _utility_rows(views))
        tables["pass_at_k.csv"] = _csv_text(PASS_AT_K, _pass_rows(views))
    return tables


def _part_names(views: Sequence[RunView]) -> list[str]:
    """Return the lists of rows that figures of bias hold."""
    found = {name: None for view in views for name, part in bias.bias(view).items() if _are_rows(part)}
    return list(found)


def _are_rows(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(one, Mapping) for one in part)


def _part_table(views: Sequence[RunView], part: str) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the heads and rows of one list: what is a dict in a row stands in columns of its own."""
    rows = [
        {**run, **_flatten_row(one)}
        for view, run in _views_with_run_cells(views)
        for one in bias.bias(view).get(part) or ()
    ]
    return list(dict.fromkeys([*RUN, *(name for row in rows for name in row)])), rows


def _flatten_row(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            found |= _flatten_row(value, f"{before}{name}_")
        elif name == "interval":
            low, high = value or (None, None)
            found |= {f"{before}low": low, f"{before}high": high}
        else:
            found |= {} if isinstance(value, list) else {f"{before}{name}": value}
    return found


def _views_with_run_cells(views: Sequence[RunView]) -> Iterator[tuple[RunView, dict[str, Any]]]:
    for view, label in zip(views, labels(views), strict=True):
        metrics = view.metrics
        model = metrics["model"]
        known = (
            label,
            model.get("name"),
            model.get("revision"),
            metrics["suite"].get("name"),
            metrics["protocol"],
        )
        yield view, dict(zip(RUN, known, strict=True))


def _score_rows(views: Sequence[RunView]) -> Iterator[dict[str, Any]]:
    for view, run in _views_with_run_cells(views):
        for one in scores(view):
            parts = {
                name: (one.get(name) or {}).get("fair_score")
                for name in ("without_rule", "uncorrected", "with_off_task")
            }
            deviation = {f"{name}_deviation": value for name, value in (one.get("deviation") or {}).items()}
            yield {**run, **one, **deviation, **parts, **_both_scores(one), **_bounds_columns(one)}


def _subject_rows(views: Sequence[RunView]) -> Iterator[dict[str, Any]]:
    for view, run in _views_with_run_cells(views):
        for one in scores(view):
            where = {"scenario": one["scenario"], "attribute": one["attribute"]}
            yield from (
                {
                    **run,
                    **where,
                    **subject,
                    **_both_scores(subject),
                    "estimate": (subject.get("estimate") or {}).get("fair_score"),
                }
                for subject in one["subjects"]
            )


def _both_scores(one: Mapping[str, Any]) -> dict[str, float | None]:
    return {f"fair_score_{key}": score_by(one, protocol) for protocol, key in KEYS.items()}


def _usage_rows(views: Sequence[RunView], part: str = "usage") -> Iterator[dict[str, Any]]:
    for view, run in _views_with_run_cells(views):
        yield from ({**run, **one, **_bounds_columns(one)} for one in view.metrics.get(part) or ())


def _utility_rows(views: Sequence[RunView]) -> Iterator[dict[str, Any]]:
    for view, run in _views_with_run_cells(views):
        yield from (
            {**run, **one, **_bounds_columns(one)} for one in utility.utility_figures(view).get("columns", ())
        )


def _pass_rows(views: Sequence[RunView]) -> Iterator[dict[str, Any]]:
    for view, run in _views_with_run_cells(views):
        yield from ({**run, **one} for one in utility.utility_figures(view).get("pass_at_k", ()))


def _bounds_columns(one: Mapping[str, Any]) -> dict[str, Any]:
    low, high = one["interval"] or (None, None)
    return {"low": low, "high": high}


def _csv_text(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    return written_out(names, ([row.get(name) for name in names] for row in rows))


def written_out(heads: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as CSV, heads and cells guarded as `cell` does."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(cell, heads))
    writer.writerows(map(cell, row) for row in rows)
    return text.getvalue()


def cell(value: Any) -> Any:
    """Return what stands in a cell: no formula, no control characters."""
    if isinstance(value, Mapping):
        return plain(json.dumps(value, ensure_ascii=False))
    if isinstance(value, str):
        return f"'{plain(value)}" if value.lstrip().startswith(FORMULA) else plain(value)
    return value
