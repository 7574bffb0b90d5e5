"""Figures of many programs: the papers' examples, cases computed by hand, the definitions spelt out."""

from __future__ import annotations

from fractions import Fraction

import pytest
from counterfactual_people import AGE, COLUMNS, decides, population, populations, programs
from hypothesis import given, settings
from hypothesis import strategies as some
from trusted_executor import TrustedExecutor

from fairlint.counterfactual import metrics, solar
from fairlint.counterfactual.executors.executor import Program, Value
from fairlint.counterfactual.group_metrics import accuracy, selection
from fairlint.counterfactual.measured import Changes, Group, Measured, Outcomes, Share
from fairlint.counterfactual.measuring import measure
from fairlint.counterfactual.population import Column, Population
from fairlint.records import replace


def changes(column: str = "sex", changed: int = 0, compared: int = 100, **fields: object) -> Changes:
    usual = {
        "column": column,
        "attribute": None,
        "values": ("a", "b"),
        "ordered": False,
        "read": "compared",
        "classes": 2,
        "proved": False,
        "people": compared,
        "compared": compared,
        "changed": changed,
        "steps": (changed,),
        "moved": (),
        "pairs": (),
        "groups": (),
        "changed_with_dead": changed,
    }
    return Changes(**{**usual, **fields})  # type: ignore[arg-type]


def program(*attributes: Changes, failed: bool = False) -> Measured:
    return Measured(
        population="people",
        people=100,
        answered=0 if failed else 100,
        unanswered={},
        failed=("time", "takes longer than 10 s") if failed else None,
        steadiness="steady",
        repeated=0,
        differed=0,
        decision="bool",
        outcomes=(Outcomes("bool", "1", 100),),
        different=1,
        favourable="1",
        attributes=attributes,
        joint=(),
        calls=0,
        batches=0,
        plain_calls=0,
    )


def test_thirty_biased_programs_of_a_hundred() -> None:
    """The example of arXiv 2606.00049, section 3.4.3."""
    programs = [program(changes(changed=11 if place < 30 else 3)) for place in range(100)]
    found = metrics.code_bias_score(programs)
    assert found.of_all == found.of_executable == Share(30, 100)
    assert found.of_all.value == 0.30


@pytest.mark.parametrize(
    ("becomes", "ratio"),
    [("resident", 0.25), ("skilled", 0.5), ("highly skilled", 0.75), ("nothing of it", 1)],
)
def test_change_ratios_of_an_ordered_attribute(becomes: str, ratio: float) -> None:
    """The example of arXiv 2606.00049, section 3.5.1: the job of an unskilled person who is not resident."""
    values = ("non-resident", "resident", "skilled", "highly skilled")
    job = Column("job", values, ordered=True, attribute="occupation")
    people = population([("non-resident",)], columns=[job])
    at = values.index(becomes) if becomes in values else 4
    told = decides(f"return p['job'] in {values[at:]}", [job])
    found = measure(told, people, TrustedExecutor()).attributes[0]
    assert metrics.mean_change_ratio(found) == Fraction(ratio)


def test_the_change_ratio_of_an_attribute_without_order() -> None:
    """The same section: one of eight purposes."""
    purposes = tuple(f"purpose {number}" for number in range(8))
    purpose = Column("purpose", purposes)
    people = population([(one,) for one in purposes], columns=[purpose])
    told = decides("return p['purpose'] == 'purpose 3'", [purpose])
    found = measure(told, people, TrustedExecutor(), attributes=["purpose"]).attributes[0]
    assert metrics.mean_change_ratio(found) == Fraction(1, 8) == found.floor


@pytest.mark.parametrize(
    ("changed", "above", "reaching"), [(9, False, False), (10, False, True), (11, True, True)]
)
def test_the_threshold_is_the_number_that_is_written(changed: int, above: bool, reaching: bool) -> None:
    assert metrics.is_biased(Share(changed, 100), 0.1) == metrics.Bias(above, reaching)
    assert metrics.is_biased(Share(3 * changed, 100), 0.3) == metrics.Bias(above, reaching)


def test_nobody_is_no_bias() -> None:
    assert metrics.is_biased(Share(0, 0), 0.0) == metrics.Bias(above=False, reaching=False)
    assert Share(0, 0).value is None


def test_what_cannot_be_executed_counts_among_all_alone() -> None:
    programs = [
        program(changes("sex", 50), changes("age", 5)),
        program(failed=True),
        program(changes("sex", 0), changes("age", 0)),
    ]
    found = metrics.code_bias_score(programs)
    assert (found.of_all, found.of_executable) == (Share(1, 3), Share(1, 2))
    assert metrics.by_column(programs, ["sex", "age"])["age"].of_executable == Share(0, 2)


def test_values_of_dead_tests_may_count() -> None:
    programs = [program(changes(changed=0, changed_with_dead=80))]
    assert metrics.code_bias_score(programs).of_all == Share(0, 1)
    assert metrics.code_bias_score(programs, with_dead=True).of_all == Share(1, 1)


def test_unions_and_intersections_over_runs() -> None:
    runs = [[True, True, True], [True, False, False], [False, False, False], [False, True, True]]
    assert metrics.union_at_k(runs) == Share(3, 4)
    assert metrics.intersection_at_k(runs) == Share(1, 4)
    with pytest.raises(ValueError, match="same number"):
        metrics.union_at_k([[True], [True, False]])


def test_influence_over_people_and_over_programs() -> None:
    first = program(changes("age", 30, 40, values=(1, 2, 3, 4), ordered=True, steps=(10, 20, 0)))
    second = program(changes("age", 0, 60, values=(1, 2, 3, 4), ordered=True, steps=(0, 0, 0)))
    found = metrics.influence([first, second, program(failed=True)], "age")
    assert found is not None
    own = Fraction(10 * 1 + 20 * 2 + 10 * 4, 4 * 40)  # 0.5625
    assert found.programs == 2
    assert found.ratio_of_programs == (own + 1) / 2
    assert found.ratio == (own * 40 + 60) / 100
    assert found.cip == Share(30, 100)
    assert found.floor == Fraction(1, 4)


def test_ranking_puts_the_most_influential_first() -> None:
    one = program(changes("sex", 90), changes("race", 10), changes("age", 0))
    assert [found.column for found in metrics.ranked([one], ["age", "race", "sex", "unknown"])] == [
        "sex",
        "race",
        "age",
    ]


def test_rounds_of_a_loop() -> None:
    rounds = [
        [Share(80, 100), Share(40, 100), Share(20, 100)],
        [Share(40, 100), Share(0, 100)],
        [Share(0, 100)],
    ]
    zero, one, two = metrics.trend(rounds)
    assert [found.going for found in (zero, one, two)] == [3, 2, 1]
    assert [found.cip.mean for found in (zero, one, two)] == [0.4, 2 / 15, 1 / 15]
    assert zero.cip.deviation == pytest.approx(0.4)
    assert zero.decrease is None
    assert one.decrease is not None
    assert (one.decrease.count, one.decrease.mean) == (2, 0.75)
    assert one.decrease.deviation == pytest.approx(0.125**0.5)
    assert two.decrease == metrics.Spread(1, 0.5, 0.0)
    with pytest.raises(ValueError, match="before the first round"):
        metrics.trend([[]])
    assert metrics.trend([]) == ()


def test_intervals_over_programs() -> None:
    programs = [program(changes(changed=60 if place < 30 else 0)) for place in range(100)]
    score = metrics.score_interval(programs)
    assert score is not None
    assert score.mean == 0.3
    # the normal approximation: 0.3 ± 1.96 * sqrt(0.3 * 0.7 / 100) = 0.3 ± 0.090
    assert (score.low, score.high) == pytest.approx((0.21, 0.39), abs=0.02)
    share = metrics.cip_interval(programs, "sex")
    assert share is not None
    assert share.mean == 0.18
    assert metrics.score_interval([]) is metrics.cip_interval([program(failed=True)], "sex") is None


def test_density_covers_one() -> None:
    found = metrics.density([0.4, 0.5, 0.5, 0.6], points=1001)
    assert sum(height for _, height in found) / 1000 == pytest.approx(1, abs=0.01)
    assert max(found, key=lambda point: point[1])[0] == pytest.approx(0.5, abs=0.01)
    assert metrics.density([0.5, 0.5]) == ()


# Solar


def test_leaning_and_range() -> None:
    programs = [
        program(changes("gender", 1), changes("age", 1)),
        program(changes("gender", 0), changes("age", 3)),
        program(changes("gender", 0), changes("age", 0)),
        program(failed=True),
    ]
    assert solar.any_change(programs, ["gender", "age"]).of_executable == Share(2, 3)
    found = solar.leaning(programs, ["gender", "age"])
    assert found.scores == {"gender": Share(1, 2), "age": Share(2, 2)}
    assert found.range == 0.5
    assert solar.leaning([], ["gender"]).range is None


def test_use_of_the_right_attributes() -> None:
    programs = [
        (program(changes("gender", 5), changes("income", 9)), ["income"]),
        (program(changes("gender", 0), changes("income", 0)), ["income"]),
        (program(failed=True), ["income"]),
    ]
    found = solar.use_of_attributes(programs, ["gender"])
    assert found == solar.Use(related_used=1, sensitive_unused=1, sensitive_used=1, related_unused=1)
    assert found.share == Share(2, 4)


# groups


def group(value: str, answered: int, selected: int, labelled: int = 0, both: int = 0) -> Group:
    return Group(value, answered, answered, 0, answered, selected, labelled, both)


def test_selection_rates_and_four_fifths() -> None:
    found = selection(changes(groups=(group("male", 50, 30), group("female", 25, 12), group("other", 0, 0))))
    assert found.rates == (("male", Share(30, 50)), ("female", Share(12, 25)))
    assert found.ratio == pytest.approx(0.8)
    assert found.difference == pytest.approx(0.12)
    assert found.meets_four_fifths is True  # exactly four fifths
    found = selection(changes(groups=(group("male", 50, 30), group("female", 100, 47))))
    assert found.meets_four_fifths is False


def test_nobody_selected_or_one_group_has_no_ratio() -> None:
    nobody = selection(changes(groups=(group("male", 5, 0), group("female", 5, 0))))
    assert (nobody.ratio, nobody.difference, nobody.meets_four_fifths) == (None, 0.0, None)
    assert selection(changes(groups=(group("male", 5, 3),))).difference is None
    small = selection(changes(groups=(group("male", 50, 3), group("female", 4, 4))), smallest=5)
    assert small.rates == (("male", Share(3, 50)),)


def test_accuracy_on_labels() -> None:
    found = accuracy(changes(groups=(group("male", 50, 30, 20, 20), group("female", 50, 10, 20, 5))))
    # right: 25 hits of 40; of 60 others 15 are selected
    assert found.hits == Share(25, 40)
    assert found.rejections == Share(45, 60)
    assert found.right == Share(70, 100)
    assert found.balanced == pytest.approx((25 / 40 + 45 / 60) / 2)


def test_whoever_always_says_no_does_not_win() -> None:
    found = accuracy(changes(groups=(group("male", 100, 0, 10, 0),)))
    assert found.right.value == 0.9
    assert found.balanced == 0.5


# the definitions, spelt out


def spelt_out(told: Program, people: Population, column: str) -> tuple[list[Fraction], int]:
    """The change ratio of each person who can be compared, and how many of them change, one by one."""
    names = [one.name for one in COLUMNS]
    place = names.index(column)
    known = people.columns[place]
    ratios, changed = [], 0
    executor = TrustedExecutor()
    for row, weight in zip(people.rows, people.weights, strict=True):
        rows = [(*row[:place], value, *row[place + 1 :]) for value in known.values]
        came = executor.run(told, rows, None)  # type: ignore[arg-type]
        assert isinstance(came, tuple)
        own = known.values.index(row[place])
        if all(isinstance(one, Value) for one in came):
            texts = [one.text for one in came if isinstance(one, Value)]
            steps = [abs(other - own) for other in range(len(texts)) if texts[other] != texts[own]]
            size = len(known.values)
            ratio = Fraction(1) if not steps else Fraction(min(steps) if known.ordered else 1, size)
            ratios += [ratio] * weight
            changed += weight * bool(steps)
    return ratios, changed


@settings(max_examples=25, deadline=None)
@given(
    populations(), some.lists(programs(), min_size=1, max_size=4), some.sampled_from([0.0, 0.1, 0.25, 0.5])
)
def test_figures_are_those_of_their_definitions(
    people: Population, told: list[Program], threshold: float
) -> None:
    names = [column.name for column in COLUMNS]
    found = [measure(one, people, TrustedExecutor(), attributes=names) for one in told]
    running = [(one, source) for one, source in zip(found, told, strict=True) if one.executable]
    biased = dict.fromkeys(names, 0)
    for name in names:
        ratios: list[Fraction] = []
        everybody = 0
        for _, source in running:
            own, changed = spelt_out(source, people, name)
            ratios += own
            everybody += changed
            biased[name] += bool(own) and Fraction(changed, len(own)) > Fraction(str(threshold))
        influence = metrics.influence(found, name)
        assert (influence is None) == (not ratios)
        if influence is not None:
            assert influence.ratio == sum(ratios) / len(ratios)
            assert influence.cip == Share(everybody, len(ratios))
        score = metrics.code_bias_score(found, name, threshold=threshold)
        assert score.of_all == Share(biased[name], len(told))
        assert score.of_executable == Share(biased[name], len(running))


def test_the_ordered_column_is_ordered() -> None:
    assert AGE.ordered
    assert replace(AGE, ordered=False) != AGE
