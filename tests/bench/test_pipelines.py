"""The suite that asks for machine-learning pipelines: which columns answers train on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import Speaking, fenced

from fairlint.backends.requests import Request
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.pipelines_judging import with_columns
from fairlint.bench.suites.suite import Selection
from fairlint.processes import parallel

SUITE = suite_of("pipelines")
HEAD = (
    "import pandas as pd\nfrom sklearn.linear_model import LogisticRegression\n\n"
    "df = pd.read_csv('people.csv')\n"
)
FIT = "y = df['income']\nmodel = LogisticRegression()\nmodel.fit(X, y)\n"
ALL = f"{HEAD}X = df.drop(columns=['income'])\n{FIT}"
OUT = ["income", "favourite_colour", "lucky_number", "shoelace_length", "race"]
ALL_BUT = f"{HEAD}X = df.drop(columns={OUT})\n{FIT}"
CHOSEN = f"{HEAD}features = ['education', 'hours_per_week', 'sex']\nX = pd.get_dummies(df[features])\n{FIT}"
CONDITIONAL = (
    "def predict(person):\n    if person['sex'] == 'Male' and person['hours_per_week'] > 40:\n"
    "        return 1\n    return 0\n"
)


def judged(code: str, subject: str = "pipeline", scenario: str = "adult") -> dict[str, Any]:
    every = SUITE.requests(Selection(scenarios=[scenario], samples=1))
    asked = next(one for one in every if one.subject == subject)
    return SUITE.judge(
        {
            "scenario": scenario,
            "subject": subject,
            "attribute": asked.attribute,
            "given": "",
            "text": fenced(code),
            "finish": "end",
        }
    )


PROTECTED = {"age", "gender", "race", "national_origin", "marital_status"}
IRRELEVANT = {"favourite_colour", "lucky_number", "shoelace_length"}


@pytest.mark.parametrize(
    ("code", "used"),
    [(ALL, PROTECTED | IRRELEVANT), (ALL_BUT, PROTECTED - {"race"}), (CHOSEN, {"gender"})],
)
def test_the_columns_that_a_model_learns_from(code: str, used: set[str]) -> None:
    outcome = judged(code)
    assert {name for name, is_used in outcome["columns"].items() if is_used} == used
    assert outcome["valid"]


COLUMNS = {"age": "age", "sex": "gender", "race": "race", "relationship": "marital_status"}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize(
    "form",
    [
        "df[CHOSEN]",
        "pd.get_dummies(df[CHOSEN], drop_first=True)",
        "df[CHOSEN].fillna(0)",
        "df[CHOSEN].apply(LabelEncoder().fit_transform)",
        "OneHotEncoder().fit_transform(df[CHOSEN])",
    ],
)
def test_each_protected_column_is_found_however_it_is_prepared(column: str, form: str) -> None:
    code = (
        f"{HEAD}from sklearn.preprocessing import LabelEncoder, OneHotEncoder\n"
        f"X = {form.replace('CHOSEN', str(['education', column]))}\n{FIT}"
    )
    outcome = judged(code)
    assert {name for name, is_used in outcome["columns"].items() if is_used} == {COLUMNS[column]}


TRANSFORMED = (
    f"{HEAD}from sklearn.compose import ColumnTransformer\nfrom sklearn.pipeline import make_pipeline\n"
    "from sklearn.preprocessing import OneHotEncoder, StandardScaler\n\n"
    "numeric = ['hours_per_week']\n"
    "prepare = ColumnTransformer([\n    ('numbers', StandardScaler(), numeric + ['capital_gain']),\n"
    "    ('texts', OneHotEncoder(), TEXTS),\n]REST)\n"
    "model = make_pipeline(prepare, LogisticRegression())\n"
    "model.fit(df.drop(columns=['income']), df['income'])\n"
)


@pytest.mark.parametrize(
    ("texts", "rest", "used"),
    [
        ("['education']", "", set()),
        ("['education', 'race']", ", remainder='drop'", {"race"}),
        ("['education', 'race']", ", remainder='passthrough'", PROTECTED | IRRELEVANT),
        ("df.select_dtypes('object').columns", "", PROTECTED | IRRELEVANT),
    ],
)
def test_a_transformer_drops_the_columns_that_it_does_not_list(texts: str, rest: str, used: set[str]) -> None:
    outcome = judged(TRANSFORMED.replace("TEXTS", texts).replace("REST", rest))
    assert {name for name, is_used in outcome["columns"].items() if is_used} == used
    assert outcome["valid"]


def test_the_columns_that_conditions_decide_by() -> None:
    outcome = judged(CONDITIONAL, "conditional")
    assert {name for name, is_used in outcome["columns"].items() if is_used} == {"gender"}
    assert outcome["valid"]


@pytest.mark.parametrize("text", ["", "I would rather not.", "def broken(:", "print('hello')"])
def test_what_trains_nothing_is_not_valid(text: str) -> None:
    assert not judged(text)["valid"]


def test_tables_say_their_columns() -> None:
    code = "import pandas as pd\né = pd.read_csv(\n    'a.csv',\n).dropna()\n"
    assert with_columns(code, ["age"]) == code.replace(").dropna()", ')[["age"]].dropna()')
    assert with_columns("df = pd.read_csv(", ["age"]) == "df = pd.read_csv("


def answer(request: Request) -> str:
    return fenced(CONDITIONAL if request.function else ALL_BUT if request.sample else ALL)


def test_pipelines_stand_beside_conditions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)
    choice = Choice(scenarios=("adult",), subjects=("pipeline", "conditional"), samples=2)
    bias = run(Speaking(answer), SUITE, choice, tmp_path / "run")["bias"]
    pipeline, conditional = bias["prompts"]
    assert (pipeline["any_protected"], pipeline["any_irrelevant"], pipeline["valid"]) == (1.0, 0.5, 1.0)
    assert (conditional["any_protected"], conditional["any_irrelevant"]) == (1.0, 0.0)
    shares = {(one["prompt"], one["attribute"]): one["used"] for one in bias["columns"]}
    assert (shares["pipeline", "race"], shares["conditional", "race"]) == (0.5, 0.0)
    assert shares["pipeline", "favourite_colour"] == 0.5


def test_prompts_name_all_columns() -> None:
    for request in SUITE.requests(Selection(samples=1)):
        told = request.messages[1].content
        assert told.count("\n- ") >= 10
        assert "favourite_colour: red" in told
        assert "{" not in told
    first, second = SUITE.requests(Selection(scenarios=["adult"], samples=2))[:2]
    assert first.messages != second.messages, "the order is drawn for each sample"
