"""From what a user types to a model that answers: the backends of fairlint and of plugins, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from fairlint.backends import hub
from fairlint.backends.lazy_model import LazyModel, model_request_hash
from fairlint.backends.model import Model, ModelError, ModelOptions
from fairlint.backends.names import BACKEND, LOADS_WEIGHTS, SERVED, Found, resolve
from fairlint.backends.plugin_model import BroughtModel
from fairlint.support.records import replace


def load(text: str | None, options: ModelOptions) -> Model:
    """Return the model that `text` stands for (see `names.resolve`), loaded by its backend.

    Raises ModelError where the name, a file or a package is missing, and UsageError for a broken plugin.
    """
    from fairlint.backends.available import backends  # noqa: PLC0415 (names are resolved without loading anything too)

    found = resolve(text)
    if options.intervention is not None:
        check_inside(found, "--ablate changes what happens within a model")
    if options.adapter:
        check_inside(found, "--adapter is merged into a model's weights")
    reach(found)
    if options.cluster and found.backend not in SERVED:
        if found.backend != "vllm" or not is_spread(options):
            from fairlint.backends import ray_model  # noqa: PLC0415 (few have a cluster)

            return ray_model.load_in_actors(found, options, partial(load, text))
        options = replace(options, engine=options.cluster, cluster="")  # vLLM has actors of its own
    if options.devices:
        from fairlint.backends import devices  # noqa: PLC0415 (few have several)

        return devices.load(found, text, options)
    backend = backends()[found.backend]
    model: Model = backend(found.where, options)
    plugin = getattr(backend, "plugin", "")
    return BroughtModel(plugin, model) if plugin else model


def is_spread(options: ModelOptions) -> bool:
    """Return whether somebody wants the parts of a model on several cards."""
    return max(options.cards, options.tensor_parallel, options.pipeline_parallel) > 1


def later(text: str | None, options: ModelOptions, before: Callable[[], None] = lambda: None) -> LazyModel:
    """Return the same, loaded when the first answer is asked of it; `before` is called then."""

    def loaded() -> Model:
        before()
        return load(text, options)

    return LazyModel(loaded, model_request_hash(text, options))


_EXTRAS = {"transformers": "bench", "vllm": "vllm"}
"""Backends that load from the hub, and the extra of fairlint that brings each."""


def look_up(texts: Sequence[str | None], options: ModelOptions) -> dict[str | None, str]:
    """Return those of the models that cannot be had, with the reason. The hub and servers are asked, nothing
    loads.

    Each is asked for once, with little patience: twenty names take seconds. Raises ModelError for a name that
    `names.resolve` does not know.
    """
    found = {text: resolve(text) for text in texts}
    wrong: dict[str | None, str] = {}
    for backend, extra in _EXTRAS.items():
        ids = {
            one.where: options.revision for one in found.values() if one.backend == backend and _on_hub(one)
        }
        refused = hub.look_up(ids, extra) if ids else {}
        wrong |= {
            text: f"{one.where} {refused[one.where]}"
            for text, one in found.items()
            if one.backend == backend and one.where in refused
        }
    served = {text: one.where for text, one in found.items() if one.backend == "openai"}
    if served:
        from fairlint.backends.openai_server import look_up as asked  # noqa: PLC0415 (an extra)

        refused = asked(tuple(served.values()), options)
        wrong |= {text: refused[where] for text, where in served.items() if where in refused}
    return wrong


def reach(found: Found) -> None:
    """Before a model of the hub is loaded: a hub that does not answer is not waited for (see `hub.ready`)."""
    if _on_hub(found):
        hub.ready(_EXTRAS[found.backend])


def _on_hub(found: Found) -> bool:
    """Return whether it is an id of the hub, and no folder or file of this machine."""
    return found.backend in LOADS_WEIGHTS and not Path(found.where).exists()


def check_inside(found: Found, what: str) -> None:
    """Raise ModelError for a backend that does not let anybody change what a model computes."""
    if found.backend != BACKEND:
        raise ModelError(
            f"{found.name}: {what}, which only the backend {BACKEND} allows, not {found.backend}"
        )
