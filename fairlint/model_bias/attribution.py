"""Attribution patching: what each part of a model does to a metric, by its gradient, all parts at once.

The first-order estimate of exact patching (`patching.py`), after Nanda (2023), Attribution patching, and
Syed, Rager and Conmy (2023, arXiv 2310.10348): a part's effect is about (corrupted value - clean value) x
gradient of the metric at the clean value, summed over positions and the part's width. It takes a forward and
a backward pass of the clean prompts and a forward pass of the corrupted ones, however many parts there are.
It errs where the metric bends between the two values, most of all for the first MLPs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fairlint.model_bias.anatomy import Anatomy, Component
from fairlint.model_bias.contrasts import Contrast, check, metric
from fairlint.model_bias.hooks import Changes, hook_model
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.passes import Batch, batch_of, over
from fairlint.support.records import Record

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from torch import Tensor

    Array = NDArray[numpy.float64]

WARNING = (
    "gradient-activation is |gradient x activation|, which compares nothing with the corrupted prompt: it "
    "hardly agrees with exact patching and is here for comparison with work that reports it"
)
COST = 3
"""How many times as much memory as a plain pass a batch takes: both runs' values and the gradient's."""


class Effects(Record, eq=False):
    """What each part does to the metric of each pair. NaN: not measured."""

    heads: Array
    """[pairs, layers, heads]"""
    mlps: Array
    """[pairs, layers]"""
    embedding: Array
    """[pairs]: of the embedding, which is no component and is told so that nothing is missing."""

    def of(self, one: Component) -> Array:
        """Return those of one component: [pairs]."""
        return self.mlps[:, one.layer] if one.head is None else self.heads[:, one.layer, one.head]


class Attribution(Record, eq=False):
    """What one forward and backward pass say."""

    clean: Array
    """[pairs]: the metric of each clean prompt."""
    corrupted: Array
    """[pairs]: of each corrupted one."""
    patching: Effects
    """(corrupted - clean) x gradient: about what the metric changes by where the part's corrupted values are
    put into the clean run."""
    gradient_activation: Effects
    """|gradient x activation| at the clean prompt, which is another thing: see WARNING."""


class Values:
    """What the parts hand on in one pass; with `graph`, as leaves of a graph that gradients flow through."""

    def __init__(self, anatomy: Anatomy, *, graph: bool = False) -> None:
        self.embedding: list[Tensor] = []
        self.heads: dict[int, Tensor] = {}
        self.mlps: dict[int, Tensor] = {}
        self._graph = graph
        layers = range(anatomy.layers)
        self.changes = Changes(
            embedding=self._begin_graph,
            heads={layer: self._keep(self.heads, layer) for layer in layers},
            mlps={layer: self._keep(self.mlps, layer) for layer in layers},
        )

    def _begin_graph(self, values: Tensor) -> Tensor | None:
        if self._graph:  # no weight asks for a gradient, so the graph begins here
            values = values.detach().requires_grad_()
        self.embedding.append(values)
        return values if self._graph else None

    def _keep(self, kept: dict[int, Tensor], layer: int) -> Callable[[Tensor], Tensor | None]:
        def keep(values: Tensor) -> Tensor | None:
            kept[layer] = values
            return values if self._graph else None  # the very view that is kept has to be what is used

        return keep

    def all(self) -> list[Tensor]:
        """Return the embedding, all layers' heads, all layers' MLPs."""
        layers = sorted(self.heads)
        heads, mlps = ([kept[layer] for layer in layers] for kept in (self.heads, self.mlps))
        return [self.embedding[0], *heads, *mlps]


def attribute(
    loaded: Loaded, contrasts: Sequence[Contrast], progress: Callable[[int, int], None] | None = None
) -> Attribution:
    """Return the estimated effect of all heads, all MLPs and the embedding on each pair.

    `progress` is told how many of how many pairs are done. Raises ModelError where there are no pairs,
    prompts of a pair differ in length, the architecture is not known, or memory does not suffice.
    """
    import numpy  # noqa: PLC0415 (an extra)

    check(contrasts)
    anatomy = loaded.anatomy
    size, layers = len(contrasts), anatomy.layers
    clean, corrupted = numpy.zeros(size), numpy.zeros(size)
    results = [nothing(size, anatomy, 0.0) for _ in range(2)]
    done = 0
    theirs = [one.corrupted for one in contrasts]

    def work(batch: Batch) -> int:
        other = batch_of(loaded, theirs, batch.places)
        found = _gradient_products(loaded, anatomy, batch, other, contrasts)
        clean[batch.places], corrupted[batch.places] = found.clean, found.corrupted
        for result, told in zip(results, (found.with_difference, found.with_value), strict=True):
            result.embedding[batch.places] = told[0]
            for layer in range(layers):
                result.heads[batch.places, layer] = told[1 + layer]
                result.mlps[batch.places, layer] = told[1 + layers + layer]
        return len(batch.places)

    for finished in over(loaded, [one.clean for one in contrasts], work, weight=COST):
        done += finished
        if progress:
            progress(done, size)
    patching, product = results
    product = Effects(abs(product.heads), abs(product.mlps), abs(product.embedding))
    return Attribution(clean, corrupted, patching, product)


class _Products(NamedTuple):
    """Both metrics, and for the embedding and each layer's heads and MLPs the products with the gradient:
    with the difference, and with the clean values.
    """

    clean: Array
    corrupted: Array
    with_difference: list[Array]
    with_value: list[Array]


def _gradient_products(
    loaded: Loaded, anatomy: Anatomy, batch: Batch, other: Batch, contrasts: Sequence[Contrast]
) -> _Products:
    import torch  # noqa: PLC0415 (an extra)

    theirs, ours = Values(anatomy), Values(anatomy, graph=True)
    with torch.no_grad(), hook_model(anatomy, theirs.changes):
        after = metric(loaded, other, contrasts)
    with torch.enable_grad(), hook_model(anatomy, ours.changes):
        before = metric(loaded, batch, contrasts)
        # a row's metric hangs on its own values alone, so the sum's gradient is that of each row
        gradients = torch.autograd.grad(before.sum(), ours.all())
    differences, products = [], []
    with torch.no_grad():
        for gradient, our, their in zip(gradients, ours.all(), theirs.all(), strict=True):
            slope, value = _widen_dtype(gradient), _widen_dtype(our)
            differences.append(_sum_positions(slope * (_widen_dtype(their) - value)))
            products.append(_sum_positions(slope * value))
    return _Products(as_array(before), as_array(after), differences, products)


def _widen_dtype(values: Tensor) -> Tensor:
    """In float32 at least, so that sums of bfloat16 are not rounded."""
    return values.float() if values.dtype.itemsize < 4 else values


def _sum_positions(values: Tensor) -> Array:
    """Return the sums over positions and width: [batch, positions, (heads,) width] becomes [batch,
    (heads)].
    """
    return as_array(values.sum((1, values.ndim - 1)))


def as_array(values: Tensor) -> Array:
    """Return a tensor as float64 that nothing of torch holds on to."""
    found: Array = values.detach().cpu().double().numpy()
    return found


def nothing(pairs: int, anatomy: Anatomy, filled: float) -> Effects:
    """Effects that are to be filled in."""
    import numpy  # noqa: PLC0415 (an extra)

    def array(*shape: int) -> Any:
        return numpy.full((pairs, *shape), filled)

    return Effects(array(anatomy.layers, anatomy.heads), array(anatomy.layers), array())
