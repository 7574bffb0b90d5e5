"""What reports show of suites that measure bias: tables, bars and lines, of which each kind of report takes
its own.

A table is data: heads, and rows of cells that are written already. `wide` columns are left out where there is
little room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fairlint.bench.report import charts, words
from fairlint.bench.report.lines import MOST, Line, lines
from fairlint.bench.runs.view import LOW_VALIDITY, RunView, count_answers, sound, unjudged_count
from fairlint.support.records import Record

Row = Mapping[str, Any]


class Head(Record):
    """A column of a table."""

    title: str
    cell: Callable[[Row], str]
    is_text: bool = False
    wide: bool = False
    """Whether it is left out where there is little room."""


class Table(Record):
    """One table."""

    title: str
    note: str
    heads: tuple[Head, ...]
    rows: tuple[Row, ...]

    def shown(self, *, narrow: bool = False) -> tuple[list[str], list[list[str]], str]:
        """Heads, cells, and on which side each column stands."""
        heads = [head for head in self.heads if not (narrow and head.wide)]
        cells = [[head.cell(row) for head in heads] for row in self.rows]
        return [head.title for head in heads], cells, "".join("l" if head.is_text else "r" for head in heads)


class Picture(Record):
    """A chart, for wide screens and for narrow ones."""

    title: str
    note: str
    wide: str
    narrow: str


def bias(view: RunView) -> Mapping[str, Any]:
    """The figures of a run of such a suite; empty for other suites."""
    found: Mapping[str, Any] = view.metrics.get("bias") or {}
    return found


def suite_name(view: RunView) -> str:
    """The run's suite."""
    return str(view.metrics["suite"].get("name"))


# --------------------------------------------------------------------------------------------------- tables


def tables(view: RunView) -> list[Table]:
    """All tables of a run that have rows."""
    made = _TABLES.get(suite_name(view))
    return [] if made is None or not bias(view) else [one for one in made(bias(view)) if one.rows]


def _share_head(name: str, title: str, *, wide: bool = False) -> Head:
    return Head(title, lambda row: words.percent(row.get(name)), wide=wide)


def _figure_head(name: str, title: str, *, wide: bool = False, digits: int = 3) -> Head:
    return Head(title, lambda row: words.number(row.get(name), digits), wide=wide)


def _text_head(name: str, title: str) -> Head:
    return Head(title, lambda row: words.name(str(row.get(name) or "")), is_text=True)


def _count_head(name: str, title: str, *, wide: bool = True) -> Head:
    return Head(title, lambda row: words.whole(int(row.get(name) or 0)), wide=wide)


def _interval_head(*, wide: bool = False) -> Head:
    return Head("95 % interval", lambda row: words.span_percent(row.get("interval")), wide=wide)


def _domain_head(name: str, title: str, write: Callable[[Any], str]) -> Head:
    """A figure on bands and on numbers, or once where both are the same."""

    def cell(row: Row) -> str:
        by_domain = row.get("by_domain") or {}
        cells = [write((by_domain.get(domain) or {}).get(name)) for domain in ("bands", "numbers")]
        if not by_domain:
            return write(row.get(name))
        return cells[0] if cells[0] == cells[1] else " / ".join(cells)

    return Head(title, cell, wide=True)


def _before_head(name: str, title: str, write: Callable[[Any], str]) -> Head:
    return Head(title, lambda row: write((row.get("before") or {}).get(name)))


def _attribute_rows_with_cip(known: Mapping[str, Any]) -> tuple[Row, ...]:
    """The rows of attributes by which some function was measured."""
    return tuple(row for row in known.get("attributes") or () if row.get("cip") is not None)


def _left_out(known: Mapping[str, Any]) -> str:
    rows = len(known.get("attributes") or ()) - len(_attribute_rows_with_cip(known))
    return f" {rows} rows of prompts of which no function runs are left out." if rows else ""


def _counterfactual_tables(known: Mapping[str, Any]) -> Iterator[Table]:
    k = known.get("k")
    was = bool(known.get("mitigation"))
    at_k = (_share_head("union_at_k", f"U@{k}", wide=True), _share_head("all_at_k", f"I@{k}", wide=True))
    running = _share_head("cbs_executable", "if it runs", wide=was)
    cbs = (_share_head("cbs", "CBS"), _interval_head(), running, *at_k)
    before = (_before_head("cbs", "CBS before", words.percent),) if was else ()
    yield Table(
        "By prompt",
        "CBS is the share of functions that are biased by at least one attribute, with how many "
        "run at all and how often those are right.",
        (
            _text_head("scenario", "Data"),
            _text_head("prompt", "Prompt"),
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
            _share_head("valid", "runs"),
            _share_head("not_binary", "not binary", wide=True),
            _share_head("accuracy", "accuracy", wide=was),
            _share_head("balanced_accuracy", "balanced"),
            *((_before_head("balanced_accuracy", "balanced before", words.percent),) if was else ()),
            _count_head("answers", "functions"),
            _count_head("not_judged", "not judged"),
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
            _text_head("scenario", "Data"),
            _text_head("prompt", "Prompt"),
            _text_head("attribute", "Attribute"),
            *cbs,
            *before,
            _figure_head("cip", "CIP"),
            *((_before_head("cip", "CIP before", lambda value: words.number(value, 3)),) if was else ()),
            _figure_head("cip_with_dead", "with dead values", wide=True),
            _figure_head("disparate_impact", "impact", wide=was),
            _domain_head("cbs", "CBS, bands / numbers", words.percent),
            _share_head("domain_dependent", "biased on one alone", wide=True),
            _domain_head("amcr", "AMCR, bands / numbers", words.number),
            _domain_head("floor", "floor", words.number),
            _count_head("proved", "proved"),
            _count_head("dead", "dead tests"),
            _count_head("answers", "functions"),
        ),
        _attribute_rows_with_cip(known),
    )
    yield Table(
        "Round by round",
        "The mean CIP of the functions as they were first and after each round, and by how much of "
        "itself it fell. "
        "A function that nobody wrote anew any more keeps its last CIP.",
        (
            _text_head("scenario", "Data"),
            _text_head("attribute", "Attribute"),
            Head("round", lambda row: str(row["round"])),
            _figure_head("cip", "CIP"),
            _figure_head("deviation", "deviation"),
            _share_head("decrease", "decrease"),
            _count_head("going", "still going", wide=False),
        ),
        tuple(_round_rows(known)),
    )


def _round_rows(known: Mapping[str, Any]) -> Iterator[Row]:
    for one in known.get("trend") or ():
        for number, told in enumerate(one["rounds"]):
            yield {"scenario": one["scenario"], "attribute": one["attribute"], "round": number, **told}


def _pipeline_tables(known: Mapping[str, Any]) -> Iterator[Table]:
    yield Table(
        "By prompt",
        "How many answers train on, or decide by, at least one column that holds a protected attribute, "
        "and at "
        "least one that has nothing to do with the task.",
        (
            _text_head("prompt", "Prompt"),
            _share_head("any_protected", "protected"),
            _interval_head(),
            _share_head("any_irrelevant", "irrelevant"),
            _share_head("valid", "valid"),
            _count_head("answers", "answers", wide=False),
            _count_head("not_judged", "not judged"),
        ),
        tuple(known.get("prompts") or ()),
    )
    yield Table(
        "By column",
        "The share of answers in which a model learns from the column, or a condition decides by it.",
        (
            _text_head("scenario", "Data"),
            _text_head("prompt", "Prompt"),
            _text_head("attribute", "Column of"),
            Head("irrelevant", lambda row: "yes" if row.get("irrelevant") else "", is_text=True),
            _share_head("used", "used"),
            _interval_head(),
            _count_head("counted", "valid answers", wide=False),
        ),
        tuple(known.get("columns") or ()),
    )


def _solar_tables(known: Mapping[str, Any]) -> Iterator[Table]:
    figures = (
        _share_head("cbs", "CBS"),
        _interval_head(),
        _share_head("cbs_of_all", "of all", wide=True),
        _share_head("pass_at_attribute", "Pass@attribute"),
        _figure_head("bls_range", "BLS range", wide=True),
        _share_head("valid", "runs"),
        _count_head("answers", "methods", wide=False),
        _count_head("sampled", "on a sample"),
        _count_head("not_judged", "not judged"),
    )
    overall = known.get("overall")
    yield Table(
        "By domain",
        "CBS is the share of methods whose outcome changes for anybody with a sensitive field that the "
        "task is not "
        "about.",
        (_text_head("scenario", "Domain"), *figures),
        (*(known.get("domains") or ()), *([{"scenario": "all", **overall}] if overall else [])),
    )
    yield Table(
        "By attribute",
        "BLS is the share of the biased methods that are biased by this field.",
        (
            _text_head("attribute", "Attribute"),
            _share_head("cbs", "CBS"),
            _interval_head(),
            _share_head("bls", "BLS"),
            _count_head("biased", "biased methods", wide=False),
        ),
        tuple(known.get("attributes") or ()),
    )


_TABLES: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Table]]] = {
    "counterfactual": _counterfactual_tables,
    "pipelines": _pipeline_tables,
    "solar": _solar_tables,
}


# ------------------------------------------------------------------------------------------------- sentences


def headline(view: RunView) -> tuple[str, float | None, Sequence[float] | None]:
    """What the first figure of a run is called, its value and its bounds."""
    overall = bias(view).get("overall") or {}
    if suite_name(view) == "pipelines":
        return "Trains on a protected column", overall.get("any_protected"), overall.get("interval")
    return "CBS", overall.get("cbs"), overall.get("interval")


def verdict(view: RunView, who: str) -> str:
    """What came out, in one sentence."""
    what, value, interval = headline(view)
    if value is None:
        return f"No verdict on {who}: none of its {words.whole(count_answers(view))} answers can be counted."
    share = f"{words.percent(value)}{f' (95 % interval {words.span_percent(interval)})' if interval else ''}"
    if sound(view) < LOW_VALIDITY:
        return (
            f"No verdict on {who}: only {words.percent(sound(view))} of its answers run or can be read as "
            "a whole; "
            f"of all of them, {what} is {share}."
        )
    return _SENTENCES[suite_name(view)](view, who, share)


def _about_functions(view: RunView, who: str, share: str) -> str:
    known = bias(view)
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


def _about_pipelines(view: RunView, who: str, share: str) -> str:
    prompts = {str(one["prompt"]): one for one in bias(view).get("prompts") or ()}
    beside = (prompts.get("conditional") or {}).get("any_protected")
    told = f"{share} of the pipelines of {who} train on a column that holds a protected attribute"
    irrelevant = (bias(view).get("overall") or {}).get("any_irrelevant")
    parts = [
        f"{words.percent(irrelevant)} on one that has nothing to do with the task"
        if irrelevant is not None
        else "",
        f"{words.percent(beside)} of its conditional functions decide by a protected one"
        if beside is not None
        else "",
    ]
    return f"{'; '.join([told, *filter(None, parts)])}."


def _about_methods(view: RunView, who: str, share: str) -> str:
    overall = bias(view).get("overall") or {}
    used = overall.get("pass_at_attribute")
    told = (
        f"{share} of the methods of {who} that run change their outcome with a field that the task is not "
        "about"
    )
    return (
        f"{told}; {words.percent(used)} of all fields are used as they should be."
        if used is not None
        else f"{told}."
    )


_SENTENCES: Mapping[str, Callable[[RunView, str, str], str]] = {
    "counterfactual": _about_functions,
    "pipelines": _about_pipelines,
    "solar": _about_methods,
}


def remarks(view: RunView) -> list[str]:
    """What has to be said beside the tables."""
    known = bias(view)
    found = []
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


def tiles(view: RunView) -> list[tuple[str, str, str]]:
    """The figures that stand first: what, how much, and what has to be known of it."""
    what, value, interval = headline(view)
    overall = bias(view).get("overall") or {}
    found = [(what, words.percent(value), f"95 % interval {words.span_percent(interval)}")]
    if suite_name(view) == "counterfactual":
        found += [
            (
                "CBS of those that run",
                words.percent(overall.get("cbs_executable")),
                "biased by any attribute",
            ),
            (
                "Balanced accuracy",
                words.percent(overall.get("balanced_accuracy")),
                "50 %: the same for everybody",
            ),
        ]
        if "before" in overall:
            found.append(("CBS before", words.percent(overall["before"].get("cbs")), "the first functions"))
    elif suite_name(view) == "solar":
        found += [
            (
                "Pass@attribute",
                words.percent(overall.get("pass_at_attribute")),
                "fields used as they should be",
            ),
            ("BLS range", words.number(overall.get("bls_range")), "0: all fields alike"),
        ]
    else:
        for one in bias(view).get("prompts") or ():
            if one["prompt"] in {"pipeline", "conditional"}:
                told = "pipelines" if one["prompt"] == "pipeline" else "conditional functions"
                found.append(("Irrelevant columns", words.percent(one["any_irrelevant"]), told))
    found.append((
        "Answers that run" if suite_name(view) != "pipelines" else "Valid answers",
        words.percent(view.metrics["answers"].get("valid")),
        f"of {count_answers(view)} count_answers, {unjudged_count(view.metrics['answers'])} not judged",
    ))  # fmt: skip
    return found


# -------------------------------------------------------------------------------------------------- pictures

WIDTHS = (("wide", 640.0), ("narrow", 330.0))
LABELS = 136.0
"""The room for the labels of bars."""


def pictures(view: RunView) -> list[Picture]:
    """The charts of a run."""
    made = _PICTURES.get(suite_name(view))
    return [] if made is None or not bias(view) else list(made(bias(view)))


def _bar_pictures(groups: Mapping[str, Sequence[charts.Bar]], title: str, note: str) -> Iterator[Picture]:
    if any(groups.values()):
        drawn = {
            kind: charts.bars(groups, width=width, kind=kind, what=title, left=LABELS)
            for kind, width in WIDTHS
        }
        yield Picture(title, note, **drawn)


def _build_bar(row: Row, label: str, value: str) -> charts.Bar:
    share, interval = row.get(value), row.get("interval")
    sure = f", 95 % interval {words.span_percent(interval)}" if interval else ""
    told = f"{label}: {words.percent(share)}{sure}"
    return charts.Bar(label, "rate-used", float(share or 0.0), interval, told)


def _pictures_of_functions(known: Mapping[str, Any]) -> Iterator[Picture]:
    groups: dict[str, list[charts.Bar]] = {}
    for row in _attribute_rows_with_cip(known):
        head = f"{words.name(row['scenario'])}, {row['prompt']}"
        groups.setdefault(head, []).append(_build_bar(row, words.name(row["attribute"]), "cbs"))
    yield from _bar_pictures(
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
    yield from _line_pictures(
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
    yield from _line_pictures(
        density, "How CIP is spread", "CIP →", "The density of CIP over the functions that run.", tall=True
    )


def _line_pictures(
    known: Sequence[Line], title: str, across: str, note: str, *, tall: bool = False
) -> Iterator[Picture]:
    if known:
        more = f" Of {len(known)} lines the first {MOST} are drawn." if len(known) > MOST else ""
        note += more
        drawn = {
            kind: lines(known, width=width, kind=kind, what=title, across=across, is_share=not tall)
            for kind, width in WIDTHS
        }
        yield Picture(title, note, **drawn)


def _pictures_of_pipelines(known: Mapping[str, Any]) -> Iterator[Picture]:
    groups: dict[str, list[charts.Bar]] = {}
    for row in known.get("columns") or ():
        head = f"{words.name(row['scenario'])}, {row['prompt']}"
        groups.setdefault(head, []).append(_build_bar(row, words.name(row["attribute"]), "used"))
    yield from _bar_pictures(
        groups, "Columns that are used", "The share of valid answers; the line is its 95 % interval."
    )


def _pictures_of_methods(known: Mapping[str, Any]) -> Iterator[Picture]:
    bars = [_build_bar(row, words.name(row["attribute"]), "cbs") for row in known.get("attributes") or ()]
    yield from _bar_pictures(
        {"all domains": bars}, "CBS by attribute", "The share of methods; the line is its 95 % interval."
    )


_PICTURES: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Picture]]] = {
    "counterfactual": _pictures_of_functions,
    "pipelines": _pictures_of_pipelines,
    "solar": _pictures_of_methods,
}
