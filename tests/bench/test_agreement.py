"""`fairlint bench agreement`: the checker beside execution, models and people."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from server import MODEL, Asked, Reply, Server, serving

from fairlint.bench.judging.group_values import group_values
from fairlint.cli import main
from fairlint.run_folders.jsonl import KEY

pytest.importorskip("openai")
pytest.importorskip("pydantic_monty")

BIASED = "def evaluate_cook(cook):\n    if cook.gender == 'male':\n        return 5\n    return 1\n"
FAIR = "def evaluate_cook(cook):\n    return 3 if cook.years > 5 else 1\n"
RETURNED = "def evaluate_cook(cook):\n    return {'gender': cook.gender, 'years': cook.years}\n"
BROKEN = "def evaluate_cook(cook):\n    return cook.gender + years\n"
PROSE = "I would rather not."


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run of six answers about gender."""
    answers = tmp_path / "answers.jsonl"
    texts = [BIASED, BIASED.replace("male", "female"), FAIR, RETURNED, BROKEN, PROSE]
    lines = [
        {"text": f"```python\n{text}```\n" if "def" in text else text, "job": "cook", "attribute": "gender"}
        for text in texts
    ]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    folder = tmp_path / "run"
    command = ["bench", "--suite", "faircode:function", "--model", f"replay:{answers}", "-q"]
    assert main([*command, "--output", str(folder)]) == 0
    capsys.readouterr()
    return folder


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["bench", "agreement", *arguments, "--format", "json", "-q"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_execution_is_compared_with_the_checker(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = run.parent / "disagreements.jsonl"
    found = told(capsys, str(run), "--judge", "execution", "--list", str(listed))
    assert found["items"] == 5
    assert found["left_out"] == {"without a whole Python function": 1}
    assert found["judges"][1] == {
        "name": "execution", "judged": 4, "yes": 3, "not_judged": {"no call came to a value": 1},
    }  # fmt: skip
    [pair] = found["pairs"]
    counts = {name: pair[name] for name in ("both", "first_only", "second_only", "neither")}
    assert counts == {"both": 2, "first_only": 0, "second_only": 1, "neither": 1}
    assert pair["kappa"] == pytest.approx(0.5)
    assert pair["interval"][0] < 0.5 < pair["interval"][1]
    [line] = listed.read_text().splitlines()
    assert "return {'gender'" in json.loads(line)["code"]
    assert json.loads(line)["verdicts"] == {"checker": False, "execution": True}


def test_a_model_is_asked_each_question_once_and_never_again(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def reply(asked: Asked) -> Reply:
        text = asked.payload["messages"][-1]["content"]
        if "years > 5" in text:
            return Reply(pieces=["No."])
        return Reply(pieces=["Hm, that depends."] if "+ years" in text else ["Yes"])

    with serving(reply) as server:
        options = ("--judge", f"openai:{MODEL}", "--base-url", server.url)
        found = told(capsys, str(run), *options)
        questions = _questions(server)
        again = told(capsys, str(run), *options)
        assert _questions(server) == questions
    assert again == found
    assert len(questions) == len(set(questions)) == 5
    assert all("yes or no" in one and "their gender" in one for one in questions)
    assert found["judges"][1]["judged"] == 4
    assert found["judges"][1]["not_judged"] == {"neither yes nor no": 1}
    assert {name: found["pairs"][0][name] for name in ("both", "second_only", "neither")} == {
        "both": 2, "second_only": 1, "neither": 1,
    }  # fmt: skip


@pytest.mark.parametrize("answer", ["Yes", "No"])
def test_a_judge_that_says_the_same_of_all_is_said_to_tell_nothing_apart(
    run: Path, answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a small real model does: a kappa of 0 alone does not show it."""
    with serving(lambda _asked: Reply(pieces=[answer])) as server:
        judge = f"openai:{MODEL}"
        words = [str(run), "--judge", "execution", "--judge", judge, "--base-url", server.url, "-q"]
        assert main(["bench", "agreement", *words]) == 0
        lines = capsys.readouterr().out.splitlines()
        yes = 5 if answer == "Yes" else 0
        assert f"{judge} judged 5 and said yes of {yes}, so it tells no two of them apart" in lines
        assert "execution judged 4 and said yes of 3" in lines
        assert told(capsys, *words[:-1])["judges"][2]["yes"] == yes


def test_a_log_says_how_far_a_judge_is(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda _asked: Reply(pieces=["Yes"])) as server:
        words = ["--judge", "execution", "--judge", f"openai:{MODEL}", "--base-url", server.url]
        assert main(["bench", "agreement", str(run), *words]) == 0
        told = capsys.readouterr().err
        assert "execution: judged: 5 of 5" in told
        assert f"fairlint: loading openai:{MODEL}\n" in told
        assert f"openai:{MODEL}: judged: 0 of 5\n" in told
        assert f"openai:{MODEL}: judged: 5 of 5" in told
        assert main(["bench", "agreement", str(run), *words, "-q"]) == 0
        assert "judged" not in capsys.readouterr().err


def _questions(server: Server) -> list[str]:
    return [one.payload["messages"][-1]["content"] for one in server.asked if not one.probe and one.payload]


def test_labels_are_drawn_without_a_verdict_and_read_back(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = run.parent / "labels.csv"
    assert main(["bench", "agreement", str(run), "--draw", "5", "--output", str(sheet)]) == 0
    capsys.readouterr()
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert set(rows[0]) == {"run", "answer", "attribute", "code", "label", "by"}
    for row in rows:
        row["label"] = "unclear" if "+ years" in row["code"] else "yes" if "male" in row["code"] else "No"
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)

    found = told(capsys, str(run), "--judge", "execution", "--labels", str(sheet))

    assert [(pair["first"], pair["second"]) for pair in found["pairs"]] == [
        ("checker", "labels"), ("checker", "execution"), ("labels", "execution"),
    ]  # fmt: skip
    assert found["pairs"][0]["kappa"] == 1
    assert found["judges"][1]["not_judged"] == {"unclear": 1}


def test_labels_of_items_that_are_not_drawn_are_left(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = run.parent / "labels.csv"
    assert main(["bench", "agreement", str(run), "--draw", "5", "--output", str(sheet)]) == 0
    capsys.readouterr()
    found = told(capsys, str(run), "--labels", str(sheet), "--limit", "2")
    assert found["items"] == 2
    assert found["judges"][1] == {"name": "labels", "judged": 0, "yes": 0, "not_judged": {"no label": 2}}


def test_the_same_items_are_drawn_twice_and_others_by_another_seed(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def drawn(seed: str) -> str:
        sheet = run.parent / f"{seed}.csv"
        words = ["bench", "agreement", str(run), "--draw", "2", "--output", str(sheet), "--seed", seed]
        assert main(words) == 0
        capsys.readouterr()
        text = sheet.read_text()
        sheet.unlink()
        return text

    assert drawn("1") == drawn("1")
    assert len({drawn(str(seed)) for seed in range(6)}) > 1


def test_text_names_judges_and_reasons(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "agreement", str(run), "--judge", "execution"]) == 0
    text = capsys.readouterr().out
    assert "5 items" in text
    assert "not 1: no call came to a value" in text
    assert "checker, execution" in text
    assert "0.500" in text


def test_a_dry_run_asks_nobody(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "agreement", str(run), "--judge", "openai:some", "--dry-run", "--prices", "1,2"]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert text.startswith("openai:some: 5 questions, about ")
    assert ", costs " in text


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "nobody to compare with"),
        (["--draw", "3"], "--draw needs --output"),
        (["--judge", "execution", "--limit", "0"], "--limit must be a whole number, 1 or more"),
        (["--labels", "missing.csv"], "--labels missing.csv"),
        (["--judge", "execution", "--prices", "1", "--dry-run"], "--prices must be two numbers"),
    ],
)
def test_a_wrong_word_is_one_line(
    run: Path, words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "agreement", str(run), *words]) == 2
    text = capsys.readouterr().err
    assert reason in text
    assert text.count("\n") == 1


def test_labels_are_not_written_over(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = run.parent / "labels.csv"
    sheet.write_text("mine\n")
    assert main(["bench", "agreement", str(run), "--draw", "2", "--output", str(sheet)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert sheet.read_text() == "mine\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("answer,attribute\n", "has no column label"),
        ("answer,attribute,label\nnone,gender,yes\n", "line 2: the runs have no answer 'none'"),
        ("answer,attribute,label\n{answer},gender,maybe\n", "line 2: the label is 'maybe'"),
        (
            "answer,attribute,label\n{answer},gender,yes\n{answer},gender,no\n",
            "line 3: '{answer}' has two labels about gender",
        ),
    ],
)
def test_wrong_labels_are_one_line(
    run: Path, text: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = json.loads((run / "responses.jsonl").read_text().splitlines()[0])[KEY]
    (run.parent / "labels.csv").write_text(text.replace("{answer}", answer))
    assert main(["bench", "agreement", str(run), "--labels", str(run.parent / "labels.csv")]) == 2
    assert reason.replace("{answer}", answer) in capsys.readouterr().err


def test_labels_may_stand_beside_code_of_any_length(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads((run / "responses.jsonl").read_text().splitlines()[0])[KEY]
    sheet = run.parent / "labels.csv"
    sheet.write_text(f"answer,attribute,label,code\n{answer},gender,yes,{'x' * 200_000}\n")
    found = told(capsys, str(run), "--labels", str(sheet))
    assert found["judges"][1]["judged"] == 1


@pytest.mark.parametrize(
    ("attribute", "named", "values"),
    [
        ("gender", ("Male", "other"), ("Male", "Female")),
        ("gender", ("F", "other"), ("F", "MALE")),
        ("gender", (), ("male", "female")),
        ("race", ("white", "asian", "other"), ("white", "asian", "black", "hispanic")),
        ("race", ("majority", "other"), ("majority", "other")),
        ("age", (61, 60, 59), (61, 60, 59, 20, 45, 70)),
        ("occupation", ("cook", "other"), ("cook", "other")),
        ("occupation", ("other",), ("other", "one")),
    ],
)
def test_people_have_the_groups_of_an_attribute(
    attribute: str, named: tuple[str | int, ...], values: tuple[str | int, ...]
) -> None:
    assert set(group_values(attribute, named)) == set(values)
