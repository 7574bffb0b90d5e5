"""From what a user types to a model that answers: the backends of fairlint and of plugins, by name."""

from __future__ import annotations

from fairlint.bench.models.brought import BroughtModel
from fairlint.bench.models.model import Model, ModelError, ModelOptions
from fairlint.bench.models.names import BACKEND, Found, resolve


def load(text: str | None, options: ModelOptions) -> Model:
    """The model that `text` stands for (see `names.resolve`), loaded by its backend.

    Raises ModelError where the name, a file or a package is missing, and UsageError for a broken plugin.
    """
    from fairlint import plugins  # noqa: PLC0415 (names are resolved without loading anything too)

    found = resolve(text)
    if options.intervention is not None:
        check_inside(found, "--ablate changes what happens within a model")
    if options.adapter:
        check_inside(found, "--adapter is merged into a model's weights")
    backend = plugins.models()[found.backend]
    model: Model = backend(found.where, options)
    plugin = getattr(backend, "plugin", "")
    return BroughtModel(plugin, model) if plugin else model


def check_inside(found: Found, what: str) -> None:
    """Raises ModelError for a backend that does not let anybody change what a model computes."""
    if found.backend != BACKEND:
        raise ModelError(
            f"{found.name}: {what}, which only the backend {BACKEND} allows, not {found.backend}"
        )
