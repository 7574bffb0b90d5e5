"""Forward passes over many texts: sorted by length, padded on the right, as many at a time as fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from fairlint.backends.model import ModelError
from fairlint.backends.weights import out_of_memory
from fairlint.model_bias.loading import Loaded
from fairlint.support.records import Record

if TYPE_CHECKING:
    from torch import Tensor

MOST_TOKENS = {"cpu": 2_048, "cuda": 32_768}
"""Tokens of a batch, padding included, that are begun with; other devices as a CPU. Half of it where memory
does not suffice, again and again."""

_Result = TypeVar("_Result")


class Batch(Record):
    """Texts of one forward pass."""

    places: Sequence[int]
    """Which of all texts its rows are."""
    tokens: Tensor
    """[batch, positions], padded on the right."""
    mask: Tensor
    """[batch, positions]: 1 where a text is, 0 where padding is."""

    @property
    def inputs(self) -> dict[str, Tensor]:
        """What a model is called with."""
        return {"input_ids": self.tokens, "attention_mask": self.mask}


def batch_of(loaded: Loaded, texts: Sequence[Sequence[int]], places: Sequence[int] | None = None) -> Batch:
    """Return some texts as one batch; `places` says which of them, in that order."""
    import torch  # noqa: PLC0415 (an extra)

    model: Any = loaded.model
    rows = [texts[place] for place in (places if places is not None else range(len(texts)))]
    longest = max(map(len, rows))
    padding = loaded.tokenizer.pad_token_id
    filler = padding if isinstance(padding, int) else 0
    tokens = torch.full((len(rows), longest), filler, dtype=torch.long)
    mask = torch.zeros((len(rows), longest), dtype=torch.long)
    for place, row in enumerate(rows):
        tokens[place, : len(row)] = torch.tensor(row)
        mask[place, : len(row)] = 1
    return Batch(
        list(places if places is not None else range(len(texts))),
        tokens.to(model.device),
        mask.to(model.device),
    )


def over(
    loaded: Loaded,
    texts: Sequence[Sequence[int]],
    work: Callable[[Batch], _Result],
    *,
    weight: int = 1,
) -> Iterator[_Result]:
    """Yield what `work` makes of each batch, the longest texts first, so that too little memory shows at
    once.

    `weight` says how many times as much memory as a plain pass `work` takes, as with gradients. Raises
    ModelError for an empty text, for one longer than the model reads, and where one text at a time does not
    fit into memory.
    """
    _check_lengths(loaded, texts)
    model: Any = loaded.model
    budget = MOST_TOKENS.get(model.device.type, MOST_TOKENS["cpu"]) // weight
    waiting = sorted(range(len(texts)), key=lambda place: (-len(texts[place]), texts[place]))
    while waiting:
        size = loaded.batch_size or max(1, budget // len(texts[waiting[0]]))
        places = waiting[:size]
        try:
            result = work(batch_of(loaded, texts, places))
        except (RuntimeError, MemoryError) as error:
            import torch  # noqa: PLC0415 (an extra)

            if not out_of_memory(torch, error):
                raise
            if len(places) == 1 or loaded.batch_size:
                raise ModelError(_too_little(loaded, len(places))) from error
            budget = len(places) * len(texts[waiting[0]]) // 2
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
            continue
        waiting = waiting[size:]
        yield result


def _too_little(loaded: Loaded, texts: int) -> str:
    model: Any = loaded.model
    how = "a smaller --batch-size" if texts > 1 else "--dtype bfloat16 or a smaller model"
    what = "one text at a time does" if texts == 1 else f"{texts} texts at a time do"
    return f"{loaded.name}: {what} not fit into the memory of {model.device}: use {how}"


def _check_lengths(loaded: Loaded, texts: Sequence[Sequence[int]]) -> None:
    model: Any = loaded.model
    room = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    for place, text in enumerate(texts):
        if not text:
            raise ModelError(f"text {place + 1} has no tokens")
        if room and len(text) > room:
            raise ModelError(
                f"text {place + 1} has {len(text)} tokens, and {loaded.name} reads {room} at most"
            )
