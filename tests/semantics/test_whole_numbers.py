"""Amounts are what the language computes: Python's are executed here, C's are what its standard says."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from fairlint import check_source

PYTHON = [
    "round(2.5)", "round(3.5)", "round(-2.5)", "round(2.675, 2)", "round(1234, -2)", "math.ceil(2.1)",
    "math.floor(2.9)", "math.trunc(2.9)", "int(2.9)", "int('11', 2)", "int('7f', 16)", "abs(-5)", "7 // 2",
    "-7 // 2", "7 % 3", "-7 % 3 + 1", "5 / 2", "2 ** 3", "max(3, 5)", "min(3, 5)", "float('2.5')",
    "{'a': 5, 'a': 7}['a']", "3 + 4 * 2", "(3 + 4) * 2",
]  # fmt: skip
C = {
    "5 / 2": 2, "7 / 2 * 2": 6, "-7 / 2": -3, "-7 % 3": -1, "7 % -3": 1, "(int)2.9": 2, "(int)-2.9": -2,
    "(unsigned long)7.5": 7, "5.0 / 2": 2.5, "(double)5 / 2": 2.5, "round(2.5)": 3, "rint(2.5)": 2,
    "ceil(2.1)": 3, "floor(2.9)": 2, "trunc(2.9)": 2, "abs(-4)": 4, "010": 8, "0x10": 16,
}  # fmt: skip


def points(code: str, path: str) -> Mapping[str, float] | None:
    told = [one for one in check_source(code, path=path).findings if one.rule in {"FL201", "FL202"}]
    assert len(told) == 1, told
    return told[0].points.by_group if told[0].points else None


def in_python(amount: str) -> str:
    test = f"    if person.gender == 'male':\n        score += {amount}\n"
    return f"import math\ndef score(person):\n    score = 0\n{test}    return score\n"


@pytest.mark.parametrize("amount", PYTHON)
def test_python_s_numbers(amount: str) -> None:
    wanted = float(eval(amount, {"math": math}))
    assert points(in_python(amount), "rate.py") == {"male": wanted, "female": 0.0}


def in_c(amount: str, head: str = "") -> str:
    return (
        f"{head}#include <math.h>\ndouble score(struct applicant *p) {{\n    double score = 0;\n"
        f"    if (p->gender == MALE) score += {amount};\n    return score;\n}}\n"
    )


@pytest.mark.parametrize(("amount", "wanted"), C.items())
def test_c_s_numbers(amount: str, wanted: float) -> None:
    assert points(in_c(amount), "rate.c") == {"male": wanted, "female": 0.0}


def test_a_macro_is_put_in_as_it_is_written() -> None:
    assert points(in_c("BONUS * 2", "#define BONUS (2 + 3)\n"), "rate.c") == {"male": 10.0, "female": 0.0}
    assert points(in_c("BONUS", "#define BONUS 2 + 3\n"), "rate.c") == {"male": 5.0, "female": 0.0}
    assert points(in_c("BONUS * 2", "#define BONUS 2 + 3\n"), "rate.c") == {"male": 8.0, "female": 0.0}
    assert points(in_c("BONUS * p->years", "#define BONUS 2 + 3\n"), "rate.c") is None


@pytest.mark.parametrize("amount", ["float('inf')", "float('nan')"])
def test_what_is_no_number_is_no_amount(amount: str) -> None:
    assert points(in_python(amount), "rate.py") is None


def test_amounts_that_round_to_the_same_are_the_same() -> None:
    code = "def score(person):\n    return person.years + round(2.5 if person.gender == 'male' else 1.5)\n"
    assert check_source(code, path="rate.py").findings == ()


def test_the_last_of_equal_keys_counts() -> None:
    code = (
        "def score(person):\n    return person.years + {'male': 5, 'male': 7, 'female': 1}[person.gender]\n"
    )
    assert points(code, "rate.py") == {"male": 7.0, "female": 1.0}


@pytest.mark.parametrize(
    ("test", "wanted"),
    [
        ('"male" in person.gender', None),
        ('"man" in person.gender.lower()', None),
        ('re.search("male", person.gender)', None),
        ('"Male" in person.gender', "male"),
        ('re.search("^male$", person.gender)', "male"),
        ('"fem" in person.gender', "female"),
        ('"female" in person.gender', "female"),
        ('"woman" in person.gender', "female"),
        ('person.gender[:3] == "fem"', "female"),
        ('person.gender.startswith("fem")', "female"),
    ],
)
def test_a_part_of_a_name_is_held_by_all_whose_name_holds_it(test: str, wanted: str | None) -> None:
    body = f"    score = 0\n    if {test}:\n        score += 5\n    return score\n"
    code = f"import re\ndef score(person):\n{body}"
    if wanted is None:
        assert check_source(code, path="rate.py").findings == ()
    else:
        assert points(code, "rate.py") == {group: 5.0 * (group == wanted) for group in ("male", "female")}


def test_a_column_of_which_a_part_is_asked_for() -> None:
    read = "import pandas as pd\npeople = pd.read_csv('x')\n"
    code = f"{read}people.loc[people['gender'].str.contains('male'), 'score'] += 5\n"
    assert check_source(code, path="rate.py").findings == ()
