"""Syntax that is newer than the grammar, and than the Python that runs."""

from __future__ import annotations

import pytest

from fairlint.syntax.python.parser import parse

SCORE = """
def score{parameters}(person):
    if person.gender == "female":
        return 1
    return 2
"""


@pytest.mark.parametrize(
    "source",
    [
        "lazy import json\nlazy  from math import (sqrt,\n  floor as down)\nlazy\tfrom . import near\n"
        + SCORE,
        "import os; lazy import json\n" + SCORE,
        "lazy import json\r\n" + SCORE,
        "class Box[T: str = str,\n          *Rest = *tuple[int]]:\n    size = 1\n" + SCORE,
        "type Pair[T = int] = list[T]\n" + SCORE,
    ],
)
def test_what_is_newer_than_the_grammar_is_read(source: str) -> None:
    assert parse(source.replace("{parameters}", "[T = int]").encode()).gaps == ()


def test_names_and_texts_that_are_called_lazy_stay() -> None:
    plain = 'lazy = 1\nif lazy:\n    lazy(2)\nnote = """\nlazy import of a module\n"""\n'
    damaged = plain + "x = = 1\n"
    text = "lazy import of a module"
    assert text in repr(parse(plain.encode()))
    assert text in repr(parse(damaged.encode()))


def test_an_import_in_a_function_cannot_be_lazy() -> None:
    assert parse(b"def load():\n    lazy import json\n    return json\n").gaps


def test_damage_elsewhere_is_still_told() -> None:
    source = (
        b"lazy import json\n\ndef first():\n    return 1\n\n)(\n\ndef second[T = int](x: T):\n    return x\n"
    )
    gaps = parse(source).gaps
    assert [source[gap.span.start : gap.span.end] for gap in gaps] == [b")("]
