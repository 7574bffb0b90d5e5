"""How likely whole answers are behind prompts, by a causal model of transformers.

A prompt is read once. Its answers go on from what the model keeps of it, side by side; an answer that another
one goes on from needs no row of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from fairlint.backends.allowed_answers import log_of_sum, scored_response
from fairlint.backends.answer_options import Options, Tokens
from fairlint.backends.batches import in_order
from fairlint.backends.decoding import Step
from fairlint.backends.model import ModelError, Response
from fairlint.backends.requests import Request
from fairlint.backends.weights import out_of_memory

ROWS = 64
"""Answers that are read side by side."""


def scored_batches(
    model: Any, name: str, requests: Sequence[Request], several: Sequence[Options], ends: frozenset[int]
) -> Iterator[list[Response]]:
    """Yield the responses to requests, a batch at a time.

    Raises ModelError where one prompt needs more memory than there is.
    """
    import torch  # noqa: PLC0415 (heavy, and part of an extra)

    rows = ROWS
    waiting = in_order([one.prompt for one in several], window=4 * ROWS)
    while waiting:
        widest = max(len(several[place].all_tokens) for place in waiting)
        batch = waiting[: max(1, rows // max(1, widest))]
        try:
            with torch.inference_mode():
                found = _logs_of_batch(torch, model, [several[place] for place in batch], sorted(ends))
        except (RuntimeError, MemoryError) as error:
            if not out_of_memory(torch, error):
                raise
            if len(batch) == 1:
                raise ModelError(f"{name}: one prompt with its answers is too much for the memory") from error
            rows = max(1, len(batch) // 2) * widest
            continue
        waiting = waiting[len(batch) :]
        yield [
            scored_response(
                requests[place],
                {one: log_of_sum(logs[way] for way in ways) for one, ways in several[place].answers.items()},
                read=len(several[place].prompt),
            )
            for place, logs in zip(batch, found, strict=True)
        ]


def _logs_of_batch(
    torch: Any, model: Any, several: Sequence[Options], ends: Sequence[int]
) -> list[dict[Tokens, float]]:
    """Return ln P of each way to write an answer, its end included, of each prompt."""
    step = Step(torch, model, [one.prompt for one in several])
    first = step.begin().float().log_softmax(-1).cpu()
    rows = [(at, way) for at, one in enumerate(several) for way in _longest_ways(one.all_tokens)]
    longest = max(len(way) for _, way in rows)
    tokens = torch.zeros(len(rows), longest, dtype=torch.long)
    known = torch.zeros(len(rows), longest, dtype=torch.long)
    for row, (_, way) in enumerate(rows):
        tokens[row, : len(way)] = torch.tensor(way)
        known[row, : len(way)] = 1
    step.keep(torch.tensor([at for at, _ in rows]))
    logs = step.go_on_several(tokens, known).float().log_softmax(-1)
    nexts = tokens[:, 1:].to(logs.device)
    later = logs[:, :-1].gather(-1, nexts[..., None])[..., 0].tolist()
    ended = logs[:, :, list(ends)].logsumexp(-1).tolist()
    found: list[dict[Tokens, float]] = [{} for _ in several]
    for row, (at, longer) in enumerate(rows):
        for way in several[at].all_tokens:
            if longer[: len(way)] == way:
                inside = [float(first[at, way[0]]), *later[row][: len(way) - 1]]
                found[at][way] = math.fsum((*inside, ended[row][len(way) - 1]))
    return found


def _longest_ways(ways: Sequence[Tokens]) -> list[Tokens]:
    """Return the ways that no other one goes on from."""
    beginnings = {way[:length] for way in ways for length in range(1, len(way))}
    return [way for way in ways if way not in beginnings]
