"""Whom answers prefer in an occupation, beside the share that each group has in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairlint.statistics.ranks import rank_correlation
from fairlint.support.plain_names import plain_name
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
    known = {plain_name(name): groups for name, groups in shares.items()}
    for column in metrics.get("scores") or ():
        for one in column.get("subjects") or ():
            real = known.get(plain_name(one["subject"]), {})
            named = {group: real[group] for group in column["points"] if group in real}
            if len(named) > 1 and one["valid"]:
                points = {group: one["points"].get(group, 0.0) for group in column["points"]}
                yield Occupation(
                    column["attribute"], one["list"], one["subject"], one["preferred"], points, named
                )


def why_none(metrics: Mapping[str, Any], shares: Shares) -> str:
    """Return why a run has no subject with shares."""
    columns = [one for one in metrics.get("scores") or () if one.get("subjects")]
    if not columns:
        suite = (metrics.get("suite") or {}).get("name", "its suite")
        return f"a run of {suite} has no FairScores of subjects; one of faircode:function has"
    groups = list(dict.fromkeys(group for groups in shares.values() for group in groups))
    asked = {one["attribute"]: list(one["points"]) for one in columns}
    if all(sum(group in groups for group in ones) < 2 for ones in asked.values()):
        there = f"has {', '.join(groups)}" if groups else "has no shares"
        wanted = "; ".join(f"{attribute}: {', '.join(ones)}" for attribute, ones in asked.items())
        return f"two groups of an attribute are compared, and the table {there}; the run has {wanted}"
    known = {plain_name(name) for name in shares}
    if any(plain_name(one["subject"]) in known for column in columns for one in column["subjects"]):
        return "its subjects that the table has lack valid answers, or the shares of two of their groups"
    return "no subject of its FairScores is an occupation of the table"


def summary(found: Sequence[Occupation], fewest: int) -> list[dict[str, Any]]:
    """Return, by attribute, how preferences go with real shares.

    `largest` is the number of occupations in which the preferred group is that of most people, `share` the
    mean real share of the preferred group, and `correlation`, of each group, Spearman's between its share and
    the points that it gets more than the others: 1 where a model prefers groups where they are most. Both are
    None for fewer than `fewest` occupations.
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
                "share": sum(held) / len(held) if len(held) >= max(fewest, 1) else None,
                "correlation": {group: _correlation(ones, group, fewest) for group in groups},
            }
        )
    return rows


def _correlation(ones: Sequence[Occupation], group: str, fewest: int) -> float | None:
    told = [(one.lean(group), one.shares[group]) for one in ones if group in one.shares]
    if len(told) < fewest:
        return None
    return rank_correlation([lean for lean, _ in told], [share for _, share in told])
