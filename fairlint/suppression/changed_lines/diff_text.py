"""Reads the text of a unified diff: which files it speaks of, and which of their lines are new.

A text that is understood in part would make a file look unchanged. So every line has to be something: a head,
a line of a hunk whose numbers are right, or text that stands where tools write some. Other forms, such as a
combined or a context diff, are refused by name. Colours, CRLF, quoted names and any prefix are understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from fairlint.support.errors import UsageError
from fairlint.support.records import Record, field
from fairlint.suppression.changed_lines.touched import Touched, wholly

_COLOR = re.compile(rb"\x1b\[[0-9;:]*[mK]")
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?:[ \r].*)?")
_BINARY = re.compile(rb"(?:Binary files|Files) (.+) and (.+) differ")
_ONLY = re.compile(rb"Only in (.+): (.+)")
_MODULE = re.compile(rb"Submodule (.+?) (?:[0-9a-f]+\.\.\.?[0-9a-f]+|contains )")
_ESCAPE = re.compile(rb'\\([0-3][0-7]{2}|[abfnrtv"\\])')
_NAMED = dict(zip(b"abfnrtv", b"\a\b\f\n\r\t\v", strict=True))
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_UTF8 = b"\xef\xbb\xbf"
NOTHING = b"/dev/null"
"""The name of a file that is not there."""
LINK, MODULE = b"120000", b"160000"

UNTOLD = "the diff tells none of its lines"
BINARY = "the diff takes it for binary"
MOVED = "the diff says that it was moved or copied"
LINKED = "the diff makes a link of it, or of a link a file"
INNER = "the diff says that it belongs to another repository"


class Section(Record, frozen=False):
    """What a diff says of one file. `names` are those that it may have, each as bytes."""

    names: tuple[bytes, ...] = ()
    ranges: list[range] = field(default_factory=list)
    reason: str = ""
    """Why nobody can tell which lines are changed."""
    is_removed: bool = False
    is_folder: bool = False
    """Whether it is about all files below, as of another repository."""
    is_told: bool = False
    """Whether it says what becomes of the file."""

    def touched(self) -> Touched:
        """Return what is changed."""
        if self.reason or not self.is_told:
            return wholly(self.reason or UNTOLD)
        return Touched(tuple(self.ranges))


def sections(data: bytes) -> list[Section]:
    """Return what a diff says; a UsageError where it is none, or of a form that does not say enough."""
    found = _Reader(_plain_diff(data)).read()
    for one in found:
        if any(b"\0" in name for name in one.names):
            raise _unreadable_diff_error("it names a path with a NUL")
    return found


def _plain_diff(data: bytes) -> bytes:
    """Return the diff as UTF-8, as far as it is text, and without colours."""
    if encoding := _UTF16.get(data[:2]):
        try:
            data = data[2:].decode(encoding).encode()
        except UnicodeError:
            raise _unreadable_diff_error("it begins like UTF-16 and is not") from None
    data = data.removeprefix(_UTF8)
    return _COLOR.sub(b"", data) if b"\x1b[" in data else data


def _unreadable_diff_error(why: str) -> UsageError:
    return UsageError(f"the diff cannot be read: {why}")


class _Reader:
    """Goes through a diff line by line."""

    def __init__(self, data: bytes) -> None:
        self._lines = data.split(b"\n")
        if not self._lines[-1]:
            self._lines.pop()
        self._at = 0
        self._found: list[Section] = []
        self._open: Section | None = None
        """The file that heads speak of."""

    def read(self) -> list[Section]:
        """Return all sections in their order."""
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip(b"\r")
            self._at += 1
            self._take_line(line)
        return self._found

    def _take_line(self, line: bytes) -> None:
        """One line outside of hunks."""
        if line.startswith((b"diff --cc ", b"diff --combined ", b"@@@")):
            raise self._refusal_error("a combined diff; git diff with one revision gives a plain one")
        if line == b"***************":
            raise self._refusal_error("a context diff; diff -u gives a unified one")
        if line.startswith(b"diff "):
            self._begin_section(_names_in_head(line))
        elif line.startswith(b"--- ") and self._next_line().startswith(b"+++ "):
            self._files(line, self._next_line())
            self._at += 1
        elif line.startswith(b"@@ "):
            self._read_hunk(line)
        elif found := _MODULE.match(line):
            self._begin_section((found[1],), is_folder=True, reason=INNER, is_told=True)
        elif found := _BINARY.fullmatch(line):
            self._read_binary(found[1], found[2])
        elif found := _ONLY.fullmatch(line):
            self._begin_section(
                _name_variants(found[1] + b"/" + found[2]), reason=UNTOLD, is_folder=True, is_told=True
            )
        elif self._open is not None:
            self._read_head_line(line, self._open)

    def _next_line(self) -> bytes:
        return self._lines[self._at].rstrip(b"\r") if self._at < len(self._lines) else b""

    def _refusal_error(self, why: str) -> UsageError:
        return _unreadable_diff_error(f"line {self._at}: {why}")

    def _begin_section(
        self,
        names: Iterable[bytes],
        *,
        reason: str = "",
        is_removed: bool = False,
        is_folder: bool = False,
        is_told: bool = False,
    ) -> Section:
        self._open = Section(
            tuple(dict.fromkeys(names)),
            reason=reason,
            is_removed=is_removed,
            is_folder=is_folder,
            is_told=is_told,
        )
        self._found.append(self._open)
        return self._open

    def _files(self, old_line: bytes, new_line: bytes) -> None:
        """Note the two lines that name a file before and after."""
        old, new = _file_name(old_line[4:]), _file_name(new_line[4:])
        one = self._open
        if one is None or one.ranges or one.is_removed:
            one = self._begin_section(())
        if new == NOTHING:
            one.is_removed = one.is_told = True
        if one.reason != MOVED:
            one.names = _possible_names(old, new)

    def _read_head_line(self, line: bytes, one: Section) -> None:
        """One of git's lines between `diff --git` and the hunks."""
        word, _, rest = line.partition(b" ")
        if line.startswith((b"rename to ", b"copy to ")):
            one.names = (_file_name(line.split(b" ", 2)[2]),)
            one.reason, one.is_told = MOVED, True
        elif line.startswith(b"deleted file mode "):
            one.is_removed = one.is_told = True
        elif line.startswith((b"new file mode ", b"old mode ", b"new mode ")):
            one.is_told = True
            self._read_mode(line, one)
        elif word == b"index":
            self._read_mode(rest, one)
        elif line == b"GIT binary patch":
            one.reason, one.is_told = BINARY, True
        elif not line.startswith(
            (b"rename from ", b"copy from ", b"similarity ", b"dissimilarity ", b"Index: ")
        ):
            self._open = None if line.strip(b"=") or not line else one

    @staticmethod
    def _read_mode(line: bytes, one: Section) -> None:
        mode = line.rpartition(b" ")[2]
        if mode == LINK:
            one.reason = LINKED
        elif mode == MODULE:
            one.reason, one.is_folder = INNER, True

    def _read_binary(self, old: bytes, new: bytes) -> None:
        one = self._open if self._open is not None and not self._open.ranges else None
        one = one or self._begin_section(_possible_names(_unquote_name(old), _unquote_name(new)))
        one.is_told = True
        if new == NOTHING:
            one.is_removed = True
        else:
            one.reason = BINARY

    def _read_hunk(self, line: bytes) -> None:
        """One hunk, and that nothing like a line of one stands behind it."""
        found = _HUNK.fullmatch(line)
        if found is None:
            raise self._refusal_error("this begins like a hunk and is none")
        one = self._open
        if one is None:
            raise self._refusal_error("a hunk that belongs to no file")
        try:
            old, number, new = int(found[1] or 1), int(found[2]), int(found[3] or 1)
        except ValueError:  # thousands of digits
            raise self._refusal_error("this begins like a hunk and is none") from None
        number += new == 0
        added: list[int] = []
        gaps: list[range] = []
        was_removed = is_changed = False
        while old > 0 or new > 0:
            if self._at >= len(self._lines):
                raise self._refusal_error("it ends amid a hunk")
            sign = self._lines[self._at].rstrip(b"\r")[:1] or b" "
            self._at += 1
            if sign == b"\\":
                continue
            if sign not in {b" ", b"+", b"-"} or old < (sign != b"+") or new < (sign != b"-"):
                raise self._refusal_error("this line does not belong into its hunk")
            if sign == b" " and was_removed:
                gaps.append(range(number - 1, number + 1))
            is_changed = is_changed or sign != b" "
            was_removed = sign == b"-"
            if sign == b"+":
                added.append(number)
            old -= sign != b"+"
            new -= sign != b"-"
            number += sign != b"-"
        if was_removed:
            gaps.append(range(number - 1, number + 1))
        if not is_changed:
            raise self._refusal_error("a hunk that changes nothing, as in a diff by words")
        one.is_told = True
        one.ranges += [*_consecutive_ranges(added), *gaps]
        self._check_behind_hunk()

    def _check_behind_hunk(self) -> None:
        """Note what looks like a line of the hunk that is over would be lost."""
        while self._next_line().startswith(b"\\"):
            self._at += 1
        line = self._next_line()
        is_head = line.startswith(b"--- ") and (self._lines[self._at + 1 : self._at + 2] or [b""])[
            0
        ].startswith(b"+++ ")
        if line[:1] in {b"+", b"-", b" "} and not is_head and line not in {b"-- ", b"--"}:
            self._at += 1
            raise self._refusal_error("a line behind the end of its hunk")
        if not line.startswith(b"@@ "):
            self._open = None


def _consecutive_ranges(numbers: Sequence[int]) -> list[range]:
    """Numbers in order as stretches."""
    found: list[range] = []
    for number in numbers:
        if found and found[-1].stop == number:
            found[-1] = range(found[-1].start, number + 1)
        else:
            found.append(range(number, number + 1))
    return found


def _names_in_head(line: bytes) -> tuple[bytes, ...]:
    """Return the names that a line such as `diff --git a/x b/x` may mean. Names with blanks are not
    set off.
    """
    rest = line.removeprefix(b"diff ").removeprefix(b"--git ")
    words = [_unquote_name(found[0]) for found in re.finditer(_QUOTED.pattern + rb"|\S+", rest)]
    names = _possible_names(words[-2], words[-1]) if len(words) > 1 else tuple(words)
    if b'"' in rest:
        return names
    halves = [(rest[: found.start()], rest[found.end() :]) for found in re.finditer(rb" ", rest)]
    same = [
        (old, new)
        for old, new in halves
        if old == new or b"" != _name_below_prefix(old) == _name_below_prefix(new)
    ]
    return tuple(name for old, new in same for name in _possible_names(old, new)) or names


def _name_below_prefix(name: bytes) -> bytes:
    return name.partition(b"/")[2]


def _file_name(text: bytes) -> bytes:
    """Return the name in a head: quoted, or up to a tab, behind which other tools write the time."""
    return _unquote_name(text if text.startswith(b'"') else text.partition(b"\t")[0])


def _unquote_name(text: bytes) -> bytes:
    """Return a name without git's quotes."""
    found = _QUOTED.match(text)
    return _ESCAPE.sub(_unescape_byte, found[1]) if found else text


def _unescape_byte(found: re.Match[bytes]) -> bytes:
    told = found[1]
    return bytes([int(told, 8)]) if len(told) == 3 else bytes([_NAMED.get(told[0], told[0])])


def _possible_names(old: bytes, new: bytes) -> tuple[bytes, ...]:
    """Return the names that a file may have whose two heads say this, whatever prefix they have."""
    if new == NOTHING:
        return _name_variants(old)
    pairs = zip(reversed(old.split(b"/")), reversed(new.split(b"/")), strict=False)
    shared = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]
    return tuple(dict.fromkeys((b"/".join(reversed(shared)) or new, *_name_variants(new))))


def _name_variants(name: bytes) -> tuple[bytes, ...]:
    """Return a name as it stands, and without its first part."""
    inner = _name_below_prefix(name)
    return (name, inner) if inner else (name,)
