"""Points on top of a number that is taken out of an ordered list, or read off a text."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source


def told(code: str) -> list[str]:
    report = check_source(textwrap.dedent(code).lstrip("\n"), path="marks.py", language="python")
    assert not report.not_analysed
    return [f"{one.start.line} {one.rule}: {one.message}" for one in report.findings]


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


def test_people_who_are_sorted_in_place_are_still_ranked() -> None:
    (found,) = told(
        """
        def choose(applicants):
            applicants.sort(key=lambda applicant: applicant.gender == "male", reverse=True)
            return applicants[0]
        """
    )
    assert found.startswith("2 FL105")
