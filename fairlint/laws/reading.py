"""Reads the register's TOML files: each key is checked, parts take over what their whole says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from typing import Any

from fairlint.laws.law import IN_FORCE, REPEALED, STATUSES, Law, files
from fairlint.support.documents import read_toml
from fairlint.support.files import LARGEST_SETTINGS, read_file
from fairlint.support.records import field_names
from fairlint.vocabulary import load

FIELDS = ("hiring", "credit", "housing", "insurance", "education", "health", "justice", "public")
"""The fields that a law may be about."""
_OF_FILE = frozenset({"setting", "place", "country", "checked_on", "verified"})
"""What a file may say for all its laws."""
_INHERITED = ("url", "fields", "applies_from", "status")
"""What a part takes over from its whole, unless it says otherwise; what has its own title, `fields` alone."""
_DATES = frozenset({"applies_from", "repealed", "checked_on"})
_LISTS = frozenset({"fields", "attributes"})
_KEYS = frozenset(field_names(Law)) - {"id"} | {"of", "part"}


class LawError(ValueError):
    """An entry that cannot be used; the message names the law and the key."""


def read() -> dict[str, Law]:
    """Return the laws of all files, each with the attributes that name it."""
    entries: dict[str, dict[str, Any]] = {}
    for path in files():
        entries.update(_entries_of_file(path, entries))
    named_by: dict[str, list[str]] = {}
    for name, attribute in load.read().attributes.items():
        for ids in attribute.laws.values():
            for id_ in ids:
                if id_ not in entries:
                    raise LawError(f"{id_}: the attribute {name} names it, and the register does not have it")
                named_by.setdefault(id_, []).append(name)
    return {id_: _build_law(id_, entries, named_by) for id_ in entries}


def _entries_of_file(path: str, known: Mapping[str, object]) -> dict[str, dict[str, Any]]:
    """Return the laws of one file, with what the file says for all of them."""
    table = read_toml(read_file(path, LARGEST_SETTINGS).decode())
    common = {key: value for key, value in table.items() if not isinstance(value, dict)}
    if unknown := common.keys() - _OF_FILE:
        raise LawError(f"{os.path.basename(path)}: unknown key {min(unknown)!r}")
    found = {}
    for id_, entry in table.items():
        if isinstance(entry, dict):
            if id_ in known:
                raise LawError(f"{id_}: the register has it already")
            found[id_] = common | entry
            _check_entry(id_, found[id_])
    return found


def _check_entry(id_: str, entry: Mapping[str, Any]) -> None:
    if unknown := entry.keys() - _KEYS:
        raise LawError(f"{id_}: unknown key {min(unknown)!r}")
    for key, value in entry.items():
        kind = date if key in _DATES else bool if key == "verified" else str
        if type(value) is not kind:
            raise LawError(f"{id_}.{key}: must be a {kind.__name__}")
    for key in ("setting", "place", "checked_on", "verified"):
        if key not in entry:
            raise LawError(f"{id_}.{key}: is missing")
    if ("part" in entry) == ("title" in entry) or ("part" in entry and "of" not in entry):
        raise LawError(f"{id_}: has a `title`, or is a `part` `of` another")
    if entry.get("status", IN_FORCE) not in STATUSES:
        raise LawError(f"{id_}.status: must be one of {', '.join(STATUSES)}")
    if (entry.get("status") == REPEALED) != ("repealed" in entry):
        raise LawError(f"{id_}.repealed: goes with the status `{REPEALED}`")
    if unknown := set(_list_of_entry(entry, "fields")) - set(FIELDS):
        raise LawError(f"{id_}.fields: {min(unknown)!r} is no field")
    if entry["verified"] and not entry.get("source") and "of" not in entry:
        raise LawError(f"{id_}.source: what is verified needs one")


def _list_of_entry(entry: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, entry.get(key, "").split(","))))


def _iso_date(entry: Mapping[str, Any], key: str) -> str:
    return entry[key].isoformat() if key in entry else ""


def _id_of_whole(id_: str, entries: Mapping[str, dict[str, Any]]) -> str:
    """Return the id of what a law is a part of; empty where it is none."""
    whole = str(entries[id_].get("of", ""))
    if whole and whole not in entries:
        raise LawError(f"{id_}.of: the register has no {whole!r}")
    return whole


def _build_law(id_: str, entries: Mapping[str, dict[str, Any]], named_by: Mapping[str, list[str]]) -> Law:
    said, entry, whole = entries[id_], dict(entries[id_]), _id_of_whole(id_, entries)
    above = _build_law(whole, entries, named_by) if whole else None
    if above is not None:
        for key in _INHERITED if "part" in said else ("fields",):
            if key not in said:
                value = getattr(above, key)
                entry[key] = ", ".join(value) if key in _LISTS else value
    if "url" not in entry:
        raise LawError(f"{id_}.url: is missing")
    stated = _list_of_entry(said, "attributes")
    if stated and id_ in named_by:
        raise LawError(f"{id_}.attributes: {named_by[id_][0]} names it already")
    applies = entry.get("applies_from", "")
    title = f"{above.short}, {said['part']}" if above is not None and "part" in said else said["title"]
    source = said.get("source", above.source if above is not None and said["verified"] else "")
    return Law(
        id=id_,
        title=title,
        short=said.get("short", above.short if above is not None and "part" in said else title),
        url=entry["url"],
        setting=said["setting"],
        place=said["place"],
        country=said.get("country", ""),
        fields=_list_of_entry(entry, "fields"),
        attributes=tuple(named_by.get(id_, ())) or stated or (above.attributes if above is not None else ()),
        status=entry.get("status", IN_FORCE),
        applies_from=applies.isoformat() if isinstance(applies, date) else applies,
        repealed=_iso_date(said, "repealed"),
        checked_on=_iso_date(said, "checked_on"),
        verified=said["verified"],
        source=source,
        note=said.get("note", ""),
    )
