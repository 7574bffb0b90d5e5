"""Tables and figures of `fairlint model`: read back as they were, drawn, and told on one page."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from random_models import tiny

from fairlint import UsageError
from fairlint.model_bias import results, shown
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.report import drawing, writing

ALL: tuple[shown.Shown, ...] = (
    shown.Table(
        "scores", "Scores", "Higher is better.", ("what", "SS"), (("gender <b>", 62.1), ("race", None))
    ),
    shown.Heat("heads", "Heads", "Red pushes up.", ((0.1, -0.2), (0.3, 0.0)), "nats"),
    shown.Dots("agreement", "Agreement", "", "attribution", "exact", (("23.5", 0.1, 0.2),), diagonal=True),
    shown.Curves(
        "curve",
        "Curve",
        "",
        "heads",
        "SS",
        (
            shown.Line("mean", (0, 1), (60.0, 58.0), (59.0, 57.0), (61.0, 59.0)),
            shown.Line("zero", (0, 1), (60, 50)),
        ),
        level=50,
    ),
    shown.Bars(
        "gaps", "Gaps", "", "nats", (("he & she", 0.5, 0.1, 0.9), ("other", 0.1, None, None)), level=0
    ),
)


@pytest.mark.parametrize("one", ALL, ids=lambda one: type(one).__name__)
def test_what_is_shown_is_read_back(one: shown.Shown) -> None:
    assert shown.read(shown.as_json(one)) == one


def test_what_is_no_table_or_figure_is_an_error() -> None:
    for wrong in ({}, {"kind": "pie"}, {"kind": "heat", "name": "x"}):
        with pytest.raises(ValueError, match="no table or figure"):
            shown.read(wrong)


@pytest.mark.parametrize("one", ALL[1:], ids=lambda one: type(one).__name__)
def test_a_figure_is_the_same_file_each_time(one: shown.Heat) -> None:
    assert drawing.svg(one) == drawing.svg(one)
    assert drawing.svg(one).startswith("<?xml")


def test_a_folder_gets_one_page_and_each_figure_for_itself(tmp_path: Path) -> None:
    loaded = Loaded("tiny", "1", tiny("llama"), tokenizer=None, masked=False, batch_size=0)
    told = results.document(
        "locate",
        loaded,
        settings={"pairs": 6},
        data=[{"name": "WinoGender", "items": 240}],
        definitions={"effect": "what a head changes"},
        figures={},
        verdict="Head 23.5 leads.",
        shown=ALL,
        examples=["if job.gender == '<male>'"],
        skipped=[{"id": "a", "reason": "unequal"}],
    )
    with results.open_part(tmp_path, "locate", loaded, items="x") as run:
        results.write(run, told)
    page = writing.write_report(tmp_path).read_text()
    for said in (
        "Head 23.5 leads.",
        "gender &lt;b&gt;",
        "if job.gender == &#39;&lt;male&gt;&#39;",
        "a: unequal",
    ):
        assert said in page
    assert page.count("data:image/svg+xml;base64,") == 4
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "<script" not in page
    with (tmp_path / "figures" / "locate-heads.csv").open() as file:
        assert list(csv.reader(file))[:2] == [["layer", "head", "nats"], ["0", "0", "0.1"]]
    assert sorted(path.name for path in (tmp_path / "figures").glob("*.svg")) == [
        "locate-agreement.svg", "locate-curve.svg", "locate-gaps.svg", "locate-heads.svg",
    ]  # fmt: skip


def test_a_folder_without_results_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no results of fairlint model"):
        writing.write_report(tmp_path)


def test_a_table_for_the_terminal_lines_up() -> None:
    table = shown.Table(
        "t", "Scores", "", ("what", "SS", "items"), (("gender", 62.14, 255), ("race", 7.0, 962))
    )
    assert shown.in_text(table) == "Scores\nwhat      SS  items\ngender  62.1    255\nrace    7.00    962\n"


def folder_of(path: Path, *pictures: shown.Shown) -> Path:
    loaded = Loaded("tiny", "1", tiny("llama"), tokenizer=None, masked=False, batch_size=0)
    told = results.document("score", loaded, settings={}, data=[], definitions={}, figures={}, shown=pictures)
    with results.open_part(path, "score", loaded, items="x") as run:
        results.write(run, told)
    return path


def test_cells_that_a_spreadsheet_would_run_are_guarded() -> None:
    table = shown.Table("t", "T", "", ("=cmd", "b"), (("=1+1", -1.5), (" @x", None), ("a\x1bb", "+2")))
    rows = list(csv.reader(writing.csv_of(table).splitlines()))
    assert rows == [["'=cmd", "b"], ["'=1+1", "-1.5"], ["' @x", ""], ["a\N{REPLACEMENT CHARACTER}b", "'+2"]]


@pytest.mark.parametrize(
    ("way", "value", "says"),
    [
        (("shown", 0, "name"), "../../esc", r"in `shown\[0\]` `name` is .*, not a name of a file"),
        (("shown", 0, "kind"), "pie", r"in `shown\[0\]` `kind` is \"pie\", not"),
        (("shown", 0, "rows"), [["a"]], r"`shown\[0\]` `rows\[0\]` has not 2 entries, one for each col"),
        (("shown", 0, "rows"), [["a", 10**400]], r"`rows\[0\]\[1\]` is a whole number of more than"),
        (("shown", 1, "values"), [[1.0], []], r"in `shown\[1\]` `values\[1\]` has 0 entries"),
        (("shown", 1, "values"), [[1.0], [1.0, 2.0]], r"in `shown\[1\]` `values\[1\]` has not 1 entries"),
        (("shown", 1, "name"), "scores", r"`shown` has scores twice"),
        (("warnings",), "x", "`warnings` is \"x\", not a list"),
        (("model",), {"name": "x"}, r"`model.revision` is missing"),
        (("settings",), None, "`settings` is null, not an object"),
    ],
)  # fmt: skip
def test_results_of_another_form_are_told_with_their_place(
    tmp_path: Path, way: tuple[str | int, ...], value: object, says: str
) -> None:
    file = folder_of(tmp_path, ALL[0], ALL[1]) / "score" / "metrics.json"
    document = inner = json.loads(file.read_text())
    for step in way[:-1]:
        inner = inner[step]
    inner[way[-1]] = value
    file.write_text(json.dumps(document))
    before = set(tmp_path.rglob("*"))
    with pytest.raises(UsageError, match=says) as caught:
        writing.write_report(tmp_path)
    assert str(caught.value).startswith(f"{file} is not as fairlint model score writes it: ")
    assert set(tmp_path.rglob("*")) == before


def test_names_are_no_formulas_of_pictures(tmp_path: Path) -> None:
    bars = shown.Bars("gaps", "Gaps", "", r"$\frac$", ((r"$\nothing{", 0.5, None, None),))
    page = writing.write_report(folder_of(tmp_path, bars))
    assert page.exists()
    assert r"$\nothing{" in (tmp_path / "figures" / "score-gaps.svg").read_text()
