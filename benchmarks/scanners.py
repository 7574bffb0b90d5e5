"""How other scanners judge the programs in `fixtures/`: which of those with a finding, and of those without.

    python benchmarks/scanners.py --write DIR  # the programs, without the comments that say what is expected
    python benchmarks/scanners.py REPORT ...   # what each report flags: SARIF, or a text that names files

Run a scanner on DIR in between, for example:

    fairlint --isolated --format sarif --output fairlint.sarif DIR
    regula check --format sarif DIR > regula.sarif
    regula check --include-gdpr --verbose DIR > regula-gdpr.txt
    aibom-scanner scan --path DIR --format sarif --output aibom.sarif
    aicomply scan DIR --format sarif --output aicomply.sarif

Only the single files in Python and C count, and as findings those of severity warning and error.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from expectations import read_code

from fairlint.rules.loading import load_rules

ROOT = Path(__file__).resolve().parent.parent / "fixtures"
PROGRAMS = sorted([*(ROOT / "python").glob("*.py"), *(ROOT / "c").glob("*.c")])


def programs() -> Iterator[tuple[str, str, frozenset[int]]]:
    """Each program's name, its text without expectations, and the lines of its warnings and errors."""
    usual = {rule.code: rule.severity for rule in load_rules()}
    for path in PROGRAMS:
        marked = read_code(path.read_text("utf-8"))
        severities = [(one.line, one.severity or usual[one.rule]) for one in marked.expected]
        yield path.name, marked.code, frozenset(line for line, severity in severities if severity != "note")


def flagged(report: Path) -> set[tuple[str, int]]:
    """File names and lines of the results of a SARIF report, or of those that a text names as `FILE:LINE`."""
    text = report.read_text("utf-8")
    if report.suffix != ".sarif":
        named = re.findall(r"([\w.-]+\.(?:py|c))\b(?::(\d+))?", text)
        return {(name, int(line or 0)) for name, line in named}
    places = set()
    for run in json.loads(text)["runs"]:
        for result in run.get("results", ()):
            for location in result.get("locations", ()):
                physical = location.get("physicalLocation", {})
                name = PurePosixPath(unquote(physical.get("artifactLocation", {}).get("uri", ""))).name
                places.add((name, physical.get("region", {}).get("startLine", 0)))
    return places


def row(report: Path) -> str:
    """What one report flags of the biased files, of the clean ones, and of the lines with a finding."""
    places = flagged(report)
    files = {name for name, _ in places}
    known = list(programs())
    biased = {name for name, _, lines in known if lines}
    clean = {name for name, _, lines in known if not lines}
    wanted = {(name, line) for name, _, lines in known for line in lines}
    return (
        f"{report.name}: {len(files & biased)} of {len(biased)} files with a finding, "
        f"{len(files & clean)} of {len(clean)} without, {len(wanted & places)} of {len(wanted)} lines"
    )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", type=Path, metavar="DIR", help="write the programs to DIR")
    parser.add_argument("reports", nargs="*", type=Path)
    given = parser.parse_args()
    if given.write:
        given.write.mkdir(parents=True, exist_ok=True)
        for name, code, _ in programs():
            (given.write / name).write_text(code, encoding="utf-8")
    for report in given.reports:
        print(row(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
