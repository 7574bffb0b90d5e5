"""Finds the damaged lines of a Python source, so that what stands around them can still be read.

An error deep inside a file can make a parser lose everything before and after it: an answer cut off in
the middle, prose before the code, a bracket or docstring never closed. So the logical lines are tried one by
one, and those that make no sense alone are replaced by a name of the same length. The header of a damaged
`if` or `def` keeps its keyword, so that the block below it stays where it is. Offsets do not change.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from tree_sitter import Parser, Range

from fairlint.support.records import Record
from fairlint.syntax.lowering import trim_span
from fairlint.syntax.python.tokens import TOKENS
from fairlint.syntax.tree import Span

MAX_SIZE: Final = 1_000_000
"""Larger sources are not repaired."""

_READ_AHEAD: Final = 8
"""How many times the size of the source is spent on looking for the ends of brackets and strings."""
_LEFT_ALONE: Final = 8
"""Statements of more lines than this whose damage is small stay; the parser copes with them itself."""

_LONGEST_GLUED: Final = 2_000
"""How long a line may be in which a definition is looked for behind prose."""

_BLANK = re.compile(rb"[ \t\f]*(?:#[^\n]*)?(?:\r?\n|$)")
_TOKEN = re.compile(
    rb"""(?P<quote>'''|\"\"\"|'|")|(?P<open>[(\[{])|(?P<close>[)\]}])"""
    rb"""|(?P<skip>\#[^\n]*|\\\r?\n|\\.)|(?P<end>\n)"""
)
_KEYWORDED = (
    rb"(?:@\w|(?:async[ ]+)?def[ ]+\w+[ ]*\(|class[ ]+\w+[ ]*[(:]|return\b|import[ ]+\w"
    rb"|from[ ]+[\w.]+[ ]+import\b|raise\b|(?:pass|break|continue)[ ]*$|while\b.*:[ ]*$"
    rb"|(?:if|elif|for|with|except|match)\b.*:[ ]*$|(?:else|try|finally)[ ]*:|assert\b"
    rb"|del[ ]+\w|global[ ]+\w)"
)
_ASSIGNING = rb"""[\w.\[\]"']+[ ]*(?:[-+*/%|&^@]|//|\*\*|<<|>>)?=(?!=).*[^,(\s][ ]*$"""
_STATEMENT = re.compile(rb"(?:" + _KEYWORDED + rb"|" + _ASSIGNING + rb")")
_KEYWORD_STATEMENT = re.compile(_KEYWORDED)
_CLAUSE_PREFIX: Final = (
    (re.compile(rb"elif\b|else\b"), b"if _:\n pass\n"),
    (re.compile(rb"except\b|finally\b"), b"try:\n pass\n"),
    (re.compile(rb"case\b"), b"match _:\n case 0: pass\n "),
    (re.compile(rb"@"), b""),
    (re.compile(rb"try\b"), b""),
)
_CLAUSE_SUFFIX: Final = {b"@": b"\ndef _(): pass\n", b"t": b"\n pass\nfinally: pass\n"}
_HEADER = re.compile(
    rb"(?P<named>(?:async[ \t]+)?(?:def|class)[ \t]+\w+)|(?P<for>(?:async[ \t]+)?for|async[ \t]+with)\b"
    rb"|(?P<bare>else|try|finally)\b|(?P<one>if|elif|while|with|except|match|case)\b"
)
_STRAY_APOSTROPHE = re.compile(
    rb"(?<=[A-Za-z])'(?=[A-Za-z])(?<![^\w'\"][rRbBuUfF]')(?<![^\w'\"][rRbBfF][rRbBfF]')"
)
"""Between letters no text begins or ends: `'Bachelor's degree'`."""
_GLUED = re.compile(rb"\b(?:async +)?(?:def|class) +\w+ *[(:].*:[ \t]*$")
_DEFINITION_INSIDE = re.compile(rb"\n[ \t]*(?:async +)?(?:def|class) +\w+.*:[ \t]*\r?\n")


class Repair(Record):
    """What the repair found.

    `data` is the source with its damage replaced; `fillers` are the offsets of the names put in, which span
    the damage; `left_out` are ranges that a parser has to jump over, and `damage` is all that was lost.
    """

    data: bytes
    fillers: frozenset[int]
    left_out: tuple[Span, ...]
    damage: tuple[Span, ...]


def repair(data: bytes, parser: Parser) -> Repair:
    """Try every logical line of `data` and takes out those that no parser understands."""
    return _Repairer(data, parser).run()


def ranges_without(left_out: tuple[Span, ...], size: int) -> list[Range]:
    """Return the parser's ranges for everything but `left_out`."""
    ranges: list[Range] = []
    start = 0
    for span in (*left_out, Span(size, size)):
        if span.start > start:
            ranges.append(range_of(Span(start, span.start)))
        start = span.end
    return ranges


def range_of(span: Span) -> Range:
    """Return a parser's range; only its bytes count here."""
    return Range((0, span.start), (0, span.end), span.start, span.end)


class _Repairer:
    def __init__(self, data: bytes, parser: Parser) -> None:
        self.data = data
        self.parser = parser
        self.budget = _READ_AHEAD * len(data) + 100_000
        self.odd = {quote: data.count(quote) % 2 == 1 for quote in (b"'''", b'"""')}
        self.damage: list[Span] = []
        self.left_out: set[Span] = set()
        self.mends: list[tuple[int, bytes]] = []

    def run(self) -> Repair:
        at = 0
        size = len(self.data)
        while at < size:
            blank = _BLANK.match(self.data, at)
            if blank is not None and blank.end() > at:
                at = blank.end()
                continue
            at = self.line(at) + 1
        return self.build_repair()

    def line(self, start: int) -> int:
        """Try the logical line that starts at `start` and returns the offset of its end."""
        end, open_quote = self.logical_end(start)
        if end is not None and self.is_clean(start, end):
            return end
        physical = self.physical_end(start)
        if (mended := self.without_stray_apostrophes(start, physical if end is None else end)) is not None:
            return mended
        if end is not None and end == physical:
            return self.damaged(start, end)
        cut = self.cut(start, in_text=open_quote, limit=end)
        if end is not None and self.is_mostly_clean(start, end):
            return end
        if cut != end and self.is_clean(start, cut):
            return cut
        return self.damaged(start, cut)

    def without_stray_apostrophes(self, start: int, end: int) -> int | None:
        """Return the end of the line if it makes sense once the apostrophes inside its texts are gone."""
        if _STRAY_APOSTROPHE.search(self.data, start, end) is None:
            return None
        whole = self.data
        self.data = self.without_apostrophes
        try:
            closed, _ = self.logical_end(start)
            if closed is None or not self.is_clean(start, closed):
                return None
            self.mends.append((start, self.data[start:closed]))
            return closed
        finally:
            self.data = whole

    @cached_property
    def without_apostrophes(self) -> bytes:
        return _STRAY_APOSTROPHE.sub(b"_", self.data)

    def damaged(self, start: int, end: int) -> int:
        span = trim_span(self.data, start, end)
        short = span.end - span.start < _LONGEST_GLUED
        glued = _GLUED.search(self.data, span.start, span.end) if short else None
        if (
            glued is not None
            and glued.start() > span.start
            and self.is_clean(glued.start(), end)
            and self.is_before_block(start, end)
        ):
            span = Span(span.start, glued.start())
            self.left_out.add(span)
        self.damage.append(span)
        return end

    # ---------------------------------------------------------------------------------------- logical lines

    def physical_end(self, start: int) -> int:
        end = self.data.find(b"\n", start)
        return len(self.data) if end < 0 else end

    def logical_end(self, start: int) -> tuple[int | None, bool]:
        """Return where the logical line ends, None where something is never closed; and whether that is a
        text.
        """
        data = self.data
        depth = 0
        at = start
        while (token := _TOKEN.search(data, at)) is not None:
            at = token.end()
            kind = token.lastgroup
            if kind == "open":
                depth += 1
            elif kind == "close":
                depth -= depth > 0
            elif kind == "quote":
                quote = token["quote"]
                closed = self.closed(quote, token.start())
                if closed is not None:
                    at = closed
                elif len(quote) > 1:
                    return None, True
                else:
                    at = self.physical_end(at)
            elif kind == "end" and depth == 0:
                self.budget -= at - start
                return token.start(), False
            elif kind == "end" and self.budget < at - start:
                self.budget -= at - start
                return None, False
        self.budget -= len(data) - start
        return (len(data), False) if depth == 0 else (None, False)

    def closed(self, quote: bytes, at: int) -> int | None:
        """Return where the text that opens at `at` is closed."""
        if len(quote) > 1 and self.budget < 0:
            return None
        end = TOKENS.end(self.data, at)
        if end is None:
            self.budget -= len(self.data) - at if len(quote) > 1 else 0
            return None
        # the opening quotes of the next docstring are not the end of this one
        return None if self.odd.get(quote) and _DEFINITION_INSIDE.search(self.data, at, end) else end

    def cut(self, start: int, *, in_text: bool, limit: int | None) -> int:
        """Return where a line that went wrong ends at the latest: before one that looks like a statement."""
        data = self.data
        indent = self.indent(start)
        at = self.physical_end(start)
        stop = len(data) if limit is None else limit
        while at < stop:
            end = self.physical_end(at + 1)
            line = data[at + 1 : end]
            text = line.strip()
            if text:
                deeper = _indent_width(line) > indent
                if in_text:
                    new = _STATEMENT.match(text) is not None and self.is_clean(at + 1, end)
                elif deeper:
                    new = _KEYWORD_STATEMENT.match(text) is not None
                else:
                    new = text[:1] not in b")]}\"'#," and not text.startswith((b"and ", b"or "))
                if new:
                    return at
            at = end
        return stop

    def indent(self, at: int) -> int:
        start = self.data.rfind(b"\n", 0, at) + 1
        return _indent_width(self.data[start : self.physical_end(start)])

    def is_before_block(self, start: int, end: int) -> bool:
        """Return whether the next line is indented more than the one that starts at `start`."""
        at = self.next_line(end)
        return at < len(self.data) and self.indent(at) > self.indent(start)

    # ---------------------------------------------------------------------------------------- trying a line

    def is_clean(self, start: int, end: int) -> bool:
        """Return whether a logical line makes sense alone."""
        return self.is_clean_text(self.data[start:end].strip())

    def is_clean_text(self, text: bytes) -> bool:
        if not self.has_error(text):
            return True
        for pattern, prefix in _CLAUSE_PREFIX:
            if pattern.match(text):
                suffix = _CLAUSE_SUFFIX.get(text[:1], b"\n    pass\n")
                return not self.has_error(prefix + text + suffix)
        return False

    def has_error(self, text: bytes) -> bool:
        return self.parser.parse(text + b"\n").root_node.has_error

    def is_mostly_clean(self, start: int, end: int) -> bool:
        """Return whether a long statement has only little damage, which the parser has found itself."""
        text = self.data[start:end].strip()
        if text.count(b"\n") < _LEFT_ALONE:
            return False
        root = self.parser.parse(text + b"\n").root_node
        lost = 0
        stack = [root]
        while stack:
            node = stack.pop()
            if node.is_error:
                lost += node.end_byte - node.start_byte
            elif node.has_error:
                stack.extend(node.children)
        return lost * 10 < len(text)

    # ------------------------------------------------------------------------------------------- the patches

    def build_repair(self) -> Repair:
        data = bytearray(self.data)
        for start, text in self.mends:
            data[start : start + len(text)] = text
        fillers: set[int] = set()
        last: tuple[int, int] | None = None
        for span in self.damage:
            if span in self.left_out:
                continue
            filler = self.filler(span)
            if filler is not _NOTHING:
                last = None
            elif last is not None and not self.data[last[1] : span.start].strip():
                # one name for damage in a row: lines in between must not end a block by their indentation
                data[last[1] : span.end] = b"_" * (span.end - last[1])
                last = last[0], span.end
                continue
            elif self.is_stray(span):
                data[span.start : span.end] = b" " * (span.end - span.start)
                continue
            else:
                last = span.start, span.end
            self.put(data, span, filler)
            if filler.mark is not None:
                fillers.add(span.start + filler.mark)
        left_out = sorted(self.left_out, key=lambda span: span.start)
        return Repair(bytes(data), frozenset(fillers), tuple(left_out), tuple(self.damage))

    def is_stray(self, span: Span) -> bool:
        """Return whether the line would end a block that goes on behind it."""
        before = span.start
        while before > 0 and self.data[before - 1 : before].isspace():
            before -= 1
        return self.indent(before) > self.indent(span.start) and self.is_before_block(span.start, span.end)

    def put(self, data: bytearray, span: Span, filler: _Filler) -> None:
        size = span.end - span.start
        text = filler.text
        if len(text) <= size:
            if filler.mark is not None:
                # the name is as long as the damage, so that whatever it is part of reaches as far
                text = text[: filler.mark] + b"_" * (size - len(text)) + text[filler.mark :]
            data[span.start : span.end] = text.ljust(size)
            return
        # the rest of the room is taken from the indentation of the next line
        at = self.next_line(span.end)
        indent = min(at - span.start - len(text) - 1, _indent_width(self.data[at - self.column(at) : at]))
        data[span.start : at] = text.ljust(at - span.start - indent - 1) + b"\n" + b" " * indent

    def filler(self, span: Span) -> _Filler:
        """Return what is put in place of a damaged range."""
        text = self.data[span.start : span.end]
        room = self.room(span)
        header = _HEADER.match(text)
        if header is not None and (text.endswith(b":") or room):
            for filler in _header_fillers(text, header):
                if len(filler.text) <= max(room, len(text)) and (
                    filler.mark is not None or self.is_clean_text(filler.text)
                ):
                    return filler
        return _NOTHING

    def room(self, span: Span) -> int:
        """Return how long a header in place of `span` may become; 0 where no block follows."""
        if not self.is_before_block(span.start, span.end):
            return 0
        at, indent = self.next_line(span.end), self.indent(span.start)
        size = span.end - span.start
        between = self.data[span.end : at]
        if between.strip() or b"\t" in between:
            return size
        return max(size, at - indent - 2 - span.start)

    def next_line(self, end: int) -> int:
        """Return the first byte that is neither white space nor comment after `end`."""
        at = end
        while (blank := _BLANK.match(self.data, at)) is not None and blank.end() > at:
            at = blank.end()
        while self.data[at : at + 1] in {b" ", b"\t", b"\f"}:
            at += 1
        return at

    def column(self, at: int) -> int:
        return at - (self.data.rfind(b"\n", 0, at) + 1)


class _Filler(Record):
    """A text to put in, and where in it stands the name that marks the damage."""

    text: bytes
    mark: int | None


_NOTHING = _Filler(b"_", 0)


def _header_fillers(text: bytes, header: re.Match[bytes]) -> list[_Filler]:
    """Return what a damaged header may become, the best first.

    The name that marks the damage starts where the rest of the header did, for its text is read again.
    """
    word = header[0]
    size = len(word)
    found = [_Filler(text + b":", None), _Filler(text.rstrip(b"{;: ") + b":", None)]
    if (code := _before_comment(text)) is not None:
        found.append(_Filler(code.rstrip(b"{;: \t") + b":", None))
    if header["named"]:
        return [*found, _Filler(word + b"(_):", size + 1), _Filler(word + b"():", None)]
    if header["bare"]:
        return [_Filler(word + b":", None)]
    if header["for"]:
        # nobody can say what it loops over
        word = b"if".ljust(size)
    return [*found, _Filler(word + b" _:", size + 1)]


def _before_comment(text: bytes) -> bytes | None:
    """Return what stands before the comment that a line ends with; None where there is none."""
    at = 0
    while (token := _TOKEN.search(text, at)) is not None:
        at = token.end()
        if token["skip"] and token["skip"][:1] == b"#":
            return text[: token.start()] if b"\n" not in text[at:] else None
        if token["quote"]:
            end = TOKENS.end(text, token.start())
            if end is None:
                return None
            at = end
    return None


def _indent_width(line: bytes) -> int:
    """Return how far a line is indented; a tab goes to the next multiple of eight."""
    width = 0
    for byte in line:
        if byte == 0x20:
            width += 1
        elif byte == 0x09:
            width += 8 - width % 8
        else:
            break
    return width
