"""What a program asks for by a list of options and no name: `1. Male`, `2. Female`, `Choose: `."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from fairlint.support.expressions import lazy_expression
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.labels import LONGEST_LABEL, asked_for
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import split_words

LEAST_OPTIONS = 2
"""Groups among the options that say what is asked for."""
MOST_OPTIONS = 20
LONGEST_MENU = 600
"""Characters of the texts that are looked through."""

_LETTERS = r"[^\W\d_][^\W\d_'’-]*"
_BEGINS = lazy_expression(r"\(?\d{1,2}[ \t]*[.):=-]")
"""How an option begins that has a line of its own."""


@cache
def _list_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """`1. Male`, `2 for female`, `(3) Sikh`; and `Male = 1`, `Female (2)`."""
    numbered = re.compile(
        r"(?<![\w.])\d{1,2}[ \t]*(?:[.):=>–-]+|\b(?:for|is|if)\b)?[ \t]*(?:an? )?"
        rf"(?P<option>{_LETTERS}(?:[ \t/]{_LETTERS}){{0,3}}?)[ \t]*(?=$|[\n,;:()\[\]/&|.]|\d|\b(?:and|or)\b)",
        re.MULTILINE,
    )
    named_first = re.compile(
        rf"(?P<option>{_LETTERS}(?: {_LETTERS})?)[ \t]*(?:=|:|->|\()[ \t]*\d{{1,2}}(?![\w.])"
    )
    return numbered, named_first


@cache
def _choice_pattern() -> re.Pattern[str]:
    """`male or female`, `Hindu/Muslim`."""
    return re.compile(rf"(?P<option>{_LETTERS})[ \t]*(?:/|\bor\b)[ \t]*(?P<other>{_LETTERS})")


def attribute_of_menu(texts: Sequence[str], vocabulary: Vocabulary) -> str | None:
    """Return the attribute of which the options are groups that a program lists right before it asks, where
    they are nothing else. The last of the texts asks; where it lists no options it has to ask for nothing
    else.
    """
    *before, last = texts
    if (found := _attribute_of((*_option_lists(last), *_either_or(last)), vocabulary)) is not None:
        return found
    if _BEGINS.match(last) is None and not _only_chooses(last):
        return None
    return _attribute_of(_option_lists("\n".join((*before, last))[-LONGEST_MENU:]), vocabulary)


def _only_chooses(text: str) -> bool:
    """Return whether a text asks for a choice and for nothing by name: `Your choice: `, `> `."""
    name, _ = asked_for(text)
    is_short = bool(name) or len(split_words(text)) <= LONGEST_LABEL
    return is_short and frozenset(split_words(name)) <= word_lists("reads")["chooses"]


def _attribute_of(ways: Iterable[list[str]], vocabulary: Vocabulary) -> str | None:
    for options in ways:
        attributes = dict.fromkeys(
            attribute for option in options for attribute, _ in vocabulary.groups_in(option.lower())
        )
        for attribute in attributes:
            if _are_groups(options, attribute, vocabulary):
                return attribute
    return None


def _option_lists(said: str) -> Iterator[list[str]]:
    """Yield the numbered options of a text, for each form in which it may list them."""
    for pattern in _list_patterns():
        found = [one["option"].strip() for one in pattern.finditer(said[:LONGEST_MENU])]
        if LEAST_OPTIONS <= len(found) <= MOST_OPTIONS:
            yield found


def _either_or(said: str) -> Iterator[list[str]]:
    """Yield the two options of a question: `male or female`, `Hindu/Muslim`."""
    for one in _choice_pattern().finditer(said[:LONGEST_MENU]):
        yield [one["option"], one["other"]]


def _are_groups(options: Sequence[str], attribute: str, vocabulary: Vocabulary) -> bool:
    """Return whether each option is a group of an attribute, but for what leaves the menu, and two differ."""
    ends = word_lists("reads")["ends_menu"]
    groups: set[str] = set()
    for option in options:
        group = vocabulary.group_of(attribute, option.lower())
        if group is None and ends.isdisjoint(split_words(option)):
            return False
        if group is not None and len(option) > 1 and not vocabulary.is_missing(attribute, group):
            groups.add(group)
    return len(groups) >= LEAST_OPTIONS


def listed_names(text: str, vocabulary: Vocabulary) -> list[str]:
    """Return what a text asks for that names one thing after the other: `enter age sex and marital
    status`.
    """
    asking = word_lists("reads")["asking"] | {"and"}
    words = [word for word in split_words(text) if word not in asking]
    names: list[str] = []
    place = 0
    while place < len(words):
        two = "_".join(words[place : place + 2])
        size = 2 if place + 1 < len(words) and _is_sure(two, vocabulary) else 1
        names.append(" ".join(words[place : place + size]))
        place += size
    return names


def _is_sure(name: str, vocabulary: Vocabulary) -> bool:
    words = set(split_words(name))
    return any(words <= set(mention.words) for mention in vocabulary.mentions(name))
