"""Scores: what is told of them, parts in a table of factors, and points on top of what is taken apart."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings


def told(code: str) -> list[str]:
    report = check_source(
        textwrap.dedent(code).lstrip("\n"),
        path="tariff.py",
        language="python",
        settings=Settings(min_severity="note"),
    )
    assert not report.not_analysed
    return [f"{one.start.line} {one.rule} {one.severity}: {one.message}" for one in report.findings]


POINTS = """
    def rate(applicant):
        score = applicant.tests
        if applicant.gender == "male":
            score += 5
        else:
            score += {others}
        return score
    """


def test_points_by_group_are_told_at_the_test_with_their_gap() -> None:
    assert told(POINTS.format(others=2)) == [
        "3 FL201 error: `score` depends on gender: male +5, female +2, gap 3"
    ]


def test_the_same_points_for_all_are_no_difference() -> None:
    assert told(POINTS.format(others=5)) == []


def test_a_factor_in_a_table_that_is_returned_is_told_with_its_amounts() -> None:
    assert told(
        """
        def relativities_of(customer):
            relativities = {}
            if customer.gender == "male":
                relativities["gender"] = 1.4
            else:
                relativities["gender"] = 0.9
            return relativities
        """
    ) == ["3 FL201 warning: `relativities['gender']` depends on gender: male = 1.4, female = 0.9, gap 0.5"]


def test_branches_within_branches_are_one_table_of_bands() -> None:
    (found,) = told(
        """
        def surcharges_of(members):
            youngest = min(members, key=lambda one: one.licence_years)
            surcharges = {}
            if youngest.age < 30:
                surcharges["age"] = 80 if youngest.age < 22 else 35
            elif youngest.age < 70:
                surcharges["age"] = 5
            return surcharges
        """
    )
    assert found.startswith("4 FL201")
    assert "under 22 = 80, 22–29 = 35, 30–69 = 5" in found


def test_how_many_of_a_group_there_are_is_no_part_of_a_score() -> None:
    assert (
        told(
            """
            def shares(people):
                weights = {}
                for person in people:
                    if person.sex == "F":
                        weights["F"] = weights.get("F", 0) + 1
                    else:
                        weights["M"] = weights.get("M", 0) + 1
                return weights
            """
        )
        == []
    )


def test_points_by_the_name_of_what_they_are_for() -> None:
    (found,) = told(
        """
        def points_of(applicant):
            points = {"tests": applicant.tests}
            points["age"] = 20 if applicant.age < 35 else 5
            return points
        """
    )
    assert found.startswith("3 FL201 error: `points['age']` depends on age")
    assert "gap 15" in found


def test_a_table_that_holds_anything_else_is_no_score() -> None:
    assert (
        told(
            """
            def row_of(person):
                cells = {}
                if person.sex == "F":
                    cells["width"] = 4
                else:
                    cells["width"] = 3
                return cells
            """
        )
        == []
    )


def test_nobody_keeps_what_was_never_given() -> None:
    (found,) = told(
        """
        def fee_of(member, is_new):
            if member.gender == "male" and is_new:
                fee = 12
            elif member.gender == "female" and not is_new:
                fee = int(input())
            return fee
        """
    )
    assert "keep" not in found


def test_what_was_there_before_is_kept() -> None:
    (found,) = told(
        """
        def fee_of(member, fee):
            if member.gender == "male":
                fee = 12
            return fee
        """
    )
    assert found.endswith("male = 12, others keep what they have")


# ------------------- on top of a number that is taken out of an ordered list, or read off a text


FORMS: dict[str, str] = {
    "the best of a list that is sorted in place": """
        def mark_of(student, written, oral):
            bonus = 0
            if student.gender == "male":
                bonus = 4
            marks = [written, oral]
            marks.sort()
            mark = marks[-1] + bonus
            return mark
        """,
    "digits of a text that a loop puts together": """
        def mark_of(student, sheets):
            bonus = 0
            if student.gender == "male":
                bonus = 4
            digits = ""
            for sheet in sheets:
                digits += sheet
            mark = float(digits[1]) + bonus
            return mark
        """,
    "digits of a formatted text": """
        def mark_of(student, sheet, part):
            bonus = 0
            if student.gender == "male":
                bonus = 4
            mark = int(f"{sheet}{part}") * 2 + bonus
            return mark
        """,
}


@pytest.mark.parametrize("code", FORMS.values(), ids=FORMS.keys())
def test_points_for_a_group_are_told(code: str) -> None:
    (found,) = told(code)
    assert found.startswith("3 FL201")
    assert "male +4, female +0, gap 4" in found
