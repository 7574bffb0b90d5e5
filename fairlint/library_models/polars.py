"""polars: what no entry of `polars.toml` can say."""

from __future__ import annotations

from fairlint.library_models.pandas import filtered, made
from fairlint.library_models.sqlalchemy import literal
from fairlint.semantics.interpreter import reads
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.selections import keyword_test, narrow_selection
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables import column_names, columns
from fairlint.semantics.tables.table_methods import CASES, listed_values, method, on_table, when
from fairlint.semantics.values.symbolic import (
    MISSING,
    UNKNOWN,
    Choice,
    Closure,
    Columns,
    Const,
    Lookup,
    Operation,
    Sequence,
    Table,
    Value,
    Within,
)
from fairlint.syntax import tree

__all__ = ["cases", "filtered", "literal", "made", "named", "over", "recoded", "removed", "to_dummies"]


def to_dummies(call: Invocation) -> Value | None:
    """`df.to_dummies([...])`."""
    return on_table(call, _to_dummies)


def _to_dummies(node: tree.Call, table: Columns, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """polars' `to_dummies([...])`."""
    given = listed_values(node, ("columns",), arguments, frame)
    names = column_names.names_of(given[0]) if given else None
    return columns.gone_on(table, node) if given and names is None else columns.one_hot(table, names, node)


def cases(call: Invocation) -> Value | None:
    """`pl.when(test).then(5).otherwise(0)`, `pl.when(gender="male")`, step by step."""
    asks = call.entry.given.get("form") == "test" and not call.arguments and bool(call.node.keywords)
    if not asks:
        return when(call)
    steps = call.base.arguments if isinstance(call.base, Operation) and call.base.op == CASES else ()
    test = keyword_test(call.node, "", call.frame)
    return Operation(CASES, (*steps, test), call.node)


def removed(call: Invocation) -> Value | None:
    """`people.remove(pl.col("gender") == "female")`."""
    return narrow_selection(call)


def recoded(call: Invocation) -> Value | None:
    """`pl.col("gender").replace_strict({"male": 5}, default=0)`, `map_elements(function)`."""
    first, new = call.given("argument", 0, "old", "function", "mapping"), call.given("argument", 1, "new")
    base = call.base or UNKNOWN
    if isinstance(first, Closure):
        return call.frame.inline(first, call.node, (base,))
    if isinstance(first, Sequence) and isinstance(new, Sequence) and len(first.items) == len(new.items):
        first = Table(tuple(zip(first.items, new.items, strict=True)), call.node)
    if not isinstance(first, Table) or not call.frame.program.dependence.on_any(base):
        return None
    rest = call.keyword("default")
    if isinstance(rest, Const) and rest.value is None:
        rest = MISSING
    if rest is None and call.name == "map_dict":
        rest = MISSING  # what `replace_strict` meets and does not know ends in an error
    return Lookup(base, first, rest, call.node)


def over(call: Invocation) -> Value | None:
    """`pl.col("score").rank().over("race")`: a figure of each group."""
    node, frame = call.node, call.frame
    for given, written in zip(call.arguments, node.arguments, strict=False):
        key: Value | None = given
        if isinstance(written, tree.Literal) and isinstance(written.value, str):
            key = reads.read_by_identifier(written.value, written, frame, "")
        if key is not None and frame.program.dependence.on_any(key):
            return Within(key, node)
    return call.base


def named(call: Invocation) -> Value | None:
    """`pl.when(...).otherwise(0).alias("score")`: the value that gets a name."""
    tells = isinstance(call.base, Operation) and call.frame.program.dependence.on_any(call.base)
    return call.base if tells or isinstance(call.base, Choice) else method(call)
