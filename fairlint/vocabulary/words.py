"""Identifiers, keys and columns split into lower-case words, and spelled values brought to one form."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from fairlint.support.expressions import lazy_expression

_ASCII_WORD = lazy_expression(
    r"[A-Z]{2,}s(?![A-Za-z])"  # DOBs: an acronym's plural
    r"|[A-Z]+(?![a-z])"  # DOB, and HTTPServer without its S
    r"|[A-Z]?[a-z]+"
    r"|[0-9]+"
)
_APOSTROPHES = lazy_expression(r"['’`´]")
_PLURALS = {
    "children": "child",
    "people": "person",
    "persons": "person",
    "men": "man",
    "women": "woman",
    "wives": "wife",
    "statuses": "status",
    "sexes": "sex",
}
_NOT_PLURAL = ("ss", "us", "is", "as", "os")


@lru_cache(maxsize=8192)
def split_words(identifier: str) -> tuple[str, ...]:
    """Return the lower-cased words of an identifier, key or column.

    Splits snake, kebab, camel and SCREAMING case, acronyms, digits, spaces and dots: `userDOB2` is user, dob
    and 2. Letters without case (Chinese, Arabic) stay together. An apostrophe joins: `bachelor's` is one.
    """
    if identifier.isascii():
        text = identifier.replace("'", "") if "'" in identifier else identifier
        return tuple([word.lower() for word in _ASCII_WORD.findall(text)])
    text = _APOSTROPHES.sub("", unicodedata.normalize("NFKC", identifier))
    return tuple(word.lower() for word in _unicode_words(text))


def _unicode_words(text: str) -> list[str]:
    """Return the same cuts as `_ASCII_WORD`, by each character's case."""
    words: list[str] = []
    start = 0
    kinds = [_character_kind(char) for char in text]
    kinds = [
        kinds[at - 1] if kind == "m" and at else kind for at, kind in enumerate(kinds)
    ]  # a combining mark goes with its letter
    for at in range(1, len(text) + 1):
        before = kinds[at - 1]
        after = kinds[at] if at < len(text) else ""
        follows = kinds[at + 1] if at + 1 < len(text) else ""
        joined = before == after or (before == "U" and after == "l")
        if before == after == "U" and follows == "l":
            joined = False
        if joined:
            continue
        if before != "":
            words.append(text[start:at])
        start = at
    return [word for word in words if _character_kind(word[0]) not in {"", "m"}]


@lru_cache(maxsize=4096)
def _character_kind(char: str) -> str:
    """`U`pper, `l`ower, `c`aseless letter, `d`igit, `m`ark, or empty for what separates words."""
    if char.isupper() or char.istitle():
        return "U"
    if char.islower():
        return "l"
    if char.isdecimal():
        return "d"
    if char.isalpha():
        return "c"
    return "m" if unicodedata.category(char).startswith("M") else ""


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """`races` is race, `women` is woman; a word that is no plural stays."""
    known = _PLURALS.get(word)
    if known is not None:
        return known
    if len(word) < 4 or not word.endswith("s") or word.endswith(_NOT_PLURAL):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1]


def plural(word: str) -> str:
    """`race` is races, `disability` is disabilities; the inverse of `singular` for English nouns."""
    for many, one in _PLURALS.items():
        if one == word and many != "persons":
            return many
    if word.endswith("y") and len(word) > 1 and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    return word + "s"


@lru_cache(maxsize=8192)
def normalize_spelling(value: str) -> str:
    """Return a value's text in one form: case-folded, apostrophes gone, `-`, `_` and runs of blanks as one
    space.
    """
    text = value.casefold()
    if not text.isascii():
        text = _APOSTROPHES.sub("", unicodedata.normalize("NFKC", text).casefold())
    text = text.replace("'", "")
    return " ".join(text.replace("_", " ").replace("-", " ").split())
