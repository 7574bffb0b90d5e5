"""How likely allowed answers are, by what servers that speak OpenAI's interface tell of tokens.

In a chat, a server tells the likeliest tokens at each place of what it writes. So it is known how likely a
text is to *begin* with an answer; what an answer that was not written goes on with is not. Where a token may
begin several answers, or was not among the likeliest, an answer has a bound besides (`Known.at_most`).

Where a text is gone on with, `echo` has the server tell the tokens of what it was given: the answer and the
new line that ends it are handed over as a part of that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fairlint.backends.allowed_answers import NOWHERE, log_of_sum, spellings_of
from fairlint.backends.requests import Request, completion
from fairlint.backends.server_answers import BrokenError

MOST_LISTED = 20
"""Tokens at a place whose probabilities OpenAI's interface tells at most."""
FEWER_LISTED = 5
"""The same of servers that refuse so many."""
LEAST_LEFT = 1e-9
"""What is left beside the tokens that were told, and less than this, is rounding."""
_BEFORE = " \t\r\n\"'`*_([{"
"""What may stand before an answer."""


class Known(NamedTuple):
    """Logarithms of the probabilities of answers, as far as known, and of the most that they can be."""

    probabilities: Mapping[str, float]
    at_most: Mapping[str, float]


class _Begun(NamedTuple):
    """What a text that may go on can be: the answer that it surely is, or the ones that it may become."""

    answer: str = ""
    may_be: tuple[str, ...] = ()


class _Leaf(NamedTuple):
    text: str
    share: float
    ended: bool = False


def known_probabilities(request: Request, came: Any, *, is_chat: bool) -> Known | None:
    """Return how likely a server says the allowed answers of a request are; None where it tells nothing.

    Raises BrokenError for what makes no sense.
    """
    if is_chat:
        return begun_probabilities(came.choices[0], request.allowed)
    text = completion(request)
    return echoed_probabilities(came, text, echoed_answers(text, request.allowed))


def begun_probabilities(choice: Any, allowed: Sequence[str]) -> Known | None:
    """Return how likely a text is to begin with each answer, by a chat's choice; None where it tells nothing.

    Raises BrokenError for what makes no sense.
    """
    told = getattr(getattr(choice, "logprobs", None), "content", None)
    if not isinstance(told, list) or not told or not getattr(told[0], "top_logprobs", None):
        return None
    sure = dict.fromkeys(allowed, 0.0)
    guessed = dict.fromkeys(allowed, 0.0)
    possible = dict.fromkeys(allowed, 0.0)
    for leaf in _leaves(
        told, allowed, is_whole=getattr(choice, "finish_reason", None) == "stop", left=possible
    ):
        begun = _begun(leaf.text, allowed, ended=leaf.ended)
        if begun.answer and not begun.may_be:
            sure[begun.answer] += leaf.share
            continue
        for one in begun.may_be:
            possible[one] += leaf.share
        if begun.answer or len(begun.may_be) == 1:
            guessed[begun.answer or begun.may_be[0]] += leaf.share
    known = {one: sure[one] + guessed[one] for one in allowed}
    return Known(
        {one: min(math.log(share), 0.0) for one, share in known.items() if share > math.exp(NOWHERE)},
        {
            one: min(math.log(sure[one] + possible[one]), 0.0)
            for one in allowed
            if sure[one] + possible[one] > known[one] + LEAST_LEFT
        },
    )


def _leaves(
    told: Sequence[Any], allowed: Sequence[str], *, is_whole: bool, left: dict[str, float]
) -> Iterator[_Leaf]:
    """Yield the texts that are known to have been possible, with their probabilities.

    What a place lacks is added in `left` to each answer that the text before it can still become.
    """
    text, share = "", 1.0
    for place in told:
        token = _text_of(place)
        listed = {_text_of(one): _share_of(one) for one in getattr(place, "top_logprobs", None) or ()}
        listed.setdefault(token, _share_of(place))
        for other, likely in listed.items():
            if other != token:
                yield _Leaf(text + other, share * likely)
        lacking = max(0.0, 1 - math.fsum(listed.values()))
        if lacking > LEAST_LEFT:
            for one in _begun(text, allowed).may_be:
                left[one] += share * lacking
        text, share = text + token, share * listed[token]
        begun = _begun(text, allowed)
        if not begun.may_be:
            yield _Leaf(text, share)
            return
    yield _Leaf(text, share, ended=is_whole)


def _begun(text: str, allowed: Sequence[str], *, ended: bool = False) -> _Begun:
    """Return what a text is, or may become."""
    said = text.lstrip(_BEFORE).casefold()
    whole = [one for one in allowed if re.match(rf"{re.escape(one.casefold())}(?!\w)", said)]
    longer = [one for one in allowed if len(one) > len(said) and one.casefold().startswith(said)]
    if ended:
        longer = []
    if not whole:
        return _Begun(may_be=tuple(longer))
    longest = max(whole, key=len)
    return _Begun(longest, (longest, *longer) if longer else ())


def _text_of(one: Any) -> str:
    token = getattr(one, "token", None)
    if not isinstance(token, str):
        raise BrokenError("the answer makes no sense: a token of its logprobs is no text")
    return token


def _share_of(one: Any) -> float:
    return math.exp(_log_of(getattr(one, "logprob", None)))


def _log_of(told: object) -> float:
    if isinstance(told, bool) or not isinstance(told, int | float) or math.isnan(told):
        raise BrokenError("the answer makes no sense: a logprob is no number")
    return max(NOWHERE, min(0.0, float(told)))


# ------------------------------------------------------------------------------------------------------- echo


class EchoedAnswer(NamedTuple):
    """A text with an answer at its end, whose probabilities are asked for."""

    answer: str
    text: str


def echoed_answers(text: str, allowed: Sequence[str]) -> list[EchoedAnswer]:
    """Return the text with each way to write each answer, and a new line, at its end."""
    blank = "" if text[-1:].isspace() else " "
    return [EchoedAnswer(one, f"{text}{blank}{way}\n") for one in allowed for way in spellings_of(one)]


def echoed_probabilities(came: Any, before: str, asked: Sequence[EchoedAnswer]) -> Known | None:
    """Return the probabilities of whole answers, by what a server echoed; None where it tells nothing.

    Raises BrokenError for what makes no sense.
    """
    choices = getattr(came, "choices", None)
    if not isinstance(choices, list) or len(choices) != len(asked):
        return None
    ordered = sorted(choices, key=lambda one: getattr(one, "index", 0) or 0)
    logs: dict[str, list[float]] = {}
    for choice, one in zip(ordered, asked, strict=True):
        told = getattr(choice, "logprobs", None)
        tokens, each = getattr(told, "tokens", None), getattr(told, "token_logprobs", None)
        if not isinstance(tokens, list) or not isinstance(each, list) or len(tokens) != len(each):
            return None
        if not "".join(map(str, tokens)).startswith(one.text):
            return None  # it told the tokens of what it wrote, or none of what it was given
        end, found = 0, []
        for token, log in zip(tokens, each, strict=True):
            start, end = end, end + len(token)
            if end > len(before) and start < len(one.text):
                found.append(_log_of(log))
        logs.setdefault(one.answer, []).append(math.fsum(found))
    return Known({one: log_of_sum(some) for one, some in logs.items()}, {})
