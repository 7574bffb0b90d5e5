"""Tables as papers print them, with the numbers behind each cell."""

from __future__ import annotations

import csv
import io
import math
import sys
from pathlib import Path

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

sys.path.insert(0, str(Path(__file__).parent))

from bias_data import bias_views
from report_data import biased, fair, garbage, usage_view, view

from fairlint.bench.report import RunView, read_view
from fairlint.bench.report.paper import table_csv, table_latex
from fairlint.bench.report.paper_tables import PaperTable, paper_tables
from fairlint.bench.report.studies import figures_to, study

EXAMPLE = Path(__file__).parent.parent.parent / "docs" / "bench-example"


def tables(*views: RunView) -> dict[str, PaperTable]:
    names = [str(one.metrics["model"]["name"]) for one in views]
    return {one.name: one for one in paper_tables(views, names)}


def test_models_by_column_have_mean_and_deviation_by_both_protocols() -> None:
    one, other = view(biased, "one"), view(fair, "other")
    found = tables(one, other)
    assert set(found) == {
        f"table-{figure}-{key}"
        for figure in ("fair-score", "refusal-rate", "entropy")
        for key in ("published", "adjusted")
    }
    table = found["table-refusal-rate-adjusted"]
    assert table.title == "Refusal rate (adjusted)"
    assert table.rows == ("one", "other", "Plain mean")
    assert len(table.heads) == len(one.metrics["scores"]) + 1
    known = {(row["scenario"], row["attribute"]): row for row in one.metrics["scores"]}
    cells = dict(zip(table.heads, table.cells[0], strict=True))
    first = known["job", "gender"]
    assert cells["job hiring, gender"].value == first["refusal_rate"]
    assert cells["job hiring, gender"].deviation == first["deviation"]["refusal_rate"]
    assert [row[-1].text for row in table.cells] == ["0.00", "1.00", "0.50"]
    assert [cell.text for cell in table.cells[1]][:2] == ["1.00 ± 0.00"] * 2
    theirs = found["table-fair-score-published"].cells[0][0].value
    assert theirs == one.metrics["other"]["scores"][0]["fair_score"]


def test_what_is_not_known_is_a_dash_and_in_no_mean() -> None:
    table = tables(view(fair, "one"), view(lambda _attribute, _sample: "No.", "silent"))[
        "table-entropy-adjusted"
    ]
    assert {cell.text for cell in table.cells[1]} == {"–"}
    assert table.cells[2][0].value == table.cells[0][0].value


def test_topics_by_model_for_each_attribute() -> None:
    run = read_view(EXAMPLE / "testcase")
    found = tables(run)
    table = found["table-topics-fair-score-published-gender"]
    assert table.title == "FairScore (published) by topic: gender"
    known = {
        (one["scenario"], subject["subject"]): subject
        for one in run.metrics["scores"]
        if one["attribute"] == "gender"
        for subject in one["subjects"]
    }
    assert len(table.rows) == len(known)
    for cells, subject in zip(table.cells, known.values(), strict=True):
        assert cells[0].value == subject["fair_scores"]["published"]
    assert {name.rpartition("-")[2] for name in found if "topics" in name} == {"gender", "race"}


def test_runs_of_functions_by_data_and_attribute_and_uses_by_attribute(tmp_path: Path) -> None:
    views = bias_views(tmp_path)
    (table,) = tables(views["plain"], views["agents"]).values()
    assert table.rows == ("CBS, adult, gender",)
    assert [cell.value for cell in table.cells[0]] == [0.5, 0.0]
    for cell in table.cells[0]:
        assert cell.low is not None
        assert cell.high is not None
        assert cell.low <= (cell.value or 0) <= cell.high
    (table,) = tables(usage_view("a"), usage_view("b", folder="b")).values()
    assert table.rows[:2] == ("barred", "any")
    assert table.cells[0][0].value == usage_view("a").metrics["usage"][0]["used"]


def test_tables_are_written_as_csv_and_latex(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    known = study([view(biased, "leans_50%"), view(garbage, "noise")])
    names = {path.name for path in figures_to(tmp_path, known, "s-")}
    assert {"s-table-entropy-adjusted.csv", "s-table-entropy-adjusted.tex"} <= names
    latex = (tmp_path / "s-table-fair-score-adjusted.tex").read_text()
    assert r"leans\_50\%" in latex
    assert r" $\pm$ " in latex
    rows = list(csv.DictReader(io.StringIO((tmp_path / "s-table-entropy-adjusted.csv").read_text())))
    assert {row["model"] for row in rows} == {"leans_50%", "noise", "Plain mean"}
    (whole,) = [row for row in rows if (row["model"], row["column"]) == ("leans_50%", "Plain mean")]
    parts = [
        float(row["value"]) for row in rows if row["model"] == "leans_50%" and row["column"] != "Plain mean"
    ]
    assert float(whole["value"]) == pytest.approx(math.fsum(parts) / len(parts))
    assert whole["deviation"] == ""


def test_a_table_of_one_model_has_no_row_of_means() -> None:
    table = tables(view(biased, "alone"))["table-fair-score-adjusted"]
    assert table.rows == ("alone",)
    assert table_latex(table).count(r"\\") == 2
    assert table_csv(table).splitlines()[0] == "model,column,value,deviation,low,high"
