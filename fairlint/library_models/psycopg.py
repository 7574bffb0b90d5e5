"""PostgreSQL's driver: what no entry of `psycopg.toml` can say."""

from __future__ import annotations

from fairlint.semantics import texts
from fairlint.semantics.invocation import Invocation
from fairlint.semantics.values import Const, Value


def literal(call: Invocation) -> Value | None:
    """`sql.Literal("M")`: a value as SQL writes it."""
    value = call.given("argument", 0)
    if not isinstance(value, Const) or value.value is None:
        return None
    return texts.quote_text(value, "'", call.node) if isinstance(value.value, str) else value
