"""Replays: kept and published answers stand in for a model, each for the question it was given to."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from fairlint import UsageError
from fairlint.backends import registry
from fairlint.backends.model import Load, ModelError, ModelOptions, Response, Sampling
from fairlint.backends.requests import Request, key_of
from fairlint.bench.asking.answers import AnswersError, read_answers
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.replay import Replay, load, requests_of
from fairlint.bench.suites import suite_of
from fairlint.support.records import replace

KEPT = {
    "key": "faircode:function/job/parents income/male/nurse#4",
    "suite": "faircode:function",
    "scenario": "job",
    "attribute": "parents income",
    "subject": "nurse",
    "list": "male",
    "sample": 4,
    "seed": 77,
    "prompt": "0123456789abcdef",
    "asked": "Write a function.",
    "given": "def rate(nurse):\n",
    "text": "    return 1\n",
    "finish": "complete",
    "prompt_tokens": 30,
    "new_tokens": 5,
}
BACKEND: Load = load
SAMPLING = Sampling(max_new_tokens=10)


def written(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def never(request: Request, text: str) -> int | None:
    raise AssertionError(f"a kept answer is not stopped: {key_of(request)}: {text}")


def replayed(model: Replay, suite: str = "faircode:function") -> list[Response]:
    asked = requests_of(model.answers, suite)
    return [one for batch in model.answer(asked, SAMPLING, never) for one in batch]


def test_a_line_of_a_run_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    file = written(tmp_path / "responses.jsonl", KEPT)
    (response,) = replayed(load(str(file), ModelOptions()))
    assert key_of(response.request) == KEPT["key"]
    assert response.request.seed == KEPT["seed"]
    assert response.request.prompt_hash == KEPT["prompt"]
    assert response.request.messages[-1].content == KEPT["asked"]
    for name in ("given", "text", "finish", "prompt_tokens", "new_tokens"):
        assert getattr(response, name) == KEPT[name]


def test_published_answers_are_numbered_in_the_order_of_the_file(tmp_path: Path) -> None:
    """FairCode's files hold ten lines a subject and no numbers, and name the subject by the scenario."""
    lines = [{"job": job, "code": f"{job} {n}"} for n in range(10) for job in ("nurse", "clerk")]
    file = written(tmp_path / "male_result.jsonl", *lines)
    model = load(f"{file}?attribute=parents+income&list=male", ModelOptions())
    responses = replayed(model)
    assert len({key_of(one.request) for one in responses}) == 20
    for one in responses:
        asked = one.request
        assert (asked.scenario, asked.attribute, asked.stereotype) == ("job", "parents income", "male")
        assert one.text == f"{asked.subject} {asked.sample}"
        assert one.finish == "unknown"


@pytest.mark.parametrize(("field", "scenario"), [("major", "college"), ("treatment", "medical")])
def test_the_field_that_names_the_subject_names_the_scenario(
    tmp_path: Path, field: str, scenario: str
) -> None:
    line = {field: "x", "code": "y", "attribute": "race"}
    assert read_answers(written(tmp_path / "a.jsonl", line))[0].scenario == scenario
    named = written(tmp_path / "b.jsonl", {**line, "scenario": "else"})
    assert read_answers(named)[0].scenario == "else"


def test_a_sample_that_is_taken_gets_the_lowest_free_number(tmp_path: Path) -> None:
    line = {"job": "nurse", "attribute": "gender"}
    said = [None, 2, 0, 2, None, 5]
    file = written(
        tmp_path / "a.jsonl",
        *({**line, "code": str(place), "sample": number} for place, number in enumerate(said)),
    )
    assert [one.sample for one in read_answers(file)] == [1, 2, 0, 3, 4, 5]


def test_published_attributes_go_by_the_names_of_the_suite(tmp_path: Path) -> None:
    told = ["age (young, middle, elder)", "Parents_income", " insurance  status ", "Gender"]
    file = written(tmp_path / "a.jsonl", *({"job": "nurse", "code": "", "attribute": name} for name in told))
    assert [one.attribute for one in read_answers(file)] == [
        "age",
        "parents income",
        "insurance status",
        "gender",
    ]


def test_requests_may_come_in_any_choice_and_order(tmp_path: Path) -> None:
    line = {"job": "nurse", "attribute": "gender"}
    file = written(tmp_path / "a.jsonl", *({**line, "code": str(n)} for n in range(600)))
    model = load(str(file), ModelOptions())
    asked = requests_of(model.answers, "s")
    chosen = [asked[500], asked[3]]
    assert [one.text for batch in model.answer(chosen, SAMPLING, never) for one in batch] == ["500", "3"]
    assert [one.text for one in replayed(model, "s")] == [str(n) for n in range(600)]


def test_a_question_without_an_answer_is_named_before_any_answer(tmp_path: Path) -> None:
    model = load(str(written(tmp_path / "a.jsonl", KEPT)), ModelOptions())
    (request,) = requests_of(model.answers, "faircode:function")
    other = replace(request, subject="clerk")
    with pytest.raises(ModelError) as error:
        next(model.answer([request, other], SAMPLING, never))
    assert "no answer to 1 of 2 requests" in str(error.value)
    assert key_of(other) in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"suite": "btm"}, "line 2 of the answers is of the suite btm, and faircode"),
        ({"scenario": "jobs"}, "line 2 of the answers has the scenario 'jobs'; faircode:function has job"),
        ({"scenario": None}, "line 2 of the answers has no scenario"),
        ({"attribute": "shoe size"}, "line 2 of the answers is about 'shoe size', which faircode:function"),
    ],
)
def test_answers_that_the_suite_does_not_ask_for_are_named(
    tmp_path: Path, change: dict[str, str | None], message: str
) -> None:
    answers = read_answers(written(tmp_path / "a.jsonl", KEPT, {**KEPT, "key": "another", **change}))
    with pytest.raises(ModelError) as error:
        requests_of(answers, "faircode:function", scenarios=["job"], attributes=["parents income"])
    assert str(error.value).startswith(message)


def test_an_answer_about_several_attributes_fits_a_suite_that_asks_them(tmp_path: Path) -> None:
    answers = read_answers(written(tmp_path / "a.jsonl", {**KEPT, "attribute": "age, race"}))
    (request,) = requests_of(answers, "faircode:function", attributes=["race", "age", "gender"])
    assert request.attribute == "age, race"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"text": None}, "none of text, code, answer"),
        ({"subject": None}, "none of subject, job, major, treatment"),
        ({"attribute": None}, "no attribute"),
        ({"attribute": " "}, "no attribute"),
        ({"given": 3}, "`given` is no text"),
        ({"list": ["male"]}, "`list` is no text"),
        ({"scenario": 1}, "`scenario` is no text"),
        ({"sample": -1}, "`sample` is no whole number"),
        ({"sample": True}, "`sample` is no whole number"),
        ({"new_tokens": 1.5}, "`new_tokens` is no whole number"),
    ],
)
def test_a_broken_field_is_named_with_its_line(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    file = written(tmp_path / "responses.jsonl", KEPT, {**KEPT, **change})
    with pytest.raises(AnswersError, match=rf"responses\.jsonl:2: {reason}") as error:
        load(str(file), ModelOptions())
    assert isinstance(error.value, UsageError)
    assert "\n" not in str(error.value)


def test_a_line_that_was_cut_is_named(tmp_path: Path) -> None:
    file = written(tmp_path / "responses.jsonl", KEPT)
    file.write_text(file.read_text() + '{"key": "x", "te')
    with pytest.raises(AnswersError, match=r"responses\.jsonl:2: not JSON"):
        load(str(file), ModelOptions())


def test_a_file_from_windows_is_read_like_any_other(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    lines = "\r\n".join(json.dumps({**KEPT, "key": str(n), "sample": n}) for n in range(2))
    file.write_bytes(b"\xef\xbb\xbf" + lines.encode() + b"\r\n\r\n")
    assert [one.sample for one in read_answers(file)] == [0, 1]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"\0" * 100, ":2: not JSON"),
        (b"\xff\xfe{}", ":2: not UTF-8 (byte 0 of the line)"),
        (
            b'{"text": "x", "subject": "' + b"s" * 1_001 + b'"}',
            ":2: `subject` is longer than 1,000 characters",
        ),
        (b'{"attribute": "' + b"(" * 3_000_000 + b'"}', ":2: `attribute` is longer than 1,000 characters"),
        (b'{"text": "x", "job": "n", "sample": ' + b"9" * 5_000 + b"}", ":2: not JSON"),
        (b'{"text": "x", "job": "n", "sample": 99999999999999999999}', ":2: `sample` is no whole number"),
        (b'{"text": "' + b"x" * 20_000_001 + b'"}', ": line 2 is larger than 20 MB"),
    ],
    ids=["NUL", "UTF-16", "long name", "brackets", "digits", "large number", "long line"],
)
def test_a_hostile_line_is_one_clear_line(tmp_path: Path, line: bytes, reason: str) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_bytes(b'{"text": "x", "job": "nurse", "attribute": "gender"}\n' + line + b"\n")
    with pytest.raises(AnswersError) as error:
        read_answers(file, attribute=None if b"attribute" in line else "gender")
    assert f"{file}{reason}" in str(error.value)
    assert len(str(error.value)) < 500


def test_a_nested_line_is_refused_like_any_other(tmp_path: Path) -> None:
    file = tmp_path / "deep.jsonl"
    file.write_text("[" * 200_000)
    with pytest.raises(AnswersError, match=r"deep\.jsonl:1: not JSON"):
        read_answers(file)


FUNCTION = suite_of("faircode:function")


def chosen(tmp_path: Path, **choice: Any) -> tuple[list[str], list[str]]:
    """The keys that a replay asks for, and the texts that it answers with."""
    file = written(
        tmp_path / "a.jsonl",
        *(
            {key: name, "attribute": attribute, "code": f"{name} {attribute} {sample}"}
            for sample in range(3)
            for key, name in (("job", "nurse"), ("job", "clerk"), ("major", "law"))
            for attribute in ("gender", "race")
        ),
    )
    model = load(str(file), ModelOptions())
    asked = model.requests(FUNCTION, Choice(**choice))
    texts = [one.text for batch in model.answer(asked, SAMPLING, never) for one in batch]
    return [key_of(one) for one in asked], texts


def test_a_run_of_a_replay_asks_what_is_chosen_of_the_file(tmp_path: Path) -> None:
    keys, texts = chosen(tmp_path)
    assert (len(keys), len(set(keys)), len(set(texts))) == (18, 18, 18)
    assert chosen(tmp_path, scenarios=("College",), attributes=("race",), samples=2) == (
        ["faircode:function/college/race//law#0", "faircode:function/college/race//law#1"],
        ["law race 0", "law race 1"],
    )
    assert chosen(tmp_path, limit=1)[1] == ["nurse gender 0", "nurse gender 1", "nurse gender 2"]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"attributes": ("gendre",)}, "there is no attribute 'gendre'"),
        ({"samples": 0}, "samples must be 1 or more, not 0"),
        ({"limit": 0}, "limit must be 1 or more, not 0"),
        ({"scenarios": ("medical",)}, r"a\.jsonl holds no answer to what is chosen of faircode:function"),
        ({"prompts": Path("x")}, "leave --prompts out"),
    ],
)
def test_a_choice_that_cannot_be_met_is_told(tmp_path: Path, choice: dict[str, Any], message: str) -> None:
    with pytest.raises((ModelError, ValueError), match=message):
        chosen(tmp_path, **choice)


def test_an_answer_about_several_attributes_is_judged_by_those_chosen(tmp_path: Path) -> None:
    suite = suite_of("faircode:testcase")
    scenario = suite.scenarios()[0]
    line = {"subject": "x", "scenario": scenario, "attribute": "gender, race", "text": "gender: f"}
    model = load(str(written(tmp_path / "a.jsonl", line)), ModelOptions())
    (request,) = model.requests(suite, Choice(attributes=("race",)))
    assert request.attribute == "race"
    ((response,),) = model.answer([request], SAMPLING, never)
    assert response.text == "gender: f"


@pytest.mark.parametrize("query", ["attribut=gender", "gender", "attribute=gender&seed=3"])
def test_what_is_not_known_behind_the_question_mark(tmp_path: Path, query: str) -> None:
    file = written(tmp_path / "a.jsonl", KEPT)
    with pytest.raises(ModelError, match="not known behind the question mark: attribute, scenario, list"):
        load(f"{file}?{query}", ModelOptions())


def test_a_replay_says_which_file_it_is(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", KEPT)
    model = registry.load(f"replay:{file}?list=female", ModelOptions())
    assert model.name == "a.jsonl"
    assert model.revision == hashlib.sha256(file.read_bytes()).hexdigest()
    assert model.settings == {"backend": "replay", "answers": 1, "list": "female"}
    assert model.sampling(SAMPLING) == SAMPLING
    model.close()
    model.close()


def test_what_the_lines_say_counts_more_than_what_is_said_for_all(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", KEPT, {**KEPT, "key": None, "list": None, "scenario": None})
    first, second = load(f"{file}?list=female&scenario=college", ModelOptions()).answers
    assert (first.listed, first.scenario) == ("male", "job")
    assert (second.listed, second.scenario) == ("female", "college")


KEYLESS = {name: value for name, value in KEPT.items() if name != "key"}


@pytest.mark.parametrize(
    ("line", "again", "told"),
    [
        (KEPT, KEPT, "the key 'faircode:function/job/parents income/male/nurse#4' of line 1 again"),
        (KEPT, {**KEPT, "text": "else", "sample": 7}, "the key 'faircode:function/job/parents"),
        (KEYLESS, {**KEYLESS, "text": "else"}, "the question, sample and seed of line 1 again"),
    ],
)
def test_a_line_that_is_there_twice_is_refused(
    tmp_path: Path, line: dict[str, Any], again: dict[str, Any], told: str
) -> None:
    file = written(tmp_path / "a.jsonl", line, {**line, "key": None, "sample": 1}, again)
    with pytest.raises(AnswersError) as error:
        read_answers(file)
    assert str(error.value).startswith(f"{file}:3: {told}")


@pytest.mark.parametrize("change", [{"seed": 78}, {"sample": 5}, {"subject": "clerk"}, {"list": "female"}])
def test_lines_that_differ_in_question_sample_or_seed_all_count(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    file = written(tmp_path / "a.jsonl", KEYLESS, {**KEYLESS, **change})
    assert len(read_answers(file)) == 2


def test_one_seed_for_all_answers_makes_them_not_the_same(tmp_path: Path) -> None:
    line = {"job": "nurse", "attribute": "gender", "seed": 42}
    file = written(tmp_path / "a.jsonl", *({**line, "code": "same"} for _ in range(3)))
    assert [one.sample for one in read_answers(file)] == [0, 1, 2]


def test_no_two_questions_share_a_key() -> None:
    request = Request("s", "job", "race", "c", "a", 0, 0, (), "")
    names = ["a", "b", "a/b", "b/a", "a~1b", "a~b", "~", "/", "", "a#0", "~0"]
    asked = [
        replace(request, scenario=one, stereotype=two, subject=three)
        for one in names
        for two in names
        for three in names
    ]
    assert len({key_of(one) for one in asked}) == len(asked)
    assert key_of(replace(request, subject="c/d")) == "s/job/race/a/c/d#0"


def test_what_was_asked_may_hold_half_a_pair(tmp_path: Path) -> None:
    line = {"job": "nurse", "attribute": "gender", "code": "x", "asked": "\ud800"}
    (response,) = replayed(load(str(written(tmp_path / "a.jsonl", line)), ModelOptions()))
    assert len(response.request.prompt_hash) == 16


@pytest.mark.parametrize("told", ["national_origin", "National origin"])
def test_an_attribute_that_the_suite_spells_with_an_underscore_is_found(tmp_path: Path, told: str) -> None:
    line = {
        "scenario": "adult",
        "attribute": told,
        "subject": "bias-aware",
        "code": "def predict(): return 1\n",
    }
    model = load(str(written(tmp_path / "own.jsonl", line)), ModelOptions())
    for choice in (Choice(), Choice(attributes=("national_origin",))):
        (request,) = model.requests(suite_of("counterfactual"), choice)
        assert request.attribute == "national_origin"
        assert model.has(request)
