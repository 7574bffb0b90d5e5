"""When, from what and how a report was made, as a record of it needs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from fairlint.reporters import ReportOptions
from fairlint.reporters.printable import printable
from fairlint.reporters.provenance import Provenance, addresses, relative, state_text

MOST_SETTINGS = 50
"""Settings that are listed; the JSON report has all of them."""
LONGEST_SETTING = 120
"""Characters of a value that are shown."""
_PLACES = {"us": "United States", "eu": "European Union", "uk": "United Kingdom", "all": "all"}
_PERSONAS = {
    "developer": "developer (a finding can be only a note because of its context)",
    "auditor": "auditor (each finding has the severity of its rule)",
}
_HEADS = {"Domain": "Field (setting domain)"}
"""What the page calls a fact."""
_CURRENT = "."
_DATED = {"SOURCE_DATE_EPOCH": " (SOURCE_DATE_EPOCH)", "commit": " (date of the commit)"}


def title_of(options: ReportOptions) -> str:
    """Return what the page is called: by its repository, or by its folder where that may be named."""
    known = options.provenance
    states = known.checkouts if known else ()
    if len(states) == 1 and (address := states[0].address):
        path = urlsplit(address).path if "://" in address else address.rpartition(":")[2]
        name = "/".join(unquote(path).removesuffix(".git").strip("/").split("/")[-2:])
        if name := name.removesuffix(".git"):
            return name
    if options.portable:
        return "checked code"
    return os.path.basename(os.path.normpath(options.root)) or "fairlint"  # noqa: PTH119 (start-up)


def head(options: ReportOptions) -> Iterator[str]:
    """Yield what is known at a glance: under which law and for which field, of which code, and when."""
    facts = options.facts
    if place := facts.get("Jurisdiction"):
        law = "All jurisdictions" if place == "all" else f"Jurisdiction: {_PLACES.get(place, place)}"
        field = facts.get("Domain", "all")
        yield f"{law} · {'all fields' if field == 'all' else f'Field: {field}'}"
    known = options.provenance
    if known is None:
        return
    for one in known.checkouts[:1] if len(known.checkouts) == 1 else ():
        yield state_text(one, short=True)
    yield f"Report of {_date_text(known)}"


def _date_text(known: Provenance) -> str:
    when = datetime.fromisoformat(known.date)
    return f"{when.day} {when:%B %Y, %H:%M} UTC{_DATED.get(known.dated_by, '')}"


class Fact(NamedTuple):
    """What was run: what it is called, and what it is."""

    name: str
    value: str


def facts(options: ReportOptions) -> Iterator[Fact]:
    """Yield what was run, in the order in which one asks for it."""
    known = options.provenance
    if known is not None:
        yield Fact("Made", _date_text(known))
    if not options.portable:
        yield Fact("Folder", os.path.basename(os.path.normpath(options.root)) or options.root)  # noqa: PTH119
    if known is not None:
        yield from _facts_of_code(known)
    for key, value in options.facts.items():
        yield Fact(
            _HEADS.get(key, key),
            _in_words(key, value) + (_origin_of_setting(known, key) if known is not None else ""),
        )
    if known is not None:
        yield from _facts_of_judgement(known, options.facts)


def _origin_of_setting(known: Provenance, key: str) -> str:
    """Return where a setting comes from that is among the facts."""
    names = [name for name, head in _TOLD.items() if head == key]
    if len(known.settings) != 1 or not names:
        return ""
    origins = known.settings[0]["settings"][names[0]]["origins"]
    return f", from {printable(', '.join(origins))}" if origins else ""


def _in_words(key: str, value: str) -> str:
    """Return a fact as people read it."""
    if key == "Checked":
        return "this folder" if value == _CURRENT else value
    return {"Jurisdiction": _PLACES, "Persona": _PERSONAS}.get(key, {}).get(value, value)


def _facts_of_code(known: Provenance) -> Iterator[Fact]:
    if where := addresses(known.checkouts):
        yield Fact("Repository", where)
    several = len(known.checkouts) > 1
    for one in known.checkouts:
        folder = f" of {printable(relative(one.folder, known.here))}" if several else ""
        yield Fact(f"State of the code{folder}", state_text(one))
    if known.since:
        yield Fact("Only lines changed since", printable(known.since))


_TOLD = {
    "jurisdiction": "Jurisdiction",
    "domain": "Domain",
    "persona": "Persona",
    "min-severity": "Lowest severity shown",
}
"""Settings that are among the facts."""


def _facts_of_judgement(known: Provenance, facts: Mapping[str, str]) -> Iterator[Fact]:
    several = len(known.settings) > 1
    said = [
        (f"{key} ({printable(file or 'no configuration')})" if several else key, value)
        for file, settings in ((one["configuration"], one["settings"]) for one in known.settings)
        for key, value in settings.items()
        if value["origins"] and (several or facts.get(_TOLD.get(key, "")) != value["value"])
    ]
    for key, value in said[:MOST_SETTINGS]:
        text = json.dumps(value["value"], ensure_ascii=False)
        shown = printable(text if len(text) <= LONGEST_SETTING else f"{text[:LONGEST_SETTING]}…")
        yield Fact(f"Setting {key}", f"{shown}, from {printable(', '.join(value['origins']))}")
    if len(said) > MOST_SETTINGS:
        yield Fact("More settings", f"{len(said) - MOST_SETTINGS} (in the JSON report)")
    if known.plugins:
        yield Fact("Plugins", ", ".join(map(printable, known.plugins)))
    yield Fact("SHA-256 of rules, vocabulary, library models and settings", known.sums["all"])
