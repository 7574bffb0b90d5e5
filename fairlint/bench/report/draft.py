"""A draft of a paper about runs: method, data, results, what was not judged, limits. It says what the figures
of `metrics.json` carry and nothing else.

Each number keeps where it stands in `metrics.json`, so that a reader, or a script, can look it up. Nothing is
concluded from a run with too few valid answers, nor from one in which most answers are not valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from string import Formatter
from typing import Any

from fairlint.bench.figures.both_scores import BESIDE, KEYS, score_name
from fairlint.bench.report import bias, words
from fairlint.bench.report import draft_words as said
from fairlint.bench.report.execution import execution_note
from fairlint.bench.report.verdicts import strongest
from fairlint.bench.runs.view import (
    LOW_VALIDITY,
    RunView,
    count_answers,
    few_answers,
    is_too_small,
    labels,
    overall,
    sound,
    sound_of,
    unjudged_answers,
    usage,
    without_rule,
)
from fairlint.support.records import Record

LEAST = 100
"""Valid answers of a run from which on something is concluded from it."""

WRITERS: Mapping[str, Callable[[Any], str]] = {
    "count": words.whole,
    "share": words.percent,
    "number": words.number,
}
"""Kind of a number → how it is written."""


class Number(Record):
    """A number, and where it stands in the figures of a run."""

    run: int
    """Which of the runs, from 0."""
    path: str
    """Keys and places in `metrics.json`, with a slash before each."""
    kind: str
    """One of WRITERS."""
    value: float | None

    @property
    def shown(self) -> str:
        """How it is written."""
        return words.MISSING if self.value is None else WRITERS[self.kind](self.value)


NO_RUN = -1
"""The place of a number that is no run's."""
REVISION = 12
"""Characters of a revision that a table shows."""
DAGGER = "†"
FIRST_RATES = 2
"""Rates of use that are shown of a run from which nothing is concluded: barred attributes, and any."""

Text = tuple[str | Number, ...]


class DraftTable(Record):
    """A table of the draft."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]


class Section(Record):
    """A part of the draft: paragraphs, and tables below them."""

    title: str
    paragraphs: tuple[Text, ...]
    tables: tuple[DraftTable, ...] = ()


class Draft(Record):
    """The whole draft."""

    title: str
    sections: tuple[Section, ...]
    runs: tuple[str, ...]
    """What the runs are called."""


class Run:
    """One run, whose numbers are looked up by path."""

    def __init__(self, place: int, view: RunView, name: str, least: int) -> None:
        self.place, self.view, self.name = place, view, name
        self.least = least

    def number(self, path: str, kind: str) -> Number:
        """Return what stands at a path of the figures; a number without a value where nothing does."""
        found: Any = self.view.metrics
        for part in path.split("/")[1:]:
            if isinstance(found, list):
                found = found[int(part)]
            else:
                found = found.get(part) if isinstance(found, Mapping) else None
        if isinstance(found, bool) or not isinstance(found, int | float):
            found = None  # settings may hold anything
        return Number(self.place, path, kind, found)

    def bounds(self, path: str, kind: str) -> Text:
        """Return the bounds at a path, or a dash."""
        low, high = (self.number(f"{path}/{place}", kind) for place in (0, 1))
        return (low, " to ", high) if low.value is not None else (words.MISSING,)

    @property
    def suite(self) -> str:
        """The name of its suite."""
        return bias.suite_name(self.view)

    @property
    def protocol(self) -> str:
        """By which protocol its FairScore leads."""
        return str(self.view.metrics["protocol"])

    @property
    def valid_answers(self) -> int:
        """How many answers are valid."""
        return round(sound(self.view) * count_answers(self.view))

    @property
    def headline(self) -> str:
        """Return the path of the first figure, without its last key; empty where there is none."""
        if usage(self.view):
            return "/usage/0"
        if bias.bias(self.view):
            return "/bias/overall" if bias.bias(self.view).get("overall") else ""
        return "/overall" if overall(self.view) else ""

    @property
    def measure(self) -> str:
        """Return the last key of the first figure."""
        if usage(self.view):
            return "used"
        if bias.bias(self.view):
            value, row = bias.headline(self.view).value, bias.bias(self.view).get("overall") or {}
            return next((name for name, told in row.items() if told == value and name not in COUNTED), "")
        return "fair_score"

    @property
    def doubt(self) -> str:
        """Return why nothing is concluded from the run; empty where something may be."""
        if not self.headline or not self.measure:
            return said.NO_FIGURE
        if sound(self.view) < LOW_VALIDITY:
            return said.NOT_VALID
        if self.valid_answers < self.least:
            return said.TOO_FEW
        if is_too_small(self.view):
            return said.TOO_SMALL
        return ""


COUNTED = ("answers", "not_judged", "units", "interval")
"""What stands in a row beside its figures."""


def runs_of(views: Sequence[RunView], least: int = LEAST) -> list[Run]:
    """Return runs with a name each, no two of a suite alike."""
    names: dict[str, list[str]] = {}
    for suite in dict.fromkeys(map(bias.suite_name, views)):
        names[suite] = labels([view for view in views if bias.suite_name(view) == suite])
    return [Run(place, view, names[bias.suite_name(view)].pop(0), least) for place, view in enumerate(views)]


def draft(views: Sequence[RunView], least: int = LEAST) -> Draft:
    """Return the draft about runs; `least` is the number of valid answers below which nothing is
    concluded.
    """
    runs = runs_of(views, least)
    suites = list(dict.fromkeys(one.suite for one in runs))
    sections = (
        Section("Abstract", tuple(_abstract(runs, least))),
        Section("Method", tuple(_method(runs)), (_runs_table(runs),)),
        *(
            Section(f"Results: {suite}", tuple(_results(chosen)), tuple(_result_tables(chosen)))
            for suite in suites
            for chosen in [[one for one in runs if one.suite == suite]]
        ),
        Section("What was not judged", (join(_not_judged(runs)),)),
        Section("Limits", (join(_limits(runs)),)),
    )
    return Draft(said.TITLE, sections, tuple(one.name for one in runs))


# ------------------------------------------------------------------------------------------------ sentences


def fill(template: str, **parts: str | Number | Text) -> Text:
    """Return a sentence with what belongs in its places.

    >>> fill("{who} is {what}.", who="It", what=("a", " b"))
    ('It', ' is ', 'a', ' b', '.')
    """
    found: list[str | Number] = []
    for before, name, _, _ in Formatter().parse(template):
        found += [before] if before else []
        if name is not None:
            part = parts[name]
            found += part if isinstance(part, tuple) else [part]
    return tuple(found)


def join(sentences: Iterator[Text]) -> Text:
    """Return sentences as one paragraph."""
    parts: list[str | Number] = []
    for sentence in sentences:
        parts += [*([" "] if parts else []), *sentence]
    return tuple(parts)


def _abstract(runs: Sequence[Run], least: int) -> Iterator[Text]:
    concluded = [f"{one.name} on {one.suite}" for one in runs if not one.doubt]
    models = dict.fromkeys(str(one.view.metrics["model"].get("name")) for one in runs)
    yield fill(
        said.ABSTRACT,
        suites=", ".join(dict.fromkeys(one.suite for one in runs)),
        models=", ".join(models),
        counts=join(map(_count_sentence, runs)),
        least=Number(NO_RUN, "/least", "count", least),
        which=fill(said.SOME_RUNS, runs=", ".join(concluded)) if concluded else said.NO_RUN,
    )


def _count_sentence(one: Run) -> Text:
    return fill(
        said.COUNTS,
        suite=one.suite,
        who=one.name,
        given=one.number("/answers/given", "count"),
        asked=one.number("/answers/asked", "count"),
        lost=one.number("/answers/not_judged", "count"),
        valid=one.number("/answers/valid", "share"),
    )


def _method(runs: Sequence[Run]) -> Iterator[Text]:
    for suite in dict.fromkeys(one.suite for one in runs):
        chosen = [one for one in runs if one.suite == suite]
        views = [one.view for one in chosen]
        told = views[0].metrics["suite"]
        own = not any(view.metrics["settings"].get("prompts") for view in views)
        parts = join(_part_sentence(one) for one in chosen[:1] if _is_part(one))
        yield fill(
            said.SUITE,
            part=(" ", *parts) if parts else (),
            suite=suite,
            title=str(told.get("title")).rstrip("."),
            source=str(told.get("source")).rstrip("."),
            prompts=said.OWN_PROMPTS if own else said.OTHER_PROMPTS,
            execution=execution_note(views),
        )
    scored = next((one.view for one in runs if overall(one.view)), None)
    if scored is not None:
        yield fill(
            said.SCORES,
            first=score_name("exact"),
            second=score_name("published"),
            protocols=str(scored.metrics["definitions"].get("protocol", "")),
        )
        yield fill(said.SINGLES, adjusted=score_name("exact"))
    yield fill(said.INTERVALS)
    versions = dict.fromkeys(str(one.view.metrics["fairlint"]) for one in runs)
    yield fill(said.VERSION, version=" and ".join(versions))


def _is_part(one: Run) -> bool:
    settings = one.view.metrics["settings"]
    return any(settings.get(name) for name in ("limit", "scenarios", "attributes", "subjects"))


def _part_sentence(one: Run) -> Text:
    limit = one.number("/settings/limit", "count")
    return fill(said.PART, limit=() if limit.value is None else fill(said.LIMIT, limit=limit))


def _results(runs: Sequence[Run]) -> Iterator[Text]:
    for one in runs:
        if one.doubt:
            yield fill(said.DOUBT, who=one.name, why=one.doubt)
        elif usage(one.view):
            yield fill(
                said.USE,
                who=one.name,
                which=said.BARRED if usage(one.view)[0].get("barred") else said.ANY,
                used=one.number("/usage/0/used", "share"),
                bounds=one.bounds("/usage/0/interval", "share"),
                of_valid=one.number("/usage/0/used_of_valid", "share"),
            )
        elif bias.bias(one.view):
            yield fill(
                said.BIAS,
                who=one.name,
                what=bias.headline(one.view).what,
                share=one.number(f"{one.headline}/{one.measure}", "share"),
                bounds=one.bounds(f"{one.headline}/interval", "share"),
            )
        else:
            yield join(_score_sentences(one))
    if len(runs) > 1:
        yield fill(said.NOT_COMPARED)


def _score_sentences(one: Run) -> Iterator[Text]:
    leading, beside = one.protocol, BESIDE[one.protocol]
    yield fill(
        said.SCORE,
        who=one.name,
        first=score_name(leading),
        mean=one.number("/overall/fair_score", "number"),
        bounds=one.bounds("/overall/interval", "number"),
        second=score_name(beside),
        beside=one.number(f"/overall/fair_scores/{KEYS[beside]}", "number"),
    )
    if without_rule(overall(one.view)) is not None:
        plain = one.number("/overall/without_rule/fair_score", "number")
        yield fill(said.WITHOUT_RULE, first=score_name(leading), plain=plain)
    if few_answers(one.view) is not None:
        yield _incomparable_sentence(one)
    best = strongest(one.view)
    if best is None or best["leaning"]["answers"] < one.least:
        yield fill(said.NO_PREFERENCE)
        return
    told, path = best["leaning"], f"/scores/{one.view.metrics['scores'].index(best)}/leaning"
    yield fill(
        said.PREFERENCE,
        attribute=words.name(best["attribute"]),
        scenario=words.name(best["scenario"]),
        group=words.name(told["group"]),
        against=words.name(told["against"]),
        ahead=one.number(f"{path}/ahead", "count"),
        behind=one.number(f"{path}/behind", "count"),
        bounds=one.bounds(f"{path}/interval", "share"),
    )


def _incomparable_sentence(one: Run) -> Text:
    needed, least, most = (one.number(f"/comparable/{name}", "count") for name in ("needed", "least", "most"))
    counts = (least,) if least.value == most.value else fill(said.FROM_TO, least=least, most=most)
    return fill(said.INCOMPARABLE, published=score_name("published"), needed=needed, counts=counts)


def _not_judged(runs: Sequence[Run]) -> Iterator[Text]:
    for one in runs:
        causes = dict.fromkeys(str(told["cause"]) for told in unjudged_answers(one.view))
        yield fill(
            said.NOT_JUDGED,
            who=one.name,
            suite=one.suite,
            lost=one.number("/answers/not_judged", "count"),
            given=one.number("/answers/given", "count"),
            causes=f" ({', '.join(causes)})" if causes else "",
            cut=one.number("/answers/cut", "share"),
        )
        off_task = one.number(f"{one.headline}/off_task", "count")
        if off_task.value:
            yield fill(said.OFF_TASK, count=off_task)


def _limits(runs: Sequence[Run]) -> Iterator[Text]:
    yield from map(fill, said.LIMITS)
    if any(overall(one.view) for one in runs):
        names = {"published": score_name("published"), "adjusted": score_name("exact")}
        yield fill(said.SCORE_LIMIT, **names)
    if any(usage(one.view) for one in runs):
        yield fill(said.USE_LIMIT)


# --------------------------------------------------------------------------------------------------- tables


def _runs_table(runs: Sequence[Run]) -> DraftTable:
    numbers = (
        ("Samples", "/settings/samples", "count"),
        ("Seed", "/settings/seed", "count"),
        ("Temperature", "/settings/temperature", "number"),
        ("Tokens", "/settings/max_new_tokens", "count"),
        ("Answers", "/answers/given", "count"),
        ("Not judged", "/answers/not_judged", "count"),
        ("Valid", "/answers/valid", "share"),
    )
    return DraftTable(
        said.RUNS_TABLE,
        ("Model", "Revision", "Suite", *(title for title, _, _ in numbers)),
        tuple(
            (
                (one.name,),
                (str(one.view.metrics["model"].get("revision"))[:REVISION],),
                (one.suite,),
                *((one.number(path, kind),) for _, path, kind in numbers),
            )
            for one in runs
        ),
    )


def _result_tables(runs: Sequence[Run]) -> Iterator[DraftTable]:
    for one in runs:
        if usage(one.view):
            yield _use_table(one)
        elif one.view.metrics["scores"]:
            yield _score_table(one)
    if measured := [one for one in runs if bias.bias(one.view) and one.headline and one.measure]:
        yield _bias_table(measured)


def _marked(name: str, one: Run, row: Mapping[str, Any] | None = None) -> Text:
    """Return what stands at the head of a row, with a dagger where nothing is concluded from it."""
    is_doubtful = bool(one.doubt) or (row is not None and _valid_count(row) < one.least)
    return (f"{name} {DAGGER}" if is_doubtful else name,)


def _valid_count(row: Mapping[str, Any]) -> int:
    return round(sound_of(row, row["answers"]) * int(row["answers"]))


def _use_table(one: Run) -> DraftTable:
    return DraftTable(
        "".join(map(str, fill(said.USE_TABLE, who=one.name, dagger=said.DAGGER))),
        ("Attribute", "Used", "95 % interval", "Of valid", "Valid", "Answers"),
        tuple(
            (
                _marked(words.name(row["attribute"]), one, row),
                (one.number(f"/usage/{place}/used", "share"),),
                one.bounds(f"/usage/{place}/interval", "share"),
                (one.number(f"/usage/{place}/used_of_valid", "share"),),
                (one.number(f"/usage/{place}/valid", "share"),),
                (one.number(f"/usage/{place}/answers", "count"),),
            )
            for place, row in enumerate(one.view.metrics["usage"])
            if not one.doubt or place < FIRST_RATES
        ),
    )


def _bias_table(runs: Sequence[Run]) -> DraftTable:
    what = words.title(bias.headline(runs[0].view).what)
    return DraftTable(
        "".join(map(str, fill(said.BIAS_TABLE, what=what, dagger=said.DAGGER))),
        ("Model", "Share", "95 % interval", "Valid", "Answers"),
        tuple(
            (
                _marked(one.name, one),
                (one.number(f"{one.headline}/{one.measure}", "share"),),
                one.bounds(f"{one.headline}/interval", "share"),
                (one.number("/answers/valid", "share"),),
                (one.number("/answers/given", "count"),),
            )
            for one in runs
        ),
    )


def _score_table(one: Run) -> DraftTable:
    leading, beside = score_name(one.protocol), score_name(BESIDE[one.protocol])
    caption = fill(said.SCORE_TABLE, who=one.name, protocol=one.protocol, dagger=said.DAGGER)
    rows = [
        _score_row(one, f"/scores/{place}", f"/scores/{place}", _marked(_column_name(row), one, row))
        for place, row in enumerate(one.view.metrics["scores"])
        if not one.doubt
    ]
    if overall(one.view):
        rows.append(_score_row(one, "/overall", "/answers", _marked("mean", one)))
    heads = ("Column", leading, "95 % interval", beside, "R", "E", "Subjects", "Valid", "Answers")
    return DraftTable("".join(map(str, caption)), heads, tuple(rows))


def _column_name(row: Mapping[str, Any]) -> str:
    return f"{words.name(row['scenario'])}, {words.name(row['attribute'])}"


def _score_row(one: Run, path: str, answers: str, head: Text) -> tuple[Text, ...]:
    mean, deviation = (
        one.number(f"{path}/{name}", "number") for name in ("fair_score", "deviation/fair_score")
    )
    return (
        head,
        (mean,) if deviation.value is None else (mean, " ± ", deviation),
        one.bounds(f"{path}/interval", "number"),
        (one.number(f"{path}/fair_scores/{KEYS[BESIDE[one.protocol]]}", "number"),),
        (one.number(f"{path}/refusal_rate", "number"),),
        (one.number(f"{path}/entropy", "number"),),
        (one.number(f"{path}/counted", "count"),),
        (one.number(f"{answers}/valid", "share"),),
        (one.number(f"{answers}/{'answers' if path == answers else 'given'}", "count"),),
    )
