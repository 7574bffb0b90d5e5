"""One attribute as its tables say it, and how values of TOML are read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, cast

from fairlint.vocabulary.model import AttributeKind, Form
from fairlint.vocabulary.words import plural, split_words

Words = tuple[str, ...]
Grade = Literal["strong", "likely", "ambiguous", "proxy"]
FlagGrade = Literal["strong", "likely", "bare", "ambiguous"]
"""`bare` flags may stand alone (`disabled`), `ambiguous` ones need `is_` or a person beside (`is_white`)."""
GenericGrade = Literal["generic", "weak_generic"]
"""Names that count only as a person's field (`applicant.zip`); the weak ones mostly mean something else there
too (`employee.title`)."""
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
        """Return a copy that can be extended without changing this one."""
        from copy import deepcopy  # noqa: PLC0415 (only for attributes that users extend)

        return deepcopy(self)


def texts(value: object, where: str, separator: str = ",") -> list[str]:
    """Return a list of texts, written as a TOML array or as one text with separators; that of `{0,3}` is
    none.
    """
    if isinstance(value, str):
        parts = re.split(rf"{re.escape(separator)}(?!\d*\}})", value)
        return [item for item in map(str.strip, parts) if item]
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return [cast("str", item) for item in value]
    raise ValueError(f"{where}: expected a text or a list of texts, not {short_repr(value)}")


def table(value: object, where: str) -> Mapping[str, object]:
    """Return the value as a table with text keys."""
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return cast("Mapping[str, object]", value)
    raise ValueError(f"{where}: expected a table, not {short_repr(value)}")


def word_sequences(value: object, where: str) -> Iterator[Words]:
    """Yield each text of a value as the words it is made of."""
    for text in texts(value, where):
        words = split_words(text)
        if not words:
            raise ValueError(f"{where}: {text!r} holds no word")
        yield words


def with_plural(words: Words) -> Iterator[Words]:
    """Yield a name and its plural."""
    yield words
    if words[-1].isascii() and words[-1].isalpha() and not words[-1].endswith(_NO_PLURAL):
        yield (*words[:-1], plural(words[-1]))


def short_repr(value: object) -> str:
    """Return a value as messages show it, shortened."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
