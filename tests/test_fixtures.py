"""Every program in `fixtures/` gives exactly the findings that stand beside it."""

from __future__ import annotations

import difflib
import json
import math
from pathlib import Path
from typing import Any

import pytest

import fairlint

ROOT = Path(__file__).parent.parent / "fixtures"
KINDS = (("python", ".py"), ("c", ".c"), ("notebooks", ".ipynb"), ("project", ""))
"""Folder of `fixtures/` and the suffix of a program in it; a project is a folder of files."""
PROGRAMS = sorted(path for kind, suffix in KINDS for path in (ROOT / kind).iterdir() if path.suffix == suffix)
Finding = dict[str, Any]


def expected_of(program: Path) -> list[Finding]:
    text = program.with_suffix(".expected.json").read_text(encoding="utf-8")
    findings: list[Finding] = json.loads(text)
    return findings


def found_in(program: Path) -> list[Finding]:
    from fairlint import check_paths
    from fairlint.config import Settings

    report = check_paths([str(program)], Settings(min_severity="note"))
    assert report.files == (sum(1 for _ in program.rglob("*.py")) if program.is_dir() else 1)
    return [
        {
            **place_of(finding, program),
            "rule": finding.rule,
            "line": finding.start.line,
            "attribute": finding.use.attribute,
            "severity": finding.severity,
            "points": finding.points
            and {
                "op": finding.points.op,
                "by_group": dict(finding.points.by_group),
                "other": finding.points.other,
            },
        }
        for finding in report.findings
    ]


def place_of(finding: fairlint.Finding, program: Path) -> Finding:
    """In a project the file, in a notebook the cell."""
    if program.is_dir():
        return {"path": Path(finding.path).absolute().relative_to(program).as_posix()}
    return {} if finding.cell is None else {"cell": finding.cell}


def same_points(wanted: Finding | None, got: Finding | None) -> bool:
    if wanted is None or got is None:
        return wanted is got
    if wanted["op"] != got["op"]:
        return False
    if "other" in wanted and wanted["other"] != got["other"]:
        return False
    groups = wanted["by_group"].keys() | got["by_group"].keys()
    return all(
        amounts[0] is not None and amounts[1] is not None and math.isclose(*amounts, abs_tol=1e-9)
        for amounts in (
            [side["by_group"].get(group, side.get("other")) for side in (wanted, got)] for group in groups
        )
    )


def agree(wanted: Finding, got: Finding) -> bool:
    keys = ("path", "cell", "rule", "line", "attribute", "severity")
    if any(wanted.get(key) != got.get(key) for key in keys):
        return False
    return "points" not in wanted or same_points(wanted["points"], got["points"])


def in_order(finding: Finding) -> tuple[str, int, int, str, str]:
    place = finding.get("path", ""), finding.get("cell", 0)
    return (*place, finding["line"], finding["rule"], finding["attribute"])


def in_words(finding: Finding) -> str:
    words = f"{finding['line']:4d} {finding['rule']} {finding['severity']} {finding['attribute']}"
    words = " ".join(str(finding[key]) for key in ("path", "cell") if finding.get(key)) + words
    if "points" not in finding:
        return words
    points = finding["points"]
    if points is None:
        return f"{words}  no points"
    table = ", ".join(f"{group} {amount:g}" for group, amount in sorted(points["by_group"].items()))
    return f"{words}  {points['op']}: {table}; others {points.get('other', 'anything')}"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_program_gives_its_findings(program: Path) -> None:
    wanted, got = expected_of(program), found_in(program)
    wanted.sort(key=in_order)
    got.sort(key=in_order)
    if len(wanted) == len(got) and all(map(agree, wanted, got)):
        return
    lines = difflib.ndiff([in_words(one) for one in wanted], [in_words(one) for one in got])
    pytest.fail(f"{program.name}: - expected, + found\n" + "\n".join(lines), pytrace=False)


def test_there_are_enough_programs_and_half_are_clean() -> None:
    for language, least in (("python", 42), ("c", 27)):
        programs = [program for program in PROGRAMS if program.parent.name == language]
        clean = [program for program in programs if not expected_of(program)]
        assert len(programs) >= least
        assert 0.4 <= len(clean) / len(programs) <= 0.6


def test_no_expectation_is_orphaned() -> None:
    programs = {program.with_suffix("") for program in PROGRAMS}
    for path in ROOT.glob("*/*.expected.json"):
        assert path.with_name(path.name.removesuffix(".expected.json")) in programs


def test_every_rule_has_a_program() -> None:
    from fairlint.rules import load_rules

    told = {finding["rule"] for program in PROGRAMS for finding in expected_of(program)}
    assert {rule.code for rule in load_rules()} == told
