"""The folder of one benchmark run: its settings, the answers as they arrive, what was judged, the results.

| file | what it holds | written |
|---|---|---|
| `run.json` | the settings, with the versions of fairlint and of this format | once, when the run begins |
| `requests.jsonl` | one prompt a line, by its hash | before it is asked |
| `responses.jsonl` | one model answer a line | batch by batch |
| `outcomes.jsonl` | one judged answer a line | batch by batch |
| `metrics.json`, `report.html`, … | results | whole, by `RunFolder.write_text` |

A run that was killed goes on when its folder is opened again with the same settings: `responses.done()` are
the keys that need no answer any more, `to_judge()` the answers without an outcome. `run.lock` keeps a second
writer out. Reading a folder (`read_run`) needs no lock and changes nothing.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from fairlint.run_folders import record_shapes
from fairlint.run_folders.jsonl import (
    KEY,
    LineStore,
    RunFolderError,
    encode,
    read_records,
    refuse,
)
from fairlint.support import whole_files
from fairlint.support.about import __version__
from fairlint.support.documents import read_json
from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_beginning, read_file
from fairlint.support.shapes import Shape, fault_of

if TYPE_CHECKING:  # part of an extra
    from filelock import BaseFileLock

__all__ = [
    "FORMAT", "KEY", "LineStore", "Run", "RunFolder", "RunFolderError", "RunSettings", "lock_run", "open_run",
    "read_run", "request_key", "write_outcomes", "write_text",
]  # fmt: skip

FORMAT = 1
"""Goes up when an older fairlint could not read a folder any more, or a newer one not an older folder."""

SETTINGS, REQUESTS = "run.json", "requests.jsonl"
RESPONSES, OUTCOMES = "responses.jsonl", "outcomes.jsonl"
LOCK, LOCK_OWNER = "run.lock", "run.pid"
OWN_FILES = {SETTINGS, REQUESTS, RESPONSES, OUTCOMES, LOCK, LOCK_OWNER}

DIGESTS = ("prompts_hash ", "options.reference ")
"""How differences of settings begin that say that items differ, and not why."""
LONGEST_SHOWN = 60
"""Characters of a value that a message about other settings shows."""


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """What the answers of a run depend on. Two runs with equal settings may share a folder."""

    suite: str
    model: str
    revision: str
    seed: int
    samples: int | None
    temperature: float | None
    max_new_tokens: int | None
    prompts_hash: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """Whatever else a suite or a backend depends on, as JSON."""
    as_asked: str = ""
    """A hash of the words that asked for the model; runs that differ in it alone are the same."""


Grows = Callable[["Run", Mapping[str, Any]], None]
Lines = Mapping[str, Shape]
"""File → what its lines are."""
LineShapes = Callable[[str], Lines]
"""What the lines of a run are, by the name of its suite."""


def plain_lines(suite: str) -> Lines:  # noqa: ARG001 (nothing is known of it)
    """Return what the lines of a run of any suite are."""
    return {
        REQUESTS: record_shapes.REQUEST,
        RESPONSES: record_shapes.RESPONSE,
        OUTCOMES: record_shapes.OUTCOME,
    }


@dataclass(frozen=True)
class Run:
    """A run as it lies on the disk, for reading. `settings` is the content of `run.json`."""

    path: Path
    settings: dict[str, Any]
    shapes: LineShapes = plain_lines

    def requests(self) -> Iterator[dict[str, Any]]:
        """Return the prompts, each once."""
        return self._read_lines(REQUESTS)

    def responses(self) -> Iterator[dict[str, Any]]:
        """Return the answers in the order of their arrival."""
        return self._read_lines(RESPONSES)

    def outcomes(self) -> Iterator[dict[str, Any]]:
        """Return the judged answers in the order of judging."""
        return self._read_lines(OUTCOMES)

    def _read_lines(self, name: str) -> Iterator[dict[str, Any]]:
        return read_records(self.path / name, self.shapes(self.settings["suite"])[name])


class RunFolder:
    """A run folder that is open and locked for writing; made by `open_run`, to be used in a `with`."""

    def __init__(
        self, run: Run, stores: Sequence[LineStore], resumed: bool, release: Callable[[], None]
    ) -> None:
        self.path = run.path
        self.settings = run.settings
        self.requests, self.responses, self.outcomes = stores
        self.resumed = resumed
        self.repairs = tuple(told for store in stores for told in store.repairs)
        self._release = release

    def to_judge(self) -> Iterator[dict[str, Any]]:
        """Return the answers that have no outcome yet, in their order."""
        judged = self.outcomes.done()
        return (record for record in self.responses.records() if record[KEY] not in judged)

    def write_text(self, name: str, text: str) -> Path:
        """Write a whole file of results into the folder, or leave the old one as it was."""
        if not name or name != Path(name).name or name in OWN_FILES:
            raise RunFolderError(f"{self.path}: {name!r} is no name for a file of results")
        write_text(self.path / name, text)
        return self.path / name

    def close(self) -> None:
        """Close the files and let others write; closing twice does no harm."""
        for store in (self.requests, self.responses, self.outcomes):
            store.close()
        release, self._release = self._release, _do_nothing
        release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def request_key(*request: str, sample: int) -> str:
    """Return the key of an answer: a hash of what tells its request from all others, and the number of the
    sample.

    >>> request_key("faircode", "job", "nurse", "gender", sample=3)
    'f09df29167c34f1fbc08f534-3'
    """
    digest = hashlib.sha256(json.dumps(request).encode("ascii")).hexdigest()
    return f"{digest[:24]}-{sample}"


def open_run(
    path: Path, settings: RunSettings, grows: Grows | None = None, lines: Lines | None = None
) -> RunFolder:
    """Begin a run in a new or empty folder, or go on with one that was begun with the same settings.

    What is there has to be as `lines` say.

    With `grows`, which is given the run and the new `run.json` and refuses by a RunFolderError, a run may go
    on with others. Raises RunFolderError, and changes nothing, if the folder belongs to a run with other
    settings, of another version or of a process that still writes, holds broken lines, or holds anything
    else.
    """
    content = content_of(settings)
    try:
        whole_files.place_of(str(path))  # a link that leads out of the repository is no place for a run
    except OSError as error:
        raise refuse(path, "write", error) from error
    _check_no_strangers(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refuse(path, "make the folder", error) from error
    if (path / SETTINGS).exists() and grows is None:
        _check_same(path, content)  # tells of other settings even while another process writes
    release = _take_lock(path)
    stores: list[LineStore] = []
    try:
        resumed = (path / SETTINGS).exists()
        if resumed and grows and list(_settings_differences(_read_settings(path), content)):
            grows(read_run(path, plain_lines if lines is None else lambda _: lines), content)
            write_settings(path, content)
        elif resumed:
            _check_same(path, content)
        else:
            _check_no_strangers(path)
            write_settings(path, content)
        _remove_drafts(path)
        for name in (REQUESTS, RESPONSES, OUTCOMES):
            stores.append(LineStore(path / name, (lines or {}).get(name)))  # noqa: PERF401 (what is open has to be closed if one fails)
        _sync_folder(path)
        return RunFolder(Run(path, content), stores, resumed, release)
    except BaseException:
        for store in stores:
            store.close()
        release()
        raise


def read_run(path: Path, shapes: LineShapes = plain_lines) -> Run:
    """Return a run of a suite for reading, whether it is finished, was broken off or is being written; its
    lines have to be as `shapes` say.

    Raises RunFolderError where it is none.
    """
    settings = _read_settings(path)
    if told := fault_of(record_shapes.RUN, settings):
        raise RunFolderError(f"{path / SETTINGS}: not the settings of a run of a suite: {told}")
    return Run(path, settings, shapes)


@contextmanager
def lock_run(path: Path, shapes: LineShapes = plain_lines) -> Iterator[Run]:
    """Yield a run for reading, in whose folder nobody else writes meanwhile."""
    run = read_run(path, shapes)
    with writing_alone(path):
        yield run


@contextmanager
def writing_alone(path: Path) -> Iterator[None]:
    """Keep all others from writing to a folder. Raises RunFolderError where somebody does."""
    release = _take_lock(path)
    try:
        yield
    finally:
        release()


def write_settings(path: Path, content: Mapping[str, Any]) -> None:
    """Write the `run.json` of a folder, whole or not at all."""
    write_text(path / SETTINGS, json.dumps(content, ensure_ascii=False, indent=2) + "\n")


def write_outcomes(path: Path, outcomes: Iterable[Mapping[str, Any]]) -> None:
    """Put these outcomes of judged answers in the place of all that a run has."""
    write_text(path / OUTCOMES, b"".join(map(encode, outcomes)).decode("utf-8"))


def write_text(path: Path, text: str) -> None:
    """Write a whole file so that a reader, and a crash, sees the old text or the new one but no mixture."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: Path, content: bytes) -> None:
    """Note the same of bytes."""
    try:
        whole_files.write(path, (content,), durable=True)
    except OSError as error:
        raise refuse(path, "write", error) from error


def _sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    if os.name == "nt":
        return
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def strangers(path: Path) -> list[str]:
    """Return the names of what is no run's in a folder: but for its locks, and drafts that a killed process
    left.

    None for a folder that is not there. Raises OSError for one that cannot be read.
    """
    try:
        names = [entry.name for entry in path.iterdir()]
    except FileNotFoundError:
        return []
    return sorted(
        name for name in names if name not in (LOCK, LOCK_OWNER) and not whole_files.DRAFT.fullmatch(name)
    )


def _check_no_strangers(path: Path) -> None:
    """Refuse a folder that holds files but no run: nobody's files get mixed with a run's."""
    try:
        there = strangers(path)
    except OSError as error:
        raise refuse(path, "read", error) from error
    if there and SETTINGS not in there:
        raise RunFolderError(
            f"{path}: holds {there[0]} but no {SETTINGS}, so is no run folder; name a new or empty one"
        )


def _remove_drafts(path: Path) -> None:
    for left in path.iterdir():
        if whole_files.DRAFT.fullmatch(left.name):
            with suppress(OSError):
                left.unlink()


def content_of(settings: RunSettings) -> dict[str, Any]:
    """Return the `run.json` of a run with these settings. Raises RunFolderError for what JSON cannot hold."""
    content = {"format": FORMAT, "fairlint": __version__, **asdict(settings)}
    if not settings.as_asked:
        del content["as_asked"]
    try:
        copy: dict[str, Any] = json.loads(json.dumps(content, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise RunFolderError(f"settings that cannot be stored as JSON: {error}") from error
    return copy


def _read_settings(path: Path) -> dict[str, Any]:
    file = path / SETTINGS
    try:
        if not file.exists():
            raise RunFolderError(f"{path}: no run folder: it has no {SETTINGS}")
        content = read_json(read_file(file, LARGEST_SETTINGS), finite=True)
    except NotReadableError as error:
        raise RunFolderError(f"{file}: {error}") from error
    except ValueError as error:
        raise RunFolderError(f"{file}: broken: {error}") from error
    if not isinstance(content, dict) or "format" not in content:
        raise RunFolderError(f"{file}: not the settings of a run")
    if content["format"] != FORMAT:
        there = _setting_text(content["format"])
        raise RunFolderError(
            f"{file}: written in format {there}; fairlint {__version__} reads format {FORMAT}"
        )
    if told := fault_of(record_shapes.SETTINGS, content):
        raise RunFolderError(f"{file}: not the settings of a run: {told}")
    return content


def _check_same(path: Path, content: Mapping[str, Any]) -> None:
    found = list(_settings_differences(_read_settings(path), content))
    # digests follow from options: they are told where nothing else says what differs
    named = [one for one in found if not one.startswith(DIGESTS)]
    if told := "; ".join(named or found):
        raise RunFolderError(f"{path}: holds a run with other settings: {told}")


def is_of(run: Run, settings: RunSettings) -> bool:
    """Return whether a run has these very settings."""
    return not list(_settings_differences(run.settings, content_of(settings)))


def _settings_differences(there: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield what makes it another run."""
    old, new = ({name: one[name] for name in one if name != "as_asked"} for one in (there, now))
    yield from differences(old, new)


def differences(
    there: Mapping[str, Any],
    now: Mapping[str, Any],
    words: tuple[str, str] = ("there", "now"),
    prefix: str = "",
) -> Iterator[str]:
    """Yield what two settings differ in, each with both values and the words that say whose they are."""
    for name in dict.fromkeys((*now, *there)):
        old, new = there.get(name), now.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from differences(old, new, words, f"{prefix}{name}.")
        elif old != new or (name in there) != (name in now):
            yield f"{prefix}{name} is {_setting_text(old)} {words[0]}, {_setting_text(new)} {words[1]}"


def _setting_text(value: object) -> str:
    if value is None:
        return "not set"
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


# The lock.


NO_LOCKS_HERE = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL}
"""What file systems without locks answer, as some on clusters."""
GLANCES = (0.0, 0.05, 0.2)
"""Seconds before each look at who has the lock: who has just taken it has yet to put its number in."""
LONGEST_OWNER = 1_000
"""Bytes that are read of the file that says who has the lock."""
PATIENCE = 0.5
"""Seconds to take over what a dead process left, where the file system knows no locks."""


def _take_lock(folder: Path) -> Callable[[], None]:
    """Lock a folder for this process, until the returned function is called or the process ends.

    The system holds the lock of `run.lock` and drops it with the process; `run.pid` says who has it. Where
    the file system knows no locks, `run.pid` is the lock, and one that a dead process of this machine has
    left is taken over.
    """
    try:
        import filelock  # noqa: PLC0415 (part of an extra)
    except ImportError:
        raise RunFolderError('filelock is not installed: pip install "fairlint[bench]"') from None
    owner = folder / LOCK_OWNER
    for file in (folder / LOCK, owner):
        if file.is_symlink():  # filelock would follow it
            raise RunFolderError(f"{file}: a link, which nobody can lock: take it away")
    lock = filelock.FileLock(folder / LOCK, timeout=0, thread_local=False, fallback_to_soft=False)
    try:
        try:
            lock.acquire()
        except filelock.Timeout:
            raise RunFolderError(f"{folder}: {_writer_name(owner)} writes to this run folder") from None
        except OSError as error:
            if error.errno not in NO_LOCKS_HERE:
                raise
            marker = filelock.SoftFileLock(owner, timeout=PATIENCE, thread_local=False)
            marker.acquire()
            return marker.release
    except filelock.Timeout:
        process, machine = _read_owner(owner)
        raise RunFolderError(
            f"{folder}: process {process} on {machine} writes to this run folder "
            f"(if it has ended, remove {owner})"
        ) from None
    except OSError as error:
        raise refuse(folder / LOCK, "write", error) from error
    with suppress(OSError):  # a full disk: the number is for the message of others only
        whole_files.write_text(owner, f"{os.getpid()}\n{platform.node()}\n")
    return partial(_release_lock, lock, owner, os.getpid())


def _release_lock(lock: BaseFileLock, owner: Path, process: int) -> None:
    if os.getpid() == process:  # not a child that was forked while the folder was open
        with suppress(OSError):
            owner.unlink(missing_ok=True)
        lock.release()


def _writer_name(owner: Path) -> str:
    for pause in GLANCES:
        time.sleep(pause)
        process, _ = _read_owner(owner)
        if process.isdecimal() and _is_alive(int(process)):
            return f"process {process}"
    return "another process"


def _read_owner(owner: Path) -> tuple[str, str]:
    """Return the process and the machine that `run.pid` names."""
    try:
        process, machine = read_beginning(owner, LONGEST_OWNER).decode().splitlines()[:2]
    except (NotReadableError, ValueError):
        return "?", "?"
    return process, machine


def _is_alive(process: int) -> bool:
    if os.name == "nt":
        return True  # asking would end the process there
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass
    return True


def _do_nothing() -> None:
    pass
