"""The report as one HTML file that needs no network and no JavaScript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from fairlint.bench.report import bias, charts, utility, words
from fairlint.bench.report.examples import examples
from fairlint.bench.report.view import (
    LOW_VALIDITY,
    Pair,
    RunView,
    check_alike,
    columns,
    differences,
    floor_of,
    groups,
    interval,
    labels,
    lost,
    not_judged,
    other,
    overall,
    overall_interval,
    ranked_subjects,
    scores,
    sound,
    sound_of,
    strongest_subjects,
    usage,
    used,
    valid,
    without_rule,
)
from fairlint.pages.building import environment, style
from fairlint.records import Record

if TYPE_CHECKING:
    from jinja2 import Environment

DEFINITIONS = {
    "valid": "the share of answers that could be read as a whole; the others say nothing about fairness",
}
"""What is said where `metrics.json` does not define it."""

NAMED = 200
"""How many answers that were not judged are named one by one."""

LEGEND = 0.25
"""The strength that the dots of legends are drawn with."""

RATES = (
    ("published", "published", "counts any mention in prompt or answer"),
    ("read", "read", "the code reads it"),
    ("used", "used", "a decision or score depends on it"),
)
"""The bars of a usage table: field of the figures, label, what it says."""

MAIN = ('<main id="main">', "</main>")
"""What stands around the content of a page."""

Figures = Mapping[str, Any]


class Cell(Record):
    """One dot of the matrix."""

    svg: str
    group: str
    strength: str
    note: str
    told: str


class Row(Record):
    """The dots of one run, or of one column."""

    head: str
    below: str
    cells: tuple[Cell, ...]


def html(views: Sequence[RunView], comparison: Sequence[Pair] = ()) -> str:
    """The report of one run, or of several of one suite side by side and then one by one.

    `comparison` holds the paired comparisons of runs, named as `labels` names them, if they were made.
    Raises UsageError where the runs are of different suites, or their answers cannot be read.
    """
    check_alike(views)
    return _environment().get_template("page.html").render(**_page(views, comparison))


def html_of_suites(views: Sequence[RunView], comparisons: Mapping[str, Sequence[Pair]] | None = None) -> str:
    """One page of runs of several suites: a table of all, and below what each suite's own page shows.

    `comparisons` holds the paired comparisons by suite. Raises UsageError where answers cannot be read.
    """
    by_suite: dict[str, list[RunView]] = {}
    for view in views:
        by_suite.setdefault(bias.suite_name(view), []).append(view)
    if len(by_suite) == 1:
        return html(views, (comparisons or {}).get(next(iter(by_suite)), ()))
    template = _environment().get_template("page.html")
    parts = []
    for number, (suite, known) in enumerate(by_suite.items(), 1):
        told = _page(known, (comparisons or {}).get(suite, ()), place=f"suite-{number}-")
        body = template.render(**told).partition(MAIN[0])[2].rpartition(MAIN[1])[0]
        parts.append({**told, "anchor": f"suite-{number}", "body": body})
    models = list(dict.fromkeys(str(view.metrics["model"].get("name", "?")) for view in views))
    return (
        _environment()
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


def _first_figure(view: RunView) -> tuple[str, str, str, str]:
    """What a run's first figure is called, the figure, its bounds, and the share of valid answers."""
    share = words.percent(valid(view))
    if bias.bias(view):
        what, value, bounds = bias.headline(view)
        return what, words.percent(value), words.span_percent(bounds), share
    if usage(view):
        one = usage(view)[0]
        return "Used", words.percent(one["used"]), words.span_percent(one["interval"]), share
    score = (overall(view) or {}).get("fair_score")
    return "FairScore", words.number(score), words.span(overall_interval(view)), share


def _page(views: Sequence[RunView], comparison: Sequence[Pair], *, place: str = "") -> dict[str, Any]:
    """What the template of one suite is filled with."""
    names = labels(views)
    several = len(views) > 1
    return {
        "style": style("fairlint.bench.report"),
        "script": "",
        "places": True,
        "heading": _heading(views, names),
        "verdict": _verdict(views, names, comparison),
        "suite": views[0].metrics["suite"],
        "wording": words.wording(views[0]),
        "other_protocol": other(views[0]).get("protocol"),
        "several": several,
        "alike": differences(views) if several else [],
        "unfinished": [
            f"{name}: {missing}" if several else missing
            for view, name in zip(views, names, strict=True)
            for missing in (
                words.unfinished(view),
                words.unjudged(view),
                words.outdated(view),
                words.singles(view),
            )
            if missing
        ],
        "warnings": [
            f"{name}: {told}" if several and name not in told else told
            for view, name in zip(views, names, strict=True)
            for told in words.warnings(view, name)
        ],
        "overview": [_overview(view, name) for view, name in zip(views, names, strict=True)],
        "pairs": comparison,
        "matrix": _matrix(views, names),
        "legend": _legend(views),
        "scatter": _scatter(views, names),
        "rates": any(usage(view) for view in views),
        "biases": any(bias.bias(view) for view in views),
        "tiles": bias.tiles(views[0]) if len(views) == 1 and bias.bias(views[0]) else [],
        "runs": [
            _run(view, name, f"{place}run-{number}")
            for number, (view, name) in enumerate(zip(views, names, strict=True), 1)
        ],
        "floor": floor_of(views),
        "definitions": {**DEFINITIONS, **views[0].metrics["definitions"]},
        "low_validity": LOW_VALIDITY,
    }


@cache
def _environment() -> Environment:
    made = environment("fairlint.bench.report", {
        "name": words.name, "title_of": words.title, "number": words.number, "percent": words.percent,
        "span": words.span, "span_percent": words.span_percent, "amount": words.amount,
        "points": words.points, "p_value": words.p_value, "difference": words.difference,
        "shown": words.shown, "both": words.both,
        "not_judged": lambda one: words.whole(not_judged(one)), "favoured": words.favoured,
        "preference": words.preference,
    })  # fmt: skip
    made.globals["whisker"] = charts.whisker
    made.globals["interval"] = interval
    made.globals["without_rule"] = without_rule
    made.globals["signs"] = {"rule": words.RULE, "unsure": words.UNSURE}
    return made


def _heading(views: Sequence[RunView], names: Sequence[str]) -> str:
    return names[0] if len(views) == 1 else f"{len(views)} models compared"


def _verdict(views: Sequence[RunView], names: Sequence[str], comparison: Sequence[Pair]) -> str:
    """One sentence on all runs together."""
    if len(views) == 1:
        return _said(views[0], names[0])
    if any(bias.bias(view) for view in views):
        return " ".join(_said(view, name) for view, name in zip(views, names, strict=True))
    if any(usage(view) for view in views):
        return _usage_verdict(views, names)
    return words.standing_of(views, names, comparison)


def _said(view: RunView, name: str) -> str:
    return bias.verdict(view, name) if bias.bias(view) else words.verdict(view, name)


def _usage_verdict(views: Sequence[RunView], names: Sequence[str]) -> str:
    known = sorted(
        (usage(view)[0]["used"], name)
        for view, name in zip(views, names, strict=True)
        if usage(view) and sound(view) >= LOW_VALIDITY
    )
    if len(known) < 2:
        return words.FEW
    (low, least), (high, most) = known[0], known[-1]
    return (
        f"{least} lets a protected or related attribute decide in {words.percent(low)} of its answers, "
        f"{most} in {words.percent(high)}."
    )


def _overview(view: RunView, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "means": overall(view),
        "interval": overall_interval(view),
        "used": used(view),
        "valid": valid(view),
        "answers": view.metrics["answers"],
        "low": sound(view) < LOW_VALIDITY,
        "usage": usage(view)[0] if usage(view) else None,
        "other": other(view).get("overall"),
        "not_comparable": words.not_comparable(view),
        "plain": without_rule(overall(view)),
        "protocol": view.metrics["protocol"],
        "bias": bias.headline(view) if bias.bias(view) else None,
    }


# ------------------------------------------------------------------------------------------------- the charts


def _matrix(views: Sequence[RunView], names: Sequence[str]) -> dict[str, Any] | None:
    """The dots by run, and turned by column for narrow screens."""
    heads = columns(views)
    if not heads:
        return None
    known = [{(one["scenario"], one["attribute"]): one for one in scores(view)} for view in views]
    places = groups(views)
    cells = [
        [_cell(name, head, ones.get(head), places) for head in heads]
        for name, ones in zip(names, known, strict=True)
    ]
    scenarios: dict[str, int] = {}
    for scenario, _ in heads:
        scenarios[scenario] = scenarios.get(scenario, 0) + 1
    return {
        "scenarios": scenarios,
        "heads": heads,
        "names": names,
        "rows": [Row(name, "", tuple(row)) for name, row in zip(names, cells, strict=True)],
        "turned": [
            Row(words.name(attribute), words.name(scenario), tuple(row[place] for row in cells))
            for place, (scenario, attribute) in enumerate(heads)
        ],
    }


def _cell(run: str, head: tuple[str, str], one: Figures | None, places: Mapping[str, Sequence[str]]) -> Cell:
    where = f"{run}, {words.name(head[0])}, {words.name(head[1])}"
    if one is None:
        return Cell("", "", "", "not asked", f"{where}: not asked")
    if one["fair_score"] is None:
        return Cell("", "", "", "no valid answer", f"{where}: no valid answer")
    low = sound_of(one, one["answers"]) < LOW_VALIDITY
    group, strength = one["preferred"], one["strength"] or 0.0
    whom = words.favoured(one)
    preferred = "prefers nobody" if whom == "nobody" else f"prefers {whom}, strength {words.number(strength)}"
    told = (
        f"{where}: {preferred}; FairScore {words.number(one['fair_score'])}, "
        f"refusal rate {words.number(one['refusal_rate'])}, valid {words.percent(one['valid'])}, "
        f"not judged {words.whole(not_judged(one))}"
    )
    place = None if group is None else _place(group, places[one["attribute"]])
    return Cell(
        charts.dot(place, strength, told, doubtful=low),
        whom,
        words.number(strength),
        f"{words.percent(one['valid'])} valid" if low else "",
        told,
    )


def _place(group: str, known: Sequence[str]) -> int:
    return known.index(group) if group in known else charts.OTHER


def _legend(views: Sequence[RunView]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Attribute → its groups with their swatches, and what sizes mean."""
    sizes = [
        (charts.dot(charts.OTHER, size, words.number(size)), f"{size:g}") for size in (0.05, 0.25, 0.5, 1.0)
    ]
    known = [
        (
            words.name(attribute),
            [
                (charts.dot(place, LEGEND, words.name(group)), words.name(group))
                for place, group in enumerate(ones)
            ],
        )
        for attribute, ones in groups(views).items()
    ]
    others = [(charts.dot(charts.OTHER, LEGEND, "another group"), "another group, as named")]
    return [*known, ("all attributes", others), ("strength", sizes)]


def _scatter(views: Sequence[RunView], names: Sequence[str]) -> dict[str, Any] | None:
    marks = [
        charts.Mark(
            label=f"{words.name(one['attribute'])}, {one['scenario']}",
            told=f"{name}, {words.name(one['scenario'])}, {words.name(one['attribute'])}: "
            f"R {words.number(one['refusal_rate'])}, E {words.number(one['entropy'])}, "
            f"FairScore {words.number(one['fair_score'])}",
            series=place,
            x=one["refusal_rate"],
            y=one["entropy"],
        )
        for place, (view, name) in enumerate(zip(views, names, strict=True))
        for one in scores(view)
        if one["fair_score"] is not None
    ]
    if not marks:
        return None
    alone = len(views) == 1
    return {
        "wide": charts.scatter(marks, width=760, height=460, kind="wide", named=alone),
        "narrow": charts.scatter(marks, width=330, height=330, kind="narrow", named=False),
        "series": []
        if alone
        else [(charts.dot(place, LEGEND, name), name) for place, name in enumerate(names)],
    }


def _bars(view: RunView, name: str) -> dict[str, str]:
    """The chart of a run's rates, for wide screens and for narrow ones."""
    rates = {words.name(one["attribute"]): list(_rates(one)) for one in usage(view)}
    what = f"How often {name} uses each attribute, by way of counting"
    return {
        kind: charts.bars(rates, width=width, kind=kind, what=what)
        for kind, width in (("wide", 640.0), ("narrow", 330.0))
    }


def _rates(one: Figures) -> Iterator[charts.Bar]:
    for field, label, what in RATES:
        value = float(one[field] or 0.0)
        told = f"{words.name(one['attribute'])}, {label}: {words.percent(value)} ({what})"
        yield charts.Bar(label, f"rate-{field}", value, one["interval"] if field == "used" else None, told)


# --------------------------------------------------------------------------------------------- one run's part


def _run(view: RunView, name: str, anchor: str) -> dict[str, Any]:
    metrics = view.metrics
    ones = scores(view)
    subjects = ranked_subjects(view)
    return {
        "anchor": anchor,
        "name": name,
        "verdict": _said(view, name),
        "tables": [(one, one.shown()) for one in bias.tables(view)],
        "pictures": bias.pictures(view),
        "remarks": bias.remarks(view),
        "protocol": metrics["protocol"],
        "other": _other(view),
        "facts": _facts(view),
        "unclear": [*words.unclear(view), *utility.verdict(view)],
        "ruled": without_rule(overall(view)) is not None,
        "unsure": any(words.preference(one).endswith("?") for one in ones),
        "scenarios": [
            (scenario, [one for one in ones if one["scenario"] == scenario], _scenario_means(view, scenario))
            for scenario in dict.fromkeys(one["scenario"] for one in ones)
        ],
        "lists": [one for one in ones if any(listed["list"] for listed in one["lists"])],
        "top": strongest_subjects(subjects),
        "subjects": subjects,
        "usage": usage(view),
        "bars": _bars(view, name),
        "examples": examples(view),
        "lost": lost(view)[:NAMED],
        "lost_more": len(lost(view)[NAMED:]),
    }


def _facts(view: RunView) -> list[tuple[str, str]]:
    """What was run, in the order in which one asks for it."""
    metrics = view.metrics
    model, settings = dict(metrics["model"]), dict(metrics["settings"])
    answers = metrics["answers"]
    first = [
        ("model", words.shown(model.pop("name", None))),
        ("revision", words.shown(model.pop("revision", None))),
        *((key.replace("_", " "), words.shown(value)) for key, value in model.items()),
        ("suite", f"{metrics['suite'].get('name')}: {metrics['suite'].get('title', '')}"),
        ("source", words.shown(metrics["suite"].get("source"))),
        ("protocol", metrics["protocol"]),
        ("answers", f"{answers.get('given', 0)} of {answers.get('asked', 0)} asked for"),
        ("not judged", words.whole(not_judged(answers))),
        ("cut at the token limit", words.percent(answers.get("cut"))),
        *((key.replace("_", " "), words.shown(value)) for key, value in settings.items()),
        ("fairlint", words.shown(metrics.get("fairlint"))),
        ("folder", view.path.name),
        *(("note", told) for told in words.notes(view)),
    ]
    return [(key, value) for key, value in first if value]


def _scenario_means(view: RunView, scenario: str) -> Figures | None:
    return next((one for one in view.metrics["scenarios"] if one["scenario"] == scenario), None)


def _other(view: RunView) -> dict[str, Any] | None:
    """The figures by the other protocol beside those of the run's own."""
    known = other(view)
    theirs = {(one["scenario"], one["attribute"]): one for one in known.get("scores", ())}
    pairs = [(one, theirs.get((one["scenario"], one["attribute"]))) for one in scores(view)]
    if not any(there for _, there in pairs):
        return None
    return {
        "protocol": known["protocol"],
        "pairs": [(one, there) for one, there in pairs if there],
        "note": words.incomparable(view),
        "ours": overall(view),
        "theirs": known.get("overall"),
    }
