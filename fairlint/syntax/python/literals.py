"""The values of Python's string and number literals."""

from __future__ import annotations

import re

from fairlint.support.expressions import lazy_expression

_ESCAPE = lazy_expression(
    r"\\(\r?\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|[\\'\"abfnrtv])"
)
_BYTES_ESCAPE = lazy_expression(rb"\\(\r?\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|[\\'\"abfnrtv])")
_SIMPLE = {
    "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip
_LAST_CODE_POINT = 0x10FFFF


def text_value(raw: bytes, prefix: str) -> str:
    """Return the text of a string literal whose inside is `raw`."""
    text = raw.decode("utf-8", "replace")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "\\" not in text or "r" in prefix:
        return text
    return _ESCAPE.sub(_resolve_escape, text)


def bytes_value(raw: bytes, prefix: str) -> bytes:
    """Return the bytes of a bytes literal whose inside is `raw`."""
    if b"\\" not in raw or "r" in prefix:
        return raw
    return _BYTES_ESCAPE.sub(_resolved_bytes, raw)


LONGEST = 200
"""Digits of a number; a float holds so many in any base, and no code means more."""


def number_value(text: str) -> int | float | None:
    """Return the value of a number as written; None for imaginary numbers and those that are too long."""
    text = text.lower().rstrip("l")
    if len(text) > LONGEST or (text.endswith("j") and not text.startswith("0x")):
        return None
    try:
        if text.startswith(("0x", "0o", "0b")):
            return int(text, 0)
        if not text.strip("0123456789_"):
            # 0777 is an octal number of Python 2
            return int(text, 8) if re.fullmatch(r"0[0-7]*[1-7][0-7]*", text) else int(text)
        return float(text)
    except ValueError:
        return None


def _resolve_escape(match: re.Match[str]) -> str:
    code = match[1]
    if code in _SIMPLE:
        return _SIMPLE[code]
    if code[0] in "\r\n":
        return ""
    if code[0] == "N":
        import unicodedata  # noqa: PLC0415 (large, and hardly ever needed)

        try:
            return unicodedata.lookup(code[2:-1])
        except KeyError:
            return match[0]
    number = int(code[1:], 16) if code[0] in "xuU" else int(code, 8)
    if number > _LAST_CODE_POINT:
        return match[0]
    character = chr(number)
    # a lone surrogate could never be printed
    return "\ufffd" if "\ud800" <= character <= "\udfff" else character


def _resolved_bytes(match: re.Match[bytes]) -> bytes:
    code = match[1].decode("ascii")
    if code in _SIMPLE:
        return _SIMPLE[code].encode("ascii")
    if code[0] in "\r\n":
        return b""
    return bytes([(int(code[1:], 16) if code[0] == "x" else int(code, 8)) & 0xFF])
