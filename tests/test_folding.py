"""One problem is one finding: its other places stand beside it."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from fairlint import check_paths, check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding
from fairlint.findings.report import Report
from fairlint.reporters import ReportOptions, concise, sarif, text
from fairlint.reporters import json as json_format

MASKS = """
import pandas as pd

def rates(people):
    people.loc[people["gender"] == "female", "premium"] = 0.14
    people.loc[people["gender"] == "male", "premium"] = 0.3
    return people
"""
APART = """
def admit(applicant):
    if applicant.gender == "female":
        return "reject"
    return "accept"

def hire(applicant):
    if applicant.gender == "female":
        return "reject"
    return "accept"
"""
SCORES = """
def rate(applicant):
    score = 0
    if applicant.gender == "female":
        score += 2
    score += applicant.years
    if applicant.gender == "female" and applicant.years > 3:
        score += 4
    return score
"""


def findings(code: str) -> list[Finding]:
    return list(check_source(textwrap.dedent(code), path="rates.py").findings)


def lines(code: str) -> list[tuple[int, list[int]]]:
    return [(one.start.line, [place.start.line for place in one.places]) for one in findings(code)]


def test_a_table_that_is_written_row_by_row_is_one_finding() -> None:
    assert lines(MASKS) == [(5, [6])]
    (finding,) = findings(MASKS)
    assert finding.places[0].message.startswith("also here: ")


def test_a_mask_for_each_group_is_one_finding() -> None:
    added = MASKS.replace("] = 0.14", "] += 14").replace("] = 0.3", "] -= 3")
    assert lines(added) == [(5, [6])]
    (finding,) = findings(added)
    assert "male -3" in finding.places[0].message
    other = added.replace('== "male", "premium"', '== "male", "years"').replace("years", "score")
    assert lines(other) == [(5, []), (6, [])]


def test_a_column_that_is_named_once_is_told_once() -> None:
    code = """
import csv
import numpy as np
from sklearn.model_selection import train_test_split

X, y = [], []
with open("people.csv") as file:
    for row in csv.DictReader(file):
        features = [float(row["income"]), float(row["age"])]
        X.append(features)
        y.append(int(row["paid"]))
X_train, X_test, y_train, y_test = train_test_split(np.array(X), np.array(y))
"""
    assert lines(code) == [(9, [])]


def test_different_points_are_different_findings() -> None:
    assert lines(SCORES) == [(4, []), (7, [])]


def test_what_stands_in_another_function_is_another_finding() -> None:
    assert lines(APART) == [(3, []), (8, [])]


def notebook(code: str) -> str:
    cell = {"cell_type": "code", "source": code.splitlines(keepends=True), "metadata": {}, "outputs": []}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def told(report: Report) -> tuple[str, str, str, str]:
    options = ReportOptions()
    return (
        "".join(text.report(report, options)),
        "".join(concise.report(report, options)),
        "".join(json_format.report(report, options)),
        "".join(sarif.report(report, options)),
    )


def test_every_format_names_the_places() -> None:
    report = check_source(MASKS, path="rates.py")
    long, short, plain, log = told(report)
    assert "also at: rates.py:6" in long
    assert "(and at 1 more place)" in short
    steps = json.loads(plain)["findings"][0]["flow"]
    assert [step["line"] for step in steps if step["also"]] == [6]
    (result,) = json.loads(log)["runs"][0]["results"]
    assert result["properties"]["attributes"] == ["gender"]
    assert "The same problem: [also here: " in result["message"]["text"]
    lines_of_code_flow = [
        step["location"]["physicalLocation"]["region"]["startLine"]
        for step in result["codeFlows"][0]["threadFlows"][0]["locations"]
    ]
    assert 6 not in lines_of_code_flow
    related = [place["physicalLocation"]["region"]["startLine"] for place in result["relatedLocations"]]
    assert 6 in related


def test_a_notebook_and_its_script_are_told_once(tmp_path: Path) -> None:
    (tmp_path / "rate.py").write_text(APART)
    (tmp_path / "rate.ipynb").write_text(notebook(APART))
    (tmp_path / "other.ipynb").write_text(notebook(APART))
    report = check_paths([tmp_path], Settings(root=tmp_path))
    assert [(Path(one.path).name, len(one.places)) for one in report.findings] == [
        ("other.ipynb", 0),
        ("other.ipynb", 0),
        ("rate.py", 1),
        ("rate.py", 1),
    ]
    assert [Path(place.path).name for one in report.findings for place in one.places] == ["rate.ipynb"] * 2


ONE_MODEL = """
import joblib
import pandas as pd

model = joblib.load("model.pkl")
COLUMNS = ["income", "gender_female", "gender_male", "tenure"]


def price(form):
    row = {column: 0 for column in COLUMNS}
    row["income"] = form["income"]
    row["tenure"] = form["tenure"]
    row[f"gender_{form['gender']}"] = 1
    return model.predict(pd.DataFrame([row]))[0]
"""
NOTEBOOK = """
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import LabelEncoder

people = pd.read_csv("people.csv")
people["marital_status"] = LabelEncoder().fit_transform(people["marital_status"])
LogisticRegression().fit(people[["tenure", "gender"]], people["hired"])
print(people.describe())
print(people.head())
print(people.shape)
print(people.dtypes)
people = pd.read_csv("others.csv")
people["marital_status"] = LabelEncoder().fit_transform(people["marital_status"])
LogisticRegression().fit(people[["gender", "grade"]], people["hired"])
"""


def test_what_one_model_is_given_is_one_finding_wherever_it_is_named() -> None:
    assert lines(ONE_MODEL) == [(6, [6, 13])]


def test_a_column_that_a_script_teaches_or_codes_again_is_told_once() -> None:
    found = [
        (one.rule, one.start.line, [place.start.line for place in one.places]) for one in findings(NOTEBOOK)
    ]
    assert found == [("FL401", 7, [14]), ("FL301", 8, [15])]


ONE_PROGRAM = """
import joblib
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, StandardScaler


def prepared():
    return ColumnTransformer([("all", OneHotEncoder(), ["tenure", "gender"])])


def train():
    people = pd.read_csv("people.csv")
    X = people[["tenure", "gender"]]
    X_train, X_test, y_train, y_test = train_test_split(X, people["hired"])


def answer(gender, tenure):
    model = joblib.load("model.pkl")
    return model.predict(pd.DataFrame([{"gender": gender, "tenure": tenure}]))
"""
TWO_FRAMES = """
import lightgbm as lgb
import pandas as pd
from sklearn.preprocessing import LabelEncoder

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
train["Sex"] = LabelEncoder().fit_transform(train["Sex"])
test["Sex"] = LabelEncoder().fit_transform(test["Sex"])
model = lgb.LGBMClassifier()
model.fit(train.drop(columns=["hired"]), train["hired"])
model.predict(test.drop(columns=["hired"]))
"""
TWO_MODELS = """
import pandas as pd
from sklearn.linear_model import LogisticRegression


def hiring():
    people = pd.read_csv("people.csv")
    LogisticRegression().fit(people[["tenure", "gender"]], people["hired"])


def leaving():
    staff = pd.read_csv("staff.csv")
    LogisticRegression().fit(staff[["tenure", "gender"]], staff["left"])
"""
ONE_CLASS = """
import joblib
import pandas as pd


class Churn:
    def __init__(self):
        self.model = joblib.load("model.pkl")

    def one(self, gender, tenure):
        return self.model.predict(pd.DataFrame([{"gender": gender, "tenure": tenure}]))

    def many(self, gender, tenure):
        row = {"tenure": tenure, "gender_female": gender == "female"}
        return self.model.predict(pd.DataFrame([row]))
"""
IMPUTED = """
from sklearn.impute import SimpleImputer

imputer = SimpleImputer(strategy="most_frequent")
train = imputer.fit_transform(X_train[["marital_status", "city"]])
test = imputer.transform(X_test[["marital_status", "city"]])
"""


TWO_COLUMNS = """
from sklearn.impute import SimpleImputer

imputer = SimpleImputer(strategy="most_frequent")
own = imputer.fit_transform(X_train[["has_hiv", "city"]])
other = imputer.fit_transform(X_train[["has_diabetes", "city"]])
"""


def of_features(code: str) -> list[tuple[str, int, list[int]]]:
    return [
        (one.rule, one.start.line, [place.start.line for place in one.places])
        for one in sorted(findings(code), key=lambda one: (one.start.line, one.rule))
        if one.rule in {"FL301", "FL404", "FL405"}
    ]


def test_a_column_that_one_file_trains_on_and_asks_about_is_one_finding() -> None:
    assert of_features(ONE_PROGRAM) == [("FL301", 11, [16, 22])]
    assert of_features(TWO_FRAMES) == [("FL405", 7, [8])]
    assert of_features(ONE_CLASS) == [("FL301", 11, [14])]
    assert of_features(IMPUTED) == [("FL301", 5, [6]), ("FL404", 5, [6])]


def test_two_models_are_two_findings() -> None:
    assert [one for one in of_features(TWO_COLUMNS) if one[0] == "FL404"] == [
        ("FL404", 5, []),
        ("FL404", 6, []),
    ]
    assert of_features(TWO_MODELS) == [("FL301", 8, []), ("FL301", 13, [])]


LISTS = """
from sklearn.base import BaseEstimator

CATEGORICAL_FEATURES = ["gender", "city"]


class Columns(BaseEstimator):
    def __init__(self):
        self.columns = CATEGORICAL_FEATURES
"""


def test_a_list_for_other_files_is_a_place_of_the_program_that_it_is_for(tmp_path: Path) -> None:
    for name in ("training/model.py", "service/model.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(LISTS)
    (tmp_path / "service/schemas.py").write_text('FEATURE_COLUMNS = ["city", "gender", "tenure"]\n')
    told = check_paths([str(tmp_path)], Settings(root=tmp_path)).findings
    assert [(Path(one.path).parent.name, len(one.places)) for one in told] == [
        ("service", 1),
        ("training", 0),
    ]
    (tmp_path / "service/model.py").unlink()
    told = check_paths([str(tmp_path)], Settings(root=tmp_path)).findings
    assert [(Path(one.path).name, len(one.places)) for one in told] == [("schemas.py", 0), ("model.py", 0)]


CLIENT = """
import requests
import streamlit as st

gender = st.selectbox("Gender", ["m", "f"])
income = st.number_input("Income")
requests.post("http://localhost:8000/predict", json={"Gender": gender, "Income": income})
"""
SERVICE = """
import joblib
import pandas as pd
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()
model = joblib.load("model.pkl")

class Loan(BaseModel):
    gender: str
    income: float

@app.post("/predict")
def predict(loan: Loan):
    return model.predict(pd.DataFrame([loan.dict()]))
"""


def test_what_a_client_sends_is_a_place_of_the_service_that_predicts(tmp_path: Path) -> None:
    (tmp_path / "client.py").write_text(CLIENT)
    alone = check_paths([str(tmp_path)], Settings()).findings
    assert [Path(one.path).name for one in alone] == ["client.py"]
    (tmp_path / "service.py").write_text(SERVICE)
    (tmp_path / "other.py").write_text(CLIENT.replace('"Gender":', '"Sex":'))
    (finding,) = check_paths([str(tmp_path)], Settings()).findings
    assert Path(finding.path).name == "service.py"
    assert [Path(place.path).name for place in finding.places] == ["client.py", "other.py"]


SCORER = """
import joblib
import pandas as pd

class LoanScorer:
    def __init__(self):
        self.model = joblib.load("model.pkl")
        self.columns = ["Income", "Gender", "Dependents"]

    def predict_risk(self, record):
        frame = pd.DataFrame([{name: record.get(name, 0) for name in self.columns}])
        frame = frame[self.columns]
        return self.model.predict_proba(frame)[:, 1]
"""
CALLER = """
from scoring import {name}

def rate(request):
    record = {{"Income": request.income, {keys}}}
    return {name}.predict_risk(record)
"""


@pytest.mark.parametrize(
    ("keys", "name", "told"),
    [
        ('"Gender": request.gender', "loan_scorer", {"scoring.py"}),
        ('"Gender": request.gender, "num_dependents": request.children', "scorer", {"scoring.py"}),
        ('"Gender": request.gender', "churn_model", {"scoring.py", "caller.py"}),
    ],
)
def test_what_a_caller_hands_to_a_service_is_told_at_its_model(
    keys: str, name: str, told: set[str], tmp_path: Path
) -> None:
    (tmp_path / "scoring.py").write_text(SCORER)
    (tmp_path / "caller.py").write_text(CALLER.format(keys=keys, name=name))
    found = check_paths([str(tmp_path)], Settings(root=tmp_path)).findings
    assert {Path(one.path).name for one in found} == told
    assert not any("num_dependents" in step.message for one in found for step in one.flow)


def test_a_raw_value_that_goes_through_a_helper_is_one_finding() -> None:
    code = """
def part(age, low):
    if age < low:
        return 1.0 - (low - age) * 0.1
    return 1.0

def score(user, product):
    score = user.income
    age_part = part(user.age, product.low)
    score += age_part * 3
    return score
"""
    assert len([one for one in findings(code) if one.rule == "FL205"]) == 1
