"""Python amid prose: which lines of a model's answer are code."""

from __future__ import annotations

import keyword
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from fairlint.syntax.signs import Cut


def cut(text: str, *, fenced: bool, closed: bool, rest: str) -> Cut:
    """Return the stretches of code in a part of an answer, and those that look like code and are left out.

    `rest` is what follows the part. A header without a body is an echo of the prompt if its function comes
    again.
    """
    if text.lstrip().startswith(">>>"):
        prompts = ((line, _PROMPT.match(line.text)) for line in _text_lines(text))
        return Cut([(line.start + found.end(), line.end) for line, found in prompts if found], [])
    if fenced and closed and _quotes_balance(text):
        return Cut([(0, len(text))], [])
    defines = _DEFINITION.search(text) is not None  # else nobody asks what comes later
    found_later = _DEFINITION.finditer(rest, 0, FARTHEST if defines else 0)
    later = frozenset(_plain_name(found[1]) for found in found_later)
    reader = _PythonLines(text, later, inside=fenced)
    return Cut(reader.kept, reader.left)


def is_line(line: str) -> bool:
    """Return whether a line by itself could be one of Python."""
    return _STRONG.match(line.strip()) is not None


_LINE = re.compile(r"[^\n]*\n?")
_PROMPT = re.compile(r"[ \t]*(?:>>>|\.\.\.)(?: |$)")
HEADER = re.compile(r"[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\S[^\n(:]*)")
_DEFINITION = re.compile(r"(?:def|class)[ \t]+(\S[^\n(:]*)")
_GLUED = re.compile(
    r"(?<=[\w.,;)\]!?`'\"])(?:def|class)[ \t]+[^\n(:]+\([^\n]*\)[^\n:]*:[ \t]*$", re.MULTILINE
)
"""A definition that begins in the middle of a line."""
_STRONG = re.compile(
    r"""@\w[\w.]*(?:\(.*)?$
    | (?:async[ \t]+)?def[ \t]+\S
    | class[ \t]+\w+[ \t]*[:(]
    | import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,.*)?[ \t]*(?:\#.*)?$
    | from[ \t]+[\w.]+[ \t]+import[ \t]
    | (?:if|elif|while|with|match|case)\b.*:[ \t]*(?:\#.*)?$
    | (?:if|elif|while)\b.*(?:==|!=|>=|<=|[ \t][<>][ \t]|[ \t]in[ \t][\[({\w])
    | (?:async[ \t]+)?for[ \t]+[\w(][\w, ().*]*[ \t]in[ \t].*:
    | (?:else|try|finally)[ \t]*:
    | except\b.*:
    | return(?:$|[ \t]*[\[({'"\-+0-9])
    | return[ \t]+[\w.]+(?:[ \t]*(?:[^\w\s'’]|$)|[ \t]+(?:if|and|or|not|in|is|else)\b)
    | (?:pass|break|continue)[ \t]*(?:\#.*)?$
    | (?:raise|assert|del|global|nonlocal|yield|await)[ \t]+[\w(\['"]
    | [\w.\[\]'"() ]*[\w\])'"](?:[ \t]*,[ \t]*[\w.]+)*[ \t]*(?::[ \t]*[\w\[\], .|]+)?[ \t]*
      (?:[-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=)[ \t]*\S
    | [A-Za-z_][\w.]*\(.*$
    """,
    re.VERBOSE,
)
"""What only a line of Python begins with."""
_MARKUP = re.compile(
    r"\#{2,}[ \t]|[-*•+–][ \t]+\S|\d+[.)][ \t]|\*\*|>[ \t]|\|.*\||(?:-{3,}|\*{3,}|={3,}|_{3,})$"
    r"|\$\$|\\[\[\]a-z(){}]|</?[a-zA-Z]|```|``?$"
)
"""What a line of Markdown, LaTeX or HTML begins with."""
_QUOTED = re.compile(r"""(?:'(?<!\w')[^'\n]*'|"(?<!\w")[^"\n]*")(?!\w)""")
_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_KEYWORDS = frozenset({*keyword.kwlist, "match", "case", "type", "print"})
_DAMAGED = re.compile(
    r"^[ \t]*(?:(?:el)?if\b[^`\n]*(?:==|>=|<=|!=)|[\w.]+[ \t]*[-+*]=[ \t]*\d|def[ \t]+\w[^`\n]*\()"
)
"""What is too damaged to be taken for code, and too much like it to be taken for prose."""
FARTHEST = 50_000
"""Characters behind a part of an answer in which a function that it begins may come again."""
LONGEST_LINE = 2_000
"""Characters of a line that are looked at: code has no longer ones, and some answers are one long line."""
_TRIPLE = re.compile(r'"""|\'\'\'')
_BRACKETS = str.maketrans({"(": "(", "[": "(", "{": "(", ")": ")", "]": ")", "}": ")"})


class _Line(NamedTuple):
    start: int
    end: int
    text: str


def _text_lines(text: str) -> Iterator[_Line]:
    for found in _LINE.finditer(text):
        if found[0]:
            yield _Line(found.start(), found.end(), found[0].rstrip("\r\n"))


def _plain_name(name: str) -> str:
    """Return a function's name without what damages it: `carpet,_floor` and `carpet_floor` are the same."""
    return "".join(filter(str.isalnum, name)).lower()


def _quotes_balance(text: str) -> bool:
    return text.count('"""') % 2 == 0 and text.count("'''") % 2 == 0


def _bare_pairs(text: str) -> int:
    """Return how often two words that are no keywords stand side by side: in Python never, in prose all the
    time.
    """
    text = _QUOTED.sub('""', text).partition("#")[0]
    pairs = 0
    before_is_bare = False
    for token in text.split():
        word = token.rstrip(".,;:!?")
        bare = bool(_WORD.fullmatch(word)) and word not in _KEYWORDS
        pairs += bare and before_is_bare
        before_is_bare = bare and word == token
    return pairs


def _is_prose(text: str) -> bool:
    text = text[:LONGEST_LINE]
    if _MARKUP.match(text):
        return True
    pairs = _bare_pairs(text)
    if _STRONG.match(text):
        return pairs > 2 and text.rstrip()[-1:] not in ":)"
    return pairs > 0 or (text[:1].isupper() and text[-1:] in ".!?:" and not re.search(r"[\[({=]", text))


class _PythonLines:
    """Sorts the lines of a text into Python and the rest.

    `kept` are the stretches of code, `left` those that look like code and are left out. `later` are the
    functions that the rest of the answer defines: a header without a body is an echo of the prompt if its
    function comes again.
    """

    def __init__(self, text: str, later: frozenset[str], *, inside: bool) -> None:
        self.text = text
        self.lines = list(_text_lines(text))
        self.later = later
        self.kept: list[tuple[int, int]] = []
        self.left: list[tuple[int, int, str]] = []
        self._in_code = inside
        self._depth = 0
        self._last_definition = {_plain_name(found[1]): found.start() for found in _DEFINITION.finditer(text)}
        self._header: tuple[int, int, str] | None = None
        """The last definition's header, if its docstring never ends."""
        self._read()
        self._drop_header(followed=False)

    def _read(self) -> None:
        skip_to = self._end_of_started_docstring()
        for line in self.lines:
            if line.end <= skip_to:
                continue
            start = max(line.start, skip_to)
            glued = _GLUED.search(self.text, start, line.start + len(line.text))
            if glued and not HEADER.match(line.text):
                start = glued.start()
            text = self.text[start : line.start + len(line.text)]
            if not self._is_code(text):
                self._leave_line(line, text)
                continue
            skip_to = self._keep(line, start, text) or skip_to

    def _end_of_started_docstring(self) -> int:
        """Return where the code begins in a text that starts inside a docstring; 0 if it does not."""
        first = _TRIPLE.search(self.text)
        if first is None:
            return 0
        header = re.search(r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]", self.text, re.MULTILINE)
        if header is not None and header.start() < first.start():
            return 0
        before = self.text[: first.start()]
        if any(_STRONG.match(line.strip()) and not _is_prose(line.strip()) for line in before.splitlines()):
            return 0
        until = self.text[: header.start()] if header else self.text
        return first.end() if until.count(first[0]) % 2 else 0

    def _is_code(self, text: str) -> bool:
        stripped = text.strip()[:LONGEST_LINE]
        if not stripped:
            return self._in_code
        if self._depth > 0 and not HEADER.match(text):
            return True
        if stripped.startswith(('"""', "'''")):
            return self._in_code or bool(self._closing_quote_end(self.text.index(stripped[:3])))
        if _STRONG.match(stripped) and not _is_prose(stripped):
            return True
        if not self._in_code:
            return False
        if stripped.startswith("#") and not stripped.startswith("##"):
            return True
        return stripped not in {"}", "]", ")"} and not _is_prose(stripped)

    def _keep(self, line: _Line, start: int, text: str) -> int:
        """Take a line as code. Returns where to go on if a string reaches beyond it."""
        self._in_code = True
        header = HEADER.match(text)
        if text.strip():
            self._drop_header(followed=not header)
        self._count_brackets(text, bool(header))
        opening = self._open_triple(start, text)
        if opening is None:
            self.kept.append((start, line.end))
            return 0
        closing = self._closing_quote_end(opening)
        if closing:
            end = self.text.find("\n", closing) + 1 or len(self.text)
            self.kept.append((start, end))
            return end
        # A docstring that never ends would swallow the code behind it.
        self.kept.append((start, opening))
        owner = header or (HEADER.match(self._line_before(line)) if self.kept else None)
        if owner is not None:
            first = self._start_of_header(start)
            self._header = (first, opening, _plain_name(owner[1]))
        self._in_code = False
        return self._code_after(opening + 3)

    def _leave_line(self, line: _Line, text: str) -> None:
        if not text[:1].isspace():
            self._in_code = False
            self._depth = 0
        if _DAMAGED.match(text) and not _MARKUP.match(text.strip()):
            self.left.append((line.start, line.start + len(line.text), "it looks like damaged code"))

    def _count_brackets(self, text: str, header: bool) -> None:
        if header:
            self._depth = 0
        bare = _QUOTED.sub("", text).partition("#")[0]
        for character in bare.translate(_BRACKETS):
            if character == "(":
                self._depth += 1
            elif character == ")":
                self._depth = max(0, self._depth - 1)

    def _open_triple(self, start: int, text: str) -> int | None:
        """Return where in a line a triple-quoted string begins that does not end on it."""
        opened: str | None = None
        at = None
        comment = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text).find("#")
        for found in _TRIPLE.finditer(text):
            if opened is None:
                if 0 <= comment < found.start():
                    return None
                opened, at = found[0], start + found.start()
            elif found[0] == opened:
                opened = at = None
        return at

    def _closing_quote_end(self, opening: int) -> int:
        """Return where the string that begins at `opening` ends; 0 if the next definition comes
        before that.
        """
        quote = self.text[opening : opening + 3]
        closing = self.text.find(quote, opening + 3)
        if closing < 0:
            return 0
        header = _INNER_HEADER.search(self.text, opening + 3, closing)
        glued = _GLUED.search(self.text, opening + 3, closing)
        return 0 if header or glued else closing + 3

    def _code_after(self, start: int) -> int:
        """Return where code begins again behind a docstring that never ends."""
        at = start
        first = bisect_right(self.lines, start, key=lambda line: line.end)
        for number in range(first, len(self.lines)):
            line = self.lines[number]
            text = self.text[max(line.start, start) : line.start + len(line.text)]
            if glued := _GLUED.search(text):
                return max(line.start, start) + glued.start()
            stripped = text.strip()
            if line.start >= start and _STRONG.match(stripped) and not _is_prose(stripped):
                return line.start
            at = line.end
        return at

    def _line_before(self, line: _Line) -> str:
        at = line.start - 1
        return self.text[self.text.rfind("\n", 0, max(at, 0)) + 1 : max(at, 0)]

    def _start_of_header(self, start: int) -> int:
        """Return the start of the definition whose docstring begins on the line at `start`."""
        line = self.text.rfind("\n", 0, start) + 1
        if HEADER.match(self.text[start : start + 200]):
            return start
        before = self.text.rfind("\n", 0, max(line - 1, 0)) + 1
        glued = _GLUED.search(self.text, before, max(line - 1, 0))
        return glued.start() if glued and not HEADER.match(self.text[before:line]) else before

    def _drop_header(self, *, followed: bool) -> None:
        """Decide about a header whose docstring never ended, if there is one: without a body, it goes."""
        if self._header is None:
            return
        start, end, name = self._header
        self._header = None
        if followed:
            return
        while self.kept and self.kept[-1][1] > start:
            begin, _ = self.kept.pop()
            if begin < start:
                self.kept.append((begin, start))
        if name not in self.later and self._last_definition.get(name, -1) < end:
            self.left.append((start, end, "a function header without its body"))


_INNER_HEADER = re.compile(
    r"^[ \t]*(?:async[ \t]+)?(?:def[ \t]+[^\n(]+\(|class[ \t]+\w+[ \t]*[:(])", re.MULTILINE
)
