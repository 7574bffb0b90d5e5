"""How likely a model takes texts to be: of a causal model token by token, of a masked one mask by mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairlint.bench.models.model import ModelError
from fairlint.model.loading import Loaded
from fairlint.model.passes import Batch, over

if TYPE_CHECKING:
    from torch import Tensor


def tokens_of(loaded: Loaded, text: str) -> list[int]:
    """The tokens of a text alone: nothing is put before or behind it."""
    return list(loaded.tokenizer.encode(text, add_special_tokens=False))


def continuation(loaded: Loaded, context: str, written: str) -> tuple[list[int], list[int]]:
    """The tokens of a context, with what texts begin with, and those of what is written on.

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
    loaded: Loaded, texts: Sequence[Sequence[int]], begins: Sequence[int]
) -> list[list[float]]:
    """For each text, ln P(token | all before it) of its tokens from place `begins` on.

    A place is 1 at least, for nothing stands before the first token. Only causal models; one pass each.
    """
    if loaded.masked:
        raise ModelError(f"{loaded.name} fills in masks: it does not say how a text goes on")
    found: list[list[float]] = [[] for _ in texts]

    def work(batch: Batch) -> None:
        import torch  # noqa: PLC0415 (an extra)

        model: Any = loaded.model
        with torch.inference_mode():
            logits = model(**batch.inputs, use_cache=False).logits
            told = _chosen(logits[:, :-1], batch.tokens[:, 1:]).cpu()
        for row, place in enumerate(batch.places):
            found[place] = told[row, begins[place] - 1 : len(texts[place]) - 1].tolist()

    for _ in over(loaded, texts, work):
        pass
    return found


def _chosen(logits: Tensor, tokens: Tensor) -> Tensor:
    """ln of the softmax of `logits` [batch, positions, words] at `tokens` [batch, positions], in float32 at
    least.
    """
    picked = logits.gather(-1, tokens.unsqueeze(-1)).squeeze(-1)
    if logits.dtype.itemsize < 4:
        return picked.float() - logits.float().logsumexp(-1)
    return picked - logits.logsumexp(-1)


def fillings(
    loaded: Loaded, texts: Sequence[Sequence[int]], places: Sequence[int], words: Sequence[int]
) -> list[float]:
    """For each text, in which one place holds the mask, ln P(word at that place). Only masked models."""
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
            told = _chosen(logits[rows, at].unsqueeze(1), wanted.unsqueeze(1)).squeeze(1).cpu()
        for row, place in enumerate(batch.places):
            found[place] = float(told[row])

    for _ in over(loaded, texts, work):
        pass
    return found
