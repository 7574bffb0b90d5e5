"""A source behind many blanks, as modules that are followed stand behind the file that imports them."""

from __future__ import annotations

import pytest

from fairlint.syntax import tree
from fairlint.syntax.python.parser import parse


def _places(blanks: int, text: str) -> list[tuple[str, int, int]]:
    parsed = parse(b" " * blanks + b"\n" + text.encode())
    nodes = [node for statement in parsed.body for node in tree.walk(statement)]
    found = [(type(node).__name__, node.span) for node in nodes]
    found += [(gap.reason, gap.span) for gap in parsed.gaps]
    return [(name, span.start - blanks, span.end - blanks) for name, span in found]


@pytest.mark.parametrize(
    "text",
    [
        "def f(person):\n    if person.age > 40:\n        return 1\n    return 0\n",
        "# first\n\nclass A:\n    x: int = 1\n\n    def f(self): return self.x\n",
        "if x:\n    y = (1,\n z = 2\n",
        "def broken(:\n    return 'never closed\nx = 1\n",
        "",
    ],
)
def test_blanks_before_a_source_change_nothing_but_places(text: str) -> None:
    assert _places(5_000, text) == _places(10, text)
