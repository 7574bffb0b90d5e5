"""Names that mean an attribute by what they are compared with: `category == "OBC"` asks for a caste."""

from __future__ import annotations

import re

from fairlint.lexicon.model import Mention
from fairlint.semantics.frame import Frame
from fairlint.semantics.values import Const, Opaque, Protected, Sequence, Value
from fairlint.syntax.tree import Node

_LAST_NAME = re.compile(r"(\w+)\W*$")
MOST_VALUES = 20


def by_values(value: Value, other: Value, node: Node, frame: Frame) -> Value:
    """A read of the attribute whose codes an unknown thing is compared with; else what it was."""
    if type(value) is not Opaque or not isinstance(other, Const | Sequence):
        return value
    items = other.items[:MOST_VALUES] if isinstance(other, Sequence) else (other,)
    texts = [item.value for item in items if isinstance(item, Const) and isinstance(item.value, str)]
    name = _LAST_NAME.search(value.key)
    if name is None or not texts or len(texts) < len(items):
        return value
    attribute = frame.program.vocabulary.told_by(name[1], texts)
    if attribute is None:
        return value
    receiver = value.key[: name.start()].rstrip("[.'\"-> ")
    return Protected(Mention(attribute, name[1], (name[1],), "ambiguous", "value"), node, receiver)
