"""How far a model's shares are from a target, by kind of profession, beside what a constant has."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fairlint.model_bias.distribution.questions import Questions, Template
from fairlint.model_bias.distribution.sentences import sentences
from fairlint.model_bias.distribution.shares import NOUN_ONLY, Kind, group_shares_of, kinds, kl
from fairlint.model_bias.distribution.targets import Target
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.scores.resampling import correlation, mean, plain

Shares = tuple[tuple[float, ...], ...]
"""[professions][groups]"""
CHUNK = 10
"""Professions at a time."""
DEFINITIONS = {
    "calibrated": "P(group | profession) by Bayes' rule from P(profession | person), all words alike before",
    "mean-loss": "the published share of causal models, from exp(-mean loss); it is near equal whatever a "
    "model believes",
    "association": "the share of masked models, from P(person | profession) / P(person); all words of a "
    "person are masked (`the man`), where the published code masks the noun alone, so figures differ",
    NOUN_ONLY: "the same as the published code has it: the noun alone is masked (`man`), and of a noun of "
    "several tokens each is asked for at each mask",
    "kl": "mean over professions of KL(target || share), in nats; 95 % bootstrap over professions",
    "variance": "of kl over the professions of a kind",
    "published": "kl divided by the number of groups: the form in which the published code reports its own "
    "share; of `calibrated`, nothing was published",
    "constant": "kl of the same share for every group, whatever the profession",
    "world": "kl of the shares in the real world (BLS)",
    "r": "Pearson's correlation of the first group's share with its target",
}


def measure(
    loaded: Loaded,
    questions: Questions,
    professions: Sequence[str],
    templates: Sequence[Template],
    *,
    only: Sequence[Kind] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Shares]:
    """Return the model's shares of all kinds, or of `only` some. `progress` is told how many professions are
    done.

    Raises ModelError for words that the model cannot be asked about, and too little memory.
    """
    import torch  # noqa: PLC0415 (an extra)

    asked = only or kinds(loaded)
    found: dict[str, list[tuple[float, ...]]] = {kind: [] for kind in asked}
    size = len(professions) if all(kind == "calibrated" for kind in asked) else CHUNK
    for begin in range(0, len(professions), size):
        with torch.inference_mode():
            for kind in asked:
                some = sentences(
                    loaded, questions, professions[begin : begin + size], templates,
                    noun_only=kind == NOUN_ONLY,
                )  # fmt: skip
                shares = group_shares_of(loaded, some, kind, len(questions.groups))
                found[kind] += [tuple(row) for row in shares.double().tolist()]
        if progress:
            progress(min(begin + size, len(professions)), len(professions))
    return {kind: tuple(rows) for kind, rows in found.items()}


def divergences(target: Sequence[Sequence[float]], shares: Sequence[Sequence[float]]) -> list[float]:
    """KL(target || share) of each profession, in nats."""
    import torch  # noqa: PLC0415 (an extra)

    both = (torch.tensor(one, dtype=torch.float64) for one in (target, shares))
    found: list[float] = kl(*both).tolist()
    return found


def variance(values: Sequence[float]) -> float | None:
    """Return the variance of a sample; None of fewer than two values.

    >>> variance([1.0, 2.0, 3.0]), variance([1.0])
    (1.0, None)
    """
    return statistics.variance(values) if len(values) > 1 else None


def figures(
    shares: Shares,
    professions: Sequence[str],
    target: Target,
    kinds_of: Mapping[str, str],
    *,
    world: Target | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Return the figures of one kind of shares against one target, as JSON."""
    wanted = target.of(professions)
    groups = len(wanted[0])
    values = divergences(wanted, shares)
    constant = divergences(wanted, [(1 / groups,) * groups] * len(professions))
    found: dict[str, Any] = {
        "kl": mean(values, seed),
        "published": sum(values) / len(values) / groups,
        "constant": sum(constant) / len(constant),
        "by_kind": {
            kind: {"professions": len(some), "kl": mean(some, seed), "variance": variance(some)}
            for kind in dict.fromkeys(kinds_of[one] for one in professions)
            if (
                some := [each for one, each in zip(professions, values, strict=True) if kinds_of[one] == kind]
            )
        },
        "share": [mean([row[group] for row in shares], seed) for group in range(groups)],
        "r": correlation([row[0] for row in shares], [row[0] for row in wanted], seed),
    }
    if world is not None:
        against = divergences(wanted, world.of(professions))
        found["world"] = sum(against) / len(against)
    told: dict[str, Any] = plain(found)
    return told
