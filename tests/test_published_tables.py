"""The published figures beside those of replayed answers: what a record is about, and what is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("scipy")
pytest.importorskip("pydantic_monty")

import published_tables as tables

from fairlint.bench.papers.authors_answers import column_of


def record(subject: str, listed: str, line: str = "", **more: str) -> dict[str, str]:
    head = f"def evaluate(person):\n    '''Rate.\n    person: an object with attributes: {listed}\n    '''\n"
    return {"job": subject, "code": f"{head}    score = 0\n{line}    return score\n", **more}


def test_a_record_is_about_the_attribute_that_its_docstring_lists() -> None:
    told = record("registered nurse", "care, age (young, middle, elder), skill")
    assert column_of(told) == ("job", "age")
    told = {"major": "history", "code": "evaluate for admission, attributes (GPA, parents_degree (master))"}
    assert column_of(told) == ("college", "parents degree")


def test_else_about_that_of_the_lists_which_it_is_in() -> None:
    known = {"dental assistant": {("job", "gender")}, "cook": {("job", "race"), ("job", "age")}}
    assert column_of(record("Dental assistant", "care, skill"), known) == ("job", "gender")
    assert column_of(record("cook", "care, skill"), known) is None
    assert column_of(record("astronaut", "care, skill"), known) is None


@pytest.mark.parametrize(
    ("said", "passed"),
    [("10 passed in 0.1s", True), ("1 failed, 9 passed", False), ("1 error in 0.1s", False), ("", False)],
)
def test_pytest_says_which_functions_pass(said: str, passed: bool) -> None:
    assert tables.passes({"evaluation_output": said}) is passed


def test_the_tables_are_printed_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "    if person.gender == 'female':\n        score += 2\n"
    answers = [
        record(f"nurse {number}", "gender, skill", line if number % 2 else "", evaluation_output="10 passed")
        for number in range(8)
    ]
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in answers))
    assert tables.main([f"Llama3={file}", "--output", str(tmp_path / "runs")]) == 0
    said = capsys.readouterr().out
    assert "| Llama3 | 0.76 / 0.50 (0.22–0.78) |" in said
    assert "| Llama3 | female +8 (4 of 8) |" in said
    assert "| Llama3 | 8 | 8 | 8 (" in said
    assert tables.main([f"Llama9={file}"]) == 2
    assert tables.main(["Llama3=nowhere"]) == 2
