"""Processes of this machine."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path

from fairlint.fleet.engines.slots import Slot
from fairlint.fleet.jobs import SHARED, Answer, Job


class LocalEngine:
    """So many slots, all asked from one thread beside the caller's."""

    def __init__(self, jobs: int, work: str) -> None:
        count = jobs or os.cpu_count() or 1
        self.at_once = 2 * count
        self.shared = str(Path(work) / SHARED)
        self._slots = [Slot(Path(work) / f"slot-{number}") for number in range(count)]
        self._loop = asyncio.new_event_loop()
        self._free: asyncio.Queue[Slot] = asyncio.Queue()
        for slot in self._slots:
            self._free.put_nowait(slot)
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._out: set[Future[Answer]] = set()
        self._asking: set[asyncio.Task[Answer]] = set()

    def submit(self, jobs: Sequence[Job]) -> None:
        """Take a batch of jobs."""
        self._out |= {asyncio.run_coroutine_threadsafe(self._ask(job), self._loop) for job in jobs}

    def wait(self) -> list[Answer]:
        """Return the answers that have come."""
        done, self._out = wait(self._out, return_when=FIRST_COMPLETED)
        return [one.result() for one in done]

    def cancel(self) -> None:
        """End all processes."""
        for one in self._out:
            one.cancel()
        self._out = set()
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _ask(self, job: Job) -> Answer:
        task = asyncio.current_task()
        assert task is not None
        self._asking.add(task)
        try:
            slot = await self._free.get()
            try:
                return await slot.ask(job)
            finally:
                self._free.put_nowait(slot)
        finally:
            self._asking.discard(task)

    async def _end(self) -> None:
        """Wait for those that were cancelled: each ends its process."""
        await asyncio.gather(*self._asking, return_exceptions=True)
        for slot in self._slots:
            await slot.end()
