"""C constants: numbers, characters and strings as written, to the values they stand for."""

from __future__ import annotations

import re

_SUFFIX = re.compile(r"(?:[uU]?(?:ll|LL|[lLzZ]|wb|WB|i64|I64|i32|I32)?[uU]?)$")
_FLOAT_SUFFIX = re.compile(r"(?:[fFlLqQ]|[fF](?:16|32|64|128)x?|[dD][fFdDlL])$")
_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]+)|([0-7]{1,3})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(\r?\n)|(.))", re.DOTALL
)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}
_LONGEST = 200
"""Digits; a float holds so many in any base, and no code means more."""


def number(text: str) -> int | float | None:
    """Return the value of a C number, or None if it has none that we can tell."""
    if text.isdecimal() and text[0] != "0" and len(text) < _LONGEST:
        return int(text)
    text = text.replace("'", "")
    if len(text) > _LONGEST:
        return None
    lower = text.lower()
    try:
        if lower.startswith("0x"):
            if "p" in lower:
                return float.fromhex(_FLOAT_SUFFIX.sub("", text))
            return int(_SUFFIX.sub("", text), 0)
        if lower.startswith("0b"):
            return int(_SUFFIX.sub("", text), 0)
        if "." in lower or "e" in lower:
            return float(_FLOAT_SUFFIX.sub("", text))
        digits = _SUFFIX.sub("", text)
        if len(digits) > 1 and digits[0] == "0":
            return int(digits, 8)
        return int(digits)
    except (ValueError, OverflowError):
        pass
    try:
        return float(_FLOAT_SUFFIX.sub("", text))
    except ValueError:
        return None


def unescape(text: str) -> str:
    """`text` with its escape sequences resolved."""
    return _ESCAPE.sub(_unescape_match, text) if "\\" in text else text


def _unescape_match(match: re.Match[str]) -> str:
    hexadecimal, octal, short, long, continuation, simple = match.groups()
    digits = hexadecimal or short or long
    if digits:
        code = int(digits[-8:], 16)
    elif octal:
        code = int(octal, 8)
    elif continuation:
        return ""
    else:
        return _SIMPLE.get(simple, simple)
    # Surrogates and what lies beyond Unicode have no text; keep output encodable.
    return chr(code) if code < 0xD800 or 0xE000 <= code <= 0x10FFFF else "\ufffd"


def text_between_quotes(text: str) -> str:
    """Return the text between the quotes of a character or string constant, whatever its prefix."""
    quote = text[-1:] if text[-1:] in "\"'" else ""
    start = text.find(quote) + 1 if quote else max(text.find('"'), text.find("'")) + 1
    end = len(text) - 1 if quote and len(text) > start else len(text)
    return unescape(text[start:end])
