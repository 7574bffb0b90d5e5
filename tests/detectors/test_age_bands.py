"""The bands of an age that a finding tells are those that the code gives when it is run, all of them."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding

AGES = range(111)
CANONICAL = {"young": (0, 35), "middle": (35, 55), "elder": (55, 200)}

RETURNED = {
    "one chain": """
        if person.age < {low}:
            return {one}
        elif person.age < {high}:
            return {two}
        else:
            return {three}
        """,
    "one return after another": """
        if person.age < {low}:
            return {one}
        if person.age < {high}:
            return {two}
        return {three}
        """,
    "from the oldest down": """
        if person.age >= {high}:
            return {three}
        if person.age >= {low}:
            return {two}
        return {one}
        """,
    "tests that say what goes without saying": """
        if person.age < {low}:
            return {one}
        if {low} <= person.age < {high}:
            return {two}
        if person.age >= {high}:
            return {three}
        """,
    "an opposite": """
        if not person.age >= {low}:
            return {one}
        if not (person.age > {high} - 1):
            return {two}
        return {three}
        """,
    "branches within branches": """
        if person.age < {high}:
            if person.age < {low}:
                return {one}
            return {two}
        return {three}
        """,
    "an expression": """
        return {one} if person.age < {low} else {two} if person.age < {high} else {three}
        """,
    "ranges": """
        if person.age in range({low}):
            return {one}
        if person.age in range({low}, {high}):
            return {two}
        return {three}
        """,
    "cases with guards": """
        match person.age:
            case years if years < {low}:
                return {one}
            case years if years < {high}:
                return {two}
        return {three}
        """,
    "a table of limits": """
        for limit, amount in (({low}, {one}), ({high}, {two})):
            if person.age < limit:
                return amount
        return {three}
        """,
    "a table by places": """
        from bisect import bisect
        return [{one}, {two}, {three}][bisect([{low}, {high}], person.age)]
        """,
    "one value in place of another": """
        points = {one}
        if person.age >= {low}:
            points = {two}
        if person.age >= {high}:
            points = {three}
        return points
        """,
    "a loop that is left": """
        for limit, amount in (({low}, {one}), ({high}, {two})):
            if person.age < limit:
                points = amount
                break
        else:
            points = {three}
        return points
        """,
}
ADDED = {
    "one chain": """
        if person.age < {low}:
            person.score += {one}
        elif person.age < {high}:
            person.score += {two}
        else:
            person.score += {three}
        """,
    "separate branches": """
        if person.age < {low}:
            person.score += {one}
        if person.age >= {low} and person.age < {high}:
            person.score += {two}
        if person.age >= {high}:
            person.score += {three}
        """,
    "who is done goes on to the next": """
        for each in [person]:
            if each.age < {low}:
                each.score += {one}
                continue
            if each.age < {high}:
                each.score += {two}
                continue
            each.score += {three}
        """,
    "a table that is left": """
        for start, points in (({high}, {three}), ({low}, {two}), (0, {one})):
            if person.age >= start:
                person.score += points
                break
        """,
}
limits = st.lists(st.integers(1, 109), min_size=2, max_size=2, unique=True).map(sorted)
amounts = st.lists(st.integers(-20, 20).filter(bool), min_size=3, max_size=3, unique=True)


def filled(form: str, ends: list[int], given_: list[int]) -> str:
    low, high = ends
    one, two, three = given_
    return textwrap.dedent(form).format(low=low, high=high, one=one, two=two, three=three)


def belongs(age: float, band: str) -> bool:
    """Whether an age is in a band, as a finding names it."""
    if band in CANONICAL:
        low, high = CANONICAL[band]
        return low <= age < high
    numbers = [float(number) for number in re.findall(r"[\d.]+", band)]
    match re.sub(r"[\d.]+", "N", band):
        case "under N":
            return age < numbers[0]
        case "up to N":
            return age <= numbers[0]
        case "N and over":
            return age >= numbers[0]
        case "over N":
            return age > numbers[0]
        case "exactly N":
            return age == numbers[0]
        case "N–N" | "N to N":
            return numbers[0] <= age <= numbers[1]
        case "N to under N":
            return numbers[0] <= age < numbers[1]
        case "over N to N":
            return numbers[0] < age <= numbers[1]
        case other:
            raise AssertionError(other)


def findings(code: str, language: str = "python") -> tuple[Finding, ...]:
    report = check_source(code, language=language, settings=Settings(min_severity="note"))
    assert not report.not_analysed
    return report.findings


def check(code: str, real: dict[float, int], language: str = "python") -> None:
    """One finding, whose bands tell of each age what it really gets, but for what all get."""
    (only,) = findings(code, language)
    points = only.use.points
    assert points is not None, only.message
    assert not points.at_most, only.message
    bands = {age: [band for band in points.by_group if belongs(age, band)] for age in real}
    assert {len(found) for found in bands.values()} == {1}, only.message
    assert len({given_ - points.by_group[bands[age][0]] for age, given_ in real.items()}) == 1, only.message


def run(code: str, ages: list[float]) -> dict[float, int]:
    names: dict[str, object] = {}
    exec(code, names)  # written here
    score = names["score"]
    assert callable(score)
    return {age: score(SimpleNamespace(age=age, score=0)) for age in ages}


@pytest.mark.parametrize("form", RETURNED)
@settings(max_examples=10, deadline=None)
@given(limits, amounts)
def test_what_is_returned(form: str, ends: list[int], given_: list[int]) -> None:
    body = filled(RETURNED[form], ends, given_).strip()
    code = "def score(person):\n" + textwrap.indent(body, "    ") + "\n"
    check(code, run(code, [*AGES]))


@pytest.mark.parametrize("form", ADDED)
@settings(max_examples=10, deadline=None)
@given(limits, amounts)
def test_what_is_added(form: str, ends: list[int], given_: list[int]) -> None:
    body = filled(ADDED[form], ends, given_).strip()
    code = "def score(person):\n" + textwrap.indent(body, "    ") + "\n    return person.score\n"
    check(code, run(code, [*AGES]))


@settings(max_examples=10, deadline=None)
@given(limits, amounts)
@example([1, 34], [1, -1, 2])  # between the last whole age of a band and the first of the next
def test_ages_that_are_no_whole_numbers(ends: list[int], given_: list[int]) -> None:
    low, high = ends
    one, two, three = given_
    code = (
        f"def score(person):\n    if person.age < {low}.5:\n        return {one}\n"
        f"    if person.age <= {high}.5:\n        return {two}\n    return {three}\n"
    )
    check(code, run(code, [age / 4 for age in range(440)]))


IN_C = {
    "one_return_after_another": "if (p->age <= %d) return %d; if (p->age <= %d) return %d; return %d;",
    "an_expression": "return p->age <= %d ? %d : p->age <= %d ? %d : %d;",
    "ranges_of_cases": (
        "switch (p->age) { case 0 ... %d: return %d; case 30 ... %d: return %d; default: return %d; }"
    ),
    "one_value_in_place_of_another": (
        "int s; if (p->age > %d) s = 0; if (p->age <= 29) s = %d;"
        " if (p->age > 29 && p->age <= %d) s = %d; if (p->age > 63) s = %d; return s;"
    ),
}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="nothing compiles C here")
def test_c_gives_what_is_told(tmp_path: Path) -> None:
    head = "struct person { int age; int score; };\n"
    codes = {
        name: f"int {name}_score(const struct person *p)\n{{\n    {form % (29, 7, 63, -4, 2)}\n}}\n"
        for name, form in IN_C.items()
    }
    calls = "".join(
        f'for (p.age = 0; p.age <= 110; p.age++) printf("%d ", {name}_score(&p));' for name in codes
    )
    main = f"int main(void) {{ struct person p = {{0}}; {calls} return 0; }}\n"
    source = tmp_path / "scores.c"
    source.write_text("#include <stdio.h>\n" + head + "".join(codes.values()) + main)
    subprocess.run(["gcc", "-w", "-o", tmp_path / "scores", source], check=True)
    told = subprocess.run([tmp_path / "scores"], check=True, capture_output=True, text=True)
    numbers = [int(number) for number in told.stdout.split()]
    for place, code in enumerate(codes.values()):
        own = numbers[place * len(AGES) : (place + 1) * len(AGES)]
        check(head + code, dict(zip(AGES, own, strict=True)), "c")


LAWFUL = {
    "points": (
        "score = 600\nif person.age < 21:\n    score -= 100\nreturn score",
        "under 21 -100, 21 and over +0",
    ),
    "a rate": (
        "rate = 3\nif person.age < 18:\n    rate *= 1.5\nreturn rate",
        "under 18 ×1.5, 18 and over ×1",
    ),
    "who gets nothing beside a band": (
        "if person.age < 18:\n    return None\nif person.age < 25:\n    return 10\nreturn 5",
        "18–24 = 10, 25 and over = 5",
    ),
    "who is turned away beside a band": (
        "if person.age < 18:\n    raise ValueError\nif person.age < 25:\n    return 10\nreturn 5",
        "18–24 = 10, 25 and over = 5",
    ),
    "a minimum beside a sum": (
        "score = 100\nif person.age < 18:\n    return 0\nif person.age < 25:\n    score += 10\nreturn score",
        "18–24 +10, 25 and over +0",
    ),
}


@pytest.mark.parametrize("form", LAWFUL)
def test_a_limit_of_the_law_excuses_a_yes_or_no_and_no_amount(form: str) -> None:
    body, bands = LAWFUL[form]
    (only,) = findings("def credit_score(person):\n" + textwrap.indent(body, "    ") + "\n")
    assert f": {bands}, gap" in only.message


@pytest.mark.parametrize("given_", ["0", "None"])
def test_who_gets_nothing_below_a_limit_of_the_law_is_refused(given_: str) -> None:
    head = "def loan_limit(person):\n    if person.age < 18:\n"
    code = f"{head}        return {given_}\n    return person.income * 3\n"
    assert findings(code) == ()


def test_requirements_that_end_alike_stay_apart() -> None:
    code = """\
def may_apply(applicant):
    if applicant.age < 25:
        return False
    if applicant.age > 45:
        return False
    return applicant.has_licence
"""
    assert [one.start.line for one in findings(code)] == [2, 4]


def test_answers_of_a_chain_are_told_by_all_bands() -> None:
    code = """\
def decision(applicant):
    if applicant.age < 25:
        return "reject"
    if applicant.age < 60:
        return "accept"
    return "review"
"""
    (only,) = findings(code)
    assert list(only.use.outcomes) == ["under 25", "25–59", "60 and over"]


def test_a_limit_that_is_no_limit_of_the_law_keeps_its_number() -> None:
    (only,) = findings("def eligible(applicant):\n    return 20 <= applicant.age <= 30\n")
    assert next(iter(only.use.outcomes)) in {"under 20", "20–30"}


def test_groups_that_separate_branches_share_out_are_one_finding() -> None:
    code = """\
def score(applicant):
    score = 0
    if applicant.gender == "male":
        score += 10
    if applicant.gender == "female":
        score += 5
    return score
"""
    (only,) = findings(code)
    assert only.use.points is not None
    assert only.use.points.by_group == {"male": 10, "female": 5}


def test_bands_that_add_up_are_two_findings() -> None:
    code = """\
def score(applicant):
    score = 0
    if applicant.age > 40:
        score += 5
    if applicant.age > 60:
        score += 3
    return score
"""
    assert [one.message.partition(": ")[2] for one in findings(code)] == [
        "under 41 +0, 41 and over +5, gap 5",
        "under 61 +0, 61 and over +3, gap 3",
    ]
