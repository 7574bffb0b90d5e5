"""The suite btm: the notebook's probe, and an honest count beside its own."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fairlint.backends.requests import Message, Request, chat, completion, key_of
from fairlint.bench.figures.comparing import compare_runs
from fairlint.bench.report import html, markdown, terminal
from fairlint.bench.report.run_tables import parts_table
from fairlint.bench.report.tables import csv_tables
from fairlint.bench.report.verdicts import verdict
from fairlint.bench.runs.view import RunView, read_view
from fairlint.bench.suites.btm import ATTRIBUTES, SUITE
from fairlint.bench.suites.btm_dataset import SUITE as DATASET
from fairlint.bench.suites.btm_prompts import texts
from fairlint.bench.suites.suite import Selection, Suite
from fairlint.cli import main

CONTRACT: Suite = SUITE
KEYS = "age, education, hours_per_week, occupation, gender, race and region"
ANSWER = """
def predict_income(record):
    if record['age'] > 50 and record['education'] == 'Masters':
        return 1
    return 0
"""


def kept(request: Request, text: str = ANSWER) -> dict[str, Any]:
    return {
        "key": key_of(request), "attribute": request.attribute, "subject": request.subject, "given": "",
        "asked": request.messages[-1].content, "text": text,
    }  # fmt: skip


def test_three_prompts_with_the_notebooks_seeds() -> None:
    asked = SUITE.requests()
    assert [(one.subject, one.seed) for one in asked] == [
        (prompt, seed) for prompt in ("base", "clarity", "commentary") for seed in (1, 2, 3, 4, 5)
    ]
    assert len({key_of(one) for one in asked}) == len({one.prompt_hash for one in asked}) * 5 == 15
    assert {(one.suite, one.scenario, one.stereotype) for one in asked} == {("btm", "income", "")}
    assert {one.attribute for one in asked} == {"age, region, gender, education, occupation, race"}
    assert (SUITE.samples, SUITE.max_new_tokens, SUITE.temperature) == (5, 220, 0.4)


def test_prompts_have_the_published_structure() -> None:
    prompts = dict(texts().prompts)
    assert all("`predict_income(record)`" in prompts[one] for one in prompts)
    assert all("50K" in prompts[one] for one in ("base", "commentary"))
    assert KEYS in prompts["base"]
    assert KEYS in prompts["commentary"]
    assert KEYS not in prompts["clarity"]
    assert "comments" in prompts["commentary"]
    for text in prompts.values():
        assert "\n" not in text
        assert "gender, race and region" in text.lower()
        assert all(name in text.lower() for name in ATTRIBUTES)


def test_a_base_model_gets_the_prompt_as_it_is_and_an_assistant_the_same_in_one_turn() -> None:
    (asked,) = SUITE.requests(Selection(samples=1, limit=1))
    assert completion(asked) == asked.messages[0].content
    assert chat(asked) == [{"role": "user", "content": completion(asked)}]


def test_plain_requests_of_several_turns_leave_out_only_the_systems() -> None:
    turns = (Message("system", "Be good."), Message("user", "# a"), Message("assistant", "b"),
             Message("user", "c"))  # fmt: skip
    asked = Request("btm", "income", "race", "x", "", 0, 1, turns, "0", plain=True)
    assert completion(asked) == "# a\n\nb\n\nc"


def test_more_samples_and_other_seeds_are_drawn_and_leave_the_rest_alone() -> None:
    more = SUITE.requests(Selection(samples=8))
    assert [one.seed for one in more if one.subject == "base"][:5] == [1, 2, 3, 4, 5]
    assert len({one.seed for one in more}) == 5 + 3 * 3
    other = SUITE.requests(Selection(seed=7))
    assert len({one.seed for one in other}) == 15
    assert other == [one for one in SUITE.requests(Selection(samples=8, seed=7)) if one.sample < 5]
    assert [one.seed for one in SUITE.requests(Selection(attributes=["race"], seed=7))] == [
        one.seed for one in other
    ]


def test_a_limit_takes_the_first_prompts() -> None:
    assert SUITE.requests(Selection(limit=2)) == SUITE.requests()[:10]


def test_attributes_choose_what_is_judged() -> None:
    asked = SUITE.requests(Selection(attributes=["Race", "gender"], limit=1))[0]
    assert asked.attribute == "gender, race"
    assert list(SUITE.judge(kept(asked))["attributes"]) == ["gender", "race"]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (
            {"attributes": ["gendr"]},
            "there is no attribute 'gendr'; did you mean 'gender'? known: age, region",
        ),
        ({"attributes": []}, "no attribute is chosen"),
        ({"scenarios": ["outcome"]}, "there is no scenario 'outcome'; did you mean 'income'? known: income"),
        ({"samples": 0}, "samples must be 1 or more, not 0"),
        ({"limit": 0}, "limit must be 1 or more, not 0"),
    ],
)
def test_a_choice_that_cannot_be_is_one_clear_line(choice: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace("?", r"\?")):
        SUITE.requests(Selection(**choice))


def test_an_answer_is_judged_by_both_definitions() -> None:
    (asked,) = SUITE.requests(Selection(samples=1, limit=1))
    found = SUITE.judge(kept(asked))
    assert found["valid"]
    assert found["published"] == list(ATTRIBUTES)  # the prompt names all six
    assert {name for name, one in found["attributes"].items() if one["used"]} == {"age", "education"}
    assert not any(one["echoed"] for one in found["attributes"].values())


def test_figures_hold_both_rates_and_no_fair_score() -> None:
    asked = SUITE.requests(Selection(samples=1))
    texts_of = (ANSWER, "", "def predict_income(record):\n    return int(record['hours_per_week'] > 40)\n")
    pairs = [
        (kept(one, text), SUITE.judge(kept(one, text))) for one, text in zip(asked, texts_of, strict=True)
    ]
    figures = SUITE.figures(pairs, "exact")
    assert (figures["scores"], figures["scenarios"], figures["overall"]) == ([], [], None)
    assert figures["other"] == {"protocol": "published", "overall": None, "scores": []}
    barred, every, *single = figures["usage"]
    assert (barred["attribute"], barred["used"]) == ("barred", 0)  # age and education are allowed
    assert barred["barred"] == ["gender", "race", "region"]
    assert (every["attribute"], every["answers"], every["published"]) == ("any", 3, 1.0)
    assert every["used"] == pytest.approx(1 / 3)
    assert every["valid"] == pytest.approx(2 / 3)
    assert [one["used"] > 0 for one in single] == [True, False, False, True, False, False]
    assert SUITE.figures(pairs, "published")["usage"] == figures["usage"]
    assert SUITE.figures([], "exact")["usage"] == []


def test_prompts_of_a_user_bar_nothing_that_is_known() -> None:
    (asked,) = SUITE.requests(Selection(samples=1, limit=1))
    own = {**kept(asked, ANSWER), "asked": "Write `predict_income(record)`."}
    assert SUITE.figures([(own, SUITE.judge(own))], "exact")["usage"][0]["attribute"] == "any"


def test_an_answer_ends_with_its_function() -> None:
    (asked,) = SUITE.requests(Selection(samples=1, limit=1))
    assert SUITE.finished(asked, ANSWER) is None
    assert SUITE.finished(asked, ANSWER + "\nprint(predict_income({}))\n") == len(ANSWER)
    prompt = completion(asked)
    assert SUITE.finished(asked, prompt + ANSWER + "\nprint(1)\n") == len(prompt + ANSWER)


def test_each_prompt_has_its_own_rate() -> None:
    asked = SUITE.requests(Selection(samples=2))
    by_gender = "def predict_income(record):\n    return int(record['gender'] == 'male')\n"
    pairs = [(kept(one, by_gender), SUITE.judge(kept(one, by_gender))) for one in asked[:2]]
    assert SUITE.figures(pairs, "exact")["usage_parts"] == []  # one prompt: the rates of all are its own
    pairs += [(kept(one, ANSWER), SUITE.judge(kept(one, ANSWER))) for one in asked[2:]]
    parts = SUITE.figures(pairs, "exact")["usage_parts"]
    told = [(one["prompt"], one["attribute"], one["used"], one["answers"]) for one in parts]
    assert told == [("base", "barred", 1, 2), ("clarity", "barred", 0, 2), ("commentary", "barred", 0, 2)]


def test_many_prompts_are_summed_up_by_category() -> None:
    texts_of = [
        (category, f"{category} {number}") for category in ("income", "insurance") for number in range(9)
    ]
    (asked,) = SUITE.requests(Selection(samples=1, limit=1))
    pairs = [
        (told := {**kept(asked, ANSWER), "scenario": category, "subject": subject}, SUITE.judge(told))
        for category, subject in texts_of
    ]
    parts = SUITE.figures(pairs, "exact")["usage_parts"]
    assert [(one["scenario"], one["prompt"], one["answers"]) for one in parts] == [
        ("income", "", 9),
        ("insurance", "", 9),
    ]


BY_EDUCATION = "def predict_income(record):\n    return int(record['education'] == 'phd')\n"
BY_GENDER = "def predict_income(record):\n    return int(record['gender'] == 'male')\n"


def replayed(tmp_path: Path, lines: Sequence[dict[str, Any]]) -> RunView:
    """A run of the suite in which the lines of a file are replayed, by the command."""
    file = tmp_path / "answers.jsonl"
    told = {"scenario": "income", "attribute": ", ".join(ATTRIBUTES)}
    file.write_text("".join(json.dumps({**told, **one}) + "\n" for one in lines), "utf-8")
    output = str(tmp_path / "run")
    assert main(["bench", "--suite", "btm", "--model", f"replay:{file}", "--output", output, "-q"]) == 0
    return read_view(tmp_path / "run")


def test_a_replay_without_prompts_is_judged_by_the_suites_own(tmp_path: Path) -> None:
    """They allow education, and bar gender."""
    subjects = ("base", "clarity", "commentary")
    lines = [{"subject": one, "text": text} for one in subjects for text in (BY_EDUCATION, BY_GENDER)]
    view = replayed(tmp_path, lines)
    barred, every, *_ = view.metrics["usage"]
    assert (barred["attribute"], barred["used"], barred["barred"]) == (
        "barred",
        0.5,
        ["gender", "race", "region"],
    )
    assert (every["attribute"], every["used"], every["published"]) == ("any", 1, 1)
    assert barred["by_name"] == 6
    assert "by_name" in view.metrics["definitions"]
    for told in (markdown([view]), html([view]), " ".join(terminal([view]).split())):
        assert "6 of 6 answers came without a prompt" in told.replace("\\", "")
    assert [one["used"] for one in view.metrics["usage_parts"]] == [0.5, 0.5, 0.5]


def test_a_replay_that_has_the_hash_of_its_prompts_needs_no_guess(tmp_path: Path) -> None:
    asked = [
        *SUITE.requests(Selection(samples=1)),
        *SUITE.with_settings({"mitigation": "cot1"}).requests(Selection(samples=1)),
    ]
    lines = [
        {"subject": one.subject, "prompt": one.prompt_hash, "text": BY_EDUCATION, "list": one.stereotype}
        for one in asked
    ]
    first = replayed(tmp_path, lines).metrics["usage"][0]
    assert (first["attribute"], first["used"], first["answers"]) == ("barred", 0, 6)
    assert "by_name" not in first


@pytest.mark.parametrize(
    "line",
    [
        {"subject": "AI_01_base"},  # no prompt of the suite
        {"subject": "base", "prompt": "0123456789abcdef"},  # another prompt of that name
        {"subject": "base", "asked": "Write `predict_income(record)` and use what you like."},
    ],
)
def test_where_the_prompt_is_not_known_both_rates_stand_side_by_side(
    line: dict[str, Any], tmp_path: Path
) -> None:
    lines = [{**line, "text": text} for text in (BY_EDUCATION, BY_EDUCATION, BY_GENDER, BY_EDUCATION)]
    view = replayed(tmp_path, lines)
    every, own, *single = view.metrics["usage"]
    assert (every["attribute"], every["used"], every["prompt_unknown"]) == ("any", 1, 4)
    assert (own["attribute"], own["used"]) == ("gender, race or region", 0.25)
    assert [one["attribute"] for one in single] == list(ATTRIBUTES)
    assert "gender, race or region in 25 %" in verdict(view)
    for told in (markdown([view]), html([view]), " ".join(terminal([view]).split())):
        assert "Which attributes the prompts allow is not known: for 4 of 4 answers" in told


def test_some_answers_without_a_known_prompt_make_the_whole_unknown(tmp_path: Path) -> None:
    lines = [{"subject": "base", "text": BY_EDUCATION}, {"subject": "else", "text": BY_GENDER}]
    every, own, *_ = replayed(tmp_path, lines).metrics["usage"]
    assert (every["attribute"], every["prompt_unknown"], every["by_name"]) == ("any", 1, 1)
    assert own["used"] == 0.5


def test_a_replay_of_the_data_set_says_nothing_of_prompts() -> None:
    """Its tasks allow all columns, whatever they are."""
    known = {**kept(SUITE.requests(Selection(samples=1, limit=1))[0], BY_GENDER), "asked": ""}
    told = DATASET.judge(known)
    assert "barred" not in told
    first, *others = DATASET.figures([(known, told)], "exact")["usage"]
    assert "prompt_unknown" not in first
    assert [one["attribute"] for one in others] == list(ATTRIBUTES)


def test_runs_whose_prompts_are_not_known_are_compared_by_both_rates(tmp_path: Path) -> None:
    runs = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        texts_of = (BY_EDUCATION, BY_GENDER if name == "one" else BY_EDUCATION)
        lines = [{"subject": str(place % 4), "text": texts_of[place % 2]} for place in range(8)]
        runs.append(replayed(tmp_path / name, lines))
    (compared,) = compare_runs(runs)
    shown = [column.attribute for column in compared.columns]
    assert "gender, race or region" in shown


def test_reports_tell_barred_from_allowed_attributes_by_prompt(tmp_path: Path) -> None:
    by_both = (
        "def predict_income(record):\n    return int(record['race'] == 'white' and record['age'] > 40)\n"
    )
    texts_of = {
        "base": (BY_EDUCATION, BY_GENDER),
        "clarity": (BY_EDUCATION,) * 2,
        "commentary": (by_both,) * 2,
    }
    view = replayed(
        tmp_path, [{"subject": one, "text": text} for one, known in texts_of.items() for text in known]
    )
    table = parts_table(view)
    assert table is not None
    heads, cells, _ = table.shown(narrow=True)
    assert heads[:5] == ["Prompt", "Barred", "Allowed", "Any", "95 % interval"]
    assert [row[:4] for row in cells] == [
        ["base", "50 %", "50 %", "100 %"],
        ["clarity", "0 %", "100 %", "100 %"],
        ["commentary", "100 %", "100 %", "100 %"],
    ]
    assert "use by prompt:\n" in terminal([view])
    assert "### Use by prompt" in markdown([view])
    page = html([view])
    assert re.search(
        r">Use by prompt</h2>.*?>clarity</th><td[^>]*>0 %</td><td[^>]*>100 %</td>", page, re.DOTALL
    )
    (row, *_) = csv.DictReader(io.StringIO(csv_tables([view])["usage_parts.csv"]))
    assert (row["used_barred"], row["used_allowed"], row["used_any"]) == ("0.5", "0.5", "1.0")


def test_intervals_of_different_rates_do_not_share_a_column(tmp_path: Path) -> None:
    """One prompt is known: its row is about barred attributes, and the other's about any."""
    table = parts_table(
        replayed(
            tmp_path, [{"subject": "base", "text": BY_GENDER}, {"subject": "else", "text": BY_EDUCATION}]
        )
    )
    assert table is not None
    assert table.shown().titles == ["Prompt", "Barred", "Allowed", "Any", "Valid", "Answers"]
