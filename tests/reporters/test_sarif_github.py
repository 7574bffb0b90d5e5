"""Each property that GitHub documents for code scanning: there, of the right kind, within its limits.

The list is that of "SARIF support for code scanning" in GitHub's documentation. Another validator,
`sarif-multitool` with its rules for GitHub, passes files that lack fingerprints or regions.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import made

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings.report import NotAnalysed, Report
from fairlint.reporters import ReportOptions, sarif
from fairlint.rules.loading import load_rules

CODE = made.SCORE.replace("return points", "if candidate['age'] > 61:\n        return 0\n    return points")
REPORTS = {
    "clean": Report(files=3),
    "real": check_source(CODE, path="a.py", settings=Settings(min_severity="note")),
    "score": made.score_report(not_analysed=(made.GAP, NotAnalysed("n.ipynb", 3, "prose", "syntax", cell=2))),
    "table": made.table_report(),
}


def log_of(report: Report) -> Any:
    return json.loads("".join(sarif.report(report, ReportOptions(load_rules=load_rules))))


LOGS = {name: log_of(report) for name, report in REPORTS.items()}

Check = Callable[[Any], bool]


def text(longest: int = 1_000_000) -> Check:
    """A text that is not empty: GitHub takes no empty ones where it requires one."""
    return lambda value: isinstance(value, str) and len(value.strip()) > 0 and len(value) <= longest


def one_of(*known: str) -> Check:
    return lambda value: value in known


def number(least: int) -> Check:
    return lambda value: isinstance(value, int) and least <= value < 2**63


def items(most: int) -> Check:
    return lambda value: isinstance(value, list) and len(value) <= most


def matching(expression: str) -> Check:
    return lambda value: isinstance(value, str) and re.fullmatch(expression, value) is not None


def is_object(value: Any) -> bool:
    return isinstance(value, dict) and value != {}


REQUIRED, OPTIONAL = True, False
RELATIVE = r"(?!/)(?:[\w\-.~/]|%[0-9A-F]{2})+"
LOG = {
    "$schema": (REQUIRED, one_of("https://json.schemastore.org/sarif-2.1.0.json")),
    "version": (REQUIRED, one_of("2.1.0")),
    "runs": (REQUIRED, lambda value: len(value) == 1),
}
RUN = {
    "tool.driver": (REQUIRED, is_object),
    "tool.extensions": (OPTIONAL, items(100)),
    "automationDetails.id": (REQUIRED, matching(r"[^/]+/")),
    "invocations.0.workingDirectory.uri": (REQUIRED, matching(r"file:///.*/")),
    "originalUriBaseIds.%SRCROOT%.uri": (REQUIRED, matching(r"file:///.*/")),
    "results": (REQUIRED, items(25_000)),
}
DRIVER = {
    "name": (REQUIRED, text()),
    "version": (REQUIRED, text()),
    "semanticVersion": (REQUIRED, matching(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?")),
    "rules": (REQUIRED, items(25_000)),
}
RULE = {
    "id": (REQUIRED, text()),
    "name": (REQUIRED, text(255)),
    "shortDescription.text": (REQUIRED, text(1_024)),
    "fullDescription.text": (REQUIRED, text(1_024)),
    "defaultConfiguration.level": (REQUIRED, one_of("note", "warning", "error")),
    "help.text": (REQUIRED, text()),
    "help.markdown": (REQUIRED, text()),
    "properties.tags": (REQUIRED, lambda tags: 0 < len(tags) <= 10 and all(map(text(), tags))),
    "properties.precision": (REQUIRED, one_of("very-high", "high", "medium", "low")),
    "properties.problem.severity": (REQUIRED, one_of("error", "warning", "recommendation")),
    "properties.security-severity": (OPTIONAL, lambda _: False),  # only what endangers a system is security
}
LOCATION = {
    "id": (OPTIONAL, number(0)),
    "message.text": (OPTIONAL, text()),
    "physicalLocation.artifactLocation.uri": (REQUIRED, matching(RELATIVE)),
    "physicalLocation.region.startLine": (REQUIRED, number(1)),
    "physicalLocation.region.startColumn": (REQUIRED, number(1)),
    "physicalLocation.region.endLine": (REQUIRED, number(1)),
    "physicalLocation.region.endColumn": (REQUIRED, number(1)),
}
RESULT = {
    "ruleId": (REQUIRED, text()),
    "ruleIndex": (REQUIRED, number(0)),
    "level": (REQUIRED, one_of("note", "warning", "error")),
    "message.text": (REQUIRED, text()),
    "locations": (REQUIRED, lambda value: len(value) == 1),
    "partialFingerprints.primaryLocationLineHash": (REQUIRED, matching(r"[0-9a-f]{1,16}:[1-9]\d*")),
    "partialFingerprints.fairlint/v2": (REQUIRED, text()),
    "codeFlows": (OPTIONAL, lambda flows: all(flow["threadFlows"] for flow in flows)),
    "relatedLocations": (OPTIONAL, items(1_000)),
}
ABSENT = object()


def at(value: Any, path: str) -> Any:
    """What stands at a path of keys and places; a key may hold a dot, as `problem.severity` does."""
    head, _, rest = path.partition(".")
    while rest and not (isinstance(value, dict) and head in value) and not isinstance(value, list):
        more, _, rest = rest.partition(".")
        head = f"{head}.{more}"
    if isinstance(value, list):
        found = value[int(head)] if int(head) < len(value) else ABSENT
    else:
        found = value.get(head, ABSENT) if isinstance(value, dict) else ABSENT
    return at(found, rest) if rest and found is not ABSENT else found


def parts(log: Any) -> Iterator[tuple[str, dict[str, tuple[bool, Check]], Any]]:
    """Every object of a log that GitHub reads, with what is asked of it."""
    yield "log", LOG, log
    for run in log["runs"]:
        yield "run", RUN, run
        yield "driver", DRIVER, run["tool"]["driver"]
        for rule in run["tool"]["driver"]["rules"]:
            yield f"rule {rule['id']}", RULE, rule
        for result in run["results"]:
            yield "result", RESULT, result
            for location in (*result["locations"], *result.get("relatedLocations", ())):
                yield "location", LOCATION, location
            for flow in result.get("codeFlows", ()):
                for step in (step for thread in flow["threadFlows"] for step in thread["locations"]):
                    yield "step", LOCATION, step["location"]


@pytest.mark.parametrize("name", LOGS)
def test_every_documented_property_is_as_documented(name: str) -> None:
    wrong = []
    for kind, asked, value in parts(LOGS[name]):
        for path, (required, check) in asked.items():
            found = at(value, path)
            if found is ABSENT and required:
                wrong.append(f"{kind}: {path} is missing")
            elif found is not ABSENT and not check(found):
                wrong.append(f"{kind}: {path} is {found!r}")
    assert wrong == []


def test_the_reports_hold_all_that_is_asked_about() -> None:
    kinds = {kind for kind, _, _ in parts(LOGS["real"])}
    assert {"result", "location", "step"} <= kinds
    assert LOGS["clean"]["runs"][0]["results"] == []


@pytest.mark.parametrize("name", LOGS)
def test_results_rules_and_texts_refer_to_one_another(name: str) -> None:
    (run,) = LOGS[name]["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        own = [location["id"] for location in result.get("relatedLocations", ())]
        assert len(own) == len(set(own))
        linked = {int(found) for found in re.findall(r"(?<!\\)\]\((\d+)\)", result["message"]["text"])}
        assert linked <= set(own)
        for location in (*result["locations"], *result.get("relatedLocations", ())):
            region = location["physicalLocation"]["region"]
            start, end = ((region[f"{which}Line"], region[f"{which}Column"]) for which in ("start", "end"))
            assert start < end


def test_descriptions_say_what_the_name_does_not() -> None:
    for rule in LOGS["clean"]["runs"][0]["tool"]["driver"]["rules"]:
        short, full = rule["shortDescription"]["text"], rule["fullDescription"]["text"]
        assert len(short.split()) >= 6
        assert short.rstrip(".").lower() != rule["name"].replace("-", " ")
        assert short[-1] in ".…"
        assert full != short
        assert full.startswith(short.rstrip("….")[:60])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not here")
def test_the_validator_of_microsoft_finds_no_error(tmp_path: Path) -> None:
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "@microsoft/sarif-multitool@5.7.0"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    for name, log in LOGS.items():
        (tmp_path / f"{name}.sarif").write_text(json.dumps(log))
    # its own script for npm hands the words to a shell, which takes the semicolon for itself
    programs = (tmp_path / "node_modules" / "@microsoft").glob("sarif-multitool-*/Sarif.Multitool")
    program = next(programs, None)
    if program is None:
        pytest.skip("the validator is not made for this system")
    program.chmod(0o755)
    command = [str(program), "validate", "--rule-kind", "Sarif;Ghas"]
    names = [f"{name}.sarif" for name in LOGS]
    told = subprocess.run([*command, *names], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Analysis completed successfully" in told.stdout, told.stdout + told.stderr
    assert f"{len(LOGS)} files scanned" in told.stdout
    assert re.findall(r"^.*: error .*$", told.stdout, re.MULTILINE) == []
