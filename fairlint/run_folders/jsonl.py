"""Keyed records in a file, one JSON object a line: append only, on the disk when `append` returns.

A process that is killed while it writes leaves at most one unfinished line, the last one. `LineStore` mends
that when it opens the file; all other damage is an error, for no line is ever dropped in silence.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from fairlint.support.documents import read_json
from fairlint.support.files import NotReadableError, open_regular_file, opened_file, too_large
from fairlint.support.shapes import Shape, fault_of

KEY = "key"
"""The field that names a record; no two records of a file have the same."""

LONGEST_LINE = 20_000_000
"""Bytes of a line; an answer of a model has some thousand."""
LARGEST = 2_000_000_000
"""Bytes of a file of lines."""
LARGEST_DOCUMENT = 100_000_000
"""Bytes of the figures of a run."""

_Record = TypeVar("_Record")

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)  # Windows would write "\r\n" without it


class RunFolderError(Exception):
    """Says in one line why a run folder cannot be read or written."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.splitlines()))


def refuse(path: Path, doing: str, error: OSError) -> RunFolderError:
    """Return the error for `error`, which came up `doing` something (such as "write") with `path`."""
    return RunFolderError(f"{path}: cannot {doing}: {error.strerror or error}")


def raw_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a regular file with their ends.

    Raises NotReadableError for anything else, for a file that is too large, and for a line that is.
    """
    with open_regular_file(path) as (descriptor, size):
        if size > LARGEST:
            raise NotReadableError(too_large(LARGEST))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise NotReadableError(f"line {number} is {too_large(LONGEST_LINE)}", line=number)
                yield line


class _Line(NamedTuple):
    size: int
    ended: bool
    record: dict[str, Any] | None
    """None for a last line that is unfinished."""


def _parse_record(raw: bytes) -> dict[str, Any]:
    try:
        record = read_json(raw.decode("utf-8"), finite=True)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg} at character {error.pos + 1})") from None
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    if not isinstance(record.get(KEY), str) or not record[KEY]:
        raise ValueError(f'no text under "{KEY}"')
    return record


def _scan_lines(path: Path, shape: Shape | None) -> Iterator[_Line]:
    """Yield all lines of a file; raises RunFolderError at the first that is broken, is no record of this
    shape, or repeats a key.
    """
    seen: dict[str, int] = {}
    try:
        for number, raw in enumerate(raw_lines(path), 1):
            ended = raw.endswith(b"\n")
            try:
                record = _parse_record(raw)
            except ValueError as error:
                if not ended:
                    yield _Line(len(raw), False, None)
                    return
                raise RunFolderError(f"{path}:{number}: broken line: {error}") from None
            first = seen.setdefault(record[KEY], number)
            if first != number:
                raise RunFolderError(f"{path}:{number}: key {record[KEY]!r} is already in line {first}")
            if shape is not None and (told := fault_of(shape, record)):
                raise RunFolderError(f"{path}:{number}: broken line: {told}")
            yield _Line(len(raw), ended, record)
    except NotReadableError as error:
        raise RunFolderError(f"{path}: {error}") from error
    except OSError as error:
        raise refuse(path, "read", error) from error


def read_records(path: Path, shape: Shape | None = None) -> Iterator[dict[str, Any]]:
    """Yield the records of a file in their order, each of a shape; changes nothing and needs no lock.

    An unfinished last line is left out, for a writer may be at work on it. Any other broken line raises
    RunFolderError with file and line number. A file that is not there has no records.
    """
    if path.exists():
        for line in _scan_lines(path, shape):
            if line.record is not None:
                yield line.record


def batches(records: Iterable[_Record], size: int) -> Iterator[list[_Record]]:
    """Record in their order, so many at a time and at last what is left, which may be nothing."""
    batch: list[_Record] = []
    for record in records:
        batch.append(record)
        if len(batch) == size:
            yield batch
            batch = []
    yield batch


def encode(record: Mapping[str, Any]) -> bytes:
    """Return a record as a line. Raises RunFolderError for one that is no JSON."""
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        try:
            raw = text.encode("utf-8")
        except UnicodeEncodeError:  # half of a surrogate pair, as broken tokens give them
            raw = json.dumps(record, allow_nan=False, separators=(",", ":")).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise RunFolderError(f"record {record.get(KEY)!r} is no JSON: {error}") from error
    return raw + b"\n"


class LineStore:
    """A file of keyed records that is open for appending. The caller sees to it that nobody else writes.

    `repairs` tells in one line each what opening the file had to mend. What it holds already has to be of a
    `shape`; what is appended is taken as it comes.
    """

    def __init__(self, path: Path, shape: Shape | None = None) -> None:
        self.path = path
        self._shape = shape
        self.repairs: tuple[str, ...] = ()
        self._keys: dict[str, None] = {}
        self._size = 0
        self._owner = os.getpid()
        self._guard = threading.Lock()
        self._unusable = ""
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise RunFolderError(f"{path}: not a plain file")  # a pipe would wait, a device would never end
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _BINARY | _NO_LINK, 0o666)
        except OSError as error:
            raise refuse(path, "write", error) from error
        try:
            self._load_keys()
        except OSError as error:
            self.close()
            raise refuse(path, "repair", error) from error
        except BaseException:
            self.close()
            raise

    def _load_keys(self) -> None:
        last = None
        number = 0
        for line in _scan_lines(self.path, self._shape):
            last = line
            number += 1
            if line.record is not None:
                self._keys[line.record[KEY]] = None
                self._size += line.size
        if last is None:
            return
        if last.record is None:
            os.ftruncate(self._file, self._size)
            self._note_repair(f"cut off unfinished line {number} ({last.size} bytes)")
        elif not last.ended:
            self._write_bytes(b"\n")
            self._size += 1
            self._note_repair(f"ended line {number}, which lacked its line end")
        os.fsync(self._file)  # what a killed writer wrote is read here but may not be on the disk yet

    def _note_repair(self, what: str) -> None:
        self.repairs = (f"{self.path}: {what}",)

    def done(self) -> AbstractSet[str]:
        """Return the keys that are in the file, in its order; the set grows with it."""
        return self._keys.keys()

    def __len__(self) -> int:
        return len(self._keys)

    def records(self) -> Iterator[dict[str, Any]]:
        """Return the records in the file, in its order."""
        return read_records(self.path, self._shape)

    def append(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Write a batch of records, each with a new key; they are on the disk when this returns.

        A batch that is refused (a known key, a key twice, no JSON) leaves the file as it was. When writing
        fails, for a full disk or an interrupt, the lines that were written whole stay, and the store takes no
        more until it is opened anew: its `done()` then tells what is left to do.
        """
        batch = [dict(record) for record in records]
        with self._guard:
            self._check_batch(batch)
            data = b"".join(map(encode, batch))
            if not data:
                return
            self._unusable = "an earlier write failed; open the run folder again to go on"
            try:
                self._write_bytes(data)
            except OSError as error:
                self._cut_back(keep_whole_lines=True)
                raise refuse(self.path, "write", error) from error
            try:
                os.fsync(self._file)
            except OSError as error:  # nobody can tell any more what of it is on the disk
                self._cut_back(keep_whole_lines=False)
                raise refuse(self.path, "write", error) from error
            self._size += len(data)
            self._keys.update((record[KEY], None) for record in batch)
            self._unusable = ""

    def _check_batch(self, batch: list[dict[str, Any]]) -> None:
        if self._unusable:
            raise RunFolderError(f"{self.path}: {self._unusable}")
        if os.getpid() != self._owner:
            raise RunFolderError(f"{self.path}: open in process {self._owner}, which alone may write to it")
        fresh = set()
        for record in batch:
            key = record.get(KEY)
            if not isinstance(key, str) or not key:
                raise RunFolderError(f'{self.path}: a record has no text under "{KEY}"')
            if key in self._keys or key in fresh:
                raise RunFolderError(f"{self.path}: key {key!r} is already there")
            fresh.add(key)
        try:
            size = os.fstat(self._file).st_size
        except OSError as error:
            raise refuse(self.path, "write", error) from error
        if size != self._size:
            raise RunFolderError(f"{self.path}: changed by another program: {size} bytes, not {self._size}")

    def _write_bytes(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._file, rest) :]

    def _cut_back(self, *, keep_whole_lines: bool) -> None:
        """Best effort: the next one to open the file mends what is left to mend."""
        try:
            end = self._size
            if keep_whole_lines:
                with opened_file(self.path) as (file, size):
                    file.seek(end)
                    end += file.read(max(size - end, 0)).rfind(b"\n") + 1
            os.ftruncate(self._file, end)
        except (NotReadableError, OSError, ValueError):
            pass

    def close(self) -> None:
        """Close the file; closing twice does no harm."""
        self._unusable = "closed"
        if self._file >= 0:
            file, self._file = self._file, -1
            os.close(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
