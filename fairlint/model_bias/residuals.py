"""The residual stream at the place of the answer, layer by layer: from where on it carries an association.

The stream of the corrupted prompt is put into the run of the clean one behind a block, at that place alone.
At all places it would be the corrupted run itself. Behind the last block the effect is the whole difference
of both prompts, as the answer depends on nothing else then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from fairlint.model_bias.attribution import COST, as_array
from fairlint.model_bias.contrasts import Contrast, check, metric
from fairlint.model_bias.hooks import Changes, hook_model
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.locating import CHUNK
from fairlint.model_bias.passes import Batch, batch_of, over
from fairlint.support.records import Record

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from torch import Tensor

    from fairlint.model_bias.hooks import Change

    Array = NDArray[numpy.float64]

DEFINITION = (
    "the same effect of the whole residual stream behind each block, at the place of the answer alone; "
    "behind the last block it is all that the prompts differ by"
)
Keep = Callable[[Contrast, Mapping[str, float]], None]


class Residuals(Record, eq=False):
    """Effects of the residual stream: [pairs, layers]."""

    attribution: Array
    """(corrupted - clean) x gradient."""
    exact: Array


def residual_effects(
    loaded: Loaded,
    contrasts: Sequence[Contrast],
    *,
    known: Mapping[str, Mapping[str, float]] | None = None,
    keep: Keep | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Residuals:
    """Return the effects of the residual stream on each pair, estimated and exact.

    `keep` is given those of each pair when they are known, `known` has those that an earlier run kept, by the
    pair's id, and `progress` is told how many of how many pairs are done. Raises ModelError as patching does.
    """
    import numpy  # noqa: PLC0415 (an extra)

    check(contrasts)
    layers = loaded.anatomy.layers
    guess, exact = (numpy.zeros((len(contrasts), layers)) for _ in range(2))
    missing = []
    for place, one in enumerate(contrasts):
        told = (known or {}).get(one.id)
        if told is None:
            missing.append(place)
            continue
        for layer in range(layers):
            guess[place, layer], exact[place, layer] = told[f"attribution {layer}"], told[f"exact {layer}"]
    for begin in range(0, len(missing), CHUNK):
        places = missing[begin : begin + CHUNK]
        found = _measure(loaded, [contrasts[place] for place in places])
        guess[places], exact[places] = found.attribution, found.exact
        for row, place in enumerate(places):
            if keep:
                values = {f"{name} {layer}": float(getattr(found, name)[row, layer])
                          for name in ("attribution", "exact") for layer in range(layers)}  # fmt: skip
                keep(contrasts[place], values)
        if progress:
            progress(len(contrasts) - len(missing) + begin + len(places), len(contrasts))
    return Residuals(guess, exact)


def _measure(loaded: Loaded, contrasts: Sequence[Contrast]) -> Residuals:
    import numpy  # noqa: PLC0415 (an extra)
    import torch  # noqa: PLC0415

    anatomy = loaded.anatomy
    guess, exact = (numpy.zeros((len(contrasts), anatomy.layers)) for _ in range(2))
    theirs = [one.corrupted for one in contrasts]

    def work(batch: Batch) -> None:
        other = batch_of(loaded, theirs, batch.places)
        rows = torch.arange(len(batch.places))
        at = torch.tensor([contrasts[place].place for place in batch.places])
        corrupted, clean = _Streams(), _Streams(graph=True)
        with torch.no_grad(), hook_model(anatomy, corrupted.reading(anatomy.layers)):
            metric(loaded, other, contrasts)
        with torch.enable_grad(), hook_model(anatomy, clean.reading(anatomy.layers)):
            before = metric(loaded, batch, contrasts)
            streams = [clean.found[layer] for layer in range(anatomy.layers)]
            slopes = torch.autograd.grad(before.sum(), streams)
        for layer, slope in enumerate(slopes):
            new = corrupted.found[layer][rows, at]
            difference = new.double() - clean.found[layer].detach()[rows, at].double()
            guess[batch.places, layer] = as_array((slope[rows, at].double() * difference).sum(-1))
            patching = Changes(blocks={layer: _put_at(rows, at, new)})
            with torch.no_grad(), hook_model(anatomy, patching):
                exact[batch.places, layer] = as_array(metric(loaded, batch, contrasts) - before.detach())

    for _ in over(loaded, [one.clean for one in contrasts], work, weight=COST):
        pass
    return Residuals(guess, exact)


class _Streams:
    """What blocks hand on in one pass; with `graph`, gradients flow through it."""

    def __init__(self, *, graph: bool = False) -> None:
        self.found: dict[int, Tensor] = {}
        self._graph = graph

    def reading(self, layers: int) -> Changes:
        return Changes(
            self._begin if self._graph else None, blocks={layer: self._keep(layer) for layer in range(layers)}
        )

    def _begin(self, values: Tensor) -> Tensor:
        return values.detach().requires_grad_()  # no weight asks for a gradient, so the graph begins here

    def _keep(self, layer: int) -> Change:
        return lambda values: self.found.update({layer: values})


def _put_at(rows: Tensor, at: Tensor, new: Tensor) -> Change:
    """Return a change that puts rows of values at one position of each text."""

    def change(values: Tensor) -> Tensor:
        changed = values.clone()
        changed[rows, at] = new
        return changed

    return change
