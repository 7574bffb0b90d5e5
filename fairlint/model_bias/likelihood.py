"""How likely a model takes texts to be: of a causal model token by token, of a masked one mask by mask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from fairlint.backends.caches import cache_name
from fairlint.backends.model import ModelError
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.passes import Batch, batch_of, over

if TYPE_CHECKING:
    from torch import Tensor


def tokens_of(loaded: Loaded, text: str) -> list[int]:
    """Return the tokens of a text alone: nothing is put before or behind it."""
    return list(loaded.tokenizer.encode(text, add_special_tokens=False))


def continuation(loaded: Loaded, context: str, written: str) -> tuple[list[int], list[int]]:
    """Return the tokens of a context, with what texts begin with, and those of what is written on.

    The whole is tokenized as one text, as it would be written. Where a token of the whole spans both, the
    split comes before it. Raises ModelError where nothing is left to stand before it: a model without a token
    to begin with cannot say how likely a first word is.
    """
    alone = tokens_of(loaded, context)
    whole = tokens_of(loaded, context + written)
    shared = 0
    while shared < min(len(alone), len(whole) - 1) and alone[shared] == whole[shared]:
        shared += 1
    before = [*loaded.start, *whole[:shared]]
    if not before:
        raise ModelError(f"{loaded.name} has no token to begin a text with, so it needs a context")
    return before, whole[shared:]


def log_probabilities(
    loaded: Loaded,
    texts: Sequence[Sequence[int]],
    begins: Sequence[int],
    told: Callable[[int, list[float]], None] | None = None,
) -> list[list[float]]:
    """For each text, ln P(token | all before it) of its tokens from place `begins` on.

    A place is 1 at least, for nothing stands before the first token. Only causal models; one pass each.
    `told` gets each text's place and result as they come.
    """
    if loaded.masked:
        raise ModelError(f"{loaded.name} fills in masks: it does not say how a text goes on")
    found: list[list[float]] = [[] for _ in texts]

    def work(batch: Batch) -> None:
        import torch  # noqa: PLC0415 (an extra)

        model: Any = loaded.model
        with torch.inference_mode():
            logits = model(**batch.inputs, use_cache=False).logits
            chosen = _log_probabilities(logits[:, :-1], batch.tokens[:, 1:]).cpu()
        for row, place in enumerate(batch.places):
            found[place] = chosen[row, begins[place] - 1 : len(texts[place]) - 1].tolist()
            if told is not None:
                told(place, found[place])

    for _ in over(loaded, texts, work):
        pass
    return found


def _log_probabilities(logits: Tensor, tokens: Tensor) -> Tensor:
    """ln of the softmax of `logits` [batch, positions, words] at `tokens` [batch, positions], in float32 at
    least.
    """
    picked = logits.gather(-1, tokens.unsqueeze(-1)).squeeze(-1)
    if logits.dtype.itemsize < 4:
        return picked.float() - logits.float().logsumexp(-1)
    return picked - logits.logsumexp(-1)


def fillings(
    loaded: Loaded,
    texts: Sequence[Sequence[int]],
    places: Sequence[int],
    words: Sequence[int],
    told: Callable[[int, float], None] | None = None,
) -> list[float]:
    """For each text, in which one place holds the mask, ln P(word at that place). Only masked models.

    `told` gets each text's place and result as they come.
    """
    if not loaded.masked:
        raise ModelError(f"{loaded.name} writes on: it does not fill in masks")
    found = [0.0] * len(texts)

    def work(batch: Batch) -> None:
        import torch  # noqa: PLC0415 (an extra)

        model: Any = loaded.model
        with torch.inference_mode():
            logits = model(**batch.inputs).logits
            rows = torch.arange(len(batch.places), device=logits.device)
            at = torch.tensor([places[place] for place in batch.places], device=logits.device)
            wanted = torch.tensor([words[place] for place in batch.places], device=logits.device)
            chosen = _log_probabilities(logits[rows, at].unsqueeze(1), wanted.unsqueeze(1)).squeeze(1).cpu()
        for row, place in enumerate(batch.places):
            found[place] = float(chosen[row])
            if told is not None:
                told(place, found[place])

    for _ in over(loaded, texts, work):
        pass
    return found


def continuations(
    loaded: Loaded,
    contexts: Sequence[Sequence[int]],
    options: Sequence[Sequence[Sequence[int]]],
    told: Callable[[int, list[list[float]]], None] | None = None,
) -> list[list[list[float]]]:
    """For each context and each of its options, ln P(token | context and the option so far) of its tokens.

    The context is read once; options of several tokens go on from what was kept of it. Only causal models.
    `told` gets each context's place and result as they come.
    """
    if loaded.masked:
        raise ModelError(f"{loaded.name} fills in masks: it does not say how a text goes on")
    found: list[list[list[float]]] = [[] for _ in contexts]

    def work(batch: Batch) -> None:
        import torch  # noqa: PLC0415 (an extra)

        some = [options[place] for place in batch.places]
        with torch.inference_mode():
            values = continuation_likelihoods(loaded, batch, some).tolist()
        rows = iter(values)
        for place, every in zip(batch.places, some, strict=True):
            found[place] = [next(rows)[: len(option)] for option in every]
            if told is not None:
                told(place, found[place])

    for _ in over(loaded, contexts, work, weight=weight_of(options)):
        pass
    return found


def weight_of(options: Sequence[Sequence[Sequence[int]]]) -> int:
    """Return how many times as much memory as its context alone a context takes with its options."""
    most = max((sum(len(option) > 1 for option in some) for some in options), default=0)
    return 1 + most // 4


def continuation_likelihoods(
    loaded: Loaded, batch: Batch, options: Sequence[Sequence[Sequence[int]]]
) -> Tensor:
    """ln P of the tokens of all options behind their contexts, a row an option: [options, longest].

    `options` are those of each row of the batch. Behind an option's end the row is 0. Gradients are kept
    where they are enabled.
    """
    import torch  # noqa: PLC0415 (an extra)

    model: Any = loaded.model
    rows = [(row, option) for row, some in enumerate(options) for option in some]
    if getattr(model, "_is_stateful", False):  # Mamba, RWKV: what they keep cannot be handed to several rows
        return _likelihoods_without_cache(loaded, batch, rows)
    read = model(**batch.inputs, use_cache=True)
    device = read.logits.device
    ends = batch.mask.sum(-1) - 1
    last = read.logits[torch.arange(len(batch.places), device=device), ends]
    at = torch.tensor([row for row, _ in rows], device=device)
    heads = torch.tensor([option[0] for _, option in rows], device=device)
    first = _log_probabilities(last[at].unsqueeze(1), heads.unsqueeze(1))
    longer = [number for number, (_, option) in enumerate(rows) if len(option) > 1]
    if not longer:
        return first
    rest = _likelihoods_of_rest(
        loaded, batch, getattr(read, cache_name(model)), [rows[number] for number in longer]
    )
    wide = torch.zeros(len(rows), rest.shape[1], dtype=rest.dtype, device=device)
    return torch.cat([first, wide.index_copy(0, torch.tensor(longer, device=device), rest)], dim=1)


def _likelihoods_without_cache(
    loaded: Loaded, batch: Batch, rows: Sequence[tuple[int, Sequence[int]]]
) -> Tensor:
    """Return the same as `continued` with each option's context read anew."""
    import torch  # noqa: PLC0415 (an extra)

    model: Any = loaded.model
    contexts = [tokens[known.bool()].tolist() for tokens, known in zip(batch.tokens, batch.mask, strict=True)]
    written = batch_of(loaded, [[*contexts[row], *option] for row, option in rows])
    found = _log_probabilities(model(**written.inputs, use_cache=False).logits[:, :-1], written.tokens[:, 1:])
    told = found.new_zeros(len(rows), max(len(option) for _, option in rows))
    for number, (row, option) in enumerate(rows):
        begin = len(contexts[row]) - 1
        told[number, : len(option)] = found[number, begin : begin + len(option)]
    return torch.as_tensor(told)


def _likelihoods_of_rest(
    loaded: Loaded, batch: Batch, cache: Any, longer: Sequence[tuple[int, Sequence[int]]]
) -> Tensor:
    """ln P of all tokens but the first of options, each with the row of its context in the batch."""
    import torch  # noqa: PLC0415 (an extra)

    model: Any = loaded.model
    device = batch.tokens.device
    at = torch.tensor([row for row, _ in longer], device=device)
    written = batch_of(loaded, [option for _, option in longer])
    tokens = written.tokens[:, :-1]
    cache.batch_select_indices(at)
    mask = torch.cat([batch.mask[at], written.mask[:, :-1]], dim=1)
    ends = batch.mask[at].sum(-1, keepdim=True)
    positions = ends + torch.arange(tokens.shape[1], device=device)
    known = {cache_name(model): cache}
    logits = model(
        input_ids=tokens, attention_mask=mask, position_ids=positions, use_cache=True, **known
    ).logits
    return _log_probabilities(logits, written.tokens[:, 1:]) * written.mask[:, 1:]
