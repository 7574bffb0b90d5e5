"""How an answer says, in any language that audits know, that it gives none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fairlint.support.documents import read_toml
from fairlint.support.records import Record


class Wordings(Record):
    """Expressions of all languages together: a model need not refuse in the language of its prompt."""

    refusal: re.Pattern[str]
    hint: re.Pattern[str]
    """An apology or the like, which decisions have, too."""
    refusing_hint: re.Pattern[str]
    """One that refuses where no answer is named."""
    before: str
    """An apology right before an answer, as `Es tut mir leid, aber`."""
    conclusion: str
    """What can stand right before an answer at the end, as `daher`."""
    negations: Mapping[str, frozenset[str]]
    """Answers that only negate where a sentence goes on, and answers by whose company one knows them."""


@cache
def wordings() -> Wordings:
    """Return the expressions by which refusals are recognized."""
    told = read_toml(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    refusals = [_filled(text, one) for one in told.values() for text in one["refusals"]]
    hints = [text for one in told.values() for text in one["hints"]]
    refusing = [text for one in told.values() if one.get("hints_refuse") for text in one["hints"]]
    buts = [text for one in told.values() for text in one["but"]]
    conclusions = [text for one in told.values() for text in one["so"]]
    return Wordings(
        re.compile(rf"\b{_any(refusals)}(?!\w)", re.IGNORECASE),
        re.compile(rf"\b{_any(hints)}(?!\w)", re.IGNORECASE),
        re.compile(rf"\b{_any(refusing)}(?!\w)", re.IGNORECASE),
        rf"{_any(hints)}\W+(?:{_any(buts)}\W+)?",
        rf"(?:[.:;,!?)\n–—-]|\b{_any(conclusions)})",
        {
            negation: frozenset(one["beside"])
            for one in told.values()
            for negation in one.get("negations", ())
        },
    )


def _filled(text: str, told: dict[str, Any]) -> str:
    """Return an expression with the verbs and adverbs of its language."""
    return text.replace("{answer}", _any(told["answering"])).replace("{how}", _any(told.get("how", ())))


def _any(expressions: Iterable[str]) -> str:
    return f"(?:{'|'.join(expressions)})"


def straight(text: str) -> str:
    """Return a text with plain apostrophes, as the expressions have them; its length stays."""
    return text.replace("’", "'")


def refusals_in(text: str) -> Sequence[re.Match[str]]:
    """Return what a text refuses to answer with, in order."""
    return list(wordings().refusal.finditer(straight(text)))


def has_hint(text: str) -> bool:
    """Return whether a text apologizes or says what it is."""
    return wordings().hint.search(straight(text)) is not None


def has_refusing_hint(text: str) -> bool:
    """Return whether a text does so in a way that refuses where no answer is named."""
    return wordings().refusing_hint.search(straight(text)) is not None
