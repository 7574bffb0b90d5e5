"""The two FairScores, each by its name: the paper's own, and the one that is adjusted.

*FairScore (published)* is that of the published protocol: the published extraction and R + E - R E of all
answers. *FairScore (adjusted)* is that of the exact protocol: of valid answers alone, with an entropy of as
many answers as the paper asked for, from which the jackknife takes what chance does to it. Neither ever
stands under the other's name, and where one is shown the other stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

KEYS: Mapping[str, str] = {"published": "published", "exact": "adjusted"}
"""Protocol → what its FairScore is called in `fair_scores`."""
BESIDE: Mapping[str, str] = {"published": "exact", "exact": "published"}
"""Protocol → the other one."""
FAIR_SCORE = "FairScore"
"""What all its names begin with."""
EITHER = "FairScore (own protocol)"
OTHER = "FairScore (other protocol)"
"""What columns are called whose rows are runs of both protocols."""

Row = Mapping[str, Any]


def score_name(protocol: str) -> str:
    """Return what the FairScore of a protocol is called.

    >>> score_name("exact"), score_name("published")
    ('FairScore (adjusted)', 'FairScore (published)')
    """
    return f"{FAIR_SCORE} ({KEYS[protocol]})"


def score_names(protocols: Iterable[str]) -> list[str]:
    """Return what the leading FairScore of some runs is called, and the one beside it."""
    known = set(protocols)
    if len(known) > 1:
        return [EITHER, OTHER]
    (only,) = known
    return [score_name(only), score_name(BESIDE[only])]


def score_by(one: Row | None, protocol: str) -> float | None:
    """Return the FairScore of some figures by a protocol; None where it is not known."""
    found: float | None = ((one or {}).get("fair_scores") or {}).get(KEYS[protocol])
    return found


def score_beside(one: Row | None, protocol: str) -> float | None:
    """Return the FairScore that stands beside that of a run's own protocol."""
    return score_by(one, BESIDE[protocol])


def add_both_scores(own: Mapping[str, Any], other: Mapping[str, Any], protocol: str) -> None:
    """Add `fair_scores` to each row of two sets of figures, of which the first follow `protocol`.

    Both have `scores`, `scenarios` and `overall`; lists and subjects of scores get theirs as well.
    """
    names = (KEYS[protocol], KEYS[BESIDE[protocol]])
    _pair_rows(own["scores"], other["scores"], ("scenario", "attribute"), names)
    _pair_rows(own["scenarios"], other["scenarios"], ("scenario",), names)
    _pair_rows([own["overall"] or {}], [other["overall"] or {}], (), names)
    theirs = {(one["scenario"], one["attribute"]): one for one in other["scores"]}
    for one in own["scores"]:
        there = theirs.get((one["scenario"], one["attribute"]), {"lists": [], "subjects": []})
        _pair_rows(one["lists"], there["lists"], ("list",), names)
        _pair_rows(one["subjects"], there["subjects"], ("list", "subject"), names)


def _pair_rows(
    own: Iterable[dict[str, Any]],
    other: Iterable[dict[str, Any]],
    by: tuple[str, ...],
    names: tuple[str, str],
) -> None:
    mine = {tuple(one[name] for name in by): one for one in own if one}
    theirs = {tuple(one[name] for name in by): one for one in other if one}
    for key in {**mine, **theirs}:
        values = [(known.get(key) or {}).get("fair_score") for known in (mine, theirs)]
        both = dict(sorted(zip(names, values, strict=True), reverse=True))
        for known in (mine, theirs):
            if key in known:
                known[key]["fair_scores"] = both
