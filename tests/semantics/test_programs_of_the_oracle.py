"""Small programs whose execution once showed that something else was told."""

from __future__ import annotations

import re
from typing import Any

import pytest

from fairlint import check_source
from fairlint.findings import Finding

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
