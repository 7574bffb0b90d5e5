"""Tables and figures of a report in text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction

from fairlint.counterfactual.measured import Share
from fairlint.reporters.printable import width

LONGEST_OUTCOME = 40
"""Characters of an outcome."""


def percent_text(share: Share) -> str:
    """Return a share in percent; a dash of nobody."""
    return "-" if share.value is None else f"{100 * share.value:.1f} %"


def align_columns(rows: Sequence[Sequence[str]], right: Collection[int]) -> Iterator[str]:
    """Yield the lines of a table; `right` are the columns that end at their right edge."""
    widths = [max(width(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = (
            _pad_cell(cell, wide, right=place in right)
            for place, (cell, wide) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def _pad_cell(cell: str, wide: int, *, right: bool) -> str:
    space = " " * (wide - width(cell))
    return space + cell if right else cell + space


def ratio_text(ratio: Fraction | None) -> str:
    """Return a ratio; a dash where there is none."""
    return "-" if ratio is None else f"{float(ratio):.3f}"


def shorten_text(text: str, most: int = LONGEST_OUTCOME) -> str:
    """Return a text, cut where it has more characters than `most`."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
