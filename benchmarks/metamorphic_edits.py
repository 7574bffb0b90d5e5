"""Edits of a program's bytes that say where each place went, and what every change of a program needs."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field


class NotHereError(Exception):
    """The change does not fit this program."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One stretch of a program and what is to stand there instead."""

    start: int
    end: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Program:
    """A program that is changed: its name in tables, its path, its text."""

    name: str
    path: str
    data: bytes

    @property
    def language(self) -> str:
        """python or c."""
        return "c" if self.path.endswith((".c", ".h")) else "python"


@dataclass(frozen=True, slots=True)
class Changed:
    """A program after a change that cannot change what comes of it."""

    files: Mapping[str, bytes]
    """Path → text; the first stands for the program itself."""
    line_of: Callable[[int], int | None] = field(default=lambda line: line)
    """Where a line of the program, from 1, is now; None where nobody can say."""
    said: str = ""
    """What was changed, for the reader of the table."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Names that messages tell, and what they are now."""


Change = Callable[[random.Random, Program], Changed]


def edited(program: Program, edits: Sequence[Edit], said: str) -> Changed:
    """The program with some edits that do not overlap."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    kept, at = bytearray(), 0
    for edit in ordered:
        if edit.start < at:
            raise NotHereError
        kept += program.data[at : edit.start] + edit.text
        at = edit.end
    kept += program.data[at:]
    starts = line_starts(program.data)
    lines: dict[int, int] = {}

    def line_of(line: int) -> int:
        """The line that holds the first sign of that line."""
        if line not in lines:
            start = starts[line - 1]
            end = program.data.find(b"\n", start)
            text = program.data[start : end if end >= 0 else len(program.data)]
            place = start + len(text) - len(text.lstrip())
            moved = place
            for edit in ordered:
                if edit.end <= place:
                    moved += len(edit.text) - (edit.end - edit.start)
            lines[line] = bytes(kept).count(b"\n", 0, moved) + 1
        return lines[line]

    return Changed({program.path: bytes(kept)}, line_of, said)


def line_starts(data: bytes) -> list[int]:
    """The offset at which each line begins."""
    starts = [0]
    at = data.find(b"\n")
    while at >= 0:
        starts.append(at + 1)
        at = data.find(b"\n", at + 1)
    return starts


def unknown(_: int) -> None:
    """The line of a place that is put elsewhere."""
