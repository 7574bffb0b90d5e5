"""The model whose insides are looked at: weights, tokenizer and anatomy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairlint.backends import names, registry
from fairlint.backends.loading import load_weights
from fairlint.backends.model import ModelError, ModelOptions
from fairlint.model_bias.anatomy import Anatomy, anatomy_of
from fairlint.support.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from torch import nn
    from transformers import PreTrainedTokenizerBase


class Loaded(Record):
    """A model that is there to be measured."""

    name: str
    """As reports show it."""
    revision: str
    """What tells this very model from another of its name."""
    model: nn.Module
    tokenizer: PreTrainedTokenizerBase
    masked: bool
    """Whether it says what stands at a mask; else it writes on."""
    batch_size: int
    """Texts in a forward pass; 0 finds out how many fit."""

    @property
    def anatomy(self) -> Anatomy:
        """Where its heads and MLPs are. Raises ModelError where nobody knows."""
        return anatomy_of(self.model, self.name)

    @property
    def start(self) -> tuple[int, ...]:
        """The token that texts begin with, as in training: `bos`, or what stands for it; of Qwen none."""
        token = self.tokenizer.bos_token_id
        return () if token is None or self.masked else (int(token),)

    def whole_text(self, text: Sequence[int]) -> list[int]:
        """Return a text's tokens with those that texts begin and end with, as in training."""
        if not self.masked:
            return [*self.start, *text]
        ends = (getattr(self.tokenizer, name, None) for name in ("cls_token_id", "sep_token_id"))
        begin, end = ([one] if isinstance(one, int) else [] for one in ends)
        return [*begin, *text, *end]

    @property
    def settings(self) -> Mapping[str, Any]:
        """What results depend on, as JSON."""
        import torch  # noqa: PLC0415 (an extra)
        import transformers  # noqa: PLC0415

        model: Any = self.model
        return {
            "transformers": transformers.__version__,
            "torch": torch.__version__,
            "device": model.device.type,
            "dtype": str(model.dtype).removeprefix("torch."),
            "masked": self.masked,
        }


def load(text: str | None, options: ModelOptions | None = None) -> Loaded:
    """Return the model that `text` stands for: a short name, hub id, folder or GGUF file; None: the shipped
    one.

    Raises ModelError where it cannot be had, or is behind a server: weights are needed.
    """
    options = options or ModelOptions()
    found = names.resolve(text)
    if found.backend != names.BACKEND:
        raise ModelError(
            f"{text}: what a model holds inside is read from its weights, which the backend "
            f"{found.backend} does not give: name a short name, a hub id, a folder or a .gguf file"
        )
    registry.reach(found)
    weights = load_weights(found.where, options, masked_too=True)
    for weight in weights.model.parameters():
        weight.requires_grad_(requires_grad=False)
    return Loaded(
        found.name, weights.revision, weights.model, weights.tokenizer, weights.masked, options.batch_size
    )
