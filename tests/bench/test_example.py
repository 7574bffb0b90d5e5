"""The run in the documentation: its figures can be checked from its answers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fairlint.bench.runs.judged_runs import metrics_of

EXAMPLE = Path(__file__).parent.parent.parent / "docs" / "bench-example"
RUNS = sorted(one for one in EXAMPLE.iterdir() if one.is_dir())


def flat(known: Mapping[str, Any]) -> dict[str, Any]:
    """Figures, those of parts and bounds by names of their own."""
    found: dict[str, Any] = {}
    for name, value in known.items():
        if isinstance(value, Mapping):
            found |= {f"{name} {inner}": one for inner, one in flat(value).items()}
        elif isinstance(value, list):
            found |= {f"{name} {place}": one for place, one in enumerate(value)}
        else:
            found[name] = value
    return found


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_the_figures_are_those_of_the_answers(run: Path, tmp_path: Path) -> None:
    """After a change of the checker, `python benchmarks/bench_example.py` writes them anew."""
    for name in ("run.json", "responses.jsonl"):
        shutil.copy(run / name, tmp_path / name)
    found = metrics_of(tmp_path)
    kept = json.loads((run / "metrics.json").read_text("utf-8"))
    for part in ("overall", "answers"):
        assert flat(found[part] or {}) == pytest.approx(flat(kept[part] or {}))
    assert len(found["scores"]) == len(kept["scores"])
    for one, other in zip(found["scores"] + found["usage"], kept["scores"] + kept["usage"], strict=True):
        for name in ("attribute", "valid", "used", "refusal_rate", "entropy", "fair_score", "preferred"):
            assert one.get(name) == pytest.approx(other.get(name)), (one["attribute"], name)


def test_every_suite_has_a_run_of_a_hundred_answers() -> None:
    suites = {json.loads((run / "metrics.json").read_text("utf-8"))["suite"]["name"] for run in RUNS}
    assert suites == {"btm", "faircode:function", "faircode:testcase"}
    for run in RUNS:
        with (run / "responses.jsonl").open(encoding="utf-8") as answers:
            assert sum(1 for _ in answers) >= 100
