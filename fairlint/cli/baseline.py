"""`fairlint baseline`: a file of the findings that are there, so that later runs tell what is new."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from fairlint.checking.session import Session
from fairlint.cli.arguments import CONFIGURATION, Command, Option, build_configurations
from fairlint.cli.output import write_file, write_stdout
from fairlint.cli.progress import check_with_progress
from fairlint.config import Configurations, usual_baseline
from fairlint.findings.finding import Finding
from fairlint.findings.report import Report
from fairlint.reporters.places import where
from fairlint.reporters.printable import printable
from fairlint.reporters.summary import count_with_noun
from fairlint.support.days import is_day
from fairlint.support.errors import UsageError
from fairlint.support.records import replace
from fairlint.suppression.baseline import (
    Baseline,
    Compared,
    baseline_text,
    compare_baseline,
    entries_of,
    load,
    short,
)

COMMAND = Command(
    "baseline",
    usage="fairlint baseline create|check|prune [OPTION...] [PATH...]",
    description=(
        "Record the present findings in a file, so that later runs report only new ones.\n\n"
        "  create   write the file\n"
        "  check    list new findings and stale entries; exit 1 if there are any\n"
        "  prune    remove stale entries and update the others"
    ),
    groups=(
        (
            "options",
            (
                Option(("--file",), "the baseline (default: fairlint-baseline.jsonl)", takes="FILE"),
                Option(("--reason",), "the reason why these findings stay; only with create", takes="TEXT"),
                Option(
                    ("--until",), "the last day on which they are suppressed; only with create", takes="DATE"
                ),
                Option(("--force",), "replace an existing baseline"),
            ),
        ),
        ("configuration", CONFIGURATION),
    ),
    epilog=(
        "examples:\n  fairlint baseline create --reason 'before the audit of 2026' .\n"
        "  fairlint baseline check .\n  fairlint baseline prune ."
    ),
    words=None,
    acts=("create", "check", "prune"),
)
HINT = "To merge branches that both change it, put this into .gitattributes: {name} merge=union\n"


def run(arguments: Sequence[str]) -> int:
    """Create, check or prune."""
    options = COMMAND.parse(arguments)
    act, *paths = options.words or [""]
    if act not in COMMAND.acts:
        from fairlint.support.did_you_mean import did_you_mean  # noqa: PLC0415 (only where something is wrong)

        hint = did_you_mean(act, COMMAND.acts, most=1)
        raise UsageError(f"say what to do: fairlint baseline create, check or prune{hint} (see --help)")
    for name, value in (("--reason", options.reason), ("--until", options.until)):
        if value is not None and act != "create":
            raise UsageError(f"{name} can only be used with create")
    if options.until is not None and not is_day(options.until):
        raise UsageError(f"--until takes a day such as 2027-06-30, not '{options.until}'")
    paths = paths or ["."]
    configurations = build_configurations(options, paths)
    file = options.file or short(usual_baseline(configurations.run))
    if options.file:
        configurations = configurations.changed(baseline=os.path.abspath(file))  # noqa: PTH100 (start-up)
    if act == "create":
        if os.path.lexists(file) and not options.force:
            raise UsageError(f"{file} already exists; use prune to update it, or --force to replace it")
        report = _report_for_baseline(paths, configurations, file)
        return _create_baseline(file, report, " ".join((options.reason or "").split()), options.until or "")
    baseline = load(file)
    report = _report_for_baseline(paths, configurations, file)
    crew = Session(configurations)
    sides = compare_baseline(report, baseline, paths, lambda path: crew.of_file(path).asked)
    if act == "check":
        write_stdout(_difference_lines(baseline, sides))
        return 2 if report.failed else int(bool(sides.new or sides.stale))
    return _prune_baseline(baseline, report, sides)


def _report_for_baseline(paths: Sequence[str], configurations: Configurations, file: str) -> Report:
    """Return all that is told in the files that this baseline is for, as if there were none."""
    report = check_with_progress(paths, configurations.changed(baseline=""))
    own = os.path.realpath(file)

    def is_own(finding: Finding) -> bool:
        nearest = os.path.realpath(configurations.baseline_of(configurations.of_file(finding.path)) or own)
        return nearest == own or (
            _is_below_baseline(nearest, own) and _is_below_baseline(own, os.path.realpath(finding.path))
        )

    return replace(report, findings=tuple(one for one in report.findings if is_own(one)))


def _is_below_baseline(baseline: str, path: str) -> bool:
    """Return whether a path lies in or below the folder of a baseline."""
    return path.startswith(os.path.dirname(baseline).rstrip(os.sep) + os.sep)  # noqa: PTH120 (start-up)


def _create_baseline(file: str, report: Report, reason: str, until: str) -> int:
    empty = Baseline(file, ())
    entries = entries_of(report.findings, empty.folder, reason, until)
    write_file(file, [baseline_text(entries)])
    write_stdout(
        [
            f"{file}: {count_with_noun(len(entries), 'finding')}.\n",
            HINT.format(name=os.path.basename(file)),  # noqa: PTH119 (start-up)
        ]
    )
    return 2 if report.failed else 0


def _difference_lines(baseline: Baseline, sides: Compared) -> Iterator[str]:
    for finding in sides.new:
        place = f"{where(finding.path, finding.cell, finding.start.line)}:{finding.start.column}"
        yield f"new: {place}: {finding.rule} {printable(finding.message)}\n"
    for entry in sides.stale:
        code = printable(entry.code)
        yield f"stale: {baseline.path}:{entry.line}: {entry.rule} in {printable(entry.path)}: {code}\n"
    more = f" ({sides.grown} of them grown)" if sides.grown else ""
    yield f"{len(sides.kept)} as before, {len(sides.new)} new{more}, {len(sides.stale)} stale.\n"


def _prune_baseline(baseline: Baseline, report: Report, sides: Compared) -> int:
    """Write what is left; entries of files that were not checked stay as they are."""
    gone = {entry.line for entry in sides.stale}
    seen = {entry.line: finding for entry, finding in sides.kept}
    left = []
    for entry in baseline.entries:
        if entry.line in seen:
            left += entries_of([seen[entry.line]], baseline.folder, entry.reason, entry.until)
        elif entry.line not in gone:
            left.append(entry)
    write_file(baseline.path, [baseline_text(left)])
    write_stdout(
        [f"{baseline.path}: {len(gone)} stale taken out, {count_with_noun(len(left), 'finding')} left.\n"]
    )
    return 2 if report.failed else 0
