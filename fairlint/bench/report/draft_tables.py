"""The tables of a draft of a paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fairlint.bench.figures.both_scores import BESIDE, KEYS, score_name
from fairlint.bench.report import bias, words
from fairlint.bench.report import draft_words as said
from fairlint.bench.report.draft_parts import (
    DAGGER,
    FIRST_RATES,
    NO_RUN,
    DraftTable,
    Number,
    Run,
    Text,
    fill,
)
from fairlint.bench.runs.view import (
    has_pooled_means,
    overall,
    usage,
)

SEED = "/settings/seed"


def runs_table(runs: Sequence[Run]) -> DraftTable:
    """Return what was asked in each run, and how many answers came."""
    numbers = (
        ("Samples", "/settings/samples", "count"),
        ("Seed", SEED, "count"),
        ("Temperature", "/settings/temperature", "number"),
        ("Tokens", "/settings/max_new_tokens", "count"),
        ("Answers", "/answers/given", "count"),
        ("Not judged", "/answers/not_judged", "count"),
        ("Valid", "/answers/valid", "share"),
    )
    return DraftTable(
        said.RUNS_TABLE,
        ("Run", "Model", "Revision", "Suite", *(title for title, _, _ in numbers)),
        tuple(
            (
                (Number(NO_RUN, f"/runs/{one.place}", "count", one.place),),
                (said.KEPT.format(name=one.name) if one.is_replay else one.name,),
                (words.short_revision(str(one.view.metrics["model"].get("revision"))),),
                (one.suite,),
                *(_setting_cell(one, path, kind) for _, path, kind in numbers),
            )
            for one in runs
        ),
    )


def _setting_cell(one: Run, path: str, kind: str) -> Text:
    """Return a number of a run; a dash for the seed of kept answers, which were not drawn by it."""
    return (words.MISSING,) if one.is_replay and path == SEED else (one.number(path, kind),)


def result_tables(runs: Sequence[Run]) -> Iterator[DraftTable]:
    """Yield the figures of runs of one suite."""
    for one in runs:
        if usage(one.view):
            yield _use_table(one)
        elif one.view.metrics["scores"]:
            yield _score_table(one)
    if measured := [one for one in runs if bias.bias(one.view) and one.headline and one.measure]:
        yield _bias_table(measured)


def _reasons(one: Run, row: Mapping[str, Any] | None = None) -> tuple[str, ...]:
    """Return why nothing is concluded from a row, each with the letter that marks it."""
    return (*([said.OF_RUN] if one.doubt else []), *(one.row_doubts(row) if row else ()))


def _marked(name: str, reasons: Sequence[str]) -> Text:
    """Return what stands at the head of a row, with a dagger and letters where nothing is concluded."""
    letters = ", ".join(reason.partition(":")[0] for reason in reasons)
    return (f"{name} {DAGGER} {letters}" if reasons else name,)


def _legend(reasons: Iterable[Sequence[str]]) -> str:
    """Return what the dagger and the letters mean that stand in a table; nothing where none does."""
    found = sorted({reason for row in reasons for reason in row})
    return said.DAGGER.format(reasons="; ".join(found)) if found else ""


def _use_table(one: Run) -> DraftTable:
    rows = [
        (place, row, _reasons(one, row))
        for place, row in enumerate(one.view.metrics["usage"])
        if not one.doubt or place < FIRST_RATES
    ]
    dagger = _legend(reasons for _, _, reasons in rows)
    barred = said.BARRED_ROW.format(names=one.barred) if one.barred else ""
    return DraftTable(
        "".join(map(str, fill(said.USE_TABLE, who=one.name, barred=barred, dagger=dagger))).rstrip(),
        ("Attribute", "Used", "95 % interval", "Of valid", "95 % interval", "Valid", "Answers"),
        tuple(
            (
                _marked(words.name(row["attribute"]), reasons),
                (one.number(f"/usage/{place}/used", "share"),),
                one.bounds(f"/usage/{place}/interval", "share"),
                (one.number(f"/usage/{place}/used_of_valid", "share"),),
                one.bounds(f"/usage/{place}/of_valid_interval", "share"),
                (one.number(f"/usage/{place}/valid", "share"),),
                (one.number(f"/usage/{place}/answers", "count"),),
            )
            for place, row, reasons in rows
        ),
    )


def _bias_table(runs: Sequence[Run]) -> DraftTable:
    what, counted = words.title(bias.headline(runs[0].view).what), bias.report_of(runs[0].view).counted
    dagger = _legend(map(_reasons, runs))
    return DraftTable(
        "".join(map(str, fill(said.BIAS_TABLE, what=what, counted=counted, dagger=dagger))).rstrip(),
        ("Model", "Share", "95 % interval", "Valid", "Answers"),
        tuple(
            (
                _marked(one.name, _reasons(one)),
                (one.number(f"{one.headline}/{one.measure}", "share"),),
                one.bounds(f"{one.headline}/interval", "share"),
                *_count_cells(one),
            )
            for one in runs
        ),
    )


def _count_cells(one: Run) -> tuple[Text, ...]:
    """Return the share of valid answers and how many answers there are: of those that the first figure is
    about, where it says so.
    """
    if one.has_own_counts:
        return (one.number(f"{one.headline}/valid", "share"),), (
            one.number(f"{one.headline}/answers", "count"),
        )
    return (one.number("/answers/valid", "share"),), (one.number("/answers/given", "count"),)


def _score_table(one: Run) -> DraftTable:
    leading, beside = score_name(one.protocol), score_name(BESIDE[one.protocol])
    columns = [(row, _reasons(one, row)) for row in one.view.metrics["scores"]]
    dagger = _legend((*(reasons for _, reasons in columns), _reasons(one)))
    pooled = said.POOLED if has_pooled_means(one.view) else said.OF_COLUMNS
    caption = fill(said.SCORE_TABLE, who=one.name, protocol=one.protocol, pooled=pooled, dagger=dagger)
    rows = [
        _score_row(one, f"/scores/{place}", f"/scores/{place}", _marked(_column_name(row), reasons))
        for place, (row, reasons) in enumerate(columns)
    ]
    if overall(one.view):
        rows.append(_score_row(one, "/overall", "/answers", _marked("overall", _reasons(one))))
    heads = ("Column", leading, "95 % interval", beside, "R", "E", "Subjects", "Valid", "Answers")
    return DraftTable("".join(map(str, caption)).rstrip(), heads, tuple(rows))


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
