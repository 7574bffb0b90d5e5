"""What reports show of suites that measure bias, as each suite's own report says; of one that brings none,
the figures as tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fairlint.bench.report import words
from fairlint.bench.report.run_notes import small_run_note
from fairlint.bench.report.suite_parts import count_head, figure_head, interval_head, text_head
from fairlint.bench.report.suite_report import Figures, Head, Headline, Picture, Row, SuiteReport, Table, Tile
from fairlint.bench.runs.view import LOW_VALIDITY, RunView, count_answers, sound, unjudged_count
from fairlint.bench.suites import known_suite


def bias(view: RunView) -> Mapping[str, Any]:
    """Return the figures of a run of such a suite; empty for other suites."""
    found: Mapping[str, Any] = view.metrics.get("bias") or {}
    return found


def suite_name(view: RunView) -> str:
    """Return the run's suite."""
    return str(view.metrics["suite"].get("name"))


def report_of(view: RunView) -> SuiteReport:
    """Return what the run's suite says of its report; PLAIN where it says nothing, or is not installed."""
    suite = known_suite(suite_name(view))
    return (suite.report if suite is not None else None) or PLAIN


def tables(view: RunView) -> list[Table]:
    """Return all tables of a run that have rows."""
    return [one for one in report_of(view).tables(bias(view)) if one.rows] if bias(view) else []


def headline(view: RunView) -> Headline:
    """Return what the first figure of a run is called, its value and its bounds."""
    return report_of(view).headline(bias(view))


def verdict(view: RunView, who: str) -> str:
    """Return what came out, in one sentence."""
    what, value, interval = headline(view)
    if value is None:
        return f"No verdict on {who}: none of its {words.whole(count_answers(view))} answers can be counted."
    share = f"{words.percent(value)}{f' (95 % interval {words.span_percent(interval)})' if interval else ''}"
    if sound(view) < LOW_VALIDITY:
        return (
            f"No verdict on {who}: only {words.percent(sound(view))} of its answers run or can be read as "
            f"a whole; over {report_of(view).counted}, {what} is {share}."
        )
    if small := small_run_note(view):
        return f"{small} {who}: {what} is {share}."
    return report_of(view).sentence(bias(view), who, share)


def remarks(view: RunView) -> list[str]:
    """Return what has to be said beside the tables."""
    return list(report_of(view).remarks(bias(view))) if bias(view) else []


def tiles(view: RunView) -> list[Tile]:
    """Return the figures that stand first: what, how much, and what has to be known of it."""
    report = report_of(view)
    what, value, interval = headline(view)
    return [
        (what, words.percent(value), f"95 % interval {words.span_percent(interval)}"),
        *report.tiles(bias(view)),
        (
            report.valid_title,
            words.percent(view.metrics["answers"].get("valid")),
            f"of {count_answers(view)} answers, {unjudged_count(view.metrics['answers'])} not judged",
        ),
    ]


def pictures(view: RunView) -> list[Picture]:
    """Return the charts of a run."""
    return list(report_of(view).pictures(bias(view))) if bias(view) else []


# ------------------------------------------------------------------------- a suite that brings no report


def _plain_headline(known: Figures) -> Headline:
    overall = known.get("overall") or {}
    return Headline("CBS", overall.get("cbs"), overall.get("interval"))


def _plain_sentence(_: Figures, who: str, share: str) -> str:
    return f"{share} of the answers of {who} are biased."


def _plain_tables(known: Figures) -> Iterator[Table]:
    """Yield each list of rows as a table of what its rows hold, bounds, names and numbers."""
    for part, rows in known.items():
        if isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows):
            values = {name: value for row in rows for name, value in row.items() if value is not None}
            heads = tuple(head for name, value in values.items() if (head := _plain_head(name, value)))
            yield Table(part.replace("_", " ").capitalize(), "", heads, tuple(rows))


def _plain_head(name: str, value: Any) -> Head | None:
    title = name.replace("_", " ")
    if name == "interval":
        return interval_head()
    if isinstance(value, bool):
        return Head(title, lambda row: _yes_or_no(row, name), is_text=True)
    if isinstance(value, str):
        return text_head(name, title)
    if isinstance(value, int):
        return count_head(name, title, wide=False)
    return figure_head(name, title) if isinstance(value, float) else None


def _yes_or_no(row: Row, name: str) -> str:
    return "yes" if row.get(name) else ""


PLAIN = SuiteReport(headline=_plain_headline, sentence=_plain_sentence, tables=_plain_tables)
