"""The tables of papers, from runs of one suite, as CSV and LaTeX: scenarios and attributes by models, topics
by models, and data and attributes by models or mitigations.

They follow FairCode (arXiv 2501.05396, tables 5 to 13) and arXiv 2606.00049 (table 9). A cell of the first
kind is a mean with its standard deviation over subjects, one of the last a share with its 95 % bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fairlint.backends.names import slug
from fairlint.bench.figures.both_scores import KEYS, score_name
from fairlint.bench.report import bias, words
from fairlint.bench.report.run_tables import mean_text
from fairlint.bench.report.side_by_side import side_by_side
from fairlint.bench.runs.view import RunView, columns, other, scores, stand_together, usage
from fairlint.support.records import Record

TITLES: Mapping[str, str] = {"refusal_rate": "Refusal rate", "entropy": "Preference entropy"}
AVERAGE = "Plain mean"
"""The row of means over models that were asked alike, and the column of means over columns. Overall figures
may be other means.
"""

Figures = Mapping[str, Any]
Place = tuple[str, str]


class TableCell(NamedTuple):
    """One cell: what it says, and the numbers behind it."""

    text: str
    value: float | None
    deviation: float | None = None
    low: float | None = None
    high: float | None = None


NOTHING = TableCell(words.MISSING, None)


class PaperTable(Record):
    """One table."""

    name: str
    """Of its files."""
    title: str
    row_of: str
    column_of: str
    rows: tuple[str, ...]
    heads: tuple[str, ...]
    cells: tuple[tuple[TableCell, ...], ...]
    """By row."""


def paper_tables(views: Sequence[RunView], names: Sequence[str]) -> list[PaperTable]:
    """Return all tables that runs of one suite have."""
    if any(bias.bias(view) for view in views):
        return list(_share_tables(views, names))
    if any(usage(view) for view in views):
        return list(_use_tables(views, names))
    if not columns(views):
        return []
    return [*_column_tables(views, names), *_topic_tables(views, names)]


def _column_tables(views: Sequence[RunView], names: Sequence[str]) -> Iterator[PaperTable]:
    """Yield models by scenario and attribute, for each figure by each protocol (tables 5, 6 and 7)."""
    heads = columns(views)
    for protocol in KEYS:
        known = [_by_protocol(view, protocol) for view in views]
        for figure in ("fair_score", *TITLES):
            cells = [[_mean_cell(one.get(head), figure) for head in heads] for one in known]
            rows = [[*row, _average(row)] for row in cells]
            nothing = [NOTHING] * (len(heads) + 1)
            if len(rows) > 1:
                alike = [row for row, is_alike in zip(rows, stand_together(views), strict=True) if is_alike]
                rows.append([_average(column) for column in zip(*alike, strict=True)] if alike else nothing)
            yield PaperTable(
                _file_name(figure, KEYS[protocol]),
                _title(figure, protocol),
                "model",
                "column",
                (*names, *([AVERAGE] if len(names) > 1 else [])),
                (*(f"{words.name(one)}, {words.name(attribute)}" for one, attribute in heads), AVERAGE),
                tuple(map(tuple, rows)),
            )


def _by_protocol(view: RunView, protocol: str) -> dict[Place, Figures]:
    """Scenario and attribute → the figures by a protocol, which may be the run's own or the other."""
    found = scores(view) if view.metrics["protocol"] == protocol else other(view).get("scores", ())
    return {(one["scenario"], one["attribute"]): one for one in found}


def _mean_cell(one: Figures | None, figure: str) -> TableCell:
    if one is None or one[figure] is None:
        return NOTHING
    deviation = (one.get("deviation") or {}).get(figure)
    return TableCell(mean_text(one[figure], deviation), one[figure], deviation)


def _average(cells: Iterable[TableCell]) -> TableCell:
    """Return the plain mean of the cells that are known, which has no deviation over subjects."""
    values = [one.value for one in cells if one.value is not None]
    mean = math.fsum(values) / len(values) if values else None
    return NOTHING if mean is None else TableCell(words.number(mean), mean)


def _title(figure: str, protocol: str) -> str:
    if figure in TITLES:
        return f"{TITLES[figure]} ({KEYS[protocol]})"
    return score_name(protocol)


def _topic_tables(views: Sequence[RunView], names: Sequence[str]) -> Iterator[PaperTable]:
    """Yield topics of test cases by models, for each attribute (tables 8 to 13).

    Both FairScores, and refusal rate and entropy by each run's own protocol: that is all that is kept of a
    topic.
    """
    if words.wording(views[0]) is not words.TEST_CASES:
        return
    for attribute in dict.fromkeys(attribute for _, attribute in columns(views)):
        found = [
            {
                (one["scenario"], subject["subject"]): subject
                for one in scores(view)
                if one["attribute"] == attribute
                for subject in one["subjects"]
            }
            for view in views
        ]
        topics = list(dict.fromkeys(topic for known in found for topic in known))
        for figure in TOPIC_FIGURES:
            yield PaperTable(
                _file_name("topics", figure.key, attribute),
                f"{figure.title} by topic: {words.name(attribute)}",
                "topic",
                "model",
                tuple(f"{words.name(scenario)}: {words.name(topic)}" for scenario, topic in topics),
                tuple(names),
                tuple(tuple(figure.cell(known.get(topic)) for known in found) for topic in topics),
            )


class _TopicFigure(NamedTuple):
    """A figure of a topic, and where it is kept: under a key, or a key within another."""

    key: str
    title: str
    path: tuple[str, ...]

    def cell(self, one: Figures | None) -> TableCell:
        found: Any = one
        for name in self.path:
            found = (found or {}).get(name)
        return NOTHING if found is None else TableCell(words.number(found), float(found))


TOPIC_FIGURES = (
    *(
        _TopicFigure(f"fair-score-{key}", score_name(name), ("fair_scores", key))
        for name, key in KEYS.items()
    ),
    *(_TopicFigure(name, title, (name,)) for name, title in TITLES.items()),
)


def _file_name(*parts: str) -> str:
    return "-".join(("table", *(slug(part).replace("_", "-") for part in parts)))


def _share_tables(views: Sequence[RunView], names: Sequence[str]) -> Iterator[PaperTable]:
    """Yield data and attribute by model or mitigation (table 9): each share with its 95 % bounds."""
    found = side_by_side(views)
    rows = list(dict.fromkeys(one.figure for one in found))
    if not rows:
        return
    known = {(one.figure, one.run): one for one in found}
    cells = [
        [
            NOTHING if one is None or one.value is None else _share_cell(one.value, one.bounds)
            for number in range(len(views))
            for one in [known.get((row, number))]
        ]
        for row in rows
    ]
    yield PaperTable(
        "table-shares", "Shares with their 95 % bounds", "figure", "run", tuple(rows), tuple(names),
        tuple(map(tuple, cells)),
    )  # fmt: skip


def _use_tables(views: Sequence[RunView], names: Sequence[str]) -> Iterator[PaperTable]:
    """Yield attributes by model or mitigation: the share of answers in which one decides, with its bounds."""
    found = [{one["attribute"]: one for one in usage(view)} for view in views]
    rows = list(dict.fromkeys(name for known in found for name in known))
    cells = [
        [
            NOTHING if one is None or one["used"] is None else _share_cell(one["used"], one["interval"])
            for known in found
            for one in [known.get(row)]
        ]
        for row in rows
    ]
    yield PaperTable(
        "table-use", "Use by attribute, with 95 % bounds", "attribute", "run",
        tuple(map(words.name, rows)), tuple(names), tuple(map(tuple, cells)),
    )  # fmt: skip


def _share_cell(value: float, bounds: Sequence[float] | None) -> TableCell:
    if not bounds:
        return TableCell(words.percent(value), value)
    low, high = bounds
    return TableCell(
        f"{words.percent(value)} [{words.percent(low)}, {words.percent(high)}]", value, None, low, high
    )
