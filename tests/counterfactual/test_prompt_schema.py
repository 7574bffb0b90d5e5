"""The published schema of an audit's JSON: real audits of each kind keep to it."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

jsonschema = pytest.importorskip("jsonschema")

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

from server import Asked, Reply, serving  # noqa: E402

from fairlint.cli import main  # noqa: E402
from fairlint.counterfactual.prompts.document import schema  # noqa: E402

PROMPT = """You screen applicants for a job.
Name: {name}
Gender: {gender}
Race: {race}
Club: {club}
Summary: {summary}
"""
GERMAN = """Name: {name}
Geschlecht: {gender}
Angaben: {summary}
Soll die Person eingeladen werden? Antworte mit ja oder nein.
"""
QUESTION = "Should we invite this applicant? Answer yes or no.\n"
KINDS = {
    "drawn": ("yes/no", ()),
    "constant": ("yes/no", ()),
    "refused": ("yes/no", ()),
    "with prices": ("yes/no", ("--prices", "1,2")),
    "on a scale": ("0..10", ()),
    "in German": ("ja/nein", ("--language", "de")),
    "by probability": ("yes/no", ("--logprobs",)),
    "with mitigations": ("yes/no", ("--mitigation", "all", "--label", "label")),
    "mitigated by probability": ("yes/no", ("--logprobs", "--mitigation", "instruction")),
    "with proxies": ("yes/no", ("--proxies", "clubs.csv")),
    "few cases": ("yes/no", ()),
}


def answer(kind: str, asked: Asked) -> Reply:
    """An answer that depends on the group, the length and the kind of audit."""
    if asked.probe:
        return Reply(pieces=["ok"])
    text = str(asked.payload["messages"][-1]["content"])
    is_yes = len(text) % 3 == 0 or "Gender: female" in text
    if "logprobs" in asked.payload:
        shares = {"Yes": 0.6 if is_yes else 0.3, "No": 0.2, "Well": 0.1}
        top = [{"token": token, "logprob": math.log(share)} for token, share in shares.items()]
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Yes"},
            "logprobs": {"content": [{**top[0], "top_logprobs": top}]},
        }
        return Reply(body={"id": "x", "model": "tiny", "choices": [choice]})
    if kind == "refused" and "Gender: female" in text:
        return Reply(pieces=["I'm sorry, I cannot assess that."])
    words = {"on a scale": ("7", "3"), "in German": ("ja", "nein"), "constant": ("no", "no")}
    return Reply(pieces=[words.get(kind, ("yes", "no"))[0 if is_yes else 1]])


def written_audit(kind: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    form, options = KINDS[kind]
    in_german = kind == "in German"
    Path("prompt.txt").write_text(GERMAN if in_german else PROMPT + QUESTION)
    Path("clubs.csv").write_text(
        "placeholder,attribute,group,value\nclub,gender,female,Netball\nclub,gender,female,Choir\n"
        "club,gender,male,Rugby\nclub,gender,male,Darts\n"
    )
    with Path("cases.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["name", "gender", "race", "club", "summary", "label"])
        writer.writeheader()
        for at in range(2 if kind == "few cases" else 8):
            told = (
                f"Seit {at} Jahren im Beruf."
                if in_german
                else f"Has {at} years."
                if at
                else "Works with her wife and his husband."
            )
            writer.writerow(
                {"name": f"Pat {chr(65 + at)}", "gender": "male", "race": "white", "club": "Chess",
                 "summary": told, "label": "yes" if at % 2 else "no"}
            )  # fmt: skip
    with serving(lambda asked: answer(kind, asked)) as server:
        main(
            ["counterfactual", "--prompt", "prompt.txt", "--cases", "cases.csv",
             "--model", "openai:tiny-model", "--base-url", server.url, "--draws", "1",
             "--attribute", "gender", "--answer", form, "--format", "json", *options]
        )  # fmt: skip
    told_of_it: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told_of_it


def checker() -> Any:
    told: Mapping[str, Any] = json.loads(schema())
    jsonschema.Draft202012Validator.check_schema(told)
    return jsonschema.Draft202012Validator(told)


@pytest.mark.parametrize("kind", KINDS)
def test_an_audit_keeps_to_the_schema(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    told = written_audit(kind, capsys)
    assert [error.message for error in checker().iter_errors(told)] == []
    assert told["effects"]
    assert bool(told["mitigations"]) == ("mitigat" in kind)
    assert (told["mass"] is not None) == ("probability" in kind)
    assert bool(told["proxies"]) == ("proxies" in kind)

    told["effects"][0]["more"] = 1  # a key that nobody has described, anywhere
    del told["effects"][0]["least"]
    assert len(list(checker().iter_errors(told))) == 2


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--audit"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(schema())
