"""Feast: what no entry of `feast.toml` can say."""

from __future__ import annotations

from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables.column_names import names_of
from fairlint.semantics.tables.columns import of_names
from fairlint.semantics.values.symbolic import Const, Value
from fairlint.support.records import replace


def features(call: Invocation) -> Value | None:
    """`store.get_online_features(features=["customer:gender"])`: a table with the column `gender`."""
    given = call.keyword("features", "feature_refs")
    if given is None:
        given = next((value for value in call.arguments if names_of(value)), None)
    names = None if given is None else names_of(given)
    if not names:
        return None
    table = of_names(
        [_column_of_feature(name) for name in names], f"features@{call.node.span.start}", call.node
    )
    return replace(table, complete=False)  # beside them are what people are known by, and labels


def _column_of_feature(name: Const) -> Const:
    """Return the column of a feature: `gender` of `customer:gender`."""
    return replace(name, value=str(name.value).rpartition(":")[2])
