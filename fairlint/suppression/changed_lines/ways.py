"""Where the path of a file leads, link by link: a link that was changed makes another file of an old one."""

from __future__ import annotations

import os

from fairlint.support.records import Record

# Path objects resolve links all at once.
# ruff: noqa: PTH109, PTH114, PTH115, PTH117, PTH118, PTH120, PTH206

MOST_LINKS = 40
"""Links on one way; more is a circle to every system."""


class Way(Record):
    """Where a path leads. `links` are those of the repository that it goes through."""

    end: str
    links: tuple[str, ...] = ()
    leaves: bool = False
    """Whether it goes out of the repository by a link, be it that it comes back."""


def way(path: str, root: str) -> Way | None:
    """Return the way of a path; None where it never ends. `root` is a repository's folder, without links
    itself.
    """
    start, rest = os.path.splitdrive(os.path.join(os.getcwd(), path))
    here = start + os.sep
    waiting = rest.split(os.sep)[::-1]
    links: list[str] = []
    passed = 0
    leaves = False
    while waiting:
        part = waiting.pop()
        if part in {"", os.curdir}:
            continue
        if part == os.pardir:
            here = os.path.dirname(here)
            continue
        below = os.path.join(here, part)
        if not os.path.islink(below):
            here = below
            continue
        passed += 1
        if passed > MOST_LINKS:
            return None
        if is_inside(below, root):
            links.append(below)
        else:
            leaves = leaves or bool(links)
        target = os.readlink(below)
        if os.path.isabs(target):
            start, target = os.path.splitdrive(target)
            here = start + os.sep
        waiting.extend(target.split(os.sep)[::-1])
    return Way(here, tuple(links), leaves or (bool(links) and not is_inside(here, root)))


def is_inside(path: str, root: str) -> bool:
    """Return whether a path lies in a folder, as both are written."""
    return path.startswith(root.rstrip(os.sep) + os.sep)
