"""Verdicts say what intervals support, and no more."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from fairlint.model_bias import effects, verdicts
from fairlint.model_bias.locating import p_values
from fairlint.model_bias.probing import Example, probe
from fairlint.statistics.intervals import benjamini_hochberg, share_bounds


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
    alike = numpy.full((24, 5), -0.3)
    assert p_values(alike, [str(place) for place in range(24)]).tolist() == [1.0] * 5
    table = effects.Table("text", tuple(map(str, range(20))), numpy.tile([2.0, 1.0, 1.0], (20, 1)), 20)
    moved = effects.Table("text", table.clusters, numpy.tile([3.0, 1.0, 1.0], (20, 1)), 20)
    assert [one.p for one in effects.effects(table, moved)] == [1.0]


def effect(figure: str, difference: float, p: float, clusters: int = 30) -> dict[str, Any]:
    return {"figure": figure, "difference": difference, "p": p, "clusters": clusters}


def test_an_ablation_changes_what_no_random_set_changes_as_much() -> None:
    first = [effect("a", 0.5, 0.001), effect("b", 0.5, 0.001), effect("c", 0.5, 0.3)]
    control = [effect("a", -0.1, 0.5), effect("b", -0.6, 0.001), effect("c", 0, 1.0)]
    steps = [
        {"kind": "list", "components": ["1.1"], "effects": []},
        {"kind": "list", "components": ["1.1", "1.2"], "effects": first},
        {"kind": "control", "components": ["1.3", "1.4"], "effects": control},
    ]
    assert verdicts.ablate({"steps": steps}) == (
        "What changes, adjusted for 3 figures, and by more than with any random set: a +0.50. "
        "(A further random set would exceed 1 random set in 1 of 2 cases.)"
    )
    assert verdicts.ablate({"steps": steps[1:2]}) == "What changes, adjusted for 3 figures: a +0.50, b +0.50."


def test_an_ablation_s_figures_are_judged_together_and_not_from_few_clusters() -> None:
    figures = [effect(str(place), 0.5, 0.02) for place in range(8)]
    step = {"kind": "list", "components": ["1.1"], "effects": figures}
    assert verdicts.ablate({"steps": [step]}) == "Nothing is shown to change, adjusted for 8 figures."
    few = {**step, "effects": [effect("a", 0.5, 0.0001, clusters=9)]}
    assert "Nothing can be concluded from fewer than 10" in verdicts.ablate({"steps": [few]})


def test_probes_are_judged_by_their_strictest_split_and_over_all_layers() -> None:
    def reading(layer: int, kept: str, adjusted: float, groups: int = 30) -> dict[str, Any]:
        told = {"layer": layer, "kept_together": kept, "adjusted": adjusted, "groups": groups}
        return {**told, "accuracy": bounds(0.6, 0.5, 0.7)}

    found = [reading(0, "pair", 0.05), reading(0, "target", 0.1), reading(1, "target", 0.05)]
    assert verdicts.probe({"x": found}) == (
        "x, targets kept together: at 1 of 2 layers more is read off than from shuffled labels at any layer, "
        "most at layer 1 (0.60)."
    )
    assert "nothing is read off" in verdicts.probe({"x": found[:2]})
    few = verdicts.probe({"x": [reading(0, "target", 0.05, groups=9)]})
    assert few == "x, targets kept together: nothing that can be concluded from 9 targets (at least 10)."


def test_heads_count_only_after_the_adjustment_for_all_heads_and_from_ten_subjects() -> None:
    top = [
        {"component": "1.2", "exact": bounds(-0.3, -0.5, -0.1), "adjusted": 0.01},
        {"component": "0.1", "exact": bounds(-0.9, -2.0, -0.1), "adjusted": 0.06},
        {"component": "0.2", "exact": bounds(0.9, 0.8, 1.0), "adjusted": 0.001},
    ]
    told = {"top": top, "subjects": 24, "heads": 270}
    assert verdicts.locate({"data": {"code": told}}) == (
        "code: 1 of 270 heads push towards the typical answer, adjusted for all heads, 1.2 the most (−0.30)."
    )
    assert "no head is shown" in verdicts.locate({"data": {"code": {**told, "top": top[1:]}}})
    assert verdicts.locate({"data": {"code": {**told, "subjects": 2}}}) == (
        "code: nothing that can be concluded from 2 subjects (at least 10)."
    )


@pytest.mark.parametrize("shared", [0.0, 2.0])
def test_of_noise_one_run_in_twenty_says_that_some_head_pushes(shared: float) -> None:
    """The foremost heads are chosen on the pairs that they are tested on: the adjustment counts all heads."""
    subjects = [str(place // 2) for place in range(48)]
    claims = 0
    for seed in range(300):
        random = numpy.random.default_rng(seed)
        noise = random.standard_normal((24, 270)) + shared * random.standard_normal((24, 1))
        effects_of_ways = noise.repeat(2, axis=0) + random.standard_normal((48, 270))
        adjusted = benjamini_hochberg(p_values(effects_of_ways, subjects).tolist())
        claims += min(adjusted) <= verdicts.ALPHA
    assert share_bounds(claims, 300)[0] <= verdicts.ALPHA


def test_heads_that_push_are_found_and_pairs_of_one_subject_are_no_more_than_one() -> None:
    random = numpy.random.default_rng(1)
    values = random.standard_normal((24, 270))
    values[:, 7] -= 2
    subjects = [str(place) for place in range(24)]
    adjusted = benjamini_hochberg(p_values(values, subjects).tolist())
    assert adjusted[7] < 0.001
    again = p_values(values.repeat(5, axis=0), [name for name in subjects for _ in range(5)])
    assert numpy.allclose(again, p_values(values, subjects))


def test_a_probe_of_noise_is_above_the_best_layer_of_all_shuffles_once_in_twenty() -> None:
    """Texts of one target are alike and have one label: labels are shuffled among targets."""
    claims = 0
    for seed in range(40):
        random = numpy.random.default_rng(seed)
        examples = [Example("", place // 4 % 2, str(place), str(place // 4)) for place in range(64)]
        values = random.standard_normal((3, 16, 4)).repeat(4, axis=1) + random.standard_normal((3, 64, 4))
        readings = probe(values, examples, kept_together="target", folds=2, seed=seed)
        claims += min(one.adjusted for one in readings) <= verdicts.ALPHA
    assert share_bounds(claims, 40)[0] <= verdicts.ALPHA
