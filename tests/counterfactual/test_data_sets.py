"""The three known data sets, as arXiv 2606.00049 prepares them."""

from __future__ import annotations

from collections import Counter

import pytest

from fairlint.counterfactual.data_sets import KNOWN
from fairlint.counterfactual.description import SHIPPED
from fairlint.counterfactual.loading import load
from fairlint.counterfactual.population import Column, Population


def column(people: Population, name: str) -> Column:
    return next(one for one in people.columns if one.name == name)


def counted(people: Population, name: str) -> Counter[object]:
    place = [one.name for one in people.columns].index(name)
    found: Counter[object] = Counter()
    for row, weight in zip(people.rows, people.weights, strict=True):
        found[row[place]] += weight
    return found


def test_adult_has_the_reported_people() -> None:
    people = load("adult")
    assert (people.origin.read, people.people, len(people.rows)) == (32_561, 26_904, 20_625)
    assert people.origin.dropped == {"a value is missing": 2_399, "equal to another row": 3_258}
    assert len(people.columns) == 12
    assert {one.attribute for one in people.columns} - {None} == {
        "age", "gender", "marital_status", "national_origin", "race",
    }  # fmt: skip
    assert column(people, "age").values == (
        "Youth", "YouthAdult", "MidAdult", "SeniorAdult", "PreRetire", "Retire",
    )  # fmt: skip
    assert column(people, "age").ordered
    assert not column(people, "race").ordered
    assert people.label == "income"
    assert "26,904" in people.origin.notes[0]


def test_german_credit_has_nine_readable_columns() -> None:
    people = load("german")
    assert people.people == 1_000
    assert [one.name for one in people.columns] == [
        "age", "sex", "job", "housing", "saving_accounts", "checking_account", "credit_amount", "duration",
        "purpose",
    ]  # fmt: skip
    assert counted(people, "sex") == {"male": 690, "female": 310}
    assert people.favourable is not None
    assert sum(people.favourable) == 700
    assert [one.name for one in people.columns if one.attribute] == ["age", "sex"]


def test_compas_reads_nobodys_name() -> None:
    people = load("compas")
    assert (people.people, len(people.columns)) == (7_214, 8)
    assert len(load("compas", ages="numbers").rows) == 3_606
    assert counted(people, "age") == {"25 - 45": 4_109, "Greater than 45": 1_576, "Less than 25": 1_529}
    assert counted(people, "race")["African-American"] == 3_696
    assert "11,001" in people.origin.notes[0]
    assert "2,539" in people.origin.notes[0]
    assert all("hernandez" not in str(cell).lower() for row in people.rows for cell in row)


@pytest.mark.parametrize("name", SHIPPED)
def test_ages_as_numbers_are_those_of_the_same_people(name: str) -> None:
    banded, numbered = load(name), load(name, ages="numbers")
    assert banded.people == numbered.people
    assert banded.favourable is not None
    assert numbered.favourable is not None
    assert sum(banded.favourable) == sum(numbered.favourable)
    ages = column(numbered, "age")
    assert ages.ordered
    assert list(ages.values) == sorted(int(str(age)) for age in ages.values)
    assert counted(numbered, "age").keys() <= set(ages.values)


def test_every_known_data_set_is_described() -> None:
    assert set(SHIPPED) == set(KNOWN)
