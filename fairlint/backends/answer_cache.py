"""Answers that runs share: a folder in which each lies under a hash of all that it depends on.

A file is written beside its place and moved there at one stroke, so any number of runs, on any machines that
see the folder, may read and write at once, and each may be killed at any time. What cannot be read is not
there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from fairlint.backends.allowed_answers import scoring_of
from fairlint.backends.kept_answers import probabilities_kept
from fairlint.backends.model import Finished, Model, Response, Sampling
from fairlint.backends.requests import Request, chat
from fairlint.run_folders.jsonl import LONGEST_LINE
from fairlint.run_folders.record_shapes import CACHED
from fairlint.support import whole_files
from fairlint.support.about import __version__
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import field_names
from fairlint.support.shapes import fault_of

UNKNOWN = "unknown"
TOLD = ("text", "given", "finish", "prompt_tokens", "new_tokens")
"""What is kept of an answer."""
PROBABILITIES = frozenset({"probabilities", "at_most"})
"""What is kept besides of a request that allows some answers."""


class Suite(Protocol):
    """Whoever asks: a name, and where an answer ends."""

    name: str

    @property
    def finished(self) -> Finished:
        """Say how much of a text is the whole answer."""


class WholeAnswers:
    """Whoever asks for answers that have no end before their own."""

    def __init__(self, name: str) -> None:
        self.name = name

    @staticmethod
    def finished(_request: Request, _text: str) -> int | None:
        """Return nothing shows earlier that an answer is complete."""
        return None


class AnswerCache:
    """The answers in a folder, of all models. Raises UsageError for a folder that cannot be written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.notes: list[str] = []
        """What went wrong, in a sentence."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--answer-cache {folder}: cannot be written: {error.strerror}") from None

    def get(self, key: str, request: Request) -> Response | None:
        """Return the answer to a request under its key."""
        try:
            told = read_json(read_file(self._entry_path(key), LONGEST_LINE))
        except (NotReadableError, ValueError):
            return None
        if fault_of(CACHED, told) or told["key"] != key:
            return None
        if request.allowed and not told.keys() >= PROBABILITIES:
            return None
        known = (*TOLD, *PROBABILITIES) if request.allowed else TOLD
        return Response(request, **{name: told[name] for name in known})

    def put(self, key: str, response: Response) -> None:
        """Keep an answer. A folder that takes no more costs no answer: it is told in `notes`."""
        if self.notes:
            return
        place = self._entry_path(key)
        kept = {name: getattr(response, name) for name in TOLD} | probabilities_kept(response)
        told = {"key": key, **kept}
        try:
            place.parent.mkdir(exist_ok=True)
            whole_files.write_into(str(place.parent), place.name, json.dumps(told).encode("ascii"))
        except OSError as error:
            self.notes.append(f"the answer cache took no more answers ({error.strerror})")

    def _entry_path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"


def check_known_model(model: Model) -> None:
    """Raise UsageError for a function of which nobody says what it is."""
    if model.revision == UNKNOWN and model.settings.get("backend") == "function":
        raise UsageError("an answer cache needs to know which model answers: give a name and a revision")


def key_of_answer(model: Model, sampling: Sampling, suite: Suite, request: Request) -> str:
    """Return a hash of all that an answer depends on: who is asked, how, what, and where the answer ends.

    Raises UsageError as `check_known`.
    """
    check_known_model(model)
    told: Mapping[str, Any] = {
        "model": [model.name, model.revision, model.settings],
        "sampling": {name: getattr(sampling, name) for name in field_names(sampling)},
        "asked": [chat(request), request.header, request.function, request.parameter, request.plain],
        "seed": request.seed,
        "ends": [suite.name, request.role, __version__] if sampling.early_stop else None,
        **({"allowed": request.allowed} if request.allowed else {}),
    }
    text = json.dumps(told, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def cached_answers(
    model: Model, cache: AnswerCache | None, asked: Sequence[Request], sampling: Sampling, suite: Suite
) -> list[Response]:
    """Return the answers that the cache has to what is asked; a model that only has answers needs none."""
    if cache is None or hasattr(model, "requests"):
        return []
    found = (cache.get(key_of_answer(model, sampling, suite, one), one) for one in asked)
    return [one for one in found if one is not None]


def answers_into_cache(
    model: Model, cache: AnswerCache | None, asked: Sequence[Request], sampling: Sampling, suite: Suite
) -> Generator[Sequence[Response]]:
    """Yield the answers of a model, which are kept in the cache as they come. Where requests allow some
    answers, they are the probabilities of these.
    """
    if asked and asked[0].allowed:
        batches = scoring_of(model).score(asked, sampling.max_new_tokens)
    else:
        batches = model.answer(asked, sampling, suite.finished)
    for batch in _closing_batches(batches):
        if cache is not None and not hasattr(model, "requests"):
            for response in batch:
                cache.put(key_of_answer(model, sampling, suite, response.request), response)
        yield batch


def _closing_batches(batches: Iterator[Sequence[Response]]) -> Iterator[Sequence[Response]]:
    """Yield a generator that lets go of what it holds, also where it is interrupted."""
    try:
        yield from batches
    finally:
        close = getattr(batches, "close", None)
        if close is not None:
            close()
