"""The folder in which a fleet keeps what it found.

| in it | is |
|---|---|
| `store.json` | what it is, and the version of its tables |
| `runs/RUN.json` | when a run began, and whether it is finished |
| `parts/run=RUN/date=DAY/part-…/TABLE.parquet` | rows, each part written whole and renamed |
| `pending/RUN/….json` | answers that are in no part yet, a file a repository |
| `pending/RUN/…/….json` | of a repository that is checked in shards: its plan, and the results of each |
| `work/` | files of repositories that are being checked |

An answer is kept in `pending` as it arrives. When there are enough they become a part, and are removed after
that; an answer whose repository is in a part of the run already counts no more. So a process that is killed
between any two steps loses and doubles nothing.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any

from fairlint.fleet.parts import part_folders, part_rows, part_version, write_part
from fairlint.fleet.tables import TABLES, VERSION
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.run_folders.run_folder import writing_alone
from fairlint.support import whole_files
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_file
from fairlint.support.records import Record

NAME = "fairlint fleet store"
LARGEST_ANSWER = 2_000_000_000
"""Bytes of what is kept of one repository until it is in a part."""
_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Run(Record):
    """One run: its name, the day of its partition, and whether it came to its end."""

    name: str
    date: str
    began: str
    is_finished: bool = False
    inputs: str = ""
    """Digest of what its results hang on besides the code."""
    entries: str = ""
    """Digest of the list's names."""


class Store:
    """A store that is there; made by `open_store`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.parts = folder / "parts"
        self.work = folder / "work"

    def runs(self) -> list[Run]:
        """Return all runs, the earliest first."""
        found = []
        for path in (self.folder / "runs").glob("*.json"):
            values = _read_object(path)
            known = {name: str(values.get(name, "")) for name in ("date", "began", "inputs", "entries")}
            found.append(Run(path.stem, is_finished=bool(values.get("finished", False)), **known))
        return sorted(found, key=lambda run: (run.began, run.name))

    def run_named(self, name: str) -> Run:
        """Return a run by its name, or by `latest` or `previous`, which are finished; else a UsageError."""
        runs = self.runs()
        finished = [run for run in runs if run.is_finished]
        place = {"latest": 1, "previous": 2}.get(name)
        if place is not None and len(finished) >= place:
            return finished[-place]
        found = next((run for run in runs if run.name == name), None)
        if found is None:
            known = ", ".join(run.name for run in runs) or "none"
            raise UsageError(f"{self.folder}: there is no run '{name}'; there are {known}")
        return found

    def run_before(self, name: str) -> str:
        """Return the finished run before another; a UsageError where there is none."""
        names = [run.name for run in self.runs() if run.is_finished or run.name == name]
        place = names.index(name)
        if place == 0:
            raise UsageError(f"{self.folder}: there is no run before '{name}'")
        return names[place - 1]

    def write_run(self, run: Run) -> None:
        """Note a run, or that it is finished."""
        if not _RUN.fullmatch(run.name):
            raise UsageError(f"a run is called by letters, digits, '.', '_' and '-', not '{run.name}'")
        values = {
            "date": run.date, "began": run.began, "finished": run.is_finished, "inputs": run.inputs,
            "entries": run.entries,
        }  # fmt: skip
        self._write(self.folder / "runs" / f"{run.name}.json", values)

    def rows(
        self, table: str, run: str = "*", columns: Iterable[str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table in the parts of a run or of all, each with its run; the
        earliest first.
        """
        names = None if columns is None else list(columns)
        for part in part_folders(self.parts, run):
            name = part.parent.parent.name.removeprefix("run=")
            for row in part_rows(part, table, names):
                yield {"run": name, **row}

    def keep(self, run: Run, repository: str, tables: Mapping[str, Any]) -> Path:
        """Keep the rows of a repository until they are in a part; the result is the file."""
        path = self._pending(run) / f"{digest_of_name(repository)}.json"
        self._write(path, {"repository": repository, "tables": tables})
        return path

    def keep_shard(self, run: Run, repository: str, name: str, values: Mapping[str, Any]) -> Path:
        """Keep what is known of a repository that is checked in shards: its plan, or what one has found."""
        path = self._pending(run) / digest_of_name(repository) / f"{name}.json"
        self._write(path, values)
        return path

    def kept_shards(self, run: Run) -> Iterator[Mapping[str, Path]]:
        """Yield what is kept of each repository that is checked in shards: name → file."""
        for folder in sorted(path for path in self._pending(run).glob("*") if path.is_dir()):
            yield {path.stem: path for path in sorted(folder.glob("*.json"))}

    def read_kept(self, path: Path) -> dict[str, Any]:
        """Return the values in a file that one of these methods gave."""
        return _read_object(path, LARGEST_ANSWER)

    def drop_shards(self, run: Run, repository: str = "") -> None:
        """Forget what is kept of the shards of a repository, or of all."""
        names = (
            [digest_of_name(repository)]
            if repository
            else [path.name for path in self._pending(run).glob("*") if path.is_dir()]
        )
        for name in names:
            shutil.rmtree(self._pending(run) / name, ignore_errors=True)

    def kept(self, run: Run) -> dict[str, Path]:
        """Return the answers that are in no part yet: repository → its file. Those that are in one are
        removed.
        """
        done = {str(row["repository"]) for row in self.rows("repositories", run.name, ["repository"])}
        found = {}
        for path in sorted(self._pending(run).glob("*.json")):
            name = str(_read_object(path, LARGEST_ANSWER)["repository"])
            if name in done:
                path.unlink()
            else:
                found[name] = path
        return found

    def write_kept(self, run: Run, answers: Iterable[Path]) -> None:
        """Make a part of kept answers, and remove them after that."""
        paths = sorted(answers)
        if not paths:
            return
        tables: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
        for path in paths:
            answer = _read_object(path, LARGEST_ANSWER)
            for name, rows in answer["tables"].items():
                tables[name] += rows
        for rows in tables.values():
            rows.sort(key=itemgetter("repository"))
        digest = sha256("\n".join(path.stem for path in paths).encode()).hexdigest()
        number = len(part_folders(self.parts, run.name))
        name = f"part-{number:06}-{digest:.12}"
        try:
            write_part(self.parts / f"run={run.name}" / f"date={run.date}" / name, tables)
        except OSError as error:
            raise self._refusal(error) from None
        for path in paths:
            path.unlink(missing_ok=True)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep other runs out, and takes away what a killed one left."""
        try:
            with writing_alone(self.folder):
                self._sweep()
                try:
                    yield
                finally:
                    self._sweep()
        except RunFolderError as error:
            raise UsageError(str(error)) from None

    def _sweep(self) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        for draft in self.parts.glob("run=*/date=*/*.draft"):
            shutil.rmtree(draft, ignore_errors=True)
        for pattern in ("pending/*/.*.draft", "pending/*/*/.*.draft"):
            for draft in self.folder.glob(pattern):
                draft.unlink(missing_ok=True)

    def _pending(self, run: Run) -> Path:
        return self.folder / "pending" / run.name

    def _write(self, path: Path, values: Mapping[str, Any]) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            whole_files.write(
                path, (json.dumps(values, allow_nan=False).encode("utf-8", "backslashreplace"),)
            )
        except OSError as error:
            raise self._refusal(error) from None

    def _refusal(self, error: OSError) -> UsageError:
        return UsageError(
            f"{self.folder}: cannot be written: {error.strerror or error}; --resume goes on after that"
        )


def digest_of_name(repository: str) -> str:
    """Return what the files of a repository are called in a store."""
    return sha256(repository.encode("utf-8", "surrogateescape")).hexdigest()


def open_store(folder: Path, *, is_new: bool = False) -> Store:
    """Return the store in a folder; with `is_new` it is made where the folder is new or empty.

    Anything else in the folder, or a store of another version, is a UsageError.
    """
    mark = folder / "store.json"
    if not mark.exists():
        if not is_new:
            raise UsageError(
                f"{folder}: there is no store; `fairlint fleet scan LIST --store {folder}` makes one"
            )
        _make_store(folder, mark)
    values = _read_object(mark)
    if values.get("store") != NAME:
        raise UsageError(f"{folder}: is no store of a fleet")
    if values.get("version") != VERSION:
        raise UsageError(
            f"{folder}: was written with version {values.get('version')} of the tables, and this fairlint "
            f"has version {VERSION}: name another folder"
        )
    store = Store(folder)
    for part in part_folders(store.parts)[:1]:
        if part_version(part) != str(VERSION):
            raise UsageError(f"{part}: holds tables of another version")
    return store


def _make_store(folder: Path, mark: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        strangers = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
        if strangers:
            raise UsageError(f"{folder}: holds {strangers[0]}: name a new or empty folder")
        text = json.dumps({"store": NAME, "version": VERSION}) + "\n"
        whole_files.write_text(mark, text)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror or error}") from None


def _read_object(path: Path, largest: int = LARGEST_SETTINGS) -> dict[str, Any]:
    try:
        values = read_json(read_file(path, largest).decode("utf-8"))
    except (NotReadableError, ValueError) as error:
        raise UsageError(f"{path}: {error}") from None
    if not isinstance(values, dict):
        raise UsageError(f"{path}: is no JSON object")
    return values
