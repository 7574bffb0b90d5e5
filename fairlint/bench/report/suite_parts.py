"""Columns, bars and lines, of which suites make their tables and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fairlint.bench.report import charts, words
from fairlint.bench.report.lines import MOST, Line, lines
from fairlint.bench.report.suite_report import Head, Picture, Row

WIDTHS = (("wide", 640.0), ("narrow", 330.0))
LABELS = 136.0
"""The room for the labels of bars."""


def share_head(name: str, title: str, *, wide: bool = False) -> Head:
    """Return a column of shares, in per cent."""
    return Head(title, lambda row: words.percent(row.get(name)), wide=wide)


def figure_head(name: str, title: str, *, wide: bool = False, digits: int = 3) -> Head:
    """Return a column of numbers."""
    return Head(title, lambda row: words.number(row.get(name), digits), wide=wide)


def text_head(name: str, title: str) -> Head:
    """Return a column of names."""
    return Head(title, lambda row: words.name(str(row.get(name) or "")), is_text=True)


def count_head(name: str, title: str, *, wide: bool = True) -> Head:
    """Return a column of whole numbers."""
    return Head(title, lambda row: words.whole(int(row.get(name) or 0)), wide=wide)


def interval_head(*, wide: bool = False) -> Head:
    """Return the column of the bounds of a share."""
    return Head("95 % interval", lambda row: words.span_percent(row.get("interval")), wide=wide)


def before_head(name: str, title: str, write: Callable[[Any], str]) -> Head:
    """Return a column of what a figure was before a mitigation."""
    return Head(title, lambda row: write((row.get("before") or {}).get(name)))


def bar_pictures(groups: Mapping[str, Sequence[charts.Bar]], title: str, note: str) -> Iterator[Picture]:
    """Yield the picture of some bars; none without any."""
    if any(groups.values()):
        drawn = {
            kind: charts.bars(groups, width=width, kind=kind, what=title, left=LABELS)
            for kind, width in WIDTHS
        }
        yield Picture(title, note, **drawn)


def build_bar(row: Row, label: str, value: str) -> charts.Bar:
    """Return the bar of one row of figures."""
    share, interval = row.get(value), row.get("interval")
    sure = f", 95 % interval {words.span_percent(interval)}" if interval else ""
    told = f"{label}: {words.percent(share)}{sure}"
    return charts.Bar(label, "rate-used", float(share or 0.0), interval, told)


def line_pictures(
    known: Sequence[Line], title: str, across: str, note: str, *, tall: bool = False
) -> Iterator[Picture]:
    """Yield the picture of some lines; none without any."""
    if known:
        more = f" Of {len(known)} lines the first {MOST} are drawn." if len(known) > MOST else ""
        note += more
        drawn = {
            kind: lines(known, width=width, kind=kind, what=title, across=across, is_share=not tall)
            for kind, width in WIDTHS
        }
        yield Picture(title, note, **drawn)
