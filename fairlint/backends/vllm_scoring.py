"""How likely whole answers are behind prompts, by vLLM: a request for each way to write one.

vLLM tells the probability of every token of a prompt, so an answer is handed over as the end of one, with a
token that ends it. Where many tokens end it, as those that begin a new line do, they are looked for among the
likeliest ones behind it. What is not among them has no more than all that is left, which is kept as a bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fairlint.backends.allowed_answers import NOWHERE, log_of_sum, scored_response
from fairlint.backends.answer_options import Options, Tokens
from fairlint.backends.extras import need
from fairlint.backends.model import Response
from fairlint.backends.requests import Request
from fairlint.backends.vllm_loading import EXTRA

LIKELIEST = 20
"""Tokens behind an answer whose probabilities are told: as many as vLLM tells if nobody changes it."""
FEW_ENDS = 4
"""Tokens that end an answer and are each handed over with it; more are looked for among the likeliest."""
PROMPTS = 64
"""Prompts whose answers are handed over at a time."""


class _Way(NamedTuple):
    """ln P of one way to write an answer, and of the most that it can be."""

    log: float
    most: float


def scored_batches(
    llm: Any, requests: Sequence[Request], several: Sequence[Options], ends: frozenset[int]
) -> Iterator[list[Response]]:
    """Yield the responses to requests, some prompts at a time."""
    params = need("vllm.sampling_params", EXTRA).SamplingParams(
        temperature=1.0, max_tokens=1, prompt_logprobs=0, logprobs=LIKELIEST
    )
    tails = [(end,) for end in sorted(ends)] if len(ends) <= FEW_ENDS else [()]
    for start in range(0, len(several), PROMPTS):
        some = several[start : start + PROMPTS]
        asked = [(one, way, tail) for one in some for way in one.all_tokens for tail in tails]
        told = llm.generate(
            [{"prompt_token_ids": [*one.prompt, *way, *tail]} for one, way, tail in asked],
            params,
            use_tqdm=False,
        )
        logs = iter(
            [_way_of(one, (*way, *tail), output, ends if not tail else None)
             for (one, way, tail), output in zip(asked, told, strict=True)]
        )  # fmt: skip
        found = []
        for request, one in zip(requests[start : start + PROMPTS], some, strict=True):
            ways = {way: _sum_of([next(logs) for _ in tails]) for way in one.all_tokens}
            found.append(_response_of(request, one, ways, len(ways) * len(tails)))
        yield found


def _sum_of(ways: Sequence[_Way]) -> _Way:
    return _Way(log_of_sum(one.log for one in ways), log_of_sum(one.most for one in ways))


def _way_of(one: Options, tokens: Tokens, output: Any, ends: frozenset[int] | None) -> _Way:
    """Return ln P of the tokens behind a prompt, and of an end behind them where one is looked for."""
    before = len(one.prompt)
    inside = math.fsum(output.prompt_logprobs[before + at][token].logprob for at, token in enumerate(tokens))
    if ends is None:
        return _Way(inside, inside)
    behind = {token: each.logprob for token, each in output.outputs[0].logprobs[0].items()}
    ended = log_of_sum(log for token, log in behind.items() if token in ends)
    lacking = _most_unlisted(list(behind.values()), len(ends))
    return _Way(inside + ended, inside + log_of_sum((ended, lacking)))


def _most_unlisted(listed: Sequence[float], ends: int) -> float:
    """Return ln P of what so many tokens that are not listed can have at most, all together.

    One token of the list is the drawn one, which may be less likely than any that is lacking.
    """
    left = 1 - math.fsum(map(math.exp, listed))
    by_mass = math.log(left) if left > math.exp(NOWHERE) else NOWHERE
    if len(listed) < LIKELIEST:
        return by_mass
    return min(by_mass, sorted(listed, reverse=True)[LIKELIEST - 1] + math.log(ends))


def _response_of(request: Request, one: Options, ways: dict[Tokens, _Way], written: int) -> Response:
    logs = {answer: log_of_sum(ways[way].log for way in some) for answer, some in one.answers.items()}
    most = {answer: log_of_sum(ways[way].most for way in some) for answer, some in one.answers.items()}
    return scored_response(
        request,
        logs,
        {answer: min(log, 0.0) for answer, log in most.items() if log > logs[answer]},
        read=len(one.prompt),
        written=written,
    )
