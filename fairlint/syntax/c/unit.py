"""What all stretches of one C source share while it is lowered."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Parser

from fairlint.syntax import tree as t
from fairlint.syntax.c.text import Text
from fairlint.syntax.lowering import gap

_MAX_BITS = 128
_MAX_FOLD_DEPTH = 60

Keep = Callable[[int, int, str], bool]

_FOLD: dict[str, Callable[[int, int], int]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "&": lambda left, right: left & right,
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
    "<<": lambda left, right: left << right if 0 <= right < _MAX_BITS else 1 << _MAX_BITS,
    ">>": lambda left, right: left >> right if 0 <= right < _MAX_BITS else 0,
    "==": lambda left, right: int(left == right),
    "!=": lambda left, right: int(left != right),
    "<": lambda left, right: int(left < right),
    "<=": lambda left, right: int(left <= right),
    ">": lambda left, right: int(left > right),
    ">=": lambda left, right: int(left >= right),
}


class Unit:
    """One C source: its text, the constants seen so far, and the gaps."""

    def __init__(self, text: Text, parser: Parser, keep: Keep | None) -> None:
        self.text = text
        self.parser = parser
        self.keep = keep
        self.gaps: list[t.Gap] = list(text.gaps)
        self.constants: dict[str, int] = {}
        self.old_style: dict[int, int] = {}
        """Where an old-style function's body starts -> where the declarations of its parameters do."""

    def gap(self, span: t.Span, reason: str) -> None:
        """Note a stretch that was not understood."""
        self.gaps.append(gap(span, reason))

    def constant(self, node: t.Node | None, depth: int = 0) -> int | None:
        """Return the value of a constant expression, where it can be told from this file."""
        if depth > _MAX_FOLD_DEPTH:
            return None
        depth += 1
        match node:
            case t.Literal(value=bool() | int() as value):
                return int(value)
            case t.Literal(value=str() as letter) if len(letter) == 1:
                return ord(letter)
            case t.Name(id=name):
                return self.constants.get(name)
            case t.Cast(value=value):
                return self.constant(value, depth)
            case t.Unary(op=op, operand=operand):
                return _fold_unary(op, self.constant(operand, depth))
            case t.Conditional(test=test, then=then, otherwise=otherwise):
                chosen = self.constant(test, depth)
                return None if chosen is None else self.constant(then if chosen else otherwise, depth)
            case t.Binary(op=op, left=left, right=right) | t.Compare(op=op, left=left, right=right):
                return _fold_binary(op, self.constant(left, depth), self.constant(right, depth))
        return None


def _fold_unary(op: str, value: int | None) -> int | None:
    if value is None:
        return None
    return {"-": -value, "+": value, "~": ~value, "not": int(not value)}[op]


def _fold_binary(op: str, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    if op in ("/", "%"):
        if right == 0:
            return None
        # C rounds towards zero, Python down.
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if op == "/" else left - quotient * right
    fold = _FOLD.get(op)
    if fold is None:
        return None
    value = fold(left, right)
    return value if abs(value) < 1 << _MAX_BITS else None
