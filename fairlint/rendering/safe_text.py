"""Texts of strangers on a page: no control character steers anything or changes the order of what is read."""

from __future__ import annotations

import unicodedata

JOINERS = frozenset("\u200c\u200d")
"""Format characters that scripts and emoji need; all others can hide or reorder text."""


def plain(text: object) -> str:
    """Return a text in one line and without control characters, which could steer a terminal or reorder a
    line.
    """
    told = str(text)
    if told.isprintable():
        return told
    return "".join(
        " "
        if one in "\t\r\n\u2028\u2029"
        else "\N{REPLACEMENT CHARACTER}"
        if _is_control_character(one)
        else one
        for one in told
    )


def code(text: str) -> str:
    """Return code as it looks, with each control character but tabs and line ends written out.

    >>> print(code("a\\x1b"))
    a\\x1b
    """
    if text.isprintable():
        return text
    return "".join(
        one.encode("unicode_escape").decode("ascii")
        if one not in "\t\n" and _is_control_character(one)
        else one
        for one in text
    )


def _is_control_character(one: str) -> bool:
    kind = unicodedata.category(one)
    return one not in JOINERS and (kind[0] == "C" or kind in {"Zl", "Zp"})
