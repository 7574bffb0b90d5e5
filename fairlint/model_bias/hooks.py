"""Reading and changing what heads, MLPs, blocks and the embedding hand on, by forward hooks.

There is one way in: `hooked` gives each place's values to a function, which returns others to put in their
place, or None to leave them. Who only reads keeps what it is given and returns None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fairlint.model_bias.anatomy import Anatomy, Component
from fairlint.support.records import Record

if TYPE_CHECKING:
    from torch import Tensor
    from torch.utils.hooks import RemovableHandle

    Change = Callable[[Tensor], Tensor | None]


class Changes(Record):
    """What is done at each place; a layer that is not named is left alone."""

    embedding: Change | None = None
    """Gets what enters the first block: [batch, positions, width]."""
    heads: Mapping[int, Change] = {}
    """Layer → gets its heads before the output projection: [batch, positions, heads, head width]."""
    mlps: Mapping[int, Change] = {}
    """Layer → gets its MLP's output: [batch, positions, width]."""
    blocks: Mapping[int, Change] = {}
    """Layer → gets the residual stream that it hands on: [batch, positions, width]."""


@contextmanager
def hook_model(anatomy: Anatomy, changes: Changes) -> Iterator[None]:
    """Within, every forward pass of the model goes through `changes`."""
    handles = attach(anatomy, changes)
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def attach(anatomy: Anatomy, changes: Changes) -> list[RemovableHandle]:
    """Return the same until the handles are removed."""
    handles = []
    if changes.embedding is not None:
        hook = _of_input(changes.embedding)
        handles.append(anatomy.blocks[0].register_forward_pre_hook(hook, with_kwargs=True))
    for layer, change in changes.heads.items():
        hook = _of_input(_by_head(anatomy, change))
        handles.append(anatomy.attentions[layer].register_forward_pre_hook(hook, with_kwargs=True))
    for layer, change in changes.mlps.items():
        if anatomy.layout.flat:
            seen: list[Any] = []
            noting = _of_input(_record_shape(seen))
            handles.append(anatomy.blocks[layer].register_forward_pre_hook(noting, with_kwargs=True))
            change = _unflatten_values(change, seen)  # noqa: PLW2901 (the same in another form)
        handles.append(anatomy.mlps[layer].register_forward_hook(_of_output(_copy_after_change(change))))
    for layer, change in changes.blocks.items():
        handles.append(anatomy.blocks[layer].register_forward_hook(_of_output(change)))
    return handles


def _by_head(anatomy: Anatomy, change: Change) -> Change:
    def split(values: Tensor) -> Tensor | None:
        changed = change(values.view(*values.shape[:-1], anatomy.heads, anatomy.head_width))
        return None if changed is None else changed.reshape(values.shape)

    return split


def _copy_after_change(change: Change) -> Change:
    """Return a change after which the model goes on with a copy: some blocks (Falcon's) add to what they are
    given, and what was handed to `change`, or came from it, is to stay as it was.
    """

    def copied(values: Tensor) -> Tensor:
        changed = change(values)
        return (values if changed is None else changed).clone()

    return copied


def _record_shape(seen: list[Any]) -> Callable[[Tensor], None]:
    """Keep the shape of what enters a block."""

    def note(values: Tensor) -> None:
        seen[:] = [values.shape]

    return note


def _unflatten_values(change: Change, seen: list[Any]) -> Change:
    """Return a change that is given the shape that entered the block, of values that have all positions in a
    row.
    """

    def shaped(values: Tensor) -> Tensor | None:
        changed = change(values.view(seen[0]))
        return None if changed is None else changed.reshape(values.shape)

    return shaped


def _of_input(change: Change) -> Callable[..., Any]:
    """Return a hook for the first argument of a module, whether it has a name or not."""

    def hook(_module: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if args:
            changed = change(args[0])
            return None if changed is None else ((changed, *args[1:]), named)
        first = next(iter(named))
        changed = change(named[first])
        return None if changed is None else (args, {**named, first: changed})

    return hook


def _of_output(change: Change) -> Callable[..., Any]:
    """Return a hook for what a module returns, which is a tuple for some blocks and for mixtures of
    experts.
    """

    def hook(_module: Any, _args: tuple[Any, ...], output: Any) -> Any:
        if isinstance(output, tuple):
            changed = change(output[0])
            return None if changed is None else (changed, *output[1:])
        return change(output)

    return hook


def at(anatomy: Anatomy, components: Mapping[Component, Change]) -> Changes:
    """Change of single components; a head's function gets [batch, positions, head width].

    Raises ModelError for a component that the model does not have.
    """
    heads: dict[int, dict[int, Change]] = {}
    mlps: dict[int, Change] = {}
    for one, change in components.items():
        anatomy.check(one)
        if one.head is None:
            mlps[one.layer] = change
        else:
            heads.setdefault(one.layer, {})[one.head] = change
    return Changes(heads={layer: _change_of_heads(asked) for layer, asked in heads.items()}, mlps=mlps)


def _change_of_heads(asked: Mapping[int, Change]) -> Change:
    """Return a layer's change that changes some of its heads."""

    def change(values: Tensor) -> Tensor | None:
        changed: Tensor | None = None
        for head, one in asked.items():
            found = one(values[..., head, :])
            if found is not None:
                changed = values.clone() if changed is None else changed
                changed[..., head, :] = found
        return changed

    return change
