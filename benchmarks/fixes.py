"""What fixes do to code: `python benchmarks/fixes.py PATH...` tries each on its own, and then all of a file.

Nothing is written. For each file the fixes of all its findings are worked out. Each alone has to parse, to
remove its finding, to add none and to change nothing outside of its edits; all of them in rounds have to do
the same, and a second run has to find nothing to do. The table says by rule how many findings there are, for
how many a fix was drafted, held, and how many went in the end.
"""

from __future__ import annotations

import argparse
import ast
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path

from fairlint import Settings, check_paths, check_source
from fairlint.findings.finding import Finding, Fix
from fairlint.fixes import fixes_of
from fairlint.fixes.files import changed_source, fixes_that_hold
from fairlint.fixes.text import NotFixableError, apply_edits, read_text
from fairlint.support.records import Record, field
from fairlint.syntax.source import Source

SETTINGS = Settings(min_severity="note", persona="auditor")
Known = Counter[tuple[str, str, str]]


class Tally(Record, frozen=False):
    """What was counted, and what was wrong."""

    findings: Counter[str] = field(default_factory=Counter)
    drafted: Counter[str] = field(default_factory=Counter)
    held: Counter[str] = field(default_factory=Counter)
    applied: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def known(raw: bytes, path: str) -> Known:
    """What is told of a text, by rule, severity and attribute."""
    report = check_source(raw, path=path, settings=SETTINGS, in_project=True)
    return Counter((one.rule, one.severity, one.use.attribute) for one in report.findings if one.path == path)


def rules(told: Known) -> Counter[tuple[str, str]]:
    """How often each rule speaks, and how gravely, whatever the attribute."""
    return Counter((rule, severity) for rule, severity, _ in told.elements())


def is_python(raw: bytes) -> bool:
    """Whether Python parses it."""
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(raw)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def outside(data: bytes, fix: Fix) -> list[bytes]:
    """What of a text is in no edit."""
    ends = [0, *(edit.end for edit in fix.edits)]
    starts = [*(edit.start for edit in fix.edits), len(data)]
    return [data[start:end] for start, end in zip(ends, starts, strict=True)]


def wrongs(path: str, raw: bytes, before: Known, finding: Finding, fix: Fix) -> Iterator[str]:
    """What a fix does that it should not."""
    text = read_text(raw, None)
    changed = apply_edits(text.data, fix.edits)
    rest = b"".join(outside(text.data, fix))
    inserted = b"".join(edit.text.encode() for edit in fix.edits)
    if len(changed) != len(rest) + len(inserted) or Counter(changed) != Counter(rest + inserted):
        yield "changes more than its edits"
    if finding.cell is None and not is_python(changed):
        yield "does not parse"
        return
    after = known(text.mark + changed, path)
    key = (finding.rule, finding.severity, finding.use.attribute)
    if after[key] >= before[key]:
        yield "does not remove its finding"
    if more := rules(after) - rules(before):
        yield f"adds {sorted(more.elements())}"


def tried(path: str, raw: bytes, source: Source, findings: Sequence[Finding], tally: Tally) -> str:
    """Tries all fixes of one file; what changes, as a diff."""
    notebook = raw if any(one.cell is not None for one in findings) else None
    drafted = fixes_of(source, findings, notebook)
    tally.drafted.update(one.rule for one in findings if one.identity in drafted)
    if not drafted:
        return ""
    before = known(raw, path)
    held = fixes_that_hold(path, raw, findings, SETTINGS)
    for finding, fix in held:
        tally.held[finding.rule] += 1
        at = f"{path}:{finding.start.line} {finding.rule}"
        tally.wrong += (f"{at}: {wrong}" for wrong in wrongs(path, raw, before, finding, fix))
    done = changed_source(path, raw, findings, SETTINGS, unsafe=True)
    tally.applied.update(finding.rule for finding, _ in done.fixes)
    after = done.after.encoded()
    if rules(known(after, path)) - rules(before) or (notebook is None and not is_python(after)):
        tally.wrong.append(f"{path}: all fixes together add a finding, or do not parse")
    left = check_source(after, path=path, settings=SETTINGS, in_project=True).findings
    again = changed_source(path, after, [one for one in left if one.path == path], SETTINGS, unsafe=True)
    if again.after.data != done.after.data:
        tally.left[path] += 1
    lines = [text.data.decode().splitlines(keepends=True) for text in (done.before, done.after)]
    return "".join(unified_diff(lines[0], lines[1], path, path, n=2))


def main() -> int:
    """Prints the table, and all that is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--diff", type=Path, help="write what changes to this file")
    options = parser.parse_args()
    report = check_paths(options.paths, SETTINGS)
    tally, by_path, diffs = Tally(), dict[str, list[Finding]](), list[str]()
    for finding in report.findings:
        tally.findings[finding.rule] += 1
        if finding.remedies:
            by_path.setdefault(finding.path, []).append(finding)
    for path, findings in by_path.items():
        source = report.sources.get(path)
        if source is None or source.path != path:
            continue
        try:
            diffs.append(tried(path, Path(path).read_bytes(), source, findings, tally))
        except NotFixableError as error:
            print(f"{path}: {error}", file=sys.stderr)
    if options.diff:
        options.diff.write_text("".join(diffs), encoding="utf-8", errors="backslashreplace")
    print("rule    findings  drafted  held  applied")
    for rule in sorted(tally.drafted):
        counts = (tally.findings[rule], tally.drafted[rule], tally.held[rule], tally.applied[rule])
        print(f"{rule}   {counts[0]:>8} {counts[1]:>8} {counts[2]:>5} {counts[3]:>8}")
    counters = (tally.findings, tally.drafted, tally.held, tally.applied)
    print("all  ", *(counter.total() for counter in counters))
    print(f"{len(tally.left)} files in which a second run finds more to do:", *tally.left)
    print(f"{len(tally.wrong)} wrong", *tally.wrong, sep="\n")
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main())
