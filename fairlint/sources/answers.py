"""The code inside a language model's answer.

An answer mixes prose, fences, echoes of the prompt and damaged code. Everything that is not code is blanked
out, so that lines and columns are still those of the answer. What looks like code and is left out becomes a
Gap; prose does not.

The work goes in three steps: fences cut the answer into parts (`_answer_parts`), each part is sorted into
code and the rest as its language says (`Signs.cut`), and the language with the most code wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from fairlint.sources.languages import detect_language, tagged_language
from fairlint.support.records import Record, field
from fairlint.syntax import DEFAULT, SHIPPED
from fairlint.syntax.language import Language
from fairlint.syntax.signs import Signs
from fairlint.syntax.source import Source
from fairlint.syntax.tokens import Tokens
from fairlint.syntax.tree import Gap, Span

NO_CODE = "no code found in the answer"
ONLY_COMMENTS = "only comments found in the answer"


def read_response(text: str, *, path: str = "<answer>", languages: Iterable[Language] = SHIPPED) -> Source:
    """Return the code in a model's answer, as a Source with the answer's own lines and columns.

    Its language is one of `languages`, or None where there is no code in one of them.
    """
    text = _without_entities(text)
    answer = _Answer(text, tuple(languages))
    start = answer.skip_reasoning()
    parts = list(_answer_parts(answer.text, start, answer.languages))
    names = {language.name for language in answer.languages}
    is_tagged = any(tagged_language(part.tag, answer.languages) in names for part in parts)
    for part in parts:
        answer.sort(part, is_tagged=is_tagged)
    language = answer.choose()
    kept = answer.blank_other_code(language)
    gaps = answer.gaps_beside(language)
    code = text if language is None else kept
    chosen = [one.tokens for one in answer.languages if language in {None, one.name}]
    if not gaps and any(tokens is not None and _only_comments(code, tokens) for tokens in chosen):
        gaps = [_Left(*_trim_range(code, 0, len(code)), ONLY_COMMENTS)]
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
    languages: tuple[Language, ...]
    pieces: list[_Piece] = field(default_factory=list)
    left: list[_Left] = field(default_factory=list)

    def skip_reasoning(self) -> int:
        """Return where the answer proper begins: behind the last `</think>`, or `[Code]`, that code follows.

        One that no code follows ends no thought, if code stands before it: it is made blank.
        """
        headed = behind_reasons(self.text)
        self.text = _HEADING.sub(lambda found: _blank_text(found[0]), self.text)
        ends = [found.end() for found in _THOUGHT.finditer(self.text)]
        if headed and not (ends and ends[-1] > headed):
            ends.append(self.text.rfind("\n", 0, headed) + 1)  # code may stand in the heading's line
        if not ends:
            return 0
        begins = self._block_starts()
        end = ends[-1]
        if begins and begins[-1] < end:
            thought = ends[0] if self.text.lstrip().startswith("<think>") else 0
            end = max((one for one in ends if one <= begins[-1]), default=thought)
        if begins and begins[0] < end:
            self.left.append(_Left(0, end, "code in the model's reasoning, before its answer"))
        self.text = self.text[:end] + _THOUGHT.sub(lambda found: _blank_text(found[0]), self.text[end:])
        return end

    def _block_starts(self) -> list[int]:
        """Return where blocks and definitions begin, in order."""
        found = [fence.start() for fence in islice(_FENCE.finditer(self.text), 0, None, 2)]
        headers = [signs.header for signs in _language_signs(self.languages) if signs.header is not None]
        at = 0
        for line in self.text.splitlines(keepends=True):
            if any(re.match(one, line) for one in headers):
                found.append(at)
            at += len(line)
        return sorted(found)

    def sort(self, part: _Part, *, is_tagged: bool) -> None:
        """Add what `part` holds to pieces and gaps.

        Where other fences say that they hold code, one that says nothing may hold an outline in plain words.
        """
        body = self.text[part.start : part.end]
        tag = tagged_language(part.tag, self.languages)
        if tag == "text":
            return
        told = detect_language(body, tag, self.languages)
        language = told or DEFAULT.name
        if told is None and is_tagged and part.fenced and part.closed and not part.tag:
            part = part._replace(fenced=False)
        if (known := next((one for one in self.languages if one.name == language), None)) is not None:
            self._add_part(part, body, known)
        elif part.fenced or _is_program_text(body):
            start, end = _trim_range(self.text, part.start, part.end)
            self.left.append(_Left(start, end, f"{language} is not read"))

    def _add_part(self, part: _Part, body: str, language: Language) -> None:
        signs = language.signs() if language.signs is not None else Signs()
        cut = signs.cut(body, fenced=part.fenced, closed=part.closed, rest=self.text[part.end :])
        self.pieces += [_Piece(part.start + a, part.start + b, language.name) for a, b in cut.code]
        self.left += [_Left(part.start + a, part.start + b, reason) for a, b, reason in cut.left]

    def choose(self) -> str | None:
        """Return the language with the most code."""
        sizes = dict.fromkeys((language.name for language in self.languages), 0)
        for piece in self.pieces:
            sizes[piece.language] += len(self.text[piece.start : piece.end].strip())
        best = max(sizes, key=lambda language: sizes[language])
        return best if sizes[best] else None

    def blank_other_code(self, language: str | None) -> str:
        """Return the answer with everything but the code in `language` made blank."""
        out = []
        at = 0
        for piece in sorted(piece for piece in self.pieces if piece.language == language):
            start = max(piece.start, at)
            if piece.end > start:
                out += [_blank_text(self.text[at:start]), self.text[start : piece.end].replace("\0", " ")]
                at = piece.end
        return "".join([*out, _blank_text(self.text[at:])])

    def gaps_beside(self, language: str | None) -> list[_Left]:
        """Return what was left out, code in the other language included; neighbours are joined."""
        others = [
            _Left(piece.start, piece.end, f"code in another language next to {language}")
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


def _only_comments(text: str, tokens: Tokens) -> bool:
    """Return whether there is nothing but comments."""
    data = text.encode("utf-8", "replace")
    at = 0
    for found in tokens.expression.finditer(data):
        if data[at : found.start()].strip() or not tokens.is_comment(data, found.start()):
            return False
        at = found.end()
    return at > 0 and not data[at:].strip()


_THOUGHT = re.compile(r"""(?<!["'])</think>(?!["'])""")
"""The end of what a model thinks; in quotes it is a text of the code."""
_HEADING = re.compile(
    r"^(?:[>#*_][>#*_ \t]*)?\[(?:(reasoning)\][*_:]*|(code)\][*_:]*(?=[ \t]*(?:$|```)))",
    re.IGNORECASE | re.MULTILINE,
)
"""How answers head their parts that were asked for reasons before code; nothing that a program would say."""
_INK = re.compile(r"[^\n\r]+")


def behind_reasons(text: str) -> int:
    """Return where the code begins that is headed `[Code]`, behind a part `[Reasoning]`; 0 where there are
    none.

    Where there are several, the first code behind the first reasons counts.
    """
    reasons = False
    for found in _HEADING.finditer(text):
        reasons = reasons or found[1] is not None
        if reasons and found[2] is not None:
            return found.end()
    return 0


def only_reasons(text: str) -> bool:
    """Return whether a text has a part `[Reasoning]`, and none `[Code]` behind it so far."""
    return any(found[1] for found in _HEADING.finditer(text)) and not behind_reasons(text)


def _blank_text(text: str) -> str:
    return _INK.sub(lambda found: " " * len(found[0]), text)


def _as_gaps(text: str, left: list[_Left]) -> tuple[Gap, ...]:
    """Offsets of characters become offsets of bytes."""
    gaps = []
    at = size = 0
    for start, end, reason in left:
        size += len(text[at:start].encode("utf-8", "replace")) if start >= at else 0
        begin = size if start >= at else len(text[:start].encode("utf-8", "replace"))
        at, size = start, begin
        gaps.append(
            Gap(Span(begin, begin + len(text[start:end].encode("utf-8", "replace"))), reason, "skipped")
        )
    return tuple(gaps)


def _trim_range(text: str, start: int, end: int) -> tuple[int, int]:
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


def _fence_marks(text: str, start: int, languages: Sequence[Language]) -> Iterator[_Mark]:
    for found in _FENCE.finditer(text, start):
        fence = found["own"] or found["glued"]
        info = found["info"] if found["own"] else found["tag"]
        named = _INFO.match(info)
        tag = named[1] if named else ""
        rest = info[named.end() :] if named else info
        # "```python def f(x):" has its first line of code behind the fence
        is_code = re.search(r"[(=:]", rest) and tagged_language(tag, languages)
        code_from = found.end() - len(rest) if is_code else found.end()
        yield _Mark(found.start(), found.end(), fence, tag, bool(found["own"]), code_from)


def _answer_parts(text: str, start: int, languages: Sequence[Language]) -> Iterator[_Part]:
    """Cut the answer at its fences."""
    at = start
    opened: _Mark | None = None
    marks = list(_fence_marks(text, start, languages))
    for number, mark in enumerate(marks):
        if opened is None:
            following = marks[number + 1].start if number + 1 < len(marks) else len(text)
            if not mark.tag and _is_end(text[at : mark.start], text[mark.end : following], languages):
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


def _is_end(before: str, after: str, languages: Sequence[Language]) -> bool:
    """Return whether a bare fence ends the code before it, rather than beginning the code behind it."""
    signs = _language_signs(languages)
    return (
        _count_nonblank_lines(before) > 0
        and _share_of_code(before, signs) >= 0.5
        and _share_of_code(after, signs) < 0.5
    )


def _count_nonblank_lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if line.strip())


def _language_signs(languages: Iterable[Language]) -> list[Signs]:
    return [language.signs() for language in languages if language.signs is not None]


def _share_of_code(text: str, signs: Sequence[Signs]) -> float:
    """Return the share of lines that could be code."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return 0.0
    code = sum(1 for line in lines if line[:1] in " \t#" or any(one.is_line(line) for one in signs))
    return code / len(lines)


def _is_program_text(body: str) -> bool:
    """Return whether unfenced text in a language that is not read is a program, not a word of it in a
    sentence.
    """
    return sum(1 for line in body.splitlines() if line.rstrip().endswith((";", "{", "}", ">"))) >= 3


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
