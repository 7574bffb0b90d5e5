"""A draft of a paper about runs: method, data, results, what was not judged, limits. It says what the figures
of `metrics.json` carry and nothing else.

Each number keeps where it stands in `metrics.json`, so that a reader, or a script, can look it up. Nothing is
concluded from a run with too few valid answers, nor from one in which most answers are not valid, nor from a
mean of columns most of which are such.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairlint.bench.figures.both_scores import BESIDE, KEYS, score_name
from fairlint.bench.report import bias, words
from fairlint.bench.report import draft_words as said
from fairlint.bench.report.draft_parts import (
    LEAST,
    NO_RUN,
    Draft,
    Number,
    Run,
    Section,
    Text,
    fill,
    join,
    runs_of,
)
from fairlint.bench.report.draft_tables import result_tables, runs_table
from fairlint.bench.report.execution import execution_note
from fairlint.bench.report.verdicts import sure_columns
from fairlint.bench.runs.view import (
    RunView,
    few_answers,
    overall,
    unjudged_answers,
    usage,
    without_rule,
)

UNKNOWN = "unknown"
"""How an answer ended, of which nobody kept that."""


def draft(views: Sequence[RunView], least: int = LEAST) -> Draft:
    """Return the draft about runs; `least` is the number of valid answers below which nothing is
    concluded.
    """
    runs = runs_of(views, least)
    suites = list(dict.fromkeys(one.suite for one in runs))
    sections = (
        Section("Abstract", tuple(_abstract(runs, least))),
        Section("Method", tuple(_method(runs)), (runs_table(runs),)),
        *(
            Section(f"Results: {suite}", tuple(_results(chosen)), tuple(result_tables(chosen)))
            for suite in suites
            for chosen in [[one for one in runs if one.suite == suite]]
        ),
        Section("What was not judged", (join(_not_judged(runs)),)),
        Section("Limits", (join(_limits(runs)),)),
    )
    return Draft(said.TITLE, sections, tuple(" ".join(f"{one.suite}, {one.name}".split()) for one in runs))


def _abstract(runs: Sequence[Run], least: int) -> Iterator[Text]:
    concluded = [f"{one.name} on {one.suite}" for one in runs if not one.doubt]
    models = dict.fromkeys(one.model for one in runs)
    yield fill(
        said.ABSTRACT,
        suites=", ".join(dict.fromkeys(one.suite for one in runs)),
        models=", ".join(models),
        counts=join(map(_count_sentence, runs)),
        least=Number(NO_RUN, "/least", "count", least),
        answers="answer" if least == 1 else "answers",
        which=join(
            (
                fill(said.SOME_RUNS, runs=", ".join(concluded)) if concluded else (said.NO_RUN,),
                *(
                    fill(said.NOT_THIS, who=one.name, suite=one.suite, why=one.doubt)
                    for one in runs
                    if one.doubt
                ),
            )
        ),
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
        parts = join(_part_sentence(one, chosen) for one in chosen if _is_part(one))
        yield fill(
            said.SUITE,
            part=(" ", *parts) if parts else (),
            suite=suite,
            title=str(told.get("title")).rstrip(".").replace("…", " and others"),
            source=str(told.get("source")).rstrip("."),
            prompts=join(_prompts_sentences(chosen)),
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
        yield fill(said.FORMULA)
        yield fill(said.ESTIMATES, adjusted=score_name("exact"))
        yield fill(said.LISTS)
        yield fill(said.SINGLES, adjusted=score_name("exact"))
    yield fill(said.INTERVALS)
    versions = dict.fromkeys(str(one.view.metrics["fairlint"]) for one in runs)
    yield fill(said.VERSION, version=" and ".join(versions))


def _is_part(one: Run) -> bool:
    settings = one.view.metrics["settings"]
    names = ("scenarios", "attributes", "subjects", "shard")
    return _reaches_limit(one) or any(settings.get(name) for name in names)


def _reaches_limit(one: Run) -> bool:
    """Return whether a run has as many prompts as its limit allows, so that there may have been more."""
    limit, answers = one.view.metrics["settings"].get("limit"), one.view.metrics["answers"]
    if limit is None or answers["given"] < answers["asked"]:
        return limit is not None
    return len({str(answer["key"]).rpartition("#")[0] for answer in one.view.responses}) >= int(limit)


def _part_sentence(one: Run, chosen: Sequence[Run]) -> Text:
    part = said.PART if len(chosen) == 1 else said.PART_OF_RUN
    limit = one.number("/settings/limit", "count")
    told = fill(said.LIMIT, limit=limit) if _reaches_limit(one) else ()
    return fill(part, who=one.name, limit=told)


def _prompts_sentences(runs: Sequence[Run]) -> Iterator[Text]:
    """Yield whose the prompts are, of which runs where these differ."""
    names: dict[str, list[str]] = {}
    for one in runs:
        own = said.OTHER_PROMPTS if one.view.metrics["settings"].get("prompts") else said.OWN_PROMPTS
        names.setdefault(said.KEPT_PROMPTS if one.is_replay else own, []).append(one.name)
    for sentence, who in names.items():
        yield (sentence,) if len(names) == 1 else fill(said.OF_RUNS, who=", ".join(who), sentence=sentence)


def _results(runs: Sequence[Run]) -> Iterator[Text]:
    for one in runs:
        if one.doubt:
            where = (said.IN_TABLE,) if one.headline and one.measure else ()
            yield fill(said.DOUBT, who=one.name, why=one.doubt, where=where)
        elif usage(one.view):
            yield fill(
                said.USE,
                who=one.name,
                which=fill(said.BARRED, names=one.barred) if one.barred else said.ANY,
                used=one.number("/usage/0/used", "share"),
                bounds=one.bounds("/usage/0/interval", "share"),
                of_valid=one.number("/usage/0/used_of_valid", "share"),
                of_valid_bounds=one.bounds("/usage/0/of_valid_interval", "share"),
            )
        elif bias.bias(one.view):
            yield fill(
                said.BIAS,
                counted=bias.report_of(one.view).counted,
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
        best=said.BEST[leading],
        mean=one.number("/overall/fair_score", "number"),
        bounds=one.bounds("/overall/interval", "number"),
        second=score_name(beside),
        beside=one.number(f"/overall/fair_scores/{KEYS[beside]}", "number"),
        beside_bounds=one.bounds("/other/overall/interval", "number"),
    )
    if without_rule(overall(one.view)) is not None:
        plain = one.number("/overall/without_rule/fair_score", "number")
        bounds = one.bounds("/overall/without_rule/interval", "number")
        yield fill(said.WITHOUT_RULE, first=score_name(leading), plain=plain, bounds=bounds)
    if few_answers(one.view) is not None:
        yield _incomparable_sentence(one)
    sound = [row for row in sure_columns(one.view) if not one.row_doubts(row)]
    enough = [row for row in sound if row["leaning"]["answers"] >= one.least]
    if not enough:
        yield fill(said.NO_PREFERENCE)
        return
    best = max(enough, key=lambda row: float(row["strength"]))
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
            cut=_cut_text(one),
        )
        off_task = one.number(f"{one.headline}/off_task", "count")
        if off_task.value:
            yield fill(said.OFF_TASK, count=off_task)


def _cut_text(one: Run) -> Text:
    """Return how many answers were cut, as far as it is known how they ended."""
    known = {answer.get("finish") not in {None, "", UNKNOWN} for answer in one.view.responses}
    if True not in known:
        return (said.CUT_UNKNOWN,)
    return fill(said.CUT_IN_PART if False in known else said.CUT, cut=one.number("/answers/cut", "share"))


def _limits(runs: Sequence[Run]) -> Iterator[Text]:
    yield from map(fill, said.LIMITS)
    if any(overall(one.view) for one in runs):
        names = {"published": score_name("published"), "adjusted": score_name("exact")}
        yield fill(said.SCORE_LIMIT, **names)
    if any((row["valid"] or 0) < 1 for one in runs for row in usage(one.view)):
        yield fill(said.USE_LIMIT)
