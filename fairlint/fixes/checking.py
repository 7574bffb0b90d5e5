"""Asks the checker what fixes do: one is kept only if it removes its finding and adds none.

A file is changed in rounds. In each, fixes that do not overlap are tried together; where that goes wrong, by
halves, so that one that does harm costs few checks.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from fairlint.findings.finding import Edit, Finding, Fix
from fairlint.fixes import fixes_of
from fairlint.fixes.text import NotFixableError, apply_edits
from fairlint.sources.notebooks import JsonPlaces
from fairlint.support.documents import read_json
from fairlint.support.records import Record
from fairlint.syntax.python.own_parser import NotParsedError, parse_text
from fairlint.syntax.source import Source

MOST_ROUNDS = 20
"""Times that a file is looked at anew for fixes that others were in the way of."""
MOST_CHECKS = 60
"""Checks of one file for the sake of its fixes; what is not tried by then is left."""
ENOUGH = 2_000_000
"""Bytes that are checked for the fixes of one file: of a large one, fewer fixes are tried."""
LEAST_CHECKS = 6
"""Checks that any file may have."""


class FixOfFinding(NamedTuple):
    """A finding, and what would fix it."""

    finding: Finding
    fix: Fix


class Looked(Record):
    """What the checker tells of a text: its own findings, and what it could not read."""

    findings: tuple[Finding, ...]
    aside: tuple[Finding, ...]
    """What comments put aside."""
    gaps: tuple[str, ...]
    source: Source | None


Look = Callable[[bytes], Looked]
"""Checks a file's text, given as UTF-8 without a byte-order mark."""
Wanted = tuple[str, str, int]
"""A finding to fix: its rule, its attribute and the byte that it begins at."""


class Trial:
    """The fixes of one file."""

    def __init__(self, data: bytes, look: Look) -> None:
        self.data = data
        self._look = look
        self._left = max(min(MOST_CHECKS, ENOUGH // max(len(data), 1)), LEAST_CHECKS)
        self._now = look(data)
        self._is_notebook = self._now.source is not None and any(
            part.cell is not None for part in self._now.source.parts
        )
        self._tried: tuple[bytes, Looked] = (data, self._now)
        """The last text that was looked at."""

    def fitting(self, findings: Iterable[Finding], *, unsafe: bool) -> list[FixOfFinding]:
        """Return the fixes of findings, each of which alone does what it should."""
        asked = self._fixes_for_places(self._wanted(findings), unsafe=unsafe)
        return [one for one in asked if self._left > 0 and self._is_sound_batch([one])]

    def applied(self, findings: Iterable[Finding], *, unsafe: bool) -> list[FixOfFinding]:
        """Apply the fixes of findings to `data`, and says which."""
        done: list[FixOfFinding] = []
        places = self._wanted(findings)
        for _ in range(MOST_ROUNDS):
            kept = self._valid_fixes(_disjoint_fixes([*self._fixes_for_places(places, unsafe=unsafe)]))
            if not kept:
                break
            edits = [edit for _, fix in kept for edit in fix.edits]
            places = {
                (rule, attribute, moved)
                for rule, attribute, start in places
                if (moved := _position_after_edits(start, edits)) is not None
            }
            self.data = apply_edits(self.data, edits)
            self._now = self._cached_look(self.data)
            done += kept
        return done

    def _wanted(self, findings: Iterable[Finding]) -> set[Wanted]:
        places = JsonPlaces(self.data) if self._is_notebook else None
        return {wanted_of(finding, places) for finding in findings if finding.remedies}

    def _fixes_for_places(self, wanted: set[Wanted], *, unsafe: bool) -> Iterable[FixOfFinding]:
        places = JsonPlaces(self.data) if self._is_notebook else None
        findings = [one for one in self._now.findings if wanted_of(one, places) in wanted]
        notebook = self.data if self._is_notebook else None
        fixes = {} if self._now.source is None else fixes_of(self._now.source, findings, notebook)
        for finding in findings:
            fix = fixes.get(finding.identity)
            if fix is not None and (unsafe or fix.applicability == "safe"):
                yield FixOfFinding(finding, fix)

    def _valid_fixes(self, batch: Sequence[FixOfFinding]) -> list[FixOfFinding]:
        """Return those of some fixes that do what they should together."""
        if not batch or self._left <= 0:
            return []
        if self._is_sound_batch(batch):
            return [*batch]
        if len(batch) == 1:
            return []
        middle = len(batch) // 2
        first, last = self._valid_fixes(batch[:middle]), self._valid_fixes(batch[middle:])
        if first and last and not (self._left > 0 and self._is_sound_batch([*first, *last])):
            return first
        return [*first, *last]

    def _is_sound_batch(self, batch: Sequence[FixOfFinding]) -> bool:
        """Return whether fixes leave a program of which less is told by just their findings, or by more."""
        self._left -= 1
        changed = apply_edits(self.data, (edit for _, fix in batch for edit in fix.edits))
        is_sound = _is_same_notebook(self.data, changed) if self._is_notebook else _is_python(changed)
        if not is_sound:
            return False
        try:
            after = self._cached_look(changed)
        except NotFixableError:
            return False
        gone = [finding for finding, _ in batch]
        own, before = _count_findings(gone, _attribute_key), self._now
        told = _count_findings(after.findings, _attribute_key)
        return (
            _count_findings(after.findings, _rule_key)
            <= _count_findings(before.findings, _rule_key) - _count_findings(gone, _rule_key)
            and all(
                told[one] <= _count_findings(before.findings, _attribute_key)[one] - own[one] for one in own
            )
            and _count_findings(after.aside, _attribute_key) <= _count_findings(before.aside, _attribute_key)
            and Counter(after.gaps) <= Counter(before.gaps)
        )

    def _cached_look(self, data: bytes) -> Looked:
        if self._tried[0] != data:
            self._tried = (data, self._look(data))
        return self._tried[1]


def wanted_of(finding: Finding, places: JsonPlaces | None) -> Wanted:
    """By what a finding is found again in the same text; `places` are those of a notebook."""
    start = finding.use.span.start
    if places is not None and finding.region is not None:
        start = places.offset(finding.region[0])
    return finding.rule, finding.use.attribute, start


def _disjoint_fixes(asked: Sequence[FixOfFinding]) -> list[FixOfFinding]:
    """Return the first of some fixes of which none touches another, and none is in the same statement."""
    chosen: list[FixOfFinding] = []
    taken: list[tuple[int, int]] = []
    statements: set[tuple[int | None, int]] = set()
    for finding, fix in asked:
        statement = finding.cell, finding.statement
        if statement not in statements and all(_is_free(edit, taken) for edit in fix.edits):
            statements.add(statement)
            chosen.append(FixOfFinding(finding, fix))
            for edit in fix.edits:
                insort(taken, (edit.start, edit.end))
    return chosen


def _is_free(edit: Edit, taken: Sequence[tuple[int, int]]) -> bool:
    """Return whether an edit touches none of some others, which are in order."""
    at = bisect_right(taken, (edit.start, edit.end))
    after = at == len(taken) or edit.end < taken[at][0]
    return after and (at == 0 or taken[at - 1][1] < edit.start)


def _position_after_edits(start: int, edits: Iterable[Edit]) -> int | None:
    """Return where a place is after edits; None where it is no more."""
    moved = start
    for edit in edits:
        if edit.start <= start < edit.end:
            return None
        if edit.end <= start:
            moved += len(edit.text.encode("utf-8")) - (edit.end - edit.start)
    return moved


def _count_findings(findings: Iterable[Finding], by: Callable[[Finding], Hashable]) -> Counter[Hashable]:
    return Counter(map(by, findings))


def _rule_key(finding: Finding) -> Hashable:
    """Return what may not become more: findings of a rule, as grave as that.

    About which attribute is another question: that a model has no audit is told once, by one of its columns.
    """
    return (finding.rule, finding.severity, finding.use.kind)


def _attribute_key(finding: Finding) -> Hashable:
    """Return what has to become fewer: the same about an attribute."""
    return (*finding.use.attributes, finding.rule, finding.severity, finding.use.kind)


def _is_same_notebook(before: bytes, after: bytes) -> bool:
    """Return whether two notebooks differ in nothing but the code of their cells."""
    try:
        old, new = (_without_code(read_json(data)) for data in (before, after))
    except ValueError:
        return False
    return bool(old == new)


def _without_code(notebook: Any) -> Any:
    cells = notebook.get("cells", ()) if isinstance(notebook, dict) else ()
    for cell in cells:
        if isinstance(cell, dict):
            cell.pop("source", None)
    return notebook


def _is_python(data: bytes) -> bool:
    try:
        parse_text(data.decode("utf-8"))
    except (NotParsedError, UnicodeError):
        return False
    return True
