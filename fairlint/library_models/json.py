"""json: what no entry of `json.toml` can say."""

from __future__ import annotations

from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.texts import json_texts
from fairlint.semantics.values.symbolic import Const, Value


def loads(call: Invocation) -> Value | None:
    """`json.loads('[{"field": "age", ...}]')`: what is written out in the text."""
    text = call.arguments[0] if len(call.arguments) == 1 else None
    if not isinstance(text, Const) or not isinstance(text.value, str):
        return None
    return json_texts.value_of(text.value, text.node or call.node, call.frame.program.facts)
