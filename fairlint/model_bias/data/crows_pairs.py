"""CrowS-Pairs (Nangia et al. 2020): pairs of sentences, one about a group that is put at a disadvantage."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

from fairlint.model_bias.data.records import Origin, Skipped
from fairlint.model_bias.data.rows import COMMA, rows
from fairlint.model_bias.data.sources import load_data_set, read
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

Direction = Literal["stereo", "antistereo"]
DIRECTIONS = ("stereo", "antistereo")
COLUMNS = ("", "sent_more", "sent_less", "stereo_antistereo", "bias_type")


class CrowsPair(Record):
    """Two sentences that differ in whom they are about."""

    id: str
    """The number in the published file's first column, from 0."""
    more: str
    """The sentence that is more of a stereotype, whatever the direction: what a score counts."""
    less: str
    direction: Direction
    """`stereo`: `more` says a stereotype of the disadvantaged group. `antistereo`: `less` goes against one,
    so that the disadvantaged group is the one in `less`."""
    bias_type: str
    """One of nine, such as `race-color`, `gender` and `age`."""

    @property
    def disadvantaged(self) -> str:
        """The sentence about the disadvantaged group."""
        return self.more if self.direction == "stereo" else self.less

    @property
    def advantaged(self) -> str:
        """The sentence about the other group."""
        return self.less if self.direction == "stereo" else self.more


class CrowsPairs(Record):
    """1,508 pairs, in the file's order."""

    items: tuple[CrowsPair, ...]
    skipped: tuple[Skipped, ...]
    origin: Origin


def load_crows_pairs(source: Path | None = None) -> CrowsPairs:
    """CrowS-Pairs, or a user's file of the same form.

    Pairs of equal sentences are left out. Raises UsageError, with the line, for what has another form.
    """
    file = load_data_set("crows-pairs") if source is None else read(source)
    items: list[CrowsPair] = []
    skipped: list[Skipped] = []
    seen: set[str] = set()
    for line, cells in rows(file, COMMA, COLUMNS):
        for name, cell in zip(COLUMNS, cells, strict=True):
            if not cell.strip():
                raise UsageError(f"{file.path}: line {line}, {name or 'the first column'} is empty")
        id_, more, less, direction, bias_type = cells
        if direction not in DIRECTIONS:
            raise UsageError(
                f"{file.path}: line {line}, {COLUMNS[3]}: '{direction}' is neither {' nor '.join(DIRECTIONS)}"
            )
        if id_ in seen:
            raise UsageError(f"{file.path}: line {line}, the first column: '{id_}' is there twice")
        seen.add(id_)
        if more == less:
            skipped.append(Skipped(id_, "the two sentences are equal"))
        else:
            items.append(CrowsPair(id_, more, less, cast("Direction", direction), bias_type))
    return CrowsPairs(tuple(items), tuple(skipped), file.origin)
