"""The pages of a leaderboard. They load nothing, need no script to be read, and act by their own one only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from fairlint.bench.figures.both_scores import score_beside, score_names
from fairlint.bench.leaderboard.answers import Shown
from fairlint.bench.leaderboard.entries import (
    Entry,
    Figure,
    Table,
    first_figure,
    organisation,
    size,
    validity,
)
from fairlint.bench.report import charts, words
from fairlint.bench.report.execution import execution_note
from fairlint.bench.report.figures import RANKING_NOTE, rank_of
from fairlint.bench.runs.view import (
    columns,
    count_answers,
    floor_of,
    interval,
    overall,
    scores,
    unjudged_count,
    usage,
    usage_share,
)
from fairlint.rendering.html import environment, read_shipped_file, style
from fairlint.support.records import Record

if TYPE_CHECKING:
    from jinja2 import Environment

    from fairlint.bench.figures.ranking import Ranked

PACKAGE = "fairlint.bench.leaderboard"
SPLIT = (
    "Runs stand in one table where suite, mitigation, perturbation, protocol, prompts and version of the "
    "judge are the same: figures of others are not comparable, and have tables of their own."
)
SHOWN = ("revision", "backend", "dtype", "quantization")
"""What is told of a model beside its name, where its run says it."""


class Cell(Record):
    """A figure of a table."""

    text: str
    sub: str = ""
    link: str = ""
    sort: float | None = None
    low: bool = False


def index(tables: Sequence[Table], rankings: Mapping[str, Sequence[Ranked]]) -> str:
    """Return the first page. `rankings` has the order of each table that has a FairScore, by its anchor."""
    made = [_table_context(table, rankings.get(table.anchor, ())) for table in tables]
    entries = [entry for table in tables for entry in table.entries]
    models = {entry.model for entry in entries}
    return (
        _template_environment()
        .get_template("index.html")
        .render(
            **_page_assets(script=True),
            tables=made,
            overview=_overview_context(tables) if len(tables) > 1 else None,
            heading=f"{count_with_noun(len(models), 'model')}, {count_with_noun(len(entries), 'run')}",
            split=SPLIT,
            execution=execution_note([entry.view for entry in entries]),
            suites=list(dict.fromkeys(table.suite for table in tables)),
            protocols=list(dict.fromkeys(table.protocol for table in tables)),
            organisations=sorted({organisation(entry.model) for entry in entries}),
            sizes=list(dict.fromkeys(size(entry.model) for entry in entries)),
        )
    )


def count_with_noun(count: int, noun: str) -> str:
    """Return a count with its noun: `1 run`, `2 runs`."""
    return f"{words.whole(count)} {noun}{'' if count == 1 else 's'}"


def run_page(entry: Entry) -> str:
    """Return the page of one run: its figures by column, each with a way to its answers."""
    view = entry.view
    return (
        _template_environment()
        .get_template("run.html")
        .render(
            **_page_assets(script=False),
            entry=entry,
            figure=first_figure(view),
            ones=scores(view),
            score_names=score_names([view.metrics["protocol"]]),
            protocol=view.metrics["protocol"],
            unsure=words.UNSURE if any(words.preference(one).endswith("?") for one in scores(view)) else "",
            means=overall(view),
            usage=usage(view),
            floor=floor_of([view]),
            answers=[(*one, answers_link(entry, one[0], one[1], up="../")) for one in entry.answers],
            facts=list(_entry_facts(entry)),
            links={
                (one["scenario"], one["attribute"]): _column_link(
                    entry, one["scenario"], one["attribute"], up="../"
                )
                for one in scores(view)
            },
        )
    )


def answers_page(entry: Entry, place: tuple[str, str], page: int, pages: int, shown: Sequence[Shown]) -> str:
    """Return a page of answers about one scenario and attribute; `page` counts from 1."""
    names = [answers_name(*place, number) for number in range(1, pages + 1)]
    return (
        _template_environment()
        .get_template("answers.html")
        .render(
            **_page_assets(script=False),
            entry=entry,
            place=place,
            page=page,
            pages=pages,
            names=names,
            answers=shown,
        )
    )


def answers_name(scenario: str, attribute: str, page: int) -> str:
    """Return the file of a page of answers."""
    told = "-".join(filter(None, (scenario, attribute)))
    safe = "".join(one if one.isascii() and one.isalnum() else "-" for one in told.lower())
    return f"{safe.strip('-') or 'all'}-{page}.html"


def answers_link(entry: Entry, scenario: str, attribute: str, *, up: str = "") -> str:
    """Return where the first page of some answers lies."""
    return f"{up}answers/{entry.name}/{answers_name(scenario, attribute, 1)}"


def _column_link(entry: Entry, scenario: str, attribute: str, *, up: str = "") -> str:
    """Return the same of a column, whose answers may be about several attributes; empty where there
    are none.
    """
    for where, asked, _, _ in entry.answers:
        names = [name.strip() for name in asked.split(",")]
        if where == scenario and attribute in names:
            return answers_link(entry, where, asked, up=up)
    return ""


def _overview_context(tables: Sequence[Table]) -> dict[str, Any]:
    """Models down, tables across: the first figure of each, with its bounds."""
    by_model: dict[str, dict[str, list[Entry]]] = {}
    for table in tables:
        for entry in table.entries:
            by_model.setdefault(entry.model, {}).setdefault(table.anchor, []).append(entry)
    return {
        "tables": tables,
        "figures": [first_figure(table.entries[0].view).what for table in tables],
        "rows": [
            (name, [[_first_figure_cell(entry) for entry in known.get(table.anchor, ())] for table in tables])
            for name, known in sorted(by_model.items())
        ],
    }


def _first_figure_cell(entry: Entry) -> Cell:
    figure = first_figure(entry.view)
    return Cell(_figure_text(figure), _bounds_text(figure), f"runs/{entry.name}.html", figure.value)


def _figure_text(figure: Figure) -> str:
    return words.percent(figure.value) if figure.is_share else words.number(figure.value)


def _bounds_text(figure: Figure) -> str:
    bounds = words.span_percent(figure.bounds) if figure.is_share else words.span(figure.bounds)
    plain = "" if figure.plain is None else f"{words.number(figure.plain)} without the rule"
    return "; ".join(filter(None, (bounds, plain, figure.beside)))


def _table_context(table: Table, ranked: Sequence[Ranked]) -> dict[str, Any]:
    views = [entry.view for entry in table.entries]
    heads = columns(views)
    ranks = {one.label: rank_of(one) for one in ranked}
    order = {one.label: place for place, one in enumerate(ranked)}
    known = sorted(
        table.entries, key=lambda one: (order.get(label_of(one, table), len(order)), *_fallback_order(one))
    )
    figure = first_figure(views[0])
    return {
        "table": table,
        "what": figure.what,
        "ranking_note": RANKING_NOTE.format(title=figure.what),
        "score_names": score_names([table.protocol]) if heads else [],
        "has_scores": bool(heads),
        "ranked": bool(ranked),
        "floor": floor_of(views, columns=False),
        "heads": [(words.name(scenario), words.name(attribute)) for scenario, attribute in heads],
        "rows": [
            _entry_row(entry, heads, ranks.get(label_of(entry, table), words.MISSING), table.apart(entry))
            for entry in known
        ],
    }


def label_of(entry: Entry, table: Table) -> str:
    """Return what a run is called in its table: its model, and its files' name too where that is
    there twice.
    """
    twice = sum(other.model == entry.model for other in table.entries) > 1
    return f"{entry.model} ({entry.name})" if twice else entry.model


def _fallback_order(entry: Entry) -> tuple[float, str]:
    """Return the order without a ranking: the smaller share first."""
    value = first_figure(entry.view).value
    return (2.0 if value is None else value, entry.name)


def _entry_row(entry: Entry, heads: Sequence[tuple[str, str]], rank: str, apart: str) -> dict[str, Any]:
    view = entry.view
    figure = first_figure(view)
    means = overall(view) or {}
    known = {(one["scenario"], one["attribute"]): one for one in scores(view)}
    return {
        "entry": entry,
        "rank": rank,
        "apart": apart,
        "figure": Cell(_figure_text(figure), _bounds_text(figure), f"runs/{entry.name}.html", figure.value),
        "whisker": charts.whisker(figure.value, figure.bounds),
        "bounds": figure.bounds,
        "value": figure.value,
        "valid": validity(entry),
        "rest": [
            Cell(words.number(means.get("refusal_rate")), sort=means.get("refusal_rate")),
            Cell(words.number(means.get("entropy")), sort=means.get("entropy")),
            Cell(words.percent(usage_share(view)), sort=usage_share(view)),
        ],
        "answers": count_answers(view),
        "not_judged": unjudged_count(view.metrics["answers"]),
        "organisation": organisation(entry.model),
        "size": size(entry.model),
        "cells": [_column_cell(entry, head, known.get(head)) for head in heads],
    }


def _column_cell(entry: Entry, head: tuple[str, str], one: Mapping[str, Any] | None) -> Cell:
    if one is None:
        return Cell(words.MISSING)
    return Cell(
        words.number(one["fair_score"]),
        f"{words.span(interval(one))}; {words.number(score_beside(one, entry.metrics['protocol']))}",
        _column_link(entry, *head),
        one["fair_score"],
    )


def _entry_facts(entry: Entry) -> Iterator[tuple[str, str]]:
    metrics = entry.metrics
    yield "model", entry.model
    yield from (
        (name, words.setting_text(metrics["model"][name])) for name in SHOWN if metrics["model"].get(name)
    )
    yield "suite", f"{metrics['suite'].get('name')}: {metrics['suite'].get('title', '')}"
    yield "protocol", metrics["protocol"]
    yield "judged by", f"fairlint {metrics.get('fairlint')}"
    own = metrics["settings"].get("suite") or {}
    rest = {name: value for name, value in metrics["settings"].items() if name != "suite"}
    for name, value in {**own, **rest}.items():
        if value not in (None, "", [], {}):
            yield name.replace("_", " "), words.setting_text(value)


def _page_assets(*, script: bool) -> dict[str, Any]:
    """Return what every page is filled with."""
    return {
        "style": style("fairlint.bench.report") + read_shipped_file(PACKAGE, "style.css"),
        "script": read_shipped_file(PACKAGE, "board.js") if script else "",
        "places": False,
    }


@cache
def _template_environment() -> Environment:
    made = environment(PACKAGE, {
        "name": words.name, "number": words.number, "percent": words.percent, "span": words.span,
        "span_percent": words.span_percent, "whole": words.whole, "preference": words.preference,
        "title_of": words.title, "counted": count_with_noun,
    })  # fmt: skip
    made.globals["whisker"] = charts.whisker
    made.globals["interval"] = interval
    made.globals["score_beside"] = score_beside
    return made
