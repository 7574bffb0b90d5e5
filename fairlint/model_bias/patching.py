"""Exact patching: a part's values of the corrupted prompt are put into the run of the clean one.

What the metric changes by is the part's effect (activation patching; Meng et al. 2022, Zhang and Nanda 2023,
arXiv 2309.16042). It takes a pass for each part. What comes before the first changed layer is not computed
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fairlint.model_bias.anatomy import Anatomy, Component
from fairlint.model_bias.attribution import Effects, Values, as_array, nothing
from fairlint.model_bias.contrasts import Contrast, check, metric
from fairlint.model_bias.hooks import Changes, at, hook_model
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.passes import Batch, batch_of, over
from fairlint.support.records import Record

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from torch import Tensor

    from fairlint.model_bias.hooks import Change

    Array = NDArray[numpy.float64]

Progress = Callable[[int, int], None]


class Parts(Record):
    """What is patched at once."""

    components: tuple[Component, ...]
    embedding: bool = False


class Patched(Record, eq=False):
    """What patching does."""

    clean: Array
    """[pairs]: the metric of each clean prompt."""
    corrupted: Array
    """[pairs]: of each corrupted one."""
    effects: Array
    """[pairs, sets of parts]: the metric of the patched run minus that of the clean one."""


def patch(
    loaded: Loaded, contrasts: Sequence[Contrast], sets: Sequence[Parts], progress: Progress | None = None
) -> Patched:
    """Return the effect of each set of parts on each pair, one pass for each set over all pairs of a batch.

    `progress` is told how many of how many passes over all pairs are done. Raises ModelError where there are
    no pairs, prompts of a pair differ in length, a component is not there, or memory does not suffice.
    """
    import numpy  # noqa: PLC0415 (an extra)
    import torch  # noqa: PLC0415

    check(contrasts)
    anatomy = loaded.anatomy
    size = len(contrasts)
    clean, corrupted = numpy.zeros(size), numpy.zeros(size)
    effects = numpy.zeros((size, len(sets)))
    theirs = [one.corrupted for one in contrasts]
    passes = 0.0

    def work(batch: Batch) -> None:
        nonlocal passes
        values, known = Values(anatomy), _Outputs()
        with torch.inference_mode():
            with hook_model(anatomy, values.changes):
                after = metric(loaded, batch_of(loaded, theirs, batch.places), contrasts)
            with known.seen(anatomy):
                before = metric(loaded, batch, contrasts)
            corrupted[batch.places], clean[batch.places] = as_array(after), as_array(before)
            for place, parts in enumerate(sets):
                with (
                    known.until(anatomy, _first_layer(anatomy, parts)),
                    hook_model(anatomy, _changes_from_values(anatomy, values, parts)),
                ):
                    found = metric(loaded, batch, contrasts)
                effects[batch.places, place] = as_array(found - before)
                passes += len(batch.places) / size
                if progress:
                    progress(min(round(passes), len(sets)), len(sets))

    for _ in over(loaded, [one.clean for one in contrasts], work):
        pass
    return Patched(clean, corrupted, effects)


def patch_each(
    loaded: Loaded,
    contrasts: Sequence[Contrast],
    components: Sequence[Component],
    progress: Progress | None = None,
) -> Effects:
    """Return the effect of each of some components, and of the embedding, by itself. NaN: not asked for.

    Raises ModelError as `patch`.
    """
    sets = [*(Parts((one,)) for one in components), Parts((), embedding=True)]
    found = patch(loaded, contrasts, sets, progress).effects
    result = nothing(len(contrasts), loaded.anatomy, float("nan"))
    for place, one in enumerate(components):
        result.of(one)[:] = found[:, place]
    result.embedding[:] = found[:, -1]
    return result


def _first_layer(anatomy: Anatomy, parts: Parts) -> int:
    """Return the first layer in which something is changed."""
    return 0 if parts.embedding else min((one.layer for one in parts.components), default=anatomy.layers - 1)


def _changes_from_values(anatomy: Anatomy, values: Values, parts: Parts) -> Changes:
    """Return parts as they were in another run."""

    def put(other: Tensor) -> Change:
        return lambda _: other

    chosen: Mapping[Component, Change] = {
        one: put(values.mlps[one.layer] if one.head is None else values.heads[one.layer][..., one.head, :])
        for one in parts.components
    }
    changes = at(anatomy, chosen)
    return Changes(put(values.embedding[0]) if parts.embedding else None, changes.heads, changes.mlps)


class _Outputs:
    """What blocks returned in a run, so that a run that begins alike need not compute them again."""

    def __init__(self) -> None:
        self._found: dict[int, Any] = {}

    @contextmanager
    def seen(self, anatomy: Anatomy) -> Iterator[None]:
        """Within, what blocks return is kept."""
        handles = []
        for layer, block in enumerate(anatomy.blocks):

            def keep(_module: Any, _args: Any, output: Any, layer: int = layer) -> None:
                self._found[layer] = output

            handles.append(block.register_forward_hook(keep))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    @contextmanager
    def until(self, anatomy: Anatomy, first: int) -> Iterator[None]:
        """Within, blocks before the `first` return what they did and compute nothing."""
        blocks: list[Any] = list(anatomy.blocks[:first])
        before = [block.__dict__.get("forward") for block in blocks]
        try:
            for layer, block in enumerate(blocks):
                block.forward = lambda *_args, layer=layer, **_named: self._found[layer]
            yield
        finally:
            for block, forward in zip(blocks, before, strict=True):
                if forward is None:
                    block.__dict__.pop("forward", None)
                else:
                    block.forward = forward
