"""C source made readable for the grammar: same length, same offsets, no comments, no directives.

The preprocessor works on lines, the grammar on statements, and where the two cut across each other the
grammar gives up. So comments and directives are blanked out here, the alternatives of a conditional are
chosen, and the few notations that the grammar does not know are rewritten. Every byte keeps its place; what
was taken out is listed beside the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from fairlint.support.records import Record, field
from fairlint.syntax.c.tokens import TOKENS
from fairlint.syntax.tree import Gap, Span

UNCLOSED_COMMENT = "a comment that begins here is never closed"
UNCLOSED_CONDITIONAL = "a conditional that begins here has no #endif"

_SPACES = bytes(byte if byte == 0x0A else 0x20 for byte in range(256))
_SLASH, _STAR = b"/*"
_DIRECTIVE = re.compile(rb"^[ \t\f\v]*#[ \t]*(\w*)(?:[^\\\n]|\\.)*", re.MULTILINE | re.DOTALL)
_OPENING = frozenset((b"if", b"ifdef", b"ifndef"))
_ALTERNATIVE = frozenset((b"elif", b"elifdef", b"elifndef", b"else"))
_NEVER = re.compile(
    rb"if\s+\(?\s*(?:0+|FALSE|false)\s*\)?\s*$"
    rb"|ifdef\s+(?:__cplusplus|__OBJC__)\b"
    rb"|(?:el)?if\s+defined\b[\s(]*(?:__cplusplus|__OBJC__)\b[\s)]*$"
)
_ALWAYS = re.compile(rb"if\s+\(?\s*(?:1|TRUE|true)\s*\)?\s*$|ifndef\s+__cplusplus\b")
_ENDS_WHOLE = b";{}:,"
_PARENTHESIS = re.compile(rb"[()]")
_WITH_ARGUMENTS = re.compile(rb"\b(?:__attribute(?:__)?|__declspec|_Alignas|alignas)\s*\(")
_DECORATIONS = (
    b"__extension__", b"__THROW", b"__THROWNL", b"__wur", b"_Noreturn", b"_Nonnull", b"_Nullable",
    b"__noreturn", b"__restrict", b"__restrict__", b"__inline", b"__inline__", b"__forceinline",
    b"__signed__", b"__const", b"_Thread_local", b"constexpr",
)  # fmt: skip
_DECORATION = re.compile(rb"\b(?:" + b"|".join(_DECORATIONS) + rb")\b")
_LONELY_MACRO = re.compile(rb"\n[ \t]*[A-Z_][A-Z0-9_]{3,}[ \t]*(?=\n)")
_DECLARED_AUTO = re.compile(rb"\bauto\b(?=\s+\w+\s*=)")
_CASE_RANGE = re.compile(rb"\bcase\b[^:;{}?]{1,200}?(\.\.\.)")
_ENUM_BASE = re.compile(rb"\benum(?:\s+\w+)?\s*(:[\w\s]{1,80})\{")
_WINDOW = 4000
_DEEPEST_CONDITIONAL = 200


class Directive(Record):
    """One preprocessor line with its continuations: `word` is `define`, `include`, ..."""

    word: bytes
    start: int
    end: int


class Text(Record, frozen=False):
    """A C source as the grammar gets to see it.

    `code` has comments and directives blanked out; `shape` has the contents of literals blanked out as well,
    so that brackets can be counted in it. `directives` are to be cut from `uncommented`.
    """

    data: bytes
    code: bytes
    shape: bytes
    uncommented: bytes
    directives: list[Directive]
    comments: list[tuple[int, int]]
    gaps: list[Gap] = field(default_factory=list)

    def prose_above(self, start: int) -> str:
        """Return the comment that stands directly above `start`, without its markers."""
        parts: list[str] = []
        index = bisect_right(self.comments, (start, start))
        while index > 0:
            begin, end = self.comments[index - 1]
            between = self.data[end:start]
            if between.strip() or between.count(b"\n") > 2 or (parts and between.count(b"\n") > 1):
                break
            # A comment after code on its line belongs to that code.
            line_start = self.data.rfind(b"\n", 0, begin) + 1
            if self.uncommented[line_start:begin].strip():
                break
            parts.append(_comment_text(self.data[begin:end]))
            start, index = begin, index - 1
            if self.data.startswith(b"/*", begin):
                break
        return "\n".join(reversed(parts)).strip()


def _comment_text(comment: bytes) -> str:
    text = comment.decode("utf-8", "replace")
    if text.startswith("//"):
        return text.lstrip("/!").strip()
    text = text.removeprefix("/*").removesuffix("*/")
    return "\n".join(line.strip().lstrip("*!").strip() for line in text.splitlines()).strip("\n* ")


def blank(data: bytes) -> bytes:
    """As many spaces as `data` has bytes, with its line ends."""
    return data.translate(_SPACES)


def prepare(data: bytes) -> Text:
    """Make `data` readable for the grammar."""
    if b"\r" in data:
        data = data.replace(b"\\\r\n", b" \\\n").replace(b"\r\n", b" \n").replace(b"\r", b"\n")
    if b"\0" in data:
        data = data.replace(b"\0", b" ")
    comments: list[tuple[int, int]] = []
    gaps: list[Gap] = []
    code = bytearray(data)
    shape = bytearray(data)
    for start, end in TOKENS.ended(data):
        if data[start] != _SLASH:
            shape[start + 1 : end - 1] = b" " * (end - start - 2)
            continue
        comments.append((start, end))
        # To the preprocessor a comment is one space, whatever lines it goes over.
        code[start:end] = shape[start:end] = b" " * (end - start)
        if data[start + 1] == _STAR and (end - start < 4 or not data.endswith(b"*/", start, end)):
            gaps.append(Gap(Span(start, end), UNCLOSED_COMMENT))
    text = Text(data, b"", b"", bytes(code), [], comments, gaps)
    if b"#" in shape:
        _Conditionals(text, code, shape).run()
    _rewrite_extensions(code, shape)
    text.code, text.shape = bytes(code), bytes(shape)
    return text


class _Branch(Record, frozen=False):
    start: int
    end: int = 0
    live: bool = True


class _Group(Record, frozen=False):
    """One `#if ... #endif`. `certain` is set when its first branch is always taken."""

    start: int
    certain: bool
    branches: list[_Branch]


class _Conditionals:
    """Blanks the directives and those branches of conditionals that cannot stand beside the others."""

    def __init__(self, text: Text, code: bytearray, shape: bytearray) -> None:
        self.text, self.code, self.shape = text, code, shape
        self.open: list[_Group] = []
        self.dead: list[tuple[int, int]] = []

    def run(self) -> None:
        for match in _DIRECTIVE.finditer(bytes(self.shape)):
            word, start, end = match[1], match.start(), match.end()
            self._blank_range(start, end)
            self.text.directives.append(Directive(word, start, end))
            if word in _OPENING:
                live = not self._is_directive_line(_NEVER, start, end)
                self.open.append(
                    _Group(start, self._is_directive_line(_ALWAYS, start, end), [_Branch(end, live=live)])
                )
            elif word in _ALTERNATIVE and self.open:
                group = self.open[-1]
                group.branches[-1].end = start
                live = not group.certain and not self._is_directive_line(_NEVER, start, end)
                group.branches.append(_Branch(end, live=live))
            elif word == b"endif" and self.open:
                self._close_group(self.open.pop(), start)
        while self.open:
            group = self.open.pop()
            self.text.gaps.append(Gap(Span(group.start, self._unread_end(group)), UNCLOSED_CONDITIONAL))
            self._close_group(group, len(self.code))
        if self.dead:
            self._forget_directives()

    def _unread_end(self, group: _Group) -> int:
        """Return the end of what is lost of a conditional without an end: all of it, if its last branch is
        dead.
        """
        last = group.branches[-1]
        return last.start if last.live else len(self.code)

    def _is_directive_line(self, pattern: re.Pattern[bytes], start: int, end: int) -> bool:
        line = self.text.uncommented[start:end].replace(b"\\\n", b"  ").lstrip(b" \t\f\v#")
        return pattern.match(line) is not None

    def _close_group(self, group: _Group, at: int) -> None:
        group.branches[-1].end = at
        if len(self.open) >= _DEEPEST_CONDITIONAL:
            return
        for branch in group.branches:
            if not branch.live:
                self._blank_range(branch.start, branch.end)
                self.dead.append((branch.start, branch.end))
        filled = [branch for branch in group.branches if self.shape[branch.start : branch.end].strip()]
        if len(filled) < 2 or (self._starts_whole(group.start) and all(map(self._is_whole, filled))):
            return
        for branch in filled[1:]:
            start, end = self._trim_branch(branch)
            if not self._is_declarative(start, end):
                self.text.gaps.append(Gap(Span(start, end), "alternative of a preprocessor conditional"))
            self._blank_range(branch.start, branch.end)

    def _blank_range(self, start: int, end: int) -> None:
        self.code[start:end] = blank(bytes(self.code[start:end]))
        self.shape[start:end] = blank(bytes(self.shape[start:end]))

    def _trim_branch(self, branch: _Branch) -> tuple[int, int]:
        piece = self.shape[branch.start : branch.end]
        return branch.end - len(piece.lstrip()), branch.start + len(piece.rstrip())

    def _is_declarative(self, start: int, end: int) -> bool:
        """Return nothing in it decides or computes: a header, a type, a list of parameters."""
        piece = bytes(self.shape[start:end])
        return not any(mark in piece for mark in (b"=", b"?", b"return", b"if", b"->", b"&&", b"||"))

    def _starts_whole(self, start: int) -> bool:
        while start > 0:
            begin = max(0, start - _WINDOW)
            piece = self.shape[begin:start].rstrip()
            if piece:
                return piece[-1] in _ENDS_WHOLE
            start = begin
        return True

    def _is_whole(self, branch: _Branch) -> bool:
        start, end = branch.start, branch.end
        count = self.shape.count
        return (
            count(b"{", start, end) == count(b"}", start, end)
            and count(b"(", start, end) == count(b")", start, end)
            and bytes(self.shape[start:end]).rstrip()[-1:] in (b";", b"{", b"}", b":", b",")
        )

    def _forget_directives(self) -> None:
        self.dead.sort()
        starts = [start for start, _ in self.dead]
        reach = 0
        ends = [reach := max(reach, end) for _, end in self.dead]

        def is_dead(directive: Directive) -> bool:
            index = bisect_right(starts, directive.start)
            return index > 0 and directive.start < ends[index - 1]

        self.text.directives[:] = [item for item in self.text.directives if not is_dead(item)]


def _rewrite_extensions(code: bytearray, shape: bytearray) -> None:
    """Take out what the grammar does not know and what carries no meaning here."""

    def cut(start: int, end: int, instead: bytes | None = None) -> None:
        replacement = instead if instead is not None else blank(bytes(code[start:end]))
        code[start:end] = replacement
        shape[start:end] = replacement

    if b"__attribute" in shape or b"__declspec" in shape or b"lignas" in shape:
        for match in _WITH_ARGUMENTS.finditer(bytes(shape)):
            end = closing(shape, match.end())
            if end is not None:
                cut(match.start(), end)
    if any(word in shape for word in _DECORATIONS):
        for match in _DECORATION.finditer(bytes(shape)):
            cut(*match.span())
    frozen = bytes(shape)
    for match in _LONELY_MACRO.finditer(frozen):
        if _stands_alone(frozen, *match.span()):
            cut(*match.span())
    for word, pattern, instead in (
        (b"auto", _DECLARED_AUTO, b"int "),
        (b"...", _CASE_RANGE, b" | "),
        (b"enum", _ENUM_BASE, None),
    ):
        if word in shape:
            for match in pattern.finditer(bytes(shape)):
                cut(*match.span(pattern.groups), instead)


def closing(shape: bytes | bytearray, at: int) -> int | None:
    """Return the offset after the parenthesis that closes the one before `at`."""
    depth = 1
    for match in _PARENTHESIS.finditer(shape, at, at + _WINDOW):
        depth += 1 if match.group() == b"(" else -1
        if depth == 0:
            return match.end()
    return None


def _stands_alone(shape: bytes, start: int, end: int) -> bool:
    """Return a macro on a line of its own, the grammar would take it for a type."""
    before = shape[max(0, start - _WINDOW) : start].rstrip()
    after = shape[end : end + _WINDOW].lstrip()
    return before[-1:] in (b"", b";", b"}") and (after[:1].isalpha() or after[:1] == b"_")
