"""One model on several devices: a process each holds all of it, and they share the requests.

A process gets requests as it is done with others, fewer each time, so that all end at about the same time.
Its answers come as they are done, and only the first process writes them down. An answer depends on its
request's text and seed, so it does not matter which process gives it.

A process that dies leaves what it had not answered to the others. All end with the first one, however it
ends.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fairlint.backends.extras import need
from fairlint.backends.model import Finished, Model, ModelError, ModelOptions, Response, Sampling
from fairlint.backends.names import SERVED, Found
from fairlint.backends.requests import Request, key_of
from fairlint.processes import parallel
from fairlint.support.records import Record, replace

if TYPE_CHECKING:
    import subprocess
    from multiprocessing.connection import Connection

LEAST = 16
"""Requests that a process gets at a time, while there are enough for all: a batch."""
GRACE = 10.0
"""Seconds that a process has to give back what it holds."""
ALL = "all"


def devices_of(text: str) -> tuple[str, ...]:
    """Return the devices of `--devices`: names with commas, a number of them, or `all` that there are.

    A number without an accelerator means so many processes on the CPU. Raises ModelError for what is no
    device, and for more accelerators than there are.
    """
    if text != ALL and not text.isdecimal():
        found = tuple(part.strip() for part in text.split(","))
        if not all(found):
            raise ModelError(f"--devices {text}: names with commas between, a number, or {ALL}")
        return found
    there = int(need("torch", "bench").cuda.device_count())
    wanted = there if text == ALL else int(text)
    if wanted < 1:
        raise ModelError(f"--devices {text}: there must be one at least")
    if not there:
        return ("cpu",) * wanted
    if wanted > there:
        raise ModelError(f"--devices {text}: there are {there} here")
    return tuple(f"cuda:{number}" for number in range(wanted))


def load(found: Found, text: str | None, options: ModelOptions) -> Model:
    """Return the model that `text` stands for, on each of `options.devices`.

    The first process loads it alone, so that what has to be downloaded or converted is so once; then the
    others do. Raises ModelError where one cannot.
    """
    if found.backend in SERVED:
        raise ModelError(f"{found.name}: --devices is for models that are loaded on this machine")
    if not parallel.can_be_fresh():
        raise ModelError("--devices needs processes of their own, which this system does not have")
    return SharedModel(text, found.backend, options)


class SharedModel:
    """A model that several processes hold."""

    def __init__(self, text: str | None, backend: str, options: ModelOptions) -> None:
        self._workers: list[_Worker] = []
        self._number = 0
        self.notes: list[str] = []
        try:
            for device in options.devices:
                self._workers.append(_start_worker(device, text, backend, options))
                if len(self._workers) == 1:
                    self._wait_until_ready(self._workers[0])
            for worker in self._workers[1:]:
                self._wait_until_ready(worker)
            first, *others = (worker.told for worker in self._workers)
            for one, worker in zip(others, self._workers[1:], strict=True):
                if one != first:
                    raise ModelError(
                        f"--devices: the model is not the same on {self._workers[0].device} and "
                        f"{worker.device}, so answers would not be: name devices of one kind"
                    )
        except BaseException:
            self.close()
            raise
        self.name: str = first["name"]
        self.revision: str = first["revision"]
        self.settings: Mapping[str, Any] = first["settings"]

    @property
    def written(self) -> int:
        """Tokens that all have written."""
        return sum(worker.written for worker in self._workers)

    def sampling(self, wanted: Sampling) -> Sampling:
        """As the model says."""
        worker = self._living_workers()[0]
        worker.line.send(("sampling", self._number, wanted))
        while True:
            kind, told = self._receive_message(worker)
            if kind == "sampling":
                found: Sampling = told
                return found
            if kind in {"failed", "died"}:
                raise ModelError(told[1] if kind == "failed" else told)

    def answer(
        self, requests: Sequence[Request], sampling: Sampling, finished: Finished
    ) -> Iterator[Sequence[Response]]:
        """Yield all answers, those of a batch as they are done, whoever gives them."""
        from multiprocessing.connection import wait  # noqa: PLC0415 (few need processes)

        waiting = deque(requests)
        try:
            while waiting or any(worker.at for worker in self._living_workers()):
                for worker in self._living_workers():
                    if not worker.at and waiting:
                        self._hand_out_share(worker, waiting, sampling, finished)
                for line in wait([worker.line for worker in self._living_workers()]):
                    worker = next(one for one in self._workers if one.line is line)
                    if came := self._answers(worker, waiting):
                        yield came
        finally:
            for worker in self._workers:
                if worker.at:
                    worker.at = 0
                    with suppress(OSError):
                        worker.line.send(("stop", self._number))

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            with suppress(OSError):
                worker.line.close()  # which is how they hear that it is over
        for worker in self._workers:
            _end_process(worker.process, GRACE if worker.told else 0.0)  # one that still loads hears nothing
        self._workers = []

    def _living_workers(self) -> list[_Worker]:
        alive = [worker for worker in self._workers if not worker.dead]
        if not alive:
            raise ModelError(f"{self.name}: all processes have ended; --resume goes on with the run")
        return alive

    def _hand_out_share(
        self, worker: _Worker, waiting: deque[Request], sampling: Sampling, finished: Finished
    ) -> None:
        """Hand a share of what is waiting to a process."""
        share = [waiting.popleft() for _ in range(share_of(len(waiting), len(self._living_workers())))]
        self._number += 1
        worker.at, worker.left = self._number, {key_of(request): request for request in share}
        with suppress(OSError):  # it died meanwhile, and that will be heard
            worker.line.send(("answer", self._number, share, sampling, finished))

    def _answers(self, worker: _Worker, waiting: deque[Request]) -> Sequence[Response]:
        """Return what a process says: answers, or that it has no more, or why it cannot."""
        kind, told = self._receive_message(worker)
        if kind == "answers" and told[0] == worker.at:
            for response in told[1]:
                worker.left.pop(key_of(response.request), None)
            found: Sequence[Response] = told[1]
            return found
        if kind == "done" and told == worker.at:
            worker.at = 0
            if worker.left:
                raise ModelError(f"{self.name} gave no answer to {len(worker.left)} requests")
        if kind == "failed" and told[0] == worker.at:
            raise ModelError(told[1])
        if kind == "died":
            if worker.at:
                waiting.extendleft(reversed(worker.left.values()))
                worker.at = 0
            if all(one.dead for one in self._workers):
                raise ModelError(f"{told}, the last one; --resume goes on with the run")
            self.notes.append(f"{told}: the others answered what was left to it")
        return ()

    def _wait_until_ready(self, worker: _Worker) -> None:
        """Wait until a process has loaded the model."""
        while not worker.told:
            kind, told = self._receive_message(worker)
            if kind == "ready":
                worker.told = told
            elif kind in {"failed", "died"}:
                raise ModelError(f"{worker.device}: {told[1]}" if kind == "failed" else told)

    def _receive_message(self, worker: _Worker) -> tuple[str, Any]:
        """Return the next message of a process; `died` is ours."""
        try:
            kind, told = worker.line.recv()
        except (EOFError, OSError):
            worker.dead = True
            code = _end_process(worker.process, 1.0)
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            return "died", (
                f"the process on {worker.device} has ended ({how}; 9 may mean that memory was short)"
            )
        if kind == "written":
            worker.written = told
        if kind == "notes":
            self.notes += [note for note in told if note not in self.notes]
        return kind, told


def share_of(left: int, workers: int) -> int:
    """Return how many of so many requests a process gets at a time.

    Half of what is left, shared, so that shares get smaller towards the end, but no less than a batch as long
    as there is one for each.

    >>> [share_of(1000, 4), share_of(100, 4), share_of(40, 4), share_of(3, 4)]
    [125, 16, 10, 1]
    """
    return min(max(LEAST, math.ceil(left / (2 * workers))), math.ceil(left / workers))


class _Worker(Record, frozen=False, eq=False):
    """A process that holds the model."""

    device: str
    process: subprocess.Popen[bytes]
    line: Connection[Any, Any]
    left: dict[str, Request]
    """What it has not answered yet of its share, by key."""
    told: Mapping[str, Any]
    """Name, revision and settings of the model; empty until it is loaded."""
    at: int = 0
    """The number of the share that it is at; 0: none."""
    written: int = 0
    dead: bool = False


def _start_worker(device: str, text: str | None, backend: str, options: ModelOptions) -> _Worker:
    """Return a process that is told to load the model onto a device."""
    alone = replace(options, devices=(), device=device)
    environment: dict[str, str] = {}
    if device == "cpu" and "OMP_NUM_THREADS" not in os.environ:
        sharing = options.devices.count("cpu")
        environment["OMP_NUM_THREADS"] = str(max(1, parallel.cores() // sharing))
    if backend == "vllm" and device.startswith("cuda:"):
        environment["CUDA_VISIBLE_DEVICES"] = _system_card_id(int(device.partition(":")[2] or 0))
        alone = replace(alone, device="cuda")
    process, line = parallel.begun_anew("fairlint.backends.device_process", "serve", environment)
    with suppress(OSError):
        line.send((text, alone))
    return _Worker(device, process, line, {}, {})


def _system_card_id(number: int) -> str:
    """Return how the system calls an accelerator that this process calls by its number."""
    seen = [one for one in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if one.strip()]
    return seen[number] if number < len(seen) else str(number)


def _end_process(process: subprocess.Popen[bytes], patience: float) -> int:
    """End a process that was told so, by force where it takes too long. Its exit code."""
    import subprocess  # noqa: PLC0415 (few need processes)

    try:
        return process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()
