"""pass@k: how likely one of k answers to a prompt does its work, and how likely it is fair as well.

The unbiased estimator of Chen et al. (2021, arXiv 2107.03374): of a prompt with n answers, c of which pass,
it is 1 - C(n - c, k) / C(n, k), the share of all choices of k answers in which one passes. A mean over
prompts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from math import comb, fsum
from typing import Any

from fairlint.support.records import Record

KS = (1, 5, 10)
"""The numbers of answers that are told."""

DEFINITIONS = {
    "pass_at_k": "how likely at least one of k answers to a prompt works (`works`), and works and is fair "
    "(`works_and_fair`): the unbiased estimator of Chen et al. 2021, a mean over the prompts with k answers "
    "or more (`prompts`); what is no answer to the task is not fair",
}


class Tried(Record):
    """What one answer came to, when it was run."""

    prompt: Hashable
    works: bool
    is_fair: bool


def pass_at_k(prompts: Sequence[tuple[int, int]], k: int) -> float | None:
    """Return pass@k; of each prompt how many of its answers pass, and how many there are.

    Prompts with fewer than k answers say nothing about k; None where no prompt has so many.

    >>> pass_at_k([(1, 2), (0, 2)], 1), pass_at_k([(1, 2), (0, 2)], 2), pass_at_k([(1, 2)], 3)
    (0.25, 0.5, None)
    """
    known = [1 - comb(count - hits, k) / comb(count, k) for hits, count in prompts if count >= k]
    return fsum(known) / len(known) if known else None


def pass_rows(answers: Iterable[Tried]) -> list[dict[str, Any]]:
    """Return a row for each k that some prompt has answers enough for."""
    by_prompt: dict[Hashable, list[Tried]] = {}
    for one in answers:
        by_prompt.setdefault(one.prompt, []).append(one)
    works = [(sum(one.works for one in ones), len(ones)) for ones in by_prompt.values()]
    both = [(sum(one.works and one.is_fair for one in ones), len(ones)) for ones in by_prompt.values()]
    return [
        {
            "k": k,
            "prompts": sum(count >= k for _, count in works),
            "works": pass_at_k(works, k),
            "works_and_fair": pass_at_k(both, k),
        }
        for k in KS
        if any(count >= k for _, count in works)
    ]
