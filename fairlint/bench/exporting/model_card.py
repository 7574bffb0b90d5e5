"""The figures of runs for a model's card on the Hugging Face hub: a `model-index`, and a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairlint.backends.extras import need
from fairlint.bench.exporting.headlines import headlines
from fairlint.bench.exporting.lm_eval_log import file_name
from fairlint.bench.exporting.runs import Exported
from fairlint.support import whole_files
from fairlint.support.errors import UsageError


def write(runs: Sequence[Exported], place: Path) -> None:
    """Write `place` if it is called `.md`, for one model, or else a folder with a file a model.

    Raises UsageError for one file of several models, and ModelError where huggingface_hub is missing.
    """
    by_model: dict[str, list[Exported]] = {}
    for run in runs:
        by_model.setdefault(run.model, []).append(run)
    if place.suffix.lower() == ".md":
        if len(by_model) > 1:
            raise UsageError(f"{len(by_model)} models have a card each: --output names a folder")
        whole_files.write_text(place, card(runs))
        return
    place.mkdir(exist_ok=True)
    for model, own in by_model.items():
        whole_files.write_text(place / f"{file_name(model)}.md", card(own))


def card(runs: Sequence[Exported]) -> str:
    """Return the card of one model: its figures as YAML between two lines of dashes, and as a table."""
    hub = need("huggingface_hub", "export")
    results = [
        hub.EvalResult(
            task_type="text-generation",
            task_name="code generation",
            dataset_type="fairlint",
            dataset_name=f"fairlint {run.called}",
            dataset_config=run.called,
            dataset_args={"protocol": run.metrics["protocol"], **_explicit_settings(run)},
            metric_type=one.name,
            metric_name=one.title,
            metric_value=one.value,
            metric_args={"interval_95": list(one.interval)} if one.interval else None,
        )
        for run in runs
        for one in headlines(run.metrics)
    ]
    data = hub.ModelCardData(model_name=runs[0].model, eval_results=results, tags=["code", "fairness"])
    rows = [
        f"| {run.called} | {one.title} | {one.value:.4f} | "
        + (f"{one.interval[0]:.4f} to {one.interval[1]:.4f} |" if one.interval else "|")
        for run in runs
        for one in headlines(run.metrics)
    ]
    version = runs[0].metrics["fairlint"]
    head = ["## Fairness of generated code", "", f"Measured by fairlint {version}.", ""]
    table = ["| suite | figure | value | 95 % interval |", "|---|---|---|---|", *rows, ""]
    return f"---\n{data.to_yaml()}\n---\n\n" + "\n".join([*head, *table])


def _explicit_settings(run: Exported) -> dict[str, object]:
    settings = run.metrics["settings"]
    found = {name: settings.get(name) for name in ("samples", "seed", "temperature", "limit")}
    own = settings.get("suite") or {}
    return {name: value for name, value in {**found, **own}.items() if value is not None}
