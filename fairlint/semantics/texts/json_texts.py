"""JSON in texts, as values."""

from __future__ import annotations

from fairlint.semantics.values.facts import Facts
from fairlint.semantics.values.symbolic import Const, Sequence, Table, Value
from fairlint.support.documents import TooDeepError, read_json
from fairlint.syntax.depth import TOO_DEEP, nesting
from fairlint.syntax.tree import Node

LONGEST_JSON = 20_000
"""Characters of a text that is read as JSON; of a longer one, the report says that it was not."""


def value_of(text: str, node: Node, facts: Facts) -> Value | None:
    """Return what is written out in a text at `node`, the same values each time; None if it is no JSON."""
    key = id(node), text  # a text in what is written out there stands at the same place
    known = facts.in_texts.get(key)
    if known is None:
        if len(text) > LONGEST_JSON:
            facts.cut(
                node, f"JSON of {len(text):,} characters: texts of more than {LONGEST_JSON:,} are not read"
            )
        facts.in_texts[key] = known = node, _parse_json(text, node, facts)
    return known[1]


def _parse_json(text: str, node: Node, facts: Facts) -> Value | None:
    if len(text) > LONGEST_JSON:
        return None
    try:
        return _written_out(read_json(text, deepest=nesting()), node)
    except TooDeepError:
        facts.cut(node, f"JSON {TOO_DEEP}")
    except ValueError:
        pass
    return None


def _written_out(held: object, node: Node) -> Value:
    match held:
        case dict():
            entries = ((Const(str(key), "", node), _written_out(value, node)) for key, value in held.items())
            return Table(tuple(entries), node)
        case list():
            return Sequence(tuple(_written_out(item, node) for item in held), node)
        case str() | int() | float() | bool() | None:
            return Const(held, "", node)
        case _:
            return Const(None)
