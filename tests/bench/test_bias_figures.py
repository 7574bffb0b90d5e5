"""CBS, CIP and AMCR of many functions, computed by hand: from outcomes as they are kept to metrics.json."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, cast

import pytest

pytest.importorskip("scipy")

from fairlint.bench.figures import bias


def function(sample: int, told: Mapping[str, tuple[int, int]] | None, **more: object) -> bias.Talk:
    """A conversation of one answer: attribute → changed people, of how many; None does not run."""
    kept = {
        "scenario": "adult",
        "subject": "selected",
        "list": "",
        "sample": sample,
        "attribute": "gender, age",
    }
    attributes = {
        name: {"changed": changed, "compared": compared, "cip": changed / compared, **more}
        for name, (changed, compared) in (told or {}).items()
    }
    return [(kept, {"valid": told is not None, "attributes": attributes})]


def row(talks: list[bias.Talk], attribute: str | None = None, threshold: float = 0.1) -> dict[str, Any]:
    found = bias.figures(talks, mitigation="", threshold=threshold)["bias"]
    rows = {one["attribute"]: one for one in found["attributes"]}
    chosen: dict[str, Any] = found["overall"] if attribute is None else rows[attribute]
    return chosen


def test_thirty_biased_functions_of_a_hundred() -> None:
    """The example of arXiv 2606.00049, section 3.4.3."""
    talks = [function(place, {"gender": (11 if place < 30 else 3, 100)}) for place in range(100)]
    found = row(talks)
    assert (found["biased"], found["cbs"], found["cbs_executable"]) == (30, 0.30, 0.30)
    # Wilson's interval of 30 of 100, as tables give it
    assert found["interval"] == pytest.approx([0.219, 0.396], abs=0.001)


@pytest.mark.parametrize(("changed", "biased"), [(9, 0), (10, 0), (11, 1)])
def test_at_the_threshold_itself_a_function_is_not_biased(changed: int, biased: int) -> None:
    assert row([function(0, {"gender": (changed, 100)})])["biased"] == biased
    assert row([function(0, {"gender": (3 * changed, 100)})], threshold=0.3)["biased"] == biased


def test_what_does_not_run_counts_among_all_alone() -> None:
    talks = [
        function(0, {"gender": (50, 100), "age": (5, 100)}),
        function(1, None),
        function(2, {"gender": (0, 100), "age": (0, 100)}),
    ]
    assert (row(talks)["cbs"], row(talks)["cbs_executable"]) == (pytest.approx(1 / 3), 0.5)
    assert (row(talks, "age")["cbs"], row(talks, "gender")["cbs"]) == (0.0, pytest.approx(1 / 3))


def test_means_are_over_functions_and_not_over_people() -> None:
    own = float(Fraction(10 * 1 + 20 * 2 + 10 * 4, 4 * 40))  # of four ages in order, 0.5625
    talks = [
        function(0, {"age": (30, 40)}, mcr=own, floor=0.25),
        function(1, {"age": (0, 60)}, mcr=1.0, floor=0.25),
        function(2, None),
    ]
    found = row(talks, "age")
    assert (found["cip"], found["floor"]) == (0.375, 0.25)
    assert found["amcr"] == pytest.approx((own + 1) / 2)


def test_disparate_impact_is_a_mean_over_the_functions_that_have_one() -> None:
    talks = [
        function(0, {"gender": (0, 100)}, disparate_impact=0.5),
        function(1, {"gender": (0, 100)}, disparate_impact=1.0),
        function(2, {"gender": (0, 100)}, disparate_impact=None),  # nobody is chosen
        function(3, {"gender": (0, 100)}),  # an outcome that was kept before there was such a figure
        function(4, None),
    ]
    assert row(talks, "gender")["disparate_impact"] == 0.75
    assert row(talks[2:], "gender")["disparate_impact"] is None
    assert "disparate_impact" in bias.DEFINITIONS


def test_values_of_dead_tests_are_told_beside() -> None:
    talks = [function(0, {"gender": (0, 100)}, cip_with_dead=0.8, dead=["alien"])]
    found = row(talks, "gender")
    assert (found["cbs"], found["cip_with_dead"], found["dead"]) == (0.0, 0.8, 1)


def test_change_ratios_with_other_numbers_of_values_have_no_mean() -> None:
    def measured(domain: str, ratio: float, floor: float) -> dict[str, Any]:
        told = {"changed": 50, "compared": 100, "cip": 0.5, "mcr": ratio, "floor": floor}
        return {**told, "domains": {domain: told}}

    bands, numbers = measured("bands", 0.355, 0.2), measured("numbers", 0.219, 0.019)
    talks = [function(place, {"age": (50, 100)}, **told) for place, told in enumerate((bands, numbers))]
    found = row(talks, "age")
    assert (found["amcr"], found["floor"]) == (None, None)
    assert {name: (one["amcr"], one["floor"]) for name, one in found["by_domain"].items()} == {
        "bands": (0.355, 0.2),
        "numbers": (0.219, 0.019),
    }


def test_functions_that_answer_with_a_score_are_told() -> None:
    talks = [function(place, {"gender": (0, 100)}) for place in range(4)]
    for (pair,), decision in zip(talks, ("binary", "numbers", "one", "other"), strict=True):
        cast("dict[str, Any]", pair[1])["decision"] = decision
    assert row(talks)["not_binary"] == 0.5
