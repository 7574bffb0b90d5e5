"""polars: what tables that a function is handed give each group; it is run where it is installed."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from fairlint import check_source
from fairlint.config.settings import Settings
from fairlint.findings.finding import Finding
from fairlint.rules.messages import format_table

HEAD = "import polars as pl\n\n\ndef rate(people: pl.DataFrame) -> pl.DataFrame:\n    return "
CASES = [
    (
        'people.with_columns(score=pl.when(pl.col("gender") == "male").then(5).otherwise(0))',
        "male = 5, female = 0",
        (5, 0),
    ),
    (
        'people.with_columns(score=pl.when(gender="male").then(5).otherwise(1))',
        "male = 5, female = 1",
        (5, 1),
    ),
    (
        'people.with_columns(score=pl.when(pl.col("gender") == "male").then(5))',
        "male = 5, others no value",
        (5, None),
    ),
    (
        'people.with_columns(score=pl.when(pl.col("gender").eq_missing("male")).then(5).otherwise(0))',
        "male = 5, female = 0",
        (5, 0),
    ),
    (
        'people.with_columns(score=pl.when(pl.col("gender").str.to_lowercase() == "male").then(5))',
        "male = 5, others no value",
        (5, None),
    ),
    (
        'people.select("id", score=pl.when(pl.col("gender") == "male").then(5).otherwise(0))',
        "male = 5, female = 0",
        (5, 0),
    ),
    (
        'people.select(pl.when(pl.col("gender") == "male").then(5).otherwise(0).alias("score"))',
        "male = 5, female = 0",
        (5, 0),
    ),
    (
        'people.with_columns(score=pl.col("gender").replace_strict({"male": 5, "female": 2}))',
        "male = 5, female = 2",
        (5, 2),
    ),
    (
        'people.with_columns(score=pl.col("gender").replace_strict({"male": 5}, default=1))',
        "male = 5, female = 1",
        (5, 1),
    ),
    (
        'people.with_columns(score=pl.col("gender").replace_strict(["male"], [5], default=None))',
        "male = 5, others no value",
        (5, None),
    ),
    (
        'people.with_columns(score=pl.col("gender").map_elements(lambda g: 5 if g == "male" else 0))',
        "male = 5, female = 0",
        (5, 0),
    ),
]


def found(expression: str) -> list[Finding]:
    return list(check_source(f"{HEAD}{expression}\n", path="rate.py").findings)


@pytest.mark.parametrize(("expression", "told", "real"), CASES)
def test_groups_get_what_the_library_gives_them(
    expression: str, told: str, real: tuple[int | None, ...]
) -> None:
    (one,) = found(expression)
    assert format_table(one.use.points) == told
    if find_spec("polars") is None:
        return
    polars = import_module("polars")
    names: dict[str, Any] = {}
    exec(compile(f"{HEAD}{expression}\n", "rate.py", "exec"), names)
    people = polars.DataFrame({"id": [1, 2], "gender": ["male", "female"]})
    assert tuple(names["rate"](people)["score"]) == real


@pytest.mark.parametrize("test", ['pl.col("gender") == "female"', 'gender="female"'])
def test_people_are_removed(test: str) -> None:
    (one,) = found(f"people.remove({test})")
    assert (one.rule, one.use.attribute) == ("FL106", "gender")


def test_people_are_ordered_by_a_test() -> None:
    settings = Settings(min_severity="note")
    code = f'{HEAD}people.sort(pl.col("gender") == "male", "score").head(5)'
    assert [one.rule for one in check_source(code, path="rate.py", settings=settings).findings] == ["FL105"]
    assert not found('people.sort(pl.col("city") == "Ulm", "score").head(5)')
