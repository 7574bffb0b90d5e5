"""Colours of terminal reports: a Style wraps text in escape sequences, or leaves it alone."""

from __future__ import annotations

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
    """Paints text by its role, if colour is wanted."""

    def __init__(self, color: bool) -> None:
        self.color = color

    def __call__(self, role: str, text: str) -> str:
        """`text`, painted for `role`: a severity, `gutter`, `strong`, `good` or `dim`."""
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if self.color and text else text
