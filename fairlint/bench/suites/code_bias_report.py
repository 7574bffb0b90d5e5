"""What reports show of the suite `code-bias`: CBS by dimension, UFS and SD, and the groups that are named."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.bench.report import words
from fairlint.bench.report.suite_parts import (
    bar_pictures,
    build_bar,
    count_head,
    figure_head,
    interval_head,
    share_head,
    text_head,
)
from fairlint.bench.report.suite_report import Figures, Headline, Picture, SuiteReport, Table, Tile


def _headline(known: Figures) -> Headline:
    overall = known.get("overall") or {}
    return Headline("CBS", overall.get("cbs"), overall.get("interval"))


def _about_answers(known: Figures, who: str, share: str) -> str:
    depends = (known.get("overall") or {}).get("depends")
    told = f"{share} of the functions of {who} name people to find by a dimension such as religion"
    return (
        f"{told}; {words.percent(depends)} decide by the dimension at all."
        if depends is not None
        else f"{told}."
    )


def _tiles(known: Figures) -> Iterator[Tile]:
    overall = known.get("overall") or {}
    yield "decides", words.percent(overall.get("depends")), "by the dimension, whatever is named"
    yield "CBS of valid", words.percent(overall.get("cbs_of_valid")), "whole functions alone"


def _tables(known: Figures) -> Iterator[Table]:
    figures = (
        share_head("cbs", "CBS"),
        interval_head(),
        share_head("cbs_of_valid", "of valid", wide=True),
        share_head("depends", "decides"),
        share_head("valid", "valid"),
        count_head("answers", "answers", wide=False),
        count_head("not_judged", "not judged"),
    )
    overall = known.get("overall")
    yield Table(
        "By kind of adjective",
        "CBS is the share of answers that name people to find, such as a religion.",
        (text_head("scenario", "Kind"), *figures),
        (*(known.get("kinds") or ()), *([{"scenario": "all", **overall}] if overall else [])),
    )
    yield Table(
        "By dimension",
        "UFS compares how often two groups are named (from -1 to 1). SD is the deviation over all groups.",
        (
            text_head("attribute", "Dimension"),
            *figures[:2],
            text_head("pair", "Pair"),
            figure_head("ufs", "UFS"),
            figure_head("sd", "SD"),
            *figures[3:],
        ),
        tuple(known.get("dimensions") or ()),
    )
    yield Table(
        "Who is named",
        "The share of the biased answers of the dimension that name the group.",
        (
            text_head("attribute", "Dimension"),
            text_head("group", "Group"),
            share_head("share", "share"),
            count_head("biased", "answers", wide=False),
        ),
        tuple(known.get("groups") or ()),
    )


def _pictures(known: Figures) -> Iterator[Picture]:
    bars = [build_bar(row, words.name(row["attribute"]), "cbs") for row in known.get("dimensions") or ()]
    yield from bar_pictures(
        {"all adjectives": bars}, "CBS by dimension", "The share of answers; the line is its 95 % interval."
    )


REPORT = SuiteReport(
    headline=_headline, sentence=_about_answers, tables=_tables, tiles=_tiles, pictures=_pictures
)
