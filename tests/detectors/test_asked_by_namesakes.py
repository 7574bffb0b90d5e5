"""Rows that a handler hands on to what is called as it is itself, and columns named by their encoding."""

from __future__ import annotations

import pytest

from fairlint import check_source

FEATURES = {"FL301", "FL405"}
"""Rules about a column as it is and about one that is coded."""

HANDLER = """from shop.scoring import engine

async def {handler}(form):
    row = {{"age": form.age, "gender": form.gender, "income": form.income}}
    return {called}(row)
"""


def features_of(code: str) -> list[str]:
    found = check_source(code).findings
    return sorted(attribute for one in found if one.rule in FEATURES for attribute in one.use.attributes)


@pytest.mark.parametrize(
    ("handler", "called"),
    [
        ("predict_arrears", "engine.predict_arrears"),
        ("predict_limit", "engine.predict_limit"),
        ("predict_limit", "engine.current.predict_limit"),
        ("answer", "engine.predict_limit"),
    ],
)
def test_a_handler_of_the_same_name_is_not_what_it_asks(handler: str, called: str) -> None:
    assert features_of(HANDLER.format(handler=handler, called=called)) == ["age", "gender"]


@pytest.mark.parametrize("called", ["predict_limit", "self.predict_limit", "engine.store_limit"])
def test_what_calls_itself_or_only_stores_asks_no_model(called: str) -> None:
    code = HANDLER.format(handler="predict_limit", called=called).replace("(form)", "(self, form)")
    assert features_of(code) == []


def test_a_column_named_by_its_encoding_is_the_attribute_in_a_loop_too() -> None:
    code = """import pandas as pd
from sklearn.linear_model import LogisticRegression

def train(raw, tables):
    columns = {"gender": "gender", "turnover": "turnover_band"}
    table = pd.DataFrame(index=raw.index)
    for name, source in columns.items():
        table[f"{name}_woe"] = raw[source].map(tables[name])
    return LogisticRegression().fit(table, raw["repaid"])
"""
    assert features_of(code) == ["gender"]
    assert features_of(code.replace('"gender": "gender", ', "")) == []
