"""Methods that are understood: of dicts, texts, columns and queries."""

from __future__ import annotations

from collections.abc import Callable

from fairlint.records import replace
from fairlint.semantics import (
    container_elements,
    instances,
    operations,
    orm,
    reads,
    selections,
    texts,
)
from fairlint.semantics.frame import Frame
from fairlint.semantics.lift import leaves
from fairlint.semantics.values import (
    Choice,
    Closure,
    Columns,
    Const,
    Each,
    Lookup,
    Opaque,
    Protected,
    Sequence,
    Table,
    Value,
)
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

Method = Callable[[tree.Call, Value, tuple[Value, ...], Frame], Value | None]


def known(
    node: tree.Call, name: str, base: Value, arguments: tuple[Value, ...], frame: Frame
) -> Value | None:
    """The value of a well-known method; None for any other."""
    method = _METHODS.get(name)
    return None if method is None else method(node, base, arguments, frame)


def _receiver(node: tree.Call) -> Node:
    assert isinstance(node.function, tree.Field)
    return node.function.value


# ---------------------------------------------------------------------------------------- dicts and rows


def _attribute(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`person.__getattribute__("age")`."""
    del base
    if not (arguments and isinstance(arguments[0], Const) and isinstance(arguments[0].value, str)):
        return None
    receiver = frame.text(_receiver(node))
    return reads.mentioned(arguments[0].value, node, frame, receiver) or Opaque(
        f"{receiver}.{arguments[0].value}"
    )


def _get(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    if not arguments:
        return None
    default = arguments[1] if len(arguments) > 1 else Const(None)
    if isinstance(base, Table):
        record = instances.record_field(base, arguments[0], node, frame, _receiver(node))
        return record or operations.lookup(base, arguments[0], default, node, frame)
    if (inside := container_elements.element(base)) is not None:
        return inside
    if isinstance(base, Choice | Lookup):
        return _get_from(base, arguments[0], default, node, frame)
    if isinstance(arguments[0], Const) and isinstance(arguments[0].value, str):
        receiver = frame.text(_receiver(node))
        found = reads.mentioned(arguments[0].value, node, frame, receiver)
        found = reads.named_at(found, arguments[0], node.arguments[0]) if node.arguments else found
        return found or Opaque(frame.text(node))
    if isinstance(arguments[0], Protected) and isinstance(base, Opaque):
        receiver_node = _receiver(node)
        table = Table((), receiver_node, frame.text(receiver_node), default)
        return Lookup(arguments[0], table, default, node)
    return None


def _taken(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`row.pop("race", "White")` and `row.setdefault("race", "White")` of a row that is not written out."""
    is_name = bool(arguments) and isinstance(arguments[0], Const) and isinstance(arguments[0].value, str)
    return _get(node, base, arguments, frame) if is_name and not isinstance(base, Table) else None


def _get_from(base: Value, index: Value, default: Value, node: Node, frame: Frame) -> Value:
    match base:
        case Table():
            return operations.lookup(base, index, default, node, frame)
        case Choice(test=test, then=then, otherwise=otherwise, node=site):
            left = _get_from(then, index, default, node, frame)
            return Choice(test, left, _get_from(otherwise, index, default, node, frame), site)
        case Lookup(subject=subject, table=table, default=fallback, node=site):
            entries = tuple(
                (key, _get_from(value, index, default, node, frame)) for key, value in table.entries
            )
            other = None if fallback is None else _get_from(fallback, index, default, node, frame)
            return Lookup(subject, Table(entries, table.node, table.name), other, site)
        case _:
            return default


def _merged(value: Value) -> Table | None:
    """One table for several by group that have the same keys: each entry is then what the group gets."""
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
    entries = tuple((key, _entry(value, key)) for key, _ in first.entries)
    return Table(entries, first.node, first.name)


def _keys_of(table: Table) -> frozenset[object]:
    return frozenset(key.value if isinstance(key, Const) else key for key, _ in table.entries)


def _entry(value: Value, key: Value) -> Value:
    match value:
        case Choice(then=then, otherwise=otherwise):
            return replace(value, then=_entry(then, key), otherwise=_entry(otherwise, key))
        case Lookup(table=table, default=default):
            entries = tuple((name, _entry(held, key)) for name, held in table.entries)
            inner = Table(entries, table.node, table.name)
            return replace(value, table=inner, default=None if default is None else _entry(default, key))
        case Table(entries=entries):
            assert isinstance(key, Const)
            return next(held for name, held in entries if isinstance(name, Const) and name.value == key.value)
        case _:
            return value


def _place(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`GROUPS.index(applicant.gender)`: the place of a group in a list that is written out."""
    if (
        len(arguments) != 1
        or not isinstance(base, Sequence)
        or not frame.program.dependence.on_any(arguments[0])
    ):
        return None
    entries = tuple((item, Const(place)) for place, item in enumerate(base.items))
    return Lookup(arguments[0], Table(entries, base.node, base.name), None, node)


def _items(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del arguments, frame
    table = _merged(base)
    if table is None:
        return container_elements.pairs(base, node)
    return Sequence(tuple(Sequence(entry, node) for entry in table.entries), node)


def _keys(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del arguments, frame
    table = _merged(base)
    return None if table is None else Sequence(tuple(key for key, _ in table.entries), node)


def _values(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del arguments, frame
    table = _merged(base)
    if table is None:
        return base if isinstance(base, Each) else None
    return Sequence(tuple(value for _, value in table.entries), node)


# ------------------------------------------------------------------------------------------------ columns


def _mapped(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`series.map(table or function)`, `series.apply(function)`, `frame.apply(function, axis=1)`."""
    if not arguments:
        return None
    if isinstance(arguments[0], Table) and isinstance(base, Protected | Choice | Lookup):
        return Lookup(base, arguments[0], None, node)
    if isinstance(arguments[0], Closure):
        return frame.inline(arguments[0], node, (base,))
    return None


def _between(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    if len(arguments) < 2:
        return None
    low = operations.compare(">=", base, arguments[0], node)
    return operations.combine("and", (low, operations.compare("<=", base, arguments[1], node)), node)


def _masked(keep_when: bool) -> Method:
    """`series.where(test, other)` keeps where the test holds, `.mask(test, other)` where it does not."""

    def evaluate(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
        if len(arguments) < 2 or (keep_when and all(map(operations.is_mask, arguments))):
            return _narrowed(node, base, arguments, frame) if keep_when else None
        first, second = (base, arguments[1]) if keep_when else (arguments[1], base)
        return Choice(arguments[0], first, second, node)

    return evaluate


# ------------------------------------------------------------------------------------------------ texts


def _starts_with(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`gender.startswith("f")` names the group that is spelled so."""
    del frame
    if not (arguments and isinstance(arguments[0], Const)):
        return None
    start = arguments[0].value
    if isinstance(base, Const) and isinstance(base.value, str) and isinstance(start, str):
        return Const(base.value.startswith(start))
    return operations.compare("==", base, arguments[0], node) if isinstance(base, Protected) else None


def _other_form(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    assert isinstance(node.function, tree.Field)
    name, around = node.function.name, None
    if arguments:
        if not (isinstance(arguments[0], Const) and isinstance(arguments[0].value, str)):
            return None
        around = arguments[0].value
    return texts.changed_each(base, lambda one: texts.in_other_form(one, name, around))


def _same_text(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`text.encode()`: the same characters."""
    del node, arguments, frame
    return base if texts.may_be_text(base) else None


def _replaced(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`text.replace("{table}", name)`; `series.replace({"M": 1})`."""
    if len(arguments) < 2 or not texts.may_be_text(base):
        return _mapped(node, base, arguments, frame)
    old, new = arguments[0], texts.pieces_of(arguments[1], node.arguments[1])
    if not (isinstance(old, Const) and isinstance(old.value, str)):
        return base
    word = old.value
    return texts.changed_each(base, lambda one: texts.with_other_words(one, word, new, node))


def _split(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`"male female".split()` writes a list."""
    del frame
    if not (isinstance(base, Const) and isinstance(base.value, str)):
        return None
    separator = arguments[0].value if arguments and isinstance(arguments[0], Const) else None
    if arguments and not (isinstance(separator, str) and separator):
        return None
    parts = base.value.split(separator if isinstance(separator, str) else None)
    return Sequence(tuple(Const(part, "", base.node) for part in parts), node)


def _text_join(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`" + ".join(lines)`."""
    del frame
    if not texts.is_text(base) or len(arguments) != 1 or isinstance(arguments[0], Columns):
        return None
    return texts.separated(base, texts.items_of(arguments[0]), node)


def _formatted(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`"...".format(a, name=b)` and `.format_map(values)`."""
    if not texts.may_be_text(base):
        return None
    placed, named = tuple(_placed(node, arguments)), _by_name(node, arguments, frame)
    return texts.changed_each(base, lambda one: texts.formatted(one, placed, named, node))


def _substituted(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`Template("...").substitute(name=b)`."""
    if not texts.may_be_text(base):
        return None
    named = _by_name(node, arguments, frame)
    return texts.changed_each(base, lambda one: texts.filled(one, named, node))


def _placed(node: tree.Call, arguments: tuple[Value, ...]) -> list[tuple[Value, Node]]:
    places = node.arguments if len(node.arguments) == len(arguments) else (node,) * len(arguments)
    return list(zip(arguments, places, strict=True))


def _by_name(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> dict[str, tuple[Value, Node]]:
    """What a text's places are given by name: as keywords, or in a dict."""
    named: dict[str, tuple[Value, Node]] = {}
    spread_out = [frame.evaluate(value) for key, value in node.keywords if key is None]
    for table in (*arguments, *spread_out):
        if isinstance(table, Table):
            for key, value in table.entries:
                if isinstance(key, Const) and isinstance(key.value, str):
                    named[key.value] = (value, texts.place_of(value) or node)
    for name, written in node.keywords:
        if name is not None:
            named[name] = (frame.evaluate(written), written)
    return named


# ------------------------------------------------------------------------------------------------ people


def _narrowed(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    assert isinstance(node.function, tree.Field)
    return selections.narrowed(node, node.function, base, arguments, frame)


def _assigned(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    if arguments or not node.keywords:
        return None
    return selections.new_columns(node, base, frame.text(_receiver(node)), frame)


_METHODS: dict[str, Method] = {
    "get": _get,
    "pop": _taken,
    "setdefault": _taken,
    "__getattribute__": _attribute,
    "__getattr__": _attribute,
    "__getitem__": _get,
    "items": _items,
    "index": _place,
    "keys": _keys,
    "values": _values,
    "map": _mapped,
    "apply": _mapped,
    "replace": _replaced,
    "transform": _mapped,
    "between": _between,
    "is_between": _between,
    "starts_with": _starts_with,
    "join": _text_join,
    "format": _formatted,
    "format_map": _formatted,
    "substitute": _substituted,
    "safe_substitute": _substituted,
    "startswith": _starts_with,
    "split": _split,
    "where": _masked(keep_when=True),
    "mask": _masked(keep_when=False),
    "filter": _narrowed,
    "filter_by": _narrowed,
    "exclude": _narrowed,
    "drop": selections.dropped,
    "assign": _assigned,
    "annotate": orm.annotated,
    "label": orm.labelled,
    **dict.fromkeys((*texts.SAME_LENGTH, *texts.ENDS), _other_form),
    "encode": _same_text,
    "decode": _same_text,
}
