"""A person's row on its way into a model that serves: written out, encoded, put into another shape."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source

HEAD = """import joblib
import numpy as np
import pandas as pd

model = joblib.load("model.joblib")
prepare = joblib.load("prepare.joblib")
encoders = joblib.load("encoders.joblib")
"""

TOLD: dict[str, str] = {
    "a frame through what another file prepared": """
        def predict(age, sex, income):
            row = pd.DataFrame([{"age": age, "sex": sex, "income": income}])
            return model.predict(prepare.transform(row))
        """,
    "codes of one value each": """
        def predict(data):
            row = [encoders["sex"].transform([data["sex"]])[0], int(data["age"]), data["income"]]
            return model.predict(np.array(row).reshape(1, -1))
        """,
    "the values of a dict": """
        def predict(data):
            row = {"sex": data["sex"], "age": data["age"], "income": data["income"]}
            return model.predict(np.array(list(row.values())).astype(float).reshape(1, -1))
        """,
    "a list that becomes an array of the same name": """
        def predict(data):
            row = [encoders["sex"].transform([data["sex"]])[0], int(data["age"]), data["income"]]
            row = np.array(row).reshape(1, -1)
            return model.predict(row)
        """,
    "variables in a list": """
        def predict(data):
            age, sex = float(data["age"]), data["sex"]
            features = np.array([[data["income"], age, sex]])
            return model.predict_proba(prepare.transform(features))[0][1]
        """,
}


@pytest.mark.parametrize("name", TOLD)
def test_a_row_is_followed_into_the_model(name: str) -> None:
    found = check_source(HEAD + textwrap.dedent(TOLD[name])).findings
    assert {one.use.attribute for one in found if one.rule == "FL301"} == {"age", "gender"}


def test_the_finding_points_into_the_row() -> None:
    code = HEAD + textwrap.dedent(TOLD["variables in a list"])
    lines = {one.start.line for one in check_source(code).findings if one.rule == "FL301"}
    assert [code.splitlines()[line - 1].strip() for line in lines] == [
        'features = np.array([[data["income"], age, sex]])'
    ]


@pytest.mark.parametrize("name", TOLD)
def test_its_way_ends_where_the_model_is_given_it(name: str) -> None:
    found = check_source(HEAD + textwrap.dedent(TOLD[name])).findings
    ends = {one.use.flow[-1].message for one in found if one.rule == "FL301"}
    assert ends == {"a model is given it here"}


@pytest.mark.parametrize(
    ("code", "attributes"),
    [
        ('model.predict([[loan["Married"], loan["Gender"], loan["Income"]]])', {"marital_status", "gender"}),
        ('model.predict([[counts["Married"], counts["Single"]]])', set()),
    ],
)
def test_a_key_that_is_a_group_is_a_column_beside_other_columns(code: str, attributes: set[str]) -> None:
    found = check_source(f"{HEAD}def rate(loan, counts):\n    return {code}\n").findings
    assert {one.use.attribute for one in found if one.rule == "FL301"} == attributes


def test_columns_that_are_chosen_behind_a_frame_are_not_all_of_it() -> None:
    code = """
        def predict(age, sex, income):
            row = pd.DataFrame([{"age": age, "sex": sex, "income": income}])
            return model.predict(prepare.transform(row[["income"]]))
        """
    assert check_source(HEAD + textwrap.dedent(code)).findings == ()


def test_a_list_that_is_called_features_is_what_a_model_gets() -> None:
    code = """
        from catboost import CatBoostClassifier

        def prepared(form, history):
            features = [
                form.age,
                form.income,
                history["first_record_age"],
            ]
            return features
        """
    found = check_source(textwrap.dedent(code)).findings
    assert [(one.start.line, one.rule, one.use.attribute) for one in found] == [(6, "FL301", "age")]
