"""PyTorch: what no entry of `torch.toml` can say."""

from __future__ import annotations

from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables import columns, learning
from fairlint.semantics.values.symbolic import Columns, Sequence, Value


def inputs(call: Invocation) -> Value | None:
    """`torch.tensor(people[["age", "pay"]].values)`: several columns by their names go into a network."""
    table = call.arguments[0] if call.arguments else None
    if isinstance(table, Columns) and columns.has_chosen_columns(table):
        learning.emit_features(call.node, table, call.frame)
    if isinstance(table, Sequence) and table.items:
        row = table.items[0] if len(table.items) == 1 else table
        if isinstance(row, Sequence) and len(row.items) > 1:  # one person, beside whom nobody stands
            learning.emit_features(call.node, table, call.frame, fits=False)
    return None
