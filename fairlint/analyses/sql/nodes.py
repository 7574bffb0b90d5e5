"""The base of all nodes of sqlglot's trees, which is named differently in its versions. Loads sqlglot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    Sql = exp.Expr
else:
    Sql = getattr(exp, "Expr", exp.Expression)


def argument(node: Sql, name: str) -> Sql | None:
    """Return an argument of a node that some versions spell with a `_` behind it."""
    found = node.args.get(f"{name}_") or node.args.get(name)
    return found if isinstance(found, Sql) else None
