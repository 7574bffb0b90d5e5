"""Makes the members of a bundle of a report, and its manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from fairlint.bundle import MANIFEST, MEMBERS, VERSION
from fairlint.bundle.packing import zip_members
from fairlint.findings.report import EndingIgnore, Report, Suppressed
from fairlint.reporters import ReportOptions, page, sarif
from fairlint.reporters import json as json_report
from fairlint.reporters.authors import Written, authorship_of_lines
from fairlint.reporters.encoding import Json, encode_json, without_surrogates
from fairlint.reporters.provenance import Provenance, provenance_object
from fairlint.support.about import __version__
from fairlint.support.records import replace

README = """\
A bundle of evidence, written by fairlint {version}

report.html       the report for people: open it in a browser, it loads nothing
report.json       the same for programs; `fairlint schema` prints its JSON Schema
report.sarif      the same as SARIF 2.1.0
suppressed.json   findings that comments or a baseline suppress, with reason, author, day and end
coverage.json     what was checked, and what was not read or not analysed
provenance.json   repository, commit, changed files, settings with their origin, SHA-256 of the rules
manifest.json     SHA-256 and size of every file above

`fairlint verify FILE.zip` compares the files with the manifest. That shows that nothing was changed since the
manifest was written. It does not show who wrote it: sign the zip file if that matters.
"""


def bundle(report: Report, options: ReportOptions, provenance: Provenance) -> bytes:
    """Return the zip file: the same bytes for the same report and provenance."""
    report = replace(report, ending_ignores=tuple(map(_without_folders, report.ending_ignores)))
    texts = {
        "README.txt": README.format(version=__version__),
        "report.html": "".join(page.report(report, options)),
        "report.json": "".join(json_report.report(report, options)),
        "report.sarif": "".join(sarif.report(report, options)),
        "suppressed.json": _encode_json(_suppressed_document(report, options)),
        "coverage.json": _encode_json(_coverage_document(report)),
        "provenance.json": _encode_json(provenance_object(provenance)),
    }
    members = {name: texts[name].encode("utf-8", "backslashreplace") for name in MEMBERS}
    manifest = _encode_json(_build_manifest(members, provenance)).encode("ascii")
    return zip_members({**members, MANIFEST: manifest})


def _without_folders(one: EndingIgnore) -> EndingIgnore:
    """Return an entry that names the configuration files of other folders by their names alone."""
    return replace(
        one, origins=tuple(Path(path).name if Path(path).is_absolute() else path for path in one.origins)
    )


def _encode_json(document: Json) -> str:
    return "".join(encode_json(document))


def _build_manifest(members: Mapping[str, bytes], provenance: Provenance) -> dict[str, Json]:
    return {
        "version": VERSION,
        "tool": {"name": "fairlint", "version": __version__},
        "date": provenance.date,
        "members": {
            name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
            for name, data in members.items()
        },
    }


def _suppressed_document(report: Report, options: ReportOptions) -> dict[str, Json]:
    places = [(one.path, one.line) for one in report.suppressed if one.cell is None]
    who = authorship_of_lines(places, options.allowance, options.tell)
    told: list[Json] = [
        {**json_report.suppressed_object(one), **_author_and_day(one, who)} for one in report.suppressed
    ]
    return {"version": VERSION, "suppressed": told}


def _author_and_day(one: Suppressed, who: Mapping[tuple[str, int], Written]) -> dict[str, Json]:
    """Return who wrote what suppresses it, and when; null where git does not know or it is not committed."""
    found = who.get((one.path, one.line)) if one.cell is None else None
    if found is None:
        return {"author": None, "day": None}
    return {"author": without_surrogates(found.author) or None, "day": found.day or None}


def _coverage_document(report: Report) -> dict[str, Json]:
    return {
        "version": VERSION,
        "files": report.files,
        "checked": [without_surrogates(path) for path in sorted(report.checked)],
        "not_analysed": [json_report.gap_object(gap) for gap in report.not_analysed],
        "unread": {
            kind: [without_surrogates(path) for path in paths] for kind, paths in report.unread.items()
        },
        "left_out": [json_report.left_out_object(one) for one in report.left_out],
        "unheeded": [json_report.left_out_object(one) for one in report.unheeded],
        "wholly_changed": [json_report.left_out_object(one) for one in report.wholly_changed],
        "unchanged": report.unchanged,
        "hidden_notes": report.hidden_notes,
    }
