"""What C asks of a difference, of bits or of tens is what it asks of the number that they are made of."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from fairlint import check_source
from fairlint.findings.finding import Finding

RANGE = re.compile(r"under (\d+)|(\d+)–(\d+)|(\d+) and over|exactly (\d+)")
BANDS = {"young": range(18, 30), "middle": range(30, 50), "elder": range(65, 90)}
UNSIGNED = 2**32

AGES: dict[str, Callable[[int], bool]] = {
    "(unsigned)(p->age - 18) < 10": lambda age: 18 <= age < 28,
    "p->age - 18u < 10u": lambda age: 18 <= age < 28,
    "p->age - 18u <= 10": lambda age: 18 <= age <= 28,
    "10u > p->age - 18": lambda age: 18 <= age < 28,
    "p->age - 18 < 10": lambda age: age < 28,
    "p->age - 18L < 10": lambda age: age < 28,
    "(unsigned)(64 - p->age) < 20": lambda age: 44 < age <= 64,
    "(unsigned char)(p->age - 20) >= 5": lambda age: not 20 <= age < 25,
    "p->seen - 25 > 8": lambda age: not 25 <= age <= 33,
    "p->age / 10 == 4": lambda age: 40 <= age < 50,
    "4 == p->age / 10": lambda age: 40 <= age < 50,
    "p->age / 10 != 4": lambda age: not 40 <= age < 50,
    "p->age / 10 < 3": lambda age: age < 30,
    "p->age / 10 <= 3": lambda age: age < 40,
    "p->age / 10 > 5": lambda age: age >= 60,
    "5 <= p->age / 10": lambda age: age >= 50,
    "p->age / 30 == 0": lambda age: age < 30,
    "(p->age - 20) / 10 == 1": lambda age: 30 <= age < 40,
    "p->age - 30 == 5": lambda age: age == 35,
    "30 - p->age == -5": lambda age: age == 35,
    "(p->age ^ 1) == 34": lambda age: age == 35,
    "!(p->age - 30)": lambda age: age == 30,
    "p->age - 30": lambda age: age != 30,
    "p->age ^ 30": lambda age: age != 30,
    "(p->age - 30) && p->age > 20": lambda age: age > 20 and age != 30,
}
PERSON = "struct person { int age; unsigned seen; int years; };\n"


def findings(code: str) -> list[Finding]:
    return list(check_source(code, path="rate.c").findings)


def ages_of(name: str) -> range:
    found = RANGE.fullmatch(name)
    if found is None:
        return BANDS[name]
    below, low, high, over, only = (None if one is None else int(one) for one in found.groups())
    if below is not None:
        return range(below)
    start = next(one for one in (low, over, only) if one is not None)
    return range(start, 120 if over is not None else (high or start) + 1)


@pytest.mark.parametrize("condition", AGES)
@pytest.mark.parametrize(
    "form", ["if ({0}) score += 7;", "score += ({0}) ? 7 : 0;", "if (!({0})) ; else score += 7;"]
)
def test_the_ages_that_are_asked_for_are_told(condition: str, form: str) -> None:
    code = condition.replace("p->seen", "age") if "seen" in condition else condition
    start = "    unsigned age = p->age;\n" if "seen" in condition else ""
    body = f"{start}    int score = p->years;\n    {form.format(code)}\n    return score;\n"
    (found,) = findings(f"{PERSON}int score(const struct person *p)\n{{\n{body}}}\n")

    assert found.points is not None
    told = {age: amount for name, amount in found.points.by_group.items() for age in ages_of(name)}
    holds, first = AGES[condition], min(told)
    wrong = [age for age in told if told[age] - told[first] != 7 * (holds(age) - holds(first))]
    assert wrong == [] or all(name in BANDS for name in found.points.by_group)  # these are for most ages
    assert len(told) > 60


ENUM = "enum sex { FEMALE, MALE, NONBINARY };\nstruct person { enum sex sex; int years; };\n"
MACROS = "#define FEMALE 0\n#define MALE 1\n#define NONBINARY 2\nstruct person { int sex; int years; };\n"
NAMED = (
    "static const int FEMALE = 0;\nstatic const int MALE = 1;\nstatic const int NONBINARY = 2;\n"
    "struct person { int sex; int years; };\n"
)
GROUPS = {
    "p->sex - MALE == 0": {"male"},
    "!(p->sex ^ MALE)": {"male"},
    "p->sex ^ MALE": {"female", "nonbinary"},
    "p->sex - MALE": {"female", "nonbinary"},
    "(p->sex ^ MALE) != 0": {"female", "nonbinary"},
    "1 << p->sex & (1 << MALE | 1 << NONBINARY)": {"male", "nonbinary"},
    "(1u << p->sex & 1u << MALE) != 0": {"male"},
    "!(1 << p->sex & 1 << MALE)": {"female", "nonbinary"},
    "(1 << p->sex) & WANTED": {"male", "nonbinary"},
    "WANTED & (1 << p->sex)": {"male", "nonbinary"},
    "WANTED >> p->sex & 1": {"male", "nonbinary"},
    "(WANTED >> p->sex & 1) == 1": {"male", "nonbinary"},
    "(p->sex - MALE == 0) && p->years > 3": {"male"},
}


@pytest.mark.parametrize("condition", GROUPS)
@pytest.mark.parametrize("head", [ENUM, MACROS, NAMED])
def test_the_groups_that_are_asked_for_are_told(condition: str, head: str) -> None:
    body = f"    int score = p->years;\n    if ({condition}) score += 7;\n    return score;\n"
    wanted = "#define WANTED (1 << MALE | 1 << NONBINARY)\n"
    (found,) = findings(f"{head}{wanted}int score(const struct person *p)\n{{\n{body}}}\n")

    assert found.points is not None
    told = {"nonbinary": found.points.other, **found.points.by_group}
    got = {group for group in ("female", "male", "nonbinary") if told.get(group)}
    assert got - {"nonbinary"} == GROUPS[condition] - {"nonbinary"}
    assert "NONBINARY" not in condition or "nonbinary" in got


def test_a_switch_over_tens_is_told_by_its_ages() -> None:
    arms = "    case 3: score += 4; break;\n    case 4 ... 5: score += 6; break;\n    default: break;\n"
    body = f"    int score = p->years;\n    switch (p->age / 10) {{\n{arms}    }}\n    return score;\n"
    (found,) = findings(f"{PERSON}int score(const struct person *p)\n{{\n{body}}}\n")

    assert found.points is not None
    assert found.points.by_group == {"under 30": 0, "30–39": 4, "40–59": 6, "60 and over": 0}


def test_bits_are_no_amount() -> None:
    body = "    int score = p->years;\n    score += 1 << p->sex & 6;\n    return score;\n"
    found = findings(f"{MACROS}int score(const struct person *p)\n{{\n{body}}}\n")

    assert all(one.points is None for one in found)


def test_what_is_asked_of_a_code_is_computed_where_the_file_says_the_code() -> None:
    body = '    if (p->sex % 2) return "rejected";\n    return "approved";\n'
    function = f"const char *admit(const struct person *p)\n{{\n{body}}}\n"
    (found,) = findings(f"{MACROS}{function}")

    assert found.use.outcomes == {"male": 'return "rejected"', "female": 'return "approved"'}
    unknown = "struct person { int sex; int years; };\n"
    assert all(not one.use.outcomes for one in findings(f"{unknown}{function}"))
