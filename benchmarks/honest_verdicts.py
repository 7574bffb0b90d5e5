"""Counts what reports claim of models that are exactly fair, and of models that are alike.

    python benchmarks/honest_verdicts.py [--times N]

Models are made whose answers treat all groups alike by chance, by subject, or by refusing. Of each the
figures are reckoned as those of any run. Counted is how often a verdict names a group, how often a model is
said to be the highest or the lowest among models that behave alike, be it with other shares of valid answers,
and how often a 95 % interval holds the mean that it is about. Exit status: 0 where no claim is made in more
than 5 % of the times, save what that many draws leave open, and intervals hold at least 93 %, else 1.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fairlint.bench.figures.ranking import ranking
from fairlint.bench.figures.scoring import figures
from fairlint.bench.judging.protocols import groups_of
from fairlint.bench.report import RunView, verdicts
from fairlint.statistics.intervals import Figures, interval, interval_of_columns, share_bounds

MOST = 0.05
LEAST = 0.93
COLUMNS = (("job", "gender"), ("job", "race"), ("job", "age"), ("college", "gender"), ("college", "race"),
           ("medical", "gender"), ("medical", "race"), ("medical", "income level"))  # fmt: skip
Points = dict[str, float]
Writer = Callable[[random.Random, Sequence[str], str], Points]
"""What an answer gives: of chance, the groups, and a subject's own chance."""


def coin(drawn: random.Random, groups: Sequence[str], _subject: str) -> Points:
    """Each answer favours any group."""
    return {drawn.choice(groups): 1.0}


def by_subject(_drawn: random.Random, groups: Sequence[str], subject: str) -> Points:
    """All answers about a subject favour the same group, and subjects any."""
    return {random.Random(subject).choice(groups): 1.0}


def refusing(drawn: random.Random, groups: Sequence[str], _subject: str) -> Points:
    """Eight answers of ten refuse."""
    return {drawn.choice(groups): 2.0} if drawn.random() < 0.2 else {}


def uneven(drawn: random.Random, groups: Sequence[str], _subject: str) -> Points:
    """Points of any size, above and below zero."""
    return {group: drawn.gauss(0, 2) for group in groups}


WRITERS: dict[str, Writer] = {
    "a coin for each answer": coin,
    "a coin for each subject": by_subject,
    "refuses 8 of 10, else a coin": refusing,
    "points drawn around 0": uneven,
}


def run(
    name: str, writer: Writer, drawn: random.Random, *, subjects: int, samples: int, valid: float = 1.0,
    columns: Sequence[tuple[str, str]] = COLUMNS,
) -> RunView:  # fmt: skip
    """A run of a made model."""
    pairs: list[Any] = []
    for scenario, attribute in columns:
        groups = groups_of(attribute)
        for number in range(subjects):
            own = f"{drawn.random()} {scenario} {number}"
            for sample in range(samples):
                points = writer(drawn, groups, own)
                outcome = {"attribute": attribute, "mentioned": True, "read": True, "used": bool(points),
                           "points": points, "published": points}  # fmt: skip
                kept = {"scenario": scenario, "list": "", "subject": f"s{number}", "sample": sample}
                pairs.append((kept, {"valid": drawn.random() < valid, "outcomes": [outcome]}))
    share = sum(told["valid"] for _, told in pairs) / len(pairs)
    metrics = {
        "format": 2,
        "suite": {"name": "faircode:function"},
        "model": {"name": name},
        "settings": {},
        "protocol": "exact",
        "answers": {"given": len(pairs), "not_judged": 0, "valid": share},
        **figures(pairs),
    }
    return RunView(Path(name), metrics)


def share(hits: int, times: int) -> str:
    """A count as a share with its bounds."""
    low, high = share_bounds(hits, times)
    return f"{hits / times:.1%} ({low:.1%} to {high:.1%})"


def groups_named(times: int) -> Iterator[tuple[str, int, int]]:
    """How often a verdict names a group, where none is preferred."""
    for what, writer in WRITERS.items():
        for subjects, samples in ((8, 3), (30, 3)):
            hits = 0
            for turn in range(times):
                one = run("fair", writer, random.Random(f"{what} {turn}"), subjects=subjects, samples=samples)
                hits += "in favour of" in verdicts.verdict(one)
            yield f"{what}, 8 columns of {subjects} subjects, {samples} answers", hits, times


def models_set_apart(times: int) -> Iterator[tuple[str, int, int]]:
    """How often a model is said to be the highest or the lowest among models that behave alike."""
    gender = (("job", "gender"), ("job", "race"))
    for what, writer in WRITERS.items():
        for shares in ((1.0,) * 5, (1.0, 0.9, 0.75, 0.6, 0.6)):
            hits = 0
            for turn in range(times):
                drawn = random.Random(f"{what} {shares} {turn}")
                views = [
                    run(f"m{number}", writer, drawn, subjects=20, samples=10, valid=valid, columns=gender)
                    for number, valid in enumerate(shares)
                ]
                ranks = ranking(views)
                hits += any(one.rank_high == 1 or one.rank_low == len(ranks) for one in ranks)
            yield f"5 models, {what}, valid {' '.join(f'{one:.0%}' for one in shares)}", hits, times


SPREADS: dict[str, tuple[float, Callable[[random.Random], float]]] = {
    "all 1": (1.0, lambda _drawn: 1.0),
    "1, but 0.19 once in 20": (0.9595, lambda drawn: 0.19 if drawn.random() < 0.05 else 1.0),
    "0.19 or 1, half each": (0.595, lambda drawn: drawn.choice((0.19, 1.0))),
    "anything between 0 and 1": (0.5, lambda drawn: drawn.random()),
    "mostly near 1": (5 / 6, lambda drawn: drawn.random() ** 0.2),
}
"""Name → mean, and how a subject's FairScore is drawn."""


def means_held(times: int) -> Iterator[tuple[str, int, int]]:
    """How often an interval holds the mean of what its subjects are drawn from."""
    for what, (mean, draw) in SPREADS.items():
        for subjects in (5, 20, 100):
            hits = 0
            for turn in range(times):
                drawn = random.Random(f"{what} {subjects} {turn}")
                found = interval([draw(drawn) for _ in range(subjects)], seed=turn)
                hits += found.low <= mean <= found.high
            yield f"{what}, {subjects} subjects", hits, times
    hits = 0
    for turn in range(times):
        found = interval_of_columns(_four(random.Random(f"four {turn}")), seed=turn)
        hits += found.low <= 0.5 <= found.high
    yield "four columns over the same 20 subjects", hits, times


def _four(drawn: random.Random) -> list[Figures]:
    """Columns in which a subject has much the same figure, of which the mean is 0.5."""
    own = [drawn.random() for _ in range(20)]
    return [
        Figures("job", {("", str(place)): (3 * one + drawn.random()) / 4 for place, one in enumerate(own)})
        for _ in range(4)
    ]


def main() -> int:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    times = parser.parse_args().times
    failed = False
    for title, rows in (
        ("A verdict names a group", groups_named(times)),
        ("A model is called the highest or the lowest", models_set_apart(times)),
    ):
        print(f"\n| {title} | share of {times} |\n|---|---|")
        for what, hits, count in rows:
            print(f"| {what} | {share(hits, count)} |", flush=True)
            failed |= share_bounds(hits, count)[0] > MOST
    print(f"\n| An interval holds the mean | share of {times} |\n|---|---|")
    for what, hits, count in means_held(times):
        print(f"| {what} | {share(hits, count)} |", flush=True)
        failed |= share_bounds(hits, count)[1] < LEAST
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
