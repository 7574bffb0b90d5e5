"""One process that checks repositories one after the other, and the folder that their files are in."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from fairlint.fleet.jobs import FOLDER, Answer, Job, answer_head, failure
from fairlint.worker.process import Worker

JOBS = "fairlint.fleet.jobs"


class Slot:
    """A worker with a folder. What a repository leaves behind, whatever became of it, is taken away."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._worker: Worker | None = None
        self._seconds = 0.0

    async def ask(self, job: Job) -> Answer:
        """Return the answer to a job; a failure where the process took too long or died."""
        began = time.monotonic()
        seconds = float(job["limits"]["seconds"])
        if self._worker is None or seconds != self._seconds:
            await self.end()
            self._worker, self._seconds = Worker(seconds, JOBS), seconds
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            found = await self._worker.ask({**job, "work": str(self._folder)})
        except OSError as error:
            found = {"error": f"no process can be started: {error.strerror or error}", "cause": "error"}
        finally:
            self._sweep()
        if "error" not in found:
            return dict(found)
        cause = found["cause"] if found["cause"] in {"time", "died"} else "error"
        return {
            **failure(cause, found["error"]),
            **answer_head(job),
            "seconds": round(time.monotonic() - began, 3),
            "cpu_seconds": 0.0,
        }

    async def end(self) -> None:
        """End the process."""
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.end()

    def _sweep(self) -> None:
        with suppress(OSError):
            for path in self._folder.iterdir():
                shutil.rmtree(path, ignore_errors=True)


@cache
def _own_loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


@cache
def _own_slot() -> Slot:
    return Slot(Path(tempfile.mkdtemp(prefix=FOLDER)))


def ask_own_slot(job: Job) -> Answer:
    """Return the answer to a job by the one slot that this process of a cluster has, which stays for the
    next.
    """
    return _own_loop().run_until_complete(_own_slot().ask(job))
