"""json: what no entry of `json.toml` can say."""

from __future__ import annotations

from fairlint.semantics.library import Invocation
from fairlint.semantics.values import (
    Const,
    Sequence,
    Table,
    Value,
)
from fairlint.syntax.tree import Node

LONGEST_JSON = 4000
"""Longer texts are data, and no rules."""


def loads(call: Invocation) -> Value | None:
    """`json.loads('[{"field": "age", ...}]')`: what is written out in the text."""
    node, arguments = call.node, call.arguments
    text = arguments[0] if len(arguments) == 1 else None
    if not isinstance(text, Const) or not isinstance(text.value, str) or len(text.value) > LONGEST_JSON:
        return None
    import json  # noqa: PLC0415 (only where such a text is met)

    try:
        return _written_out(json.loads(text.value), text.node or node)
    except (ValueError, RecursionError):
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
