"""Where something in a file of data stands, and how much of one is read."""

from __future__ import annotations

from collections.abc import Iterable

from fairlint.syntax.tree import Collection, Item, Literal, Span

MOST_VALUES = 5_000
"""Values of a file that are read, with what aliases repeat: more are a data set, and no rules."""
DEEPEST = 40
"""Lists and tables in one another that are read."""
_STEP = 256
TOO_MANY = f"more than {MOST_VALUES:,} values"
TOO_DEEP = f"more than {DEEPEST} lists and tables in one another"


class Places:
    """Spans of a source for characters of a text that begins at an offset of it."""

    def __init__(self, text: str, start: int) -> None:
        self._start = start
        self._text = text
        self._plain = text.isascii()
        self._steps: list[int] = []
        """The bytes up to every so many characters."""

    def span(self, start: int, end: int) -> Span:
        """Return the span from one character to another."""
        return Span(self._byte_offset(start), self._byte_offset(max(end, start)))

    def _byte_offset(self, at: int) -> int:
        if self._plain:
            return self._start + at
        if not self._steps:
            size = 0
            for begin in range(0, len(self._text) + 1, _STEP):
                self._steps.append(size)
                size += len(self._text[begin : begin + _STEP].encode("utf-8", "surrogatepass"))
        step = min(at // _STEP, len(self._steps) - 1)
        rest = self._text[step * _STEP : at].encode("utf-8", "surrogatepass")
        return self._start + self._steps[step] + len(rest)


def table(items: Iterable[Item], span: Span) -> Collection:
    """Return a table, in which the last of several entries with one key counts, as in Python."""
    last: dict[object, Item] = {}
    for item in items:
        assert isinstance(item.key, Literal)
        key = item.key.value
        last[key] = item
    return Collection(span, "dict", tuple(last.values()))
