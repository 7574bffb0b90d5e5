"""One run: a suite's requests, a model's answers, their outcomes and the figures, kept in a folder.

Answers are on the disk as soon as they are there, so that whatever ends a run, the next one with the same
settings goes on where it ended.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from fairlint import Settings
from fairlint.backends.answer_cache import AnswerCache, answers_into_cache, cached_answers
from fairlint.backends.kept_answers import kept_of
from fairlint.backends.lazy_model import LazyModel, sampling_hash
from fairlint.backends.model import Model, ModelError, Sampling
from fairlint.backends.requests import Request, key_of
from fairlint.bench.asking.choice import Choice, requests_of
from fairlint.bench.asking.kept_prompts import check_prompts, keep_prompts
from fairlint.bench.asking.run_settings import (
    Known,
    check_before,
    check_growth,
    known_before,
    known_of,
    settings_of,
)
from fairlint.bench.asking.shards import group_of, requests_in
from fairlint.bench.asking.watching import Silent, Watch, written_by
from fairlint.bench.judging.judging_all import LIMITS, judge_all
from fairlint.bench.runs.judged_runs import is_complete_run, note, notes_of, prices_of
from fairlint.bench.runs.results import CACHED, Prices, as_text, document
from fairlint.bench.suites import line_shapes
from fairlint.bench.suites.suite import Conversing, Judged, Kept, ProtocolName, Suite, Turn, check_ready
from fairlint.run_folders.jsonl import KEY, RunFolderError
from fairlint.run_folders.run_folder import RunFolder, differences, is_of, open_run, read_run
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError

Judge = Callable[..., Iterator[dict[str, Any]]]
"""What judges answers, as `judge_all` does."""
JUDGED_AT_A_TIME = 200
"""Outcomes that are written together."""


def run(
    model: Model | LazyModel,
    suite: Suite,
    choice: Choice,
    path: Path,
    *,
    sampling: Sampling | None = None,
    resume: bool = False,
    protocol: ProtocolName = "exact",
    workers: int = 1,
    limits: Settings = LIMITS,
    watch: Watch | None = None,
    cache: AnswerCache | None = None,
    prices: Prices | None = None,
    judge: Judge = judge_all,
) -> dict[str, Any]:
    """Ask, judge and score; the result is the content of `metrics.json`, which lies in `path` with all else.

    `limits` has those of time and memory for judging one answer (`file_timeout`, `file_memory`), `judge` is
    where that is done.
    Without `resume` the folder must be new or empty. With it a run of the same settings goes on, and one that
    asked for less grows. A model that is loaded `LazyModel` is not loaded where nothing is left to ask. What
    `cache` has is not asked for. `prices` None: those of an earlier time, if there are any. Raises
    UsageError, ModelError or RunFolderError; what was answered until then stays in the folder.
    """
    told = watch or Silent()
    drawn = sampling or sampling_of(suite)
    check_ready(suite)
    check_new(path, resume=resume)
    said = sampling_hash(model.as_asked, drawn) if isinstance(model, LazyModel) else ""
    if resume and isinstance(model, LazyModel):
        check_before(path, suite, choice, drawn, said)
    known = known_before(path, said) if resume else None
    asked_of = _Answering(model, drawn, known, cache)
    whole = requests_of(suite, choice, asked_of.dictating)
    asked = requests_in(choice.shard, whole, suite)
    settings = settings_of(asked_of.known, suite, choice, asked=asked, whole=whole, as_asked=said)
    if known is not None and not is_of(read_run(path, line_shapes), settings):
        asked_of.load(path)  # before the folder is told that it grows: it may be another model
    grows = partial(check_growth, asked=asked, suite=suite)
    with open_run(path, settings, grows, line_shapes(suite.name)) as folder:
        check_prompts(folder)
        try:
            for wave in _request_waves(suite, asked, folder, asked_of.has):
                asked_of.answer(wave, suite, folder, told)
                if hasattr(suite, "follow"):
                    _judge_waiting(suite, folder, told, partial(judge, workers=workers, limits=limits))
        finally:
            asked_of.note(folder)
        _judge_waiting(suite, folder, told, partial(judge, workers=workers, limits=limits))
        metrics = document(
            suite,
            folder.settings,
            _judged_pairs(folder),
            asked=len(asked),
            protocol=protocol,
            notes=notes_of(path),
            prices=prices or prices_of(path),
        )
        folder.write_text("metrics.json", as_text(metrics))
    return metrics


def nothing_left(path: Path, model: LazyModel, suite: Suite, choice: Choice, sampling: Sampling) -> bool:
    """Return whether the run in a folder has come to its end with these very settings, so that no model is
    needed.

    In doubt it has not: then `run` finds out.
    """
    said = sampling_hash(model.as_asked, sampling)
    try:
        if (known := known_before(path, said)) is None:
            return False
        there = read_run(path, line_shapes)
        whole = requests_of(suite, choice)
        asked = requests_in(choice.shard, whole, suite)
        settings = settings_of(known, suite, choice, asked=asked, whole=whole, as_asked=said)
        return is_of(there, settings) and is_complete_run(there)
    except (RunFolderError, UsageError):
        return False


def cannot_resume(path: Path, model: LazyModel, suite: Suite, choice: Choice, sampling: Sampling) -> bool:
    """Return whether the run in a folder cannot go on as it is asked for, which `run` tells without the
    model.
    """
    try:
        check_before(path, suite, choice, sampling, sampling_hash(model.as_asked, sampling))
    except (RunFolderError, UsageError):
        return True
    return False


def sampling_of(suite: Suite, **changes: Any) -> Sampling:
    """Return the suite's own settings, with those `changes` that are not None."""
    own = {"max_new_tokens": suite.max_new_tokens, "temperature": suite.temperature}
    return Sampling(**{**own, **{name: value for name, value in changes.items() if value is not None}})


def check_new(path: Path, *, resume: bool) -> None:
    """Raise UsageError for a folder that holds a run, where nobody asked to go on with it."""
    if not resume and (path / "run.json").exists():
        raise UsageError(
            f"{path} holds a run already: --resume goes on with it, --output names another folder"
        )


def _request_waves(
    suite: Suite, asked: Sequence[Request], folder: RunFolder, has: Callable[[Request], bool] | None
) -> Iterator[Sequence[Request]]:
    """Yield what is asked together: the first requests, then what each conversation goes on with.

    The answers to a wave have to be kept and judged before the next one is taken. A model that `has` only
    some answers ends a conversation where it has none.
    """
    yield asked
    if not hasattr(suite, "follow"):
        return
    talks: list[tuple[Turn, ...]] = [()] * len(asked)
    wave = list(enumerate(asked))
    while wave:
        pairs = {kept[KEY]: (kept, told) for kept, told in _judged_pairs(folder)}
        for place, request in wave:
            talks[place] += (Turn(request, *pairs[key_of(request)]),)
        groups: dict[str, list[Turn]] = {}
        for talk in talks:
            groups.setdefault(group_of(talk[0].request, suite), []).extend(talk)
        nexts = [(place, _follow_up_request(suite, talks[place], groups)) for place, _ in wave]
        wave = [
            (place, request)
            for place, request in nexts
            if request is not None and (has is None or has(request))
        ]
        if wave:
            yield [request for _, request in wave]


def _follow_up_request(
    suite: Suite, talk: Sequence[Turn], groups: Mapping[str, Sequence[Turn]]
) -> Request | None:
    """Return what a conversation goes on with, which is shown those that go together with it."""
    group = group_of(talk[0].request, suite)
    return cast("Conversing", suite).follow(talk, groups[group] if group else talk)


class _Answering:
    """Who answers the requests of a run: a model, which is loaded when it is needed."""

    def __init__(
        self, model: Model | LazyModel, sampling: Sampling, known: Known | None, cache: AnswerCache | None
    ) -> None:
        self._given = model
        self._cache = cache
        self._sampling = sampling
        self._model = None if known else self._load_model()
        self._noted: list[str] = []
        self._noted_before: list[str] | None = None
        self.known = known or known_of(self._load_model(), sampling)

    def _load_model(self) -> Model:
        return self._given.model if isinstance(self._given, LazyModel) else self._given

    @property
    def dictating(self) -> Model | None:
        """The model, if it says itself what is asked."""
        return self._model if self.known.dictated else None

    @property
    def has(self) -> Callable[[Request], bool] | None:
        """Whether there is an answer to a request, where a model has only some."""
        return getattr(self._model, "has", None)

    @property
    def notes(self) -> Sequence[str]:
        """What there is to say about the answers."""
        return [*getattr(self._model, "notes", ()), *(self._cache.notes if self._cache else ())]

    def note(self, folder: RunFolder) -> None:
        """Keep what there is to say, beside what was said before this time; of a file of answers, in its
        place: what is left out of it may be less now.
        """
        is_first = self._noted_before is None
        if self._noted_before is None:
            self._noted_before = notes_of(folder.path)
        is_outdated = is_first and self.known.dictated and bool(self._noted_before)
        if (told := list(self.notes)) == self._noted and not is_outdated:
            return
        if self.known.dictated:
            self._noted_before = []
        note(folder, self._noted_before, told)
        self._noted = told

    def answer(self, asked: Sequence[Request], suite: Suite, folder: RunFolder, watch: Watch) -> None:
        """Ask for all answers that are not kept, and keep them."""
        keep_prompts(folder, asked)
        done = folder.responses.done()
        missing = [request for request in asked if key_of(request) not in done]
        if missing:
            self.load(folder.path)
        if missing and self._model is not None:
            found = cached_answers(self._model, self._cache, missing, self.known.sampling, suite)
            folder.responses.append(kept_of(one) | {CACHED: True} for one in found)
            done = folder.responses.done()
            missing = [request for request in missing if key_of(request) not in done]
        watch.answering(total=len(asked), done=len(asked) - len(missing), written=written_by(self._model))
        if not missing or self._model is None:
            return
        batches = answers_into_cache(self._model, self._cache, missing, self.known.sampling, suite)
        try:
            for batch in batches:
                self.note(folder)  # whoever is killed now has said it of every answer that is kept
                folder.responses.append(map(kept_of, batch))
                watch.answered(batch)
            left = sum(key_of(request) not in done for request in missing)
            if left:
                raise ModelError(f"{self.known.name} gave no answer to {left} of {len(missing)} requests")
        finally:  # a generator lets go of what it holds, also where it was interrupted
            batches.close()

    def load(self, path: Path) -> None:
        """Load the model. Raises RunFolderError where it is another one than the words meant before."""
        if self._model is not None:
            return
        model = self._load_model()
        there, now = (
            read_json(json.dumps({"model": one.name, "revision": one.revision, "backend": one.settings}))
            for one in (self.known, known_of(model, self._sampling))
        )
        if told := "; ".join(differences(there, now)):
            raise RunFolderError(f"{path}: holds a run with other settings: {told}")
        self._model = model


def _judge_waiting(suite: Suite, folder: RunFolder, watch: Watch, judge: Judge) -> None:
    waiting = list(folder.to_judge())
    watch.judging(total=len(waiting))
    batch: list[dict[str, Any]] = []
    own = getattr(suite, "settings", None)
    for outcome in judge(suite.name, waiting, settings=own):
        batch.append(outcome)
        # what took all of its time to no end is not to be met again
        if len(batch) == JUDGED_AT_A_TIME or outcome.get("not_judged"):
            folder.outcomes.append(batch)
            watch.judged(len(batch))
            batch = []
    folder.outcomes.append(batch)
    watch.judged(len(batch))


def _judged_pairs(folder: RunFolder) -> list[tuple[Kept, Judged]]:
    outcomes = {record[KEY]: record for record in folder.outcomes.records()}
    return [(kept, outcomes[kept[KEY]]) for kept in folder.responses.records()]
