"""Rows of a table, records and registries that hold what is asked of people, or given for it, are rules."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source

TOLD: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "rows that skip": (
        """
        GRANTS = [
            {"title": "Women in physics", "sex": "female", "ceiling": 900},
            {"title": "Anybody", "sex": None, "ceiling": 100},
        ]

        def grants_of(student):
            open_to = []
            for grant in GRANTS:
                if grant["sex"] and student["sex"] != grant["sex"]:
                    continue
                if student["income"] > grant["ceiling"]:
                    continue
                open_to.append(grant["title"])
            return open_to
        """,
        [("FL106", "gender")],
    ),
    "rows of a dict": (
        """
        BENEFITS = {
            "widows": {"gender": "female", "least": 40},
            "all": {"gender": None, "least": 60},
        }

        def benefits_of(citizen):
            return [k for k, b in BENEFITS.items() if b["gender"] in (None, citizen["gender"])]
        """,
        [("FL106", "gender")],
    ),
    "one record": (
        """
        TERMS = {"gender": "male", "income": 2000}

        def is_accepted(tenant):
            if TERMS.get("gender") and tenant["gender"] != TERMS["gender"]:
                return False
            return tenant["income"] >= TERMS["income"]
        """,
        [("FL101", "gender")],
    ),
    "a table that is loaded": (
        """
        import json

        with open("points.json") as file:
            POINTS = json.load(file)

        def score(student):
            total = student["marks"]
            total += POINTS["gender"][student["gender"]]
            return total
        """,
        [("FL205", "gender")],
    ),
    "records of a class": (
        """
        from dataclasses import dataclass

        @dataclass
        class Course:
            name: str
            religion: str

        OFFERED = [Course("Mass", "catholic"), Course("Sermon", "muslim")]

        def admitted_to(pupil):
            admitted = []
            for course in OFFERED:
                if course.religion == pupil.religion:
                    admitted.append(course.name)
            return admitted
        """,
        [("FL101", "religion")],
    ),
    "a registry of tests and points": (
        """
        TESTS = []

        def counts(points):
            def keep(function):
                TESTS.append((function, points))
                return function
            return keep

        @counts(9)
        def _(tenant):
            return tenant.nationality == "German"

        def rating(tenant):
            rating = 0
            for test, points in TESTS:
                if test(tenant):
                    rating += points
            return rating
        """,
        [("FL201", "national_origin")],
    ),
}


@pytest.mark.parametrize("case", TOLD)
def test_rules_that_are_data_are_told(case: str) -> None:
    code, told = TOLD[case]
    report = check_source(textwrap.dedent(code))
    found = [(one.rule, one.use.attribute) for one in report.findings]
    assert set(told) <= set(found)


def test_the_row_is_named() -> None:
    code = textwrap.dedent(TOLD["rows that skip"][0])
    (found,) = check_source(code).findings
    places = [code[step.span.start : step.span.end] for step in found.use.flow]
    assert '"female"' in places
    assert dict(found.use.outcomes) == {"male": "left out", "female": "kept"}


def test_points_of_a_registry_are_those_of_the_row() -> None:
    report = check_source(textwrap.dedent(TOLD["a registry of tests and points"][0]))
    points = [one.use.points for one in report.findings if one.rule == "FL201"]
    assert [one.by_group["german"] for one in points if one is not None] == [9]


def test_people_who_are_written_out_are_no_rules() -> None:
    code = """
    STAFF = [{"name": "Ann", "gender": "female"}, {"name": "Bob", "gender": "male"}]

    def find(person):
        return [one for one in STAFF if one["name"] == person["name"]]
    """
    assert check_source(textwrap.dedent(code)).findings == ()
