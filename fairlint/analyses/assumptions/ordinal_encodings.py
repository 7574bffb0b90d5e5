"""Numbers for groups: what a coding is, which number a value is, which groups a test asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Literal

from fairlint.analyses.assumptions.attribute_reads import Read, Reader
from fairlint.semantics.values.symbolic import Const, Opaque, Operation, Sequence, Value
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.load import word_lists

How = Literal["table", "choice", "cast", "encoder", "dummies"]
FARTHEST = 12
"""How far from a coding the names are looked for that its numbers go to."""


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
    call: Node | None = None
    """What codes it, where a library does."""


lexicon = partial(word_lists, "encodings")
"""The names and words of `encodings.toml`."""


def number_of(value: Value | None) -> float | None:
    """Return the number that a value is; truth values are none."""
    if (
        isinstance(value, Const)
        and isinstance(value.value, int | float)
        and not isinstance(value.value, bool)
    ):
        return float(value.value)
    return None


def first_number(values: Iterable[Value]) -> float | None:
    """Return the first number among some values."""
    return next((number for value in values if (number := number_of(value)) is not None), None)


def is_gap(value: Value) -> bool:
    """Return whether a value is a gap: None, NaN."""
    if isinstance(value, Const):
        return value.value is None or value.value != value.value  # NaN
    return isinstance(value, Opaque) and value.key.rpartition(".")[2] in {"nan", "NaN", "NA"}


def is_number_type(value: Value) -> bool:
    """Return whether a value is a type of numbers: `int`, `"float64"`, `np.int8`."""
    name = ""
    if isinstance(value, Const) and isinstance(value.value, str):
        name = value.value
    elif isinstance(value, Opaque):
        name = value.key.rpartition(".")[2]
    return name.lower().startswith(("int", "uint", "float", "i8", "i32", "double", "long"))


def asks_for_groups(test: Value, reader: Reader) -> tuple[Read, tuple[str, ...]] | None:
    """Return the attribute that a test compares with groups, and the groups as written."""
    match test:
        case Operation(op="==" | "in", arguments=(left, right)):
            return _labels_in_comparison(left, right, test.node, reader) or _labels_in_comparison(
                right, left, test.node, reader
            )
        case Operation(op="or" | "|", arguments=arguments):
            parts = [asks_for_groups(part, reader) for part in arguments]
        case _:
            return None
    found = [part for part in parts if part is not None]
    if len(found) < len(parts) or len({read.mention.attribute for read, _ in found}) > 1:
        return None
    return found[0][0], tuple(label for _, labels in found for label in labels)


def _labels_in_comparison(
    left: Value, right: Value, node: Node, reader: Reader
) -> tuple[Read, tuple[str, ...]] | None:
    reads = reader.reads_of(left) or _told_by_function(left, node, reader)
    if not reads:
        return None
    listed = _in_words(right.items) if isinstance(right, Sequence) else (right,)
    labels = [reader.label(reads[0].mention.attribute, one) for one in listed]
    known = tuple(label for label in labels if label is not None)
    return (reads[0], known) if known and len(known) == len(labels) else None


def _in_words(items: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the items of a list without the numbers that say the same in another code: `[1, "f",
    "female"]`.
    """
    words = tuple(one for one in items if not (isinstance(one, Const) and isinstance(one.value, int | float)))
    return words or items


def _told_by_function(value: Value, node: Node, reader: Reader) -> list[Read]:
    """Return what the only parameter of `encode_race(const char *s)` holds."""
    owner = reader.syntax.scope_around(node)
    if not (type(value) is Opaque and isinstance(owner, tree.Function) and len(owner.parameters) == 1):
        return []
    return reader.named(owner.name, node) if owner.parameters[0].name == value.key else []


def nearest(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield the first few of some nodes."""
    for _, node in zip(range(FARTHEST), nodes, strict=False):
        yield node
