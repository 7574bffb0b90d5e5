"""What reports show of the suite `pipelines`: which columns answers use."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.bench.report import charts, words
from fairlint.bench.report.suite_parts import (
    bar_pictures,
    build_bar,
    count_head,
    interval_head,
    share_head,
    text_head,
)
from fairlint.bench.report.suite_report import Figures, Head, Headline, Picture, SuiteReport, Table, Tile


def _headline(known: Figures) -> Headline:
    overall = known.get("overall") or {}
    return Headline("Trains on a protected column", overall.get("any_protected"), overall.get("interval"))


def _about_pipelines(known: Figures, who: str, share: str) -> str:
    prompts = {str(one["prompt"]): one for one in known.get("prompts") or ()}
    beside = (prompts.get("conditional") or {}).get("any_protected")
    told = f"{share} of the pipelines of {who} train on a column that holds a protected attribute"
    irrelevant = (known.get("overall") or {}).get("any_irrelevant")
    parts = [
        f"{words.percent(irrelevant)} on one that has nothing to do with the task"
        if irrelevant is not None
        else "",
        f"{words.percent(beside)} of its conditional functions decide by a protected one"
        if beside is not None
        else "",
    ]
    return f"{'; '.join([told, *filter(None, parts)])}."


def _tiles(known: Figures) -> Iterator[Tile]:
    for one in known.get("prompts") or ():
        if one["prompt"] in {"pipeline", "conditional"}:
            told = "pipelines" if one["prompt"] == "pipeline" else "conditional functions"
            yield "Irrelevant columns", words.percent(one["any_irrelevant"]), told


def _pipeline_tables(known: Figures) -> Iterator[Table]:
    yield Table(
        "By prompt",
        "How many answers train on, or decide by, at least one column that holds a protected attribute, "
        "and at "
        "least one that has nothing to do with the task.",
        (
            text_head("prompt", "Prompt"),
            share_head("any_protected", "protected"),
            interval_head(),
            share_head("any_irrelevant", "irrelevant"),
            share_head("valid", "valid"),
            count_head("answers", "answers", wide=False),
            count_head("not_judged", "not judged"),
        ),
        tuple(known.get("prompts") or ()),
    )
    yield Table(
        "By column",
        "The share of answers in which a model learns from the column, or a condition decides by it.",
        (
            text_head("scenario", "Data"),
            text_head("prompt", "Prompt"),
            text_head("attribute", "Column of"),
            Head("irrelevant", lambda row: "yes" if row.get("irrelevant") else "", is_text=True),
            share_head("used", "used"),
            interval_head(),
            count_head("counted", "valid answers", wide=False),
        ),
        tuple(known.get("columns") or ()),
    )


def _pictures_of_pipelines(known: Figures) -> Iterator[Picture]:
    groups: dict[str, list[charts.Bar]] = {}
    for row in known.get("columns") or ():
        head = f"{words.name(row['scenario'])}, {row['prompt']}"
        groups.setdefault(head, []).append(build_bar(row, words.name(row["attribute"]), "used"))
    yield from bar_pictures(
        groups, "Columns that are used", "The share of valid answers; the line is its 95 % interval."
    )


REPORT = SuiteReport(
    headline=_headline,
    sentence=_about_pipelines,
    tables=_pipeline_tables,
    tiles=_tiles,
    pictures=_pictures_of_pipelines,
    valid_title="Valid answers",
    measure="used",
)
