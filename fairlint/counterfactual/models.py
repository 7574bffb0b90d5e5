"""Fitted models: what one says that it takes, and how it is asked about people.

A model out of a file is loaded by an executor alone, as loading a pickle runs code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fairlint.counterfactual.calling import Calling
from fairlint.counterfactual.column_names import columns_by_name
from fairlint.counterfactual.executors import fitted
from fairlint.counterfactual.executors.executor import (
    Call,
    Crashed,
    Executor,
    Failed,
    Limits,
    Outcome,
    Program,
    Value,
)
from fairlint.counterfactual.population import Cell, Column
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

FORMS: Mapping[str, str] = {".joblib": "pickle", ".pickle": "pickle", ".pkl": "pickle", ".onnx": "onnx"}
"""Suffix of a file → how its model is saved."""
MOST_FEATURES = 1_000
"""Columns of a model."""
MOST_NAMED = 5
"""Values that a message names."""
LIMITS = Limits(seconds=60.0, memory=4 * 1024**3, depth=5_000)
"""What one batch may take: scikit-learn alone takes seconds and hundreds of megabytes to load."""
_INSTALLED_AS: Mapping[str, str] = {"sklearn": "scikit-learn"}
_MISSING = re.compile(r"^ModuleNotFoundError: No module named '([\w.]+)'")


class Saved(Record):
    """A model in a file, and which of its methods is asked."""

    path: str
    method: str
    form: str
    """One of FORMS; empty for a model that is in this process."""
    data: bytes
    """What the file holds."""


class Facts(Record):
    """What a fitted model says of itself."""

    type: str
    names: tuple[str, ...] | None
    """The columns that it was taught, in its order; None where it knows no names."""
    count: int | None
    """How many they are; None where it does not say."""
    categories: Mapping[str, tuple[Cell, ...]]
    """The values that it knows of a column, where it tells."""
    kinds: Mapping[str, str]
    """`text` or `number`, where the model takes nothing else."""
    saved_by: str
    """The release of scikit-learn that saved it, where that is another one; else empty."""


# --------------------------------------------------------------------------------------------- what it takes


def facts_of(saved: Saved, executor: Executor, limits: Limits) -> Facts:
    """Return what a model in a file says of itself, loaded by `executor`.

    Raises UsageError of one line where there is no model, what it needs is not installed, or it lacks
    the method.
    """
    path = saved.path
    asked = [("model", 0)] + [
        (what, place) for what in ("name", "categories", "kinds") for place in range(MOST_FEATURES + 1)
    ]
    program = Program(_program_source(saved), "about", Call("arguments", ("what", "place")), saved.data)
    came = executor.run(program, asked, limits)
    if isinstance(came, Failed):
        raise UsageError(f"{path}: {_failure_reason(came)}")
    try:
        head = _value_of_outcome(came[0])
        size = MOST_FEATURES + 1
        names, known, kinds = (
            [_value_of_outcome(one) for one in came[1 + part * size : 1 + (part + 1) * size]]
            for part in range(3)
        )
        told = _read_facts(head, names, known, kinds)
    except (ValueError, TypeError, LookupError, AttributeError):
        wrong = next((one for one in came if isinstance(one, Crashed)), None)
        why = f"{wrong.error}: {wrong.message}" if wrong else "it says of itself what cannot be read"
        raise UsageError(f"{path}: holds no fitted model ({why})") from None
    if not told.has_method:
        others = f" (it has {', '.join(told.methods)})" if told.methods else ", so it is no fitted model"
        raise UsageError(f"{path}: holds {told.facts.type}, which has no {saved.method}{others}")
    return told.facts


def facts_of_object(model: object, method: str) -> Facts:
    """Return what a model in this process says of itself."""
    told = fitted.model_facts(model, method)
    head = [told["type"], told["has"], told["methods"], told["count"], ""]
    names = told["names"] or []
    categories = [told["categories"].get(name) for name in names]
    return _read_facts(head, names, categories, [None] * len(names)).facts


def _program_source(saved: Saved) -> str:
    return f"{_fitted_source()}\n\nMETHOD = {saved.method!r}\nMODEL = loaded(DATA, {saved.form!r})\n"


@cache
def _fitted_source() -> str:
    return Path(fitted.__file__).read_text(encoding="utf-8")


def _failure_reason(failed: Failed) -> str:
    """Return why a model cannot be loaded, in words."""
    if failed.cause != "definition":
        return f"cannot be loaded: {failed.message}"
    if missing := _MISSING.match(failed.message):
        package = missing[1].partition(".")[0]
        return f"needs {_INSTALLED_AS.get(package, package)}, which is not installed in this environment"
    if failed.message.startswith("ValueError: "):
        return failed.message.removeprefix("ValueError: ")
    return f"cannot be loaded: {failed.message}"


def _value_of_outcome(outcome: Outcome) -> Any:
    """Return a value out of its canonical text; what is too long to be told is None."""
    if not isinstance(outcome, Value):
        raise TypeError
    value = json.loads(outcome.text)
    return None if isinstance(value, dict) else value


class _ToldFacts(Record):
    """What a model says of itself, whether it has the method that is asked for, and which ones it has."""

    facts: Facts
    has_method: bool
    methods: list[str]


def _read_facts(
    head: list[Any], names: Sequence[Any], known: Sequence[Any], kinds: Sequence[Any]
) -> _ToldFacts:
    kind, has, methods, count, saved_by = head
    columns = tuple(name for name in names if isinstance(name, str))
    if len(columns) > MOST_FEATURES or (count is not None and not isinstance(count, int)):
        raise ValueError
    return _ToldFacts(
        Facts(
            str(kind),
            columns or None,
            count,
            {name: tuple(each) for name, each in zip(names, known, strict=True) if each},
            {name: each for name, each in zip(names, kinds, strict=True) if each},
            str(saved_by),
        ),
        bool(has),
        [str(one) for one in methods],
    )


# ------------------------------------------------------------------------------------------- how it is asked


def model_calling(saved: Saved, facts: Facts, columns: Sequence[Column], *, of: str = "the data") -> Calling:
    """Return how a model is asked about people who have these columns; `of` is what errors call them.

    A model without names of columns is handed all of them, in their order. Raises UsageError of one line for
    a column that the population lacks, or whose values the model does not know.
    """
    path = saved.path
    taken = _match_columns(facts, columns, path, of)
    names = facts.names if facts.names is not None else taken
    by_name = {column.name: column for column in columns}
    for name, column in zip(names, taken, strict=True):
        _check_values(facts, name, by_name[column], path, of)
    source, entry = (_program_source(saved), "decided") if saved.form else ("", saved.method)
    program = Program(source, entry, Call("frame", tuple(names)), saved.data)
    return Calling(program, taken, 0)


def unknown_values(facts: Facts, columns: Sequence[Column]) -> tuple[str, ...]:
    """Return a sentence for each column with values that the model was never taught."""
    column_of = columns_by_name(columns)
    by_name = {column.name: column for column in columns}
    told = []
    for name, known in facts.categories.items():
        column = column_of(name)
        lacking = [one for one in by_name[column].values if one not in known] if column else []
        if lacking:
            told.append(f"The model was never taught {_values_text(lacking)} of {column}.")
    return tuple(told)


def _match_columns(facts: Facts, columns: Sequence[Column], path: str, of: str) -> tuple[str, ...]:
    """Return the column of each of the model's; all columns where it names none."""
    known = [column.name for column in columns]
    if facts.names is None:
        if facts.count not in (None, len(known)):
            raise UsageError(
                f"{path}: takes {_column_count_text(facts.count)} without a name, and {of} has {len(known)} "
                f"({', '.join(known)}): fit it on a data frame, or `keep` what it takes in --data-config"
            )
        return tuple(known)
    column_of = columns_by_name(columns)
    taken: dict[str, str] = {}
    for name in facts.names:
        column = column_of(name)
        if column is None:
            hint = did_you_mean(name, known) or f" (columns: {', '.join(known)})"
            raise UsageError(f"{path}: takes '{name}', which is no column of {of}{hint}")
        if column in taken:
            raise UsageError(
                f"{path}: takes '{taken[column]}' and '{name}', which are both column '{column}'"
            )
        taken[column] = name
    return tuple(taken)


def _check_values(facts: Facts, name: str, column: Column, path: str, of: str) -> None:
    """Say so where the model can do nothing with a column's values."""
    known = facts.categories.get(name)
    ages = " (see --ages)" if column.ordered else ""
    if known and not any(value in known for value in column.values):
        raise UsageError(
            f"{path}: was taught {_values_text(known)} of '{name}', and column "
            f"'{column.name}' of {of} has none of "
            f"these but {_values_text(column.values)}{ages}"
        )
    texts = [value for value in column.values if isinstance(value, str)]
    if facts.kinds.get(name) == "number" and texts:
        raise UsageError(
            f"{path}: takes numbers of '{name}', and column '{column.name}' of {of} "
            f"has {_values_text(texts)}{ages}"
        )


def _column_count_text(count: int | None) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def _values_text(values: Sequence[Cell]) -> str:
    return ", ".join(map(repr, values[:MOST_NAMED])) + (", …" if len(values) > MOST_NAMED else "")
