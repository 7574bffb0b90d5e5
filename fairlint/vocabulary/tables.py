"""The attribute tables: TOML as people write it, checked and brought to one shape that can be extended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Literal, cast, get_args

from fairlint.support.did_you_mean import did_you_mean
from fairlint.vocabulary.model import AttributeKind, Form
from fairlint.vocabulary.words import normalize_spelling, plural, split_words

Words = tuple[str, ...]
Grade = Literal["strong", "likely", "ambiguous", "proxy"]
FlagGrade = Literal["strong", "bare", "ambiguous"]
"""`bare` flags may stand alone (`disabled`), `ambiguous` ones need `is_` or a person beside (`is_white`)."""
GenericGrade = Literal["generic", "weak_generic"]
"""Names that count only as a person's field (`applicant.zip`); the weak ones mostly mean something else there
too (`employee.title`)."""

_GRADES: tuple[Grade, ...] = ("strong", "likely", "ambiguous", "proxy")
_FLAG_KEYS: Mapping[str, FlagGrade] = {
    "flags": "strong",
    "bare_flags": "bare",
    "ambiguous_flags": "ambiguous",
}
_GENERIC_KEYS: Mapping[str, GenericGrade] = {"generic": "generic", "weak_generic": "weak_generic"}
_NO_NOUN = ("ed", "ing", "al", "ic", "ous")
_NO_PLURAL = ("s", *_NO_NOUN, "person", "years", "old", "degree")


class AttributeTable:
    """All that is written down about one attribute; the compiled indexes are built from these."""

    __slots__ = (
        "adjectives",
        "bands",
        "beside",
        "coarse",
        "codes",
        "columns",
        "core",
        "distinctive",
        "domains",
        "flags",
        "form",
        "forms",
        "generic",
        "groups",
        "identifies",
        "kind",
        "laws",
        "limit_words",
        "limits",
        "limits_among",
        "missing",
        "name",
        "names",
        "needs_domain",
        "not_of",
        "not_values",
        "note",
        "nots",
        "ordered",
        "people",
        "proxy_for",
        "removed",
        "title",
        "told_by",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.title = name.replace("_", " ")
        self.kind: AttributeKind = "protected"
        self.form: Form = "value"
        self.core: tuple[str, ...] = ()
        self.coarse: tuple[str, ...] = ()
        self.domains: frozenset[str] = frozenset()
        self.needs_domain = False
        self.ordered = False
        self.identifies = False
        self.proxy_for: tuple[str, ...] = ()
        self.note = ""
        self.names: dict[Words, Grade] = {}
        self.forms: dict[Words, Form] = {}
        self.columns: set[str] = set()
        self.generic: dict[Words, GenericGrade] = {}
        self.beside: dict[str, tuple[str, ...]] = {}
        """Words of a name that mostly means something else -> the words one of which has to be near."""
        self.told_by: dict[str, tuple[str, ...]] = {}
        """Words of a name that means nothing by itself -> the values one of which says what it means."""
        self.flags: dict[Words, tuple[str, FlagGrade]] = {}
        self.groups: dict[str, dict[str, None]] = {}
        self.people: dict[str, tuple[str, ...]] = {}
        self.adjectives: dict[str, tuple[str, ...]] = {}
        self.missing: dict[str, None] = {}
        self.distinctive: dict[str, str] = {}
        self.bands: dict[str, tuple[float, float]] = {}
        self.laws: dict[str, tuple[str, ...]] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.limits: tuple[float, ...] = ()
        self.limits_among: tuple[float, ...] = ()
        self.limit_words: frozenset[str] = frozenset()
        self.nots: set[Words] = set()
        self.removed: set[str] = set()
        self.not_of: frozenset[str] = frozenset()
        self.not_values: frozenset[str] = frozenset()

    def copy(self) -> AttributeTable:
        """A copy that can be extended without changing this one."""
        from copy import deepcopy  # noqa: PLC0415 (only for attributes that users extend)

        return deepcopy(self)


def texts(value: object, where: str, separator: str = ",") -> list[str]:
    """A list of texts, written as a TOML array or as one text with separators; that of `{0,3}` is none."""
    if isinstance(value, str):
        parts = re.split(rf"{re.escape(separator)}(?!\d*\}})", value)
        return [item for item in map(str.strip, parts) if item]
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return [cast("str", item) for item in value]
    raise ValueError(f"{where}: expected a text or a list of texts, not {_short_repr(value)}")


def table(value: object, where: str) -> Mapping[str, object]:
    """The value as a table with text keys."""
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return cast("Mapping[str, object]", value)
    raise ValueError(f"{where}: expected a table, not {_short_repr(value)}")


def extend(
    attributes: Mapping[str, AttributeTable], tables: Mapping[str, object], missing: tuple[str, ...] = ()
) -> dict[str, AttributeTable]:
    """The attributes with one table's additions, renamings and removals; what was given stays as it is."""
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
            raise ValueError(f"{where}.disabled: expected true or false, not {_short_repr(disabled)}")
        key = next((one for one, entry in result.items() if entry.name == name), name)
        known = result.get(key)
        if disabled:
            if known is None:
                raise ValueError(f"{where}: no such attribute to switch off{did_you_mean(name, result)}")
            del result[key]
            continue
        target = known.copy() if known is not None else _new_table(name, entries, missing, result)
        for one, value in entries.items():
            _apply_key(target, one, value, f"{where}.{one}")
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
    """The attributes that a text is a name of, for a message."""
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
    if not any(key in entries for key in (*_GRADES, *_FLAG_KEYS, "columns", *_GENERIC_KEYS)):
        nearest = did_you_mean(name, known)
        raise ValueError(
            f"attributes.{name}: a new attribute needs names: one of {', '.join(_GRADES)}{nearest}"
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


def _apply_key(target: AttributeTable, key: str, value: object, where: str) -> None:
    setter = _SETTERS.get(key)
    if setter is None:
        known = did_you_mean(key, _SETTERS, 1) or f", expected one of {', '.join(sorted(_SETTERS))}"
        raise ValueError(f"{where}: unknown key{known}")
    setter(target, value, where)


def _word_sequences(value: object, where: str) -> Iterator[Words]:
    for text in texts(value, where):
        words = split_words(text)
        if not words:
            raise ValueError(f"{where}: {text!r} holds no word")
        yield words


def with_plural(words: Words) -> Iterator[Words]:
    """A name and its plural."""
    yield words
    if words[-1].isascii() and words[-1].isalpha() and not words[-1].endswith(_NO_PLURAL):
        yield (*words[:-1], plural(words[-1]))


def _text_setter(attribute: str) -> Callable[[AttributeTable, object, str], None]:
    def apply(target: AttributeTable, value: object, where: str) -> None:
        if not isinstance(value, str) or not value:
            raise ValueError(f"{where}: expected a text, not {_short_repr(value)}")
        setattr(target, attribute, value)

    return apply


def _choice_setter(attribute: str, allowed: tuple[str, ...]) -> Callable[[AttributeTable, object, str], None]:
    def apply(target: AttributeTable, value: object, where: str) -> None:
        if value not in allowed:
            nearest = did_you_mean(value, allowed) if isinstance(value, str) else ""
            raise ValueError(
                f"{where}: expected one of {', '.join(allowed)}, not {_short_repr(value)}{nearest}"
            )
        setattr(target, attribute, value)

    return apply


def _switch_setter(attribute: str) -> Callable[[AttributeTable, object, str], None]:
    def apply(target: AttributeTable, value: object, where: str) -> None:
        if not isinstance(value, bool):
            raise ValueError(f"{where}: expected true or false, not {_short_repr(value)}")
        setattr(target, attribute, value)

    return apply


def _names_setter(grade: Grade) -> Callable[[AttributeTable, object, str], None]:
    def apply(target: AttributeTable, value: object, where: str) -> None:
        for words in _word_sequences(value, where):
            target.names[words] = grade

    return apply


def _flags_setter(grade: FlagGrade) -> Callable[[AttributeTable, object, str], None]:
    def apply(target: AttributeTable, value: object, where: str) -> None:
        for group, names in table(value, where).items():
            for words in _word_sequences(names, f"{where}.{group}"):
                target.flags[words] = (group, grade)

    return apply


def _set_forms(target: AttributeTable, value: object, where: str) -> None:
    for form, names in table(value, where).items():
        if form not in get_args(Form):
            raise ValueError(f"{where}.{form}: expected one of {', '.join(get_args(Form))}")
        for words in _word_sequences(names, f"{where}.{form}"):
            target.forms[words] = cast("Form", form)


def _generic_setter(grade: GenericGrade) -> Callable[[AttributeTable, object, str], None]:
    def apply(target: AttributeTable, value: object, where: str) -> None:
        target.generic.update(dict.fromkeys(_word_sequences(value, where), grade))

    return apply


def _add_columns(target: AttributeTable, value: object, where: str) -> None:
    target.columns.update(texts(value, where))


def _add_groups(target: AttributeTable, value: object, where: str) -> None:
    for group, spellings in table(value, where).items():
        known = target.groups.setdefault(group, {normalize_spelling(group): None})
        known.update(dict.fromkeys(map(normalize_spelling, texts(spellings, f"{where}.{group}"))))


def _phrases_setter(key: Literal["people", "adjectives"]) -> Callable[[AttributeTable, object, str], None]:
    def apply(target: AttributeTable, value: object, where: str) -> None:
        known: dict[str, tuple[str, ...]] = getattr(target, key)
        for group, phrases in table(value, where).items():
            found = texts(phrases, f"{where}.{group}")
            if any("{people}" in phrase.removeprefix("{people} ") for phrase in found):
                raise ValueError(f"{where}.{group}: {{people}} begins a phrase")
            known[group] = tuple(dict.fromkeys((*known.get(group, ()), *found)))

    return apply


def _add_missing_spellings(target: AttributeTable, value: object, where: str) -> None:
    target.missing.update(dict.fromkeys(map(normalize_spelling, texts(value, where))))


def _add_distinctive_spellings(target: AttributeTable, value: object, where: str) -> None:
    for group, spellings in table(value, where).items():
        for text in texts(spellings, f"{where}.{group}"):
            target.distinctive[normalize_spelling(text)] = group


def _set_bands(target: AttributeTable, value: object, where: str) -> None:
    bands = dict(target.bands)
    for group, bounds in table(value, where).items():
        low_high = _parse_numbers(bounds, f"{where}.{group}")
        if len(low_high) != 2 or low_high[0] > low_high[1]:
            raise ValueError(f"{where}.{group}: expected [lowest, highest], not {_short_repr(bounds)}")
        bands[group] = (low_high[0], low_high[1])
    ordered = sorted(bands.items(), key=lambda item: item[1])
    for (before, (_, high)), (after, (low, _)) in pairwise(ordered):
        if low <= high:
            raise ValueError(f"{where}: {before} and {after} overlap")
    target.bands = dict(ordered)


def _set_laws(target: AttributeTable, value: object, where: str) -> None:
    for jurisdiction, laws in table(value, where).items():
        target.laws[jurisdiction] = tuple(texts(laws, f"{where}.{jurisdiction}", ";"))


def _add_codes(target: AttributeTable, value: object, where: str) -> None:
    for data_set, codes in table(value, where).items():
        known = target.codes.setdefault(data_set, {})
        if isinstance(codes, str):
            for pair in texts(codes, f"{where}.{data_set}"):
                code, found, group = pair.rpartition("=")
                if not found:
                    raise ValueError(f"{where}.{data_set}: expected code=group, not {pair!r}")
                known[normalize_spelling(code)] = group.strip()
        else:
            for code, meaning in table(codes, f"{where}.{data_set}").items():
                if not isinstance(meaning, str):
                    raise ValueError(
                        f"{where}.{data_set}.{code}: expected a group, not {_short_repr(meaning)}"
                    )
                known[normalize_spelling(code)] = meaning


def _set_limits(target: AttributeTable, value: object, where: str) -> None:
    if not isinstance(value, Mapping):
        target.limits = _parse_numbers(value, where)
        return
    for key, inner in table(value, where).items():
        if key == "numbers":
            target.limits = _parse_numbers(inner, f"{where}.numbers")
        elif key == "among":
            among = table(inner, f"{where}.among")
            target.limits_among = _parse_numbers(among.get("numbers", []), f"{where}.among.numbers")
            sequences = _word_sequences(among.get("words", []), f"{where}.among.words")
            target.limit_words = frozenset(" ".join(words) for words in sequences)
        else:
            raise ValueError(f"{where}.{key}: unknown key, expected numbers or among")


def _add_exclusions(target: AttributeTable, value: object, where: str) -> None:
    target.nots.update(_word_sequences(value, where))


def _not_of(target: AttributeTable, value: object, where: str) -> None:
    target.not_of |= frozenset(word for words in _word_sequences(value, where) for word in words)


def _not_values(target: AttributeTable, value: object, where: str) -> None:
    target.not_values |= frozenset(" ".join(words) for words in _word_sequences(value, where))


def _add_neighbours(target: AttributeTable, value: object, where: str) -> None:
    for name, near in table(value, where).items():
        found = [" ".join(one) for one in _word_sequences(near, f"{where}.{name}")]
        for variant in with_plural(next(_word_sequences([name], where))):
            key = " ".join(variant)
            target.beside[key] = tuple(dict.fromkeys((*target.beside.get(key, ()), *found)))


def _told_by(target: AttributeTable, value: object, where: str) -> None:
    for name, values in table(value, where).items():
        key = " ".join(next(_word_sequences([name], where)))
        found = map(normalize_spelling, texts(values, f"{where}.{name}"))
        target.told_by[key] = tuple(dict.fromkeys((*target.told_by.get(key, ()), *found)))


def _set_core_groups(target: AttributeTable, value: object, where: str) -> None:
    target.core = tuple(texts(value, where))


def _set_coarse_groups(target: AttributeTable, value: object, where: str) -> None:
    target.coarse = tuple(texts(value, where))


def _set_domains(target: AttributeTable, value: object, where: str) -> None:
    target.domains = frozenset(texts(value, where))


def _proxy_for(target: AttributeTable, value: object, where: str) -> None:
    target.proxy_for = tuple(texts(value, where))


def _ignore_disable_key(target: AttributeTable, value: object, where: str) -> None:
    """Handled before the other keys."""


def _remove_names(target: AttributeTable, value: object, where: str) -> None:
    """Takes names out; what is none, out of the spellings of groups."""
    for text, words in zip(texts(value, where), _word_sequences(value, where), strict=True):
        found = text in target.columns
        target.columns.discard(text)
        for names in (target.names, target.flags, target.generic):
            found |= words in names
            names.pop(words, None)
        found = found or _takes_spelling(target, text)
        if any(
            words in with_plural(one) or _has_subsequence(words, one)
            for one in (*target.names, *target.flags)
        ):
            target.nots.add(words)  # a name itself, but for what is removed
            found = True
        if found:
            target.removed.add(normalize_spelling(text))


def _has_subsequence(words: Words, part: Words) -> bool:
    return any(words[at : at + len(part)] == part for at in range(len(words)))


def _takes_spelling(target: AttributeTable, text: str) -> bool:
    """Takes a spelling out of the groups; whether it was one."""
    wanted, found = normalize_spelling(text), False
    for spellings in target.groups.values():
        found |= spellings.pop(wanted, 0) is None
    target.distinctive.pop(wanted, None)
    return found


def _parse_numbers(value: object, where: str) -> tuple[float, ...]:
    if isinstance(value, list) and all(
        isinstance(item, (int, float)) and not isinstance(item, bool) for item in value
    ):
        return tuple(value)
    raise ValueError(f"{where}: expected a list of numbers, not {_short_repr(value)}")


def _short_repr(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


_SETTERS: Mapping[str, Callable[[AttributeTable, object, str], None]] = {
    "title": _text_setter("title"),
    "rename": _text_setter("name"),
    "note": _text_setter("note"),
    "kind": _choice_setter("kind", get_args(AttributeKind)),
    "form": _choice_setter("form", get_args(Form)),
    "core": _set_core_groups,
    "coarse": _set_coarse_groups,
    "domains": _set_domains,
    "needs_domain": _switch_setter("needs_domain"),
    "ordered": _switch_setter("ordered"),
    "identifies": _switch_setter("identifies"),
    "proxy_for": _proxy_for,
    **{grade: _names_setter(grade) for grade in _GRADES},
    **{key: _flags_setter(grade) for key, grade in _FLAG_KEYS.items()},
    "forms": _set_forms,
    "columns": _add_columns,
    **{key: _generic_setter(grade) for key, grade in _GENERIC_KEYS.items()},
    "groups": _add_groups,
    "people": _phrases_setter("people"),
    "adjectives": _phrases_setter("adjectives"),
    "missing": _add_missing_spellings,
    "distinctive": _add_distinctive_spellings,
    "bands": _set_bands,
    "laws": _set_laws,
    "codes": _add_codes,
    "limits": _set_limits,
    "not": _add_exclusions,
    "not_of": _not_of,
    "not_values": _not_values,
    "beside": _add_neighbours,
    "told_by": _told_by,
    "remove": _remove_names,
    "disabled": _ignore_disable_key,
}
KNOWN_KEYS = frozenset(_SETTERS)
"""What a table may hold."""
