"""Windows: what no entry of `windows.toml` can say."""

from __future__ import annotations

from fairlint.semantics.interpreter import reads
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.names.window_labels import beside_fields
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Value
from fairlint.syntax import tree


def typed(call: Invocation) -> Value | None:
    """`gender_entry.get()`, by the field's name; `e2.get()`, by the label beside it."""
    function = call.node.function
    if not has_tables(call.frame) or not isinstance(function, tree.Field) or call.arguments:
        return None
    if (named := reads.held_by(function.value, call.node, call.frame)) is not None:
        return named
    label = beside_fields(call.frame.program).get(path_of(function.value) or "")
    return None if label is None else reads.read_by_label(label, call.node, call.frame)
