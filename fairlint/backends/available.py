"""All backends: those that fairlint ships, and the models of plugins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from fairlint.plugins.guard import PluginError, guest
from fairlint.plugins.manager import as_named_function, ask, claim, gather
from fairlint.support.errors import UsageError

_HOOK = "fairlint_models"
_SHIPPED = {
    "transformers": "fairlint.backends.transformers_model",
    "vllm": "fairlint.backends.vllm_engine",
    "openai": "fairlint.backends.openai_server",
    "replay": "fairlint.bench.asking.replay",
}


def backends() -> Mapping[str, Callable[..., Any]]:
    """Return what loads a model, by the name of its backend, the shipped ones first; none is imported yet."""
    by_name: dict[str, Callable[..., Any]] = {name: _on_demand(module) for name, module in _SHIPPED.items()}
    for plugin, (name, load) in gather(_HOOK, as_named_function):
        own: Callable[..., Any] = _Load(plugin, name, load)
        ask(plugin, _HOOK, partial(claim, by_name, name, own, "the model"))
    return by_name


def _on_demand(module: str) -> Callable[..., Any]:
    def load(where: str, options: object) -> Any:
        return import_module(module).load(where, options)

    return load


class _Load:
    """What loads a model of a plugin; its own UsageErrors are for the user, all others name the plugin."""

    def __init__(self, plugin: str, name: str, load: Callable[..., Any]) -> None:
        self.plugin = plugin
        self._what = f"its model '{name}'"
        self._load = load

    def __call__(self, where: str, options: object) -> Any:
        try:
            with guest(self.plugin, self._what, lets=(UsageError,)):
                return self._load(where, options)
        except PluginError as error:
            raise UsageError(str(error)) from error
