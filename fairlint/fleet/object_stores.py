"""Stores in object storage (`s3://BUCKET/PREFIX`, `gs://BUCKET/PREFIX`), each with a copy on this machine.

All work is done on the copy. Parts never change once they are there, so bringing a copy up to date fetches
those that it lacks. Publishing sends the parts of finished runs, and the file that names a run after all of
its parts: whoever reads sees all of a run or nothing.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from fairlint.backends.extras import need
from fairlint.fleet.parts import EXTRA, part_folders
from fairlint.fleet.store import Store, open_store
from fairlint.fleet.tables import TABLES
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.run_folders.run_folder import writing_alone
from fairlint.support import whole_files
from fairlint.support.compiled_data import cache_folder
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import LARGEST_SETTINGS

SCHEMES = ("s3", "gs")
REACHED_WITHIN = 4.5
"""Seconds in which the storage has to answer the first time."""
CONNECTED_WITHIN, ANSWERED_WITHIN = 4.0, 60.0
"""Seconds in which it has to be reached, and to send or take the next piece."""
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
"""Variables that name another server than Amazon's; pyarrow reads them in some versions only."""
MARK = "store.json"
PUBLISHED = "published.json"
"""In the copy: the runs that the storage has, or had."""
_MANIFEST = re.compile(r"runs/([A-Za-z0-9][A-Za-z0-9._-]*)\.json")
_PART = re.compile(
    r"parts/run=([A-Za-z0-9][A-Za-z0-9._-]*)/date=[0-9]+-[0-9]+-[0-9]+/part-[0-9a-f-]+/"
    rf"(?:{'|'.join(TABLES)})\.parquet"
)
_Result = TypeVar("_Result")


class ObjectStore:
    """A store in object storage, and the folder of its copy."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self._root = _root_of(self.address)
        above = cache_folder()
        if not above:
            raise UsageError(f"{self.address}: there is no folder for a copy: set XDG_CACHE_HOME")
        self.folder = Path(above) / "fairlint" / "fleet" / sha256(self.address.encode()).hexdigest()
        scheme = urlsplit(self.address).scheme
        self._first: Any = _file_system(scheme, REACHED_WITHIN)
        self._files: Any = _file_system(scheme, ANSWERED_WITHIN)

    def fetch(self, *, is_new: bool = False) -> Path:
        """Bring the copy up to date; the result is its folder. With `is_new` there may be nothing yet.

        While another process writes to the copy, it stays as it is.
        """
        is_there = self._guarded(lambda: _within(REACHED_WITHIN, self._is_there))
        if not is_there and not (self.folder / MARK).exists():
            if is_new:
                return self.folder
            raise UsageError(
                f"{self.address}: there is no store; "
                f"`fairlint fleet scan LIST --store {self.address}` makes one"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        with suppress(RunFolderError), writing_alone(self.folder):
            for draft in self.folder.glob("parts/run=*/date=*/*.draft"):
                shutil.rmtree(draft, ignore_errors=True)
            self._guarded(lambda: self._fetch_all(is_there=is_there))
        return self.folder

    def publish(self) -> int:
        """Send all finished runs that the storage does not have; the result is how many."""
        if not (self.folder / MARK).exists():
            return 0
        store = open_store(self.folder)
        known = set(self._names())
        there = self._guarded(lambda: set(self._manifests()))
        sent = 0
        for run in store.runs():
            if not run.is_finished or run.name in known:
                continue
            if run.name in there:
                raise UsageError(
                    f"{self.address}: there is a run '{run.name}' already, of another machine: "
                    f"the one of this machine is in {self.folder}"
                )
            self._guarded(partial(self._send_run, store, run.name))
            known.add(run.name)
            self._note(known)
            sent += 1
        return sent

    def _fetch_all(self, *, is_there: bool) -> None:
        own = {path.stem for path in (self.folder / "runs").glob("*.json")} - set(self._names())
        manifests = self._manifests() if is_there else []  # before their parts: these are all there
        texts = {
            name: self._read(f"runs/{name}.json", LARGEST_SETTINGS) for name in manifests if name not in own
        }
        for name in set(self._names()) - texts.keys():  # taken away since
            (self.folder / "runs" / f"{name}.json").unlink(missing_ok=True)
            shutil.rmtree(self.folder / "parts" / f"run={name}", ignore_errors=True)
        if is_there:
            whole_files.write(self.folder / MARK, (self._read(MARK, LARGEST_SETTINGS),))
            open_store(self.folder)
        missing: dict[str, list[str]] = {}
        for path in self._list("parts") if texts else ():
            found = _PART.fullmatch(path)
            if found and found[1] in texts and not (self.folder / path).exists():
                missing.setdefault(path.rpartition("/")[0], []).append(path)
        for part, paths in missing.items():
            self._fetch_part(part, paths)
        (self.folder / "runs").mkdir(exist_ok=True)
        for name, text in texts.items():
            whole_files.write(self.folder / "runs" / f"{name}.json", (text,))
        self._note(texts)

    def _fetch_part(self, part: str, paths: Iterable[str]) -> None:
        target = self.folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        with whole_files.folder_for(target) as made:
            for path in paths:
                with self._files.open_input_stream(f"{self._root}/{path}") as stream:
                    whole_files.write(Path(made) / Path(path).name, iter(lambda: stream.read(1 << 20), b""))

    def _send_run(self, store: Store, name: str) -> None:
        for part in part_folders(store.parts, name):
            for table in TABLES:
                path = part / f"{table}.parquet"
                self._send(path.relative_to(self.folder).as_posix())
        self._send(MARK)
        self._send(f"runs/{name}.json")

    def _send(self, path: str) -> None:
        with (
            (self.folder / path).open("rb") as file,
            self._files.open_output_stream(f"{self._root}/{path}") as stream,
        ):
            while piece := file.read(1 << 20):
                stream.write(piece)

    def _manifests(self) -> list[str]:
        return [found[1] for path in self._list("runs") if (found := _MANIFEST.fullmatch(path))]

    def _list(self, below: str) -> list[str]:
        selector = need("pyarrow.fs", EXTRA).FileSelector(
            f"{self._root}/{below}", recursive=True, allow_not_found=True
        )
        paths = (one.path for one in self._files.get_file_info(selector) if one.is_file)
        return sorted(path.removeprefix(f"{self._root}/") for path in paths)

    def _is_there(self) -> bool:
        """Return whether there is a store; a UsageError where there is something else, or no bucket."""
        kinds = need("pyarrow.fs", EXTRA)
        if self._first.get_file_info(f"{self._root}/{MARK}").is_file:
            return True
        bucket = self._root.partition("/")[0]
        if self._first.get_file_info(bucket).type == kinds.FileType.NotFound:
            raise UsageError(f"{self.address}: there is no bucket {bucket}")
        found = self._first.get_file_info(kinds.FileSelector(self._root, allow_not_found=True))
        strangers = sorted({one.base_name for one in found} - {"parts", "runs"})
        if strangers:
            raise UsageError(f"{self.address}: holds {strangers[0]}: name a new or empty prefix of {bucket}")
        return False

    def _read(self, path: str, largest: int) -> bytes:
        with self._files.open_input_stream(f"{self._root}/{path}") as stream:
            data: bytes = stream.read(largest + 1)
        if len(data) > largest:
            raise UsageError(f"{self.address}: {path} is larger than {largest:,} bytes")
        return data

    def _names(self) -> list[str]:
        path = self.folder / PUBLISHED
        return list(read_json(path.read_text("utf-8"))) if path.exists() else []

    def _note(self, names: Iterable[str]) -> None:
        whole_files.write_text(self.folder / PUBLISHED, json.dumps(sorted(names)))

    def _guarded(self, act: Callable[[], _Result]) -> _Result:
        """Return what an action gives; whatever the storage says is a UsageError of one line."""
        try:
            return act()
        except OSError as error:
            told = " ".join(str(error).split())
            raise UsageError(f"{self.address}: {told or type(error).__name__}") from None


def _root_of(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in SCHEMES:
        raise UsageError(f"--store takes a folder, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX, not '{address}'")
    if "@" in parts.netloc:
        raise UsageError("--store: an address with a name or a password: put them into the environment")
    if not parts.netloc or parts.query or parts.fragment:
        raise UsageError(f"--store {address}: is no address of a store, as {parts.scheme}://BUCKET/PREFIX")
    return f"{parts.netloc}{parts.path}".rstrip("/")


def _file_system(scheme: str, seconds: float) -> Any:
    """Return the file system of pyarrow. Who may do what, and where it is, the environment says."""
    files = need("pyarrow.fs", EXTRA)
    if scheme == "gs":
        return files.GcsFileSystem(retry_time_limit=datetime.timedelta(seconds=seconds))
    os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")  # where there is none, asking takes seconds
    options: Mapping[str, Any] = {
        "connect_timeout": min(CONNECTED_WITHIN, seconds),
        "request_timeout": seconds,
        "retry_strategy": files.AwsStandardS3RetryStrategy(
            max_attempts=1 if seconds < ANSWERED_WITHIN else 3
        ),
    }
    names = {"region": ("AWS_REGION", "AWS_DEFAULT_REGION"), "endpoint_override": ENDPOINTS}
    told = {
        option: value
        for option, variables in names.items()
        if (value := next(filter(None, map(os.environ.get, variables)), ""))
    }
    return files.S3FileSystem(**options, **told)


def _within(seconds: float, act: Callable[[], _Result]) -> _Result:
    """Return what an action gives, or raise TimeoutError: what waits in C hears no signals."""
    given: list[_Result] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            given.append(act())
        except BaseException as error:  # it is raised in the caller's thread
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if failed:
        raise failed[0]
    if not given:
        raise TimeoutError(f"does not answer within {seconds:g} seconds")
    return given[0]
