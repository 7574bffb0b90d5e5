"""Python's own functions: what no entry of `builtins.toml` can say."""

from __future__ import annotations

from fairlint.library_models.builtin_texts import (
    ends_with,
    formatted,
    in_other_form,
    joined,
    replaced,
    same_text,
    split,
    starts_with,
)
from fairlint.semantics.interpreter import container_elements, instances, norms, operations, reads, rounds
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables import column_names, row_by_row
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.texts import text_forms, text_values
from fairlint.semantics.values.lift import leaves, map_alternatives
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Closure,
    Columns,
    Const,
    Elementwise,
    Filtered,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Table,
    Value,
)
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

__all__ = [
    "attribute",
    "dictionary",
    "ends_with",
    "filtered",
    "first_of",
    "formatted",
    "got",
    "in_other_form",
    "items",
    "joined",
    "keys",
    "length",
    "mapped",
    "numbered",
    "ordered",
    "place",
    "quotient_and_rest",
    "range_of",
    "read_attribute",
    "replaced",
    "represented",
    "same_text",
    "set_attribute",
    "split",
    "starts_with",
    "taken",
    "values",
    "zipped",
]


def attribute(call: Invocation) -> Value | None:
    """`getattr(person, "gender")`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    if len(arguments) >= 2 and isinstance(arguments[1], Const) and isinstance(arguments[1].value, str):
        receiver = frame.text(node.arguments[0])
        found = reads.read_by_identifier(arguments[1].value, node, frame, receiver)
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
    """Return whether a node is not the object whose method this is."""
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
    if (turned := row_by_row.transpose_rows(node, arguments)) is not None:
        return turned
    columns = [operations.entries_of(argument) or _range_numbers(argument) for argument in arguments]
    if not columns or any(column is None for column in columns):
        return container_elements.zip_elements(node, arguments)
    rows = zip(*(column for column in columns if column is not None), strict=False)
    return Sequence(tuple(Sequence(tuple(row), node) for row in rows), node)


def _range_numbers(value: Value) -> tuple[Value, ...] | None:
    """Return the numbers of a short range."""
    if not (isinstance(value, Operation) and value.op == "range"):
        return None
    low, high = (bound.value if isinstance(bound, Const) else None for bound in value.arguments)
    if not (isinstance(low, int) and isinstance(high, int) and 0 <= high - low <= operations.MAX_UNROLL):
        return None
    return tuple(map(Const, range(low, high)))


def length(call: Invocation) -> Value | None:
    """Return how many disabilities or children there are: none for who has none; how long a known text is."""
    node, arguments, frame = call.node, call.arguments, call.frame
    if len(arguments) == 1 and isinstance(known := arguments[0], Const) and isinstance(known.value, str):
        return Const(len(known.value))
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
    if given is None and node.arguments:  # `dict(applicant)`
        given = instances.dump_fields(node.arguments[0], node, frame)
    if arguments and given is None:
        return None
    named = tuple((Const(name), frame.evaluate(value)) for name, value in node.keywords if name is not None)
    whole = operations.over(Table((), node) if given is None else given, Table(named, node), node)
    return replace(whole, name="")


def filtered(call: Invocation) -> Value | None:
    """`filter(lambda p: p.age < 30, people)`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    if len(arguments) == 2 and isinstance(arguments[0], Closure):
        element = Opaque(f"{frame.text(node.arguments[1])}[]")
        about = frame.text(node.arguments[1])
        test = frame.inline(arguments[0], node, (element,), about)
        frame.program.own_groups = frame.program.own_groups or norms.asked_of_two(test) is not None
        return Filtered(arguments[1], test, node)
    return None


def first_of(call: Invocation) -> Value | None:
    """`next((5 for group in GROUPS if person.race == group), 0)`: what the first round that passes gives."""
    node, arguments, frame = call.node, call.arguments, call.frame
    written = node.arguments[0] if node.arguments else None
    if isinstance(written, tree.Name) and isinstance(arguments[0], Filtered | Choice):
        written = arguments[0].node
        frame.bind(node.arguments[0], Opaque(frame.text(node)))  # the next one is another
    if isinstance(written, tree.Name) and isinstance(arguments[0], Sequence) and frame.loop is None:
        first, *rest = arguments[0].items or (Opaque(frame.text(node)),)
        frame.bind(written, replace(arguments[0], items=tuple(rest)))  # an iterator: a list has no next one
        return first
    if isinstance(written, tree.Call) and isinstance(arguments[0], Sequence):
        return _first_of_row(arguments[0])
    if not isinstance(written, tree.Comprehension) or written.key is not None:
        return None
    otherwise = arguments[1] if len(arguments) > 1 else Opaque(frame.text(node))
    alike = rounds.that_are_alike(written, frame)
    passed = rounds.of_entries(written, frame) or ([] if alike is None else [alike])
    for one in reversed(passed):
        otherwise = _first_match(one, otherwise, written)
    if passed:
        return otherwise
    # that there is anybody is no choice of one of them
    is_about_all = isinstance(arguments[0], Filtered) and isinstance(frame.evaluate(written.element), Const)
    return Opaque(frame.text(node)) if is_about_all else None


def _first_of_row(row: Sequence) -> Value | None:
    """Return the first of a list; which that is of a set, nobody can say."""
    is_ordered = not isinstance(row.node, tree.Collection) or row.node.kind != "set"
    return row.items[0] if row.items and is_ordered else None


def _first_match(one: rounds.Round, otherwise: Value, node: tree.Comprehension) -> Value:
    if isinstance(one.test, Const) and not one.test.label:
        return one.element if one.test.value else otherwise
    if all(isinstance(side, Const) and isinstance(side.value, bool) for side in (one.element, otherwise)):
        assert isinstance(one.element, Const)
        assert isinstance(otherwise, Const)
        if one.element.value is not otherwise.value:
            return one.test if one.element.value else operations.negate(one.test, node)
    return Choice(one.test, one.element, otherwise, node)


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
    return (
        text_forms.quote_text(call.arguments[0], "'", call.node)
        if text_values.is_text(call.arguments[0])
        else None
    )


def ordered(call: Invocation) -> Value | None:
    """`sorted(df.columns)`: the same names."""
    first = call.arguments[0] if call.arguments else None
    return first if isinstance(first, Columns) else None


def quotient_and_rest(call: Invocation) -> Value | None:
    """`divmod(7, 2)`."""
    if len(call.arguments) != 2:
        return None
    parts = (operations.arithmetic(op, *call.arguments, call.node) for op in ("//", "%"))
    return Sequence(tuple(parts), call.node)


# ------------------------------------------------------------------------------------------ dicts and lists


def _receiver_node(node: tree.Call) -> Node:
    assert isinstance(node.function, tree.Field)
    return node.function.value


def read_attribute(call: Invocation) -> Value | None:
    """`person.__getattribute__("age")`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    if not (arguments and isinstance(arguments[0], Const) and isinstance(arguments[0].value, str)):
        return None
    receiver = frame.text(_receiver_node(node))
    return reads.read_by_identifier(arguments[0].value, node, frame, receiver) or Opaque(
        f"{receiver}.{arguments[0].value}"
    )


def got(call: Invocation) -> Value | None:
    """`row.get("gender", "male")`, `POINTS.get(person.gender)`."""
    node, base, arguments, frame = call.node, call.base or UNKNOWN, call.arguments, call.frame
    if not arguments:
        return None
    default = arguments[1] if len(arguments) > 1 else Const(None)
    if isinstance(base, Table):
        record = instances.record_field(base, arguments[0], node, frame, _receiver_node(node))
        return record or _get_from(base, arguments[0], default, node, frame)
    if (inside := container_elements.element(base)) is not None:
        return inside
    if isinstance(base, Choice | Lookup):
        return _get_from(base, arguments[0], default, node, frame)
    if isinstance(arguments[0], Const) and isinstance(arguments[0].value, str):
        receiver = frame.text(_receiver_node(node))
        found = reads.read_by_identifier(arguments[0].value, node, frame, receiver)
        found = reads.named_at(found, arguments[0], node.arguments[0]) if node.arguments else found
        if found is None and _lists_names(default) and has_tables(frame):
            return default
        return found or Opaque(frame.text(node))
    if isinstance(arguments[0], Protected) and isinstance(base, Opaque):
        receiver_node = _receiver_node(node)
        table = Table((), receiver_node, frame.text(receiver_node), default)
        return Lookup(arguments[0], table, default, node)
    return None


def _lists_names(default: Value) -> bool:
    """Return whether what stands in for a stored list of columns is one: `bundle.get("columns", COLUMNS)`."""
    return (
        isinstance(default, Sequence)
        and len(default.items) > 1
        and column_names.names_of(default) is not None
    )


def taken(call: Invocation) -> Value | None:
    """`row.pop("race", "White")` and `row.setdefault("race", "White")` of a row that is not written out."""
    base, arguments = call.base, call.arguments
    is_name = bool(arguments) and isinstance(arguments[0], Const) and isinstance(arguments[0].value, str)
    return got(call) if is_name and not isinstance(base, Table) else None


def _get_from(base: Value, index: Value, default: Value, node: Node, frame: Frame) -> Value:
    def got(table: Value) -> Value:
        if not isinstance(table, Table):
            return default
        entry = operations.lookup(table, index, default, node, frame)
        return reads.read_by_codes(table.name, entry, node, frame) or entry

    return map_alternatives(base, got)


def _merge_tables(value: Value) -> Table | None:
    """Return one table for several by group that have the same keys: each entry is then what the
    group gets.
    """
    if isinstance(value, Table):
        return value
    if not isinstance(value, Choice | Lookup):
        return None
    tables = leaves(value)
    first = tables[0] if tables else None
    if not isinstance(first, Table) or not all(isinstance(key, Const) for key, _ in first.entries):
        return None
    keys = _keys_of(first)
    if any(not isinstance(table, Table) or _keys_of(table) != keys for table in tables):
        return None
    entries = tuple((key, _entry_at_key(value, key)) for key, _ in first.entries)
    return Table(entries, first.node, first.name)


def _keys_of(table: Table) -> frozenset[object]:
    return frozenset(key.value if isinstance(key, Const) else key for key, _ in table.entries)


def _entry_at_key(value: Value, key: Value) -> Value:
    def held(table: Value) -> Value:
        assert isinstance(table, Table)
        assert isinstance(key, Const)
        same = (one for name, one in table.entries if isinstance(name, Const) and name.value == key.value)
        return next(same)

    return map_alternatives(value, held)


def place(call: Invocation) -> Value | None:
    """`GROUPS.index(applicant.gender)`: the place of a group in a list that is written out."""
    node, base, arguments, frame = call.node, call.base or UNKNOWN, call.arguments, call.frame
    if (
        len(arguments) != 1
        or not isinstance(base, Sequence)
        or not frame.program.dependence.on_any(arguments[0])
    ):
        return None
    entries = tuple((item, Const(place)) for place, item in enumerate(base.items))
    return Lookup(arguments[0], Table(entries, base.node, base.name), None, node)


def items(call: Invocation) -> Value | None:
    """`POINTS.items()`: pairs of a key and an entry."""
    node, base = call.node, call.base or UNKNOWN
    table = _merge_tables(base)
    if table is None:
        return container_elements.pairs(base, node)
    return Sequence(tuple(Sequence(entry, node) for entry in table.entries), node)


def keys(call: Invocation) -> Value | None:
    """`POINTS.keys()`."""
    node, base = call.node, call.base or UNKNOWN
    table = _merge_tables(base)
    return None if table is None else Sequence(tuple(key for key, _ in table.entries), node)


def values(call: Invocation) -> Value | None:
    """`POINTS.values()`."""
    node, base = call.node, call.base or UNKNOWN
    table = _merge_tables(base)
    if table is None:
        return base if isinstance(base, Elementwise) else None
    return Sequence(tuple(_by_its_key(key, value, call) for key, value in table.entries), node)


def _by_its_key(key: Value, value: Value, call: Invocation) -> Value:
    """Return what stands under a key of a row, by that where nothing else says what it is."""
    if type(value) is not Opaque or not isinstance(key, Const) or not has_tables(call.frame):
        return value
    found = reads.read_by_identifier(str(key.value), key.node or call.node, call.frame)
    return found if isinstance(found, Protected) and found.mention.group is None else value
