"""How likely whole answers are behind prompts, by vLLM: a request for each way to write one.

vLLM tells the probability of every token of a prompt, and the likeliest tokens behind it. So an answer is
handed over as the end of a prompt, and what ends it is looked for among those behind. What ends it and is not
among them has no more than all that is left, which is kept as a bound.
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
    for start in range(0, len(several), PROMPTS):
        some = several[start : start + PROMPTS]
        asked = [(one, way) for one in some for way in one.all_tokens]
        told = llm.generate(
            [{"prompt_token_ids": [*one.prompt, *way]} for one, way in asked], params, use_tqdm=False
        )
        ways = iter([_way_of(one, way, output, ends) for (one, way), output in zip(asked, told, strict=True)])
        found = []
        for request, one in zip(requests[start : start + PROMPTS], some, strict=True):
            found.append(_response_of(request, one, {way: next(ways) for way in one.all_tokens}))
        yield found


def _way_of(one: Options, way: Tokens, output: Any, ends: frozenset[int]) -> _Way:
    before = len(one.prompt)
    inside = math.fsum(output.prompt_logprobs[before + at][token].logprob for at, token in enumerate(way))
    behind = {token: each.logprob for token, each in output.outputs[0].logprobs[0].items()}
    ended = log_of_sum(log for token, log in behind.items() if token in ends)
    if ends <= behind.keys():
        return _Way(inside + ended, inside + ended)
    left = 1 - math.fsum(math.exp(log) for log in behind.values())
    lacking = math.log(left) if left > math.exp(NOWHERE) else NOWHERE
    lacking = min(lacking, min(behind.values()) + math.log(len(ends)))
    return _Way(inside + ended, inside + log_of_sum((ended, lacking)))


def _response_of(request: Request, one: Options, ways: dict[Tokens, _Way]) -> Response:
    logs = {answer: log_of_sum(ways[way].log for way in some) for answer, some in one.answers.items()}
    most = {answer: log_of_sum(ways[way].most for way in some) for answer, some in one.answers.items()}
    return scored_response(
        request,
        logs,
        {answer: min(log, 0.0) for answer, log in most.items() if log > logs[answer]},
        read=len(one.prompt),
        written=len(ways),
    )
