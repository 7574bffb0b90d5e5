"""A person's row on its way into a model that serves: written out, encoded, put into another shape."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings

HEAD = """import joblib
import numpy as np
import pandas as pd

model = joblib.load("model.joblib")
prepare = joblib.load("prepare.joblib")
encoders = joblib.load("encoders.joblib")
"""

TOLD: dict[str, str] = {
    "a frame whose columns are named afterwards": """
        def rate(request):
            values = [float(one) for one in request.form.values()]
            row = pd.DataFrame([values])
            row.columns = ["income", "sex", "age"]
            return model.predict(np.array(row))
        """,
    "columns of a person that are named afterwards": """
        def rate(person):
            row = pd.DataFrame([[person.income, person.sex, person.age]])
            row.columns = ["Income", "Sex", "Age"]
            return model.predict(row)
        """,
    "columns of a bundle, or those that are usual": """
        NAMES = ["income", "sex", "age"]
        try:
            NAMES = list(joblib.load("columns.joblib").get("columns", NAMES))
        except OSError:
            pass

        def rate(form):
            values = {}
            for name in NAMES:
                values[name] = float(form.get(name, 0))
            row = np.array([values[name] for name in NAMES]).reshape(1, -1)
            return model.predict_proba(row)[0][1]
        """,
    "a list of records": """
        from pydantic import BaseModel

        class Person(BaseModel):
            income: float
            sex: str
            age: int

        class Request(BaseModel):
            people: list[Person]

        def rate(request: Request):
            rows = pd.DataFrame([one.model_dump(by_alias=True) for one in request.people])
            return model.predict_proba(rows)[:, 1]
        """,
    "a record of which a bundle's columns are coded": """
        from pydantic import BaseModel

        class Person(BaseModel):
            income: float
            sex: str
            age: int

        def rate(person: Person):
            row = pd.DataFrame([person.model_dump()])
            codes = encoders["codes"].transform(row[encoders["coded"]])
            return model.predict(pd.concat([row.drop(columns=encoders["coded"]), codes], axis=1))
        """,
    "a frame under a list and then the columns of a bundle": """
        COLUMNS = ["age", "sex", "income"]

        def predict(person, settings):
            bundle = loaded(settings)
            row = pd.DataFrame([{"age": person.age, "sex": person.sex, "income": person.income}])
            return bundle.model.predict(row[COLUMNS][bundle.features])
        """,
    "a row for a function of another package that predicts": """
        from engine import predict_risk, usual_row

        def rate(age, sex, income):
            row = usual_row(income).copy()
            row["age"] = age
            row["sex"] = sex
            return predict_risk(pd.DataFrame([row]))
        """,
    "entries that another dict puts over it": """
        def rate(person):
            row = {"income": person.income}
            row.update({"age": person.age, "sex_M": person.sex == "M", "sex_F": person.sex == "F"})
            return model.predict(pd.DataFrame([row]))
        """,
    "a row by keys that are listed, many of them": """
        def rate(data):
            keys = [
                "age", "sex", "income", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9",
                "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "c0", "c1", "c2",
                "c3", "c4", "c5", "c6", "c7", "c8", "c9",
            ]
            row = {}
            for key in keys:
                row[key] = [data.get(key, 0)]
            return model.predict(pd.DataFrame(row))
        """,
    "a dict that becomes a frame of the same name": """
        def rate(age, sex, income):
            row = {"age": [age], "sex": [sex], "income": [income]}
            row = pd.DataFrame(row)
            row["chance"] = model.predict(row)
            return row
        """,
    "a dict that becomes another, and a frame by a method of its class": """
        def rate(age, sex, income):
            row = {"age": age, "sex": sex, "income": income}
            row = {name: [value] for name, value in row.items()}
            return model.predict(pd.DataFrame.from_dict(row))
        """,
    "a call in a thread": """
        import asyncio

        async def rate(person):
            row = pd.DataFrame([{"age": person.age, "sex": person.sex, "income": person.income}])
            return await asyncio.to_thread(model.predict, row)
        """,
    "a tensor for a network": """
        import torch
        from networks import LoanNet

        network = LoanNet()

        def rate(person):
            row = torch.tensor([[person.age, 1.0 if person.sex == "M" else 0.0, person.income]])
            return network(row).item()
        """,
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
    "a frame under names that are loaded": """
        def predict(age, sex, income):
            row = pd.DataFrame([[income, age, 1 if sex == "M" else 0]], columns=joblib.load("columns.joblib"))
            return model.predict(row)
        """,
    "a row on top of the table that a model was taught from": """
        def predict(age, sex, income):
            row = pd.DataFrame({"age": age, "sex": [sex], "income": income}, index=[0])
            taught = pd.read_csv("people.csv").drop(columns=["hired"])
            return model.predict(pd.concat([row, taught], axis=0)[:1])
        """,
    "codes beside a column that is then left out": """
        def predict(age, sex, income):
            row = pd.DataFrame({"age": [age], "sex": [sex], "income": [income]})
            row = pd.concat([row, pd.get_dummies(row["sex"], prefix="sex")], axis=1)
            del row["sex"]
            return model.predict(row)
        """,
    "the values of a record as a tuple": """
        from dataclasses import astuple, dataclass

        @dataclass
        class Person:
            sex: int
            age: int
            income: float

        def predict(person: Person):
            return model.predict(np.array([astuple(person)]))
        """,
    "a list that a class keeps": """
        class Service:
            order = ["income", "age", "sex"]

            def predict(self, data):
                return model.predict([[data.get(name, 0) for name in self.order]])
        """,
    "columns that an object of a class lists": """
        class Wanted:
            order = ["income", "age", "sex"]

        wanted = Wanted()

        def predict(data):
            return model.predict(pd.DataFrame([data])[wanted.order])
        """,
    "fields of a form that are coded": """
        from flask import request

        def predict():
            data = request.form.to_dict()
            data["sex"] = 1 if data["sex"] == "M" else 0
            data["age"] = 1 if int(data["age"]) > 25 else 0
            return model.predict(pd.DataFrame(data, index=[0]))
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
    "a record that is handed in one of several forms": """
        def predict(given):
            if hasattr(given, "model_dump"):
                data = given.model_dump()
            elif isinstance(given, dict):
                data = given
            else:
                data = dict(given)
            row = pd.DataFrame([data])
            if "age" in row.columns:
                row["age"] = row["age"].clip(0, 99)
            if "sex" in row.columns:
                row["sex"] = row["sex"].str.lower()
            return model.predict(row)
        """,
    "places of a row of zeros": """
        def predict(age, sex, income):
            row = np.zeros(9)
            row[0] = income
            row[1] = age
            if sex == "male":
                row[3] = 1
            else:
                row[4] = 1
            return model.predict(row.reshape(1, -1))
        """,
    "places of a list of zeros": """
        def predict(age, sex, income):
            row = [0] * 9
            row[0] = income
            row[1] = age
            row[7] = encoders["sex"].transform([sex])[0]
            return model.predict([row])
        """,
    "entries that a loop over names appends": """
        FIELDS = ["income", "sex", "age"]
        CODES = {"sex": {"M": 0, "F": 1}}

        def predict(form):
            row = []
            for name in FIELDS:
                held = form[name]
                row.append(CODES[name][held] if name in CODES else float(held))
            return model.predict([row])
        """,
    "all fields of an object": """
        class Person:
            def __init__(self, form):
                self.sex, self.pay = form["sex"], form["pay"]
                self.sex = form["sex"]
                self.age = int(form["age"])

            def as_row(self):
                return pd.DataFrame([self.__dict__])

        def predict(form):
            person = Person(form)
            return model.predict(person.as_row())
        """,
    "the values of a record": """
        from dataclasses import asdict, dataclass

        @dataclass
        class Person:
            sex: int
            age: int
            income: float

        def predict(person: Person):
            return model.predict(np.array([list(asdict(person).values())]))
        """,
    "what a form has cleaned": """
        from django import forms

        class PersonForm(forms.Form):
            sex = forms.ChoiceField(choices=CHOICES)
            age = forms.IntegerField()

        def predict(request):
            form = PersonForm(request.POST)
            return model.predict(pd.DataFrame([form.cleaned_data]))
        """,
    "functions of which only the first reads a person": """
        def codes(form):
            return [form["income"], int(form["sex"] == "F"), int(form["age"])]

        def row(form):
            return np.array(codes(form))

        def shaped(form):
            return row(form).reshape(1, -1)

        def predict(request):
            return model.predict(shaped(request))
        """,
    "what a step keeps between two questions": """
        known = {}

        def asked_age(message):
            known["age"] = int(message.text)

        def asked_sex(message):
            known["sex"] = 1 if message.text == "m" else 0
            return model.predict([[known["age"], known["sex"]]])
        """,
    "fields that are listed by name": """
        FIELDS = ["age", "sex", "income"]

        def predict(form):
            return model.predict(prepare.transform([[float(form[name]) for name in FIELDS]]))
        """,
    "a row that is coded where it can be, in the order of what was learnt": """
        def rate(age, gender, tenure):
            row = pd.DataFrame({"age": [age], "gender": [gender], "tenure": [tenure]})
            for name in row.select_dtypes(include=["object"]).columns:
                if name in codes:
                    try:
                        row[name] = codes[name].transform(row[name])
                    except ValueError:
                        row[name] = 0
            return model.predict(row[columns])
        """,
    "a row in the order of a table that something was learnt from": """
        taught = pd.read_csv("people.csv").drop(columns=["hired"])

        def rate(age, gender, tenure):
            row = pd.DataFrame({"age": [age], "gender": [gender], "tenure": [tenure]})
            return model.predict(row[taught.columns])
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


def test_a_list_of_what_is_in_an_empty_one_is_empty() -> None:
    code = """
        def predict(age, income):
            others = []
            names = [*others]
            return model.predict(pd.DataFrame([[age, income]])[names])
        """
    assert check_source(HEAD + textwrap.dedent(code)).not_analysed == ()


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
    "names that are usual, of which a print is made": """
        NAMES = ["income", "sex", "age"]

        def rate(bundle, row):
            for name in bundle.get("shown", NAMES):
                print(name)
            return model.predict(row)
        """,
    "columns that are named for a print, and of which some are chosen": """
        def rate(values):
            row = pd.DataFrame([values])
            row.columns = ["income", "sex", "age"]
            print(row)
            return model.predict(row[["income"]])
        """,
    "fields of a record that are left out of the row": """
        from pydantic import BaseModel

        class Person(BaseModel):
            income: float
            sex: str
            age: int

        class Request(BaseModel):
            people: list[Person]

        def rate(request: Request):
            rows = pd.DataFrame([one.model_dump() for one in request.people])
            return model.predict(rows.drop(columns=["sex", "age"]))
        """,
    "a row that is kept, and a field that says nothing of columns": """
        def kept(person, settings):
            row = {"age": person.age, "sex": person.sex, "income": person.income}
            save_prediction(row)
            print_probability(row)
            frame = pd.DataFrame([row])[["age", "income"]]
            return model.predict(frame[settings.chosen])
        """,
    "a row for a function that reads other entries of it": """
        def rate(person):
            return predict_pay({"sex": person.sex, "years": person.years})

        def predict_pay(row):
            return 5000 + row["years"] * row.get("factor", 8)
        """,
    "a row for a function that reads it itself": """
        def rate(person):
            return predict_stay({"sex": person.sex, "income": person.income})

        def predict_stay(row):
            return {"sex": row["sex"], "stays": row["income"] > 5}
        """,
    "a list of a class that nobody gives a model": """
        class Service:
            order = ["income", "age", "sex"]

            def shown(self, data):
                return [[data.get(name, 0) for name in self.order]]

            def predict(self, data):
                return model.predict([[data["income"]]])
        """,
    "columns that are left out of a row": """
        def predict(age, sex, income):
            row = pd.DataFrame({"age": [age], "sex": [sex], "income": [income]})
            row = row.drop(columns=["sex", "age"])
            return model.predict(pd.concat([row, pd.read_csv("people.csv").drop(columns=["hired"])])[:1])
        """,
    "columns that something else chooses of a row": """
        def predict(age, sex, income):
            row = pd.DataFrame([[income, age, sex]], columns=["income", "age", "sex"])
            return model.predict(row[["income"]])
        """,
    "keys about things": """
        def predict(page, size):
            row = {name: 0 for name in joblib.load("columns.joblib")}
            row[f"page_{page}"] = 1
            row[f"image_{size}"] = 1
            return model.predict(pd.DataFrame([row]))
        """,
    "places of a row of counts": """
        def counted(people):
            counts = np.zeros(2)
            for person in people:
                if person.sex == "M":
                    counts[0] = 1
            return counts
        """,
    "a place of a row that says nothing of a person": """
        def predict(sex, income):
            row = np.zeros(3)
            row[0] = income
            print(sex)
            return model.predict(row.reshape(1, -1))
        """,
    "all fields of an object that are kept": """
        class Person:
            def __init__(self, form):
                self.sex = form["sex"]

            def saved(self):
                return store(self.__dict__)
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
    "columns of a row that nothing was learnt from": """
        taught = pd.read_csv("people.csv").drop(columns=["hired", "age", "gender"])

        def rate(age, gender, tenure):
            row = pd.DataFrame({"age": [age], "gender": [gender], "tenure": [tenure]})
            return model.predict(row[taught.columns])
        """,
    "a list of what is described": """
        NUMERIC_FEATURES = ["age", "income"]
        people = pd.read_csv("people.csv")
        print(people[NUMERIC_FEATURES].describe())
        print(people.groupby("city")[NUMERIC_FEATURES].mean())
        """,
    "a list of what is drawn": """
        CATEGORICAL_DIAGNOSTIC_FEATURES = ["gender", "department"]

        def draw(people, axis):
            axis.hist(people[CATEGORICAL_DIAGNOSTIC_FEATURES])
        """,
}


@pytest.mark.parametrize("name", SILENT)
def test_what_only_looks_like_a_row_is_silent(name: str) -> None:
    assert check_source(HEAD + textwrap.dedent(SILENT[name])).findings == ()


def test_what_is_listed_by_name_is_told_where_it_is_named() -> None:
    code = HEAD + textwrap.dedent(TOLD["fields that are listed by name"])
    lines = {one.start.line for one in check_source(code).findings if one.rule == "FL301"}
    assert [code.splitlines()[line - 1] for line in lines] == ['FIELDS = ["age", "sex", "income"]']


def test_a_list_that_nobody_asks_for_is_left_over() -> None:
    kept = 'model_features = ["tenure", "gender"]\n'
    other = 'model_features = ["tenure"]\nprint(model_features)\n'
    assert [one.rule for one in check_source(HEAD + kept).findings] == ["FL301"]  # another file may
    assert check_source(HEAD + kept + other).findings == ()
    asked = check_source(HEAD + kept + "save(model_features)\n" + other).findings
    assert [one.rule for one in asked] == ["FL301"]
    left_in = """
people = pd.read_csv("people.csv").rename(columns={"sex": "gender"})
model.fit(people.drop(columns=["hired"]), people["hired"])
"""
    found = check_source(HEAD + kept + left_in, settings=Settings(min_severity="note")).findings
    assert {one.rule for one in found} == {"FL302", "FL902"}


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


def test_a_row_is_told_beside_what_its_model_was_taught() -> None:
    code = """
people = pd.read_csv("people.csv")[["age", "income", "hired"]]
taught = people.drop(columns=["hired"])
model.fit(taught, people["hired"])
names = taught.columns.tolist()

def predict(years, income):
    age = round(years)
    return model.predict(pd.DataFrame([[age, income]], columns=names))
"""
    (found,) = (one for one in check_source(HEAD + code).findings if one.rule == "FL301")
    lines = (HEAD + code).splitlines()
    places = [found.start.line, *(one.start.line for one in found.places)]
    assert [lines[at - 1].strip()[:16] for at in places] == ["people = pd.read", "return model.pre"]


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


SERVED = """import requests

def ask(url, form):
    row = {"income": form["income"], "gender": form["g"]}
    return requests.post(%s, %s)
"""


@pytest.mark.parametrize(
    ("address", "given", "is_told"),
    [
        ("'http://models/predict'", "json=row", True),
        ("f'{url}/invocations'", "json={'columns': ['income', 'g'], 'data': [[3, form.gender]]}", True),
        ("f'{url}/v1/predictions'", "json={'data': [row]}", True),
        ("SCORING_URL", "json.dumps(row)", True),
        ("PREDICT_URL", "headers=row", False),
        ("url", "json=row", False),
        ("f'{url}/people'", "json=row", False),
    ],
)
def test_what_is_posted_to_a_served_model_is_a_row(address: str, given: str, is_told: bool) -> None:
    found = check_source(SERVED % (address, given)).findings
    assert [one.start.line for one in found if one.rule == "FL301"] == (
        [5 if "form." in given else 4] if is_told else []
    )


def test_a_sample_request_is_nobodys_row() -> None:
    code = """import requests

row = {"income": 3000, "gender": "male"}
requests.post("http://models/predict", json=row)
"""
    assert check_source(code).findings == ()


def test_a_function_of_a_screen_gets_what_its_components_hold() -> None:
    code = """
import gradio as gr

def price(i, g):
    return model.predict([[i, int(g == "x")]])

def noted(i, g):
    return f"{i} {g}"

gr.Interface(%s, [gr.Number(label="Income"), gr.Radio(["x", "y"], label="Gender")], "text")
"""
    for function, rules in (("price", {"FL301"}), ("noted", set())):
        found = check_source(HEAD + code % function).findings
        assert {one.rule for one in found} == rules


def test_a_field_of_a_window_holds_what_it_is_called() -> None:
    code = """
import tkinter as tk

tk.Label(window, text="Gender")
gender_entry, page_entry = tk.Entry(window), tk.Entry(window)
gender_entry = tk.Entry(window)
model.predict([[page_entry.get(), 1 if gender_entry.get() == "M" else 0]])
"""
    found = [one for one in check_source(HEAD + code).findings if one.rule == "FL301"]
    assert [one.use.attribute for one in found] == ["gender"]


def test_a_code_that_joins_a_row_is_no_decision() -> None:
    code = """
def row_of(form):
    row = []
    row.append(1 if form["gender"] == "male" else 0)
    row.append(float(form["income"]))
    return row

def predict(form):
    return model.predict([row_of(form)])
"""
    assert "FL101" not in {one.rule for one in check_source(HEAD + code).findings}


def test_a_button_says_nothing_of_what_a_model_is_given() -> None:
    code = """
age = st.number_input("Age", 18, 90)
if st.button("Predict"):
    st.write(model.predict([[age, st.selectbox("Department", departments)]]))
"""
    found = [one for one in check_source(WIDGETS + code).findings if one.rule == "FL301"]
    assert [(one.use.attribute, one.severity) for one in found] == [("age", "warning")]
