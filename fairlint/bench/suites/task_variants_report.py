"""What reports show of suites that ask one task in several variants: each variant, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fairlint.bench.figures.task_variants import is_seen
from fairlint.bench.report import charts, words
from fairlint.bench.report.suite_parts import (
    bar_pictures,
    build_bar,
    count_head,
    figure_head,
    interval_head,
    share_head,
    text_head,
)
from fairlint.bench.report.suite_report import Figures, Head, Picture, Row, Table
from fairlint.bench.runs.view import NOTHING_SEEN
from fairlint.support.records import Record

MOST_SAID = 3
"""Differences that a sentence names; the table has all."""
POINTS = " points"


class Wording(Record):
    """How a suite calls things."""

    variant: str
    """The head of variants: `Author`."""
    variants: str
    """What is compared, in a sentence: `authors`."""
    measures: Mapping[str, str]
    """Measure → how a sentence and a table call it; the first leads."""
    tasks: str
    """The head of the number of tasks."""


def conclusion(known: Figures, wording: Wording) -> str:
    """Return what the differences of a run come to, in one sentence."""
    rows: Sequence[Row] = known.get("differences") or ()
    if not rows:
        return f"Nothing can be concluded: no two {wording.variants} have answers to the same tasks."
    seen = [row for row in rows if is_seen(row)]
    if seen:
        told = "; ".join(_difference_text(row, wording) for row in seen[:MOST_SAID])
        more = f"; and {len(seen) - MOST_SAID} more" if len(seen) > MOST_SAID else ""
        return f"Differences between {wording.variants} are seen: {told}{more}."
    leading = [row for row in rows if row["measure"] == next(iter(wording.measures))]
    least = [row["least"] for row in leading]
    if not least or any(one is None or one > NOTHING_SEEN for one in least):
        return f"Nothing can be concluded about {wording.variants}: too few tasks for any large difference."
    return (
        f"No difference between {wording.variants} is seen. One of {words.percent(max(least))} of the "
        f"answers or more ({wording.measures[leading[0]['measure']]}) would have been, in 80 of 100 cases."
    )


def _difference_text(row: Row, wording: Wording) -> str:
    between = f" ({_bounds_text(row)})" if row["interval"] else ""
    return (
        f"{_what_is_compared(row)}, {wording.measures[row['measure']]} "
        f"{_change_text(row, row['difference'])}{between}"
    )


def _what_is_compared(row: Row) -> str:
    return (
        f"{words.name(row['variant'])} against {words.name(row['against'])} ({words.name(row['scenario'])})"
    )


def _change_text(row: Row, value: float) -> str:
    """Return a difference with its sign: points of a share, or a number."""
    text = f"{value * 100:+.0f}{POINTS}" if row["is_share"] else f"{value:+.2f}"
    return text.replace("-", "−")


def _value_text(row: Row, name: str) -> str:
    return words.percent(row[name]) if row["is_share"] else words.number(row[name], 2)


def _verdict(row: Row) -> str:
    if is_seen(row):
        return "more" if row["difference"] > 0 else "less"
    if row["is_share"] and (row["least"] is None or row["least"] > NOTHING_SEEN):
        return "no conclusion"
    return "not seen"


def variants_table(known: Figures, wording: Wording, note: str, *others: Head) -> Table:
    """Return the figures of each variant."""
    first, *rest = (
        share_head(name, title) if _is_share(known, name) else figure_head(name, title, digits=2)
        for name, title in wording.measures.items()
    )
    return Table(
        f"By {wording.variant.lower()}",
        note,
        (
            text_head("scenario", "Scenario"),
            text_head("attribute", "By"),
            text_head("variant", wording.variant),
            first,
            interval_head(),
            *rest,
            *others,
            count_head("tasks", wording.tasks),
            count_head("answers", "answers", wide=False),
            count_head("not_judged", "not judged"),
        ),
        tuple(known.get("variants") or ()),
    )


def _is_share(known: Figures, measure: str) -> bool:
    rows = known.get("differences") or ()
    return all(row["is_share"] for row in rows if row["measure"] == measure)


def differences_table(known: Figures, wording: Wording) -> Table:
    """Return how variants differ from the first one of their kind."""
    return Table(
        "Differences",
        f"{wording.variant} less the one it is compared with, over the same tasks and samples. Signs are "
        "flipped within tasks; p and bounds are adjusted by Holm over all rows. The last column is the least "
        "difference that would be seen in 80 of 100 cases.",
        (
            text_head("scenario", "Scenario"),
            text_head("variant", wording.variant),
            text_head("against", "compared with"),
            Head("Figure", lambda row: wording.measures[row["measure"]], is_text=True),
            Head("first", lambda row: _value_text(row, "first"), wide=True),
            Head("second", lambda row: _value_text(row, "second"), wide=True),
            Head("difference", lambda row: _change_text(row, row["difference"])),
            share_head("unlike", "unlike", wide=True),
            Head("bounds", _bounds_text),
            Head("p (Holm)", lambda row: words.p_value(row["adjusted"])),
            count_head("tasks", wording.tasks),
            count_head("pairs", "pairs"),
            Head("verdict", _verdict, is_text=True),
            Head("would be seen", lambda row: words.percent(row["least"]), wide=True),
        ),
        tuple(known.get("differences") or ()),
    )


def _bounds_text(row: Row) -> str:
    bounds = row["interval"]
    if not bounds:
        return words.MISSING
    low, high = (_change_text(row, one) for one in bounds)
    return f"{low.removesuffix(POINTS)} to {high}"


def variant_pictures(known: Figures, wording: Wording, note: str) -> Iterator[Picture]:
    """Yield the first figure of each variant as bars."""
    measure, title = next(iter(wording.measures.items()))
    groups: dict[str, list[charts.Bar]] = {}
    for row in known.get("variants") or ():
        head = f"{words.name(row['scenario'])}, {words.name(row['attribute'])}"
        groups.setdefault(head, []).append(build_bar(row, words.name(row["variant"]), measure))
    yield from bar_pictures(groups, f"{words.title(title)} by {wording.variant.lower()}", note)
