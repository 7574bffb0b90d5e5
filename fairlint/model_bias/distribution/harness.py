"""Tasks of lm-evaluation-harness, asked of a model that is in memory."""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.backends.extras import need
from fairlint.backends.model import ModelError
from fairlint.model_bias.loading import Loaded

EXTRA = "lm-eval"
FEWSHOT_SEED = 1234
"""Which examples are shown, as the harness's own command draws them."""
NO_FIGURES = ("alias", "name", "sample_len", "sample_count")
"""What the harness tells of a task beside its figures."""


def tasks(names: Sequence[str]) -> Mapping[str, Any]:
    """Return the tasks of these names, or of YAML files, with their data: name → task.

    Raises ModelError, in one line, where the harness is missing or knows no such task, or its data cannot be
    had.
    """
    need("lm_eval", EXTRA)
    only_files = all(Path(name).is_file() for name in names)  # to list all that is known takes seconds
    manager = need("lm_eval.tasks", EXTRA).TaskManager(include_defaults=not only_files)
    found: dict[str, Any] = {}
    for name in names:
        try:
            with _silence_output():
                for title, task in manager.load([name])["tasks"].items():
                    if task.get_config("num_fewshot") is None:
                        task.set_config(key="num_fewshot", value=0)
                    task.set_fewshot_seed(seed=FEWSHOT_SEED)
                    found[title] = task
        except Exception as error:
            reason = _first_line(error)
            if isinstance(error, KeyError) and "is not a registered" in reason:
                raise ModelError(
                    f"--lm-eval: lm-evaluation-harness has no task '{name}' (lm-eval ls tasks), nor is it a "
                    "YAML file"
                ) from None
            raise ModelError(f"--lm-eval: '{name}' cannot be loaded with its data: {reason}") from None
    return found


def figures(loaded: Loaded, asked: Mapping[str, Any], limit: int | None) -> dict[str, float]:
    """Return the figures of each task, over its first `limit` items: `TASK METRIC` → value.

    Only causal models. Raises ModelError where a task fails.
    """
    if not asked:
        return {}
    wrapper = need("lm_eval.models.huggingface", EXTRA).HFLM
    evaluate = need("lm_eval.evaluator", EXTRA).evaluate
    whole = {"tasks": dict(asked), "groups": {}, "group_map": {}}
    try:
        with _silence_output():
            model: Any = wrapper(
                pretrained=loaded.model, tokenizer=loaded.tokenizer, batch_size=loaded.batch_size or 8
            )
            told = evaluate(model, whole, limit=limit, bootstrap_iters=0, log_samples=False)
    except Exception as error:
        raise ModelError(f"--lm-eval: {loaded.name}: {_first_line(error)}") from error
    return {
        f"{name} {metric.partition(',')[0]}": float(value)
        for name, values in told["results"].items()
        for metric, value in values.items()
        if metric not in NO_FIGURES and "_stderr" not in metric and isinstance(value, int | float)
    }


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).split("\n")), "")[:200] or type(error).__name__


@contextlib.contextmanager
def _silence_output() -> Iterator[None]:
    """Without the harness's bars and its log."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logging.disable(before)
