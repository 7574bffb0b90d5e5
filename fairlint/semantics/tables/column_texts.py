"""Expressions over columns that stand in a text: `df.eval("score = points - 5 * (sex == 'F')")`."""

from __future__ import annotations

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.selections import relocate_spans
from fairlint.semantics.values.symbolic import Value
from fairlint.support.records import field_names, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, Span


def evaluate_text(node: tree.Call, text: str, table: Node, frame: Frame) -> Value | None:
    """Return what `table.eval(text)` gives; None where it sets columns, which are then set here."""
    from fairlint.syntax.python.parser import parse  # noqa: PLC0415 (only where such a text is met)

    lines = [line.strip() for line in text.replace("@", "").splitlines()]
    parsed = parse("\n".join(lines).strip().encode())
    if parsed.gaps:
        return None
    for part in parsed.body:
        match part:
            case tree.Expression(value=value) if len(parsed.body) == 1:
                return frame.evaluate(relocate_spans(value, node.span))
            case tree.Assign(targets=(tree.Name(id=name),), value=value, op=None) if value is not None:
                column = tree.Index(node.span, table, tree.Literal(node.span, name))
                inner = _with_column(relocate_spans(value, node.span), name, column)
                frame.assign(tree.Assign(node.span, (column,), inner))
            case _:
                return None
    return None


def _with_column(node: Node, name: str, column: Node) -> Node:
    """`node` with the column in the place of its bare name."""
    if isinstance(node, tree.Name):
        return column if node.id == name else node

    def place(value: object) -> object:
        if isinstance(value, Node) and not isinstance(value, Span):
            return _with_column(value, name, column)
        if isinstance(value, tuple) and not isinstance(value, Span):
            return tuple(place(item) for item in value)
        return value

    return replace(node, **{key: place(getattr(node, key)) for key in field_names(node)})
