"""A worker as the program beside it sees it: it is asked, and ended when an answer is no longer wanted."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

_HOME = str(Path(__file__).absolute().parents[2])
_START = "import sys; sys.path.append(sys.argv.pop(1)); from fairlint.worker.__main__ import main; main()"
"""A checkout that is run where it stands is found by its place."""
PATIENCE = 120.0
"""Seconds after which a job is given up, whatever limits of its own it has."""
JOBS = "fairlint.worker.jobs"
"""The module that knows what a program asks about."""
Answer = Mapping[str, Any]


class Worker:
    """A process that carries out one job at a time. It is started for a job, and anew after its end.

    `jobs` is the module whose `answer` makes the answer to a job.
    """

    def __init__(self, patience: float = PATIENCE, jobs: str = JOBS) -> None:
        self._patience = patience
        self._jobs = jobs
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def ask(self, job: Mapping[str, Any]) -> Answer:
        """Return the answer to a job; an answer with `error` where there is none.

        Whoever cancels this ends the process, if it is at work on this job.
        """
        async with self._turn:
            whole = False
            try:
                answer = await asyncio.wait_for(self._ask_with_retry(job), self._patience)
                whole = answer.get("cause") != "died"
            except TimeoutError:
                answer = {"error": f"takes longer than {self._patience:g} s", "cause": "time"}
            finally:
                if not whole:
                    await self.end()
        return answer

    async def _ask_with_retry(self, job: Mapping[str, Any]) -> Answer:
        for _ in range(2):  # the one that was there may have made room just now
            try:
                return await self._ask_process(job)
            except (OSError, EOFError):
                await self.end()
        return {"error": "the process that checks it died", "cause": "died"}

    async def _ask_process(self, job: Mapping[str, Any]) -> Answer:
        process = await self._running_process()
        assert process.stdin is not None  # both are pipes
        assert process.stdout is not None
        body = json.dumps(job).encode()
        process.stdin.write(len(body).to_bytes(4, "big") + body)
        await process.stdin.drain()
        head = await process.stdout.readexactly(4)
        answer: Answer = json.loads(await process.stdout.readexactly(int.from_bytes(head, "big")))
        return answer

    async def _running_process(self) -> asyncio.subprocess.Process:
        process = self._process
        if process is None or process.returncode is not None:
            await self.end()
            # -P: the code of strangers may stand in the current folder
            starting = asyncio.ensure_future(
                asyncio.create_subprocess_exec(
                    sys.executable, "-P", "-c", _START, _HOME, str(os.getpid()), self._jobs,
                    stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, start_new_session=True,
                )
            )  # fmt: skip
            try:
                process = self._process = await asyncio.shield(starting)
            except asyncio.CancelledError:  # asyncio waits for ever where the start itself is cancelled
                self._process = await starting
                raise
        return process

    async def end(self) -> None:
        """End the process, whatever it is doing, and those that it has started."""
        process = self._process
        if process is None:
            return
        if process.returncode is None:
            with suppress(ProcessLookupError):
                if os.name == "posix":
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()
        await process.wait()
        if self._process is process:  # who is cancelled while waiting leaves it to the next who ends it
            self._process = None
