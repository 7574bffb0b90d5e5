"""What asynchronous work finds, for a reader that is not asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from queue import SimpleQueue
from threading import Event, Thread
from typing import TypeVar

_Item = TypeVar("_Item")


def from_thread(
    work: Callable[[Callable[[_Item], Awaitable[None]]], Awaitable[None]],
) -> Generator[list[_Item], None, None]:
    """Yield what `work` puts, everything since the last time, until it ends; then its error is raised.

    It runs in a thread with an event loop of its own: answers go on to come while their reader is busy, and
    the reader may be in an event loop, as notebooks are. Putting ends when the reader asks for more, which
    says that it has kept what it got. Closing cancels it.
    """
    came: SimpleQueue[tuple[_Item, asyncio.Future[None]] | None] = SimpleQueue()
    failures: list[BaseException] = []
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]]] = []
    started = Event()

    async def put(item: _Item) -> None:
        kept = asyncio.get_running_loop().create_future()
        came.put((item, kept))
        await kept

    async def body() -> None:
        task = asyncio.current_task()
        assert task is not None
        running.append((asyncio.get_running_loop(), task))
        started.set()
        await work(put)

    def run() -> None:
        try:
            asyncio.run(body())
        except BaseException as error:
            failures.append(error)
        finally:
            started.set()
            came.put(None)

    thread = Thread(target=run, name="fairlint-server", daemon=True)
    thread.start()
    try:
        going = True
        while going:
            waiting = [came.get()]
            while not came.empty():
                waiting.append(came.get())
            going = waiting[-1] is not None
            if batch := [one for one in waiting if one is not None]:
                yield [item for item, _ in batch]
                with suppress(RuntimeError):  # the loop has ended
                    for loop, _ in running:
                        loop.call_soon_threadsafe(_resolve_futures, [kept for _, kept in batch])
    finally:
        started.wait()
        with suppress(RuntimeError):  # the loop has ended
            for loop, task in running:
                loop.call_soon_threadsafe(task.cancel)
        thread.join()
    if failures:
        raise failures[0]


def _resolve_futures(kept: list[asyncio.Future[None]]) -> None:
    for one in kept:
        if not one.done():
            one.set_result(None)
