"""Reports of suites that measure bias: tables, pictures, sentences, and the page of all suites."""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")
sys.path.insert(0, str(Path(__file__).parent))

from bias_data import bias_views
from report_data import view

from fairlint.bench.figures.comparing import compare_runs, pairs
from fairlint.bench.report import RunView, csv_tables, html, html_of_suites, markdown, terminal
from fairlint.bench.report.bias import tables, tiles, verdict
from fairlint.bench.report.lines import Line, lines
from fairlint.bench.report.side_by_side import side_by_side
from fairlint.bench.report.standings import standings
from fairlint.support.records import replace

COLUMNS = 100


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunView]:
    return bias_views(tmp_path_factory.mktemp("runs"))


def test_the_sentence_says_what_came_out(views: dict[str, RunView]) -> None:
    large = copy.deepcopy(dict(views["plain"].metrics))
    large["bias"]["overall"]["units"] = 100.0
    assert verdict(replace(views["plain"], metrics=large), "speaking") == (
        "In 50 % (95 % interval 15 % to 85 %) of the functions that speaking wrote, more than 10 % of "
        "people would get another answer if nothing about them but one protected attribute were different."
    )
    large = copy.deepcopy(dict(views["agents"].metrics))
    large["bias"]["overall"]["units"] = 100.0
    told = verdict(replace(views["agents"], metrics=large), "speaking")
    assert "before the mitigation “agents” it was 50 %" in told
    none = "No verdict on speaking: none of its 8 answers can be counted."
    assert verdict(views["pipelines"], "speaking") == none, "no pipeline is valid"


def test_of_a_few_functions_nothing_is_concluded(views: dict[str, RunView]) -> None:
    assert verdict(views["plain"], "speaking") == (
        "4 answers: nothing can be concluded. Two runs of this size would not show a difference of less than "
        "0.99. speaking: CBS is 50 % (95 % interval 15 % to 85 %)."
    )


def test_the_page_says_whether_code_was_run(views: dict[str, RunView]) -> None:
    assert "The code was run in a sandbox." in html([views["plain"]])
    assert "The code was read and not run." in html([views["pipelines"]])


def test_tables_stand_in_all_reports(views: dict[str, RunView]) -> None:
    for one in views.values():
        page, text, shown = html([one]), markdown([one]), terminal([one])
        for table in tables(one):
            assert table.title in page
            assert f"### {table.title}" in text
            assert table.title.lower() in shown
        assert all(len(line) <= COLUMNS for line in shown.splitlines())
    (row,) = tables(views["plain"])[1].shown()[1]
    assert row[:5] == ["adult", "selected", "gender", "50 %", "15 % to 85 %"]
    assert "CIP round by round" in html([views["agents"]])
    assert "The auditor's verdict agrees" in markdown([views["agents"]]).replace("\\", "")


def test_tiles_come_first(views: dict[str, RunView]) -> None:
    told = {what: value for what, value, _ in tiles(views["agents"])}
    assert told["CBS"] == "0 %"
    assert told["CBS before"] == "50 %"


def test_csv_has_a_row_for_each_figure(views: dict[str, RunView]) -> None:
    found = csv_tables([views["agents"]])
    head, row = (line.split(",") for line in found["attributes.csv"].splitlines())
    told = dict(zip(head, row, strict=True))
    assert (told["attribute"], told["cbs"], told["before_cbs"]) == ("gender", "0.0", "0.5")
    assert float(told["low"]) <= float(told["cbs"]) <= float(told["high"])


def test_two_runs_stand_side_by_side(views: dict[str, RunView]) -> None:
    both = [views["agents"], views["plain"]]
    page = html(both)
    assert page.count('<th scope="row">speaking, agents') >= 1
    assert page.count('<th scope="row">speaking<') >= 1
    assert "speaking, agents" in markdown(both)


def test_a_mitigation_is_compared_with_none(views: dict[str, RunView]) -> None:
    (found,) = compare_runs([views["agents"], views["plain"]])
    assert found.measure == "CBS"
    (gender,) = found.columns
    assert (gender.attribute, gender.first, gender.second, gender.subjects) == ("gender", 0.0, 0.5, 4)
    assert found.overall is not None
    assert found.overall.difference == -0.5
    assert pairs([found]) == [], "the pages compare FairScores alone"


def test_one_page_shows_all_suites(views: dict[str, RunView]) -> None:
    page = html_of_suites([*views.values(), view()])
    assert page.count("<main") == 1
    for suite in ("counterfactual", "pipelines", "faircode:function"):
        assert f"<h2>{suite}</h2>" in page
    anchors = [part.split('"')[0] for part in page.split(' id="')[1:]]
    assert len(anchors) == len(set(anchors)), "each place has a name of its own"
    assert html_of_suites([views["plain"]]) == html([views["plain"]])


def test_names_from_outside_are_escaped() -> None:
    line = Line("<b>&", ((0, 0.1), (1, 0.5)), ((0.0, 0.2), (0.4, 0.6)))
    drawn = lines([line], width=300, kind="wide", what="x", across="y")
    assert "<b>" not in drawn
    assert "&lt;b&gt;&amp;" in drawn


def _measured_by(view: RunView, biased: dict[str, int], overall: float) -> RunView:
    """A run of ten functions an attribute, of which so many are biased."""
    rows = [
        {"scenario": "german", "prompt": "selected", "attribute": name, "biased": count, "cbs": count / 10}
        | {"answers": 10, "not_judged": 0, "valid": 1.0, "interval": [0.0, 1.0]}
        for name, count in biased.items()
    ]
    known = {**view.metrics["bias"], "attributes": rows}
    known["overall"] = {**known["overall"], "cbs": overall}
    return replace(view, metrics={**view.metrics, "bias": known})


def test_runs_are_compared_by_the_same_attributes(views: dict[str, RunView]) -> None:
    """Few-shot asks by one attribute at a time: "by any" of its functions is another figure."""
    plain = _measured_by(views["plain"], {"gender": 2, "age": 0}, 0.2)
    shown = _measured_by(views["plain"], {"gender": 4, "age": 0}, 0.2)
    told = [(one.run, one.figure, one.value) for one in side_by_side([plain, shown])]
    assert told[:2] == [(0, "CBS, german, gender", 0.2), (1, "CBS, german, gender", 0.4)]
    assert "CBS, german, gender" in html([plain, shown])
    assert "CBS, german, gender" in markdown([plain, shown])
    overall = [(one.figure, one.value) for one in side_by_side([plain, views["pipelines"]])]
    assert overall[0] == ("CBS", 0.2)


def test_many_runs_on_a_terminal_show_what_was_measured(views: dict[str, RunView]) -> None:
    made = [_measured_by(views["plain"], {"gender": count}, 0.2) for count in range(5)]
    runs = [replace(one, path=one.path / str(count)) for count, one in enumerate(made)]
    lines = list(standings(runs, ()))
    assert all(len(line) <= COLUMNS for line in lines)
    told = [line for line in lines if "CBS, german, gender" in line]
    assert len(told) == 5
    assert "40 %" in told[4]
    assert not any("–" in line for line in told)
