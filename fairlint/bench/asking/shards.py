"""Parts of a run that are asked apart, on as many machines as there are parts, and merged later.

In which part a request is hangs on itself alone: on its prompt and the number of its sample, or on those
whose answers it is shown. So a part keeps what it has when more is asked, and all turns of a conversation
are in one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from fairlint.backends.requests import Request, key_of, seed_of
from fairlint.bench.suites.suite import Conversing, Suite
from fairlint.support.records import Record, replace


class Shard(Record):
    """One part of a run."""

    part: int
    """Which one, from 1."""
    of: int
    """How many there are."""

    def __str__(self) -> str:
        return f"{self.part}/{self.of}"


def shard_of(text: str) -> Shard:
    """Return the part that a text such as `2/8` names. Raises ValueError, in one line.

    >>> str(shard_of("2/8"))
    '2/8'
    """
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text.strip())
    shard = Shard(int(found[1]), int(found[2])) if found else None
    if shard is None or not 1 <= shard.part <= shard.of:
        raise ValueError(f"must be a part and the number of parts, as in 1/8 or 8/8, not '{text}'")
    return shard


def requests_in(shard: Shard | None, requests: Sequence[Request], suite: Suite) -> Sequence[Request]:
    """Return those of the first requests that are in a part, in their order; all of them for None.

    The samples of a prompt take turns between the parts. Conversations that are shown each other's answers
    (`Conversing.together`) stay in one, so some parts may be empty.
    """
    if shard is None:
        return requests
    return [one for one in requests if place_of(one, suite) % shard.of == shard.part - 1]


def shard_settings(shard: Shard, asked: int) -> dict[str, Any]:
    """Return what `run.json` says of a part; `asked` counts the first requests of the whole."""
    return {"part": shard.part, "of": shard.of, "asked": asked}


def place_of(request: Request, suite: Suite) -> int:
    """Return a number whose remainder says in which part a first request is."""
    if group := group_of(request, suite):
        return seed_of("group", group)
    return seed_of("prompt", key_of(replace(request, sample=0))) + request.sample


def group_of(request: Request, suite: Suite) -> str:
    """Return what the conversations have in common whose answers this one may be shown; empty where it is
    alone.

    Of a suite that asks on and does not say it, all conversations are one group.
    """
    if not hasattr(suite, "follow"):
        return ""
    if not hasattr(suite, "together"):
        return suite.name
    return cast("Conversing", suite).together(request)
