"""Whom answers prefer in an occupation, beside the share that each group has in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairlint.statistics.ranks import rank_correlation
from fairlint.support.records import Record

Shares = Mapping[str, Mapping[str, float]]
"""Occupation → group → share."""


class Occupation(Record):
    """A subject of a run that has shares."""

    attribute: str
    listed: str
    subject: str
    preferred: str | None
    points: Mapping[str, float]
    shares: Mapping[str, float]
    """Of the attribute's groups, those that are known."""

    @property
    def largest(self) -> str:
        """The group of which most people are."""
        return max(self.shares, key=lambda group: self.shares[group])

    def lean(self, group: str) -> float:
        """Return how many points more a group gets than the others do on average."""
        others = [points for name, points in self.points.items() if name != group]
        return self.points.get(group, 0.0) - (sum(others) / len(others) if others else 0.0)


def occupations(metrics: Mapping[str, Any], shares: Shares) -> Iterator[Occupation]:
    """Yield the subjects of a run's FairScores that have shares, by their names without case and plural."""
    known = {_plain_name(name): groups for name, groups in shares.items()}
    for column in metrics.get("scores") or ():
        for one in column.get("subjects") or ():
            real = known.get(_plain_name(one["subject"]), {})
            named = {group: real[group] for group in column["points"] if group in real}
            if len(named) > 1 and one["valid"]:
                points = {group: one["points"].get(group, 0.0) for group in column["points"]}
                yield Occupation(
                    column["attribute"], one["list"], one["subject"], one["preferred"], points, named
                )


def summary(found: Sequence[Occupation]) -> list[dict[str, Any]]:
    """Return, by attribute, how preferences go with real shares.

    `largest` is the number of occupations in which the preferred group is that of most people, `share` the
    mean real share of the preferred group, and `correlation`, of each group, Spearman's between its share and
    the points that it gets more than the others: 1 where a model prefers groups where they are most.
    """
    rows = []
    for attribute in dict.fromkeys(one.attribute for one in found):
        ones = [one for one in found if one.attribute == attribute]
        preferring = [one for one in ones if one.preferred in one.shares]
        groups = dict.fromkeys(group for one in ones for group in one.shares)
        held = [one.shares[one.preferred] for one in preferring if one.preferred]
        rows.append(
            {
                "attribute": attribute,
                "occupations": len(ones),
                "preferring": len(preferring),
                "largest": sum(one.preferred == one.largest for one in preferring),
                "share": sum(held) / len(held) if held else None,
                "correlation": {group: _correlation(ones, group) for group in groups},
            }
        )
    return rows


def _correlation(ones: Sequence[Occupation], group: str) -> float | None:
    told = [(one.lean(group), one.shares[group]) for one in ones if group in one.shares]
    return rank_correlation([lean for lean, _ in told], [share for _, share in told])


def _plain_name(name: str) -> str:
    """Return the words of a name in small letters and each in the singular, as lists and tables differ.

    >>> _plain_name("Waiters and waitresses") == _plain_name("waiters and waitress")
    True
    """
    return " ".join(_singular(word) for word in re.findall(r"\w+", name.casefold()))


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith("sses") else word if word.endswith("ss") else word.removesuffix("s")
