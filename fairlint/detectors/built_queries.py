"""Queries that a builder makes, as SQLAlchemy and Django do: what says that they choose people."""

from __future__ import annotations

from fairlint.analyses.sql.words import words
from fairlint.detectors.context import Context
from fairlint.detectors.query_purpose import ENOUGH, reports, vague_words
from fairlint.semantics.names.effects import any_word
from fairlint.semantics.values.events import Event
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


def chooses(event: Event, context: Context) -> str:
    """Return why a selection by a query builder chooses among people, or nothing."""
    if not isinstance(event.node, tree.Call) or not context.may(event.node, "filters"):
        return ""
    names = [name for name in (event.function, event.target) if name and name != "return"]
    if reports(names):
        return ""
    known = words()
    said = next((name for name in names if any_word(name, known["purpose"])), "")
    weight = ENOUGH if said else min(len(vague_words(names)), 2)
    said = said or next((name for name in names if vague_words([name])), "")
    judged = next((name for name in models_of(event.node) if any_word(name, known["judged"])), "")
    if judged:
        weight += 1
    if weight and (judged or weight > 1):
        weight += _weight_of_limit(event, context)
    if weight < ENOUGH:
        return ""
    return f"`{said.rpartition('.')[2]}` chooses people" if said else f"rows of `{judged}` are chosen"


def models_of(node: Node) -> list[str]:
    """Return what the chain of calls starts from: `Tenant` in `select(Tenant).where(...)`."""
    assert isinstance(node, tree.Call)
    return [part.id for part in tree.walk(node.function) if isinstance(part, tree.Name)]


def _weight_of_limit(event: Event, context: Context) -> int:
    """Return what a limit beside the selection says: some are taken, or the best."""
    function = context.functions.get(event.function)
    body = context.body if function is None else function.body
    limited = best = False
    for part in (part for statement in body for part in tree.walk(statement)):
        match part:
            case tree.Call(arguments=keys):
                limited = limited or context.may(part, "takes first")
                said = (any_word(context.source.text(key.span), words()["merit"]) for key in keys)
                best = best or (any(said) and context.may(part, "orders"))
            case tree.Index(index=tree.Slice(lower=None)):
                limited = True
            case _:
                pass
    return limited + (limited and best)
