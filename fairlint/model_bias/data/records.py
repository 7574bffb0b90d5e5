"""What all data sets are made of: options, where they come from, what was left out and why."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from fairlint.support.records import Record

_Item = TypeVar("_Item")
FEMALE, MALE, NEUTRAL = "female", "male", "neutral"
"""Groups of gender, and the label of what says nothing of a group."""


class Option(Record):
    """One way to go on behind a prompt.

    A prompt never ends in a space and an option begins with its own, as models' tokens do. Options of one
    prompt with the same label are spellings of one answer: their probabilities add up.
    """

    label: str
    """What it stands for: a group, a number of points, an attribute, a label of StereoSet."""
    text: str
    """It may be of several tokens; what is scored is all of it, given the prompt."""


class Women(Record):
    """How many of the people in an occupation are women, in percent."""

    occupation: str
    bls: float
    """Share among the people employed in the United States, by the Bureau of Labor Statistics."""
    year: int
    """The year of that figure: 2015 for most, 2016 for some."""
    bergsma: float
    """Share among mentions in text (Bergsma and Lin 2006)."""


SHARES = "BLS 2015, by WinoGender's table"
"""What `Women.bls` is called where it is shown."""


class Origin(Record):
    """Which file was read."""

    source: str
    """A package with its version, an address, or the path that the user gave."""
    sha256: str


class Skipped(Record):
    """An item that was left out."""

    id: str
    reason: str


def some(items: Sequence[_Item], limit: int | None) -> list[_Item]:
    """At most `limit` of the items, drawn at random (always the same), in their order.

    Items stand in files by kind and by occupation: the first ones, or every n-th, would be of few kinds.
    """
    if limit is None or len(items) <= limit:
        return list(items)
    places = random.Random(0).sample(range(len(items)), limit)  # noqa: S311 (a sample, no secret)
    return [items[place] for place in sorted(places)]


def some_of_each(items: Sequence[_Item], limit: int | None, kind: Callable[[_Item], object]) -> list[_Item]:
    """Return at most `limit` of the items of each kind, those that `some` draws, in their order."""
    places: dict[object, list[int]] = {}
    for place, item in enumerate(items):
        places.setdefault(kind(item), []).append(place)
    return [
        items[place] for place in sorted(place for each in places.values() for place in some(each, limit))
    ]


def reasons(skipped: Iterable[Skipped]) -> dict[str, int]:
    """Return how many items were left out for what, the most frequent reason first."""
    return dict(Counter(one.reason for one in skipped).most_common())
