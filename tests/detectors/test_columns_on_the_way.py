"""Columns on their way to a model: through selections, lists and rows that are copied."""

import pytest

from fairlint import check_source
from fairlint.config import Settings

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
    "names less others": """
        wanted = set(["sex", "salary", "late"]) - {"late"}
        LogisticRegression().fit(clients[list(wanted)], clients["late"])
        """,
    "names of both lists": """
        wanted = {"sex", "salary"} & {"sex", "late"}
        LogisticRegression().fit(clients[list(wanted)], clients["late"])
        """,
    "a list that is cut down in its place": """
        wanted = ["sex", "salary", "late"]
        wanted = [one for one in wanted if one != "late"]
        LogisticRegression().fit(clients[wanted], clients["late"])
        """,
    "the list of an object, cut down": """
        CODED = ["sex", "grade"]
        class Scorer:
            def __init__(self, names):
                self.coded = [one for one in names if one in CODED]
                self.model = LogisticRegression()
            def learn(self, table):
                self.model.fit(table[self.coded], table["late"])
        def main():
            names = ["salary", "sex"]
            scorer = Scorer(names)
            scorer.learn(clients)
        """,
    "places of rows that are filled one by one": """
        rows = np.zeros((len(clients), 2))
        for place in range(len(clients)):
            rows[place, 0] = clients["sex"][place] == "male"
            rows[place, 1] = clients["salary"][place]
        LogisticRegression().fit(rows, clients["late"])
        """,
    "a row that a function fills": """
        def row_of(client):
            row = np.zeros(2)
            row[0] = client["sex"] == "male"
            row[1] = client["salary"]
            return row
        def learn(people):
            rows = np.array([row_of(one) for one in people])
            LogisticRegression().fit(rows, [one["late"] for one in people])
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


OPENML = "from sklearn.datasets import fetch_openml\n"
WHOLE = {
    "features and labels": OPENML + 'X, y = fetch_openml("adult", return_X_y=True)',
    "over several lines": OPENML + 'X, y = fetch_openml(\n    "adult",\n    return_X_y=True,\n)',
    "by its number": OPENML + "X, y = fetch_openml(data_id=1590, return_X_y=True)",
    "of shap": "import shap\nX, y = shap.datasets.adult()",
    "of shap, by its name": "from shap.datasets import adult\nX, y = adult()",
    "of fairlearn": "from fairlearn.datasets import fetch_adult\nX, y = fetch_adult(return_X_y=True)",
    "of the repository": "from ucimlrepo import fetch_ucirepo\nX, y = fetch_ucirepo(id=2).data.features, t",
}
TO_A_MODEL = {
    "at once": "SVC().fit(X, y)",
    "in a split": "a, b, c, d = train_test_split(X, y)\nSVC().fit(a, c)",
}


def told_of_whole(code: str) -> set[tuple[str, str, str]]:
    head = "from sklearn.model_selection import train_test_split\nfrom sklearn.svm import SVC\n"
    report = check_source(head + code, path="census.py", settings=Settings(min_severity="note"))
    assert not report.not_analysed
    found = report.findings
    return {(one.rule, one.use.attribute, one.severity) for one in found if one.rule.startswith("FL3")}


@pytest.mark.parametrize("source", WHOLE.values(), ids=list(WHOLE))
@pytest.mark.parametrize("given", TO_A_MODEL.values(), ids=list(TO_A_MODEL))
def test_a_known_data_set_that_is_fed_whole_keeps_its_columns(source: str, given: str) -> None:
    found = told_of_whole(f"{source}\n{given}")
    assert {("FL302", one, "note") for one in ("gender", "race", "age")} <= found
    dropped = f'{source}\nX = X.drop(columns=["Sex", "Race"])\n{given}'
    assert {one[1] for one in told_of_whole(dropped)} & {"gender", "race", "age"} == {"age"}
    assert told_of_whole(f'{source}\nX = X[["capital-gain"]]\n{given}') == set()


def test_other_data_sets_and_other_pairs_are_not_taken_for_it() -> None:
    assert (
        told_of_whole(
            'from sklearn.datasets import fetch_openml\nX, y = fetch_openml("iris")\nSVC().fit(X, y)'
        )
        == set()
    )
    assert told_of_whole("import shap\nX, y = shap.datasets.california()\nSVC().fit(X, y)") == set()


@pytest.mark.parametrize(
    "code",
    [
        """
        wanted = {"sex", "salary"} - {"sex"}
        LogisticRegression().fit(clients[list(wanted)], clients["late"])
        """,
        """
        wanted = {"sex", "salary"} & {"salary", "late"}
        LogisticRegression().fit(clients[list(wanted)], clients["late"])
        """,
        """
        wanted = ["sex", "salary"]
        wanted = [one for one in wanted if one != "sex"]
        LogisticRegression().fit(clients[wanted], clients["late"])
        """,
        """
        apart = np.zeros((len(clients), len(clients)))
        for one in range(len(clients)):
            for other in range(len(clients)):
                apart[one, other] = clients["sex"][one] == clients["sex"][other]
        LogisticRegression().fit(clients[["salary"]], clients["late"])
        """,
    ],
)
def test_a_column_that_is_left_out_is_silent(code: str) -> None:
    assert not rules(code)


def test_a_loop_over_names_is_told_about_where_the_list_names_the_column() -> None:
    code = """
table = pd.DataFrame(index=clients.index)
bands = {
    "salary": "salary_band",
    "sex": "sex",
}
for name, source in bands.items():
    table[f"{name}_woe"] = clients[source].map(WEIGHTS[name])
LogisticRegression().fit(table, clients["late"])
"""
    (found,) = [one for one in check_source(HEAD + code, path="train.py").findings if one.rule != "FL902"]
    assert found.use.span.start == (HEAD + code).index('"sex"')
