"""PostgreSQL's driver: what no entry of `psycopg.toml` can say."""

from __future__ import annotations

from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.texts import text_forms
from fairlint.semantics.values.symbolic import Const, Value


def literal(call: Invocation) -> Value | None:
    """`sql.Literal("M")`: a value as SQL writes it."""
    value = call.given("argument", 0)
    if not isinstance(value, Const) or value.value is None:
        return None
    return text_forms.quote_text(value, "'", call.node) if isinstance(value.value, str) else value
