"""Counts what fairlint reports on code that does not treat people by a protected attribute.

    python benchmarks/silence.py [NAME ...] [--show] [--data FOLDER]

NAME is `stdlib`, `c-controls` or a package of corpora.py; default: all.
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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora import CORPORA, DEFAULT_FOLDER, CorpusError, fetch, lines_of, standard_library

HERE = Path(__file__).resolve().parent
SAMPLES_VARIABLE = "FAIRLINT_SAMPLES"
CONTROLS = "small_model_and_control_code.jsonl"

PYTHON = frozenset({".py", ".pyi", ".pyw"})
C = frozenset({".c", ".h"})
RUN = "import sys; from fairlint.cli import main; sys.exit(main())"
CONFIGURATION = 'respect-gitignore = false\nexclude = []\nmin-severity = "note"\n'


@dataclass(frozen=True, slots=True)
class Target:
    """What may be reported at most: warnings and errors per 100,000 lines, or in all where that is given."""

    words: str
    met: Callable[[Result], bool]


@dataclass(slots=True)
class Result:
    """What one corpus gave."""

    name: str
    files: int
    lines: int
    seconds: float
    severities: Counter[str] = field(default_factory=Counter)
    not_analysed: int = 0
    findings: list[dict[str, Any]] = field(default_factory=list)

    @property
    def loud(self) -> int:
        """Warnings and errors."""
        return self.severities["error"] + self.severities["warning"]

    @property
    def per_100k(self) -> float:
        """Warnings and errors per 100,000 lines."""
        return self.loud * 100_000 / self.lines if self.lines else 0.0


NONE = Target("0", lambda result: result.loud == 0)
FEW = Target("<= 1 per 100k", lambda result: result.per_100k <= 1)
NOTES_ONLY = Target("notes only", lambda result: result.loud == 0)
TWO = Target("<= 2", lambda result: result.loud <= 2)

TARGETS = {
    "stdlib": NONE,
    "c-controls": NONE,
    **dict.fromkeys(CORPORA, FEW),
    "aif360": NOTES_ONLY,
    "fairlearn": NOTES_ONLY,
    "nle": TWO,
}
SUFFIXES = {"c-controls": C, "nle": C}
"""The corpora that are measured in C alone."""


def prepare(name: str, data: Path) -> Path:
    """The folder of a corpus, fetched or written if it is not there."""
    if name == "stdlib":
        return standard_library(data)
    if name == "c-controls":
        return c_controls(data)
    return fetch(CORPORA[name], data)


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


def run(name: str, folder: Path) -> Result:
    """Lint a corpus in a fresh process, as a user would."""
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
        if done.returncode or not output.is_file():
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise CorpusError(f"{name}: fairlint ended with {done.returncode}: {last}")
        report = json.loads(output.read_text(encoding="utf-8"))
    suffixes = SUFFIXES.get(name, PYTHON | C)
    files, lines = lines_of(folder, suffixes)
    findings = [finding for finding in report["findings"] if Path(finding["path"]).suffix in suffixes]
    skipped = sum(Path(entry["path"]).suffix in suffixes for entry in report["not_analysed"])
    severities = Counter(finding["severity"] for finding in findings)
    return Result(name, files, lines, seconds, severities, skipped, findings)


def _python_path() -> list[str]:
    return [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []


def print_result(result: Result) -> None:
    """One row of the table."""
    target = TARGETS[result.name]
    print(
        f"{result.name:<14}{result.files:>7}{result.lines:>9}{result.severities['error']:>8}"
        f"{result.severities['warning']:>10}{result.severities['note']:>7}{result.per_100k:>10.2f}"
        f"{result.not_analysed:>14}{result.seconds:>8.1f}  {target.words:<15}"
        f"{'pass' if target.met(result) else 'FAIL'}",
        flush=True,
    )


def print_findings(result: Result) -> None:
    """The findings of a corpus, one a line."""
    for finding in result.findings:
        place = f"{finding['path']}:{finding['line']}:{finding['column']}"
        evidence = "; ".join(finding.get("evidence", ()))
        print(f"    {place}: {finding['severity']} {finding['rule']} {finding['message']} [{evidence}]")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the named corpora, or all."""
    parser = argparse.ArgumentParser(description="Count findings on code that should give none.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(TARGETS)}; default: all")
    parser.add_argument("--show", action="store_true", help="print the findings")
    parser.add_argument(
        "--data", type=Path, default=DEFAULT_FOLDER, metavar="FOLDER", help="where corpora are"
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in TARGETS]
    if unknown:
        parser.error(f"unknown corpus {unknown[0]!r}; known: {', '.join(TARGETS)}")
    print(
        f"{'':<14}{'files':>7}{'lines':>9}{'errors':>8}{'warnings':>10}{'notes':>7}{'per 100k':>10}"
        f"{'not analysed':>14}{'s':>8}  target"
    )
    missed = failed = False
    for name in options.names or TARGETS:
        try:
            result = run(name, prepare(name, options.data))
        except (CorpusError, OSError) as error:
            print(f"silence: {error}", file=sys.stderr)
            failed = True
            continue
        print_result(result)
        if options.show:
            print_findings(result)
        missed |= not TARGETS[name].met(result)
    return 2 if failed else int(missed)


if __name__ == "__main__":
    sys.exit(main())
