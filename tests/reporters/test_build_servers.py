"""The formats of build servers: others read them, whatever stands in names and messages."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import made

from fairlint.findings.report import NotAnalysed, Report
from fairlint.reporters import ReportOptions, shipped_reporters
from fairlint.reporters.uris import in_repository
from fairlint.support.records import replace

NASTY = 'a,b:c%d"<&>\x1b[0m\n`@someone`'


def told(form: str, report: Report, **options: object) -> str:
    """A report in a format."""
    return "".join(shipped_reporters()[form](report, ReportOptions(**options)))  # type: ignore[arg-type]


def nasty() -> Report:
    """A report with a name and a message that try to be more."""
    report = made.score_report(not_analysed=(NotAnalysed(NASTY, 0, NASTY, "syntax"),))
    (found,) = report.findings
    return replace(report, findings=(replace(found, path=NASTY, message=NASTY),))


def test_annotations_name_place_and_rule() -> None:
    line, summary = told("github", made.score_report()).splitlines()
    assert line.startswith(
        "::error title=FL201 points-by-group,file=hiring/score.py,line=6,endLine=6,col=9,endColumn=20::"
        "gender: male +5, female +0, gap 5. "
    )
    assert summary.startswith("Found 1 finding")


def test_nothing_in_a_name_ends_an_annotation() -> None:
    lines = told("github", nasty(), quiet=True).splitlines()
    assert len(lines) == 2
    for line in lines:
        command = re.fullmatch(r"::(error|warning) ((?:\w+=[^,:]*,?)+)::(.*)", line)
        assert command is not None
        assert dict(part.split("=", 1) for part in command[2].split(","))["file"].startswith("a%2Cb%3Ac%25d")


def test_gitlab_has_what_it_asks_for_and_no_fingerprint_twice() -> None:
    report = made.score_report(not_analysed=(made.GAP,))
    twice = replace(report, findings=(*report.findings, replace(report.findings[0], path="other.py")))
    found = json.loads(told("gitlab", twice))
    assert [one["severity"] for one in found] == ["critical", "critical", "minor"]
    assert {tuple(sorted(one)) for one in found} == {
        ("check_name", "description", "fingerprint", "location", "severity")
    }
    assert found[0]["location"] == {"path": "hiring/score.py", "lines": {"begin": 6, "end": 6}}
    assert len({one["fingerprint"] for one in found}) == 3


def test_junit_counts_what_failed_and_what_broke() -> None:
    root = Xml.fromstring(told("junit", made.score_report(not_analysed=(made.GAP,))))
    assert [(suite.get("name"), suite.get("failures"), suite.get("errors")) for suite in root] == [
        ("hiring/score.py", "1", "0"),
        ("broken.py", "0", "1"),
    ]
    (failure,) = root.iter("failure")
    assert failure.get("type") == "error"
    assert "hiring/score.py:6:9: FL201" in (failure.text or "")


def test_junit_of_nothing_has_a_case_that_holds() -> None:
    (suite,) = Xml.fromstring(told("junit", Report(files=3)))
    assert [case.get("name") for case in suite] == ["3 files"]
    assert not list(suite.iter("failure"))


def test_checkstyle_has_an_element_a_file() -> None:
    root = Xml.fromstring(told("checkstyle", made.score_report(not_analysed=(made.GAP,))))
    assert [(file.get("name"), len(file)) for file in root] == [("hiring/score.py", 1), ("broken.py", 1)]
    assert root[0][0].get("source") == "fairlint.FL201"


def test_rdjson_has_a_diagnostic_for_each_finding_and_each_gap() -> None:
    told_ = json.loads(told("rdjson", made.score_report(not_analysed=(made.GAP,))))
    assert told_["source"] == {"name": "fairlint"}
    finding, gap = told_["diagnostics"]
    assert finding["location"] == {
        "path": "hiring/score.py",
        "range": {"start": {"line": 6}, "end": {"line": 6}},
    }
    assert (finding["severity"], finding["code"]) == ("ERROR", {"value": "FL201"})
    assert (gap["severity"], gap["message"]) == ("INFO", "not analysed: half a function")


def test_a_line_of_json_is_a_finding() -> None:
    report = made.score_report()
    (line,) = told("json-lines", report).splitlines()
    assert json.loads(line) == json.loads(told("json", report))["findings"][0]


def test_markdown_tells_what_each_group_gets() -> None:
    text = told("markdown", made.score_report(not_analysed=(made.GAP,)))
    assert "### hiring/score.py" in text
    assert "- **error FL201** line 6: gender: male \\+5, female \\+0, gap 5" in text
    assert "  male \\+5; female \\+0" in text
    assert "- broken.py:40: half a function" in text


def test_markdown_of_very_many_stays_small() -> None:
    report = made.score_report()
    text = told("markdown", replace(report, findings=report.findings * 150))
    assert text.count("**error") == 100
    assert "50 more are left out here." in text


@pytest.mark.parametrize("form", ["junit", "checkstyle"])
def test_what_stands_in_names_is_text_in_xml(form: str) -> None:
    root = Xml.fromstring(told(form, nasty()))
    assert any("\\x1b" in (one.get("message") or "") for one in root.iter())


def test_what_stands_in_names_is_text_in_markdown() -> None:
    text = told("markdown", nasty())
    assert "\x1b" not in text
    assert not re.search(r"(?<!\\)[@<`]", text)


def test_paths_are_those_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    assert in_repository("a.py", os.fspath(tmp_path / "src")) == "src/a.py"
    assert in_repository("../b.py", os.fspath(tmp_path / "src")) == "b.py"
    assert in_repository(os.fspath(tmp_path / "c.py"), os.fspath(tmp_path / "src")) == "c.py"
