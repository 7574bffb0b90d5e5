"""Purposes for which the law looks at an attribute, each beside code in like words that is a finding."""

from __future__ import annotations

import textwrap
from typing import Literal

import pytest
from expectations import Marked, read_code

from fairlint import check_source
from fairlint.config import Settings
from fairlint.vocabulary.purposes import NEEDED, justifications

NOTED: dict[str, tuple[str, str]] = {
    "a weight for a height": (
        "clinical",
        """
        def explained(patient):
            if patient.sex == "Male":
                ibw = 50 + 2.3 * (patient.height - 60)
            else:
                ibw = 45.5 + 2.3 * (patient.height - 60)
            return {"text": f"The weight is {ibw} kg.", "answer": ibw}
        """,
    ),
    "a pension's age": (
        "lawful",
        """
        def retirement_age(birth_year):
            if birth_year <= 1954:
                return 65
            return 67
        """,
    ),
    "a tax class": (
        "lawful",
        """
        def tax_class(employee):
            if employee.marital_status == "married":
                return 3
            return 1
        """,
    ),
    "an allowance of the tax": (
        "lawful",
        """
        def allowance(taxpayer):
            amount = 12000
            if taxpayer.is_blind:
                amount += 2000
            return amount
        """,
    ),
    "church tax": (
        "lawful",
        """
        def church_tax(employee, tax):
            rate = 0.0
            if employee.religion in ("rk", "ev"):
                rate = 0.09
            return tax * rate
        """,
    ),
    "a qualifying time": (
        "lawful",
        """
        LIMITS = {"F": 62.0, "M": 56.5}

        def may_start(swimmer, seconds):
            return seconds <= LIMITS[swimmer.sex]
        """,
    ),
    "weights of a survey": (
        "lawful",
        """
        RESPONSE = {"female": 0.61, "male": 0.54}

        def nonresponse_weight(respondent):
            weight = 1 / RESPONSE[respondent.sex]
            return weight
        """,
    ),
    "a clinical score": (
        "clinical",
        """
        def cha2ds2_vasc(patient):
            score = 2 * patient.stroke + patient.diabetes
            if patient.age >= 75:
                score += 2
            if patient.sex == "F":
                score += 1
            return score
        """,
    ),
}

SILENT: dict[str, str] = {
    "a digit of a number": """
        def numbered(person, series):
            digit = draw(1, 10, 2) if person.gender == "male" else draw(0, 10, 2)
            return person.born, series, digit
        """,
    "one line of a form": """
        def deduction(head, medical):
            floor = 0.1
            if head.age >= 65:
                floor = 0.075
            c17000 = medical - floor * head.income
            return {"c17000": c17000, "name": head.name}
        """,
    "a cell's number": """
        def group_of(patient):
            if patient.age < 30:
                return 0
            if patient.age < 45:
                return 1
            return 2
        """,
    "one side of a population pyramid": """
        pyramid = people.groupby(["age_group", "gender"]).size().reset_index(name="people")
        pyramid.loc[pyramid["gender"] == "male", "people"] *= -1
        """,
    "the visitor's own choice": """
        import streamlit as st

        genders = st.multiselect("Gender", ["female", "male"])
        shown = staff
        shown = shown[shown["gender"].isin(genders)]
        """,
    "the visitor's own choice, handed on": """
        def page(request, staff):
            wanted = request.args.get("wanted")
            group = str(wanted).lower()
            shown = staff
            shown = [one for one in shown if one.gender == group]
            return shown
        """,
    "a search by name": """
        from recruitment.models import Candidate

        def shown(candidate):
            return f"{candidate.name} {candidate.gender}"

        def recruitment_page(request):
            search = request.GET.get("search")
            search = search if search is not None else ""
            candidates = Candidate.objects.filter(name__icontains=search, gender__isnull=False)
            return render(request, candidates)
        """,
    "what a report is asked for": """
        def print_report(rows, gender=None):
            if gender not in (None, "all"):
                rows = [row for row in rows if row["gender"] == gender]
            for row in rows:
                print(row["name"], row["premium"])
        """,
    "legal ages by country": """
        AGES = {"US": 21, "DE": 16, "SE": 20}

        def may_buy(person, country):
            return person.age >= AGES.get(country, 18)
        """,
    "a legal age from a birth date": """
        def age_of(customer, today):
            age = today.year - customer.birth_date.year
            if (today.month, today.day) < (customer.birth_date.month, customer.birth_date.day):
                age -= 1
            return age

        def may_buy(customer, today):
            return age_of(customer, today) >= 18
        """,
    "unknown entries of a recoded column": """
        def clean(applicants):
            applicants["race"] = applicants["race"].replace({"Caucasian": "White", "Afro": "Black"})
            applicants = applicants[applicants["race"] != "Unknown"]
            return applicants
        """,
}

FOUND: dict[str, str] = {
    "a pension plan that is sold": """
        def offer_pension_plan(customer):
            if customer.age > 55:  # FL102: age
                return False
            return customer.income > 20000
        """,
    "a pension by sex": """
        def monthly_pension(insured):
            pension = insured.points * 39
            if insured.sex == "female":  # FL204: gender
                pension *= 0.9
            return pension
        """,
    "who is dismissed before the retirement age": """
        def retirement_age(birth_year):
            return 67 if birth_year >= 1964 else 66

        def select_for_layoff(employee):
            if employee.age >= retirement_age(employee.birth_year) - 12:  # FL102: age
                return True
            return employee.performance < 2
        """,
    "suspected of fraud with taxes": """
        def fraud_points(taxpayer):
            points = 0
            if taxpayer.marital_status == "single":  # FL201: marital_status
                points += 3
            return points
        """,
    "a tax by race": """
        def income_tax(employee, rate):
            tax = employee.wage * rate
            if employee.race == "black":  # FL204: race
                tax *= 1.1
            return tax
        """,
    "a tax by religion": """
        def income_tax(employee, rate):
            tax = employee.wage * rate
            if employee.religion == "muslim":  # FL204: religion
                tax *= 1.1
            return tax
        """,
    "a runner's prize": """
        def prize_money(runner, place):
            money = {1: 1000, 2: 500}.get(place, 0)
            if runner.gender == "F":  # FL204: gender
                money *= 0.7
            return money
        """,
    "a weight of candidates": """
        def candidate_weight(candidate):
            weight = 1.0
            if candidate.gender == "male":  # FL204: gender
                weight *= 1.3
            return weight * candidate.test
        """,
    "a premium for patients": """
        def premium(patient):
            premium = 100
            if patient.sex == "F":  # FL204: gender
                premium *= 1.2
            if patient.insulin:
                premium += 10
            return premium
        """,
    "a clinical score by race": """
        def egfr(patient):
            value = 175 * patient.creatinine
            if patient.race == "black":  # FL204: race
                value *= 1.212
            return value
        """,
    "a figure that is returned beside its explanation": """
        def gfr_explained(values):
            race_coefficient = 1
            if values["race"] == "Black":  # FL204: race
                race_coefficient = 1.212
            gfr = rounded(175 * math.exp(math.log(values["creatinine"]) * -1.154) * race_coefficient)
            return {"text": f"The patient's GFR is {gfr}.", "answer": gfr}

        def rounded(number):
            return round(number, 5)
        """,
    "a figure beside a name": """
        def quoted(customer, months):
            times = 1.0
            if customer.race == "black":  # FL204: race
                times = 1.2
            due = 40 * months * times
            return {"name": customer.name, "cost": due}
        """,
    "a risk group": """
        def risk_group(customer):
            if customer.age < 30:  # FL201: age
                return 2
            return 1
        """,
    "a score that is turned round": """
        def evaluate(applicant):
            score = applicant.tests
            if applicant.gender == "female":  # FL204: gender
                score *= -1
            return score
        """,
    "a recruiter's choice": """
        def shortlist(request, applicants):
            oldest = request.args.get("max_age", type=int)
            applicants = [a for a in applicants if a.age <= oldest]  # FL102: age
            return applicants
        """,
    "other ages by country": """
        AGES = {"US": 45, "DE": 40}

        def accept(applicant, country):
            return applicant.age < AGES[country]  # FL102: age
        """,
    "an age from a birth date": """
        def accept(applicant, today):
            age = today.year - applicant.birth_date.year
            if (today.month, today.day) < (applicant.birth_date.month, applicant.birth_date.day):
                age -= 1
            return age <= 40  # FL102: age
        """,
    "a group of a recoded column": """
        def select_tenants(applicants):
            # FL106: race
            applicants["race"] = applicants["race"].replace({"Caucasian": "White", "Afro": "Black"})
            applicants = applicants[applicants["race"] != "Black"]
            return applicants
        """,
    "a course or none": """
        def assign_course(claimant, courses):
            if claimant.nationality != "German":  # FL101: national_origin
                return None
            return courses[-1]
        """,
}

IN_C: dict[str, str] = {
    "an age from a birth date": """
        #include <time.h>
        struct applicant { struct tm birth_date; int income; };
        int approve_loan(const struct applicant *a, const struct tm *now)
        {
            int age = now->tm_year - a->birth_date.tm_year;
            if (now->tm_yday < a->birth_date.tm_yday)
                age--;
            if (age > 60)  /* FL102: age */
                return 0;
            return a->income > 1000;
        }
        """,
    "one limit beside a lawful one, both announced by the caller": """
        #include <stdio.h>
        struct applicant { int age; int test_score; };
        static int decide(const struct applicant *a)
        {
            if (a->age < 18)
                return 0;
            if (a->age > 45)  /* FL102: age */
                return 0;
            return a->test_score >= 60;
        }
        void tell(const struct applicant *a)
        {
            printf("%s\\n", decide(a) ? "accepted" : "rejected");
        }
        """,
    "two limits, both announced by the caller": """
        #include <stdio.h>
        struct applicant { int age; int test_score; };
        static int decide(const struct applicant *a)
        {
            if (a->age < 25)  /* FL102: age */
                return 0;
            if (a->age > 45)  /* FL102: age */
                return 0;
            return a->test_score >= 60;
        }
        void tell(const struct applicant *a)
        {
            printf("%s\\n", decide(a) ? "accepted" : "rejected");
        }
        """,
}


def found(code: str, language: str = "python", severity: Literal["note", "warning"] = "warning") -> list[str]:
    settings = Settings(min_severity=severity)
    report = check_source(program(code).code, language=language, settings=settings)
    assert not report.not_analysed
    return [f"{finding.start.line} {finding.rule}: {finding.use.attribute}" for finding in report.findings]


def expected_of(code: str) -> list[str]:
    return [f"{one.line} {one.rule}: {one.attribute}" for one in program(code).expected]


def program(code: str) -> Marked:
    return read_code(textwrap.dedent(code).strip() + "\n")


@pytest.mark.parametrize("purpose", NOTED)
def test_a_purpose_makes_a_note_that_says_what_would_justify_it(purpose: str) -> None:
    context, code = NOTED[purpose]
    assert found(code) == []
    report = check_source(program(code).code, settings=Settings(min_severity="note"))
    assert {finding.use.context.name for finding in report.findings} == {context}
    for finding in report.findings:
        assert finding.message.endswith(f"({context}: {justifications()[context]})")
        assert finding.use.context.weight >= NEEDED


@pytest.mark.parametrize("purpose", SILENT)
def test_what_treats_nobody_is_silent(purpose: str) -> None:
    assert found(SILENT[purpose], severity="note") == []


@pytest.mark.parametrize("purpose", FOUND)
def test_another_purpose_in_like_words_is_found(purpose: str) -> None:
    assert found(FOUND[purpose]) == expected_of(FOUND[purpose]) != []


@pytest.mark.parametrize("purpose", IN_C)
def test_in_c(purpose: str) -> None:
    assert found(IN_C[purpose], "c") == expected_of(IN_C[purpose]) != []
