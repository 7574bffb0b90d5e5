"""The notation of an expected finding, which rule pages, fixtures, benchmarks and tests share."""

from __future__ import annotations

import pytest
from expectations import Expected, Silent, read_code, read_comment


def read(text: str) -> Expected:
    (one,) = read_comment(text, 1)
    return one


def test_what_is_left_out_is_open() -> None:
    one = read("FL104")
    assert (one.rule, one.rules, one.attribute, one.severity) == ("FL104", ("FL104",), None, None)
    assert not one.table
    assert not one.no_points


def test_rules_and_attributes_of_which_one_is_enough() -> None:
    one = read("FL301|FL302 note: race|ethnicity")
    assert (one.rules, one.severity, one.attributes) == (("FL301", "FL302"), "note", ("race", "ethnicity"))
    assert read("FL902: *").attributes == ("*",)


def test_attributes_that_are_tested_together() -> None:
    one = read("FL103 error: age+race")
    assert (one.attribute, one.attributes, one.joined) == ("age", ("age",), ("race",))


@pytest.mark.parametrize(
    ("text", "op", "table"),
    [
        ("male +5, female -0.5, others +0", "add", {"male": 5.0, "female": -0.5, "others": 0.0}),
        ("non-degree x1.2, 18-29 x1", "multiply", {"non-degree": 1.2, "18-29": 1.0}),
        ("white = 2, others ?", "set", {"white": 2.0, "others": None}),
    ],
)
def test_tables(text: str, op: str, table: dict[str, float | None]) -> None:
    one = read(f"FL201: race {text}")
    assert (one.op, one.table) == (op, table)


def test_no_points_is_more_than_no_table() -> None:
    assert read("FL101: gender no points").no_points
    assert not read("FL101: gender").no_points


def test_comments_stand_behind_their_line_or_above_it() -> None:
    marked = read_code(
        "# FL201: gender male +5\n"
        "# FL202: age\n"
        "if x:  # FL101: race; FL102: age\n"
        "    pass  # silent: nothing\n"
        "/* FL103 */\n"
        "y(); /* FL104: gender */\n"
        "  WHERE a  -- FL702: gender\n"
        "z = 1  # an ordinary comment\n"
    )
    assert [(one.line, one.rule) for one in marked.expected] == [
        (3, "FL201"), (3, "FL202"), (3, "FL101"), (3, "FL102"), (6, "FL103"), (6, "FL104"), (7, "FL702"),
    ]  # fmt: skip
    assert marked.silent == (Silent(4, "nothing"),)
    assert marked.code == "\n\nif x:\n    pass\n\ny();\n  WHERE a\nz = 1  # an ordinary comment\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 1\ny = 2  # FL201: gender male", "line 2: not a group and its amount: 'male'"),
        ("x = 1  # FL201 gender", "line 1: not an expectation: 'FL201 gender'"),
        ("x = 1  # FL201: age a +1, b x2", "line 1: one table, one way to apply it"),
        ("x = 1\n# FL201: gender", "the last comment speaks of no line: 'FL201: gender'"),
    ],
)
def test_a_wrong_comment_is_an_error_with_its_line(code: str, said: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        read_code(code)
    assert str(caught.value).startswith(said)
