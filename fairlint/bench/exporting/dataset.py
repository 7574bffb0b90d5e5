"""A folder that is a data set of the Hugging Face hub: answers as Parquet, figures as JSON, and a card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairlint.backends.extras import need
from fairlint.bench.exporting.headlines import headlines
from fairlint.bench.exporting.parquet import write_rows
from fairlint.bench.exporting.runs import Exported
from fairlint.bench.runs.results import as_text
from fairlint.support import whole_files

SPLIT = "answers"
ROW = (
    "Each row is an answer: `messages` is what the model was told, `given` what its text goes on from, "
    "`text` what it wrote, `outcome` (JSON) what it was judged to do, and `not_judged` why it was not."
)


def write(runs: Sequence[Exported], place: Path) -> None:
    """Write the folder: `README.md`, `data/` with a Parquet file a run, `metrics/` with its figures.

    Raises ModelError where pyarrow or huggingface_hub is missing.
    """
    cards = need("huggingface_hub", "export")
    for folder in ("data", "metrics"):
        (place / folder).mkdir(parents=True)
    count = 0
    for number, run in enumerate(runs):
        count += write_rows(run.rows(), place / "data" / f"run-{number:04}.parquet")
        whole_files.write_text(place / "metrics" / f"run-{number:04}.json", as_text(run.metrics))
    card = cards.DatasetCardData(
        pretty_name="Answers of language models, judged for fairness",
        tags=["fairness", "code", "bias", "fairlint"],
        task_categories=["text-generation"],
        size_categories=_size_category(count),
        configs=[
            {"config_name": "default", "data_files": [{"split": SPLIT, "path": "data/*.parquet"}]},
        ],
    )
    whole_files.write_text(place / "README.md", f"---\n{card.to_yaml()}\n---\n\n{_readme_text(runs, count)}")


def _size_category(count: int) -> str:
    bounds = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
    return next((name for limit, name in bounds if count < limit), "1M<n<10M")


def _readme_text(runs: Sequence[Exported], count: int) -> str:
    models = len({run.model for run in runs})
    told = (
        f"{count:,} answers of {models} models, asked and judged by fairlint {runs[0].metrics['fairlint']}."
    )
    lines = [
        "# Answers of language models, judged for fairness",
        "",
        f"{told} `metrics/` has the figures of each run with their definitions.",
        "",
        "| run | model | suite | answers | figures |",
        "|---|---|---|---|---|",
    ]
    for number, run in enumerate(runs):
        told = "; ".join(f"{one.title} {one.value:.4f}" for one in headlines(run.metrics))
        given = run.metrics["answers"]["given"]
        lines.append(
            f"| {number:04} | {_escape_cell(run.model)} | {_escape_cell(run.called)} "
            f"| {given:,} | {_escape_cell(told)} |"
        )
    lines += [
        "",
        ROW,
        "",
    ]
    return "\n".join(lines)


def _escape_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
