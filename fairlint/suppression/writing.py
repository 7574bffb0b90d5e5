"""Writes the comments that `suppression/comments.py` reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from fairlint.sources.files_to_check import suffix_language, suffixes_of
from fairlint.support.records import Record
from fairlint.syntax.registry import languages

BOM = "\ufeff"
_LINES = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_INDENT = re.compile(r"[ \t]*")
_NEWLINE = re.compile(r"(\r\n|\n|\r)\Z")


class Marks(Record):
    """What a comment begins and ends with."""

    begin: str
    end: str = ""


def marks_of(path: str) -> Marks | None:
    """Return the marks in the language of a file; None where nobody knows."""
    known = languages()
    name = suffix_language(path, suffixes_of(known.values()))
    return None if name is None else marks_in(name)


def marks_in(language: str) -> Marks | None:
    """Return the marks in a language; None where it has no comments, or where nobody knows it."""
    known = languages().get(language)
    tokens = known.tokens if known is not None else None
    if tokens is None:
        return None
    if tokens.line_comments:
        return Marks(f"{tokens.line_comments[0].decode()} ")
    if not tokens.block_comments:
        return None
    begin, end = tokens.block_comments[0]
    return Marks(f"{begin.decode()} ", f" {end.decode()}")


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their endings, counted as reports count them."""
    return _LINES.split(text)


def comment_above(line: str, rules: Iterable[str], marks: Marks, reason: str, until: str = "") -> str:
    """Return the line to write above `line` so that these rules say nothing of its statement, up to a day."""
    indent, newline = _INDENT.match(line.removeprefix(BOM)), _NEWLINE.search(line)
    codes = ", ".join(sorted(rules))
    last = f" until {until}" if until else ""
    comment = f"{marks.begin}fairlint: ignore[{codes}]{last} -- {reason}{marks.end}"
    return f"{indent[0] if indent else ''}{comment}{newline[0] if newline else chr(10)}"


def with_comments(
    text: str, codes: Mapping[int, Iterable[str]], marks: Marks, reason: str, until: str = ""
) -> str:
    """`text` with a comment above each of these lines."""
    lines = lines_of(text)
    for number in sorted(codes, reverse=True):
        line = lines[number - 1]
        first = BOM if line.startswith(BOM) else ""
        comment = comment_above(line, codes[number], marks, reason, until)
        lines[number - 1 : number] = [f"{first}{comment}", line.removeprefix(first)]
    return "".join(lines)
