"""The table of what running the functions of answers shows."""

from __future__ import annotations

from fairlint.bench.figures.bias import K
from fairlint.bench.report.suite_parts import count_head, interval_head, share_head, text_head
from fairlint.bench.report.suite_report import Table
from fairlint.bench.runs.view import RunView

TITLE = "Bias by execution"
NOTE = (
    "The share of all answers whose outcome changes with the attribute alone (CBS), for people made up from "
    "what the code asks, and of those of which execution shows something. "
    f"U@{K} and I@{K}: the share of groups of {K} answers to one prompt of which one, or all, are biased."
)
HEADS = (
    text_head("attribute", "Attribute"),
    share_head("cbs", "CBS"),
    interval_head(),
    share_head("cbs_shown", "Of those shown"),
    share_head("union_at_k", f"U@{K}"),
    share_head("all_at_k", f"I@{K}"),
    count_head("shown", "Shown", wide=False),
    count_head("answers", "Answers", wide=False),
)


def executed_tables(view: RunView) -> list[Table]:
    """Return the table of a run whose functions were run beside being read; none of others."""
    rows = view.metrics.get("executed")
    return [Table(TITLE, NOTE, HEADS, tuple(rows))] if rows else []
