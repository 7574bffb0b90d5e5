"""Calls that read a protected attribute, whatever they do otherwise."""

from __future__ import annotations

from fairlint.lexicon.words import split_words
from fairlint.semantics.frame import Frame
from fairlint.semantics.getters import GETTER_PREFIXES
from fairlint.semantics.interpreter import expressions
from fairlint.semantics.values import Opaque, Protected, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

KEY_READERS = frozenset(
    "get json field column col lookup param attr attribute value item property getvalue getfield getitem "
    "getattr getparam getproperty getcolumn getstring getint".split()
)
"""Words of a function that reads what a text argument names, as in `json_get(object, "gender")`."""

OTHER_READERS = frozenset(
    "env text logger template translation label message msg icon image url page size count width height "
    "set put add remove delete has stats font widget".split()
)
"""Words of functions that read something else by a text, or do more than read."""

COLUMN_MODULES = frozenset({"F", "pl", "functions", "sf", "nw", "ibis", "fn", "daft"})
"""Modules of data frames: `F.col("age")` is a column of whatever table it is used on."""

MOST_KEYED = 4
"""Readers by a key take few arguments."""


def by_name(name: str, node: Node, frame: Frame) -> Value:
    """What an unknown function gives: `get_gender(x)`, `calculate_age(x)`, `column(x, "sex")` are reads."""
    for prefix in GETTER_PREFIXES:
        rest = name.removeprefix(prefix)
        if rest != name and rest:
            found = expressions.mentioned(rest, node, frame)
            if isinstance(found, Protected) and found.mention.strength != "proxy":
                return found
    return _by_key(name, node, frame) or Opaque(frame.text(node))


def _by_key(name: str, node: Node, frame: Frame) -> Value | None:
    if not isinstance(node, tree.Call) or not 0 < len(node.arguments) <= MOST_KEYED:
        return None
    keys = [
        argument
        for argument in node.arguments
        if isinstance(argument, tree.Literal) and isinstance(argument.value, str)
    ]
    if len(keys) != 1:
        return None
    words = split_words(name)
    if KEY_READERS.isdisjoint(words) or not OTHER_READERS.isdisjoint(words):
        return None
    if isinstance(node.function, tree.Field):
        receiver = frame.text(node.function.value)
        receiver = "df" if receiver in COLUMN_MODULES else receiver
    else:
        receiver = "" if node.arguments[0] is keys[0] else frame.text(node.arguments[0])
    found = expressions.mentioned(str(keys[0].value), keys[0], frame, receiver)
    return found if isinstance(found, Protected) and found.mention.strength != "proxy" else None
