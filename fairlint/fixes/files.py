"""Files that are to be fixed: which may be, what becomes of them, and how they are written."""

# Paths are plain `str`, as everywhere where files are found and read.
# ruff: noqa: PTH100, PTH114, PTH206

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from fairlint.checking.runner import check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding
from fairlint.fixes.checking import FixOfFinding, Looked, Trial
from fairlint.fixes.text import NotFixableError, Text, read_text
from fairlint.sources.discovery import is_left_out
from fairlint.sources.files_to_check import suffix_language, suffixes_of
from fairlint.support.files import NotReadableError, leads_out, read_file, repository_of
from fairlint.support.records import Record, replace
from fairlint.syntax.registry import languages

GENERATED = re.compile(
    rb"^[ \t]*#.*(?:@generated|auto-?(?:matically )?generated|generated (?:by|from)|do not edit)",
    re.IGNORECASE | re.MULTILINE,
)
BEGINNING = 2_000
"""Bytes of a file in which it says that a program wrote it."""


class Changed(Record):
    """What becomes of one file: its text before and after, and the findings that go."""

    path: str
    before: Text
    after: Text
    fixes: tuple[FixOfFinding, ...]


def apply_fixes(path: str, findings: Sequence[Finding], settings: Settings, *, unsafe: bool) -> Changed:
    """Return a file after its fixes; one that is to be left as it is, is a NotFixableError."""
    begun = _start_trial(path, _read_fixable_file(path, settings), settings)
    return _changed_by_fixes(path, begun, findings, unsafe=unsafe)


def changed_source(
    path: str, raw: bytes, findings: Sequence[Finding], settings: Settings, *, unsafe: bool
) -> Changed:
    """Return the same for what came by standard input, or is in an editor."""
    return _changed_by_fixes(path, _start_trial(path, raw, settings), findings, unsafe=unsafe)


def _changed_by_fixes(path: str, begun: _Started, findings: Sequence[Finding], *, unsafe: bool) -> Changed:
    done = begun.trial.applied(findings, unsafe=unsafe)
    return Changed(path, begun.text, replace(begun.text, data=begun.trial.data), tuple(done))


def fixes_that_hold(
    path: str, raw: bytes, findings: Sequence[Finding], settings: Settings, *, unsafe: bool = True
) -> list[FixOfFinding]:
    """Return the fixes of findings of one file that the checker agrees with, each for the text as it is."""
    return _start_trial(path, raw, settings).trial.fitting(findings, unsafe=unsafe)


class _Started(Record):
    """A file's text, and a trial of fixes on it."""

    text: Text
    trial: Trial


def _start_trial(path: str, raw: bytes, settings: Settings) -> _Started:
    known = languages()
    name = suffix_language(path, suffixes_of(known.values()))
    text = read_text(raw, known.get(name or ""))
    loud = settings.with_changes(
        select=(), ignore=(), min_severity="note", min_confidence="low", persona="auditor"
    )

    def look(data: bytes) -> Looked:
        encoded = replace(text, data=data).encoded()
        report = check_source(encoded, path=path, settings=loud, in_project=True)
        return Looked(
            tuple(one for one in report.findings if one.path == path),
            tuple(one.finding for one in report.suppressed if one.finding.path == path),
            tuple(gap.reason for gap in report.not_analysed),
            report.sources.get(path),
        )

    return _Started(text, Trial(text.data, look))


def _read_fixable_file(path: str, settings: Settings) -> bytes:
    """Return the bytes of a file that may be changed; else a NotFixableError."""
    if _leads_elsewhere(path):
        raise NotFixableError("a symbolic link leads out of the repository")
    if is_left_out(path, settings):
        raise NotFixableError("it is excluded, or git ignores it")
    try:
        raw = read_file(path, settings.max_file_size)
    except NotReadableError as error:
        raise NotFixableError(str(error)) from None
    if GENERATED.search(raw[:BEGINNING]):
        raise NotFixableError("it says that a program wrote it")
    return raw


def _leads_elsewhere(path: str) -> bool:
    """Return whether a path leads through a link to something outside of the repository that the
    link is in.
    """
    whole = os.path.abspath(path)
    if os.path.realpath(whole) == whole:
        return False
    above = ""
    for part in whole.split(os.sep):
        here = f"{above}{os.sep}{part}" if part else ""
        if here and os.path.islink(here) and leads_out(here, repository_of(above or os.sep)):
            return True
        above = here
    return False
