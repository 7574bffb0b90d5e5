"""gradio: what no entry of `gradio.toml` can say."""

from __future__ import annotations

from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.values.symbolic import Closure, Sequence, Value

MOST_INPUTS = 60


def served(call: Invocation) -> Value | None:
    """`gr.Interface(fn=predict, inputs=[...])`: the function gets what the components hold."""
    function, inputs = call.given("argument", 0, "fn"), call.given("arguments", 1, "inputs")
    if not isinstance(function, Closure) or inputs is None or not has_tables(call.frame):
        return None
    given = inputs.items if isinstance(inputs, Sequence) else (inputs,)
    if len(given) <= MOST_INPUTS and any(map(call.frame.program.dependence.on_any, given)):
        call.frame.inline(function, call.node, tuple(given))
    return None
