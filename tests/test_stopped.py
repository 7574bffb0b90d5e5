"""A file that takes too long, or too much memory, is named with the line at which it was stopped."""

from __future__ import annotations

import time

import pytest

import fairlint
from fairlint.config import Settings
from fairlint.semantics.interpreter.file_state import FileState
from fairlint.syntax.tree import Name, Node

TEXT = """def rate(p, slow):
    score = 0
    if p.gender == 'male':
        score += 5
    return score + slow
"""


def stopping(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException] | None, seconds: float
) -> fairlint.Report:
    """The report on a file whose name `slow` takes for ever to look at, or raises something."""
    fairlint.check_source(TEXT, path="rate.py")  # what has to be loaded is loaded
    step = FileState.step

    def stepping(program: FileState, node: Node) -> bool:
        if isinstance(node, Name) and node.id == "slow":
            if error is not None:
                raise error
            until = time.thread_time() + 60
            while time.thread_time() < until:
                pass
        return step(program, node)

    monkeypatch.setattr(FileState, "step", stepping)
    return fairlint.check_source(TEXT, path="rate.py", settings=Settings(file_timeout=seconds))


def test_the_line_of_what_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    (gap,) = stopping(monkeypatch, None, 2).not_analysed

    assert (gap.line, gap.cause) == (5, "time")
    assert gap.reason == "takes longer than 2 s (the setting file-timeout); it was stopped at this line"


def test_the_line_of_what_takes_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    (gap,) = stopping(monkeypatch, MemoryError, 0).not_analysed

    assert (gap.line, gap.cause) == (5, "memory")
    assert gap.reason.endswith("it was stopped at this line")
