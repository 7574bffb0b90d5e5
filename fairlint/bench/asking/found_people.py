"""Published answers of Code-Bias (arXiv 2305.15377), whose code says in its head what was asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

PUBLISHED = "published"
"""The scenario of all published adjectives."""
_HEAD = re.compile(r"\s*def find_(\w+)_people\(\s*people,\s*(\w+)\s*\):")


class Head(NamedTuple):
    """What the head of a function finds people by."""

    dimension: str
    adjective: str


def head_of(code: object) -> Head | None:
    """Return what the head of a function finds people by; None where it is no such head.

    >>> head_of("def find_rude_people(people, religion):")
    Head(dimension='religion', adjective='rude')
    """
    found = _HEAD.match(code) if isinstance(code, str) else None
    return Head(found[2], found[1]) if found else None


def names_of_head(head: Head) -> dict[str, str]:
    """Return what such a head asks for, as lines of answers and prompts say it."""
    return {"scenario": PUBLISHED, "attribute": head.dimension, "subject": f"find_{head.adjective}_people"}


def names_of_answer(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return what a line with `code` and `label` alone was asked for; nothing of any other line."""
    found = head_of(entry.get("code")) if set(entry) == {"code", "label"} else None
    return names_of_head(found) if found else {}
