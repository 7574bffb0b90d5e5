"""Small programs whose execution once showed that something else was told."""

from __future__ import annotations

import re
from typing import Any

import pytest

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding

GROUPS = ("male", "female")
SCORE = """
import math
import re

def score(p):
    score = p.years
    if {test}:
        score += {amount}
    return score
"""


def findings(code: str, path: str = "hiring.py") -> list[Finding]:
    return list(check_source(code, path=path).findings)


def points(code: str, path: str = "hiring.py") -> dict[str, float]:
    (found,) = findings(code, path)
    assert found.points is not None
    return dict(found.points.by_group)


@pytest.mark.parametrize(
    "test",
    [
        "{0}.endswith('male')",
        "{0}.endswith('fe' 'male')",
        "re.search('male$', {0})",
        "re.search('^male', {0})",
        "re.search(r'\\bmale\\b', {0})",
        "re.search('[m]ale', {0})",
        "{0} in 'male males'",
        "{0} in 'female females'",
        "'fem' in {0}",
    ],
)
def test_a_text_within_another_is_found_as_python_finds_it(test: str) -> None:
    code = SCORE.format(test=test.format("p.sex"), amount=5)
    holds = {sex: bool(eval(test.format(repr(sex)), {"re": re})) for sex in GROUPS}
    told = [one for one in findings(code) if one.severity != "note"]
    if len(set(holds.values())) == 1:
        assert not told  # those who are neither fare otherwise, which is a note
    else:
        (found,) = told
        assert found.points is not None
        assert found.points.by_group == {sex: 5.0 * holds[sex] for sex in GROUPS}


@pytest.mark.parametrize("first", ["p.religion[0] == 'h'", "p.religion[:1] == 'h'"])
def test_the_first_letter_names_the_group_that_begins_so(first: str) -> None:
    (found,) = findings(f"def admit(p):\n    if {first}:\n        return 'rejected'\n    return 'approved'\n")
    assert {group for group, said in found.use.outcomes.items() if "rejected" in said} == {"hindu"}


@pytest.mark.parametrize(
    "amount",
    [
        "round(7 / 2)",
        "round(-27 / 2)",
        "math.ceil(9 / 4)",
        "math.floor(-23 / 4)",
        "math.trunc(-29 / 4)",
        "int(14 / 3)",
        "14 // 4",
        "-14 % 4",
        "19 ^ 3",
        "26 & 6",
        "26 | 6",
        "10 << 1",
        "21 >> 1",
        "divmod(9, 4)[1]",
        "(12 if True else 0)",
        "~7",
        "pow(3, 2)",
        "len('abcd')",
    ],
)
def test_numbers_that_are_written_out_are_computed(amount: str) -> None:
    names: dict[str, Any] = {}
    exec(f"import math\nvalue = {amount}", names)
    code = SCORE.format(test="p.sex == 'm'", amount=amount)
    assert points(code) == {"male": float(names["value"]), "female": 0.0}


def test_a_loop_that_runs_once_is_a_branch() -> None:
    (found,) = findings(
        "def admit(p):\n    verdict = 'approved'\n    while p.sex == 'f':\n        verdict = 'rejected'\n"
        "        break\n    return verdict\n"
    )
    assert "rejected" in found.use.outcomes["female"]
    assert not findings(
        "def ask(p):\n    while p.sex not in ('m', 'f'):\n        p.sex = input('m or f? ')\n    return p\n"
    )


def test_the_same_number_before_a_branch_and_in_it_is_no_difference() -> None:
    code = (
        "def rate(applicant):\n    limit = min(17, 9)\n    while applicant.age < 40:\n"
        "        limit = {0}\n        break\n"
    )
    assert not findings(code.format("min(17, 9)") + "    return limit\n")
    assert findings(code.format("max(17, 9)") + "    return limit\n")


PERSON = "#include <string.h>\nstruct person { char sex[16]; int age, years; };\n"


def test_a_comma_gives_its_last_value() -> None:
    code = (
        "const char *admit(const struct person *p)\n{\n"
        '    return (0, strcmp(p->sex, "female") == 0) ? "rejected" : "approved";\n}\n'
    )
    (found,) = findings(PERSON + code, "admit.c")
    assert "rejected" in found.use.outcomes["female"]


def test_a_difference_without_a_sign_asks_for_both_ends() -> None:
    code = (
        "int score(const struct person *p)\n{{\n    int score = 0;\n"
        "    if (({0})(p->age - 28) < 41) score -= 8;\n    return score;\n}}\n"
    )
    assert points(PERSON + code.format("int"), "rate.c") == {"under 69": -8.0, "69 and over": 0.0}
    assert points(PERSON + code.format("unsigned"), "rate.c") == {
        "under 28": 0.0,
        "28–68": -8.0,
        "69 and over": 0.0,
    }


@pytest.mark.parametrize(
    "body",
    [
        'if (!(strcmp(p->sex, "female") == 0)) return points;\n    points += 24;\n    return points;',
        'if (!(strcmp(p->sex, "female") == 0)) goto done;\n    points += 24;\ndone:\n    return points;',
        (
            'static const struct { const char *name; int bonus; } rows[] = {{"female", 24}};\n'
            "    for (int i = 0; i < 1; i++)\n"
            "        if (strcmp(p->sex, rows[i].name) == 0) points += rows[i].bonus;\n"
            "    return points;"
        ),
    ],
)
def test_what_is_called_from_elsewhere_counts_once(body: str) -> None:
    code = f"static int inner(const struct person *p)\n{{\n    int points = 3 * p->years;\n    {body}\n}}\n"
    called = "int score(const struct person *p)\n{\n    return inner(p);\n}\n"
    assert points(PERSON + code + called, "rate.c") == {"male": 0.0, "female": 24.0}


def test_what_helpers_do_behind_a_guard_is_told_of_the_function_that_calls_them() -> None:
    helpers = (
        "def offer(p):\n    print('you are accepted', p.mail)\n\n"
        "def refuse(p):\n    print('you are rejected', p.mail)\n\n"
    )
    code = "def admit(p):\n    if p.sex == 'm':\n        offer(p)\n        return\n    {0}(p)\n"
    (found,) = findings(helpers + code.format("refuse"))
    assert "accepted" in found.use.outcomes["male"]
    assert "rejected" in found.use.outcomes["female"]
    assert not findings(helpers + code.format("offer"))


def test_a_text_that_a_table_chooses_for_a_call_is_told() -> None:
    (found,) = findings(
        "TEXTS = {'male': 'rejected', 'female': 'approved'}\n\n"
        "def admit(post, p):\n    post.send(p.mail, 'Your application', TEXTS[p.sex])\n"
    )
    assert "rejected" in found.use.outcomes["male"]


def test_nobody_is_said_not_to_be_meant_by_a_number_that_nobody_explains() -> None:
    (found,) = findings(
        "PREFERRED = 2\n\ndef admit(candidate):\n    if candidate.religion == PREFERRED:\n"
        "        return 'approved'\n    return 'rejected'\n"
    )
    assert set(found.use.outcomes) == {"preferred", "everyone else"}


NEXT = """
def admit(p, rounds):
    {before}
    if {test}:
        return 'approved'
    return {otherwise}
"""


@pytest.mark.parametrize(
    ("before", "test"),
    [
        ("wanted = p.sex", "next((True for _ in (0,) if wanted == 'f'), False)"),
        ("wanted = p.sex", "next((False for _ in (0,) if wanted == 'm'), True)"),
        ("wanted = ('f', 'w')", "next((one for one in wanted if p.sex == one), None)"),
        ("wanted = ('f', 'w')", "next((7 for one in wanted if p.sex == one), 0) > 5"),
        ("found = (True for _ in rounds if p.sex == 'f')", "next(found, False)"),
        ("found = None", "next((True for _ in rounds if p.sex == 'f'), found)"),
        ("found = [one == 'f' for one in (p.sex, p.country)]", "next(iter(found))"),
    ],
)
def test_the_first_round_of_a_generator_that_passes_is_what_next_gives(before: str, test: str) -> None:
    (found,) = findings(NEXT.format(before=before, test=test, otherwise="'rejected'"))
    assert "approved" in found.use.outcomes["female"]
    assert "rejected" in found.use.outcomes["male"]
    assert not findings(NEXT.format(before=before, test=test, otherwise="'approved'"))


def test_each_round_of_a_generator_has_its_amount() -> None:
    code = (
        "def score(p):\n    score = p.years\n"
        "    score += next((n for sex, n in (('m', 4), ('f', 9)) if p.sex == sex), 0)\n    return score\n"
    )
    assert points(code) == {"male": 4.0, "female": 9.0}


def test_what_comes_next_of_a_generator_is_something_else() -> None:
    code = (
        "def score(p):\n    score = p.years\n    rest = (n for n in (4, 9) if p.sex == 'f' or n > 5)\n"
        "    next(rest, 0)\n    score += next(rest, 0)\n    return score\n"
    )
    assert all(one.points is None for one in findings(code))


def test_that_there_is_somebody_chooses_nobody() -> None:
    code = "def announce(people):\n    return next(({0} for p in people if p.sex == 'f'), False)\n"
    assert not findings(code.format("True"))


@pytest.mark.parametrize("value", ["(p.sex == 'f' and {0}) or {1}", "p.sex == 'f' and {0} or {1}"])
def test_one_of_two_is_chosen_by_and_and_or(value: str) -> None:
    mail = "def decide(post, p):\n    post.send(p.mail, 'Your application', {0})\n"
    (found,) = findings(mail.format(value.format("'rejected'", "'approved'")))
    assert "rejected" in found.use.outcomes["female"]
    assert not findings(mail.format(value.format("'approved'", "'approved'")))
    assert not findings(mail.format(value.format("''", "'approved'")))  # what is empty counts as false
    rate = "def score(p):\n    score = p.years\n    score += {0}\n    return score\n"
    assert points(rate.format(value.format(6, 2))) == {"male": 2.0, "female": 6.0}


ENUM = """
from enum import Enum

class Faith(Enum):
    {0}

def admit(p):
    if {1} is Faith.{2}:
        return 'rejected'
    return 'approved'
"""


@pytest.mark.parametrize(
    ("members", "asked", "chosen", "told"),
    [
        ("H = 'h'; J = 'j'; M = 'm'", "Faith(p.religion[0])", "J", "jewish"),
        ("HIN = 'hin'; JEW = 'jew'; MUS = 'mus'", "Faith(p.religion[:3])", "MUS", "muslim"),
        (
            "FIRST = 'hindu'; SECOND = 'jewish'; THIRD = 'muslim'",
            "Faith(p.religion.lower())",
            "FIRST",
            "hindu",
        ),
    ],
)
def test_a_member_of_an_enumeration_stands_for_whoever_has_its_value(
    members: str, asked: str, chosen: str, told: str
) -> None:
    (found,) = findings(ENUM.format(members, asked, chosen))
    assert {group for group, said in found.use.outcomes.items() if "rejected" in said} == {told}
    # for everybody else an error ends the program
    assert found.use.outcomes.keys() == {"hindu", "jewish", "muslim"}


def test_nothing_is_told_of_whom_an_enumeration_asks_its_own_method() -> None:
    missing = (
        "A = 'hindu'; B = 'jewish'\n    @classmethod\n    def _missing_(cls, value):\n        return cls.B"
    )
    (found,) = findings(ENUM.format(missing, "Faith(p.religion)", "A"))
    assert found.use.outcomes.keys() == {"hindu", "jewish"}


@pytest.mark.parametrize(
    "test",
    [
        "applicant.age // 10 == 5",
        "5 == applicant.age // 10",
        "int(applicant.age / 10) == 5",
        "math.floor(applicant.age / 10) == 5",
        "applicant.age // 10 in (5,)",
        "4 < applicant.age // 10 <= 5",
        "not applicant.age // 10 != 5",
        "applicant.age // 5 in (10, 11)",
    ],
)
def test_steps_of_a_number_are_limits(test: str) -> None:
    code = SCORE.replace("score(p)", "score(applicant)").replace("p.years", "applicant.years")
    assert points(code.format(test=test, amount=7)) == {"under 50": 0.0, "50–59": 7.0, "60 and over": 0.0}
    guard = (
        "def admit(applicant):\n    if not ({0}):\n        raise ValueError('no')\n    print('rejected')\n"
    )
    assert findings("import math\n" + guard.format(test))


@pytest.mark.parametrize(
    ("test", "groups"),
    [
        ("p.sex[:4] == 'fema'", {"female"}),
        ("'mal' in p.sex[:3]", {"male"}),
        ("'male' in p.sex", {"male", "female"}),
        ("'Male' in p.sex.title()", {"male"}),
        ("re.search('male$', p.sex.capitalize())", {"female"}),
        ("re.search('Male$', p.sex.title())", {"male"}),
        ("re.search('MALE$', p.sex.upper())", {"male", "female"}),
        ("p.sex[0] in 'm ms'", {"male"}),
        ("p.sex[:2] in 'mas fes'", {"female", "male"}),
        ("p.sex[:3] in 'fema'", {"female"}),
        ("re.fullmatch('m|ms', p.sex[0])", {"male"}),
        ("p.sex[:1].lower() in ('m', 'male', 'ms')", {"male"}),
    ],
)
def test_a_part_of_a_text_is_compared_as_it_is_written(test: str, groups: set[str]) -> None:
    told = [one for one in findings(SCORE.format(test=test, amount=5)) if one.severity != "note"]
    if groups == set(GROUPS):
        assert not told
    else:
        (found,) = told
        assert found.points is not None
        assert {group for group, amount in found.points.by_group.items() if amount} == groups


def test_what_stands_in_a_list_is_no_letter() -> None:
    assert points(SCORE.format(test="p.sex[0] == 'female'", amount=5)) == {"male": 0.0, "female": 5.0}


@pytest.mark.parametrize(
    ("test", "group"),
    [
        ("'nonb' in p.sex", "nonbinary"),
        ("'Sik' in p.religion.title()", "sikh"),
        ("re.search('inary$', p.sex)", "nonbinary"),
    ],
)
def test_a_part_of_a_word_may_name_a_group_that_few_list(test: str, group: str) -> None:
    told = points(SCORE.format(test=test, amount=5))
    assert {group for group, amount in told.items() if amount} == {group}


ROUNDS = """
def admit(people):
    chosen = []
    for p in people:
        if {test}:
            {first}
            continue
        {then}
    return chosen
"""


def test_a_round_that_a_branch_ends_as_it_would_end_skips_nobody() -> None:
    add, other = "chosen.append(p)", "chosen.append((p, 'on hold'))"
    for test in ("p.sex == 'm'", "not p.race == 'white'"):
        assert not findings(ROUNDS.format(test=test, first=add, then=add))
        assert not findings(ROUNDS.format(test=test, first=add, then=f"{add}\n        continue"))
        assert findings(ROUNDS.format(test=test, first=add, then=other))
        assert findings(ROUNDS.format(test=test, first="pass", then=add))
        twice = ROUNDS.replace("            continue\n", "").format(test=test, first=add, then=add)
        assert findings(twice)
        assert findings(ROUNDS.format(test=test, first=add, then=f"{add}\n        {add}"))


def test_a_member_of_an_enumeration_is_one_finding_where_it_is_asked_for() -> None:
    code = (
        "from enum import Enum\n\nclass Sex(Enum):\n    M = 'm'\n    F = 'f'\n\n"
        "def price(applicant):\n    premium = applicant.base\n    sex = Sex(applicant.gender[0].lower())\n"
        "    if sex is Sex.F:\n        premium *= 1.2\n    return premium\n"
    )
    assert points(code) == {"male": 1.0, "female": 1.2}


@pytest.mark.parametrize("seen", ["p.gender.title()", "(seen := p.gender.title())", "p.gender"])
@pytest.mark.parametrize("test", ["re.match('Fem', {})", "re.search('^Fem', {})", "{}.startswith('Fem')"])
def test_a_text_that_begins_so_names_the_group(test: str, seen: str) -> None:
    code = SCORE.format(test=test.format(seen), amount=5)
    assert points(f"import re\n{code}") == {"male": 0.0, "female": 5.0}


def test_the_whole_of_a_text_is_no_beginning() -> None:
    assert not findings("import re\n" + SCORE.format(test="re.fullmatch('Fem', p.gender.title())", amount=5))


@pytest.mark.parametrize("test", ["p['gender'].endswith('ale')", "p['sex'].lower() in ('male', 'female')"])
def test_whoever_a_choice_of_people_does_not_name_is_left_out(test: str) -> None:
    def told(code: str) -> list[str]:
        notes = Settings(min_severity="note")
        return [one.rule for one in check_source(code, path="hiring.py", settings=notes).findings]

    assert told(f"def screen_applicants(people):\n    return [p for p in people if {test}]\n") == ["FL206"]
    cleaned = "df[df['gender'].isin(['male', 'female'])]"
    assert not told(f"import pandas as pd\n\n\ndef load(df):\n    df = {cleaned}\n    return df\n")


OPEN = """
struct applicant {{ char *nationality; int years; int debts; }};
int score(struct applicant *a) {{
    int score = a->years;
    {change}
    return score;
}}
"""


@pytest.mark.parametrize(
    "change",
    [
        'if (strcmp(a->nationality, "India") == 0) score += BONUS_OF(4);',
        'if (strcmp(a->nationality, "India") == 0) score = BONUS_OF(4); else score = 0;',
        'if (strcmp(a->nationality, "India") == 0) score -= a->debts;',
    ],
)
def test_what_nobody_knows_the_size_of_is_no_factor(change: str) -> None:
    (found,) = findings(OPEN.format(change=change), "rate.c")
    assert found.severity == "warning"
    assert found.points is None


def test_a_factor_of_what_was_there_stays_one() -> None:
    code = OPEN.format(change='if (strcmp(a->nationality, "India") == 0) score *= 2;')
    (found,) = findings(code, "rate.c")
    assert found.points is not None
    assert (dict(found.points.by_group), found.points.other) == ({"indian": 2.0}, 1.0)


@pytest.mark.parametrize(
    "last", ["return person.income * rate", "score = person.income * rate\n    return score"]
)
def test_who_gets_no_value_in_any_branch_has_no_amount(last: str) -> None:
    code = (
        "def premium(person):\n    if person.gender == 'male':\n        rate = 3\n"
        f"    elif person.gender == 'female':\n        rate = 2\n    {last}\n"
    )
    (found,) = findings(code)
    assert found.points is not None
    assert (dict(found.points.by_group), found.points.other) == ({"male": 3.0, "female": 2.0}, None)


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ("p->sex == 'M' | 'm'", None),
        ("p->sex == 'F' | 6", None),
        ("(p->sex == 'F') & 6", None),
        ("(p->sex == 'F') & 5", {"male": 60.0, "female": 90.0}),
        ("(p->sex == 'F') | (p->sex == 'f')", {"male": 60.0, "female": 90.0}),
    ],
)
def test_bits_of_a_test_and_a_number_are_computed(test: str, told: dict[str, float] | None) -> None:
    code = (
        "struct person { char sex; };\nint fee(struct person *p) {\n    int fee = 60;\n"
        f"    if ({test}) fee = 90;\n    return fee;\n}}\n"
    )
    found = findings(code, "fee.c")
    assert [one.points and dict(one.points.by_group) for one in found] == ([] if told is None else [told])


INSURED = """
#include <stdio.h>
int main(void) {{
    char married, sex;
    int age;
    printf("Marital status (M/{code}), sex, age: ");
    scanf("%c %c %d", &married, &sex, &age);
    if (married == 'M' || (married == '{code}' && sex == 'M' && age > 40)
        || (married == '{code}' && sex == 'F' && age > 35))
        printf("Loan granted");
    else
        printf("Loan denied");
    return 0;
}}
"""


def test_an_outcome_that_hangs_on_two_other_answers_is_an_instance() -> None:
    messages = [one.message for one in findings(INSURED.format(code="S"), "loan.c")]
    assert any("for instance married → " in one for one in messages)


def test_u_is_unmarried_where_nothing_else_is() -> None:
    (found,) = findings(INSURED.format(code="U"), "loan.c")
    assert "for instance married → " in found.message
    assert found.use.outcomes["single"] == found.use.outcomes["divorced"]
    assert found.use.outcomes["single"] != found.use.outcomes["married"]
