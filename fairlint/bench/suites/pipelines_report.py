"""What reports show of the suite `pipelines`: which columns are used, and how well bias is detected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fairlint.bench.report import charts, words
from fairlint.bench.report.suite_parts import (
    bar_pictures,
    before_head,
    build_bar,
    count_head,
    interval_head,
    share_head,
    text_head,
)
from fairlint.bench.report.suite_report import (
    Figures,
    Head,
    Headline,
    Picture,
    Row,
    SuiteReport,
    Table,
    Tile,
)

STANDARD = "pipeline"
"""The prompt that others are compared with."""
CONDITIONS = "conditional"
DIFFERS = "It differs where zero is outside of bounds that hold for the whole table."


def _headline(known: Figures) -> Headline:
    overall = known.get("overall") or {}
    if overall.get("any_protected") is None and (detected := _detected(known)):
        return Headline(
            "Detects bias (balanced accuracy)", detected["balanced_accuracy"], detected["interval"]
        )
    return Headline("Trains on a protected column", overall.get("any_protected"), overall.get("interval"))


def _detected(known: Figures) -> Row | None:
    """Return the first row of detection with a balanced accuracy."""
    rows = known.get("detection") or ()
    return next((row for row in rows if row.get("balanced_accuracy") is not None), None)


def _about_pipelines(known: Figures, who: str, share: str) -> str:
    overall = known.get("overall") or {}
    if overall.get("any_protected") is None:
        how = (_detected(known) or {}).get("prompt")
        return (
            f"Asked by the prompt {how}, the balanced accuracy of {who} in detecting biased pipelines is "
            f"{share}; 50 % is guessing."
        )
    beside = (known.get("conditions") or {}).get("any_protected")
    told = f"{share} of the pipelines of {who} train on a column that holds a protected attribute"
    before = (overall.get("before") or {}).get("any_protected")
    how = str(known.get("mitigation") or "")
    irrelevant = overall.get("any_irrelevant")
    parts = [
        f"before the mitigation “{how}” it was {words.percent(before)}" if before is not None else "",
        f"{words.percent(irrelevant)} on one that has nothing to do with the task"
        if irrelevant is not None
        else "",
        f"{words.percent(beside)} of its conditional functions decide by a protected one"
        if beside is not None
        else "",
    ]
    return f"{'; '.join([told, *filter(None, parts)])}."


def _tiles(known: Figures) -> Iterator[Tile]:
    overall = known.get("overall") or {}
    for told, one in (("pipelines", overall), ("conditional functions", known.get("conditions") or {})):
        if one.get("any_irrelevant") is not None:
            yield "Irrelevant columns", words.percent(one["any_irrelevant"]), told
    if "before" in overall:
        yield (
            "Protected columns before",
            words.percent(overall["before"].get("any_protected")),
            "the first answers",
        )
    for row in known.get("detection") or ():
        if row.get("balanced_accuracy") is not None:
            told = f"{row['prompt']}, {row['source']}; 50 % is guessing"
            yield "Detects bias", words.percent(row["balanced_accuracy"]), told


# ----------------------------------------------------------------------------------------------------- tables


def _signed_points(value: float | None) -> str:
    """Return a difference of shares in percentage points."""
    return "–" if value is None else f"{100 * value:+.0f}".replace("-", "−")


def _change_heads() -> tuple[Head, ...]:
    """Return the columns of a paired difference: how much, between what, and whether it is one."""

    def part(row: Row, name: str) -> Any:
        return (row.get("change") or {}).get(name)

    def bounds(row: Row) -> str:
        low_high = part(row, "interval")
        return "–" if low_high is None else " to ".join(map(_signed_points, low_high))

    def is_shown(row: Row) -> str:
        return "" if row.get("change") is None else "yes" if part(row, "differs") else "no"

    def pairs(row: Row) -> str:
        return "–" if row.get("change") is None else words.whole(part(row, "pairs"))

    return (
        Head("change", lambda row: _signed_points(part(row, "difference"))),
        Head("its interval", bounds),
        Head("differs", is_shown, is_text=True),
        Head("pairs", pairs, wide=True),
    )


USES = (share_head("any_protected", "uses"), interval_head())
COUNTS = (count_head("answers", "answers", wide=False), count_head("not_judged", "not judged"))


def _pipeline_tables(known: Figures) -> Iterator[Table]:
    yield _mitigated_table(known) if known.get("mitigation") else _prompt_table(known)
    yield Table(
        "By level",
        "How much of a pipeline is asked for: 0 is a function of conditions, 1 the list of features alone, "
        "and 4 all of a pipeline. Uses is the share with a protected column. The change, in percentage "
        f"points, is against the prompt {STANDARD}, over the same samples. {DIFFERS}",
        (
            Head("level", lambda row: str(row["level"])),
            text_head("prompt", "Prompt"),
            *USES,
            *_change_heads(),
            share_head("any_irrelevant", "irrelevant", wide=True),
            share_head("valid", "valid", wide=True),
            *COUNTS,
        ),
        tuple(known.get("levels") or ()),
    )
    yield Table(
        "By number of columns",
        "How many ordinary columns are offered, and how many that hold a protected attribute. Uses is the "
        "share with a protected column. The change, in percentage points, is against the largest number, "
        f"over the same samples, by the protected columns that both offer. {DIFFERS}",
        (
            text_head("prompt", "Prompt"),
            text_head("ordinary", "ordinary"),
            text_head("protected", "protected"),
            *USES,
            share_head("used_of_offered", "of those offered", wide=True),
            *_change_heads(),
            share_head("valid", "valid", wide=True),
            count_head("answers", "answers"),
        ),
        tuple(known.get("numbers") or ()),
    )
    yield from _detection_tables(known)
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


def _prompt_table(known: Figures) -> Table:
    return Table(
        "By prompt",
        "How many answers train on, decide by or list at least one column that holds a protected attribute, "
        "and at least one that has nothing to do with the task.",
        (
            text_head("prompt", "Prompt"),
            share_head("any_protected", "protected"),
            interval_head(),
            share_head("any_irrelevant", "irrelevant"),
            share_head("valid", "valid"),
            *COUNTS,
        ),
        tuple(known.get("prompts") or ()),
    )


def _mitigated_table(known: Figures) -> Table:
    return Table(
        "By prompt",
        "How many answers train on, decide by or list at least one column that holds a protected attribute, "
        "before the mitigation and with it. The change, in percentage points, is over the same samples. "
        f"{DIFFERS}",
        (
            text_head("prompt", "Prompt"),
            before_head("any_protected", "before", words.percent),
            share_head("any_protected", "protected"),
            interval_head(wide=True),
            *_change_heads(),
            share_head("any_irrelevant", "irrelevant", wide=True),
            before_head("valid", "valid before", words.percent),
            share_head("valid", "valid"),
            *COUNTS,
        ),
        tuple(known.get("prompts") or ()),
    )


def _part_head(part: str, title: str) -> tuple[Head, ...]:
    """Return a share of detection, and its bounds."""
    return (
        Head(title, lambda row: words.percent(row[part].get("share"))),
        Head("interval", lambda row: words.span_percent(row[part].get("interval")), wide=True),
    )


def _kappa(row: Row) -> str:
    return words.number((row.get("kappa") or {}).get("kappa"), 2)


def _detection_tables(known: Figures) -> Iterator[Table]:
    yield Table(
        "Detecting bias",
        "A model is shown pipelines and says whether they are biased. Intervals are clustered by pipeline. "
        "Made pipelines are as often biased as clean, and labelled by how they were made; those of a run are "
        "labelled by the checker. Kappa is the agreement with the checker.",
        (
            text_head("prompt", "Prompt"),
            text_head("source", "Pipelines"),
            *_part_head("sensitivity", "sensitivity"),
            *_part_head("specificity", "specificity"),
            share_head("balanced_accuracy", "balanced"),
            interval_head(),
            Head("kappa", _kappa),
            share_head("offends", "offends itself"),
            count_head("pipelines", "pipelines"),
            count_head("answers", "verdicts"),
        ),
        tuple(known.get("detection") or ()),
    )
    yield Table(
        "Verdicts that cannot be read, and columns that are named",
        "Refused verdicts are told from unreadable ones and from those cut at the token limit. Columns are "
        "of verdicts that rightly say biased.",
        (
            text_head("prompt", "Prompt"),
            text_head("source", "Pipelines"),
            share_head("valid", "readable"),
            share_head("refused", "refused"),
            share_head("unreadable", "unreadable"),
            share_head("cut", "cut"),
            share_head("columns_found", "columns found"),
            share_head("columns_right", "columns right"),
            count_head("not_judged", "not judged"),
        ),
        tuple(known.get("detection") or ()),
    )


# --------------------------------------------------------------------------------------- remarks and pictures


def _remarks(known: Figures) -> list[str]:
    found = [*_level_remarks(known.get("levels") or ()), *_number_remarks(known.get("numbers") or ())]
    if known.get("mitigation") and (change := (known.get("overall") or {}).get("change")):
        told = "The mitigation moves" if change["differs"] else "Nothing shows that the mitigation moves"
        found.append(
            f"{told} how many pipelines train on a protected column: {_signed_points(change['difference'])} "
            f"points (95 % interval {' to '.join(map(_signed_points, change['interval']))})."
        )
    return [*found, *map(_detection_remark, known.get("detection") or ())]


def _level_remarks(rows: Sequence[Row]) -> Iterator[str]:
    compared = [row for row in rows if row.get("change") is not None]
    shown = [(row, row["prompt"]) for row in compared if row["change"]["differs"]]
    if shown:
        yield from _moved_remarks(shown, f"by {STANDARD}")
    elif compared:
        yield "Nothing shows that it matters how much of a pipeline is asked for."


def _number_remarks(rows: Sequence[Row]) -> Iterator[str]:
    compared = [row for row in rows if row.get("change") is not None]
    shown = [
        (row, f"{row['prompt']} with {row['ordinary']} ordinary and {row['protected']} protected columns")
        for row in compared
        if row["change"]["differs"]
    ]
    if shown:
        yield from _moved_remarks(shown, "where the most columns are offered")
    elif compared:
        yield "Nothing shows that it matters how many columns are offered."


def _moved_remarks(shown: Sequence[tuple[Row, str]], where: str) -> Iterator[str]:
    """Yield which rows use protected columns more often than another does, and which less often."""
    for how, sign in (("more", 1), ("less", -1)):
        told = [
            f"{what} ({_points_of(row)})" for row, what in shown if row["change"]["difference"] * sign > 0
        ]
        if told:
            yield (
                f"Protected columns are used {how} often than {where}, in percentage points: "
                f"{'; '.join(told)}."
            )


def _points_of(row: Row) -> str:
    return _signed_points(row["change"]["difference"])


def _detection_remark(row: Row) -> str:
    value, offends = row.get("balanced_accuracy"), row.get("offends")
    where = f"{row['prompt']}, {row['source']}"
    if value is None:
        return (
            f"{where}: there are no readable verdicts on biased and on clean pipelines to tell detection by."
        )
    told = f"{words.percent(value)} (95 % interval {words.span_percent(row.get('interval'))})"
    if not row.get("differs"):
        found = (
            f"nothing shows that detection is better or worse than guessing; its balanced accuracy is {told}"
        )
    else:
        better = "better" if value > 0.5 else "worse"
        found = f"biased pipelines are detected {better} than by guessing, with a balanced accuracy of {told}"
    own = (
        f"; {words.percent(offends)} of the model's own pipelines in this run are biased"
        if offends is not None
        else ""
    )
    return f"{where}: {found}{own}."


def _pictures_of_pipelines(known: Figures) -> Iterator[Picture]:
    prompts = [build_bar(row, row["prompt"], "any_protected") for row in known.get("prompts") or ()]
    yield from bar_pictures(
        {"at least one protected column": prompts},
        "Ways to ask",
        "The share of valid answers that use a protected column; the line is its 95 % interval.",
    )
    detected = {
        f"{row['prompt']}, {row['source']}": [
            build_bar(row[part], part, "share") for part in ("sensitivity", "specificity")
        ]
        for row in known.get("detection") or ()
    }
    yield from bar_pictures(
        detected, "Detecting bias", "The share of right verdicts; the line is its 95 % interval, by pipeline."
    )
    yield from _pictures_of_columns(known.get("columns") or ())


def _pictures_of_columns(rows: Sequence[Row]) -> Iterator[Picture]:
    """Yield the picture of columns: of the standard prompt and of conditions, or of all where neither is."""
    shown = [row for row in rows if row["prompt"] in {STANDARD, CONDITIONS}]
    left_out = len({row["prompt"] for row in rows} - {row["prompt"] for row in shown}) if shown else 0
    note = "The share of valid answers; the line is its 95 % interval."
    if left_out:
        note += f" {left_out} other ways to ask are in the table."
    groups: dict[str, list[charts.Bar]] = {}
    for row in shown or rows:
        head = f"{words.name(row['scenario'])}, {row['prompt']}"
        groups.setdefault(head, []).append(build_bar(row, words.name(row["attribute"]), "used"))
    yield from bar_pictures(groups, "Columns that are used", note)


REPORT = SuiteReport(
    headline=_headline,
    sentence=_about_pipelines,
    tables=_pipeline_tables,
    tiles=_tiles,
    pictures=_pictures_of_pipelines,
    remarks=_remarks,
    valid_title="Valid answers",
    counted="valid pipelines",
    measure="used",
)
