"""A group or a column in a query is the same one however the code spells it."""

from __future__ import annotations

import pytest

import fairlint

GROUPS = {
    "literal": ("", "'M'"),
    "constant of the module": ("GROUP = 'M'\n", "GROUP"),
    "constant of a class": ("class Groups:\n    MEN = 'M'\n", "Groups.MEN"),
    "member of an enum": (
        "from enum import StrEnum\n\nclass Sex(StrEnum):\n    MALE = 'M'\n    FEMALE = 'F'\n",
        "Sex.MALE",
    ),
    "value of an enum": (
        "from enum import Enum\n\nclass Sex(Enum):\n    MALE = 'M'\n    FEMALE = 'F'\n",
        "Sex.MALE.value",
    ),
    "unpacked": ("MEN, WOMEN = 'M', 'F'\n", "MEN"),
    "entry of a dict": ("CODES = {'men': 'M', 'women': 'F'}\n", "CODES['men']"),
    "result of a helper": ("def usual():\n    return 'M'\n", "usual()"),
    "comprehension": ("CODES = [code.upper() for code in ('m', 'f')]\n", "CODES[0]"),
    "put together": ("START = 'ma'\n", "f'{START}le'"),
    "added": ("START = 'ma'\n", "START + 'le'"),
    "walrus": ("", "(code := 'M')"),
}
COLUMNS = {
    "literal": ("", "'gender'"),
    "constant of the module": ("COLUMN = 'gender'\n", "COLUMN"),
    "constant of a class": ("class Columns:\n    SEX = 'gender'\n", "Columns.SEX"),
    "member of an enum": (
        "from enum import StrEnum\n\nclass Column(StrEnum):\n    SEX = 'gender'\n    AGE = 'age'\n",
        "Column.SEX",
    ),
    "unpacked": ("SEX, AGE = 'gender', 'age'\n", "SEX"),
    "entry of a dict": ("COLUMNS = {'s': 'gender', 'a': 'age'}\n", "COLUMNS['s']"),
    "result of a helper": ("def asked():\n    return 'gender'\n", "asked()"),
    "comprehension": ("COLUMNS = [name.lower() for name in ('GENDER', 'SCORE')]\n", "COLUMNS[0]"),
    "put together": ("START = 'gen'\n", "f'{START}der'"),
    "added": ("START = 'gen'\n", "START + 'der'"),
}
GIVEN = {
    "in an f-string": "sql = f\"SELECT id FROM people WHERE gender = '{GROUP}' LIMIT 5\"",
    "by percent": "sql = \"SELECT id FROM people WHERE gender = '%s' LIMIT 5\" % (GROUP,)",
    "by percent and name": 'sql = "SELECT id FROM people WHERE gender = \'%(g)s\' LIMIT 5" % {"g": GROUP}',
    "by format": "sql = \"SELECT id FROM people WHERE gender = '{}' LIMIT 5\".format(GROUP)",
    "by format and name": "sql = \"SELECT id FROM people WHERE gender = '{g}' LIMIT 5\".format(g=GROUP)",
    "by replacing": 'sql = "SELECT id FROM people WHERE gender = \'@g\' LIMIT 5".replace("@g", GROUP)',
    "added": 'sql = "SELECT id FROM people WHERE gender = \'" + GROUP + "\' LIMIT 5"',
    "joined": 'sql = " ".join(["SELECT id FROM people", "WHERE gender = \'" + GROUP + "\'", "LIMIT 5"])',
    "listed": 'sql = f"SELECT id FROM people WHERE gender IN {(GROUP,)} LIMIT 5"',
}

SHORTLIST = """{setup}
def shortlist(conn):
    {query}
    return conn.execute(sql).fetchall()
"""
PARAMETER = """{setup}
def shortlist(conn):
    return conn.execute("SELECT id FROM people WHERE gender = ? LIMIT 5", ({group},)).fetchall()
"""
COLUMN = """{setup}
def shortlist(conn, age=None):
    return conn.execute("SELECT id FROM people WHERE " + {column} + " = 'M' LIMIT 5").fetchall()
"""

C = {
    "literal": ("", '"M"'),
    "macro": ('#define MALE "M"\n', "MALE"),
    "constant": ('static const char *const kMale = "M";\n', "kMale"),
    "field of a struct": (
        'struct preset { const char *code; };\nstatic const struct preset men = { .code = "M" };\n',
        "men.code",
    ),
    "table": ('static const char *const codes[] = { "F", "M" };\n', "codes[1]"),
    "helper": ('static const char *usual(void)\n{\n    return "M";\n}\n', "usual()"),
}
C_CODES = {
    "literal": ("", "1"),
    "macro": ("#define MALE 1\n", "MALE"),
    "member of an enum": ("enum gender { FEMALE, MALE };\n", "MALE"),
    "constant": ("static const int kMale = 1;\n", "kMale"),
    "field of a struct": (
        "struct preset { int code; };\nstatic const struct preset men = { .code = 1 };\n",
        "men.code",
    ),
    "table": ("static const int codes[] = { 0, 1 };\n", "codes[1]"),
    "helper": ("static int usual(void)\n{\n    return 1;\n}\n", "usual()"),
}
C_SHORTLIST = """#include <stdio.h>

{setup}
int shortlist(PGconn *conn)
{{
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT id FROM people WHERE gender = {place} LIMIT 5", {group});
    return PQexec(conn, sql) != NULL;
}}
"""


def told(code: str, path: str = "work.py") -> list[tuple[str, str, tuple[str, ...]]]:
    report = fairlint.check_source(code, path=path)
    return [(one.rule, one.use.attribute, one.use.groups) for one in report.findings]


MEN = [("FL702", "gender", ("male",))]


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_in_the_query(name: str) -> None:
    setup, group = GROUPS[name]
    query = f'sql = "SELECT id FROM people WHERE gender = \'" + {group} + "\' LIMIT 5"'
    assert told(SHORTLIST.format(setup=setup, query=query)) == MEN


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_beside_the_query(name: str) -> None:
    setup, group = GROUPS[name]
    assert told(PARAMETER.format(setup=setup, group=group)) == MEN


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_in_the_query(name: str) -> None:
    setup, column = COLUMNS[name]
    assert told(COLUMN.format(setup=setup, column=column)) == MEN


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("named", ["GROUP", "group", "gender"])
def test_the_ways_to_put_it_in(name: str, named: str) -> None:
    code = SHORTLIST.format(setup="", query=f"GROUP = 'M'\n    {GIVEN[name]}")
    assert told(code.replace("GROUP", named)) == MEN


@pytest.mark.parametrize("name", C)
def test_a_group_in_c(name: str) -> None:
    setup, group = C[name]
    assert told(C_SHORTLIST.format(setup=setup, place="'%s'", group=group), "work.c") == MEN


@pytest.mark.parametrize("name", C_CODES)
def test_a_code_in_c(name: str) -> None:
    setup, group = C_CODES[name]
    ((rule, attribute, groups),) = told(C_SHORTLIST.format(setup=setup, place="%d", group=group), "work.c")
    assert (rule, attribute) == ("FL702", "gender")
    assert groups == (("male",) if name == "member of an enum" else ("1",))
