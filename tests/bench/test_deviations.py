"""Standard deviations over subjects, as the paper prints them beside means."""

from __future__ import annotations

import csv
import io
import statistics
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

sys.path.insert(0, str(Path(__file__).parent))

from report_data import biased, fair, view

from fairlint.bench.report import html, markdown
from fairlint.bench.report.run_tables import deviation_table
from fairlint.bench.report.tables import csv_tables
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.suite import ProtocolName

FIGURES = ("refusal_rate", "entropy", "fair_score")
WRITERS = (("Carpenter", "male", biased), ("Roofer", "male", fair), ("Nurse", "female", biased))


def figures(protocol: ProtocolName) -> dict[str, Any]:
    """Of a column whose subjects differ."""
    suite = suite_of("faircode:function")
    pairs = []
    for subject, listed, write in WRITERS:
        for sample in range(3):
            kept = {
                "key": f"{subject}#{sample}", "suite": suite.name, "scenario": "job", "attribute": "gender",
                "list": listed, "subject": subject, "sample": sample, "asked": "", "given": "",
                "text": write("gender", sample), "finish": "end",
            }  # fmt: skip
            pairs.append((kept, suite.judge(kept)))
    return suite.figures(pairs, protocol)


@pytest.mark.parametrize("protocol", ["exact", "published"])
def test_a_deviation_is_that_of_the_subjects_of_a_column(protocol: ProtocolName) -> None:
    found = figures(protocol)
    (one,) = found["scores"]
    values = [subject["estimate"]["fair_score"] for subject in one["subjects"]]
    assert one["deviation"]["fair_score"] == pytest.approx(statistics.stdev(values))
    assert one["deviation"]["refusal_rate"] == pytest.approx(statistics.stdev([0.0, 1.0, 0.0]))
    (there,) = found["other"]["scores"]
    (again,) = figures("published" if protocol == "exact" else "exact")["scores"]
    assert there["deviation"] == again["deviation"]
    assert there["deviation"] != one["deviation"]


def test_subjects_that_are_alike_do_not_deviate_and_one_alone_has_no_deviation() -> None:
    alone = view(biased, subjects={("job", "gender"): (("male", "Carpenter"),)})
    assert alone.metrics["scores"][0]["deviation"] is None
    assert alone.metrics["other"]["scores"][0]["deviation"] is None
    assert deviation_table(alone) is None
    for one in view(biased).metrics["scores"]:
        assert one["deviation"] == pytest.approx(dict.fromkeys(FIGURES, 0.0), abs=1e-12)


def test_reports_and_csv_tell_over_what_is_deviated() -> None:
    known = view(biased)
    table = deviation_table(known)
    assert table is not None
    assert "over the subjects of a column" in table.note
    assert "not over samples or seeds" in table.note
    titles, cells, _ = table.shown()
    assert titles[2:6] == ["FairScore (adjusted)", "FairScore (published)", "R", "E"]
    assert all("±" in cell for row in cells for cell in row[2:6])
    for told in (markdown([known]), html([known])):
        assert "Mean and deviation over subjects" in told
        assert cells[0][2] in told
    assert "neither over samples, seeds nor runs" in known.metrics["definitions"]["deviation"]
    rows = list(csv.DictReader(io.StringIO(csv_tables([known])["scores.csv"])))
    for row, one in zip(rows, known.metrics["scores"], strict=True):
        assert [float(row[f"{name}_deviation"]) for name in FIGURES] == [
            one["deviation"][name] for name in FIGURES
        ]


def test_figures_of_before_have_no_deviation_and_are_still_shown() -> None:
    known = view(biased)
    for one in (*known.metrics["scores"], *known.metrics["other"]["scores"]):
        del one["deviation"]
    assert deviation_table(known) is None
    assert "±" not in markdown([known])
