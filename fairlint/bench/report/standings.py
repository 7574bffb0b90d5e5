"""Many models on one screen: the ranking as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from fairlint.bench.report import words
from fairlint.bench.report.figures import rank_of
from fairlint.bench.report.terminal import table, wrapped
from fairlint.bench.report.view import Pair, RunView, labels, overall, overall_interval, usage, used, valid

if TYPE_CHECKING:
    from fairlint.bench.ranking import Ranked


def standings(
    views: Sequence[RunView], ranked: Sequence[Ranked], pairs: Sequence[Pair] = ()
) -> Iterator[str]:
    """A line a model, in lines of at most 100 columns: the ranking, or what stands for it in other suites."""
    by_name = dict(zip(labels(views), views, strict=True))
    suite, protocol = views[0].metrics["suite"].get("name"), views[0].metrics["protocol"]
    yield from wrapped(f"{len(views)} models  ({suite}, {protocol} protocol)")
    if ranked:
        yield from wrapped(words.standing_of(views, [*by_name], pairs))
        ruled = any(one.without_rule is not None for one in ranked)
        rows = [_heads(ruled=ruled), *(_row(one, by_name[one.label], ruled=ruled) for one in ranked)]
        yield from table(rows, "lrrrrrrrr" if ruled else "lrrrrrrr")
        if ruled:
            yield from wrapped(words.RULE)
        return
    yield from table([_USED, *_used(by_name)], "lrrrr")


def _heads(*, ruled: bool) -> list[str]:
    return ["", "rank", "FairScore", "95 % interval", *["no rule"] * ruled, "R", "E", "valid", "used"]


_USED = ["", "used", "95 % interval", "valid", "answers"]


def _row(one: Ranked, view: RunView, *, ruled: bool) -> list[str]:
    means = overall(view) or {}
    return [
        one.label,
        rank_of(one),
        words.number(one.mean),
        words.span(overall_interval(view)),
        *[words.number(one.mean if one.without_rule is None else one.without_rule)] * ruled,
        words.number(means.get("refusal_rate")),
        words.number(means.get("entropy")),
        words.percent(one.valid),
        words.percent(used(view)),
    ]


def _used(by_name: Mapping[str, RunView]) -> Iterator[list[str]]:
    for name, view in by_name.items():
        bounds = usage(view)[0]["interval"] if usage(view) else None
        yield [
            name,
            words.percent(used(view)),
            words.span_percent(bounds),
            words.percent(valid(view)),
            words.whole(view.metrics["answers"]["given"]),
        ]
