"""One run: a suite's requests, a model's answers, their outcomes and the figures, kept in a folder.

Answers are on the disk as soon as they are there, so that whatever ends a run, the next one with the same
settings goes on where it ended.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

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
from fairlint.bench.suites.requests import Request, key_of
from fairlint.bench.suites.suite import Judged, Kept, ProtocolName, Suite
from fairlint.documents import read_json
from fairlint.files import NotReadableError, read_file
from fairlint.records import Record

NOTES = "notes.json"
JUDGED_AT_A_TIME = 200
"""Outcomes that are written together."""


class Choice(Record):
    """Which requests of a suite are made."""

    scenarios: tuple[str, ...] | None = None
    attributes: tuple[str, ...] | None = None
    samples: int | None = None
    """How often each prompt is asked; None: as often as the suite says."""
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
    asked = requests_of(suite, choice, model)
    wanted = model.sampling(sampling or sampling_of(suite))
    check_new(path, resume=resume)
    with open_run(path, _settings(model, suite, choice, wanted, asked)) as folder:
        try:
            _answer(model, suite, asked, wanted, folder=folder, watch=told)
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
    outcomes.update((told[KEY], told) for told in judge_all(suite.name, missing, workers=workers))
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
        for outcome in judge_all(suite.name, waiting, workers=workers, limits=limits):
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
        return suite_of(name)
    except KeyError:
        raise RunFolderError(f"{known.path}: a run of the suite {name}, which is not installed") from None


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
        },
    )


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
    }


def _judge(suite: Suite, folder: RunFolder, watch: Watch, workers: int, limits: Settings) -> None:
    waiting = list(folder.to_judge())
    watch.judging(total=len(waiting))
    batch: list[dict[str, Any]] = []
    for outcome in judge_all(suite.name, waiting, workers=workers, limits=limits):
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
