"""scikit-learn: what no entry of `sklearn.toml` can say."""

from __future__ import annotations

from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.values.symbolic import Closure, Columns, Opaque, Value


def function_transformer(call: Invocation) -> Value | None:
    """`FunctionTransformer(lambda table: table[["age"]])`: the columns that its function chooses."""
    node, frame = call.node, call.frame
    if not (call.arguments and isinstance(call.arguments[0], Closure)):
        return None
    chosen = frame.inline(call.arguments[0], node, (Columns(f"given@{node.span.start}", node),))
    if isinstance(chosen, Columns) and chosen.complete:
        frame.emit("learn", node, chosen, "features")
    return Opaque(frame.text(node))
