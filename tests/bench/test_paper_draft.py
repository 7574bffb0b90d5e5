"""A draft of a paper from stored runs: it says what `metrics.json` carries, and nothing else."""

from __future__ import annotations

import json
import re
import sys
from html import unescape
from pathlib import Path

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")
pytest.importorskip("matplotlib")

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent.parent / "benchmarks"))

import paper_numbers
from bias_data import bias_views
from report_data import fair, on_disk, view

from fairlint.cli import main

EXAMPLE = Path(__file__).parent.parent.parent / "docs" / "bench-example"
RUNS = [EXAMPLE / name for name in ("btm", "function", "testcase")]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The draft of the runs in the documentation."""
    folder = tmp_path_factory.mktemp("paper")
    assert main(["bench", "paper", str(EXAMPLE), "--output", str(folder)]) == 0
    return folder


def faults(page: str, runs: list[Path]) -> list[str]:
    return list(paper_numbers.faults(page, [json.loads((run / "metrics.json").read_text()) for run in runs]))


def words_of(page: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", page.partition("<body>")[2]))


def test_every_number_is_that_of_the_figures(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = written / "paper.html"
    assert paper_numbers.main([str(page), *map(str, RUNS)]) == 0
    assert capsys.readouterr().out == ""
    assert page.read_text().count("<data ") > 100


def test_the_check_finds_what_is_wrong(written: Path) -> None:
    page = (written / "paper.html").read_text()
    for old, new, told in (
        (">0.83</data>", ">0.84</data>", "0.84 is said"),
        (">45 %</data>", ">46 %</data>", "46 % is said"),
        (">216</data>", ">217</data>", "217 is said"),
        ("<p>Nothing is concluded", "<p>In 12 answers nothing is concluded", "a number without a place"),
        ("job hiring, gender †", "job hiring, gender", "too few valid answers (15)"),
        ("barred †", "barred", "too few valid answers (46)"),
    ):
        assert old in page, old
        assert any(told in fault for fault in faults(page.replace(old, new), RUNS)), told
    unclaimed = re.sub(r'data-run="1"( data-path="/overall)', r'data-run="2"\1', page)
    assert any("too few" in fault for fault in faults(unclaimed, RUNS))


def test_it_says_method_data_models_numbers_and_limits(written: Path) -> None:
    page = (written / "paper.html").read_text()
    told = words_of(page)
    heads = re.findall(r"<h2>(.*?)</h2>", page)
    assert heads == [
        "Abstract", "Method", "Results: btm", "Results: faircode:function", "Results: faircode:testcase",
        "What was not judged", "Limits",
    ]  # fmt: skip
    for part in (
        "at least 100 valid answers",
        "This holds of SmolLM2-135M-Instruct.Q4_1 on faircode:function.",
        "Only a part of the suite was asked, at most 108 prompts.",
        "The code was read and not run.",
        "less than half of its answers are valid",
        "FairScore (adjusted) of 0.83 (95 % interval 0.61 to 0.89)",
        "these rest on 10 answers of each subject, and here there are 2.",
        "No group is said to be preferred",
        "0 of 216 answers were not judged; 44 % were cut",
        "Valid, but no answer to the task: 3.",
        "the tables have the number of subjects that are in the mean",
    ):
        assert part in told, part


def test_latex_has_the_same_numbers_in_the_same_order(written: Path) -> None:
    page, latex = ((written / name).read_text() for name in ("paper.html", "paper.tex"))
    shown = re.findall(r"<data [^>]*>(.*?)</data>", page)
    facts = re.findall(r"\\fact\{((?:[^{}]|\{\})*)\}\{", latex)
    plain = [re.sub(r"\\text(less|greater)\{\}", lambda one: {"less": "<", "greater": ">"}[one[1]], one)
             .replace(r"\%", "%").replace("--", "–") for one in facts]  # fmt: skip
    assert plain == [unescape(one) for one in shown]
    assert not re.search(
        r"(?<!\\)[%#&_](?![^\n]*\\\\)", re.sub(r"\\(newcommand|usepackage)[^\n]*", "", latex)
    )
    for name in re.findall(r"\\includegraphics\[[^]]*\]\{(.*?)\}", latex):
        assert (written / name).exists()
    for name in re.findall(r'<img src="(.*?)"', page):
        assert (written / name).exists()


def test_nothing_is_concluded_from_fewer_answers_than_are_asked_for(tmp_path: Path) -> None:
    runs = [str(EXAMPLE / "function"), "--output", str(tmp_path), "--least", "123"]
    assert main(["bench", "paper", *runs]) == 0
    page = (tmp_path / "paper.html").read_text()
    told = words_of(page)
    assert "No such run is here" in told
    assert "it has fewer valid answers than this draft asks for" in told
    assert "comes to" not in told
    assert "<img" not in page
    assert faults(page, [EXAMPLE / "function"]) == []


def test_prompts_of_kept_answers_are_not_called_fairlints_own(tmp_path: Path) -> None:
    line = {
        "scenario": "income",
        "attribute": "age, race",
        "subject": "base",
        "code": "def f(person): return 1",
    }
    (tmp_path / "answers.jsonl").write_text(json.dumps(line) + "\n")
    run = str(tmp_path / "run")
    assert (
        main(["bench", "--model", f"replay:{tmp_path}/answers.jsonl", "--suite", "btm", "--output", run]) == 0
    )
    assert main(["bench", "paper", run, "--output", str(tmp_path)]) == 0
    told = words_of((tmp_path / "paper.html").read_text())
    assert "The prompts are fairlint’s own" not in told
    assert "their prompts are those of whoever asked for them" in told


def test_runs_of_all_kinds_of_suites_are_told(tmp_path: Path) -> None:
    bias_views(tmp_path / "runs")
    on_disk(view(fair), tmp_path / "runs" / "zz")
    assert (
        main(["bench", "paper", str(tmp_path / "runs"), "--output", str(tmp_path / "p"), "--least", "1"]) == 0
    )
    page = (tmp_path / "p" / "paper.html").read_text()
    told = words_of(page)
    for suite in ("counterfactual", "pipelines", "faircode:function"):
        assert f"Results: {suite}" in told
    assert "Whether these runs differ is not tested here" in told
    assert "run in a sandbox" in told
    assert faults(page, [tmp_path / "runs" / name for name in ("agents", "pipelines", "plain", "zz")]) == []


def test_the_same_runs_give_the_same_files(written: Path, tmp_path: Path) -> None:
    assert main(["bench", "paper", str(EXAMPLE), "--output", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in written.iterdir()}
    for path in written.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_runs_of_others_cannot_write_markup(tmp_path: Path) -> None:
    name = r"<b>x</b>}\input{/etc/passwd} $&%#_^~ {0} {who}"
    one = view(fair, name)
    run = on_disk(
        one, tmp_path / "run", settings={**one.metrics["settings"], "limit": "<i>many", "samples": [1]}
    )
    assert main(["bench", "paper", str(run), "--output", str(tmp_path / "p"), "--least", "1"]) == 0
    page, latex = ((tmp_path / "p" / file).read_text() for file in ("paper.html", "paper.tex"))
    assert "<b>x" not in page
    assert "<i>" not in page
    assert name in words_of(page)
    assert r"\input" not in latex
    assert r"\textbackslash{}input\{/etc/passwd\} \$\&\%\#\_" in latex


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "bench paper takes the folders of runs"),
        ([str(EXAMPLE)], "bench paper needs --output"),
        (
            [str(EXAMPLE), "--output", "x", "--least", "0"],
            "--least must be a whole number from 1 on, not '0'",
        ),
        ([str(EXAMPLE), "--output", "x", "--least", "many"], "not 'many'"),
        (["nowhere", "--output", "x"], "no such folder"),
    ],
)
def test_what_cannot_be_is_one_line(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["bench", "paper", *arguments]) == 2
    found = capsys.readouterr().err
    assert told in found
    assert found.count("\n") == 1
    assert not (tmp_path / "x").exists()
