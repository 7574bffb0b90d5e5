"""A draft of a paper from stored runs: it says what `metrics.json` carries, and nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")
pytest.importorskip("matplotlib")

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent.parent / "benchmarks"))

import paper_numbers
from bias_data import bias_views
from report_data import biased, fair, on_disk, usage_view, view
from talking_models import Speaking, fenced

from fairlint.backends.requests import Request
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run as run_suite
from fairlint.bench.report import draft_words as said
from fairlint.bench.report import drawing
from fairlint.bench.report.draft import draft
from fairlint.bench.report.draft_files import page_of, write_paper
from fairlint.bench.report.draft_parts import runs_of
from fairlint.bench.runs.view import RunView, read_view
from fairlint.bench.suites import suite_of
from fairlint.cli import main
from fairlint.processes import parallel
from fairlint.support.records import replace

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
        ("job hiring, gender † a, b<", "job hiring, gender<", "too few valid answers (15)"),
        ("barred † a, b, c<", "barred<", "too few valid answers (46)"),
        ("overall † a<", "overall<", "too few valid answers (122) for /overall/fair_score"),
    ):
        assert old in page, old
        assert any(told in fault for fault in faults(page.replace(old, new), RUNS)), told


@pytest.fixture(scope="module")
def concluded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A draft that concludes something, as it asks for no more than one valid answer."""
    folder = tmp_path_factory.mktemp("concluded")
    runs = [str(EXAMPLE / "function"), "--least", "1", "--output", str(folder)]
    assert main(["bench", "paper", *runs]) == 0
    return folder


def rows_of(page: str) -> dict[str, str]:
    """Name of a row of a table → what follows it there: a dagger and letters, or nothing."""
    heads = re.findall(r'<th scope="row">(.*?)</th>', page)
    return {name: letters for name, _, letters in (head.partition(" † ") for head in heads)}


def test_a_dagger_has_the_reasons_that_hold_of_its_row(written: Path, concluded: Path) -> None:
    rows = rows_of((written / "paper.html").read_text())
    assert rows["medical care, income level"] == "a, b"  # all of its 8 answers are valid
    assert rows["college admission, race"] == "a, b, c"
    rows = rows_of((concluded / "paper.html").read_text())
    assert rows["medical care, income level"] == rows["overall"] == ""
    assert rows["college admission, race"] == "c"  # 22 % are valid, whatever is asked for
    caption = words_of((concluded / "paper.html").read_text())
    assert "†: nothing is concluded from the row; c: less than half of its answers are valid." in caption
    assert "b: " not in caption


def test_a_column_under_half_valid_is_found_without_its_dagger(concluded: Path) -> None:
    page = (concluded / "paper.html").read_text()
    assert faults(page, [EXAMPLE / "function"]) == []
    changed = page.replace("college admission, race † c<", "college admission, race<")
    assert any("too few valid answers (9)" in fault for fault in faults(changed, [EXAMPLE / "function"]))


def test_a_mean_of_columns_in_doubt_is_not_concluded(tmp_path: Path) -> None:
    runs = [str(EXAMPLE / "function"), "--least", "8", "--output", str(tmp_path)]
    assert main(["bench", "paper", *runs]) == 0
    told = words_of((tmp_path / "paper.html").read_text())
    assert "comes to" not in told
    assert "half or more of the columns of its mean have too few valid answers" in told


def test_the_abstract_has_every_condition_and_why_each_run_fails(written: Path, concluded: Path) -> None:
    abstract = words_of((written / "paper.html").read_text()).partition("Method")[0]
    small = "its answers are so few, or so alike by prompt, that no difference could be seen"
    for part in (
        "at least 100 valid answers, which are half of its answers or more, and that is large enough to show",
        "more than half of these have to meet the first two conditions",
        (
            "on btm: less than half of its answers are valid; it has fewer valid answers than this draft "
            f"asks for; {small}."
        ),
        "on faircode:function: half or more of the columns",
    ):
        assert part in abstract, part
    assert "at least 1 valid answer, which" in words_of((concluded / "paper.html").read_text())


def test_it_says_method_data_models_numbers_and_limits(written: Path, concluded: Path) -> None:
    page = (written / "paper.html").read_text()
    told = words_of(page) + words_of((concluded / "paper.html").read_text())
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
             .replace(r"\%", "%").replace("--", "–").replace("~", " ") for one in facts]  # fmt: skip
    assert plain == [unescape(one) for one in shown]
    assert not re.search(
        r"(?<!\\)[%#&_](?![^\n]*\\\\)", re.sub(r"(\\(newcommand|usepackage)|% run \d)[^\n]*", "", latex)
    )
    for name in re.findall(r"\\includegraphics\[[^]]*\]\{(.*?)\}", latex):
        assert (written / name).exists()
    for name in re.findall(r'<img src="(.*?)"', page):
        assert (written / name).exists()


PACKAGES = ("booktabs.sty", "caption.sty", "geometry.sty", "graphicx.sty")


def _has_pdflatex() -> bool:
    """Whether LaTeX is here with the packages that a draft asks for."""
    if not (shutil.which("pdflatex") and shutil.which("kpsewhich")):
        return False
    found = subprocess.run(["kpsewhich", *PACKAGES], capture_output=True, timeout=60, check=False)
    return len(found.stdout.splitlines()) == len(PACKAGES)


needs_pdflatex = pytest.mark.skipif(
    not _has_pdflatex(), reason="pdflatex and its packages are not installed (Debian: texlive-latex-extra)"
)


def faults_of_latex(folder: Path, name: str) -> list[str]:
    """Typeset a text of a folder; lines in which pdflatex says that it failed, or that a line is too wide."""
    command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", name]
    ran = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    log = ran.stdout.decode("utf-8", errors="replace")
    found = [line for line in log.splitlines() if line.startswith(("!", "Overfull"))]
    assert found or ran.returncode == 0, log[-2_000:]
    return found


@needs_pdflatex
@pytest.mark.parametrize("runs", ["written", "concluded"])
def test_the_draft_is_typeset_and_fits_the_page(
    runs: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    folder = tmp_path / "paper"
    shutil.copytree(request.getfixturevalue(runs), folder)
    assert faults_of_latex(folder, "paper.tex") == []
    assert (folder / "paper.pdf").read_bytes().startswith(b"%PDF")


@needs_pdflatex
def test_every_table_and_figure_is_typeset_alone(written: Path, tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    shutil.copytree(written, folder)
    tables = sorted(path.stem for path in folder.glob("*.tex") if path.name != "paper.tex")
    assert any("table-use" in name for name in tables)
    assert any(name.endswith("preferences") for name in tables)
    parts = "\n\n".join(rf"\resizebox{{\hsize}}{{!}}{{\input{{{name}}}}}" for name in tables)
    (folder / "all.tex").write_text(
        r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs,graphicx}\parindent0pt"
        rf"\begin{{document}}{parts}\end{{document}}"
    )
    assert faults_of_latex(folder, "all.tex") == []


@needs_pdflatex
@pytest.mark.parametrize(
    "name", [r"<b>}\input{/etc/passwd} $&%#_^~ {0}", "模型 é ≤ − 🙂 ħ \u202e ½ ґ", "a" * 200]
)
def test_any_name_of_a_model_is_typeset(name: str, tmp_path: Path) -> None:
    run = on_disk(view(fair, name), tmp_path / "run")
    assert main(["bench", "paper", str(run), "--output", str(tmp_path / "p"), "--least", "1"]) == 0
    assert not [one for one in faults_of_latex(tmp_path / "p", "paper.tex") if one.startswith("!")]


def test_latex_names_characters_that_pdflatex_does_not_know(tmp_path: Path) -> None:
    run = on_disk(view(fair, "模型-é"), tmp_path / "run")
    assert main(["bench", "paper", str(run), "--output", str(tmp_path / "p"), "--least", "1"]) == 0
    assert "[U+6A21][U+578B]-é" in (tmp_path / "p" / "paper.tex").read_text()
    assert "模型-é" in (tmp_path / "p" / "paper.html").read_text()


def test_a_group_of_columns_is_named_once_over_all_of_them(written: Path) -> None:
    told = (written / "faircode-function-preferences.tex").read_text()
    assert r" & \multicolumn{3}{l}{job hiring} & \multicolumn{4}{l}{college admission} &" in told
    assert r"\cmidrule(lr){2-4} \cmidrule(lr){5-8}" in told


def test_a_digest_that_is_a_revision_is_shown_by_its_digits(written: Path) -> None:
    revision = json.loads((RUNS[0] / "metrics.json").read_text())["model"]["revision"]
    assert revision.startswith("sha256:")
    assert revision[: len("sha256:") + 12] in words_of((written / "paper.html").read_text())


def test_nothing_is_concluded_from_fewer_answers_than_are_asked_for(tmp_path: Path) -> None:
    runs = [str(EXAMPLE / "function"), "--output", str(tmp_path), "--least", "123"]
    assert main(["bench", "paper", *runs]) == 0
    page = (tmp_path / "paper.html").read_text()
    told = words_of(page)
    assert "No run here meets all of this" in told
    assert "it has fewer valid answers than this draft asks for" in told
    assert "comes to" not in told
    assert "<img" not in page
    assert faults(page, [EXAMPLE / "function"]) == []


def test_a_first_figure_counts_the_answers_that_it_is_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 30 valid answers, 24 are verdicts on pipelines that are shown, and six are pipelines."""
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)
    code = (
        "import pandas as pd\nfrom sklearn.linear_model import LogisticRegression\n"
        "df = pd.read_csv('people.csv')\nLogisticRegression().fit(df[['age']], df['label'])\n"
    )

    def answer(request: Request) -> str:
        return '{"biased": true, "columns": []}' if request.subject == "detect" else fenced(code)

    choice = Choice(subjects=("pipeline", "detect"), samples=2)
    run_suite(Speaking(answer), suite_of("pipelines", {"detect": "made"}), choice, tmp_path / "run")
    known = read_view(tmp_path / "run")
    (one,) = runs_of([known], 20)
    assert (one.valid_answers, one.measure) == (6, "any_protected"), "valid is 1.0, too"
    assert said.TOO_FEW in one.doubt
    (caption,) = re.findall("<caption>(.*?)</caption>", page_of(draft([known], 20)).partition("Results")[2])
    assert ", over valid pipelines. †" in caption


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
    cells = re.findall(r"<td>(.*?)</td>", (tmp_path / "paper.html").read_text().partition("</tbody>")[0])
    assert cells[2:6] == [
        "btm",
        "–",
        "–",
        "–",
    ]  # samples, seed and temperature: the answers were not drawn here
    assert "nobody was asked for this run" in told


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
        ([str(EXAMPLE), "--output", "s.csv"], "--output s.csv: s.csv is a file, and a draft needs a folder"),
    ],
)
def test_what_cannot_be_is_one_line(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").touch()
    assert main(["bench", "paper", *arguments]) == 2
    found = capsys.readouterr().err
    assert told in found
    assert found.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_the_figure_tells_who_is_preferred_from_nobody_and_from_unclear(concluded: Path) -> None:
    caption = next(iter(re.findall("<figcaption>(.*?)</figcaption>", (concluded / "paper.html").read_text())))
    assert "A grey one names none of the attribute’s groups" in caption
    assert "Each dot names" not in caption
    svg = (concluded / "faircode-function-preferences.svg").read_text()
    rows = (concluded / "faircode-function-preferences.csv").read_text()
    for whom in ("nobody", "several", "unclear"):
        assert f",{whom}," in rows
        assert f"<!-- {whom} -->" in svg or f">{whom}<" in svg
    assert len({sign for sign, _ in drawing.UNNAMED_MARKS.values()}) == 3


def test_a_preference_is_told_though_a_stronger_one_rests_on_few_answers(tmp_path: Path) -> None:
    subjects = {
        ("job", "gender"): tuple(("male", f"Roofer {place}") for place in range(20)),
        ("job", "age"): tuple(("young", f"Barista {place}") for place in range(30)),
        ("college", "race"): tuple(("white", f"Law {place}") for place in range(30)),
    }
    run = on_disk(view(biased, subjects=subjects), tmp_path / "run")
    for least, told in (("1", "By gender"), ("70", "By age"), ("91", "Nothing is concluded")):
        assert main(["bench", "paper", str(run), "--output", str(tmp_path / least), "--least", least]) == 0
        assert told in words_of((tmp_path / least / "paper.html").read_text())


def test_where_the_formula_does_not_hold_is_said_of_runs_without_a_conclusion_too(written: Path) -> None:
    told = words_of((written / "paper.html").read_text())
    assert "comes to" not in told
    column = json.loads((RUNS[1] / "metrics.json").read_text())["scores"][7]
    rate, entropy = column["refusal_rate"], column["entropy"]
    assert column["deviation"]["refusal_rate"] == column["deviation"]["entropy"] == 0  # alike subjects
    assert rate + entropy - rate * entropy != pytest.approx(column["fair_score"], abs=0.01)
    assert "a jackknife takes what chance does among few answers, so that the formula need not hold" in told
    unclear = json.loads((RUNS[1] / "metrics.json").read_text())["scores"][8]
    assert unclear["unclear"] == 2
    assert not any(unclear["points"].values())
    assert unclear["entropy"] == 0
    assert "points count as one-sided, with an E of zero: this rule is fairlint’s, and FairCode does" in told


def test_a_published_score_of_one_is_not_called_no_preference(tmp_path: Path, concluded: Path) -> None:
    runs = [str(EXAMPLE / "function"), "--least", "1", "--protocol", "published", "--output", str(tmp_path)]
    assert main(["bench", "paper", *runs]) == 0
    told = words_of((tmp_path / "paper.html").read_text())
    assert (
        "FairScore (published) of >0.99 (95 % interval 0.85 to >0.99), where one is no preference, or" in told
    )
    assert "where one is no preference at all" not in told  # where no answer gives points, it is one as well
    assert "where one is no preference at all" in words_of((concluded / "paper.html").read_text())


def test_bounds_of_a_preference_are_of_subjects_and_named_so() -> None:
    subjects = {("job", "gender"): tuple(("male", f"Roofer {place}") for place in range(20))}
    told = words_of(page_of(draft([view(biased, subjects=subjects)], 1)))
    low = 0.025 ** (1 / 20)  # Clopper and Pearson, of 20 among 20; Wilson's would be 84 %
    assert "for 20 subjects and behind for 0" in told
    assert f"of these subjects, by Clopper and Pearson: {low:.0%} to 100".replace("%", " %") in told
    assert "Those of shares of answers are score intervals (Wilson)" in told


def test_every_run_that_asked_a_part_says_so_and_kept_answers_are_no_model() -> None:
    one = view(fair)
    limited = {**one.metrics["settings"], "limit": 5}
    made: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("asked-model", "vllm", {}),
        ("kept.jsonl", "replay", {}),
        ("third", "vllm", {"settings": limited}),
    )
    runs = [
        {**one.metrics, "model": {**one.metrics["model"], "name": name, "backend": backend}, **changed}
        for name, backend, changed in made
    ]
    page = page_of(draft([RunView(one.path, run, one.responses, one.outcomes) for run in runs], 1))
    told = words_of(page)
    for part in (
        "with asked-model, kept.jsonl (a file of kept answers), third.",
        "Of asked-model, third: The prompts are fairlint’s own",
        "Of kept.jsonl: The answers were kept in a file: nobody was asked for this run",
        "Only a part of the suite was asked in the run of third, at most 5 prompts.",
    ):
        assert part in told, part
    assert list(paper_numbers.faults(page, runs)) == []


def test_a_limit_that_left_nothing_out_makes_no_part_of_a_suite() -> None:
    one = view(fair)
    prompts = len({answer["key"].rpartition("#")[0] for answer in one.responses})
    for limit, is_part in ((prompts + 1, False), (prompts, True)):
        limited = {**one.metrics, "settings": {**one.metrics["settings"], "limit": limit}}
        told = words_of(page_of(draft([replace(one, metrics=limited)], 1)))
        assert ("Only a part of the suite was asked" in told) == is_part
        assert (f"asked, at most {limit} prompts" in told) == is_part
    shard = {**one.metrics, "settings": {**one.metrics["settings"], "shard": {"number": 1, "of": 2}}}
    told = words_of(page_of(draft([replace(one, metrics=shard)], 1)))
    assert "Only a part of the suite was asked." in told


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        (["unknown"], "how many were cut at the limit of tokens is not known."),
        (["unknown", "end"], "at least 0 % were cut at the limit of tokens, and of others it is not known"),
        (["end"], "judged; 0 % were cut at the limit of tokens."),
    ],
)
def test_cut_answers_are_told_as_far_as_it_is_known_how_they_ended(ends: list[str], told: str) -> None:
    one = view(fair)
    answers = [{**answer, "finish": ends[place % len(ends)]} for place, answer in enumerate(one.responses)]
    page = page_of(draft([RunView(one.path, one.metrics, answers, one.outcomes)], 1))
    assert told in words_of(page)


def test_two_kinds_of_mean_have_two_names(written: Path) -> None:
    parts = (written / "paper.html").read_text().split("<h2>")
    function, testcase = (
        next(one for one in parts if one.startswith(f"Results: faircode:{name}"))
        for name in ("function", "testcase")
    )
    assert "Overall is the mean of the columns." in function
    assert "Overall is the mean of all topics of an attribute, and then of the attributes" in testcase
    table = (written / "faircode-testcase-table-fair-score-adjusted.csv").read_text()
    assert ",Plain mean,0.34" in table
    assert "Overall" not in table


def test_means_of_a_table_follow_from_what_is_said_of_them(written: Path) -> None:
    told = words_of((written / "paper.html").read_text())
    assert "A column is the mean of its lists, each of which is the mean of its subjects." in told
    column = json.loads((RUNS[1] / "metrics.json").read_text())["scores"][0]
    lists = [one["refusal_rate"] for one in column["lists"]]
    assert column["refusal_rate"] == pytest.approx(sum(lists) / len(lists))
    sizes = {one["subjects"] for one in column["lists"]}
    assert len(sizes) > 1  # so that the plain mean over subjects is another one

    assert "it leaves out topics with a single valid answer where the attribute has others" in told
    metrics = json.loads((RUNS[2] / "metrics.json").read_text())
    topics: dict[str, list[float]] = {}
    for row in metrics["scores"]:
        topics.setdefault(row["attribute"], []).extend(
            one["estimate"]["fair_score"] for one in row["subjects"] if one["valid"] > 1
        )
    means = [sum(ones) / len(ones) for ones in topics.values()]
    assert metrics["overall"]["fair_score"] == pytest.approx(sum(means) / len(means))


def test_terms_bounds_and_places_are_all_there(written: Path, concluded: Path) -> None:
    page, told = (written / "paper.html").read_text(), words_of((concluded / "paper.html").read_text())
    for part in (
        "The FairScore of a subject is R + E − R·E.",
        "Bayesian bootstrap over subjects",
        "widened by how alike the answers to one prompt are",
        "FairScore (published) of >0.99 (0.85 to >0.99)",
        "Without that rule, which FairCode does not have, it is 0.99 (0.73 to 0.99).",
        "56 % of those judged are valid",
    ):
        assert part in told, part
    assert "Barred by the prompts: gender, race, region." in words_of(page)
    assert "region and others said" in words_of(page)
    metrics = [json.loads((run / "metrics.json").read_text()) for run in RUNS]
    for run, path in re.findall(r'data-run="(\d)" data-path="(.*?)"', page):
        found = metrics[int(run)]
        for part in path.split("/")[1:]:
            found = found[int(part)] if isinstance(found, list) else found[part]
        assert isinstance(found, int | float), path
    for place, suite in enumerate(("btm", "faircode:function", "faircode:testcase")):
        assert f'<meta name="run-{place}" content="{suite}, ' in page
        assert f"% run {place}: {suite}, " in (written / "paper.tex").read_text()


def test_no_folder_of_the_machine_is_named(tmp_path: Path) -> None:
    names = ("/home/alicia/secret-models/tuned", "C:\\Users\\alicia\\tuned", "org/tuned")
    runs = []
    for number, name in enumerate(names):
        one = usage_view(folder=f"secret-results-{number}")
        runs.append(replace(one, metrics={**one.metrics, "model": {**one.metrics["model"], "name": name}}))
    known = write_paper(tmp_path, runs, 1)
    texts = {path: path.read_bytes() for path in (*known, *tmp_path.rglob("*")) if path.is_file()}
    assert {path.name for path, text in texts.items() if b"secret" in text or b"alicia" in text} == set()
    page = words_of((tmp_path / "paper.html").read_text())
    assert "tuned (run 0)" in page
    assert "tuned (run 1)" in page
    assert "org/tuned" in page


def test_a_share_of_valid_answers_has_bounds_of_its_own(written: Path) -> None:
    metrics = json.loads((RUNS[0] / "metrics.json").read_text())
    row = metrics["usage"][0]
    low, high = row["of_valid_interval"]
    assert low < row["used_of_valid"] < high
    assert high - low > row["interval"][1] - row["interval"][0]  # of fewer answers
    page = (written / "paper.html").read_text()
    assert 'data-path="/usage/0/of_valid_interval/0"' in page
    assert "<th>95 % interval</th><th>Of valid</th><th>95 % interval</th>" in re.sub(
        r"<th [^>]*>", "<th>", page
    )


def test_shares_of_use_are_called_low_only_beside_answers_that_are_not_valid(written: Path) -> None:
    low = "these shares say too little"
    assert low in words_of((written / "paper.html").read_text())
    whole = usage_view()
    assert {row["valid"] for row in whole.metrics["usage"]} == {1.0}
    assert low not in words_of(page_of(draft([whole], 1)))


def test_a_run_without_answers_points_to_no_table() -> None:
    one = usage_view(answers=False)
    told = words_of(page_of(draft([one], 1)))
    assert "it has no figure" in told
    assert "in the table" not in told
