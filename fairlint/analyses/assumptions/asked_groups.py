"""Groups that a language model is asked for: in an order, or by a field of the answer that it fills in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial

from fairlint.analyses.assumptions.attribute_reads import Read, Reader
from fairlint.semantics.names.syntax_index import NOWHERE
from fairlint.support.expressions import lazy_expression
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import split_words

LONGEST_ORDER = 6_000
"""Longer texts are no order to guess somebody's group."""
SHORTEST_ORDER = 8
"""Shorter ones are none: there is no place for a verb and for what is guessed."""
NEAR_ORDER = 8
"""Words behind the verb of an order in which it says what is guessed."""
NEAR_NEGATION = 3
"""Words before it in which it says that nothing is to be guessed."""
MOST_SENTENCES = 60
HIGHEST_KEY = 5
"""Nodes around the description of a field in which its name is looked for."""

_FIELD = lazy_expression(r"""\b(\w{2,40})["']?[ \t]*:[ \t]*["']?([^"'{}:]+)""")

lexicon = partial(word_lists, "inferred_groups")


def attributes_in_orders(text: Node, reader: Reader) -> list[Read]:
    """Return the attributes that an order, or the form of an answer in a prompt, asks to guess."""
    if text.span.end - text.span.start > LONGEST_ORDER:
        return []
    found: list[Read] = []
    before: tuple[str, ...] = ()
    for sentence in re.split(r"\.(?!\w)|[\n;]", reader.whole(text))[:MOST_SENTENCES]:
        words = split_words(re.sub(r"\W+", "_", sentence))
        found += _ordered_in(words, reader, before) or _form_in(sentence, reader)
        before = words or before
    return list({read.mention.attribute: read for read in found}.values())


def is_prompt(text: Node, reader: Reader) -> bool:
    """Return whether what a text is held in, or given as, is called a prompt: `prompt = {"system":
    "..."}`.
    """
    names = _names_of_prompts()
    inner = text
    for outer, _ in zip(reader.syntax.around(text), range(HIGHEST_KEY), strict=False):
        match outer:
            case tree.Call(keywords=keywords):
                called = [key or "" for key, value in keywords if value is inner]
                return any(not names.isdisjoint(split_words(key)) for key in called)
            case tree.Assign(targets=(tree.Name(id=name) | tree.Field(name=name),)):
                return not word_lists("prompts")["names_sure"].isdisjoint(split_words(name))
            case tree.Assign() | tree.Return():
                return False
            case _:
                inner = outer
    return False


@cache
def _names_of_prompts() -> frozenset[str]:
    return word_lists("prompts")["names_sure"] | word_lists("prompts")["content_keys"]


def attributes_in_description(text: tree.Literal, reader: Reader) -> list[Read]:
    """Return the attribute of a field that is to be guessed: `Field(description="inferred from the
    name")`.
    """
    if not isinstance(text.value, str) or text.span.end - text.span.start > LONGEST_ORDER:
        return []
    words = split_words(re.sub(r"\W+", "_", text.value))
    if not _is_guess_request(words) or lexicon()["sources"].isdisjoint(words):
        return []
    name = _field_of_description(text, reader)
    return list(_guessable_attributes(split_words(name), reader)) if name else []


def _ordered_in(words: tuple[str, ...], reader: Reader, before: tuple[str, ...]) -> list[Read]:
    """`guess the gender and the age of the person in the photo`, `is the name male or female`."""
    lists = lexicon()
    is_looked_at = not lists["sources"].isdisjoint(words)
    if not is_looked_at and lists["sources_told"].isdisjoint(words):
        return []
    for at, word in enumerate(words):
        if not is_looked_at and word not in lists["verbs_sure"]:
            continue
        is_question = word == "what"
        if not (is_question or word in lists["verbs_asked"]) or _has_negation(words, at):
            continue
        near = words[at + 1 : at + 1 + NEAR_ORDER]
        ends = lists["asked_given"] | (lists["asked_of"] if is_question else set())
        end = next((place for place, one in enumerate(near) if one in ends), len(near))
        if not lists["asked_else"].isdisjoint(near):
            continue
        if found := list(_guessable_attributes(near[:end], reader)):
            return found
        if word in lists["verbs_sure"] and near[:1] and near[0] in lists["stands_for"]:
            return list(_guessable_attributes(before, reader))
    return [] if not is_looked_at or lists["asks_whether"].isdisjoint(words) else _either_of(words, reader)


def _either_of(words: tuple[str, ...], reader: Reader) -> list[Read]:
    """Return the attribute of two groups that are named as a choice: `male or female`."""
    for first, joined, second in zip(words, words[1:], words[2:], strict=False):
        if joined != "or":
            continue
        told = {attribute for attribute, _ in reader.groups_in(first)}
        both = told & {attribute for attribute, _ in reader.groups_in(second)} & lexicon()["attributes"]
        for attribute in sorted(both):
            return list(reader.named(attribute, NOWHERE))[:1]
    return []


def _form_in(sentence: str, reader: Reader) -> list[Read]:
    """`"gender": "male or female, guessed from the name"` in the form of an answer."""
    found: list[Read] = []
    for field in _FIELD.finditer(sentence):
        words = split_words(re.sub(r"\W+", "_", field[2]))
        if _is_guess_request(words) and lexicon()["asked_else"].isdisjoint(words):
            found += _guessable_attributes(split_words(field[1]), reader)
    return found


def _is_guess_request(words: tuple[str, ...]) -> bool:
    """Return whether words say that something is guessed, and not that it is not to be."""
    guessed = lexicon()["verbs_guessed"]
    return any(word in guessed and not _has_negation(words, at) for at, word in enumerate(words))


def _has_negation(words: tuple[str, ...], at: int) -> bool:
    return not lexicon()["negates"].isdisjoint(words[max(0, at - NEAR_NEGATION) : at])


def _guessable_attributes(words: tuple[str, ...], reader: Reader) -> Iterator[Read]:
    for word in words:
        for read in reader.named(word, NOWHERE):
            if read.mention.attribute in lexicon()["attributes"] and read.mention.group is None:
                yield read


def _field_of_description(text: tree.Literal, reader: Reader) -> str:
    """Return what the field is called that a text describes: a field of a class, or the key of a schema."""
    inner: Node = text
    is_description = False
    for outer, _ in zip(reader.syntax.around(text), range(HIGHEST_KEY), strict=False):
        match outer:
            case tree.Call(keywords=keywords):
                is_description |= any(
                    value is inner and key in lexicon()["describes"] for key, value in keywords
                )
            case tree.Item(key=tree.Literal(value=str(key))) if key in lexicon()["describes"]:
                is_description = True
            case tree.Item(key=tree.Literal(value=str(key))) if is_description:
                return key
            case tree.Assign(targets=(tree.Name(id=name),)):
                return name if is_description else ""
            case _:
                pass
        inner = outer
    return ""
