"""Whether a tree that a plugin's parser gives is one."""

from __future__ import annotations

from fairlint.plugins.guard import InvalidOfferError, SchemaCheck
from fairlint.support.causes import SkipReason
from fairlint.syntax.tree import Gap, Node, Tree


def checked_tree(tree: object, size: int) -> Tree:
    """Return the tree of a source of so many bytes. Raises InvalidOfferError for what is none, or does not
    fit.
    """
    if type(tree) is not Tree:
        raise InvalidOfferError(f"must give a Tree, not {type(tree).__name__}")
    look = SchemaCheck({"SkipReason": SkipReason}, size)
    look.fits(tree.body, tuple[Node, ...], "body")
    look.fits(tree.gaps, tuple[Gap, ...], "gaps")
    return Tree(tree.body, tree.gaps)
