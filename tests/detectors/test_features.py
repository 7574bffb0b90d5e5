"""What a model is given: the ways that columns take into it."""

from __future__ import annotations

import pytest

from fairlint import check_source
from fairlint.config import Settings

HEAD = """import numpy as np
import pandas as pd
import polars as pl
import torch
import xgboost as xgb
import lightgbm as lgb
import statsmodels.api as sm
import statsmodels.formula.api as smf
from catboost import Pool
from pyspark.ml.feature import VectorAssembler
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, StandardScaler
from torch.utils.data import Dataset, TensorDataset

applicants = pd.read_csv("applicants.csv")
y = applicants["hired"]
model = LogisticRegression()
"""


def told(code: str, *rules: str) -> set[tuple[str, str]]:
    report = check_source(HEAD + code, path="train.py", settings=Settings(min_severity="note"))
    assert not report.not_analysed
    return {(one.rule, one.use.attribute) for one in report.findings if one.rule in (rules or FEATURES)}


FEATURES = ("FL301", "FL302", "FL405")


@pytest.mark.parametrize(
    "code",
    [
        'model.fit(applicants[["tenure", "gender"]], y)',
        'cols = ["tenure"] + ["gender"]\nmodel.fit(applicants[cols], y)',
        'cols = ["gender", "city"]\nenc = OneHotEncoder()\n'
        "codes = pd.DataFrame(enc.fit_transform(applicants[cols]), columns=enc.get_feature_names_out(cols))\n"
        'X = applicants.drop(columns=cols).join(codes)\nmodel.fit(X.drop(columns=["hired"]), y)',
        'cols = [*["tenure"], "gender"]\nmodel.fit(applicants[cols], y)',
        'cols = ["tenure"]\ncols += ["gender"]\nmodel.fit(applicants[cols], y)',
        'cols = ["tenure"]\ncols.append("gender")\nmodel.fit(applicants[cols], y)',
        'cols = ["tenure"]\ncols.extend(["gender", "grade"])\nmodel.fit(applicants[cols], y)',
        'cols = [c for c in ["tenure", "gender", "id"] if c != "id"]\nmodel.fit(applicants[cols], y)',
        'model.fit(applicants.loc[:, ["tenure", "gender"]], y)',
        'model.fit(applicants.loc[applicants.tenure > 2, ["tenure", "gender"]].values, y)',
        'model.fit(applicants.filter(items=["tenure", "gender"]), y)',
        'model.fit(applicants.filter(like="gender"), y)',
        'X = applicants[["tenure", "gender"]]\n'
        'if small:\n    X["tenure"] = 1\nelse:\n    X["gender"] = X["gender"].str.lower()\n'
        "X = X.reindex(columns=load(), fill_value=0)\nmodel.fit(X, y)",
        'model.fit(applicants.filter(regex="^(gender|tenure)"), y)',
        'a, b, c, d = train_test_split(applicants[["tenure", "gender"]], y)\nmodel.fit(a, c)',
        'X = StandardScaler().fit_transform(applicants[["tenure", "gender"]])\nmodel.fit(X, y)',
        'X = np.column_stack([applicants["tenure"], applicants["gender"]])\nmodel.fit(X, y)',
        'X = np.hstack([applicants[["tenure"]], applicants[["gender"]].to_numpy()])\nmodel.fit(X, y)',
        'X = pd.concat([applicants[["tenure"]], applicants[["gender"]]], axis=1)\nmodel.fit(X, y)',
        'X = applicants.rename(columns={"gender": "g"})[["g", "tenure"]]\nmodel.fit(X, y)',
        "rows = [[a.tenure, a.gender] for a in applicants.itertuples()]\nmodel.fit(rows, y)",
        'X = np.c_[applicants["tenure"], applicants["gender"]]\nmodel.fit(X, y)',
        'X = applicants[["tenure", "gender"]]\nfor a, b in folds.split(X, y):\n    model.fit(X[a], y[a])',
        'X = applicants[["tenure", "gender"]]\nfor a, b in folds.split(X, y):\n    model.fit(X.iloc[a], y[a])',
        'LISTS = {"all": ["tenure", "gender"]}\nmodel.fit(applicants[LISTS["all"]], y)',
        'f = "hired ~ " + " + ".join(["tenure", "gender"])\nsmf.ols(f, data=applicants).fit()',
        'model.fit(applicants.loc[:, applicants.columns.isin(["tenure", "gender"])], y)',
        'cols = [c for c in applicants if c.startswith("gender_") or c in ("tenure",)]\nmodel.fit(applicants[cols], y)',
        'xgb.DMatrix(applicants[["tenure", "gender"]], label=y)',
        'lgb.Dataset(applicants[["tenure", "gender"]], y)',
        'Pool(applicants[["tenure"]], y, cat_features=["gender"])',
        'VectorAssembler(inputCols=["tenure", "gender"], outputCol="features")',
        'sm.OLS(y, sm.add_constant(applicants[["tenure", "gender"]])).fit()',
        'smf.ols("hired ~ tenure + C(gender)", data=applicants).fit()',
        'smf.logit(formula="hired ~ tenure * gender", data=applicants).fit()',
        'TensorDataset(torch.tensor(applicants[["tenure", "gender"]].values), torch.tensor(y.values))',
        'cross_val_score(model, applicants[["tenure", "gender"]], y)',
        'ColumnTransformer([("cat", OneHotEncoder(), ["gender"]), ("num", StandardScaler(), ["tenure"])])',
        'def columns(more):\n    names = ["tenure", "gender"]\n'
        '    return ColumnTransformer([("num", StandardScaler(), names)] + more.steps, remainder="passthrough")',
        'make_column_transformer((OneHotEncoder(), ["gender"]), remainder="passthrough")',
        'make_pipeline(StandardScaler(), model).fit(applicants[["tenure", "gender"]], y)',
        'model.predict(pd.DataFrame([{"tenure": 3, "gender": "f"}]))',
        'people = pl.read_csv("a.csv")\nmodel.fit(people.select("tenure", pl.col("gender")), y)',
        'def train(table):\n    model.fit(table, y)\n\ntrain(applicants[["tenure", "gender"]])',
        'def features(table):\n    return table[["tenure", "gender"]]\n\nmodel.fit(features(applicants), y)',
        "class Config:\n    COLUMNS = ['tenure', 'gender']\n\nmodel.fit(applicants[Config.COLUMNS], y)",
        "class T:\n    def __init__(self):\n        self.cols = ['gender', 'grade']\n\n"
        "    def run(self):\n        model.fit(applicants[self.cols], y)",
        "class Loans(Dataset):\n    def __getitem__(self, i):\n        row = self.df.iloc[i]\n"
        "        return torch.tensor([row['tenure'], row['gender']]), row['y']",
        "import river\n\nmodel = compose.Select('tenure', 'gender') | linear_model.LogisticRegression()",
        "def train(more):\n    cols = ['tenure']\n    if more:\n        cols.append('gender')\n"
        "    model.fit(applicants[cols], y)",
        "def train(more):\n    cols = ['tenure']\n    if more:\n        cols = cols + ['gender']\n"
        "    model.fit(applicants[cols], y)",
        "def train(table, cols=None):\n    cols = cols or ['tenure', 'gender']\n    model.fit(table[cols], y)",
        "X = []\nfor a in people:\n    row = [a.tenure]\n    row.append(a.gender)\n    X.append(row)\nmodel.fit(X, y)",
        "X = []\nfor a in people:\n    X.append({'tenure': a.tenure, 'gender': a.gender})\nmodel.fit(pd.DataFrame(X), y)",
        "X = [[a.tenure, a.gender] for a in people if a.tenure]\nmodel.fit(X, y)",
        "def rows(people):\n    for a in people:\n        yield {'tenure': a.tenure, 'gender': a.gender}\n\n"
        "model.fit(list(rows(people)), y)",
        "def rows(people):\n    for a in people:\n        yield {'tenure': a.tenure, 'gender': a.gender}, a.hired\n\n"
        "X, labels = zip(*rows(people))\nmodel.fit(DictVectorizer().fit_transform(X), labels)",
        "X = np.column_stack([applicants.tenure, applicants.gender == 'F'])\nw = np.zeros(2)\n"
        "w -= 0.01 * X.T @ (X @ w - y)",
        "class Net(torch.nn.Module):\n    def forward(self, batch):\n"
        "        return self.head(self.embedding(batch['gender']))",
        "class Job:\n    FEATURES = ('tenure', 'gender')\n\n    def run(self):\n        fit_on(self.FEATURES)",
        "FEATURES = {'gender': tf.io.FixedLenFeature([], tf.string)}",
        "cfg = OmegaConf.create({'columns': ['tenure', 'gender']})\nmodel.fit(applicants[cfg.columns], y)",
        "import dask.dataframe as dd\nX = dd.read_csv('a.csv')[['tenure', 'gender']].to_dask_array(lengths=True)\n"
        "model.fit(X, y)",
    ],
)
def test_a_named_column_is_a_feature(code: str) -> None:
    assert told(code) == {("FL301", "gender")}


@pytest.mark.parametrize(
    "code",
    [
        'X = pd.get_dummies(applicants, columns=["gender"])\nmodel.fit(X.drop(columns=["hired"]), y)',
        'applicants["gender"] = LabelEncoder().fit_transform(applicants["gender"])\n'
        'model.fit(applicants.drop("hired", axis=1), y)',
        'for c in ["gender", "grade"]:\n    applicants[c] = LabelEncoder().fit_transform(applicants[c])\n'
        "X = applicants.drop('hired', axis=1)\nmodel.fit(X, y)",
        'applicants["sex_code"] = applicants["gender"].astype("category").cat.codes\n'
        'applicants = applicants.drop(columns=["gender", "hired"])\nmodel.fit(applicants, y)',
    ],
)
def test_codes_that_stay_are_features(code: str) -> None:
    assert told(code) == {("FL405", "gender")}


@pytest.mark.parametrize(
    "code",
    [
        'print(applicants.groupby("gender").mean())\nmodel.fit(applicants.drop(columns=["hired"]), y)',
        'applicants.plot(x="gender")\nX = applicants.iloc[:, :-1]\nmodel.fit(X, y)',
        'g = applicants["gender"]\nX = applicants[[c for c in applicants.columns if c != "hired"]]\nmodel.fit(X, y)',
        'g = applicants.gender.value_counts()\ny = applicants.pop("hired")\nmodel.fit(applicants, y)',
        'g = applicants.gender\nX = applicants[applicants.columns.difference(["hired"])]\nmodel.fit(X, y)',
        'print(applicants[["gender", "tenure"]])\nmodel.fit(applicants.drop(columns=["hired"]), y)',
        "import h2o\nmodel = h2o.estimators.H2OXGBoostEstimator()\n"
        'hf = h2o.import_file("a.csv")\nhf["gender"].table()\n'
        'names = hf.columns\nnames.remove("hired")\nmodel.train(x=names, training_frame=hf)',
    ],
)
def test_what_nobody_took_out_is_told_as_a_note(code: str) -> None:
    assert told(code) == {("FL302", "gender")}


@pytest.mark.parametrize(
    "code",
    [
        'print(applicants.groupby("gender").mean())\nmodel.fit(applicants[["tenure", "grade"]], y)',
        'A = applicants[["gender", "race"]]\nX = applicants.drop(columns=["gender", "race", "hired"])\nmodel.fit(X, y)',
        'drop = ["gender"]\nX = applicants.drop(columns=drop + ["hired"])\nX["gender"] if False else None\nmodel.fit(X, y)',
        'PROTECTED = ["gender", "race"]\nX = applicants[[c for c in applicants.columns if c not in PROTECTED]]\nmodel.fit(X, y)',
        'X_train, X_test = train_test_split(applicants[["tenure"]], stratify=applicants["gender"])\nmodel.fit(X_train, y)',
        'model.fit(applicants[["tenure"]], applicants["gender"])',
        'sensitive_features = ["gender", "race"]\nmodel.fit(applicants[["tenure"]], y)',
        'cols = ["tenure", "gender"]\ncols.remove("gender")\nmodel.fit(applicants[cols], y)',
        'smf.ols("hired ~ tenure - gender", data=applicants).fit()',
        'model.fit(pd.read_csv("houses.csv")[["age", "sqft", "bedrooms"]], y)',
        "tree = cache.fit(entries, age=3)",
        "import dowhy\n\ncovariates = ['tenure', 'gender']",
        "X = applicants[['gender', 'tenure']].to_numpy()\nspread = X.T @ X",
        "class Net(torch.nn.Module):\n    def forward(self, batch):\n        self.log('n', batch['gender'])",
        "names = []\nfor a in people:\n    names.append([a.tenure, a.gender])\nmodel.fit(applicants[['tenure']], y)",
        'X = pd.get_dummies(applicants, columns=["gender"])\nX = X[[c for c in ["gender"] if c in X.columns]]\n'
        "model.fit(X, y)",
        'applicants["gender"] = LabelEncoder().fit_transform(applicants["gender"])\n'
        'X = applicants.drop(columns=["gender", "hired"])\nmodel.fit(X, y)',
        'X = pd.get_dummies(applicants, columns=["gender", "city"])\n'
        'X = X.drop(["gender_Female", "gender_Male"], axis=1)\nmodel.fit(X.drop("hired", axis=1), y)',
        'X = pd.get_dummies(applicants, columns=["gender", "city"])\nmodel.fit(X[["tenure"]], y)',
    ],
)
def test_what_is_set_aside_is_no_feature(code: str) -> None:
    assert told(code) == set()


@pytest.mark.parametrize(
    "code",
    [
        "def rate(record):\n    import joblib\n    row = [[record['gender'], record['tenure']]]\n    return joblib.load('m').predict(row)\n",
        "def rate(record):\n    row = pd.DataFrame([record])[['gender', 'tenure']]\n    return forest.predict(row)\n",
        "def rate(applicant):\n    return model.predict_proba([[applicant.gender, applicant.tenure]])\n",
    ],
)  # fmt: skip
def test_a_library_may_be_imported_in_a_function_or_not_in_this_piece(code: str) -> None:
    report = check_source(code, path="rate.py", settings=Settings(min_severity="note"))
    assert ("FL301", "gender") in {(one.rule, one.use.attribute) for one in report.findings}


def test_names_that_the_file_gives_itself_are_no_library() -> None:
    code = "from ours import pd\ndef rate(record):\n    row = pd.DataFrame([record])[['gender', 'tenure']]\n    return forest.predict(row)\n"
    report = check_source(code, path="rate.py", settings=Settings(min_severity="note"))
    assert not report.findings


def test_the_flow_leads_from_the_column_to_the_model() -> None:
    code = 'cols = ["tenure", "gender"]\nX = applicants[cols]\nmodel.fit(X, y)\n'
    report = check_source(HEAD + code, path="train.py")
    (finding,) = [one for one in report.findings if one.rule == "FL301"]
    first = HEAD.count("\n") + 1
    assert [step.start.line for step in finding.flow] == [first, first + 1, first + 2]
    assert "`model.fit`" in finding.message


@pytest.mark.parametrize("name", ["fetch_openml('adult')", "pd.read_csv('data/adult.data')"])
def test_known_data_sets_are_recognised(name: str) -> None:
    code = f"data = {name}\nprint(data['race'].nunique())\nmodel.fit(data.drop(columns=['income']), y)"
    found = {attribute for rule, attribute in told(code) if rule == "FL302"}
    assert {"gender", "race", "age", "marital_status"} <= found


def test_a_variable_of_another_function_is_another_table() -> None:
    code = """
def first():
    data = load_staff()
    return data.exog[["tenure", "age"]].mean()
def second(gender):
    data = {}()
    data.exog = sm.add_constant(data.exog)
    sm.Logit(data.endog, data.exog).fit()
"""
    assert told(code.format("load_staff")) == {("FL302", "age")}
    assert told(code.format("load_towns")) == set()


STEPS = """
from sklearn.base import BaseEstimator, TransformerMixin


class {name}(BaseEstimator, TransformerMixin):
    def __init__(self, columns=None):
        self.columns = columns

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        X = X.copy()
        {body}
        return X
"""


@pytest.mark.parametrize(
    ("name", "body", "used", "expected"),
    [
        ("Adds", 'X["senior"] = X["age"] - X["tenure"]', "", {("FL301", "age")}),
        (
            "Adds",
            'if "age" in X:\n            X["senior"] = X["age"] - X["tenure"]\n'
            '        else:\n            X["senior"] = np.nan',
            "",
            {("FL301", "age")},
        ),
        ("Adds", 'X["rate"] = X["pay"] / X["tenure"]', "", set()),
        ("Chooses", "X = X[self.columns]", 'Chooses(["tenure", "gender"])', {("FL301", "gender")}),
        ("Drops", "X = X.drop(columns=self.columns)", 'Drops(["tenure", "gender"])', set()),
        ("Chooses", "X = X[self.columns]", 'Chooses(["tenure", "grade"])', set()),
    ],
)
def test_a_step_of_ones_own_is_what_a_model_gets(
    name: str, body: str, used: str, expected: set[tuple[str, str]]
) -> None:
    assert told(f"{STEPS.format(name=name, body=body)}\n\n{used}\n") == expected


def test_a_column_that_one_branch_leaves_empty_is_told_where_it_is_made() -> None:
    body = (
        'if "age" in X:\n            X["senior"] = X["age"] - X["tenure"]\n'
        '        else:\n            X["senior"] = np.nan'
    )
    code = HEAD + STEPS.format(name="Adds", body=body)
    found = [one for one in check_source(code, path="train.py").findings if one.rule == "FL301"]
    assert ["age" in code.splitlines()[one.start.line - 1] for one in found] == [True]


def test_a_model_of_ones_own_is_taught() -> None:
    own = """
class Line:
    def fit(self, X, y):
        self.slope = np.linalg.lstsq(X, y)[0]
        return self

line = Line()
"""
    assert told(f'{own}line.fit(applicants[["tenure", "gender"]], y)') == {("FL301", "gender")}
    assert told(f'{own}line.fit(applicants[["tenure", "grade"]], y)') == set()


@pytest.mark.parametrize(
    "config",
    [
        'class Config:\n    FEATURES = ["tenure", "gender"]\n',
        "from dataclasses import dataclass, field\n\n\n@dataclass\nclass Config:\n"
        '    FEATURES: list = field(default_factory=lambda: ["tenure", "gender"])\n',
    ],
)
def test_columns_in_a_config_that_a_trainer_keeps_reach_the_model(config: str) -> None:
    trainer = """
class Trainer:
    def __init__(self, config: Config):
        self.config = config

    def teach(self, people):
        model.fit(people[self.config.FEATURES], people["hired"])
"""
    found = check_source(f"{HEAD}\n{config}\n{trainer}", path="train.py").findings
    told_of = [one for one in found if one.rule == "FL301"]
    assert {one.use.attribute for one in told_of} == {"gender"}
    assert "model.fit" in told_of[0].message


def test_the_input_of_a_model_is_what_it_was_made_of() -> None:
    code = """
X_gender = applicants["gender"].values
X_tenure = applicants["tenure"].values
model.fit({"first": X_gender, "second": X_tenure}, y)
"""
    assert told(code) == {("FL301", "gender")}


ELSEWHERE = """import pandas as pd
import torch
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('return StandardScaler().fit_transform(people[["income", "gender"]])', {"gender"}),
        (
            'names = ["gender", "city"]\n    people[names] = OrdinalEncoder().fit_transform(people[names])\n'
            "    return people",
            {"gender"},
        ),
        ('return pd.get_dummies(people, columns=["gender", "city"])', {"gender"}),
        ('return torch.tensor(people[["income", "gender"]].values)', {"gender"}),
        ('return torch.tensor(people[["gender"]].values)', set()),
        ('return torch.tensor(people[["gender", "race"]].values)', {"gender", "race"}),
        (
            'groups = ["gender", "race"]\n    kept = people.drop(columns=groups)\n'
            "    return kept, torch.tensor(people[groups].values)",
            set(),
        ),
        ('return StandardScaler().fit_transform(people[["gender"]])', set()),
        ('return StandardScaler().fit_transform(people[["income", "tenure"]])', set()),
        ('return StandardScaler().fit_transform(people.drop(columns=["gender"]))', set()),
        ('return people[["income", "gender"]]', set()),
    ],
)
def test_columns_that_are_prepared_together_are_what_a_model_elsewhere_gets(
    body: str, expected: set[str]
) -> None:
    found = check_source(f"{ELSEWHERE}\n\ndef prepared(people):\n    {body}\n").findings
    assert {one.use.attribute for one in found if one.rule == "FL301"} == expected


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ('{"features": {"numeric": ["tenure"], "categorical": ["gender"]}}', {"gender"}),
        ('{"model": {"features": ["tenure", "gender"]}, "target": "hired"}', {"gender"}),
        ('{"features": {"drop": ["gender"]}}', set()),
        ('{"audit": {"features": ["gender"]}}', set()),
        ('{"labels": ["gender"]}', set()),
        ('{"features": {"relation": ["friend", "spouse"], "gender": ["M", "F"]}}', set()),
    ],
)
def test_lists_of_features_are_found_in_a_configuration(config: str, expected: set[str]) -> None:
    head = "from sklearn.linear_model import LogisticRegression\n"
    found = check_source(f"{head}CONFIG = {config}\n").findings
    assert {one.use.attribute for one in found if one.rule == "FL301"} == expected


def test_a_transformer_of_columns_learns_about_nobody() -> None:
    code = """
columns = ColumnTransformer([("codes", OneHotEncoder(), ["city"])])
columns.fit(applicants[applicants["age"] > 30])
"""
    report = check_source(HEAD + code)
    assert [one.rule for one in report.findings if one.rule == "FL304"] == []


def test_a_column_is_not_made_of_the_row_that_is_asked_for_its_name() -> None:
    code = """
import pandas as pd
from flask import request

def predict(model):
    data = request.get_json()
    row = {
        "Age": int(data.get("age", 30)),
        "Gender": data.get("gender"),
        "OverTime": data.get("overtime", "No"),
    }
    codes = {"Gender": {"Male": 1, "Female": 0}, "OverTime": {"Yes": 1, "No": 0}, "Over18": {"Y": 1}}
    for key in codes:
        if key in row:
            row[key] = codes[key].get(row[key], 0)
    return model.predict(pd.DataFrame([row]))[0]
"""
    findings = [one for one in check_source(code, path="app/serve.py").findings if one.rule == "FL301"]
    assert sorted(one.message.rpartition("column ")[2] for one in findings) == ["`Age`", "`Gender`"]


@pytest.mark.parametrize(
    "code",
    [
        'wanted = ["tenure", "gender"]\nmodel.fit(applicants[[c for c in applicants.columns if c in wanted]], y)',
        "def is_told(name):\n    return 'gender_' in name or name == 'tenure'\n\n"
        "cols = [c for c in applicants.columns if is_told(c)]\nmodel.fit(applicants[cols], y)",
        'model.fit(DictVectorizer().fit_transform(applicants[["tenure", "gender"]].to_dict("records")), y)',
        'def taught(table):\n    return model.fit(table, y)\n\ntaught(table=applicants[["tenure", "gender"]])',
        "def asked(rows):\n    return model.predict(rows)\n\n"
        'def asks(form):\n    return asked(rows=[[form["tenure"], form["gender"]]])',
    ],
)
def test_columns_are_followed_through_tests_of_names_records_and_keywords(code: str) -> None:
    head = "from sklearn.feature_extraction import DictVectorizer\n"
    assert told(head + code, "FL301") == {("FL301", "gender")}


def test_columns_that_a_test_of_names_keeps_out_are_none() -> None:
    code = 'kept_out = ["gender"]\nmodel.fit(applicants[[c for c in applicants.columns if c not in kept_out]], y)'
    assert told(code, "FL301") == set()


def test_a_list_of_features_that_are_dropped_lists_none() -> None:
    code = 'extra_features = ["gender", "tenure"]\nmodel.fit(applicants.drop(extra_features, axis=1), y)'
    assert told(code, "FL301") == set()


def test_the_code_of_a_group_is_no_outcome_whatever_its_table_is_called() -> None:
    code = 'bail["Gender"] = np.where(bail["Gender"] == "male", 0, 1)\n'
    assert told(f"bail = pd.read_csv('bail.csv')\n{code}", "FL101", "FL402") == {("FL402", "gender")}


@pytest.mark.parametrize(
    "steps",
    [
        "rich = table[table['pay'] <= limit]\n"
        "rich = pd.concat([rich, pd.get_dummies(rich['city'], prefix='city')], axis=1).drop(['city'], axis=1)\n",
        "table['gender'] = np.where(table['sex_at_birth'] == 'F', 'F', table['gender'])\n"
        "rich = pd.concat([table, pd.get_dummies(table['gender'])], axis=1).drop(['gender'], axis=1)\n",
    ],
)
def test_codes_stay_in_a_table_that_is_put_together_again(steps: str) -> None:
    code = "table = applicants\ntable['gender'] = np.where(table['gender'] == 'M', 0, 1)\n"
    assert ("FL405", "gender") in told(f"{code}{steps}model.fit(rich.drop(['hired'], axis=1), y)", "FL405")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CATEGORICAL_FEATURES", {"gender"}),
        ("FEATURE_COLUMNS", {"gender"}),
        ("FEATURES", set()),
        ("COLUMNS", set()),
    ],
)
def test_a_module_of_constants_says_by_a_list_what_a_model_elsewhere_gets(
    name: str, expected: set[str]
) -> None:
    found = check_source(f'{name} = ["tenure", "gender"]\n').findings
    assert {one.use.attribute for one in found if one.rule == "FL301"} == expected


CHOOSER = """
import pandas as pd


class Insurance:
    def {method}(self, people):
        cols_selected = ["premium", "tenure", "gender"]
        return people[cols_selected]

    def prediction(self, model, rows):
        return {answer}
"""


@pytest.mark.parametrize(
    ("method", "answer", "expected"),
    [
        ("data_preparation", "model.predict_proba(rows)", ["gender"]),
        ("feature_selection", "model.predict(rows)", ["gender"]),
        ("shown", "model.predict(rows)", []),
        ("feature_selection", "len(rows)", []),
    ],
)
def test_columns_that_a_class_chooses_reach_the_model_that_it_asks(
    method: str, answer: str, expected: list[str]
) -> None:
    found = check_source(CHOOSER.format(method=method, answer=answer)).findings
    assert [one.use.attribute for one in found if one.rule == "FL301"] == expected


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        (
            'codes = OneHotEncoder().fit_transform(applicants[["gender"]]).toarray()\n'
            'model.fit(np.hstack([codes, applicants[["tenure"]].values]), y)',
            "FL301",
        ),
        (
            'applicants.replace({"gender": {"male": 0, "female": 1}}, inplace=True)\n'
            'model.fit(applicants.drop(columns="hired"), y)',
            "FL405",
        ),
        (
            'names = [one for one in applicants.columns if one not in ["hired"]]\n'
            'applicants["gender"] = applicants["gender"].astype("category").cat.codes\n'
            "model.fit(applicants[names], y)",
            "FL405",
        ),
        (
            "X_tenure, X_gender = applicants['tenure'].values, applicants['gender'].values\n"
            "parts = train_test_split(X_tenure, X_gender, y, test_size=0.2)",
            "FL301",
        ),
    ],
)
def test_codes_are_followed_into_arrays_and_tables(code: str, rule: str) -> None:
    assert (rule, "gender") in told(code, rule)


def test_a_group_that_is_split_beside_features_and_labels_is_no_feature() -> None:
    code = "parts = train_test_split(applicants[['tenure']], y, applicants['gender'], test_size=0.2)"
    assert told(code, "FL301") == set()


def test_rows_that_are_posted_to_a_model_have_the_columns_of_their_table() -> None:
    code = """
rows = {"records": applicants[["tenure", "gender"]].to_dict(orient="records")}
requests.post(f"{API}/predict", json=rows)
"""
    assert told(f"import requests\n{code}", "FL301") == {("FL301", "gender")}


ADOPTED = 'X = table[["Name", "Age", "Gender", "Breed1", "Dewormed", "Fee"]]\nmodel.fit(X, table["AdoptionSpeed"])\n'
RENTED = 'X = table[["income", "Age", "Gender", "has_pets"]]\nmodel.fit(X, table["approved"])\n'


def test_a_model_of_animals_is_no_model_of_people() -> None:
    head = HEAD.partition("applicants")[0] + 'table = pd.read_csv("rows.csv")\nmodel = LogisticRegression()\n'
    assert check_source(head + ADOPTED, path="train.py").findings == ()
    found = check_source(head + RENTED, path="train.py").findings
    assert {one.use.attribute for one in found if one.rule == "FL301"} == {"age", "gender"}


def test_two_spellings_of_a_column_are_one_of_a_data_set() -> None:
    shelter = "\n".join(f'print(table["{name}"])' for name in ("Name", "name"))
    code = f'{shelter}\nmodel.fit(table[["Age", "size"]], table["outcome"])\n'
    head = HEAD.partition("applicants")[0] + 'table = pd.read_csv("rows.csv")\nmodel = LogisticRegression()\n'
    found = check_source(head + code, path="train.py", settings=Settings(min_severity="note")).findings
    assert not any("titanic" in reason.reason for one in found for reason in one.use.evidence)


@pytest.mark.parametrize("column", ["Age_Above_FourtyFive", "Age_Below_TwentyFive", "Year_Birth"])
def test_a_column_of_a_published_table_is_known(column: str) -> None:
    assert told(f'model.fit(applicants[["{column}", "tenure"]], y)', "FL301") == {("FL301", "age")}


DRAWN = """
def create_model():
    people = {}
    people["extra"] = np.random.randint(20, 35, len(people))
    model.fit(people[["gender", "extra"]], y)
"""


def test_rows_that_are_read_are_not_made_up() -> None:
    made = 'pd.DataFrame({"gender": np.random.choice(["f", "m"], 100)})'
    for rows, context in (('pd.read_csv("people.csv")', ""), (made, "simulation")):
        found = check_source(
            HEAD + DRAWN.format(rows), path="train.py", settings=Settings(min_severity="note")
        )
        assert {one.lowered_by for one in found.findings if one.rule == "FL301"} == {context}


def test_the_model_is_named_and_not_what_splits_the_rows() -> None:
    code = """\
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

people = pd.read_csv("people.csv")
train, test, y, kept = train_test_split(people[["income", "gender"]], people["approved"])
judge = SVC()
judge.fit(train, y)
"""
    (told,) = (one for one in check_source(code).findings if one.rule == "FL301")
    assert told.message == "gender is a feature of `judge.fit`: the column `gender`"


def test_a_table_is_no_model() -> None:
    code = """\
import pandas as pd
from sklearn.preprocessing import StandardScaler


def prepare(df):
    df = pd.get_dummies(df, columns=["religion", "gender"])
    scaler = StandardScaler()
    df[["age", "income"]] = scaler.fit_transform(df[["age", "income"]])
    return df
"""
    (told,) = (one for one in check_source(code).findings if one.use.attribute == "religion")
    assert told.message == "religion is a feature of a model: the column `religion`"
