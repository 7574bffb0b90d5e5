"""Which professions teach, which say when to stop, and which only measure."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from fairlint.model_bias.distribution.targets import Target
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

ABOVE = 0.65
"""Share from which on a group dominates a profession; the published sets begin at 0.70 and 0.78."""
VALID, TEST = 0.15, 0.30
"""Parts of the professions of each kind; the rest teaches."""
LEAST = 6


class Splits(Record):
    """Professions by what they are for."""

    train: tuple[str, ...]
    valid: tuple[str, ...]
    test: tuple[str, ...]


def kinds(world: Target | None, professions: Sequence[str], groups: Sequence[str]) -> dict[str, str]:
    """Profession → the group that dominates it in the real world, or `balanced`.

    Without shares of the real world all are of one kind, `all`.
    """
    if world is None:
        return dict.fromkeys(professions, "all")
    found = {}
    for one in professions:
        most, group = max(zip(world.shares[one], groups, strict=True))
        found[one] = group if most >= ABOVE else "balanced"
    return found


def split(kinds_of: Mapping[str, str], seed: int = 0) -> Splits:
    """Return a random split of each kind by itself, the same for the same seed.

    Raises UsageError where there are too few professions to hold some back.
    """
    if len(kinds_of) < LEAST:
        raise UsageError(f"{len(kinds_of)} professions are too few: {LEAST} at least, to hold some back")
    chance = random.Random(seed)  # noqa: S311 (no secret)
    parts: dict[str, list[str]] = {"train": [], "valid": [], "test": []}
    rest: list[str] = []
    for kind in dict.fromkeys(kinds_of.values()):
        some = [one for one, its in kinds_of.items() if its == kind]
        chance.shuffle(some)
        valid, test = round(VALID * len(some)), round(TEST * len(some))
        parts["valid"] += some[:valid]
        parts["test"] += some[valid : valid + test]
        rest += some[valid + test :]
    parts["train"] = rest
    for part in ("valid", "test"):
        if not parts[part]:
            parts[part].append(rest.pop())
    return Splits(tuple(parts["train"]), tuple(parts["valid"]), tuple(parts["test"]))
