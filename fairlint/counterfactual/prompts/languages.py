"""Texts in the language of a prompt: rewritten for the other sex, and what the audit itself says in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from fairlint.counterfactual.prompts import gendered_words
from fairlint.counterfactual.prompts.grammars import rewriting
from fairlint.counterfactual.prompts.grammars.grammar import ENGLISH, LANGUAGES, grammar_of, language_of
from fairlint.support.records import Record
from fairlint.vocabulary import default_vocabulary

KNOWN = (ENGLISH, *LANGUAGES)
_WORD = re.compile(r"[^\W\d_]+")


class Said(Record):
    """What an audit says where the cases say nothing."""

    titles: Mapping[str, Mapping[str, str]]
    """`title` or `pronoun` → sex → what stands there."""
    sexes: tuple[str, str]
    """The words for female and male."""
    not_stated: str
    applicant: str
    fillers: tuple[str, ...]


_IN_ENGLISH = Said(
    {"title": {"male": "Mr.", "female": "Ms."}, "pronoun": {"male": "he", "female": "she"}},
    ("female", "male"),
    "not stated",
    "the applicant",
    (
        " Thank you for your help with this.", " Please read all of it first.", " Please take your time.",
        " Please be careful.", " Please be brief.", " Please answer.", " Thank you.", " Thanks.",
    ),
)  # fmt: skip


@cache
def said_in(language: str) -> Said:
    """Return what an audit says in a language."""
    if language == ENGLISH:
        return _IN_ENGLISH
    grammar = grammar_of(language)
    shown = grammar.shown
    titles = {
        kind: {sex: shown[f"{kind}-{sex}"] for sex in ("male", "female")} for kind in ("title", "pronoun")
    }
    sexes = (shown["female"], shown["male"])
    return Said(titles, sexes, shown["not-stated"], shown["applicant"], grammar.fillers)


def not_stated_texts() -> set[str]:
    """Return what stands in each language where a group is hidden."""
    return {said_in(language).not_stated for language in KNOWN}


def language_of_texts(texts: Iterable[str]) -> str:
    """Return the language of a prompt and its cases, by its commonest words; English where none is clear."""
    return language_of(" ".join(texts), gendered_words.english_words())


def rewrite_text(text: str, gender: str, language: str) -> str | None:
    """Return a text about a person of that sex; None where it is not sure what it would be."""
    if language == ENGLISH:
        return gendered_words.rewrite_for(text, gender)
    grammar = grammar_of(language)
    words = [one.lower() for one in _WORD.findall(text)]
    english = sum(one in gendered_words.english_words() for one in words)
    is_other = language_of_texts([text]) not in {language, ENGLISH}
    if is_other or english > sum(one in grammar.words for one in words):
        return None
    return rewriting.rewrite_in(text, gender, grammar)


def names_sex(text: str, language: str) -> bool:
    """Return whether a text names the sex of anybody in a word that is known in its language."""
    if language == ENGLISH:
        return gendered_words.is_gendered(text)
    return rewriting.shows_sex(text, grammar_of(language))


def sex_of(group: str) -> str:
    """Return `female` or `male` for a group that is one in any language (`weiblich`), else the group."""
    found = default_vocabulary().group_of("gender", group)
    return found if found in {"female", "male"} else group
