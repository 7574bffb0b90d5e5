"""What leaves a store: SARIF a repository, a table for people, and a plan of issues. Nothing is sent here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from fairlint.fleet.query import Answers, ask_with_names
from fairlint.fleet.stored_findings import stored_report
from fairlint.fleet.tables import TABLES
from fairlint.reporters import ReportOptions, sarif
from fairlint.reporters.markdown import plain
from fairlint.rules.loading import load_rules
from fairlint.support import whole_files
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file

LARGEST_PLAN = 1_000_000_000
"""Bytes of an earlier plan of issues."""
LONGEST_NAME = 80
"""Characters of a repository's name in that of a file."""
_ODD = re.compile(r"[^A-Za-z0-9._-]+")
_COLUMNS = ", ".join(f'"{one.name}"' for one in TABLES["findings"] if one.name != "details")
_FINDINGS = f"""
    SELECT {_COLUMNS} FROM findings WHERE run = $run
    ORDER BY repository, path, line, "column", rule, identity
"""  # noqa: S608 (the columns are the table's own)
_WHOLE_FINDINGS = """
    SELECT * EXCLUDE (run, date) FROM findings WHERE run = $run ORDER BY repository, path, line, "column"
"""
_COVERAGE = "SELECT * FROM coverage WHERE run = $run ORDER BY repository, path, line"
_CHECKED = """
    SELECT repository, files FROM repositories WHERE run = $run AND status <> 'failed' ORDER BY repository
"""


def file_name(repository: str, suffix: str) -> str:
    """Return a name of a file for a repository: what can be read of its own name, and a sum that tells it
    apart.
    """
    plain_name = _ODD.sub("-", repository).strip("-.")[-LONGEST_NAME:]
    digest = sha256(repository.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{plain_name or 'repository'}-{digest:.8}{suffix}"


def findings_table(connection: Any, run: str) -> Answers:
    """Return all findings of a run, one a row."""
    return ask_with_names(connection.cursor(), _FINDINGS, {"run": run})


def whole_findings(connection: Any, run: str) -> Answers:
    """Return the same with all that `stored_finding` needs."""
    return ask_with_names(connection.cursor(), _WHOLE_FINDINGS, {"run": run})


def checked_repositories(connection: Any, run: str) -> set[str]:
    """Return the repositories that a run has checked, or knows to be unchanged."""
    return {str(row[0]) for row in ask_with_names(connection.cursor(), _CHECKED, {"run": run}).rows}


def write_sarif(connection: Any, run: str, folder: Path) -> int:
    """Write a SARIF log of each repository that was checked, also of one without findings; how many."""
    names = {"run": run}
    findings = _Groups(whole_findings(connection, run))
    coverage = _Groups(ask_with_names(connection.cursor(), _COVERAGE, names))
    rules = load_rules()
    options = ReportOptions(root="/", portable=True, load_rules=lambda: rules)
    count = 0
    for repository, files in ask_with_names(connection.cursor(), _CHECKED, names).rows:
        report = stored_report(findings.of(repository), coverage.of(repository), files)
        target = folder / file_name(repository, ".sarif")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            whole_files.write(target, (text.encode() for text in sarif.report(report, options)))
        except OSError as error:
            raise UsageError(f"{target}: cannot be written: {error.strerror or error}") from None
        count += 1
    return count


def planned_issues(rows: Sequence[Mapping[str, Any]], known: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the issues that findings would become, without those whose fingerprints are known.

    A fingerprint is made of the repository's name and the finding's identity, so it stays when files and
    functions get other names. Equal findings of a repository are numbered in the order of their places.
    """
    seen: dict[str, int] = {}
    for row in rows:
        own, _, _ = str(row["identity"]).rpartition(":")
        digest = sha256(f"{row['repository']}\0{own}".encode("utf-8", "surrogateescape")).hexdigest()
        name = digest[: len(digest) // 2]
        seen[name] = number = seen.get(name, 0) + 1
        fingerprint = f"{name}-{number}"
        if fingerprint not in known:
            yield _issue(row, fingerprint)


def known_fingerprints(path: Path) -> set[str]:
    """Return the fingerprints in an earlier plan, or in a list of such issues; what is wrong is a
    UsageError.
    """
    try:
        values = read_json(read_file(path, LARGEST_PLAN).decode("utf-8"))
    except (NotReadableError, ValueError) as error:
        raise UsageError(f"{path}: {error}") from None
    issues = values.get("issues") if isinstance(values, dict) else values
    if not isinstance(issues, list) or not all(
        isinstance(one, dict) and "fingerprint" in one for one in issues
    ):
        raise UsageError(f"{path}: is no plan of issues: each of 'issues' has a 'fingerprint'")
    return {str(one["fingerprint"]) for one in issues}


def plan_lines(run: str, issues: Iterator[dict[str, Any]]) -> Iterator[str]:
    """Yield a plan as JSON."""
    yield f'{{"run": {json.dumps(run)}, "sent": false, "issues": ['
    for number, issue in enumerate(issues):
        yield ("\n" if number == 0 else ",\n") + json.dumps(issue, ensure_ascii=False)
    yield "\n]}\n"


def _issue(row: Mapping[str, Any], fingerprint: str) -> dict[str, Any]:
    place = f"{row['path']}:{row['line']}" + (f" (cell {row['cell']})" if row["cell"] else "")
    lines = [
        plain(str(row["message"])),
        "",
        f"Where: {plain(place)}",
        f"Rule: {row['rule']} ({row['name']}), {row['severity']}, confidence {row['confidence']}",
        f"About: {', '.join(row['attributes'])}",
        "",
        plain(str(row["advice"])),
    ]
    if row["laws"]:
        lines += ["", f"Laws (`fairlint laws ID`): {', '.join(row['laws'])}"]
    return {
        "repository": row["repository"],
        "title": f"{row['rule']} {row['name']}: {row['attribute']} in {row['path']}",
        "body": "\n".join([*lines, "", f"fairlint fingerprint: {fingerprint}"]),
        "owners": list(row["owners"]),
        "labels": ["fairlint", row["severity"]],
        "fingerprint": fingerprint,
        "severity": row["severity"],
        "rule": row["rule"],
        "path": row["path"],
        "line": row["line"],
    }


class _Groups:
    """Rows by repository, of answers that come in the order of their names."""

    def __init__(self, answers: Answers) -> None:
        rows = (dict(zip(answers.columns, row, strict=True)) for row in answers.rows)
        self._groups = groupby(rows, key=itemgetter("repository"))
        self._next = self._take()

    def of(self, repository: str) -> list[Mapping[str, Any]]:
        """Return the rows of a repository; names are asked for in their order."""
        while self._next is not None and self._next[0] < repository:
            self._next = self._take()
        if self._next is None or self._next[0] != repository:
            return []
        found = self._next[1]
        self._next = self._take()
        return found

    def _take(self) -> tuple[str, list[Mapping[str, Any]]] | None:
        found = next(self._groups, None)
        return None if found is None else (str(found[0]), list(found[1]))
