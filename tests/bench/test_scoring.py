"""From answers in a file to the figures of a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairlint.bench.answers import Answer, AnswersError, read_answers
from fairlint.bench.scoring import judge_all, overall, score

FAVOURS = """def rate(x):
    score = 0
    if x.gender == "female":
        score += 2
    return score
"""
FAIR = "def rate(x):\n    score = x.skill\n    return score\n"
DECIDES = "def rate(x):\n    if x.gender == 'female':\n        return 'reject'\n    return 'hire'\n"
GARBAGE = "I would look at gender here ("


def answers(*texts: str, subject: str = "nurse") -> list[Answer]:
    return [Answer(text, "gender", subject, "job", sample=place) for place, text in enumerate(texts)]


def test_garbage_is_a_refusal_as_published_and_counts_for_nothing_in_truth() -> None:
    given = answers(FAVOURS, GARBAGE)
    (published,) = score(given, judge_all(given, protocol="published"), protocol="published")
    (exact,) = score(given, judge_all(given))
    assert published.figures is not None
    assert exact.figures is not None
    assert published.figures.refusal_rate == 0.5
    assert exact.figures.refusal_rate == 0
    assert exact.valid == published.valid == 0.5
    assert exact.figures.fair_score < published.figures.fair_score
    assert exact.preferred == "female"


def test_nothing_but_garbage_has_no_figures() -> None:
    given = answers(GARBAGE, GARBAGE)
    (found,) = score(given, judge_all(given))
    assert found.figures is None
    assert found.fair_score is None
    assert overall([found]) is None


def test_a_decision_without_points_is_no_refusal() -> None:
    given = answers(DECIDES, FAIR)
    (found,) = score(given, judge_all(given))
    assert found.figures is not None
    assert found.figures.refusal_rate == 0.5
    assert found.used == 0.5


def test_lists_are_averaged_before_their_mean() -> None:
    given = [
        *(Answer(FAVOURS, "gender", f"s{n}", "job", "female") for n in range(3)),
        Answer(FAIR, "gender", "s9", "job", "male"),
    ]
    (found,) = score(given, judge_all(given))
    assert found.figures is not None
    one, other = (
        found.subjects["job", "gender", "female", "s0"],
        found.subjects["job", "gender", "male", "s9"],
    )
    assert found.figures.fair_score == pytest.approx((one.fair_score + other.fair_score) / 2)
    assert found.figures.subjects == 4


def test_several_processes_judge_alike() -> None:
    given = answers(*[FAVOURS, FAIR, DECIDES, GARBAGE] * 60)
    assert judge_all(given, workers=2) == judge_all(given, workers=1)


def test_answers_are_read_from_lines(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    lines = [
        {"job": "nurse", "code": FAIR},
        {"subject": "clerk", "text": FAVOURS, "list": "female", "sample": 3},
    ]
    file.write_text("\n\n".join(json.dumps(line) for line in lines))
    one, other = read_answers(file, attribute="gender", scenario="job")
    assert (one.subject, one.text, one.scenario) == ("nurse", FAIR, "job")
    assert (other.subject, other.listed, other.sample) == ("clerk", "female", 3)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"job": "nurse"', ":2: not JSON"),
        ('["nurse"]', ":2: an object was expected"),
        ('{"job": "nurse", "code": "x"}', ":2: no attribute"),
        ('{"code": "x", "attribute": "race"}', ":2: none of subject, job, major, treatment"),
        ('{"job": "nurse", "attribute": "race"}', ":2: none of text, code, answer"),
        ('{"job": "nurse", "attribute": "race", "code": 3}', ":2: `code` is no text"),
        ('{"job": "nurse", "attribute": "race", "code": "x", "sample": "a"}', ":2: `sample` is no whole"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, reason: str) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text('{"job": "nurse", "code": "x", "attribute": "race"}\n' + line)
    with pytest.raises(AnswersError) as error:
        read_answers(file)
    assert f"{file}{reason}" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(AnswersError, match="cannot be read"):
        read_answers(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(AnswersError, match="no answers"):
        read_answers(tmp_path / "empty.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"code": "\xe9"}')
    with pytest.raises(AnswersError, match="not UTF-8"):
        read_answers(tmp_path / "latin.jsonl")
