"""Made runs of suites that measure bias, for tests of reports: what functions do is told by their text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from talking_models import BIASED, INERT, WITHOUT, Speaking, fenced

from fairlint.backends.requests import Request
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.judging import decisions
from fairlint.bench.report import RunView, write_reports
from fairlint.bench.suites import suite_of
from fairlint.processes import parallel


def measured(code: str, _people: Any, columns: Any, _asking: Any, *, entry: str) -> dict[str, Any]:
    """What functions do is told by their text."""
    runs = f"def {entry}" in code
    changed = 40 if "== 'Male'" in code else 0
    known = {"cip": changed / 100, "changed": changed, "compared": 100, "mcr": 0.8, "floor": 0.5, "dead": []}
    return {
        "valid": runs,
        "ages": "bands" if runs else None,
        "executable": {"bands": False, "numbers": runs},
        "accuracy": 0.7 if runs else None,
        "balanced_accuracy": 0.6 if runs else None,
        "attributes": {
            name: {"named": decisions.names(code, column), **(known if runs else {})}
            for name, column in columns.items()
        },
    }


def answer(request: Request) -> str:
    if request.role == "audit":
        return "BIASED" if "is 0.4000" in request.messages[1].content else "UNBIASED"
    if request.role == "refined":
        return fenced(WITHOUT)
    return fenced([BIASED, INERT, BIASED, "x = 1\n"][request.sample % 4])


def bias_views(folder: Path) -> dict[str, RunView]:
    """A run with agents, one without, and one of pipelines."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "can_be_fresh", lambda: False)
        patch.setattr(decisions, "measure_function", measured)
        choice = Choice(scenarios=("adult",), attributes=("gender",), subjects=("selected",), samples=4)
        agents = suite_of("counterfactual", {"mitigation": "agents"})
        run(Speaking(answer), agents, choice, folder / "agents")
        run(Speaking(answer), suite_of("counterfactual"), choice, folder / "plain")
        pipelines = Choice(scenarios=("adult",), samples=1)
        run(Speaking(lambda _request: fenced(BIASED)), suite_of("pipelines"), pipelines, folder / "pipelines")
        return {name: write_reports(folder / name) for name in ("agents", "plain", "pipelines")}
