"""Descriptions of data: what they may say, and what is told of a wrong one."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import fairlint.counterfactual
from fairlint import UsageError
from fairlint.counterfactual.description import (
    SHIPPED,
    Band,
    Description,
    parse_description,
    read_description,
    schema,
)
from fairlint.counterfactual.keys import BAND, COLUMN, LABEL, TOP

DATA = Path(fairlint.counterfactual.__path__[0]) / "data"
PROTECTED = 'columns.sex.attribute = "gender"\n'


def describe(text: str) -> Description:
    return parse_description(tomllib.loads(PROTECTED + text), "loans.toml")


def test_what_is_not_said_has_a_default() -> None:
    found = describe("")
    assert (found.separator, found.encoding, found.keep, found.drop_missing) == (",", "utf-8", (), False)
    assert found.columns["sex"].source == "sex"
    assert found.columns["sex"].ordered is None


def test_everything_that_can_be_said() -> None:
    found = describe("""
        encoding = "Latin-1"
        separator = ";"
        header = ["s", "years", "grade", "kind", "paid"]
        missing = ["-"]
        drop-missing = true
        keep = ["sex", "age", "grade"]
        drop-rows = { kind = ["x", 3, true], s = "?" }
        deduplicate = "with-label"
        notes = ["Made up."]
        label = { column = "paid", favourable = true, unfavourable = ["false", 0] }
        columns.age = { column = "years", attribute = "age", bands = [
          { name = "young", below = 30 },
          { name = "middle", from = 30, to = 60 },
          { name = "old", from = 61 },
        ] }
        columns.grade = { ordered = ["c", "b", "a"] }
    """)
    assert found.encoding == "iso8859-1"
    assert found.drop_rows == {"kind": ("x", "3", "true"), "s": ("?",)}
    assert found.label is not None
    assert (found.label.favourable, found.label.unfavourable) == (("true",), ("false", "0"))
    assert found.columns["age"].bands == (
        Band("young", -math.inf, 30, open=True), Band("middle", 30, 60), Band("old", 61, math.inf),
    )  # fmt: skip
    assert (found.columns["grade"].order, found.columns["grade"].ordered) == (("c", "b", "a"), True)


WRONG = [
    ("colums = 1", "unknown key 'colums'; did you mean 'columns'?"),
    ("zzz = 1", f"unknown key 'zzz'; known are {', '.join(TOP)}"),
    ("separator = ';;'", "'separator' must be one character, or 'whitespace', not ';;'"),
    ("encoding = 'utf-9'", "'encoding' must be an encoding that Python knows, as 'latin-1', not 'utf-9'"),
    ("encoding = 'base64'", "'encoding' must be an encoding that Python knows, as 'latin-1', not 'base64'"),
    ("header = 'a,b'", "'header' must be a list of texts, not 'a,b'"),
    ("header = ['a', 'a']", "'header' must hold each text once, not ['a', 'a']"),
    ("drop-missing = 'yes'", "'drop-missing' must be true or false, not 'yes'"),
    ("deduplicate = true", "'deduplicate' must be one of with-label, without-label, not True"),
    ("deduplicate = 'with-labels'",
     "'deduplicate' must be one of with-label, without-label, not 'with-labels'; did you mean 'with-label'?"),
    ("deduplicate = 'with-label'", "'deduplicate' is 'with-label', but there is no 'label'"),
    ("drop-rows = ['x']", "'drop-rows' must be a table of column = [values], not ['x']"),
    ("drop-rows = {x = []}", "'drop-rows' must be a list of values, not []"),
    ("label = 'paid'", "'label' must be a table, not 'paid'"),
    ("label.column = 'paid'",
     "'label' → 'favourable' is not said: the value that people wish for, or several"),
    ("label = {column = 'sex', favourable = 1}", "'columns' → 'sex' is the label's column"),
    ("keep = ['sex']\ndrop = ['id']",
     "'keep' and 'drop' cannot both be said: what 'keep' does not name is dropped"),
    ("keep = ['sx']", "'columns' → 'sex' is described, but 'keep' does not name it; did you mean 'sx'?"),
    ("columns.age = 3",
     "'columns' → 'age' must be a table of " + ", ".join(COLUMN)),
    ("columns.age.atribute = 'age'",
     "'columns' → 'age' → unknown key 'atribute'; did you mean 'attribute'?"),
    ("columns.age.attribute = 1", "'columns' → 'age' → 'attribute' must be a text, not 1"),
    ("columns.age.type = 'int'",
     "'columns' → 'age' → 'type' must be one of text, number, boolean, not 'int'"),
    ("columns.age.values = {}",
     "'columns' → 'age' → 'values' must be a table of what the file has = what it means, not {}"),
    ("columns.age.values = {a = [1]}",
     "'columns' → 'age' → 'values' must hold texts, numbers, true or false, not [1]"),
    ("columns.age.ordered = ['a', 'a']",
     "'columns' → 'age' → 'ordered' must hold each value once, not ['a', 'a']"),
    ("columns.age.also = [nan]",
     "'columns' → 'age' → 'also' must hold texts, numbers, true or false, not nan"),
    ("columns.age.bands = []", "'columns' → 'age' → 'bands' must be a list of tables, not []"),
    ("columns.age.bands = [1]",
     "'columns' → 'age' → 'bands' → 'band 1' must be a table of name, from, to, below"),
    ("columns.age.bands = [{to = 3}]",
     "'columns' → 'age' → 'bands' → 'band 1' → 'name' is not said: what the band is called"),
    ("columns.age.bands = [{name = 'a', from = '3'}]",
     "'columns' → 'age' → 'bands' → 'band 1' → 'from' must be a number, not '3'"),
    ("columns.age.bands = [{name = 'a', to = 3, below = 4}]",
     "'columns' → 'age' → 'bands': 'a' has both 'to' and 'below'"),
    ("columns.age.bands = [{name = 'a', from = 9, to = 3}]",
     "'columns' → 'age' → 'bands': 'a' ends before it begins"),
    ("columns.age.bands = [{name = 'a', to = 3}, {name = 'b', from = 3}]",
     "'columns' → 'age' → 'bands': 'b' must begin above the end of 'a'"),
    ("columns.age.bands = [{name = 'a', to = 3}, {name = 'a', from = 4}]",
     "'columns' → 'age' → 'bands': each name must be there once"),
    ("columns.age = {bands = [{name = 'a'}], ordered = true}",
     "'columns' → 'age': 'bands' and 'ordered' cannot both be said"),
    ("columns.age = {values = {a = 1}, type = 'number'}",
     "'columns' → 'age': 'values' and 'type' cannot both be said"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_is_wrong_is_named_in_one_line(text: str, message: str) -> None:
    with pytest.raises(UsageError) as told:
        describe(text)
    assert str(told.value) == f"loans.toml: {message}"
    assert "\n" not in message


def test_some_column_must_be_protected() -> None:
    with pytest.raises(UsageError, match="no column is protected"):
        parse_description({"drop": ["id"]}, "loans.toml")


def test_a_file_that_is_no_toml(tmp_path: Path) -> None:
    path = tmp_path / "loans.toml"
    path.write_text("columns = [")
    with pytest.raises(UsageError, match=r"loans\.toml: is not valid TOML"):
        read_description(path)
    with pytest.raises(UsageError, match=r"other\.toml: cannot be read: No such file"):
        read_description(tmp_path / "other.toml")


# ------------------------------------------------------------------------------------------------- schema

ABOUT_TWO_KEYS = {
    message
    for _, message in WRONG
    if "'bands': " in message or not (" must be " in message or "unknown key" in message)
}
"""What no schema of one key each can say."""


def test_the_schema_takes_what_is_read_and_refuses_unknown_keys() -> None:
    Draft202012Validator.check_schema(schema())
    validator = Draft202012Validator(schema())
    for name in SHIPPED:
        validator.validate(tomllib.loads((DATA / f"{name}.toml").read_text("utf-8")))
    for text, message in WRONG:
        if message not in ABOUT_TWO_KEYS and "encoding" not in text:
            assert not validator.is_valid(tomllib.loads(text)), text


def test_every_key_is_in_the_schema() -> None:
    found = schema()
    column = found["properties"]["columns"]["additionalProperties"]
    assert found["properties"].keys() == TOP.keys()
    assert column["properties"].keys() == COLUMN.keys()
    assert column["properties"]["bands"]["items"]["properties"].keys() == BAND.keys()
    assert found["properties"]["label"]["properties"].keys() == LABEL.keys()


values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.text(max_size=4), st.integers(), st.floats(), st.booleans()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
column = st.dictionaries(st.sampled_from([*COLUMN]), values, max_size=3)


@given(
    st.dictionaries(st.sampled_from([*TOP]), values, max_size=3),
    st.dictionaries(st.text(max_size=3), column, max_size=2),
)
def test_any_table_is_read_or_refused_in_one_line(
    top: Mapping[str, object], columns: Mapping[str, object]
) -> None:
    table = {**top, "columns": {"sex": {"attribute": "gender"}, **columns}}
    with suppress(UsageError):
        assert parse_description(table, "x").columns["sex"].attribute == "gender"
