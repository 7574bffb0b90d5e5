"""Fixes in reports: where they stand, and how they are asked for."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema

sys.path.insert(0, str(Path(__file__).parent))

import made

from fairlint.findings.finding import Edit, Finding, Fix, Remedy
from fairlint.reporters import ReportOptions, sarif, text
from fairlint.reporters import json as json_format
from fairlint.support.records import replace
from fairlint.syntax.source import Position

FIX = Fix("delete it", "unsafe", (Edit(4, 9, "pass", Position(1, 5), Position(2, 1)),))
REMEDY = Remedy("delete-update", "unsafe", ("python",), "delete the update")


def told(reporter: Any, **changes: Any) -> str:
    report = made.score_report()
    findings: tuple[Finding, ...] = tuple(replace(one, **changes) for one in report.findings)
    return "".join(reporter.report(replace(report, findings=findings), ReportOptions()))


def test_json_has_bytes_and_lines() -> None:
    report = json.loads(told(json_format, fix=FIX))
    jsonschema.validate(report, json.loads(json_format.schema()))
    assert report["findings"][0]["fix"] == {
        "title": "delete it",
        "applicability": "unsafe",
        "edits": [
            {"start": 4, "end": 9, "line": 1, "column": 5, "end_line": 2, "end_column": 1, "text": "pass"}
        ],
    }


def test_sarif_has_regions_of_the_file() -> None:
    (result,) = json.loads(told(sarif, fix=FIX))["runs"][0]["results"]
    (fix,) = result["fixes"]
    assert fix["description"] == {"text": "Delete it."}
    assert fix["properties"] == {"applicability": "unsafe"}
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "hiring/score.py"
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 1, "startColumn": 5, "endLine": 2, "endColumn": 1},
            "insertedContent": {"text": "pass"},
        }
    ]


def test_the_frame_says_how_it_is_asked_for() -> None:
    assert "= fix available: delete it (--fix --unsafe-fixes)\n" in told(text, fix=FIX)
    assert "= fix available: delete it (--fix)\n" in told(text, fix=replace(FIX, applicability="safe"))
    assert "= possible fix: delete the update (--fix --unsafe-fixes)\n" in told(text, remedies=(REMEDY,))
    assert "= fix" not in told(text)
