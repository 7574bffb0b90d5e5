"""The names on one line, known or not, and why: what `fairlint explain` says about a line.

This works on the text alone, so that it can speak of lines that are never parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from fairlint.support.records import Record
from fairlint.syntax.source import Source
from fairlint.syntax.tokens import Tokens
from fairlint.syntax.tree import Span
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.getters import GETTER_PREFIXES
from fairlint.vocabulary.keyword_automaton import OWNER
from fairlint.vocabulary.model import Mention
from fairlint.vocabulary.words import split_words

Where = Literal["code", "text", "prose", "comment"]
"""`text` is code in a text, such as a query or a template; `prose` is a text that nobody looks into."""

LONGEST_OWNER = 90
LONGEST_VALUE = 40
"""Texts longer than this are no group's name."""

_WORD = re.compile(rb"[\w\x80-\xff]+")


class Name(Record):
    """One name on a line. Without `attribute` it is not known, and `reason` may say why."""

    written: str
    span: Span
    where: Where
    attribute: str = ""
    mention: Mention | None = None
    """Where the name is an attribute's, not a group's."""
    group: str = ""
    reason: str = ""
    receiver: str = ""
    """What it is a field of."""


def names_between(
    source: Source,
    span: Span,
    hits: Sequence[int],
    vocabulary: Vocabulary,
    attributes: Iterable[str] = (),
    *,
    tokens: Tokens | None,
) -> list[Name]:
    """Return the names in a stretch of a source, in order; without `tokens`, all of it is taken for code.

    `hits` are where the search has found something, `attributes` what the code there is known to be about.
    """
    data, tokens = source.data, tokens or Tokens(quotes=())
    found: list[Name] = []
    at = span.start
    for start, end in _text_spans(data, tokens, span):
        before = start - len(tokens.prefix(data, start))
        found += _in_code(data, tokens, Span(at, max(at, before)), vocabulary)
        if tokens.is_comment(data, start):
            found += _in_prose(data, _span_intersection(Span(start, end), span), "comment", vocabulary)
        else:
            found += _in_text(data, Span(start, end), span, hits, vocabulary, tokens=tokens)
        at = end
    found += _in_code(data, tokens, Span(at, max(at, span.end)), vocabulary)
    return _with_groups(found, attributes, vocabulary)


def _text_spans(data: bytes, tokens: Tokens, span: Span) -> Iterator[tuple[int, int]]:
    """Yield the comments and texts that touch a stretch."""
    for found in tokens.expression.finditer(data):  # from the top: only there nothing is open
        if found.start() >= span.end:
            return
        if found.end() > span.start:
            yield found.span()


def _span_intersection(one: Span, other: Span) -> Span:
    return Span(max(one.start, other.start), min(one.end, other.end))


def _in_code(data: bytes, tokens: Tokens, span: Span, vocabulary: Vocabulary) -> Iterator[Name]:
    for found in _WORD.finditer(data, span.start, span.end):
        word = found[0].decode("utf-8", "replace")
        if word in tokens.keywords or word[0].isdigit():
            continue
        receiver = _receiver_name(data, found.start())
        place = Span(*found.span())
        yield from _attribute_names(word, place, "code", receiver, vocabulary) or [
            Name(word, place, "code", reason=why_not(word, vocabulary), receiver=receiver)
        ]


def _in_text(
    data: bytes, text: Span, span: Span, hits: Sequence[int], vocabulary: Vocabulary, *, tokens: Tokens
) -> Iterator[Name]:
    """Yield a text that is a name or a group itself, else the known names in it."""
    quotes = tokens.quote_size(data, text.start, text.end)
    begin = text.start + quotes
    body = Span(begin, max(begin, text.end - quotes))
    whole = data[body.start : body.end].decode("utf-8", "replace")
    receiver = _receiver_name(data, body.start)
    if known := _attribute_names(whole, body, "code", receiver, vocabulary):
        yield from known
        return
    if len(whole) <= LONGEST_VALUE and whole.strip() and "\n" not in whole:
        yield Name(whole, body, "code", reason=why_not(whole, vocabulary))
    looked_into = any(text.start <= hit < text.end for hit in hits)
    inside = _span_intersection(body, span)
    if tokens.is_formatted(data, text.start):
        for stretch in _brace_spans(data, inside):
            yield from _names_with_attribute(_in_code(data, tokens, stretch, vocabulary))
    yield from _in_prose(data, inside, "text" if looked_into else "prose", vocabulary)


def _brace_spans(data: bytes, span: Span) -> Iterator[Span]:
    """Yield the expressions of a formatted text."""
    for found in re.finditer(rb"\{([^{}]*)\}", data[span.start : span.end]):
        yield Span(span.start + found.start(1), span.start + found.end(1))


def _names_with_attribute(names: Iterable[Name]) -> Iterator[Name]:
    return (name for name in names if name.attribute)


def _in_prose(data: bytes, span: Span, where: Where, vocabulary: Vocabulary) -> Iterator[Name]:
    for found in _WORD.finditer(data, span.start, span.end):
        word = found[0].decode("utf-8", "replace")
        place = Span(*found.span())
        yield from _attribute_names(word, place, where, _receiver_name(data, found.start()), vocabulary)


def _receiver_name(data: bytes, start: int) -> str:
    """Return what a field belongs to: `applicant` in `applicant.age` and `applicant["age"]`."""
    owner = OWNER.search(data, max(0, start - LONGEST_OWNER), start)
    return "" if owner is None else owner[1].decode("ascii")


def _attribute_names(
    word: str, span: Span, where: Where, receiver: str, vocabulary: Vocabulary
) -> list[Name]:
    """Return the attributes that a word names; as the search, it looks behind `get_` and between `__`."""
    mentions = vocabulary.mentions_of(word, receiver)
    if not mentions and where == "code":
        bare = next((word[len(prefix) :] for prefix in GETTER_PREFIXES if word.startswith(prefix)), "")
        mentions = vocabulary.mentions(bare) if bare else ()
        if not mentions and "__" in word:
            mentions = tuple(mention for part in word.split("__") for mention in vocabulary.mentions(part))
    return [
        Name(word, span, where, mention.attribute, mention, mention.group or "", receiver=receiver)
        for mention in mentions
    ]


def _with_groups(names: Iterable[Name], attributes: Iterable[str], vocabulary: Vocabulary) -> list[Name]:
    """Return the names, with those that spell a group of an attribute that is named beside them.

    Texts of several words that name nothing are left out.
    """
    every = list(names)
    beside = [name.attribute for name in every if name.attribute and name.where in {"code", "text"}]
    several = list(dict.fromkeys((*beside, *attributes)))
    taken = {(name.span.start, name.span.end) for name in every if name.attribute}
    done: list[Name] = []
    for name in every:
        if name.attribute:
            done.append(name)
        elif (name.span.start, name.span.end) in taken:
            continue
        elif (pair := _spelled_group(name.written, several, vocabulary)) is not None:
            attribute, group = pair
            done.append(Name(name.written, name.span, name.where, attribute, group=group))
        elif not any(map(str.isspace, name.written)):
            done.append(name)
    return _each_once(done)


def _spelled_group(text: str, attributes: Iterable[str], vocabulary: Vocabulary) -> tuple[str, str] | None:
    """Attribute and group that a text or constant spells."""
    for attribute in attributes:
        group = vocabulary.group_of(attribute, text)
        if group is not None:
            return attribute, group
    return next(iter(vocabulary.groups_in(text)), None)


def _each_once(names: Iterable[Name]) -> list[Name]:
    """Return each name and place once; what stands in an expression of a template was met as code before."""
    kept: dict[tuple[int, int, str], Name] = {}
    for name in names:
        kept.setdefault((name.span.start, name.span.end, name.attribute), name)
    return sorted(kept.values(), key=lambda name: (name.span.start, name.attribute))


# ------------------------------------------------------------------------------------------ why it is unknown


def why_not(word: str, vocabulary: Vocabulary) -> str:
    """Return why an identifier that holds a known word names no attribute; empty where it holds none."""
    words = split_words(word)
    index = vocabulary.index
    for at, first in enumerate(words):
        for text, attribute in index.nots.get(first, ()):
            if _has_phrase(text, words, at):
                return f"a false friend: '{text}' is no {vocabulary.attribute(attribute).title}"
    for at, first in enumerate(words):
        for sort, text, attribute, _, grade in index.entries.get(first, ()):
            if not _has_phrase(text, words, at):
                continue
            title = vocabulary.attribute(attribute).title
            if sort == "flag" and grade == "ambiguous" and len(words) == len(text.split()):
                return f"'{text}' alone may be anything: it means {title} with `is_` or a person"
            if len(words) > len(text.split()):
                return f"'{text}' ({title}) in a longer name that is not known"
    if (rows := index.generic.get(" ".join(words))) is not None:
        title = vocabulary.attribute(rows[0][2]).title
        return f"means {title} only as a field of a person (`person.{word}`)"
    return ""


def _has_phrase(text: str, words: tuple[str, ...], at: int) -> bool:
    sequence = tuple(text.split(" "))
    return words[at : at + len(sequence)] == sequence
