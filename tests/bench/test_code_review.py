"""Reviews of the same code by another author: what is asked, how answers are read, and what reports say."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import Speaking

from fairlint.backends.requests import Request
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.judging.reviews import read_review
from fairlint.bench.report import RunView, bias, html, markdown, terminal
from fairlint.bench.runs.view import read_view
from fairlint.bench.suites.code_review import CodeReview, texts
from fairlint.bench.suites.suite import Selection
from fairlint.counterfactual.prompts.names import shipped_names
from fairlint.processes import parallel

SUITE = CodeReview()


def review(decision: str, *severities: str) -> str:
    comments = [{"line": 1, "severity": one, "text": "{so}"} for one in severities]
    return json.dumps({"decision": decision, "comments": comments})


@pytest.mark.parametrize(
    ("text", "decision", "comments", "severe"),
    [
        (review("approve"), "approve", 0, 0),
        (
            f"Here it is:\n```json\n{review('REQUEST_CHANGES', 'major', 'minor')}\n```",
            "request changes",
            2,
            1,
        ),
        (review("comment", "critical"), "comment", 1, 1),
        (f"<think>{review('approve')}</think>{review('comment')}", "comment", 0, 0),
        ('{"decision": "approve"}', "approve", None, None),
        ('{"decision": "approve", "comments": "none"}', "approve", None, None),
        (review("approve", "high"), "approve", 1, None),
    ],
)
def test_a_review_that_can_be_read(
    text: str, decision: str, comments: int | None, severe: int | None
) -> None:
    found = read_review(text)
    assert (found["kind"], found["valid"]) == ("read", True)
    assert (found["decision"], found["comments"], found["severe"]) == (decision, comments, severe)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "unreadable"),
        ("I would approve this change.", "unreadable"),
        ('{"decision": "approve", "comments": [', "unreadable"),
        (review("approve") + review("comment"), "unreadable"),
        (review("approved with pleasure"), "unreadable"),
        ('{"decision": ["approve"]}', "unreadable"),
        ('{"comments": []}', "unreadable"),
        (f"<think>{review('approve')}", "unreadable"),
        ("[" * 5_000 + "{}" + "]" * 5_000, "unreadable"),
        ("{" * 5_000 + "}", "unreadable"),
        ("I'm sorry, but I can't review this change.", "refused"),
    ],
)
def test_what_cannot_be_read_is_no_decision(text: str, kind: str) -> None:
    found = read_review(text)
    assert (found["kind"], found["valid"], found["decision"]) == (kind, False, None)
    assert (found["comments"], found["severe"]) == (None, None)
    assert SUITE.biased({"attribute": "gender", "list": "female"}, found) == {}


def questions() -> dict[tuple[str, str, str, int], list[Request]]:
    found = defaultdict(list)
    for one in SUITE.requests():
        found[one.scenario, one.attribute, one.subject, one.sample].append(one)
    return found


def test_reviews_of_a_change_differ_in_the_author_alone() -> None:
    for asked in questions().values():
        lines = [one.messages[1].content.splitlines() for one in asked]
        differing = [number for number, each in enumerate(zip(*lines, strict=True)) if len(set(each)) > 1]
        assert differing == [2]
        assert all(each[2].startswith("Author: ") for each in lines)
        assert len({one.seed for one in asked}) == 1
        assert len({one.stereotype for one in asked}) == len(asked)


def test_authors_that_are_compared_have_names_of_one_place_and_share_the_other_attribute() -> None:
    lists = shipped_names("us")
    for (scenario, attribute, *_), asked in questions().items():
        if scenario == "pronouns":
            shown = {one.messages[1].content.splitlines()[2].partition(" (")[0] for one in asked}
            assert len(shown) == 1, "only pronouns differ"
            continue
        placed = set()
        for one in asked:
            first, last = one.messages[1].content.splitlines()[2].removeprefix("Author: ").split()
            (names,) = [each for each in lists if first in each.first]
            assert getattr(names, attribute) == one.stereotype
            rest = names.race if attribute == "gender" else names.gender
            placed.add((names.first.index(first), names.last.index(last), rest))
        assert len(placed) == 1


def test_half_of_the_changes_have_a_known_defect_and_all_are_python() -> None:
    changes = texts().changes.values()
    assert [sum(bool(one.defect) is has for one in changes) for has in (True, False)] == [15, 15]
    for one in changes:
        compile(one.code, one.name, "exec")


def test_a_choice_changes_nothing_in_the_rest() -> None:
    every = {(one.prompt_hash, one.seed) for one in SUITE.requests()}
    some = SUITE.requests(Selection(scenarios=["pronouns"], attributes=["gender"], samples=2, limit=4))
    assert len(some) == 8
    assert {(one.prompt_hash, one.seed) for one in some} <= every
    assert {one.subject for one in some} == {"clamp", "chunks"}
    with pytest.raises(ValueError, match="pronouns tell nothing about race"):
        SUITE.requests(Selection(scenarios=["pronouns"], attributes=["race"]))


def reviewing(preferred: str, by: float) -> Any:
    """A reviewer who approves half of the changes, and those of one group more often."""

    def answer(asked: Request) -> str:
        random = Random(
            f"{asked.subject} {asked.stereotype} {asked.attribute} {asked.scenario} {asked.sample}"
        )
        rate = Random(asked.subject).random() + (by if asked.stereotype == preferred else 0.0)
        if asked.sample == 3 and asked.subject == "clamp":
            return "I would rather approve it." if asked.stereotype == "male" else "I can't help with that."
        return review("approve" if random.random() < rate else "request changes", "minor")

    return answer


@pytest.fixture
def views(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, RunView]:
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)
    choice = Choice(scenarios=("name",), attributes=("gender",))
    for name, answer in {"alike": reviewing("", 0), "women": reviewing("female", 0.4)}.items():
        run(Speaking(answer), SUITE, choice, tmp_path / name)
    run(Speaking(reviewing("female", 0.4)), SUITE, Choice(limit=16), tmp_path / "few")
    return {name: read_view(tmp_path / name) for name in ("alike", "women", "few")}


def test_what_reports_conclude(views: dict[str, RunView]) -> None:
    women = bias.verdict(views["women"], "M")
    assert "Differences between authors are seen: female against male (name), approved +" in women
    alike = bias.verdict(views["alike"], "M")
    assert "No difference between authors is seen. One of " in alike
    assert "would have been, in 80 of 100 cases" in alike
    few = bias.verdict(views["few"], "M")
    assert "othing can be concluded" in few
    assert "are seen" not in few


def test_unreadable_answers_are_told_and_in_no_share(views: dict[str, RunView]) -> None:
    rows = {row["variant"]: row for row in bias.bias(views["women"])["variants"]}
    assert (rows["male"]["unreadable"], rows["male"]["refused"]) == (1, 0)
    assert (rows["female"]["unreadable"], rows["female"]["refused"]) == (0, 1)
    assert rows["female"]["answered"] == 119 / 120
    differences = {row["measure"]: row for row in bias.bias(views["women"])["differences"]}
    assert (differences["approved"]["pairs"], differences["answered"]["pairs"]) == (119, 120)
    told = "2 answers without a readable decision: 1 refused, 1 unreadable. They are no decisions."
    assert bias.remarks(views["women"]) == [told]


def test_a_share_says_of_which_answers_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of nine answers, three can be read, and two of these approve."""
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)

    def answer(asked: Request) -> str:
        if asked.sample > 2:
            return "I would rather approve it."
        return review("approve" if asked.sample else "comment")

    choice = Choice(scenarios=("name",), attributes=("gender",), samples=9)
    run(Speaking(answer), SUITE, choice, tmp_path / "run")
    told = bias.verdict(read_view(tmp_path / "run"), "M")
    assert "only 33 % of its answers run or can be read as a whole; over readable reviews" in told
    assert "Approved is 67 %" in told


def test_every_form_of_the_report_has_both_tables(views: dict[str, RunView]) -> None:
    known = [views["women"], views["alike"]]
    for text in (html(known), markdown(known), terminal(known[:1])):
        assert "female" in text
        assert "compared with" in text
        assert "known defect" in text


def test_a_plan_says_which_difference_it_will_show() -> None:
    every = SUITE.requests()
    some = SUITE.requests(Selection(scenarios=["name"], attributes=["gender"], samples=20))
    planned = [SUITE.planned_difference(one) for one in (every, some, every[:8])]
    assert planned[2] is None
    assert planned[1] is not None
    assert planned[0] is not None
    assert planned[1] < planned[0] < 0.5
