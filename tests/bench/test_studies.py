"""Several runs side by side: the ranking first, figures as files, one screen for many models."""

from __future__ import annotations

import csv
import io
import re
import sys
from html import unescape
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

sys.path.insert(0, str(Path(__file__).parent))

from report_data import biased, fair, garbage, on_disk, usage_view, view

from fairlint.bench.figures.comparing import pairs
from fairlint.bench.figures.ranking import Ranked
from fairlint.bench.report import RunView, charts, drawing, figures, paper, standings
from fairlint.bench.report.studies import (
    Study,
    figures_to,
    page_of,
    page_of_suites,
    studies,
    study,
    write_study,
)
from fairlint.bench.report.terminal import WIDTH, width_of
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.suite import Selection
from fairlint.cli import bench_show, main
from fairlint.rendering import plots

TOPICS = 18


def many(count: int) -> list[RunView]:
    return [
        view((biased, fair, garbage)[place % 3], f"model {place:02}", folder=f"run-{place}")
        for place in range(count)
    ]


def mixed(attribute: str, sample: int) -> str:
    return biased(attribute, sample) if sample == 0 else fair(attribute, sample)


@pytest.fixture(scope="module")
def twenty() -> Study:
    return study(many(20))


def ranked(label: str, low: int | None, high: int | None) -> Ranked:
    return Ranked(label, 0.5, 0.4, 0.6, 1.0, low, low, high, ())


def test_the_ranking_comes_before_every_figure_and_rules_their_order(twenty: Study) -> None:
    page = page_of(twenty)
    assert page.index("<h2>Ranking</h2>") < page.index("<h2>Who is preferred</h2>")
    order = re.findall(r'<a href="#run-\d+">([^<]*)</a>', page)
    assert order == [one.label for one in twenty.ranked]
    dots = page.partition("<h2>Who is preferred</h2>")[2].partition("</table>")[0]
    assert [unescape(name) for name in re.findall(r'<th scope="row">(model \d+)', dots)] == order


def test_many_pairs_are_folded_and_subjects_stay_in_the_runs_own_reports(
    twenty: Study, tmp_path: Path
) -> None:
    page = page_of(twenty)
    assert "<summary>All 190 pairs</summary>" in page
    assert "All subjects" not in page
    assert "in the folder of the run" in page
    few = study(many(3))
    assert "All subjects" in page_of(few)
    assert "<summary>All 3 pairs" not in page_of(few)
    report = tmp_path / "runs" / "a b" / "report.html"
    report.parent.mkdir(parents=True)
    report.write_text("")
    own = [RunView(report.parent if number == 0 else one.path, one.metrics, one.responses, one.outcomes)
           for number, one in enumerate(twenty.views)]  # fmt: skip
    assert 'href="runs/a%20b/report.html"' in page_of(study(own, by_column=False), tmp_path)


def test_twenty_models_are_one_screen(twenty: Study) -> None:
    lines = list(standings.standings(twenty.views, twenty.ranked, pairs(twenty.compared)))
    assert len(lines) <= 26
    assert max(map(len, lines)) <= WIDTH
    for one in twenty.ranked:
        assert any(line.startswith(one.label) for line in lines)
    used = list(standings.standings([usage_view("a"), usage_view("b", folder="b")], ()))
    assert "used" in used[1]


@pytest.mark.parametrize("columns", [60, 80, 100, 300])
def test_a_ranking_fits_the_terminal_and_says_what_it_leaves_out(columns: int) -> None:
    views = [view((biased, fair)[place % 2], f"company/coder-of-{place:02}-B") for place in range(20)]
    known = study(views)
    lines = list(standings.standings(known.views, known.ranked, pairs(known.compared), columns=columns))
    assert max(map(width_of, lines)) <= min(columns, WIDTH)
    heads = next(line.split() for line in lines if {"adjusted", "published", "rank"} <= {*line.split()})
    if columns == 80:
        assert lines[-1] == "left out, for want of room: E, R"
        assert "E" not in heads
    assert columns == 60 or "valid" in heads
    assert sum(bool(re.search(r" [01]\.\d\d to [01]\.\d\d  ", line)) for line in lines) == len(known.ranked)
    if columns >= WIDTH:
        assert {"R", "E", "used", "valid"} <= {*heads}
        assert not any("left out" in line for line in lines)


def test_the_line_on_many_pairs_is_wrapped(twenty: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_show, "terminal_width", lambda _stream, _default: 80)
    assert max(map(width_of, "".join(bench_show.comparison(twenty)).splitlines())) <= 80


def test_runs_of_one_model_are_not_called_models() -> None:
    runs = study([view((biased, fair)[place % 2], "one", folder=f"run-{place}") for place in range(4)])
    assert "<h1>4 runs compared</h1>" in page_of(runs)
    assert next(standings.standings(runs.views, runs.ranked)).startswith("4 runs (")
    assert "<h1>4 models compared</h1>" in page_of(study(many(4)))


def test_warnings_of_many_runs_are_one_box_that_names_them() -> None:
    names = [f"noise {place}" for place in range(8)]
    page = page_of(study([view(garbage, name) for name in names], by_column=False))
    (box,) = re.findall(r'<details class="warning">.*?</details>', page, re.DOTALL)
    assert 'class="warning" role' not in page
    summary, _, folded = box.partition("</summary>")
    assert "Not to be trusted." in summary
    assert summary.rstrip().endswith(", ".join(names))
    assert folded.count("<li>") == len(names)
    few = page_of(study([view(garbage, name) for name in names[:2]], by_column=False))
    assert few.count('<p class="warning"') == 2


def test_a_suite_without_pictures_has_its_table_and_runs_without_answers_make_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in "ab":
        on_disk(usage_view(name, folder=name), tmp_path / "runs" / name)
        on_disk(usage_view(name, folder=name, answers=False), tmp_path / "empty" / name)
    folder = tmp_path / "figures"
    assert main(["bench", "compare", str(tmp_path / "empty"), "--figures", str(folder)]) == 0
    assert "figures: none, the suite btm has none" in capsys.readouterr().err
    assert not folder.exists()
    assert main(["bench", "compare", str(tmp_path / "runs"), "--figures", str(folder)]) == 0
    assert {path.name for path in folder.iterdir()} == {"table-use.csv", "table-use.tex"}


@pytest.mark.parametrize("below", ["", "deeper"])
def test_figures_go_to_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], below: str) -> None:
    for place, write in enumerate((biased, fair)):
        on_disk(view(write, f"model {place}"), tmp_path / "runs" / str(place))
    file, page = tmp_path / "taken", tmp_path / "page.html"
    file.write_text("mine")
    target = str(file / below) if below else str(file)
    command = ["bench", "compare", str(tmp_path / "runs"), "--output", str(page), "--figures", target]
    assert main(command) == 2
    (told,) = capsys.readouterr().err.splitlines()
    assert told.endswith(f"{file} is a file, and figures need a folder")
    assert "Errno" not in told
    assert not page.exists()
    assert file.read_text() == "mine"


def test_marks_of_many_models_differ_in_colour_or_shape() -> None:
    assert len({(plots.colour(place), plots.mark(place)) for place in range(42)}) == 42
    drawn = [charts.shape(place, 0, 0, 10) for place in range(42)]
    assert len(set(drawn)) == 42


@given(st.lists(st.floats(0, 1), min_size=1, max_size=25), st.floats(0.001, 0.2))
def test_labels_beside_a_plot_keep_their_distance_and_order(heights: list[float], gap: float) -> None:
    wanted = sorted(heights, reverse=True)
    found = charts.spread(wanted, gap)
    least = min(gap, 1 / max(1, len(found) - 1))
    assert all(upper - lower >= least - 1e-9 for upper, lower in pairwise(found))
    assert all(-1e-9 <= one <= 1 + 1e-9 for one in found)


def test_figures_follow_the_paper_by_attribute_list_and_topic(twenty: Study) -> None:
    names = [one.label for one in twenty.ranked]
    first = figures.by_attribute(twenty.views, names)
    by_list = figures.by_list(twenty.views, names)
    assert first is not None
    assert by_list is not None
    assert [head.name for head in first.heads] == ["gender", "age", "race"]
    assert len(by_list.heads) == 2 + 2 + 3
    assert {head.over for head in by_list.heads} == {
        "job hiring, gender",
        "job hiring, age",
        "college admission, race",
    }
    assert figures.by_topic(twenty.views, names) == []
    assert figures.transpose_preferences(figures.transpose_preferences(first)) == first


def test_what_was_not_tested_against_chance_is_said_to_be_so(twenty: Study) -> None:
    parts = re.split("<h2>", page_of(twenty))
    by_list = next(one for one in parts if one.startswith("Who is preferred, by list"))
    tested = next(one for one in parts if one.startswith("Who is preferred</h2>"))
    assert figures.UNTESTED in by_list
    assert "solid: not tested against chance" in by_list
    assert figures.UNTESTED not in tested
    assert "not tested" not in tested


def test_lines_of_the_scatter_claim_no_fairscore_of_its_marks(twenty: Study) -> None:
    for page in (page_of(twenty), page_of(study(many(1)))):
        _, _, scatter = page.partition("<h2>Entropy against refusal</h2>")
        assert "R + E − R·E is the same" in scatter
        assert "mean of that over subjects and may lie elsewhere" in scatter
        assert "<title>FairScore" not in scatter
        assert "<title>R + E − R·E = " in scatter


def test_test_cases_have_a_figure_of_eighteen_topics_for_each_attribute() -> None:
    suite = suite_of("faircode:testcase")
    topics = dict.fromkeys(request.subject for request in suite.requests(Selection(samples=1)))
    assert len(topics) == TOPICS
    subjects = [
        {"list": "", "subject": name, "answers": 4, "valid": 1, "refusal_rate": 0.0, "entropy": 0.5,
         "fair_score": 0.5, "points": {"male": 3.0, "female": 1.0}, "preferred": "male"}
        for name in topics
    ]  # fmt: skip
    one = view()
    score = {**one.metrics["scores"][0], "scenario": "all", "attribute": "gender", "subjects": subjects}
    metrics = {**one.metrics, "suite": {"name": "faircode:testcase"}, "scores": [score]}
    (made,) = figures.by_topic([RunView(one.path, metrics)], ["model"])
    assert [head.name for head in made.rows] == list(topics)
    dot = made.dots[0][0]
    assert isinstance(dot, figures.Dot)
    assert (dot.whom, dot.place, dot.strength, dot.doubtful) == ("male", 0, 0.5, True)
    assert figures.UNTESTED in made.note
    assert "not tested against chance" in figures.dot_sentence("here", dot)
    assert {row["sure"] for row in csv.DictReader(io.StringIO(paper.as_csv(made)))} == {""}


def test_files_have_the_refusal_rate_beside_each_dot() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    made = figures.by_attribute([view(mixed, "some"), view(biased, "none")], ["some", "none"])
    assert made
    drawn = drawing._draw_preferences(Figure, made)
    beside = [text.get_text() for text in drawn.axes[0].texts]
    assert beside == ["0.67"] * len(made.heads) + ["0.00"] * len(made.heads)
    assert ", R 0.67 &" in paper.as_latex(made)


def test_figures_become_files_that_repeat_and_hold_all_numbers(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    known = study([view(biased, "leans_50%"), view(mixed, "b & c"), view(garbage, "noise")])
    written = figures_to(tmp_path / "one", known)
    names = {path.name for path in written}
    for name in ("ranking", "preferences", "preferences-by-list", "entropy-refusal"):
        assert {f"{name}.{kind}" for kind in ("svg", "pdf", "csv", "tex")} <= names
    again = figures_to(tmp_path / "two", known)
    assert [path.read_bytes() for path in written] == [path.read_bytes() for path in again]
    assert (tmp_path / "one" / "ranking.svg").read_text().startswith("<?xml")
    assert (tmp_path / "one" / "ranking.pdf").read_bytes().startswith(b"%PDF")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "one" / "ranking.csv").read_text())))
    assert {row["model"]: row["FairScore (adjusted)"] for row in rows} == {
        one.label: str(one.mean) for one in known.ranked
    }
    dots = list(csv.DictReader(io.StringIO((tmp_path / "one" / "preferences.csv").read_text())))
    assert len(dots) == 3 * len(known.views[0].metrics["scores"])
    table = (tmp_path / "one" / "ranking.tex").read_text()
    assert r"leans\_50\%" in table
    assert r"b \& c" in table
    assert table.count(r"\\") == 1 + len(known.ranked)


def test_without_matplotlib_a_study_has_its_page_and_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    page, why = write_study(tmp_path, "report", study(many(2)))
    assert page.exists()
    assert (tmp_path / "report.md").exists()
    assert "matplotlib" in why
    assert "\n" not in why


def test_a_page_of_suites_has_a_ranking_for_each() -> None:
    known = studies([*many(2), usage_view("a"), usage_view("b", folder="b")])
    page = page_of_suites(known)
    assert page.count("<h2>Ranking</h2>") == 1
    assert page.count("<h2>Comparison</h2>") == 1


def test_latex_has_no_letter_that_would_act() -> None:
    told = paper.as_latex(figures.Ranks("r", "R", "", ("S", "T"), (ranked("\\input{x}_$&#^~", 1, 1),)))
    assert r"\textbackslash{}input\{x\}\_\$\&\#\textasciicircum{}\textasciitilde{}" in told


def test_every_two_runs_are_compared_once(twenty: Study) -> None:
    assert len(twenty.compared) == len(list(combinations(range(20), 2)))


def test_runs_are_compared_without_their_answers_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[RunView] = []
    for place, write in enumerate((biased, fair)):
        on_disk(view(write, f"model {place}"), tmp_path / "runs" / str(place))

    def comparison(known: Study) -> list[str]:
        held.extend(known.views)
        return []

    monkeypatch.setattr(bench_show, "comparison", comparison)
    assert main(["bench", "compare", str(tmp_path / "runs")]) == 0
    for one in held:
        assert not isinstance(one.responses, list | tuple)
        assert len(list(one.responses)) == len(list(one.responses)) > 0


def test_figures_and_a_report_of_a_comparison_are_written_where_they_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    for place in range(5):
        on_disk(view((biased, fair)[place % 2], f"model {place}"), tmp_path / "runs" / str(place))
    page, folder = tmp_path / "all.html", tmp_path / "figures"
    command = ["bench", "compare", str(tmp_path / "runs"), "--output", str(page), "--figures", str(folder)]
    assert main(command) == 0
    told = capsys.readouterr().out
    assert len(told.splitlines()) < 15
    assert re.search(r"of 10 pairs differ by more than chance", told)
    assert "<h2>Ranking</h2>" in page.read_text()
    assert (folder / "ranking.tex").exists()
