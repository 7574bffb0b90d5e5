"""One regular expression over a file's raw bytes: may an identifier in it name an attribute?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record
from fairlint.vocabulary.attribute_table import Words
from fairlint.vocabulary.words import plural

TYPE_CHECKING = False  # importing typing would take as long as the rest
if TYPE_CHECKING:
    from typing import Any

_GAP = "[-_. ]*"
_SUBSCRIPT = r"(?:\[[^\]\n]{0,40}\])?"
_ACCESS = r"(?:\.|->|\[[\"']|\.get\([\"'])"
OWNER = lazy_expression(rf"([A-Za-z_][A-Za-z0-9_]*){_SUBSCRIPT}{_ACCESS}$".encode())
"""What stands before a field, up to it: its first group is the owner."""
_MEMORY = 64 << 20
"""RE2 falls back to an engine a hundred times slower where its automaton does not fit."""
_NOTHING = "[^\\x00-\\xff]"


def minimal(sequences: Iterable[Words]) -> list[Words]:
    """Return the sequences that hold no other one: whoever looks for these finds all."""
    known = set(sequences)
    singles = {words[0] for words in known if len(words) == 1}
    phrases = {words for words in known if len(words) > 1 and singles.isdisjoint(words)}
    kept = [
        words
        for words in phrases
        if len(words) == 2
        or not any(
            words[start:end] in phrases
            for start in range(len(words) - 1)
            for end in range(start + 2, len(words) + 1)
            if end - start < len(words)
        )
    ]
    return sorted([*kept, *((word,) for word in singles)])


class Owned(Record):
    """Names that count only where a person stands before them: `person.zip`, `person["zip"]`."""

    persons: frozenset[str]
    names: frozenset[str]
    """Their words joined by blanks."""


def pattern(sequences: Iterable[Words], columns: Iterable[str], owned: Owned | None = None) -> str:
    """Return the expression, in RE2's syntax without look-around, for raw bytes (RE2's LATIN1 mode).

    A word counts where its case and its neighbours set it apart: `user_age`, `userAge`, `USER_AGE` and `age1`
    match, `page` and `agent` do not. It may match more than the vocabulary knows, and never less.
    """
    kept = minimal(sequences)
    together = {"".join(words) for words in kept if len(words) > 1}
    singles = _merge_plurals([words[0] for words in kept if len(words) == 1 and words[0] not in together])
    firsts = _phrase_expressions([words for words in kept if len(words) > 1])
    parts = []
    if singles:
        lower = _group_alternatives([escape_word(word) + tail for word, tail in singles])
        capital = _group_alternatives(
            [escape_word(word[:1].upper() + word[1:]) + tail for word, tail in singles]
        )
        upper = _group_alternatives([escape_word(word.upper()) + tail.upper() for word, tail in singles])
        parts += [
            f"(?:^|[^A-Za-z]){lower}(?:[^a-z]|$)",
            f"{capital}(?:[^a-z]|$)",
            f"(?:^|[^A-Z]){upper}(?:[^A-Z]|[A-Z][a-z]|$)",
        ]
    if firsts:
        # written out for each first word: RE2 shares the beginnings of words, and of nothing else
        small = sorted(escape_word(word) + rest for rest, words in firsts for word in words)
        large = sorted(
            start + rest for rest, words in firsts for word in words for start in _capital_spellings(word)
        )
        parts += [
            f"(?:^|[^A-Za-z]){_group_alternatives(small)}(?:[^a-z]|$)",
            f"{_group_alternatives(large)}(?:[^a-z]|$)",
        ]
    if exact := [re.escape(column) for column in sorted(columns)]:
        parts.append(f"(?:^|[^A-Za-z0-9_]){_group_alternatives(exact)}(?:[^A-Za-z0-9_]|$)")
    if owned is not None and owned.persons and owned.names:
        parts.append(_owner_expression(owned))
    return "|".join(parts) if parts else _NOTHING


def _owner_expression(owned: Owned) -> str:
    persons = sorted(filter(str.isascii, owned.persons))
    lower = _group_alternatives([re.escape(word) for word in persons])
    capital = _group_alternatives([re.escape(word[:1].upper() + word[1:]) for word in persons])
    names = _group_alternatives(
        [_GAP.join(map(escape_word, name.split(" "))) for name in sorted(owned.names)]
    )
    return (
        f"(?:(?:^|[^A-Za-z]){lower}|{capital})s?[0-9_]*{_SUBSCRIPT}{_ACCESS}(?i:{names})(?:[^A-Za-z0-9_]|$)"
    )


def spans_in(expression: str) -> Callable[[bytes], list[tuple[int, int]]]:
    """Return what gives the stretches that an expression matches in some bytes, in order."""
    finditer = quick(expression).finditer
    return lambda data: [found.span() for found in finditer(data)]


def found_in(expression: str) -> Callable[[bytes], bool]:
    """Return what says whether an expression matches anywhere in some bytes."""
    search = quick(expression).search
    return lambda data: search(data) is not None


def quick(expression: str) -> re.Pattern[bytes]:
    """Return an expression in RE2's syntax, for bytes, with as much of Python's interface as RE2 has."""
    import re2  # noqa: PLC0415 (start-up)

    compiled: re.Pattern[bytes] = re2.compile(expression.encode("ascii"), _options(re2))
    return compiled


def set_search(expressions: Iterable[str]) -> Callable[[bytes], list[int]]:
    """Return what gives the places of the expressions that match anywhere in some bytes, in one pass."""
    import re2  # noqa: PLC0415 (start-up)

    found = re2.Set.SearchSet(_options(re2))
    for expression in expressions:
        found.Add(expression.encode("ascii"))
    found.Compile()
    return lambda data: found.Match(data) or []


def _options(re2: Any) -> Any:
    options = re2.Options()
    options.encoding = options.Encoding.LATIN1
    options.max_mem = _MEMORY
    options.never_capture = True
    options.log_errors = False
    return options


def _phrase_expressions(phrases: list[Words]) -> list[tuple[str, list[str]]]:
    """Expressions for what follows a first word, each with the first words that it follows."""
    by_first: dict[str, list[Words]] = {}
    for words in phrases:
        by_first.setdefault(words[0], []).append(words[1:])
    by_rest: dict[tuple[Words, ...], list[str]] = {}
    for first, rests in by_first.items():
        by_rest.setdefault(tuple(sorted(rests)), []).append(first)
    return [
        (_GAP + _group_alternatives(_rest_expressions(rests)), firsts)
        for rests, firsts in sorted(by_rest.items())
    ]


def _rest_expressions(rests: tuple[Words, ...]) -> list[str]:
    by_head: dict[Words, list[str]] = {}
    for words in rests:
        by_head.setdefault(words[:-1], []).append(words[-1])
    found = []
    for head, lasts in by_head.items():
        start = "".join(_any_case(word) + _GAP for word in head)
        merged = _merge_plurals(sorted(lasts))
        found.append(
            start
            + _group_alternatives(
                [_any_case(word) + (f"(?i:{tail})" if tail else "") for word, tail in merged]
            )
        )
    return found


def _capital_spellings(word: str) -> list[str]:
    return [escape_word(start) for start in sorted({word[:1].upper() + word[1:], word.upper()})]


def _merge_plurals(words: list[str]) -> list[tuple[str, str]]:
    """Return each word with the ending that its plural adds, where that is a word as well."""
    known = set(words)
    dropped: set[str] = set()
    merged = []
    for word in words:
        if word in dropped:
            continue
        many = plural(word) if word.isascii() else word
        if many in known and many in {f"{word}s", f"{word}es"}:
            dropped.add(many)
            merged.append((word, "s?" if many == f"{word}s" else "(?:es)?"))
        else:
            merged.append((word, ""))
    return merged


def _group_alternatives(alternatives: list[str]) -> str:
    return alternatives[0] if len(alternatives) == 1 else f"(?:{'|'.join(alternatives)})"


def _any_case(word: str) -> str:
    if word.isascii():
        return f"(?i:{re.escape(word)})"
    spellings = sorted({word, word.upper(), word[:1].upper() + word[1:]})
    return _group_alternatives([escape_word(spelling) for spelling in spellings])


def escape_word(word: str) -> str:
    """Return an expression for a word as its UTF-8 bytes or, where it has such, its Latin-1 bytes."""
    if word.isascii():
        return re.escape(word)
    encoded = [word.encode(), word.encode("latin-1", errors="ignore")]
    return _group_alternatives([_escape_bytes(raw) for raw in encoded if len(raw) >= len(word)])


def _escape_bytes(raw: bytes) -> str:
    return "".join(re.escape(chr(byte)) if byte < 0x80 else f"\\x{byte:02x}" for byte in raw)
