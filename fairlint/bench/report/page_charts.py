"""The charts of the HTML report: dots, a plane of refusal and entropy, and bars of rates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from fairlint.bench.figures.both_scores import score_beside
from fairlint.bench.report import bias, charts, figures, utility, words
from fairlint.bench.runs.view import (
    RunView,
    overall,
    scores,
    usage,
)
from fairlint.support.records import Record, replace

CROWDED = 10
"""Dots of more runs are small in all tables."""

SMALL = 30
"""The size of a dot in a table with many columns."""

LEGEND = 0.25
"""The strength that the dots of legends are drawn with."""

RATES = (
    ("published", "published", "counts any mention in prompt or answer"),
    ("read", "read", "the code reads it"),
    ("used", "used", "a decision or score depends on it"),
)
"""The bars of a usage table: field of the figures, label, what it says."""

Figures = Mapping[str, Any]


class Cell(Record):
    """One dot of the matrix."""

    svg: str
    group: str
    strength: str
    refusal: str
    """The refusal rate."""
    note: str
    told: str


class Row(Record):
    """The dots of one run, or of one column."""

    head: str
    below: str
    cells: tuple[Cell, ...]


def preference_matrices(views: Sequence[RunView], names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the dots by attribute, and of several runs by list and by topic too."""
    if not (first := figures.by_attribute(views, names)):
        return
    small = len(views) > CROWDED
    yield {
        **_matrix_context(first, small=small),
        "turned": _matrix_context(figures.transpose_preferences(first), small=small),
    }
    if len(views) > 1:
        for one in (figures.by_list(views, names), *figures.by_topic(views, names)):
            if one is not None:
                yield {**_matrix_context(one, small=True), "turned": None}


def _matrix_context(one: figures.Preferences, *, small: bool) -> dict[str, Any]:
    """Return a table of dots, with what its columns belong to above them."""
    return {
        "title": one.title,
        "note": one.note,
        "small": small,
        "over": [(over, len(list(heads))) for over, heads in groupby(head.over for head in one.heads)],
        "heads": [head.name for head in one.heads],
        "rows": [
            Row(
                row.name,
                row.over,
                tuple(
                    _dot_cell(_heads_text(row, head), dot, small=small)
                    for head, dot in zip(one.heads, dots, strict=True)
                ),
            )
            for row, dots in zip(one.rows, one.dots, strict=True)
        ],
        "legend": list(_legend_rows(one)),
    }


def _heads_text(*heads: figures.Head) -> str:
    return ", ".join(part for head in heads for part in (head.over, head.name) if part)


def _dot_cell(where: str, dot: figures.Dot | str, *, small: bool) -> Cell:
    told = figures.dot_sentence(where, dot)
    if isinstance(dot, str):
        return Cell("", "", "", "", dot, told)
    drawn = charts.dot(
        dot.place,
        dot.strength,
        told,
        doubtful=dot.doubtful,
        sure=dot.sure is not False,
        size=SMALL if small else charts.SIZE,
    )
    note = f"{words.percent(dot.valid)} valid" if dot.doubtful else ""
    return Cell(drawn, dot.whom, words.number(dot.strength), words.number(dot.refusal_rate), note, told)


def _legend_rows(one: figures.Preferences) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Attribute → its groups with their swatches, and what sizes mean."""
    for attribute, groups in one.legend:
        yield attribute, [(charts.dot(place, LEGEND, group), group) for place, group in enumerate(groups)]
    yield (
        "all attributes",
        [
            (charts.dot(charts.OTHER, LEGEND, "another group"), "another group, as named"),
            *_hollow_legend_entries(one),
        ],
    )
    yield (
        "strength",
        [
            (charts.dot(charts.OTHER, size, words.number(size)), f"{size:g}")
            for size in (0.05, 0.25, 0.5, 1.0)
        ],
    )


def _hollow_legend_entries(one: figures.Preferences) -> Iterable[tuple[str, str]]:
    if any(isinstance(dot, figures.Dot) and dot.sure is False for row in one.dots for dot in row):
        yield charts.dot(0, LEGEND, "not sure", sure=False), "hollow: chance alone could lean as far"
    if figures.has_untested_dots(one.dots):
        yield charts.dot(0, LEGEND, "not tested"), "solid: not tested against chance"


def scatter_context(views: Sequence[RunView], names: Sequence[str]) -> dict[str, Any] | None:
    """Return one run's attributes, or each of several runs at its means."""
    alone = len(views) == 1
    marks = _attribute_marks(views[0], names[0]) if alone else _model_marks(views, names)
    if not marks:
        return None
    beside = {"wide": 0.0, "narrow": 0.0} if alone else {"wide": 230.0, "narrow": 130.0}
    height = 15.0 * len(marks) + 60
    return {
        "note": figures.spots_note(figures.titles_of(views)[0], alone=alone),
        "wide": charts.scatter(
            marks, width=760, height=max(460, height), kind="wide", named=alone, margin=beside["wide"]
        ),
        "narrow": charts.scatter(
            marks, width=330, height=max(330, height), kind="narrow", named=False, margin=beside["narrow"]
        ),
    }


def joint_context(views: Sequence[RunView], names: Sequence[str]) -> dict[str, Any] | None:
    """Return fairness against utility: of each run, or of each attribute of a single one; None where fewer
    than two places are known.
    """
    alone = len(views) == 1
    marks = _joint_attribute_marks(views[0]) if alone else _joint_model_marks(views, names)
    if len(marks) < 2:
        return None
    fairness = "1 − CBS of what runs" if bias.bias(views[0]) else figures.titles_of(views)[0]
    plane = charts.Plane("share that works →", f"{fairness} →", "Fairness against utility")
    what = "One point for each attribute of a scenario" if alone else "One mark for each run"
    drawn = {
        kind: charts.scatter(
            marks,
            width=width,
            height=300,
            kind=kind,
            named=alone and kind == "wide",
            plane=plane,
            margin=margin,
        )
        for kind, width, margin in (
            ("wide", 640, 0.0 if alone else 200.0),
            ("narrow", 330, 0.0 if alone else 120.0),
        )
    }
    note = f"{what}. To the right more answers work, upward they are fairer; the line joins those that none "
    return {"note": f"{note}surpasses in both.", **drawn}


def _joint_attribute_marks(view: RunView) -> list[charts.Mark]:
    known = {(one["scenario"], one["attribute"]): one for one in scores(view)}
    return [
        _joint_mark(
            f"{words.name(one['attribute'])}, {one['scenario']}",
            one["pass_at_1"],
            column["fair_score"],
            _both_scores_text(column, view),
        )
        for one in utility.utility_figures(view).get("columns", ())
        for column in [known.get((one["scenario"], one["attribute"]))]
        if one["pass_at_1"] is not None and column is not None and column["fair_score"] is not None
    ]


def _joint_model_marks(views: Sequence[RunView], names: Sequence[str]) -> list[charts.Mark]:
    found = []
    for place, (view, name) in enumerate(zip(views, names, strict=True)):
        if known := bias.bias(view).get("overall"):
            biased = known.get("cbs_executable", known.get("cbs"))
            works, fair = known.get("valid"), None if biased is None else 1 - biased
            told = f"1 − CBS {words.percent(fair)}"
        else:
            means = overall(view) or {}
            rates = utility.utility_figures(view).get("overall") or {}
            works, fair = rates.get("pass_at_1"), means.get("fair_score")
            told = _both_scores_text(means, view) if means else ""
        if works is not None and fair is not None:
            found.append(replace(_joint_mark(name, works, fair, told), series=place))
    return found


def _joint_mark(label: str, works: float, fair: float, told: str) -> charts.Mark:
    return charts.Mark(label, f"{label}: works {words.percent(works)}, {told}", 0, works, fair)


def _both_scores_text(one: Figures, view: RunView) -> str:
    first, second = figures.titles_of([view])
    beside = score_beside(one, view.metrics["protocol"])
    return f"{first} {words.number(one['fair_score'])}, {second} {words.number(beside)}"


def _attribute_marks(view: RunView, name: str) -> list[charts.Mark]:
    return [
        charts.Mark(
            label=f"{words.name(one['attribute'])}, {one['scenario']}",
            told=_figures_text(
                f"{name}, {words.name(one['scenario'])}, {words.name(one['attribute'])}", one, view
            ),
            series=0,
            x=one["refusal_rate"],
            y=one["entropy"],
        )
        for one in scores(view)
        if one["fair_score"] is not None
    ]


def _model_marks(views: Sequence[RunView], names: Sequence[str]) -> list[charts.Mark]:
    return [
        charts.Mark(name, _figures_text(name, means, view), place, means["refusal_rate"], means["entropy"])
        for place, (view, name) in enumerate(zip(views, names, strict=True))
        if (means := overall(view))
    ]


def _figures_text(where: str, one: Figures, view: RunView) -> str:
    return (
        f"{where}: R {words.number(one['refusal_rate'])}, E {words.number(one['entropy'])}, "
        f"{_both_scores_text(one, view)}"
    )


def usage_bar_charts(view: RunView, name: str) -> dict[str, str]:
    """Return the chart of a run's rates, for wide screens and for narrow ones."""
    rates = {words.name(one["attribute"]): list(_rate_bars(one)) for one in usage(view)}
    what = f"How often {name} uses each attribute, by way of counting"
    return {
        kind: charts.bars(rates, width=width, kind=kind, what=what)
        for kind, width in (("wide", 640.0), ("narrow", 330.0))
    }


def _rate_bars(one: Figures) -> Iterator[charts.Bar]:
    for field, label, what in RATES:
        value = float(one[field] or 0.0)
        told = f"{words.name(one['attribute'])}, {label}: {words.percent(value)} ({what})"
        yield charts.Bar(label, f"rate-{field}", value, one["interval"] if field == "used" else None, told)
