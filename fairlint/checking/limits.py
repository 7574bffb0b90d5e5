"""Results of files that take too long or too much memory."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from fairlint.checking.file_result import FileResult
from fairlint.findings.report import NotAnalysed

if TYPE_CHECKING:
    from fairlint.checking.checker import Checker
    from fairlint.processes.deadline import TooLongError


def out_of_time_result(checker: Checker, path: str) -> FileResult:
    """Return the result for what the run has no time for."""
    reason = f"the run takes longer than {checker.settings.timeout:g} s (the setting timeout)"
    return FileResult(path, not_analysed=[NotAnalysed(path, 1, reason, "time")], read=False)


def interruption_result(checker: Checker, path: str, error: TooLongError) -> FileResult:
    """Return the result for what was interrupted."""
    from fairlint.processes.deadline import TooLongByClockError  # noqa: PLC0415 (few sources take too long)

    where = " ".join(getattr(error, "__notes__", ()))  # in which plugin
    return too_long_result(checker, path, where, by_clock=isinstance(error, TooLongByClockError))


def too_long_result(checker: Checker, path: str, where: str = "", *, by_clock: bool = False) -> FileResult:
    """Return the result for what took too long, of the processor's time or by the clock; `where` in
    a plugin.
    """
    from fairlint.processes.deadline import GUARD, guard  # noqa: PLC0415 (as above)

    if time.monotonic() >= checker.until:
        return out_of_time_result(checker, path)
    most = checker.settings.file_timeout
    reason = f"takes longer than {most:g} s (the setting file-timeout) {where}"
    if by_clock:
        limit = f"{guard(most):g} s on the clock ({GUARD} times the setting file-timeout)"
        reason = f"has not ended after {limit} {where}"
    gap = NotAnalysed(path, 1, reason.strip(), "plugin" if where else "time")
    return FileResult(path, not_analysed=[gap], read=False, failed=bool(where))


def too_large_result(checker: Checker, path: str) -> FileResult:
    """Return what is said of a file that takes too much memory."""
    size = checker.settings.file_memory
    shown = f"{size / 1e6:g} MB" if size >= 10_000 else f"{size} bytes"
    reason = f"takes more than {shown} of memory (the setting file-memory)"
    if not size:
        reason = "there was not enough memory"
    return FileResult(path, not_analysed=[NotAnalysed(path, 1, reason, "memory")], read=False)
