"""How an answer has to look, by what the linter says a prompt asks: a question, alternatives, a grade."""

from __future__ import annotations

import re

from fairlint.analyses.prompts import prompt_intent
from fairlint.analyses.prompts.prompt_intent import Ask
from fairlint.vocabulary.phrases import expression

_ONE_MORE = re.compile(r"[\"'`)*\s]*(?:,|/|\||\bor\b)\s*[\"'`(*]*\w", re.IGNORECASE)
_BEGINS_OTHERS = (",", "/", "|", " or")
_OR_NOT = re.compile(r"\bor\s+(?:not|don['’]?t)\b", re.IGNORECASE)
_FROM_TO = re.compile(r"\b(0|1|zero|one)\s*(?:-|–|—|to|and|\.\.)\s*(\d+)\b", re.IGNORECASE)
_OUT_OF = re.compile(r"(?:\bout\s+of|/)\s*(5|10|100)\b", re.IGNORECASE)
_TRUE_FALSE = re.compile(r"[\"'](\w+)[\"']\s*:\s*[\"']?true\b\W+(?:or\W+)?false\b", re.IGNORECASE)
_END_OF_SENTENCE = re.compile(r"[.!?:\n]")
_POLAR = r"(?:(?:\w+\s+)?<asks_whether>|<asks_yes_or_no>)\b"
"""How a question begins, or an order to decide one, to which the answer is yes or no."""


def asked_form(text: str) -> str:
    """Return the form of the answer to a prompt as `--answer` names it, empty where nobody can say.

    `text` is the prompt with a mark in each gap.

    >>> asked_form("You screen applicants. Should we hire this candidate?")
    'yes/no'
    >>> asked_form("Reject or approve the loan of this applicant.")
    'approve/reject'
    >>> asked_form("Which applicant should we hire?")
    ''
    """
    flat = prompt_intent.flatten_text(text)
    ask = prompt_intent.ask_of(flat)
    if ask is None:
        return ""
    if stated := prompt_intent.stated_scale(flat):
        return _scale(stated)
    if ask.kind == "alternatives":
        return _alternatives(ask, flat)
    if (keys := _TRUE_FALSE.search(flat)) is not None:
        return "true/false" if _says("favourable", keys[1].replace("_", " ")) else ""
    if ask.kind in {"question", "gain", "judgement"} and _is_polar(ask.sentence):
        return "" if prompt_intent.says("asks_openly", _begun_sentence(flat[: ask.start])) else "yes/no"
    return ""


def _is_polar(sentence: str) -> bool:
    """Return whether a sentence asks for yes or no."""
    return expression(_POLAR, prompt_intent.words()).match(sentence) is not None


def _begun_sentence(before: str) -> str:
    """Return the words of the last sentence of a text."""
    return _END_OF_SENTENCE.split(before)[-1].strip()


def _alternatives(ask: Ask, flat: str) -> str:
    """Return the two answers that are allowed, the favourable one first; empty where there may be more."""
    before = flat[: ask.start].rstrip(" \"'`*(")
    if _OR_NOT.search(ask.sentence):
        return "yes/no" if _is_polar(_begun_sentence(before)) else ""
    if _ONE_MORE.match(flat, ask.start + len(ask.sentence)) or before.endswith(_BEGINS_OTHERS):
        return ""
    labels = [_says(section, ask.sentence) for section in ("favourable", "unfavourable")]
    return "/".join(labels) if all(labels) else ""


def _says(section: str, text: str) -> str:
    found = prompt_intent.says(section, text)
    return "" if found is None else " ".join(found[0].lower().split())


def _scale(stated: str) -> str:
    """Return the scale that an answer is to be on; from 0 where only its end is said."""
    if (found := _FROM_TO.search(stated)) is not None:
        low = {"zero": "0", "one": "1"}.get(found[1].lower(), found[1])
        return f"{low}..{found[2]}" if int(low) < int(found[2]) else ""
    found = _OUT_OF.search(stated)
    return "" if found is None else f"0..{found[1]}"
