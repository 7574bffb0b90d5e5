"""Groups: which group a spelled value, a code or a literal denotes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from fairlint.support.records import Record
from fairlint.vocabulary.attribute_table import AttributeTable, Words, table, texts
from fairlint.vocabulary.phrases import alternatives
from fairlint.vocabulary.words import normalize_spelling, singular, split_words

UNKNOWN = "unknown"
"""The group of all values that say nothing, where an attribute gives them no other meaning."""

LONGEST_RANGE = 40
"""Characters of a text that names a range of numbers."""
_SEPARATORS = r"\s*[/|,]\s*"


class Ranges(Record):
    """Expressions for ranges of numbers that are written out."""

    between: str
    below: str
    above: str
    below_words: str
    above_words: str

    @classmethod
    def read(cls, raw: object) -> Ranges:
        """From the table `ranges` of names.toml."""
        words = {
            key: alternatives(texts(value, f"ranges.{key}")) for key, value in table(raw, "ranges").items()
        }
        number = r"(\d{1,3})"
        return cls(
            rf"\[?\(?{number}\s*(?:{words['between']}|–|,|\s)\s*{number}\)?\]?(?:\s*years?(?: old)?)?",
            rf"(?:<=?|{words['below']})\s*{number}",
            rf"(?:>=?|{words['above']})\s*{number}|{number}\s*(?:\+|{words['and_above']})",
            rf"<|\b(?:{words['below']})\b",
            rf"[>+]|\b(?:{words['above']}|{words['and_above']})\b",
        )

    def within(self, text: str) -> tuple[float, float] | None:
        """Return the lowest and the highest number of a range that a text names: "Age 50 to 54"."""
        if len(text) > LONGEST_RANGE:
            return None
        numbers = [float(number) for number in re.findall(r"\d{1,3}", text)]
        if len(numbers) == 2 and numbers[0] <= numbers[1]:
            return numbers[0], numbers[1]
        if len(numbers) != 1:
            return None
        if re.search(self.below_words, text.lower()):
            return 0.0, numbers[0]
        return (numbers[0], math.inf) if re.search(self.above_words, text.lower()) else None


class Groups:
    """The spellings of all attributes' groups.

    `after` are words that say nothing behind a group ("black people"), `before` letters of constants
    (`kFemale`). Of a text that only asks to choose, `choosing` and `beside_choosing` are the words.
    """

    def __init__(
        self,
        tables: Mapping[str, AttributeTable],
        before: frozenset[str],
        after: frozenset[str],
        ranges: Ranges,
        distinctive: Mapping[str, Sequence[tuple[str, str]]] | None = None,
        *,
        choosing: frozenset[str] = frozenset(),
        beside_choosing: frozenset[str] = frozenset(),
    ) -> None:
        self._tables = tables
        self._before = before
        self._after = after
        self._spellings: dict[str, dict[str, str]] = {}
        self._ranges = ranges
        self._choosing, self._beside_choosing = choosing, beside_choosing
        self._own: dict[str, frozenset[str]] = {}
        self._distinctive = distinctive_texts(tables) if distinctive is None else distinctive

    def of(self, attribute: str, value: str | float | bool, data_set: str | None = None) -> str | None:
        """Return the canonical group that a value denotes, or None where it is no known spelling."""
        entry = self._tables.get(attribute)
        if entry is None:
            return None  # switched off
        if isinstance(value, bool):
            text = "yes" if value else "no"
            return text if text in entry.groups else None
        if not isinstance(value, str):
            if data_set is None or not float(value).is_integer():
                return None
            return entry.codes.get(data_set, {}).get(str(int(value)))
        text = normalize_spelling(value)
        if data_set is not None and (code := entry.codes.get(data_set, {}).get(text)):
            return code
        known = self._spelling_table(attribute)
        group = known.get(text)
        if group is None and len(value) <= 60:
            group = self._by_words(attribute, value) or self._by_parts(known, text)
            if group is None and entry.bands:
                group = _band_of_text(entry.bands, self._ranges, text)
            if group is None and self._asks_to_choose(attribute, value):
                return UNKNOWN
        return group

    def _asks_to_choose(self, attribute: str, value: str) -> bool:
        """Return whether a value is what a list of choices begins with: "Select...", "Choose your gender"."""
        words = set(split_words(value))
        return not words.isdisjoint(self._choosing) and words <= (
            self._choosing | self._beside_choosing | self._own_words(attribute)
        )

    def in_text(self, text: str) -> tuple[tuple[str, str], ...]:
        """Return the (attribute, group) pairs that a literal denotes by itself."""
        if len(text) > 60:
            return ()
        return tuple((name, group) for name, group in self._distinctive.get(normalize_spelling(text), ()))

    def range_in(self, attribute: str, text: str) -> tuple[float, float] | None:
        """Return the range of an attribute that is a number, where a text names one."""
        return self._ranges.within(text) if self._tables[attribute].bands else None

    def is_missing(self, attribute: str, group: str) -> bool:
        """Return whether a group is no group of people: "unknown" and its like."""
        return group == UNKNOWN and group not in self._tables[attribute].groups

    def _spelling_table(self, attribute: str) -> dict[str, str]:
        known = self._spellings.get(attribute)
        if known is None:
            entry = self._tables[attribute]
            known = dict.fromkeys(entry.missing, UNKNOWN)
            known[UNKNOWN] = UNKNOWN
            for group in reversed(entry.groups):
                known.update(dict.fromkeys(entry.groups[group], group))
            self._spellings[attribute] = known
        return known

    def _own_words(self, attribute: str) -> frozenset[str]:
        own = self._own.get(attribute)
        if own is None:
            entry = self._tables[attribute]
            own = frozenset(word for words in entry.names if len(words) <= 2 for word in words)
            own |= frozenset(split_words(attribute)) | {"type", "kind", "enum", "value", "code", "group"}
            self._own[attribute] = own
        return own

    def _by_words(self, attribute: str, value: str) -> str | None:
        """`GENDER_MALE`, `kFemale`, "black people": the attribute's own words taken off both ends."""
        words = split_words(value)
        if not words:
            return None
        known = self._spelling_table(attribute)
        group = known.get(" ".join(words))
        if group is not None:
            return group
        own = self._own_words(attribute)
        start, end = 0, len(words)
        while start < end - 1 and words[start] in own:
            start += 1
        named = start > 0
        while end - 1 > start and (words[end - 1] in own or words[end - 1] in self._after):
            named = named or words[end - 1] in own
            end -= 1
        inner: Words = words[start:end]
        found = self._group_of_inner_words(known, inner, named)
        if found is None and len(inner) > 1 and inner[0] in self._before:
            found = self._group_of_inner_words(known, inner[1:], False)
        return found

    @staticmethod
    def _group_of_inner_words(known: Mapping[str, str], inner: Words, named: bool) -> str | None:
        text = " ".join(inner)
        if len(text) == 1 and not named:
            return None
        return known.get(text) or known.get(" ".join((*inner[:-1], singular(inner[-1]))))

    @staticmethod
    def _by_parts(known: Mapping[str, str], text: str) -> str | None:
        """ "black/african american": all parts name the same group."""
        parts = re.split(_SEPARATORS, text)
        if len(parts) < 2:
            return None
        found = {known.get(part) for part in parts if len(part) > 1}
        return found.pop() if len(found) == 1 else None


def distinctive_texts(tables: Mapping[str, AttributeTable]) -> dict[str, list[tuple[str, str]]]:
    """Return text -> the (attribute, group) pairs that it denotes by itself."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, entry in tables.items():
        for text, group in entry.distinctive.items():
            found.setdefault(text, []).append((name, group))
    return found


def _band_of_text(bands: Mapping[str, tuple[float, float]], ranges: Ranges, text: str) -> str | None:
    """Return the band that a written range of numbers lies in: "25 to 34", "under 25", "65+"."""
    if match := re.fullmatch(ranges.between, text):
        middle = (float(match[1]) + float(match[2])) / 2
    elif match := re.fullmatch(ranges.below, text):
        middle = float(match[1]) - 1
    elif match := re.fullmatch(ranges.above, text):
        middle = float(match[1] or match[2]) + 10
    else:
        return None
    lowest = min(low for low, _ in bands.values())
    highest = max(high for _, high in bands.values())
    middle = min(max(middle, lowest), highest)
    for group, (low, high) in bands.items():
        if low <= middle < high + 1:
            return group
    return None
