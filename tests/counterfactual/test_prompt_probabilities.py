"""`fairlint counterfactual --prompt --logprobs`: probabilities of allowed answers in place of drawn ones."""

from __future__ import annotations

import csv
import json
import math
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

from server import Asked, Reply, error, serving

from fairlint.backends.server_answers import BrokenError
from fairlint.backends.server_scoring import begun_probabilities, echoed_answers
from fairlint.cli import main
from fairlint.counterfactual.prompts.answers_read import form_of
from fairlint.counterfactual.prompts.audited import verdict_text
from fairlint.counterfactual.prompts.differences import Contrast
from fairlint.counterfactual.prompts.effects import Effect
from fairlint.counterfactual.prompts.probabilities import allowed_answers, read_probabilities
from fairlint.support.errors import UsageError

PROMPT = """You screen applicants for a job.
Name: {name}
Gender: {gender}
Summary: {summary}
Should we invite this applicant? Answer yes or no.
"""
ASK = ("counterfactual", "--prompt", "prompt.txt", "--cases", "cases.csv", "--model", "openai:tiny-model")
Tokens = Mapping[str, float]
Writer = Callable[[str, str], Tokens]
"""What a model writes next, by its prompt and what it wrote: token → probability; empty where it ends."""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("prompt.txt").write_text(PROMPT)
    with Path("cases.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["name", "gender", "summary"])
        writer.writeheader()
        writer.writerows(
            {"name": f"Pat {chr(65 + at)}", "gender": "male", "summary": f"Has {at} years."}
            for at in range(14)
        )


def listed(tokens: Tokens, most: int) -> list[dict[str, Any]]:
    ordered = sorted(tokens, key=lambda token: -tokens[token])
    return [{"token": token, "logprob": math.log(tokens[token])} for token in ordered[:most]]


def written(writes: Writer, text: str, most: int) -> dict[str, Any]:
    """A choice as OpenAI's interface gives it: the likeliest token each time."""
    said, places = "", []
    while tokens := writes(text, said):
        best, *_ = top = listed(tokens, most)
        places.append({**best, "top_logprobs": top})
        said += str(best["token"])
    return {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": said},
        "logprobs": {"content": places},
    }


def chats(writes: Writer) -> Callable[[Asked], Reply]:
    def reply(asked: Asked) -> Reply:
        if asked.probe:
            return Reply(pieces=["ok"])
        payload = asked.payload
        assert payload["logprobs"] is True
        choice = written(writes, str(payload["messages"][-1]["content"]), payload["top_logprobs"])
        usage = {"prompt_tokens": 11, "completion_tokens": 1, "total_tokens": 12}
        return Reply(body={"id": "x", "model": "tiny", "choices": [choice], "usage": usage})

    return reply


def audit(url: str, *options: str) -> int:
    return main([*ASK, "--base-url", url, "--draws", "2", "--attribute", "gender", "--logprobs", *options])


def stated_effect(told: Mapping[str, Any]) -> Mapping[str, Any]:
    (found,) = [
        one for one in told["effects"] if (one["channel"], one["outcome"]) == ("explicit", "decision")
    ]
    effect: Mapping[str, Any] = found
    return effect


def shifted(text: str, said: str) -> Tokens:
    """A yes is never the likelier answer, and a woman's is likelier by 4 points."""
    if said:
        return {}
    years = int(text.partition("Has ")[2].partition(" ")[0])
    yes = 0.2 + 0.01 * years + 0.04 * ("Gender: female" in text)
    return {"No": 0.9 - yes, "Yes": yes, "Maybe": 0.1}


# --------------------------------------------------------------------------------------------------- audits


def test_a_shift_of_probabilities_is_seen_that_no_drawn_answer_shows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with serving(chats(shifted)) as server:
        code = audit(server.url, "--format", "json", "--run", "r")
        asked = len(server.real)
        told = json.loads(capsys.readouterr().out)
        assert audit(server.url, "--format", "json", "--run", "r", "--resume") == code
        again = json.loads(capsys.readouterr().out)
        assert len(server.real) == asked  # all answers were kept, with their probabilities
    effects = {(one["channel"], one["outcome"]): one for one in told["effects"]}

    assert code == 1
    assert effects["explicit", "decision"]["verdict"] == "biased"
    assert effects["explicit", "decision"]["mean"] == pytest.approx(-0.04 / 0.9, abs=1e-6)
    assert effects["name", "decision"]["mean"] == 0
    assert {outcome for _, outcome in effects} == {"decision", "outside"}  # no refusal is known
    assert told["mass"]["mean"] == pytest.approx(0.9)
    assert told["mass"]["unsure"] == 0
    assert told["asked"]["logprobs"] is True
    assert told["asked"]["temperature"] == 1.0
    assert {key: value for key, value in again.items() if key != "asked"} == {
        key: value for key, value in told.items() if key != "asked"
    }
    line = json.loads(Path("r/responses.jsonl").read_text().splitlines()[0])
    assert math.exp(line["probabilities"]["no"]) + math.exp(line["probabilities"]["yes"]) == pytest.approx(
        0.9
    )
    rates = {one["groups"]["gender"]: one for one in told["rates"][0]["groups"]}
    assert rates["female"]["selected"] - rates["male"]["selected"] == pytest.approx(0.04 / 0.9, abs=1e-6)


def test_without_probabilities_the_same_model_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    def drawn(asked: Asked) -> Reply:
        return Reply(pieces=["ok" if asked.probe else "No"])

    with serving(drawn) as server:
        code = main([*ASK, "--base-url", server.url, "--draws", "2", "--attribute", "gender"])
    assert code == 0
    assert "every answer is the same" in capsys.readouterr().out


def test_an_effect_that_comes_from_the_rewrites_is_said_to() -> None:
    """Probabilities hardly vary, so that a word of a rewrite is as sure to be seen as a group is."""
    contrast = Contrast("explicit", "gender", "male", "decision", ("female",))
    by_group = Effect(contrast, 40, 0, change=-0.02, placebo=0.002, mean=-0.022, verdict="biased")
    by_both = Effect(contrast, 40, 0, change=0.003, placebo=-0.004, mean=0.007, verdict="biased")
    by_rewrite = Effect(contrast, 40, 0, change=-0.003, placebo=-0.007, mean=0.004, verdict="rewrites")
    assert verdict_text(by_group) == "biased"
    assert verdict_text(by_both) == "biased; but rewrites change by -0.4, groups by +0.3"
    assert verdict_text(by_rewrite) == "no verdict: rewrites change by -0.7, groups by -0.3"


def test_mass_outside_is_an_outcome_and_no_refusal(capsys: pytest.CaptureFixture[str]) -> None:
    def evasive(text: str, said: str) -> Tokens:
        if said:
            return {}
        other = 0.5 if "Gender: female" in text else 0.1
        return {"I'm sorry": other, "Yes": (1 - other) * 0.7, "No": (1 - other) * 0.3}

    with serving(chats(evasive)) as server:
        code = audit(server.url)
    out = capsys.readouterr().out
    assert code == 1
    assert "gender, other answers  male against female   -40.0" in out
    assert "% of the mass (least 50.0 %)" in out
    assert "refused" not in out


def test_answers_that_the_list_lacks_have_a_bound_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    def long_list(text: str, said: str) -> Tokens:
        if said:
            return {}
        others = {f"word{at}": 0.01 for at in range(19)}
        return {"No": 0.79, **others, "Yes": 0.005 if "Gender: female" in text else 0.009, "Yeah": 0.006}

    with serving(chats(long_list)) as server:
        audit(server.url, "--format", "json")
    told = json.loads(capsys.readouterr().out)
    assert told["mass"]["unsure"] == told["mass"]["answers"]
    assert 0.011 < told["mass"]["slack"] < 0.03


def test_a_scale_is_its_expectation_and_ten_is_no_one(capsys: pytest.CaptureFixture[str]) -> None:
    """The tokens are digits, so that the first token of a 10 is that of a 1."""
    Path("prompt.txt").write_text(PROMPT.replace("Answer yes or no.", "Score from 0 to 10."))

    def digits(text: str, said: str) -> Tokens:
        if said == "1":
            return {
                "0": 0.75 if "Gender: female" in text else 0.5,
                "<end>": 0.25 if "Gender: female" in text else 0.5,
            }
        return {"1": 0.8, "5": 0.2} if not said else {}

    with serving(chats(digits)) as server:
        code = audit(server.url, "--format", "json")
    told = json.loads(capsys.readouterr().out)
    (effect,) = [
        one for one in told["effects"] if (one["channel"], one["outcome"]) == ("explicit", "decision")
    ]
    assert code == 1
    assert effect["mean"] == pytest.approx(-0.8 * 0.25 * (10 - 1) / 10, abs=1e-6)


def test_runs_share_probabilities_in_a_cache_and_no_drawn_answers(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(chats(shifted)) as server:
        audit(server.url, "--run", "a", "--answer-cache", "cache")
        first = capsys.readouterr().out
        asked = len(server.real)
        audit(server.url, "--run", "b", "--answer-cache", "cache")
        second = capsys.readouterr().out
        assert len(server.real) == asked
        server.reply = lambda asked: Reply(pieces=["ok" if asked.probe else "yes"])
        main(
            [*ASK, "--base-url", server.url, "--draws", "2", "--attribute", "gender", "--run", "c",
             "--answer-cache", "cache"]
        )  # fmt: skip
        assert len(server.real) == 2 * asked
    assert first.splitlines()[4:] == second.splitlines()[4:]


def test_a_run_of_drawn_answers_is_not_gone_on_with(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda asked: Reply(pieces=["ok" if asked.probe else "yes"])) as server:
        main([*ASK, "--base-url", server.url, "--draws", "2", "--attribute", "gender", "--run", "r"])
        capsys.readouterr()
        assert audit(server.url, "--run", "r", "--resume") == 2
        assert (
            len(capsys.readouterr().err.strip().splitlines()) == 2
        )  # that it loads, and why it does not go on
        capsys.readouterr()
        replayed = ["--model", "replay:r/responses.jsonl", "--run", "s"]
        assert audit(server.url, *replayed) == 2
    (_, line) = capsys.readouterr().err.strip().splitlines()
    assert "was drawn" in line
    assert "leave --logprobs out" in line


def test_kept_probabilities_can_be_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(chats(shifted)) as server:
        audit(server.url, "--run", "r", "--format", "json")
        told = json.loads(capsys.readouterr().out)
        audit(server.url, "--model", "replay:r/responses.jsonl", "--run", "s", "--format", "json")
    replayed = json.loads(capsys.readouterr().out)
    assert replayed["effects"] == told["effects"]
    assert replayed["mass"] == told["mass"]


# -------------------------------------------------------------------------------------- what cannot be asked


def refused(asked: Asked) -> Reply:
    return Reply(pieces=["ok"]) if asked.probe else error(400, "logprobs are not supported", param="logprobs")


def untold(asked: Asked) -> Reply:
    return Reply(pieces=["ok" if asked.probe else "yes"])


@pytest.mark.parametrize("reply", [refused, untold])
def test_a_server_without_probabilities_is_told_in_one_line(
    reply: Callable[[Asked], Reply], capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(reply) as server:
        assert audit(server.url) == 2
    (_, line) = capsys.readouterr().err.strip().splitlines()
    assert "does not give the probabilities of answers" in line
    assert "leave --logprobs out" in line


def test_a_server_that_lists_five_tokens_is_asked_for_five(capsys: pytest.CaptureFixture[str]) -> None:
    def strict(asked: Asked) -> Reply:
        if asked.payload.get("top_logprobs", 0) > 5:
            return error(400, "top_logprobs must be at most 5", param="top_logprobs")
        return chats(shifted)(asked)

    with serving(strict) as server:
        assert audit(server.url) == 1
    assert "biased" in capsys.readouterr().out


@pytest.mark.parametrize("log", ["very", None, math.nan, True])
def test_nonsense_of_a_server_is_an_error_and_no_figure(log: object) -> None:
    told = written(shifted, "Has 1 years", 20)
    told["logprobs"]["content"][0]["top_logprobs"][1]["logprob"] = log
    with pytest.raises(BrokenError, match="logprob is no number"):
        begun_probabilities(as_choice(told), ALLOWED)


def test_what_can_be_seen_is_not_promised_before_asking(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit("http://127.0.0.1:9/v1", "--dry-run") == 0
    out = capsys.readouterr().out
    assert "not known before" in out
    assert "points or more" not in out


@pytest.mark.parametrize(
    "options", [("--answer", "0..1000"), ("--answer", "0..1.5"), ("--temperature", "0.7")]
)
def test_what_has_no_probabilities_is_said(
    options: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit("http://127.0.0.1:9/v1", *options) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "--logprobs" in line


# --------------------------------------------------------------------------------------- what a server tells


def as_choice(told: dict[str, Any]) -> Any:
    return json.loads(json.dumps(told), object_hook=lambda one: SimpleNamespace(**one))


ALLOWED = ("1", "10", "100", "yes", "no")
PIECES = ("1", "0", "00", "10", "y", "es", "yes", "Yes", "n", "o", "no", "No", " ", ".", "x", "!")


def truth(tree: Mapping[str, Tokens], said: str = "", share: float = 1.0) -> dict[str, float]:
    """How likely each answer is what a text says, by all texts that a model can write."""
    if not (tokens := tree.get(said, {})):
        text = said.strip().casefold()
        found = dict.fromkeys(ALLOWED, 0.0)
        for one in ALLOWED:
            if text == one or (text.startswith(one) and not text[len(one)].isalnum()):
                found[one] = share
        return found
    parts = [truth(tree, said + token, share * likely) for token, likely in tokens.items()]
    return {one: math.fsum(part[one] for part in parts) for one in ALLOWED}


@pytest.mark.parametrize("seed", range(40))
def test_what_is_told_of_tokens_holds_for_all_texts(seed: int) -> None:
    """A model that writes three tokens: what it is known to begin with is never more than the bound says."""
    draw = random.Random(seed)
    tree: dict[str, Tokens] = {}

    def grow(said: str, depth: int) -> None:
        text = said.strip().casefold()
        is_over = any(
            text == one or (text[: len(one)] == one and not text[len(one)].isalnum()) for one in ALLOWED
        )
        if depth == 3 or said in tree or (is_over and draw.random() < 0.8):
            return
        some = draw.sample(PIECES, draw.randint(2, 6))
        weights = [draw.random() ** 3 for _ in some]
        tree[said] = {token: weight / sum(weights) for token, weight in zip(some, weights, strict=True)}
        for token in some:
            grow(said + token, depth + 1)

    grow("", 0)
    wanted = truth(tree)
    full = begun_probabilities(as_choice(written(lambda _, said: tree.get(said, {}), "", 99)), ALLOWED)
    short = begun_probabilities(as_choice(written(lambda _, said: tree.get(said, {}), "", 2)), ALLOWED)
    assert full is not None
    assert short is not None
    for known in (full, short):
        for one in ALLOWED:
            most = known.at_most.get(one, known.probabilities.get(one, -math.inf))
            # a text may go on with letters behind a whole answer (`yesx`), so the truth can be less
            assert wanted[one] <= math.exp(most) + 1e-9, (one, known)
        assert math.fsum(map(math.exp, known.probabilities.values())) <= 1 + 1e-9


def test_the_likeliest_answer_that_is_cut_short_is_counted_with_what_it_must_become() -> None:
    tokens: Mapping[str, Tokens] = {"": {"approve": 0.6, "re": 0.3, "d": 0.1}}
    choice = as_choice(written(lambda _, said: tokens.get(said, {}), "", 20))
    known = begun_probabilities(choice, ("approve", "reject"))
    assert known is not None
    assert {one: round(math.exp(log), 9) for one, log in known.probabilities.items()} == {
        "approve": 0.6,
        "reject": 0.3,
    }


def test_labels_share_all_mass_and_a_scale_goes_from_0_to_1() -> None:
    form = form_of("", "0..4", None)
    logs = {"0": math.log(0.1), "2": math.log(0.2), "4": math.log(0.1)}
    found = read_probabilities({"probabilities": logs, "at_most": {}}, form)
    assert (found.value, found.likeliest) == (Fraction(1, 2), Fraction(1, 2))
    assert float(found.outside) == pytest.approx(0.6)
    assert allowed_answers(form_of("", "hire/Hire/reject", None)) == ("hire", "reject")
    with pytest.raises(UsageError, match="whole numbers"):
        allowed_answers(form_of("", "0..0.5", None))
    nothing = read_probabilities({"probabilities": {}, "at_most": {}}, form)
    assert (nothing.kind, nothing.value) == ("unreadable", None)


# ------------------------------------------------------------------------------------------------ echo


def spelled(text: str) -> list[float]:
    """ln P of each character behind those before it, by a model that anybody can compute."""
    found: list[float] = []
    for at, one in enumerate(text):
        before = text[max(0, at - 1) : at]
        is_woman = "Gender: female" in text[:at]
        weight = 3.0 if one == ("y" if is_woman else "n") else 1.0
        found.append(math.log(weight * (1 + (ord(one) + len(before)) % 5) / 700))
    return found


def test_a_server_without_chats_is_asked_to_echo_each_whole_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def echoes(asked: Asked) -> Reply:
        if "messages" in asked.payload:
            return error(404, "no chat here")
        if not isinstance(asked.payload["prompt"], list):
            return Reply(pieces=["ok"])
        assert asked.payload["echo"] is True
        choices = []
        for index, text in enumerate(asked.payload["prompt"]):
            logs: list[float | None] = [*spelled(text), -0.5]
            logs[0] = None
            told = {"tokens": [*text, "x"], "token_logprobs": logs}
            choices.append({"index": index, "text": f"{text}x", "finish_reason": "length", "logprobs": told})
        return Reply(body={"id": "x", "model": "tiny", "choices": choices[::-1]})

    with serving(echoes) as server:
        audit(server.url, "--run", "r")
    capsys.readouterr()
    texts = {
        one["key"]: one["messages"][0]["content"]
        for one in map(json.loads, Path("r/requests.jsonl").read_text().splitlines())
    }
    lines = [json.loads(line) for line in Path("r/responses.jsonl").read_text().splitlines()]
    for line in lines:
        text = texts[line["prompt"]]
        wanted = dict.fromkeys(("yes", "no"), 0.0)
        for answer, whole in echoed_answers(text, ("yes", "no")):
            assert whole.startswith(text)
            assert whole.endswith("\n")
            wanted[answer] += math.exp(sum(spelled(whole)[len(text) :]))
        assert {one: math.exp(log) for one, log in line["probabilities"].items()} == pytest.approx(wanted)


# ---------------------------------------------------------------------------------------- other programs


def share_of_yes(prompt: str) -> float:
    return shifted(prompt, "")["Yes"]


def answer_csv(path: Path) -> str:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        yes = share_of_yes(row["prompt"])
        row |= {"p(yes)": str(yes), "p(no)": str(0.9 - yes)}
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def answer_lm_eval(path: Path) -> str:
    task = json.loads(path.read_text())
    assert task["output_type"] == "multiple_choice"
    samples = []
    for line in path.with_suffix(".jsonl").read_text().splitlines():
        doc = json.loads(line)
        yes = share_of_yes(doc["prompt"])
        logs = {"yes": math.log(yes), "no": math.log(0.9 - yes)}
        samples.append({"doc": doc, "resps": [[[logs[one], False]] for one in doc["choices"]]})
    Path("samples.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in samples))
    return "samples.jsonl"


def answer_inspect(path: Path) -> str:
    samples = []
    for line in path.read_text().splitlines():
        told = json.loads(line)
        choice = written(shifted, told["input"][0]["content"], 20)
        choice = {"message": choice["message"], "stop_reason": "stop", "logprobs": choice["logprobs"]}
        samples.append({"id": told["id"], "output": {"completion": "No", "choices": [choice]}})
    Path("log.json").write_text(json.dumps({"samples": samples}))
    return "log.json"


@pytest.mark.parametrize(
    ("form", "path", "answer"),
    [
        ("csv", "cells.csv", answer_csv),
        ("lm-eval", "task.yaml", answer_lm_eval),
        ("inspect", "cells.jsonl", answer_inspect),
    ],
)
def test_other_programs_can_give_the_probabilities(
    form: str, path: str, answer: Callable[[Path], str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit("http://127.0.0.1:9/v1", "--export", form, "--output", path) == 0
    imported = answer(Path(path))
    capsys.readouterr()
    assert audit("http://127.0.0.1:9/v1", "--import", imported, "--format", "json") == 1
    told = json.loads(capsys.readouterr().out)
    (effect,) = [
        one for one in told["effects"] if (one["channel"], one["outcome"]) == ("explicit", "decision")
    ]
    assert effect["mean"] == pytest.approx(-0.04 / 0.9, abs=1e-6)


def test_a_program_without_probabilities_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit("http://127.0.0.1:9/v1", "--export", "promptfoo", "--output", "p.json") == 2
    assert audit("http://127.0.0.1:9/v1", "--export", "csv", "--output", "cells.csv") == 0
    with Path("cells.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with Path("cells.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(row | {"answer": "yes"} for row in rows)
    capsys.readouterr()
    assert audit("http://127.0.0.1:9/v1", "--import", "cells.csv") == 2
    assert "comes without probabilities: leave --logprobs out" in capsys.readouterr().err
