"""Trees of sources from which nothing was left out, for who asks for the same source again.

Whoever judges one text has it checked, and asks then which of its functions are whole. A run over files asks
for each tree once, and keeps none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

TYPE_CHECKING = False  # importing typing would take longer than this module
if TYPE_CHECKING:
    from fairlint.syntax.language import Keep, Parse
    from fairlint.syntax.tree import Tree

MOST_KEPT = 8
"""Trees that are kept: one answer has few sources."""
_KEPT: ContextVar[dict[tuple[bytes, Parse], Tree] | None] = ContextVar("whole trees", default=None)


@contextmanager
def kept_trees() -> Iterator[None]:
    """Keep whole trees until this ends."""
    before = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(before)


def parse_once(parse: Parse, data: bytes, keep: Keep | None = None) -> Tree:
    """Return what `parse` makes of a source; of one that is kept whole, that tree.

    A tree is whole where `keep` says of no function that it may be left out.
    """
    trees = _KEPT.get()
    if trees is None:
        return parse(data, keep)
    if keep is None and (data, parse) in trees:
        return trees[data, parse]
    is_whole = True

    def asked(start: int, end: int, name: str) -> bool:
        nonlocal is_whole
        kept = keep is None or keep(start, end, name)
        is_whole = is_whole and kept
        return kept

    tree = parse(data, None if keep is None else asked)
    if is_whole:
        if len(trees) >= MOST_KEPT:
            trees.clear()
        trees[data, parse] = tree
    return tree
