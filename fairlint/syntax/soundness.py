"""Whether a tree that a plugin's parser gives is one."""

from __future__ import annotations

from fairlint.plugins.guard import Look, UnfitError
from fairlint.support.causes import Cause
from fairlint.syntax.tree import Gap, Node, Tree


def checked_tree(tree: object, size: int) -> Tree:
    """The tree of a source of so many bytes; an UnfitError for what is none, or does not fit the source."""
    if type(tree) is not Tree:
        raise UnfitError(f"must give a Tree, not {type(tree).__name__}")
    look = Look({"Cause": Cause}, size)
    look.fits(tree.body, tuple[Node, ...], "body")
    look.fits(tree.gaps, tuple[Gap, ...], "gaps")
    return Tree(tree.body, tree.gaps)
