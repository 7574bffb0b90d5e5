"""What fairlint itself brings in, by the same hooks that plugins use (`fairlint.plugins.Specifications`).

Everything is imported when it is used, not when it is offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from fairlint.detectors import Detector
    from fairlint.reporters import Reporter
    from fairlint.syntax.language import Language

_BACKENDS = {
    "transformers": "transformers_model",
    "vllm": "vllm_engine",
    "openai": "openai_server",
    "replay": "replay",
}


def fairlint_rule_folders() -> Iterable[Path]:
    """The pages of `rules/`."""
    from fairlint.rules import rules_dir  # noqa: PLC0415

    return [rules_dir()]


def fairlint_languages() -> Iterable[Language]:
    """Python and C."""
    from fairlint.syntax import SHIPPED  # noqa: PLC0415

    return SHIPPED


def fairlint_detectors() -> Iterable[Detector]:
    """Those of `fairlint.detectors`, one by one."""
    from fairlint.detectors import SHIPPED  # noqa: PLC0415

    return SHIPPED


def fairlint_reporters() -> Mapping[str, Reporter]:
    """text, concise, json, sarif, and those of build servers."""
    from fairlint.reporters import shipped_reporters  # noqa: PLC0415

    return shipped_reporters()


def fairlint_models() -> Mapping[str, Callable[..., Any]]:
    """transformers, vllm, openai and replay: the backends of the bench, none of them imported yet."""
    return {name: _backend(module) for name, module in _BACKENDS.items()}


def _backend(module: str) -> Callable[..., Any]:
    def load(where: str, options: object) -> Any:
        return import_module(f"fairlint.bench.models.{module}").load(where, options)

    return load
