"""Python's own functions: what no entry of `builtins.toml` can say."""

from __future__ import annotations

from fairlint.semantics import container_elements, operations, reads, texts
from fairlint.semantics.frame import Frame
from fairlint.semantics.library import Invocation
from fairlint.semantics.tables import row_by_row
from fairlint.semantics.values import (
    Choice,
    Closure,
    Columns,
    Const,
    Filtered,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Table,
    Value,
)
from fairlint.syntax import tree


def attribute(call: Invocation) -> Value | None:
    """`getattr(person, "gender")`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    if len(arguments) >= 2 and isinstance(arguments[1], Const) and isinstance(arguments[1].value, str):
        receiver = frame.text(node.arguments[0])
        found = reads.mentioned(arguments[1].value, node, frame, receiver)
        found = reads.named_at(found, arguments[1], node.arguments[1])
        return found or Opaque(f"{receiver}.{arguments[1].value}")
    return _method_by_group(node, arguments, frame)


def set_attribute(call: Invocation) -> Value | None:
    """`setattr(person, "gender", value)` is an assignment."""
    node, name = call.node, call.arguments[1] if len(call.arguments) == 3 else None
    if isinstance(name, Const) and isinstance(name.value, str):
        target = tree.Field(node.span, node.arguments[0], name.value, node.span)
        assignment = tree.Assign(node.span, (target,), node.arguments[2])
        call.frame.program.copies.append((assignment,))
        call.frame.assign(assignment)
    return None


def _is_other(node: tree.Node, frame: Frame) -> bool:
    """Whether a node is not the object whose method this is."""
    return frame.text(node) not in frame.program.conventions.receivers


def _method_by_group(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`getattr(self, "score_" + person.gender)`: one of the class's methods that begin so."""
    if len(arguments) < 2 or not frame.owner or _is_other(node.arguments[0], frame):
        return None
    match node.arguments[1]:
        case tree.Binary(op="+", left=tree.Literal(value=str() as start), right=group):
            pass
        case tree.Interpolation(parts=(tree.Literal(value=str() as start), group)):
            pass
        case _:
            return None
    subject = frame.evaluate(group)
    entries = tuple(
        (Const(name.removeprefix(start)), Closure(method, owner=owner))
        for (owner, name), method in frame.program.definitions.methods.items()
        if owner == frame.owner and name.startswith(start)
    )
    if not entries or not frame.program.dependence.on_any(subject):
        return None
    default = arguments[2] if len(arguments) > 2 else None
    return Lookup(subject, Table(entries, node.arguments[1]), default, node)


def numbered(call: Invocation) -> Value | None:
    """`enumerate(people)`: pairs of a number and an entry."""
    node, arguments = call.node, call.arguments
    entries = operations.entries_of(arguments[0]) if arguments else None
    if entries is None:
        return container_elements.pairs(arguments[0], node) if arguments else None
    pairs = tuple(Sequence((Const(place), entry), node) for place, entry in enumerate(entries))
    return Sequence(pairs, node)


def zipped(call: Invocation) -> Value | None:
    """`zip(groups, points)`: pairs of entries."""
    node, arguments = call.node, call.arguments
    if (turned := row_by_row.turned(node, arguments)) is not None:
        return turned
    columns = [operations.entries_of(argument) or _counted(argument) for argument in arguments]
    if not columns or any(column is None for column in columns):
        return container_elements.zipped(node, arguments)
    rows = zip(*(column for column in columns if column is not None), strict=False)
    return Sequence(tuple(Sequence(tuple(row), node) for row in rows), node)


def _counted(value: Value) -> tuple[Value, ...] | None:
    """The numbers of a short range."""
    if not (isinstance(value, Operation) and value.op == "range"):
        return None
    low, high = (bound.value if isinstance(bound, Const) else None for bound in value.arguments)
    if not (isinstance(low, int) and isinstance(high, int) and 0 <= high - low <= operations.MAX_UNROLL):
        return None
    return tuple(map(Const, range(low, high)))


def length(call: Invocation) -> Value | None:
    """How many disabilities or children there are: none for who has none."""
    node, arguments, frame = call.node, call.arguments, call.frame
    if len(arguments) != 1 or not isinstance(arguments[0], Protected):
        return None
    mention = arguments[0].mention
    attribute = frame.program.vocabulary.attribute(mention.attribute)
    if mention.form == "number" and mention.group is None:
        return arguments[0]
    if "no" not in attribute.core_groups:
        return None
    return Choice(arguments[0], Opaque(frame.text(node)), Const(0), node)


def dictionary(call: Invocation) -> Value | None:
    """`dict(zip(groups, points), other=0)`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    given = operations.table_of(arguments[0], node) if arguments else None
    if arguments and given is None:
        return None
    entries = [] if given is None else list(given.entries)
    for name, value in node.keywords:
        if name is not None:
            entries.append((Const(name), frame.evaluate(value)))
    return Table(tuple(entries), node)


def filtered(call: Invocation) -> Value | None:
    """`filter(lambda p: p.age < 30, people)`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    if len(arguments) == 2 and isinstance(arguments[0], Closure):
        element = Opaque(f"{frame.text(node.arguments[1])}[]")
        about = frame.text(node.arguments[1])
        return Filtered(arguments[1], frame.inline(arguments[0], node, (element,), about), node)
    return None


def mapped(call: Invocation) -> Value | None:
    """`map(score, people)`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    if len(arguments) == 2 and isinstance(arguments[0], Closure):
        return frame.inline(arguments[0], node, (arguments[1],))
    return None


def range_of(call: Invocation) -> Value | None:
    """`range(18, 30)`, to be asked whether a number is in it."""
    node, arguments = call.node, call.arguments
    if not 1 <= len(arguments) <= 2 or not all(_is_number(argument) for argument in arguments):
        return None
    low = arguments[0] if len(arguments) == 2 else Const(0)
    return Operation("range", (low, arguments[-1]), node)


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, int | float)


def represented(call: Invocation) -> Value | None:
    """`repr(text)`: the text between quotes."""
    if len(call.arguments) != 1 or not isinstance(call.arguments[0], Const):
        return None
    return texts.quoted(call.arguments[0], "'", call.node) if texts.is_text(call.arguments[0]) else None


def ordered(call: Invocation) -> Value | None:
    """`sorted(df.columns)`: the same names."""
    first = call.arguments[0] if call.arguments else None
    return first if isinstance(first, Columns) else None
