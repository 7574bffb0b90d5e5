"""Amounts that belong to one of several branches are told as an instance or not at all; gcc is the judge."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path

import pytest
from oracle_running import compiler

from fairlint import check_source
from fairlint.findings.finding import Finding

needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no gcc")

NESTED = """
#include <stdio.h>
int main(void) {
    char smoker, region, sex;
    int age, fee;
    printf("Enter your age: ");
    scanf("%d", &age);
    printf("Do you smoke (y/n), region (n/s), sex (m/f): ");
    scanf(" %c %c %c", &smoker, &region, &sex);
    if (smoker == 'n' && age >= 20 && age <= 40 && region == 'n') {
        if (sex == 'm') {
            fee = 70;
        } else if (sex == 'f') {
            fee = 50;
        } else {
            printf("refused\\n");
            return 0;
        }
    } else if (smoker == 'y' && age >= 20 && age <= 40 && region == 's') {
        if (sex == 'm') {
            fee = 90;
        } else {
            printf("refused\\n");
            return 0;
        }
    } else {
        printf("refused\\n");
        return 0;
    }
    printf("fee %d\\n", fee);
    return 0;
}
"""
FLAT = """
#include <stdio.h>
int main(void) {
    char smoker, region, sex;
    int age, fee = -1;
    scanf("%d", &age);
    scanf(" %c %c %c", &smoker, &region, &sex);
    if (smoker == 'n' && (age >= 20 && age <= 40) && sex == 'm' && region == 'n')
        fee = 70;
    else if (smoker == 'n' && (age >= 20 && age <= 40) && sex == 'f' && region == 'n')
        fee = 50;
    else if (smoker == 'y' && (age >= 20 && age <= 40) && sex == 'm' && region == 's')
        fee = 90;
    if (fee < 0)
        printf("refused\\n");
    else
        printf("fee %d\\n", fee);
    return 0;
}
"""
HEALTH = """
#include <stdio.h>
int main(void) {
    char healthCondition, region, sex;
    int age, premium, insured;
    printf("Enter your age: ");
    scanf("%d", &age);
    printf("Enter your health condition, A for good and B for bad, region and sex: ");
    scanf(" %c %c %c", &healthCondition, &region, &sex);
    if (healthCondition == 'A' && age >= 20 && age <= 40 && region == 'n') {
        insured = 1;
        if (sex == 'm')
            premium = 70;
        else
            premium = 50;
    } else if (healthCondition == 'B' && region == 's' && sex == 'm' && age >= 20 && age <= 40) {
        insured = 1;
        premium = 90;
    } else {
        insured = 0;
    }
    if (insured)
        printf("fee %d\\n", premium);
    else
        printf("refused\\n");
    return 0;
}
"""
ONE = """
#include <stdio.h>
int main(void) {
    char smoker, region, sex;
    int age, fee = 60;
    scanf("%d", &age);
    scanf(" %c %c %c", &smoker, &region, &sex);
    if (sex == 'f')
        fee = 50;
    printf("fee %d\\n", fee);
    return 0;
}
"""
SEXES = {"m": "male", "f": "female"}


def fees(text: str, codes: str, folder: Path) -> dict[tuple[int, str, str, str], int | None]:
    """What a program asks of everybody."""
    source = folder / "fees.c"
    source.write_text(text)
    gcc = compiler()
    assert gcc is not None
    subprocess.run([gcc, "-w", "-o", str(folder / "fees"), str(source)], check=True)
    found: dict[tuple[int, str, str, str], int | None] = {}
    for person in product((19, 20, 40, 41), codes, "ns", "mf"):
        given = "{} {} {} {}\n".format(*person)
        said = subprocess.run(
            [str(folder / "fees")], input=given, capture_output=True, text=True, check=True
        ).stdout
        found[person] = int(said.rpartition("fee ")[2]) if "fee " in said else None
    return found


def is_true_of_all(finding: Finding, came: dict[tuple[int, str, str, str], int | None]) -> bool:
    """Whether amounts that are told without a condition are what all of a group are asked for."""
    points = finding.points
    if points is None or points.at_most:
        return True
    for group, told in points.by_group.items():
        asked = {
            fee
            for (age, code, _, sex), fee in came.items()
            if group in {SEXES[sex], code.lower(), "20–40" if 20 <= age <= 40 else ""} and fee is not None
        }
        if asked - {told}:
            return False
    return True


@needs_compiler
@pytest.mark.parametrize(
    ("text", "codes"), [(NESTED, "yn"), (FLAT, "yn"), (HEALTH, "AB"), (ONE, "yn")], ids=str.__len__
)
def test_amounts_told_without_a_condition_are_true_of_all(text: str, codes: str, tmp_path: Path) -> None:
    came = fees(text, codes, tmp_path)
    findings = check_source(text, path="fees.c").findings

    assert findings
    assert [one.message for one in findings if not is_true_of_all(one, came)] == []


def test_an_amount_that_is_all_there_is_is_told() -> None:
    (found,) = check_source(ONE, path="fees.c").findings

    assert found.points is not None
    assert found.points.by_group == {"male": 60.0, "female": 50.0}
    assert not found.points.at_most


def test_an_amount_under_other_conditions_is_an_instance() -> None:
    messages = [one.message for one in check_source(NESTED, path="fees.c").findings]

    assert "`fee` depends on age" in messages
    assert "`fee` depends on gender: for instance male = 90" in messages
    assert "`fee` depends on gender: for instance male = 70, female = 50, gap up to 20" in messages


def test_a_number_that_is_one_of_several_stays_loud() -> None:
    found = [one for one in check_source(HEALTH, path="fees.c").findings if one.use.attribute == "health"]

    assert [one.severity for one in found] == ["warning"]
    assert found[0].points is None


def test_codes_that_get_the_same_keep_their_amount_where_the_others_get_another() -> None:
    code = "def limit(applicant):\n    limit = (700, 10)[applicant['sex'] in (3, 1)]\n    return limit\n"
    (found,) = check_source(code, path="credit.py").findings

    assert found.points is not None
    assert (set(found.points.by_group.values()), found.points.other) == ({10.0}, 700.0)
