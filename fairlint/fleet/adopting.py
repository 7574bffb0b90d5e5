"""Patches with which repositories begin to use fairlint: a baseline of what a run found, and a job of CI.

A patch adds files and changes none, so `git apply` refuses it where one of them is there. Nothing is applied
or pushed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from fairlint.config.settings import BASELINE
from fairlint.fleet.outward import file_name, whole_findings
from fairlint.fleet.stored_findings import stored_finding
from fairlint.support import whole_files
from fairlint.support.errors import UsageError
from fairlint.suppression.baseline import baseline_text, entries_of

WORKFLOW_PATH = ".github/workflows/fairlint.yml"
WORKFLOW = """\
name: fairlint
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  fairlint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683  # v4.2.2
        with:
          persist-credentials: false
      - run: pip install fairlint
      - run: fairlint .
"""


def write_patches(
    connection: Any, run: str, folder: Path, *, reason: str = "", until: str = "", with_ci: bool = True
) -> int:
    """Write a patch for each repository with findings; the result is how many."""
    answers = whole_findings(connection, run)
    rows = (dict(zip(answers.columns, row, strict=True)) for row in answers.rows)
    count = 0
    for repository, group in groupby(rows, key=itemgetter("repository")):
        text = "".join(patch_lines(list(group), reason=reason, until=until, with_ci=with_ci))
        target = folder / file_name(str(repository), ".patch")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            whole_files.write_text(target, text)
        except OSError as error:
            raise UsageError(f"{target}: cannot be written: {error.strerror or error}") from None
        count += 1
    return count


def patch_lines(
    rows: Sequence[Mapping[str, Any]], *, reason: str = "", until: str = "", with_ci: bool = True
) -> Iterator[str]:
    """Yield the patch of one repository, from its findings."""
    findings = [stored_finding(row) for row in rows]
    yield from _new_file(BASELINE, baseline_text(entries_of(findings, str(Path.cwd()), reason, until)))
    if with_ci:
        yield from _new_file(WORKFLOW_PATH, WORKFLOW)


def _new_file(path: str, text: str) -> Iterator[str]:
    lines = text.removesuffix("\n").split("\n")
    yield f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
    yield f"@@ -0,0 +1,{len(lines)} @@\n"
    yield from (f"+{line}\n" for line in lines)
