"""One run: a suite's requests, a model's answers, their outcomes and the figures, kept in a folder.

Answers are on the disk as soon as they are there, so that whatever ends a run, the next one with the same
settings goes on where it ended.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, cast

from fairlint import Settings, UsageError
from fairlint.bench.jsonl import LARGEST_DOCUMENT
from fairlint.bench.judging_all import LIMITS, judge_all
from fairlint.bench.models.model import Model, ModelError, Response, Sampling
from fairlint.bench.results import as_text, document
from fairlint.bench.run_folder import (
    KEY,
    Run,
    RunFolder,
    RunFolderError,
    RunSettings,
    locked,
    open_run,
    read_run,
    write_outcomes,
    write_text,
)
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.choosing import check_numbers, chosen
from fairlint.bench.suites.requests import Request, key_of
from fairlint.bench.suites.suite import Conversing, Judged, Kept, ProtocolName, Suite, Turn, check_ready
from fairlint.documents import read_json
from fairlint.files import NotReadableError, read_file
from fairlint.records import Record, replace

NOTES = "notes.json"
JUDGED_AT_A_TIME = 200
"""Outcomes that are written together."""


class Choice(Record):
    """Which requests of a suite are made."""

    scenarios: tuple[str, ...] | None = None
    attributes: tuple[str, ...] | None = None
    samples: int | None = None
    """How often each prompt is asked; None: as often as the suite says."""
    subjects: tuple[str, ...] | None = None
    """What prompts are about, as `Request.subject` has it."""
    limit: int | None = None
    """How many prompts at most."""
    seed: int = 0
    prompts: Path | None = None
    """A file with prompts in place of the suite's."""


class Watch(Protocol):
    """Who wants to know how far a run is."""

    def answering(self, *, total: int, done: int) -> None:
        """Answers are waited for: `total` in all, `done` of them kept by an earlier run."""

    def answered(self, responses: Sequence[Response]) -> None:
        """Answers have come and are kept."""

    def judging(self, *, total: int) -> None:
        """So many answers are being judged."""

    def judged(self, count: int) -> None:
        """So many more have been judged."""


class Silent:
    """A Watch that tells nobody."""

    def answering(self, *, total: int, done: int) -> None:
        """Nothing."""

    def answered(self, responses: Sequence[Response]) -> None:
        """Nothing."""

    def judging(self, *, total: int) -> None:
        """Nothing."""

    def judged(self, count: int) -> None:
        """Nothing."""


def requests_of(suite: Suite, choice: Choice, model: Model | None = None) -> Sequence[Request]:
    """What is asked. A model that can only answer what it has (replay) says so itself.

    Raises UsageError for names the suite does not know and for numbers below 1.
    """
    try:
        if (dictated := getattr(model, "requests", None)) is not None:
            found: Sequence[Request] = dictated(suite, choice)
        elif choice.subjects is not None:
            every = requests_of(suite, replace(choice, subjects=None, limit=None))
            found = about(every, choice.subjects, choice.limit)
        elif choice.prompts is not None:
            from fairlint.bench.suites.prompts_file import read_prompts  # noqa: PLC0415 (few bring prompts)

            found = read_prompts(
                choice.prompts,
                suite,
                scenarios=choice.scenarios,
                attributes=choice.attributes,
                samples=choice.samples,
                limit=choice.limit,
                seed=choice.seed,
            )
        else:
            found = suite.requests(
                scenarios=choice.scenarios,
                attributes=choice.attributes,
                samples=choice.samples,
                limit=choice.limit,
                seed=choice.seed,
            )
    except ValueError as error:
        raise UsageError(str(error)) from None
    return found


def run(
    model: Model,
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
) -> dict[str, Any]:
    """Ask, judge and score; the result is the content of `metrics.json`, which lies in `path` with all else.

    `limits` has those of time and memory for judging one answer (`file_timeout`, `file_memory`).
    Without `resume` the folder must be new or empty. With it a run of the same settings goes on. Raises
    UsageError, ModelError or RunFolderError; what was answered until then stays in the folder.
    """
    told = watch or Silent()
    check_ready(suite)
    asked = requests_of(suite, choice, model)
    wanted = model.sampling(sampling or sampling_of(suite))
    check_new(path, resume=resume)
    with open_run(path, _settings(model, suite, choice, wanted, asked)) as folder:
        try:
            for wave in _waves(suite, asked, folder, getattr(model, "has", None)):
                _answer(model, suite, wave, wanted, folder=folder, watch=told)
                if hasattr(suite, "follow"):
                    _judge(suite, folder, told, workers, limits)
        finally:
            _note(folder, getattr(model, "notes", ()))
        _judge(suite, folder, told, workers, limits)
        metrics = document(
            suite,
            folder.settings,
            _pairs(folder),
            asked=len(asked),
            protocol=protocol,
            notes=_notes(path),
        )
        folder.write_text("metrics.json", as_text(metrics))
    return metrics


def sampling_of(suite: Suite, **changes: Any) -> Sampling:
    """The suite's own settings, with those `changes` that are not None."""
    own = {"max_new_tokens": suite.max_new_tokens, "temperature": suite.temperature}
    return Sampling(**{**own, **{name: value for name, value in changes.items() if value is not None}})


def metrics_of(path: Path, *, protocol: ProtocolName | None = None, workers: int = 1) -> dict[str, Any]:
    """The figures of a run folder as it stands, finished or broken off. Changes nothing in it.

    Answers that have no outcome yet are judged for this. `protocol` None: that of `metrics.json`, or exact.
    """
    return judged_run(path, protocol=protocol, workers=workers)[0]


def judged_run(
    path: Path, *, protocol: ProtocolName | None = None, workers: int = 1
) -> tuple[dict[str, Any], list[tuple[Kept, Judged]]]:
    """The figures of a run folder as in `metrics_of`, and its answers with their outcomes."""
    known = read_run(path)
    suite = _suite_of(known)
    outcomes = {told[KEY]: told for told in known.outcomes()}
    answers = list(known.responses())
    missing = [kept for kept in answers if kept[KEY] not in outcomes]
    own = _own(known)
    told = judge_all(suite.name, missing, workers=workers, settings=own)
    outcomes.update((one[KEY], one) for one in told)
    pairs: list[tuple[Kept, Judged]] = [(kept, outcomes[kept[KEY]]) for kept in answers]
    metrics = document(
        suite,
        known.settings,
        pairs,
        asked=known.settings["options"]["asked"],
        protocol=protocol or _protocol_of(path),
        notes=_notes(path),
    )
    return metrics, pairs


def judge_again(
    path: Path,
    *,
    only_not_judged: bool = False,
    protocol: ProtocolName | None = None,
    workers: int = 1,
    limits: Settings = LIMITS,
    watch: Watch | None = None,
) -> dict[str, Any]:
    """Judge the answers of a run folder anew, or those only that were not judged, and score them.

    The outcomes that are there stay until all new ones are. Nobody is asked. Raises RunFolderError.
    """
    told = watch or Silent()
    with locked(path) as known:
        suite = _suite_of(known)
        answers = list(known.responses())
        kept = {one[KEY]: one for one in known.outcomes() if only_not_judged and not one.get("not_judged")}
        waiting = [one for one in answers if one[KEY] not in kept]
        told.judging(total=len(waiting))
        found = judge_all(suite.name, waiting, workers=workers, limits=limits, settings=_own(known))
        for outcome in found:
            kept[outcome[KEY]] = outcome
            told.judged(1)
        write_outcomes(path, (kept[one[KEY]] for one in answers))
        metrics = document(
            suite,
            known.settings,
            [(one, kept[one[KEY]]) for one in answers],
            asked=known.settings["options"]["asked"],
            protocol=protocol or _protocol_of(path),
            notes=_notes(path),
        )
        write_text(path / "metrics.json", as_text(metrics))
    return metrics


def _notes(path: Path) -> list[str]:
    """What backends had to say about a run, also before it was gone on with."""
    if not (path / NOTES).exists():
        return []
    try:
        kept = read_json(read_file(path / NOTES, LARGEST_DOCUMENT))
        return [str(note) for note in list(kept)]
    except (NotReadableError, TypeError, ValueError) as error:
        return [f"{NOTES} is broken ({error}): what backends said before is lost"]


def _note(folder: RunFolder, notes: Sequence[str]) -> None:
    known = _notes(folder.path)
    if new := [note for note in notes if note not in known]:
        folder.write_text(NOTES, json.dumps([*known, *new], ensure_ascii=False, indent=1) + "\n")


def _suite_of(known: Run) -> Suite:
    name = known.settings["suite"]
    try:
        return suite_of(name, _own(known))
    except KeyError:
        raise RunFolderError(f"{known.path}: a run of the suite {name}, which is not installed") from None


def _own(known: Run) -> Mapping[str, Any]:
    """What its suite was asked for with."""
    own: Mapping[str, Any] = known.settings["options"].get("suite") or {}
    return own


def _protocol_of(path: Path) -> ProtocolName:
    file = path / "metrics.json"
    if not file.exists():
        return "exact"
    try:
        told = read_json(read_file(file, LARGEST_DOCUMENT)).get("protocol")
    except (NotReadableError, ValueError, AttributeError) as error:
        raise RunFolderError(f"{file}: broken, so name the protocol with --protocol: {error}") from None
    return "published" if told == "published" else "exact"


def check_new(path: Path, *, resume: bool) -> None:
    """Raises UsageError for a folder that holds a run, where nobody asked to go on with it."""
    if not resume and (path / "run.json").exists():
        raise UsageError(
            f"{path} holds a run already: --resume goes on with it, --output names another folder"
        )


def _settings(
    model: Model, suite: Suite, choice: Choice, sampling: Sampling, asked: Sequence[Request]
) -> RunSettings:
    told = "\n".join(f"{key_of(request)} {request.prompt_hash} {request.seed}" for request in asked)
    dictated = hasattr(model, "requests")  # answers that were kept: nobody knows how they came about
    own = getattr(suite, "settings", None)
    return RunSettings(
        suite=suite.name,
        model=model.name,
        revision=model.revision,
        seed=choice.seed,
        samples=None if dictated else choice.samples or suite.samples,
        temperature=None if dictated else sampling.temperature,
        max_new_tokens=None if dictated else sampling.max_new_tokens,
        prompts_hash=hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        options={
            "asked": len(asked),
            "limit": choice.limit,
            "scenarios": choice.scenarios,
            "attributes": choice.attributes,
            "prompts": choice.prompts.name if choice.prompts else None,
            "top_p": None if dictated else sampling.top_p,
            "early_stop": None if dictated else sampling.early_stop,
            "model": dict(model.settings),
            **({"subjects": choice.subjects} if choice.subjects is not None else {}),
            **({"suite": dict(own)} if own else {}),
        },
    )


def about(requests: Sequence[Request], subjects: Sequence[str], limit: int | None) -> list[Request]:
    """The requests about some subjects, those of the first `limit` prompts.

    Raises ValueError for a subject that none is about.
    """
    check_numbers(1, limit)
    wanted = chosen(subjects, tuple(dict.fromkeys(one.subject for one in requests)), "subject")
    prompts: dict[str, list[Request]] = {}
    for one in requests:
        if one.subject in wanted:
            prompts.setdefault(key_of(replace(one, sample=0)), []).append(one)
    return [one for samples in islice(prompts.values(), limit) for one in samples]


def _waves(
    suite: Suite, asked: Sequence[Request], folder: RunFolder, has: Callable[[Request], bool] | None
) -> Iterator[Sequence[Request]]:
    """What is asked together: the first requests, then what each conversation goes on with.

    The answers to a wave have to be kept and judged before the next one is taken. A model that `has` only
    some answers ends a conversation where it has none.
    """
    yield asked
    if not hasattr(suite, "follow"):
        return
    talks: list[tuple[Turn, ...]] = [()] * len(asked)
    wave = list(enumerate(asked))
    while wave:
        pairs = {kept[KEY]: (kept, told) for kept, told in _pairs(folder)}
        for place, request in wave:
            talks[place] += (Turn(request, *pairs[key_of(request)]),)
        everybody = [turn for talk in talks for turn in talk]
        nexts = [(place, cast("Conversing", suite).follow(talks[place], everybody)) for place, _ in wave]
        wave = [
            (place, request)
            for place, request in nexts
            if request is not None and (has is None or has(request))
        ]
        if wave:
            yield [request for _, request in wave]


def _answer(
    model: Model,
    suite: Suite,
    asked: Sequence[Request],
    sampling: Sampling,
    *,
    folder: RunFolder,
    watch: Watch,
) -> None:
    done = folder.responses.done()
    missing = [request for request in asked if key_of(request) not in done]
    watch.answering(total=len(asked), done=len(asked) - len(missing))
    if not missing:
        return
    batches = model.answer(missing, sampling, suite.finished)
    try:
        for batch in batches:
            folder.responses.append(map(kept_of, batch))
            watch.answered(batch)
        left = sum(key_of(request) not in done for request in missing)
        if left:
            raise ModelError(f"{model.name} gave no answer to {left} of {len(missing)} requests")
    finally:  # a generator lets go of what it holds, also where it was interrupted
        getattr(batches, "close", _nothing)()


def _nothing() -> None:
    pass


def kept_of(response: Response) -> dict[str, Any]:
    """An answer as a line of `responses.jsonl`."""
    request = response.request
    return {
        KEY: key_of(request),
        "suite": request.suite,
        "scenario": request.scenario,
        "attribute": request.attribute,
        "list": request.stereotype,
        "subject": request.subject,
        "sample": request.sample,
        "seed": request.seed,
        "prompt": request.prompt_hash,
        "asked": request.messages[-1].content,
        "given": response.given,
        "text": response.text,
        "finish": response.finish,
        "prompt_tokens": response.prompt_tokens,
        "new_tokens": response.new_tokens,
        **({"turn": request.turn} if request.turn else {}),
        **({"role": request.role} if request.role else {}),
    }


def _judge(suite: Suite, folder: RunFolder, watch: Watch, workers: int, limits: Settings) -> None:
    waiting = list(folder.to_judge())
    watch.judging(total=len(waiting))
    batch: list[dict[str, Any]] = []
    own = getattr(suite, "settings", None)
    for outcome in judge_all(suite.name, waiting, workers=workers, limits=limits, settings=own):
        batch.append(outcome)
        # what took all of its time to no end is not to be met again
        if len(batch) == JUDGED_AT_A_TIME or outcome.get("not_judged"):
            folder.outcomes.append(batch)
            watch.judged(len(batch))
            batch = []
    folder.outcomes.append(batch)
    watch.judged(len(batch))


def _pairs(folder: RunFolder) -> list[tuple[Kept, Judged]]:
    outcomes = {record[KEY]: record for record in folder.outcomes.records()}
    return [(kept, outcomes[kept[KEY]]) for kept in folder.responses.records()]
