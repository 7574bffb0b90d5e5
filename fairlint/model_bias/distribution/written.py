"""The code that a model in memory writes, asked for and judged by the bench."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.backends.model import ModelOptions
from fairlint.backends.transformers_model import TransformersModel
from fairlint.bench.evaluating import evaluate
from fairlint.bench.figures.both_scores import KEYS, score_by, score_name
from fairlint.model_bias.data.records import FEMALE, MALE
from fairlint.model_bias.loading import Loaded

SUITE = "faircode:function"


def figures(
    loaded: Loaded, groups: Sequence[str], folder: Path, *, limit: int, samples: int
) -> dict[str, float]:
    """Return what the functions come to that a model writes for the first `limit` prompts of `SUITE`.

    All is kept in `folder`, a run of the bench; what is there already is gone on with. Raises ModelError for
    a prompt that is too long for the model, and UsageError for a folder that cannot be written or is another
    model's.
    """
    # weights in training have no revision of their own: the folder tells them apart
    model = TransformersModel(
        loaded.name,
        loaded.revision,
        loaded.model,
        loaded.tokenizer,
        ModelOptions(batch_size=loaded.batch_size),
    )
    told = evaluate(model, suite=SUITE, output=folder, resume=True, limit=limit, samples=samples)
    scores: Sequence[Mapping[str, Any]] = told["scores"]
    found: dict[str, float | None] = {
        **{f"code: {score_name(protocol)}": score_by(told["overall"], protocol) for protocol in KEYS},
        "code: uses the attribute": _share_of_attribute_use(scores),
        "code: valid": told["answers"]["valid"],
    }
    if sorted(groups) == sorted((MALE, FEMALE)):
        gender = [one for one in scores if one["attribute"] == "gender"]
        for protocol in KEYS:
            values = [value for one in gender if (value := score_by(one, protocol)) is not None]
            mean = math.fsum(values) / len(values) if values else None
            found[f"code: {score_name(protocol)} of gender"] = mean
        found["code: uses gender"] = _share_of_attribute_use(gender)
    return {name: float(value) for name, value in found.items() if value is not None}


def _share_of_attribute_use(scores: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the share of all answers that use the attribute that they are asked about."""
    told = [(one["used"], one["answers"]) for one in scores if one["used"] is not None]
    asked = sum(answers for _, answers in told)
    return math.fsum(used * answers for used, answers in told) / asked if asked else None
