"""The keys and values that a model of transformers keeps while it writes."""

from __future__ import annotations

import inspect
from typing import Any


def empty_cache(model: Any) -> Any:
    """Return a cache for a batch of a model, with nothing in it."""
    from transformers import DynamicCache  # noqa: PLC0415 (heavy, and part of an extra)

    return DynamicCache(config=model.config)


def cache_name(model: Any) -> str:
    """Return what a model calls the cache that it takes and gives: transformers 5.24 renamed
    `past_key_values`.
    """
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model  # below an adapter of peft
    return "cache" if "cache" in inspect.signature(inner.forward).parameters else "past_key_values"
