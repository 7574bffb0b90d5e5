"""Which encoding a Python file says that it is in."""

from __future__ import annotations

import re

SLOW_CODECS = frozenset({"idna", "punycode"})
"""Encodings of domain names: no source is written in them, and their time grows faster than the text."""
COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
BLANK = re.compile(rb"^[ \t\f]*(?:#[^\r\n]*)?$")


def coding_cookie(raw: bytes) -> str | None:
    """Return the encoding that one of the first two lines of a Python file declares, if it is not UTF-8."""
    for line in raw[:1000].splitlines()[:2]:
        if found := COOKIE.match(line):
            name = found[1].decode("ascii").lower().replace("_", "-")
            return None if name in SLOW_CODECS or name.startswith(("utf-8", "utf8")) else name
        if not BLANK.match(line):
            return None
    return None
