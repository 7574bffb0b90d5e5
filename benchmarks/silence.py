"""Counts what fairlint reports on code that does not treat people by a protected attribute.

    python benchmarks/silence.py [NAME ...] [--extra] [--list] [--data FOLDER]

NAME is `stdlib`, `c-controls` or a package of corpora.py; default: all that have a target. Notebooks have a
row of their own. `--extra` measures the packages that are only looked at, too: they do work with people, so a
finding there may be right, and they have no target.
Exit status: 0 where every target is met, 1 where one is missed, 2 where something could not be measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora import CORPORA, DEFAULT_FOLDER, EXTRA, CorpusError, fetch, lines_of, standard_library

HERE = Path(__file__).resolve().parent
SAMPLES_VARIABLE = "FAIRLINT_SAMPLES"
CONTROLS = "small_model_and_control_code.jsonl"

PYTHON = frozenset({".py", ".pyi", ".pyw"})
C = frozenset({".c", ".h"})
NOTEBOOKS = frozenset({".ipynb"})
RUN = "import sys; from fairlint.cli import main; sys.exit(main())"
CONFIGURATION = 'respect-gitignore = false\nexclude = []\nmin-severity = "note"\n'


@dataclass(frozen=True, slots=True)
class Target:
    """What may be reported at most: warnings and errors per 100,000 lines, or in all where that is given."""

    words: str
    met: Callable[[Result], bool]


@dataclass(slots=True)
class Result:
    """What the programs of one corpus gave, or its notebooks."""

    name: str
    target: Target
    files: int
    lines: int
    seconds: float
    severities: Counter[str] = field(default_factory=Counter)
    findings: list[dict[str, Any]] = field(default_factory=list)
    not_analysed: list[dict[str, Any]] = field(default_factory=list)

    @property
    def loud(self) -> int:
        """Warnings and errors."""
        return self.severities["error"] + self.severities["warning"]

    @property
    def per_100k(self) -> float:
        """Warnings and errors per 100,000 lines."""
        return self.rate(self.loud)

    @property
    def breakdowns(self) -> list[str]:
        """Where fairlint itself broke down, and with what."""
        entries = [entry for entry in self.not_analysed if entry["reason"].startswith("internal error")]
        return [f"{entry['path']}: {entry['reason']}" for entry in entries]

    def rate(self, count: int) -> float:
        """A count per 100,000 lines."""
        return count * 100_000 / self.lines if self.lines else 0.0


NONE = Target("0", lambda result: result.loud == 0)
FEW = Target("<= 1 per 100k", lambda result: result.per_100k <= 1)
NOTES_ONLY = Target("notes only", lambda result: result.loud == 0)
TWO = Target("<= 2", lambda result: result.loud <= 2)
NO_LIMIT = Target("-", lambda _: True)

TARGETS = {
    "stdlib": NONE,
    "c-controls": NONE,
    **dict.fromkeys(CORPORA, FEW),
    "aif360": NOTES_ONLY,
    "fairlearn": NOTES_ONLY,
    "nle": TWO,
    "shap": TWO,
}
KNOWN = {**TARGETS, **dict.fromkeys(EXTRA, NO_LIMIT)}
SUFFIXES = {"c-controls": C, "nle": C}
"""The corpora that are measured in C alone."""


def prepare(name: str, data: Path) -> Path:
    """The folder of a corpus, fetched or written if it is not there."""
    if name == "stdlib":
        return standard_library(data)
    if name == "c-controls":
        return c_controls(data)
    return fetch({**CORPORA, **EXTRA}[name], data)


def c_controls(data: Path) -> Path:
    """The C programs among the samples, one file each."""
    samples = os.environ.get(SAMPLES_VARIABLE)
    path = (Path(samples) if samples else HERE.parent.parent / "shared" / "samples") / CONTROLS
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise CorpusError(f"{path}: cannot be read: {error} (set {SAMPLES_VARIABLE})") from error
    folder = data / "c-controls"
    folder.mkdir(parents=True, exist_ok=True)
    for number, row in enumerate(row for row in rows if row["language"] == "c"):
        (folder / f"{number:03}.c").write_text(row["text"], encoding="utf-8")
    return folder


def run(name: str, folder: Path) -> list[Result]:
    """Lint a corpus in a fresh process, as a user would; programs and notebooks have a result each."""
    with tempfile.TemporaryDirectory() as scratch:
        configuration = Path(scratch) / "fairlint.toml"
        configuration.write_text(CONFIGURATION)
        output = Path(scratch) / "report.json"
        options = ["--format", "json", "--exit-zero", "--config", str(configuration), "--output", str(output)]
        begin = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", RUN, folder.name, *options],
            cwd=folder.parent,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, [str(HERE.parent), *_python_path()])),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - begin
        if not output.is_file():
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise CorpusError(f"{name}: fairlint ended with {done.returncode}: {last}")
        report = json.loads(output.read_text(encoding="utf-8"))
    return list(_results(name, folder, report, seconds))


def _results(name: str, folder: Path, report: dict[str, Any], seconds: float) -> Iterator[Result]:
    for title, suffixes in ((name, SUFFIXES.get(name, PYTHON | C)), ("  notebooks", NOTEBOOKS)):
        files, lines = lines_of(folder, suffixes)
        if not files:
            continue
        findings = [finding for finding in report["findings"] if Path(finding["path"]).suffix in suffixes]
        skipped = [entry for entry in report["not_analysed"] if Path(entry["path"]).suffix in suffixes]
        severities = Counter(finding["severity"] for finding in findings)
        yield Result(title, KNOWN[name], files, lines, seconds, severities, findings, skipped)
        seconds = 0.0  # it was one run; the time is told once


def _python_path() -> list[str]:
    return [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []


HEADS = ("files", "lines", "errors", "warnings", "notes", "per 100k", "notes/100k", "not analysed", "s")
WIDTHS = (7, 9, 8, 10, 7, 10, 12, 14, 8)


def print_heads() -> None:
    """The table's first row."""
    print(f"{'':<20}{''.join(f'{head:>{width}}' for head, width in zip(HEADS, WIDTHS, strict=True))}  target")


def print_result(result: Result) -> None:
    """One row of the table."""
    count = result.severities
    cells = (
        result.files,
        result.lines,
        count["error"],
        count["warning"],
        count["note"],
        f"{result.per_100k:.2f}",
        f"{result.rate(count['note']):.2f}",
        len(result.not_analysed),
        f"{result.seconds:.1f}" if result.seconds else "",
    )
    row = "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))
    verdict = "" if result.target is NO_LIMIT else "pass" if result.target.met(result) else "FAIL"
    print(f"{result.name:<20}{row}  {result.target.words:<15}{verdict}".rstrip(), flush=True)


def print_findings(result: Result) -> None:
    """The findings of a corpus, one a line."""
    for finding in result.findings:
        place = f"{finding['path']}:{finding['line']}:{finding['column']}"
        if finding.get("cell") is not None:
            place = f"{finding['path']}:cell {finding['cell']}:{finding['line']}:{finding['column']}"
        evidence = "; ".join(finding.get("evidence", ()))
        print(f"    {place}: {finding['severity']} {finding['rule']} {finding['message']} [{evidence}]")


def measure(names: Sequence[str], data: Path, listed: bool) -> tuple[bool, bool]:
    """Print a table of these corpora: whether a target was missed, and whether a measurement failed."""
    missed = failed = False
    print_heads()
    for name in names:
        try:
            results = run(name, prepare(name, data))
        except (CorpusError, OSError) as error:
            print(f"silence: {error}", file=sys.stderr)
            failed = True
            continue
        for result in results:
            print_result(result)
            if listed:
                print_findings(result)
            for breakdown in result.breakdowns:
                print(f"silence: {breakdown}", file=sys.stderr)
            missed |= not result.target.met(result)
            failed |= bool(result.breakdowns)
    return missed, failed


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the named corpora, or all that have a target."""
    parser = argparse.ArgumentParser(description="Count findings on code that should give none.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(KNOWN)}")
    parser.add_argument("--extra", action="store_true", help="measure those without a target, too")
    parser.add_argument("--list", "--show", action="store_true", dest="listed", help="print the findings")
    parser.add_argument(
        "--data", type=Path, default=DEFAULT_FOLDER, metavar="FOLDER", help="where corpora are"
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in KNOWN]
    if unknown:
        parser.error(f"unknown corpus {unknown[0]!r}; known: {', '.join(KNOWN)}")
    named = options.names or [*TARGETS, *(EXTRA if options.extra else ())]
    tables = [[name for name in named if name in TARGETS], [name for name in named if name in EXTRA]]
    missed = failed = False
    for names in filter(None, tables):
        results = measure(names, options.data, options.listed)
        missed, failed = missed or results[0], failed or results[1]
    return 2 if failed else int(missed)


if __name__ == "__main__":
    sys.exit(main())
