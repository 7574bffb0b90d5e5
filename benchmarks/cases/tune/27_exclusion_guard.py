"""Checks that run before every training job."""
import pytest

PROTECTED = {"gender", "race", "religion", "date_of_birth"}  # silent: the list of what must stay out


def select_features(df, target):
    cols = [c for c in df.columns if c not in PROTECTED and c != target]  # silent: protected columns excluded
    return df[cols]


@pytest.fixture
def frame():
    pd = pytest.importorskip("pandas")
    return pd.DataFrame({"gender": ["f", "m"], "income": [1, 2], "repaid": [0, 1]})  # silent: a fixture of both groups


def test_no_protected_column_reaches_the_model(frame):
    X = select_features(frame, "repaid")
    assert "gender" not in X.columns  # silent: a test that it is excluded
    assert PROTECTED.isdisjoint(X.columns)
