"""The page on data says what is so: its example, its tables of keys, its counts."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from fairlint.cli import main
from fairlint.counterfactual.data_sets import INSTALL
from fairlint.counterfactual.description import MISSING, schema
from fairlint.counterfactual.keys import BAND, COLUMN, DEDUPLICATE, LABEL, TOP, TYPES, Key
from fairlint.counterfactual.loading import load

PAGE = (Path(__file__).parents[2] / "docs" / "counterfactual-data.md").read_text("utf-8")


def block(kind: str) -> str:
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def table(header: str) -> list[list[str]]:
    """The rows under a header; several tables that have the same one are a list."""
    found: list[list[str]] = []
    for part in PAGE.split(f"| {header} |\n")[1:]:
        lines = part.split("\n\n", 1)[0].splitlines()[1:]
        found += [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return found


def test_the_example_gives_the_people_that_are_shown(tmp_path: Path) -> None:
    data, config = tmp_path / "loans.csv", tmp_path / "loans.toml"
    data.write_text(block("csv"), encoding="utf-8")
    config.write_text(block("toml"), encoding="utf-8")
    people = load(data, config=config)
    names = [column.name for column in people.columns]
    assert people.favourable is not None
    shown = table(" | ".join([*names, "people", "paid"]))
    assert shown == [
        [*map(str, row), str(weight), str(paid)]
        for row, weight, paid in zip(people.rows, people.weights, people.favourable, strict=True)
    ]
    assert (people.people, len(people.rows)) == (4, 3)
    assert people.columns[names.index("sex")].values == ("male", "female", "nonbinary")


def test_every_key_is_told() -> None:
    def rows(keys: Mapping[str, Key]) -> list[list[str]]:
        return [[f"`{key.name}`", key.about] for key in keys.values()]

    assert table("key | what it says") == [*rows(TOP), *rows(COLUMN), *rows(BAND), *rows(LABEL)]
    assert all(f'`"{word}"`' in PAGE for word in (*DEDUPLICATE, *TYPES))
    (told,) = re.findall(r"Without `missing`, texts that say so are (.*), in capitals", PAGE)
    assert set(re.findall(r"`(.*?)`", told)) == {text.upper() for text in MISSING}


@pytest.mark.parametrize("name", ["adult", "german", "compas"])
def test_the_counts_are_those_of_the_data(name: str) -> None:
    people = load(name)
    (told,) = (
        count for known, count, _ in table("name | people | where they come from") if known == f"`{name}`"
    )
    assert told == f"{people.people:,} in {len(people.rows):,} distinct rows, {len(people.columns)} columns"
    assert INSTALL in PAGE


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--data-config"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == schema()
    Draft202012Validator(printed).validate(tomllib.loads(block("toml")))
