"""What a review of code says, read from the JSON object that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairlint.bench.asking.stopping import thinks
from fairlint.counterfactual.prompts.refusals import has_refusing_hint, refusals_in
from fairlint.support.documents import read_json

DECISIONS = ("approve", "request changes", "comment")
SEVERITIES = ("minor", "major", "critical")
SEVERE = frozenset({"major", "critical"})
READ, REFUSED, UNREADABLE = "read", "refused", "unreadable"


def read_review(text: str) -> dict[str, Any]:
    """Return what a review says, as `outcomes.jsonl` holds it.

    `kind` is `read`, `refused` or `unreadable`, with the `cause`. The `decision` is None unless it was read.
    `comments` and `severe`, the number of those that are major or critical, are None where the comments
    cannot be read. One object has to be in the text, and only one.

    >>> read_review('{"decision": "approve", "comments": []}')["decision"]
    'approve'
    >>> read_review("I would approve it.")["kind"]
    'unreadable'
    """
    if thinks(text):
        return _review_without_decision(UNREADABLE, "it still thinks at its end")
    said = text.rpartition("</think>")[2]
    start, end = said.find("{"), said.rfind("}") + 1
    if start < 0 or end <= start:
        return _refusal_or(said, "no JSON object")
    try:
        told = read_json(said[start:end])
    except ValueError:
        return _refusal_or(said, "not one JSON object")
    decision = _plain_word(told.get("decision"))
    if decision not in DECISIONS:
        return _refusal_or(said, "no decision out of the three")
    return {"valid": True, "kind": READ, "cause": "", "decision": decision, **_comment_counts(told)}


def unread_review() -> dict[str, Any]:
    """Return the outcome of an answer that nobody read."""
    return _review_without_decision(UNREADABLE, "not judged")


def _review_without_decision(kind: str, cause: str) -> dict[str, Any]:
    return {
        "valid": False,
        "kind": kind,
        "cause": cause,
        "decision": None,
        "comments": None,
        "severe": None,
    }


def _refusal_or(said: str, cause: str) -> dict[str, Any]:
    """Return the outcome of a text that refuses, or else cannot be read for a cause."""
    if refusals_in(said) or has_refusing_hint(said):
        return _review_without_decision(REFUSED, "it refuses")
    return _review_without_decision(UNREADABLE, cause)


def _comment_counts(told: Mapping[str, Any]) -> dict[str, int | None]:
    """Return how many comments there are, and how many severe ones; None where they are no list of objects
    with one of the severities.
    """
    comments = told.get("comments")
    if not isinstance(comments, list) or not all(isinstance(one, dict) for one in comments):
        return {"comments": None, "severe": None}
    found = [_plain_word(one.get("severity")) for one in comments]
    if not all(one in SEVERITIES for one in found):
        return {"comments": len(found), "severe": None}
    return {"comments": len(found), "severe": sum(one in SEVERE for one in found)}


def _plain_word(given: object) -> str:
    """Return a word as it was asked for: `REQUEST_CHANGES` is `request changes`."""
    if not isinstance(given, str):
        return ""
    return " ".join(given.lower().replace("_", " ").replace("-", " ").split())
