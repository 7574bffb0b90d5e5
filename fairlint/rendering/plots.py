"""How figures look, and how they become files: the same numbers give the same file, byte for byte.

matplotlib is part of an extra: whoever draws asks for it first, and has the error for where it is missing.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fairlint.support.records import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#cf7400", "#00805c", "#a8487f", "#8c3b1f", "#8a6d00")
"""Okabe and Ito's, darkened for white paper, as on the pages: colour-blind readers tell them apart."""
SOFT = "#5a626c"
FAINT = "#e3e0d8"
MARKS = ("o", "s", "D", "^", "h", "v", "P")
"""Their number shares no factor with that of the colours, so that 42 series differ in one or the other."""
STYLE: Any = {
    "svg.hashsalt": "fairlint",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.size": 9,
    "text.parse_math": False,  # names of others are no formulas
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": SOFT,
    "axes.titlesize": 10,
    "legend.frameon": False,
}


class Drawn(Record):
    """A figure as files hold it."""

    svg: str
    pdf: bytes


def colour(place: int) -> str:
    """Return the colour of a series by its place, from 0."""
    return COLOURS[place % len(COLOURS)]


def mark(place: int) -> str:
    """Return the mark of a series by its place, from 0, as matplotlib calls it."""
    return MARKS[place % len(MARKS)]


def as_svg(draw: Callable[[type[Figure]], Figure]) -> str:
    """Return what `draw` makes with the class it is given, as an SVG document whose text is text."""
    return _render_figure(draw, ("svg",))["svg"].decode("utf-8")


def as_files(draw: Callable[[type[Figure]], Figure]) -> Drawn:
    """Return the same as SVG and as PDF."""
    made = _render_figure(draw, ("svg", "pdf"))
    return Drawn(made["svg"].decode("utf-8"), made["pdf"])


def _render_figure(draw: Callable[[type[Figure]], Figure], kinds: tuple[str, ...]) -> dict[str, bytes]:
    import matplotlib as mpl  # noqa: PLC0415 (part of an extra)
    from matplotlib.figure import Figure  # noqa: PLC0415 (as above)

    made = {}
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # an SVG has them as text
        figure = draw(Figure)
        for kind in kinds:
            if kind == "pdf":
                _name_missing_characters(figure)
            written = io.BytesIO()
            figure.savefig(written, format=kind, metadata=_UNDATED[kind], bbox_inches="tight")
            made[kind] = written.getvalue()
    return made


def _name_missing_characters(figure: Figure) -> None:
    """Write `[U+6A21]` for each character of a label that the font lacks: a PDF would have a box."""
    from matplotlib.font_manager import FontProperties, findfont, get_font  # noqa: PLC0415 (part of an extra)
    from matplotlib.text import Text  # noqa: PLC0415 (as above)

    known = get_font(findfont(FontProperties())).get_charmap()
    for label in figure.findobj(Text):
        text = label.get_text()
        if any(ord(one) not in known for one in text.replace("\n", "")):
            named = (one if one == "\n" or ord(one) in known else f"[U+{ord(one):04X}]" for one in text)
            label.set_text("".join(named))


_UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
