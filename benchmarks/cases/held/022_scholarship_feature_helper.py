from __future__ import annotations

import pandas as pd
from sklearn.linear_model import LogisticRegression


def academic_columns() -> list[str]:
    return ["gpa", "exam_points", "language_tests"]


def personal_columns() -> list[str]:
    return ["age", "caste_code", "distance_km"]  # FL301: age; FL301: caste


def all_columns() -> list[str]:
    return academic_columns() + personal_columns()


def train(students: pd.DataFrame) -> LogisticRegression:
    model = LogisticRegression(max_iter=1000)
    return model.fit(students[all_columns()], students["awarded"])


def head_count(students: pd.DataFrame) -> pd.Series:
    return students["caste"].value_counts(dropna=False)  # silent: counting for the yearly report
