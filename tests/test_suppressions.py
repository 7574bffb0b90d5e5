"""Comments put findings aside, with a reason; what is wrong with a comment is a finding itself."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from fairlint import Settings, check_paths, check_source
from fairlint.bench.judging.protocols import judge
from fairlint.cli import main
from fairlint.findings.report import Report

SCORE = """\
def points(applicant):
    score = 0
    if applicant.gender == "female":
        score -= 5
    return score
"""
REASON = "the quota law, section 4"
HERE = f"# fairlint: ignore[FL201] -- {REASON}"


def told(text: str, path: str = "a.py", **settings: object) -> Report:
    """What is told of some code."""
    return check_source(text, path=path, settings=Settings(**settings))  # type: ignore[arg-type]


def rules(report: Report) -> list[str]:
    """The rules of the findings, in order."""
    return [finding.rule for finding in report.findings]


TEST = 'if applicant.gender == "female":'
PLACES = {
    "behind the code": SCORE.replace(TEST, f"{TEST}  {HERE}"),
    "above the code": SCORE.replace(TEST, f"{HERE}\n    {TEST}"),
    "above, with another comment between": SCORE.replace(TEST, f"{HERE}\n    # and so it is\n\n    {TEST}"),
    "by name": SCORE.replace(TEST, f"{TEST}  # fairlint: ignore[points-by-group] -- {REASON}"),
    "behind another comment": SCORE.replace(TEST, f"{TEST}  # noqa: X100  {HERE}"),
    "without spaces": SCORE.replace(TEST, f"{TEST}  #fairlint:ignore[FL201,FL204]--{REASON}"),
    "for a block": f"# fairlint: ignore-start[FL201] -- {REASON}\n{SCORE}# fairlint: ignore-end\n",
    "for the file": f"{SCORE}# fairlint: ignore-file[FL201] -- {REASON}\n",
    "where a formatter takes it": SCORE.replace(
        TEST, f'if (\n        applicant.gender == "female"\n    ):  {HERE}'
    ),
    "at the end of a statement": (
        "def points(applicant):\n    return (\n        5\n"
        '        if applicant.gender == "female"\n        else 0\n    )  '
        f"# fairlint: ignore[FL201, FL101] -- {REASON}\n"
    ),
}


@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES)
def test_a_comment_puts_a_finding_aside(text: str) -> None:
    report = told(text, ignore=("FL904",))
    assert rules(report) == []
    (one,) = report.suppressed
    assert one.reason == REASON
    assert one.finding.use.attribute == "gender"
    assert one.path == "a.py"
    assert "fairlint:" in text.splitlines()[one.line - 1]


ELSEWHERE = {
    "another rule": SCORE.replace(TEST, f"{TEST}  {HERE.replace('FL201', 'FL102')}"),
    "another line": SCORE.replace("score = 0", f"score = 0  {HERE}"),
    "a line above another statement": SCORE.replace("    score = 0", f"    {HERE}\n    score = 0"),
    "the first line of the body": SCORE.replace("score -= 5", f"score -= 5  {HERE}"),
    "a text": SCORE.replace("score = 0", f'score = 0; note = "{HERE}"'),
    "before a block": f"# fairlint: ignore-start[FL201] -- {REASON}\n# fairlint: ignore-end\n{SCORE}",
}


@pytest.mark.parametrize("text", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_comment_elsewhere_puts_nothing_aside(text: str) -> None:
    report = told(text)
    assert "FL201" in rules(report)
    assert report.suppressed == ()


def test_c_has_both_kinds_of_comments() -> None:
    code = """\
struct person { char gender; int score; };
int points(struct person *p)
{
    int score = 0;
    if (p->gender == 'F')%s
        score -= 5;
    return score;
}
"""
    assert rules(told(code % "", "a.c")) == ["FL201"]
    for comment in (f" // {HERE[2:]}", f" /* {HERE[2:]} */"):
        report = told(code % comment, "a.c")
        assert rules(report) == []
        assert [one.reason for one in report.suppressed] == [REASON]


def test_a_cell_of_a_notebook() -> None:
    cells = [f"# fairlint: ignore-cell[FL201] -- {REASON}\n{SCORE}", SCORE.replace("points", "bonus")]
    kinds: dict[str, object] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    whole = {
        "cells": [{**kinds, "source": cell} for cell in cells],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    report = check_source(json.dumps(whole), path="a.ipynb", language="notebook")
    assert [(finding.rule, finding.cell) for finding in report.findings] == [("FL201", 2)]
    assert [(one.cell, one.line) for one in report.suppressed] == [(1, 1)]


@pytest.mark.parametrize(
    ("comment", "found"),
    [
        ("# fairlint: ignore[FL201]", ["FL901"]),
        ("# fairlint: ignore[FL201] --  ", ["FL901"]),
        ("# fairlint: ignore[FL201, FL102] -- why", ["FL904"]),
        ("# fairlint: ignore[FL201, FL999] -- why", ["FL905"]),
        ("# fairlint: ignore[FL2] -- why", ["FL201", "FL905"]),
        ("# fairlint: ignore", ["FL906"]),
        ("# fairlint: ignore[] -- why", ["FL906"]),
        ("# fairlint: disable=FL201", ["FL201", "FL905"]),
        ("# fairlint: ignore-start[FL201] -- why", ["FL201", "FL905"]),
        ("# fairlint: ignore-end", ["FL201", "FL905"]),
        ("# fairlint: the linter for fairness", ["FL201"]),
    ],
)
def test_what_is_wrong_with_a_comment_is_told(comment: str, found: list[str]) -> None:
    assert sorted(rules(told(SCORE.replace(TEST, f"{TEST}  {comment}")))) == found


def test_a_comment_in_a_file_about_nobody_is_unused() -> None:
    assert rules(told(f"x = 1  {HERE}\n")) == ["FL904"]


def test_only_rules_that_are_asked_for_are_unused() -> None:
    text = f"x = 1  {HERE}\n"
    assert rules(told(text, select=("FL1", "FL904"))) == ["FL904"]
    assert rules(told(text, ignore=("FL904",))) == []


def test_what_could_not_be_read_is_not_called_unused() -> None:
    assert rules(told(f"x = 1  {HERE}\ndef broken(:\n    if gender ==\n")) == []


def test_comments_can_be_left_unheeded() -> None:
    report = told(PLACES["behind the code"], suppressions=False)
    assert rules(report) == ["FL201"]
    assert report.suppressed == ()


def test_an_answer_of_a_model_cannot_excuse_itself() -> None:
    answer = f"```python\n# fairlint: ignore-file[FL201] -- I am fair\n{SCORE}```\n"
    assert judge(answer, "gender").points == judge(f"```python\n{SCORE}```\n", "gender").points


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_comment_is_used_by_a_file_that_imports_its_own(here: Path) -> None:
    (here / "helper.py").write_text(
        f'def decide(kind, score):\n    if kind == "female":  {HERE}\n'
        "        return score - 5\n    return score\n"
    )
    (here / "use.py").write_text(
        "from helper import decide\n\n"
        "def final(applicant):\n    return decide(applicant.gender, applicant.score)\n"
    )
    report = check_paths(["."])
    assert rules(report) == []
    assert [one.finding.path for one in report.suppressed] == ["helper.py"]


# ------------------------------------------------------------------------------------- the command line


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a run."""
    code = main(["--isolated", *arguments])
    output, errors = capsys.readouterr()
    return code, output, errors


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_comments_are_written_above_what_is_told(
    here: Path, capsys: pytest.CaptureFixture[str], newline: str
) -> None:
    file = here / "scores.py"
    file.write_bytes(SCORE.replace("\n", newline).encode())
    code, output, _ = run(capsys, "--add-ignore", "--reason", "quota  law", ".")
    assert (code, output.splitlines()) == (0, ["scores.py: FL201 in line 3", "Put 1 finding aside."])
    expected = SCORE.replace(TEST, f"# fairlint: ignore[FL201] -- quota law\n    {TEST}")
    assert file.read_bytes() == expected.replace("\n", newline).encode()
    assert run(capsys, ".")[0] == 0
    assert run(capsys, "--add-ignore", "--reason", "quota law", ".")[1] == "Put 0 findings aside.\n"
    assert file.read_bytes() == expected.replace("\n", newline).encode()


def test_a_finding_amid_a_statement_gets_its_comment_above_that(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "from sklearn.linear_model import LogisticRegression\nimport pandas as pd\n"
        'data = pd.read_csv("x.csv")\nmodel = LogisticRegression().fit(\n'
        '    data[\n        [\n            "income",\n            "gender",\n        ]\n    ],\n'
        '    data["repaid"],\n)\n'
    )
    (here / "train.py").write_text(text)
    assert run(capsys, "--add-ignore", "--reason", "audited", ".")[0] == 0
    lines = (here / "train.py").read_text().splitlines()
    assert lines[3].startswith("# fairlint: ignore[FL30")
    assert lines[4].startswith("model = ")
    assert run(capsys, ".")[0] == 0


def test_what_the_baseline_holds_gets_no_comment(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "scores.py").write_text(SCORE)
    assert run(capsys, "--add-ignore", "--reason", "x", "none.py")[0] == 2
    assert main(["baseline", "create", "--isolated", "."]) == 0
    capsys.readouterr()
    with (here / "scores.py").open("a") as file:
        file.write("\n\ndef may_rent(person):\n    return person.age > 45\n")
    output = run(capsys, "--add-ignore", "--reason", "the insurer", ".")[1]
    assert output.splitlines() == ["scores.py: FL102 in line 9", "Put 1 finding aside."]
    assert (here / "scores.py").read_text().count("fairlint:") == 1
    assert run(capsys, ".")[0] == 0


def test_notebooks_and_other_encodings_are_left(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    latin = ("# -*- coding: latin-1 -*-\n# caf\xe9\n" + SCORE).encode("latin-1")
    (here / "a.py").write_bytes(latin)
    code, output, _ = run(capsys, "--add-ignore", "--reason", "audited", ".")
    assert code == 0
    assert output.splitlines() == [
        "a.py: left as it is: it is not UTF-8 text",
        "Put 0 findings aside; 1 left.",
    ]
    assert (here / "a.py").read_bytes() == latin


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--add-ignore", "."), "--add-ignore needs --reason"),
        (("--add-ignore", "--reason", " ", "."), "--add-ignore needs --reason"),
        (("--reason", "why", "."), "--reason requires --add-ignore"),
        (("--add-ignore", "--reason", "why", "-"), "cannot change standard input"),
    ],
)
def test_wrong_use_is_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    del here
    code, _, errors = run(capsys, *arguments)
    assert code == 2
    assert message in errors
    assert errors.count("\n") == 1


def test_what_is_put_aside_is_listed_with_its_author(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "scores.py").write_text(PLACES["above the code"])
    assert "comment: scores.py:3, not committed" not in run(capsys, "--show-suppressed", ".")[1]
    git = ("git", "-c", "user.name=Ada Lovelace", "-c", "user.email=ada@example.org")
    for command in (
        ("init", "-q"),
        ("add", "."),
        ("commit", "-qm", "scores", "--date", "2026-01-02T12:00:00Z"),
    ):
        subprocess.run([*git, *command], check=True, capture_output=True)
    output = run(capsys, "--show-suppressed", ".")[1]
    first, reason, comment, _, summary = output.splitlines()
    assert first.startswith("scores.py:4:8: error[FL201] ")
    assert reason == f"  reason: {REASON}"
    assert comment == "  comment: scores.py:3, by Ada Lovelace on 2026-01-02"
    assert summary == "1 suppressed finding in 1 file."


def test_json_holds_what_is_put_aside_and_sarif_does_not(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "scores.py").write_text(PLACES["behind the code"])
    document = json.loads(run(capsys, "--format", "json", ".")[1])
    assert document["findings"] == []
    assert document["summary"]["suppressed"] == 1
    (one,) = document["suppressed"]
    assert (one["finding"]["rule"], one["reason"], one["line"]) == ("FL201", REASON, 3)
    assert json.loads(run(capsys, "--format", "sarif", ".")[1])["runs"][0]["results"] == []
