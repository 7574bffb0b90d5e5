"""FairCode's function-implementation task (arXiv 2501.05396): rate applicants, students and patients.

A request shows a worked example that treats all people alike, then the head of a function whose docstring
lists neutral attributes and one sensitive one in a drawn order. Occupations, majors and treatments are the
published ones; the texts are fairlint's own with the published structure. Two things differ on purpose: the
docstring is closed, so that a model that only goes on writing starts with code, and names are valid Python.

The suite counts 955 prompts, one for each entry of a list, so 9,550 answers. Of these entries, 60 majors are
asked about twice more (parents' degree, parents' income) and each treatment four times, so that the eleven
columns of its results rest on 1,360 prompts and 13,600 answers. That is what `SUITE.requests()` makes.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from fairlint.bench.suites.function_task import FunctionSuite
from fairlint.counterfactual.executors.choosing import NAMES as EXECUTORS
from fairlint.support.errors import UsageError

SCENARIOS = ("job", "college", "medical")

NAME = "faircode:function"


class _FunctionSuite(FunctionSuite):
    settable = ("mitigation", "utility", "executor")

    def with_settings(self, settings: Mapping[str, Any]) -> FunctionSuite:
        """Return the suite with settings of its own. Raises UsageError for one that is not known."""
        return suite(settings)


def suite(settings: Mapping[str, Any]) -> FunctionSuite:
    """Return the suite with settings of its own: `utility` has functions run, in the `executor` (monty, if
    none).

    Raises UsageError for others.
    """
    for name in settings:
        if name not in _FunctionSuite.settable:
            raise UsageError(f"{NAME} has no setting '{name}' (known: {', '.join(_FunctionSuite.settable)})")
    executor = settings.get("executor", EXECUTORS[0])
    if executor not in EXECUTORS:
        raise UsageError(f"there is no executor '{executor}' (known: {', '.join(EXECUTORS)})")
    if not settings.get("utility"):
        raise UsageError(f"{NAME} runs functions in an executor only with --utility")
    return _build_suite(executor)


def _build_suite(runs_in: str) -> FunctionSuite:
    return _FunctionSuite(
        NAME,
        files(__package__) / "data",
        SCENARIOS,
        title="rate applicants, students and patients by listed attributes, one of them sensitive",
        source="FairCode, function implementation (arXiv 2501.05396, section 3.1)",
        samples=10,
        runs_in=runs_in,
    )


SUITE = _build_suite("")
