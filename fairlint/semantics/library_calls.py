"""Library functions that are understood: builtins, numpy, operator, dates."""

from __future__ import annotations

from collections.abc import Callable

from fairlint.semantics import container_elements, functional, operations, orm, reads, selections, text_calls
from fairlint.semantics.arguments import keyword
from fairlint.semantics.frame import Frame
from fairlint.semantics.lift import leaves, spread
from fairlint.semantics.orderings import qsort
from fairlint.semantics.reads import by_name
from fairlint.semantics.tables import row_by_row
from fairlint.semantics.values import (
    Choice,
    Closure,
    Const,
    Filtered,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Table,
    Value,
)
from fairlint.syntax import tree

SAME_VALUE_FUNCTIONS = frozenset(
    "str int float bool tolower toupper list tuple set frozenset array asarray Series "
    "round ceil floor atoi strtol atof strdup cast to_numeric iter reversed".split()
)
"""Functions of one argument that give the same thing in another form."""

SAME_VALUE_LIBRARY = frozenset(
    "array asarray Series float32 float64 int64 tensor abs round fabs ceil floor".split()
)
"""The same, of numpy and its like."""

COUNTS = frozenset(
    "len sum any all max min mean count size shape nunique value_counts describe groupby agg".split()
)
"""Functions that give a figure of many people."""

DATE_PARSERS = frozenset(
    "strptime fromisoformat to_datetime Timestamp parse parse_date parse_datetime isoparse "
    "fromtimestamp".split()
)
"""Functions that give a date in another form."""

Function = Callable[[tree.Call, tuple[Value, ...], Frame], Value | None]


def known(node: tree.Call, name: str, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """The value of a well-known function; None for any other."""
    if (found := selections.picked(node, name, arguments)) is not None:
        return found
    if (found := container_elements.pushed(node, name, arguments, frame)) is not None:
        return found
    if (found := functional.known(node, name, arguments, frame)) is not None:
        return found
    if (function := _FUNCTIONS.get(name)) is not None:
        found = function(node, arguments, frame)
        if found is not None:
            return found
    if (found := text_calls.call(node, name, arguments, frame)) is not None:
        return found
    if (found := date(name, arguments)) is not None:
        return found
    if name in SAME_VALUE_FUNCTIONS and arguments:
        return _converted(name, arguments[0])
    return Opaque(frame.text(node)) if name in COUNTS else None


def date(name: str, arguments: tuple[Value, ...]) -> Value | None:
    """A protected date, parsed; the time since one is an age."""
    if name in DATE_PARSERS and arguments:
        first = arguments[0]
        return first if isinstance(first, Protected) and first.mention.form == "date" else None
    if name == "relativedelta":
        for argument in arguments:
            if isinstance(argument, Protected) and argument.mention.form == "date":
                return operations.as_number(argument)
    return None


def _converted(name: str, value: Value) -> Value:
    """`str(5)`, `int("3")` and their like on something known."""
    if not isinstance(value, Const) or value.value is None:
        return value
    try:
        match name:
            case "int" | "atoi":
                return Const(int(value.value), value.label)
            case "float" | "atof":
                return Const(float(value.value), value.label)
            case "str":
                return Const(str(value.value), value.label)
            case _:
                return value
    except (ValueError, OverflowError):
        return value


# ------------------------------------------------------------------------------------------------ builtins


def _getattr(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    if len(arguments) >= 2 and isinstance(arguments[1], Const) and isinstance(arguments[1].value, str):
        receiver = frame.text(node.arguments[0])
        found = reads.mentioned(arguments[1].value, node, frame, receiver)
        found = reads.named_at(found, arguments[1], node.arguments[1])
        return found or Opaque(f"{receiver}.{arguments[1].value}")
    return _method_by_group(node, arguments, frame)


def _is_other(node: tree.Node, frame: Frame) -> bool:
    """Whether a node is not the object whose method this is."""
    return frame.text(node) not in frame.program.conventions.receivers


def _method_by_group(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`getattr(self, "score_" + person.gender)`: one of the class's methods that begin so."""
    if len(arguments) < 2 or not frame.owner or _is_other(node.arguments[0], frame):
        return None
    match node.arguments[1]:
        case tree.Binary(op="+", left=tree.Literal(value=str() as start), right=group):
            pass
        case tree.Interpolation(parts=(tree.Literal(value=str() as start), group)):
            pass
        case _:
            return None
    subject = frame.evaluate(group)
    entries = tuple(
        (Const(name.removeprefix(start)), Closure(method, owner=owner))
        for (owner, name), method in frame.program.definitions.methods.items()
        if owner == frame.owner and name.startswith(start)
    )
    if not entries or not frame.program.dependence.on_any(subject):
        return None
    default = arguments[2] if len(arguments) > 2 else None
    return Lookup(subject, Table(entries, node.arguments[1]), default, node)


def _enumerate(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    entries = operations.entries_of(arguments[0]) if arguments else None
    if entries is None:
        return container_elements.pairs(arguments[0], node) if arguments else None
    pairs = tuple(Sequence((Const(place), entry), node) for place, entry in enumerate(entries))
    return Sequence(pairs, node)


def _zip(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    if (turned := row_by_row.turned(node, arguments)) is not None:
        return turned
    columns = [operations.entries_of(argument) for argument in arguments]
    if not columns or any(column is None for column in columns):
        return container_elements.zipped(node, arguments)
    rows = zip(*(column for column in columns if column is not None), strict=False)
    return Sequence(tuple(Sequence(tuple(row), node) for row in rows), node)


def _entries(
    node: tree.Call, arguments: tuple[Value, ...], frame: Frame, if_left_out: Value | None
) -> Value | None:
    """What a function of a collection goes through: a Sequence, or several by group.

    An entry that a comprehension's own condition leaves out counts as `if_left_out`.
    """
    if not arguments:
        return None
    written = node.arguments[0]
    if (
        if_left_out is not None
        and isinstance(written, tree.Comprehension)
        and len(written.generators) == 1
        and written.generators[0].conditions
    ):
        found = _conditional_entries(written, frame, if_left_out)
        if found is not None:
            return found
    alternatives = leaves(arguments[0])
    if alternatives and all(isinstance(one, Sequence) and one.items for one in alternatives):
        return arguments[0]
    return None


def _conditional_entries(node: tree.Comprehension, frame: Frame, if_left_out: Value) -> Value | None:
    generator = node.generators[0]
    entries = operations.entries_of(frame.evaluate(generator.iterable))
    if not entries:
        return None
    items: list[Value] = []
    for entry in entries:
        inner = frame.inlined(frame.function, frame.owner, frame.variables)
        inner.calls, inner.types = frame.calls, frame.types
        inner.bind(generator.target, entry)
        tests = [inner.evaluate(condition) for condition in generator.conditions]
        test = operations.combine("and", tests, node)
        element = inner.evaluate(node.element)
        items.append(Choice(test, element, if_left_out, node))
    return Sequence(tuple(items), node)


def _sum(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    start: Value = arguments[1] if len(arguments) > 1 else Const(0)

    def total(value: Value) -> Value | None:
        if not isinstance(value, Sequence):
            return None
        amount = start
        for item in value.items:
            amount = operations.arithmetic("+", amount, item, node)
        return amount

    entries = _entries(node, arguments, frame, Const(0))
    return None if entries is None else spread(entries, total)


def _quantifier(op: str) -> Function:
    def evaluate(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
        def joined(value: Value) -> Value | None:
            return operations.combine(op, value.items, node) if isinstance(value, Sequence) else None

        entries = _entries(node, arguments, frame, Const(op == "and"))
        return None if entries is None else spread(entries, joined)

    return evaluate


def _extreme(op: str) -> Function:
    def evaluate(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
        if len(arguments) >= 2:
            return Operation(op, arguments, node)

        def extreme(value: Value) -> Value | None:
            return Operation(op, value.items, node) if isinstance(value, Sequence) else None

        entries = _entries(node, arguments, frame, None)
        return None if entries is None else spread(entries, extreme)

    return evaluate


def _len(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """How many disabilities or children there are: none for who has none."""
    if len(arguments) != 1 or not isinstance(arguments[0], Protected):
        return None
    mention = arguments[0].mention
    attribute = frame.program.vocabulary.attribute(mention.attribute)
    if mention.form == "number" and mention.group is None:
        return arguments[0]
    if "no" not in attribute.core_groups:
        return None
    return Choice(arguments[0], Opaque(frame.text(node)), Const(0), node)


def _dict(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    given = operations.table_of(arguments[0], node) if arguments else None
    if arguments and given is None:
        return None
    entries = [] if given is None else list(given.entries)
    for name, value in node.keywords:
        if name is not None:
            entries.append((Const(name), frame.evaluate(value)))
    return Table(tuple(entries), node)


def _field(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`field(default_factory=lambda: [...])` of a dataclass: what the field starts with."""
    del arguments
    factory, default = keyword(node, "default_factory"), keyword(node, "default")
    if factory is not None:
        made = frame.evaluate(factory)
        return (
            frame.inline(made, tree.Call(node.span, factory, ()), ()) if isinstance(made, Closure) else None
        )
    return None if default is None else frame.evaluate(default)


def _defaultdict(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    fallback: Value | None = None
    if arguments and isinstance(arguments[0], Closure):
        fallback = frame.inline(arguments[0], node, ())
    elif (
        node.arguments
        and isinstance(node.arguments[0], tree.Name)
        and node.arguments[0].id in {"int", "float"}
    ):
        fallback = Const(0)
    entries = arguments[1].entries if len(arguments) > 1 and isinstance(arguments[1], Table) else ()
    return Table(entries, node, fallback=fallback) if entries else None


def _filter(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    if len(arguments) == 2 and isinstance(arguments[0], Closure):
        element = Opaque(f"{frame.text(node.arguments[1])}[]")
        about = frame.text(node.arguments[1])
        return Filtered(arguments[1], frame.inline(arguments[0], node, (element,), about), node)
    return None


def _map(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    if len(arguments) == 2 and isinstance(arguments[0], Closure):
        return frame.inline(arguments[0], node, (arguments[1],))
    return None


def _range(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`range(18, 30)`, to be asked whether a number is in it."""
    del frame
    if not 1 <= len(arguments) <= 2 or not all(_is_number(argument) for argument in arguments):
        return None
    low = arguments[0] if len(arguments) == 2 else Const(0)
    return Operation("range", (low, arguments[-1]), node)


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, int | float)


def _q(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """Django's `Q(gender="M")`."""
    if arguments or not node.keywords:
        return None
    test = selections.keyword_test(node, "", frame)
    return test if selections.selects(test, frame) else None


# ---------------------------------------------------------------------------------------- numpy, operator


def _comparison(op: str) -> Function:
    def evaluate(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
        del frame
        if len(arguments) < 2:
            return None
        left, right = arguments[:2] if op != "contains" else (arguments[1], arguments[0])
        return operations.compare("in" if op == "contains" else op, left, right, node)

    return evaluate


def _arithmetic(op: str) -> Function:
    def evaluate(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
        del frame
        if len(arguments) != 2:
            return None
        return operations.arithmetic(op, arguments[0], arguments[1], node)

    return evaluate


def _logic(op: str) -> Function:
    def evaluate(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
        del frame
        return operations.combine(op, arguments, node) if len(arguments) >= 2 else None

    return evaluate


def _negation(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    return operations.negate(arguments[0], node) if arguments else None


def _where(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    return Choice(arguments[0], arguments[1], arguments[2], node) if len(arguments) == 3 else None


def _select(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    if len(arguments) < 2:
        return None
    conditions, choices = arguments[0], arguments[1]
    default_node = keyword(node, "default")
    value: Value = Const(0)
    if len(arguments) > 2:
        value = arguments[2]
    elif default_node is not None:
        value = frame.evaluate(default_node)
    if not (isinstance(conditions, Sequence) and isinstance(choices, Sequence)):
        return None
    for test, choice in reversed(list(zip(conditions.items, choices.items, strict=False))):
        value = Choice(test, choice, value, node)
    return value


MONOTONE = frozenset("exp log sqrt log1p expm1 log10 log2 tanh sigmoid expit square".split())
"""Functions of a number that differ where it differs."""


def numeric(node: tree.Call, name: str, arguments: tuple[Value, ...], frame: Frame) -> Value:
    """Functions of numpy and its like."""
    function = _NUMERIC.get(name)
    if function is not None and (found := function(node, arguments, frame)) is not None:
        return found
    if (found := functional.known(node, name, arguments, frame)) is not None:
        return found
    if (found := selections.picked(node, name, arguments) or date(name, arguments)) is not None:
        return found
    if name in SAME_VALUE_LIBRARY and arguments:
        return arguments[0]
    if name in MONOTONE and arguments and frame.program.dependence.on_any(arguments[0]):
        return Operation(name, arguments[:1], node)
    return by_name(name, node, frame)


def operator(node: tree.Call, name: str, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """Functions of the module `operator`."""
    function = _OPERATORS.get(name.strip("_"))
    return None if function is None else function(node, arguments, frame)


def regex(node: tree.Call, name: str, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """Functions of the module `re`; a compiled expression stands for its text."""
    if name == "compile" and arguments and isinstance(arguments[0], Const):
        return arguments[0]
    if name in text_calls.REGEX_FUNCTIONS and len(arguments) >= 2:
        return text_calls.matching(arguments[0], arguments[1], node, frame)
    return None


def _bsearch(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    from fairlint.semantics import scans  # noqa: PLC0415 (C alone has it)

    return scans.found_row(node, arguments, frame)


def _first(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`Value(5)` puts a plain value into a query."""
    del node, frame
    return arguments[0] if len(arguments) == 1 and isinstance(arguments[0], Const) else None


_FUNCTIONS: dict[str, Function] = {
    "getattr": _getattr,
    "enumerate": _enumerate,
    "zip": _zip,
    "sum": _sum,
    "fsum": _sum,
    "all": _quantifier("and"),
    "any": _quantifier("or"),
    "len": _len,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "MIN": _extreme("min"),
    "MAX": _extreme("max"),
    "fmin": _extreme("min"),
    "fmax": _extreme("max"),
    "field": _field,
    "dict": _dict,
    "OrderedDict": _dict,
    "SimpleNamespace": _dict,
    "defaultdict": _defaultdict,
    "filter": _filter,
    "map": _map,
    "range": _range,
    "isclose": _comparison("=="),
    "Q": _q,
    "case": orm.case,
    "Case": orm.case_of_whens,
    "When": orm.when,
    "and_": _logic("and"),
    "or_": _logic("or"),
    "not_": _negation,
    **dict.fromkeys(orm.LITERALS, _first),
    "qsort": qsort,
    "bsearch": _bsearch,
    "repr": text_calls.represented,
}

_OPERATORS: dict[str, Function] = {
    "eq": _comparison("=="),
    "is": _comparison("=="),
    "ne": _comparison("!="),
    "is_not": _comparison("!="),
    "lt": _comparison("<"),
    "le": _comparison("<="),
    "gt": _comparison(">"),
    "ge": _comparison(">="),
    "contains": _comparison("contains"),
    "not": _negation,
    "and": _logic("and"),
    "or": _logic("or"),
    "add": _arithmetic("+"),
    "iadd": _arithmetic("+"),
    "sub": _arithmetic("-"),
    "isub": _arithmetic("-"),
    "mul": _arithmetic("*"),
    "imul": _arithmetic("*"),
    "truediv": _arithmetic("/"),
}

_NUMERIC: dict[str, Function] = {
    "where": _where,
    "select": _select,
    "minimum": _extreme("min"),
    "fmin": _extreme("min"),
    "min": _extreme("min"),
    "maximum": _extreme("max"),
    "fmax": _extreme("max"),
    "max": _extreme("max"),
    "logical_and": _logic("and"),
    "bitwise_and": _logic("and"),
    "logical_or": _logic("or"),
    "bitwise_or": _logic("or"),
    "logical_not": _negation,
    "isin": _comparison("in"),
    "equal": _comparison("=="),
    "not_equal": _comparison("!="),
    "less": _comparison("<"),
    "less_equal": _comparison("<="),
    "greater": _comparison(">"),
    "greater_equal": _comparison(">="),
    "isclose": _comparison("=="),
    "add": _arithmetic("+"),
    "subtract": _arithmetic("-"),
    "multiply": _arithmetic("*"),
    "fsum": _sum,
    "sum": _sum,
    "any": _quantifier("or"),
    "all": _quantifier("and"),
}
