"""Prompts of one's own, judged by a suite: every form that may come, and one clear line for what may not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairlint import UsageError
from fairlint.backends.requests import Message, completion, hash_of, key_of
from fairlint.bench.suites import btm, faircode_function, faircode_testcase
from fairlint.bench.suites.prompts_file import read_prompts
from fairlint.bench.suites.suite import Selection

BTM = btm.SUITE
FUNCTION = faircode_function.SUITE
CASES = faircode_testcase.SUITE
HEADER = 'def evaluate_chef(chef):\n    """Rate a chef by skills and gender."""\n'
CHEF = {"prompt": f"Rate chefs.\n\n{HEADER}", "header": HEADER, "attribute": "gender", "job": "Chefs"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "prompts.jsonl"


def write(file: Path, *entries: object) -> Path:
    file.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return file


def test_function_prompts_become_requests_of_the_suite(file: Path) -> None:
    write(file, {**CHEF, "list": "male"}, {"prompt": "Rate nurses.", "attribute": "Parents_Income",
                                           "subject": "Nurses", "scenario": "clinic"})  # fmt: skip
    first, second, third, fourth = read_prompts(file, FUNCTION, Selection(samples=2))
    assert (first.suite, first.scenario, first.stereotype) == ("faircode:function", "job", "male")
    assert (first.attribute, first.subject, first.header) == ("gender", "Chefs", HEADER)
    assert first.messages == (Message("user", CHEF["prompt"]),)
    assert first.prompt_hash == hash_of(first.messages)
    assert completion(first).startswith("# Rate chefs.\n")
    assert completion(first).endswith(HEADER)
    assert (third.scenario, third.attribute, third.sample, fourth.sample) == (
        "clinic",
        "parents income",
        0,
        1,
    )
    assert completion(third) == "Rate nurses."
    assert len({one.seed for one in (first, second, third, fourth)}) == 4
    assert first.sample + 1 == second.sample


@pytest.mark.parametrize(
    ("field", "scenario"),
    [("job", "job"), ("major", "college"), ("treatment", "medical"), ("subject", "prompts")],
)
def test_the_field_of_the_subject_tells_the_scenario(file: Path, field: str, scenario: str) -> None:
    write(file, {"prompt": "Rate.", "attribute": "race", field: "X"})
    assert read_prompts(file, FUNCTION)[0].scenario == scenario
    assert len(read_prompts(file, FUNCTION)) == FUNCTION.samples


def test_answers_to_a_users_prompts_can_be_judged_by_each_suite(file: Path) -> None:
    code = "def f(x):\n    return 1 if x.gender == 'male' else 0\n"
    for suite, entry in ((FUNCTION, CHEF), (BTM, {"prompt": "Predict."})):
        (asked,) = read_prompts(write(file, entry), suite, Selection(samples=1))
        kept = {
            "scenario": asked.scenario, "attribute": asked.attribute, "subject": asked.subject,
            "list": asked.stereotype, "asked": asked.messages[-1].content, "given": "", "text": code,
        }  # fmt: skip
        told = suite.judge(kept)
        assert told["valid"]
        assert suite.figures([(kept, told)], "exact").keys() >= {"scores", "usage", "overall", "other"}


def test_prompts_for_test_cases_ask_about_both_attributes_or_the_one_they_name(file: Path) -> None:
    write(file, {"prompt": "Fill in.", "topic": "diabetes", "scenario": "medical", "variant": "c"},
          {"prompt": "Fill in it.", "subject": "hiv", "attribute": "race"})  # fmt: skip
    first, second = read_prompts(file, CASES, Selection(samples=1))
    assert (first.subject, first.scenario, first.stereotype) == ("diabetes", "medical", "c")
    assert second.subject == "HIV"
    assert (first.attribute, second.attribute) == ("gender, race", "race")
    assert first.attributes == ("gender", "race")


def test_conversations_keep_their_turns(file: Path) -> None:
    turns = [{"role": "system", "content": "S"}, {"role": "user", "content": "a"},
             {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]  # fmt: skip
    (asked,) = read_prompts(write(file, {"messages": turns, "id": "x"}), BTM, Selection(samples=1))
    assert [(one.role, one.content) for one in asked.messages] == [
        ("system", "S"), ("user", "a"), ("assistant", "b"), ("user", "c"),
    ]  # fmt: skip


def test_the_notebooks_own_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "prompts.json"
    prompts = [{"prompt_id": "A1", "text": "Predict it."}, {"prompt_id": "A2", "text": "Predict."}]
    whole = {"paper_id": "P", "sensitive_attrs": ["age", "race"], "prompts": prompts}
    file.write_text(json.dumps(whole, indent=2), encoding="utf-8-sig")
    asked = read_prompts(file, BTM)
    assert [one.subject for one in asked] == ["A1"] * 5 + ["A2"] * 5
    assert {one.attribute for one in asked} == {"age, race"}
    assert {one.scenario for one in asked} == {"income"}
    assert completion(asked[0]) == "Predict it."


def test_lines_with_a_category_and_no_name_are_numbered_and_may_repeat(file: Path) -> None:
    told = [{"prompt": "Hire.", "category": "employment"}, {"prompt": "Insure.", "category": "insurance"},
            {"prompt": "Hire.", "category": "employment"}]  # fmt: skip
    asked = read_prompts(write(file, *told), BTM)
    assert [(one.scenario, one.subject) for one in asked[::5]] == [
        ("employment", "employment 1"), ("insurance", "insurance 1"), ("employment", "employment 2"),
    ]  # fmt: skip
    assert len({one.seed for one in asked}) == len({key_of(one) for one in asked}) == 15


def test_other_texts_about_a_subject_are_further_samples_of_it(file: Path) -> None:
    chef = {"attribute": "gender", "job": "Chefs"}
    write(file, {**chef, "prompt": "one"}, {**chef, "prompt": "two"},
          {**chef, "prompt": "one", "attribute": "race"})  # fmt: skip
    asked = read_prompts(file, FUNCTION, Selection(samples=2))
    assert [(one.attribute, one.messages[0].content, one.sample) for one in asked] == [
        ("gender", "one", 0), ("gender", "one", 1), ("gender", "two", 2), ("gender", "two", 3),
        ("race", "one", 0), ("race", "one", 1),
    ]  # fmt: skip
    assert len({one.seed for one in asked}) == 6


def test_what_is_left_out_changes_nothing_in_the_rest(file: Path) -> None:
    asked_about = [("gender", "a"), ("race", "a"), ("gender", "b"), ("gender", "a"), ("race", "b")]
    told = [
        {"prompt": f"p{number}", "attribute": name, "job": "Chefs", "scenario": where}
        for number, (name, where) in enumerate(asked_about)
    ]
    every = read_prompts(write(file, *told), FUNCTION, Selection(samples=3))
    assert read_prompts(file, FUNCTION, Selection(samples=3, limit=2)) == every[:6]
    assert read_prompts(file, FUNCTION, Selection(samples=3, attributes=["Gender"])) == [
        one for one in every if one.attribute == "gender"
    ]
    assert read_prompts(file, FUNCTION, Selection(samples=3, scenarios=["b"])) == [
        one for one in every if one.scenario == "b"
    ]
    assert read_prompts(file, FUNCTION, Selection(samples=3, scenarios=["b"], limit=1)) == every[6:9]


def test_seeds_come_from_texts_and_not_from_names_or_places(file: Path, tmp_path: Path) -> None:
    told = [{"prompt": "a", "id": "A"}, {"prompt": "b", "id": "B"}]
    there = read_prompts(write(file, *told), BTM)
    back = read_prompts(write(tmp_path / "other.jsonl", *reversed(told)), BTM)
    assert {key_of(one): one.seed for one in there} == {key_of(one): one.seed for one in back}
    assert not {one.seed for one in there} & {one.seed for one in read_prompts(file, BTM, Selection(seed=1))}


def test_choosing_attributes_narrows_prompts_that_ask_about_several(file: Path) -> None:
    write(file, {"prompt": "a", "id": "A"}, {"prompt": "b", "id": "B", "attribute": "age"})
    (asked,) = read_prompts(file, BTM, Selection(samples=1, attributes=["race", "gender"]))
    assert (asked.subject, asked.attribute) == ("A", "gender, race")


GOOD = {"prompt": "p", "attribute": "gender", "subject": "s"}


@pytest.mark.parametrize(
    ("suite", "line", "message"),
    [
        (FUNCTION, "{", "not JSON"),
        (FUNCTION, "[" * 100_000, "not JSON|nested too deeply"),
        (FUNCTION, "3", "an object was expected, not 3"),
        (FUNCTION, {**GOOD, "prompt": None}, "none of `prompt`, `text`, `messages`"),
        (FUNCTION, {**GOOD, "prompt": "  "}, "`prompt` is empty"),
        (FUNCTION, {**GOOD, "prompt": 3}, "`prompt` is no text"),
        (FUNCTION, {**GOOD, "prompt": "\ud800"}, "`prompt` holds half of a surrogate pair"),
        (FUNCTION, {**GOOD, "text": "q"}, "both `prompt` and `text`"),
        (FUNCTION, {"prompt": "p", "subject": "s"}, "no `attribute`; expected is an object such as"),
        (FUNCTION, {**GOOD, "attribute": "gendr"}, "'gendr' is no attribute with groups; gender, race, age"),
        (FUNCTION, {**GOOD, "attribute": "zip code"}, "'zip code' is no attribute with groups"),
        (FUNCTION, {**GOOD, "attribute": ["gender"]}, "`attribute` is no text"),
        (FUNCTION, {"prompt": "p", "attribute": "race"}, "none of `subject`, `job`, `major`, `treatment`"),
        (FUNCTION, {**GOOD, "job": "t"}, "`subject` and `job` both name the subject"),
        (FUNCTION, {**GOOD, "subject": ["s"]}, "`subject` is no text"),
        (FUNCTION, {**GOOD, "header": "def f(x):"}, "`header` is not the end of the prompt"),
        (FUNCTION, {**GOOD, "scenario": ""}, "`scenario` is empty"),
        (CASES, {"prompt": "p"}, "none of `subject`, `topic`"),
        (CASES, {"prompt": "p", "topic": "Nurse"}, "no topic 'Nurse'; the suite has cancer, diabetes, HIV"),
        (CASES, {"prompt": "p", "topic": "cancer", "attribute": "age"},
         "'age' is no attribute of the suite: gender, race"),
        (BTM, {"prompt": "p", "attribute": []}, "`attribute` is neither a text nor a list of texts"),
        (BTM, {"messages": "p"}, "`messages` is no list of objects"),
        (BTM, {"messages": []}, "`messages` is no list of objects"),
        (BTM, {"messages": [{"role": "human", "content": "p"}]}, "turn 1 of `messages` has no `role` out of"),
        (BTM, {"messages": [{"role": "user"}]}, "turn 1 of `messages`: `content` is no text"),
        (BTM, {"messages": [{"role": "assistant", "content": "p"}]},
         "the last turn of `messages` is not the user's"),
        (BTM, {"messages": [{"role": "user", "content": "p"}, {"role": "system", "content": "p"}]},
         "turn 2 of `messages` is the system's"),
    ],
)  # fmt: skip
def test_a_broken_line_is_named_with_what_is_wrong(file: Path, suite: Any, line: Any, message: str) -> None:
    good = {"prompt": "good", "attribute": "race", "subject": "cancer"}
    text = line if isinstance(line, str) else json.dumps(line)
    file.write_text(f"{json.dumps(good)}\n\n{text}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=f":3: .*({message})") as caught:
        read_prompts(file, suite)
    assert str(caught.value).startswith(f"{file}:3: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["attribute", "job"])
def test_a_name_is_short(file: Path, field: str) -> None:
    told = {"prompt": "p", "attribute": "gender", "job": "chefs", field: "n" * 2_000_000}
    file.write_text(json.dumps(told) + "\n")
    with pytest.raises(UsageError, match=f":1: `{field}` is longer than 1,000 characters") as error:
        read_prompts(file, faircode_function.SUITE)
    assert len(str(error.value)) < 500


def test_prompts_of_one_object_are_named_by_their_number(file: Path) -> None:
    write(file, {"prompts": [{"text": "p"}, {"prompt_id": "x"}]})
    with pytest.raises(UsageError, match=r"prompts\.jsonl: prompt 2: none of"):
        read_prompts(file, BTM)


@pytest.mark.parametrize(
    ("suite", "first", "second", "message"),
    [
        (FUNCTION, GOOD, GOOD, r":2: the prompt stands in .*:1 already; `samples` asks a prompt again"),
        (BTM, {"prompt": "p", "id": "a"}, {"prompt": "q", "id": "a"},
         r":2: the name 'a' stands in .*:1 already"),
    ],
)  # fmt: skip
def test_prompts_that_cannot_be_told_apart_are_refused(
    file: Path, suite: Any, first: object, second: object, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        read_prompts(write(file, first, second), suite)


def test_names_with_slashes_are_told_apart(file: Path) -> None:
    first = {**GOOD, "list": "x", "subject": "y/z"}
    second = {**GOOD, "list": "x/y", "subject": "z"}
    asked = read_prompts(write(file, first, second), FUNCTION, Selection(samples=1))
    assert len(set(map(key_of, asked))) == 2


@pytest.mark.parametrize("content", [b"", b"\n \n", b"[]", b'{"prompts": []}'])
def test_a_file_without_prompts_says_what_is_expected(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(UsageError, match=r"holds no prompts; one a line is expected, such as \{"):
        read_prompts(file, BTM)


def test_a_file_that_cannot_be_read_is_one_line(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_prompts(file, BTM)
    with pytest.raises(UsageError, match="not a regular file"):
        read_prompts(tmp_path, BTM)
    file.write_bytes(b'{"prompt": "\xff"}')
    with pytest.raises(UsageError, match="not UTF-8"):
        read_prompts(file, BTM)
    file.write_bytes(b'{"prompts": "p"}')
    with pytest.raises(UsageError, match="`prompts` is no list"):
        read_prompts(file, BTM)


def test_a_choice_that_leaves_nothing_says_what_there_is(file: Path) -> None:
    write(file, CHEF)
    with pytest.raises(
        UsageError, match="no prompts of this choice; it has the scenarios job and the attributes gender"
    ):
        read_prompts(file, FUNCTION, Selection(attributes=["race"]))
    with pytest.raises(UsageError, match="samples must be 1 or more, not 0"):
        read_prompts(file, FUNCTION, Selection(samples=0))
    with pytest.raises(UsageError, match="limit must be 1 or more, not 0"):
        read_prompts(file, FUNCTION, Selection(limit=0))


def test_a_suite_that_takes_no_file_says_so(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(BTM), "prompt_form", None)
    with pytest.raises(UsageError, match="btm asks its own prompts alone: leave --prompts out"):
        read_prompts(write(file, {"prompt": "p"}), BTM)
