"""Columns on their way to a model: through selections, lists and rows that are copied."""

import pytest

from fairlint import check_source

HEAD = """import os
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

clients = pd.read_csv("clients.csv")
"""
WAYS = {
    "loc behind a filter": """
        clients = clients[clients["salary"] > 100]
        clients = clients.loc[:, ["sex", "salary", "late"]]
        LogisticRegression().fit(clients.drop(columns="late"), clients["late"])
        """,
    "a list that goes on": """
        known = clients.drop(columns=["late"])
        chosen = ["sex", "salary"] + known.columns.tolist()[5:]
        steps = make_column_transformer((StandardScaler(), chosen))
        make_pipeline(steps, LogisticRegression()).fit(known, clients["late"])
        """,
    "a list that a branch may replace": """
        chosen = ["sex", "salary"]
        if os.environ.get("ALL"):
            chosen = read_names()
        steps = ColumnTransformer([("groups", OneHotEncoder(), chosen)])
        make_pipeline(steps, LogisticRegression()).fit(clients, clients["late"])
        """,
    "rows that are copied": """
        rows = clients[["sex", "salary"]].to_numpy()
        copied = np.zeros((len(rows), 2))
        for place in range(len(rows)):
            copied[place] = rows[place]
        LogisticRegression().fit(copied, clients["late"])
        """,
}


def rules(code: str) -> list[tuple[str, str]]:
    lines = "\n".join(line.removeprefix("        ") for line in code.splitlines())
    return [(one.rule, one.use.attribute) for one in check_source(HEAD + lines, path="train.py").findings]


@pytest.mark.parametrize("code", WAYS.values(), ids=WAYS)
def test_a_column_reaches_the_model(code: str) -> None:
    assert ("FL301", "gender") in rules(code)
    assert not rules(code.replace('"sex"', '"city"'))


def test_rows_of_a_column_that_was_copied_are_multiplied() -> None:
    code = """
        clients["score"] = clients["points"]
        chosen = clients["sex"] == "male"
        clients.loc[chosen, "score"] = clients.loc[chosen, "score"] * 2
        """
    assert rules(code) == [("FL204", "gender")]


def test_an_imputer_is_told_once_for_a_column_that_was_renamed() -> None:
    code = """
        clients.rename(columns={"Sex": "Gender"}, inplace=True)
        clients["Gender"] = clients["Gender"].replace({1: "male", 0: "female"})
        names = list(clients.select_dtypes(exclude="number").columns)
        SimpleImputer(strategy="most_frequent").fit(clients[names])
        """
    assert rules(code) == [("FL404", "gender")]


def test_what_was_made_whole_numbers_is_not_missing() -> None:
    code = """
        clients["age_band"] = pd.cut(clients["age_years"], [0, 30, 50, 110], labels=[0, 1, 2]){}
        filled = SimpleImputer(strategy="most_frequent").fit_transform(clients)
        """
    assert ("FL404", "age") in rules(code.format(""))
    assert ("FL404", "age") not in rules(code.format(".astype(int)"))
