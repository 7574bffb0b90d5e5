"""Which finding of now is which of before: old ones are found again, and new ones told from them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from collections.abc import Set as AbstractSet

from fairlint.findings.finding import Identity
from fairlint.support.records import Record


class KnownFinding(Record):
    """What is kept of a finding: the file it was told of, and its identity."""

    path: str
    identity: Identity


_Key = Callable[[Identity], Hashable]

KEYS: tuple[_Key, ...] = (
    lambda one: (one.own, one.function, one.body, one.near),
    lambda one: (one.own, one.function, one.near),
    lambda one: (one.own, one.function, one.body),
    lambda one: (one.own, one.function),
    lambda one: (one.own, one.body, one.near),
    lambda one: (one.own, one.body),
    lambda one: (one.own, one.near),
    lambda one: one.own,
)
"""What must be the same for two findings to be one, the strictest first."""


def match_findings(
    before: Sequence[KnownFinding], now: Sequence[KnownFinding], gone: AbstractSet[str] = frozenset()
) -> dict[int, int]:
    """Return the findings of before that are still there: the place of each in `before` → its place in `now`.

    Each is matched once. Files that are `gone` may be there under another name. Of equal findings some of
    which are no more, those are kept that stand as one of before stood; where that says nothing, the first.
    """
    left = dict(enumerate(before))
    free = dict(enumerate(now))
    found: dict[int, int] = {}
    for key in KEYS:
        _match_equal_keys(left, free, key, found)
    moved = {at: one for at, one in left.items() if one.path in gone}
    known = {one.path for one in before}
    fresh = {at: one for at, one in free.items() if one.path not in known}
    for key in KEYS[:-1]:
        _match_equal_keys(moved, fresh, key, found, anywhere=True)
    return found


def _match_equal_keys(
    left: dict[int, KnownFinding],
    free: dict[int, KnownFinding],
    key: _Key,
    found: dict[int, int],
    *,
    anywhere: bool = False,
) -> None:
    """Match those with equal keys, in their order; where there are more on one side, only at last."""
    old, new = _by_key(left, key, anywhere), _by_key(free, key, anywhere)
    is_last = key is KEYS[-2 if anywhere else -1]
    for value, olds in old.items():
        news = new.get(value, [])
        if len(olds) == len(news) or is_last:
            for one, other in zip(olds, news, strict=False):
                found[one] = other
                del left[one], free[other]


def _by_key(findings: dict[int, KnownFinding], key: _Key, anywhere: bool) -> dict[Hashable, list[int]]:
    groups: dict[Hashable, list[int]] = {}
    for at, one in findings.items():
        place = "" if anywhere else one.path
        groups.setdefault((place, key(one.identity)), []).append(at)
    return groups
