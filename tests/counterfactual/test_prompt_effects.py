"""Effects of a prompt audit equal a plain reimplementation, and verdicts hold what they claim."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlint.counterfactual.prompts.differences import contrasts, differences, differences_without_names
from fairlint.counterfactual.prompts.effects import measured_effects
from fairlint.counterfactual.prompts.observations import Observation
from fairlint.counterfactual.prompts.power import fewest_cases, least_effect_after, least_effect_before
from fairlint.counterfactual.prompts.shares import flips_between_groups, flips_in_placebos, impact_ratios
from fairlint.counterfactual.prompts.sign_flips import bounds, p_value, subset_means

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "benchmarks"))

import prompt_audits

GROUPS = ("a", "b", "c")
VALUES = st.sampled_from([None, *(Fraction(at, 7) for at in range(8))])


def observed(  # noqa: PLR0917 (a row of a table)
    case: int,
    group: str,
    value: Fraction | None,
    arm: str = "group",
    draw: int = 0,
    name: str = "",
    channel: str = "explicit",
    kind: str = "",
) -> Observation:
    said = kind or ("unreadable" if value is None else "read")
    return Observation(str(case), channel, (("race", group),), arm, draw, said, value, name)  # type: ignore[arg-type]


def decisions(changes: list[int], *, channel: str = "explicit") -> list[Observation]:
    """Two groups: the second gets a yes in the cases with 1, the first in those with -1."""
    found = []
    for case, change in enumerate(changes):
        for group, value in (("a", change < 0), ("b", change > 0)):
            found += [
                observed(case, group, Fraction(value), channel=channel),
                observed(case, group, Fraction(0), "rewrite", channel=channel),
            ]
    return found


@given(
    st.integers(1, 5).flatmap(
        lambda cases: st.lists(VALUES, min_size=cases * 12, max_size=cases * 12).map(
            lambda values: list(
                zip(product(range(cases), GROUPS, ("group", "rewrite"), range(2)), values, strict=True)
            )
        )
    )
)
@settings(max_examples=150, deadline=None)
def test_means_equal_a_plain_reimplementation(
    rows: list[tuple[tuple[int, str, str, int], Fraction | None]],
) -> None:
    found = measured_effects([observed(case, g, value, arm, draw) for (case, g, arm, draw), value in rows])

    for one in found:
        wanted = one.contrast.outcome
        each = []
        for case in sorted({key[0] for key, _ in rows}):
            means: dict[tuple[str, str], Fraction] = {}
            for group, arm in product(GROUPS, ("group", "rewrite")):
                held = [v for (c, g, a, _), v in rows if (c, g, a) == (case, group, arm)]
                counted = (
                    [v for v in held if v is not None]
                    if wanted == "decision"
                    else [Fraction(v is None and wanted == "unreadable") for v in held]
                )
                if counted:
                    means[group, arm] = sum(counted, Fraction(0)) / len(counted)
            if len(means) == 6:
                own, rest = one.contrast.group, [g for g in GROUPS if g != one.contrast.group]
                each.append(
                    (means[own, "group"] - means[own, "rewrite"])
                    - sum((means[g, "group"] - means[g, "rewrite"] for g in rest), Fraction(0)) / 2
                )
        assert one.cases == len(each)
        assert one.mean == (float(sum(each, Fraction(0)) / len(each)) if each else None)


@given(st.lists(st.tuples(VALUES, st.sampled_from("xyz")), min_size=24, max_size=24))
@settings(max_examples=60, deadline=None)
def test_without_a_name_means_without_its_people_and_their_rewrites(
    drawn: list[tuple[Fraction | None, str]],
) -> None:
    keys = product(range(2), GROUPS, range(2), ("group", "rewrite"))
    answers = [
        observed(case, group, value, arm, draw, name, "name")
        for (case, group, draw, arm), (value, name) in zip(keys, drawn, strict=True)
    ]
    for one in contrasts(answers):
        without = differences_without_names(answers, one)
        assert set(without) == {each.name for each in answers if each.arm == "group"}
        for name, found in without.items():
            gone = {(e.case, e.groups, e.draw) for e in answers if e.arm == "group" and e.name == name}
            kept = [each for each in answers if (each.case, each.groups, each.draw) not in gone]
            assert found == differences(kept, one)[0]


@given(st.lists(st.integers(-3, 3).map(lambda at: Fraction(at, 3)), min_size=1, max_size=8))
@settings(max_examples=100, deadline=None)
def test_p_values_are_shares_of_all_sign_flips(effects: list[Fraction]) -> None:
    seen = sum(effects, Fraction(0))
    flipped = [
        sum((one * sign for one, sign in zip(effects, signs, strict=True)), Fraction(0))
        for signs in product((1, -1), repeat=len(effects))
    ]
    share = Fraction(min(sum(f >= seen for f in flipped), sum(f <= seen for f in flipped)), len(flipped))

    assert p_value(subset_means(effects)) == min(1.0, float(2 * share))


@given(
    st.lists(st.integers(-6, 6).map(lambda at: Fraction(at, 6)), min_size=6, max_size=10),
    st.sampled_from([0.9, 0.95]),
)
@settings(max_examples=60, deadline=None)
def test_bounds_are_those_of_the_test(effects: list[Fraction], level: float) -> None:
    """The interval holds exactly the shifts that the test does not reject."""
    subsets = subset_means(effects)
    low, high = bounds(subsets, level)

    assert low <= float(sum(effects) / len(effects)) + 1e-12
    assert high >= float(sum(effects) / len(effects)) - 1e-12
    shift = Fraction(low - 1e-6).limit_denominator(10**9)
    if low > -1:
        assert p_value(subset_means([one - shift for one in effects])) <= 1 - level + 1e-9
    shift = Fraction(low + 1e-6).limit_denominator(10**9)
    assert p_value(subset_means([one - shift for one in effects])) > 1 - level - 1e-9 or low == high


def test_draws_of_signs_agree_with_all_of_them() -> None:
    effects = [Fraction(1)] * 9 + [Fraction(0)] * 2 + [Fraction(-1)] * 3
    drawn = p_value(subset_means(effects, seed=3))
    sums = [sum(signs) for signs in product((1, -1), repeat=12)]
    exact = sum(abs(one) >= 6 for one in sums) / len(sums)

    assert len(effects) > 12
    assert drawn == pytest.approx(exact, abs=0.012)
    assert subset_means(effects, seed=3).means.tolist() == subset_means(effects, seed=3).means.tolist()


def test_an_effect_clears_the_threshold_or_is_not_seen() -> None:
    answers = decisions([1] * 9 + [0] * 3)
    biased, refused, unreadable = measured_effects(answers)
    strict, *_ = measured_effects(answers, threshold=0.6)

    assert (biased.verdict, biased.mean, biased.contrast.group) == ("biased", 0.75, "b")
    assert biased.adjusted_low > 0
    assert {refused.verdict, unreadable.verdict} == {"not seen"}
    assert strict.verdict == "not seen"
    assert strict.mean == 0.75
    assert strict.least is not None
    assert strict.least > 0.6


def test_too_few_cases_say_nothing() -> None:
    effect, *_ = measured_effects(decisions([1] * 5))

    assert fewest_cases(1) == 6
    assert (effect.verdict, effect.least, effect.p_adjusted) == ("nothing to compare", None, 1.0)


def test_a_model_that_never_heeds_the_group_could_still_do_so_rarely() -> None:
    """Without any difference the spread is 0, and what could have been seen is not."""
    answers = [
        observed(case, group, Fraction(case % 2), arm)
        for case in range(40)
        for group in "ab"
        for arm in ("group", "rewrite")
    ]
    effect, *_ = measured_effects(answers)

    assert effect.verdict == "not seen"
    assert effect.least is not None
    assert effect.least == pytest.approx(0.18, abs=0.03)


def test_a_model_that_always_says_the_same_tells_nothing() -> None:
    """Who is never selected cannot be selected less often."""
    effect, *_ = measured_effects(decisions([0] * 40))

    assert (effect.verdict, effect.is_constant, effect.least) == ("nothing to compare", True, None)


def test_length_is_taken_off() -> None:
    """A model that likes long texts does the same to the rewrite."""
    answers = [
        observed(case, group, Fraction(group == "b"), arm)
        for case in range(20)
        for group in "ab"
        for arm in ("group", "rewrite")
    ]
    effect, *_ = measured_effects(answers)

    assert (effect.change, effect.placebo, effect.mean, effect.verdict) == (1.0, 1.0, 0.0, "not seen")


@pytest.mark.parametrize("liked", ["", "a"])
def test_where_only_rewrites_differ_no_group_is_called_preferred(liked: str) -> None:
    """Answers about the groups are alike, or go the other way; those to the rewrites differ more."""
    answers = [
        observed(case, group, Fraction(said), arm)
        for case in range(20)
        for group in "ab"
        for arm, said in (("group", group == liked and case < 4), ("rewrite", group == "a"))
    ]
    effect, *_ = measured_effects(answers)

    assert (effect.verdict, effect.carried_by) == ("rewrites", "")
    assert effect.mean is not None
    assert effect.mean > 0
    assert effect.p_adjusted < 0.05


def test_an_effect_that_one_name_carries_is_said_to_be_one() -> None:
    def audit(liked: set[str]) -> list[Observation]:
        return [
            observed(
                case, g, Fraction(arm == "group" and f"{g}{draw}" in liked), arm, draw, f"{g}{draw}", "name"
            )
            for case in range(14)
            for g in "ab"
            for draw in range(4)
            for arm in ("group", "rewrite")
        ]

    one, *_ = measured_effects(audit({"b1"}))
    every, *_ = measured_effects(audit({"b0", "b1", "b2", "b3"}))

    assert (one.verdict, one.carried_by) == ("one name", "b1")
    assert (every.verdict, every.carried_by) == ("biased", "")
    assert {name.name: name.without for name in every.names} == dict.fromkeys(
        [f"{g}{at}" for g in "ab" for at in range(4)], 1.0
    )


def test_refusals_are_an_outcome_of_their_own() -> None:
    answers = [
        observed(case, group, value, arm, kind="refused" if value is None else "")
        for case in range(12)
        for group in "ab"
        for arm in ("group", "rewrite")
        for value in (None if (group, arm) == ("b", "group") else Fraction(1),)
    ]
    decision, refused, _ = measured_effects(answers)

    assert (decision.verdict, decision.cases, decision.left_out) == ("nothing to compare", 0, 12)
    assert (refused.verdict, refused.mean) == ("biased", 1.0)


def test_the_announced_effect_falls_with_cases_and_rises_with_tests() -> None:
    sizes = [least_effect_before(cases, 1, 1) or 1.0 for cases in (20, 100, 860)]

    assert sizes == sorted(sizes, reverse=True)
    assert (least_effect_before(40, 1, 15) or 0) > (least_effect_before(40, 1, 1) or 1)
    assert (least_effect_before(40, 8, 1) or 1) < (least_effect_before(40, 1, 1) or 0)
    assert least_effect_before(5, 8, 1) is None
    assert least_effect_after([Fraction(at % 2, 10) for at in range(40)], 1, step=0.0) == pytest.approx(
        0.0232, abs=0.001
    )


def test_impact_ratios_of_combinations_leave_small_cells_out() -> None:
    rows = [("f", "x", 30, 15), ("f", "y", 30, 30), ("m", "x", 40, 20), ("m", "y", 2, 0)]
    answers = [
        Observation(
            str(at), "explicit", (("sex", sex), ("race", race)), "group", 0, "read", Fraction(at < yes)
        )
        for sex, race, count, yes in rows
        for at in range(count)
    ]
    by_cell = {
        tuple(group for _, group in one.groups): one
        for one in impact_ratios(answers, "explicit", ["sex", "race"], is_decision=True)
    }

    assert {key: one.ratio for key, one in by_cell.items()} == {
        ("f", "x"): Fraction(1, 2), ("f", "y"): Fraction(1), ("m", "x"): Fraction(1, 2), ("m", "y"): None
    }  # fmt: skip
    assert by_cell["m", "y"].is_small
    assert by_cell["m", "y"].answers == 2


def test_scores_are_selected_above_the_median() -> None:
    answers = [observed(at, "a" if at < 4 else "b", Fraction(at, 10)) for at in range(8)]
    found = {
        dict(one.groups)["race"]: one
        for one in impact_ratios(answers, "explicit", ["race"], is_decision=False)
    }

    assert [found[group].selected for group in "ab"] == [Fraction(0), Fraction(1)]


@given(st.lists(st.integers(0, 1), min_size=8, max_size=8))
@settings(max_examples=50, deadline=None)
def test_flips_are_pairs_that_differ(values: list[int]) -> None:
    answers = [observed(0, g, Fraction(value)) for g, value in zip("abcdefgh", values, strict=True)]
    flips = flips_between_groups(answers, "explicit", "race")

    assert flips.pairs == 28
    assert flips.changed == sum(one != other for one, other in combinations(values, 2))


def test_each_placebo_has_its_own_flips() -> None:
    answers = [
        observed(0, "a", Fraction(1), name="Ann", channel="name"),
        observed(0, "a", Fraction(0), draw=1, name="Bea", channel="name"),
        observed(0, "a", Fraction(1), "again", name="Ann", channel="name"),
        observed(0, "a", Fraction(1), "rewrite", channel="name"),
        observed(0, "b", Fraction(0), "rewrite", channel="name"),
    ]
    found = flips_in_placebos(answers, "name", "race")

    assert {name: (one.changed, one.pairs) for name, one in found.items()} == {
        "again": (0, 1), "name": (1, 1), "rewrite": (1, 1)
    }  # fmt: skip


@pytest.mark.parametrize(("kind", "most"), [("none", 0.15), ("length", 0.15), ("order", 0.15)])
def test_audits_without_an_effect_are_rarely_called_biased(kind: str, most: float) -> None:
    """`python benchmarks/prompt_audits.py` has the figures of a thousand."""
    assert sum(prompt_audits.audit(kind, seed, 0.0)[0] for seed in range(20)) <= most * 20


def test_announced_effects_are_mostly_found_and_never_backwards() -> None:
    size = least_effect_before(prompt_audits.CASES, 1, 3) or 1.0
    found = [prompt_audits.audit("group", seed, size) for seed in range(20)]

    assert sum(right for _, right, _ in found) >= 13
    assert not any(wrong for _, _, wrong in found)
