"""How often `fairlint model ablate --heads all --each` finds what is not there, and what is.

    python benchmarks/model_scan.py [--shapes gaussian,…] [--effects 0,0.5,1] [--runs N] [--components N]

Tables of a data set before and after are made up, and go through the command's own tests and adjustment. No
model is loaded. What a component does is noise: answers before and after have the same distribution, by the
shape in all clusters or in a tenth of them. With an effect, ten components also move StereoSet's score, both
gaps and perplexity, by so many standard deviations of a cluster's difference.

Without an effect, the share of runs is counted in which anything is found. With one, it is how much of what
is found is not there, and how many of the ten are found.

Exit status: 1 where more runs without an effect find something than 5 % can give (Clopper and Pearson, 95 %),
or where more than 5 % of what is found is not there, by more than two standard errors; else 0.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy

from fairlint.model_bias import effects, scanning
from fairlint.model_bias.verdicts import ALPHA
from fairlint.statistics.intervals import share_bounds

CLUSTERS: Mapping[str, int] = {"stereoset": 79, "winogender": 60, "code": 60, "text": 40}
"""Targets, occupations and passages."""
ITEMS = 12
"""Items of a target."""
PLANTED = 10
"""Components with an effect."""
MOVED = ("stereoset.ss", "winogender.gap", "code.gap", "text.perplexity")
"""The figures that an effect moves; those that hang on them are not judged for these components."""
TYPICAL, SENSE = 0.6, 0.9
"""Shares of a target's items that are stereotypes preferred, and sense."""
REDRAWN = 0.1
"""The share of items whose answer a component draws anew."""

Array = numpy.ndarray[Any, numpy.dtype[numpy.float64]]
Random = numpy.random.Generator
Found = Mapping[str, Mapping[str, float]]
"""Component → figure → adjusted p-value."""


def gaussian(random: Random, size: int) -> Array:
    """A change in each cluster."""
    return random.standard_normal(size)


def heavy(random: Random, size: int) -> Array:
    """The same with a few large ones, by Student's t of three degrees."""
    drawn: Array = random.standard_t(3, size) / numpy.sqrt(3)
    return drawn


def sparse(random: Random, size: int) -> Array:
    """A change in a tenth of the clusters."""
    return random.standard_normal(size) * (random.random(size) < 0.1)


SHAPES: Mapping[str, Callable[[Random, int], Array]] = {
    "gaussian": gaussian,
    "heavy": heavy,
    "sparse": sparse,
}


class Outcome(NamedTuple):
    """What a run finds."""

    false: int
    """Figures that are found to change of a component without an effect."""
    planted: Mapping[str, int]
    """Figure → how many of the components with an effect are found."""


class _Made:
    """Tables of a model that is not there, before and after."""

    def __init__(self, random: Random, shape: Callable[[Random, int], Array]) -> None:
        self._random, self._shape = random, shape
        self._women = random.uniform(0, 100, CLUSTERS["winogender"])
        self._gaps = {
            name: random.standard_normal(CLUSTERS[name]) - self._women / 50 for name in ("winogender", "code")
        }
        self._answers = random.random((2, CLUSTERS["stereoset"], ITEMS))
        self._answers = (self._answers < numpy.array([TYPICAL, SENSE])[:, None, None]).astype(float)
        self._tokens = random.integers(100, 300, CLUSTERS["text"]).astype(float)
        self._losses = random.normal(3, 0.5, CLUSTERS["text"])

    def tables(self, *, moved: float = 0.0, is_before: bool = False) -> list[effects.Table]:
        """Return all data sets after a component is off: noise alone, or `moved`, too."""
        return [
            self._stereoset(moved, is_before=is_before),
            *(self._occupations(name, moved) for name in ("winogender", "code")),
            self._text(moved),
        ]

    def _noise(self, data: str, moved: float) -> Array:
        """Return what is added to each cluster. Before and after have noise alike, so that a difference has
        twice its variance.
        """
        size = CLUSTERS[data]
        change: Array = self._shape(self._random, size) + moved * numpy.sqrt(2)
        return change

    def _stereoset(self, moved: float, *, is_before: bool) -> effects.Table:
        answers = self._answers.copy()
        if not is_before:
            touched = numpy.abs(self._shape(self._random, CLUSTERS["stereoset"])) > 0
            anew = (self._random.random(answers.shape) < REDRAWN) & touched[None, :, None]
            drawn = self._random.random(answers.shape) < numpy.array([TYPICAL, SENSE])[:, None, None]
            answers = numpy.where(anew, drawn, answers)
            spread = numpy.sqrt(2 * REDRAWN * TYPICAL * (1 - TYPICAL) / ITEMS)
            turned = self._random.random(answers[0].shape) < moved * spread / (1 - TYPICAL)
            answers[0] = numpy.where(turned, 1.0, answers[0])
        return _table("stereoset", answers.mean(axis=2))

    def _occupations(self, name: str, moved: float) -> effects.Table:
        x, y = self._women, self._gaps[name] + 0.1 * self._noise(name, moved)
        return _table(name, numpy.stack([x, y, x * x, y * y, x * y]))

    def _text(self, moved: float) -> effects.Table:
        losses = self._losses + 0.05 * self._noise("text", moved)
        return _table("text", numpy.stack([losses * self._tokens, self._tokens]))


def _table(data: str, columns: Array) -> effects.Table:
    size = CLUSTERS[data]
    sums = numpy.concatenate([columns, numpy.ones((1, size))]).T
    return effects.Table(data, tuple(map(str, range(size))), sums, size)


def scan(shape: str, moved: float, components: int, seed: int) -> Found:
    """Return the adjusted p-values of one run; the first PLANTED components are those with an effect."""
    made = _Made(numpy.random.default_rng(seed), SHAPES[shape])
    before = made.tables(is_before=True)
    steps = []
    for place in range(components):
        after = made.tables(moved=moved if place < PLANTED else 0.0)
        told = [one for pair in zip(before, after, strict=True) for one in effects.effects(*pair, seed=seed)]
        found = [one.as_json for one in told]
        steps.append({"kind": scanning.EACH, "components": [str(place)], "effects": found})
    return {
        one["components"][0]: {effect["figure"]: effect["adjusted"] for effect in one["effects"]}
        for one in scanning.adjust(steps)
    }


def outcome_of(found: Found, *, has_effect: bool) -> Outcome:
    """Return what a run finds, and what of it is there."""
    planted = {str(place) for place in range(PLANTED)} if has_effect else set()
    false = sum(
        adjusted <= ALPHA
        for component, known in found.items()
        if component not in planted
        for adjusted in known.values()
    )
    return Outcome(
        false,
        {name: sum(found[component][name] <= ALPHA for component in planted) for name in MOVED}
        if planted
        else {},
    )


def without_effect(outcomes: Sequence[Outcome]) -> tuple[str, bool]:
    """Return in how many runs anything is found, and whether these are too many."""
    claims = sum(one.false > 0 for one in outcomes)
    low, high = share_bounds(claims, len(outcomes))
    share = f"{100 * claims / len(outcomes):.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    return f"{claims} of {len(outcomes)} runs find something, {share}", low > ALPHA


def with_effect(outcomes: Sequence[Outcome]) -> tuple[str, bool]:
    """Return how much of what is found is not there and how many components are found, and whether the first
    is too much.
    """
    shares = numpy.array([one.false / max(1, one.false + sum(one.planted.values())) for one in outcomes])
    error = float(shares.std(ddof=1)) / numpy.sqrt(len(shares)) if len(shares) > 1 else 1.0
    known = {name: sum(one.planted[name] for one in outcomes) / PLANTED / len(outcomes) for name in MOVED}
    power = ", ".join(f"{name} {100 * share:.0f} %" for name, share in known.items())
    told = f"{100 * shares.mean():.1f} % (± {196 * error:.1f}) of what is found is not there; found: {power}"
    return told, float(shares.mean()) - 2 * error > ALPHA


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate and report."""
    parser = argparse.ArgumentParser(description="Count what a scan of components finds.")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--effects", default="0,0.5,1")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--components", type=int, default=300)
    told = parser.parse_args(arguments)
    failed = False
    for shape in told.shapes.split(","):
        for moved in map(float, told.effects.split(",")):
            found = [
                outcome_of(scan(shape, moved, told.components, seed), has_effect=moved > 0)
                for seed in range(told.runs)
            ]
            said, is_too_much = (with_effect if moved else without_effect)(found)
            failed |= is_too_much
            print(f"{shape}, effect {moved:g}: {said}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
