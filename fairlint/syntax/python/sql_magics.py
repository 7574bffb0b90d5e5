"""SQL behind a notebook's magics, made a text of Python: `%%sql offers <<` becomes `offers=sql('''...''')`.

What is put in takes the room of the magic, so that every column of the query stays where it is. Only what
closes the text needs more room: it stands behind the cell, or takes the place of a blank.
"""

from __future__ import annotations

import re

CELLS = frozenset({"sql", "bigquery", "bqsql", "sparksql", "read_sql"})
"""Cell magics behind which SQL stands."""
LINES = frozenset({b"sql", b"sparksql"})
"""Line magics behind which SQL stands."""

_OPENS = re.compile(rb"(?:\s|--[^\n]*\n)*(?:select|with|update|delete|insert|merge|create)\b", re.IGNORECASE)
_LINE = re.compile(rb"%[ \t]*(\w+)[ \t]+")
_ARROW = re.compile(rb"\s([A-Za-z_]\w*)\s*=?\s*<<")
_OPTION = re.compile(rb"\s(?:-o|--output|--out|-v)[\s=]+([A-Za-z_]\w*)")
_BARE = re.compile(rb"\s*([A-Za-z_]\w*)(?=\s|$)")
_SPARE = re.compile(rb"(?<=[,=<>(]) | (?=[,=<>)])")
"""A blank that a query does without."""


def cell(name: str, rest: bytes, body: bytes, room: int) -> tuple[bytes, bytes] | None:
    """Return what stands for the first line of a cell, `room` bytes long, and what stands behind the cell.

    `rest` is the line behind the magic's name. None where the cell holds no query that can be read.
    """
    quote = b'"' if body.endswith(b"'") else b"'"
    quotes = quote * 3
    if not is_query(body) or quotes in body or b"\\" in body or body.endswith(quote):
        return None
    target = _target_variable(name, rest) or b"_"
    forms = ((target + b"=sql(", b")"), (b"_=", b""), (b"-", b""))
    for opening, closing in forms:
        if len(opening) + len(quotes) <= room:
            return (opening + quotes).ljust(room), quotes + closing
    return None


def is_query(text: bytes) -> bool:
    """Return whether a text begins as SQL does that reads or changes rows."""
    return _OPENS.match(text) is not None


def _target_variable(name: str, rest: bytes) -> bytes:
    """Return the variable that the rows go to."""
    found = _ARROW.search(rest) or _OPTION.search(rest)
    if found is None and name in {"bigquery", "read_sql"}:
        found = _BARE.match(rest)
    return found[1] if found is not None else b""


def line(text: bytes, before: bytes = b"") -> bytes | None:
    """Return a text of Python as long as the line magic `text`; None where no query stands there.

    `before` is what stands in front of it, where nothing is assigned.
    """
    magic = _LINE.match(text)
    if magic is None or magic[1] not in LINES:
        return None
    query = text[magic.end() :].rstrip()
    quote = b'"' if b'"' not in query else b"'"
    if not is_query(query) or quote in query or b"\\" in query or b"\n" in query:
        return None
    opening = (before + b" " * magic.end())[: magic.end() - 1] + quote
    if len(text) > magic.end() + len(query):
        return (opening + query + quote).ljust(len(text))
    if query.endswith(b";"):
        return opening + query[:-1] + quote
    if spares := [match.span() for match in _SPARE.finditer(query)]:
        start, end = spares[-1]
        return opening + query[:start] + query[end:] + quote
    return opening[:-2] + quote + query + quote
