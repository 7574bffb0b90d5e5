"""Lists called features that nobody learns from, and rows that get another shape on their way to a model."""

import pytest

from fairlint import check_source


def told(code: str) -> list[tuple[int, str, str]]:
    report = check_source(code, path="statistics_of_pupils.py")
    assert not report.not_analysed
    return [(one.start.line, one.rule, one.use.attribute) for one in report.findings]


LIST = """\
import pandas as pd

categorical_features = ["tutoring", "ethnicity", "gender"]
table = pd.read_csv("pupils.csv")
{}
"""


@pytest.mark.parametrize(
    "use",
    [
        "for feature in categorical_features:\n    print(table[feature].value_counts())",
        "shares = {name: table[name].mean() for name in categorical_features}",
        "for place, name in enumerate(categorical_features):\n    table[name].value_counts().plot()",
        "for axis, name in zip(axes, sorted(categorical_features)):\n    axis.hist(table[name])",
    ],
)
def test_a_list_that_is_only_looked_at_is_no_list_of_features(use: str) -> None:
    assert told(LIST.format(use)) == []


@pytest.mark.parametrize("use", ["", "train(table[categorical_features])", "fit(categorical_features)"])
def test_a_list_that_is_handed_on_or_left_for_others_is_told(use: str) -> None:
    assert told(LIST.format(use)) == [(3, "FL301", "ethnicity"), (3, "FL301", "gender")]


ROW = """\
import joblib
import numpy as np

model = joblib.load("model.joblib")


def approve(income, gender):
    return model.predict({})
"""


@pytest.mark.parametrize(
    "row",
    [
        "np.reshape([income, gender], (1, -1))",
        "np.atleast_2d([income, gender])",
        "np.expand_dims(np.array([income, gender]), 0)",
        "np.array([income, gender])[None, :]",
        "np.array([income, gender])[None]",
    ],
)
def test_a_row_of_another_shape_is_the_same_row(row: str) -> None:
    assert told(ROW.format(row)) == [(8, "FL301", "gender")]


BESIDE_A_MODEL = """\
import altair as alt
import matplotlib.pyplot as plt
import pandas as pd
import plotly.express as px
import seaborn as sns
from sklearn.svm import SVC

table = pd.read_csv("pupils.csv")
categorical_features = ["tutoring", "ethnicity", "gender"]
{}
SVC().fit(table[["grade"]], table["passed"])
"""


@pytest.mark.parametrize(
    "use",
    [
        "alt.Chart(table).mark_bar().encode(y='count()').repeat(categorical_features).save('a.html')",
        "px.parallel_categories(table, dimensions=categorical_features).show()",
        "sns.pairplot(table[categorical_features + ['passed']], hue='passed')",
        "sns.pairplot(table, vars=[*categorical_features, 'passed'])",
        "for name in categorical_features:\n    sns.countplot(x=name, data=table)\n    plt.title(f'{name}')",
        "for at, f in enumerate(categorical_features):\n    ax[at].hist(table[f])\n    ax[at].set_title(f)",
        "for name in categorical_features:\n    print(name, table[name].value_counts())",
    ],
)
def test_a_list_of_which_only_charts_are_drawn_is_no_list_of_features(use: str) -> None:
    assert told(BESIDE_A_MODEL.format(use)) == []


@pytest.mark.parametrize(
    "use",
    [
        "for name in categorical_features:\n    table[name] = table[name].astype('category')",
        "for name in categorical_features:\n    plt.hist(table[name])\n    codes.append(encode(table[name]))",
        "sns.pairplot(table[categorical_features])\nprepare(table, categorical_features)",
        "for name in categorical_features:\n    kept = name\n    print(name)",
    ],
)
def test_a_chart_beside_what_else_is_done_with_a_list_hides_nothing(use: str) -> None:
    assert told(BESIDE_A_MODEL.format(use)) == [(9, "FL301", "ethnicity"), (9, "FL301", "gender")]
