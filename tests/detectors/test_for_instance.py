"""Outcomes that hang on something else are told as an instance, and not as what always happens."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.findings.finding import Finding

HANGS = """
    def approve_tenant(tenant):
        if tenant.gender == "male":
            if tenant.income > 3000:
                return "accepted"
            return "refused"
        if tenant.income > 2000:
            return "accepted"
        return "refused"
    """
IN_C = """
    #include <stdio.h>
    int main(void) {
        char sex; int age;
        scanf("%c %d", &sex, &age);
        if (sex == 'm') {
            if (age > 40) printf("Loan approved"); else printf("Loan rejected");
        } else {
            if (age > 33) printf("Loan approved"); else printf("Loan rejected");
        }
        return 0;
    }
    """
ALWAYS = """
    def approve_tenant(tenant):
        if tenant.gender == "male":
            return "refused"
        return "accepted"
    """


def of_gender(code: str, path: str = "a.py") -> list[Finding]:
    found = check_source(textwrap.dedent(code), path=path).findings
    return [one for one in found if one.use.attribute == "gender" and one.use.outcomes]


@pytest.mark.parametrize(("code", "path"), [(HANGS, "a.py"), (IN_C, "a.c")])
def test_what_holds_in_some_cases_only_says_so(code: str, path: str) -> None:
    found = of_gender(code, path)
    assert found
    assert all("for instance " in one.message for one in found)


def test_what_always_holds_is_told_plainly() -> None:
    found = of_gender(ALWAYS)
    assert found
    assert all("for instance" not in one.message for one in found)


def test_nobody_keeps_what_another_branch_sets() -> None:
    code = """
        def quote(customer):
            if customer.plan == "gold":
                price = 10
            elif customer.gender == "male":
                price = 30
            else:
                raise ValueError("no price")
            return price
        """
    found = [
        one
        for one in check_source(textwrap.dedent(code), path="a.py").findings
        if one.use.attribute == "gender"
    ]
    assert found
    assert all("keep what they have" not in one.message for one in found)


def test_one_date_of_birth_in_two_records_scores_no_age() -> None:
    code = """
        def similarity(tenant, known):
            score = 0
            if tenant.birth_date and known.birth_date and clean(tenant.birth_date) == clean(known.birth_date):
                score += WEIGHT
            return score
        """
    assert not check_source(textwrap.dedent(code), path="a.py").findings
