"""Suites that ask on: turns that continue from an answer, mitigations, and runs that broke off in the
middle."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import BIASED, INERT, WITHOUT, Speaking, fenced, measured_by_name

from fairlint import UsageError
from fairlint.backends.model import ModelError, ModelOptions
from fairlint.backends.requests import Request, key_of
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.replay import Replay, load
from fairlint.bench.asking.running import run
from fairlint.bench.judging import decisions
from fairlint.bench.runs.judged_runs import judge_again, metrics_of
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.mitigations import MITIGATIONS, next_role, verdict
from fairlint.bench.suites.suite import Selection

SUITE = suite_of("counterfactual")
ADULT = Choice(scenarios=("adult",), attributes=("gender",), samples=2)


@pytest.fixture(autouse=True)
def _by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    measured_by_name(monkeypatch)


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def with_mitigation(name: str) -> Any:
    return suite_of("counterfactual", {"mitigation": name})


# ------------------------------------------------------------------------------------------------- two turns


def by_role(request: Request) -> str:
    return (
        fenced(INERT) if request.role != "attributes" else f"Hours, and {request.subject} {request.sample}."
    )


def test_the_second_turn_holds_the_first_answer(tmp_path: Path) -> None:
    model = Speaking(by_role)
    choice = Choice(scenarios=("adult",), attributes=("gender",), subjects=("model-driven",), samples=2)
    metrics = run(model, SUITE, choice, tmp_path / "run")
    first, second = model.asked[0], model.asked[2]
    assert [one.turn for one in model.asked] == [0, 0, 1, 1]
    assert (first.role, second.role) == ("attributes", "")
    assert second.messages[:2] == first.messages
    assert [(one.role, one.content) for one in second.messages[2:3]] == [
        ("assistant", "Hours, and model-driven 0.")
    ]
    assert "(2) The data have these attributes: [age, workclass," in second.messages[3].content
    assert key_of(second) == f"{key_of(first)}.1"
    assert metrics["answers"] == {
        "asked": 2, "given": 2, "not_judged": 0, "valid": 1.0, "cut": 0.0,
        "prompt_tokens": 12, "new_tokens": 16,
    }  # fmt: skip
    kept = lines(tmp_path / "run" / "responses.jsonl")
    assert [one.get("role") for one in kept] == ["attributes", "attributes", None, None]


def test_the_prompt_that_names_a_protected_attribute_is_asked_for_each() -> None:
    asked = SUITE.requests(Selection(scenarios=["compas"], samples=1))
    aware = [one for one in asked if one.subject == "bias-aware"]
    assert [one.attribute for one in aware] == ["age", "gender", "race"]
    assert "Here `sex` is such an attribute." in aware[1].messages[1].content
    assert {one.attribute for one in asked if one.subject != "bias-aware"} == {"age, gender, race"}


@pytest.mark.parametrize("breaks_after", range(1, 9))
def test_a_run_that_broke_off_in_a_conversation_asks_nothing_twice(tmp_path: Path, breaks_after: int) -> None:
    choice = Choice(scenarios=("adult",), attributes=("gender",), samples=2)
    suite = with_mitigation("agents")
    whole_model = Speaking(agents)
    whole = run(whole_model, suite, choice, tmp_path / "whole")
    first = Speaking(agents, breaks_after=breaks_after)
    with pytest.raises(ModelError, match="the server is gone"):
        run(first, suite, choice, tmp_path / "run")
    part = metrics_of(tmp_path / "run")
    assert part["answers"]["given"] <= 2
    second = Speaking(agents)
    assert run(second, suite, choice, tmp_path / "run", resume=True) == whole
    assert first.keys + second.keys == whole_model.keys
    for name in ("responses.jsonl", "outcomes.jsonl"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    third = Speaking(agents)
    assert run(third, suite, choice, tmp_path / "run", resume=True) == whole
    assert third.asked == []


def test_a_kept_conversation_is_replayed_and_judged_again(tmp_path: Path) -> None:
    suite = with_mitigation("agents")
    whole = run(Speaking(agents), suite, ADULT, tmp_path / "whole")
    model = load(str(tmp_path / "whole" / "responses.jsonl"), ModelOptions())
    assert isinstance(model, Replay)
    again = run(model, suite, Choice(), tmp_path / "again")
    assert again["bias"] == whole["bias"]
    kept, first = lines(tmp_path / "again" / "responses.jsonl"), lines(tmp_path / "whole" / "responses.jsonl")
    assert kept == first
    assert judge_again(tmp_path / "whole")["bias"] == whole["bias"]


def test_a_replay_that_ends_early_leaves_a_conversation_unfinished(tmp_path: Path) -> None:
    suite = with_mitigation("agents")
    with pytest.raises(ModelError):
        run(Speaking(agents, breaks_after=3), suite, ADULT, tmp_path / "part")
    model = load(str(tmp_path / "part" / "responses.jsonl"), ModelOptions())
    metrics = run(model, suite, Choice(), tmp_path / "again")
    assert (metrics["answers"]["asked"], metrics["answers"]["given"]) == (2, 0)


# ----------------------------------------------------------------------------------------------- mitigations


def agents(request: Request) -> str:
    """A first function that is biased; an auditor who sees that, once; a refiner who mends it at the second
    go.
    """
    if request.role == "audit":
        return "BIASED: men fare better." if "is 0.4000" in request.messages[1].content else "UNBIASED."
    if request.role == "refined":
        return fenced(INERT if request.turn == 4 else BIASED)
    return fenced(BIASED)


def test_agents_take_turns_until_the_auditor_is_content(tmp_path: Path) -> None:
    model = Speaking(agents)
    suite = with_mitigation("agents")
    choice = Choice(scenarios=("adult",), attributes=("gender",), samples=1)
    metrics = run(model, suite, choice, tmp_path / "run")
    assert [one.role for one in model.asked] == ["draft", "audit", "refined", "audit", "refined", "audit"]
    audit, refine = model.asked[1].messages[1].content, model.asked[2].messages[1].content
    assert "return 1 if sex == 'Male' else 0" in audit
    assert "`sex` is 0.4000" in audit
    assert "BIASED: men fare better." in refine
    bias = metrics["bias"]
    (row,) = bias["attributes"]
    assert (row["cbs"], row["before"]["cbs"], row["cip"], row["before"]["cip"]) == (0.0, 1.0, 0.0, 0.4)
    (trend,) = bias["trend"]
    assert (trend["scenario"], trend["attribute"]) == ("adult", "gender")
    assert [one["cip"] for one in trend["rounds"]] == [0.4, 0.4, 0.0]
    assert [one["decrease"] for one in trend["rounds"]] == [None, 0.0, 1.0]
    assert {(one["functions"], one["going"], one["deviation"]) for one in trend["rounds"]} == {(1, 1, 0.0)}
    assert bias["agreement"] == {
        "verdicts": 3, "compared": 3, "agreement": 1.0, "passed_biased": 0, "refused_unbiased": 0,
        "unreadable": 0,
    }  # fmt: skip


def test_the_auditor_ends_the_loop_and_not_the_threshold(tmp_path: Path) -> None:
    suite, choice = (
        with_mitigation("agents"),
        Choice(scenarios=("german",), attributes=("gender",), samples=1),
    )
    content = Speaking(lambda request: "UNBIASED" if request.role == "audit" else fenced(BIASED))
    bias = run(content, suite, choice, tmp_path / "content")["bias"]
    assert len(content.asked) == 2
    assert bias["attributes"][0]["cbs"] == 1.0
    assert bias["agreement"]["passed_biased"] == 1
    never = Speaking(lambda request: "BIASED" if request.role == "audit" else fenced(WITHOUT))
    bias = run(never, suite, choice, tmp_path / "never")["bias"]
    assert [one.role for one in never.asked] == ["draft", *(["audit", "refined"] * 5)]
    assert bias["agreement"] == {
        "verdicts": 5, "compared": 5, "agreement": 0.0, "passed_biased": 0, "refused_unbiased": 5,
        "unreadable": 0,
    }  # fmt: skip


def test_few_shot_shows_what_was_measured_unbiased(tmp_path: Path) -> None:
    answers = [BIASED, INERT, WITHOUT, INERT.replace("45", "50")]
    model = Speaking(lambda request: fenced(answers[request.sample] if request.role == "draft" else WITHOUT))
    choice = Choice(scenarios=("adult",), attributes=("gender",), samples=4)
    metrics = run(model, with_mitigation("few-shot"), choice, tmp_path / "run")
    shown = model.asked[-1].messages[1].content
    first, second, third = shown.split("#Examples")[1].split("Example ")[1:]
    assert "hours_per_week > 40" in first
    assert "sex" not in first
    assert "hours_per_week > 45" in second
    assert "hours_per_week > 50" in third
    assert {one.role for one in model.asked[4:]} == {""}
    assert metrics["bias"]["fallback"] == 0
    assert metrics["bias"]["attributes"][0]["before"]["cbs"] == 0.25


def test_few_shot_says_where_a_model_has_no_unbiased_function(tmp_path: Path) -> None:
    model = Speaking(lambda _request: fenced(BIASED))
    metrics = run(model, with_mitigation("few-shot-cot"), ADULT, tmp_path / "run")
    assert [one.role for one in model.asked] == ["draft", "draft", "fallback", "fallback"]
    assert metrics["bias"]["fallback"] == 2
    shown = model.asked[-1].messages[1].content
    assert "[Reasoning]\n`sex` is a protected attribute" in shown
    assert shown.count("[Code]\ndef predict(") == 3
    assert "workclass == 'Private'" in shown


@pytest.mark.parametrize("scenario", SUITE.scenarios())
def test_what_stands_in_for_examples_is_code(scenario: str) -> None:
    from fairlint.bench.suites.talking import _substitute_functions

    task = SUITE.tasks[scenario]  # type: ignore[attr-defined]
    for column in task.attributes.values():
        for code in _substitute_functions(task, column):
            compile(code, "example", "exec")
        without, inert, read = _substitute_functions(task, column)
        assert not decisions.names(without, column)
        assert decisions.names(inert, column)
        assert decisions.names(read, column)


def test_chain_of_thought_asks_for_reasons_and_reads_the_code_behind_them(tmp_path: Path) -> None:
    reasons = (
        f"[Reasoning]\nSex must not count, so not:\n```python\n{BIASED}```\n[Code]\n```python\n{WITHOUT}```\n"
    )
    model = Speaking(lambda _request: reasons)
    metrics = run(model, with_mitigation("cot"), ADULT, tmp_path / "run")
    assert "[Reasoning]" in model.asked[0].messages[1].content
    assert metrics["bias"]["attributes"][0]["cbs"] == 0.0
    assert metrics["bias"]["attributes"][0]["executable"] == {"bands": 1.0, "numbers": 1.0}


def test_an_answer_does_not_end_within_its_reasons() -> None:
    (request, *_) = with_mitigation("cot").requests(Selection(samples=1))
    reasons = f"[Reasoning]\nNot so:\n```python\n{BIASED}```\n"
    assert SUITE.finished(request, reasons) is None
    whole = f"{reasons}[Code]\n```python\n{WITHOUT}```\n"
    assert SUITE.finished(request, f"{whole}More words.\n") == len(whole)


def test_a_monitor_reads_the_task_first_then_reviews_and_has_code_corrected(tmp_path: Path) -> None:
    def answer(request: Request) -> str:
        said = {"scope": "Consider: hours_per_week\nRestrict: sex", "review": "VIOLATION: line 2 reads sex"}
        if request.role == "review" and request.turn > 2:
            return "OK"
        return said.get(request.role) or fenced(WITHOUT if request.role == "refined" else BIASED)

    model = Speaking(answer)
    choice = Choice(scenarios=("adult",), attributes=("gender",), samples=1)
    metrics = run(model, with_mitigation("monitor"), choice, tmp_path / "run")
    assert [one.role for one in model.asked] == ["draft", "scope", "review", "refined", "review"]
    assert "Restrict: sex" in model.asked[2].messages[1].content
    assert "line 2 reads sex" in model.asked[3].messages[1].content
    assert metrics["bias"]["attributes"][0]["cbs"] == 0.0


def test_the_linter_says_what_is_to_be_mended(tmp_path: Path) -> None:
    model = Speaking(lambda request: fenced(WITHOUT if request.role == "refined" else BIASED))
    choice = Choice(scenarios=("adult",), attributes=("gender",), samples=1)
    metrics = run(model, with_mitigation("linter"), choice, tmp_path / "run")
    assert [one.role for one in model.asked] == ["draft", "refined"]
    assert ": FL" in model.asked[1].messages[1].content
    assert metrics["bias"]["overall"]["before"]["cbs"] == 1.0
    assert metrics["bias"]["overall"]["cbs"] == 0.0


def test_repair_asks_nobody(tmp_path: Path) -> None:
    code = (
        "def predict(sex, hours_per_week):\n    score = 0\n    if hours_per_week > 40:\n        score += 2\n"
        "    if sex == 'Male':\n        score += 1\n    return 1 if score > 1 else 0\n"
    )
    model = Speaking(lambda _request: fenced(code))
    choice = Choice(scenarios=("adult",), attributes=("gender",), samples=1)
    metrics = run(model, with_mitigation("repair"), choice, tmp_path / "run")
    assert len(model.asked) == 1
    assert metrics["bias"]["overall"]["before"]["cbs"] == 1.0
    assert metrics["bias"]["overall"]["cbs"] == 0.0


def test_an_answer_without_code_is_counted_and_biased_by_nothing(tmp_path: Path) -> None:
    model = Speaking(lambda request: "I cannot do that." if request.sample else fenced(BIASED))
    choice = Choice(scenarios=("adult",), attributes=("gender",), subjects=("selected",), samples=2)
    (row,) = run(model, SUITE, choice, tmp_path / "run")["bias"]["attributes"]
    assert (row["answers"], row["valid"], row["cbs"], row["cbs_executable"]) == (2, 0.5, 0.5, 1.0)


@pytest.mark.parametrize("name", MITIGATIONS)
def test_every_mitigation_ends(name: str) -> None:
    bad: dict[str, Any] = {"verdict": None, "findings": ["line 1"]}
    steps = [("" if name == "cot" else "draft", bad)]
    while (role := next_role(name, steps)) is not None:
        steps.append((role, bad))
        assert len(steps) < 15


@pytest.mark.parametrize(
    ("role", "text", "said"),
    [
        ("audit", "UNBIASED. Nothing changes.", "unbiased"),
        ("audit", "**Biased**: the CIP is 0.4", "biased"),
        ("audit", "The function is not biased.", "unbiased"),
        ("audit", "Let me see.", None),
        ("review", "OK", "ok"),
        ("review", "There is no violation here.", "ok"),
        ("review", "VIOLATION: line 3. Else all ok.", "violation"),
    ],
)
def test_verdicts_are_read(role: str, text: str, said: str | None) -> None:
    assert verdict(role, text) == said


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"mitigation": "prayer"}, "there is no mitigation 'prayer' (known: few-shot, cot,"),
        ({"executor": "docker"}, "there is no executor 'docker' (known: monty, process, process-unsafe)"),
        ({"threshold": 1.0}, "the threshold must be 0 or more and below 1, not 1"),
        ({"config": "x.toml"}, "needs the data (--data)"),
        ({"colour": "red"}, "counterfactual has no setting 'colour'"),
    ],
)
def test_settings_that_are_none(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as error:
        suite_of("counterfactual", settings)
    assert says in str(error.value)


def test_other_suites_take_no_settings_of_this_one() -> None:
    with pytest.raises(UsageError, match="code-bias has no mitigation 'cot'"):
        suite_of("code-bias", {"mitigation": "cot"})
    with pytest.raises(UsageError, match="pipelines has no setting 'threshold'"):
        suite_of("pipelines", {"threshold": 0.2})


def test_unknown_names_are_refused(tmp_path: Path) -> None:
    for choice, says in (
        (Choice(scenarios=("adults",)), "there is no scenario 'adults'; did you mean 'adult'?"),
        (Choice(subjects=("select",)), "there is no subject 'select'; did you mean 'selected'?"),
        (Choice(attributes=("religion",)), "there is no attribute 'religion'"),
    ):
        with pytest.raises(UsageError) as error:
            run(Speaking(agents), SUITE, choice, tmp_path / "none")
        assert says in str(error.value)


# --------------------------------------------------------------------------------------------------- prompts

PROMPTS = Path(__file__).with_name("counterfactual_prompts.txt")


def rendered() -> str:
    """The first requests of all prompts and data sets."""
    parts = []
    for request in SUITE.requests(Selection(samples=1)):
        parts.append(f"===== {request.scenario}, {request.subject}, {request.attribute}")
        parts += [f"--- {one.role}\n{one.content}" for one in request.messages]
    return "\n".join(parts) + "\n"


def test_prompts_are_as_they_were_proofread() -> None:
    assert rendered() == PROMPTS.read_text("utf-8")


def test_a_request_depends_on_itself_alone() -> None:
    every = {key_of(one): one for one in SUITE.requests(Selection(samples=2))}
    for one in SUITE.requests(Selection(scenarios=["german"], samples=1)):
        assert every[key_of(one)] == one
    alone = SUITE.requests(Selection(scenarios=["adult"], attributes=["gender"], samples=1))
    texts = {one.subject: one.messages for one in SUITE.requests(Selection(scenarios=["adult"], samples=1))}
    assert all(one.messages == texts[one.subject] for one in alone if one.subject != "bias-aware")


# ------------------------------------------------------------------------------------------ beside the bench


def test_other_harnesses_are_told_that_the_suite_asks_on() -> None:
    from fairlint.bench.ecosystem.questions import asked_of

    with pytest.raises(UsageError, match="counterfactual asks on from a model's answers"):
        asked_of("counterfactual", {})


def test_prompts_of_a_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "prompts.jsonl").write_text('{"prompt": "Hello"}\n', "utf-8")
    choice = Choice(prompts=tmp_path / "prompts.jsonl")
    with pytest.raises(UsageError, match="counterfactual asks its own prompts alone"):
        run(Speaking(agents), suite_of("counterfactual"), choice, tmp_path / "run")


def test_the_command_line_says_what_a_suite_is_asked_with(tmp_path: Path) -> None:
    from fairlint.cli.bench import COMMAND
    from fairlint.cli.bench_plan import plan_of

    def plan(*arguments: str) -> Any:
        (tmp_path / "none.jsonl").touch()
        replay = ["--model", f"replay:{tmp_path / 'none.jsonl'}", "--output", str(tmp_path / "out")]
        return plan_of(COMMAND.parse([*replay, *arguments]))

    jobs = plan("--suite", "counterfactual,solar", "--mitigation", "none,agents", "--threshold", "0.2").jobs
    assert [(one.suite.name, one.suite.settings) for one in jobs] == [
        ("counterfactual", {"threshold": 0.2}),
        ("counterfactual", {"threshold": 0.2, "mitigation": "agents"}),
        ("solar", {}),
    ]
    assert jobs[1].path.name == "counterfactual-agents-none.jsonl"
    assert plan("--suite", "counterfactual", "--subjects", "plain").jobs[0].choice.subjects == ("plain",)
    for arguments, says in (
        (
            ("--suite", "solar", "--mitigation", "cot"),
            "there is no mitigation 'cot' for solar (known: zero-shot",
        ),
        (("--suite", "counterfactual", "--mitigation", "prayer"), "there is no mitigation 'prayer'"),
        (("--suite", "counterfactual", "--subjects", "plane"), "did you mean 'plain'?"),
        (("--suite", "counterfactual", "--data-config", "x.toml"), "needs the data (--data)"),
    ):
        with pytest.raises(UsageError) as error:
            plan(*arguments)
        assert says in str(error.value)
