"""polars: what no entry of `polars.toml` can say."""

from __future__ import annotations

from fairlint.models.pandas import filtered, made
from fairlint.models.sqlalchemy import literal
from fairlint.semantics.frame import Frame
from fairlint.semantics.library import Invocation
from fairlint.semantics.tables import columns
from fairlint.semantics.tables.data_frames import listed_values, method, on_table, when
from fairlint.semantics.values import (
    Choice,
    Columns,
    Operation,
    Value,
)
from fairlint.syntax import tree

__all__ = ["cases", "filtered", "literal", "made", "named", "to_dummies"]


def to_dummies(call: Invocation) -> Value | None:
    """`df.to_dummies([...])`."""
    return on_table(call, _to_dummies)


def _to_dummies(node: tree.Call, table: Columns, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """polars' `to_dummies([...])`."""
    given = listed_values(node, ("columns",), arguments, frame)
    names = columns.names_of(given[0]) if given else None
    return columns.gone_on(table, node) if given and names is None else columns.one_hot(table, names, node)


def cases(call: Invocation) -> Value | None:
    """`pl.when(test).then(5).otherwise(0)`, step by step."""
    return when(call)


def named(call: Invocation) -> Value | None:
    """`pl.when(...).otherwise(0).alias("score")`: the value that gets a name."""
    tells = isinstance(call.base, Operation) and call.frame.program.dependence.on_any(call.base)
    return call.base if tells or isinstance(call.base, Choice) else method(call)
