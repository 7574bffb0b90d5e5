"""Where the attention heads and MLPs of a transformer are, whatever its architecture calls them.

The families' names are data (`layouts.toml`). A head is read and changed at the input of attention's output
projection, where all heads stand side by side: there it makes no difference whether heads share their keys
and values, nor how attention itself is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fairlint.backends.model import ModelError
from fairlint.support.documents import read_toml
from fairlint.support.records import Record

if TYPE_CHECKING:
    from torch import Tensor, nn


class Layout(Record):
    """The names of a family's modules."""

    families: str
    blocks: str
    attention: str
    mlp: str
    masked: bool = False
    flat: bool = False
    post_norm: bool = False


class Component(Record):
    """An attention head, or the MLP of a layer where `head` is None. Layers and heads count from 0."""

    layer: int
    head: int | None = None

    def __str__(self) -> str:
        return f"mlp {self.layer}" if self.head is None else f"{self.layer}.{self.head}"


def component(text: str) -> Component:
    """Return what `str` makes of a component, read back.

    Raises ValueError for what is neither `LAYER.HEAD` nor `mlp LAYER`.

    >>> component("23.5"), component("mlp 0")
    (Component(layer=23, head=5), Component(layer=0, head=None))
    """
    layer, dot, head = text.strip().removeprefix("mlp").strip().partition(".")
    if not layer.isdecimal() or (dot and not head.isdecimal()) or bool(dot) == text.strip().startswith("mlp"):
        raise ValueError(f"'{text}' is no component: heads are LAYER.HEAD, as in 23.5, and MLPs mlp LAYER")
    return Component(int(layer), int(head) if dot else None)


class Anatomy(Record):
    """A model's parts, a module for each layer."""

    layout: Layout
    blocks: Sequence[nn.Module]
    attentions: Sequence[nn.Module]
    """The output projections of attention."""
    mlps: Sequence[nn.Module]
    heads: int
    """Heads in each layer."""
    head_width: int

    @property
    def layers(self) -> int:
        """How many blocks there are."""
        return len(self.blocks)

    @property
    def width(self) -> int:
        """How many numbers the residual stream has at each position."""
        return int(projection_weight(self.attentions[0]).shape[1])

    def components(self) -> Iterator[Component]:
        """Yield all heads, layer by layer, then all MLPs."""
        for layer in range(self.layers):
            for head in range(self.heads):
                yield Component(layer, head)
        for layer in range(self.layers):
            yield Component(layer)

    def check(self, one: Component) -> None:
        """Raise ModelError for a component that the model does not have."""
        if one.layer >= self.layers or (one.head is not None and one.head >= self.heads):
            raise ModelError(
                f"the model has no component {one}: its layers are 0 to {self.layers - 1}, its heads 0 to "
                f"{self.heads - 1}"
            )


@cache
def layouts() -> tuple[Layout, ...]:
    """Return what `layouts.toml` says."""
    data = read_toml((files(__package__) / "layouts.toml").read_text(encoding="utf-8"))
    return tuple(Layout(**told) for told in data["layout"])


def anatomy_of(model: nn.Module, name: str) -> Anatomy:
    """Return the parts of a model of transformers.

    Raises ModelError where its blocks are none of `layouts`, or its heads are not all alike.
    """
    for layout in layouts():
        blocks = list(_module_at_path(model, layout.blocks) or ())
        attentions = [_module_at_path(block, layout.attention) for block in blocks]
        mlps = [_module_at_path(block, layout.mlp) for block in blocks]
        if blocks and all(one is not None for one in (*attentions, *mlps)):
            heads, width = _count_heads(model, attentions, name)
            return Anatomy(layout, blocks, attentions, mlps, heads, width)
    known = "; ".join(layout.families for layout in layouts())
    raise ModelError(
        f"{name} is a {type(model).__name__}, whose attention heads fairlint cannot find; it knows the "
        f"blocks of {known}"
    )


def _count_heads(model: Any, attentions: Sequence[Any], name: str) -> tuple[int, int]:
    """Return how many heads each layer has, and how wide they are."""
    heads = getattr(model.config.get_text_config(), "num_attention_heads", 0)
    widths = {projection_width(one) for one in attentions}
    if len(widths) != 1 or not isinstance(heads, int) or heads < 1 or min(widths) % heads:
        raise ModelError(f"{name} has heads of different numbers or widths, which fairlint cannot tell apart")
    return heads, widths.pop() // heads


def projection_weight(module: Any) -> Tensor:
    """Return a projection's weights as [inputs, outputs]; GPT-2's are kept so, all others the other way
    round.
    """
    weight: Tensor = module.weight
    return weight if _is_conv1d(module) else weight.T


def projection_width(module: Any) -> int:
    """Return how many inputs a projection has."""
    return int(module.weight.shape[0 if _is_conv1d(module) else 1])


def _is_conv1d(module: Any) -> bool:
    return type(module).__name__ == "Conv1D"


def _module_at_path(module: Any, path: str) -> Any:
    """Return the module at a path of names; None where there is none."""
    for name in path.split("."):
        module = getattr(module, name, None)
        if module is None:
            return None
    return module
