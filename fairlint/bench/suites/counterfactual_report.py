"""What reports show of the suite `counterfactual`: CBS, CIP and their relatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fairlint.bench.report import charts, words
from fairlint.bench.report.lines import Line
from fairlint.bench.report.suite_parts import (
    bar_pictures,
    before_head,
    build_bar,
    count_head,
    figure_head,
    interval_head,
    line_pictures,
    share_head,
    text_head,
)
from fairlint.bench.report.suite_report import Figures, Head, Headline, Picture, Row, SuiteReport, Table, Tile


def _headline(known: Figures) -> Headline:
    overall = known.get("overall") or {}
    return Headline("CBS", overall.get("cbs"), overall.get("interval"))


def _about_functions(known: Figures, who: str, share: str) -> str:
    before = ((known.get("overall") or {}).get("before") or {}).get("cbs")
    how = str(known.get("mitigation") or "")
    told = (
        f"In {share} of the functions that {who} wrote, more than {words.percent(known['threshold'])} of "
        "people "
        "would get another answer if nothing about them but one protected attribute were different"
    )
    return (
        f"{told}; before the mitigation “{how}” it was {words.percent(before)}."
        if before is not None
        else f"{told}."
    )


def _tiles(known: Figures) -> Iterator[Tile]:
    overall = known.get("overall") or {}
    yield "CBS of those that run", words.percent(overall.get("cbs_executable")), "biased by any attribute"
    accuracy = words.percent(overall.get("balanced_accuracy"))
    yield "Balanced accuracy", accuracy, "50 %: the same for everybody"
    if "before" in overall:
        yield "CBS before", words.percent(overall["before"].get("cbs")), "the first functions"


def _domain_head(name: str, title: str, write: Callable[[Any], str]) -> Head:
    """Return a figure on bands and on numbers, or once where both are the same."""

    def cell(row: Row) -> str:
        by_domain = row.get("by_domain") or {}
        cells = [write((by_domain.get(domain) or {}).get(name)) for domain in ("bands", "numbers")]
        if not by_domain:
            return write(row.get(name))
        return cells[0] if cells[0] == cells[1] else " / ".join(cells)

    return Head(title, cell, wide=True)


def _attribute_rows_with_cip(known: Figures) -> tuple[Row, ...]:
    """Return the rows of attributes by which some function was measured."""
    return tuple(row for row in known.get("attributes") or () if row.get("cip") is not None)


def _left_out(known: Figures) -> str:
    rows = len(known.get("attributes") or ()) - len(_attribute_rows_with_cip(known))
    return f" {rows} rows of prompts of which no function runs are left out." if rows else ""


def _counterfactual_tables(known: Figures) -> Iterator[Table]:
    k = known.get("k")
    was = bool(known.get("mitigation"))
    at_k = (share_head("union_at_k", f"U@{k}", wide=True), share_head("all_at_k", f"I@{k}", wide=True))
    running = share_head("cbs_executable", "if it runs", wide=was)
    on_task = share_head("cbs_on_task", "on task", wide=True)
    cbs = (share_head("cbs", "CBS"), interval_head(), running, on_task, *at_k)
    before = (before_head("cbs", "CBS before", words.percent),) if was else ()
    yield Table(
        "By prompt",
        "CBS is the share of functions that are biased by at least one attribute, with how many "
        "run at all and how often those are right.",
        (
            text_head("scenario", "Data"),
            text_head("prompt", "Prompt"),
            *cbs,
            *before,
            Head(
                "runs, bands",
                lambda row: words.percent((row.get("executable") or {}).get("bands")),
                wide=True,
            ),
            Head(
                "runs, numbers",
                lambda row: words.percent((row.get("executable") or {}).get("numbers")),
                wide=True,
            ),
            share_head("valid", "runs"),
            share_head("not_binary", "not binary", wide=True),
            share_head("accuracy", "accuracy", wide=was),
            share_head("balanced_accuracy", "balanced"),
            *((before_head("balanced_accuracy", "balanced before", words.percent),) if was else ()),
            count_head("answers", "functions"),
            count_head("off_task", "same for everybody"),
            count_head("not_judged", "not judged"),
        ),
        tuple(known.get("prompts") or ()),
    )
    yield Table(
        "By attribute",
        f"A function is biased where its CIP is above {known.get('threshold', 0):g}. AMCR cannot be below "
        "its floor, "
        "which depends on the number of values: compare it within an attribute, and CIP between attributes. "
        "A function that runs on bands and on numbers is measured on both, and the larger CIP counts. "
        "Impact is the least share of a group with the favourable answer by the greatest, whatever the cause."
        + _left_out(known),
        (
            text_head("scenario", "Data"),
            text_head("prompt", "Prompt"),
            text_head("attribute", "Attribute"),
            *cbs,
            *before,
            figure_head("cip", "CIP"),
            *((before_head("cip", "CIP before", lambda value: words.number(value, 3)),) if was else ()),
            figure_head("cip_with_dead", "with dead values", wide=True),
            figure_head("disparate_impact", "impact", wide=was),
            _domain_head("cbs", "CBS, bands / numbers", words.percent),
            share_head("domain_dependent", "biased on one alone", wide=True),
            _domain_head("amcr", "AMCR, bands / numbers", words.number),
            _domain_head("floor", "floor", words.number),
            count_head("proved", "proved"),
            count_head("dead", "dead tests"),
            count_head("answers", "functions"),
        ),
        _attribute_rows_with_cip(known),
    )
    yield Table(
        "Round by round",
        "The mean CIP of the functions as they were first and after each round, and by how much of "
        "itself it fell. "
        "A function that nobody wrote anew any more keeps its last CIP.",
        (
            text_head("scenario", "Data"),
            text_head("attribute", "Attribute"),
            Head("round", lambda row: str(row["round"])),
            figure_head("cip", "CIP"),
            figure_head("deviation", "deviation"),
            share_head("decrease", "decrease"),
            count_head("going", "still going", wide=False),
        ),
        tuple(_round_rows(known)),
    )


def _round_rows(known: Figures) -> Iterator[Row]:
    for one in known.get("trend") or ():
        for number, told in enumerate(one["rounds"]):
            yield {"scenario": one["scenario"], "attribute": one["attribute"], "round": number, **told}


def _remarks(known: Figures) -> list[str]:
    overall = known.get("overall") or {}
    found = []
    if count := overall.get("off_task"):
        gives = "1 function gives" if count == 1 else f"{words.whole(count)} functions give"
        found.append(
            f"{gives} everybody the same, whatever is changed about people, which is no answer to the task. "
            "CBS counts this as unbiased, as the paper does; CBS without it is "
            f"{words.percent(overall.get('cbs_on_task'))}."
        )
    if known.get("fallback"):
        found.append(
            f"{words.whole(known['fallback'])} prompts showed examples that are not the model's own, as "
            "it had not "
            "written enough functions that are unbiased."
        )
    if agreement := known.get("agreement"):
        found.append(
            "The auditor's verdict agrees with CIP and threshold in "
            f"{words.percent(agreement['agreement'])} of "
            f"{words.whole(agreement['compared'])} cases: it passed "
            f"{words.whole(agreement['passed_biased'])} biased "
            f"functions and refused {words.whole(agreement['refused_unbiased'])} unbiased ones. "
            f"{words.whole(agreement['unreadable'])} verdicts could not be read."
        )
    return found


def _pictures_of_functions(known: Figures) -> Iterator[Picture]:
    groups: dict[str, list[charts.Bar]] = {}
    for row in _attribute_rows_with_cip(known):
        head = f"{words.name(row['scenario'])}, {row['prompt']}"
        groups.setdefault(head, []).append(build_bar(row, words.name(row["attribute"]), "cbs"))
    yield from bar_pictures(
        groups, "CBS by attribute", "The share of functions that are biased; the line is its 95 % interval."
    )
    trend = [
        Line(
            f"{one['scenario']}, {words.name(one['attribute'])}",
            tuple((float(place), told["cip"]) for place, told in enumerate(one["rounds"])),
            tuple(
                (max(0.0, told["cip"] - told["deviation"]), told["cip"] + told["deviation"])
                for told in one["rounds"]
            ),
        )
        for one in known.get("trend") or ()
    ]
    yield from line_pictures(
        trend, "CIP round by round", "round →", "The mean CIP; the shade is its standard deviation."
    )
    density = [
        Line(
            f"{row['scenario']}, {row['prompt']}, {words.name(row['attribute'])}",
            tuple(map(tuple, row["density"])),
        )
        for row in known.get("attributes") or ()
        if row.get("density")
    ]
    yield from line_pictures(
        density, "How CIP is spread", "CIP →", "The density of CIP over the functions that run.", tall=True
    )


REPORT = SuiteReport(
    headline=_headline,
    sentence=_about_functions,
    tables=_counterfactual_tables,
    tiles=_tiles,
    pictures=_pictures_of_functions,
    remarks=_remarks,
    invalid_note="A function that does not run is biased by nothing and counts in CBS all the same: the "
    "shares of all functions are too low, and those of the functions that run rest on few.",
)
