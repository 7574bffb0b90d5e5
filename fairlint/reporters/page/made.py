"""When, from what and how a report was made, as a record of it needs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from fairlint.files import repository_of
from fairlint.reporters import ReportOptions
from fairlint.reporters.authors import day_of
from fairlint.support.git import Allowance, GitError, Objects, revision

LARGEST_COMMIT = 1_000_000
"""Bytes of a commit that is looked into for its day."""
_AUTHORED = re.compile(rb"^author .* (-?\d+) ([+-])(\d\d)(\d\d)$", re.MULTILINE)


def facts(options: ReportOptions) -> Iterator[tuple[str, str]]:
    """What was run, in the order in which one asks for it."""
    yield "Made", _now()
    yield "Folder", options.root
    if commit := _commit(options.root, options.allowance):
        yield "State of the code", commit
    yield from options.facts.items()


def _now() -> str:
    """The time; `SOURCE_DATE_EPOCH` says another one, so that a build can be repeated."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = (
        datetime.fromtimestamp(int(given), UTC) if given.isascii() and given.isdigit() else datetime.now(UTC)
    )
    return f"{now.day} {now:%B %Y, %H:%M} UTC"


def _commit(folder: str, allowance: Allowance) -> str:
    """The commit that is checked out, where there is a repository."""
    root = repository_of(folder)
    if not os.path.lexists(os.path.join(root, ".git")):  # noqa: PTH118 (start-up)
        return ""
    try:
        head = revision(root, "HEAD", allowance=allowance)
        if head is None:
            return ""
        with Objects(root, allowance) as objects:
            short = objects.asked("rev-parse", "--short", head).decode("ascii", "replace").strip()
            data = next((data for _, data in objects.contents([head], LARGEST_COMMIT)), b"")
    except GitError as error:
        return f"not known ({error})"
    day = _day(data.partition(b"\n\n")[0])
    return f"commit {short}, {day}" if day else f"commit {short}"


def _day(head: bytes) -> str:
    """The day of a commit, where its author was."""
    found = _AUTHORED.search(head)
    if found is None:
        return ""
    zone = (int(found[3]) * 60 + int(found[4])) * 60
    return day_of(found[1].decode("ascii"), -zone if found[2] == b"-" else zone)
