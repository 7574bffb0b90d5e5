"""Which attributes a column speaks of: by its name, by the name it had, or by what it was made of."""

from __future__ import annotations

from fairlint.detectors.context import Context
from fairlint.semantics.values.symbolic import (
    Choice,
    Column,
    Lookup,
    Operation,
    Protected,
    Table,
    Value,
    Within,
)
from fairlint.semantics.values.traversal import parts, walk
from fairlint.vocabulary.model import Mention


def mention_of(name: str, context: Context) -> Mention | None:
    """Return the first attribute that a column's name says."""
    found = mentions_by_name(name, context)
    return found[0] if found else None


def mentions_by_name(name: str, context: Context) -> tuple[Mention, ...]:
    """Return the attributes that a column's name says, under its old name where it was given another."""
    before = context.execution.renamed.get(name)
    if before is not None and not before[0]:
        return ()  # made of something else, whatever it is called
    for known in (name, before[0] if before is not None else ""):
        if mentions := context.vocabulary.mentions(known) if known else ():
            return mentions
    return ()


def mentions_of(column: Column, context: Context) -> tuple[Mention, ...]:
    """Return the attribute that a column's name says, or that it was made of: `is_single = status ==
    "single"`.
    """
    found = mentions_by_name(column.name, context)
    if not found and isinstance(column.value, Operation | Choice | Lookup | Protected):
        reads = (part.mention for part in walk(column.value, into=_made_of) if isinstance(part, Protected))
        found = tuple(mention for mention in reads if is_protected_attribute(mention, context))
    unique = {mention.attribute: mention for mention in found}
    return tuple(unique.values())


def _made_of(value: Value) -> tuple[Value, ...]:
    """Return what a value is directly made of: of what is asked whether it has a key, or of whose group
    somebody's figure is, nothing.
    """
    if isinstance(value, Within):
        return ()
    if isinstance(value, Operation) and value.op == "in" and isinstance(value.arguments[-1], Table):
        return value.arguments[:1]
    return parts(value)


def is_protected_attribute(mention: Mention, context: Context) -> bool:
    """Return whether it is a protected attribute, and no proxy of one."""
    return context.attribute(mention.attribute).kind == "protected"
