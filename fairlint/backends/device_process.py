"""A process that holds a model on one device, for `devices.py` in another process: what is said between them.

| it is told | it says |
|---|---|
| what to load: the text that names a model, and its options | `ready` with name, revision and settings |
| `sampling`, a number, what is wanted | `sampling` |
| `answer`, a number, requests, sampling, what says that an answer is complete | `answers`, then `done` |
| `stop`, a number: nobody waits for what was asked up to it | |

It says `failed` with the number where it cannot, and `written` with the count of its tokens, now and then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any

from fairlint.backends import registry
from fairlint.backends.model import Finished, Model, ModelError, Sampling
from fairlint.backends.requests import Request

BEAT = 1.0
"""Seconds between two words on what it has written."""


def serve(line: int) -> None:
    """Hold a model and answer until the other end of the line is closed."""
    os.set_inheritable(line, False)
    told: Connection[Any, Any] = Connection(line)
    voice = Lock()

    def say(*message: Any) -> None:
        with voice, suppress(OSError):  # there is nobody left to tell
            told.send(message)

    text, options = told.recv()
    try:
        model = registry.load(text, options)
    except ModelError as error:
        say("failed", (0, str(error)))
        return
    except Exception as error:
        say("failed", (0, _internal_error_text(error)))
        return
    say("ready", {"name": model.name, "revision": model.revision, "settings": dict(model.settings)})
    _Service(told, model, say).go_on()


class _Service:
    """What a process does that holds a model."""

    def __init__(self, line: Connection[Any, Any], model: Model, say: Callable[..., None]) -> None:
        self._line = line
        self._model = model
        self._say = say
        self._asked: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
        self._stopped = 0
        """The last question that nobody waits for any more."""
        self._over = Event()

    def go_on(self) -> None:
        """Answer what is asked, for ever: the process ends with the line."""
        Thread(target=self._listen, name="fairlint-line", daemon=True).start()
        Thread(target=self._count, name="fairlint-count", daemon=True).start()
        while True:
            kind, number, *question = self._asked.get()
            try:
                if kind == "sampling":
                    self._say("sampling", self._model.sampling(*question))
                else:
                    self._answer(number, *question)
            except ModelError as error:
                self._say("failed", (number, str(error)))
            except Exception as error:
                self._say("failed", (number, _internal_error_text(error)))

    def _answer(
        self, number: int, requests: Sequence[Request], sampling: Sampling, finished: Finished
    ) -> None:
        batches = self._model.answer(requests, sampling, finished)
        try:
            for batch in batches:
                if number <= self._stopped:
                    return
                self._say("answers", (number, list(batch)))
        finally:
            getattr(batches, "close", lambda: None)()
        if notes := list(getattr(self._model, "notes", ())):
            self._say("notes", notes)
        self._say("written", getattr(self._model, "written", 0))
        self._say("done", number)

    def _listen(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                message = self._line.recv()
                if message[0] == "stop":
                    self._stopped = message[1]
                else:
                    self._asked.put(message)
        self._over.set()
        with suppress(Exception):  # what it holds beside this process, such as an engine's own
            self._model.close()
        os._exit(0)

    def _count(self) -> None:
        while not self._over.wait(BEAT):
            self._say("written", getattr(self._model, "written", 0))


def _internal_error_text(error: Exception) -> str:
    return f"internal error: {type(error).__name__}: {' '.join(str(error).split())}"
