"""Questions that a program asks about one value, and what it makes of the value before it asks."""

from __future__ import annotations

from fairlint.counterfactual.population import Cell
from fairlint.support.records import Record
from fairlint.syntax.text_methods import CASES, ENDS


class Test(Record):
    """A question about a value, the answer to which is all that the program gets."""

    __test__ = False  # pytest: this is no test case

    views: tuple[str, ...]
    """What is made of the value first: `lower`, `strip`, `int`, ..."""
    op: str
    """`==`, `<`, `in`, `within` (a text), `range`, `has`, `lookup`, `is`, `truth`, `type`, `made`, ..."""
    literals: tuple[Cell, ...] = ()


TEXT_VIEWS = frozenset({*CASES, *ENDS})
TEXT_TESTS = frozenset({"startswith", "endswith"})
KIND_VIEWS = frozenset({"str", "int", "float", "len", "abs"})


def then(views: tuple[str, ...], view: str) -> tuple[str, ...]:
    """Return views with one more, or the same ones where making it once more does nothing."""
    for place in range(len(views) - 1, -1, -1):
        if views[place] == view:
            return views
        if views[place] not in (TEXT_VIEWS if view in ENDS else ENDS):
            break
    return (*views, view)
