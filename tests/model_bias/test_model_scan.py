"""What a scan of single components finds of noise, and of effects that are there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("numpy")
pytest.importorskip("scipy")

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "benchmarks"))

import model_scan


@pytest.mark.parametrize("shape", model_scan.SHAPES)
def test_a_scan_of_noise_finds_nothing_in_most_runs(shape: str) -> None:
    runs = [
        model_scan.outcome_of(model_scan.scan(shape, 0.0, 20, seed), has_effect=False) for seed in range(3)
    ]
    assert sum(one.false > 0 for one in runs) <= 1


def test_large_effects_are_found_and_few_others() -> None:
    found = model_scan.scan("gaussian", 2.0, 30, 0)
    outcome = model_scan.outcome_of(found, has_effect=True)
    assert {name: count >= 9 for name, count in outcome.planted.items()} == dict.fromkeys(
        model_scan.MOVED, True
    )
    assert outcome.false <= 4
    assert model_scan.outcome_of(found, has_effect=False).false >= 36  # the same, if nothing were there


def test_too_many_false_alarms_fail() -> None:
    alarm, silence = model_scan.Outcome(1, {}), model_scan.Outcome(0, {})
    assert not model_scan.without_effect([alarm] + [silence] * 19)[1]
    assert model_scan.without_effect([alarm] * 8 + [silence] * 12)[1]
    all_found = dict.fromkeys(model_scan.MOVED, 10)
    assert not model_scan.with_effect([model_scan.Outcome(1, all_found)] * 5)[1]
    assert model_scan.with_effect([model_scan.Outcome(10, all_found)] * 5)[1]
