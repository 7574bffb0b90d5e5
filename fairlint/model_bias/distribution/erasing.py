"""Erasing a group from what a causal model's blocks hand on, to compare with training.

From what each block hands on, from the token before the profession on, a map is fitted that leaves nothing
of the group to be read off linearly; it is then put behind every block, for all tokens. Each block's map is
fitted on the model as it was.

- `leace` (Belrose et al. 2023, arXiv 2306.03819), by its authors' package: the affine map that changes least.
- `inlp` (Ravfogel et al. 2020, arXiv 2004.07667), with scikit-learn's classifiers: whatever a linear
  classifier goes by is projected out, again and again, until a new one does no better than a guess.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from fairlint.backends.extras import need
from fairlint.backends.model import ModelError
from fairlint.model_bias.distribution import tensor_files
from fairlint.model_bias.distribution.sentences import Sentence
from fairlint.model_bias.hooks import Changes, attach, hook_model
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.passes import Batch, over
from fairlint.support.records import Record

if TYPE_CHECKING:
    import numpy
    from torch import Tensor

    from fairlint.model_bias.hooks import Change

    Array = numpy.ndarray[Any, numpy.dtype[Any]]

Erasing = Literal["leace", "inlp"]
ERASING: tuple[Erasing, ...] = get_args(Erasing)
FILE = "erasers.pt"
ROUNDS = 30
"""Classifiers of `inlp` at most, for each block."""
EVERY = 4
"""Of `inlp`: each so many-th text says how well a classifier does."""
GUESS = 0.02
"""By how much a classifier of `inlp` has to be better than a guess to be projected out."""


class Map(Record, eq=False):
    """x becomes x - left right (x - bias)."""

    left: Tensor
    """[width, rank]"""
    right: Tensor
    """[rank, width]"""
    bias: Tensor
    """[width]"""

    def of(self, values: Tensor) -> Tensor:
        """Return the values without what is erased, of their own type: [..., width]."""
        told = values.double()
        return (told - (told - self.bias) @ self.right.mT @ self.left.mT).to(values.dtype)


class Erased:
    """A model behind whose blocks a group is erased, until `remove`."""

    def __init__(
        self, loaded: Loaded, asked: Sequence[Sentence], groups: int, method: str = "leace", seed: int = 0
    ) -> None:
        """Fit on sentences and put the maps in.

        Raises ModelError for a masked model, whose person is what is masked, and for an unknown architecture.
        """
        check(loaded, method)
        fit = _fit_leace if method == "leace" else _fit_inlp
        self._maps = fit(loaded, asked, groups, seed)
        changes = {layer: one.of for layer, one in self._maps.items()}
        self._handles = attach(loaded.anatomy, Changes(blocks=changes))

    def save(self, folder: Path) -> None:
        """Write the maps, whole or not at all. Raises UsageError where the folder cannot be written."""
        told = {
            layer: {"left": one.left, "right": one.right, "bias": one.bias}
            for layer, one in self._maps.items()
        }
        tensor_files.write(folder / FILE, told)

    def remove(self) -> None:
        """Leave the model as it was."""
        for handle in self._handles:
            handle.remove()


def check(loaded: Loaded, method: str) -> None:
    """Raise ModelError for a method that erases where nobody can say what: of masked models."""
    if method in ERASING and loaded.masked:
        raise ModelError(f"--method {method}: {loaded.name} is a masked model, and its text names no person")


def _fit_leace(loaded: Loaded, asked: Sequence[Sentence], groups: int, _seed: int) -> dict[int, Map]:
    import torch  # noqa: PLC0415 (an extra)

    with warnings.catch_warnings():  # of the package, which compiles a function in a way that torch gave up
        warnings.simplefilter("ignore")
        leace = need("concept_erasure", "model")
    fitters: dict[int, Any] = {}

    def take(layer: int, values: Tensor, labels: Tensor) -> None:
        if layer not in fitters:
            fitters[layer] = leace.LeaceFitter(
                values.shape[-1], groups, dtype=torch.float64, device=values.device
            )
        fitters[layer].update(values, torch.nn.functional.one_hot(labels, groups).double())

    _read_block_outputs(loaded, asked, lambda one: range(len(one.tokens) - 1, len(one.alone)), take)
    erasers = {layer: fitter.eraser for layer, fitter in fitters.items()}
    return {layer: Map(one.proj_left, one.proj_right, one.bias) for layer, one in erasers.items()}


def _fit_inlp(loaded: Loaded, asked: Sequence[Sentence], _groups: int, seed: int) -> dict[int, Map]:
    import torch  # noqa: PLC0415 (an extra)

    chance = random.Random(seed)  # noqa: S311 (no secret)
    spots = {id(one): chance.randrange(len(one.tokens) - 1, len(one.alone)) for one in asked}
    values: dict[int, list[Tensor]] = {}
    groups: dict[int, list[Tensor]] = {}

    def take(layer: int, some: Tensor, labels: Tensor) -> None:
        values.setdefault(layer, []).append(some.cpu())
        groups.setdefault(layer, []).append(labels.cpu())

    _read_block_outputs(loaded, asked, lambda one: (spots[id(one)],), take)
    model: Any = loaded.model
    found = {}
    for layer, some in values.items():
        told = torch.cat(some)
        away = torch.as_tensor(_group_directions(told.numpy(), torch.cat(groups[layer]).numpy(), seed))
        away = away.to(model.device)
        found[layer] = Map(away.mT, away, torch.zeros_like(away[0]))
    return found


def _group_directions(values: Array, labels: Array, seed: int) -> Array:
    """Return what linear classifiers tell the groups by, orthonormal: [directions, width], one row of 0 for
    none.
    """
    import numpy  # noqa: PLC0415 (an extra)

    linear_model = need("sklearn.linear_model", "model")
    order = numpy.random.default_rng(seed).permutation(len(values))
    values, labels = values[order], labels[order]
    held = numpy.arange(len(values)) % EVERY == 0
    guess = max(numpy.bincount(labels[held])) / held.sum()
    away = numpy.zeros((0, values.shape[1]))
    scale = values.std() or 1.0
    for _ in range(ROUNDS):
        left = (values - values @ away.T @ away) / scale
        with warnings.catch_warnings():  # that it has not converged: it is a direction all the same
            warnings.simplefilter("ignore")
            model = linear_model.LogisticRegression(max_iter=100).fit(left[~held], labels[~held])
        if model.score(left[held], labels[held]) <= guess + GUESS:
            break
        _, sizes, rows = numpy.linalg.svd(
            numpy.concatenate([away, model.coef_ / numpy.linalg.norm(model.coef_)]), full_matrices=False
        )
        away = rows[sizes > 1e-6]
    return away if len(away) else numpy.zeros((1, values.shape[1]))


def _read_block_outputs(
    loaded: Loaded,
    asked: Sequence[Sentence],
    places: Callable[[Sentence], Sequence[int]],
    take: Callable[[int, Tensor, Tensor], None],
) -> None:
    """Give `take` what each block hands on at some places, [places, width] in float64, and their groups."""
    import torch  # noqa: PLC0415 (an extra)

    anatomy = loaded.anatomy
    seen: dict[int, Tensor] = {}

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
            for column in places(asked[place])
        ]
        rows, columns, labels = (torch.tensor(one, device=device) for one in zip(*spots, strict=True))
        for layer, values in seen.items():
            take(layer, values[rows, columns].double(), labels)

    with hook_model(anatomy, Changes(blocks={layer: keep(layer) for layer in range(anatomy.layers)})):
        for _ in over(loaded, [one.alone for one in asked], work):
            pass
