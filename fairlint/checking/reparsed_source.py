"""The source of a line that is asked about, parsed once more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fairlint.checking.checker import Checker
from fairlint.checking.explained_line import Line, last_position, start_and_end
from fairlint.checking.file_result import Candidate
from fairlint.syntax.depth import deep_calls
from fairlint.syntax.source import Source

if TYPE_CHECKING:
    from fairlint.detectors.context import Context


class Parsed:
    """The source parsed once more, with what the parser was told to leave out."""

    def __init__(self, checker: Checker, source: Source, pending: Candidate, asked: Line) -> None:
        from fairlint.search.function_outline import keep_relevant  # noqa: PLC0415 (only files that mention something)

        self._checker = checker
        self._source = source
        self._asked = asked
        self._context: Context | None = None
        around: list[tuple[int, int, str, bool]] = []
        used = pending.links.uses if pending.links else ()
        language = checker.languages[source.language or ""]
        is_relevant = keep_relevant(source.data, language, sorted((*pending.hits, *used)))

        def keep(start: int, end: int, name: str) -> bool:
            kept = is_relevant(start, end, name)
            if start < asked.span.end and asked.span.start < end:
                around.append((start - end, start, name, kept))
            return kept

        with deep_calls(checker.settings.file_nesting):
            parse = language.tree
            self.tree = parse(source.data, keep)
            if len(source.parts) > 1:
                from fairlint.checking.parsing import parse_cells  # noqa: PLC0415 (few sources are notebooks)

                self.tree = parse_cells(source, self.tree, parse, keep)
        innermost = max(around, default=None)
        self.function = innermost[2] if innermost else ""
        """The function around the line."""
        self.is_lowered = innermost is None or innermost[3]
        """Whether that function was looked into."""

    def context(self) -> Context:
        """Return the file, executed."""
        if self._context is None:
            from fairlint.detectors.context import Context  # noqa: PLC0415 (few lines need it)
            from fairlint.semantics.execution import execute  # noqa: PLC0415 (as above)

            checker = self._checker
            with deep_calls(checker.settings.file_nesting):
                steps = checker.settings.file_steps
                execution = execute(self._source, self.tree, checker.vocabulary, checker.models, steps)
                self._context = Context(execution, checker.settings)
        return self._context

    def gaps(self) -> Iterator[str]:
        """Yield why the line could not be read."""
        for gap in (*self._source.gaps, *self.tree.gaps):
            start, end = start_and_end(self._source, gap.span)
            if self._asked.touches(start, last_position(start.position, end)):
                yield gap.reason
