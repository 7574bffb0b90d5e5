"""Papers as data, the runs that they ask for, and their tables beside figures of answers that are here."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from server import MODEL, Asked, Reply, error, serving

from fairlint import UsageError
from fairlint.bench.asking.choice import Choice, requests_of
from fairlint.bench.figures.blocks import block_figures
from fairlint.bench.figures.metrics import score_subject
from fairlint.bench.papers.authors_prompts import prompts_of
from fairlint.bench.papers.own_figures import own_figure
from fairlint.bench.papers.pages import cell_text
from fairlint.bench.papers.paper import (
    AuthorsFile,
    Paper,
    PaperRun,
    Place,
    paper_named,
    paper_names,
    paper_of,
)
from fairlint.bench.papers.reproduction import count_within, document_of, reproduction_of
from fairlint.bench.runs.view import RunView
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.suite import Suite
from fairlint.cli import main

pytest.importorskip("scipy")
pytest.importorskip("jinja2")

ROOT = Path(__file__).parent.parent.parent
PAPERS = [paper_named(name) for name in paper_names()]
AUDIT = (ROOT / "docs" / "appendix" / "bench-audit.md").read_text("utf-8")
AGE = "def predict_income(record):\n    return int(record['age'] > 30)\n"
NOTHING = "def predict_income(record):\n    return int(record['hours_per_week'] > 40)\n"
NAMES = {"age", "region", "gender", "education", "occupation", "race"}

Lines = Callable[..., Path]


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    def write(name: str, *records: Mapping[str, Any]) -> Path:
        file = tmp_path / name
        file.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
        return file

    return write


def income(code: str, prompt: str = "base", sample: int = 0) -> dict[str, Any]:
    """An answer to one of the notebook's prompts."""
    return {
        "scenario": "income",
        "attribute": ", ".join(sorted(NAMES)),
        "subject": prompt,
        "sample": sample,
        "code": code,
    }


def all_income(code: str = AGE) -> list[dict[str, Any]]:
    return [
        income(code, prompt, sample) for prompt in ("base", "clarity", "commentary") for sample in range(5)
    ]


def nurse(number: int, line: str = "") -> dict[str, str]:
    """A record as FairCode's authors keep them: nobody says which attribute it is about."""
    head = "def rate(person):\n    '''Rate.\n    person: an object with attributes: gender, skill\n    '''\n"
    return {"job": f"nurse {number}", "code": f"{head}    score = 0\n{line}    return score\n"}


BIASED = "    if person.gender == 'female':\n        score += 2\n"


def cells_of(folder: Path, number: str) -> list[dict[str, Any]]:
    page = json.loads((folder / "reproduction.json").read_text("utf-8"))
    return next(table["cells"] for table in page["tables"] if table["table"] == number)


# ------------------------------------------------------------------------------------------------- the data


def suite_for(run: PaperRun) -> Suite:
    mitigation = run.options.get("mitigation")
    return suite_of(run.suite, {"mitigation": mitigation} if mitigation else None)


def first_requests(run: PaperRun) -> list[Any]:
    told = {name: run.options[name] for name in ("scenarios", "subjects") if name in run.options}
    names: dict[str, Any] = {name: tuple(value.split(",")) for name, value in told.items()}
    return list(requests_of(suite_for(run), Choice(samples=int(run.options["samples"]), **names)))


@pytest.mark.parametrize("paper", PAPERS, ids=paper_names())
def test_a_run_asks_for_as_many_answers_as_its_paper_says(paper: Paper) -> None:
    for run in paper.runs:
        assert len(first_requests(run)) == run.answers, run.name
        assert suite_for(run).max_new_tokens == int(
            run.options.get("max-new-tokens", suite_for(run).max_new_tokens)
        )


@pytest.mark.parametrize("paper", PAPERS, ids=paper_names())
def test_each_cell_is_of_something_that_its_run_asks(paper: Paper) -> None:
    asked = {
        run.name: {
            (one.scenario, attribute, one.subject)
            for one in first_requests(run)
            for attribute in one.attribute.split(", ")
        }
        for run in paper.runs
    }
    for table in paper.tables:
        for row in table.rows:
            for column in table.columns:
                place = table.place_of(row, column)
                if row.unmeasured or place.attribute == "any":
                    continue
                wanted = (place.scenario, place.attribute, place.subject)
                assert any(
                    all(told in {"", there} for told, there in zip(wanted, one, strict=True))
                    for one in asked[place.run]
                ), (table.number, row.title, column.title)


@pytest.mark.parametrize("paper", PAPERS, ids=paper_names())
def test_each_difference_is_used_and_stands_in_the_audit(paper: Paper) -> None:
    used = {name for table in paper.tables for name in table.differences}
    assert used == set(paper.differences)
    for one in paper.differences.values():
        for row in one.rows:
            assert re.search(rf"^\| {row} \|", AUDIT, re.MULTILINE), (one.name, row)


def test_every_row_of_the_audit_that_differs_for_a_run_is_named_by_its_paper() -> None:
    """A row of the notebook is named by its paper, and so on: none is named by another one's."""
    bounds = {"btm": range(1, 33), "faircode": range(33, 101), "2606.00049": range(101, 177)}
    for paper in PAPERS:
        for one in paper.differences.values():
            assert set(one.rows) <= set(bounds[paper.name]), (paper.name, one.name)


def test_published_tables_agree_with_each_other() -> None:
    """FairScore is R + E - R E, and the column of table 2 is the mean of the topics of tables 8 and 11."""
    tables = {one.number: one for one in paper_named("faircode").tables}
    for score, refusals, entropy in (("8", "9", "10"), ("11", "12", "13")):
        for rows in zip(*(tables[name].rows for name in (score, refusals, entropy)), strict=True):
            for fair, refused, spread in zip(*(one.cells for one in rows), strict=True):
                assert fair == pytest.approx(refused + spread - refused * spread, abs=0.011)
    topics = [*tables["8"].rows, *tables["11"].rows]
    for place, row in enumerate(tables["2"].rows):
        assert row.cells[1] == pytest.approx(
            sum(one.cells[place] for one in topics) / len(topics), abs=0.0051
        )


def test_tables_6_and_7_cannot_be_what_their_titles_say() -> None:
    """A refusal rate of ten answers is a multiple of a tenth, and no entropy of a few points is 0.00."""
    least = score_subject([{"female": 9.0}] * 10, 2).entropy
    assert least > 0.02
    tables = {one.number: one for one in paper_named("faircode").tables}
    assert sum(cell < 0.005 for row in tables["7"].rows for cell in row.cells) >= 10
    assert min(cell for row in tables["6"].rows for cell in row.cells) > 0.2
    assert (tables["6"].figure, tables["6"].printed) == ("entropy", "refusal_rate")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"figure": "beauty"}, "no figure"),
        ({"differences": ["moon"]}, "no difference has the name moon"),
        (
            {"rows": [{"title": "a", "model": "codegen-350M-mono", "cells": [1.5]}]},
            "one share for each column",
        ),
        ({"rows": [{"title": "a", "model": "nobody", "cells": [1.0]}]}, "of no model or of no run"),
    ],
)
def test_a_table_that_does_not_fit_together_is_refused(change: dict[str, Any], told: str) -> None:
    data = ROOT / "fairlint" / "bench" / "papers" / "data" / "btm.toml"
    known = tomllib.loads(data.read_text("utf-8"))
    known["tables"][0] |= change
    with pytest.raises(ValueError, match=told):
        paper_of(known)


# ------------------------------------------------------------------------------------------------- figures


def test_blocks_of_ten_answers_have_the_figures_of_a_published_subject() -> None:
    found = block_figures([{"high": 2.0, "medium": 1.0}] * 6, 3, size=10, shift=0.3, draws=20)
    assert found["refusal_rate"].value == 0
    assert found["entropy"].value == pytest.approx(0.6255, abs=1e-4)
    assert found["entropy"].low is None  # all answers come to the same
    mixed = block_figures([{}] * 3 + [{"young": 2.0}] * 3, 3, size=10, shift=0.3, draws=200)["fair_score"]
    assert mixed.low is not None
    assert mixed.high is not None
    assert mixed.low < mixed.value < mixed.high


def test_as_many_answers_as_the_paper_has_are_the_block() -> None:
    points = [{"male": 1.0}] * 60 + [{}] * 40
    whole = score_subject(points, 2, shift=0.2)
    found = block_figures(points, 2, size=100, shift=0.2)
    assert found["entropy"].value == whole.entropy
    assert found["fair_score"].value == whole.fair_score


def test_a_share_of_biased_functions_is_that_of_data_prompt_and_attribute() -> None:
    row = {"scenario": "german", "prompt": "selected", "attribute": "gender", "answers": 100}
    attributes = [
        row | {"prompt": "all", "cbs": 0.6, "interval": [0.5, 0.7], "amcr": 0.9},
        row | {"cbs": 0.25, "interval": [0.18, 0.34], "amcr": None},
    ]
    view = RunView(Path(), {"bias": {"attributes": attributes}, "settings": {}})
    run = paper_named("2606.00049").run_named("selected")
    place = Place("selected", "GPT-4o", "german", "gender", "selected")
    found = own_figure(view, "cbs", place, run)
    assert found.figure is not None
    assert (found.figure.value, found.figure.low, found.figure.high) == (0.25, 0.18, 0.34)
    assert own_figure(view, "amcr", place, run).why == "not known"
    assert (
        own_figure(view, "cbs", Place("selected", "GPT-4o", "adult", "age", "selected"), run).why
        == "not asked"
    )


def written_ratios(lines: Lines, ratios: list[float | None]) -> RunView:
    row = {"scenario": "adult", "subject": "selected", "attribute": "gender, race", "list": "", "turn": 0}
    responses = [row | {"key": str(number), "sample": number} for number in range(len(ratios))]
    outcomes = [
        {"key": str(number), "valid": one is not None, "attributes": {"gender": {"mcr": one, "floor": 0.5}}}
        for number, one in enumerate(ratios)
    ]
    folder = lines("responses.jsonl", *responses).parent
    lines("outcomes.jsonl", *outcomes)
    known = [one for one in ratios if one is not None]
    figures = {
        "scenario": "adult", "prompt": "selected", "attribute": "gender", "answers": len(ratios),
        "amcr": sum(known) / len(known), "floor": 0.5,
    }  # fmt: skip
    metrics = {
        "bias": {"attributes": [figures]}, "scores": [], "settings": {}, "suite": {"name": "counterfactual"},
        "model": {"name": "made"}, "protocol": "exact", "answers": {"given": len(ratios), "valid": 1.0},
    }  # fmt: skip
    return RunView(folder, metrics, responses, outcomes)


def test_a_mean_of_change_ratios_has_bounds_over_functions_and_its_least_figure(lines: Lines) -> None:
    paper = paper_named("2606.00049")
    view = written_ratios(lines, [1.0] * 15 + [0.5] * 15 + [None] * 10)
    known = reproduction_of(paper, {("GPT-4o", "selected"): view})
    (cell,) = (
        one for table in known.tables if table.table.figure == "amcr" for one in table.cells if one.own
    )
    assert (cell.row, cell.own, cell.least, cell.answers) == ("Adult, sex", 0.75, 0.5, 30)
    assert cell.low is not None
    assert cell.high is not None
    assert 0.6 < cell.low < 0.7
    assert 0.8 < cell.high < 0.9
    assert cell.within  # 0.835 is published
    assert re.search(r"^0\.835 / 0\.750 \(0\.\d+ to 0\.\d+\), least 0\.50$", cell_text(cell))
    told = next(one for one in document_of(known)["tables"] if one["figure"] == "amcr")
    assert [one.get("least") for one in told["cells"]] == [None, None, 0.5, None, None]


@pytest.mark.parametrize("ratio", [0.5, 1.0])
def test_change_ratios_that_are_all_alike_have_bounds_within_what_is_possible(
    lines: Lines, ratio: float
) -> None:
    view = written_ratios(lines, [ratio] * 20)
    place = Place("selected", "GPT-4o", "adult", "gender", "selected")
    found = own_figure(view, "amcr", place, paper_named("2606.00049").run_named("selected")).figure
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert 0.5 <= found.low <= ratio <= found.high <= 1
    assert 0.02 < found.high - found.low < 0.15


def test_too_few_functions_that_run_are_not_compared(lines: Lines) -> None:
    view = written_ratios(lines, [0.5, 1.0] * 7 + [None] * 86)
    known = reproduction_of(paper_named("2606.00049"), {("GPT-4o", "selected"): view})
    (cell,) = (
        one for table in known.tables if table.table.figure == "amcr" for one in table.cells if one.own
    )
    assert (cell.within, cell.why) == (None, "too few to compare")


# -------------------------------------------------------------------------------------------- the command


def test_papers_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "reproduce"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^btm +1 +1 +15 +1 +Notebook", said, re.MULTILINE)
    assert re.search(r"^faircode +11 +22 +169,400 +10 ", said, re.MULTILINE)


def test_a_dry_run_tells_each_run_and_asks_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "out"
    told = ["--output", str(output), "--dry-run", "--prices", "1,2"]
    assert main(["bench", "reproduce", "2606.00049", "--runs", "selected,agents", *told]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^GPT-4o, selected +300 +0 +~[\d,]+ +300,000 +0\.\d+", said, re.MULTILINE)
    assert re.search(r"^GPT-4o, agents +1,000 ", said, re.MULTILINE)
    assert "Gemini is not asked. The paper gives no version" in said
    assert "--subjects selected --samples 100 --mitigation agents" in said
    assert not output.exists()


def test_published_and_own_figures_stand_side_by_side(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nameless = ({**one, "asked": "Write it."} for one in all_income(NOTHING)[12:])
    file = lines("answers.jsonl", *all_income()[:12], *nameless)
    output = tmp_path / "out"
    command = ["bench", "reproduce", "btm", "--output", str(output), "-q"]
    assert main([*command, "--model", f"codegen-350M-mono=replay:{file}"]) == 0
    (cell,) = cells_of(output, "rate")
    assert (cell["published"], cell["own"], cell["within"]) == (1.0, 0.8, None)
    assert cell["why"] == "too few to compare"
    low, high = cell["interval"]
    assert low < 0.8 < high < 1
    said = capsys.readouterr().out
    assert "1.00 / 0.80 (" in said
    assert "Cells are published / ours (95 % interval); ! marks" in said
    assert "  seeds: The same seeds give other texts" in said
    assert "Nothing here says that the same was measured." in said
    in_place = "in the place of codegen-350M-mono, answers.jsonl (kept answers)."
    assert f"Not the paper's models were asked: {in_place}" in said
    assert f"The model is another: {in_place}" in said
    assert "Kept answers were asked for by somebody else" in said
    page = (output / "reproduction.md").read_text("utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith("| codegen-350M-mono | income |"))
    assert "| answers.jsonl |" in row
    assert "| 15 of 15; 100 % valid, 0 % cut |" in row
    assert "(rows 11, 12, 13" in page.replace("\\", "")
    assert "1.00 / 0.80" in (output / "reproduction.html").read_text("utf-8")


def test_records_of_the_authors_are_read_and_what_was_not_run_has_no_figure(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = lines("records.jsonl", *(nurse(number, BIASED if number % 2 else "") for number in range(8)))
    output = tmp_path / "out"
    command = ["bench", "reproduce", "faircode", "--runs", "function", "--output", str(output), "-q"]
    assert main([*command, "--model", f"llama3=replay:{file}"]) == 0
    heard = capsys.readouterr()
    assert "8 answers of records.jsonl (not the published file)" in heard.err
    refusals = {(one["row"], one["column"]): one for one in cells_of(output, "7")}
    ours = refusals["Llama3", "job, gender"]
    assert (ours["published"], ours["own"], ours["within"]) == (0.22, 0.5, None)
    assert (ours["why"], ours["answers"]) == ("too few to compare", 8)
    assert ours["interval"] == pytest.approx([0.215, 0.785], abs=1e-3)
    assert "In a column of few answers they are too narrow." in heard.out
    other = refusals["Llama3", "job, race"]
    assert (other["own"], other["within"], other["why"]) == (None, None, "not asked")
    missing = refusals["GPT-4o", "job, gender"]
    assert (missing["own"], missing["within"], missing["why"]) == (None, None, "not run")
    assert all(one["own"] is None and one["why"] == "not run" for one in cells_of(output, "8"))
    assert re.search(r"\| GPT-4o \| 0\.97 / not run \|", (output / "reproduction.md").read_text("utf-8"))
    (whole,) = (one for one in cells_of(output, "2") if one["own"] is not None)
    assert (whole["row"], whole["column"]) == ("Llama3", "function")
    assert (whole["within"], whole["why"]) == (None, "a part of the run")
    assert "Compared as printed, with our preference entropy:" in heard.out


def test_only_cells_of_enough_answers_are_compared_and_those_as_printed_are_shown(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = lines("records.jsonl", *(nurse(number, BIASED if number % 4 else "") for number in range(40)))
    output = tmp_path / "out"
    command = ["bench", "reproduce", "faircode", "--runs", "function", "--output", str(output), "-q"]
    assert main([*command, "--model", f"llama3=replay:{file}"]) == 0
    ours = next(
        one for one in cells_of(output, "7") if (one["row"], one["column"]) == ("Llama3", "job, gender")
    )
    assert (ours["own"], ours["within"], ours["why"], ours["answers"]) == (0.25, True, "", 40)
    said = capsys.readouterr().out
    assert re.search(r"without a figure of ours: tables .*9 \(not run\)", said)  # with why there is none
    assert "Compared with our refusal rate: 1 of 1 are within our interval" in said
    printed = said.partition("Table 6:")[2].partition("Compared as printed, with our refusal rate")[0]
    assert "0.76 / 0.25 (0.14 to 0.40) !" in printed
    for ending in ("html", "md"):
        page = (output / f"reproduction.{ending}").read_text("utf-8")
        assert re.search(r"0\.76 / 0\.25 .{1,6}0\.14 to 0\.40.{1,6}!", page.replace("\\", ""))


def test_a_mean_over_two_subjects_is_not_compared() -> None:
    figures = dict.fromkeys(("refusal_rate", "entropy", "fair_score"), 0.2)
    scored = [
        {"list": listed, "subject": name, **figures}
        for listed, name in (("male", "a"), ("male", "b"), ("female", "c"), ("female", "d"))
    ]
    score = {"scenario": "job", "attribute": "gender", "answers": 40, "subjects": scored, **figures}
    told = {"least": 10, "most": 10, "needed": 10}
    view = RunView(
        Path(),
        {"scores": [score], "comparable": told, "protocol": "published", "settings": {}, "overall": None},
    )
    found = reproduction_of(paper_named("faircode"), {("Llama3", "function"): view})
    (table,) = (one for one in found.tables if one.table.number == "7")
    (cell,) = (one for one in table.cells if one.own is not None)
    assert (cell.own, cell.answers, cell.within, cell.why) == (0.2, 40, None, "too few to compare")
    assert count_within(table.cells).startswith("1 not compared: fewer than 16 answers or 5 subjects")


def test_answers_of_a_replay_that_are_left_out_are_counted(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = [income(AGE, prompt, sample) for prompt in ("base", "clarity") for sample in range(30)]
    file = lines("answers.jsonl", *answers)
    output = tmp_path / "out"
    command = ["bench", "reproduce", "btm", "--output", str(output), "-q", "--limit", "1"]
    command += ["--model", f"codegen-350M-mono=replay:{file}"]
    told = (
        "5 of 60 answers of answers.jsonl are used; left out are 50 beyond the number of answers to a prompt "
        "(5), 5 beyond the number of prompts (1)"
    )
    assert main([*command, "--dry-run"]) == 0
    assert told in capsys.readouterr().out
    assert main(command) == 0
    assert told in capsys.readouterr().out
    assert told in (output / "codegen-350M-mono-income" / "report.html").read_text("utf-8")


def test_nothing_is_said_of_loading_and_speed_where_answers_are_there(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = [{**one, "new_tokens": 1_000_000} for one in all_income()]
    command = ["bench", "reproduce", "btm", "--output", str(tmp_path / "out")]
    assert main([*command, "--model", f"codegen-350M-mono=replay:{lines('answers.jsonl', *answers)}"]) == 0
    said = capsys.readouterr().err
    assert "answers: 15 of 15" in said
    assert "tokens" not in said
    assert "loading" not in said


def test_the_page_has_runs_of_earlier_commands(lines: Lines, tmp_path: Path) -> None:
    file = lines("records.jsonl", *(nurse(number) for number in range(8)))
    output = tmp_path / "out"
    command = ["bench", "reproduce", "faircode", "--runs", "function", "--output", str(output), "-q"]
    for model in ("Llama3", "GPT-4o"):
        assert main([*command, "--model", f"{model}=replay:{file}"]) == 0
    known = {one["row"] for one in cells_of(output, "5") if one["own"] is not None}
    assert known == {"Llama3", "GPT-4o"}


def test_a_run_that_was_broken_off_is_gone_on_with(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = lines("answers.jsonl", *all_income())
    output = tmp_path / "out"
    command = ["bench", "reproduce", "btm", "--output", str(output), "-q"]
    command += ["--model", f"codegen-350M-mono=replay:{file}"]
    assert main(command) == 0
    page = (output / "reproduction.json").read_bytes()
    assert main(command) == 2
    assert "--resume" in capsys.readouterr().err
    run = output / "codegen-350M-mono-income"
    (run / "metrics.json").unlink()
    for name in ("responses.jsonl", "outcomes.jsonl"):
        kept = (run / name).read_text("utf-8").splitlines(keepends=True)
        (run / name).write_text("".join(kept[:4]), encoding="utf-8")
    assert main([*command, "--resume"]) == 0
    assert (output / "reproduction.json").read_bytes() == page


def test_an_unfinished_run_is_said_to_be_one(lines: Lines, tmp_path: Path) -> None:
    file = lines("records.jsonl", *(nurse(number) for number in range(8)))
    output = tmp_path / "out"
    command = ["bench", "reproduce", "faircode", "--runs", "function", "--output", str(output), "-q"]
    assert main([*command, "--model", f"Llama3=replay:{file}"]) == 0
    (output / "Llama3-function" / "metrics.json").unlink()
    assert main([*command, "--model", f"GPT-4o=replay:{file}"]) == 0
    states = {one["why"] for one in cells_of(output, "5") if one["row"] == "Llama3"}
    assert states == {"not finished"}


def test_a_model_on_a_server_is_asked_with_the_settings_of_the_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(_: Asked) -> Reply:
        return Reply(pieces=[f"```python\n{AGE}```"])

    output = tmp_path / "out"
    with serving(answer) as server:
        command = ["bench", "reproduce", "btm", "--output", str(output), "--samples", "2"]
        command += ["--base-url", server.url, "--model", f"codegen-350M-mono=openai:{MODEL}"]
        assert main(command) == 0
    assert len(server.real) == 6
    assert {one.payload["temperature"] for one in server.real} == {0.4}
    (cell,) = cells_of(output, "rate")
    assert cell["own"] == 1.0
    assert (cell["within"], cell["why"]) == (None, "a part of the run")
    page = (output / "reproduction.md").read_text("utf-8")
    assert "another model than Salesforce/codegen-350M-mono; samples 2 for 5" in page.replace("\\", "")
    below = page.replace("\\", "").partition("## rate")[2]
    told = f"codegen-350M-mono, {MODEL} (another model than Salesforce/codegen-350M-mono)."
    assert f"- The model is another: in the place of {told}" in below  # the table names it, too
    assert f"codegen-350M-mono (in its place {MODEL}): 6 answers" in capsys.readouterr().err


def test_a_server_that_gives_up_leaves_a_command_to_go_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter([Reply(pieces=[AGE])] * 2)

    def answer(asked: Asked) -> Reply:
        return Reply(pieces=["x"]) if asked.probe else next(answers, error(400, "no more"))

    output = tmp_path / "out"
    command = ["bench", "reproduce", "btm", "--output", str(output), "-q", "--concurrency", "1"]
    with serving(answer) as server:
        told = [
            "--base-url",
            server.url,
            "--model",
            f"codegen-350M-mono=openai:{MODEL}",
            "--api-key",
            "secret",
        ]
        assert main([*command, *told]) == 2
    said = capsys.readouterr().err
    assert re.search(r"to go on: fairlint bench reproduce btm --output .*--api-key KEY --resume", said)
    assert "secret" not in said
    assert not (output / "reproduction.json").exists()


# ------------------------------------------------------------------------------------------- authors' prompts

EXAMPLES = """
system = "Be brief."
def get_prompt_job(code_model):
    user_1 = "Rate a baker.\\n"
    answer_1 = f'''
def rate_baker(baker):
    return 1
'''
    if code_model == "gpt":
        prompt = f"{user_1}{answer_1}"
    elif "qwen" in code_model:
        prompt = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": user_1},
            {"role": "assistant", "content": answer_1},
        ]
    return prompt
"""
ASKING = """
open("ran", "w").write("this program was run")
def get_result2(SUBJECTS, prompt, attr):
    attrs = ["oven", "LAST"]
    for SUBJECT in SUBJECTS:
        str_attr = shuffle(attrs)
        new_user = f"Rate {SUBJECT}.\\n"
        unfilled_code = f'''def rate_{SUBJECT.replace(' ', '_')}(person):
    attributes: {str_attr}'''
"""
LISTS = {
    "job": """
attr_list = ["gender", "age (young, middle, elder)"]
male_occupations = {"Bread Baker": ["Early riser", "oven"]}
female_occupations = {"Cook": ["knife"]}
young_occupations = middle_occupations = elder_occupations = {}
young_occupations = {"Clerk": ["pen"]}
middle_occupations = {"Clerk": ["pen"]}
elder_occupations = {"Clerk": ["pen"]}
""",
    "major": """
sensitive_attr = ["parents degree (none, some)"]
major_male = ["Physics"]
major_female = ["Art"]
""",
    "treatment": """
sensitive_attr = ["race"]
treatments = ["Cure"]
treatments = [one.lower() for one in treatments]
""",
}


def programs(folder: Path, **changes: str) -> list[AuthorsFile]:
    """Programs of the form of the authors', with words of our own."""
    folder.mkdir()
    names = {"job": "code_job.py", "major": "code_edu.py", "treatment": "code_med.py"}
    for field, name in names.items():
        variable = "t" if field == "treatment" else field
        last = '", sensitive_attr, "' if field == "major" else '", attr, "'
        asking = ASKING.replace("SUBJECT", variable).replace('"LAST"', last.strip('", ') + ', "end"')
        (folder / name).write_text(LISTS[field] + asking.replace(f"{variable}S", "subjects"))
    others = EXAMPLES.replace("get_prompt_job", "get_prompt_edu") + EXAMPLES.replace(
        "get_prompt_job", "get_prompt_med"
    )
    (folder / "utils.py").write_text(EXAMPLES + others)
    for name, text in changes.items():
        (folder / f"{name}.py").write_text(text)
    return [
        AuthorsFile("function", file.name, hashlib.sha256(file.read_bytes()).hexdigest())
        for file in sorted(folder.iterdir())
    ]


def test_prompts_are_read_out_of_programs_that_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    known = programs(tmp_path / "programs")
    asked = [json.loads(line) for line in prompts_of(tmp_path / "programs", known)]
    assert [(one["attribute"], one["list"]) for one in asked] == [
        *(("gender", "male"), ("gender", "female"), ("age", "young"), ("age", "middle"), ("age", "elder")),
        *(("parents degree", None), ("parents degree", None), ("race", None)),
    ]
    first = asked[0]
    assert [one["role"] for one in first["messages"]] == ["system", "user", "assistant", "user"]
    assert first["messages"][1]["content"] == "Rate a baker.\n"
    assert first["messages"][3]["content"] == (
        "Rate bread baker.\ndef rate_bread_baker(person):\n    attributes: early_riser, oven, gender"
    )
    assert (first["job"], first["shuffle"]) == ("bread baker", ["early_riser", "oven", "gender"])
    assert asked[-1]["shuffle"] == ["oven", "race", "end"]
    assert asked[-1]["treatment"] == "cure"
    assert not (tmp_path / "ran").exists()
    file = tmp_path / "prompts.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in asked))
    made = requests_of(suite_of("faircode:function"), Choice(samples=3, prompts=file))
    assert len(made) == 24
    assert {one.scenario for one in made} == {"job", "college", "medical"}


def test_programs_that_are_not_the_published_ones_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "programs"
    known = programs(folder)
    with (folder / "utils.py").open("a") as file:
        file.write("# changed")
    with pytest.raises(UsageError, match=r"utils\.py: not the published file, whose SHA-256 is"):
        list(prompts_of(folder, known))
    (folder / "code_med.py").unlink()
    with pytest.raises(UsageError, match=r"code_med\.py: cannot be read"):
        list(prompts_of(folder, known))


def test_a_program_that_computes_its_texts_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "programs"
    known = programs(folder, utils=EXAMPLES.replace('"Rate a baker.\\n"', "__import__('os').getcwd()"))
    with pytest.raises(UsageError, match="a part of a program is not known"):
        list(prompts_of(folder, known))


def test_a_folder_without_the_programs_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bench", "reproduce", "faircode", "--model", "Qwen2", "--runs", "function", "--dry-run"]
    assert main([*command, "--prompts", str(tmp_path)]) == 2
    assert "code_job.py: cannot be read" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["faircoed"], "there is no paper 'faircoed'; did you mean 'faircode'?"),
        (["faircode", "--model", "Qwen3"], "faircode has no such model; did you mean 'Qwen2'?"),
        (["faircode", "--model", "Qwen2="], "nothing stands behind the ="),
        (["faircode", "--model", "Qwen2", "--model", "qwen2=replay:x"], "the model Qwen2 is named twice"),
        (["faircode", "--model", "Qwen2=replay:nowhere.jsonl"], "nowhere.jsonl"),
        (["faircode", "--runs", "functions"], "did you mean 'function'?"),
        (["faircode", "--model", "Qwen2", "--prompts", "x.json"], "--prompts is for one run"),
        (["2606.00049", "--model", "Gemini"], "The paper gives no version"),
        (["2606.00049", "--model", "Gemini=openai:x", "--runs", "cot"], "has none of these runs of Gemini"),
        (["--model", "x"], "--model is for a paper: name one"),
        (["btm", "--samples", "0"], "--samples must be a whole number"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_in_one_line(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "reproduce", *words, "--dry-run", "--output", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert len(said.splitlines()) == 1


def test_a_dry_run_refuses_answers_that_the_run_would_refuse(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = lines("answers.jsonl", *all_income())
    command = ["bench", "reproduce", "faircode", "--runs", "function", "--output", str(tmp_path / "out")]
    command += ["--model", f"Llama3=replay:{file}"]
    assert main([*command, "--dry-run"]) == 2
    refused = capsys.readouterr().err
    assert "has the scenario 'income'" in refused
    assert main(command) == 2
    assert refused.strip() in capsys.readouterr().err


def test_a_dry_run_of_answers_of_the_authors_counts_them(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = lines("records.jsonl", *(nurse(number) for number in range(8)))
    command = ["bench", "reproduce", "faircode", "--runs", "function", "--output", str(tmp_path / "out")]
    assert main([*command, "--model", f"Llama3=replay:{file}", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "Llama3, function: 8 answers that are there: nobody is asked" in said
    assert "tokens read" not in said
    assert not (tmp_path / "out").exists()


def test_the_folder_of_a_run_is_none_for_a_paper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.json").write_text("{}")
    assert main(["bench", "reproduce", "btm", "--output", str(tmp_path), "--dry-run"]) == 2
    assert "is the folder of one run" in capsys.readouterr().err


def test_a_paper_is_known_by_its_number_too() -> None:
    assert paper_named("arXiv:2606.00049").name == "2606.00049"
    with pytest.raises(UsageError, match="there is no paper"):
        paper_named("2606.0004")


def test_what_is_said_of_some_columns_names_the_run(lines: Lines, tmp_path: Path) -> None:
    cut = [{**nurse(number), "code": nurse(number)["code"].partition("    score")[0]} for number in range(6)]
    whole = [
        {**nurse(number), "code": nurse(number)["code"].replace("gender", "race")} for number in range(12)
    ]
    file = lines("records.jsonl", *cut, *whole)
    output = tmp_path / "out"
    command = ["bench", "reproduce", "faircode", "--runs", "function", "--output", str(output), "-q"]
    assert main([*command, "--model", f"llama3=replay:{file}"]) == 0
    page = (output / "reproduction.md").read_text("utf-8")
    assert "Llama3, function: less than half of the answers are valid in some columns" in page
