"""Gaps that are filled in columns of one type: of texts with the most frequent, of numbers with a mean."""

from __future__ import annotations

import pytest

from fairlint import check_source
from fairlint.config import Settings

BEGIN = """import pandas as pd
from sklearn.preprocessing import LabelEncoder

df = pd.read_csv("people.csv")
"""
ENCODED = 'df["gender"] = LabelEncoder().fit_transform(df["gender"])\n'
MAPPED = 'df["gender"] = df["gender"].map({"M": 1, "F": 0})\n'
SHOWN = 'print(df["gender"].value_counts())\n'

FILLS = {
    "a branch": """
for c in df.columns:
    if df[c].dtype == "object":
        df[c] = df[c].fillna(df[c].mode()[0])
    else:
        df[c] = df[c].fillna(df[c].median())
""",
    "a branch for all but numbers": """
for c in df.columns:
    if df[c].dtype in ("int64", "float64"):
        df[c] = df[c].fillna(df[c].mean())
    else:
        df[c] = df[c].fillna(df[c].mode()[0])
""",
    "a function of every column": """
df = df.apply(lambda column: column.fillna(column.mean()) if column.dtype != "object"
              else column.fillna(column.mode().iloc[0]))
""",
    "a loop over a selection": """
for c in df.select_dtypes(include="object").columns:
    df[c] = df[c].fillna(df[c].mode()[0])
""",
    "a selection": """
texts = df.select_dtypes(exclude=["number"]).columns
df[texts] = df[texts].fillna(df[texts].mode().iloc[0])
""",
    "a list of columns": """
texts = [c for c in df.columns if df[c].dtype == "object"]
for c in texts:
    df[c] = df[c].fillna(df[c].mode()[0])
""",
}


def filled(code: str) -> list[str]:
    report = check_source(code, path="train.py", settings=Settings(select=("FL404",)))
    return [finding.use.attribute for finding in report.findings]


@pytest.mark.parametrize("name", FILLS)
def test_only_texts_get_the_most_frequent(name: str) -> None:
    fill = FILLS[name]
    assert filled(BEGIN + SHOWN + fill) == ["gender"]
    assert filled(BEGIN + SHOWN + fill + ENCODED) == ["gender"]
    assert filled(BEGIN + ENCODED + fill) == []
    assert filled(BEGIN + MAPPED + fill) == []


@pytest.mark.parametrize(
    "fill",
    [
        """
numbers = df.select_dtypes(include="number").columns
df[numbers] = df[numbers].fillna(df[numbers].mode().iloc[0])
""",
        """
for c in df.columns:
    if df[c].dtype != "object":
        df[c] = df[c].fillna(df[c].mode()[0])
""",
    ],
)
def test_numbers_are_no_groups(fill: str) -> None:
    assert filled(BEGIN + SHOWN + fill) == []


def test_a_column_that_is_named_counts_whatever_is_asked_of_it() -> None:
    named = """
if df["gender"].dtype == "object":
    df["gender"] = df["gender"].fillna(df["gender"].mode()[0])
"""
    assert filled(BEGIN + named) == ["gender"]
    assert filled(BEGIN + MAPPED + 'df["gender"] = df["gender"].fillna(df["gender"].mode()[0])\n') == [
        "gender"
    ]
