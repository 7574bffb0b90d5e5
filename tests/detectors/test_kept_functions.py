"""Features that functions make which are kept in a list or table, and those of a feature store."""

import pytest

from fairlint import check_source
from fairlint.config import Settings


def told(code: str) -> set[tuple[str, str]]:
    report = check_source(code, path="churn.py", settings=Settings(min_severity="note"))
    assert not report.not_analysed
    return {(one.rule, one.use.attribute) for one in report.findings if one.rule in {"FL301", "FL405"}}


STEP = """\
import pandas as pd
from sklearn.svm import SVC

{registry}


@{decorator}
def spending(table):
    table["spends"] = table["bill"] > 90
    return table


@{decorator}
def person(table):
    table["woman"] = (table["sex"] == "f").astype(int)
    return table


{after}
def train(path):
    table = pd.read_csv(path)
    {loop}
        table = make(table)
    SVC().fit(table.drop(columns=["left"]), table["left"])
"""
LIST = "ALL = []\n\n\ndef keep(made):\n    ALL.append(made)\n    return made"
TABLE = "ALL = {}\n\n\ndef keep(made):\n    ALL[made.__name__] = made\n    return made"
NAMED = (
    "ALL = {}\n\n\ndef keep(name):\n    def inner(made):\n        ALL[name] = made\n        return made\n"
    "    return inner"
)


@pytest.mark.parametrize(
    ("registry", "decorator", "after", "loop"),
    [
        (LIST, "keep", "", "for make in ALL:"),
        (TABLE, "keep", "", "for make in ALL.values():"),
        (TABLE, "keep", "", "for name, make in ALL.items():"),
        (NAMED, 'keep("one")', "", "for name, make in ALL.items():"),
        ("from tools import keep", "keep", "ALL = [spending, person]\n\n", "for make in ALL:"),
        ("from tools import keep", "keep", "ALL = []\nALL.append(person)\n\n", "for make in ALL:"),
    ],
)
def test_a_step_that_is_kept_in_a_list_makes_features(
    registry: str, decorator: str, after: str, loop: str
) -> None:
    code = STEP.format(registry=registry, decorator=decorator, after=after, loop=loop)
    assert told(code) == {("FL405", "gender")}


def test_a_list_that_keeps_others_makes_none() -> None:
    code = STEP.format(registry=LIST, decorator="keep", after="ALL = [spending]\n\n", loop="for make in ALL:")
    assert told(code) == set()


STORE = """\
import joblib
import pandas as pd
{}
from sklearn.svm import SVC

model = joblib.load("model.joblib")
people = pd.read_parquet("people.parquet")


def ask(store, client):
    wanted = {}
    {}
"""


@pytest.mark.parametrize("head", ["from feast import FeatureStore", "import stores"])
@pytest.mark.parametrize(
    "use",
    [
        "return model.predict(store.get_online_features(features=wanted, entity_rows=[client]).to_df())",
        "return model.predict(store.get_online_features(wanted, [client]).to_df())",
        "X = store.get_historical_features(entity_df=people, features=wanted).to_df()\n    SVC().fit(X, y)",
    ],
)
def test_what_is_asked_of_a_feature_store_is_a_table_with_these_columns(head: str, use: str) -> None:
    assert told(STORE.format(head, '["client:gender", "client:bill"]', use)) == {("FL301", "gender")}
    assert told(STORE.format(head, '["gender:bill", "client:bill"]', use)) == set()
