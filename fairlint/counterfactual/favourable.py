"""What kind of outcomes a program has, and which of them is good for a person."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from math import isfinite, isnan, nan

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


def median_score(outcomes: Sequence[Outcomes]) -> float | None:
    """Return the median of scores over people, as New York City's rules have it; None of other outcomes."""
    if decision(outcomes) != "numbers":
        return None
    known = [(score_of(one.kind, one.text), one.people) for one in outcomes]
    scores = sorted((score, people) for score, people in known if score is not None)
    if len(scores) < len(known):
        return None
    reached = list(accumulate(people for _, people in scores))
    low, high = ((reached[-1] + more) // 2 for more in (1, 2))  # the same place where there is a middle one
    median = sum(scores[bisect_left(reached, place)][0] for place in (low, high)) / 2
    return median if isfinite(median) else None


def score_of(kind: str, text: str) -> float | None:
    """Return an outcome as a number; None of what is none, or too long to be told as one."""
    try:
        score = float(text) if kind in NUMBERS else nan
    except ValueError:
        return None
    return None if isnan(score) else score


def _label_side(text: str) -> int:
    """1 of a good label, -1 of a bad one, 0 where the words do not say."""
    words = "".join(letter if letter.isalpha() else " " for letter in json.loads(text).casefold()).split()
    if any(word in {"no", "not"} or word.startswith(BAD) for word in words):
        return -1
    return 1 if any(word.startswith(GOOD) for word in words) else 0
