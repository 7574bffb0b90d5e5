"""Groups of two attributes at once: who is selected, and how that compares with the best-placed group."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from statistics import median

import pytest
from counterfactual_people import decides, population, populations, programs
from hypothesis import given, settings
from hypothesis import strategies as some
from plain_counterfactuals import plain_crossed
from trusted_executor import TrustedExecutor

from fairlint.cli import main
from fairlint.counterfactual import crossing
from fairlint.counterfactual.executors.executor import Failed, Program, Value
from fairlint.counterfactual.group_metrics import CrossedSelection, crossed_selections
from fairlint.counterfactual.measured import Share, from_json, to_json
from fairlint.counterfactual.measuring import measure
from fairlint.counterfactual.population import Column, Population
from fairlint.statistics.impact_ratios import Counted, impact_ratios
from fairlint.statistics.intervals import share_bounds

HIRED = "return p['job'] == 'cook'"


def crossed(body: str, people: Population) -> CrossedSelection:
    found = measure(decides(body), people, TrustedExecutor(), attributes=["sex", "race"])
    (both,) = crossed_selections(found)
    return both


def people_of(counts: dict[tuple[str, str, str], int]) -> Population:
    """People by sex, race and job."""
    return population([(sex, "old", race, job) for sex, race, job in counts], list(counts.values()))


def test_each_crossed_group_is_compared_with_the_one_that_is_selected_most() -> None:
    both = crossed(
        HIRED,
        people_of(
            {
                ("male", "White", "cook"): 30, ("male", "White", "clerk"): 20,
                ("female", "White", "cook"): 12, ("female", "White", "clerk"): 18,
                ("female", "Black", "cook"): 2, ("female", "Black", "clerk"): 18,
            }
        ),
    )  # fmt: skip
    assert [(one.groups, one.selected, one.ratio) for one in both.rates] == [
        (("female", "Black"), Share(2, 20), Fraction(1, 6)),
        (("female", "White"), Share(12, 30), Fraction(2, 3)),
        (("male", "White"), Share(30, 50), Fraction(1)),
    ]
    assert (both.ratio, both.meets_four_fifths, both.left_out) == (Fraction(1, 6), False, 0)
    bounds = both.rates[0].bounds
    assert bounds is not None
    assert (bounds.low, bounds.high) == share_bounds(2, 20)


def test_a_group_below_two_per_cent_is_shown_and_not_compared() -> None:
    counts = {("male", "White", "cook"): 49, ("female", "White", "clerk"): 50}
    at = crossed(HIRED, people_of({**counts, ("female", "Black", "cook"): 1}))
    assert [(one.groups, one.ratio, one.is_small) for one in at.rates[2:]] == [
        (("female", "Black"), None, True)
    ]
    above = crossed(HIRED, people_of({**counts, ("female", "Black", "cook"): 3}))
    assert not any(one.is_small for one in above.rates)


def test_where_nobody_is_selected_there_is_no_ratio() -> None:
    both = crossed(
        "return p['job'] == 'x'", people_of({("male", "White", "cook"): 1, ("female", "Asian", "cook"): 1})
    )
    assert both.ratio is None
    assert both.meets_four_fifths is None


def test_people_without_an_outcome_count_in_no_rate() -> None:
    body = "return 1 // 0 if p['job'] == 'smith' else True"
    both = crossed(
        body,
        people_of(
            {("male", "White", "smith"): 9, ("male", "White", "cook"): 1, ("female", "White", "cook"): 1}
        ),
    )
    assert [(one.people, one.selected) for one in both.rates] == [(10, Share(1, 1)), (1, Share(1, 1))]


@given(some.lists(some.tuples(some.integers(-3, 3), some.integers(1, 4)), min_size=1, max_size=8))
def test_of_scores_those_above_the_median_are_selected(drawn: list[tuple[int, int]]) -> None:
    points = Column("points", tuple(dict.fromkeys(score for score, _ in drawn)), attribute="age")
    weights: Counter[int] = Counter()
    for score, people in drawn:
        weights[score] += people
    told = population([(score,) for score in weights], list(weights.values()), columns=[points])
    found = measure(decides("return p['points'] / 2", [points]), told, TrustedExecutor())
    everybody = [score / 2 for score, people in weights.items() for _ in range(people)]
    if found.decision != "numbers":
        assert found.score_limit is None
        return
    assert found.score_limit == median(everybody)
    assert sum(one.selected for one in found.attributes[0].groups) == sum(
        score > median(everybody) for score in everybody
    )


@pytest.mark.parametrize("ends", ["10 ** 400", "'x'"])
def test_what_is_no_number_has_no_median(ends: str) -> None:
    people = people_of(
        {("male", "White", "cook"): 2, ("female", "White", "clerk"): 1, ("male", "Black", "clerk"): 1}
    )
    found = measure(decides(f"return 3 if p['job'] == 'cook' else {ends}"), people, TrustedExecutor())
    assert found.score_limit is None
    assert found.executable
    changed = measure(
        decides(f"return {ends} if p['sex'] == 'nobody' else len(p['job'])"), people, TrustedExecutor()
    )
    assert changed.score_limit == 4.5


@settings(max_examples=60, deadline=None)
@given(populations(), programs())
def test_the_same_as_person_by_person(people: Population, program: Program) -> None:
    found = measure(program, people, TrustedExecutor())
    assert from_json(json.loads(json.dumps(to_json(found)))) == found
    outcomes = TrustedExecutor().run(program, people.rows, None)  # type: ignore[arg-type]
    assert not isinstance(outcomes, Failed)
    names = [column.name for column in people.columns]

    def is_good(outcome: Value) -> bool:
        if found.score_limit is not None:
            return float(outcome.text) > found.score_limit
        return outcome.text == found.favourable

    for both in crossed_selections(found):
        first, second = (names.index(name) for name in both.columns)
        each = [
            (
                (row[first], row[second]),
                is_good(outcome) if isinstance(outcome, Value) else None,
            )
            for row, outcome, weight in zip(people.rows, outcomes, people.weights, strict=True)
            for _ in range(weight)
        ]
        told = {
            one.groups: (Fraction(one.selected.part, one.selected.whole), one.selected.whole, one.ratio)
            for one in both.rates
        }
        assert told == plain_crossed(each)


@given(some.dictionaries(some.integers(), some.tuples(some.integers(0, 50), some.integers(0, 50))))
def test_ratios_are_between_none_and_all(drawn: dict[int, tuple[int, int]]) -> None:
    groups = {name: Counted(Fraction(min(part, whole)), whole) for name, (part, whole) in drawn.items()}
    found = impact_ratios(groups)
    assert found.keys() == {name for name, one in groups.items() if one.people}
    ratios = [one.ratio for one in found.values() if one.ratio is not None]
    assert all(0 <= ratio <= 1 for ratio in ratios)
    assert not ratios or max(ratios) == 1
    assert all(one.ratio is None for one in found.values() if one.is_small)


# ------------------------------------------------------------------------------------------------- reports


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lines = ["gender,race,income"]
    for group, count, rich in (
        ("male,White", 60, 45),
        ("female,White", 49, 20),
        ("female,Black", 40, 8),
        ("male,Black", 2, 2),
    ):
        lines += [f"{group},{9 if place < rich else 1}" for place in range(count)]
    (tmp_path / "people.csv").write_text("\n".join(lines), "utf-8")
    (tmp_path / "loans.py").write_text("def approve(income):\n    return income > 5\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["counterfactual", "loans.py:approve", "--data", "people.csv", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_the_text_has_a_row_for_each_group(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [" ".join(line.split()) for line in told(capsys).splitlines()]
    assert "gender × race female, Black 20.0 % male, White 75.0 % 0.267 below four fifths" in rows
    assert "female, Black 8 40 20.0 % 9.1–35.6 % 0.267" in rows
    assert "male, Black 2 2 100.0 % 15.8–100.0 % below 2 %, not compared" in rows


@pytest.mark.usefixtures("folder")
def test_the_document_has_every_group(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(told(capsys, "--format", "json"))
    (both,) = document["crossed"]
    assert both["columns"] == ["gender", "race"]
    assert both["disparate_impact"] == pytest.approx(4 / 15)
    assert both["four_fifths"] is False
    assert both["rates"][-1] == {
        "groups": {"gender": "male", "race": "Black"}, "selected": 2, "people": 2, "rate": 1.0,
        "low": pytest.approx(0.158, abs=1e-3), "high": 1.0, "impact_ratio": None, "below_two_percent": True,
    }  # fmt: skip
    assert (both["left_out"], document["crossed_left_out"]) == (0, 0)


@pytest.mark.usefixtures("folder")
def test_of_scores_the_median_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "loans.py").write_text("def approve(income):\n    return income * 1.5\n", "utf-8")
    rows = [" ".join(line.split()) for line in told(capsys).splitlines()]
    assert "selected: above the median of 1.5 least most ratio" in rows
    assert "female, Black 8 40 20.0 % 9.1–35.6 % 0.267" in rows


@pytest.mark.usefixtures("folder")
def test_where_all_get_the_same_no_groups_are_listed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "loans.py").write_text("def approve(income):\n    return income > 50\n", "utf-8")
    out = told(capsys)
    assert "outcomes  False for 151" in out
    assert "selected" not in out
    assert "two attributes" not in out


@pytest.mark.usefixtures("folder")
def test_a_cut_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossing, "MOST_CROSSED", 3)
    assert "1 more group, 1 of them below 2 % (--format json)" in told(capsys)
    document = json.loads(told(capsys, "--format", "json"))
    assert document["crossed"][0]["left_out"] == 1
    assert document["crossed"][0]["disparate_impact"] == pytest.approx(4 / 15)
    monkeypatch.setattr(crossing, "MOST_CROSSINGS", 0)
    monkeypatch.setattr("fairlint.counterfactual.measuring.MOST_CROSSINGS", 0)
    assert "1 pair of attributes is not crossed" in told(capsys)


def test_where_it_is_not_asked_nothing_is_crossed() -> None:
    people = people_of({("male", "White", "cook"): 1})
    found = measure(decides(HIRED), people, TrustedExecutor(), cross=False)
    assert (found.crossed, found.crossed_left_out) == ((), 0)
