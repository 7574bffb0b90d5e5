"""Forms of pages that code names: all that is typed into one reaches a model without its names."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairlint.checking.runner import check_paths
from fairlint.cli import main
from fairlint.project.html_forms import forms_of_named_pages

SERVED = """import joblib
import numpy as np
import pandas as pd
from flask import Flask, render_template, request

app = Flask(__name__)
model = joblib.load("model.pkl")


@app.route("/predict", methods=["POST"])
def predict():
    {taken}
    return render_template("form.html", answer=model.predict(rows)[0])
"""
VALUES = "rows = np.array([[float(one) for one in request.form.values()]])"
PAGE = """<form action="{action}" method="post">
<input type="hidden" name="token"><select name="{field}"><option>1</option></select>
<input type="number" name='income'><input type="submit" name="go">
</form>"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("templates").mkdir()


def told(taken: str, **pages: str) -> list[tuple[str, int]]:
    Path("app.py").write_text(SERVED.format(taken=taken))
    for name, text in pages.items():
        Path(f"templates/{name}.html").write_text(text)
    found = check_paths(["app.py"]).findings
    return [(one.use.attribute, one.start.line) for one in found if one.rule == "FL301"]


@pytest.mark.parametrize("taken", [VALUES, "rows = pd.DataFrame([request.form.to_dict()])"])
def test_all_that_is_typed_into_a_form_reaches_the_model(taken: str) -> None:
    assert told(taken, form=PAGE.format(action="/predict", field="gender")) == [("gender", 12)]


def test_a_form_that_asks_for_no_group_tells_none() -> None:
    assert told(VALUES, form=PAGE.format(action="/predict", field="grade")) == []
    assert told(VALUES) == []


def test_of_several_forms_the_one_is_meant_that_is_sent_there() -> None:
    pages = PAGE.format(action="/predict", field="grade") + PAGE.format(action="/register", field="race")
    assert told(VALUES, form=pages + PAGE.format(action="/predict", field="gender")) == [("gender", 12)]


def test_fields_keep_their_order_and_buttons_are_none() -> None:
    Path("templates/form.html").write_text(PAGE.format(action="{{ url_for('predict') }}", field="gender"))
    data = b'render_template("form.html"); request.form.values()'
    root = Path.cwd()

    def read(path: str, _: int) -> bytes | None:
        return Path(path).read_bytes() if Path(path).is_file() else None

    (form,) = forms_of_named_pages(data, str(root / "app.py"), str(root), read)
    assert form.fields == ("gender", "income")
    assert form.action == "{{ url_for('predict') }}"


def test_a_page_that_changes_is_asked_again_where_results_are_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("app.py").write_text(SERVED.format(taken=VALUES))
    for field, expected in (("grade", False), ("gender", True), ("grade", False)):
        Path("templates/form.html").write_text(PAGE.format(action="/predict", field=field))
        for _ in range(2):  # the second time from what was kept
            main(["check", "--isolated", "--exit-zero", "app.py"])
            assert ("gender" in capsys.readouterr().out) is expected
