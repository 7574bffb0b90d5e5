"""Runs one's own function on people, and reads it: what the linter says, with what was measured."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from fairlint.config import Settings, UsageError
from fairlint.counterfactual.calling import calls
from fairlint.counterfactual.cells import Ages
from fairlint.counterfactual.executors.choosing import choose
from fairlint.counterfactual.executors.executor import Limits
from fairlint.counterfactual.loading import load
from fairlint.counterfactual.measured import Measured
from fairlint.counterfactual.measuring import measure
from fairlint.counterfactual.population import Cell, Population
from fairlint.files import LARGEST_SETTINGS, NotReadableError, read_file
from fairlint.findings import Report
from fairlint.measured_code.findings import with_measured
from fairlint.measured_code.heads import Head, head_of
from fairlint.records import Record
from fairlint.runner import check_paths
from fairlint.sources.reading import to_utf8


class Tried(Record):
    """A function that was measured on a population."""

    path: str
    head: Head
    population: Population
    measured: Measured
    unknown: tuple[str, ...]
    """Keys and fields that it reads and no column has."""
    executor: str
    protections: tuple[str, ...]
    """What held while it ran, for people to read."""
    report: Report
    """What the linter says of the function, with what was measured."""


def try_code(
    place: str,
    data: str,
    *,
    config: str | None = None,
    attributes: Sequence[str] | None = None,
    joint: bool = False,
    ages: Ages = "bands",
    favourable: str | None = None,
    executor: str = "monty",
    packages: bool = False,
    seconds: float | None = None,
) -> Tried:
    """Runs the function at `place` (`loans.py:approve`) on the people of `data`, and reads it.

    The arguments are those of `loading.load`, `measuring.measure` and `executors.choosing.choose`; `seconds`
    is what one batch may take. Raises UsageError of one line for what is wrong with any of them.
    """
    path, _, entry = place.rpartition(":")
    if not path or not entry.replace(".", "").isidentifier():
        raise UsageError(f"{place!r} names no function: write path.py:function or path.py:Class.method")
    text = _text(path)
    head = head_of(text, entry, path)
    population = load(data, config=config, ages=ages)
    calling = calls(text, population.columns, entry, data=population.name)
    limits = Limits() if seconds is None else Limits(seconds=seconds)
    with choose(executor, packages=packages) as running:
        measured = measure(
            calling.program,
            population,
            running,
            attributes=attributes,
            joint=joint,
            limits=limits,
            favourable_outcome=None if favourable is None else cell_of(favourable),
        )
    report = check_paths([path], Settings(min_severity="note"))
    report = with_measured(report, head, measured, path, text)
    return Tried(path, head, population, measured, calling.unknown, executor, _held_by(executor), report)


def _held_by(executor: str) -> tuple[str, ...]:
    if executor != "process":
        return ()
    from fairlint.counterfactual.executors.process import protections  # noqa: PLC0415 (few runs need it)

    return protections()


def cell_of(text: str) -> Cell:
    """A value as a command line writes it: `True`, `1`, `0.5`, else the text itself."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return value if isinstance(value, str | int | float | bool) else text


def _text(path: str) -> str:
    try:
        return to_utf8(read_file(path, LARGEST_SETTINGS)).decode("utf-8", "replace")
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None
