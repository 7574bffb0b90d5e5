"""Django: what no entry of `django.toml` can say."""

from __future__ import annotations

from fairlint.library_models.sqlalchemy import chain, literal
from fairlint.semantics.interpreter import operations, selections
from fairlint.semantics.interpreter.arguments import keyword
from fairlint.semantics.interpreter.selections import narrow_selection
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.values.symbolic import (
    Const,
    Filtered,
    Opaque,
    Sequence,
    Value,
)

__all__ = ["annotated", "case_of_whens", "literal", "narrow_selection", "q", "when"]


def q(call: Invocation) -> Value | None:
    """Django's `Q(gender="M")`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    if arguments or not node.keywords:
        return None
    test = selections.keyword_test(node, "", frame)
    return test if selections.selects(test, frame) else None


def case_of_whens(call: Invocation) -> Value | None:
    """Django's `Case(When(gender="M", then=Value(5)), default=Value(0))`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    default_node = keyword(node, "default")
    default = Const(None) if default_node is None else frame.evaluate(default_node)
    return chain(arguments, default, node, frame)


def when(call: Invocation) -> Value | None:
    """Django's `When(gender="M", then=5)`: a test with what it gives."""
    node, arguments, frame = call.node, call.arguments, call.frame
    then = keyword(node, "then")
    if then is None:
        return None
    tests = [*arguments, selections.keyword_test(node, "", frame, leaving="then")]
    tests = [test for test in tests if selections.selects(test, frame)]
    test = operations.combine("and", tests, node) if tests else Opaque(frame.text(node))
    return Sequence((test, frame.evaluate(then)), node)


def annotated(call: Invocation) -> Value | None:
    """`.annotate(points=Case(...))`: each keyword is a column that every row gets."""
    for name, value in call.node.keywords:
        found = None if name is None else call.frame.evaluate(value)
        if name is not None and found is not None and call.frame.program.dependence.on_any(found):
            call.frame.emit("assign", call.node, found, name)
    return call.base if isinstance(call.base, Filtered) else None
