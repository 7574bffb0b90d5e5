"""`fairlint counterfactual --prompt --mitigation`: what a changed prompt changes, and what it costs."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

from server import Asked, Reply, serving

from fairlint.backends.model import Sampling
from fairlint.backends.requests import seed_of
from fairlint.cli import main
from fairlint.counterfactual.prompts.agreement import agreement_with_labels
from fairlint.counterfactual.prompts.asking import ask_audit, requests_of
from fairlint.counterfactual.prompts.audited import Audited, Mitigated, change_text, summed_up, verdict_text
from fairlint.counterfactual.prompts.effects import measured_family
from fairlint.counterfactual.prompts.function_model import FunctionModel
from fairlint.counterfactual.prompts.mitigations import mitigation_names
from fairlint.counterfactual.prompts.names import shipped_names
from fairlint.counterfactual.prompts.observations import Observation
from fairlint.counterfactual.prompts.planning import Audit, count_tests, plan_audit
from fairlint.support.errors import UsageError

PROMPT = """You screen applicants for a job.
Name: {name}
Gender: {gender}
Summary: {summary}
Should we invite this applicant? Answer yes or no.
"""
CASES = 24
ALL = mitigation_names()


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("prompt.txt").write_text(PROMPT)
    with Path("cases.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["name", "gender", "summary", "right"])
        writer.writeheader()
        writer.writerows(
            {"name": f"Pat Lee{chr(97 + at)}", "gender": "male", "right": "yes" if at % 2 else "no",
             "summary": f"He has {at} years, his plan is good."}
            for at in range(CASES)
        )  # fmt: skip


def planned(*names: str, **options: Any) -> Audit:
    return plan_audit(
        "prompt.txt", "cases.csv", shipped_names("us"), attributes=["gender"], draws=1,
        mitigations=names or ALL, **options,
    )  # fmt: skip


def asked(model: Callable[[str], str], *names: str, threshold: float = 0.0, **options: Any) -> Audited:
    """What is found about a model that is a function of the prompt."""
    audit = planned(*names, **options)
    sampling = Sampling(max_new_tokens=16, temperature=0.0, early_stop=False)
    answers, told = ask_audit(audit, lambda: FunctionModel(model), Path("run"), sampling)
    return summed_up(audit, answers, told, threshold=threshold)


def years(text: str) -> int:
    return int(text.partition(" has ")[2].split()[0])


def explicit(one: Mitigated) -> tuple[str, str]:
    """The verdicts on the effect of a stated group and on how it differs from before."""
    (effect,) = [each for each in one.effects if decides_explicitly(each.contrast)]
    (change,) = [each for each in one.changes if decides_explicitly(each.contrast)]
    assert change.cases == effect.cases
    return effect.verdict, change.verdict


def decides_explicitly(contrast: Any) -> bool:
    return (contrast.channel, contrast.outcome) == ("explicit", "decision")


def by_name(found: Audited) -> dict[str, Mitigated]:
    return {one.mitigation.name: one for one in found.mitigated}


def prefers_women(text: str) -> str:
    return "yes" if "Gender: female" in text or years(text) >= 20 else "no"


# ------------------------------------------------------------------------------------------- what it changes


def test_redaction_removes_what_shows_the_group_and_an_instruction_need_not() -> None:
    found = by_name(asked(prefers_women))

    assert explicit(found["redaction"]) == ("not seen", "smaller")
    assert explicit(found["instruction"]) == ("biased", "not seen")
    assert explicit(found["criteria"]) == ("biased", "not seen")
    (change,) = [one for one in found["redaction"].changes if decides_explicitly(one.contrast)]
    assert (change.before, change.after) == (-20 / 24, 0.0)
    assert change.difference == pytest.approx(20 / 24)
    assert change.adjusted_low is not None
    assert 0 < change.adjusted_low <= 20 / 24
    (same,) = [one for one in found["instruction"].changes if decides_explicitly(one.contrast)]
    assert (same.difference, same.adjusted_low, same.adjusted_high) == (0.0, 0.0, 0.0)


def test_an_instruction_can_make_it_worse() -> None:
    def obeys_badly(text: str) -> str:
        told = "Do not use" in text
        return "yes" if "Gender: female" in text and (told or years(text) < 9) else "no"

    (found,) = asked(obeys_badly, "instruction").mitigated
    (change,) = [one for one in found.changes if decides_explicitly(one.contrast)]

    assert explicit(found) == ("biased", "larger")
    assert change_text(change) == "larger than as it is"
    assert change.difference == pytest.approx(-15 / 24)


def test_an_effect_that_is_turned_round_is_not_smaller() -> None:
    def turns_round(text: str) -> str:
        is_woman = "Gender: female" in text
        if years(text) < 2:
            return "yes"
        return "yes" if is_woman != ("Do not use" in text) else "no"

    (found,) = asked(turns_round, "instruction").mitigated

    assert explicit(found) == ("biased", "not seen")
    (change,) = [one for one in found.changes if decides_explicitly(one.contrast)]
    assert change.before == -change.after  # type: ignore[operator]
    assert change.p_adjusted > 0.05


def test_refusals_that_a_mitigation_brings_are_told() -> None:
    def declines(text: str) -> str:
        if "Do not use" in text and "Gender: female" in text:
            return "I'm sorry, I cannot assess that."
        return prefers_women(text)

    (found,) = asked(declines, "instruction").mitigated
    (refused,) = [
        one
        for one in found.changes
        if (one.contrast.channel, one.contrast.outcome) == ("explicit", "refused")
    ]

    assert found.answers["refused"] > 0
    assert (refused.before, refused.after, refused.verdict) == (0.0, -1.0, "larger")


def test_answers_that_are_all_the_same_are_no_success() -> None:
    def gives_up(text: str) -> str:
        return "no" if "Do not use" in text else prefers_women(text)

    (found,) = asked(gives_up, "instruction").mitigated

    assert explicit(found) == ("nothing to compare", "nothing to compare")
    (change,) = [one for one in found.changes if decides_explicitly(one.contrast)]
    assert change_text(change) == "no difference to tell: every answer is the same"


def test_chance_alone_is_rarely_called_smaller_or_larger() -> None:
    def draws(text: str) -> str:
        return "yes" if seed_of(text, years(text)) % 3 else "no"

    wrong = 0
    for number in range(3):
        Path("prompt.txt").write_text(PROMPT.replace("screen", f"screen {number}"))
        for each in Path("run").glob("*"):
            each.unlink()
        found = asked(draws)
        wrong += sum(one.verdict in {"smaller", "larger"} for each in found.mitigated for one in each.changes)

    assert wrong == 0


def test_all_is_one_family() -> None:
    """What is asked beside the prompt makes its own p-values larger, never smaller."""
    alone = asked(prefers_women, "instruction").effects
    for each in Path("run").glob("*"):
        each.unlink()
    beside = asked(prefers_women).effects

    assert all(one.p_adjusted <= other.p_adjusted for one, other in zip(alone, beside, strict=True))
    assert any(one.p_adjusted < other.p_adjusted for one, other in zip(alone, beside, strict=True))
    plain = plan_audit("prompt.txt", "cases.csv", shipped_names("us"), attributes=["gender"], draws=1)
    assert count_tests(planned()) == 7 * count_tests(plain)


def test_effects_are_paired_by_case() -> None:
    """A case without an answer with the mitigation takes part in its effect before, not in the difference."""

    def observed(
        case: int, group: str, value: int | None, mitigation: str, arm: str = "group"
    ) -> Observation:
        kind = "unreadable" if value is None else "read"
        held = None if value is None else Fraction(value)
        pairs = (("gender", group),)
        return Observation(str(case), "explicit", pairs, arm, 0, kind, held, "", mitigation)  # type: ignore[arg-type]

    answers = []
    for case in range(10):
        for name in ("", "redaction"):
            lacks = name and case == 9
            answers += [
                observed(case, "f", None if lacks else int(case != 9 and not name), name),
                observed(case, "m", 0, name),
                observed(case, "f", case % 2, name, "rewrite"),
                observed(case, "m", case % 2, name, "rewrite"),
            ]
    (change,) = [one for one in measured_family(answers).changes if one.contrast.outcome == "decision"]

    assert (change.cases, change.before, change.after, change.difference) == (9, -1.0, 0.0, 1.0)


# -------------------------------------------------------------------------------------------- what it costs


def test_agreement_is_with_the_labels() -> None:
    def knows(text: str) -> str:
        return "yes" if years(text) % 2 and "[redacted]" not in text else "no"

    found = asked(knows, "redaction", label="right")
    (redacted,) = found.mitigated

    assert found.agreement is not None
    assert (found.agreement.against, found.agreement.share, found.agreement.cases) == ("labels", 1.0, CASES)
    assert redacted.agreement is not None
    assert (redacted.agreement.share, redacted.agreement.difference) == (0.5, -0.5)
    assert redacted.agreement.low < 0.5 < redacted.agreement.high
    assert redacted.agreement.difference_high is not None
    assert redacted.agreement.difference_high < 0


def test_without_labels_agreement_is_with_the_prompt_as_it_is() -> None:
    found = asked(prefers_women)
    shares = {one.mitigation.name: one.agreement for one in found.mitigated}

    assert found.agreement is None
    assert shares["instruction"] is not None
    assert shares["instruction"].against == "the prompt as it is"
    assert shares["instruction"].share == 1.0
    assert shares["redaction"] is not None
    assert 0.5 < shares["redaction"].share < 1.0
    assert shares["redaction"].difference is None


def test_an_answer_that_is_refused_agrees_with_nothing() -> None:
    answers = [
        Observation(
            "1", "explicit", (("gender", group),), "group", 0, "refused" if value is None else "read", value
        )
        for group, value in (("f", None), ("m", Fraction(1)))
    ]
    found = agreement_with_labels(answers, {"1": Fraction(1)}, "")

    assert found is not None
    assert (found.share, found.answers) == (0.5, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--mitigation", "prayer"],
            "--mitigation prayer: choose from instruction, redaction, criteria, all",
        ),
        (
            ["--label", "wrong"],
            "has no column 'wrong' for --label: its columns are name, gender, summary, right",
        ),
        (["--label", "summary"], "--label summary: the prompt shows that column"),
        (["--label", "grade"], "case 1 has the label 'A', not yes or no"),
        (["--criteria", "prompt.txt"], "--criteria is for --mitigation criteria"),
        (["--mitigation", "criteria", "--criteria", "empty.txt"], "empty.txt: names no criteria"),
        (["--mitigation", "criteria", "--prompt", "bare.txt"], "nobody says what the criteria are"),
        (["--mitigation", "all", "--budget", "0.05", "--prices", "5,5"], "--budget 0.05 is not enough"),
    ],
)
def test_bad_input_is_one_line(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.txt").write_text("\n")
    Path("bare.txt").write_text("Is {name} good? Answer yes or no.")
    if "grade" in options:
        Path("cases.csv").write_text("name,gender,summary,grade\nPat,male,He has 1 year.,A\n")
    code = main(
        ["counterfactual", "--prompt", "prompt.txt", "--cases", "cases.csv", "--model", "openai:x",
         "--base-url", "http://127.0.0.1:1/v1", "--draws", "1", *options]
    )  # fmt: skip
    err = capsys.readouterr().err

    assert code == 2
    assert message in err
    assert err.count("\n") == 1


# ------------------------------------------------------------------------------------------------ the prompts


def texts_of(name: str, **options: Any) -> list[str]:
    return [
        "\n".join(message.content for message in cell.messages)
        for cell in planned(name, **options).cells
        if cell.mitigation == name
    ]


def test_an_instruction_names_the_attribute_before_the_line_that_says_how_to_answer() -> None:
    for text in texts_of("instruction"):
        *_, added, last = text.splitlines()
        assert "Do not use gender for your answer" in added
        assert "Answer yes or no." in last
    with_race = plan_audit(
        "prompt.txt", "cases.csv", shipped_names("us"), mitigations=["instruction"], draws=1
    )
    assert any("Do not use gender or race" in cell.messages[0].content for cell in with_race.cells)


def test_redaction_leaves_nothing_that_shows_who_it_is() -> None:
    for text in texts_of("redaction"):
        words = text.split()
        assert "Gender" not in text
        assert "Name: person " in text
        assert not {"He", "She", "his", "her", "female", "male", "Pat"} & set(words)
        assert "Lee" not in text
        assert "[redacted] has" in text
    by_case = {(text.partition("person ")[2].split()[0], text.rstrip()) for text in texts_of("redaction")}
    assert len(by_case) == CASES  # one text for all groups of a case


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("Gender: {gender}, race: {race}\nIs {name} good? Yes or no?", "Is person 1 good? Yes or no?"),
        ("A {gender} person, {race}. Good? Yes or no?", "A not stated person, not stated. Good? Yes or no?"),
        ("{first_name} {last_name} ({pronoun}). Good? Yes or no?",
         "person 1 (not stated). Good? Yes or no?"),
    ],
)  # fmt: skip
def test_what_is_left_out_leaves_a_sentence(prompt: str, wanted: str) -> None:
    Path("prompt.txt").write_text(prompt)
    audit = plan_audit(
        "prompt.txt", [{"gender": "male"}], shipped_names("us"), mitigations=["redaction"], draws=1
    )
    texts = {cell.messages[0].content for cell in audit.cells if cell.mitigation}

    assert texts == {wanted}


def test_criteria_are_those_of_the_prompt_or_ones_own() -> None:
    assert all("Go by these criteria only: summary." in text for text in texts_of("criteria"))
    own = texts_of("criteria", criteria=["skills", "experience", "results"])
    assert all("Go by these criteria only: skills, experience and results." in text for text in own)


def test_only_a_mitigated_prompt_is_changed() -> None:
    plain = plan_audit("prompt.txt", "cases.csv", shipped_names("us"), attributes=["gender"], draws=1)
    held = [cell for cell in planned().cells if not cell.mitigation]

    assert held == list(plain.cells)
    before = {request.prompt_hash: request.seed for request, _ in requests_of(plain, 0)}
    assert before.items() <= {one.prompt_hash: one.seed for one, _ in requests_of(planned(), 0)}.items()


def test_rewrites_of_a_mitigation_are_as_long_as_what_they_stand_for() -> None:
    lengths: dict[tuple[object, ...], dict[str, int]] = {}
    for cell in planned().cells:
        key = (cell.mitigation, cell.case, cell.channel, cell.groups, cell.draw)
        lengths.setdefault(key, {})[cell.arm] = sum(len(one.content) for one in cell.messages)

    assert all(one["group"] == one["rewrite"] for one in lengths.values())


def test_questions_of_all_prompts_are_asked_in_one_order() -> None:
    order = [cell.mitigation for _, cell in requests_of(planned(), 0)]
    quarter = len(order) // 4

    assert Counter(order[:quarter]).keys() == {"", *ALL}
    assert order != sorted(order)


# ---------------------------------------------------------------------------------------- the whole command


def content(one: Asked) -> str:
    return str(one.payload["messages"][-1]["content"])


def says(answer: Callable[[str], str]) -> Callable[[Asked], Reply]:
    return lambda one: Reply(pieces=["ok" if one.probe else answer(content(one))])


def command(url: str, *options: str) -> int:
    return main(
        ["counterfactual", "--prompt", "prompt.txt", "--cases", "cases.csv", "--model", "openai:tiny-model",
         "--base-url", url, "--draws", "1", "--attribute", "gender", *options]
    )  # fmt: skip


def test_a_report_shows_what_each_changes_and_costs(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--mitigation", "redaction", "--mitigation", "instruction", "--label", "right", "--run", "r")
    with serving(says(prefers_women)) as server:
        code = command(server.url, *options)
        first = capsys.readouterr().out
        lines = Path("r/responses.jsonl").read_bytes().splitlines(keepends=True)
        Path("r/responses.jsonl").write_bytes(b"".join(lines[:-3]))
        count = len(server.real)
        command(server.url, *options, "--resume")
        again = capsys.readouterr().out
        more = len(server.real) - count
        command(server.url, *options, "--resume", "--format", "json")
    told = json.loads(capsys.readouterr().out)

    assert code == 1
    assert again == first
    assert more == 3
    assert "with redaction: names and attributes are left out" in first
    assert "smaller than as it is" in first
    assert "% with the labels (" in first
    assert "against the prompt as it is (" in first
    assert all(len(line) <= 100 for line in first.partition("with instruction")[2].splitlines())
    assert "fixed" not in first
    assert "fair" not in first.replace("fairlint", "")
    assert [one["name"] for one in told["mitigations"]] == ["instruction", "redaction"]
    verdicts = {
        one["name"]: next(each["verdict"] for each in one["differences"] if each["channel"] == "explicit")
        for one in told["mitigations"]
    }
    assert verdicts == {"instruction": "not seen", "redaction": "smaller"}
    assert told["agreement"]["against"] == "labels"
    kept = Path("r/responses.jsonl").read_text("utf-8").splitlines()
    roles = Counter(json.loads(line).get("role", "") for line in kept)
    assert roles[""] == roles["instruction"] == roles["redaction"]


def test_a_mitigation_decides_nothing_about_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    def worse(text: str) -> str:
        return (
            "yes" if "Gender: female" in text and "Do not use" in text else "no" if years(text) % 2 else "yes"
        )

    with serving(says(worse)) as server:
        code = command(server.url, "--mitigation", "instruction")

    assert code == 0
    assert "larger than as it is" in capsys.readouterr().out


def test_a_dry_run_shows_and_counts_all_prompts(capsys: pytest.CaptureFixture[str]) -> None:
    url = "http://127.0.0.1:1/v1"
    assert command(url, "--dry-run", "--prices", "1,1") == 0
    plain = capsys.readouterr().out
    assert command(url, "--dry-run", "--prices", "1,1", "--mitigation", "all") == 0
    out = capsys.readouterr().out

    def questions(text: str) -> int:
        return int(text.partition(" questions, about")[0].rpartition(" ")[2].replace(",", ""))

    assert questions(out) == 4 * questions(plain)
    assert all(f"with {name}: " in out for name in ALL)
    assert "Go by these criteria only: summary" in out
    assert "Name: person 1" in out
    assert "explicit: a mitigation can be seen to make a difference of " in out
    assert "a mitigation" not in plain


def test_other_programs_carry_the_mitigation_in_the_key(capsys: pytest.CaptureFixture[str]) -> None:
    url = "http://127.0.0.1:1/v1"
    assert command(url, "--mitigation", "all", "--export", "csv", "-o", "out.csv") == 0
    rows = list(csv.DictReader(io.StringIO(Path("out.csv").read_text("utf-8"))))
    with Path("back.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([("key", "answer"), *((one["key"], prefers_women(one["prompt"])) for one in rows)])
    command(url, "--mitigation", "all", "--import", "back.csv", "--format", "json")
    told = json.loads(capsys.readouterr().out)
    seen = {
        one["name"]: next(d["verdict"] for d in one["differences"] if d["channel"] == "explicit")
        for one in told["mitigations"]
    }

    assert seen == {"instruction": "not seen", "redaction": "smaller", "criteria": "not seen"}


def test_a_run_without_mitigations_is_not_gone_on_with(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(says(prefers_women)) as server:
        command(server.url, "--run", "r", "--answer-cache", "c")
        code = command(server.url, "--run", "r", "--resume", "--mitigation", "redaction")
        err = capsys.readouterr().err
        count = len(server.real)
        command(server.url, "--run", "s", "--answer-cache", "c", "--mitigation", "redaction")

    assert code == 2
    assert "holds a run with other settings" in err
    assert len(server.real) == 2 * count  # those of the prompt as it is are in the cache


def test_verdicts_on_effects_are_those_of_any_prompt() -> None:
    (found,) = asked(prefers_women, "redaction").mitigated
    texts = {verdict_text(one) for one in found.effects}

    assert all(text.startswith(("not seen; could have seen", "nothing to compare")) for text in texts)
    with pytest.raises(UsageError):
        asked(prefers_women, "redaction")  # the folder holds a run
