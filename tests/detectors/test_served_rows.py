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
    "entries that are appended one by one": """
        def predict(form):
            if form:
                row = []
                row.append(form["income"])
                row.append(form["sex"])
                row.append(float(form["age"]))
                return model.predict([row])
        """,
    "columns that are coded beside the frame": """
        def predict(data):
            row = pd.DataFrame({"sex": [encoders["sex"].transform([data["sex"]])[0]], "age": [data["age"]]})
            town = pd.DataFrame(encoders["town"].transform([[data["town"]]]), columns=encoders["town"].names)
            return model.predict(pd.concat([row.reset_index(drop=True), town], axis=1))
        """,
    "keys that are put together": """
        def predict(age, sex, income):
            row = {name: 0 for name in joblib.load("columns.joblib")}
            row["income"] = income
            row["age"] = age
            key = f"sex_{sex}"
            if key in row:
                row[key] = 1
            return model.predict(pd.DataFrame([row]))
        """,
    "cells of a frame of zeros": """
        def predict(age, sex, income):
            row = pd.DataFrame(0, index=[0], columns=joblib.load("columns.joblib"))
            row.at[0, "age"] = age
            row.loc[0, f"sex_{sex}"] = 1
            return model.predict(row)
        """,
    "a value of which only its name tells": """
        def predict(age, chosen, income):
            sex = 1 if chosen.get() == "M" else 0
            return model.predict([[age, sex, income]])
        """,
    "inputs by their names": """
        import onnxruntime

        session = onnxruntime.InferenceSession("model.onnx")

        def predict(data):
            row = np.array([[data.age, data.sex, data.income]])
            return session.run(None, {"input": row})
        """,
    "codes that are added to a list": """
        SEXES = ["M", "F"]

        def predict(age, sex, income):
            codes = [1 if sex == SEXES[place] else 0 for place in range(2)]
            row = [age, income] + codes
            return model.predict(np.array(row).reshape(1, -1))
        """,
    "columns by what a model says": """
        def predict(age, sex, income):
            row = pd.DataFrame({"age": [age], "sex": [sex], "income": [income]})
            row = pd.get_dummies(row)
            return model.predict(row[model.feature_names_in_])
        """,
    "keys of codes written out": """
        def predict(age, sex, income):
            return model.predict(pd.DataFrame([{"age": age, f"sex_{sex}": 1, "income": income}]))
        """,
    "fields that are listed by name": """
        FIELDS = ["age", "sex", "income"]

        def predict(form):
            return model.predict(prepare.transform([[float(form[name]) for name in FIELDS]]))
        """,
}


@pytest.mark.parametrize("name", TOLD)
def test_a_row_is_followed_into_the_model(name: str) -> None:
    found = check_source(HEAD + textwrap.dedent(TOLD[name])).findings
    assert {one.use.attribute for one in found if one.rule in {"FL301", "FL405"}} == {"age", "gender"}


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


SILENT: dict[str, str] = {
    "keys about things": """
        def predict(page, size):
            row = {name: 0 for name in joblib.load("columns.joblib")}
            row[f"page_{page}"] = 1
            row[f"image_{size}"] = 1
            return model.predict(pd.DataFrame([row]))
        """,
    "a key of a cache": """
        def remember(person, chart):
            charts = {}
            charts[f"gender_{person.gender}"] = chart
            return charts
        """,
    "a key of a cache among others": """
        def remembered(person, cache):
            keys = [f"gender_{person.gender}"]
            return [cache.get(key) for key in keys]
        """,
    "a list of each person, gone through again": """
        def mean_age(people):
            ages = []
            for person in people:
                ages.append(person.age)
            return np.mean(ages)
        """,
}


@pytest.mark.parametrize("name", SILENT)
def test_what_only_looks_like_a_row_is_silent(name: str) -> None:
    assert check_source(HEAD + textwrap.dedent(SILENT[name])).findings == ()


def test_what_is_listed_by_name_is_told_where_it_is_named() -> None:
    code = HEAD + textwrap.dedent(TOLD["fields that are listed by name"])
    lines = {one.start.line for one in check_source(code).findings if one.rule == "FL301"}
    assert [code.splitlines()[line - 1] for line in lines] == ['FIELDS = ["age", "sex", "income"]']


def test_keys_of_codes_are_what_a_model_gets() -> None:
    code = """
def keys(person):
    wanted = {
        f"city_{person.city}",
        f"gender_{person.gender}",
    }
    return [1 if name in wanted else 0 for name in model.feature_names_in_]
"""
    found = [one for one in check_source(HEAD + code).findings if one.rule == "FL301"]
    assert [(HEAD + code).splitlines()[one.start.line - 1].strip() for one in found] == [
        'f"gender_{person.gender}",'
    ]


def test_what_a_loop_changes_is_told_where_it_was_written() -> None:
    code = """
def predict(form):
    row = {"sex": form["sex"], "income": form["income"]}
    for key in ["sex", "income"]:
        row[key] = encoders[key].transform([row[key]])[0]
    return model.predict(pd.DataFrame([row]))
"""
    found = [one for one in check_source(HEAD + code).findings if one.rule == "FL301"]
    assert [one.start.line for one in found] == [10]


WIDGETS = """import pickle

import streamlit as st

model = pickle.load(open("model.pkl", "rb"))
"""


@pytest.mark.parametrize(
    ("label", "attributes"),
    [
        ("Gender", {"gender"}),
        ("Select your gender:", {"gender"}),
        ("**Gender** (M/F)", {"gender"}),
        ("What is the applicant's age?", {"age"}),
        ("Age in years", {"age"}),
        ("Marital Status", {"marital_status"}),
        ("Page", set()),
        ("Age of the cache", set()),
        ("Gender of the noun that is looked up", set()),
        ("Sort by", set()),
    ],
)
def test_a_widget_holds_what_its_label_names(label: str, attributes: set[str]) -> None:
    code = f"""
chosen = st.selectbox({label!r}, options)
income = st.number_input("Income of the applicant")
if st.button("Rate"):
    st.write(model.predict([[0 if chosen == "x" else 1, income]]))
"""
    found = check_source(WIDGETS + code).findings
    assert {one.use.attribute for one in found if one.rule == "FL301"} == attributes


def test_a_widget_that_only_looks_for_people_is_silent() -> None:
    code = """
chosen = st.radio("Gender", ["F", "M"])
staff = [person for person in everybody() if person.gender == chosen]
st.write(staff)
"""
    assert check_source(WIDGETS + code).findings == ()
