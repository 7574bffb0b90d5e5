"""Marks in the names of values that have none in the code: they keep them apart, and are told as the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from fairlint.support.expressions import lazy_expression
from fairlint.syntax.tree import Assign, Block, Function, If, Loop, Node, Span, Switch, Try, Type, With

_OPEN, _CLOSE = "\x02", "\x03"
_MARK = lazy_expression(r"\x02(?:(\d+)-(\d+))?([^\x02\x03]*)\x03")
_CUT = lazy_expression(r"\x02[^\x03]*$")
_STATEMENTS = (Assign, Block, Function, If, Loop, Switch, Try, Type, With)
_ROOM = 40
"""Characters of code that stand in the place of one mark."""
_MOST_MARKS = 200
"""Marks of one text that are told in the code's words."""


def marked_name(node: Node, apart: str = "") -> str:
    """Return a name for what a node gives: it is told as the expression, and what a statement gives as "…".

    `apart` keeps several of one node apart.
    """
    if isinstance(node, _STATEMENTS):
        return f"…{hidden_mark(f'{node.span.start}{apart}')}"
    return f"{_OPEN}{node.span.start}-{node.span.end}{apart}{_CLOSE}"


def hidden_mark(apart: object) -> str:
    """Return what keeps a name apart from others, and is not told."""
    return f"{_OPEN}:{apart}{_CLOSE}"


def without_cut_mark(text: str) -> str:
    """Return the beginning of a name, without the half of a mark that it ends in."""
    return _CUT.sub("", text)


def has_marks(text: str) -> bool:
    """Return whether a name holds marks."""
    return _OPEN in text


def in_words(text: str, code: Callable[[Span], str], shortened: Mapping[str, str]) -> str:
    """Return a name as people are told it: expressions for marks, the whole text for a short name of it.

    `shortened` has the short names of long ones.
    """
    if not has_marks(text):
        return text
    whole = {short: long for long, short in shortened.items()}
    for short in sorted((one for one in whole if one in text), key=len, reverse=True):
        text = text.replace(short, whole[short])

    def told(found: re.Match[str]) -> str:
        if found[1] is None:
            return ""
        written = " ".join(code(Span(int(found[1]), int(found[2]))).split())
        return written if len(written) <= _ROOM else f"{written[: _ROOM - 1]}…"

    return _MARK.sub("", _MARK.sub(told, text, count=_MOST_MARKS)).replace(_OPEN, "").replace(_CLOSE, "")
