"""Texts and tables as GitHub's Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fairlint.rendering.safe_text import plain

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#|~$@!&])")


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]], sides: str) -> str:
    """Return a table; `sides` has an `r` for each column of numbers."""
    lines = [
        f"| {' | '.join(map(escape_markup, heads))} |",
        f"|{'|'.join('--:' if side == 'r' else '---' for side in sides)}|",
        *(f"| {' | '.join(map(escape_markup, row))} |" for row in rows),
    ]
    return "\n".join(lines)


def escape_markup(text: object) -> str:
    """Return a text as one line in which nothing is markup."""
    return _SPECIAL.sub(r"\\\1", plain(text))
