"""Who wrote a line and when, as far as git knows it: a file is asked about once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from fairlint.records import Record
from fairlint.support.git import GitError, asked

MOST_FILES = 200
"""Files that git is asked about."""
MOST_LINES = 500
"""Lines that are named to git; of more, the whole file is asked for."""


class Written(Record):
    """Who wrote a line, and on which day; nobody where it is not committed yet."""

    author: str
    day: str


def written(places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], Written]:
    """What git knows of these lines: each with its path, from 1."""
    by_path: dict[str, set[int]] = {}
    for path, line in places:
        by_path.setdefault(path, set()).add(line)
    return {
        (path, line): one
        for path, lines in list(by_path.items())[:MOST_FILES]
        for line, one in _of_file(Path(path), sorted(lines)).items()
        if line in lines
    }


def _of_file(path: Path, lines: list[int]) -> dict[int, Written]:
    ranges = [] if len(lines) > MOST_LINES else [f"-L{line},{line}" for line in lines]
    try:
        told = asked(str(path.parent), "blame", "--line-porcelain", *ranges, "--", path.name)
    except GitError:
        return {}
    found: dict[int, Written] = {}
    number = 0
    facts: dict[str, str] = {}
    for row in told.split("\n"):
        if row.startswith("\t"):
            found[number] = _written(facts)
            number, facts = 0, {}
        elif not number:
            number = int(row.split(" ")[2]) if row else 0
        else:
            key, _, value = row.partition(" ")
            facts[key] = value
    return found


def _written(facts: dict[str, str]) -> Written:
    author = facts.get("author", "Not Committed Yet")
    if author == "Not Committed Yet" or "author-time" not in facts:
        return Written("", "")
    return Written(author, str(datetime.fromtimestamp(int(facts["author-time"]), UTC).date()))
