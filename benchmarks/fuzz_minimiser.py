"""Makes an input that breaks something as small as it can be while it still does."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress

PARTS = (re.compile(r"[^\n]*\n|[^\n]+"), re.compile(r"\w+|\s+|[^\w\s]"), re.compile(r".", re.DOTALL))
"""What is left out: lines first, then tokens, then single characters."""


class EnoughError(Exception):
    """It has been tried long enough."""


def smallest(data: bytes, breaks: Callable[[bytes], bool], attempts: int) -> bytes:
    """The least of `data` that still `breaks`, which is asked so many times at most.

    It may raise an EnoughError; the least so far is what counts then.
    """
    text = data.decode("utf-8", "surrogateescape")

    def asked(parts: Sequence[str]) -> bool:
        nonlocal attempts, text
        if attempts == 0:
            raise EnoughError
        attempts -= 1
        less = "".join(parts)
        if not breaks(less.encode("utf-8", "surrogateescape")):
            return False
        text = less
        return True

    before = ""
    with suppress(EnoughError):
        while text != before:
            before = text
            for part in PARTS:
                _leave_out(part.findall(text), asked)
    return text.encode("utf-8", "surrogateescape")


def _leave_out(parts: Sequence[str], breaks: Callable[[Sequence[str]], bool]) -> None:
    """Leaves out what can go: all, halves, and single ones last."""
    size = len(parts)
    while size > 0:
        at = 0
        while at < len(parts):
            left = [*parts[:at], *parts[at + size :]]
            if breaks(left):
                parts = left
            else:
                at += size
        size //= 2
