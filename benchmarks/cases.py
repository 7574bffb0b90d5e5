"""Scores fairlint on the labelled cases: what it should have reported, and where it should have been silent.

    python benchmarks/cases.py [--part tune|held] [--misses] [--json]

Each file is checked alone, with notes. What the marks in the files mean is told in cases/tune/README.md. The
part `held` is for measuring: whoever reads its misses and changes fairlint has nothing left to measure with,
so `--misses` shows them with `--yes-show-held` only.
Exit status: 0 where it was measured, 2 where it could not be.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # a checkout that is not installed can be measured too

from expectations import read_code  # noqa: E402

from fairlint import Finding, NotAnalysed, Settings, UsageError, check_paths  # noqa: E402
from fairlint.findings.finding import FlowStep  # noqa: E402

FOLDER = HERE / "cases"
PARTS = ("tune", "held")
SUFFIXES = frozenset({".py", ".c", ".ipynb"})
KINDS = ("Python", "notebook", "C", "SQL or prompt")
TEXT_RULES = ("FL701", "FL702", "FL703")
"""A file that wants one of these is about SQL or prompts, whatever its language."""
TEXT_NAME = re.compile(r"(?:^|_)(?:sql|prompt)s?(?:_|$)")
NOTE_RULES = frozenset({"FL302", "FL305", "FL402", "FL802", "FL902", "FL903"})
"""Where the catalogue itself asks for a note."""
WHOLE_DATA_SET = "FL302"
"""A line with this mark may report other columns of the same data set too."""

C_COMMENT = re.compile(r"/\*.*?\*/|//.*")
C_STATEMENT_ENDS = (";", "{", "}", ":")


class BenchmarkError(Exception):
    """Why the measurement cannot be made, in one line."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a reader wrote beside one line. `places` are the lines that it speaks of."""

    file: str
    cell: int | None
    line: int
    places: frozenset[int]
    text: str
    rules: tuple[str, ...] = ()
    attribute: str = ""

    @property
    def asks_for_a_note(self) -> bool:
        """Whether a note is all that the catalogue wants."""
        return bool(NOTE_RULES.intersection(self.rules))

    @property
    def where(self) -> str:
        """The place, as reports name it."""
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{self.file}:{cell}{self.line}"


@dataclass(slots=True)
class Case:
    """One file with its marks, and what fairlint said of it."""

    name: str
    kind: str
    wants: list[Mark]
    silents: list[Mark]
    findings: list[Finding] = field(default_factory=list)
    not_analysed: list[NotAnalysed] = field(default_factory=list)


@dataclass(slots=True)
class Score:
    """The figures of some cases."""

    files: int = 0
    wanted: int = 0
    reached: int = 0
    by_note: int = 0
    """Of the reached: by a note only, where the catalogue wants more."""
    silent: int = 0
    kept: int = 0
    unmarked: int = 0
    rules: dict[str, Counter[str]] = field(default_factory=dict)
    """The rule that a mark names first, with how often it, or one as good, is wanted and reached."""

    @property
    def recall(self) -> float:
        """The share of the wanted findings that were reported."""
        return self.reached / self.wanted if self.wanted else 1.0

    @property
    def silence(self) -> float:
        """The share of the silent lines that stayed silent."""
        return self.kept / self.silent if self.silent else 1.0


@dataclass(frozen=True, slots=True)
class Miss:
    """One mark that fairlint did not agree with, or a finding without a mark."""

    kind: str
    where: str
    text: str


# ------------------------------------------------------------------------------------------------- the marks


def read_cases(folder: Path) -> list[Case]:
    """Every case of a part, in the order of their numbers."""
    if not folder.is_dir():
        raise BenchmarkError(f"{folder}: no such folder of cases")
    paths = [path for path in folder.iterdir() if path.suffix in SUFFIXES]
    return [read_case(path) for path in sorted(paths, key=lambda path: (_number(path.name), path.name))]


def _number(name: str) -> int:
    digits = re.match(r"\d+", name)
    return int(digits[0]) if digits else 0


def read_case(path: Path) -> Case:
    """One file; a mark that cannot be read is an error, and so is a file without any."""
    marks = [
        mark
        for cell, text in _pieces(path)
        for mark in read_marks(path.name, cell, text, is_c=path.suffix == ".c")
    ]
    if not marks:
        raise BenchmarkError(f"{path.name}: has no mark")
    wants = [mark for mark in marks if mark.rules]
    silents = [mark for mark in marks if not mark.rules]
    return Case(path.name, kind_of(path, wants), wants, silents)


def _pieces(path: Path) -> Iterator[tuple[int | None, str]]:
    """The text of a file, or of each code cell of a notebook with the cell's number."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        yield None, text
        return
    for number, cell in enumerate(json.loads(text)["cells"], 1):
        if cell["cell_type"] == "code":
            yield number, "".join(cell["source"])


def kind_of(path: Path, wants: Iterable[Mark]) -> str:
    """What sort of file it is."""
    if TEXT_NAME.search(path.stem) or any(rule in TEXT_RULES for mark in wants for rule in mark.rules):
        return "SQL or prompt"
    return {".py": "Python", ".ipynb": "notebook", ".c": "C"}[path.suffix]


def read_marks(file: str, cell: int | None, text: str, *, is_c: bool) -> Iterator[Mark]:
    """The marks of one piece of code."""
    lines = text.splitlines()
    statements = c_statements(lines) if is_c else python_statements(lines)
    try:
        marked = read_code(text)
    except ValueError as error:
        raise BenchmarkError(f"{file}: {error}") from None
    for silent in marked.silent:
        own = frozenset({silent.line})
        _, string = statements.get(silent.line, (own, own))
        yield Mark(file, cell, silent.line, own | string, silent.why)
    for one in marked.expected:
        if one.attribute is None:
            raise BenchmarkError(f"{file}:{one.line}: {one.rule} without an attribute")
        own = frozenset({one.line})
        statement, _ = statements.get(one.line, (own, own))
        told = f"{'|'.join(one.rules)}: {one.attribute}"
        yield Mark(file, cell, one.line, own | statement, told, one.rules, one.attribute)


Places = dict[int, tuple[frozenset[int], frozenset[int]]]
"""For lines at which a text over several lines is marked: the lines of its statement, and its own."""


def python_statements(lines: Sequence[str]) -> Places:
    """Where texts over several lines stand; nothing where the code cannot be parsed."""
    plain = [_without_magic(line) for line in lines]
    try:
        tree = ast.parse("\n".join(plain) + "\n")
    except (SyntaxError, ValueError):
        return {}
    found: Places = {}
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.stmt) or hasattr(statement, "body"):
            continue
        whole = frozenset(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
        texts = [
            frozenset(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            for node in ast.walk(statement)
            if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and _is_text(node))
        ]
        for text in sorted((text for text in texts if len(text) > 1), key=len, reverse=True):
            for line in (min(whole), max(whole)):
                found.setdefault(line, (whole, whole))
            found.update(dict.fromkeys(text, (whole, text)))
    return found


def _is_text(node: ast.Constant) -> bool:
    return isinstance(node.value, str | bytes)


def _without_magic(line: str) -> str:
    """A line of a notebook without what IPython adds to Python."""
    bare = line.lstrip()
    return f"{line[: len(line) - len(bare)]}pass" if bare.startswith(("%", "!")) else line


def c_statements(lines: Sequence[str]) -> Places:
    """Where texts over several lines stand in C: adjacent literals in one statement."""
    found: Places = {}
    block: list[int] = []
    for number, line in enumerate([*lines, ""], 1):
        code = C_COMMENT.sub("", line).strip()
        if code and not code.startswith("#"):
            block.append(number)
            if not code.endswith(C_STATEMENT_ENDS):
                continue
        texts = frozenset(at for first in block if _goes_on(first, lines) for at in (first, first + 1))
        if texts:
            whole = frozenset(block)
            found.update(dict.fromkeys(whole, (whole, texts)))
        block = []
    return found


def _goes_on(number: int, lines: Sequence[str]) -> bool:
    """Whether a C literal ends the line and another one begins the next."""
    code, after = (C_COMMENT.sub("", line).strip() for line in (*lines, "")[number - 1 : number + 1])
    return code.endswith('"') and after.startswith('"')


# ---------------------------------------------------------------------------------------------- the findings


def check(cases: Iterable[Case], folder: Path) -> None:
    """Let fairlint look at each case by itself."""
    with contextlib.chdir(folder):  # a case is a project of its own: the folders around it say nothing
        for case in cases:
            settings = Settings(min_severity="note", root=folder)
            try:
                report = check_paths([case.name], settings)
            except UsageError as error:
                raise BenchmarkError(f"{case.name}: {error}") from error
            if report.failed:
                raise BenchmarkError(f"{case.name}: {report.not_analysed[0].reason}")
            case.findings = list(report.findings)
            case.not_analysed = list(report.not_analysed)


def attributes_of(finding: Finding) -> frozenset[str]:
    """The attribute of a finding, and those tested together with it."""
    return frozenset({finding.use.attribute, *finding.use.joined})


def covers(stretch: Finding | FlowStep, cell: int | None, places: Iterable[int]) -> bool:
    """Whether a stretch of code stands on one of the lines, or around it."""
    last = stretch.end.line
    if stretch.end.column == 1 and last > stretch.start.line:
        last -= 1
    return stretch.cell == cell and any(stretch.start.line <= line <= last for line in places)


def reaches(finding: Finding, mark: Mark) -> bool:
    """Whether a finding is the wanted one: by its rule, its attribute, and its place or a step of its way."""
    if finding.rule not in mark.rules or mark.attribute not in attributes_of(finding):
        return False
    return passes(finding, mark)


def passes(finding: Finding, mark: Mark) -> bool:
    """Whether a finding stands on one of the mark's lines, or its way leads over one."""
    stretches: tuple[Finding | FlowStep, ...] = (finding, *finding.flow)
    return any(covers(stretch, mark.cell, mark.places) for stretch in stretches)


def is_loud(finding: Finding) -> bool:
    """Whether it is more than a note."""
    return finding.severity != "note"


def starts_on(finding: Finding, mark: Mark) -> bool:
    """Whether the finding's first line is one that the mark speaks of."""
    return finding.cell == mark.cell and finding.start.line in mark.places


def is_marked(finding: Finding, case: Case) -> bool:
    """Whether some mark tells why a finding is there."""
    return any(
        reaches(finding, mark) or (WHOLE_DATA_SET in mark.rules and passes(finding, mark))
        for mark in case.wants
    )


def score(cases: Iterable[Case]) -> Score:
    """The figures."""
    result = Score()
    for case in cases:
        result.files += 1
        for mark in case.wants:
            severities = {finding.severity for finding in case.findings if reaches(finding, mark)}
            counts = result.rules.setdefault(mark.rules[0], Counter())
            result.wanted += 1
            counts["wanted"] += 1
            if severities:
                result.reached += 1
                counts["reached"] += 1
            if severities == {"note"} and not mark.asks_for_a_note:
                result.by_note += 1
                counts["by note"] += 1
        for mark in case.silents:
            result.silent += 1
            result.kept += not disturbing(case, mark)
        result.unmarked += len(unmarked(case))
    return result


def disturbing(case: Case, mark: Mark) -> list[Finding]:
    """The loud findings on a line that should be silent; one that is wanted there is none."""
    return [
        finding
        for finding in case.findings
        if is_loud(finding) and starts_on(finding, mark) and not _is_wanted_beside(finding, mark, case)
    ]


def _is_wanted_beside(finding: Finding, silent: Mark, case: Case) -> bool:
    """Whether a finding that a silent text of several lines takes in is wanted on another of its lines."""
    return finding.start.line != silent.line and is_marked(finding, case)


def unmarked(case: Case) -> list[Finding]:
    """The loud findings that no mark speaks of: perhaps false alarms."""
    return [
        finding
        for finding in case.findings
        if is_loud(finding)
        and not is_marked(finding, case)
        and not any(starts_on(finding, mark) for mark in case.silents)
    ]


def misses(cases: Iterable[Case]) -> Iterator[Miss]:
    """Every disagreement, case by case."""
    for case in cases:
        for gap in case.not_analysed:
            yield Miss("not analysed", f"{case.name}:{gap.line}", gap.reason)
        for mark in case.wants:
            found = [finding for finding in case.findings if reaches(finding, mark)]
            if not found:
                yield Miss("missed", mark.where, f"wanted {mark.text}{_instead(case, mark)}")
            elif not mark.asks_for_a_note and not any(map(is_loud, found)):
                yield Miss("by a note", mark.where, f"wanted {mark.text}")
        for mark in case.silents:
            for finding in disturbing(case, mark):
                yield Miss("not silent", mark.where, f"{_told(finding)} ({mark.text})")
        for finding in unmarked(case):
            cell = "" if finding.cell is None else f"cell {finding.cell}:"
            yield Miss("unmarked", f"{case.name}:{cell}{finding.start.line}", _told(finding))


def _instead(case: Case, mark: Mark) -> str:
    """What was said of the same attribute there."""
    others = {
        f"{finding.severity} {finding.rule}"
        for finding in case.findings
        if mark.attribute in attributes_of(finding) and passes(finding, mark)
    }
    return f"; said {', '.join(sorted(others))}" if others else ""


def _told(finding: Finding) -> str:
    return f"{finding.severity} {finding.rule} {finding.message}"


# ---------------------------------------------------------------------------------------------- the report


def print_text(cases: Sequence[Case], part: str) -> None:
    """The tables for a terminal."""
    whole = score(cases)
    print(f"{part}: {whole.files} files\n")
    headings = ("files", "wanted", "reached", "recall", "by note", "silent", "kept", "share", "unmarked")
    print(f"{'':<15}" + "".join(f"{heading:>9}" for heading in headings))
    for kind in KINDS:
        print_row(kind, score([case for case in cases if case.kind == kind]))
    print_row("all", whole)
    print(f"\n{'rule':<8}{'wanted':>8}{'reached':>9}{'by note':>9}")
    for rule, counts in sorted(whole.rules.items()):
        print(f"{rule:<8}{counts['wanted']:>8}{counts['reached']:>9}{counts['by note']:>9}")
    print(
        f"\nRecall {whole.recall:.3f} ({whole.reached} of {whole.wanted} wanted findings, "
        f"{whole.by_note} of them by a note where more is wanted), "
        f"silent {whole.silence:.3f} ({whole.kept} of {whole.silent} lines), "
        f"{whole.unmarked} warnings and errors without a mark."
    )


def print_row(name: str, figures: Score) -> None:
    """One row of the first table."""
    values = (
        figures.files,
        figures.wanted,
        figures.reached,
        f"{figures.recall:.3f}",
        figures.by_note,
        figures.silent,
        figures.kept,
        f"{figures.silence:.3f}",
        figures.unmarked,
    )
    print(f"{name:<15}" + "".join(f"{value:>9}" for value in values))


def as_json(cases: Sequence[Case], part: str, *, with_misses: bool) -> dict[str, Any]:
    """The same figures for programs."""
    document: dict[str, Any] = {
        "part": part,
        "all": figures_of(score(cases)),
        "kinds": {kind: figures_of(score([case for case in cases if case.kind == kind])) for kind in KINDS},
        "rules": {
            rule: {name.replace(" ", "_"): counts[name] for name in ("wanted", "reached", "by note")}
            for rule, counts in sorted(score(cases).rules.items())
        },
    }
    if with_misses:
        document["misses"] = [
            {"kind": miss.kind, "where": miss.where, "text": miss.text} for miss in misses(cases)
        ]
    return document


def figures_of(figures: Score) -> dict[str, float]:
    """A score's figures by name."""
    return {
        "files": figures.files,
        "wanted": figures.wanted,
        "reached": figures.reached,
        "recall": round(figures.recall, 4),
        "by_note": figures.by_note,
        "silent": figures.silent,
        "kept": figures.kept,
        "silence": round(figures.silence, 4),
        "unmarked": figures.unmarked,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Score one part of the cases."""
    parser = argparse.ArgumentParser(description="Score fairlint on the labelled cases.")
    parser.add_argument("--part", choices=PARTS, default=PARTS[0], help="default: %(default)s")
    parser.add_argument("--misses", action="store_true", help="list every disagreement")
    parser.add_argument("--yes-show-held", action="store_true", help="list those of the part held, too")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    if options.misses and options.part == "held" and not options.yes_show_held:
        parser.error("--misses would spoil the part held for measuring (--yes-show-held shows them)")
    try:
        cases = read_cases(FOLDER / options.part)
        check(cases, FOLDER / options.part)
    except (BenchmarkError, OSError, ValueError) as error:
        print(f"cases: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(as_json(cases, options.part, with_misses=options.misses), indent=2))
        return 0
    if options.misses:
        for miss in misses(cases):
            print(f"{miss.kind:<13}{miss.where}: {miss.text}")
        print()
    print_text(cases, options.part)
    return 0


if __name__ == "__main__":
    sys.exit(main())
