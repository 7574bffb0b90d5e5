"""Says when what is checked: a moment after the last change, and only what is still open and as it was."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

MOMENT = 0.3
"""Seconds without a change after which a text is checked."""


class Schedule:
    """At most one check of each text is waiting or running; a new one takes its place."""

    def __init__(self, check: Callable[[str], Awaitable[None]]) -> None:
        self._check = check
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def soon(self, uri: str, wait: float = MOMENT) -> None:
        """Has a text checked after so many seconds, unless that is asked for again before."""
        self.drop(uri)
        task = asyncio.ensure_future(self._check_later(uri, wait))
        self._tasks[uri] = task
        task.add_done_callback(lambda done: self._forget(uri, done))

    def all_soon(self, uris: Iterable[str], wait: float = MOMENT) -> None:
        """As above for several texts, except those that wait already."""
        for uri in uris:
            if uri not in self._tasks:
                self.soon(uri, wait)

    def again(self, uris: Iterable[str]) -> None:
        """Has texts checked anew, whatever is known of them: what they hang on has changed."""
        for uri in uris:
            self.soon(uri)

    def drop(self, uri: str) -> None:
        """Note that a text is not to be checked any more."""
        task = self._tasks.pop(uri, None)
        if task is not None:
            task.cancel()

    def drop_all(self) -> None:
        """Nothing is to be checked any more."""
        for uri in list(self._tasks):
            self.drop(uri)

    async def done(self, uri: str) -> None:
        """Wait for the check of a text, if one is waiting or running."""
        task = self._tasks.get(uri)
        if task is not None:
            await asyncio.wait([task])

    async def _check_later(self, uri: str, wait: float) -> None:
        await asyncio.sleep(wait)
        await self._check(uri)

    def _forget(self, uri: str, done: asyncio.Task[None]) -> None:
        if self._tasks.get(uri) is done:
            del self._tasks[uri]
        if not done.cancelled():
            done.exception()  # what the library would complain of was told where it happened
