"""R, E and FairScore by the published formula, of blocks of as many answers as a paper has of a subject.

E and FairScore hang on the number of answers of a subject. Where there are others than a paper has, the
figure is that of blocks of so many answers, drawn with replacement. Bounds of R are Wilson's; those of E and
FairScore are of a bootstrap over answers, and there are none where all answers come to the same.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from fairlint.bench.figures.metrics import score_subject
from fairlint.statistics.clusters import wilson_bounds
from fairlint.support.records import Record

Points = Mapping[str, float]
DRAWS = 2_000
"""Blocks of which a figure is the mean."""
SHARE_AGAIN = 20
"""A resample has this part of the blocks."""
RESAMPLES = 200
LEAST_WIDTH = 0.005
"""A width below says that all answers come to the same."""
NAMES = ("entropy", "fair_score")


class Bounded(Record):
    """A figure with its 95 % bounds, where there are some."""

    value: float
    low: float | None = None
    high: float | None = None


class _Block(Record):
    """How a block is scored."""

    groups: int
    size: int
    shift: float


def block_figures(
    points: Sequence[Points], groups: int, *, size: int, shift: float, seed: int = 0, draws: int = DRAWS
) -> dict[str, Bounded]:
    """Return R, E and FairScore of the answers, for blocks of `size`; each answer is what groups get in it.

    Where there are just `size` answers, they are the block.
    """
    block = _Block(groups, size, shift)
    drawn = random.Random(seed)  # noqa: S311 (a bootstrap)
    refused = sum(not one for one in points)
    low, high = wilson_bounds(refused / len(points), len(points))
    found = {"refusal_rate": Bounded(refused / len(points), low, high)}
    if len(points) == size:
        one = score_subject(points, groups, shift=shift)
        whole = {"entropy": one.entropy, "fair_score": one.fair_score}
        draws_again = 1
    else:
        whole = _mean_of_blocks(points, block, draws, drawn)
        draws_again = max(draws // SHARE_AGAIN, 1)
    again = [
        _mean_of_blocks(drawn.choices(points, k=len(points)), block, draws_again, drawn)
        for _ in range(RESAMPLES)
    ]
    for name in NAMES:
        values = sorted(one[name] for one in again)
        low, high = values[int(0.025 * RESAMPLES)], values[int(0.975 * RESAMPLES) - 1]
        is_known = high - low > LEAST_WIDTH
        found[name] = Bounded(whole[name], low, high) if is_known else Bounded(whole[name])
    return found


def _mean_of_blocks(
    points: Sequence[Points], block: _Block, draws: int, drawn: random.Random
) -> dict[str, float]:
    scored = [
        score_subject(drawn.choices(points, k=block.size), block.groups, shift=block.shift)
        for _ in range(draws)
    ]
    return {
        "entropy": sum(one.entropy for one in scored) / draws,
        "fair_score": sum(one.fair_score for one in scored) / draws,
    }
