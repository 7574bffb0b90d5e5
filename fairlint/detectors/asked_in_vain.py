"""Helpers whose answer changes nothing: wherever the file asks them, both sides do the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fairlint.detectors.context import Context
from fairlint.support.expressions import lazy_expression
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

_PRIVATE = lazy_expression(rb"\s*(?:\w+\s+)*?static\b")


def is_asked_in_vain(function: str, context: Context) -> bool:
    """Return whether a function that no other file can call is only asked by tests whose sides do
    the same.
    """
    node = context.function_named(function)
    if node is None or not (node.is_macro or _PRIVATE.match(context.source.data, node.span.start)):
        return False
    calls = [
        call
        for call in context.execution.syntax.places(tree.Call)
        if isinstance(call.function, tree.Name) and call.function.id == node.name
    ]
    word = re.compile(rb"\b%s\b" % re.escape(node.name.encode()))
    times = sum(1 for _ in word.finditer(context.source.data))
    return bool(calls) and times == len(calls) + 1 and all(_changes_nothing(call, context) for call in calls)


def _changes_nothing(call: tree.Call, context: Context) -> bool:
    """Return whether a call stands in a test both sides of which are written alike."""
    asked: Node = call
    for outer in context.execution.syntax.around(call):
        match outer:
            case tree.Unary(op="not") | tree.BoolOp() | tree.Compare():
                asked = outer
            case tree.If(test=test, then=then, otherwise=otherwise):
                return test is asked and _statement_words(then, context) == _statement_words(
                    otherwise, context
                )
            case tree.Conditional(test=test, then=yes, otherwise=no):
                return test is asked and _statement_words((yes,), context) == _statement_words((no,), context)
            case _:
                return False
    return False


def _statement_words(body: Sequence[Node], context: Context) -> list[list[str]]:
    """Statements by their words."""
    return [context.source.text(statement.span).split() for statement in body]
