"""How far two judges agree beyond chance, where each says yes or no of the same things."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from fairlint.statistics.clusters import clustered_share
from fairlint.statistics.intervals import computable
from fairlint.support.records import Record


class JudgedTwice(NamedTuple):
    """What two judges say of an item."""

    cluster: Hashable
    """Items of one are not independent: answers to one prompt."""
    first: bool
    second: bool


class Agreement(Record):
    """Two judges of the same items."""

    both: int
    """Items of which both say yes."""
    first_only: int
    second_only: int
    neither: int
    kappa: float | None
    """Cohen's kappa (1960, Educ. Psychol. Meas. 20); None where both say the same of everything, so that
    chance alone explains it."""
    low: float | None
    high: float | None
    """Its 95 % bounds."""

    @property
    def items(self) -> int:
        """How many items both judged."""
        return self.both + self.first_only + self.second_only + self.neither


def agreement_of(items: Iterable[JudgedTwice]) -> Agreement:
    """Return the agreement of two judges.

    The bounds are those of the share of items on which they agree (Wilson's, clustered), set into kappa with
    the agreement by chance as it was observed, as in Cohen's own standard error. They are no point where all
    agree. None where nothing is computable: without items, numpy and scipy, or a kappa.
    """
    known = list(items)
    counts = Counter((one.first, one.second) for one in known)
    both, neither = counts[True, True], counts[False, False]
    first_only, second_only = counts[True, False], counts[False, True]
    chance = _chance_agreement(both, first_only, second_only, neither)
    if chance is None or chance == 1:
        return Agreement(both, first_only, second_only, neither, None, None, None)

    def set_in(share: float) -> float:
        return (share - chance) / (1 - chance)

    kappa = set_in((both + neither) / len(known))
    if not computable():
        return Agreement(both, first_only, second_only, neither, kappa, None, None)
    clusters: dict[Hashable, list[bool]] = defaultdict(list)
    for one in known:
        clusters[one.cluster].append(one.first == one.second)
    share = clustered_share([(sum(ones), len(ones)) for ones in clusters.values()])
    return Agreement(both, first_only, second_only, neither, kappa, set_in(share.low), set_in(share.high))


def _chance_agreement(both: int, first_only: int, second_only: int, neither: int) -> float | None:
    """Return how often two judges would agree who say yes as often as these, each by chance."""
    items = both + first_only + second_only + neither
    if not items:
        return None
    first, second = (both + first_only) / items, (both + second_only) / items
    return first * second + (1 - first) * (1 - second)
