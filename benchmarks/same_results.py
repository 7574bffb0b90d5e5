"""Compares what two checkouts say about the same paths, byte for byte: findings, uses, and gaps.

    python benchmarks/same_results.py OLD_CHECKOUT NEW_CHECKOUT PATH...

For a change that is to make fairlint faster and nothing else. Everything down to notes is compared, in one
process and without kept results; each line that only one checkout gives is printed. Exit status: 0 where all
is the same, 1 where it is not.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

HELD = ("findings", "uses", "not_analysed", "suppressed", "checked", "left_out")
"""What is compared of a report, next to its findings as JSON."""
MOST_LINES = 200
"""Differences that are printed."""


def result_lines(paths: Sequence[str]) -> Iterator[str]:
    """Yield what the fairlint of this process says about paths, one thing a line."""
    from fairlint import Settings, UsageError, check_paths  # noqa: PLC0415 (the path says which fairlint is asked)
    from fairlint.reporters.json import finding_object  # noqa: PLC0415 (as above)

    settings = Settings(min_severity="note", exclude=(), respect_gitignore=False, jobs=1, file_timeout=0.0)
    for path in paths:
        try:
            report = check_paths([path], settings)
        except UsageError as error:
            yield f"error: {error}"
            continue
        for name in HELD:
            for one in getattr(report, name):
                yield f"{name}: {one!r}"
        yield f"hidden: {report.hidden_notes} {sorted(report.by_context.items())}"
        yield from (json.dumps(finding_object(finding)) for finding in report.findings)


def results_of(checkout: Path, paths: Sequence[str]) -> list[str]:
    """Return the lines of a checkout, and print the processor time that they took."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0"}
    before = os.times()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        words = [sys.executable, __file__, "--print", *paths]
        subprocess.run(words, env=environment, stdout=file, check=True, cwd=tempfile.gettempdir())
        file.seek(0)
        lines = file.read().splitlines()
    after = os.times()
    taken = after.children_user + after.children_system - before.children_user - before.children_system
    print(f"{checkout}: {len(lines)} lines, {taken:.1f} s of CPU", flush=True)
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and report."""
    parser = argparse.ArgumentParser(description="Compare what two checkouts say, byte for byte.")
    parser.add_argument("--print", action="store_true", help="print what this fairlint says")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="two checkouts, and what they are to check")
    options = parser.parse_args(arguments)
    if options.print:
        for line in result_lines(options.paths):
            print(line)
        return 0
    if len(options.paths) < 3:
        parser.error("two checkouts and a path are needed")
    old, new, *paths = (str(Path(path).resolve()) for path in options.paths)
    before, after = results_of(Path(old), paths), results_of(Path(new), paths)
    if before == after:
        print("the same")
        return 0
    different = list(difflib.unified_diff(before, after, "old", "new", n=0, lineterm=""))
    print("\n".join(line[:500] for line in different[:MOST_LINES]))
    return 1


if __name__ == "__main__":
    sys.exit(main())
