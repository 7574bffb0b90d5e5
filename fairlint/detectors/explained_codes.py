"""Codes that a comment or a text explains: `/* 1 = male, 2 = female */`, `"Gender (1. male  2. female)"`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from fairlint.semantics.values.symbolic import Scalar
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record
from fairlint.syntax.tokens import Tokens
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.words import split_words

LONGEST = 600
"""Bytes of a comment or text that explains codes, rather than telling a story."""
MOST = 2_000
"""Comments and texts with numbers and words that are looked at."""

_MAY_EXPLAIN = lazy_expression(rb"\d[^\w]{0,3}[^\W\d]|[^\W\d][^\w]{0,3}\d|\d (?:for|is|means) ")
_NO_WORD = r"\\[nrt]|[\"'`“”|]"
_CODE_FIRST = (
    r"(?<![\w.+\-/*])(\d{1,2})[ \t]*(?:=+>?|:|->|→|\.|\)|-|–|\b(?:for|is|means|if)\b)[ \t]*"
    r"(?:an? )?([^\W\d_][\w-]*)(?:[ \t]+([^\W\d_][\w-]*))?"
)
"""`1 = male`, `1: African American`, `2) female`, `0 for men`."""
_GROUP_FIRST = r"([^\W\d_][\w-]*)[ \t]*(?:=+>?|:|->|→|\bis\b|\bas\b|\()[ \t]*(\d{1,2})(?![\w.])"
"""`male = 1`, `female (2)`."""
_SIDE_BY_SIDE = r"(?<![\w.+\-/*])([0-2])[ \t]+([^\W\d_][\w-]*)"
"""`0 male, 1 female`."""
_VAGUE = frozenset({"yes", "no", "other", "none"})
"""Groups whose words stand for much else."""


class Explanation(Record):
    """A comment or a text that may explain codes, and the code before it on its line."""

    text: str
    code: str


def codes_in(texts: Sequence[Explanation], attribute: str, vocabulary: Vocabulary) -> dict[Scalar, str]:
    """Return the groups of an attribute by their codes, as numbers and as texts, where `explaining` texts say
    them.

    Those that name the attribute are heard before others; where two contradict each other, none is.
    """
    named: dict[str, set[str]] = {}
    others: dict[str, set[str]] = {}
    for text in texts:
        codes = _explained_codes(text.text, attribute, vocabulary)
        if not codes:
            continue
        is_named = any(
            mention.attribute == attribute
            for word in split_words(f"{text.code} {text.text}")
            for mention in vocabulary.mentions(word)
        )
        for one in codes:
            if is_named:
                named.setdefault(one.code, set()).add(one.group)
            elif one.group not in _VAGUE and len(one.word) > 1:
                others.setdefault(one.code, set()).add(one.group)
    return _consistent_codes(named, least=1) or _consistent_codes(others, least=2)


def _consistent_codes(found: dict[str, set[str]], least: int) -> dict[Scalar, str]:
    groups = [group for said in found.values() for group in said]
    if len(found) < least or len(groups) > len(found) or len(set(groups)) < len(groups):
        return {}
    codes: dict[Scalar, str] = {}
    for code, group in zip(found, groups, strict=True):
        codes[int(code)] = codes[code] = group
    return codes


class _ExplainedCode(Record):
    """A code, the word that it stands for, and the group that this names."""

    code: str
    word: str
    group: str


def _explained_codes(text: str, attribute: str, vocabulary: Vocabulary) -> list[_ExplainedCode]:
    """Return the codes that a text explains."""
    ways: tuple[list[tuple[str, tuple[str, ...]]], ...] = (
        [(code, (f"{word} {more}", word)) for code, word, more in re.findall(_CODE_FIRST, text)],
        [(code, (word,)) for word, code in re.findall(_GROUP_FIRST, text)],
        [(code, (word,)) for code, word in re.findall(_SIDE_BY_SIDE, text)],
    )
    for place, found in enumerate(ways):
        known = [
            _ExplainedCode(code, word, group)
            for code, words in found
            for word, group in [_first_group(words, attribute, vocabulary)]
            if group
        ]
        if len(known) > (place == len(ways) - 1):
            return known
    return []


def _first_group(words: tuple[str, ...], attribute: str, vocabulary: Vocabulary) -> tuple[str, str]:
    known = vocabulary.attribute(attribute).groups
    for word in words:
        group = vocabulary.group_of(attribute, word.strip())
        if group is not None and group in known and not known[group].missing:
            return word, group
    return "", ""


def explaining(data: bytes, tokens: Tokens) -> Sequence[Explanation]:
    """Return the comments and texts that may explain a code, each with the code before it on its line."""
    return tuple(islice(_explanatory_texts(data, tokens), MOST))


def _explanatory_texts(data: bytes, tokens: Tokens) -> Iterator[Explanation]:
    for start, end in tokens.ended(data):
        if end - start <= LONGEST and _MAY_EXPLAIN.search(data, start, end) is not None:
            begin = data.rfind(b"\n", 0, start) + 1
            text = re.sub(_NO_WORD, " ", data[start:end].decode("utf-8", "replace"))
            code = data[max(begin, start - LONGEST) : start].decode("utf-8", "replace")
            yield Explanation(text, code)
