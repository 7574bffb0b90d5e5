"""When, from what and how a report was made, as a record of it needs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime
from urllib.parse import unquote

from fairlint.reporters import ReportOptions
from fairlint.reporters.printable import printable
from fairlint.reporters.provenance import Provenance, addresses, relative, told

MOST_SETTINGS = 50
"""Settings that are listed; the JSON report has all of them."""
LONGEST_SETTING = 120
"""Characters of a value that are shown."""
_DATED = {"SOURCE_DATE_EPOCH": " (SOURCE_DATE_EPOCH)", "commit": " (date of the commit)"}


def title_of(options: ReportOptions) -> str:
    """What the page is called: by its folder, or by its repository where no folder is to be named."""
    if not options.portable:
        return os.path.basename(os.path.normpath(options.root)) or "fairlint"  # noqa: PTH119 (start-up)
    known = options.provenance
    address = next((one.address for one in known.checkouts if one.address), "") if known else ""
    return unquote(address.rstrip("/").rpartition("/")[2]).removesuffix(".git") or "checked code"


def facts(options: ReportOptions) -> Iterator[tuple[str, str]]:
    """What was run, in the order in which one asks for it."""
    known = options.provenance
    if known is not None:
        when = datetime.fromisoformat(known.date)
        yield "Made", f"{when.day} {when:%B %Y, %H:%M} UTC{_DATED.get(known.dated_by, '')}"
    if not options.portable:
        yield "Folder", options.root
    if known is not None:
        yield from _code(known)
    yield from options.facts.items()
    if known is not None:
        yield from _judged(known)


def _code(known: Provenance) -> Iterator[tuple[str, str]]:
    if where := addresses(known.checkouts):
        yield "Repository", where
    several = len(known.checkouts) > 1
    for one in known.checkouts:
        folder = f" of {printable(relative(one.folder, known.here))}" if several else ""
        yield f"State of the code{folder}", told(one)
    if known.since:
        yield "Only lines changed since", printable(known.since)


def _judged(known: Provenance) -> Iterator[tuple[str, str]]:
    several = len(known.settings) > 1
    said = [
        (f"{key} ({printable(file or 'no configuration')})" if several else key, value)
        for file, settings in ((one["configuration"], one["settings"]) for one in known.settings)
        for key, value in settings.items()
        if value["origins"]
    ]
    for key, value in said[:MOST_SETTINGS]:
        text = json.dumps(value["value"], ensure_ascii=False)
        shown = printable(text if len(text) <= LONGEST_SETTING else f"{text[:LONGEST_SETTING]}…")
        yield f"Setting {key}", f"{shown}, from {printable(', '.join(value['origins']))}"
    if len(said) > MOST_SETTINGS:
        yield "More settings", f"{len(said) - MOST_SETTINGS} (in the JSON report)"
    if known.plugins:
        yield "Plugins", ", ".join(map(printable, known.plugins))
    yield "SHA-256 of rules, vocabulary, library models and settings", known.sums["all"]
