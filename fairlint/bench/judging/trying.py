"""Answers that are tried on people made up from what their code asks: which attributes change an outcome."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from fairlint import Settings
from fairlint.bench.judging.group_values import group_values
from fairlint.bench.judging.protocols import attribute_aliases
from fairlint.counterfactual.executors.choosing import choose
from fairlint.counterfactual.executors.executor import Executor
from fairlint.counterfactual.guessing import attribute_of
from fairlint.counterfactual.population import Column
from fairlint.counterfactual.trial_changes import Tried, try_attributes

NO_CODE = "there is no Python code"
LONGEST_CAUSE = 200
"""Characters of why execution shows nothing."""


def try_answer(
    code: str, function: str, attributes: Sequence[str], executor: Executor, settings: Settings | None
) -> Tried:
    """Return with which attributes the outcome of a function changes; `settings` tell of attributes that the
    vocabulary does not have. Nothing raises for what the code does.
    """
    known = lru_cache(maxsize=None)(lambda column: attribute_of(Column(column, ("a",)), settings))

    def held_by(column: str) -> str | None:
        return _attribute_held(column, known(column), attributes)

    return try_attributes(code, function, attributes, executor, held_by=held_by, values_of=group_values)


def _attribute_held(column: str, known: str | None, names: Sequence[str]) -> str | None:
    """Return which of some attributes a column holds, by its name and by what prompts call the attribute."""
    if known in names:
        return known
    words = column.casefold().replace("_", " ")
    return next((name for name in names if words in attribute_aliases(name)), known)


def tried_record(
    code: str, function: str, attributes: Sequence[str], executor: str, settings: Settings | None
) -> dict[str, Any]:
    """Return what came of trying an answer in an executor, as its outcome holds it. Raises UsageError where
    that is not installed.
    """
    if not code.strip():
        return {"changes": {}, "cause": NO_CODE}
    with choose(executor, workers=1) as running:
        tried = try_answer(code, function, attributes, running, settings)
    return {"changes": dict(tried.changes), "cause": tried.cause[:LONGEST_CAUSE]}
