"""Tables of one run that pages, Markdown and the terminal share: use by prompt, and how subjects differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairlint.bench.figures.both_scores import score_beside, score_names
from fairlint.bench.judging.usage import ANY
from fairlint.bench.report import words
from fairlint.bench.report.suite_parts import count_head, interval_head, share_head, text_head
from fairlint.bench.report.suite_report import Head, Table
from fairlint.bench.runs.view import RunView, other, scores

PARTS_NOTE = (
    "The share of answers in which an attribute decides. Barred and allowed is what the suite’s own prompts "
    "bar and allow; an answer that uses both counts for both."
)
FIRST_NOTE = "The interval and the published rate are those of the first column."
CATEGORIES_NOTE = "The share of answers in which an attribute decides."
DEVIATION_NOTE = (
    "Mean ± standard deviation (n − 1) over the subjects of a column. The deviation tells how subjects "
    "differ, and not how sure the mean is: for that, see the interval. It is not over samples or seeds. R "
    "and E are by the {protocol} protocol."
)


def parts_table(view: RunView) -> Table | None:
    """Return the use of attributes by prompt, or by category where there are many prompts, with what the
    prompts bar apart from what they allow; None where there is one prompt alone.

    Intervals are left out where they are those of different rates, as some prompts are known and others not.
    """
    parts = view.metrics.get("usage_parts") or ()
    if not parts:
        return None
    by_prompt = bool(parts[0]["prompt"])
    title, field = ("prompt", "prompt") if by_prompt else ("category", "scenario")
    rates = {one["attribute"] for one in parts}
    shares, note = [share_head("used", "Used")], CATEGORIES_NOTE
    if "used_barred" in parts[0]:
        shares = [share_head(f"used_{which}", which.capitalize()) for which in ("barred", "allowed", "any")]
        note = PARTS_NOTE
        if rates == {ANY}:
            shares.insert(0, shares.pop())
    sure = [interval_head(), share_head("published", "Published", wide=True)] if len(rates) == 1 else []
    heads = (
        text_head(field, title.capitalize()),
        *shares,
        *sure,
        share_head("valid", "Valid"),
        count_head("answers", "Answers"),
    )
    return Table(f"Use by {title}", f"{note} {FIRST_NOTE}" if sure else note, heads, tuple(parts))


def deviation_table(view: RunView) -> Table | None:
    """Return mean and standard deviation over the subjects of each column; None where nothing deviates."""
    protocol = view.metrics["protocol"]
    first, second = score_names([protocol])
    theirs = {
        (one["scenario"], one["attribute"]): one.get("deviation") or {}
        for one in other(view).get("scores", ())
    }
    rows = tuple(
        {**one, "beside": theirs.get((one["scenario"], one["attribute"]), {}).get("fair_score")}
        for one in scores(view)
        if one.get("deviation")
    )
    if not rows:
        return None
    heads = (
        text_head("scenario", "Scenario"),
        text_head("attribute", "Attribute"),
        _mean_head("fair_score", first),
        Head(second, lambda row: mean_text(score_beside(row, protocol), row["beside"])),
        _mean_head("refusal_rate", "R"),
        _mean_head("entropy", "E"),
        count_head("counted", "Subjects"),
    )
    return Table("Mean and deviation over subjects", DEVIATION_NOTE.format(protocol=protocol), heads, rows)


def _mean_head(name: str, title: str) -> Head:
    return Head(title, lambda row: mean_text(row[name], _deviation_of(row, name)))


def _deviation_of(row: Mapping[str, Any], name: str) -> float | None:
    found: float | None = (row.get("deviation") or {}).get(name)
    return found


def mean_text(mean: float | None, deviation: float | None) -> str:
    """Return a mean with its standard deviation.

    >>> mean_text(0.911, 0.062), mean_text(0.911, None)
    ('0.91 ± 0.06', '0.91')
    """
    if mean is None or deviation is None:
        return words.number(mean)
    return f"{words.number(mean)} ± {words.number(deviation)}"
