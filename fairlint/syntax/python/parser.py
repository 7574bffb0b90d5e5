"""Python source to the shared Tree, through tree-sitter; broken code included."""

from __future__ import annotations

from tree_sitter import Parser

from fairlint.support.expressions import lazy_expression
from fairlint.support.records import replace
from fairlint.syntax import lowering
from fairlint.syntax.python.grammar import (
    LANGUAGE,
    max_items,
    parser_for,
    without_deep_blocks,
    without_long_runs,
)
from fairlint.syntax.python.statements import Keep, Statements
from fairlint.syntax.tree import Tree

_LONE_CARRIAGE_RETURN = lazy_expression(rb"\r(?!\n)")


def parse(data: bytes, keep: Keep | None = None) -> Tree:
    """Parse and lowers a Python source given as UTF-8.

    `keep(start, end, qualified_name)` is asked for every function outside of other functions; where it says
    no, the body of that Function is empty. What is not understood is in the Tree's gaps; no input raises.
    """
    if b"\r" in data:
        data = _LONE_CARRIAGE_RETURN.sub(b"\n", data)
    data, deep = without_deep_blocks(data)
    text = without_long_runs(data)
    parser, leaps = parser_for(data)
    root = parser.parse(text).root_node
    if not root.has_error:
        lowerer = Statements(data, damaged=False, max_items=max_items(root), fillers=frozenset(), keep=keep)
        body = lowerer.root(root)
        return Tree(body, lowering.merge_gaps(data, (*lowerer.gaps, *deep)))
    from fairlint.syntax.python.damaged import parse_damaged_source  # noqa: PLC0415 (most sources are whole)
    from fairlint.syntax.python.newer_python import respell_newer_syntax  # noqa: PLC0415 (as above)

    if (respelled := respell_newer_syntax(data, root)) != data:
        tree = parse(respelled, keep)
        return replace(tree, gaps=lowering.merge_gaps(data, (*tree.gaps, *deep))) if deep else tree
    if leaps:  # repairing looks at every line by itself
        parser = Parser(LANGUAGE)
        root = parser.parse(text).root_node
    tree = parse_damaged_source(data, root, parser, keep)
    return replace(tree, gaps=lowering.merge_gaps(data, (*tree.gaps, *deep))) if deep else tree
