"""Many models on one screen: the ranking as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from fairlint.bench.figures.both_scores import score_beside, score_names
from fairlint.bench.report import bias, verdicts, words
from fairlint.bench.report.figures import rank_of
from fairlint.bench.report.side_by_side import side_by_side
from fairlint.bench.report.terminal import (
    WIDTH,
    left_out_text,
    remove_columns,
    remove_wide_columns,
    table,
    table_cells,
    wrap_text,
)
from fairlint.bench.runs.view import (
    Pair,
    RunView,
    labels,
    overall,
    overall_interval,
    usage,
    usage_share,
    valid,
)

if TYPE_CHECKING:
    from fairlint.bench.figures.ranking import Ranked


NARROW = 60
"""Lines are no narrower than this, in columns of a terminal."""
GIVES_WAY = ("no rule", "E", "R", "used", "valid")
"""The columns that are left out of a ranking that is too wide, the first of them first."""


def standings(
    views: Sequence[RunView], ranked: Sequence[Ranked], pairs: Sequence[Pair] = (), *, columns: int = WIDTH
) -> Iterator[str]:
    """Yield a line a run, in lines of at most `columns` (between 60 and 100): the ranking, or what stands for
    it in other suites. Of a ranking that is wider some columns are left out, and it says which.
    """
    width = max(NARROW, min(WIDTH, columns))
    by_name = dict(zip(labels(views), views, strict=True))
    suite, protocol = views[0].metrics["suite"].get("name"), views[0].metrics["protocol"]
    yield from wrap_text(f"{words.runs_count_text(views)}  ({suite}, {protocol} protocol)", width)
    if ranked:
        yield from wrap_text(verdicts.standing_of(views, [*by_name], pairs), width)
        yield from _ranking_lines(ranked, by_name, width)
        return
    if any(bias.bias(view) for view in views):
        yield from table([_SHARE, *_share_rows(views, [*by_name])], "llrrrr", width)
        return
    yield from table([_USED, *_usage_rows(by_name)], "lrrrr", width)


def _ranking_lines(ranked: Sequence[Ranked], by_name: Mapping[str, RunView], width: int) -> Iterator[str]:
    ruled = any(one.without_rule is not None for one in ranked)
    titles = score_names(view.metrics["protocol"] for view in by_name.values())
    rows = [_ranking_row(one, by_name[one.label], titles) for one in ranked]
    if not ruled:
        remove_columns(rows, ["no rule"])
    yield from wrap_text(f"{titles[0]} with its 95 % interval, and {titles[1]}:", width)
    gone = remove_wide_columns(rows, GIVES_WAY, width)
    yield from table(table_cells(rows), f"l{'r' * (len(rows[0]) - 1)}", width)
    if ruled and "no rule" not in gone:
        yield from wrap_text(words.RULE, width)
    if gone:
        yield from wrap_text(left_out_text(gone), width)


_SHARE = ["", "figure", "share", "95 % interval", "valid", "answers"]
_USED = ["", "used", "95 % interval", "valid", "answers"]


def _ranking_row(one: Ranked, view: RunView, titles: Sequence[str]) -> dict[str, str]:
    """Head → cell."""
    means = overall(view) or {}
    leading, beside = (title.removeprefix("FairScore (").removesuffix(")") for title in titles)
    return {
        "": one.label,
        "rank": rank_of(one),
        leading: words.number(one.mean),
        "95 % interval": words.span(overall_interval(view)),
        beside: words.number(score_beside(means, view.metrics["protocol"])),
        "no rule": words.number(one.mean if one.without_rule is None else one.without_rule),
        "R": words.number(means.get("refusal_rate")),
        "E": words.number(means.get("entropy")),
        "valid": words.percent(one.valid),
        "used": words.percent(usage_share(view)),
    }


def _share_rows(views: Sequence[RunView], names: Sequence[str]) -> Iterator[list[str]]:
    for one in side_by_side(views):
        yield [
            names[one.run],
            one.figure,
            words.percent(one.value),
            words.span_percent(one.bounds),
            words.percent(one.valid),
            words.whole(one.answers),
        ]


def _usage_rows(by_name: Mapping[str, RunView]) -> Iterator[list[str]]:
    for name, view in by_name.items():
        bounds = usage(view)[0]["interval"] if usage(view) else None
        yield [
            name,
            words.percent(usage_share(view)),
            words.span_percent(bounds),
            words.percent(valid(view)),
            words.whole(view.metrics["answers"]["given"]),
        ]
