"""What a model's shares are to be: equal, those of the real world, or those of a file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairlint.model_bias.data.occupations import shares
from fairlint.model_bias.data.records import FEMALE, MALE, SHARES
from fairlint.model_bias.data.rows import COMMA, columns, rows
from fairlint.model_bias.data.sources import read
from fairlint.model_bias.distribution.codes import beneath, code_of
from fairlint.model_bias.distribution.questions import Questions, some_of
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

EQUAL, REAL_WORLD = "equal", "real-world"
PROFESSION, CODE, EMPLOYED = "profession", "code", "employed"
CLOSE = 1e-6
"""How far from 1 a row's sum may be."""


class Target(Record):
    """Profession → the share that each group is to have, in the order of the questions' groups."""

    name: str
    source: str
    shares: Mapping[str, tuple[float, ...]]

    def of(self, professions: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Return the shares of some professions, in their order."""
        return tuple(self.shares[one] for one in professions)


def load(name: str, questions: Questions, professions: Sequence[str] | None = None) -> Target:
    """`equal`, `real-world` (BLS, by WinoGender's table), or a CSV: profession, a column for each group.

    In place of `profession` the CSV may have `code`, codes of SOC or O*NET, and `employed`, by which several
    rows of one profession are weighed.

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
    return _of_file(Path(name), asked, groups, questions.codes)


def _real_world(asked: Sequence[str], groups: Sequence[str]) -> dict[str, tuple[float, ...]]:
    if sorted(groups) != sorted((MALE, FEMALE)):
        raise UsageError(
            f"--target real-world has shares of {MALE} and {FEMALE}, and the groups are {', '.join(groups)}: "
            "name a CSV of your own"
        )
    known = shares()
    missing = [one for one in asked if one not in known]
    if missing:
        raise UsageError(f"--target real-world has no share for {some_of(missing)}: name a CSV of your own")
    found = {}
    for one in asked:
        women = known[one].bls / 100
        found[one] = tuple(women if group == FEMALE else 1 - women for group in groups)
    return found


def _of_file(path: Path, asked: Sequence[str], groups: Sequence[str], codes: Mapping[str, str]) -> Target:
    table = read(path)
    header = columns(table, COMMA)
    key = CODE if CODE in header and PROFESSION not in header else PROFESSION
    weighs = [EMPLOYED] if key == CODE and EMPLOYED in header else []
    found: dict[str, tuple[float, ...]] = {}
    weights: dict[str, float] = {}
    for line, (name, *cells) in rows(table, COMMA, (key, *groups, *weighs)):
        where = f"{path}: line {line}"
        one = code_of(name, where) if key == CODE else name.strip()
        if one in found:
            raise UsageError(f"{where}: '{one}' is there twice")
        values = tuple(
            _parse_share(where, group, cell) for group, cell in zip(groups, cells[: len(groups)], strict=True)
        )
        if abs(sum(values) - 1) > CLOSE:
            raise UsageError(f"{where}: the shares of '{one}' sum to {sum(values):g}, not to 1")
        found[one] = values
        weights[one] = _parse_weight(where, cells[-1]) if weighs else math.nan
    if key == CODE:
        found = _by_code(path, asked, codes, found, weights)
    missing = [one for one in asked if one not in found]
    if missing:
        raise UsageError(f"{path} has no shares for {some_of(missing)}")
    return Target(path.name, str(table.path), found)


def _by_code(
    path: Path,
    asked: Sequence[str],
    codes: Mapping[str, str],
    rows_of: Mapping[str, tuple[float, ...]],
    weights: Mapping[str, float],
) -> dict[str, tuple[float, ...]]:
    """Profession → shares: its code's, or the mean of its group's, weighed by how many people work there."""
    found = {}
    unknown = [one for one in asked if one not in codes]
    if unknown:
        raise UsageError(
            f"{path} goes by codes, and nobody says those of {some_of(unknown)}: put them into [codes] of "
            "--questions, or name professions"
        )
    for one in asked:
        some = beneath(codes[one], rows_of)
        total = math.fsum(weights[each] for each in some)
        if len(some) > 1 and not total > 0:
            raise UsageError(
                f"{path} has {len(some)} rows for '{one}' ({codes[one]}), such as {some[0]}, and no column "
                f"'{EMPLOYED}' that weighs them"
            )
        if len(some) == 1:
            found[one] = rows_of[some[0]]
        elif some:
            shares_of = zip(*(rows_of[each] for each in some), strict=True)
            found[one] = tuple(
                math.fsum(weights[each] * share for each, share in zip(some, column, strict=True)) / total
                for column in shares_of
            )
    return found


def _parse_weight(where: str, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = -1.0
    if not 0 <= value < math.inf:
        raise UsageError(f"{where}, {EMPLOYED}: '{cell}' is no number of people")
    return value


def _parse_share(where: str, group: str, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:  # NaN is not in between, either
        raise UsageError(f"{where}, {group}: '{cell}' is no share between 0 and 1")
    return value
