"""What repositories get with which they begin to use fairlint: a baseline of what a run found, a job of CI,
and a hook of pre-commit. It is written as patches, or as branches of checkouts on this machine.

Nothing is applied or pushed, and no file is replaced: `git apply` refuses a patch where a file that it adds
is there, and such a repository gets no branch.
"""

from __future__ import annotations

import difflib
import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from fairlint.config.settings import BASELINE
from fairlint.fleet import pre_commit
from fairlint.fleet.branches import Change, NotWrittenError, write_branch
from fairlint.fleet.outward import file_name, whole_findings
from fairlint.fleet.query import ask_with_names
from fairlint.fleet.stored_findings import stored_finding
from fairlint.support import whole_files
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, field
from fairlint.suppression.baseline import baseline_text, entries_of

MESSAGE = """\
Check with fairlint

The baseline holds what was there before, so that only new findings fail.
"""
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
_REPOSITORIES = "SELECT * FROM repositories WHERE run = $run ORDER BY repository"


class Wanted(Record):
    """What is to be added: why and until when the baseline holds, and what stands beside it."""

    reason: str = ""
    until: str = ""
    with_ci: bool = True
    with_pre_commit: bool = True


class Written(Record, frozen=False):
    """How many repositories got something, and why others got nothing or less: reason → names."""

    count: int = 0
    left_out: dict[str, list[str]] = field(default_factory=dict)

    def leave_out(self, reason: str, repository: str) -> None:
        """Note a repository that gets nothing or less."""
        self.left_out.setdefault(reason, []).append(repository)


class _Found(NamedTuple):
    """The row of a repository, and those of its findings."""

    row: Mapping[str, Any]
    findings: list[Mapping[str, Any]]


def write_patches(connection: Any, run: str, folder: Path, wanted: Wanted) -> Written:
    """Write a patch for each repository with findings."""
    written = Written()
    for row, findings in _repositories(connection, run):
        text = "".join(patch_lines(_changes(row, findings, wanted, written)))
        target = folder / file_name(str(row["repository"]), ".patch")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            whole_files.write_text(target, text)
        except OSError as error:
            raise UsageError(f"{target}: cannot be written: {error.strerror or error}") from None
        written.count += 1
    return written


def write_branches(connection: Any, run: str, branch: str, wanted: Wanted) -> Written:
    """Write a branch into each checkout of this machine with findings, on top of the commit of the run."""
    written = Written()
    for row, findings in _repositories(connection, run):
        name, commit = str(row["repository"]), str(row["commit"])
        place = Path(str(row["address"]))
        if row["kind"] != "folder" or ":" in commit or not place.is_dir():
            written.leave_out("no branch: it is no git repository on this machine", name)
            continue
        try:
            write_branch(place, commit, branch, _changes(row, findings, wanted, written), MESSAGE)
            written.count += 1
        except NotWrittenError as error:
            written.leave_out(f"no branch: {error}", name)
    return written


def patch_lines(changes: Sequence[Change]) -> Iterator[str]:
    """Yield a patch as `git apply` takes it."""
    for one in changes:
        source = "/dev/null" if one.before is None else f"a/{one.path}"
        yield f"diff --git a/{one.path} b/{one.path}\n"
        if one.before is None:
            yield "new file mode 100644\n"
        lines = difflib.unified_diff(_lines(one.before or ""), _lines(one.after), source, f"b/{one.path}")
        for line in lines:
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _changes(
    row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], wanted: Wanted, written: Written
) -> list[Change]:
    """Return the files of one repository that are made or changed."""
    findings = [stored_finding(one) for one in rows]
    entries = entries_of(findings, str(Path.cwd()), wanted.reason, wanted.until)
    changes = [Change(BASELINE, None, baseline_text(entries))]
    if wanted.with_ci:
        changes.append(Change(WORKFLOW_PATH, None, WORKFLOW))
    if wanted.with_pre_commit:
        before = row.get("pre_commit")
        try:
            after = pre_commit.with_hook(before)
        except pre_commit.NotExtendedError as error:
            written.leave_out(f"{pre_commit.NAME} is left as it is: {error}", str(row["repository"]))
        else:
            changes += [Change(pre_commit.NAME, before or None, after)] if after != before else []
    return changes


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their ends, as git tells them apart."""
    return list(io.StringIO(text, newline="\n"))


def _repositories(connection: Any, run: str) -> Iterator[_Found]:
    """Yield the rows of repositories with findings, each with the rows of these."""
    answers = ask_with_names(connection.cursor(), _REPOSITORIES, {"run": run})
    known = {str(row[answers.columns.index("repository")]): row for row in answers.rows}
    found = whole_findings(connection, run)
    rows = (dict(zip(found.columns, row, strict=True)) for row in found.rows)
    for repository, group in groupby(rows, key=itemgetter("repository")):
        row = dict(zip(answers.columns, known[str(repository)], strict=True))
        yield _Found(row, list(group))
