"""The published figures beside those of replayed answers: what a record is about, and what is printed."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("scipy")
pytest.importorskip("pydantic_monty")

import published_tables as tables

from fairlint.bench.figures.metrics import score_subject

LISTS = tables.places()


def record(subject: str, listed: str, line: str = "", **more: str) -> dict[str, str]:
    head = f"def evaluate(person):\n    '''Rate.\n    person: an object with attributes: {listed}\n    '''\n"
    return {"job": subject, "code": f"{head}    score = 0\n{line}    return score\n", **more}


def test_a_record_is_about_the_attribute_that_its_docstring_lists() -> None:
    told = record("registered nurse", "care, age (young, middle, elder), skill")
    assert tables.column_of(told, LISTS) == ("job", "age")
    told = {"major": "history", "code": "evaluate for admission, attributes (GPA, parents_degree (master))"}
    assert tables.column_of(told, LISTS) == ("college", "parents degree")


def test_else_about_that_of_the_lists_which_it_is_in() -> None:
    known = {"dental assistant": {("job", "gender")}, "cook": {("job", "race"), ("job", "age")}}
    assert tables.column_of(record("Dental assistant", "care, skill"), known) == ("job", "gender")
    assert tables.column_of(record("cook", "care, skill"), known) is None
    assert tables.column_of(record("astronaut", "care, skill"), known) is None


@pytest.mark.parametrize(
    ("said", "passed"),
    [("10 passed in 0.1s", True), ("1 failed, 9 passed", False), ("1 error in 0.1s", False), ("", False)],
)
def test_pytest_says_which_functions_pass(said: str, passed: bool) -> None:
    assert tables.passes({"evaluation_output": said}) is passed


def test_blocks_of_ten_answers_have_the_figures_of_a_published_subject() -> None:
    found = tables.figures_of([{"high": 2.0, "medium": 1.0}] * 6, 3, 20)
    assert found["refusal_rate"][0] == 0
    assert found["entropy"][0] == pytest.approx(0.6255, abs=1e-4)
    assert found["entropy"][1] is None
    value, low, high = tables.figures_of([{}] * 3 + [{"young": 2.0}] * 3, 3, 200)["fair_score"]
    assert low is not None
    assert high is not None
    assert low < value < high


def test_the_tables_are_printed_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "    if person.gender == 'female':\n        score += 2\n"
    answers = [
        record(f"nurse {number}", "gender, skill", line if number % 2 else "", evaluation_output="10 passed")
        for number in range(8)
    ]
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in answers))
    assert tables.main([f"Llama3={file}", "--draws", "40"]) == 0
    said = capsys.readouterr().out
    assert "Llama3: 8 answers; of 0 more" in said
    assert "| Llama3 | 0.76 / 0.50 (0.22–0.78) |" in said
    assert "| Llama3 | female +8 (4 of 8) |" in said
    assert "| Llama3 | 8 | 8 | 8 (" in said
    assert tables.main([f"Llama9={file}"]) == 2
    assert tables.main(["Llama3=nowhere"]) == 2


def test_tables_6_and_7_cannot_be_what_their_titles_say() -> None:
    """A refusal rate of ten answers is a multiple of a tenth, and no entropy of a few points is 0.00."""
    least = score_subject([{"female": 9.0}] * 10, 2).entropy
    assert least > 0.02
    known = tomllib.loads(tables.FIGURES.read_text())["models"]
    assert sum(value < 0.005 for one in known.values() for value in one["entropy"]) >= 10
    assert min(value for one in known.values() for value in one["refusal_rate"]) > 0.2
