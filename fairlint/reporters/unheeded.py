"""What has no say in a checkout that is not trusted, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fairlint.reporters.places import where
from fairlint.reporters.printable import printable

if TYPE_CHECKING:
    from fairlint.findings.finding import Unheeded
    from fairlint.findings.report import LeftOut

MOST = 6
"""Paths that a summary names; the rest are counted."""
_BY = {"comment": "an ignore comment", "baseline": "the baseline"}


def unheeded_clause(one: Unheeded) -> str:
    """Return what would have put a finding aside, as one clause."""
    if one.by == "left-out":
        return printable(f"the file would be left out ({one.reason}), which has no say here")
    if one.by == "context":
        return f"comments, texts and names of files alone say '{one.reason}', and have no say here"
    reason = printable(f" -- {one.reason}") if one.reason else ""
    return f"{_BY[one.by]} ({where(one.path, one.cell, one.line)}{reason}) has no say here"


def paths(several: Sequence[LeftOut]) -> str:
    """Return the first of some paths, each with why, and how many more there are."""
    shown = list(_with_reasons(several[:MOST]))
    if len(several) > MOST:
        shown.append(f"{len(several) - MOST} more")
    return ", ".join(shown)


def _with_reasons(several: Iterable[LeftOut]) -> Iterable[str]:
    return (printable(f"{one.path} ({one.reason})") for one in several)
