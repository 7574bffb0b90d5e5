"""The baseline: a file of findings that were there before, so that a run tells what is new.

It is reviewed and kept beside the code: a line of JSON an entry, sorted, so that two branches that change it
can be merged by taking the lines of both. Which entry is which finding, `findings/matching.py` says.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from fairlint.config import Configurations, Settings
from fairlint.findings.finding import Finding, Identity
from fairlint.findings.matching import KnownFinding, match_findings
from fairlint.findings.report import Report, Suppressed
from fairlint.findings.spreads import KEPT, Spread, growth_message, restore_spread, spread_object, spread_of
from fairlint.support.days import is_day
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record, field, replace
from fairlint.support.shapes import fault_of, matching, table

LARGEST = 100_000_000
"""Bytes of a baseline."""
LONGEST_CODE = 120
"""Characters of its code that an entry shows."""
_FIELDS = {"path": str, "rule": str, "attribute": str, "function": str, "code": str, "reason": str,
           "identity": str, "body": int, "near": int}  # fmt: skip
"""The keys of every entry, in order, and what they hold."""
_MORE = table(
    {},
    {
        **KEPT,
        "until": matching(frozenset({str}), "a day such as 2027-06-30", is_day),
    },
)
"""Further keys, which an entry may lack: who is named, what each group gets, at how many places, and until
when.
"""
_FURTHER = (*KEPT, "until")
_HOLDERS = {"path": "name of a file"}
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


class Entry(Record):
    """One finding of before. `path` is relative to the baseline's folder, `line` that of the entry."""

    path: str
    rule: str
    attribute: str
    code: str
    reason: str
    identity: Identity
    line: int = 0
    spread: Spread = field(default_factory=Spread)
    """Who is named and what each group got when the entry was written."""
    until: str = ""
    """Its last day, as ISO 8601 writes it; empty where it has no end."""


class Baseline(Record):
    """A file of entries."""

    path: str
    entries: tuple[Entry, ...]

    @property
    def folder(self) -> str:
        """What the paths of its entries are relative to."""
        return os.path.dirname(os.path.abspath(self.path))  # noqa: PTH100, PTH120 (start-up)


def short(path: str) -> str:
    """Return how messages call a file: from the current folder where it lies inside."""
    told = os.path.relpath(path)
    return path if told.startswith(os.pardir) else told


def load(path: str) -> Baseline:
    """Read a baseline; a UsageError names the line that is none."""
    try:
        text = read_file(path, LARGEST).decode("utf-8")
    except NotReadableError as error:
        hint = "" if os.path.lexists(path) else "; `fairlint baseline create` writes one"
        raise UsageError(f"{path}: {error}{hint}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not UTF-8 text") from None
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    return Baseline(path, tuple(_parse_entry(path, number, line) for number, line in lines))


def _parse_entry(path: str, number: int, line: str) -> Entry:
    if line.startswith(_CONFLICT):
        raise UsageError(f"{path}:{number}: a merge that is not finished; keep the lines of both sides")
    try:
        values = read_json(line)
    except ValueError:
        raise UsageError(f"{path}:{number}: is no entry of a baseline: not one line of JSON") from None
    if not isinstance(values, dict) or values.keys() - {*_FURTHER} != _FIELDS.keys():
        keys = ", ".join(_FIELDS)
        raise UsageError(f"{path}:{number}: is no entry of a baseline: it has the keys {keys}")
    for key, kind in _FIELDS.items():
        if not isinstance(values[key], kind) or isinstance(values[key], bool):
            raise UsageError(f"{path}:{number}: '{key}' must be {'a text' if kind is str else 'a number'}")
        if kind is str and not _is_text(values[key], of_file=key == "path"):
            raise UsageError(f"{path}:{number}: '{key}' holds what no {_HOLDERS.get(key, 'text')} can")
    own, _, count = values["identity"].rpartition(":")
    if not own or not count.isascii() or not count.isdigit():
        raise UsageError(f"{path}:{number}: 'identity' must be as reports give it, with its number")
    identity = Identity(own, int(count[:9]), values["function"], values["body"], values["near"])
    return Entry(
        path=values["path"],
        rule=values["rule"],
        attribute=values["attribute"],
        code=values["code"],
        reason=values["reason"],
        identity=identity,
        line=number,
        spread=_parse_spread(path, number, values),
        until=values.get("until", ""),
    )


def _parse_spread(path: str, number: int, values: Mapping[str, Any]) -> Spread:
    """Return who is named in an entry and what they get; a UsageError where a further key holds what it
    cannot.
    """
    if wrong := fault_of(_MORE, {key: values[key] for key in _FURTHER if key in values}):
        raise UsageError(f"{path}:{number}: is no entry of a baseline: {wrong}")
    return restore_spread(values)


def _is_text(value: str, *, of_file: bool) -> bool:
    """Return whether a text can be written; in names of files, what is no UTF-8 stands as Python reads it."""
    try:
        value.encode("utf-8", "surrogateescape" if of_file else "strict")
    except UnicodeEncodeError:
        return False
    return not (of_file and "\0" in value)


def baseline_text(entries: Iterable[Entry]) -> str:
    """Return the text of a baseline, the same for the same entries in any order."""
    lines = set()
    for one in entries:
        known = one.identity
        values = (one.path, one.rule, one.attribute, known.function, one.code, one.reason)
        entry = dict(zip(_FIELDS, (*values, str(known), known.body, known.near), strict=True))
        entry |= spread_object(one.spread)
        if one.until:
            entry["until"] = one.until
        lines.add(json.dumps(entry, ensure_ascii=False))
    return "".join(f"{line}\n" for line in sorted(lines))


def entries_of(findings: Iterable[Finding], folder: str, reason: str = "", until: str = "") -> list[Entry]:
    """Return an entry for each finding; what is wrong with comments is mended, and not put aside."""
    return [
        Entry(
            _relative_path(one.path, folder),
            one.rule,
            one.use.attribute,
            " ".join(one.use.condition.split())[:LONGEST_CODE],
            reason,
            one.identity,
            spread=spread_of(one),
            until=until,
        )
        for one in findings
        if one.use.kind != "suppression"
    ]


def _relative_path(path: str, folder: str) -> str:
    return PurePath(os.path.relpath(path, folder)).as_posix()


class Compared(Record):
    """A report beside a baseline: which finding is of which entry, and what is only on one side."""

    kept: tuple[tuple[Entry, Finding], ...]
    new: tuple[Finding, ...]
    """What the baseline does not hold, and what is more than it was, which the message says."""
    grown: int
    """How many of the new ones are more than they were."""
    stale: tuple[Entry, ...]


Asked = Callable[[str], Collection[str]]
"""The codes of the rules that are asked for in a file."""


def compare_baseline(report: Report, baseline: Baseline, names: Sequence[str], rules: Asked) -> Compared:
    """Return what a report, of these files and folders, tells that the baseline does not hold.

    Entries are stale if what they name was checked, or is gone, and tells no such thing any more.
    """
    folder = baseline.folder
    entries = baseline.entries
    findings = report.findings
    gone = frozenset(
        one.path
        for one in entries
        if not os.path.exists(os.path.join(folder, one.path))  # noqa: PTH110, PTH118 (as above)
    )
    before = [KnownFinding(one.path, one.identity) for one in entries]
    now = [KnownFinding(_relative_path(one.path, folder), one.identity) for one in findings]
    found = match_findings(before, now, gone)
    unread = {_relative_path(gap.path, folder) for gap in report.not_analysed}
    asked = {_relative_path(name, folder) for name in names}
    stale = (
        one
        for at, one in enumerate(entries)
        if at not in found and one.path not in unread
        if one.path in gone or _is_among(one.path, asked)
        if one.rule in rules(os.path.join(folder, one.path))  # noqa: PTH118 (as above)
    )
    more = {
        now: told
        for at, now in found.items()
        if (told := growth_message(entries[at].spread, spread_of(findings[now])))
    }
    old = found.values() - more.keys()
    return Compared(
        kept=tuple((entries[at], findings[now]) for at, now in sorted(found.items()) if now in old),
        new=tuple(
            _with_growth_note(one, more.get(at, "")) for at, one in enumerate(findings) if at not in old
        ),
        grown=len(more),
        stale=tuple(stale),
    )


def _with_growth_note(finding: Finding, told: str) -> Finding:
    return replace(finding, message=f"{finding.message} (baseline: {told})") if told else finding


def _is_among(path: str, names: set[str]) -> bool:
    if any(set(name.split("/")) <= {".", ".."} for name in names):
        return True  # the folder of the baseline, or one above
    above = PurePath(path)
    return any(one.as_posix() in names for one in (above, *above.parents))


class Baselines:
    """The baselines of a run: for each file the one that its configuration says."""

    def __init__(self, configurations: Configurations, rules: Asked) -> None:
        self._configurations = configurations
        self._rules = rules
        self._loaded: dict[str, Baseline] = {}
        self._paths: dict[str, str] = {}
        """Folder → the baseline for its files, empty where there is none."""

    def load(self, settings: Settings) -> None:
        """Read the baseline for files under some settings, if there is one."""
        path = self._configurations.baseline_of(settings)
        if path and path not in self._loaded:
            self._loaded[path] = load(short(path))

    def path_for(self, file: str) -> str:
        """Return where the baseline for a file is; empty where there is none."""
        folder = os.path.dirname(os.path.realpath(file))  # noqa: PTH120 (start-up)
        if folder not in self._paths:
            settings = self._configurations.of(folder)
            self._paths[folder] = self._configurations.baseline_of(settings)
            self.load(settings)
        return self._paths[folder]

    def without_old(self, report: Report, names: Sequence[str]) -> Report:
        """Return a report of what is new; what the baselines hold is put aside."""
        by_path: dict[str, list[Finding]] = {path: [] for path in self._loaded}
        for finding in report.findings:
            by_path.setdefault(self.path_for(finding.path), []).append(finding)
        new, old, stale = by_path.pop("", []), list(report.suppressed), 0
        for path, findings in by_path.items():
            baseline = self._loaded[path]
            sides = compare_baseline(replace(report, findings=tuple(findings)), baseline, names, self._rules)
            new += sides.new
            stale += len(sides.stale)
            old += (
                Suppressed(
                    finding, entry.reason, baseline.path, entry.line, is_comment=False, until=entry.until
                )
                for entry, finding in sides.kept
            )
        return replace(
            report,
            findings=tuple(sorted(new, key=lambda one: one.sort_key)),
            suppressed=tuple(sorted(old, key=lambda one: one.finding.sort_key)),
            stale=stale,
        )
