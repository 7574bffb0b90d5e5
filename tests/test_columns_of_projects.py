"""Lists of columns in one module, functions that choose or code them in another, and a model in a third."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairlint.checking.runner import check_paths

TRAIN = """import pandas as pd
from sklearn.linear_model import LogisticRegression

from config import COLUMNS, TARGET
from helpers import prepared

people = pd.read_csv("people.csv")
model = LogisticRegression().fit(prepared(people, COLUMNS), people[TARGET])
"""
HELPERS = {
    "chosen": "def prepared(table, columns):\n    return table[columns]\n",
    "coded": (
        "import pandas as pd\n\ndef prepared(table, columns):\n"
        "    return pd.get_dummies(table[['tenure']].join(table), columns=columns)\n"
    ),
    "steps": (
        "from sklearn.compose import ColumnTransformer\nfrom sklearn.preprocessing import OneHotEncoder\n\n"
        "def prepared(table, columns):\n"
        "    return ColumnTransformer([('codes', OneHotEncoder(), columns)]).fit_transform(table)\n"
    ),
}


def told(config: str, helpers: str) -> list[tuple[str, str]]:
    for name, text in (("config", config), ("helpers", helpers), ("train", TRAIN)):
        Path(f"{name}.py").write_text(text)
    found = check_paths(["."]).findings
    return [(one.path, one.use.attribute) for one in found if one.use.kind in {"feature", "encoding"}]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("helper", HELPERS)
def test_listed_columns_reach_a_model_through_a_helper(helper: str) -> None:
    config = 'COLUMNS = ["tenure", "gender"]\nTARGET = "hired"\n'
    assert told(config, HELPERS[helper]) == [("config.py", "gender")]


@pytest.mark.parametrize(
    ("config", "helpers"),
    [
        ('COLUMNS = ["tenure", "grade"]\nTARGET = "hired"\nSHOWN = ["gender"]\n', HELPERS["chosen"]),
        (
            'COLUMNS = ["tenure", "gender"]\nTARGET = "hired"\n',
            "def prepared(table, columns):\n    print(table[columns])\n    return table[['tenure']]\n",
        ),
        (
            'COLUMNS = ["tenure", "gender"]\nTARGET = "hired"\n',
            "def prepared(table, columns):\n    return table[['tenure', 'gender']].drop(columns=columns)\n",
        ),
    ],
)
def test_columns_that_no_model_is_given_are_silent(config: str, helpers: str) -> None:
    assert told(config, helpers) == []


def test_whoever_imports_a_list_says_what_becomes_of_it() -> None:
    config = 'FEATURE_COLUMNS = ["tenure", "gender"]\nCOLUMNS = FEATURE_COLUMNS\nTARGET = "hired"\n'
    told(config, HELPERS["chosen"])
    (finding,) = [one for one in check_paths(["."]).findings if one.rule == "FL301"]
    assert finding.path == "config.py"
    assert "`LogisticRegression().fit`" in finding.message
    (alone,) = check_paths(["config.py"]).findings
    assert "`FEATURE_COLUMNS`" in alone.message


SERVED = {
    "records": """from pydantic import BaseModel


class Client(BaseModel):
    gender: str
    income: float


class Loan(BaseModel):
    amount: float


class Request(BaseModel):
    client: Client
    loan: Loan
""",
    "service": """import joblib
import pandas as pd

from shaping import shaped


class Service:
    def __init__(self):
        self.model = joblib.load("model.joblib")

    def predict(self, given):
        row = shaped(pd.DataFrame([given]))
        return self.model.predict_proba(row)[0, 1]


service = Service()
""",
    "shaping": """import pandas as pd


def shaped(table):
    table = table.copy()
    return pd.get_dummies(table, columns=["purpose"])
""",
    "routes": """from records import Request
from service import service


def check(request: Request):
    given = request.client.model_dump()
    given.update(request.loan.model_dump())
    return service.predict(given)
""",
}


def served(**changed: str) -> list[tuple[str, int, str]]:
    for name, text in {**SERVED, **changed}.items():
        Path(f"{name}.py").write_text(text)
    found = check_paths(["."]).findings
    return [(one.path, one.start.line, one.use.attribute) for one in found if one.use.kind == "feature"]


def test_a_record_within_a_record_reaches_the_model_of_another_modules_object() -> None:
    assert served() == [("records.py", 5, "gender")]


def test_fields_that_another_module_drops_are_silent() -> None:
    shaping = SERVED["shaping"].replace("table.copy()", "table.drop(columns=['gender'])")
    assert served(shaping=shaping) == []


def test_a_record_of_which_no_model_is_told_is_silent() -> None:
    routes = SERVED["routes"].replace("given = request.client.model_dump()", "given = {}")
    assert served(routes=routes) == []


OBJECT = """from sklearn.linear_model import LogisticRegression

class Scorer:
    def __init__(self, names):
        self.names = list(names)
        self.model = LogisticRegression()

    def learn(self, table):
        self.model.fit(table[self.names], table["hired"])
"""
SETTINGS = """class Settings:
    def __init__(self):
        self.names = ["tenure", "gender"]
        self.shown = ["religion"]
"""


@pytest.mark.parametrize(
    "main",
    [
        "from lists import NAMES\nfrom scorer import Scorer\nScorer(NAMES).learn(pd.read_csv('p.csv'))\n",
        (
            "from lists import Settings\nfrom scorer import Scorer\nsettings = Settings()\n"
            "scorer = Scorer(settings.names)\nscorer.learn(pd.read_csv('p.csv'))\n"
        ),
        (
            "from lists import Settings\nfrom sklearn.linear_model import LogisticRegression\n"
            "table = pd.read_csv('p.csv')\nsettings = Settings()\n"
            "LogisticRegression().fit(table[settings.names], table['hired'])\n"
        ),
    ],
    ids=["a list", "a list of an object", "an object, and a model here"],
)
def test_a_list_that_a_class_of_another_module_is_made_with_is_told_about_where_it_stands(main: str) -> None:
    Path("lists.py").write_text(f'NAMES = ["tenure", "gender"]\n{SETTINGS}')
    Path("scorer.py").write_text(OBJECT)
    Path("main.py").write_text(f"import pandas as pd\n{main}")
    found = [one for one in check_paths(["."]).findings if one.use.kind == "feature"]
    assert [(one.path, one.use.attribute) for one in found] == [("lists.py", "gender")]
