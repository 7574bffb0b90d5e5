"""Runs programs in Python itself: a process for each batch, which the system holds to its limits.

The process is `python -I -S` with an empty environment, in an empty folder that is removed afterwards, in a
session of its own that is ended as a whole. `protections` says what else holds on this system. Where one of
`NEEDED` does not, nothing is run, but for whom `unsafe` says that it may.

The seconds of a program are those of a processor, which the kernel counts, and those in which it waits for
something else: a busy machine does not end it.
"""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Self

from fairlint.counterfactual.executors.answers import (
    MARGIN,
    TOO_MUCH,
    harness,
    largest,
    outcomes,
    parse_program,
    request,
)
from fairlint.counterfactual.executors.confinement import CALLS, GUARANTEES, LIMITS, READING
from fairlint.counterfactual.executors.executor import Crashed, Failed, Given, Limits, Outcome, Program
from fairlint.support.errors import UsageError

NEEDED = (LIMITS, READING, CALLS)
"""What has to hold."""
START = 60.0
"""Seconds within which a process has to be ready, on a busy machine."""
LAST = 20
"""How many times as long as it may take, and at least START, a process may be there at all."""
TICK = 0.1
"""Seconds after which a silent process is looked at."""
_HOME = Path(__file__).parent
_FOLDERS = (
    "/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime",
    "/usr/share/zoneinfo", "/dev/null", "/dev/urandom",
)  # fmt: skip
"""What Python reads beside its own folders, to import and to know the time."""
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
_MISSING = re.compile(r"^(?:ModuleNotFoundError: )?No module named '([\w.]+)'")
_CHUNK = 65_536


class ProcessExecutor:
    """Starts a process for each batch, `workers` at once at most, else one for each processor.

    `packages` lets programs import what is installed beside fairlint; with `unsafe` they run where limits of
    resources are all that holds.
    """

    def __init__(self, workers: int | None = None, *, packages: bool = False, unsafe: bool = False) -> None:
        self.name = "process-unsafe" if unsafe else "process"
        self._needs = needs(unsafe=unsafe)
        self._turns = threading.BoundedSemaphore(workers or os.cpu_count() or 1)
        self._packages = packages

    def __enter__(self) -> Self:
        check(self._needs)
        return self

    def __exit__(self, *_exception: object) -> None:
        """Every process has ended with its batch."""

    def run(
        self, program: Program, people: Sequence[Sequence[Given]], limits: Limits
    ) -> tuple[Outcome, ...] | Failed:
        """Return the outcome of each person, in order."""
        try:
            return self._run(program, people, limits)
        except MemoryError:
            return Failed("memory", "there is no memory left for what the program is given or answers")

    def _run(
        self, program: Program, people: Sequence[Sequence[Given]], limits: Limits
    ) -> tuple[Outcome, ...] | Failed:
        tree = parse_program(program.source)
        if isinstance(tree, Failed):
            return tree
        asked = {
            **request(program.source, program, people, limits),
            **_limit_values(limits),
            "needs": self._needs,
        }
        if program.data:
            asked["data"] = base64.b64encode(program.data).decode()
        if program.call.style == "frame":
            asked["frames"] = _frames_source()
        with self._turns:
            answer = _answer_of_process(
                asked, limits.seconds, largest(len(people), limits), packages=self._packages
            )
            found = answer if isinstance(answer, Failed) else outcomes(answer, len(people), limits)
        lacking = None if self._packages else _lacking_package(found)
        return lacking or found


def _lacking_package(found: tuple[Outcome, ...] | Failed) -> Failed | None:
    """Return what is said of a program that imports more than Python comes with."""
    told = [found] if isinstance(found, Failed) else {each for each in found if isinstance(each, Crashed)}
    for each in told:
        if missing := _MISSING.search(each.message):
            package = missing[1].partition(".")[0]
            if package not in sys.stdlib_module_names:
                return Failed("unsupported", f"needs the package {package}: --packages lets it be imported")
    return None


def needs(*, unsafe: bool) -> tuple[str, ...]:
    """Return what has to hold for programs to be run."""
    return (LIMITS,) if unsafe else NEEDED


def check(needed: Sequence[str] = NEEDED) -> None:
    """Raise UsageError, in one line, where something of what is needed does not hold on this system."""
    found = lacking()
    told = "; ".join(f"{found[one]}" for one in needed if found[one])
    if told and found[LIMITS]:
        raise UsageError(f"--executor process cannot hold a program to anything: {told}")
    if told:
        raise UsageError(
            f"--executor process would not hold a program here: {told}; --executor process-unsafe runs it "
            f"with what there is ({', '.join(protections())})"
        )


def protections() -> tuple[str, ...]:
    """Return what holds a program here beside a process of its own, in words."""
    return tuple(one for one, why in lacking().items() if not why)


def lacking() -> dict[str, str]:
    """Return each protection, and why it does not hold on this system; nothing where it does.

    Raises UsageError where no process can be started to find out.
    """
    return dict(_missing_guarantees())


@cache
def _missing_guarantees() -> dict[str, str]:
    if find_spec("resource") is None:
        return dict.fromkeys(
            GUARANTEES, "the system does not limit what a process takes, as Linux and macOS do"
        )
    asked = {"lacking": True, "output": 0, **_limit_values(Limits())}
    answer = _answer_of_process(asked, Limits().seconds, _CHUNK, packages=False)
    if isinstance(answer, Failed):
        raise UsageError(f"--executor process cannot start a process: {answer.message}")
    found: dict[str, str] = json.loads(answer)
    return {one: found[one] for one in GUARANTEES}


def _limit_values(limits: Limits) -> dict[str, Any]:
    return {"seconds": limits.seconds, "memory": limits.memory, "depth": limits.depth + MARGIN}


@cache
def _confinement_source() -> str:
    return (_HOME / "confinement.py").read_text(encoding="utf-8")


@cache
def _frames_source() -> str:
    return (_HOME / "frames.py").read_text(encoding="utf-8")


def _answer_of_process(asked: dict[str, Any], seconds: float, most: int, *, packages: bool) -> bytes | Failed:
    """Return what a new process answers, in at most so many bytes."""
    mark = secrets.token_hex(16)
    folders = [sys.base_prefix, *_FOLDERS, *((sys.prefix,) if packages else ())]
    texts = {"harness": harness(), "confinement": _confinement_source(), "mark": mark, "folders": folders}
    data = json.dumps({**asked, **texts}).encode()
    command = [
        sys.executable,
        "-I",
        *(() if packages else ("-S",)),
        "-B",
        "-W",
        "ignore",
        str(_HOME / "child.py"),
    ]
    with tempfile.TemporaryDirectory(prefix="fairlint-", ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(  # noqa: S603 (Python itself, with a script of fairlint's)
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=_ONE_THREAD if packages else {},
            start_new_session=True,
        )
        try:
            return _exchange_data(process, data, mark.encode(), seconds, most)
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]


def _exchange_data(
    process: subprocess.Popen[bytes], data: bytes, mark: bytes, seconds: float, most: int
) -> bytes | Failed:
    """Hand the request in and takes the answer: what stands between two marks."""
    into, out_of = process.stdin, process.stdout
    assert into is not None  # both are pipes
    assert out_of is not None
    left = memoryview(data)
    told = bytearray()
    looked = time.monotonic()
    guard = looked + START
    tick = min(TICK, seconds / 4)
    waited, read, is_ready = 0.0, 0, False
    with selectors.DefaultSelector() as ready:
        for pipe, event in ((into, selectors.EVENT_WRITE), (out_of, selectors.EVENT_READ)):
            os.set_blocking(pipe.fileno(), False)
            ready.register(pipe, event)
        while (now := time.monotonic()) < guard:
            if now - looked >= tick:
                # one that writes much waits for who reads it
                if is_ready and len(told) - read < _CHUNK and _is_waiting(process.pid):
                    waited += tick
                if waited >= seconds:
                    return _too_long(seconds)
                looked, read = now, len(told)
            events = ready.select(tick)
            for key, _ in events:
                if key.fileobj is into:
                    with suppress(BlockingIOError):
                        left = left[_write_chunk(into, left) :]
                    if not left:
                        ready.unregister(into)
                        into.close()
                    continue
                part = os.read(out_of.fileno(), _CHUNK)
                told += part
                if not is_ready and mark in told:
                    is_ready = True
                    guard = time.monotonic() + max(LAST * seconds, START)
                    del told[: told.index(mark) + len(mark)]
                if is_ready and mark in told[-len(mark) - len(part) :]:
                    del told[told.rindex(mark) :]
                    return bytes(told)
                if len(told) > most + len(mark):
                    return Failed("output", TOO_MUCH)
                if not part:
                    return _end_failure(process, seconds)
    return _too_long(seconds) if is_ready else Failed("time", "does not start")


def _too_long(seconds: float) -> Failed:
    return Failed("time", f"takes longer than {seconds:g} s")


def _is_waiting(process: int) -> bool:
    """Return whether a process waits for something that is neither a processor nor a disk, which others use,
    too.
    """
    try:
        state = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except (OSError, IndexError):
        return True
    return state == b"S"


def _write_chunk(into: IO[bytes], data: memoryview) -> int:
    """Return how many bytes went in; all of them where nobody takes them any more."""
    try:
        return os.write(into.fileno(), data[:_CHUNK])
    except BrokenPipeError:
        return len(data)


def _end_failure(process: subprocess.Popen[bytes], seconds: float) -> Failed:
    """Return why there is no answer: its output was closed."""
    try:
        code = process.wait(1.0)
    except subprocess.TimeoutExpired:
        return Failed("died", "the process closed its output")
    if -code in (signal.SIGPROF, signal.SIGXCPU):
        return _too_long(seconds)
    if code < 0:
        return Failed("died", f"the process was ended by signal {-code}")
    return Failed("died", f"the process ended with status {code} and no answer")
