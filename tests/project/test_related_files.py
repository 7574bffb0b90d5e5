"""What trains a model, and what asks it, know each other by its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairlint.checking.runner import check_paths
from fairlint.config import Settings
from fairlint.project.related_files import LARGEST, texts_of

TRAIN = """import joblib
import pandas as pd
from sklearn.linear_model import LogisticRegression

people = pd.read_csv("people.csv")
X = people[["age", "chol", "trestbps", "thalach", "oldpeak"]]
joblib.dump(LogisticRegression().fit(X, people["target"]), "models/{model}")
"""
SERVE = """import joblib
import pandas as pd

model = joblib.load("../models/{model}")

def predict(form):
    return model.predict(pd.DataFrame([[form.age, form.income]], columns=["age", "{column}"]))
"""


def write(path: Path, text: str, model: str = "risk.pkl", column: str = "income") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace("{model}", model).replace("{column}", column))


def served(folder: Path) -> set[tuple[str, str]]:
    found = check_paths([folder], Settings(min_severity="note", root=folder)).findings
    return {
        (one.severity, one.use.context.name)
        for one in found
        if one.path.endswith("app.py") and one.rule == "FL301"
    }


def test_what_asks_a_model_is_about_what_it_was_trained_for(tmp_path: Path) -> None:
    write(tmp_path / "web/app.py", SERVE)
    assert served(tmp_path) == {("warning", "")}
    write(tmp_path / "training/train.py", TRAIN)
    assert served(tmp_path) == {("note", "clinical")}


@pytest.mark.parametrize(("model", "column"), [("other.pkl", "income"), ("risk.pkl", "loan")])
def test_another_model_and_another_purpose_say_nothing(tmp_path: Path, model: str, column: str) -> None:
    write(tmp_path / "web/app.py", SERVE, column=column)
    write(tmp_path / "training/train.py", TRAIN, model=model)
    assert served(tmp_path) == {("warning", "")}


def test_the_nearest_files_alone_are_looked_at(tmp_path: Path) -> None:
    write(tmp_path / "one/train.py", TRAIN)
    write(tmp_path / "two/app.py", SERVE)
    write(tmp_path / "two/train.py", "joblib.dump(model, 'risk.pkl')\n")

    def read(path: str, limit: int) -> bytes:
        assert limit == LARGEST
        return Path(path).read_bytes()

    app = tmp_path / "two/app.py"
    assert texts_of(app.read_bytes(), str(app), str(tmp_path), read) == (b"joblib.dump(model, 'risk.pkl')\n",)
    assert texts_of(app.read_bytes(), str(app), str(tmp_path / "one"), read) == ()
    assert texts_of(b"nothing", str(app), str(tmp_path), read) == ()
