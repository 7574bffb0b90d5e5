"""How fairlint's own code is laid out and named, as `benchmarks/house.py` counts it."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

import house

figures = cache(house.figures)


@pytest.mark.parametrize("name", house.CEILINGS)
def test_no_ceiling_is_passed(name: str) -> None:
    assert figures()[name] <= house.CEILINGS[name]


@pytest.mark.parametrize(
    ("name", "one_word", "participle"),
    [
        ("_told", True, True),
        ("parse", True, False),
        ("named_groups", False, False),
        ("groups_named", False, True),
        ("_speed", True, False),
    ],
)
def test_names_are_counted(name: str, one_word: bool, participle: bool) -> None:
    assert (house.is_one_word(name), house.is_participle(name)) == (one_word, participle)


@pytest.mark.parametrize(
    ("annotation", "places"),
    [
        ("tuple[int, str]", [2]),
        ("Iterator[tuple[int, str, bytes]] | None", [3]),
        ("'tuple[int, str]'", [2]),
        ("tuple[int, ...]", []),
        ("dict[str, tuple[int, tuple[str, str, str]]]", [2, 3]),
        ("Pair", []),
    ],
)
def test_unnamed_tuples_are_counted(annotation: str, places: list[int]) -> None:
    found = house.places_of_tuples(ast.parse(annotation, mode="eval").body)
    assert list(found) == places
