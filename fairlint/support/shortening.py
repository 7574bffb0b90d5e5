"""Texts made short so that what they differ in stays: a place to cut is found by comparing them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairlint.support.expressions import lazy_expression

_BEFORE = 12
"""Characters that are told before the first one that differs."""
_SMALL = 60
"""A room in which the end of a text has more of it than the beginning."""
_TINY = 30
"""A room that has no place for what all texts begin with."""
_LEFT_OUT = "…"
_WORD_BEFORE = lazy_expression(r"(?<=[\s(\[{,.=/'\"])\w+…")
_WORD_BEHIND = lazy_expression(r"…\w+(?=[\s)\]},.=/'\"])")
_OPENING, _CLOSING = "([", ")]"  # what stands in braces may be what a text is about
_QUOTES = "\"'"


def shorten_texts(texts: Sequence[str], room: int) -> list[str]:
    """Return the texts, none longer than `room`, each with the place where it parts from what is most like
    it.

    What nothing is like keeps its end: in code the last call says what is done, `rows.filter(…).update(a=1)`.
    """
    flat = [" ".join(text.split()) for text in texts]
    short = [_at_words(_shorten_text(text, flat, room)) for text in flat]
    whole: dict[str, set[str]] = {}
    for text, one in zip(flat, short, strict=True):
        whole.setdefault(one, set()).add(text)
    return [
        one if len(whole[one]) == 1 else _cut_at_difference(text, flat, room)
        for text, one in zip(flat, short, strict=True)
    ]


def _at_words(text: str) -> str:
    """Return a text that was cut, without the parts of words next to the cuts."""
    return _WORD_BEHIND.sub(_LEFT_OUT, _WORD_BEFORE.sub(_LEFT_OUT, text))


def _shorten_text(text: str, others: Sequence[str], room: int) -> str:
    folded = text if len(text) <= room else _drop_brackets(text, room)
    if len(folded) <= room:
        return folded
    if _longest_shared_prefix(text, others) >= room - 2 * _BEFORE:
        return _cut_at_difference(text, others, room)
    begin = (room - 1) * 2 // 3 if room >= _SMALL else (room - 1) // 3
    return f"{folded[:begin].rstrip(_LEFT_OUT)}{_LEFT_OUT}{folded[begin + 1 - room :].lstrip(_LEFT_OUT)}"


def _cut_at_difference(text: str, others: Sequence[str], room: int) -> str:
    """Return a text around the place where it parts from the one that begins most like it."""
    if len(text) <= room:
        return text
    parts = _longest_shared_prefix(text, others)
    if parts < room - 2 * _BEFORE:
        return f"{text[: room - 1]}{_LEFT_OUT}"
    begin = room // 3 if room >= _TINY else 0
    start = _word_before(text, parts)
    rest = room - begin - 2
    end = start + rest
    if end >= len(text):
        return f"{text[:begin]}{_LEFT_OUT}{text[-(room - begin - 1) :]}"
    return f"{text[:begin]}{_LEFT_OUT}{text[start:end]}{_LEFT_OUT}"


def _longest_shared_prefix(text: str, others: Sequence[str]) -> int:
    return max((_shared_prefix_length(text, other) for other in others if other != text), default=0)


def _shared_prefix_length(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _word_before(text: str, at: int) -> int:
    """Return where the word begins that holds a place, or a little before that place."""
    blank = text.rfind(" ", max(at - _BEFORE, 0), at)
    return blank + 1 if blank >= 0 else max(at - _BEFORE, 0)


def _drop_brackets(text: str, room: int) -> str:
    """Return a text without what stands in its brackets, the longest first, as far as it has to be shorter.

    The last brackets stay: they hold what the last call is given.
    """
    inner = list(_bracket_ranges(text))[:-1]
    left = len(text) - room
    gone: list[tuple[int, int]] = []
    for start, end in sorted(inner, key=lambda one: one[0] - one[1]):
        if left <= 0 or end - start <= len(_LEFT_OUT):
            break
        gone.append((start, end))
        left -= end - start - len(_LEFT_OUT)
    for start, end in sorted(gone, reverse=True):
        text = f"{text[:start]}{_LEFT_OUT}{text[end:]}"
    return text


def _bracket_ranges(text: str) -> Iterator[tuple[int, int]]:
    """Yield what stands in the outermost brackets: from where to where. Brackets in quotes are none."""
    depth, begin, quote = 0, 0, ""
    for at, one in enumerate(text):
        if quote:
            quote = "" if one == quote and text[at - 1] != "\\" else quote
        elif one in _QUOTES:
            quote = one
        elif one in _OPENING:
            begin = begin if depth else at + 1
            depth += 1
        elif one in _CLOSING and depth:
            depth -= 1
            if not depth:
                yield begin, at
