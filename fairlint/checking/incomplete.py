"""What could not be analysed, as results and gaps that a report names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from fairlint.checking.file_result import FileResult
from fairlint.findings.report import NotAnalysed
from fairlint.plugins.guard import PluginError
from fairlint.support.files import NotReadableError
from fairlint.support.records import replace
from fairlint.syntax.source import Source

if TYPE_CHECKING:
    from fairlint.project.header_files import Found
    from fairlint.project.links import Links
    from fairlint.support.causes import SkipReason
    from fairlint.syntax.tree import Gap


MAX_GAPS = 5
"""Gaps of one file that are named one by one; the rest are counted."""
HEADER_CUT = "it, or all headers together, are too large or too many, or several files may be meant"


def unread_file_result(path: str, error: NotReadableError) -> FileResult:
    """Return the result of a file that could not be read."""
    return FileResult(
        path, not_analysed=[NotAnalysed(path, error.line, str(error), "skipped")], read=error.is_known
    )


def broken_down(path: str, error: BaseException | None) -> FileResult:
    """Return the result for a source whose analysis failed. With FAIRLINT_DEBUG set, the traceback is shown
    too.
    """
    if error is not None and isinstance(error.__cause__, KeyboardInterrupt):
        raise error.__cause__  # Python 3.11 wraps it amid the making of a class
    if error is not None and os.environ.get("FAIRLINT_DEBUG"):
        import traceback  # noqa: PLC0415

        traceback.print_exception(error)
    if isinstance(error, PluginError):
        return FileResult(path, not_analysed=[NotAnalysed(path, 1, str(error), "plugin")], failed=True)
    told = f"{type(error).__name__}: {error} {' '.join(getattr(error, '__notes__', ()))}"
    reason = "its process died" if error is None else " ".join(told.split())
    gap = NotAnalysed(path, 1, f"internal error: {reason[:200]}", "died" if error is None else "error")
    return FileResult(path, not_analysed=[gap], failed=True)


def lost_imports(source: Source, links: Links | None) -> Iterator[NotAnalysed]:
    """Yield what could not be followed."""
    if links is None:
        return
    cut = "which is not followed: it, or all imports together, are too large"
    first = {module: at for at, module in sorted(links.left_out, reverse=True)}
    lost: list[tuple[int, str, SkipReason]] = [
        *((at, f"imports {module}, which is not there", "import") for at, module in links.missing),
        *((at, f"imports {module}, {cut}", "limit") for module, at in first.items()),
    ]
    if links.circle is not None:
        at, way = links.circle
        lost.append((at, f"a cycle of imports: {way}", "import"))
    for cause in ("import", "limit"):
        alike = sorted((at, reason) for at, reason, one in lost if one == cause)
        rest = len(alike) - MAX_GAPS + 1
        if rest > 1:
            alike[-rest:] = [(alike[-rest][0], f"{rest} more imports that are not followed, from here on")]
        for at, reason in alike:
            place = source.place(at)
            yield NotAnalysed(source.path, place.position.line, reason, cause, place.cell)


def lost_headers(source: Source, found: Found | None) -> Iterator[NotAnalysed]:
    """Yield the headers that are not read, or one that they include."""
    for at, name in () if found is None else found.left_out:
        line = source.place(at).position.line
        yield NotAnalysed(source.path, line, f"includes {name}, which is not read: {HEADER_CUT}", "limit")


def named_gaps(source: Source, gaps: Iterable[Gap]) -> list[NotAnalysed]:
    """Return one entry a gap, in the order of their lines: of one cause at most one a line and few a file."""
    alike: dict[SkipReason, dict[tuple[int, int | None], str]] = {}
    for gap in sorted(gaps, key=lambda gap: gap.span.start):
        place = source.place(gap.span.start)
        alike.setdefault(gap.cause, {}).setdefault((place.position.line, place.cell), gap.reason)
    named: list[NotAnalysed] = []
    for cause, lines in alike.items():
        own = [NotAnalysed(source.path, line, reason, cause, cell) for (line, cell), reason in lines.items()]
        rest = len(own) - MAX_GAPS + 1
        if rest > 1:
            reason = f"{rest} more places that could not be read, from here on"
            own[-rest:] = [replace(own[-rest], reason=reason)]
        named += own
    return sorted(named, key=lambda gap: (gap.cell or 0, gap.line))


def stopped_at_line(stopped: FileResult, error: BaseException, source: Source) -> FileResult:
    """Return what is said of a source that took too much, with the line where that ended, if it can
    be told.
    """
    from fairlint.syntax.stopped import span_at  # noqa: PLC0415 (few sources take too much)

    span = span_at(error, len(source.data))
    if span is None:
        return stopped
    place = source.place(span.start)
    stopped.not_analysed = [
        replace(
            gap,
            line=place.position.line,
            cell=place.cell,
            reason=f"{gap.reason}; it was stopped at this line",
        )
        for gap in stopped.not_analysed
    ]
    return stopped
