"""The code inside a language model's answer.

An answer mixes prose, fences, echoes of the prompt and damaged code. Everything that is not code is blanked
out, so that lines and columns are still those of the answer. What looks like code and is left out becomes a
Gap; prose does not.

The work goes in three steps: fences cut the answer into parts (`_parts`), each part is sorted into code and
the rest (`_PythonLines`, or as a whole for other languages), and the language with the most code wins.
"""

from __future__ import annotations

import keyword
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from fairlint.records import Record, field
from fairlint.sources.languages import READ, detect_language, tagged_language
from fairlint.sources.source import Source
from fairlint.syntax.tree import Gap, Span

NO_CODE = "no code found in the answer"
ONLY_COMMENTS = "only comments found in the answer"


def read_response(text: str, *, path: str = "<answer>") -> Source:
    """The code in a model's answer, as a Source with the answer's own lines and columns.

    The language is `python` or `c`, or None where there is no code in one of them.
    """
    text = _without_entities(text)
    answer = _Answer(text)
    start = answer.skip_reasoning()
    for part in _parts(text, start):
        answer.sort(part)
    language = answer.choose()
    kept = answer.blanked(language)
    gaps = answer.gaps_beside(language)
    code = text if language is None else kept
    if not gaps and _only_comments(code):
        gaps = [_Left(*_trimmed(code, 0, len(code)), ONLY_COMMENTS)]
    elif not gaps and language is None:
        gaps = [_Left(0, len(text), NO_CODE)]
    return Source(path, kept.encode("utf-8", "replace"), language, _as_gaps(kept, gaps))


class _Part(NamedTuple):
    """A stretch of the answer: inside a fence or not, with the language its fence names."""

    start: int
    end: int
    fenced: bool
    tag: str = ""
    closed: bool = True


class _Piece(NamedTuple):
    """A stretch of code in one language."""

    start: int
    end: int
    language: str


class _Left(NamedTuple):
    """A stretch that looks like code and is left out."""

    start: int
    end: int
    reason: str


class _Answer(Record, frozen=False, slots=False):
    text: str
    pieces: list[_Piece] = field(default_factory=list)
    left: list[_Left] = field(default_factory=list)

    def skip_reasoning(self) -> int:
        """Where the answer proper begins: behind the last `</think>`."""
        end = self.text.rfind("</think>")
        if end < 0:
            return 0
        reasoning = self.text[:end]
        if _FENCE.search(reasoning) or any(_HEADER.match(line) for line in reasoning.splitlines()):
            self.left.append(_Left(0, end, "code in the model's reasoning, before its answer"))
        return end + len("</think>")

    def sort(self, part: _Part) -> None:
        """Adds what `part` holds to pieces and gaps."""
        body = self.text[part.start : part.end]
        tag = tagged_language(part.tag)
        if tag == "text":
            return
        language = detect_language(body, tag)
        if language == "c":
            self._add_c(part, body)
        elif language is None or language == "python":
            self._add_python(part, body)
        elif part.fenced or _looks_written(body):
            start, end = _trimmed(self.text, part.start, part.end)
            self.left.append(_Left(start, end, f"{language} is not read"))

    def _add_c(self, part: _Part, body: str) -> None:
        if part.fenced and part.closed:
            self.pieces.append(_Piece(part.start, part.end, "c"))
            return
        lines = [line for line in _lines(body) if _C_LINE.search(line.text)]
        if lines:
            start, end = part.start + lines[0].start, part.start + lines[-1].end
            self.pieces.append(_Piece(start, end, "c"))

    def _add_python(self, part: _Part, body: str) -> None:
        if body.lstrip().startswith(">>>"):
            for line in _lines(body):
                if prompt := _PROMPT.match(line.text):
                    self.pieces.append(
                        _Piece(part.start + line.start + prompt.end(), part.start + line.end, "python")
                    )
            return
        if part.fenced and part.closed and _quotes_balance(body):
            self.pieces.append(_Piece(part.start, part.end, "python"))
            return
        later = frozenset(_plain_name(found[1]) for found in _DEFINITION.finditer(self.text, part.end))
        reader = _PythonLines(body, later, inside=part.fenced)
        self.pieces.extend(_Piece(part.start + a, part.start + b, "python") for a, b in reader.kept)
        self.left.extend(_Left(part.start + a, part.start + b, reason) for a, b, reason in reader.left)

    def choose(self) -> str | None:
        """The language with the most code."""
        sizes = dict.fromkeys(READ, 0)
        for piece in self.pieces:
            sizes[piece.language] += len(self.text[piece.start : piece.end].strip())
        best = max(READ, key=lambda language: sizes[language])
        return best if sizes[best] else None

    def blanked(self, language: str | None) -> str:
        """The answer with everything but the code in `language` made blank."""
        out = []
        at = 0
        for piece in sorted(piece for piece in self.pieces if piece.language == language):
            start = max(piece.start, at)
            if piece.end > start:
                out += [_blank(self.text[at:start]), self.text[start : piece.end].replace("\0", " ")]
                at = piece.end
        return "".join([*out, _blank(self.text[at:])])

    def gaps_beside(self, language: str | None) -> list[_Left]:
        """What was left out, code in the other language included; neighbours are joined."""
        others = [
            _Left(piece.start, piece.end, f"code in another language beside {language}")
            for piece in self.pieces
            if language is not None and piece.language != language
        ]
        joined: list[_Left] = []
        for left in sorted(self.left + others):
            if (
                joined
                and joined[-1].reason == left.reason
                and not self.text[joined[-1].end : left.start].strip()
            ):
                joined[-1] = joined[-1]._replace(end=max(left.end, joined[-1].end))
            else:
                joined.append(left)
        return joined


def _only_comments(text: str) -> bool:
    """Whether there is nothing but comments, of Python or of C."""
    lines = [line for line in map(str.strip, _C_COMMENT.sub("", text).splitlines()) if line]
    return bool(text.strip()) and all(line.startswith("#") and not _C_DIRECTIVE.match(line) for line in lines)


def _blank(text: str) -> str:
    return _INK.sub(" ", text)


def _as_gaps(text: str, left: list[_Left]) -> tuple[Gap, ...]:
    """Offsets of characters become offsets of bytes."""
    gaps = []
    at = size = 0
    for start, end, reason in left:
        size += len(text[at:start].encode("utf-8", "replace")) if start >= at else 0
        begin = size if start >= at else len(text[:start].encode("utf-8", "replace"))
        at, size = start, begin
        gaps.append(Gap(Span(begin, begin + len(text[start:end].encode("utf-8", "replace"))), reason))
    return tuple(gaps)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    body = text[start:end]
    return start + len(body) - len(body.lstrip()), end - len(body) + len(body.rstrip())


# Fences ----------------------------------------------------------------------------------------------------

_FENCE = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?P<own>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)$"  # a line of its own
    r"|(?P<glued>`{3,})[ \t]*(?P<tag>[A-Za-z+#]*)[ \t]*$",  # or at the end of one
    re.MULTILINE,
)
_INFO = re.compile(r"[{.]*([\w+#-]*)")


class _Mark(NamedTuple):
    start: int
    end: int
    fence: str
    tag: str
    own_line: bool
    code_from: int


def _marks(text: str, start: int) -> Iterator[_Mark]:
    for found in _FENCE.finditer(text, start):
        fence = found["own"] or found["glued"]
        info = found["info"] if found["own"] else found["tag"]
        named = _INFO.match(info)
        tag = named[1] if named else ""
        rest = info[named.end() :] if named else info
        # "```python def f(x):" has its first line of code behind the fence
        code_from = (
            found.end() - len(rest) if re.search(r"[(=:]", rest) and tagged_language(tag) else found.end()
        )
        yield _Mark(found.start(), found.end(), fence, tag, bool(found["own"]), code_from)


def _parts(text: str, start: int) -> Iterator[_Part]:
    """Cuts the answer at its fences."""
    at = start
    opened: _Mark | None = None
    marks = list(_marks(text, start))
    for number, mark in enumerate(marks):
        if opened is None:
            following = marks[number + 1].start if number + 1 < len(marks) else len(text)
            if not mark.tag and _is_end(text[at : mark.start], text[mark.end : following]):
                yield _Part(at, mark.start, fenced=False)  # the prompt opened the fence that this one closes
                at = mark.end
                continue
            if mark.start > at:
                yield _Part(at, mark.start, fenced=False)
            opened, at = mark, mark.code_from
        elif mark.fence[0] == opened.fence[0] and len(mark.fence) >= len(opened.fence):
            yield _Part(at, mark.start, fenced=True, tag=opened.tag)
            # a fence with a tag cannot close one: the end of the first was forgotten
            opened, at = (mark, mark.code_from) if mark.tag else (None, mark.end)
    if opened is not None:
        yield _Part(at, len(text), fenced=True, tag=opened.tag, closed=False)
    elif at < len(text):
        yield _Part(at, len(text), fenced=False)


def _is_end(before: str, after: str) -> bool:
    """Whether a bare fence ends the code before it, rather than beginning the code behind it."""
    return _inked(before) > 0 and _codelike(before) >= 0.5 and _codelike(after) < 0.5


def _inked(text: str) -> int:
    return sum(1 for line in text.splitlines() if line.strip())


def _codelike(text: str) -> float:
    """The share of lines that could be code."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return 0.0
    code = sum(
        1 for line in lines if _STRONG.match(line.strip()) or _C_LINE.search(line) or line[:1] in " \t#"
    )
    return code / len(lines)


def _looks_written(body: str) -> bool:
    """Whether unfenced text in a language that is not read is a program, not a word of it in a sentence."""
    return sum(1 for line in body.splitlines() if line.rstrip().endswith((";", "{", "}", ">"))) >= 3


# Lines -----------------------------------------------------------------------------------------------------

_INK = re.compile(r"[^\n\r]")
_LINE = re.compile(r"[^\n]*\n?")
_PROMPT = re.compile(r"[ \t]*(?:>>>|\.\.\.)(?: |$)")
_HEADER = re.compile(r"[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\S[^\n(:]*)")
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
_QUOTED = re.compile(r"""(?<!\w)(?:'[^'\n]*'|"[^"\n]*")(?!\w)""")
_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_KEYWORDS = frozenset({*keyword.kwlist, "match", "case", "type", "print"})
_C_LINE = re.compile(r"^[ \t]*#[ \t]*\w|[;{}][ \t]*(?://.*|/\*.*)?$|^[ \t]*(?://|/\*|\*/)")
_C_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*.*?(?:\*/[ \t]*$|\Z))", re.MULTILINE | re.DOTALL)
_C_DIRECTIVE = re.compile(
    r"#[ \t]*(?:include|define|if|ifdef|ifndef|endif|pragma|undef)\b(?![ \t]+(?:the|you|we|it)\b)"
)
_DAMAGED = re.compile(
    r"^[ \t]*(?:(?:el)?if\b[^`\n]*(?:==|>=|<=|!=)|[\w.]+[ \t]*[-+*]=[ \t]*\d|def[ \t]+\w[^`\n]*\()"
)
"""What is too damaged to be taken for code, and too much like it to be taken for prose."""
LONGEST_LINE = 2_000
"""Characters of a line that are looked at: code has no longer ones, and some answers are one long line."""
_TRIPLE = re.compile(r'"""|\'\'\'')
_BRACKETS = str.maketrans({"(": "(", "[": "(", "{": "(", ")": ")", "]": ")", "}": ")"})


class _Line(NamedTuple):
    start: int
    end: int
    text: str


def _lines(text: str) -> Iterator[_Line]:
    for found in _LINE.finditer(text):
        if found[0]:
            yield _Line(found.start(), found.end(), found[0].rstrip("\r\n"))


def _plain_name(name: str) -> str:
    """A function's name without what damages it: `carpet,_floor` and `carpet_floor` are the same."""
    return "".join(filter(str.isalnum, name)).lower()


def _quotes_balance(text: str) -> bool:
    return text.count('"""') % 2 == 0 and text.count("'''") % 2 == 0


def _bare_pairs(text: str) -> int:
    """How often two words that are no keywords stand side by side: in Python never, in prose all the time."""
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
        self.lines = list(_lines(text))
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
            if glued and not _HEADER.match(line.text):
                start = glued.start()
            text = self.text[start : line.start + len(line.text)]
            if not self._is_code(text):
                self._leave(line, text)
                continue
            skip_to = self._keep(line, start, text) or skip_to

    def _end_of_started_docstring(self) -> int:
        """Where the code begins in a text that starts inside a docstring; 0 if it does not."""
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
        if self._depth > 0 and not _HEADER.match(text):
            return True
        if stripped.startswith(('"""', "'''")):
            return self._in_code or bool(self._closing(self.text.index(stripped[:3])))
        if _STRONG.match(stripped) and not _is_prose(stripped):
            return True
        if not self._in_code:
            return False
        if stripped.startswith("#") and not stripped.startswith("##"):
            return True
        return stripped not in {"}", "]", ")"} and not _is_prose(stripped)

    def _keep(self, line: _Line, start: int, text: str) -> int:
        """Takes a line as code. Returns where to go on if a string reaches beyond it."""
        self._in_code = True
        header = _HEADER.match(text)
        if text.strip():
            self._drop_header(followed=not header)
        self._count_brackets(text, bool(header))
        opening = self._open_triple(start, text)
        if opening is None:
            self.kept.append((start, line.end))
            return 0
        closing = self._closing(opening)
        if closing:
            end = self.text.find("\n", closing) + 1 or len(self.text)
            self.kept.append((start, end))
            return end
        # A docstring that never ends would swallow the code behind it.
        self.kept.append((start, opening))
        owner = header or (_HEADER.match(self._line_before(line)) if self.kept else None)
        if owner is not None:
            first = self._start_of_header(start)
            self._header = (first, opening, _plain_name(owner[1]))
        self._in_code = False
        return self._code_after(opening + 3)

    def _leave(self, line: _Line, text: str) -> None:
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
        """Where in a line a triple-quoted string begins that does not end on it."""
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

    def _closing(self, opening: int) -> int:
        """Where the string that begins at `opening` ends; 0 if the next definition comes before that."""
        quote = self.text[opening : opening + 3]
        closing = self.text.find(quote, opening + 3)
        if closing < 0:
            return 0
        header = _INNER_HEADER.search(self.text, opening + 3, closing)
        glued = _GLUED.search(self.text, opening + 3, closing)
        return 0 if header or glued else closing + 3

    def _code_after(self, start: int) -> int:
        """Where code begins again behind a docstring that never ends."""
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
        """The start of the definition whose docstring begins on the line at `start`."""
        line = self.text.rfind("\n", 0, start) + 1
        if _HEADER.match(self.text[start : start + 200]):
            return start
        before = self.text.rfind("\n", 0, max(line - 1, 0)) + 1
        glued = _GLUED.search(self.text, before, max(line - 1, 0))
        return glued.start() if glued and not _HEADER.match(self.text[before:line]) else before

    def _drop_header(self, *, followed: bool) -> None:
        """Decides about a header whose docstring never ended, if there is one: without a body, it goes."""
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


# HTML entities ---------------------------------------------------------------------------------------------

_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "#34": '"', "#39": "'", "#x27": "'", "apos": "'"}
_ENTITY = re.compile(r"&(lt|gt|amp|quot|#34|#39|#x27|apos);")
_OPERATOR = re.compile(r"-?(?:&(?:lt|gt|amp);)+")
_STRING = re.compile(r"(&(?:quot|#34|#39|#x27|apos);)([^\n]*?)\1")


def _without_entities(text: str) -> str:
    """Undoes HTML escaping, in an answer that is escaped throughout, without moving anything.

    Blanks fill up what becomes shorter, outside of strings and next to operators: `&lt;=` becomes `   <=`.
    """
    if not _ENTITY.search(text) or re.search(r"[<>]", text):
        return text
    if re.search(r"""["'][^"'\n]*&(?:lt|gt|amp|quot|#39);[^"'\n]*["']""", text):
        return text  # the code itself is about entities

    def plain(escaped: str) -> str:
        return _ENTITY.sub(lambda found: _ENTITIES[found[1]], escaped)

    def string(found: re.Match[str]) -> str:
        short = plain(found[0])
        return short + " " * (len(found[0]) - len(short))

    def operator(found: re.Match[str]) -> str:
        return plain(found[0]).rjust(len(found[0]))

    return _OPERATOR.sub(operator, _STRING.sub(string, text))
