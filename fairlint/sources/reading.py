"""From a file's bytes to a Source: encodings.

`Source.data` is always valid UTF-8 without a byte-order mark. Line endings stay as they are.
"""

from __future__ import annotations

from fairlint.support.files import NotReadableError
from fairlint.syntax.language import Language

MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
"""Byte-order marks and their encodings; the longer ones first, for one starts like another."""


def to_utf8(raw: bytes, language: Language | None = None) -> bytes:
    """Return the text of `raw` as UTF-8, whatever its encoding.

    In order: a byte-order mark, what the text says itself in a way of its language, UTF-8, and Latin-1, which
    fits everything. A NUL byte outside UTF-16 and UTF-32 means that this is no text: a NotReadableError.
    """
    for mark, marked in MARKS:
        if raw.startswith(mark):
            return _decode_bytes(raw[len(mark) :], marked)
    if b"\0" in raw:
        raise NotReadableError("a binary file: it holds NUL bytes")
    declared = language.encoding if language is not None else None
    if declared is not None and (encoding := declared(raw)):
        try:
            return raw.decode(encoding).encode()
        except (LookupError, UnicodeError, ValueError):
            pass  # what is declared wrongly is not for us to say; the text can still be checked
    if raw.isascii():
        return raw
    try:
        raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1").encode()
    return raw


def _decode_bytes(raw: bytes, encoding: str) -> bytes:
    if encoding == "utf-8":
        return to_utf8(raw)
    try:
        return raw.decode(encoding).encode()
    except UnicodeError:
        raise NotReadableError(f"damaged text: it begins like {encoding[:6].upper()} and is not") from None
