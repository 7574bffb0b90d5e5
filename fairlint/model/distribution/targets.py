"""What a model's shares are to be: equal, those of the real world, or those of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from fairlint.config.errors import UsageError
from fairlint.model.data.occupations import shares
from fairlint.model.data.records import FEMALE, MALE, SHARES
from fairlint.model.data.rows import COMMA, rows
from fairlint.model.data.sources import read
from fairlint.model.distribution.questions import Questions
from fairlint.records import Record

EQUAL, REAL_WORLD = "equal", "real-world"
CLOSE = 1e-6
"""How far from 1 a row's sum may be."""


class Target(Record):
    """Profession → the share that each group is to have, in the order of the questions' groups."""

    name: str
    source: str
    shares: Mapping[str, tuple[float, ...]]

    def of(self, professions: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """The shares of some professions, in their order."""
        return tuple(self.shares[one] for one in professions)


def load(name: str, questions: Questions, professions: Sequence[str] | None = None) -> Target:
    """`equal`, `real-world` (BLS, by WinoGender's table), or a CSV: profession, a column for each group.

    Raises UsageError, in one line, for a profession that has no share, groups that real-world figures are not
    of, a share that is none, and a row that does not sum to 1.
    """
    asked = tuple(professions or questions.professions)
    groups = [one.name for one in questions.groups]
    if name == EQUAL:
        return Target(
            EQUAL, "the same share for each group", {one: (1 / len(groups),) * len(groups) for one in asked}
        )
    if name == REAL_WORLD:
        return Target(REAL_WORLD, SHARES, _real_world(asked, groups))
    return _of_file(Path(name), asked, groups)


def _real_world(asked: Sequence[str], groups: Sequence[str]) -> dict[str, tuple[float, ...]]:
    if sorted(groups) != sorted((MALE, FEMALE)):
        raise UsageError(
            f"--target real-world has shares of {MALE} and {FEMALE}, and the groups are {', '.join(groups)}: "
            "name a CSV of your own"
        )
    known = shares()
    missing = [one for one in asked if one not in known]
    if missing:
        raise UsageError(f"--target real-world has no share for {_some(missing)}: name a CSV of your own")
    found = {}
    for one in asked:
        women = known[one].bls / 100
        found[one] = tuple(women if group == FEMALE else 1 - women for group in groups)
    return found


def _of_file(path: Path, asked: Sequence[str], groups: Sequence[str]) -> Target:
    table = read(path)
    found: dict[str, tuple[float, ...]] = {}
    for line, (profession, *cells) in rows(table, COMMA, ("profession", *groups)):
        if profession in found:
            raise UsageError(f"{path}: line {line}: '{profession}' is there twice")
        values = tuple(_share(path, line, group, cell) for group, cell in zip(groups, cells, strict=True))
        if abs(sum(values) - 1) > CLOSE:
            raise UsageError(
                f"{path}: line {line}: the shares of '{profession}' sum to {sum(values):g}, not to 1"
            )
        found[profession] = values
    missing = [one for one in asked if one not in found]
    if missing:
        raise UsageError(f"{path} has no shares for {_some(missing)}")
    return Target(path.name, str(table.path), found)


def _share(path: Path, line: int, group: str, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:  # NaN is not in between, either
        raise UsageError(f"{path}: line {line}, {group}: '{cell}' is no share between 0 and 1")
    return value


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(f"'{one}'" for one in names[:3]) + more
