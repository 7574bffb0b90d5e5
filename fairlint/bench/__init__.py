"""The bench: asks language models for code, judges it with fairlint's checker, and scores it.

>>> from fairlint.bench import evaluate
>>> metrics = evaluate(my_model, suite="faircode:function", limit=50)
>>> metrics["overall"]["fair_score"]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairlint.bench.evaluating import evaluate

__all__ = ["evaluate"]


def __getattr__(name: str) -> object:
    if name != "evaluate":
        raise AttributeError(f"module 'fairlint.bench' has no attribute '{name}'")
    from fairlint.bench.evaluating import evaluate  # noqa: PLC0415 (who imports one module needs not all)

    return evaluate
