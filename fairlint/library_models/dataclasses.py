"""dataclasses: what no entry of `dataclasses.toml` can say."""

from __future__ import annotations

from fairlint.semantics.interpreter.arguments import keyword
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.values.symbolic import (
    Closure,
    Value,
)
from fairlint.syntax import tree


def field(call: Invocation) -> Value | None:
    """`field(default_factory=lambda: [...])` of a dataclass: what the field starts with."""
    node, frame = call.node, call.frame
    factory, default = keyword(node, "default_factory"), keyword(node, "default")
    if factory is not None:
        made = frame.evaluate(factory)
        return (
            frame.inline(made, tree.Call(node.span, factory, ()), ()) if isinstance(made, Closure) else None
        )
    return None if default is None else frame.evaluate(default)
