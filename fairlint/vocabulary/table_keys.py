"""What each key of an attribute table means, and how its value is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Literal, cast, get_args

from fairlint.support.did_you_mean import did_you_mean
from fairlint.vocabulary.attribute_table import (
    AttributeTable,
    FlagGrade,
    GenericGrade,
    Grade,
    Words,
    short_repr,
    table,
    texts,
    with_plural,
    word_sequences,
)
from fairlint.vocabulary.model import AttributeKind, Form
from fairlint.vocabulary.words import normalize_spelling

GRADES: tuple[Grade, ...] = ("strong", "likely", "ambiguous", "proxy")
FLAG_KEYS: Mapping[str, FlagGrade] = {
    "flags": "strong",
    "likely_flags": "likely",
    "bare_flags": "bare",
    "ambiguous_flags": "ambiguous",
}
GENERIC_KEYS: Mapping[str, GenericGrade] = {"generic": "generic", "weak_generic": "weak_generic"}


def apply_key(target: AttributeTable, key: str, value: object, where: str) -> None:
    """Read what a table says under one key into an attribute."""
    setter = _SETTERS.get(key)
    if setter is None:
        known = did_you_mean(key, _SETTERS, 1) or f", expected one of {', '.join(sorted(_SETTERS))}"
        raise ValueError(f"{where}: unknown key{known}")
    setter(target, value, where)


def _text_setter(attribute: str) -> Callable[[AttributeTable, object, str], None]:
    def apply(target: AttributeTable, value: object, where: str) -> None:
        if not isinstance(value, str) or not value:
            raise ValueError(f"{where}: expected a text, not {short_repr(value)}")
        setattr(target, attribute, value)

    return apply


def _choice_setter(attribute: str, allowed: tuple[str, ...]) -> Callable[[AttributeTable, object, str], None]:
    def apply(target: AttributeTable, value: object, where: str) -> None:
        if value not in allowed:
            nearest = did_you_mean(value, allowed) if isinstance(value, str) else ""
            raise ValueError(
                f"{where}: expected one of {', '.join(allowed)}, not {short_repr(value)}{nearest}"
            )
        setattr(target, attribute, value)

    return apply


def _switch_setter(attribute: str) -> Callable[[AttributeTable, object, str], None]:
    def apply(target: AttributeTable, value: object, where: str) -> None:
        if not isinstance(value, bool):
            raise ValueError(f"{where}: expected true or false, not {short_repr(value)}")
        setattr(target, attribute, value)

    return apply


def _names_setter(grade: Grade) -> Callable[[AttributeTable, object, str], None]:
    def apply(target: AttributeTable, value: object, where: str) -> None:
        for words in word_sequences(value, where):
            target.names[words] = grade

    return apply


def _flags_setter(grade: FlagGrade) -> Callable[[AttributeTable, object, str], None]:
    def apply(target: AttributeTable, value: object, where: str) -> None:
        for group, names in table(value, where).items():
            for words in word_sequences(names, f"{where}.{group}"):
                target.flags[words] = (group, grade)

    return apply


def _set_forms(target: AttributeTable, value: object, where: str) -> None:
    for form, names in table(value, where).items():
        if form not in get_args(Form):
            raise ValueError(f"{where}.{form}: expected one of {', '.join(get_args(Form))}")
        for words in word_sequences(names, f"{where}.{form}"):
            target.forms[words] = cast("Form", form)


def _generic_setter(grade: GenericGrade) -> Callable[[AttributeTable, object, str], None]:
    def apply(target: AttributeTable, value: object, where: str) -> None:
        target.generic.update(dict.fromkeys(word_sequences(value, where), grade))

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
            raise ValueError(f"{where}.{group}: expected [lowest, highest], not {short_repr(bounds)}")
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
                        f"{where}.{data_set}.{code}: expected a group, not {short_repr(meaning)}"
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
            sequences = word_sequences(among.get("words", []), f"{where}.among.words")
            target.limit_words = frozenset(" ".join(words) for words in sequences)
        else:
            raise ValueError(f"{where}.{key}: unknown key, expected numbers or among")


def _add_exclusions(target: AttributeTable, value: object, where: str) -> None:
    target.nots.update(word_sequences(value, where))


def _not_of(target: AttributeTable, value: object, where: str) -> None:
    target.not_of |= frozenset(word for words in word_sequences(value, where) for word in words)


def _not_values(target: AttributeTable, value: object, where: str) -> None:
    target.not_values |= frozenset(" ".join(words) for words in word_sequences(value, where))


def _add_neighbours(target: AttributeTable, value: object, where: str) -> None:
    for name, near in table(value, where).items():
        found = [" ".join(one) for one in word_sequences(near, f"{where}.{name}")]
        for variant in with_plural(next(word_sequences([name], where))):
            key = " ".join(variant)
            target.beside[key] = tuple(dict.fromkeys((*target.beside.get(key, ()), *found)))


def _told_by(target: AttributeTable, value: object, where: str) -> None:
    for name, values in table(value, where).items():
        key = " ".join(next(word_sequences([name], where)))
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
    """Handle what is handled before the other keys."""


def _remove_names(target: AttributeTable, value: object, where: str) -> None:
    """Take names out; what is none, out of the spellings of groups."""
    for text, words in zip(texts(value, where), word_sequences(value, where), strict=True):
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
    """Take a spelling out of the groups; whether it was one."""
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
    raise ValueError(f"{where}: expected a list of numbers, not {short_repr(value)}")


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
    **{grade: _names_setter(grade) for grade in GRADES},
    **{key: _flags_setter(grade) for key, grade in FLAG_KEYS.items()},
    "forms": _set_forms,
    "columns": _add_columns,
    **{key: _generic_setter(grade) for key, grade in GENERIC_KEYS.items()},
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
