"""PyCaret: what no entry of `pycaret.toml` can say."""

from __future__ import annotations

from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables.learning import emit_features, emit_listed_columns
from fairlint.semantics.values.symbolic import Opaque, Value


def set_up(call: Invocation) -> Value | None:
    """`setup(people, target="hired", categorical_features=["gender"])`."""
    if call.keyword("target") is None:
        return None
    data = call.given("features")
    if data is not None:
        emit_features(call.node, data, call.frame)
    emit_listed_columns(call.node, call.frame)
    return Opaque(call.frame.text(call.node))
