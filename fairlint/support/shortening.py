"""Texts made short so that what they differ in stays: a place to cut is found by comparing them."""

from __future__ import annotations

from collections.abc import Sequence

_BEFORE = 12
"""Characters that are told before the first one that differs."""


def shortened(texts: Sequence[str], room: int) -> list[str]:
    """The texts, none longer than `room`, each with the place where it parts from what is most like it."""
    flat = [" ".join(text.split()) for text in texts]
    return [_short(text, flat, room) for text in flat]


def _short(text: str, others: Sequence[str], room: int) -> str:
    if len(text) <= room:
        return text
    parts = max((_shared(text, other) for other in others if other != text), default=0)
    if parts < room - 2 * _BEFORE:
        return f"{text[: room - 1]}…"
    begin = room // 3
    start = _word_before(text, parts)
    rest = room - begin - 2
    end = start + rest
    if end >= len(text):
        return f"{text[:begin]}…{text[-(room - begin - 1) :]}"
    return f"{text[:begin]}…{text[start:end]}…"


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _word_before(text: str, at: int) -> int:
    """Where the word begins that holds a place, or a little before that place."""
    blank = text.rfind(" ", max(at - _BEFORE, 0), at)
    return blank + 1 if blank >= 0 else max(at - _BEFORE, 0)
