"""Numbers for groups: what a coding is, which number an expression is, which groups a test asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Literal

from fairlint.lexicon.load import word_lists
from fairlint.readers.assumptions.attribute_reads import Read, Reader
from fairlint.readers.assumptions.syntax_index import Scope, called, resolved, text_of
from fairlint.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MOST_CODES = 50
"""Numbers of a range that are looked at."""

How = Literal["table", "choice", "cast", "encoder", "dummies"]
FARTHEST = 6
"""Calls of one chain of methods that are looked at."""


class Code(Record):
    """One group, as the code spells it and as the vocabulary calls it, with its number."""

    label: str
    group: str | None
    number: float


class Coding(Record, eq=False):
    """One coding: whose attribute, where, and which number stands for whom.

    `codes` is empty where a library hands them out. `rest` is the number of all others, where there is one.
    `tool` names the encoder.
    """

    read: Read
    node: Node
    how: How
    codes: tuple[Code, ...] = ()
    rest: float | None = None
    tool: str = ""
    steps: tuple[tuple[Node, str], ...] = ()
    in_table: bool = False
    """Whether a whole column is coded."""


@cache
def lexicon() -> Mapping[str, frozenset[str]]:
    """The names and words of `encodings.toml`."""
    return word_lists("encodings")


def number_of(node: Node, scope: Scope, depth: int = 0) -> float | None:
    """The number that an expression is, through names and wrappers; truth values are none."""
    if depth > FARTHEST:
        return None
    match node:
        case tree.Literal(value=bool() | None | str() | bytes()):
            return None
        case tree.Literal(value=int() | float() as number):
            return float(number)
        case tree.Unary(op="-", operand=tree.Literal(value=int() | float() as number)):
            return -float(number)
        case tree.Call(arguments=(only,)) if called(node) in lexicon()["keeps"]:
            return number_of(only, scope, depth + 1)
        case tree.Name():
            value = resolved(node, scope)
            return None if isinstance(value, tree.Name) else number_of(value, scope, depth + 1)
        case _:
            return None


def paired(call: tree.Call, scope: Scope) -> tree.Collection | None:
    """`dict(zip(["Male", "Female"], range(2)))` and `dict(Male=0, Female=1)` as the table they make."""
    if call.keywords and not call.arguments:
        given = [(tree.Literal(call.span, key), value) for key, value in call.keywords if key is not None]
    elif len(call.arguments) == 1 and called(call.arguments[0]) == "zip":
        both = call.arguments[0]
        parts = both.arguments if isinstance(both, tree.Call) and len(both.arguments) == 2 else ()
        given = list(zip(*(_entries(part, scope) for part in parts), strict=False))
    else:
        return None
    return tree.Collection(call.span, "dict", tuple(tree.Item(call.span, key, value) for key, value in given))


def _entries(node: Node, scope: Scope) -> tuple[Node, ...]:
    """The entries of a list that is written out, or counted up from nought."""
    value = resolved(node, scope)
    if isinstance(value, tree.Collection):
        return tuple(item.value for item in value.items)
    if called(value) == "range" and isinstance(value, tree.Call) and len(value.arguments) == 1:
        count = number_of(value.arguments[0], scope)
        return tuple(tree.Literal(value.span, number) for number in range(int(min(count or 0, MOST_CODES))))
    return ()


def asks_for_groups(test: Node, scope: Scope, reader: Reader) -> tuple[Read, tuple[str, ...]] | None:
    """The attribute that a test compares with groups, and the groups as written."""
    match test:
        case (
            tree.Compare(op="==", left=tree.Call() as call, right=tree.Literal(value=0))
            | tree.Unary(op="not", operand=tree.Call() as call)
        ) if called(call) in lexicon()["compares"] and len(call.arguments) > 1:
            left, right = call.arguments[:2]
            return _compared(left, right, scope, reader) or _compared(right, left, scope, reader)
        case tree.Compare(op="==" | "in", left=left, right=right):
            return _compared(left, right, scope, reader) or _compared(right, left, scope, reader)
        case tree.Call(
            function=tree.Field(name="eq" | "isin" | "is_in" | "equals", value=left), arguments=(right,)
        ):
            return _compared(left, right, scope, reader)
        case tree.Call(
            function=tree.Field(name="startswith" | "contains" | "match" | "starts_with", value=left),
            arguments=(right, *_),
        ):
            return _compared(left, right, scope, reader)
        case tree.BoolOp(op="or", values=values):
            parts = [asks_for_groups(value, scope, reader) for value in values]
        case tree.Binary(op="|", left=left, right=right):
            parts = [asks_for_groups(value, scope, reader) for value in (left, right)]
        case _:
            return None
    found = [part for part in parts if part is not None]
    if len(found) < len(parts) or len({read.mention.attribute for read, _ in found}) > 1:
        return None
    return found[0][0], tuple(label for _, labels in found for label in labels)


def _compared(left: Node, right: Node, scope: Scope, reader: Reader) -> tuple[Read, tuple[str, ...]] | None:
    value = resolved(right, scope)
    values = [item.value for item in value.items] if isinstance(value, tree.Collection) else [right]
    labels = [reader.label(one, scope) for one in values]
    if not labels or None in labels:
        return None
    reads = reader.reads(left, scope) or _told_by_function(left, scope, reader)
    return (reads[0], tuple(label for label in labels if label is not None)) if reads else None


def _told_by_function(node: Node, scope: Scope, reader: Reader) -> list[Read]:
    """What the only parameter of `encode_race(const char *s)` holds."""
    owner = scope.owner
    if not (isinstance(owner, tree.Function) and isinstance(node, tree.Name) and len(owner.parameters) == 1):
        return []
    only = owner.parameters[0]
    return reader.named(owner.name, node) if only.name == node.id else []


def called_name(node: Node) -> str:
    """The bare name of a function that is not called here."""
    return node.id if isinstance(node, tree.Name) else node.name if isinstance(node, tree.Field) else ""


def inside(inner: Node, outer: Node) -> bool:
    """Whether a node stands in another."""
    return outer.span.start <= inner.span.start and inner.span.end <= outer.span.end


def nearest(nodes: Iterable[Node]) -> Iterator[Node]:
    """The first few of some nodes."""
    for _, node in zip(range(FARTHEST * 2), nodes, strict=False):
        yield node


def is_nothing(node: Node) -> bool:
    """Whether a value is a gap: None, NaN."""
    if isinstance(node, tree.Literal):
        return node.value is None
    return called_name(node) in {"nan", "NaN", "NA"}


def is_number_type(node: Node) -> bool:
    """Whether a type is one of numbers: `int`, `"float64"`, `np.int8`."""
    name = text_of(node) or called_name(node)
    return name.lower().startswith(("int", "uint", "float", "i8", "i32", "double", "long"))
