"""Evidence names nothing as what a column is read from that the code does not name so."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest

from fairlint import check_source
from fairlint.config import Settings

CODES = {
    "a list of features": """
        import pandas as pd

        FEATURE_COLUMNS = ["gender", "salary", "tenure"]

        def rows(path):
            return pd.read_csv(path)[FEATURE_COLUMNS]
    """,
    "a table of unknown origin": """
        from sklearn.linear_model import LogisticRegression

        def learn(load):
            table = load()
            return LogisticRegression().fit(table.gender, table.promoted)
    """,
    "a table by name": """
        from sklearn.linear_model import LogisticRegression

        def learn(workforce):
            return LogisticRegression().fit(workforce[["gender", "salary"]], workforce["promoted"])
    """,
    "columns of a transformer": """
        from sklearn.compose import ColumnTransformer
        from sklearn.preprocessing import OrdinalEncoder

        steps = ColumnTransformer([("codes", OrdinalEncoder(), ["race", "salary"])])
    """,
    "indicator columns": """
        import pandas as pd

        def prepare(people):
            return pd.get_dummies(people, columns=["gender"], drop_first=True)
    """,
    "a column by a function": """
        from pyspark.sql import functions as F

        def chosen(loans):
            return loans.filter(F.col("gender") == "male")
    """,
    "a gap that is filled": """
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import SimpleImputer

        steps = ColumnTransformer([("gaps", SimpleImputer(strategy="most_frequent"), ["gender"])])
    """,
    "a name that was left in": """
        import pandas as pd
        from sklearn.linear_model import LogisticRegression

        def learn(path):
            given = pd.read_csv("data/adult.csv").drop(columns=["race", "income"])
            return LogisticRegression().fit(given, pd.read_csv("data/adult.csv")["income"])
    """,
}


@pytest.mark.parametrize("name", CODES)
def test_what_a_reason_names_stands_in_the_code(name: str) -> None:
    code = dedent(CODES[name])
    found = check_source(code, path="train.py", settings=Settings(min_severity="note")).findings
    assert found
    reasons = [reason.reason for one in found for reason in one.use.evidence]
    shown = [text for reason in reasons for text in re.findall(r"receiver `([^`]*)`", reason)]
    assert [text for text in shown if text not in code] == []


def test_a_table_that_has_no_name_is_one_all_the_same() -> None:
    code = dedent(CODES["a list of features"])
    found = check_source(code, path="train.py", settings=Settings(min_severity="note")).findings
    reasons = [(reason.weight, reason.reason) for reason in found[0].use.evidence]
    assert (1, "it is a column of a table") in reasons
