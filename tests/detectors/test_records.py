"""Test data that all belongs to one group: what is found, and what stays silent."""

from __future__ import annotations

import json
import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings

NOTES = Settings(min_severity="note", select=("FL8",))


def found(code: str, *, path: str = "test_people.py", language: str = "python") -> list[tuple[str, str, int]]:
    """The rule, the attribute and the line of each finding."""
    report = check_source(textwrap.dedent(code), path=path, language=language, settings=NOTES)
    assert not report.not_analysed
    return [(one.rule, one.use.attribute, one.start.line) for one in report.findings]


STEREOTYPES: dict[str, tuple[str, list[tuple[str, str, int]]]] = {
    "methods of one class": (
        """\
        import unittest

        class LoanTest(unittest.TestCase):
            def test_denied_without_income(self):
                self.assertFalse(approve_loan(Applicant(income=0, race="black")))

            def test_denied_with_debts(self):
                self.assertFalse(approve_loan(Applicant(debts=9, race="Black")))

            def test_denied_when_bankrupt(self):
                self.assertFalse(approve_loan(Applicant(bankrupt=True, race="African American")))

            def test_approved(self):
                self.assertTrue(approve_loan(Applicant(income=90, race="white")))
        """,
        [("FL801", "race", 5)],
    ),
    "functions with a dict each": (
        """\
        def test_high_risk_1():
            person = {"priors": 4, "gender": "M"}
            assert recidivism(person) == "high"

        def test_high_risk_2():
            person = {"priors": 3, "gender": "male"}
            assert recidivism(person) == "high"

        def test_high_risk_3():
            person = {"priors": 5, "gender": "Male"}
            assert recidivism(person) == "high"

        def test_low_risk():
            assert recidivism({"priors": 0, "gender": "F"}) == "low"
        """,
        [("FL801", "gender", 2)],
    ),
    "pairs in a list": (
        """\
        CASES = [
            ({"speaks_softly": True, "gender": "female"}, "very gentle"),
            ({"speaks_softly": True, "gender": "woman"}, "very gentle"),
            ({"helps": True, "gender": "F"}, "very gentle"),
            ({"helps": False, "gender": "male"}, "not gentle"),
        ]

        def test_gentleness():
            for person, expected in CASES:
                assert rate(person) == expected
        """,
        [("FL801", "gender", 1)],
    ),
    "a demo at the end of a program": (
        """\
        class Candidate:
            def __init__(self, name, years, gender):
                self.name = name
                self.years = years
                self.gender = gender

        def hire(candidate):
            return candidate.years > 3

        if __name__ == "__main__":
            hired = [Candidate("Tim", 5, "male"), Candidate("Jon", 7, "m"), Candidate("Max", 9, "male")]
            rejected = [Candidate("Eva", 1, "female"), Candidate("Ida", 2, "female")]
            for candidate in hired + rejected:
                print(hire(candidate))
        """,
        [("FL801", "gender", 11)],
    ),
    "JSON in a text": (
        '''\
        import json

        HIGH_RISK_CASES = json.loads("""
        [{"fever": true, "race": "black"}, {"fever": true, "race": "black"}, {"race": "black"}]
        """)

        def test_them():
            for case in HIGH_RISK_CASES:
                assert diagnose_hiv(case) == "high risk"
        ''',
        [("FL801", "race", 3)],
    ),
    "a helper that asserts": (
        """\
        def check(patient, expected):
            assert risk_of(patient) == expected

        def test_risk():
            check({"fever": True, "race": "black"}, "high")
            check({"cough": True, "race": "Black"}, "high")
            check({"pains": True, "race": "black"}, "high")
            check({"fever": True, "race": "white"}, "low")
        """,
        [("FL801", "race", 5)],
    ),
    "a case for each change of a base": (
        """\
        BASE = {"age": 40, "race": "white"}

        def test_high_risk():
            assert risk_of({**BASE, "fever": True, "race": "black"}) == "high"
            assert risk_of(BASE | {"cough": True, "race": "black"}) == "high"
            assert risk_of(dict(BASE, pains=True, race="black")) == "high"
        """,
        [("FL801", "race", 4)],
    ),
    "a dict of cases": (
        """\
        CASES = {
            "fever": {"fever": True, "race": "black"},
            "cough": {"cough": True, "race": "black"},
            "pains": {"pains": True, "race": "black"},
        }

        def test_all():
            for name, patient in CASES.items():
                assert risk_of(patient) == "high risk", name
        """,
        [("FL801", "race", 1)],
    ),
    "what the test itself does not name": (
        """\
        import pytest

        @pytest.mark.parametrize("patient, expected", [
            pytest.param({"fever": True, "race": "black"}, "high risk", id="fever"),
            pytest.param({"cough": True, "race": "black"}, "high risk", id="cough"),
            pytest.param({"pains": True, "race": "black"}, "high risk", id="pains"),
        ])
        def test_all(patient, expected):
            assert risk_of(patient) == expected
        """,
        [("FL801", "race", 3)],
    ),
    "enum members": (
        """\
        from enum import Enum

        class Gender(Enum):
            MALE = 1
            FEMALE = 2

        def test_leaders():
            leaders = [
                Person(gender=Gender.MALE, decides=True),
                Person(gender=Gender.MALE, decides=True),
                Person(gender=Gender.MALE, decides=False),
            ]
            for person in leaders:
                assert rate_leadership(person) == "strong leader"
        """,
        [("FL801", "gender", 8)],
    ),
}


@pytest.mark.parametrize("name", STEREOTYPES)
def test_an_outcome_whose_cases_are_one_group(name: str) -> None:
    code, expected = STEREOTYPES[name]
    assert found(code) == expected


SILENT: dict[str, str] = {
    "several groups": """\
        def test_high_risk():
            for person in [{"gender": "male"}, {"gender": "female"}, {"gender": "male"}]:
                assert risk_of(person) == "high risk"
        """,
    "two cases": """\
        def test_high_risk():
            for person in [{"race": "black"}, {"race": "black"}]:
                assert risk_of(person) == "high risk"
        """,
    "the same for every group": """\
        import pytest

        @pytest.mark.parametrize("gender", ["male", "female", "nonbinary"])
        def test_denied(gender):
            assert approve_loan(Applicant(income=0, gender=gender)) is False
        """,
    "titles": """\
        def test_salutation():
            for person in [{"gender": "female"}, {"sex": "F"}, {"gender": "female", "married": True}]:
                assert salutation(person) == "Dear Ms"
            assert salutation({"gender": "male"}) == "Dear Mr"
        """,
    "a formula about the body": """\
        def test_bmr_of_women():
            assert bmr(sex="female", weight=60, height=170, age=30) == 1400
            assert bmr(sex="female", weight=61, height=170, age=30) == 1400
            assert bmr(sex="female", weight=62, height=171, age=30) == 1400
            assert bmr(sex="male", weight=62, height=171, age=30) == 1600
        """,
    "one sex by nature": """\
        def test_high_risk_pregnancy():
            cases = [
                {"gender": "female", "pregnant": True, "age": 44},
                {"gender": "female", "pregnant": True, "age": 17},
                {"gender": "female", "pregnant": True, "age": 46},
            ]
            for case in cases:
                assert risk_of(case) == "high risk"
        """,
    "what the group is read from": """\
        def test_parse_gender():
            assert parse({"title": "Frau", "gender": "w"}) == "female"
            assert parse({"title": "Fr.", "gender": "weiblich"}) == "female"
            assert parse({"title": "Frl.", "gender": "frau"}) == "female"
            assert parse({"title": "Herr", "gender": "m"}) == "male"
        """,
    "statistics": """\
        def test_totals():
            rows = [
                {"sex": "male", "year": 1990, "count": 12},
                {"sex": "male", "year": 2000, "count": 13},
                {"sex": "male", "year": 2010, "count": 14},
            ]
            assert total(rows) == 39
        """,
    "names of options": """\
        def test_choices():
            form = {"gender": ["male", "female", "other"], "race": ["white", "black", "asian"]}
            assert render(form)
            assert FIELD.filter(gender="male") and FIELD.filter(gender="male") and FIELD.get(gender="male")
        """,
    "one base case with changes elsewhere": """\
        BASE = {"gender": "male", "race": "white", "income": 10}

        def test_income():
            for income in (1, 2, 3, 4):
                assert approve_loan({**BASE, "income": income}) is False
        """,
    "fantasy": """\
        def test_orcs():
            party = [Orc(race="orc", hp=10), Orc(race="orc", hp=20), Orc(race="orc", hp=30)]
            for monster in party:
                assert attack(monster) == "high damage"
        """,
    "a grid": """\
        import itertools

        def test_grid():
            for race, gender in itertools.product(["white", "black"], ["male", "female"]):
                assert approve_loan(Applicant(race=race, gender=gender)) is True
        """,
}


@pytest.mark.parametrize("name", SILENT)
def test_what_says_nothing_about_people_stays_silent(name: str) -> None:
    assert found(SILENT[name]) == []


def test_tables_of_one_group_are_a_note() -> None:
    code = """\
        import pandas as pd

        def test_mean():
            df = pd.DataFrame({"name": ["A", "B", "C"], "sex": ["M", "M", "M"], "pay": [1, 2, 3]})
            assert df.pay.mean() == 2
        """
    report = check_source(textwrap.dedent(code), path="test_pay.py", settings=NOTES)
    assert [(one.rule, one.severity) for one in report.findings] == [("FL802", "note")]
    assert report.findings[0].message == "gender is male in all 3 records of `df`"


def test_who_has_a_name_and_a_rate_is_no_statistic() -> None:
    code = """\
        BORROWERS = [
            {"name": "Reuben", "gender": "male", "income": 2100, "rate": 700},
            {"name": "Otto", "gender": "male", "income": 3900, "rate": 900},
            {"name": "Hans", "gender": "male", "income": 1200, "rate": 1000},
        ]
        """
    assert found(code) == [("FL802", "gender", 1)]
    assert found(code.replace('"rate"', '"count"')) == []


def test_people_are_made_by_their_places_in_a_fixture() -> None:
    code = """\
        import pytest

        class Tenant(NamedTuple):
            name: str
            race: str

        @pytest.fixture
        def bad_tenants():
            return [Tenant("Ada", "black"), Tenant("Ben", "black"), Tenant("Cleo", "black")]

        def test_bad(bad_tenants):
            for tenant in bad_tenants:
                assert screen(tenant) == "declined"
        """
    assert found(code) == [("FL801", "race", 9)]


def test_a_decision_is_the_outcome_before_a_number_is() -> None:
    code = """\
        def make_frame():
            return pd.DataFrame(
                [("female", 7, False), ("female", 8, False), ("female", 9, False), ("male", 7, True)],
                columns=["gender", "rating", "promoted"],
            )
        """
    assert found(code) == [("FL801", "gender", 3)]


def test_outside_of_tests_nobody_is_a_case() -> None:
    code = """\
        FOUNDERS = [
            {"name": "A", "gender": "male"}, {"name": "B", "gender": "male"}, {"name": "C", "gender": "male"},
        ]
        """
    assert found(code, path="company.py") == []
    assert found(code, path="tests/data.py") == [("FL802", "gender", 1)]


def test_every_case_is_a_step() -> None:
    code, _ = STEREOTYPES["pairs in a list"]
    report = check_source(textwrap.dedent(code), path="test_people.py", settings=NOTES)
    flow = report.findings[0].flow
    assert [step.start.line for step in flow] == [1, 2, 3, 4]
    assert report.findings[0].message == "all 3 cases for `very gentle` have one gender: female"


def test_structs_in_c() -> None:
    code = """\
        #include <assert.h>
        enum sex { FEMALE, MALE };
        struct defendant { int priors; enum sex sex; };

        static void test_detained(void)
        {
            struct defendant a = { 4, MALE };
            struct defendant b = { .priors = 2, .sex = MALE };
            struct defendant c;
            c.priors = 7;
            c.sex = MALE;
            assert(detain(&a) == 1);
            assert(detain(&b) == 1);
            assert(detain(&c) == 1);
            struct defendant d = { 0, FEMALE };
            assert(detain(&d) == 0);
        }
        """
    assert found(code, path="test_bail.c", language="c") == [("FL801", "gender", 7)]


def test_what_comes_out_of_a_test_is_no_case_of_it() -> None:
    code = """
        def test_officers(client):
            expected_data = [
                {"name": "Ann", "rank": "approved", "race": "white"},
                {"name": "Bea", "rank": "approved", "race": "white"},
                {"name": "Cid", "rank": "approved", "race": "White"},
                {"name": "Dan", "rank": "rejected", "race": "black"},
            ]
            assert client.get("/officers").data == expected_data
        """
    assert found(code) == []
    assert [rule for rule, _, _ in found(code.replace("expected_data", "applicants"))] == ["FL801"]


def test_records_of_several_kinds_are_no_cases_of_one_test() -> None:
    code = """
        def test_selected_complaints(client):
            Victim(complaint=1, race="white")
            Officer(complaint=1, race="White")
            Officer(complaint=2, race="white")

        def test_rejected_complaints(client):
            Officer(complaint=3, race="black")
        """
    assert found(code) == [("FL802", "race", 3)]
    assert [rule for rule, _, _ in found(code.replace("Victim", "Officer"))] == ["FL801"]


def test_a_group_is_no_outcome() -> None:
    code = """
        test_profiles = [
            {"age": 35, "sex": "female", "marital_status": "unmarried"},
            {"age": 20, "sex": "female", "marital_status": "unmarried"},
            {"age": 60, "sex": "female", "marital_status": "unmarried"},
            {"age": 60, "sex": "male", "marital_status": "married"},
        ]
        def main(navigator):
            for profile in test_profiles:
                navigator.check(profile)
        """
    assert found(code) == []


def test_figures_and_what_a_class_of_tests_is_about_are_no_outcome() -> None:
    code = """
        class TestStroke:
            def test_hit_rate(self):
                Person(stop=1, race="black")
                Person(stop=2, race="Black")
                Person(stop=3, race="black")

            def test_others(self):
                Person(stop=4, race="white")
        """
    assert found(code) == [("FL802", "race", 4)]
    assert [rule for rule, _, _ in found(code.replace("hit_rate", "rejected"))] == ["FL801"]


def test_a_text_in_a_text_of_json_is_read_once() -> None:
    inner = json.dumps({"gender": "male", "notes": "a\nb" * 60})
    outer = json.dumps({"gender": "male", "inner": inner})
    held = f"    person = {{'gender': 'male', 'held': {outer!r}}}\n"
    code = f"def test_rating():\n{held}    assert rate(person) == 1\n"
    report = check_source(code, path="test_rating.py", settings=Settings(min_severity="note"))
    assert [gap for gap in report.not_analysed if gap.cause == "error"] == []
