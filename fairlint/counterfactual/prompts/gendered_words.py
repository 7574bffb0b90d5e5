"""Rewrites a text about one person for the other sex, by what each word does in it, or not at all.

Swapping tokens turns *his* into *hers* where *her* is meant, and changes the sex of people the text only
mentions. Here the place of a word decides; a text for which that is not sure has no rewrite.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fairlint.support.documents import read_toml
from fairlint.support.records import Record

_WORD = re.compile(r"[A-Za-z]+|[^A-Za-z]+")
_MEN, _WOMEN = {"he", "him", "his", "himself"}, {"she", "her", "hers", "herself"}
"""Pronouns: where a text has both, nobody says who is whose."""


_OWNERS = frozenset({"his", "her", "their", "my", "whose"})


class _Words(Record):
    """The file of words."""

    women: Mapping[str, str]
    """What a man is called → what a woman is."""
    men: Mapping[str, str]
    relatives: frozenset[str]
    partners: frozenset[str]
    unsure: frozenset[str]
    ends_phrase: frozenset[str]
    two_objects: frozenset[str]
    english: frozenset[str]
    others: frozenset[str]

    @property
    def gendered(self) -> frozenset[str]:
        """All words that name a sex."""
        return frozenset((*self.women, *self.men, *self.unsure, "his", "her"))


@cache
def _words() -> _Words:
    data = read_toml(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    stems = data["occupations"]["stems"].split()
    women: dict[str, str] = data["people"] | {f"{stem}man": f"{stem}woman" for stem in stems}
    sets = {
        name.replace("-", "_"): frozenset(text.split())
        for table in ("places", "languages")
        for name, text in data[table].items()
    }
    return _Words(women, {woman: man for man, woman in women.items()} | data["women"], **sets)


def english_words() -> frozenset[str]:
    """Return the commonest words of English."""
    return _words().english


def is_gendered(text: str) -> bool:
    """Report whether a text names the sex of anybody in a word that is known here."""
    words = {one.lower() for one in _WORD.findall(text)}
    return not words.isdisjoint(_words().gendered)


def rewrite_for(text: str, gender: str) -> str | None:
    """Return the text about a person of that sex; None where it is not sure what the text would be.

    >>> rewrite_for("He led his team; the plan was his. Ask him.", "female")
    'She led her team; the plan was hers. Ask her.'
    >>> rewrite_for("Her manager praised her.", "male")
    'His manager praised him.'
    >>> rewrite_for("They gave her good marks.", "male") is None
    True
    """
    if gender not in {"female", "male"}:
        return None if is_gendered(text) else text
    parts = _WORD.findall(text)
    words = {one.lower() for one in parts}
    if _seems_foreign(words):
        return None
    if not is_gendered(text):
        return text
    if not words.isdisjoint(_MEN) and not words.isdisjoint(_WOMEN):
        return None
    done: list[str] = []
    for place, part in enumerate(parts):
        new = _rewritten_word(parts, place, gender)
        if new is None:
            return None
        done.append(_with_case(part, new))
    return "".join(done)


def _seems_foreign(words: set[str]) -> bool:
    return len(words & _words().others) > len(words & _words().english)


def _rewritten_word(parts: list[str], place: int, gender: str) -> str | None:
    """Return the word at a place for a person of that sex; None where that is not sure."""
    word = parts[place].lower()
    known = _words()
    if word in known.relatives | known.partners | known.unsure:
        if _neighbour(parts, place, -1) in _OWNERS:  # somebody else: a parent keeps a sex, a partner may not
            return None if word in known.partners else parts[place]
        if word in known.unsure:
            return None
    if word in known.relatives:
        return _rewritten_relative(parts, place, gender)
    if gender == "female":
        if word == "his":
            return "hers" if _stands_alone(parts, place) else "her"
        return _words().women.get(word, parts[place])
    if word == "her":
        if _stands_alone(parts, place):
            return "him"
        return None if _neighbour(parts, place, -1) in _words().two_objects else "his"
    return _words().men.get(word, parts[place])


def _rewritten_relative(parts: list[str], place: int, gender: str) -> str | None:
    before, after = _neighbour(parts, place, -1), _neighbour(parts, place, 1)
    if after == "of" or before in {"a", "single", "working"}:
        return "mother" if gender == "female" else "father"
    return None


def _stands_alone(parts: list[str], place: int) -> bool:
    """Return whether a pronoun has no noun behind it."""
    between = parts[place + 1] if place + 1 < len(parts) else ""
    if between.strip() or place + 2 >= len(parts):  # a sign, or the end
        return not between.strip().startswith(("-", '"', "'", "“", "(")) or place + 2 >= len(parts)
    return parts[place + 2].lower() in _words().ends_phrase


def _neighbour(parts: list[str], place: int, step: int) -> str:
    """Return the next word in a direction, unless a sign stands between."""
    between, word = place + step, place + 2 * step
    if 0 <= word < len(parts) and not parts[between].strip():
        return parts[word].lower()
    return ""


def _with_case(old: str, new: str) -> str:
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new.capitalize() if old[:1].isupper() and new.islower() else new
