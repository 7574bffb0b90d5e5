"""Names of columns: what lists, texts and indexes spell."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice

from fairlint.semantics.values.symbolic import (
    Choice,
    Columns,
    Const,
    Filtered,
    Lookup,
    Opaque,
    Operation,
    Placeholder,
    Protected,
    Sequence,
    Table,
    Text,
    TextSpan,
    Value,
)
from fairlint.semantics.values.traversal import either, fold_value, walk

ONE_HOT = "_"
"""Stands at the end of a column that has become several."""
MOST_ITEMS = 10_000
"""A list that is put together of lists holds no more, unless it is written so long."""


def names_of(value: Value) -> tuple[Const, ...] | None:
    """Return the column names that a list, a single text or an index of columns spells; None for anything
    else.
    """
    return (value,) if isinstance(value, Const) and isinstance(value.value, str) else _names_of(value)


def _names_of(value: Value) -> tuple[Const, ...] | None:
    return fold_value(value, _named_by, _all_names)


def _named_by(value: Value) -> Iterable[Value]:
    """Return the values whose names are those of `value`."""
    match value:
        case Sequence(items=items):
            return items
        case Table(entries=entries):
            return [key for key, _ in entries]
        case Choice() | Operation(op="or", arguments=(_, _)) if not _is_optional_name(value):
            ends = either(value, _is_optional_name) if isinstance(value, Choice) else value.arguments
            return [one for one in ends if isinstance(one, Sequence | Choice)]
        case Lookup(table=Table(entries=entries)):
            return [one for _, one in entries if isinstance(one, Sequence | Choice)]
        case _:
            return ()


def _is_optional_name(value: Value) -> bool:
    """Return whether a value is a name that is added in one branch."""
    return (
        isinstance(value, Choice)
        and isinstance(value.otherwise, Const)
        and value.otherwise.value == ""
        and isinstance(value.then, Const)
        and isinstance(value.then.value, str)
    )


def _all_names(value: Value, named: list[tuple[Const, ...] | None]) -> tuple[Const, ...] | None:
    match value:
        case Const(value=str()):
            return (value,)
        case Sequence():
            every = [names for names in named if names]
            return tuple(islice(chain.from_iterable(every), MOST_ITEMS)) if len(every) == len(named) else None
        case Table(entries=entries) if entries:
            return tuple(names[0] for names in named if names) if all(named) else None
        case Columns(held=held, complete=True):
            return tuple(Const(column.name, "", column.node) for column in held)
        case Choice(then=Const() as name) if _is_optional_name(value):
            return (name,)
        case Choice() | Operation(op="or") | Lookup():
            return tuple({name.value: name for names in named for name in names or ()}.values()) or None
        case _:
            return None


def one_hot_name(value: Value) -> Const | None:
    """Return what a key begins with that codes a column: `row[f"gender_{applicant.gender}"]`."""
    match value:
        case Text(pieces=(TextSpan(text=begin), Placeholder(), *_), node=node) if begin.endswith(ONE_HOT):
            return Const(begin, "", node)
        case _:
            return None


def some_names(value: Value) -> tuple[Const, ...]:
    """Return the names that are written out in a list, whatever else stands in it."""
    if isinstance(value, Sequence):
        return tuple(name for item in value.items for name in names_of(item) or ())
    return names_of(value) or ()


def cut_down(op: str, left: Value, right: Value) -> tuple[Value, ...] | None:
    """Return the names of one list that stand in another (`&`), or do not (`-`), where both are
    written out.
    """
    if not (isinstance(left, Sequence) and isinstance(right, Sequence) and left.items and right.items):
        return None
    items = (*left.items, *right.items)
    if not all(isinstance(one, Const) and isinstance(one.value, str) for one in items):
        return None
    others = {one.value for one in right.items if isinstance(one, Const)}
    return tuple(one for one in left.items if isinstance(one, Const) and (one.value in others) == (op == "&"))


def may_be_names(value: Value) -> bool:
    """Return whether a value is a list, or unknown; `[c for c in table if c.startswith("x_")]` is, too."""
    if isinstance(value, Filtered):
        return isinstance(value.people, Opaque) and not any(
            isinstance(part, Protected) for part in walk(value.test)
        )
    return isinstance(value, Sequence | Opaque)
