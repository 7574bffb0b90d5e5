"""A model that is loaded when the first answer is asked of it, for runs that may have all of theirs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from fairlint.backends.model import Model, ModelOptions, Sampling, without_secrets
from fairlint.support.records import field_names

NOT_ASKED = (
    "api_key",
    "timeout",
    "concurrency",
    "retries",
    "batch_size",
    "cluster",
    "devices",
    "intervention",
)
"""Options on which no answer depends, or that say it otherwise."""


class LazyModel:
    """A model that is not loaded yet. `as_asked` is a hash of the words that asked for it."""

    def __init__(self, load: Callable[[], Model], as_asked: str = "") -> None:
        self._load = load
        self._model: Model | None = None
        self.as_asked = as_asked

    @property
    def model(self) -> Model:
        """The model, loaded. Raises ModelError."""
        if self._model is None:
            self._model = self._load()
        return self._model

    def close(self) -> None:
        """Give back what the model holds, if it was loaded."""
        if self._model is not None:
            self._model.close()


def model_request_hash(text: str | None, options: ModelOptions) -> str:
    """Return a hash of the model and options that somebody asked for: the same words mean the same model, as
    far as can be known without loading it. Keys and passwords are not in it.
    """
    told = {name: getattr(options, name) for name in field_names(options) if name not in NOT_ASKED}
    told["base_url"] = without_secrets(options.base_url) if options.base_url else ""
    told["within"] = dict(options.intervention.settings) if options.intervention else None
    return hash_of([text or "", told])


def sampling_hash(as_asked: str, sampling: Sampling) -> str:
    """Return the same with how answers are asked to be drawn."""
    return hash_of([as_asked, {name: getattr(sampling, name) for name in field_names(sampling)}])


def hash_of(told: object) -> str:
    """Sixteen hex digits that change with anything in it."""
    text = json.dumps(told, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
