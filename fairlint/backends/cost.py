"""What a run will take, before anybody is asked: answers, tokens read and written, money."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from fairlint.backends.model import ModelError, Sampling
from fairlint.backends.requests import Request, key_of
from fairlint.support.records import Record

CHARACTERS = 3.4
"""Of a prompt, to a token, where no tokenizer says it: 3.0 to 3.8 by suite with the small model's, chat
template included (`python benchmarks/prompt_tokens.py`)."""
COUNTED = 400
"""Prompts that a tokenizer counts, evenly taken from all; the mean of so many stands for the rest."""
MILLION = 1_000_000

Count = Callable[[Request], int]
"""The tokens of a request's prompt."""


class Cost(Record):
    """What one run takes at most, without what an earlier one kept."""

    answers: int
    """That are to be asked for."""
    kept: int
    """That are there already."""
    read: int
    """Tokens of prompts, each read once."""
    written: int
    """Tokens that the answers have at most."""
    is_counted: bool
    """Whether a tokenizer has counted prompts; else their characters have."""
    asks_on: bool
    """Whether more is asked, depending on the answers: that is not in these figures."""

    def money(self, prices: tuple[float, float]) -> float:
        """Return the most that it costs at prices of a million tokens read and written."""
        return (self.read * prices[0] + self.written * prices[1]) / MILLION


def cost_of(
    asked: Sequence[Request],
    sampling: Sampling,
    *,
    kept: Collection[str] = (),
    count: Count | None = None,
    asks_on: bool = False,
) -> Cost:
    """Return the cost of what is `asked` and not among the `kept` keys; without `count`, tokens are
    estimated.
    """
    left = [one for one in asked if key_of(one) not in kept]
    some = left[:: max(1, len(left) // COUNTED)]
    tokens = sum(map(count or _estimate_tokens, some))
    return Cost(
        answers=len(left),
        kept=len(asked) - len(left),
        read=round(tokens * len(left) / len(some)) if some else 0,
        written=len(left) * sampling.max_new_tokens,
        is_counted=count is not None,
        asks_on=asks_on,
    )


def total(costs: Sequence[Cost]) -> Cost:
    """Return all of them together."""
    return Cost(
        answers=sum(one.answers for one in costs),
        kept=sum(one.kept for one in costs),
        read=sum(one.read for one in costs),
        written=sum(one.written for one in costs),
        is_counted=all(one.is_counted for one in costs),
        asks_on=any(one.asks_on for one in costs),
    )


def _estimate_tokens(request: Request) -> int:
    return round(sum(len(message.content) for message in request.messages) / CHARACTERS)


def counter(where: str, *, chat: bool | None) -> Count | None:
    """Return what counts the tokens of a model on this machine or in the hub's cache; None where it is not
    there.

    `chat` None: as the tokenizer's files say. Nothing is downloaded, and no weights are loaded.
    """
    from fairlint.backends.loading import tokenizer_on_disk  # noqa: PLC0415 (few ask for it)

    try:
        tokenizer = tokenizer_on_disk(where)
    except ModelError:
        tokenizer = None
    if tokenizer is None:
        return None
    from fairlint.backends.prompting import tokens_of  # noqa: PLC0415 (as above)

    in_chat = tokenizer.chat_template is not None and chat is not False
    return lambda request: len(tokens_of(tokenizer, request, in_chat=in_chat))
