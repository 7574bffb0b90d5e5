"""Rankings: people are sorted by an attribute, or by a number in which it takes part, and cut off."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings


def told(code: str) -> list[str]:
    report = check_source(
        textwrap.dedent(code).lstrip("\n"), path="marks.py", settings=Settings(min_severity="note")
    )
    assert not report.not_analysed
    return [f"{one.start.line} {one.rule}: {one.message}" for one in report.findings]


def ranked(by: str, taken: str = "[:10]") -> str:
    return f"def choose(applicants):\n    return sorted(applicants, key=lambda one: {by}){taken}\n"


@pytest.mark.parametrize(
    ("by", "attribute"),
    [
        ("one.age", "age"),
        ("-one.age", "age"),
        ("(one.gender, one.tests)", "gender"),
        ("one.gender == 'male'", "gender"),
        ("(one.tests, one.age)", "age"),
        ("one.tests + (5 if one.gender == 'male' else 0)", "gender"),
        ("one.tests + {'male': 5, 'female': 4}[one.gender]", "gender"),
        ("one.tests + {'male': 5, 'female': 5}.get(one.gender, 0)", "gender"),
    ],
)
def test_the_first_of_people_who_are_sorted_by_it_are_told(by: str, attribute: str) -> None:
    """By the attribute itself, behind something else, or by a number in which it takes part."""
    assert told(ranked(by)) == [f"2 FL105: people are ranked by {attribute} and the ranking is cut off"]


@pytest.mark.parametrize(
    "code",
    [
        ranked("one.tests"),
        ranked("one.age", taken=""),  # all of them are handed on, in some order
    ],
)
def test_who_is_sorted_by_anything_else_or_not_cut_off_is_silent(code: str) -> None:
    assert told(code) == []


@pytest.mark.parametrize(
    "by",
    [
        "one.tests + (5 if one.gender == 'male' else 5)",
        "(0 if one.gender == 'male' else 0, -one.tests)",
        "one.tests + {'male': 5, 'female': 5}[one.gender]",
        "one.tests if one.gender == 'male' else one.tests",
        "(one.tests, (one.gender == 'male') * 0)",
    ],
)
def test_a_number_that_is_the_same_for_all_ranks_nobody(by: str) -> None:
    (line,) = told(ranked(by))
    assert line.startswith("2 FL104: gender is tested here and nothing is seen to depend on it")


@pytest.mark.parametrize(
    "by",
    [
        "max(one.tests, 50) if one.gender == 'female' else one.tests",
        "round(one.tests) if one.gender == 'male' else one.tests",
        "one.tests % 7 if one.gender == 'male' else one.tests",
        "-one.tests if one.gender == 'male' else one.tests",
    ],
)
def test_numbers_that_are_near_each_other_are_not_the_same(by: str) -> None:
    assert told(ranked(by)) == ["2 FL105: people are ranked by gender and the ranking is cut off"]


def test_the_place_is_where_they_are_sorted_and_the_flow_ends_there() -> None:
    (found,) = check_source(ranked("one.age")).findings
    assert (found.start.line, found.severity, found.use.kind) == (2, "warning", "ranking")
    assert found.flow[-1].start.line == 2


@pytest.mark.parametrize(
    "shown", ["people.sort_values('age').head()", "print(people.sort_values('age').head(10))"]
)
def test_a_look_at_the_first_rows_is_no_choice(shown: str) -> None:
    head = "import pandas as pd\npeople = pd.read_csv('people.csv')\n"
    report = check_source(f"{head}{shown}\n", settings=Settings(min_severity="note"))
    assert report.findings == ()
    assert [(use.kind, use.effect) for _, use in report.uses] == [("ranking", "show")]
    chosen = f"{head}def shortlist(people):\n    return people.sort_values('age').head(10)\n"
    assert [one.rule for one in check_source(chosen).findings] == ["FL105"]


def test_people_who_are_sorted_in_place_are_still_ranked() -> None:
    (found,) = told(
        """
        def choose(applicants):
            applicants.sort(key=lambda applicant: applicant.gender == "male", reverse=True)
            return applicants[0]
        """
    )
    assert found.startswith("2 FL105")


def test_people_who_are_chosen_in_the_order_of_names_are_told() -> None:
    code = """
    def shortlist(candidates):
        return sorted(candidates, key=lambda candidate: candidate.last_name)[:10]
    """
    assert [one.rule for one in check_source(textwrap.dedent(code)).findings] == ["FL602"]


def test_the_first_who_are_kept_under_the_name_of_an_outcome_are_chosen() -> None:
    code = """import pandas as pd

people = pd.read_csv("people.csv")
{name} = people.sort_values("age").head(10)
{name}.to_csv("first.csv")
"""
    assert told(code.format(name="hired")) == ["4 FL105: people are ranked by age and the ranking is cut off"]
    assert told(code.format(name="youngest")) == []
    assert told(code.format(name="hired").replace('hired.to_csv("first.csv")', "print(hired)")) == []
