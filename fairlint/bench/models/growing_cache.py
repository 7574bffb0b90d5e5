"""The keys and values of a batch in buffers with room to grow, where a model's layers are plain ones.

transformers' dynamic cache copies all that it holds for every token; with many rows on a CPU that is a
considerable part of the work.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

ROOM = 128
"""Tokens that a buffer has room for beyond what is needed."""


def growing_cache(model: Any) -> Any:
    """An empty cache: transformers' own, with buffers that grow where all layers are plain ones."""
    from transformers import DynamicCache  # noqa: PLC0415 (heavy, and part of an extra)
    from transformers.cache_utils import DynamicLayer  # noqa: PLC0415 (as above)

    made = DynamicCache(config=model.config)
    if made.layers and all(type(layer) is DynamicLayer for layer in made.layers):
        made.layers = [_growing_layer()() for _ in made.layers]
    return made


def cache_name(model: Any) -> str:
    """What a model calls the cache that it takes and gives: transformers 5.24 renamed `past_key_values`."""
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model  # below an adapter of peft
    return "cache" if "cache" in inspect.signature(inner.forward).parameters else "past_key_values"


@cache
def _growing_layer() -> Any:
    from transformers.cache_utils import DynamicLayer  # noqa: PLC0415 (heavy, and part of an extra)

    class GrowingLayer(DynamicLayer):  # type: ignore[misc]
        """Keys and values are the used part of two buffers; what replaces them leaves the buffers behind."""

        _room: Any = None

        def update(self, key_states: Any, value_states: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
            """Add the states of new tokens; returns all states."""
            if not self.is_initialized:
                self.lazy_initialization(key_states, value_states)
                self.keys, self.values = key_states[..., :0, :], value_states[..., :0, :]
            held, new = self.keys.shape[-2], key_states.shape[-2]
            if not self._fits(held + new):
                self._room = tuple(
                    state.new_empty((*state.shape[:-2], held + new + ROOM, state.shape[-1]))
                    for state in (key_states, value_states)
                )
                for room, state in zip(self._room, (self.keys, self.values), strict=True):
                    room[..., :held, :] = state
            for room, state in zip(self._room, (key_states, value_states), strict=True):
                room[..., held : held + new, :] = state
            self.keys, self.values = (room[..., : held + new, :] for room in self._room)
            return self.keys, self.values

        def _fits(self, length: int) -> bool:
            """Whether the buffers are those that the keys lie in, and have room."""
            if self._room is None or self._room[0].shape[-2] < length:
                return False
            return bool(self._room[0].data_ptr() == self.keys.data_ptr())

    return GrowingLayer
