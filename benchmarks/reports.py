"""Runs fairlint on the commits before and after the fix of public reports about bias in code.

    python benchmarks/reports.py --mirrors DIR [--only TEXT] [--show]

The reports are in benchmarks/wild/reports.json: the repository, where the bias was reported or fixed, both
commits, the path, the attributes, and what was biased. DIR holds the git directory of each repository, as for
benchmarks/wild.py. A finding counts if it is about one of the attributes, and if it starts, or has a step,
within four lines of a line that the fix changed; of a notebook, in a cell that the fix changed.

The verdict is `loud, then quiet` where a warning or an error counts before the fix and none after it, `note,
then quiet` where only a note counts before and nothing after, `still there` where it is reported on both
sides, and `missed` where nothing counts before.

Exit status: 0, or 1 where no report could be run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wild import HERE, LOUD, Finding, Repository, check_out, git_directory, spot

from fairlint.support.line_comparison import different, lines

REPORTS = HERE / "reports.json"
NEAR = 4
SEVERITIES = ("error", "warning", "note")
VERDICTS = ("loud, then quiet", "note, then quiet", "still there", "missed")

Cells = dict[int | None, bytes]
"""The text of a file by cell; a file that is no notebook is one cell, None."""


@dataclass(frozen=True)
class Report:
    """One public report, with the commits before and after its fix."""

    repo: str
    issue: str
    before: str
    after: str
    path: str
    attributes: tuple[str, ...]
    biased: str


@dataclass(frozen=True)
class Side:
    """The file at one of the commits, with what fairlint says of it."""

    cells: Cells
    findings: list[Finding]


def reports(path: Path = REPORTS) -> list[Report]:
    """The reports of a file like benchmarks/wild/reports.json."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [Report(**{**row, "attributes": tuple(row["attributes"])}) for row in rows]


def cells_of(path: Path) -> Cells:
    """The text of a file by cell; nothing where the commit does not have it."""
    data = path.read_bytes() if path.is_file() else b""
    if path.suffix != ".ipynb" or not data:
        return {None: data}
    cells = json.loads(data)["cells"]
    texts = (cell["source"] for cell in cells)
    return {number: "".join(text).encode() for number, text in enumerate(texts, 1)}


def checked(report: Report, commit: str, git: Path) -> Side | None:
    """The file and its findings at a commit, with the rest of the repository beside it; None without it."""
    with tempfile.TemporaryDirectory() as folder:
        if not check_out(Repository(report.repo, commit, "", ""), git, Path(folder)):
            return None
        cells = cells_of(Path(folder) / report.path)
        command = [sys.executable, "-m", "fairlint", "check", "--format=json", "--isolated", "--no-cache"]
        command += ["--no-gitignore", "--min-severity=note", "--exit-zero", report.path]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if not done.stdout:
        print(f"fairlint says nothing of {report.repo} at {commit}: {done.stderr.strip()}", file=sys.stderr)
        return None
    return Side(cells, json.loads(done.stdout)["findings"])


def changed(own: Cells, other: Cells) -> dict[int | None, list[range]]:
    """The lines of each cell that the other side does not have; of what is gone, those around the gap.

    Cells are compared by their place, unless the same text stands in another cell of the other side.
    """
    moved = set(other.values())
    return {
        number: different(lines(other.get(number, b"")), lines(text))
        for number, text in own.items()
        if number is None or text not in moved
    }


def counting(side: Side, other: Side, report: Report) -> list[Finding]:
    """The findings of one side that are about the report's attributes, at or near what the fix changed."""
    places = changed(side.cells, other.cells)
    return [
        finding
        for finding in side.findings
        if not set(report.attributes).isdisjoint(finding.get("attributes") or [finding["attribute"]])
        and any(
            path == report.path and span.start - NEAR <= line < span.stop + NEAR
            for path, cell, line in map(spot, [finding, *finding["flow"]])
            for span in places.get(cell, ())
        )
    ]


def verdict(before: Sequence[Finding], after: Sequence[Finding]) -> str:
    """What the two sides come to."""
    was_loud = any(finding["severity"] in LOUD for finding in before)
    is_loud = any(finding["severity"] in LOUD for finding in after)
    if was_loud:
        return "still there" if is_loud else "loud, then quiet"
    if before:
        return "still there" if after else "note, then quiet"
    return "missed"


def told(findings: Sequence[Finding]) -> str:
    """Findings in a few words: `error FL201, note FL101 (2)`."""
    counted = Counter((finding["severity"], finding["rule"]) for finding in findings)
    ordered = sorted(counted.items(), key=lambda item: (SEVERITIES.index(item[0][0]), item[0][1]))
    return ", ".join(
        f"{severity} {rule}{f' ({number})' if number > 1 else ''}" for (severity, rule), number in ordered
    )


def table(rows: Sequence[tuple[Report, list[Finding], list[Finding]]]) -> Iterator[str]:
    """The rows as a table of Markdown, the best verdicts first, and how often each is reached."""
    yield "| report | what was biased | before | after | verdict |"
    yield "|---|---|---|---|---|"
    said = [(verdict(before, after), report, before, after) for report, before, after in rows]
    for found, report, before, after in sorted(said, key=lambda row: VERDICTS.index(row[0])):
        link = f"[{report.repo}]({report.issue})"
        columns = (link, report.biased, told(before) or "–", told(after) or "–", found)
        yield f"| {' | '.join(columns)} |"
    counted = Counter(found for found, *_ in said)
    yield ""
    yield f"{len(said)} reports: " + ", ".join(f"{counted[one]} {one}" for one in VERDICTS if counted[one])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the reports and print the table."""
    parser = argparse.ArgumentParser(description="Run fairlint before and after the fixes of public reports.")
    parser.add_argument("--mirrors", type=Path, required=True, metavar="DIR", help="the bare git directories")
    parser.add_argument("--reports", type=Path, default=REPORTS, metavar="FILE")
    parser.add_argument("--only", default="", metavar="TEXT", help="repositories or paths that hold this")
    parser.add_argument("--show", action="store_true", help="the messages that count, too")
    options = parser.parse_args(arguments)
    rows = []
    for report in reports(options.reports):
        if options.only not in f"{report.repo}/{report.path}":
            continue
        git = git_directory(options.mirrors, report.repo)
        before = checked(report, report.before, git) if git is not None else None
        after = checked(report, report.after, git) if git is not None and before is not None else None
        if before is None or after is None:
            print(f"not at hand: {report.repo}", file=sys.stderr)
            continue
        found = (counting(before, after, report), counting(after, before, report))
        rows.append((report, *found))
        if options.show:
            print(f"{report.repo}/{report.path}: {report.biased}")
            for side, findings in zip(("before", "after"), found, strict=True):
                for one in findings:
                    print(f"  {side} {one['line']} {one['severity']} {one['rule']}: {one['message']}")
    print(*table(rows), sep="\n")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
