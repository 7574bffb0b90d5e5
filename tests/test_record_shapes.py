"""Shapes of JSON: what fits is taken, and what does not is told with its place and what is wanted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.run_folders import record_shapes
from fairlint.support.shapes import (
    ANYTHING,
    FLAG,
    MOST,
    TEXT,
    Shape,
    check,
    fault_of,
    mapping_of_shape,
    matching,
    maybe,
    number,
    one_of,
    row,
    several,
    table,
    text,
    whole,
)

HUGE = 10**400
POINT = table({"x": number(), "y": number(0, 1)}, {"note": maybe(TEXT)})


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (ANYTHING, None),
        (FLAG, False),
        (TEXT, "\ud800"),
        (text(longest=3, least=1), "abc"),
        (one_of("a", 2), 2),
        (whole(), MOST),
        (whole(None, None), -HUGE),
        (number(), 5e-324),
        (number(), 7),
        (maybe(whole()), None),
        (several(FLAG), []),
        (several(FLAG, 1, 2), [True, False]),
        (row(TEXT, number()), ["x", 1]),
        (mapping_of_shape(POINT), {"a": {"x": -1e300, "y": 1, "more": [HUGE]}}),
        (POINT, {"y": 0.5, "x": 1, "note": None}),
    ],
)
def test_what_fits_is_taken(shape: Shape, value: Any) -> None:
    assert fault_of(shape, value) == ""
    check(shape, value)


@pytest.mark.parametrize(
    ("shape", "value", "told"),
    [
        (FLAG, 1, "it is 1, not true or false"),
        (TEXT, None, "it is null, not a text"),
        (TEXT, ["x"], "it is a list, not a text"),
        (text(longest=3, least=1), "", "it has 0 characters, not 1 to 3"),
        (one_of("a", "b"), "c" * 99, f'it is "{"c" * 40}\\u2026", not "a" or "b"'),
        (one_of("a", 2), True, 'it is true, not "a" or 2'),
        (whole(), True, "it is true, not a whole number from 0 on"),
        (whole(), 1.0, "it is 1.0, not a whole number from 0 on"),
        (whole(), -1, "it is -1, not a whole number from 0 on"),
        (whole(), HUGE, "it is a whole number of more than 15 digits, not a whole number from 0 on"),
        (whole(1, 9), 10, "it is 10, not a whole number from 1 to 9"),
        (number(), float("nan"), "it is NaN, not a finite number"),
        (number(), float("-inf"), "it is -Infinity, not a finite number"),
        (number(), HUGE, "it is a whole number of more than 15 digits, not a finite number"),
        (number(0, 1), 1.5, "it is 1.5, not a number from 0 to 1"),
        (maybe(number(0, 1)), 2, "it is 2, not a number from 0 to 1"),
        (maybe(number(0, 1)), "x", 'it is "x", not a number from 0 to 1 or null'),
        (several(TEXT), ["a", 1], "`[1]` is 1, not a text"),
        (several(TEXT, 1), [], "it has 0 entries, not 1 to any"),
        (row(TEXT, TEXT), ["a"], "it has 1 entries, not 2"),
        (row(TEXT, TEXT), ["a", 2], "`[1]` is 2, not a text"),
        (POINT, {"x": 1}, "`y` is missing"),
        (POINT, {"x": 1, "y": 0, "note": 5}, "`note` is 5, not a text or null"),
        (POINT, [], "it is a list, not an object"),
        (
            mapping_of_shape(several(POINT)),
            {"a": [{"x": 1, "y": "z"}]},
            '`a[0].y` is "z", not a number from 0 to 1',
        ),
        (matching(frozenset({str}), "a word", str.isalpha), "1", 'it is "1", not a word'),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(shape: Shape, value: Any, told: str) -> None:
    assert fault_of(shape, value) == told
    with pytest.raises(ValueError, match=r"^(it|`)"):
        check(shape, value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(x=JSON, y=JSON, note=JSON, again=st.integers(1, 3))
def test_what_was_seen_before_changes_nothing(x: Any, y: Any, note: Any, again: int) -> None:
    """Tables remember combinations of types, and a value is looked at all the same."""
    known = table({"x": number(), "y": number(0, 1)}, {"note": maybe(TEXT)})
    for _ in range(again):
        known_fault = fault_of(known, {"x": x, "y": y, "note": note})
        assert fault_of(known, {"x": 0.5, "y": 0.5, "note": "n"}) == ""
    assert known_fault == fault_of(
        table({"x": number(), "y": number(0, 1)}, {"note": maybe(TEXT)}), {"x": x, "y": y, "note": note}
    )


SHAPES = {name: one for name, one in vars(record_shapes).items() if isinstance(one, Shape)}


@pytest.mark.parametrize("name", SHAPES)
@given(value=JSON)
def test_no_value_breaks_a_shape(name: str, value: Any) -> None:
    told = fault_of(SHAPES[name], value)
    assert "\n" not in told
    assert len(told) < 300
    json.dumps(told)
