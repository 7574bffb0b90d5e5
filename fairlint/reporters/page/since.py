"""What has changed since an earlier report, as the page shows it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from fairlint.findings.levels import SEVERITIES
from fairlint.findings.report import Report
from fairlint.reporters.encoding import without_surrogates
from fairlint.reporters.json_reading import Earlier
from fairlint.reporters.page.words import amounts
from fairlint.reporters.statistics import of_report
from fairlint.reporters.summary import count_with_noun
from fairlint.reporters.tally import ChangedFinding, CountedFinding, trend
from fairlint.support.records import Record, replace

MOST_LISTED = 200
"""Findings of one kind of change that are listed."""
_GAP = re.compile(r", gap [^,]*$")
"""The gap at the end of a message, where the change says it as well."""
SHORT_COMMIT = 12
"""Characters of a commit that are shown."""


class Row(Record):
    """A finding that has changed, and how."""

    severity: str
    rule: str
    place: str
    message: str
    how: str = ""
    why: str = ""
    """The reason of a suppression, and who gave it."""
    finding: int | None = None
    """Its place in the report, where it has one."""


class Changed(Record):
    """The findings that have changed in one way."""

    name: str
    head: str
    rows: tuple[Row, ...]
    more: int


class Since(Record):
    """An earlier report, and what has become of its findings."""

    name: str
    made: str
    """When the earlier report was made, and of which commit, as far as it says."""
    compared: str
    """How the two runs differ, in a sentence."""
    before: int
    now: int
    kept: int
    changes: tuple[Changed, ...]
    marks: Mapping[int, str]
    """The place of a finding in the report → `new`, `grown` or `shrunk`."""


def since(earlier: Earlier, report: Report, lowest: str = "", reasons: Sequence[str] = ()) -> Since:
    """Return what has changed in a report since an earlier one.

    `lowest` is the lowest severity that is shown, and `reasons` say why findings are suppressed.
    """
    now, aside = ([_with_clean_path(one) for one in several] for several in of_report(report))
    places = {id(one): at for at, one in enumerate(now)}
    found = trend(earlier.findings, now, aside)
    whys = {id(one): why for one, why in zip(aside, reasons, strict=False)}
    why = {id(old): whys.get(id(one), "") for old, one in zip(found.aside, found.aside_now, strict=True)}
    several: Sequence[tuple[str, str, Sequence[ChangedFinding]]] = (
        ("new", "New", [ChangedFinding(one) for one in found.new]),
        ("grown", "Grown", found.grown),
        ("shrunk", "Shrunk", found.shrunk),
        ("gone", "Gone", [ChangedFinding(one) for one in found.gone]),
        ("suppressed", "Suppressed since", [ChangedFinding(one) for one in found.aside]),
    )
    changes = [
        Changed(
            name,
            head,
            tuple(
                _row_of_change(one, how, places, why.get(id(one), ""))
                for one, how in _most_severe_first(rows)[:MOST_LISTED]
            ),
            max(len(rows) - MOST_LISTED, 0),
        )
        for name, head, rows in several
        if rows
    ]
    return Since(
        name=os.path.basename(earlier.name),  # noqa: PTH119 (start-up)
        made=", ".join(
            filter(None, (earlier.made, earlier.commit and f"commit {earlier.commit[:SHORT_COMMIT]}"))
        ),
        compared=_comparison_sentence(earlier, report, lowest),
        before=len(earlier.findings),
        now=len(now),
        kept=len(found.kept) - len(found.grown) - len(found.shrunk),
        changes=tuple(changes),
        marks={places[id(one)]: name for name, _, rows in several for one, _ in rows if id(one) in places},
    )


def _most_severe_first(rows: Sequence[ChangedFinding]) -> list[ChangedFinding]:
    """Return findings that have changed: the most severe first, then by place."""
    return sorted(
        rows, key=lambda row: (-SEVERITIES.index(row.finding.severity), row.finding.path, row.finding.place)
    )


def _with_clean_path(one: CountedFinding) -> CountedFinding:
    """Return a finding with its path as JSON reports write it."""
    return replace(one, path=without_surrogates(one.path))


def _row_of_change(one: CountedFinding, how: str, places: Mapping[int, int], why: str) -> Row:
    message = _GAP.sub("", one.message) if how.startswith("gap ") else one.message
    if one.spread.op is not None:
        message = amounts(message)
    return Row(one.severity, one.rule, one.place, message, how, why, places.get(id(one)))


def _comparison_sentence(earlier: Earlier, report: Report, lowest: str) -> str:
    """Return whether the two runs can be compared: by how many files they checked, and what they showed."""
    if earlier.files == report.files:
        told = f"Both runs checked {count_with_noun(report.files, 'file')}."
    else:
        told = (
            f"The earlier run checked {count_with_noun(earlier.files, 'file')}, and this one {report.files}."
        )
    if not earlier.lowest or not lowest:
        return told
    if earlier.lowest == lowest:
        return f"{told} Both show {_FROM[lowest]}."
    return (
        f"{told} The earlier run shows {_FROM[earlier.lowest]}, and this one {_FROM[lowest]}: "
        "some findings are new or gone only because of this."
    )


_FROM = {"note": "all findings", "warning": "errors and warnings", "error": "errors only"}
"""The findings that are shown, by the lowest severity of a run."""
