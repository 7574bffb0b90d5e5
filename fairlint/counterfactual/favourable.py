"""What kind of outcomes a program has, and which of them is good for a person."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fairlint.counterfactual.measured import Decision, Outcomes
from fairlint.counterfactual.population import Cell

GOOD = ("accept", "admit", "approv", "eligible", "good", "grant", "hire", "yes")
BAD = ("bad", "declin", "deni", "deny", "ineligible", "refus", "reject")
"""How words begin that say so."""
YES = "1"
"""The text of True, and of 1."""
YES_OR_NO = frozenset({"0", YES})
NUMBERS = frozenset({"bool", "int", "float"})


def decision(outcomes: Sequence[Outcomes]) -> Decision | None:
    """Return what outcomes are; None where there is none."""
    kinds, texts = {one.kind for one in outcomes}, {one.text for one in outcomes}
    if not outcomes:
        return None
    if len(texts) == 1:
        return "one"
    if kinds == {"bool"}:
        return "bool"
    if kinds <= NUMBERS:
        return "binary" if texts <= YES_OR_NO else "numbers"
    return "labels" if kinds == {"str"} and len(texts) == 2 else "other"


def favourable(outcomes: Sequence[Outcomes], given: Cell = None) -> str | None:
    """Return the text of the favourable outcome: the given one, else True or 1, else a label that says so."""
    if given is not None:
        return json.dumps(int(given) if isinstance(given, bool | float) and given == int(given) else given)
    kinds, texts = {one.kind for one in outcomes}, {one.text for one in outcomes}
    if outcomes and kinds <= NUMBERS and texts <= YES_OR_NO:
        return YES
    if kinds != {"str"} or len(texts) != 2:
        return None
    sides = {text: _label_side(text) for text in texts}
    good = [text for text, side in sides.items() if side > 0]
    others = [text for text, side in sides.items() if side >= 0]
    return good[0] if len(good) == 1 else others[0] if len(others) == 1 else None


def _label_side(text: str) -> int:
    """1 of a good label, -1 of a bad one, 0 where the words do not say."""
    words = "".join(letter if letter.isalpha() else " " for letter in json.loads(text).casefold()).split()
    if any(word in {"no", "not"} or word.startswith(BAD) for word in words):
        return -1
    return 1 if any(word.startswith(GOOD) for word in words) else 0
