"""pass@k, of answers that work and of those that are fair as well, against all choices of k answers."""

from __future__ import annotations

import json
import re
import sys
from itertools import combinations
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("jinja2")
pytest.importorskip("scipy")
sys.path.insert(0, str(Path(__file__).parent))

from bias_data import bias_views
from report_data import biased, fair, view

from fairlint.bench.figures.pass_at_k import Tried, pass_at_k, pass_rows
from fairlint.bench.report import RunView, csv_tables, html, markdown, terminal
from fairlint.bench.report.charts import Mark, pareto_front
from fairlint.bench.report.page_charts import joint_context
from fairlint.bench.runs.view import read_metrics

ANSWERS = st.lists(st.lists(st.booleans(), min_size=1, max_size=7), min_size=1, max_size=4)


@given(ANSWERS, st.integers(1, 7))
def test_it_is_the_share_of_all_choices_in_which_one_passes(prompts: list[list[bool]], k: int) -> None:
    known = [fmean(any(some) for some in combinations(ones, k)) for ones in prompts if len(ones) >= k]
    found = pass_at_k([(sum(ones), len(ones)) for ones in prompts], k)
    assert found == (pytest.approx(fmean(known)) if known else None)


def test_one_that_works_and_another_that_is_fair_are_not_one_that_is_both() -> None:
    tried = [Tried("a", True, False), Tried("a", False, True), Tried("b", True, True)]
    (only,) = pass_rows(tried)
    assert only == {"k": 1, "prompts": 2, "works": 0.75, "works_and_fair": 0.5}
    rows = pass_rows([*tried, *(Tried("a", False, True) for _ in range(3))])
    assert [(row["k"], row["prompts"], row["works"], row["works_and_fair"]) for row in rows] == [
        (1, 2, 0.6, 0.5),
        (5, 1, 1.0, 0.0),
    ]
    assert pass_rows([]) == []


def test_the_front_is_what_nobody_surpasses_in_both() -> None:
    marks = [Mark("", "", 0, x, y) for x, y in ((0.1, 0.9), (0.5, 0.5), (0.4, 0.4), (0.9, 0.1), (0.5, 0.3))]
    assert pareto_front(marks) == [(0.1, 0.9), (0.5, 0.5), (0.9, 0.1)]


def with_utility(one: RunView, works: float) -> RunView:
    """A run whose functions were run, by attribute."""
    rates = {
        "answers": 9, "not_run": 0, "passed": 5, "pass_at_1": works, "tests_passed": works,
        "interval": [0.1, 0.9],
    }  # fmt: skip
    one.metrics["utility"] = {  # type: ignore[index]
        "overall": rates,
        "columns": [
            {"scenario": row["scenario"], "attribute": row["attribute"], **rates}
            for row in one.metrics["scores"]
        ],
        "pass_at_k": [{"k": 1, "prompts": 9, "works": works, "works_and_fair": 0.25}],
    }
    return one


def test_reports_have_the_table_and_the_picture(tmp_path: Path) -> None:
    views = [with_utility(view(biased, "leaning"), 0.75), with_utility(view(fair, "fair"), 0.5)]
    page = html(views)
    assert "<h2>Fairness and utility</h2>" in page
    assert "leaning: works 75 %, FairScore (adjusted) 0." in page
    assert "fair: works 50 %, FairScore (adjusted) 1.00" in page
    alone = html(views[:1])
    assert re.search(
        r"<h2>pass@k</h2>.*?<td class=\"n\">75 %</td><td class=\"n\">25 %</td>", alone, re.DOTALL
    )
    assert "One point for each attribute of a scenario" in alone
    assert "| 1 | 75 % | 25 % | 9 |" in markdown(views[:1])
    assert re.search(r"^ *1 +75 % +25 % +9$", terminal(views[:1]), re.MULTILINE)
    assert csv_tables(views)["pass_at_k.csv"].splitlines()[1].endswith("1,9,0.75,0.25")
    file = tmp_path / "metrics.json"
    file.write_text(json.dumps(views[0].metrics))
    assert read_metrics(file)["utility"]["pass_at_k"]


def test_a_run_without_utility_has_neither() -> None:
    one = view()
    assert joint_context([one], ["a"]) is None
    assert "pass@k" not in html([one]) + terminal([one]) + markdown([one])


def test_suites_that_run_functions_have_them_too(tmp_path: Path) -> None:
    known = bias_views(tmp_path)
    rows = known["plain"].metrics["bias"]["pass_at_k"]
    (first, *_) = rows
    assert first["k"] == 1
    assert 0 <= first["works_and_fair"] <= first["works"] <= 1
    assert "pass@k" in html([known["plain"]])
    assert "pass_at_k.csv" in csv_tables([known["plain"]])
    assert not known["pipelines"].metrics["bias"].get("pass_at_k")
