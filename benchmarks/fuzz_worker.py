"""The processes in which fuzz.py judges its inputs, with limits of CPU time and memory for each."""

from __future__ import annotations

import hashlib
import io
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import tempfile
import threading
import time
import traceback
from contextlib import redirect_stderr, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

import fuzz_oracle
from fuzz_mutations import Made, make
from fuzz_seeds import KINDS, Seeds, gather

import fairlint

MEGABYTE = 1_000_000
PATIENCE = 600.0
"""Seconds without an answer after which a process hangs, whatever it does."""
GROWN = 200.0
"""Megabytes above its start at which a process is replaced: what it could take again would not be seen."""

_PACKAGE = f"{Path(fairlint.__file__).parent}{os.sep}"
_FRAME = re.compile(
    rf'^  File "(?:{re.escape(_PACKAGE)}|[^"]*(?=fuzz_))([^"]*)", line \d+, in (\S+)$', re.MULTILINE
)
_RAISED = re.compile(r"^([A-Za-z_]\S*?)(?::|$)", re.MULTILINE)
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one input may take: seconds of CPU for each stage, megabytes above what the process has."""

    seconds: float = 5.0
    megabytes: float = 500.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked for."""

    seed: int
    start: int = 0
    inputs: int | None = None
    minutes: float | None = None
    kinds: tuple[str, ...] = tuple(KINDS)
    cores: int = 1
    samples: Path | None = None
    limits: Limits = field(default_factory=Limits)
    patience: float = 120.0
    """Seconds in which an input is made small."""
    way: str = "spawn"
    """How processes are started. A forked one has what was changed in this one, its hash seed too."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to judge: the input of a number, or one that is given."""

    number: int
    given: Made | None = None


@dataclass(slots=True)
class Result:
    """What came of one input. `problem` is the same for inputs with the same cause; empty where all holds."""

    number: int
    kind: str = ""
    mode: str = ""
    size: int = 0
    seconds: float = 0.0
    """CPU of the stage that took most."""
    megabytes: float = 0.0
    problem: str = ""
    detail: str = ""
    digest: str = ""
    grown: float = field(default=0.0, repr=False)
    cpu: float = 0.0
    """Seconds of all stages, and of making the input."""


_STARTING = threading.Lock()


class Worker:
    """A process that judges one input after the other, and is replaced when it dies or has grown."""

    def __init__(self, plan: Plan, hash_seed: int) -> None:
        self._plan = plan
        self._hash_seed = str(hash_seed % 2**32)
        self._context: Any = multiprocessing.get_context(plan.way)
        self._process: Any = None
        self._line: Connection[Any, Any] | None = None

    def judge(self, task: Task) -> Result:
        """The result for one input, also where the process dies of it."""
        line = self._line or self._start()
        line.send(task)
        try:
            if line.poll(PATIENCE):
                result: Result = line.recv()
                if result.grown > GROWN:
                    self.end()
                return result
            problem = "hangs"
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode
            problem = "cpu" if code == -signal.SIGXCPU else f"the process died ({code})"
        self.end()
        made = task.given
        kind, mode, size = ("", "", 0) if made is None else (made.kind, made.mode, len(made.data))
        seconds = 3 * self._plan.limits.seconds if problem == "cpu" else 0.0
        return Result(task.number, kind, mode, size, seconds, 0.0, problem, f"{problem}: killed", cpu=seconds)

    def end(self) -> None:
        """Ends the process; the next input starts another."""
        if self._line is not None:
            self._line.close()
            self._process.kill()
            self._process.join()
        self._line = None

    def _start(self) -> Connection[Any, Any]:
        line: Connection[Any, Any]
        line, other = self._context.Pipe()
        self._process = self._context.Process(target=_serve, args=(other, self._plan), daemon=True)
        with _STARTING:  # the environment is that of all threads
            before = os.environ.get("PYTHONHASHSEED")
            os.environ["PYTHONHASHSEED"] = self._hash_seed
            try:
                self._process.start()
            finally:
                del os.environ["PYTHONHASHSEED"]
                if before is not None:
                    os.environ["PYTHONHASHSEED"] = before
        other.close()
        self._line = line
        return line


# ---------------------------------------------------------------------------------------- in a new process


def _serve(line: Connection[Any, Any], plan: Plan) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ["FAIRLINT_DEBUG"] = "1"
    os.environ["SOURCE_DATE_EPOCH"] = "0"  # a page says when it was made
    seeds = gather(plan.samples)
    fuzz_oracle.load_all()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limits = plan.limits
    begin = _status("VmSize") + 2 * limits.megabytes
    resource.setrlimit(resource.RLIMIT_AS, (int(begin * MEGABYTE), resource.RLIM_INFINITY))
    start = _status("VmRSS")
    with suppress(EOFError, OSError), tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        while True:
            task: Task = line.recv()
            result = _judged(task, plan, seeds)
            result.grown = _status("VmRSS") - start
            line.send(result)


def _judged(task: Task, plan: Plan, seeds: Seeds) -> Result:
    limits = plan.limits
    begun = time.process_time()
    made = task.given if task.given is not None else make(plan.seed, task.number, seeds, plan.kinds)
    result = Result(task.number, made.kind, made.mode, len(made.data))
    told = io.StringIO()
    stopped = _Stopped(limits.seconds)
    used = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(used + 9 * limits.seconds) + 1, resource.RLIM_INFINITY))
    Path("/proc/self/clear_refs").write_text("5")  # the highest memory counts from here
    before = _status("VmRSS")
    digest = hashlib.blake2b(digest_size=16)
    try:
        with redirect_stderr(told):
            _emptied(Path())
            chance = random.Random(made.number)
            for found in stopped.within(fuzz_oracle.stages(made.kind, made.data, chance, Path())):
                now = time.process_time()
                result.seconds = max(result.seconds, now - used)
                digest.update(repr(found).encode("utf-8", "backslashreplace"))
                used = time.process_time()
    except _TooLongError:
        pass
    except Exception as error:
        result.problem, result.detail = _problem(error, told.getvalue())
    result.seconds = max(result.seconds, time.process_time() - used)
    result.cpu = time.process_time() - begun
    result.megabytes = _status("VmHWM") - before
    result.digest = digest.hexdigest()
    if not result.problem and result.seconds > limits.seconds:
        result.problem, result.detail = f"cpu{stopped.where}", f"{result.seconds:.1f} s of CPU"
    elif not result.problem and result.megabytes > limits.megabytes:
        result.problem, result.detail = "memory", f"{result.megabytes:.0f} MB"
    return result


class _TooLongError(BaseException):
    """A stage has taken three times what it may."""


class _Stopped:
    """Looks where a stage is when it has taken what it may, and ends it a while later."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.where = ""

    def within(self, stages: fuzz_oracle.Stages) -> fuzz_oracle.Stages:
        """The same stages."""
        signal.signal(signal.SIGPROF, self._late)
        try:
            while True:
                signal.setitimer(signal.ITIMER_PROF, self._seconds, 2 * self._seconds)
                try:
                    found = next(stages)
                except StopIteration:
                    return
                yield found
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _late(self, _number: int, frame: FrameType | None) -> None:
        if self.where:
            raise _TooLongError
        codes = [one.f_code for one, _ in traceback.walk_stack(frame)]
        own = [code for code in codes if code.co_filename.startswith(_PACKAGE)]
        name = own[0].co_filename.removeprefix(_PACKAGE) if own else ""
        self.where = f" in {name}, {own[0].co_name}" if own else " somewhere"


def _problem(error: Exception, told: str) -> tuple[str, str]:
    """What kind of error it is and where it was raised; and all about it."""
    shown = told.strip() or "".join(traceback.format_exception(error)).strip()
    frames = list(_FRAME.finditer(shown))
    raised = _RAISED.search(shown, frames[-1].end() if frames else 0)
    name = (raised[1] if raised else type(error).__name__).rpartition(".")[2]
    detail = f"{error}\n{shown[-3000:]}"
    if name == "RecursionError":
        return name, detail
    if not frames or frames[-1][1].startswith("fuzz_"):
        return f"{name}: {_NUMBER.sub('0', str(error))[:60]}", detail
    return f"{name} in {frames[-1][1]}, {frames[-1][2]}", detail


def _emptied(folder: Path) -> None:
    """Removes what the input before has left, which this one may name."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _status(name: str) -> float:
    """Megabytes that the system says of this process."""
    with open("/proc/self/status", encoding="ascii") as file:  # noqa: PTH123 (it is asked for every input)
        text = file.read()
    at = text.index(f"{name}:") + len(name) + 1
    return int(text[at : text.index("kB", at)]) * 1024 / MEGABYTE
