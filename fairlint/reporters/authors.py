"""Who wrote a line and when, as far as git knows it: a file is asked about once."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime

from fairlint.sources.reading import to_utf8
from fairlint.support.files import NotReadableError, read_file, repository_of
from fairlint.support.git import Allowance, FailedError, GitError, Objects, revision
from fairlint.support.line_comparison import lines, same
from fairlint.support.records import Record

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH118, PTH120

MOST_FILES = 200
"""Files that git is asked about."""
MOST_LINES = 500
"""Lines that are named to git at once."""
LARGEST = 100_000_000
"""Bytes of a file whose lines are looked for."""
_HEAD = re.compile(r"[0-9a-f]+ \d+ (\d+)(?: \d+)?")
_NUMBER = re.compile(r"-?\d+")


class Written(Record):
    """Who wrote a line, and on which day; nobody where it is not committed yet."""

    author: str
    day: str

    def told(self, shown: Callable[[str], str] = str) -> str:
        """As a report says it behind the place."""
        if not self.author:
            return ", not committed yet"
        return f", by {shown(self.author)}{f' on {self.day}' if self.day else ''}"


def authorship_of_lines(
    places: Iterable[tuple[str, int]],
    allowance: Allowance | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[tuple[str, int], Written]:
    """Return what git knows of these lines: each with its path, from 1. What keeps it from telling
    is told.
    """
    allowance = allowance or Allowance()
    by_path: dict[str, set[int]] = {}
    for path, line in places:
        by_path.setdefault(path, set()).add(line)
    by_root: dict[str, dict[str, str]] = {}
    for path in list(by_path)[:MOST_FILES]:
        real = os.path.realpath(path)
        root = repository_of(os.path.dirname(real))
        if os.path.lexists(os.path.join(root, ".git")):
            by_root.setdefault(root, {})[path] = real
    found: dict[tuple[str, int], Written] = {}
    for root, paths in by_root.items():
        try:
            found.update(_in_repository(root, paths, by_path, allowance))
        except GitError as error:
            tell(f"the authors and dates of suppressions are not shown: {error}")
    return found


def _in_repository(
    root: str, paths: Mapping[str, str], wanted: Mapping[str, set[int]], allowance: Allowance
) -> Iterator[tuple[tuple[str, int], Written]]:
    """Yield who wrote each place of the files of one repository."""
    head = revision(root, "HEAD", allowance=allowance)
    if head is None:
        return
    names = {path: os.path.relpath(real, root).replace(os.sep, "/") for path, real in paths.items()}
    with Objects(root, allowance) as objects:
        entries = objects.entries(f"{head}^{{tree}}", names.values())
        for path, name in names.items():
            entry = entries.get(name)
            known = _old_lines(objects, entry.object, paths[path]) if entry else {}
            if known is None:
                continue
            told = _blame_lines(
                objects, head, name, sorted(known[line] for line in wanted[path] if line in known)
            )
            for line in wanted[path]:
                if line not in known:
                    yield (path, line), Written("", "")
                elif known[line] in told:
                    yield (path, line), told[known[line]]


def _old_lines(objects: Objects, before: str, path: str) -> Mapping[int, int] | None:
    """Return the line of a file → its line when it was committed; None where the file cannot be read."""
    for _, data in objects.contents([before], LARGEST):
        try:
            now = lines(to_utf8(read_file(path, LARGEST)))
            return {
                one.new + at: one.old + at
                for one in same(lines(to_utf8(data)), now)
                for at in range(1, one.length + 1)
            }
        except NotReadableError:
            return None
    return None


def _blame_lines(objects: Objects, head: str, name: str, wanted: list[int]) -> Mapping[int, Written]:
    """Return who wrote lines of a file as it is committed."""
    found: dict[int, Written] = {}
    facts: dict[str, dict[str, str]] = {}
    for at in range(0, len(wanted), MOST_LINES):
        ranges = [f"-L{line},{line}" for line in wanted[at : at + MOST_LINES]]
        try:
            told = objects.asked("blame", "--porcelain", *ranges, head, "--", name)
        except FailedError:
            return found
        commit, number = "", 0
        for row in told.decode("utf-8", "replace").split("\n"):
            if row.startswith("\t"):
                found[number] = _author_of_facts(facts[commit])
                commit, number = "", 0
            elif not number:
                if begins := _HEAD.fullmatch(row):
                    commit, number = row.partition(" ")[0], int(begins[1])
                    facts.setdefault(commit, {})
            else:
                key, _, value = row.partition(" ")
                facts[commit][key] = value
    return found


def _author_of_facts(facts: Mapping[str, str]) -> Written:
    return Written(facts.get("author") or "nobody", day_of(facts.get("author-time", "")))


def day_of(seconds: str, zone: int = 0) -> str:
    """Return the day of a time as git has it, `zone` seconds east of Greenwich; empty where no calendar has
    it.
    """
    if not _NUMBER.fullmatch(seconds):
        return ""
    try:
        return str(datetime.fromtimestamp(int(seconds) + zone, UTC).date())
    except (OverflowError, OSError, ValueError):
        return ""
