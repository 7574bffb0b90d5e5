"""Comments that put a finding aside: `# fairlint: ignore[FL102] -- the licence law asks for it`.

Behind code such a comment speaks of that code, on a line of its own of the next line of code. `ignore-start`
speaks of all code up to `ignore-end`, `ignore-file` of the file and `ignore-cell` of a notebook's cell. Each
names the rules it means and gives a reason, and may say its last day (`until 2027-06-30`). What is wrong with
it is a Use of the kind `suppression`, which rules judge like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from fairlint.findings.uses import Use
from fairlint.support.days import is_day
from fairlint.support.records import Record
from fairlint.syntax.enclosing import Enclosing
from fairlint.syntax.source import MARK
from fairlint.syntax.tree import Span
from fairlint.vocabulary.model import Evidence

if TYPE_CHECKING:
    from fairlint.rules.judging import Verdict
    from fairlint.rules.rule import Rule
    from fairlint.syntax.source import Source
    from fairlint.syntax.tokens import Tokens
    from fairlint.syntax.tree import Tree

Scope = Literal["", "start", "end", "file", "cell"]
SCOPES: tuple[Scope, ...] = ("", "start", "end", "file", "cell")
CERTAIN = 9
"""The weight of evidence that stands in the code itself."""
_WRITTEN = re.compile(
    r"fairlint:\s*(?P<word>ignore\b[\w-]*|[a-z][\w-]*(?=\s*(?:[\[(=]|--|\*/|\Z)))"
    r"\s*(?:\[(?P<rules>[^\]]*)\]?)?(?:\s*\buntil\b\s*(?P<until>[^\s*]*))?(?:\s*(?:--|–|—)\s*(?P<reason>.*))?",
    re.DOTALL,
)
"""One word is an order, more are prose."""
_BLANKS = re.compile(rb"[ \t\r\n]*")
_CLOSING = re.compile(rb"(?:[ \t\r\n]*[\])}:,{;])+")
_ENDS = re.compile(r"\s*(?:\*/)?\s*$")

Problem = Literal["no-reason", "unused", "unknown", "blanket", "no-date"]


class Suppression(Record):
    """One comment.

    `span` is the comment, `covers` the code that it speaks of. A line of code also stands for the rest of its
    statement: `is_line` says that it speaks of one. Without `rules`, it means all. `until` is its last day,
    as ISO 8601 writes it, or empty.
    """

    span: Span
    covers: Span
    is_line: bool
    rules: tuple[str, ...]
    reason: str
    until: str = ""


class Suppressions:
    """The comments of one source."""

    def __init__(self, source: Source, tree: Tree, rules: Sequence[Rule]) -> None:
        self._source = source
        self._rules = {key: rule.code for rule in rules for key in (rule.code, rule.name)}
        self._enclosing = Enclosing(tree)
        self.problems: list[tuple[Problem, Span, str]] = []
        """What is wrong with comments, whatever they put aside: which, where, and what is meant."""
        self.found: list[Suppression] = []
        if tree.tokens is not None and MARK in source.data:
            self._read(tree.tokens)

    def of(self, use: Use, verdict: Verdict) -> Suppression | None:
        """Return the comment that puts a finding aside."""
        if not self.found:
            return None
        here = [at for line in self._lines_of(use.span) for at in self._of_lines.get(line, ())]
        here += [at for at in self._of_stretches if self._holds(self.found[at].covers, use.span)]
        fitting = (at for at in here if verdict.rule.code in self.found[at].rules or not self.found[at].rules)
        first = min(fitting, default=None)
        return None if first is None else self.found[first]

    @cached_property
    def _of_lines(self) -> dict[int, list[int]]:
        """The places among the found of those that are about a line, by the line."""
        places: dict[int, list[int]] = {}
        for at, one in enumerate(self.found):
            if one.is_line:
                places.setdefault(self._line_of_offset(one.covers.start), []).append(at)
        return places

    @cached_property
    def _of_stretches(self) -> list[int]:
        """Those of the others."""
        return [at for at, one in enumerate(self.found) if not one.is_line]

    def named(self, path: str) -> Iterator[tuple[Suppression, str]]:
        """Yield each comment of a file with each rule that it names."""
        for one in self.found:
            if self._source.place(one.span.start).path == path:
                yield from ((one, code) for code in one.rules)

    @staticmethod
    def _holds(covers: Span, span: Span) -> bool:
        return covers.start <= span.start < covers.end

    def _lines_of(self, span: Span) -> set[int]:
        """Return the lines on which a comment is about a place: those of its expression, the first and last
        of its statement.
        """
        around = self._enclosing.at(span)
        whole, statement = around.whole, around.statement
        first, last = (
            self._line_of_offset(min(span.start, whole.start)),
            self._line_of_offset(max(span.end, whole.end) - 1),
        )
        ends = {
            self._line_of_offset(statement.start),
            self._line_of_offset(self._end_of_brackets(statement.end) - 1),
        }
        return ends.union(range(first, last + 1))

    def _end_of_brackets(self, end: int) -> int:
        """Return the end of the brackets and the colon behind a place: formatters give them a line of their
        own.
        """
        closing = _CLOSING.match(self._source.data, end)
        return closing.end() if closing else end

    def _line_of_offset(self, offset: int) -> int:
        return self._source.position(offset).line

    # ------------------------------------------------------------------------------------------- reading

    def _read(self, tokens: Tokens) -> None:
        data = self._source.data
        opened: list[tuple[Span, tuple[str, ...], str, str]] = []
        for start, end in tokens.ended(data):
            if MARK not in data[start:end] or not tokens.is_comment(data, start):
                continue
            written = _WRITTEN.search(data[start:end].decode("utf-8", "replace"))
            if written is None:
                continue
            span = Span(start, end)
            scope = self._comment_scope(span, written["word"])
            if scope is None:
                continue
            if scope == "end":
                if not opened:
                    self.problems.append(("unknown", span, "ignore-end"))
                else:
                    begun, of, why, last = opened.pop()
                    self.found.append(Suppression(begun, Span(begun.end, start), False, of, why, last))
                continue
            named = self._rule_codes(span, written["rules"])
            reason = _ENDS.sub("", written["reason"] or "").strip()
            if named is None:
                continue
            until = written["until"]
            if until is not None and not is_day(until):
                self.problems.append(("no-date", span, until))
                continue
            if named and not reason:
                self.problems.append(("no-reason", span, ", ".join(named)))
            if scope == "start":
                opened.append((span, named, reason, until or ""))
                continue
            covers = self._covered_span(span, scope, tokens)
            self.found.append(Suppression(span, covers, scope == "", named, reason, until or ""))
        self.problems += (("unknown", span, "ignore-start without an ignore-end") for span, *_ in opened)

    def _comment_scope(self, span: Span, word: str) -> Scope | None:
        """Return what a comment is about; None, and a problem, where nobody can tell."""
        for scope in SCOPES:
            if word == ("ignore" if not scope else f"ignore-{scope}"):
                return scope
        self.problems.append(("unknown", span, word))
        return None

    def _rule_codes(self, span: Span, rules: str | None) -> tuple[str, ...] | None:
        """Return the codes of the rules that are meant; empty where all are, None where none is known."""
        if rules is None:
            self.problems.append(("blanket", span, ""))
            return ()
        named = [name.strip() for name in rules.split(",") if name.strip()]
        if not named:
            self.problems.append(("blanket", span, ""))
            return ()
        known = [code for name in named if (code := self._code_of_rule(name))]
        self.problems += (("unknown", span, name) for name in named if not self._code_of_rule(name))
        return tuple(dict.fromkeys(known)) or None

    def _code_of_rule(self, name: str) -> str:
        return self._rules.get(name.upper()) or self._rules.get(name.lower(), "")

    def _covered_span(self, span: Span, scope: Scope, tokens: Tokens) -> Span:
        """Return the code that a comment speaks of; for a line of code, its beginning is enough."""
        data, part = self._source.data, self._source.part(span.start)
        if scope in {"file", "cell"}:
            return self._enclosing_part(span, by_cell=scope == "cell")
        line = data.rfind(b"\n", 0, span.start) + 1
        if data[line : span.start].strip():
            return span
        at = span.end
        while True:
            at = _BLANKS.match(data, at).end()  # type: ignore[union-attr] # it matches nothing, too
            end = tokens.end(data, at) if tokens.is_comment(data, at) else None
            if end is None:
                break
            at = end
        inside = at < len(data) and self._source.part(at) == part
        return Span(at, at + 1) if inside else Span(span.end, span.end)

    def _enclosing_part(self, span: Span, *, by_cell: bool) -> Span:
        """Return the file, or the cell of a notebook, that a comment stands in."""
        source, here = self._source, self._source.part(span.start)
        if here is None:
            return Span(0, len(source.data))
        ends = [*(part.start for part in source.parts[1:]), len(source.data)]
        alike = [
            (part.start, end)
            for part, end in zip(source.parts, ends, strict=True)
            if part.path == here.path and (not by_cell or part.cell == here.cell)
        ]
        return Span(alike[0][0], alike[-1][1])


def problem_use(problem: Problem, span: Span, detail: str) -> Use:
    """Return what is wrong with a comment, as rules judge it."""
    return Use(
        attribute="",
        attribute_kind="",
        kind="suppression",
        effect="none",
        shape="read",
        span=span,
        groups=(),
        points=None,
        outcomes={},
        target=None,
        condition="",
        evidence=(Evidence(CERTAIN, "the comment says so"),),
        flow=(),
        detail=detail,
        tags=frozenset({problem}),
    )
