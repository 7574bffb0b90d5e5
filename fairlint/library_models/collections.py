"""collections: what no entry of `collections.toml` can say."""

from __future__ import annotations

from fairlint.library_models.builtins import dictionary
from fairlint.semantics.interpreter import operations
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.values.symbolic import (
    Closure,
    Const,
    RecordType,
    Sequence,
    Table,
    Value,
)
from fairlint.support.records import replace
from fairlint.syntax import tree


def defaultdict(call: Invocation) -> Value | None:
    """`defaultdict(lambda: 0, {"male": 5})`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    fallback: Value | None = None
    if arguments and isinstance(arguments[0], Closure):
        fallback = frame.inline(arguments[0], node, ())
    elif (
        node.arguments
        and isinstance(node.arguments[0], tree.Name)
        and node.arguments[0].id in {"int", "float"}
    ):
        fallback = Const(0)
    entries = arguments[1].entries if len(arguments) > 1 and isinstance(arguments[1], Table) else ()
    return Table(entries, node, fallback=fallback) if entries else None


def counter(call: Invocation) -> Value | None:
    """`Counter({"male": 5})`: what it does not hold counts 0."""
    is_written = bool(call.node.keywords) or any(isinstance(one, Table) for one in call.arguments)
    given = dictionary(call) if is_written else None
    return replace(given, fallback=Const(0)) if isinstance(given, Table) and given.entries else None


def chain_map(call: Invocation) -> Value | None:
    """`ChainMap(first, second)`: the first table wins."""
    node, arguments = call.node, call.arguments
    tables = [argument for argument in arguments if isinstance(argument, Table)]
    if not tables or len(tables) != len(arguments):
        return None
    merged = tables[-1]
    for table in reversed(tables[:-1]):
        merged = operations.over(merged, table, node)
    return merged


def namedtuple(call: Invocation) -> Value | None:
    """`namedtuple("Rule", "field value points")`: calling it makes records."""
    node, arguments, frame = call.node, call.arguments, call.frame
    match arguments[1:2]:
        case (Const(value=str() as text),):
            names = tuple(text.replace(",", " ").split())
        case (Sequence(items=items),):
            names = tuple(str(item.value) for item in items if isinstance(item, Const))
        case _:
            return None
    return RecordType(frame.text(node), names=names)
