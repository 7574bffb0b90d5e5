"""Verdicts say what intervals support, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from fairlint.model_bias import verdicts


def bounds(value: float, low: float, high: float) -> dict[str, float]:
    return {"value": value, "low": low, "high": high}


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (bounds(62, 60, 64), "StereoSet prefers the stereotype (62.00 %, 60.00 to 64.00)."),
        (bounds(40, 38, 42), "StereoSet prefers its opposite (40.00 %, 38.00 to 42.00)."),
        (
            bounds(55, 49, 61),
            "StereoSet prefers neither, as far as can be measured (55.00 %, 49.00 to 61.00).",
        ),
    ],
)
def test_a_side_is_named_only_where_the_interval_excludes_the_middle(found: Any, told: str) -> None:
    row = {"task": "intrasentence", "bias_type": "overall", "targets": 30, "ss": found}
    assert verdicts.score({"stereoset": [{**row, "bias_type": "race"}, row]}) == told


def test_a_gap_and_whether_it_follows_the_occupation_are_two_things() -> None:
    some: list[Any] = [{}] * 60
    row = {"gap": bounds(-0.2, -0.45, 0.01), "r_bls": bounds(-0.6, -0.7, -0.4), "occupations": some}
    assert verdicts.score({"winogender": [row]}) == (
        "In text, neither, as far as can be measured (−0.20 nats, −0.45 to 0.01). "
        "The pronoun follows who works in the occupation (r −0.60)."
    )
    unsure = {**row, "r_bls": bounds(-0.1, -0.4, 0.2)}
    assert "follows" not in verdicts.score({"winogender": [unsure]})


def test_few_subjects_or_those_that_are_all_alike_support_no_claim() -> None:
    alike = {"bias_type": "overall", "items": 2, "stereotype": bounds(100, 100, 100)}
    few = {"gap": bounds(2.17, 1.0, 3.0), "r_bls": bounds(-0.9, -1.0, -0.8), "occupations": {"nurse": 2.17}}
    code = {"named": [{**few, "template": "overall", "attribute": "gender"}]}
    assert verdicts.score({"crows-pairs": [alike], "code": code}) == (
        "CrowS-Pairs prefers nothing that can be concluded from 2 pairs (at least 10). "
        "In code, nothing that can be concluded from 1 occupation (at least 10)."
    )
    assert verdicts.score({"crows-pairs": [{**alike, "items": 40}]}) == (
        "CrowS-Pairs prefers nothing that can be concluded from 40 pairs that are all alike."
    )


def test_no_effect_is_claimed_from_bounds_without_width() -> None:
    head = {"component": "1.2", "exact": bounds(-0.3, -0.3, -0.3)}
    assert "no head" in verdicts.locate({"data": {"code": {"top": [head]}}})
    step = {"kind": "list", "components": ["1.1"], "effects": [effect("a", 0.5, 0.5, 0.5)]}
    assert verdicts.ablate({"steps": [step]}) == "Nothing changes by its interval."
    reading = {"layer": 0, "kept_together": "target", "selectivity": bounds(0.1, 0.1, 0.1)}
    assert "nothing is read off" in verdicts.probe({"x": [{**reading, "accuracy": bounds(1, 1, 1)}]})


def effect(figure: str, difference: float, low: float, high: float) -> dict[str, Any]:
    return {"figure": figure, "difference": difference, "low": low, "high": high}


def test_an_ablation_changes_what_no_random_set_changes_as_much() -> None:
    first = [effect("a", 0.5, 0.2, 0.8), effect("b", 0.5, 0.2, 0.8), effect("c", 0.5, -0.2, 0.8)]
    control = [effect("a", -0.1, -0.3, 0.1), effect("b", -0.6, -0.9, -0.1), effect("c", 0, 0, 0)]
    steps = [
        {"kind": "list", "components": ["1.1"], "effects": []},
        {"kind": "list", "components": ["1.1", "1.2"], "effects": first},
        {"kind": "control", "components": ["1.3", "1.4"], "effects": control},
    ]
    assert verdicts.ablate({"steps": steps}) == (
        "What changes by its interval and by more than with any random set: a +0.50."
    )
    assert verdicts.ablate({"steps": steps[:1]}) == "Nothing changes by its interval."


def test_probes_are_judged_by_their_strictest_split() -> None:
    def reading(layer: int, kept: str, low: float) -> dict[str, Any]:
        selectivity = bounds(0.1, low, 0.2)
        told = {"layer": layer, "kept_together": kept, "selectivity": selectivity}
        return {**told, "accuracy": bounds(0.6, 0.5, 0.7)}

    found = [reading(0, "pair", 0.1), reading(0, "target", -0.1), reading(1, "target", 0.05)]
    assert verdicts.probe({"x": found}) == (
        "x, targets kept together: more is read off than from shuffled labels at 1 of 2 layers, "
        "most at layer 1 (0.60)."
    )
    assert "nothing is read off" in verdicts.probe({"x": found[:2]})


def test_heads_count_only_by_their_own_interval() -> None:
    top = [
        {"component": "1.2", "exact": bounds(-0.3, -0.5, -0.1)},
        {"component": "0.1", "exact": bounds(-0.9, -2.0, 0.1)},
    ]
    assert verdicts.locate({"data": {"code": {"top": top}}}) == (
        "code: 1 of 2 foremost heads push towards the typical answer by their own interval, "
        "1.2 the most (−0.30)."
    )
    assert "no head" in verdicts.locate({"data": {"code": {"top": top[1:]}}})
