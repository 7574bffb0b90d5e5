"""What is trained: a LoRA adapter beside the weights (peft), or all of them; kept, taken out, saved."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairlint.backends.extras import need
from fairlint.backends.model import ModelError
from fairlint.model_bias.loading import Loaded
from fairlint.support import whole_files
from fairlint.support.errors import UsageError
from fairlint.support.records import Record


@contextmanager
def _without_bars() -> Iterator[None]:
    """Within, transformers draws no bar of the files that it writes."""
    from transformers.utils import logging  # noqa: PLC0415 (an extra)

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


class Adapter(Record):
    """The form of a LoRA adapter (Hu et al. 2022, arXiv 2106.09685)."""

    rank: int = 16
    alpha: float = 32
    dropout: float = 0.0
    targets: tuple[str, ...] = ()
    """Names of the layers that get one; none: all linear ones but the last."""


class Trained:
    """A model in training: what changes, and how it is kept. `loaded.model` computes with it."""

    def __init__(self, loaded: Loaded, adapter: Adapter | None, seed: int) -> None:
        """Give the model an adapter, whose B is 0, or with None let all its weights be trained.

        Raises ModelError for layers that the model does not have.
        """
        import torch  # noqa: PLC0415 (an extra)

        self.loaded = loaded
        self._both: Any = None
        model: Any = loaded.model
        if adapter is None:
            for weight in model.parameters():
                weight.requires_grad_()
            self._before = {name: value.detach().clone() for name, value in model.named_parameters()}
            return
        peft = need("peft", "model")
        torch.manual_seed(seed)
        form = peft.LoraConfig(
            r=adapter.rank,
            lora_alpha=adapter.alpha,
            lora_dropout=adapter.dropout,
            target_modules=list(adapter.targets) or "all-linear",
            bias="none",
        )
        try:
            with warnings.catch_warnings():  # of what peft itself sets right, and asks transformers for
                warnings.simplefilter("ignore")
                self._both = peft.get_peft_model(model, form)
        except ValueError as error:
            raise ModelError(f"{loaded.name}: {' '.join(str(error).split())[:200]}") from None

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Within, the model computes as it did before training."""
        if self._both is not None:
            with self._both.disable_adapter():
                yield
            return
        now = self.state
        self.restore(self._before)
        try:
            yield
        finally:
            self.restore(now)

    @property
    def weights(self) -> Sequence[Any]:
        """What is trained, by name in the model's order."""
        model: Any = self.loaded.model
        return [value for value in model.parameters() if value.requires_grad]

    @property
    def state(self) -> dict[str, Any]:
        """Copies of what is trained."""
        model: Any = self.loaded.model
        named = model.named_parameters()
        return {name: value.detach().clone() for name, value in named if value.requires_grad}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back to a `state`."""
        import torch  # noqa: PLC0415 (an extra)

        model: Any = self.loaded.model
        with torch.no_grad():
            for name, value in model.named_parameters():
                if name in state:
                    value.copy_(state[name])

    def save(self, folder: Path) -> None:
        """Write the adapter, or the whole model with its tokenizer, so that the folder is there whole or not.

        Raises UsageError where the disk is full or the folder cannot be written.
        """
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with whole_files.folder_for(folder) as made, _without_bars():
                model: Any = self.loaded.model
                if self._both is not None:  # to look for changed embeddings it would ask the hub
                    self._both.save_pretrained(made, save_embedding_layers=False)
                else:
                    model.save_pretrained(made)
                    self.loaded.tokenizer.save_pretrained(made)
        except Exception as error:  # safetensors has errors of its own for a full disk
            if isinstance(error, OSError) or "safetensors" in type(error).__module__.lower():
                why = error.strerror if isinstance(error, OSError) else None
                raise UsageError(f"{folder} cannot be written: {why or error}") from None
            raise

    def remove(self) -> None:
        """Leave the model as it was before."""
        if self._both is not None:
            self._both.unload()
        else:
            self.restore(self._before)
        model: Any = self.loaded.model
        for weight in model.parameters():
            weight.requires_grad_(requires_grad=False)
