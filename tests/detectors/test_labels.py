"""Labels, weights and rows that a model learns from: which depend on a group, and which only clean up."""

from __future__ import annotations

import textwrap

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
    return {(one.rule, one.use.attribute) for one in report.findings if one.rule in rules}


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (
            "model.fit(applicants[['tenure']], applicants['age'] < 40)",
            "FL303: The label that `model.fit` learns depends on age: under 40 = 1, 40 and over = 0",
        ),
        (
            "kept = applicants[applicants.gender == 'M']\nmodel.fit(kept[['tenure']], kept['hired'])",
            "FL304: Rows are chosen by gender before `model.fit` learns: male → kept, female → left out",
        ),
        (
            "w = applicants['gender'].map({'F': 0.5, 'M': 1.0})\n"
            "model.fit(applicants[['tenure']], y, sample_weight=w)",
            "FL305: The weights that `model.fit` is given depend on gender: male = 1, female = 0.5",
        ),
    ],
)
def test_what_is_told_names_the_call_and_what_each_group_gets(code: str, says: str) -> None:
    report = check_source(HEAD + code, path="train.py", settings=Settings(min_severity="note"))
    (found,) = [one for one in report.findings if one.rule in {"FL303", "FL304", "FL305"}]
    assert f"{found.rule}: {found.message}" == says
    assert found.start.line == HEAD.count("\n") + 1
    assert found.flow[-1].start.line == HEAD.count("\n") + 1 + code.count("\n")


@pytest.mark.parametrize(
    "code",
    [
        "kept = applicants[applicants.tenure > 2]\nmodel.fit(kept[['tenure']], kept['hired'])",
        "model.fit(applicants[['tenure']], applicants['tenure'] < 40)",
        "w = applicants['gender'].map({'F': 1.0, 'M': 1.0})\n"
        "model.fit(applicants[['tenure']], y, sample_weight=w)",
    ],
)
def test_what_is_the_same_for_all_groups_is_silent(code: str) -> None:
    assert told(code, "FL303", "FL304", "FL305", "FL306") == set()


def test_where_all_codes_are_kept_nobody_is_left_out() -> None:
    code = "kept = applicants[applicants.sex.isin([{codes}])]\nmodel.fit(kept[['tenure']], kept['hired'])"
    assert told(code.format(codes="1, 2"), "FL304") == set()
    assert told(code.format(codes="1"), "FL304") == {("FL304", "gender")}


@pytest.mark.parametrize(
    ("code", "rule", "attribute"),
    [
        ('model.fit(applicants[["tenure"]], applicants["age"] < 40)', "FL303", "age"),
        (
            'y2 = np.where(applicants["gender"] == "F", 0, y)\nmodel.fit(applicants[["tenure"]], y2)',
            "FL303",
            "gender",
        ),
        (
            'applicants["approved"] = applicants["race"].map({"white": 1, "black": 0})\n'
            'model.fit(applicants[["tenure"]], applicants["approved"])',
            "FL303",
            "race",
        ),
        (
            'applicants["label"] = applicants["race"].map({"white": 1, "black": 0})\n'
            'model.fit(applicants[["tenure"]], applicants["label"])',
            "FL306",
            "race",
        ),
        (
            'kept = applicants[applicants.gender == "M"]\nmodel.fit(kept[["tenure"]], kept["hired"])',
            "FL304",
            "gender",
        ),
        ('kept = applicants.query("age < 40")\nmodel.fit(kept[["tenure"]], kept["hired"])', "FL304", "age"),
        (
            'applicants = applicants[applicants["race"].isin(["White", "Black"])]\n'
            'model.fit(applicants[["tenure"]], applicants["hired"])',
            "FL304",
            "race",
        ),
        (
            'w = np.where(applicants["gender"] == "F", 0.5, 1.0)\nmodel.fit(applicants[["tenure"]], y, sample_weight=w)',
            "FL305",
            "gender",
        ),
        (
            'applicants["w"] = 1.0\napplicants.loc[applicants["gender"] == "F", "w"] = 0.5\n'
            'model.fit(applicants[["tenure"]], y, sample_weight=applicants["w"])',
            "FL305",
            "gender",
        ),
        (
            'kept = applicants.loc[lambda a: a["race"] != "Black"]\nmodel.fit(kept[["tenure"]], kept["hired"])',
            "FL304",
            "race",
        ),
        (
            'kept = pl.read_csv("a.csv").filter(pl.col("race") == "white")\n'
            'model.fit(kept.select(pl.col("tenure"), pl.col("grade")), y)',
            "FL304",
            "race",
        ),
    ],
)
def test_labels_rows_and_weights_by_group(code: str, rule: str, attribute: str) -> None:
    assert told(code, "FL303", "FL304", "FL305", "FL306", "FL106", "FL102") == {(rule, attribute)}


@pytest.mark.parametrize(
    "code",
    [
        'kept = applicants[applicants["race"].notna()]\nmodel.fit(kept[["tenure"]], kept["hired"])',
        'kept = applicants[applicants["race"] != "Unknown"]\nmodel.fit(kept[["tenure"]], kept["hired"])',
        'kept = applicants.dropna(subset=["gender"])\nmodel.fit(kept[["tenure"]], kept["hired"])',
        'for g in ["M", "F"]:\n    part = applicants[applicants.gender == g]\n    print(g, model.predict(part[["tenure"]]))',
        'w = compute_sample_weight("balanced", y)\nmodel.fit(applicants[["tenure"]], y, sample_weight=w)',
        'sex = applicants["personal_status_sex"].map({"A91": "male", "A92": "female"})\n'
        'band = np.where(applicants["age"] > 25, "older", "younger")\n'
        "for one in [sex, pd.Series(band)]:\n"
        '    coded = one.map({"male": 1, "female": 0, "older": 1, "younger": 0})\n'
        '    model.fit(applicants[["tenure"]], coded)',
    ],
)
def test_clean_up_audits_and_guesses_of_a_group_are_no_labels(code: str) -> None:
    assert told(code, "FL303", "FL304", "FL305", "FL106") == set()


TRAINED = """
import pandas as pd
from sklearn.naive_bayes import GaussianNB

def {function}(row):
    return 0 if row["gender"] == row["first"] else 1

def train(people: pd.DataFrame, letters):
    people["y"] = people.apply({function}, axis=1)
    GaussianNB().fit(letters, people["y"])
"""


def test_who_learns_what_a_reader_of_the_group_gives_guesses_the_group() -> None:
    assert "FL303" in {rule for rule, _ in learnt(TRAINED.format(function="code_of"))}
    assert "FL303" not in {rule for rule, _ in learnt(TRAINED.format(function="gender_code"))}


def learnt(code: str) -> set[tuple[str, str]]:
    report = check_source(textwrap.dedent(code), path="a.py", settings=Settings(min_severity="note"))
    return {(one.rule, one.severity) for one in report.findings}
