"""When, from what and how a report was made, as a record of it needs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime

from fairlint.reporters import ReportOptions
from fairlint.support.git import GitError, asked


def facts(options: ReportOptions) -> Iterator[tuple[str, str]]:
    """What was run, in the order in which one asks for it."""
    yield "Made", _now()
    yield "Folder", options.root
    if commit := _commit(options.root):
        yield "State of the code", commit
    yield from options.facts.items()


def _now() -> str:
    """The time; `SOURCE_DATE_EPOCH` says another one, so that a build can be repeated."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = (
        datetime.fromtimestamp(int(given), UTC) if given.isascii() and given.isdigit() else datetime.now(UTC)
    )
    return f"{now.day} {now:%B %Y, %H:%M} UTC"


def _commit(folder: str) -> str:
    """The commit that is checked out, where git knows one."""
    try:
        told = asked(folder, "log", "-1", "--format=%h, %as").strip()
        return f"commit {told}" if told else ""
    except GitError:
        return ""
