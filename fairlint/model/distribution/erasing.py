"""Erasing a group from what a causal model's blocks hand on, to compare with training.

LEACE (Belrose et al. 2023, arXiv 2306.03819), by its authors' package. From what each block hands on, from
the token before the profession on, the affine map is fitted that leaves nothing of the group to be read off
linearly while it changes as little as it can; it is then put behind every block, for all tokens. Each block's
map is fitted on the model as it was.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.bench.models.extras import need
from fairlint.bench.models.model import ModelError
from fairlint.config.errors import UsageError
from fairlint.model.distribution.sentences import Sentence
from fairlint.model.hooks import Changes, attach, hooked
from fairlint.model.loading import Loaded
from fairlint.model.passes import Batch, over

if TYPE_CHECKING:
    from torch import Tensor

    from fairlint.model.hooks import Change

FILE = "erasers.pt"


class Erased:
    """A model behind whose blocks a group is erased, until `remove`."""

    def __init__(self, loaded: Loaded, asked: Sequence[Sentence], groups: int) -> None:
        """Fit on sentences and put the maps in.

        Raises ModelError for a masked model, whose person is what is masked, and for an unknown architecture.
        """
        if loaded.masked:
            raise ModelError(
                f"--method leace: {loaded.name} is a masked model, and no person stands in what it reads"
            )
        self._erasers = _fitted(loaded, asked, groups)
        changes = {layer: _erasing(eraser) for layer, eraser in self._erasers.items()}
        self._handles = attach(loaded.anatomy, Changes(blocks=changes))

    def save(self, folder: Path) -> None:
        """Write the maps, whole or not at all. Raises UsageError where the folder cannot be written."""
        import torch  # noqa: PLC0415 (an extra)

        told = {
            layer: {"left": one.proj_left, "right": one.proj_right, "bias": one.bias}
            for layer, one in self._erasers.items()
        }
        beside = folder / (FILE + ".new")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            torch.save(told, beside)
            beside.replace(folder / FILE)
        except (OSError, RuntimeError) as error:  # torch has a RuntimeError for a full disk
            beside.unlink(missing_ok=True)
            raise UsageError(f"{folder} cannot be written: {error}") from None

    def remove(self) -> None:
        """Leave the model as it was."""
        for handle in self._handles:
            handle.remove()


def _fitted(loaded: Loaded, asked: Sequence[Sentence], groups: int) -> dict[int, Any]:
    import torch  # noqa: PLC0415 (an extra)

    with warnings.catch_warnings():  # of the package, which compiles a function in a way that torch gave up
        warnings.simplefilter("ignore")
        leace = need("concept_erasure", "model")
    anatomy = loaded.anatomy
    seen: dict[int, Tensor] = {}
    fitters: dict[int, Any] = {}

    def keep(layer: int) -> Change:
        return lambda values: seen.update({layer: values})

    def work(batch: Batch) -> None:
        model: Any = loaded.model
        with torch.inference_mode():
            model(**batch.inputs, use_cache=False)
        device = batch.tokens.device
        spots = [
            (row, column, asked[place].group)
            for row, place in enumerate(batch.places)
            for column in range(len(asked[place].tokens) - 1, len(asked[place].alone))
        ]
        rows, columns, labels = (torch.tensor(one, device=device) for one in zip(*spots, strict=True))
        concept = torch.nn.functional.one_hot(labels, groups).double()
        for layer, values in seen.items():
            if layer not in fitters:
                fitters[layer] = leace.LeaceFitter(
                    values.shape[-1], groups, dtype=torch.float64, device=device
                )
            fitters[layer].update(values[rows, columns].double(), concept)

    with hooked(anatomy, Changes(blocks={layer: keep(layer) for layer in range(anatomy.layers)})):
        for _ in over(loaded, [one.alone for one in asked], work):
            pass
    return {layer: fitter.eraser for layer, fitter in fitters.items()}


def _erasing(eraser: Any) -> Change:
    def erase(values: Tensor) -> Tensor:
        found: Tensor = eraser(values.double()).to(values.dtype)
        return found

    return erase
