"""The report as one HTML file that needs no network and no JavaScript."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from fairlint.bench.figures.both_scores import score_beside, score_name, score_names
from fairlint.bench.report import bias, charts, figures, run_notes, utility, verdicts, words
from fairlint.bench.report.examples import examples
from fairlint.bench.report.executed import executed_tables
from fairlint.bench.report.execution import execution_note
from fairlint.bench.report.page_charts import (
    LEGEND,
    joint_context,
    preference_matrices,
    scatter_context,
    usage_bar_charts,
)
from fairlint.bench.report.run_tables import deviation_table, parts_table
from fairlint.bench.report.side_by_side import side_by_side
from fairlint.bench.report.suite_report import ShownTable, Table
from fairlint.bench.report.variants import variant_tables
from fairlint.bench.runs.view import (
    LOW_VALIDITY,
    Pair,
    RunView,
    check_alike,
    differences,
    floor_of,
    interval,
    labels,
    other,
    overall,
    overall_interval,
    ranked_subjects,
    scores,
    sound,
    strongest_subjects,
    unjudged_answers,
    unjudged_count,
    usage,
    usage_share,
    valid,
    without_rule,
)
from fairlint.rendering.html import environment, style

if TYPE_CHECKING:
    from jinja2 import Environment

    from fairlint.bench.figures.ranking import Ranked

DEFINITIONS = {
    "valid": "the share of answers that could be read as a whole; the others say nothing about fairness",
}
"""What is said where `metrics.json` does not define it."""

NAMED = 200
"""How many answers that were not judged are named one by one."""

WHOLE = 4
"""Of more runs a page has the figures of each, and leaves subjects and answers to its own report."""

FOLDED = 10
"""More pairs of runs are folded."""

BOXES = 3
"""More warnings of a kind are one box, which lists the runs and unfolds."""

MAIN = ('<main id="main">', "</main>")
"""What stands around the content of a page."""

Figures = Mapping[str, Any]


def html(
    views: Sequence[RunView],
    comparison: Sequence[Pair] = (),
    ranked: Sequence[Ranked] = (),
    folder: Path | None = None,
) -> str:
    """Return the report of one run, or of several of one suite side by side and then one by one.

    `comparison` holds the paired comparisons of runs and `ranked` their order, both named as `labels` names
    them, if they were made; `folder` is where the page will lie, from where it links to the runs' own
    reports. Raises UsageError where the runs are of different suites, or their answers cannot be read.
    """
    check_alike(views)
    return (
        _template_environment()
        .get_template("page.html")
        .render(**_page_context(views, comparison, ranked, folder))
    )


def html_of_suites(
    views: Sequence[RunView],
    comparisons: Mapping[str, Sequence[Pair]] | None = None,
    rankings: Mapping[str, Sequence[Ranked]] | None = None,
    folder: Path | None = None,
) -> str:
    """Return one page of runs of several suites: a table of all, and below what each suite's own page shows.

    `comparisons` holds the paired comparisons by suite, `rankings` the order of its runs; see `html`. Raises
    UsageError where answers cannot be read.
    """
    paired, ordered = comparisons or {}, rankings or {}
    by_suite: dict[str, list[RunView]] = {}
    for view in views:
        by_suite.setdefault(bias.suite_name(view), []).append(view)
    if len(by_suite) == 1:
        suite = next(iter(by_suite))
        return html(views, paired.get(suite, ()), ordered.get(suite, ()), folder)
    template = _template_environment().get_template("page.html")
    parts = []
    for number, (suite, known) in enumerate(by_suite.items(), 1):
        told = _page_context(
            known, paired.get(suite, ()), ordered.get(suite, ()), folder, place=f"suite-{number}-"
        )
        body = template.render(**told).partition(MAIN[0])[2].rpartition(MAIN[1])[0]
        parts.append({**told, "anchor": f"suite-{number}", "body": body})
    models = list(dict.fromkeys(str(view.metrics["model"].get("name", "?")) for view in views))
    return (
        _template_environment()
        .get_template("suites.html")
        .render(
            style=style("fairlint.bench.report"),
            script="",
            places=True,
            heading=models[0] if len(models) == 1 else f"{len(models)} models",
            suites=parts,
            definitions={},
            rows=[
                (one["suite"]["name"], one["anchor"], name, *_first_figure(view))
                for one, known in zip(parts, by_suite.values(), strict=True)
                for view, name in zip(known, labels(known), strict=True)
            ],
        )
    )


class _FirstFigure(NamedTuple):
    """What a figure is called, the figure, its bounds, and the share of valid answers."""

    name: str
    value: str
    bounds: str
    valid: str


def _first_figure(view: RunView) -> _FirstFigure:
    """Return a run's first figure."""
    share = words.percent(valid(view))
    if bias.bias(view):
        what, value, bounds = bias.headline(view)
        return _FirstFigure(what, words.percent(value), words.span_percent(bounds), share)
    if usage(view):
        one = usage(view)[0]
        return _FirstFigure("Used", words.percent(one["used"]), words.span_percent(one["interval"]), share)
    means, protocol = overall(view) or {}, view.metrics["protocol"]
    leading, beside = score_names([protocol])
    second = f"{beside} {words.number(score_beside(means, protocol))}"
    sure = f"{words.span(overall_interval(view))}; {second}"
    return _FirstFigure(leading, words.number(means.get("fair_score")), sure, share)


def in_order(views: Sequence[RunView], ranked: Sequence[Ranked]) -> tuple[list[RunView], list[str]]:
    """Return the runs as they are ranked, and their labels."""
    names = labels(views)
    order = {one.label: place for place, one in enumerate(ranked)}
    known = sorted(zip(names, views, strict=True), key=lambda one: order.get(one[0], len(order)))
    return [view for _, view in known], [name for name, _ in known]


def _page_context(
    given: Sequence[RunView],
    comparison: Sequence[Pair],
    ranked: Sequence[Ranked],
    folder: Path | None,
    *,
    place: str = "",
) -> dict[str, Any]:
    """Return what the template of one suite is filled with."""
    views, names = in_order(given, ranked)
    several = len(views) > 1
    whole = len(views) <= WHOLE
    return {
        "style": style("fairlint.bench.report"),
        "script": "",
        "places": True,
        "heading": _page_heading(views, names),
        "verdict": _joint_verdict(views, names, comparison),
        "suite": views[0].metrics["suite"],
        "wording": words.wording(views[0]),
        "score_names": score_names(view.metrics["protocol"] for view in views),
        "several": several,
        "alike": differences(views) if several else [],
        "unfinished": [
            (name, f"{name}: {missing}" if several else missing)
            for view, name in zip(views, names, strict=True)
            for missing in (
                run_notes.unfinished_note(view),
                run_notes.unjudged_note(view),
                run_notes.outdated_note(view),
                run_notes.singles(view),
                run_notes.off_task_note(view),
                run_notes.prompts_note(view),
            )
            if missing
        ],
        "warnings": [
            (name, f"{name}: {told}" if several and name not in told else told)
            for view, name in zip(views, names, strict=True)
            for told in run_notes.warnings(view, name)
        ],
        "boxes": BOXES,
        "overview": _overview_rows(views, names, ranked),
        "ranked": bool(ranked),
        "incomparable": list(dict.fromkeys(filter(None, map(run_notes.incomparable, views))))
        if several
        else [],
        "ruled": several and any(without_rule(overall(view)) for view in views),
        "ranking_note": figures.RANKING_NOTE.format(title=figures.titles_of(views)[0]),
        "pairs": comparison,
        "folded": len(comparison) > FOLDED,
        "matrices": list(preference_matrices(views, names)),
        "scatter": scatter_context(views, names),
        "joint": joint_context(views, names),
        "rates": any(usage(view) for view in views),
        "execution": execution_note(views),
        "moved": [(one, one.shown()) for one in variant_tables(views)] if several else [],
        "biases": any(bias.bias(view) for view in views),
        "side_by_side": [(names[one.run], one) for one in side_by_side(views)],
        "tiles": bias.tiles(views[0]) if len(views) == 1 and bias.bias(views[0]) else [],
        "runs": [
            _run_context(view, name, f"{place}run-{number}", own=None if whole else _own_report(view, folder))
            for number, (view, name) in enumerate(zip(views, names, strict=True), 1)
        ],
        "floor": floor_of(views),
        "overall_floor": floor_of(views, columns=False),
        "definitions": {**DEFINITIONS, **views[0].metrics["definitions"]},
        "low_validity": LOW_VALIDITY,
    }


def _incomparable_notes(views: Sequence[RunView]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(run_notes.incomparable, views))))


@cache
def _template_environment() -> Environment:
    made = environment("fairlint.bench.report", {
        "name": words.name, "title_of": words.title, "number": words.number, "percent": words.percent,
        "span": words.span, "span_percent": words.span_percent, "amount": words.amount,
        "points": words.points, "p_value": words.p_value, "difference": words.difference,
        "shown": words.setting_text, "both": words.both,
        "not_judged": lambda one: words.whole(unjudged_count(one)), "favoured": words.preference_word,
        "preference": words.preference,
    })  # fmt: skip
    made.globals["pass_heads"], made.globals["pass_note"] = utility.K_HEADS, utility.K_NOTE
    made.globals["whisker"] = charts.whisker
    made.globals["score_beside"] = score_beside
    made.globals["score_name"] = score_name
    made.globals["interval"] = interval
    made.globals["without_rule"] = without_rule
    made.globals["signs"] = {"rule": words.RULE, "unsure": words.UNSURE}
    return made


def _page_heading(views: Sequence[RunView], names: Sequence[str]) -> str:
    return names[0] if len(views) == 1 else f"{words.runs_count_text(views)} compared"


def _joint_verdict(views: Sequence[RunView], names: Sequence[str], comparison: Sequence[Pair]) -> str:
    """Return one sentence on all runs together."""
    if len(views) == 1:
        return _run_verdict(views[0], names[0])
    if any(bias.bias(view) for view in views):
        return " ".join(_run_verdict(view, name) for view, name in zip(views, names, strict=True))
    if any(usage(view) for view in views):
        return verdicts.usage_standing(views, names)
    return verdicts.standing_of(views, names, comparison)


def _run_verdict(view: RunView, name: str) -> str:
    return bias.verdict(view, name) if bias.bias(view) else verdicts.verdict(view, name)


def _overview_rows(
    views: Sequence[RunView], names: Sequence[str], ranked: Sequence[Ranked]
) -> list[dict[str, Any]]:
    places = {one.label: one for one in ranked}
    return [
        {
            **_overview_row(view, name),
            **_rank_entry(places.get(name)),
            "mark": charts.dot(number, LEGEND, name, size=20),
        }
        for number, (view, name) in enumerate(zip(views, names, strict=True))
    ]


def _rank_entry(one: Ranked | None) -> dict[str, Any]:
    """Return where a run is ranked."""
    if one is None:
        return {"rank": words.MISSING}
    return {"rank": figures.rank_of(one)}


def _overview_row(view: RunView, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "means": overall(view),
        "interval": overall_interval(view),
        "used": usage_share(view),
        "valid": valid(view),
        "answers": view.metrics["answers"],
        "low": sound(view) < LOW_VALIDITY,
        "usage": usage(view)[0] if usage(view) else None,
        "beside": score_beside(overall(view), view.metrics["protocol"]),
        "few": run_notes.few(view),
        "plain": without_rule(overall(view)),
        "protocol": view.metrics["protocol"],
        "bias": bias.headline(view) if bias.bias(view) else None,
    }


# --------------------------------------------------------------------------------------------- one run's part


def _own_report(view: RunView, folder: Path | None) -> str:
    """Return where a run's own report lies, as a page in `folder` links to it; empty where it has none."""
    report = view.path / "report.html"
    if folder is None or not report.exists():
        return ""
    try:
        return quote(Path(os.path.relpath(report, folder)).as_posix())
    except ValueError:  # on another drive
        return report.resolve().as_uri()


def _run_context(view: RunView, name: str, anchor: str, *, own: str | None) -> dict[str, Any]:
    """Return a run's part. `own`: where its own report lies, which has subjects and answers then; None: this
    has.
    """
    metrics = view.metrics
    ones = scores(view)
    subjects = ranked_subjects(view)
    return {
        "anchor": anchor,
        "name": name,
        "verdict": _run_verdict(view, name),
        "tables": _shown_tables(*bias.tables(view), *executed_tables(view)),
        "parts": _shown_tables(parts_table(view)),
        "deviations": _shown_tables(deviation_table(view)),
        "passes": utility.pass_at_k_rows(view),
        "pictures": bias.pictures(view),
        "remarks": [*bias.remarks(view), *run_notes.parsing(view)],
        "protocol": metrics["protocol"],
        "score_names": score_names([metrics["protocol"]]),
        "other": _other_protocol_context(view),
        "facts": _run_facts(view),
        "unclear": [*run_notes.unclear(view), *utility.verdict(view)],
        "ruled": without_rule(overall(view)) is not None,
        "unsure": any(words.preference(one).endswith("?") for one in ones),
        "scenarios": [
            (scenario, [one for one in ones if one["scenario"] == scenario], _scenario_means(view, scenario))
            for scenario in dict.fromkeys(one["scenario"] for one in ones)
        ],
        "lists": [one for one in ones if any(listed["list"] for listed in one["lists"])],
        "top": strongest_subjects(subjects),
        "subjects": subjects if own is None else [],
        "own": own,
        "usage": usage(view),
        "bars": usage_bar_charts(view, name),
        "examples": examples(view) if own is None else {},
        "lost": unjudged_answers(view)[:NAMED],
        "lost_more": len(unjudged_answers(view)[NAMED:]),
    }


class _TableOnPage(NamedTuple):
    table: Table
    shown: ShownTable


def _shown_tables(*known: Table | None) -> list[_TableOnPage]:
    """Return tables with their cells."""
    return [_TableOnPage(one, one.shown()) for one in known if one is not None]


def _run_facts(view: RunView) -> list[tuple[str, str]]:
    """Return what was run, in the order in which one asks for it."""
    metrics = view.metrics
    model, settings = dict(metrics["model"]), words.flat_settings(metrics["settings"])
    answers = metrics["answers"]
    first = [
        ("model", words.setting_text(model.pop("name", None))),
        ("revision", words.setting_text(model.pop("revision", None))),
        *((key.replace("_", " "), words.setting_text(value)) for key, value in model.items()),
        ("suite", f"{metrics['suite'].get('name')}: {metrics['suite'].get('title', '')}"),
        ("source", words.setting_text(metrics["suite"].get("source"))),
        ("protocol", metrics["protocol"]),
        ("answers", f"{answers.get('given', 0)} of {answers.get('asked', 0)} asked for"),
        ("not judged", words.whole(unjudged_count(answers))),
        ("cut at the token limit", words.percent(answers.get("cut"))),
        *((key.replace("_", " "), words.setting_text(value)) for key, value in settings.items()),
        ("fairlint", words.setting_text(metrics.get("fairlint"))),
        ("folder", view.path.name),
        *(("note", told) for told in run_notes.notes(view)),
    ]
    return [(key, value) for key, value in first if value]


def _scenario_means(view: RunView, scenario: str) -> Figures | None:
    return next((one for one in view.metrics["scenarios"] if one["scenario"] == scenario), None)


def _other_protocol_context(view: RunView) -> dict[str, Any] | None:
    """Return the figures by the other protocol beside those of the run's own."""
    known = other(view)
    theirs = {(one["scenario"], one["attribute"]): one for one in known.get("scores", ())}
    pairs = [(one, theirs.get((one["scenario"], one["attribute"]))) for one in scores(view)]
    if not any(there for _, there in pairs):
        return None
    return {
        "protocol": known["protocol"],
        "pairs": [(one, there) for one, there in pairs if there],
        "note": run_notes.incomparable(view),
        "ours": overall(view),
        "theirs": known.get("overall"),
    }
