"""What query builders spell as calls: CASE expressions, joined conditions, statements that change rows."""

from __future__ import annotations

from fairlint.semantics import operations, selections
from fairlint.semantics.arguments import keyword
from fairlint.semantics.frame import Frame
from fairlint.semantics.values import Choice, Const, Filtered, Lookup, Opaque, Sequence, Table, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

LITERALS = frozenset("Value literal literal_column bindparam lit".split())
"""Functions that put a plain value into a query."""

CASES = frozenset({"case", "Case", "When"})
"""What builds a CASE expression, or a branch of one."""
MODULES = frozenset({"sqlalchemy", "sqlalchemy.sql", "django.db.models", "models", "db"})
"""The modules that have these functions, and what an object with the same functions is usually called."""

DIRECTIONS = frozenset("asc desc nullsfirst nullslast nulls_first nulls_last collate".split())
"""What says which end of a column comes first."""


def case(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """SQLAlchemy's `case((test, 5), else_=0)`, `case([(test, 5)])`, and `case({"m": 5}, value=x)`."""
    default_node = keyword(node, "else_")
    default = Const(None) if default_node is None else frame.evaluate(default_node)
    subject_node = keyword(node, "value")
    if arguments and isinstance(arguments[0], Table) and subject_node is not None:
        subject = frame.evaluate(subject_node)
        return Lookup(subject, arguments[0], default, node)
    branches = arguments
    if len(arguments) == 1 and isinstance(arguments[0], Sequence) and arguments[0].items:
        first = arguments[0].items[0]
        branches = arguments[0].items if isinstance(first, Sequence) else arguments
    return _chain(branches, default, node, frame)


def case_of_whens(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """Django's `Case(When(gender="M", then=Value(5)), default=Value(0))`."""
    default_node = keyword(node, "default")
    default = Const(None) if default_node is None else frame.evaluate(default_node)
    return _chain(arguments, default, node, frame)


def _chain(branches: tuple[Value, ...], default: Value, node: Node, frame: Frame) -> Value | None:
    pairs = [branch.items for branch in branches if isinstance(branch, Sequence) and len(branch.items) == 2]
    if len(pairs) != len(branches) or not any(frame.program.dependence.on_any(test) for test, _ in pairs):
        return None
    value = default
    for test, amount in reversed(pairs):
        value = Choice(test, amount, value, node)
    return value


def when(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """Django's `When(gender="M", then=5)`: a test with what it gives."""
    then = keyword(node, "then")
    if then is None:
        return None
    tests = [*arguments, selections.keyword_test(node, "", frame, leaving="then")]
    tests = [test for test in tests if selections.selects(test, frame)]
    test = operations.combine("and", tests, node) if tests else Opaque(frame.text(node))
    return Sequence((test, frame.evaluate(then)), node)


def annotated(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`.annotate(points=Case(...))`: each keyword is a column that every row gets."""
    del arguments
    for name, value in node.keywords:
        if name is None:
            continue
        found = frame.evaluate(value)
        if frame.program.dependence.on_any(found):
            frame.emit("assign", node, found, name)
    return base if isinstance(base, Filtered) else None


def labelled(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`(exam + bonus).label("score")`: a column of what a query gives."""
    name = arguments[0].value if arguments and isinstance(arguments[0], Const) else None
    if not isinstance(name, str) or not frame.program.dependence.on_any(base):
        return None
    frame.emit("assign", node, base, name)
    return base


def ordering(node: Node) -> Node:
    """The column in `Applicant.age.desc()`, `desc(Applicant.age)`, `F("age").asc()` and `-Applicant.age`."""
    while True:
        match node:
            case tree.Call(function=tree.Field(value=inner, name=name)) if name in DIRECTIONS and not (
                node.arguments and name in {"asc", "desc"}
            ):
                node = inner
            case tree.Call(function=tree.Name(id=name) | tree.Field(name=name), arguments=(inner, *_)) if (
                name in {*DIRECTIONS, "F", "col", "column"}
            ):
                node = inner
            case tree.Unary(op="-", operand=inner):
                node = inner
            case _:
                return node
