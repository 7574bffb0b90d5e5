"""Conditions as rules of benefits write them: called persons, classes that name a formula, demands; with what
is told of two attributes and of several groups at once.
"""

from __future__ import annotations

import textwrap

import pytest

from fairlint.checking.runner import check_source
from fairlint.config import Settings

TOLD: dict[str, tuple[str, list[str]]] = {
    "a person who is called with a name": (
        """
        def may_board_early(person, day):
            if person("is_pregnant", day):
                return True
            return False
        """,
        ["2 FL101 pregnancy"],
    ),
    "a person by another language's word": (
        """
        def est_eligible(individu, mois):
            return individu("nationalite", mois) == "FR"
        """,
        ["2 FL101 national_origin"],
    ),
    "a formula whose class says what it decides": (
        """
        class heating_aid_eligible(Variable):
            def formula(person, month):
                poor = person("has_low_income", month)
                return poor & person("is_female", month)
        """,
        ["4 FL101 gender"],
    ),
    "a group that the value gives itself": (
        """
        class night_shelter_eligible(Variable):
            def formula(person, month):
                status = person("immigration_status", month)
                return status == status.possible_values.CITIZEN
        """,
        ["4 FL101 national_origin"],
    ),
    "a formula whose class is named after the group as well": (
        """
        class blind_person_allowance(Variable):
            def formula(person, month):
                if person("is_disabled", month):
                    return 40
                return 0
        """,
        ["3 FL201 disability"],
    ),
    "a formula from some day on": (
        """
        class course_eligible(Variable):
            def formula_2019_07(person, month):
                if person("is_divorced", month):
                    return False
                return True
        """,
        ["3 FL101 marital_status"],
    ),
    "an object that is called": (
        """
        class TenantApproval:
            def __call__(self, tenant):
                if tenant.religion == "sikh":
                    return "no"
                return "yes"
        """,
        ["3 FL101 religion"],
    ),
    "a condition that is demanded": (
        """
        from rules import Checklist

        class SpringGrant(Program):
            def eligible(self, member):
                checklist = Checklist()
                checklist.condition(member.is_veteran)
                checklist.condition(member.gender != "male", "women and others only")
                return checklist
        """,
        ["6 FL101 veteran", "7 FL101 gender"],
    ),
    "conditions in lambdas": (
        """
        from rules import Checklist

        class SummerGrant(Program):
            def eligible(self):
                checklist = Checklist()
                checklist.eligibility(self.people(), [(lambda p: p.paid, ""), (lambda p: p.is_veteran, "")])
                checklist.require_all(self.people(), lambda person: person.gender == "female")
                return checklist
        """,
        ["6 FL101 veteran", "7 FL101 gender"],
    ),
    "a flag beside a variable for the outcome": (
        """
        def value(person):
            is_eligible = ask(person)
            if not person.is_pregnant or not is_eligible:
                return 0
            return 1
        """,
        ["3 FL101 pregnancy"],
    ),
    "a flag that is the outcome": (
        """
        class HeatingAid:
            @property
            def eligible(self):
                return self.is_veteran

        def is_approved(member):
            return member.is_pregnant
        """,
        ["4 FL101 veteran", "7 FL101 pregnancy"],
    ),
    "a flag that sets the outcome": (
        """
        def enrol(member):
            member.set_eligible(member.is_pregnant)
        """,
        ["2 FL101 pregnancy"],
    ),
    "a protected attribute behind one of means": (
        """
        def is_eligible(member):
            if member.insured or member.gender == "male":
                return False
            return True
        """,
        ["2 FL103 gender"],
    ),
    "the same the other way round": (
        """
        def is_eligible(member):
            if member.gender == "male" or member.insured:
                return False
            return True
        """,
        ["2 FL103 gender"],
    ),
}

SILENT: dict[str, str] = {
    "a function of that name": """
        from lookups import person

        def eligible(day):
            return person("is_pregnant", day)
        """,
    "a text that is translated": """
        def is_allowed(_, form):
            if form.title == _("gender"):
                return True
            return False
        """,
    "something else that is called": """
        def is_allowed(style, page):
            if style("gender") == "bold":
                return True
            return False
        """,
    "lambdas by which people are put in an order, or a list is made": """
        def eligible(people, shown):
            people.sort(key=lambda person: person.gender)
            shown.register_columns([lambda person: person.gender == "female"])
            return people
        """,
    "a flag that is handed on beside others": """
        def value(person):
            if not person.is_pregnant or not person.at_home:
                return 0
            return 1
        """,
    "a flag under its own name, and under one that says nothing": """
        def is_pregnant(member):
            return member.is_pregnant

        def value(member):
            return member.is_pregnant
        """,
    "a formula that only counts": """
        class people_of_household(Variable):
            def formula(household, month):
                return household.nb_persons()
        """,
    "a class that checks data": """
        class RowValidator:
            def run(self, person):
                if person.gender not in ("f", "m", "x"):
                    raise ValueError("unknown gender")
        """,
    "a consent that is stored": """
        def remember(member, db):
            db.condition(member.gender)
        """,
}


def told(code: str) -> list[str]:
    report = check_source(textwrap.dedent(code), path="rule.py", settings=Settings(min_severity="note"))
    assert not report.not_analysed
    return [f"{one.start.line - 1} {one.rule} {one.use.attribute}" for one in report.findings]


@pytest.mark.parametrize("name", TOLD)
def test_a_written_condition_is_told(name: str) -> None:
    code, expected = TOLD[name]
    assert told(code) == expected


@pytest.mark.parametrize("name", SILENT)
def test_what_looks_like_a_condition_is_silent(name: str) -> None:
    assert told(SILENT[name]) == []


def test_what_is_told_of_a_demand_names_both_answers() -> None:
    code = """
        def eligible(member, rules):
            rules.require(member.is_pregnant)
            return rules
        """
    (one,) = check_source(textwrap.dedent(code), path="rule.py").findings
    assert "yes → rules.require(True)" in one.message
    assert "no → rules.require(False)" in one.message


def test_each_lambda_is_told_where_it_stands() -> None:
    rows = "".join(f"            (lambda person: person.age < {age}, 'no'),\n" for age in range(22, 62))
    code = f"def eligible(people, grant):\n    grant.eligibility(people, [\n{rows}    ])\n    return grant\n"
    found = check_source(code, path="rule.py").findings
    assert [one.start.line for one in found] == list(range(3, 43))
    assert "under 22 → grant.eligibility(True)" in found[0].message


def test_what_is_printed_of_a_flag_is_no_outcome() -> None:
    assert (
        told("""
        def eligible(member):
            print("pregnant:", member.is_pregnant)
            return member
        """)
        == []
    )


@pytest.mark.parametrize(
    ("groups", "amounts"),
    [
        ('"uae", "emirati"', "uae and emirati = 20, others keep what they have"),
        ('"german", "french"', "german and french = 20, others keep what they have"),
        ('"german"', "german = 20, others keep what they have"),
    ],
)
def test_several_groups_that_are_given_the_same_are_told_with_it(groups: str, amounts: str) -> None:
    code = f"""
        def extras(candidate):
            bonus = {{}}
            if candidate["nationality"] in [{groups}]:
                bonus["fit_score"] = 20
            return bonus
        """
    (one,) = check_source(textwrap.dedent(code), path="rule.py").findings
    assert one.severity == "warning"
    assert one.message.endswith(amounts)


def test_nobody_is_told_to_differ_where_all_are_given_the_same() -> None:
    assert (
        told("""
        def extras(candidate):
            if candidate["nationality"] in ["german", "french"]:
                candidate["fit_score"] = 20
            else:
                candidate["fit_score"] = 20
        """)
        == []
    )
