"""How far a command of `fairlint model` is, and how long it will yet take."""

from __future__ import annotations

import time
from collections.abc import Callable

EVERY = 10.0
"""Seconds between two lines."""


def watch(what: str, *, quiet: bool) -> Callable[[int, int], None] | None:
    """Return what to tell how much of how much is done; None where nobody wants to know. The time is from now
    on.
    """
    if quiet:
        return None
    begin = time.monotonic()
    last = begin - EVERY
    first = -1

    def told(done: int, total: int) -> None:
        nonlocal last, first
        now = time.monotonic()
        if first < 0:
            first = done  # some may be there of an earlier run
        if done >= total or now - last < EVERY:
            return
        last = now
        rest = ""
        if done > first:
            rest = f", about {duration((now - begin) * (total - done) / (done - first))} left"
        say(f"{what}: {100 * done // total} % done{rest}", quiet=False)

    return told


def say(text: str, *, quiet: bool) -> None:
    """Note a line on standard error."""
    from fairlint.cli import say as line  # noqa: PLC0415 (it imports this module)

    if not quiet:
        line(f"fairlint: {text}")


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(20.4), duration(300)
    ('20 s', '5 min')
    """
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
