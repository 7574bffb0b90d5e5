"""Several answers written side by side by one local model, each with draws of its own.

A row's tokens depend on its prompt and its seed: the n-th token is drawn with the n-th number of a generator
that has the row's seed, by inversion of the distribution. What else is in the batch changes nothing but the
rounding of the model's arithmetic.

Rows that are done leave the batch, so that a straggler does not pay for them; what all prompts begin with
(a worked example, say) goes through the model once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from fairlint.backends.caches import cache_name, empty_cache
from fairlint.support.records import Record

if TYPE_CHECKING:
    import torch

SHORTEST_SHARED = 16
"""Tokens that prompts must have in common for it to be worth a pass of its own."""
LIVELY = 0.75
"""The share of a batch that is still being written when the rest leaves it."""
BEFORE = 4
"""Tokens of the prompt that a tokenizer is shown with an answer."""
NUCLEUS = 512
"""Tokens that are looked at for `top_p` before all are sorted."""


class Drawing(Record):
    """How tokens are drawn."""

    temperature: float
    """0: the likeliest one, always."""
    top_p: float = 1.0
    top_k: int = 0
    """0: all."""
    repetition_penalty: float = 1.0


class Row(Record, frozen=False, eq=False):
    """One answer that is being written."""

    place: int
    """Which of the requests it answers."""
    prompt: tuple[int, ...]
    seed: int
    complete: Callable[[str], int | None]
    """How many characters of the answer's text are all of it, or None."""
    tokens: list[int]
    text: str = ""
    finish: str = ""
    """Empty while it is being written."""


def decode(
    model: Any,
    tokenizer: Any,
    rows: Sequence[Row],
    drawing: Drawing,
    *,
    limit: int,
    ends: frozenset[int],
    told: Callable[[int], object] = lambda _count: None,
) -> Iterator[list[Row]]:
    """Write all rows, up to `limit` tokens each; they come as they are done.

    `ends` are the tokens that end an answer; `told` hears how many tokens each step has written. Errors of
    the accelerator, memory above all, go through; rows without a `finish` can then be written anew.
    """
    import torch  # noqa: PLC0415 (heavy, and part of an extra)

    with torch.inference_mode():
        yield from _decode_rows(
            torch, model, tokenizer, list(rows), drawing, limit=limit, ends=ends, told=told
        )


def _decode_rows(
    torch: Any,
    model: Any,
    tokenizer: Any,
    rows: list[Row],
    drawing: Drawing,
    *,
    limit: int,
    ends: frozenset[int],
    told: Callable[[int], object],
) -> Iterator[list[Row]]:
    device = model.device
    draws = torch.stack([_uniform_draws(torch, row.seed, limit) for row in rows])
    seen = _prompt_token_mask(torch, model, rows) if drawing.repetition_penalty != 1 else None
    step = Step(torch, model, [row.prompt for row in rows])
    logits = step.begin()
    for number in range(limit):
        chosen = choose(logits, draws[:, number], drawing, seen)
        if seen is not None:
            seen.scatter_(1, chosen[:, None].to(device), value=True)
        told(sum(not row.finish for row in rows))
        last = number + 1 == limit
        done = [
            row
            for row, token in zip(rows, chosen.tolist(), strict=True)
            if not row.finish and _append_token(row, token, tokenizer, ends, last=last)
        ]
        if done:
            yield done
        alive = [place for place, row in enumerate(rows) if not row.finish]
        if not alive:
            return
        if len(alive) <= LIVELY * len(rows):
            keep = torch.tensor(alive)  # on the CPU: layers may lie on several cards
            step.keep(keep)
            if seen is not None:
                seen = seen[keep]
            draws, chosen = draws[keep], chosen[keep]
            rows = [rows[place] for place in alive]
        logits = step.go_on(chosen)


def _append_token(row: Row, token: int, tokenizer: Any, ends: frozenset[int], *, last: bool) -> bool:
    """Add a token to a row; whether it is done now."""
    if token in ends:
        row.finish = "end"
    else:
        row.tokens.append(token)
        if not last and "\n" not in tokenizer.decode([token]):
            return False
    row.text = text_of(tokenizer, row.tokens, before=row.prompt[-BEFORE:])
    place = row.complete(row.text)
    if place is not None and place < len(row.text):
        row.text = row.text[:place]
        row.finish = "complete"
    elif place is not None:
        row.finish = row.finish or "complete"
    elif last:
        row.finish = row.finish or "length"
    return bool(row.finish)


def text_of(tokenizer: Any, tokens: Sequence[int], *, before: Sequence[int] = ()) -> str:
    """Return the text of some tokens as it is: tokenizers would like to tidy blanks, which code does not
    forgive.

    Some take the blank off that a text begins with, so they see a few tokens `before` it as well.
    """

    def plain(some: Sequence[int]) -> str:
        text: str = tokenizer.decode(some, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return text

    start = plain(before) if before else ""
    whole = plain([*before, *tokens])
    return whole[len(start) :] if whole.startswith(start) else plain(tokens)


def _uniform_draws(torch: Any, seed: int, count: int) -> Any:
    generator = torch.Generator(device="cpu").manual_seed(seed)
    return torch.rand(count, generator=generator, dtype=torch.float64)


def choose(
    logits: torch.Tensor, draws: torch.Tensor, drawing: Drawing, seen: torch.Tensor | None = None
) -> torch.Tensor:
    """Return the next token of each row, on the CPU. `logits` is rows x tokens; `draws` are numbers in [0,
    1).

    Temperature, then `top_k`, then `top_p` (Holtzman et al. 2020, section 3.1), as usual; the repetition
    penalty is Keskar et al.'s (2019, section 4.1). A token is drawn by inversion: the first, from the
    likeliest down, at which the sum of probabilities exceeds the row's number.
    """
    import torch  # noqa: PLC0415 (heavy, and part of an extra)

    logits = logits.float()
    if seen is not None:
        penalised = torch.where(
            logits > 0, logits / drawing.repetition_penalty, logits * drawing.repetition_penalty
        )
        logits = torch.where(seen, penalised, logits)
    if drawing.temperature == 0:
        return logits.argmax(-1).cpu()
    logits = logits / drawing.temperature
    size = logits.shape[-1]
    wanted = min(drawing.top_k or size, size)
    total = logits.logsumexp(-1, keepdim=True)
    if drawing.top_p < 1 or wanted < size:
        some = min(max(wanted if wanted < size else NUCLEUS, 1), size)
        values, places = logits.topk(some)
        if wanted < size:
            total = values.logsumexp(-1, keepdim=True)
        elif some < size and bool(((values - total).exp().sum(-1) < drawing.top_p).any()):
            values, places = logits.sort(-1, descending=True)
    else:
        values, places = logits.sort(-1, descending=True)
    exact = torch.device("cpu") if values.device.type == "mps" else values.device  # which has no float64
    shares = (values - total).to(exact, torch.float64).exp()
    sums = shares.cumsum(-1)
    if drawing.top_p < 1:
        inside = sums - shares < drawing.top_p  # the first whose sum reaches top_p still belongs
        mass = (shares * inside).sum(-1, keepdim=True)
    else:
        mass = sums[:, -1:]
    goal = draws.to(sums.device)[:, None] * mass
    found = torch.searchsorted(sums, goal, right=True).clamp(max=sums.shape[-1] - 1)
    return places.gather(-1, found.to(places.device))[:, 0].cpu()


def _prompt_token_mask(torch: Any, model: Any, rows: Sequence[Row]) -> Any:
    """Rows x tokens: what stands in each prompt."""
    seen = torch.zeros(len(rows), model.config.get_text_config().vocab_size, dtype=torch.bool)
    for place, row in enumerate(rows):
        seen[place, list(row.prompt)] = True
    return seen.to(model.device)


class Step:
    """The model's side of a batch: what it remembers, and one pass after the other."""

    def __init__(self, torch: Any, model: Any, prompts: Sequence[Sequence[int]]) -> None:
        self._torch = torch
        self._model = model
        self._prompts = prompts
        takes = inspect.signature(model.forward).parameters
        self._positions = "position_ids" in takes
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in takes else {}
        self._cache = empty_cache(model)
        self._cache_name = cache_name(model)
        self._mask: Any = None

    def begin(self) -> Any:
        """Return the logits behind each prompt."""
        torch, device, count = self._torch, self._model.device, len(self._prompts)
        shared = shared_prefix(self._prompts) if count > 1 else 0
        if shared < SHORTEST_SHARED:
            shared = 0
        if shared:
            first = torch.tensor([self._prompts[0][:shared]], device=device)
            self._mask = torch.ones_like(first)
            self._forward_pass(first, torch.arange(shared, device=device)[None])
            self._cache.batch_repeat_interleave(count)
        longest = max(len(prompt) for prompt in self._prompts) - shared
        rest = torch.zeros(count, longest, dtype=torch.long)
        mask = torch.zeros(count, shared + longest, dtype=torch.long)
        mask[:, :shared] = 1
        for place, prompt in enumerate(self._prompts):
            length = len(prompt) - shared
            rest[place, longest - length :] = torch.tensor(prompt[shared:])
            mask[place, shared + longest - length :] = 1
        self._mask = mask.to(device)
        positions = (self._mask.cumsum(-1) - 1).clamp(min=0)[:, shared:]
        return self._forward_pass(rest.to(device), positions)

    def go_on(self, tokens: Any) -> Any:
        """Return the logits behind one more token a row."""
        torch = self._torch
        self._mask = torch.cat([self._mask, torch.ones_like(self._mask[:, :1])], dim=-1)
        return self._forward_pass(
            tokens[:, None].to(self._model.device), self._mask.sum(-1, keepdim=True) - 1
        )

    def go_on_several(self, tokens: Any, known: Any) -> Any:
        """Return the logits behind each of several more tokens a row; `known` is 0 where a row has ended."""
        torch, device = self._torch, self._model.device
        before = self._mask.shape[-1]
        self._mask = torch.cat([self._mask, known.to(device)], dim=-1)
        positions = (self._mask.cumsum(-1) - 1)[:, before:]
        return self._forward_pass(tokens.to(device), positions, all_places=True)

    def keep(self, places: Any) -> None:
        """Forget all rows but these; one that is named twice is there twice."""
        self._mask = self._mask[places]
        self._cache.batch_select_indices(places)

    def _forward_pass(self, tokens: Any, positions: Any, *, all_places: bool = False) -> Any:
        more = {"position_ids": positions} if self._positions else {}
        with attention_kernels(self._torch, self._model.device.type):
            done = self._model(
                input_ids=tokens,
                attention_mask=self._mask,
                use_cache=True,
                **{self._cache_name: self._cache},
                **more,
                **({} if all_places else self._last_only),
            )
        return done.logits if all_places else done.logits[:, -1]


def attention_kernels(torch: Any, device_type: str) -> AbstractContextManager[object]:
    """Leave out cuDNN's kernels for attention, on an accelerator, while the context is open.

    cuDNN makes a plan for each length of the keys. Here each token has another one: with plans, a step of a
    small model in bfloat16 took 106 ms on an H200, without 41 (`benchmarks/generation_steps.py`).
    """
    if device_type != "cuda":
        return nullcontext()
    kernels = torch.nn.attention.SDPBackend
    context: AbstractContextManager[object] = torch.nn.attention.sdpa_kernel(
        [kernels.FLASH_ATTENTION, kernels.EFFICIENT_ATTENTION, kernels.MATH]
    )
    return context


def shared_prefix(prompts: Sequence[Sequence[int]]) -> int:
    """Return how many tokens all prompts begin with, one of each left over to go on from."""
    in_order = sorted(map(tuple, prompts))
    first, last = in_order[0], in_order[-1]  # what these two share, all between them share
    shortest = min(map(len, prompts)) - 1
    count = 0
    while count < shortest and first[count] == last[count]:
        count += 1
    return count
