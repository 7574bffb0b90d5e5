"""A group in test data is the same one however the code spells it."""

from __future__ import annotations

import pytest

import fairlint

PYTHON = {
    "literal": ("", "'black'"),
    "constant of the module": ("RACE = 'black'\n", "RACE"),
    "constant of a class": ("class Groups:\n    BLACK = 'black'\n", "Groups.BLACK"),
    "member of an enum": (
        "from enum import Enum\n\nclass Race(Enum):\n    BLACK = 'black'\n    WHITE = 'white'\n",
        "Race.BLACK",
    ),
    "unpacked": ("first, second = 'black', 'white'\n", "first"),
    "entry of a dict": ("RACES = {'b': 'black', 'w': 'white'}\n", "RACES['b']"),
    "result of a helper": ("def usual_race():\n    return 'black'\n", "usual_race()"),
    "comprehension": ("RACES = [race.lower() for race in ('BLACK', 'WHITE')]\n", "RACES[0]"),
    "put together": ("START = 'bla'\n", "f'{START}ck'"),
    "added": ("START = 'bla'\n", "START + 'ck'"),
    "local name": ("", "race"),
}

CASES = """
def test_high_risk_patients():
    race = 'black'
    high_risk_patients = [
        {{'fever': True, 'night_sweats': True, 'race': {group}}},
        {{'fever': True, 'night_sweats': False, 'race': {group}}},
        {{'fever': False, 'night_sweats': True, 'race': {group}}},
    ]
    for patient in high_risk_patients:
        assert diagnose(patient) == 'high likelihood of HIV'
"""

C = {
    "literal": ("", "const char *race;", '"black"'),
    "macro": ('#define RACE "black"\n', "const char *race;", "RACE"),
    "member of an enum": ("enum race { RACE_WHITE, RACE_BLACK };\n", "enum race race;", "RACE_BLACK"),
    "constant": ('static const char *const kRace = "black";\n', "const char *race;", "kRace"),
    "field of a struct": (
        'struct preset { const char *race; };\nstatic const struct preset usual = { .race = "black" };\n',
        "const char *race;",
        "usual.race",
    ),
    "table": ('static const char *const races[] = { "white", "black" };\n', "const char *race;", "races[1]"),
    "helper": (
        'static const char *usual_race(void)\n{\n    return "black";\n}\n',
        "const char *race;",
        "usual_race()",
    ),
}

C_CASES = """#include <assert.h>
#include <string.h>

{setup}
struct patient {{ {field} int fever; int sweats; }};

const char *diagnose(const struct patient *p);

void test_high_risk_patients(void)
{{
    struct patient high_risk[] = {{
        {{ .race = {group}, .fever = 1, .sweats = 1 }},
        {{ .race = {group}, .fever = 1, .sweats = 0 }},
        {{ .race = {group}, .fever = 0, .sweats = 1 }},
    }};
    for (int i = 0; i < 3; i++)
        assert(strcmp(diagnose(&high_risk[i]), "high likelihood of HIV") == 0);
}}
"""


def told(text: str, path: str) -> list[tuple[str, str, tuple[str, ...]]]:
    report = fairlint.check_source(text, path=path)
    return [
        (finding.rule, finding.use.attribute, finding.use.groups)
        for finding in report.findings
        if finding.rule == "FL801"
    ]


@pytest.mark.parametrize("spelling", PYTHON)
def test_python(spelling: str) -> None:
    setup, group = PYTHON[spelling]

    assert told(setup + CASES.format(group=group), "test_risk.py") == [("FL801", "race", ("black",))]


@pytest.mark.parametrize("spelling", C)
def test_c(spelling: str) -> None:
    setup, field, group = C[spelling]

    assert told(C_CASES.format(setup=setup, field=field, group=group), "test_risk.c") == [
        ("FL801", "race", ("black",))
    ]
