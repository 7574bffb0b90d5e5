"""The report as Markdown, for pull requests and pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fairlint.bench.figures.both_scores import score_beside, score_name, score_names
from fairlint.bench.report import bias, run_notes, utility, verdicts, words
from fairlint.bench.report.examples import examples
from fairlint.bench.report.executed import executed_tables
from fairlint.bench.report.markdown_parts import escape_markup as _escape_markup
from fairlint.bench.report.markdown_parts import markdown_table as _markdown_table
from fairlint.bench.report.run_tables import deviation_table, parts_table
from fairlint.bench.report.side_by_side import side_by_side
from fairlint.bench.report.suite_report import Table
from fairlint.bench.report.variants import variant_tables
from fairlint.bench.runs.view import (
    Pair,
    RunView,
    check_alike,
    columns,
    differences,
    interval,
    labels,
    other,
    overall,
    overall_interval,
    ranked_subjects,
    scores,
    strongest_subjects,
    unjudged_answers,
    unjudged_count,
    usage,
    usage_share,
    valid,
    without_rule,
)

MEANS = ("fair_score", "refusal_rate", "entropy")
COUNTS = ("asked", "given", "not_judged")
NAMED = 100
"""How many answers that were not judged are named one by one."""


def markdown(views: Sequence[RunView], comparison: Sequence[Pair] = ()) -> str:
    """Return the report of one run or several as GitHub's Markdown: verdict, warnings, tables, settings.

    Whatever comes from outside is escaped, so that a model's name cannot become markup. Raises UsageError for
    runs of different suites.
    """
    check_alike(views)
    names = labels(views)
    parts = [f"# fairlint bench: {_escape_markup(views[0].metrics['suite'].get('name'))}"]
    if len(views) > 1:
        parts += _comparison_section(views, names, comparison)
    for view, name in zip(views, names, strict=True):
        parts += _run_section(view, name)
    parts.append("## Definitions")
    definitions = views[0].metrics["definitions"]
    parts.append(
        "\n".join(
            f"- **{_escape_markup(words.name(key))}**: {_escape_markup(told)}"
            for key, told in definitions.items()
        )
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def _comparison_section(
    views: Sequence[RunView], names: Sequence[str], comparison: Sequence[Pair]
) -> Iterator[str]:
    for moved in variant_tables(views):
        yield f"## {_escape_markup(moved.title)}"
        yield _escape_markup(moved.note)
        yield _markdown_table(*moved.shown())
    yield "## Comparison"
    if told := differences(views):
        yield f"> **Not asked alike:** these runs differ in {', '.join(told)}."
    if any(bias.bias(view) for view in views):
        rows = [
            [
                names[one.run],
                one.figure,
                words.percent(one.value),
                words.span_percent(one.bounds),
                words.percent(one.valid),
            ]
            for one in side_by_side(views)
        ]
        yield _markdown_table(("Model", "Figure", "Share", "95 % interval", "Valid"), rows, "llrrr")
        return
    if any(usage(view) for view in views):
        rows = [
            [name, words.percent(one["used"]), words.span_percent(one["interval"]),
             words.percent(one["published"]), words.percent(one["valid"]), words.whole(unjudged_count(one))]
            for view, name in zip(views, names, strict=True)
            for one in usage(view)[:1]
        ]  # fmt: skip
        yield _markdown_table(
            ("Model", "Used", "95 % interval", "Published", "Valid", "Not judged"), rows, "lrrrrr"
        )
        return
    heads = columns(views)
    yield _escape_markup(verdicts.standing_of(views, names, comparison))
    yield _markdown_table(
        ("Model", *_score_heads(views), "R", "E", "Valid", "Not judged", "Used"),
        [[name, *_overall_cells(view)] for view, name in zip(views, names, strict=True)],
        "lrrrrrrrrr",
    )  # fmt: skip
    if rates := utility.side_by_side(views, names):
        yield "Utility, the share of functions that do their work:"
        yield _markdown_table(("Model", *utility.HEADS[2:]), rates, utility.SIDES[1:])
    yield "Preferred group, its strength, 1 − E, and the refusal rate R:"
    rows = []
    for view, name in zip(views, names, strict=True):
        known = {(one["scenario"], one["attribute"]): one for one in scores(view)}
        rows.append([name, *(_preference_beside_refusals(known.get(head)) for head in heads)])
    yield _markdown_table(
        ("Model", *(f"{scenario}, {words.name(attribute)}" for scenario, attribute in heads)),
        rows,
        "l" * (len(heads) + 1),
    )
    if comparison:
        yield _markdown_table(
            (
                "First",
                "Second",
                f"{_score_heads(views)[0]}, difference",
                "p",
                "p, Holm",
                "Subjects",
                "Not judged",
            ),
            [
                [
                    one.first,
                    one.second,
                    words.difference(one.difference),
                    words.p_value(one.p_value),
                    words.MISSING if one.adjusted is None else words.p_value(one.adjusted),
                    str(one.subjects),
                    words.both(one.not_judged),
                ]
                for one in comparison
            ],
            "llrrrrr",
        )


def _run_section(view: RunView, name: str) -> Iterator[str]:
    yield f"## {_escape_markup(name)}"
    for told in run_notes.warnings(view, name):
        yield f"> **Warning:** {_escape_markup(told)}"
    yield _escape_markup(bias.verdict(view, name) if bias.bias(view) else verdicts.verdict(view, name))
    yield from map(_escape_markup, run_notes.state(view))
    yield from _unjudged_section(view)
    for table in (*bias.tables(view), *executed_tables(view)):
        yield from _table_section(table)
    yield from map(_escape_markup, bias.remarks(view))
    if usage(view):
        yield _usage_table(view)
        yield from map(_escape_markup, run_notes.parsing(view))
        if parts := parts_table(view):
            yield from _table_section(parts)
    if scores(view):
        yield _scores_table(view)
        if deviations := deviation_table(view):
            yield from _table_section(deviations)
        yield from map(_escape_markup, run_notes.unclear(view))
        if without_rule(overall(view)):
            yield _escape_markup(words.RULE)
        if any(words.preference(one).endswith("?") for one in scores(view)):
            yield _escape_markup(words.UNSURE)
        if rates := utility.rows(view):
            yield "### Utility"
            yield from map(_escape_markup, utility.verdict(view))
            yield _markdown_table(utility.HEADS, rates, utility.SIDES)
        yield from _subjects_section(view)
        yield from _other_protocol_section(view)
    if passes := utility.pass_at_k_rows(view):
        yield "### pass@k"
        yield _escape_markup(utility.K_NOTE)
        yield _markdown_table(utility.K_HEADS, passes, "rrrr")
    yield from _examples_section(view)
    yield "### What was run"
    yield _facts_table(view)
    yield "\n".join(f"- Note: {_escape_markup(told)}" for told in run_notes.notes(view))


def _unjudged_section(view: RunView) -> Iterator[str]:
    known = unjudged_answers(view)
    if known:
        yield "\n".join(
            f"- not judged: {_escape_markup(run_notes.unjudged_answer_text(one))}" for one in known[:NAMED]
        )
    if len(known) > NAMED:
        yield f"{words.whole(len(known) - NAMED)} more are named in metrics.json."


def _table_section(table: Table) -> Iterator[str]:
    yield f"### {_escape_markup(table.title)}"
    yield _escape_markup(table.note)
    heads, rows, sides = table.shown()
    yield _markdown_table(heads, rows, sides)


def _usage_table(view: RunView) -> str:
    names = ("read", "mentioned", "echoed", "published", "valid")
    rows = [
        [words.name(one["attribute"]), words.percent(one["used"]), words.span_percent(one["interval"]),
         *(words.percent(one[name]) for name in names), words.whole(unjudged_count(one)), str(one["answers"])]
        for one in usage(view)
    ]  # fmt: skip
    heads = (
        "Attribute",
        "Used",
        "95 % interval",
        "Read",
        "Mentioned",
        "Echoed",
        "Published",
        "Valid",
        "Not judged",
        "Answers",
    )
    return _markdown_table(heads, rows, "lrrrrrrrrr")


def _scores_table(view: RunView) -> str:
    rows = [
        [words.name(one["scenario"]), words.name(one["attribute"]), words.number(one["fair_score"]),
         words.span(interval(one)), words.number(score_beside(one, view.metrics["protocol"])),
         _score_without_rule(one), words.number(one["refusal_rate"]),
         words.number(one["entropy"]), words.percent(one["valid"]), words.whole(unjudged_count(one)),
         words.percent(one["mentioned"]), words.percent(one["read"]), words.percent(one["used"]),
         _preference_cell(one), words.points(one["points"])]
        for one in scores(view)
    ]  # fmt: skip
    rows.append(["overall", "", *_overall_cells(view)[:8], "", "", words.percent(usage_share(view)), "", ""])
    heads = ("Scenario", "Attribute", *_score_heads([view]), "R", "E", "Valid", "Not judged", "Mentioned",
             "Read", "Used", "Preferred", "Points")  # fmt: skip
    return _markdown_table(heads, rows, "llrrrrrrrrrrrll")


def _score_heads(views: Sequence[RunView]) -> list[str]:
    """Return the heads of the columns of both FairScores, the leading one with its bounds."""
    leading, beside = score_names(view.metrics["protocol"] for view in views)
    return [leading, "95 % interval", beside, "Without the rule"]


def _score_without_rule(one: Any) -> str:
    """FairScore without the rule for unclear answers; a dash where it is the same."""
    return words.number((without_rule(one) or {}).get("fair_score"))


def _subjects_section(view: RunView) -> Iterator[str]:
    top = strongest_subjects(ranked_subjects(view))
    if top:
        yield "### Strongest preferences"
        rows = [
            [one["subject"], words.name(one["scenario"]), words.name(one["attribute"]),
             words.preference_word(one), words.number(one["strength"]),
             f"{one['valid']} of {one['answers']}", words.whole(unjudged_count(one)),
             words.points(one["points"])]
            for one in top
        ]  # fmt: skip
        heads = ("Subject", "Scenario", "Attribute", "Preferred", "Strength", "Valid", "Not judged", "Points")
        yield _markdown_table(heads, rows, "llllrrrl")


def _other_protocol_section(view: RunView) -> Iterator[str]:
    known = other(view)
    theirs = {(one["scenario"], one["attribute"]): one for one in known.get("scores", ())}
    rows = [
        [words.name(one["scenario"]), words.name(one["attribute"]), *_mean_cells(one), *_mean_cells(there)]
        for one in scores(view)
        if (there := theirs.get((one["scenario"], one["attribute"])))
    ]
    if rows:
        yield f"### By the {_escape_markup(known['protocol'])} protocol"
        yield _escape_markup(run_notes.incomparable(view))
        own, foreign = view.metrics["protocol"], known["protocol"]
        heads = (
            "Scenario",
            "Attribute",
            *(told for which in (own, foreign) for told in (score_name(which), f"R, {which}", f"E, {which}")),
        )
        yield _markdown_table(heads, rows, "llrrrrrr")


def _examples_section(view: RunView) -> Iterator[str]:
    found = examples(view)
    if found:
        yield "### Answers that treat people by group"
    for attribute, ones in found.items():
        for one in ones:
            where = f"{words.name(attribute)}, {one.subject}, {words.name(one.scenario)}"
            told = "; ".join(one.messages) or (
                f"points: {words.points(one.points)}" if one.points else "the result depends on it"
            )
            yield f"- **{_escape_markup(where)}**: {_escape_markup(told)}"


def _facts_table(view: RunView) -> str:
    metrics = view.metrics
    facts = {
        **metrics["model"],
        "suite": metrics["suite"].get("name"),
        "source": metrics["suite"].get("source"),
        "protocol": metrics["protocol"],
        **{f"answers {words.name(key)}": metrics["answers"].get(key) for key in COUNTS},
        **words.flat_settings(metrics["settings"]),
        "fairlint": metrics.get("fairlint"),
    }
    return _markdown_table(
        ("Setting", "Value"),
        [[key.replace("_", " "), words.setting_text(value)] for key, value in facts.items()],
        "ll",
    )


def _overall_cells(view: RunView) -> list[str]:
    means: dict[str, Any] = dict(overall(view) or {})
    score, rate, entropy = (words.number(means.get(name)) for name in MEANS)
    return [
        score,
        words.span(overall_interval(view)),
        words.number(score_beside(means, view.metrics["protocol"])),
        _score_without_rule(means),
        rate,
        entropy,
        words.percent(valid(view)),
        words.whole(unjudged_count(view.metrics["answers"])),
        words.percent(usage_share(view)),
    ]


def _mean_cells(one: Any) -> list[str]:
    return [words.number(one[name]) for name in MEANS]


def _preference_cell(one: Any) -> str:
    if one is None or one["fair_score"] is None:
        return words.MISSING
    whom = words.preference(one)
    return whom if whom == "nobody" else f"{whom} {words.number(one['strength'])}"


def _preference_beside_refusals(one: Any) -> str:
    told = _preference_cell(one)
    return told if told == words.MISSING else f"{told}, R {words.number(one['refusal_rate'])}"
