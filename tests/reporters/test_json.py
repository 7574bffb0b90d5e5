"""The JSON contract, held by the schema that fairlint publishes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

import made

from fairlint import __version__
from fairlint.findings.report import Report
from fairlint.findings.uses import GroupPoints, UseContext
from fairlint.reporters import ReportOptions
from fairlint.reporters import json as json_report
from fairlint.reporters.encoding import without_surrogates
from fairlint.support.records import replace
from fairlint.syntax.source import Source

SCHEMA: dict[str, Any] = json.loads(json_report.schema())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def document(report: Report) -> Any:
    text = "".join(json_report.report(report, ReportOptions()))
    assert text.isascii()
    assert "\x7f" not in text
    made_of = json.loads(text)
    VALIDATOR.validate(made_of)
    return made_of


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_a_report_is_one_object() -> None:
    told = document(made.score_report(not_analysed=(made.GAP,), suppressed=(made.suppressed(),)))
    assert told == {
        "version": 1,
        "tool": {"name": "fairlint", "version": __version__},
        "findings": [
            {
                "rule": "FL201",
                "name": "points-by-group",
                "path": "hiring/score.py",
                "cell": None,
                "line": 6,
                "column": 9,
                "end_line": 6,
                "end_column": 20,
                "severity": "error",
                "confidence": "high",
                "attribute": "gender",
                "attributes": ["gender"],
                "context": None,
                "context_evidence": [],
                "kind": "score-update",
                "effect": "score",
                "groups": ["male"],
                "points": {
                    "op": "add",
                    "by_group": {"male": 5.0, "female": 0.0},
                    "other": 0.0,
                    "where": None,
                    "at_most": False,
                },
                "message": "gender: male +5, female +0, gap 5",
                "advice": "Score what the job needs.",
                "laws": [],
                "evidence": ["compared with the group 'male'", "receiver `candidate` is a person"],
                "flow": [
                    {
                        "path": "hiring/score.py",
                        "cell": None,
                        "line": 2,
                        "column": 14,
                        "message": "read here",
                        "also": False,
                    },
                    {
                        "path": "hiring/score.py",
                        "cell": None,
                        "line": 5,
                        "column": 8,
                        "message": "compared",
                        "also": False,
                    },
                ],
                "unheeded": [],
                "fix": None,
                "fingerprint": "3f2a",
                "identity": "7c01:1",
            }
        ],
        "suppressed": [
            {
                "finding": told["findings"][0],
                "reason": "the quota law",
                "path": "hiring/score.py",
                "cell": None,
                "line": 6,
                "by": "comment",
                "until": None,
            }
        ],
        "ending_ignores": [],
        "not_analysed": [
            {"path": "broken.py", "cell": None, "line": 40, "reason": "half a function", "cause": "syntax"}
        ],
        "coverage": {"files": 10, "not_analysed": 1, "unread": {}},
        "laws": {},
        "left_out": [],
        "unheeded": [],
        "summary": {
            "files": 10,
            "findings": 1,
            "suppressed": 1,
            "stale": 0,
            "unchanged": 0,
            "by_context": {},
        },
    }


def test_a_context_is_told_with_its_reasons() -> None:
    source = Source("a.py", made.SCORE.encode(), "python")
    said = UseContext(
        "clinical", (made.Evidence(3, "is a published score"),), "medicine would have to justify it"
    )
    found = made.finding(source, "points += 5", judged=replace(made.use(), context=said))
    report = replace(made.report((source, found)), by_context={"clinical": 1})
    (shown,) = document(report)["findings"]
    assert (shown["context"], shown["context_evidence"]) == ("clinical", ["is a published score"])
    assert document(report)["summary"]["by_context"] == {"clinical": 1}


@pytest.mark.parametrize("points", [None, GroupPoints("set", {"male": float("inf")}, None)])
def test_points_that_nobody_can_say_are_null(points: GroupPoints | None) -> None:
    source = Source("a.py", made.SCORE.encode(), "python")
    found = made.finding(source, "points += 5", judged=made.use(points=points))
    assert document(made.report((source, found)))["findings"][0]["points"] is None


def test_a_report_without_findings_is_valid() -> None:
    assert document(Report(files=2))["findings"] == []


@given(st.text(st.characters(), min_size=1))
def test_any_name_and_message_gives_well_formed_text(text: str) -> None:
    source = Source(text, made.SCORE.encode(), "python")
    report = made.report(
        (source, made.finding(source, "points += 5", message=text, steps=(("gender", text),)))
    )
    shown = document(report)["findings"][0]
    assert shown["path"] == without_surrogates(text)
    shown["path"].encode()
    shown["message"].encode()


def test_bytes_of_a_name_that_are_not_utf8_can_be_read() -> None:
    assert without_surrogates("caf\udce9.py") == "caf\\xe9.py"
    assert without_surrogates("café.py") == "café.py"
