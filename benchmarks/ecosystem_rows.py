"""What the fairlint of this process says about some code, as rows for ecosystem.py: plain JSON objects."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ecosystem_targets import EcosystemError, Piece, Row

if TYPE_CHECKING:  # which fairlint is asked is decided by the path of the process that asks
    from fairlint import Finding, Report, Source, Use

LONGEST_LINE = 200

AGAIN = 0.5
"""Seconds of CPU time after which work that goes on is interrupted once more."""


class OverLimitError(BaseException):
    """A file took too long. No Exception: fairlint reports those as its own and goes on."""


def rows_of(pieces: Iterable[Piece], folder: Path, limit: float) -> Iterator[Row]:
    """Everything that the fairlint of this process says about the pieces of a folder."""
    from fairlint import Settings, UsageError, check_paths, check_source, read_response  # noqa: PLC0415

    settings = Settings(min_severity="note", exclude=(), respect_gitignore=False, root=str(folder))
    if hasattr(settings, "file_timeout"):  # a limit in seconds of the clock would depend on the machine
        settings = settings.with_changes(file_timeout=0.0)
    os.chdir(folder)  # paths are told, and read, from there

    def check(piece: Piece) -> Report:
        if piece.text is None:
            return check_paths([piece.path], settings)
        if piece.language is None:
            return check_source(read_response(piece.text, path=piece.path), settings=settings)
        return check_source(piece.text, path=piece.path, language=piece.language, settings=settings)

    for piece in pieces:
        with _limited(limit):
            try:
                rows = [*_report_rows(check(piece), piece)]
                if piece.people and piece.text is not None:
                    rows += _people_rows(piece)
            except UsageError as error:
                rows = [_gap(piece, str(error))]
            except OverLimitError:
                rows = [_gap(piece, f"ecosystem: took more than {limit:g} s of CPU time")]
        yield from rows


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    running = True

    def stop(*_: object) -> None:
        if running:
            raise OverLimitError

    before = signal.signal(signal.SIGPROF, stop)
    # Again and again: what is raised within a callback of the garbage collector is lost.
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
    try:
        try:
            yield
        finally:
            running = False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _gap(piece: Piece, reason: str) -> Row:
    return {"row": "not analysed", "path": piece.path, "cell": None, "line": 1, "reason": reason}


def _people_rows(piece: Piece) -> Iterator[Row]:
    """The test cases of people that stand in an answer."""
    from fairlint import record_groups  # noqa: PLC0415

    for number, record in enumerate(record_groups(piece.text or ""), 1):
        row: Row = {"row": "test case", "path": piece.path, "cell": None, "line": number}
        yield row | {"record": str(_plain(record))}


def _report_rows(report: Report, piece: Piece) -> Iterator[Row]:
    code = _Code(report, piece)
    told: Counter[object] = Counter()
    for finding in report.findings:
        told[_use_key(finding.use)] += 1
        yield _finding_row(finding, code) | _via(finding.path, piece)
    for path, use in report.uses:
        if told[_use_key(use)] > 0:  # the finding has said it all
            told[_use_key(use)] -= 1
        else:
            yield _use_row(path, use, code)
    for entry in report.not_analysed:
        yield {
            "row": "not analysed",
            "path": entry.path,
            "cell": entry.cell,
            "line": entry.line,
            "reason": entry.reason,
            "source": code.line(entry.path, entry.cell, entry.line),
        }


def _via(path: str, piece: Piece) -> Row:
    """Which file was checked when this was found in another one."""
    return {} if path == piece.path else {"via": piece.path}


def _use_key(use: Use) -> object:
    return (use.span.start, use.span.end, use.attribute, use.kind, use.condition, use.target)


def _finding_row(finding: Finding, code: _Code) -> Row:
    return {
        "row": "finding",
        "path": finding.path,
        "cell": finding.cell,
        "line": finding.start.line,
        "column": finding.start.column,
        "end": [finding.end.line, finding.end.column],
        "rule": finding.rule,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "message": finding.message,
        "fingerprint": finding.fingerprint,
        **_use_fields(finding.use),
        "flow": [[step.path, step.cell, *step.start, *step.end, step.message] for step in finding.flow],
        "source": code.line(finding.path, finding.cell, finding.start.line),
    }


def _use_row(path: str, use: Use, code: _Code) -> Row:
    shown, cell, line, column = code.place(path, use.span.start)
    _, _, *end = code.place(path, use.span.end)
    return {
        "row": "use",
        "path": shown,
        "cell": cell,
        "line": line,
        "column": column,
        "end": end,
        "rule": "no rule",
        **_use_fields(use),
        "flow": [
            [*code.place(path, step.span.start), *code.place(path, step.span.end)[2:], step.message]
            for step in use.flow
        ],
        "source": code.line(shown, cell, line),
        **({} if shown == path else {"via": path}),
    }


def _use_fields(use: Use) -> Row:
    return {
        **{
            name: _plain(getattr(use, name, None))
            for name in (
                "attribute", "attribute_kind", "kind", "effect", "shape", "groups", "outcomes", "target",
                "condition", "joined", "domain", "function", "detail", "leaves_out", "tags",
            )
        },
        "points": use.points
        and {
            "op": use.points.op,
            "by_group": dict(sorted(use.points.by_group.items())),
            "other": use.points.other,
        },
        "evidence": [[item.weight, item.reason] for item in use.evidence],
    }  # fmt: skip


def _plain(value: Any) -> Any:
    """A value as JSON knows it; what has no order gets one."""
    if isinstance(value, frozenset | set):
        return sorted(map(_plain, value), key=str)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in sorted(value.items(), key=lambda pair: str(pair[0]))}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


class _Code:
    """The text of what was checked, for the lines and columns of Uses, and for the lines to show."""

    def __init__(self, report: Report, piece: Piece) -> None:
        self._report = report
        self._piece = piece
        self._sources: dict[str, Source | None] = {}

    def place(self, path: str, offset: int) -> tuple[str, int | None, int, int]:
        """Path, cell, line and column of an offset; line 0 and the offset where nobody can tell."""
        source = self._source(path)
        if source is None or offset > len(source.data):
            return path, None, 0, offset
        place = source.place(offset)
        return place.path, place.cell, *place.position

    def line(self, path: str, cell: int | None, line: int) -> str:
        """The text of a line, to show beside a row."""
        if cell is not None:
            lines = _cell_lines(path, cell)
        elif path == self._piece.path and self._piece.text is not None:
            lines = self._piece.text.splitlines()
        else:
            lines = _file_lines(path)
        return lines[line - 1].strip()[:LONGEST_LINE] if 0 < line <= len(lines) else ""

    def _source(self, path: str) -> Source | None:
        if path not in self._sources:
            self._sources[path] = self._report.sources.get(path) or self._read(path)
        return self._sources[path]

    def _read(self, path: str) -> Source | None:
        from fairlint import Source  # noqa: PLC0415

        if path == self._piece.path and self._piece.text is not None:
            return Source(path, self._piece.text.encode("utf-8", "surrogatepass"), self._piece.language)
        try:
            data = Path(path).read_bytes().removeprefix(b"\xef\xbb\xbf")
            data.decode()
        except (OSError, ValueError):
            return None
        return None if path.endswith(".ipynb") else Source(path, data, None)


@cache
def _file_lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


@cache
def _cell_lines(path: str, cell: int) -> list[str]:
    try:
        source = json.loads(Path(path).read_text(encoding="utf-8"))["cells"][cell - 1]["source"]
    except (OSError, ValueError, LookupError, TypeError):
        return []
    return (source if isinstance(source, str) else "".join(source)).splitlines()


def write_rows(rows: Iterable[Row], path: Path) -> int:
    """Writes rows sorted, each once, and says how many they are."""
    lines = sorted({json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows}, key=_line_order)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="surrogatepass")
    return len(lines)


def _line_order(line: str) -> tuple[str, int, int, str]:
    row = json.loads(line)
    return (row["path"], row["cell"] or 0, row["line"], line)


def read_rows(path: Path) -> list[Row]:
    """The rows of a dump of one target."""
    try:
        text = path.read_text(encoding="utf-8", errors="surrogatepass")
        return [json.loads(line) for line in text.split("\n") if line]
    except (OSError, ValueError) as error:
        raise EcosystemError(f"{path}: cannot be read: {error}") from error
