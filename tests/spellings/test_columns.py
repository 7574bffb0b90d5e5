"""A column that a model learns from is told however the code spells its name."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from spelled import python

import fairlint
from fairlint.config import Settings

HEAD = """
import pandas as pd
from sklearn.linear_model import LogisticRegression

TITLES = {"gender": "Gender"}
df = pd.read_csv("people.csv")
model = LogisticRegression()
"""

TOLD: dict[str, str] = {
    "chosen": 'model.fit(df[["income", <X>]], df["paid"])',
    "listed": """
        FEATURES = ["income", <X>]
        model.fit(df[FEATURES], df["paid"])
    """,
    "appended": """
        features = ["income"]
        features.append(<X>)
        model.fit(df[features], df["paid"])
    """,
    "added": """
        features = ["income"] + [<X>]
        model.fit(df[features], df["paid"])
    """,
    "of a function": """
        def features():
            return ["income", <X>]

        model.fit(df[features()], df["paid"])
    """,
    "filtered": 'model.fit(df.filter(items=["income", <X>]), df["paid"])',
    "by place": 'model.fit(df.loc[:, ["income", <X>]], df["paid"])',
    "written out": 'model.fit([[row["income"], row[<X>]] for row in rows], paid)',
    "filled": """
        df[<X>] = df[<X>].fillna("unknown")
        model.fit(df[["income", <X>]], df["paid"])
    """,
    "one-hot": """
        X = pd.get_dummies(df[["income", <X>]], columns=[<X>])
        model.fit(X, df["paid"])
    """,
    "of a formula's list": """
        from sklearn.compose import ColumnTransformer
        from sklearn.preprocessing import OneHotEncoder

        prepare = ColumnTransformer([("words", OneHotEncoder(), [<X>])])
        model.fit(prepare.fit_transform(df), df["paid"])
    """,
}
SILENT: dict[str, str] = {
    "dropped": 'model.fit(df[["income", "gender"]].drop(columns=[<X>]), df["paid"])',
    "removed": """
        names = ["income", "gender"]
        names.remove(<X>)
        model.fit(df[names], df["paid"])
    """,
    "left out": """
        names = [name for name in ["income", "gender"] if name != <X>]
        model.fit(df[names], df["paid"])
    """,
}


def told(code: str) -> set[tuple[str, str]]:
    """The features that are told: rule and attribute."""
    report = fairlint.check_source(code, path="train.py", settings=Settings(min_severity="note"))
    assert not report.not_analysed
    return {(finding.rule, finding.use.attribute) for finding in report.findings if finding.rule == "FL301"}


def spelled(code: str) -> dict[str, set[tuple[str, str]]]:
    return {
        name: told(setup + HEAD + dedent(code).lstrip("\n").replace("<X>", written))
        for name, (setup, written) in python("gender").items()
    }


@pytest.mark.parametrize("code", TOLD.values(), ids=TOLD)
def test_a_feature(code: str) -> None:
    found = spelled(code)

    assert {name: one for name, one in found.items() if one != {("FL301", "gender")}} == {}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_what_is_left_out_is_no_feature(code: str) -> None:
    assert {name: one for name, one in spelled(code).items() if one} == {}
