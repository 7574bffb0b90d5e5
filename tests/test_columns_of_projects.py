"""Lists of columns in one module, functions that choose or code them in another, and a model in a third."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairlint.runner import check_paths

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
