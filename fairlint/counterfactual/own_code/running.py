"""Runs one's own function, or a fitted model, on people, and reads it: what the linter says, with what was
measured.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, Self

from fairlint.checking.runner import check_paths
from fairlint.config import Settings
from fairlint.counterfactual.calling import calls
from fairlint.counterfactual.cells import Ages
from fairlint.counterfactual.executors.choosing import PYTHONS, choose
from fairlint.counterfactual.executors.executor import (
    Crashed,
    Executor,
    Failed,
    Given,
    Limits,
    Outcome,
    Program,
)
from fairlint.counterfactual.loading import load
from fairlint.counterfactual.measured import Measured
from fairlint.counterfactual.measuring import measure
from fairlint.counterfactual.models import LIMITS, facts_of, model_calling
from fairlint.counterfactual.own_code import fitted_models
from fairlint.counterfactual.own_code.findings import add_measurements
from fairlint.counterfactual.own_code.functions import Head, head_of
from fairlint.counterfactual.population import Cell, Population
from fairlint.findings.report import Report
from fairlint.sources.reading import to_utf8
from fairlint.support.errors import UsageError
from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_file
from fairlint.support.records import Record, replace


class Tried(Record):
    """A function or a fitted model that was measured on a population."""

    path: str
    entry: str
    head: Head | None
    """Where the function stands; None of a model."""
    population: Population
    measured: Measured
    unknown: tuple[str, ...]
    """Keys and fields that it reads and no column has."""
    executor: str
    protections: tuple[str, ...]
    """What held while it ran, for people to read."""
    report: Report
    """What the linter says of the function, with what was measured; nothing of a model."""
    raised: tuple[tuple[str, str], ...] = ()
    """Exceptions that came, each with the first message."""
    notes: tuple[str, ...] = ()
    """What else a reader of the figures has to know, a sentence each."""


def try_code(
    place: str,
    data: str,
    *,
    config: str | None = None,
    attributes: Sequence[str] | None = None,
    joint: bool = False,
    ages: Ages | None = None,
    favourable: str | None = None,
    executor: str = "monty",
    packages: bool = False,
    seconds: float | None = None,
) -> Tried:
    """Run the function at `place` (`loans.py:approve`) on the people of `data`, and reads it; or a fitted
    model's method (`model.joblib`, `model.onnx:predict_proba`).

    The arguments are those of `loading.load`, `measuring.measure` and `executors.choosing.choose`; `seconds`
    is what one batch may take; `ages` are numbers for a model, else bands. Raises UsageError of one line for
    what is wrong with any of them.
    """
    asked: dict[str, Any] = {"attributes": attributes, "joint": joint}
    asked["favourable_outcome"] = None if favourable is None else cell_of(favourable)
    if fitted_models.is_model(place):
        saved = fitted_models.load_model(place, executor, packages=packages)
        population = load(data, config=config, ages=ages or "numbers")
        limits = LIMITS if seconds is None else replace(LIMITS, seconds=seconds)
        with choose(executor, packages=packages) as running:
            facts = facts_of(saved, running, limits)
            calling = model_calling(saved, facts, population.columns, of=population.name)
            listening = _Listening(running)
            measured = measure(
                calling.program, population, listening, columns=calling.columns, limits=limits, **asked
            )
        return Tried(
            path=saved.path,
            entry=saved.method,
            head=None,
            population=population,
            measured=measured,
            unknown=(),
            executor=executor,
            protections=_held_by(executor),
            report=Report(),
            raised=tuple(listening.raised.items()),
            notes=fitted_models.notes(facts, population),
        )
    path, _, entry = place.rpartition(":")
    if not path or not entry.replace(".", "").isidentifier():
        raise UsageError(f"{place!r} names no function: write path.py:function or path.py:Class.method")
    text = _read_source_text(path)
    head = head_of(text, entry, path)
    population = load(data, config=config, ages=ages or "bands")
    calling = calls(text, population.columns, entry, data=population.name)
    limits = Limits() if seconds is None else Limits(seconds=seconds)
    with choose(executor, packages=packages) as running:
        listening = _Listening(running)
        measured = measure(
            calling.program, population, listening, columns=calling.columns, limits=limits, **asked
        )
    report = check_paths([path], Settings(min_severity="note"))
    report = add_measurements(report, head, measured, path, text)
    return Tried(
        path=path,
        entry=head.entry,
        head=head,
        population=population,
        measured=measured,
        unknown=calling.unknown,
        executor=executor,
        protections=_held_by(executor),
        report=report,
        raised=tuple(listening.raised.items()),
    )


class _Listening:
    """An executor that keeps the first message of each exception."""

    def __init__(self, executor: Executor) -> None:
        self.executor, self.name = executor, executor.name
        self.raised: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        """Who started the executor ends it."""

    def run(
        self, program: Program, people: Sequence[Sequence[Given]], limits: Limits
    ) -> tuple[Outcome, ...] | Failed:
        """Return what the executor gives."""
        came = self.executor.run(program, people, limits)
        if not isinstance(came, Failed):
            for outcome in {id(each): each for each in came}.values():
                if isinstance(outcome, Crashed):
                    self.raised.setdefault(outcome.error, outcome.message)
        return came


def _held_by(executor: str) -> tuple[str, ...]:
    if executor not in PYTHONS:
        return ()
    from fairlint.counterfactual.executors.process import protections  # noqa: PLC0415 (few runs need it)

    return protections()


def cell_of(text: str) -> Cell:
    """Return a value as a command line writes it: `True`, `1`, `0.5`, else the text itself."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return value if isinstance(value, str | int | float | bool) else text


def _read_source_text(path: str) -> str:
    try:
        return to_utf8(read_file(path, LARGEST_SETTINGS)).decode("utf-8", "replace")
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None
