"""Ranks: who is above whom, what cannot be told, and how often chance alone makes a claim."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from report_data import biased, fair, garbage, nothing, usage_view, view

from fairlint import UsageError
from fairlint.bench.figures.comparing import compare_runs, pairs
from fairlint.bench.figures.ranking import ranking
from fairlint.bench.leaderboard.entries import key_of
from fairlint.bench.report import RunView
from fairlint.bench.report.paper_tables import paper_tables
from fairlint.bench.report.verdicts import standing_of
from fairlint.bench.runs.view import differences, labels
from fairlint.statistics.intervals import interval
from fairlint.support.records import replace


def run(
    model: str, values: dict[str, float], *, valid: float = 1.0, suite: str = "faircode:function"
) -> RunView:
    """A run with one column of these estimates by subject."""
    subjects = [
        {"list": "", "subject": name, "fair_score": value, "estimate": {"fair_score": value}}
        for name, value in values.items()
    ]
    metrics = {
        "suite": {"name": suite},
        "model": {"name": model},
        "protocol": "exact",
        "answers": {"given": 100, "not_judged": 0, "valid": valid},
        "scores": [{"scenario": "job", "attribute": "gender", "groups": ["a", "b"], "subjects": subjects}],
        "overall": _overall([*values.values()]) if values else None,
        "usage": [],
    }
    return RunView(Path("runs") / model, metrics)


def _overall(values: list[float]) -> dict[str, object]:
    found = interval(values)
    return {"fair_score": found.mean, "interval": [found.low, found.high]}


def spread(mean: float, seed: int, count: int = 30) -> dict[str, float]:
    drawn = numpy.random.default_rng(seed).normal(mean, 0.1, count)
    return {f"s{place}": float(value) for place, value in enumerate(drawn)}


def test_what_is_far_apart_has_a_rank_and_what_is_alike_shares_it() -> None:
    runs = [run("low", spread(0.2, 0)), run("b", spread(0.8, 1)), run("a", spread(0.8, 2))]
    first, second, last = ranking(runs)
    assert {first.label, second.label} == {"a", "b"}
    assert first.mean is not None
    assert second.mean is not None
    assert first.mean >= second.mean
    assert (first.rank, first.rank_low, first.rank_high, first.ties) == (1, 1, 2, (second.label,))
    assert (second.rank, second.rank_low, second.rank_high, second.ties) == (2, 1, 2, (first.label,))
    assert (last.label, last.rank, last.rank_low, last.rank_high, last.ties) == ("low", 3, 3, 3, ())
    assert first.low is not None
    assert first.high is not None
    assert first.low < first.mean < first.high


def test_models_that_say_mostly_garbage_have_no_rank_and_come_last() -> None:
    runs = [run("garbage", spread(1, 0), valid=0.3), run("one", spread(0.5, 1)), run("none", {}, valid=0.0)]
    one, garbage, none = ranking(runs)
    assert (one.label, one.rank, one.rank_low, one.rank_high) == ("one", 1, 1, 1)
    assert (garbage.label, garbage.rank, garbage.ties) == ("garbage", None, ())
    assert garbage.mean is not None
    assert (none.label, none.rank, none.mean, none.low) == ("none", None, None, None)


def test_a_model_is_compared_over_the_subjects_that_both_have() -> None:
    many = spread(0.5, 3)
    few = {name: value + 0.3 for name, value in list(many.items())[:10]}
    first, second = ranking([run("many", many), run("few", few)])
    assert (first.label, first.rank_high, second.rank_low) == ("few", 1, 2)


def asked_with(view: RunView, **own: str) -> RunView:
    return replace(view, metrics={**view.metrics, "settings": {"suite": own}})


def test_runs_of_other_prompts_have_a_name_and_no_rank_beside_the_plain_ones() -> None:
    plain = [run("low", spread(0.2, 0)), run("high", spread(0.8, 1))]
    others = [
        asked_with(run("low", spread(0.9, 2)), perturb="rename"),
        asked_with(run("high", spread(0.95, 3)), mitigation="cot2"),
    ]
    views = [*plain, *others]
    found = ranking(views)
    assert [(one.label, one.rank, one.rank_low, one.rank_high) for one in found] == [
        ("high", 1, 1, 1), ("low", 2, 2, 2), ("high, cot2", None, None, None),
        ("low, rename", None, None, None),
    ]  # fmt: skip
    assert found == ranking(views, compare_runs(views, by_column=False))
    told = standing_of(views, labels(views), pairs(compare_runs(views, by_column=False)))
    assert "high (FairScore" in told.partition(" scores highest")[0]
    assert "rename" not in told


def test_runs_that_are_all_asked_in_one_other_way_are_ranked() -> None:
    views = [
        asked_with(run(name, spread(mean, 0)), perturb="rename") for name, mean in (("a", 0.2), ("b", 0.8))
    ]
    assert [(one.label, one.rank) for one in ranking(views)] == [("b", 1), ("a", 2)]


def test_no_mean_over_models_has_runs_of_other_prompts() -> None:
    plain = view(fair, "one")
    other = view(biased, "two", folder="two")
    settings = {**other.metrics["settings"], "suite": {"perturb": "rename"}}
    perturbed = replace(other, metrics={**other.metrics, "settings": settings})
    views = [plain, perturbed]
    table = next(one for one in paper_tables(views, labels(views)) if one.name.startswith("table-fair-score"))
    assert table.rows[:2] == ("one", "two, rename")
    assert [one.value for one in table.cells[2]] == [one.value for one in table.cells[0]]
    assert "perturbation" in differences(views)
    assert key_of(perturbed.metrics) != key_of(other.metrics)  # another table of a leaderboard


def test_comparisons_that_are_known_are_not_made_again() -> None:
    runs = [run("a", spread(0.2, 0)), run("b", spread(0.8, 1))]
    assert ranking(runs, compare_runs(runs)) == ranking(runs)
    assert [one.rank_high for one in ranking(runs, [])] == [2, 2]  # nothing compared, nothing claimed


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 1), min_size=1), min_size=1, max_size=5
    )
)
def test_a_rank_lies_within_its_bounds_and_ties_go_both_ways(models: list[dict[str, float]]) -> None:
    found = ranking([run(f"m{place}", values) for place, values in enumerate(models)])
    by_name = {one.label: one for one in found}
    ranked = [one for one in found if one.rank is not None]
    for one in found:  # those from which nothing can be concluded come last, without a rank
        small = one.high is not None and one.low is not None and one.high - one.low > 0.4948
        assert small == (one.rank is None)
    for one in ranked:
        assert one.rank_low is not None
        assert one.rank_high is not None
        assert 1 <= one.rank_low <= one.rank_high <= len(ranked)
        assert all(one.label in by_name[other].ties for other in one.ties)
        assert one.rank_high - one.rank_low == len(one.ties)
    assert [one.rank for one in found[: len(ranked)]] == list(range(1, len(ranked) + 1))


def test_two_runs_of_one_model_and_whole_runs() -> None:
    runs = [view(biased, folder="monday"), view(fair, folder="tuesday"), view(nothing, "mute")]
    best, second, mute = ranking(runs)
    assert best.label == "small-coder (tuesday)"
    assert best.mean == 1
    assert best.low is not None
    assert best.low < 1
    assert second.label == "small-coder (monday)"
    assert (mute.label, mute.rank) == ("mute", None)
    assert second.mean == pytest.approx(runs[0].metrics["overall"]["fair_score"])


def test_a_run_has_the_interval_that_it_has_alone_whoever_stands_beside_it() -> None:
    runs = [view(biased, "a"), view(fair, "b"), view(garbage, "c"), run("d", {})]
    shown = {one.label: (one.mean, one.low, one.high) for one in ranking(runs)}
    for one, label in zip(runs[:3], "abc", strict=True):
        known = one.metrics["overall"]
        assert shown[label] == (known["fair_score"], *known["interval"])
    assert shown["d"] == (None, None, None)


def test_suites_without_a_fair_score_have_no_ranking() -> None:
    assert ranking([usage_view("a"), usage_view("b")]) == []
    with pytest.raises(UsageError, match="different suites"):
        ranking([view(), usage_view()])
