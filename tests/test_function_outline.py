"""Which functions are lowered: those with a mention and their relations, found on the text alone."""

from __future__ import annotations

import re

from fairlint.search.function_outline import keep_relevant
from fairlint.syntax.c import C
from fairlint.syntax.language import Language
from fairlint.syntax.outline import Definition
from fairlint.syntax.python import PYTHON

PYTHON_CODE = b"""\
BONUS = table()

def helper(x):
    return base() + x

def base():
    return 1

def unrelated():
    return 2

def score(p):
    if p.gender == "male":
        return helper(1)
    return 0

def caller(p):
    return score(p) > 3

def callers_caller(p):
    return caller(p)

class Person:
    def __init__(self, data):
        if data["gender"] == "male":
            self.bonus = LIMITS["high"]

    def name(self):
        return other.unrelated()

    def total(self):
        return 10 + self.bonus

class Other:
    def name_of(self):
        return 1
"""

C_CODE = b"""\
#define WEIGHT(x) ((x) * 2)
#define OTHER(x) (x)

static int helper(int x)
{
    return WEIGHT(x);
}

static int unrelated(int x) { return OTHER(x); }

int
score(const struct person *p)
{
    if (p->gender == FEMALE)
        return helper(2);
    return 0;
}

int caller(struct person *p)
{
    return score(p);
}
"""


def definitions_in(data: bytes, language: Language) -> list[Definition]:
    assert language.outline is not None
    return language.outline().definitions(data)


def kept(data: bytes, language: Language) -> set[str]:
    hits = [found.start() for found in re.finditer(rb"gender", data)]
    keep = keep_relevant(data, language, hits)
    definitions = definitions_in(data, language)
    names = set()
    for definition in definitions:
        name = definition.name.decode()
        inside = [
            outer.name.decode()
            for outer in definitions
            if outer.is_type and outer.start < definition.start < outer.end
        ]
        if not definition.is_type and keep(definition.start, definition.end, ".".join([*inside, name])):
            names.add(name)
    return names


def test_functions_with_a_mention_and_their_relations_are_kept() -> None:
    assert kept(PYTHON_CODE, PYTHON) == {"helper", "base", "score", "caller", "__init__", "total"}


def test_in_c_too_macros_included() -> None:
    assert kept(C_CODE, C) == {"WEIGHT", "helper", "score", "caller"}


def test_what_a_line_at_module_level_refers_to_is_kept() -> None:
    data = b"def weigh(x):\n    return x\n\ndef other():\n    pass\n\nWEIGHTS = {'gender': weigh(3)}\n"

    assert kept(data, PYTHON) >= {"weigh"}


def test_what_uses_a_table_with_a_mention_is_kept() -> None:
    python = b"TABLE = {\n    'gender': 2,\n}\n\ndef f(x):\n    return TABLE[x]\n\ndef g():\n    return 1\n"
    c = b"const int table[] = {\n    [gender] = 2,\n};\nint f(int x) { return table[x]; }\nint g(void) { }\n"

    assert kept(python, PYTHON) == {"f"}
    assert kept(c, C) == {"f"}


def test_without_a_mention_nothing_is_kept() -> None:
    assert kept(b"def f():\n    return 1\n", PYTHON) == set()


def test_an_outline_knows_where_definitions_end() -> None:
    inner = b"    def f(self):\n        pass\n\n    async def g(self):\n        pass\n\n"
    data = b"class A:\n" + inner + b"def h():\n\tpass\n"
    parts = {found.name: data[found.start : found.end] for found in definitions_in(data, PYTHON)}

    assert parts[b"f"].strip() == b"def f(self):\n        pass"
    assert parts[b"g"].strip().startswith(b"async def g")
    assert parts[b"A"].endswith(b"pass\n\n")
    assert parts[b"h"] == b"def h():\n\tpass\n"


def test_a_header_without_functions_has_no_outline() -> None:
    assert definitions_in(b"enum gender { MALE, FEMALE };\n", C) == []
