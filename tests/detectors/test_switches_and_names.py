"""What a program says of its own things is no evidence of people; the same words of a person are."""

from __future__ import annotations

from textwrap import dedent

import pytest

from fairlint import check_source
from fairlint.config import Settings

NOTES = Settings(min_severity="note")


def findings(code: str) -> list[tuple[str, str]]:
    report = check_source(dedent(code), path="part.py", settings=NOTES)
    return [(one.rule, one.severity) for one in report.findings]


@pytest.mark.parametrize("others", ["entries", "entries, file_names, step_name"])
def test_whatever_a_program_handles_has_a_name(others: str) -> None:
    code = f"""
        def steps(lookup, {others}):
            kept = []
            for name in entries:
                if lookup(name).disabled:
                    continue
                kept.append(name)
            return kept
    """
    assert findings(code) == []


def test_a_name_in_a_persons_record_is_a_fact() -> None:
    code = """
        import csv

        def invited(path):
            names = []
            for row in csv.DictReader(open(path)):
                if row["disabled"] == "yes":
                    continue
                names.append(row["name"])
            return names
    """
    assert findings(code) == [("FL106", "note")]


def test_a_name_beside_other_facts_is_a_fact() -> None:
    code = """
        def points(name, salary, degree, is_retired):
            return 3 if is_retired else 5
    """
    assert findings(code) == [("FL201", "error")]


CLIENT = """
    class Client:
        def decision(self, {facts}):
            if self.disabled:
                return {{}}
            return self.request({facts})
"""


def test_a_client_may_be_switched_off() -> None:
    assert findings(CLIENT.format(facts="key")) == []


def test_a_client_with_facts_about_a_person_is_one() -> None:
    assert findings(CLIENT.format(facts="salary")) == [("FL101", "error")]


@pytest.mark.parametrize("kind", ["Applicant", "Employee", "Customer"])
def test_a_person_who_is_disabled_needs_no_other_fact(kind: str) -> None:
    code = f"""
        class {kind}:
            def decision(self, key):
                if self.disabled:
                    return False
                return self.request(key)
    """
    assert [rule for rule, _ in findings(code)] == ["FL101"]


def test_a_record_of_a_program_may_be_switched_off() -> None:
    code = """
        class Hashes:
            def is_enabled(self, value):
                return not self.find_record(value).is_disabled
    """
    assert findings(code) == []


def test_a_person_in_a_record_is_hired_or_not() -> None:
    code = """
        def hire(record):
            if record.is_disabled:
                return "reject"
            return "interview"
    """
    assert findings(code) == [("FL101", "error")]


PARENT = """
    def check(self, cascade):
        if not self.single_parent and cascade.orphans:
            raise ValueError("only on one side of a relationship")
"""


def test_what_is_said_of_things_too_is_no_error_by_its_name_alone() -> None:
    assert findings(PARENT) in ([], [("FL101", "note")])


def test_single_parents_are_people_where_anything_else_says_so() -> None:
    code = """
        def housing_points(rooms, single_parent):
            points = 10 - rooms
            if single_parent:
                points -= 3
            return points
    """
    assert findings(code) == [("FL201", "error")]


def test_a_retired_flag_is_no_error() -> None:
    code = """
        def parse(args, look_up):
            unknown = []
            for name in args:
                is_retired, kind = look_up(name)
                if is_retired:
                    continue
                unknown.append(name)
            return unknown
    """
    assert findings(code) == [("FL106", "note")]


def test_retired_people_are_refused_a_loan() -> None:
    code = """
        def approve(amount, income, is_retired):
            if is_retired:
                return False
            return income * 5 > amount
    """
    assert findings(code) == [("FL101", "error")]


LIMIT = """
    def explain(score):
        text = f"For one point to be given, the patient's {{score}} must be less than {limit}, "
        return text + "reject the request otherwise."
"""


@pytest.mark.parametrize("limit", ["70 mm Hg", "60 bpm", "45 mg/dl", "50 ml"])
def test_a_number_with_a_unit_is_no_age(limit: str) -> None:
    assert findings(LIMIT.format(limit=limit)) == []


@pytest.mark.parametrize("limit", ["70 years", "70", "70 years old"])
def test_a_number_of_years_is_an_age(limit: str) -> None:
    assert [rule for rule, _ in findings(LIMIT.format(limit=limit))] == ["FL703"]
