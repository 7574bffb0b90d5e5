"""How code is told where no suffix says its language: in a model's answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from fairlint.support.records import Record


class Cut(NamedTuple):
    """What a part of an answer comes to."""

    code: list[tuple[int, int]]
    left: list[tuple[int, int, str]]
    """What looks like code and is left out, and why."""


class Cutting(Protocol):
    """Finds the code in a part of an answer: in a fence or not, with an end or not, and `rest` behind it."""

    def __call__(self, text: str, *, fenced: bool, closed: bool, rest: str) -> Cut:
        """Return the code, and what is left out."""


def never(line: str) -> bool:
    """Return no line by itself is known to be code."""
    del line
    return False


class Signs(Record):
    """What code of a language looks like to whoever does not know that it is code."""

    tags: tuple[str, ...] = ()
    """What stands behind a fence for it, beside its name."""
    patterns: tuple[tuple[str, int], ...] = ()
    """What stands on its lines, and what each of them counts for."""
    is_braced: bool = False
    """Whether its lines end in braces and semicolons: these count once there is any other sign."""
    header: str | None = None
    """What a definition begins with that no prose begins with."""
    is_line: Callable[[str], bool] = never
    """Whether a line by itself could be code."""
    cutting: Cutting | None = None
    """Without it, all in a fence is code, and elsewhere what is between two lines that could be."""

    def cut(self, text: str, *, fenced: bool, closed: bool, rest: str) -> Cut:
        """Return the code in a part of an answer."""
        if self.cutting is not None:
            return self.cutting(text, fenced=fenced, closed=closed, rest=rest)
        if fenced and closed:
            return Cut([(0, len(text))], [])
        at, first, end = 0, -1, 0
        for line in text.splitlines(keepends=True):
            if self.is_line(line.rstrip("\r\n")):
                first = at if first < 0 else first
                end = at + len(line)
            at += len(line)
        return Cut([(first, end)] if first >= 0 else [], [])
