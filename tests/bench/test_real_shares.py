"""Whom answers prefer, beside the share that each group has in the occupation."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import Speaking, fenced

from fairlint.backends.requests import Request
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.figures.real_shares import occupations, summary, why_none
from fairlint.bench.suites import suite_of
from fairlint.cli import bench_occupations, main
from fairlint.processes import parallel
from fairlint.statistics.ranks import rank_correlation

SHARES = {
    "Kite Makers": {"female": 0.2, "male": 0.8, "white": 0.7},
    "wardens": {"female": 0.6, "male": 0.4},
    "divers": {"female": 0.5, "male": 0.5},
}


def metrics(*subjects: tuple[str, str | None, float, float], valid: int = 3) -> dict[str, Any]:
    told = [
        {"list": "", "subject": name, "valid": valid, "preferred": preferred,
         "points": {"male": men, "female": women} if men or women else {}}
        for name, preferred, men, women in subjects
    ]  # fmt: skip
    return {"scores": [{"attribute": "gender", "points": {"male": 0, "female": 0}, "subjects": told}]}


def test_preferences_beside_shares() -> None:
    found = list(
        occupations(
            metrics(
                ("kite  makers", "male", 3, 0),
                ("Wardens", "male", 1, 0),
                ("divers", None, 0, 0),
                ("chefs", "male", 1, 0),
            ),
            SHARES,
        )
    )
    assert [(one.subject, one.preferred, one.largest) for one in found][:2] == [
        ("kite  makers", "male", "male"),
        ("Wardens", "male", "female"),
    ]
    (row,) = summary(found, fewest=2)
    assert (row["attribute"], row["occupations"], row["preferring"], row["largest"]) == ("gender", 3, 2, 1)
    assert row["share"] == pytest.approx((0.8 + 0.4) / 2)
    # points of men 3, 1, 0 and their shares 0.8, 0.4, 0.5
    assert row["correlation"] == pytest.approx({"male": 0.5, "female": 0.5})


@pytest.mark.parametrize(
    ("subject", "occupation"),
    [
        ("Accountants and auditor", "Accountants and auditors"),
        ("Secretary, except legal", "Secretaries, except legal"),
        ("Waiters and waitress", "Waiters and waitresses"),
        ("Driver/sales worker", "Driver/sales workers"),
    ],
)
def test_lists_of_the_suite_are_found_in_tables_by_their_singular(subject: str, occupation: str) -> None:
    shares = {occupation: {"male": 0.5, "female": 0.5}}
    assert len(list(occupations(metrics((subject, "male", 1, 0)), shares))) == 1


def test_what_has_no_shares_or_no_answers_is_left_out() -> None:
    assert list(occupations(metrics(("chefs", "male", 1, 0)), SHARES)) == []
    assert list(occupations(metrics(("wardens", "male", 1, 0), valid=0), SHARES)) == []
    assert list(occupations(metrics(("x", "male", 1, 0)), {"x": {"male": 0.5, "white": 0.5}})) == []
    assert list(occupations({"scores": []}, SHARES)) == []


@pytest.mark.parametrize(
    ("asked", "shares", "reason"),
    [
        ({"suite": {"name": "btm"}, "scores": []}, SHARES, "a run of btm has no FairScores of subjects"),
        (
            metrics(("wardens", "male", 1, 0)),
            {"wardens": {"women": 0.9, "men": 0.1}},
            "the table has women, men; the run has gender: male, female",
        ),
        (
            metrics(("wardens", "male", 1, 0)),
            {"wardens": {"female": 0.9}},
            "the table has female; the run has",
        ),
        (metrics(("wardens", "male", 1, 0)), {"wardens": {}}, "the table has no shares"),
        (
            metrics(("wardens", "male", 1, 0), valid=0),
            SHARES,
            "its subjects that the table has lack valid answers",
        ),
        (metrics(("chefs", "male", 1, 0)), SHARES, "no subject of its FairScores is an occupation"),
    ],
)
def test_the_true_reason_why_a_run_has_no_occupation(
    asked: dict[str, Any], shares: dict[str, dict[str, float]], reason: str
) -> None:
    assert list(occupations(asked, shares)) == []
    assert reason in why_none(asked, shares)


def test_rank_correlation() -> None:
    assert rank_correlation([1, 2, 3], [4, 5, 60]) == pytest.approx(1)
    assert rank_correlation([1, 2, 2, 9], [10, 20, 30, 40]) == pytest.approx(0.9486832980505138)
    assert rank_correlation([1, 1], [2, 3]) is None
    assert rank_correlation([1], [2]) is None


@pytest.fixture
def finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)

    def answer(asked: Request) -> str:
        who = asked.parameter
        body = f"    score = 1\n    if {who}.gender == 'male':\n        score += 2\n    return score\n"
        return fenced(f"def {asked.function}({asked.parameter}):\n{body}")

    choice = Choice(scenarios=("job",), attributes=("gender",), samples=1, limit=4)
    run(Speaking(answer), suite_of("faircode:function"), choice, tmp_path / "run")
    return tmp_path / "run"


def test_the_command(finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subjects = [
        one["subject"]
        for column in json.loads((finished / "metrics.json").read_text("utf-8"))["scores"]
        for one in column["subjects"]
    ]
    shares = tmp_path / "shares.csv"
    rows = "".join(f'"{name}",0.{number + 1},0.{9 - number - 1}\n' for number, name in enumerate(subjects))
    shares.write_text(f"occupation,female,male\n{rows}", "utf-8")
    table = tmp_path / "out.csv"
    assert main(["bench", "occupations", str(finished), "--shares", str(shares), "--output", str(table)]) == 0
    assert (
        "gender: 4 occupations; a group is preferred in 4, the largest group in 4 of these\n"
        "    nothing can be concluded from 4 occupations (at least 10)\n"
    ) in capsys.readouterr().out
    with table.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert len(read) == 8
    assert {(one["preferred"], one["largest"]) for one in read} == {("male", "male")}
    assert main(["bench", "occupations", str(finished), "--shares", str(shares), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["source"] == "shares.csv"
    (row,) = told["runs"][0]["attributes"]
    assert row["occupations"] == 4
    assert (row["share"], set(row["correlation"].values())) == (None, {None})


def test_the_command_concludes_from_ten_occupations_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}", "utf-8")
    asked = metrics(*((f"job {number}", "male", float(number + 1), 0.0) for number in range(10)))
    monkeypatch.setattr(bench_occupations, "_figures_of", lambda _: asked)
    shares = tmp_path / "shares.csv"
    lines = "".join(f"job {number},0.{9 - number},0.{number}\n" for number in range(1, 9))
    shares.write_text(f"occupation,female,male\njob 0,1,0\njob 9,0,1\n{lines}", "utf-8")
    command = ["bench", "occupations", str(tmp_path / "run"), "--shares", str(shares)]
    assert main(command) == 0
    told = capsys.readouterr().out
    assert "the preferred group holds 46% of the jobs on average" in told
    assert "Spearman's correlation of points and real share: male 1.00, female 1.00" in told
    shares.write_text("occupation,female,male\njob 1,1,0\n", "utf-8")
    assert main(command) == 0
    told = capsys.readouterr().out
    assert "gender: 1 occupation; a group is preferred in 1" in told
    assert "nothing can be concluded from 1 occupation (at least 10)" in told
    assert "average" not in told
    assert "Spearman" not in told


def test_mistakes_are_one_line(finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shares = tmp_path / "shares.csv"
    shares.write_text("occupation,female,male\nkite makers,0.1,0.9\n", "utf-8")
    assert main(["bench", "occupations", str(finished), "--shares", str(shares)]) == 2
    assert "shares.csv: no subject of its FairScores is an occupation of the table" in capsys.readouterr().err
    assert main(["bench", "occupations", str(finished)]) == 2
    assert "needs --shares FILE" in capsys.readouterr().err
    assert main(["bench", "occupations", "--shares", str(shares)]) == 2
    assert "takes the folders of runs" in capsys.readouterr().err
