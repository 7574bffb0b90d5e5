"""Figures of programs: the papers' examples, cases computed by hand, the definitions spelt out."""

from __future__ import annotations

from fractions import Fraction

import pytest
from counterfactual_people import AGE, COLUMNS, decides, population, populations, programs
from hypothesis import given, settings
from hypothesis import strategies as some
from trusted_executor import TrustedExecutor

from fairlint.counterfactual import metrics
from fairlint.counterfactual.executors.executor import Program, Value
from fairlint.counterfactual.group_metrics import Selection, accuracy, selection, selections
from fairlint.counterfactual.measured import Changes, Group, Measured, Outcomes, Share
from fairlint.counterfactual.measuring import measure
from fairlint.counterfactual.population import Column, Population
from fairlint.support.records import replace


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
    assert metrics.compare_with_threshold(Share(changed, 100), 0.1) == metrics.Bias(above, reaching)
    assert metrics.compare_with_threshold(Share(3 * changed, 100), 0.3) == metrics.Bias(above, reaching)


def test_nobody_is_no_bias() -> None:
    assert metrics.compare_with_threshold(Share(0, 0), 0.0) == metrics.Bias(above=False, reaching=False)
    assert Share(0, 0).value is None


def test_unions_and_intersections_over_runs() -> None:
    runs = [[True, True, True], [True, False, False], [False, False, False], [False, True, True]]
    assert metrics.union_at_k(runs) == Share(3, 4)
    assert metrics.intersection_at_k(runs) == Share(1, 4)
    with pytest.raises(ValueError, match="same number"):
        metrics.union_at_k([[True], [True, False]])


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
    assert one.decrease == pytest.approx(2 / 3)
    assert two.decrease == 0.5
    # a function that nothing changed before counts as well: the mean rises, and nothing decreases
    risen = metrics.trend([[Share(40, 100), Share(0, 100)], [Share(0, 100), Share(60, 100)]])
    assert risen[1].decrease == -0.5
    with pytest.raises(ValueError, match="before the first round"):
        metrics.trend([[]])
    assert metrics.trend([]) == ()


def test_density_covers_one() -> None:
    found = metrics.density([0.4, 0.5, 0.5, 0.6], points=1001)
    assert sum(height for _, height in found) / 1000 == pytest.approx(1, abs=0.01)
    assert max(found, key=lambda point: point[1])[0] == pytest.approx(0.5, abs=0.01)
    assert metrics.density([0.5, 0.5]) == ()


# groups


def group(value: str, answered: int, selected: int, labelled: int = 0, both: int = 0) -> Group:
    return Group(value, answered, answered, 0, answered, selected, labelled, both)


def rates(found: Selection) -> list[tuple[object, int, int]]:
    return [(one.group, one.selected.part, one.selected.whole) for one in found.rates]


def test_selection_rates_and_four_fifths() -> None:
    found = selection(changes(groups=(group("male", 50, 30), group("female", 25, 12), group("other", 0, 0))))
    assert rates(found) == [("female", 12, 25), ("male", 30, 50)]
    assert found.ratio == Fraction(4, 5)
    assert found.difference == Fraction(3, 25)
    assert found.meets_four_fifths is True, "exactly four fifths"
    found = selection(changes(groups=(group("male", 50, 30), group("female", 100, 47))))
    assert found.meets_four_fifths is False


def test_nobody_selected_or_one_group_has_no_ratio() -> None:
    nobody = selection(changes(groups=(group("male", 5, 0), group("female", 5, 0))))
    assert nobody.ratio is None
    assert nobody.meets_four_fifths is None
    assert nobody.difference == 0
    one = selection(changes(groups=(group("male", 5, 3),)))
    assert (one.ratio, one.difference, one.meets_four_fifths) == (None, None, None)


def test_groups_of_less_than_two_per_cent_are_in_no_ratio() -> None:
    large = (group("a", 490, 98), group("b", 490, 196))
    limit = selection(changes(groups=(*large, group("c", 20, 20))))
    assert (limit.left_out, limit.ratio) == (0, Fraction(1, 5))
    below = selection(changes(groups=(*large, group("c", 19, 19))))
    assert (below.left_out, below.ratio) == (1, Fraction(1, 2))


@settings(max_examples=25, deadline=None)
@given(some.lists(some.tuples(some.integers(1, 300), some.integers(0, 300)), min_size=2, max_size=5))
def test_fairlearn_has_the_same_figures(drawn: list[tuple[int, int]]) -> None:
    """Each person by itself, in another's code."""
    fairlearn = pytest.importorskip("fairlearn.metrics")
    people = [
        (place, int(person < chosen)) for place, (size, chosen) in enumerate(drawn) for person in range(size)
    ]
    groups = [group(str(place), size, min(size, chosen)) for place, (size, chosen) in enumerate(drawn)]
    found = selection(changes(groups=tuple(groups)), smallest=Fraction(0))
    outcomes = [outcome for _, outcome in people]
    told = {"y_true": outcomes, "y_pred": outcomes, "sensitive_features": [one for one, _ in people]}
    assert found.difference is not None
    assert float(found.difference) == pytest.approx(fairlearn.demographic_parity_difference(**told))
    if any(outcomes):
        assert found.ratio is not None
        assert float(found.ratio) == pytest.approx(fairlearn.demographic_parity_ratio(**told))


def test_accuracy_on_labels() -> None:
    groups = (group("male", 50, 30, 20, 20), group("female", 50, 10, 20, 5))
    found = accuracy(program(changes(groups=groups)))
    assert found is not None
    # right: 25 hits of 40; of 60 others 15 are selected
    assert found.hits == Share(25, 40)
    assert found.rejections == Share(45, 60)
    assert found.right == Share(70, 100)
    assert found.balanced == pytest.approx((25 / 40 + 45 / 60) / 2)


def test_whoever_always_says_no_does_not_win() -> None:
    found = accuracy(program(changes(groups=(group("male", 100, 0, 10, 0),))))
    assert found is not None
    assert (found.right.value, found.balanced) == (0.9, 0.5)


@pytest.mark.parametrize("labelled", [0, 100])
def test_without_labels_that_differ_there_is_no_accuracy(labelled: int) -> None:
    assert accuracy(program(changes(groups=(group("male", 100, 50, labelled, labelled // 2),)))) is None


def test_an_outcome_that_is_neither_good_nor_bad_selects_nobody() -> None:
    groups = (group("male", 50, 30, 20, 20), group("female", 50, 10, 20, 5))
    unknown = replace(program(changes(groups=groups)), favourable=None)
    assert (accuracy(unknown), selections(unknown)) == (None, ())


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


@settings(max_examples=50, deadline=None)
@given(populations(), programs())
def test_figures_are_those_of_their_definitions(people: Population, told: Program) -> None:
    found = measure(told, people, TrustedExecutor(), attributes=[column.name for column in COLUMNS])
    for one in found.attributes if found.executable else ():
        ratios, changed = spelt_out(told, people, one.column)
        assert one.cip == Share(changed, len(ratios))
        assert metrics.mean_change_ratio(one) == (sum(ratios) / len(ratios) if ratios else None)


def test_the_ordered_column_is_ordered() -> None:
    assert AGE.ordered
    assert replace(AGE, ordered=False) != AGE
