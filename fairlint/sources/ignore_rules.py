"""Git's ignore rules: which paths a `.gitignore` leaves out, as gitignore(5) and git itself have it.

Paths and patterns are compared byte by byte, as git does: `?` is one byte.
"""

# Path objects would take longer than the rules themselves.
# ruff: noqa: PTH118, PTH206

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from fairlint.support.records import Record

_MARK = b"\xef\xbb\xbf"
_SLASH = ord("/")
_NEVER = b"(?!)"
TOO_MANY = "it holds more rules than can be looked at"
_MEMORY = 64 << 20
"""Bytes that the expressions of a file may take."""
_CLASSES = {
    b"alnum": rb"[0-9A-Za-z]",
    b"alpha": rb"[A-Za-z]",
    b"blank": rb"[ \t]",
    b"cntrl": rb"[\x00-\x1f\x7f]",
    b"digit": rb"[0-9]",
    b"graph": rb"[!-~]",
    b"lower": rb"[a-z]",
    b"print": rb"[ -~]",
    b"punct": rb"[!-/:-@\[-`{-~]",
    b"space": rb"[ \t\n\r]",
    b"upper": rb"[A-Z]",
    b"xdigit": rb"[0-9A-Fa-f]",
}
"""Git's own, of ASCII alone."""


class Rule(Record):
    """One line: an expression for a name or for a path from the folder on, and what it says of it."""

    expression: bytes
    ignores: bool
    """False for a line that begins with `!`."""
    folders_only: bool
    by_name: bool
    """Without a slash before its end, a pattern is about the last part of a path."""


class TooManyRulesError(ValueError):
    """Rules that would take too much memory."""


class Rules(Record, slots=False, eq=False):
    """The rules of one file, or of one setting. All are asked at once, in time linear in the path."""

    rules: Sequence[Rule]

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """Return true if `path` is left out, False if it is taken back in, None if no rule is about it.

        `path` is relative to the rules' folder, with the system's separators. What holds for the folders
        that it is in is not looked at (see `verdict_below`).
        """
        last = max(self.places(path, folder=folder), default=None)
        return None if last is None else self.rules[last].ignores

    def places(self, path: str, *, folder: bool) -> list[int]:
        """Return the places of all rules that are about a path, in any order; as `verdict` otherwise."""
        raw = os.fsencode(path if os.sep == "/" else path.replace(os.sep, "/"))
        meant = [*self._name_matcher(raw.rpartition(b"/")[2]), *self._path_matcher(raw)]
        return [place for place in meant if folder or not self.rules[place].folders_only]

    def verdict_below(self, path: str, *, folder: bool) -> bool | None:
        """As `verdict`, where a folder that is left out takes all in it along."""
        parts = path.split(os.sep)
        for depth in range(1, len(parts)):
            if self.verdict(os.sep.join(parts[:depth]), folder=True):
                return True
        return self.verdict(path, folder=folder)

    @cached_property
    def _name_matcher(self) -> Callable[[bytes], Iterable[int]]:
        return self._build_matcher(by_name=True)

    @cached_property
    def _path_matcher(self) -> Callable[[bytes], Iterable[int]]:
        return self._build_matcher(by_name=False)

    def _build_matcher(self, *, by_name: bool) -> Callable[[bytes], Iterable[int]]:
        """Give the places of the rules that match a whole name, or a whole path."""
        places = [place for place, rule in enumerate(self.rules) if rule.by_name is by_name]
        if not places:
            return lambda _: ()
        import re2  # noqa: PLC0415 (start-up: most runs meet no rules)

        options = re2.Options()
        options.encoding = options.Encoding.LATIN1
        options.max_mem = _MEMORY
        options.never_capture = True
        options.log_errors = False
        options.dot_nl = True
        found = re2.Set.FullMatchSet(options)
        try:
            for place in places:
                found.Add(self.rules[place].expression)
            found.Add(b".*")  # matches all: where even that is not found, it could not be built
            found.Compile()
        except re2.error:
            raise TooManyRulesError(TOO_MANY) from None
        if not found.Match(b""):
            raise TooManyRulesError(TOO_MANY)
        return lambda text: [places[number] for number in found.Match(text) if number < len(places)]


def read_rules(data: bytes) -> Rules:
    """Return the rules of a `.gitignore`, whatever is in it: a line that can match nothing is no rule.

    Raises TooManyRulesError.
    """
    lines = data.removeprefix(_MARK).split(b"\n")
    return rules_of(line.removesuffix(b"\r") for line in lines)


def rules_of(lines: Iterable[bytes]) -> Rules:
    """Return the rules of some lines. Raises TooManyRulesError."""
    read = [rule for line in lines if (rule := read_rule(line)) is not None]
    rules = Rules(tuple(dict.fromkeys(reversed(read)))[::-1])  # of those that are alike the last one counts
    _ = rules._name_matcher, rules._path_matcher
    return rules


def read_rule(line: bytes) -> Rule | None:
    """Return the rule of a line; None where it is none."""
    if line.startswith(b"#"):
        return None
    pattern = _without_spaces(line.partition(b"\0")[0])
    ignores = not pattern.startswith(b"!")
    pattern = pattern.removeprefix(b"!")
    folders_only = pattern.endswith(b"/")
    pattern = pattern.removesuffix(b"/")
    by_name = b"/" not in pattern
    expression = b"".join(_pattern_parts(pattern.removeprefix(b"/")))
    return Rule(expression, ignores, folders_only, by_name) if pattern and _NEVER not in expression else None


def _without_spaces(line: bytes) -> bytes:
    """Return a line without the spaces at its end, unless a backslash is before them."""
    stripped = line.rstrip(b" ")
    behind = len(stripped) - len(stripped.rstrip(b"\\"))
    return line[: len(stripped) + 1] if behind % 2 and stripped != line else stripped


def _pattern_parts(pattern: bytes) -> Iterator[bytes]:
    """Expressions for the parts of a pattern, as git's wildmatch reads them."""
    at = 0
    while at < len(pattern):
        letter = pattern[at]
        if letter == ord("*"):
            end = at
            while pattern[end : end + 1] == b"*":
                end += 1
            begins = at == 0 or pattern[at - 1] == _SLASH
            rest = pattern[end:]
            if end - at > 1 and begins and (not rest or rest.startswith((b"/", rb"\/"))):
                if rest.startswith(b"/"):  # any folders, or none
                    yield rb"(?:.*/)?"
                    end += 1
                else:
                    yield rb".*"
            else:
                yield rb"[^/]*"
            at = end
        elif letter == ord("?"):
            yield rb"[^/]"
            at += 1
        elif letter == ord("["):
            expression, at = _bracket_expression(pattern, at)
            yield expression
        elif letter == ord("\\"):
            yield re.escape(pattern[at + 1 : at + 2]) or _NEVER
            at += 2
        else:
            yield re.escape(pattern[at : at + 1])
            at += 1


def _bracket_expression(pattern: bytes, at: int) -> tuple[bytes, int]:
    """Return an expression for the set that begins at `at`, and where it ends; what never ends matches
    nothing.
    """
    broken = (_NEVER, len(pattern))
    at += 1
    negated = pattern[at : at + 1] in {b"!", b"^"}
    at += negated
    meant: set[int] = set()
    before: int | None = None
    is_first = True
    while is_first or pattern[at : at + 1] != b"]":
        is_first = False
        if at >= len(pattern):
            return broken
        letter = pattern[at]
        following = pattern[at + 1 : at + 2]
        if letter == ord("-") and before is not None and following not in {b"", b"]"}:
            at += 1 + (following == b"\\")
            if at >= len(pattern):
                return broken
            meant.update(range(before, pattern[at] + 1))
            before = None
        elif letter == ord("[") and following == b":":
            end = pattern.find(b"]", at + 2)
            if end < 0:
                return broken
            if end - at - 3 < 0 or pattern[end - 1 : end] != b":":  # no class after all
                meant.add(letter)
                before = letter
            elif (known := _CLASSES.get(pattern[at + 2 : end - 1])) is None:
                return broken
            else:
                meant.update(code for code in range(256) if re.fullmatch(known, bytes([code])))
                before, at = None, end
        else:
            at += letter == ord("\\")
            if at >= len(pattern):
                return broken
            before = pattern[at]
            meant.add(before)
        at += 1
    letters = (set(range(256)) - meant if negated else meant) - {_SLASH}
    listed = b"".join(b"\\x%02x" % code for code in sorted(letters))
    return (b"[" + listed + b"]" if listed else _NEVER), at + 1
