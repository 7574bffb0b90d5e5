"""How terminal reports look: colours, links, and signs that the output's encoding has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairlint.reporters import signs

if TYPE_CHECKING:
    from fairlint.reporters import ReportOptions
    from fairlint.reporters.links import Links

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "gutter": "1;34",
    "strong": "1",
    "good": "1;32",
    "dim": "2",
}


class Style:
    """Paints text by its role, if colour is wanted, and makes links, if the terminal knows them."""

    def __init__(self, color: bool, *, encoding: str = signs.WHOLE, links: Links | None = None) -> None:
        self.color = color
        self.encoding = encoding
        """What is written to: texts are laid out as they will be shown there."""
        self._links = links

    def __call__(self, role: str, text: str) -> str:
        """`text`, painted for `role`: a severity, `gutter`, `strong`, `good` or `dim`."""
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if self.color and text else text

    def shown(self, text: str) -> str:
        """`text` as it is written in the output's encoding."""
        return signs.text_in_encoding(text, self.encoding)

    def file(self, path: str, text: str) -> str:
        """`text`, leading to a file."""
        return text if self._links is None else _terminal_link(self._links.file(path), text)

    def rule(self, code: str, text: str) -> str:
        """`text`, leading to the page of a rule."""
        return text if self._links is None else _terminal_link(self._links.rule(code), text)


def style_of(options: ReportOptions) -> Style:
    """Return the style that a run asks for."""
    if not options.links:
        return Style(options.color, encoding=options.encoding)
    from fairlint.reporters.links import Links  # noqa: PLC0415 (for terminals that know links)

    return Style(options.color, encoding=options.encoding, links=Links(options))


def _terminal_link(address: str, text: str) -> str:
    """`text` with the sequences of OSC 8, which such terminals make a link of."""
    return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\" if address else text
