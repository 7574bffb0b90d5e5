"""All that one run tries: each method with each seed, kept as it comes, by one process or several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.backends.model import ModelError
from fairlint.model_bias.distribution import erasing
from fairlint.model_bias.distribution.adapters import Trained
from fairlint.model_bias.distribution.costs import Asked
from fairlint.model_bias.distribution.debiasing import Result, State, debias, state
from fairlint.model_bias.distribution.questions import Questions
from fairlint.model_bias.distribution.sentences import check
from fairlint.model_bias.distribution.splits import Splits, split
from fairlint.model_bias.distribution.targets import Target
from fairlint.model_bias.distribution.team import Team
from fairlint.model_bias.distribution.training import CHECKPOINT, Epoch, History, Lesson, Method, Settings
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.scores.resampling import plain
from fairlint.run_folders.run_folder import RunFolder
from fairlint.support.records import Record, replace

BEFORE = "before"


class Trial(Record):
    """A method with a seed."""

    method: Method
    seed: int
    folder: Path
    """Where it keeps its adapter, its checkpoint and its answers."""


class Plan(Record):
    """What is tried."""

    questions: Questions
    target: Target
    kinds: Mapping[str, str]
    """Profession → its kind: batches are of one, and splits have all."""
    passages: tuple[str, ...]
    """Plain text that the model is to stay able to write."""
    settings: Settings
    methods: tuple[Method, ...]
    seeds: tuple[int, ...]
    asked: Asked

    @property
    def splits(self) -> dict[int, Splits]:
        """Seed → which professions teach; all methods have the same."""
        return {seed: split(self.kinds, seed) for seed in self.seeds}

    @property
    def trials(self) -> list[tuple[Method, int]]:
        """Methods and seeds, in order."""
        return [(method, seed) for seed in self.seeds for method in self.methods]

    def check(self, loaded: Loaded) -> None:
        """Raise ModelError, before anything is measured or written, for what cannot be done with a model."""
        check(loaded, self.questions)
        for method in self.methods:
            erasing.check(loaded, method)
        self.asked.check(loaded)
        if self.settings.keep == "sentences" and not loaded.masked:
            raise ModelError(f"--keep sentences: {loaded.name} fills in no masks, which that loss is about")
        if self.settings.adapter and any(one not in erasing.ERASING for one in self.methods):
            Trained(loaded, self.settings.adapter, 0).remove()

    def lesson(self, seed: int) -> Lesson:
        """Return what is taught with a seed."""
        return Lesson(self.questions, self.target, self.splits[seed], self.kinds, self.passages)

    def folder(self, run: Path, method: str, seed: int) -> Path:
        """Return where a trial keeps what is its own."""
        return run / method / f"seed-{seed}"


def lead(
    loaded: Loaded, plan: Plan, run: RunFolder, team: Team, say: Callable[[str], None]
) -> tuple[State, list[Result]]:
    """Measure, and do all trials that the run's folder does not hold yet. `say` is told how it goes.

    Raises ModelError, and UsageError where the folder cannot be written.
    """
    kept = {line["key"]: line for line in run.responses.records()}
    if BEFORE in kept:
        before = _state_of_record(kept[BEFORE])
    else:
        say("measuring before")
        held_out = list(dict.fromkeys(one for split in plan.splits.values() for one in split.test))
        before = state(loaded, plan.questions, held_out, plan.asked, run.path / BEFORE)
        run.responses.append([{"key": BEFORE, **plain(before)}])
    done = []
    for method, seed in plan.trials:
        key = f"{method} {seed}"
        if key in kept:
            done.append(_result_of_record(method, seed, kept[key]))
            continue
        trial = Trial(method, seed, plan.folder(run.path, method, seed))
        team.told(trial)
        one = _run_trial(loaded, plan, trial, team, say)
        if one is not None:  # as it always is in the first process
            run.responses.append([{"key": key, **plain(one.after), "history": plain(one.history)}])
            (trial.folder / CHECKPOINT).unlink(missing_ok=True)
            done.append(one)
    team.told(None)
    return before, done


def follow(loaded: Loaded, plan: Plan, team: Team) -> None:
    """Take part in the trainings that the first process begins, until there are no more."""
    while (trial := team.told()) is not None:
        _run_trial(loaded, plan, trial, team, lambda _: None)


def _run_trial(
    loaded: Loaded, plan: Plan, trial: Trial, team: Team, say: Callable[[str], None]
) -> Result | None:
    lesson = plan.lesson(trial.seed)
    name = f"{trial.method}, seed {trial.seed}"
    say(f"{name}: begins")

    def progress(epoch: int, most: int, valid: float) -> None:
        say(f"{name}: epoch {epoch} of {most} at most, KL {valid:.4f} on what is held back")

    def measured() -> State:
        say(f"{name}: measuring after")
        return state(loaded, plan.questions, lesson.splits.test, plan.asked, trial.folder)

    return debias(
        loaded, lesson, replace(plan.settings, method=trial.method, seed=trial.seed),
        folder=trial.folder,
        measured=measured, team=team, progress=progress,
    )  # fmt: skip


def _state_of_record(told: Mapping[str, Any]) -> State:
    return State(
        told["figures"],
        {
            kind: {part: {one: tuple(row) for one, row in rows.items()} for part, rows in parts.items()}
            for kind, parts in told["shares"].items()
        },
    )


def _result_of_record(method: str, seed: int, told: Mapping[str, Any]) -> Result:
    known = told["history"]
    epochs = tuple(Epoch(one["train"], one["valid"], one["text"]) for one in known["epochs"])
    return Result(
        method,
        seed,
        History(epochs, known["best"], known["steps"], known["at_floor"]),
        _state_of_record(told),
    )


def training_records(results: Sequence[Result], splits: Mapping[int, Splits]) -> list[dict[str, Any]]:
    """Return how each trial went, and with which professions, as JSON."""
    return [
        {
            "method": one.method,
            "seed": one.seed,
            **plain(one.history),
            "professions": plain(splits[one.seed]),
        }
        for one in results
    ]
