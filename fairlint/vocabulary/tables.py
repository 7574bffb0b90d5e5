"""The attribute tables: TOML as people write it, brought to one shape that can be extended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fairlint.support.did_you_mean import did_you_mean
from fairlint.vocabulary.attribute_table import AttributeTable, short_repr, table, texts, with_plural
from fairlint.vocabulary.table_keys import FLAG_KEYS, GENERIC_KEYS, GRADES, apply_key
from fairlint.vocabulary.words import normalize_spelling, split_words


def extend(
    attributes: Mapping[str, AttributeTable], tables: Mapping[str, object], missing: tuple[str, ...] = ()
) -> dict[str, AttributeTable]:
    """Return the attributes with one table's additions, renamings and removals; what was given stays as it
    is.
    """
    result = dict(attributes)
    for key in tables:
        if key != "attributes":
            raise ValueError(f"{key}: unknown key, expected `attributes`")
    for name, raw in table(tables.get("attributes", {}), "attributes").items():
        where = f"attributes.{name}"
        entries = table(raw, where)
        if not name.replace("_", "").isalnum() or name != name.lower():
            raise ValueError(f"{where}: a name is lower-case letters, digits and `_`")
        disabled = entries.get("disabled", False)
        if not isinstance(disabled, bool):
            raise ValueError(f"{where}.disabled: expected true or false, not {short_repr(disabled)}")
        key = next((one for one, entry in result.items() if entry.name == name), name)
        known = result.get(key)
        if disabled:
            if known is None:
                raise ValueError(f"{where}: no such attribute to switch off{did_you_mean(name, result)}")
            del result[key]
            continue
        target = known.copy() if known is not None else _new_table(name, entries, missing, result)
        for one, value in entries.items():
            apply_key(target, one, value, f"{where}.{one}")
        for text in texts(entries.get("remove", ()), where):
            if normalize_spelling(text) not in target.removed:
                raise ValueError(
                    f"{where}.remove: {text!r} is no name of {name}{_owners_of_name(text, result)}"
                )
        _check_table(target, where)
        if any(one != key and target.name in {one, entry.name} for one, entry in result.items()):
            raise ValueError(f"{where}.rename: there is an attribute {target.name} already")
        result[key] = target  # a renamed one keeps its key, by which all others know it
    return result


def _owners_of_name(text: str, tables: Mapping[str, AttributeTable]) -> str:
    """Return the attributes that a text is a name of, for a message."""
    words = split_words(text)
    found = [
        one
        for one, entry in tables.items()
        if any(words in with_plural(known) for known in (*entry.names, *entry.flags, *entry.generic))
    ]
    return f"; it is one of {' and '.join(found)}" if found else ""


def _new_table(
    name: str, entries: Mapping[str, object], missing: tuple[str, ...], known: Iterable[str]
) -> AttributeTable:
    fresh = AttributeTable(name)
    fresh.missing = dict.fromkeys(map(normalize_spelling, missing))
    if not any(key in entries for key in (*GRADES, *FLAG_KEYS, "columns", *GENERIC_KEYS)):
        nearest = did_you_mean(name, known)
        raise ValueError(
            f"attributes.{name}: a new attribute needs names: one of {', '.join(GRADES)}{nearest}"
        )
    return fresh


def _check_table(target: AttributeTable, where: str) -> None:
    if not target.core:
        target.core = tuple(target.groups)
    for group in target.core:
        target.groups.setdefault(group, {normalize_spelling(group): None})
    for words, (group, _) in target.flags.items():
        if group not in target.groups:
            raise ValueError(f"{where}.flags.{group}: {' '.join(words)!r} names a group that `groups` lacks")
    phrases = (*target.distinctive.values(), *target.people, *target.adjectives)
    for name in (*target.bands, *target.coarse, *phrases):
        if name not in target.groups:
            raise ValueError(f"{where}: the group {name!r} is not among its groups")
    for data_set, codes in target.codes.items():
        for code, group in codes.items():
            if group not in target.groups and group != "unknown":
                raise ValueError(f"{where}.codes.{data_set}: {code!r} means {group!r}, which `groups` lacks")
