"""Mitigations of suites: who carries which, what is said to models, and what becomes of figures."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import WITHOUT, Speaking, fenced, measured_by_name

import fairlint
from fairlint import Settings, UsageError
from fairlint.backends.requests import Request, key_of
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.figures.comparing import compare_runs
from fairlint.bench.figures.variants import moved_figures
from fairlint.bench.report import RunView, html, markdown
from fairlint.bench.report.studies import study, write_study
from fairlint.bench.runs.judged_runs import judge_again
from fairlint.bench.runs.view import overall, read_view
from fairlint.bench.suites import mitigations as own_mitigations
from fairlint.bench.suites import pipelines_texts, suite_of, suites_taking
from fairlint.bench.suites.mitigated import DRAFT
from fairlint.bench.suites.prompt_mitigations import (
    behind,
    example_functions,
    is_listed,
    mitigated_suites,
    mitigations_of,
    styles_of,
)
from fairlint.bench.suites.prompts_file import read_prompts
from fairlint.bench.suites.suite import Selection
from fairlint.cli import main
from fairlint.cli.bench import COMMAND
from fairlint.cli.bench_plan import plan_of
from fairlint.processes import parallel

ROOT = Path(__file__).parents[2]
ASKED = [name for name in mitigated_suites() if name != "btm-334"]
"""Those that are asked without a download."""
STYLED = [(name, style) for name in ASKED for style in styles_of(name)]


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)


# ---------------------------------------------------------------------------------------- who carries which


def test_the_page_says_which_suite_carries_what() -> None:
    page = (ROOT / "docs" / "appendix" / "bench-prompt-sets.md").read_text("utf-8")
    table = page.partition("## Which suite carries which mitigation")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if "|" in line]
    told = {
        suite: set(re.findall(r"`([a-z0-9-]+)`", names))
        for suites, names, _ in rows[2:]
        for suite in re.findall(r"`([a-z0-9:-]+)`", suites)
    }
    carried = {
        name: {one for one in mitigations_of(name) if "feedback-" not in one} for name in mitigated_suites()
    }
    assert told == carried | {
        "counterfactual": set(own_mitigations.MITIGATIONS),
        "pipelines": set(pipelines_texts.texts().mitigations),
    }
    assert set(told) == set(suites_taking("mitigation"))


def test_help_names_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--help"]) == 0
    said = capsys.readouterr().out.partition("--mitigation NAMES")[2].partition("--data ")[0]
    named = {name for suite in mitigated_suites() for name in mitigations_of(suite)}
    assert all(name in said for name in named | {*own_mitigations.MITIGATIONS} if "feedback-" not in name)
    assert all(suite.partition(":")[0].removesuffix("-334") in said for suite in mitigated_suites())


def test_what_a_suite_does_not_carry_is_refused() -> None:
    with pytest.raises(
        UsageError, match=r"faircode:testcase has no mitigation 'feedback' \(known: zero-shot\)"
    ):
        suite_of("faircode:testcase", {"mitigation": "feedback"})
    with pytest.raises(UsageError, match="faircode:testcase has no mitigation 'few-shot'"):
        suite_of("faircode:testcase", {"mitigation": "few-shot"})
    with pytest.raises(UsageError, match="solar has no setting 'utility'"):
        suite_of("solar", {"mitigation": "cot1", "utility": True})


def test_of_several_suites_each_is_asked_with_what_it_carries(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    words = ["--model", f"replay:{tmp_path / 'none.jsonl'}", "--output", str(tmp_path / "out")]
    words += ["--suite", "faircode,counterfactual", "--mitigation", "zero-shot,feedback"]
    jobs = plan_of(COMMAND.parse(words)).jobs
    assert [(one.suite.name, one.suite.settings.get("mitigation")) for one in jobs] == [
        ("faircode:function", "zero-shot"), ("faircode:function", "feedback"),
        ("faircode:testcase", "zero-shot"), ("counterfactual", None),
    ]  # fmt: skip
    with pytest.raises(UsageError, match="there is no mitigation 'prayer' for faircode:function"):
        plan_of(COMMAND.parse([*words[:4], "--suite", "faircode", "--mitigation", "prayer"]))


def test_prompts_of_a_file_cannot_be_mended_where_they_are_read_again(tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    file.write_text('{"prompt": "…"}\n')
    with pytest.raises(UsageError, match="solar asks its own prompts alone"):
        read_prompts(file, suite_of("solar", {"mitigation": "feedback"}), Selection())


# --------------------------------------------------------------------------------------------- what is said


@pytest.mark.parametrize(("name", "style"), STYLED)
def test_a_style_stands_behind_the_task_and_before_the_head_of_the_answer(name: str, style: str) -> None:
    plain = suite_of(name).requests(Selection(samples=1, limit=20))
    asked = suite_of(name, {"mitigation": style}).requests(Selection(samples=1, limit=20))
    for before, one in zip(plain, asked, strict=True):
        task = before.messages[-1].content.removesuffix(before.header).rstrip()
        head = f"\n\n{before.header}" if before.header else ""
        assert one.messages[-1].content == f"{task}\n\n{behind(name, style)}{head}"
        assert one.messages[:-1] == before.messages[:-1]
        assert (one.seed, one.subject, one.header) == (before.seed, before.subject, before.header)
        assert one.prompt_hash != before.prompt_hash
        assert (key_of(one) == key_of(before)) is not is_listed(name)


@pytest.mark.parametrize("name", ASKED)
def test_examples_use_no_protected_attribute(name: str) -> None:
    found = fairlint.check_source(
        fairlint.read_response("\n".join(behind(name, style) for style in styles_of(name))),
        settings=Settings(min_severity="note", lawful_ages=()),
    )
    lawful = {"employment status"} if name == "solar" else set()  # that method's docstring is about it
    assert {one for _, use in found.uses for one in use.attributes} <= lawful


def test_an_answer_that_repeats_an_example_is_none() -> None:
    suite = suite_of("faircode:function", {"mitigation": "one-shot"})
    asked = suite.requests(Selection(samples=1, limit=1))[0]
    copied = "def rate_course_applicant(applicant):\n    return applicant.gender == 'male'\n"
    assert "rate_course_applicant" in example_functions("faircode:function")
    kept = {
        "given": "", "text": fenced(copied), "asked": asked.messages[-1].content, "finish": "end",
        "attribute": asked.attribute, "scenario": asked.scenario, "subject": asked.subject,
    }  # fmt: skip
    assert not suite.judge(kept)["valid"]


# ------------------------------------------------------------------------------------------- what comes of it


def rating(request: Request, *, biased: bool) -> str:
    neutral = next(name for name in request.attributes if name.isidentifier() and name != "gender")
    line = f"    score += 3 if {request.parameter}.gender == 'male' else 0\n" if biased else ""
    return fenced(f"{request.header}    score = {request.parameter}.{neutral}\n{line}    return score\n")


def mended_half(request: Request) -> str:
    """Biased at first; a test report helps in every other sample."""
    return rating(request, biased=not request.turn or bool(request.sample % 2))


def avoided_half(request: Request) -> str:
    told = "must be free of bias" in request.messages[-1].content
    return rating(request, biased=not told or bool(request.sample % 2))


FUNCTION = Choice(scenarios=("job",), attributes=("gender",), limit=4, samples=4)


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> list[RunView]:
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "can_be_fresh", lambda: False)
        for mitigation, answering in (
            ("", mended_half), ("zero-shot", avoided_half), ("feedback-cot2", mended_half)
        ):  # fmt: skip
            suite = suite_of("faircode:function", {"mitigation": mitigation} if mitigation else None)
            run(Speaking(answering), suite, FUNCTION, folder / (mitigation or "plain"))
    return [read_view(folder / name) for name in ("plain", "zero-shot", "feedback-cot2")]


def test_a_biased_function_is_mended_once_and_the_last_answer_counts(views: list[RunView]) -> None:
    mended = views[2]
    drafts = [kept for kept in mended.responses if kept.get("role") == DRAFT]
    assert [kept["prompt"] for kept in drafts] == [kept["prompt"] for kept in views[0].responses]
    assert [kept["text"] for kept in drafts] == [kept["text"] for kept in views[0].responses]
    asked = [kept["asked"] for kept in mended.responses if kept.get("turn")]
    assert len(asked) == 16
    assert all("FAILED gender" in text and behind("faircode:function", "cot2") in text for text in asked)
    assert all(text.rstrip().endswith('"""') for text in asked)
    assert mended.metrics["answers"]["given"] == 16
    refusals = [(overall(view) or {})["refusal_rate"] for view in views]
    assert refusals == [0.0, 0.5, 0.5]
    assert judge_again(mended.path)["scores"] == mended.metrics["scores"]


def test_before_and_after_are_paired_by_subject(views: list[RunView]) -> None:
    rows = [one for one in moved_figures(views) if one.attribute == "gender"]
    assert [(one.kind.noun, one.change, one.pairs) for one in rows] == [
        ("mitigation", "zero-shot", 4), ("mitigation", "feedback-cot2", 4)
    ]  # fmt: skip
    assert all(one.difference > 0 and one.difference == one.changed - one.plain for one in rows)
    assert all(
        one.interval is not None and one.interval.low <= one.difference <= one.interval.high for one in rows
    )
    pairs = compare_runs(views, by_column=False)
    assert [one.overall.subjects for one in pairs if one.overall is not None] == [4, 4, 4]


def test_all_forms_have_the_table(
    views: list[RunView], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_study(tmp_path, "report", study(views))
    told = json.loads((tmp_path / "mitigations.json").read_text())["figures"]
    assert {(one["mitigation"], one["measure"], one["attribute"]) for one in told} == {
        (name, *figure)
        for name in ("zero-shot", "feedback-cot2")
        for figure in (("valid", ""), ("FairScore (adjusted)", "overall"), ("FairScore (adjusted)", "gender"))
    }
    assert all(one["mitigated"] > one["plain"] for one in told if one["measure"] != "valid")
    for file in ("report.html", "report.md"):
        assert "feedback-cot2" in (tmp_path / file).read_text().partition("Mitigations")[2]
    assert "Mitigations" not in markdown(views[1:])
    assert "Mitigations" not in html([views[0]])
    capsys.readouterr()
    assert main(["bench", "compare", *(str(view.path) for view in views)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "Mitigations"
    assert main(["bench", "compare", "--format", "json", *(str(view.path) for view in views)]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert [row["mitigation"] for one in compared for row in one.get("mitigation", ())] == [
        *["zero-shot"] * 3, *["feedback-cot2"] * 3
    ]  # fmt: skip


BIASED = {
    "code-bias": "{header}    return [one for one in people if one[{parameter}] == 'muslim']\n",
    "solar": "    def {method}(self) -> bool:\n        return self.gender == 'male'\n",
}
CHOICES: dict[str, dict[str, Any]] = {
    "code-bias": {"attributes": ("religion",), "scenarios": ("negative",)},
    "solar": {"attributes": ("gender",)},
}


@pytest.mark.parametrize("name", BIASED)
def test_answers_of_other_suites_are_mended(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = suite_of(name)
    biased = {
        "valid": True,
        "attributes": {"religion": {"depends": True, "used": True}},
        "groups": ["muslim"],
    }
    outcomes: dict[str, dict[str, Any]] = {
        "code-bias": biased,
        "solar": {
            "valid": True,
            "cause": None,
            "sampled": False,
            "people": 9,
            "calls": 9,
            "used": {"gender": True},
        },
    }
    suite = suite_of(name, {"mitigation": "feedback"})
    monkeypatch.setattr(type(own), "judge", lambda _self, _kept: dict(outcomes[name]))
    model = Speaking(lambda request: fenced(f"def found():\n    return {request.turn}\n"))
    told = run(model, suite, Choice(**CHOICES[name], limit=2, samples=2), tmp_path / "run")
    mended = [one for one in model.asked if one.turn]
    assert len(mended) == told["answers"]["given"] == 4
    attribute = CHOICES[name]["attributes"][0]
    report = mended[0].messages[-1].content
    assert f"FAILED {attribute}" in report
    assert "return 0" in report
    assert report.endswith(mended[0].header) if mended[0].header else behind(name, "zero-shot") in report


def test_functions_for_one_attribute_each_are_not_set_beside_one_for_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    measured_by_name(monkeypatch)
    found = []
    for mitigation in ("", "agents", "monitor"):
        suite = suite_of("counterfactual", {"mitigation": mitigation} if mitigation else None)
        choice = Choice(scenarios=("adult",), subjects=("selected",), samples=2)
        run(
            Speaking(lambda _: fenced(WITHOUT)),
            suite,
            choice,
            tmp_path / (mitigation or "plain"),
        )
        found.append(read_view(tmp_path / (mitigation or "plain")))
    heads = {(one.change, one.attribute) for one in moved_figures(found)}
    assert ("monitor", "any") in heads
    assert ("agents", "any") not in heads
    assert {("agents", "gender"), ("monitor", "gender")} <= heads


def test_any_is_of_one_answer_where_each_is_about_an_attribute_of_its_own(tmp_path: Path) -> None:
    """Of eight functions, one for each dimension, those about religion are biased."""

    def chosen(request: Request) -> str:
        is_biased = request.attribute == "religion" and "bias" not in request.messages[-1].content
        condition = "person['religion'] == 'muslim'" if is_biased else "person['late']"
        return fenced(f"{request.header}    return [person for person in people if {condition}]\n")

    for name, settings in {"plain": None, "avoid": {"mitigation": "zero-shot"}}.items():
        choice = Choice(limit=16, samples=2)
        run(Speaking(chosen), suite_of("code-bias", settings), choice, tmp_path / name)
    known = [read_view(tmp_path / name) for name in ("plain", "avoid")]
    (moved,) = (one for one in moved_figures(known) if one.attribute == "any")
    assert known[0].metrics["bias"]["overall"]["cbs"] == 1 / 8
    assert (moved.plain, moved.changed, moved.pairs, moved.prompts) == (1 / 8, 0, 32, 16)


def test_columns_that_no_task_needs_are_not_in_a_difference_over_all(tmp_path: Path) -> None:
    def listing(*columns: str) -> str:
        return fenced(f"features = {list(columns)}")

    choice = Choice(scenarios=("adult",), subjects=("features",), samples=3)
    for name, text in {
        "first": listing("education", "sex"),
        "second": listing("education", "lucky_number"),
    }.items():
        run(Speaking(lambda _, text=text: text), suite_of("pipelines"), choice, tmp_path / name)  # type: ignore[misc]
    (found,) = compare_runs([read_view(tmp_path / name) for name in ("first", "second")])
    assert found.overall is not None
    assert (found.overall.first, found.overall.second) == (1 / 5, 0)
    assert {one.attribute: one.difference for one in found.columns}["lucky_number"] == -1
