"""Attributes by which a text tells its reader to judge somebody: "rate her by experience, age and gender"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from fairlint.analyses.prompts.prompt_intent import says, words
from fairlint.support.records import Record
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.model import Mention
from fairlint.vocabulary.phrases import alternatives

LONGEST_NAME = 3
"""Words of an attribute's name in running text."""
NEAR_PEOPLE = 4
"""Words behind "of" in which it says whose an attribute is."""
_BEFORE = 40
_JOINED = re.compile(r"\s*(?:[,/&()]|\band\b|\bor\b|\bas well as\b|\bplus\b)\s*")


class Ground(Record):
    """An attribute, and the words in which a text says to go by it."""

    mention: Mention
    words: str


def grounds(flat: str, vocabulary: Vocabulary) -> Iterator[Ground]:
    """Yield the attributes that a text says to go by, each once."""
    told: set[str] = set()
    for found in _going_by().finditer(flat):
        if _negation_pattern().search(flat[max(0, found.start() - _BEFORE) : found.start()]):
            continue
        end = _end_pattern().search(found["what"])
        listed = found["what"] if end is None else found["what"][: end.start()]
        names = _JOINED.split(listed)
        if end is not None and end[0].lower() == "of" and not _is_of_people(found["what"][end.end() :]):
            names.pop()  # "the age of the company"
        for name in names:
            mention = _mention_in_entry(name, vocabulary)
            if mention is not None and mention.attribute not in told:
                told.add(mention.attribute)
                yield Ground(mention, f"{found['verb']} {listed.strip()}")


def _is_of_people(behind: str) -> bool:
    return says("people", " ".join(behind.split()[:NEAR_PEOPLE])) is not None


def _mention_in_entry(name: str, vocabulary: Vocabulary) -> Mention | None:
    """Return the attribute that the last words of an entry of a list name: "the applicant's marital
    status".
    """
    last = name.split()[-LONGEST_NAME:]
    for size in range(len(last), 0, -1):
        found = vocabulary.mentions(" ".join(last[-size:]))
        if found and found[0].strength != "proxy" and found[0].group is None:
            return found[0]
    return None


@cache
def _going_by() -> re.Pattern[str]:
    verbs = alternatives(words()["goes_by"])
    return re.compile(rf"(?<!\w)(?P<verb>{verbs})\s+(?P<what>[^.!?\n:;\u25a1]{{1,160}})", re.IGNORECASE)


@cache
def _negation_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){alternatives(words()['goes_not_by'])}\b[^.!?\n]*\Z", re.IGNORECASE)


@cache
def _end_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){alternatives(words()['ends_grounds'])}(?!\w)", re.IGNORECASE)
