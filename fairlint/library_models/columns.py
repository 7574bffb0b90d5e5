"""Columns and rows of any library: what no entry of `columns.toml` can say."""

from __future__ import annotations

from fairlint.library_models.builtin_texts import starts_with
from fairlint.semantics.interpreter import norms, operations, selections
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.selections import drop_selection, narrow_selection, new_columns, query
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables.groups import groups_of_rows
from fairlint.semantics.values.symbolic import (
    MISSING,
    UNKNOWN,
    Choice,
    Closure,
    Columns,
    Const,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Table,
    Value,
    Within,
)
from fairlint.syntax import tree

__all__ = [
    "assigned",
    "between",
    "drop_selection",
    "kept_where",
    "mapped",
    "masked",
    "narrow_selection",
    "query",
    "starts_with",
]


def mapped(call: Invocation) -> Value | None:
    """`series.map(table or function)`, `series.apply(function)`, `frame.apply(function, axis=1)`."""
    node, base, arguments, frame = call.node, call.base or UNKNOWN, call.arguments, call.frame
    if not arguments:
        return None
    given = _table_of_series(arguments[0], frame) if call.name == "map" else arguments[0]
    if isinstance(given, Table) and isinstance(base, Protected | Choice | Lookup):
        rest = given.fallback or MISSING if call.name == "map" else None
        return Lookup(base, given, rest, node)
    if (of_group := _of_its_group(base, given, call)) is not None:
        return of_group
    if isinstance(given, Closure):
        function = node.function
        groups = groups_of_rows(function.value, frame) if isinstance(function, tree.Field) else None
        if groups is not None:
            is_column = isinstance(base, Protected | Choice | Lookup | Operation)
            part = base if is_column else norms.part(groups.table, groups.key, frame)
            return frame.inline(groups.named(given), node, (part,))
        return frame.inline(given, node, (base,))
    return None


def _of_its_group(base: Value, given: Value, call: Invocation) -> Value | None:
    """`people["race"].map(people.groupby("race")["score"].mean())`: each row is given its group's figure."""
    made = call.frame.program.facts.call_of(given) if type(given) is Opaque else None
    if made is None or not isinstance(base, Protected) or not isinstance(made.node.function, tree.Field):
        return None
    groups = groups_of_rows(made.node.function.value, call.frame)
    attributes = call.frame.program.dependence.attributes
    if groups is None or base.mention.attribute not in attributes(groups.key):
        return None
    return Within(base, made.node)


def _table_of_series(given: Value, frame: Frame) -> Value:
    """Return the table that a row by its names is: `pd.Series({"male": 5})`."""
    made = given.node if isinstance(given, Columns) else None
    data = frame.evaluate(made.arguments[0]) if isinstance(made, tree.Call) and made.arguments else None
    return data if isinstance(data, Table) else given


_ENDS = {
    "both": (">=", "<="),
    "left": (">=", "<"),
    "right": (">", "<="),
    "neither": (">", "<"),
    "none": (">", "<"),
    "true": (">=", "<="),
    "false": (">", "<"),
}
"""Which ends belong to a range → how what lies in it compares with them."""


def between(call: Invocation) -> Value | None:
    """`people["age"].between(18, 40, inclusive="left")`, polars' `is_between(18, 40, closed="left")`."""
    node, base = call.node, call.base or UNKNOWN
    low, high = (
        call.given("argument", 0, "left", "lower_bound", "lower", "lowerBound"),
        call.given("argument", 1, "right", "upper_bound", "upper", "upperBound"),
    )
    if low is None or high is None:
        return None
    which = call.given("argument", 2, "inclusive", "closed") or Const("both")
    ends = _ENDS.get(str(which.value).lower()) if isinstance(which, Const) else None
    if ends is None:  # nobody can say to whom the ends belong
        return operations.compare("in", base, Opaque(call.frame.text(node)), node)
    tests = [operations.compare(op, base, end, node) for op, end in zip(ends, (low, high), strict=True)]
    return operations.combine("and", tests, node)


def kept_where(call: Invocation) -> Value | None:
    """`series.where(test, other)` keeps where the test holds; a query, the rows where all of its tests do."""
    arguments = call.arguments
    if len(arguments) < 2 or all(map(operations.is_mask, arguments)):
        return selections.narrow_selection(call, by_keyword=False)
    return Choice(arguments[0], call.base or UNKNOWN, arguments[1], call.node)


def masked(call: Invocation) -> Value | None:
    """`series.mask(test, other)` keeps where the test does not hold."""
    arguments = call.arguments
    if len(arguments) < 2:
        return None
    return Choice(arguments[0], arguments[1], call.base or UNKNOWN, call.node)


def assigned(call: Invocation) -> Value | None:
    """`df.assign(score=lambda d: ...)`."""
    return None if call.arguments or not call.node.keywords else new_columns(call)
