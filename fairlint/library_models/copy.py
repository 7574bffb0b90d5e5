"""copy: what no entry of `copy.toml` can say."""

from __future__ import annotations

from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.values.symbolic import Table, Value
from fairlint.support.records import replace


def same_table(call: Invocation) -> Value | None:
    """`deepcopy(table)`."""
    one = call.arguments[0] if len(call.arguments) == 1 else None
    return replace(one, node=call.node) if isinstance(one, Table) else None
