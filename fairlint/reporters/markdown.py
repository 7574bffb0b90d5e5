"""Markdown as plain text, and lightly painted for a terminal. Only what rule pages use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairlint.reporters.printable import printable
from fairlint.reporters.style import Style

_FENCE = re.compile(r"^\s*(```|~~~)")
_HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
_CODE = re.compile(r"`([^`]+)`")
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])|\*\*([^*]+)\*\*")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


def _classify_lines(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield each line with what it is: `code`, `heading`, `fence` or `text`."""
    in_code = False
    for line in markdown.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
            yield "fence", line
        elif in_code:
            yield "code", line
        elif found := _HEADING.match(line):
            yield "heading", found[2]
        else:
            yield "text", line


def plain(markdown: str) -> str:
    """Return the text without marks: headings bare, code indented, links followed by their address."""
    shown = []
    for kind, line in _classify_lines(markdown):
        if kind == "code":
            shown.append(f"    {line}")
        elif kind != "fence":
            text = _EMPHASIS.sub(lambda found: found[1] or found[2], line)
            shown.append(_LINK.sub(r"\1 (\2)", _CODE.sub(r"\1", text)))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in shown)).strip() + "\n"


def paint_markdown(markdown: str, style: Style) -> str:
    """Return the Markdown for a terminal: marks stay, headings and code stand out."""
    shown = []
    for kind, line in _classify_lines(markdown):
        if kind == "heading":
            shown.append(style("strong", printable(line)))
        elif kind == "code":
            shown.append(f"    {style('note', printable(line.expandtabs(4)))}")
        elif kind == "text":
            shown.append(_CODE.sub(lambda found: style("strong", found[1]), printable(line)))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(shown)).strip() + "\n"
