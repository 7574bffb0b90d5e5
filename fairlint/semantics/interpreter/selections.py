"""Selections and orders: who is kept, by what test, and who comes first, by what key."""

from __future__ import annotations

from fairlint.semantics.interpreter import container_elements, operations, reads
from fairlint.semantics.interpreter.arguments import keyword
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.names.qualified_names import qualified_name
from fairlint.semantics.tables import columns
from fairlint.semantics.tables.libraries import has_tables, may_be
from fairlint.semantics.values.events import Guard
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    OLD,
    UNKNOWN,
    Closure,
    Columns,
    Const,
    Filtered,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Value,
)
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record, field_names, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

_OF_CODE = lazy_expression(r"@([A-Za-z_])")
_FROM_CODE = "from_the_code_"
"""Begins the names in a query that are no columns: `@g`."""
CHANGES = frozenset({"update", "delete"})
"""What a statement may do to rows."""
ONE_TEST = frozenset({"==", "<", ">=", "in", "and", "or", "not"})


def selects(value: Value, frame: Frame) -> bool:
    """Return whether `value` is a test over people that asks for a protected attribute."""
    test = isinstance(value, Operation) and value.op in ONE_TEST
    flag = isinstance(value, Protected) and value.mention.group is not None
    return (test or flag) and frame.program.dependence.on_any(value)


# ------------------------------------------------------------------------------------------------ selections


def picked_selection(node: tree.Call, arguments: tuple[Value, ...], *, one: bool) -> Value | None:
    """Return the selection that a function hands on: `next(...)`, `random.choice(...)`, `islice(..., 5)`.

    That which hands on the lowest or highest `one` may be of figures of people.
    """
    found = next((value for value in arguments if isinstance(value, Filtered)), None)
    return None if one and (len(arguments) != 1 or _has_figure_elements(node.arguments[0])) else found


def _has_figure_elements(node: Node) -> bool:
    """Return whether a comprehension gives figures of people, and not the people."""
    return isinstance(node, tree.Comprehension) and not isinstance(node.element, tree.Name | tree.Collection)


def query(call: Invocation) -> Value | None:
    """`df.query("gender == 'female'")`: the text is an expression over columns."""
    text = call.node.arguments[0] if call.node.arguments else None
    if not (isinstance(text, tree.Literal) and isinstance(text.value, str)):
        return None
    from fairlint.syntax.python.parser import parse  # noqa: PLC0415 (only where a query is met)

    parsed = parse(_OF_CODE.sub(rf"{_FROM_CODE}\1", text.value).encode())
    if len(parsed.body) != 1 or parsed.gaps or not isinstance(parsed.body[0], tree.Expression):
        return Opaque(call.frame.text(call.node))
    written = relocate_spans(parsed.body[0].value, call.node.span)
    if "@" in text.value and isinstance(call.node.function, tree.Field):
        written = _told_apart(written, call.node.function.value, call.frame)
    test = call.frame.evaluate(written)
    return Filtered(call.base or UNKNOWN, test, call.node)


def _told_apart(node: Node, table: Node, frame: Frame) -> Node:
    """Return an expression over columns, in which names of the code stand beside them: `gender ==
    @gender`.
    """

    def place(value: object) -> object:
        if isinstance(value, Node):
            return _told_apart(value, table, frame)
        is_list = isinstance(value, tuple) and not isinstance(value, tree.Span)
        return tuple(map(place, value)) if is_list and isinstance(value, tuple) else value

    if isinstance(node, tree.Name):
        if node.id.startswith(_FROM_CODE):
            name = node.id.removeprefix(_FROM_CODE)
            held = frame.variables.get(name)
            if isinstance(held, Protected) and held.sample is not None:
                return tree.Literal(node.span, held.sample.value)  # `gender = "male"` is no column here
            return replace(node, id=name)
        return tree.Index(node.span, table, tree.Literal(node.span, node.id))
    return replace(node, **{name: place(getattr(node, name)) for name in field_names(node)})


def relocate_spans(node: Node, span: tree.Span) -> Node:
    """`node` with every span replaced, for code that stands inside a text."""

    def place(value: object) -> object:
        if isinstance(value, Node):
            return relocate_spans(value, span)
        if isinstance(value, tuple):
            return tuple(place(item) for item in value)
        return value

    changed = {name: place(getattr(node, name)) for name in field_names(node)}
    changed["span"] = span
    if "name_span" in changed:
        changed["name_span"] = span
    return replace(node, **changed)


def narrow_selection(call: Invocation, *, by_keyword: bool = True) -> Value | None:
    """`X.objects.filter(gender="M")`, `.exclude(age__gt=40)`, `.filter(X.sex == "F")`, and with a lambda."""
    node, base, frame, function = call.node, call.base or UNKNOWN, call.frame, call.node.function
    assert isinstance(function, tree.Field)
    about = frame.text(function.value)
    tests: list[Value] = []
    for argument in call.arguments:
        if isinstance(argument, Closure):
            tests.append(frame.inline(argument, node, (Opaque(f"{about}[]"),), about))
        else:
            tests.append(argument)
    if by_keyword:
        tests.append(keyword_test(node, model(function.value, frame), frame))
    tests = [test for test in tests if selects(test, frame)]
    if not tests:
        return base if isinstance(base, Filtered) else None
    test = operations.combine("and", tests, node)
    leaves_out = call.entry.given.get("form") == "not"
    found = Filtered(base, operations.negate(test, node) if leaves_out else test, node)
    made = statement(node, frame)
    deed, table = made.deed, made.rows
    if deed == "delete" and table is not None:
        frame.emit("filter", node, operations.negate(test, node), frame.text(table))
        return Const(None)
    if isinstance(function.value, tree.Call) and function.value.keywords and _is_update(function.value):
        return changed_at_once(function.value, found, frame)  # peewee: what changes stands before who does
    return found


def _is_update(node: tree.Call) -> bool:
    return isinstance(node.function, tree.Field) and node.function.name == "update" and not node.arguments


def keyword_test(node: tree.Call, receiver: str, frame: Frame, leaving: str = "") -> Value:
    """Return the test that keywords spell, as Django and SQLAlchemy read them: `gender="M", age__gt=40`.

    The keyword `leaving` is no part of it.
    """
    tests = [
        _lookup_test(name, frame.evaluate(value), node, receiver, frame)
        for name, value in node.keywords
        if name is not None and name != leaving
    ]
    return operations.combine("and", [test for test in tests if test is not None], node)


_SUFFIXES = {
    "exact": "==",
    "iexact": "==",
    "startswith": "==",
    "istartswith": "==",
    "contains": "==",
    "icontains": "==",
    "ne": "!=",
    "in": "in",
    "gt": ">",
    "gte": ">=",
    "lt": "<",
    "lte": "<=",
    "range": "range",
    "isnull": "isnull",
}


def _lookup_test(name: str, value: Value, node: Node, receiver: str, frame: Frame) -> Value | None:
    parts = name.split("__")
    op = _SUFFIXES.get(parts[-1], "") if len(parts) > 1 else "=="
    if op and len(parts) > 1:
        parts.pop()
    op = op or "=="
    for place in reversed(range(len(parts))):
        owner = ".".join((receiver, *parts[:place])) if receiver else ".".join(parts[:place])
        subject = reads.read_by_identifier(parts[place], node, frame, owner)
        if not isinstance(subject, Protected):
            continue
        if op == "isnull":
            if not isinstance(value, Const):
                return None
            return operations.compare("==" if value.value else "!=", subject, Const(None), node)
        if op != "range":
            return operations.compare(op, subject, value, node)
        if isinstance(value, Sequence) and len(value.items) == 2:
            low = operations.compare(">=", subject, value.items[0], node)
            return operations.combine(
                "and", (low, operations.compare("<=", subject, value.items[1], node)), node
            )
        return None
    return None


def model(node: Node, frame: Frame) -> str:
    """Return the model or table that a query starts from: `Applicant` in
    `Applicant.objects.order_by("x")`.
    """
    while True:
        match node:
            case tree.Call(function=tree.Field(name="query"), arguments=(first, *_)):
                node = first
            case tree.Call(function=tree.Field(value=inner)) | tree.Index(value=inner):
                node = inner
            case tree.Field(value=inner, name="objects" | "query" | "_default_manager"):
                node = inner
            case tree.Call(arguments=(first,)):
                node = first
            case _:
                return frame.text(node)


class RowStatement(Record):
    """What is done to rows, and to which; an empty name for nothing."""

    deed: str = ""
    rows: Node | None = None


def statement(node: Node, frame: Frame) -> RowStatement:
    """Return what a chain of calls does to rows, and to which: `update` in `update(Applicant).where(...)`."""
    while isinstance(node, tree.Call | tree.Field):
        if isinstance(node, tree.Field):
            node = node.value
            continue
        if node.arguments and (deed := _statement_form(node, frame)):
            return RowStatement(deed, node.arguments[0])
        match node.function:
            case tree.Field(value=table, name="update" | "delete" as name) if (
                not node.arguments and not node.keywords
            ):
                return RowStatement(name, table)
            case _:
                node = node.function
    return RowStatement()


def _statement_form(node: tree.Call, frame: Frame) -> str:
    """Return the statement that a function begins: `update(Applicant)`."""
    known = may_be(node, qualified_name(node.function, frame), frame.program)
    forms = (found.entry.given.get("form", "") for found in known if not found.entry.is_method)
    return next((str(form) for form in forms if form in CHANGES), "")


def drop_selection(call: Invocation) -> Value | None:
    """`applicants.drop(applicants[mask].index)`: those where the test holds are left out."""
    node, arguments, frame = call.node, call.arguments, call.frame
    index = keyword(node, "index")
    chosen = frame.evaluate(index) if index is not None else arguments[0] if arguments else None
    if not isinstance(chosen, Filtered):
        return None
    found = Filtered(call.base or UNKNOWN, operations.negate(chosen.test, node), node)
    in_place = keyword(node, "inplace")
    if not (isinstance(in_place, tree.Literal) and in_place.value is True):
        return found
    assert isinstance(node.function, tree.Field)
    path = path_of(node.function.value)
    frame.emit("filter", node, found.test, path or frame.text(node.function.value))
    if path is not None:
        frame.variables[path] = found
    return Const(None)


def changed_at_once(node: tree.Call, base: Filtered, frame: Frame) -> Value | None:
    """`.update(status="rejected")`, `.update({"fee": 20})` and `.delete()` of a selection: something happens
    to all who are in it.
    """
    assert isinstance(node.function, tree.Field)
    name = node.function.name
    rows = model(node.function.value, frame)
    if name == "delete":
        frame.emit("filter", node, operations.negate(base.test, node), rows)
        return Const(None)
    if name == "values" and statement(node, frame).deed == "update":
        name = "update"
    given = _column_updates(node) if name == "update" else []
    if not given:
        return None
    outer = frame.guards
    values = [(key, frame.evaluate(value)) for key, value in given]
    frame.guards = outer.under(Guard(base.test, True, base.node, base.node))
    for key, value in values:
        frame.emit("assign", node, value, f"{rows}.{key}")
    frame.guards = outer
    return Const(None)


def _column_updates(node: tree.Call) -> list[tuple[str, Node]]:
    """Return the columns that a call sets, and to what: by keywords, or by a dict of names or columns."""
    found = [(key, value) for key, value in node.keywords if key is not None]
    for table in node.arguments[:1]:
        for item in table.items if isinstance(table, tree.Collection) and table.kind == "dict" else ():
            match item.key:
                case tree.Literal(value=str(name)) | tree.Field(name=name):
                    found.append((name, item.value))
    return found


def update_membership(
    node: tree.Call, deeds: frozenset[str], receiver: str, arguments: tuple[Value, ...], frame: Frame
) -> Value | None:
    """People join or leave a collection: one, or all of a selection."""
    assert isinstance(node.function, tree.Field)
    joins, name = not deeds.isdisjoint({"gathers", "gathers all"}), node.function.name
    if not arguments or not (joins or "removes" in deeds):
        return None
    value = arguments[-1]
    if isinstance(value, Filtered) and joins:
        frame.emit("filter", value.node, value.test, receiver)
        return Const(None)
    if name == "update":
        return None
    frame.emit("append", node, value, receiver if joins else f"{receiver}.{name}")
    if "gathers" in deeds:
        container_elements.add_to_sum(node.function.value, value, node, frame)
        container_elements.fill(node.function.value, value, node, frame)
        container_elements.fill_by_group(node.function.value, frame)
    return Const(None)


# ------------------------------------------------------------------------------------------------ columns


def new_columns(call: Invocation) -> Value:
    """`df.assign(score=lambda d: ...)`: each keyword is a column that is set, or changed."""
    node, base, frame = call.node, call.base or UNKNOWN, call.frame
    assert isinstance(node.function, tree.Field)
    receiver = frame.text(node.function.value)
    for name, value in node.keywords:
        if name is None:
            continue
        column = f"{receiver}[{name!r}]"
        hidden = [column, f"{receiver}.{name}"]
        before = {path: frame.variables.get(path) for path in hidden}
        frame.variables.update(dict.fromkeys(hidden, OLD))
        found = frame.evaluate(value)
        if isinstance(found, Closure):
            own = _with_old(found, name)
            found = frame.inline(own, tree.Call(node.span, node, ()), (base,), receiver)
        for path, old in before.items():
            if old is None:
                del frame.variables[path]
            else:
                frame.variables[path] = old
        on_old = frame.program.dependence.on_old(found)
        frame.emit("update" if on_old else "assign", node, found, column)
        if type(base) is Opaque and has_tables(frame) and frame.program.dependence.on_any(found):
            base = columns.as_table(base, node) or base
        if isinstance(base, Columns):
            base = columns.having(base, name, None if on_old else found, value)
    return base


def _with_old(function: Closure, column: str) -> Closure:
    """Return a function of a data frame, to which `column` is what it was before."""
    known: dict[str, Value] = dict(function.closure)
    for parameter in function.function.parameters[:1]:
        known[f"{parameter.name}[{column!r}]"] = known[f"{parameter.name}.{column}"] = OLD
    return replace(function, closure=known)
