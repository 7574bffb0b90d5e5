"""What code does to people: is this target a score, this outcome a decision, this call mere talk?

The words are data, in `vocabulary/words/effects.toml`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import islice
from typing import Literal

from fairlint.semantics.values.symbolic import Const, Lookup, Operation, Value
from fairlint.semantics.values.traversal import either
from fairlint.support.expressions import lazy_expression
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import split_words

Target = Literal["score", "hurdle", "weak score", "outcome", "count", "measure", "show", "other"]


lexicon = partial(word_lists, "effects")
"""The words of `effects.toml`."""


def any_word(text: str, words: frozenset[str]) -> bool:
    """Return whether one of the words of `text` is among `words`."""
    return not words.isdisjoint(split_words(text))


@lru_cache(maxsize=4096)
def decides(name: str) -> bool:
    """Return whether what is called so decides about people, or takes the conditions of a decision."""
    lists = lexicon()
    return any_word(name, (lists["outcome"] - lists["vague_outcome"]) | lists["demands"])


_VARIABLE_PLACE = lazy_expression(r"""\[[^\[\]"']*\]""")
"""An index that no text is: what it is called says nothing of what it holds."""


@lru_cache(maxsize=4096)
def classify_target(name: str) -> Target:
    """Return what a variable, field or column holds, by its name."""
    holder, bracket, place = name.rpartition("[")
    holder = _VARIABLE_PLACE.sub("", holder)
    words = split_words(f"{(holder if bracket else name).rpartition('.')[2]} {place if bracket else ''}")
    lexicon_ = lexicon()
    if not lexicon_["measure"].isdisjoint(words):
        return "measure"
    if not lexicon_["hurdle"].isdisjoint(words):
        return "hurdle"
    if not (lexicon_["score"] - lexicon_["weak_score"]).isdisjoint(words):
        return "score"
    if not lexicon_["outcome"].isdisjoint(words):
        return "outcome"
    if not lexicon_["count"].isdisjoint(words):
        return "count"
    if not lexicon_["weak_score"].isdisjoint(words) or is_entry_of_score(name):
        return "weak score"
    if not lexicon_["show"].isdisjoint(words):
        return "show"
    return "other"


def is_entry_of_score(target: str) -> bool:
    """Return whether a target is an entry of what a score is made of, by the name of the whole:
    `factors["sex"]`.
    """
    whole, bracket, _ = target.partition("[")
    words = split_words(whole.rpartition(".")[2])
    return bool(bracket and words) and words[-1] in lexicon()["score_parts"]


def announces_outcome(text: str) -> bool:
    """Return whether a text that is returned, assigned or printed announces a decision."""
    return len(text) < 200 and any_word(text, lexicon()["outcome_text"])


LONGEST_ANNOUNCEMENT = 200
"""Characters of a text that announces an outcome; longer ones tell stories."""

MOST_ENTRIES = 60
"""Entries of a table that are looked at for a text that announces an outcome."""

MAY_ANNOUNCE = frozenset({"other", "weak score", "show"})
"""Sorts of targets whose names say nothing of an outcome; a text that they are given may announce one."""


def announcing_words(text: str) -> frozenset[str]:
    """Return the words by which a text announces an outcome, wherever it stands."""
    if len(text) >= LONGEST_ANNOUNCEMENT:
        return frozenset()
    return (lexicon()["outcome_text"] - lexicon()["talk"]).intersection(split_words(text))


def announces(value: Value) -> bool:
    """Return whether one of the texts that a value may be announces an outcome."""
    texts = (one.value for one in _possible_values(value) if isinstance(one, Const))
    return any(isinstance(text, str) and announcing_words(text) for text in texts)


def _possible_values(value: Value) -> Iterator[Value]:
    """Yield what a value is by one test, or one key, or another."""
    for end in either(value):
        match end:
            case Lookup(table=table, default=default):
                entries = (entry for _, entry in islice(table.entries, MOST_ENTRIES))
                for entry in (*entries, *((default,) if default is not None else ())):
                    yield from either(entry)
            case Operation(op="and" | "or", arguments=arguments):
                for argument in arguments:
                    yield from either(argument)
            case _:
                yield end


def is_show(name: str) -> bool:
    """Return whether a call only tells a person something."""
    return any_word(name.rpartition(".")[2], lexicon()["show"]) or name.partition(".")[0] in lexicon()["logs"]
