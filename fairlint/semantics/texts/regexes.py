"""The texts that a simple regular expression matches: `^f(emale)?$` is "f" or "female"."""

from __future__ import annotations

MOST = 24
"""Expressions for more texts than this denote no list of groups."""

EMPTY_ESCAPES = frozenset("bBAZzs")
FLAGS = frozenset("aiLmsux")
QUANTIFIERS = frozenset("?*+{")


def texts(pattern: str) -> tuple[str, ...] | None:
    """Return the texts that `pattern` looks for, without those it may have around; None where they cannot be
    listed.

    >>> texts("^f(emale)?$")
    ('f', 'female')
    >>> texts("[Mm]ale.*")
    ('Male', 'male')
    """
    reader = _Reader(pattern)
    try:
        found = reader.alternatives()
    except _UnlistableError:
        return None
    if reader.place < len(pattern) or "" in found:
        return None
    return tuple(dict.fromkeys(found))


class _UnlistableError(Exception):
    """The expression matches more than a few texts, or is none."""


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.place = 0

    @property
    def next(self) -> str:
        """The character to be read, empty at the end."""
        return self.pattern[self.place : self.place + 1]

    def take(self) -> str:
        """Return the next character, read."""
        if not self.next:
            raise _UnlistableError
        self.place += 1
        return self.pattern[self.place - 1]

    def alternatives(self) -> list[str]:
        """`a|b|c`, up to a closing bracket or the end."""
        found = self.sequence()
        while self.next == "|":
            self.take()
            found.extend(self.sequence())
        return found

    def sequence(self) -> list[str]:
        found = [""]
        while self.next not in {"", "|", ")"}:
            part = self.repeated()
            found = [left + right for left in found for right in part]
            if len(found) > MOST:
                raise _UnlistableError
        return found

    def repeated(self) -> list[str]:
        """Return one item with what follows it; how often something stands that is no text does not
        matter.
        """
        item = self.item()
        if self.next not in QUANTIFIERS or not self.next:
            if item is None:
                raise _UnlistableError  # a dot: any one character
            return item
        sign = self.take()
        if sign == "{":
            raise _UnlistableError
        if self.next in {"?", "+"}:
            self.take()  # lazy or possessive
        if item is None or item == [""]:
            return [""]
        if sign != "?":
            raise _UnlistableError
        return list(dict.fromkeys(["", *item]))

    def item(self) -> list[str] | None:
        """Return a character, a class, or a group; None for a dot."""
        char = self.take()
        match char:
            case "^" | "$":
                return [""]
            case ".":
                return None
            case "(":
                return self.group()
            case "[":
                return self.one_of()
            case "\\":
                escaped = self.take()
                if escaped in EMPTY_ESCAPES:
                    return [""]
                if escaped.isalnum():
                    raise _UnlistableError
                return [escaped]
            case "*" | "+" | "?" | "{":
                raise _UnlistableError
            case _:
                return [char]

    def group(self) -> list[str]:
        if self.next == "?":
            self.take()
            kind = self.take()
            if kind == "P":
                if self.take() != "<":
                    raise _UnlistableError
                while self.take() != ">":
                    pass
            elif kind != ":":
                while kind in FLAGS:
                    kind = self.take()
                if kind == ")":
                    return [""]
                if kind != ":":
                    raise _UnlistableError
        found = self.alternatives()
        if self.take() != ")":
            raise _UnlistableError
        return found

    def one_of(self) -> list[str]:
        found: list[str] = []
        while (char := self.take()) != "]":
            if char in {"^", "-", "\\", "["}:
                raise _UnlistableError
            found.append(char)
        if not found:
            raise _UnlistableError
        return found
