"""Every program in `fixtures/` gives exactly the findings that its comments expect."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from expectations import Expected, read_code

import fairlint
from fairlint.syntax import SHIPPED

ROOT = Path(__file__).parent.parent / "fixtures"
INTERNAL = re.compile(r"\{@|(?:text|list|table|choice|length|branch)@\d|\\x0[23]")
"""What the evaluator calls values that have no name in the code: no message may hold it."""
KINDS = (*((one.name, one.suffixes[0]) for one in SHIPPED), ("notebooks", ".ipynb"), ("project", ""))
"""Folder of `fixtures/` and the suffix of a program in it; a project is a folder of files."""
PROGRAMS = sorted(path for kind, suffix in KINDS for path in (ROOT / kind).iterdir() if path.suffix == suffix)


class Placed(NamedTuple):
    """A finding, in a project with the file and in a notebook with the cell."""

    path: str
    cell: int
    finding: Expected

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        return self.path, self.cell, self.finding.line, self.finding.rule, self.finding.attribute or ""


def expected_of(program: Path) -> list[Placed]:
    """What the comments of a program expect, and nothing else."""
    placed = (
        Placed(path, cell, one) for path, cell, code in texts_of(program) for one in read_code(code).expected
    )
    return sorted(placed, key=lambda one: one.order)


def texts_of(program: Path) -> Iterator[tuple[str, int, str]]:
    if program.is_dir():
        for path in sorted(program.rglob("*.py")):
            yield path.relative_to(program).as_posix(), 0, path.read_text(encoding="utf-8")
    elif program.suffix == ".ipynb":
        for number, cell in enumerate(json.loads(program.read_text(encoding="utf-8"))["cells"], 1):
            if cell["cell_type"] == "code":
                yield "", number, "".join(cell["source"])
    else:
        yield "", 0, program.read_text(encoding="utf-8", errors="replace")


def found_in(program: Path) -> list[Placed]:
    report = fairlint.check_paths([str(program)], fairlint.Settings(min_severity="note"))
    assert report.files == (sum(1 for _ in program.rglob("*.py")) if program.is_dir() else 1)
    for finding in report.findings:
        assert not INTERNAL.search(repr((finding.message, finding.use))), finding.message
    return sorted((placed(finding, program) for finding in report.findings), key=lambda one: one.order)


def placed(finding: fairlint.Finding, program: Path) -> Placed:
    path = Path(finding.path).absolute().relative_to(program).as_posix() if program.is_dir() else ""
    return Placed(path, finding.cell or 0, as_expected(finding))


def as_expected(finding: fairlint.Finding) -> Expected:
    plain = Expected(finding.start.line, finding.rule, finding.use.attribute, severity=finding.severity)
    points = finding.points
    if points is None:
        return replace(plain, no_points=True)
    return replace(plain, op=points.op, table={**points.by_group, "others": points.other})


def agree(wanted: Placed, got: Placed) -> bool:
    if wanted.order != got.order or wanted.finding.severity not in (None, got.finding.severity):
        return False
    if wanted.finding.no_points or not wanted.finding.table:
        return got.finding.no_points or not wanted.finding.no_points
    return wanted.finding.op == got.finding.op and same_table(wanted.finding.table, got.finding.table)


def same_table(wanted: Mapping[str, float | None], got: Mapping[str, float | None]) -> bool:
    """Whether all groups get the same; a group that one side does not name gets what others do there."""
    if "others" in wanted and wanted["others"] != got["others"]:
        return False
    amounts = [
        (side.get(group, side.get("others")) for side in (wanted, got))
        for group in (wanted.keys() | got.keys()) - {"others"}
    ]
    return all(
        one is not None and other is not None and math.isclose(one, other, abs_tol=1e-9)
        for one, other in amounts
    )


def in_words(one: Placed) -> str:
    """A finding in the notation."""
    finding = one.finding
    place = " ".join(filter(None, [one.path, f"cell {one.cell}" if one.cell else "", f"{finding.line:4d}"]))
    words = f"{place} {finding.rule} {finding.severity}: {finding.attribute}"
    write = {"add": "{:+g}", "multiply": "x{:g}", "set": "= {:g}"}.get(finding.op or "", "")
    rows = [
        f"{group} {'?' if amount is None else write.format(amount)}"
        for group, amount in finding.table.items()
    ]
    return f"{words} {'no points' if finding.no_points else ', '.join(rows)}".rstrip()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_program_gives_its_findings(program: Path) -> None:
    wanted, got = expected_of(program), found_in(program)
    if len(wanted) == len(got) and all(map(agree, wanted, got)):
        return
    lines = difflib.ndiff([in_words(one) for one in wanted], [in_words(one) for one in got])
    pytest.fail(f"{program.name}: - expected, + found\n" + "\n".join(lines), pytrace=False)


def test_there_are_enough_programs_and_half_are_clean() -> None:
    for language, least in (("python", 42), ("c", 27)):
        programs = [program for program in PROGRAMS if program.parent.name == language]
        clean = [
            program
            for program in programs
            if all(one.finding.severity == "note" for one in expected_of(program))
        ]
        assert len(programs) >= least
        assert 0.4 <= len(clean) / len(programs) <= 0.6


@pytest.mark.parametrize(
    "program",
    [program for program in PROGRAMS if program.suffix in (".py", ".c") and expected_of(program)],
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_the_comments_are_no_evidence(program: Path) -> None:
    text = program.read_text(encoding="utf-8", errors="replace")
    path = program.relative_to(ROOT).as_posix()
    language = "c" if program.suffix == ".c" else "python"
    marked, blank = (
        fairlint.check_source(
            code, path=path, language=language, settings=fairlint.Settings(min_severity="note")
        )
        for code in (text, read_code(text).code)
    )
    assert [(one.start, one.rule, one.use.attribute, one.use.evidence) for one in marked.findings] == [
        (one.start, one.rule, one.use.attribute, one.use.evidence) for one in blank.findings
    ]


def test_every_rule_has_a_program() -> None:
    from fairlint.rules.loading import load_rules

    told = {one.finding.rule for program in PROGRAMS for one in expected_of(program)}
    assert {rule.code for rule in load_rules()} == told
