"""Calls: functions of the same file are followed, well-known library calls are understood, others are opaque."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fairlint.analysis import expressions
from fairlint.analysis.frame import MAX_INLINE, Frame, path_of
from fairlint.analysis.values import (
    UNKNOWN,
    Choice,
    Closure,
    Const,
    Filtered,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Sorted,
    Table,
    Value,
)
from fairlint.records import field_names, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

SAME_VALUE_FUNCTIONS = frozenset(
    "str int float bool tolower toupper list tuple set frozenset array asarray Series "
    "round ceil floor atoi strtol atof strdup cast to_numeric iter reversed".split()
)
"""Functions of one argument that give the same thing in another form."""

SAME_VALUE_METHODS = frozenset(
    "lower upper strip casefold capitalize title lstrip rstrip astype to_numpy tolist to_list copy item "
    "fillna squeeze".split()
)
"""Methods that give the same thing in another form."""

KEEPS_PEOPLE = frozenset(
    "sample copy reset_index set_index drop dropna sort_index assign rename "
    "astype fillna drop_duplicates to_list tolist all select_related distinct".split()
)
"""Methods that hand on the same people."""

TAKES_FIRST = frozenset("head tail first last pop popleft limit".split())
"""Methods that take some from the front or the back."""

COUNTS = frozenset(
    "len sum any all max min mean count size shape nunique value_counts describe groupby agg".split()
)

STRING_COMPARISONS = frozenset(
    "strcmp strcasecmp strcmpi stricmp _stricmp strncmp strncasecmp _strcmpi wcscmp wcscasecmp memcmp g_strcmp0".split()
)
"""C functions that give 0 for equal texts."""

STRING_EQUALS = frozenset("g_str_equal streq str_eq strequal g_ascii_strcaseequal equals".split())
"""C functions that give true for equal texts."""

NUMERIC_MODULES = frozenset({"np", "numpy", "jnp", "cp", "xp", "torch", "tf", "F", "pd", "math"})

GETTER_PREFIXES = (
    "get_",
    "calculate_",
    "compute_",
    "calc_",
    "fetch_",
    "read_",
    "get",
    "calculate",
    "compute",
)


def evaluate_call(node: tree.Call, frame: Frame) -> Value:
    """The value of a call; what it may do to people is recorded as events."""
    function = node.function
    if isinstance(function, tree.Field):
        return _method(node, function, frame)
    if isinstance(function, tree.Name):
        return _function(node, function.id, frame)
    callee = expressions.evaluate(function, frame)
    arguments = _arguments(node, frame)
    if isinstance(callee, Closure):
        return inline(callee, node, arguments, frame)
    return Opaque(frame.text(node))


def _arguments(node: tree.Call, frame: Frame) -> tuple[Value, ...]:
    values: list[Value] = []
    for argument in node.arguments:
        value = expressions.evaluate(argument, frame)
        if isinstance(argument, tree.Star) and isinstance(value, Sequence):
            values.extend(value.items)
        else:
            values.append(value)
    for _, keyword in node.keywords:
        expressions.evaluate(keyword, frame)
    return tuple(values)


def _keyword(node: tree.Call, name: str) -> Node | None:
    return next((value for key, value in node.keywords if key == name), None)


# ------------------------------------------------------------------------------------------------ functions


def _function(node: tree.Call, name: str, frame: Frame) -> Value:
    callee = frame.variables.get(name) or frame.program.globals.get(name)
    if callee is None and (local := frame.program.definitions.functions.get(name)) is not None:
        callee = Closure(local)
    if isinstance(callee, Closure):
        return inline(callee, node, _arguments(node, frame), frame)
    if (
        name in {"sorted", "min", "max", "nlargest", "nsmallest"}
        and (key := _keyword(node, "key")) is not None
    ):
        return _ranked(node, name, key, frame)
    arguments = _arguments(node, frame)
    if (known := _FUNCTIONS.get(name)) is not None and (found := known(node, arguments, frame)) is not None:
        return found
    if name in STRING_COMPARISONS and len(arguments) >= 2:
        equal = expressions.compare("==", arguments[0], arguments[1], node)
        return Choice(equal, Const(0), Const(1), node)
    if name in STRING_EQUALS and len(arguments) == 2:
        return expressions.compare("==", arguments[0], arguments[1], node)
    if name in SAME_VALUE_FUNCTIONS and arguments:
        return arguments[0]
    if name in COUNTS:
        return Opaque(frame.text(node))
    if name in frame.program.definitions.types:
        return Opaque(frame.text(node))
    frame.emit("call", node, Sequence(arguments, node), name)
    return _by_name(name, node, frame)


def _by_name(name: str, node: Node, frame: Frame) -> Value:
    """`get_gender(x)` and `calculate_age(birth)` are reads, whatever they do."""
    for prefix in GETTER_PREFIXES:
        rest = name.removeprefix(prefix)
        if rest != name and rest:
            found = expressions.mentioned(rest, node, frame)
            if isinstance(found, Protected) and found.mention.strength != "proxy":
                return found
    return Opaque(frame.text(node))


def _getattr(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    if len(arguments) >= 2 and isinstance(arguments[1], Const) and isinstance(arguments[1].value, str):
        receiver = frame.text(node.arguments[0])
        found = expressions.mentioned(arguments[1].value, node, frame, receiver)
        return found or Opaque(f"{receiver}.{arguments[1].value}")
    return None


def _enumerate(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    entries = expressions.entries_of(arguments[0]) if arguments else None
    if entries is None:
        return None
    pairs = tuple(Sequence((Const(place), entry), node) for place, entry in enumerate(entries))
    return Sequence(pairs, node)


def _zip(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    columns = [expressions.entries_of(argument) for argument in arguments]
    if not columns or any(column is None for column in columns):
        return None
    rows = zip(*(column for column in columns if column is not None), strict=False)
    return Sequence(tuple(Sequence(tuple(row), node) for row in rows), node)


def _sum(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    if not arguments:
        return None
    if isinstance(arguments[0], Sequence):
        total: Value = arguments[1] if len(arguments) > 1 else Const(0)
        for item in arguments[0].items:
            total = expressions.arithmetic("+", total, item, node)
        return total
    return Opaque(frame.text(node))


def _extreme(op: str) -> Callable[[tree.Call, tuple[Value, ...], Frame], Value | None]:
    def evaluate(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
        del frame
        return Operation(op, arguments, node) if len(arguments) >= 2 else None

    return evaluate


def _dict(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    entries = list(arguments[0].entries) if arguments and isinstance(arguments[0], Table) else []
    for name, value in node.keywords:
        if name is not None:
            entries.append((Const(name), expressions.evaluate(value, frame)))
    return Table(tuple(entries), node)


def _defaultdict(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    fallback: Value | None = None
    if arguments and isinstance(arguments[0], Closure):
        fallback = inline(arguments[0], node, (), frame)
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
        people = frame.text(node.arguments[1])
        return Filtered(arguments[1], inline(arguments[0], node, (element,), frame, people), node)
    return None


def _map(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    if len(arguments) == 2 and isinstance(arguments[0], Closure):
        return inline(arguments[0], node, (arguments[1],), frame)
    return None


def _ranked(node: tree.Call, name: str, key: Node, frame: Frame) -> Value:
    arguments = _arguments(node, frame)
    people = arguments[-1] if arguments else UNKNOWN
    about = frame.text(node.arguments[-1]) if node.arguments else ""
    sort_key = _key_value(key, about, frame)
    ranked = Sorted(people, sort_key, node)
    if name != "sorted":
        frame.emit("rank", node, ranked, about)
        return Opaque(frame.text(node))
    return ranked


def _key_value(key: Node, about: str, frame: Frame) -> Value:
    if isinstance(key, tree.Call):
        names = [item.value for item in key.arguments if isinstance(item, tree.Literal)]
        called = frame.text(key.function).rpartition(".")[2]
        if called in {"attrgetter", "itemgetter"} and names and isinstance(names[0], str):
            return expressions.mentioned(names[0], key, frame, about) or UNKNOWN
        return UNKNOWN
    callee = expressions.evaluate(key, frame)
    element = Opaque(f"{about}[]")
    return inline(callee, key, (element,), frame, about) if isinstance(callee, Closure) else UNKNOWN


_FUNCTIONS: dict[str, Callable[[tree.Call, tuple[Value, ...], Frame], Value | None]] = {
    "getattr": _getattr,
    "enumerate": _enumerate,
    "zip": _zip,
    "sum": _sum,
    "fsum": _sum,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "MIN": _extreme("min"),
    "MAX": _extreme("max"),
    "fmin": _extreme("min"),
    "fmax": _extreme("max"),
    "dict": _dict,
    "defaultdict": _defaultdict,
    "filter": _filter,
    "map": _map,
}


# ------------------------------------------------------------------------------------------------ methods


def _method(node: tree.Call, function: tree.Field, frame: Frame) -> Value:
    name = function.name
    receiver_text = frame.text(function.value)
    if (found := _own_method(node, function, receiver_text, frame)) is not None:
        return found
    if receiver_text in NUMERIC_MODULES:
        return _library(node, name, frame)
    if receiver_text in {"heapq", "collections", "builtins", "functools", "operator"}:
        return _function(node, name, frame)
    base = expressions.evaluate(function.value, frame)
    if name in {"sort", "sort_values", "order_by", "nlargest", "nsmallest", "sorted"}:
        return _sorting(node, function, base, frame)
    if name == "query" and node.arguments and isinstance(node.arguments[0], tree.Literal):
        return _query(node, node.arguments[0], base, frame)
    arguments = _arguments(node, frame)
    if (known := _METHODS.get(name)) is not None and (
        found := known(node, base, arguments, frame)
    ) is not None:
        return found
    if isinstance(base, Protected | Choice | Lookup | Operation) and name in SAME_VALUE_METHODS:
        return base
    if isinstance(base, Filtered | Sorted):
        if name in TAKES_FIRST and isinstance(base, Sorted):
            frame.emit("rank", base.node, base, receiver_text)
            return Opaque(frame.text(node))
        if name in KEEPS_PEOPLE or name in TAKES_FIRST:
            return base
    if name in {"append", "add", "insert", "push", "appendleft", "extend", "remove", "discard"} and arguments:
        value = arguments[-1]
        target = receiver_text if name not in {"remove", "discard"} else f"{receiver_text}.{name}"
        frame.emit("append", node, value, target)
        return Const(None)
    frame.emit("call", node, Sequence(arguments, node), f"{receiver_text}.{name}")
    if isinstance(base, Protected | Choice) and name in {"year", "total_seconds"}:
        return base
    return _by_name(name, node, frame)


def _own_method(node: tree.Call, function: tree.Field, receiver: str, frame: Frame) -> Value | None:
    """A method of this file's class, called on `self`, the class, or a variable of its type."""
    owner = ""
    if receiver in {"self", "cls", "super()"}:
        owner = frame.owner
    elif receiver in frame.program.definitions.types:
        owner = receiver
    if not owner:
        return None
    found = frame.program.definitions.method(owner, function.name)
    if found is None:
        return None
    defined_in, method = found
    is_static = any(frame.text(decorator) == "staticmethod" for decorator in method.decorators)
    closure = Closure(method, owner=defined_in)
    arguments = _arguments(node, frame)
    if not is_static and receiver in {"self", "cls", "super()"}:
        arguments = (Opaque("self"), *arguments)
    return inline(closure, node, arguments, frame)


def _library(node: tree.Call, name: str, frame: Frame) -> Value:
    """Functions of numpy and its like."""
    arguments = _arguments(node, frame)
    if name == "where" and len(arguments) == 3:
        return Choice(arguments[0], arguments[1], arguments[2], node)
    if name == "select" and len(arguments) >= 2:
        return _select(node, arguments, frame)
    if name in {"minimum", "fmin", "min"} and len(arguments) == 2:
        return Operation("min", arguments, node)
    if name in {"maximum", "fmax", "max"} and len(arguments) == 2:
        return Operation("max", arguments, node)
    if name in {"logical_and", "bitwise_and"}:
        return expressions.combine("and", arguments, node)
    if name in {"logical_or", "bitwise_or"}:
        return expressions.combine("or", arguments, node)
    if name == "logical_not" and arguments:
        return expressions.negate(arguments[0], node)
    if name == "isin" and len(arguments) == 2:
        return expressions.compare("in", arguments[0], arguments[1], node)
    if (
        name
        in {"array", "asarray", "Series", "float32", "float64", "int64", "tensor", "abs", "round", "fabs"}
        and arguments
    ):
        return arguments[0]
    return Opaque(frame.text(node))


def _select(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value:
    conditions, choices = arguments[0], arguments[1]
    default_node = _keyword(node, "default")
    default: Value = Const(0)
    if len(arguments) > 2:
        default = arguments[2]
    elif default_node is not None:
        default = expressions.evaluate(default_node, frame)
    if not (isinstance(conditions, Sequence) and isinstance(choices, Sequence)):
        return Opaque(frame.text(node))
    value = default
    for test, choice in reversed(list(zip(conditions.items, choices.items, strict=False))):
        value = Choice(test, choice, value, node)
    return value


def _sorting(node: tree.Call, function: tree.Field, base: Value, frame: Frame) -> Value:
    key_node = _keyword(node, "key") or _keyword(node, "by") or _keyword(node, "columns")
    key: Value = UNKNOWN
    if key_node is not None and not isinstance(key_node, tree.Literal | tree.Collection):
        key = _key_value(key_node, frame.text(function.value), frame)
    else:
        place = 1 if function.name in {"nlargest", "nsmallest"} else 0
        column = key_node or (node.arguments[place] if len(node.arguments) > place else None)
        if isinstance(column, tree.Collection) and column.items:
            column = column.items[0].value
        if isinstance(column, tree.Literal) and isinstance(column.value, str):
            key = (
                expressions.mentioned(column.value.lstrip("-"), column, frame, frame.text(function.value))
                or UNKNOWN
            )
    ranked = Sorted(base, key, node)
    if function.name in {"nlargest", "nsmallest"}:
        frame.emit("rank", node, ranked, frame.text(function.value))
        return Opaque(frame.text(node))
    if function.name == "sort" and (path := path_of(function.value)) is not None:
        frame.variables[path] = ranked
    return ranked


def _query(node: tree.Call, text: tree.Literal, base: Value, frame: Frame) -> Value:
    """`df.query("gender == 'female'")`: the text is an expression over columns."""
    if not isinstance(text.value, str):
        return Opaque(frame.text(node))
    from fairlint.syntax import python  # noqa: PLC0415 (only where a query is met)

    parsed = python.parse(text.value.encode())
    if len(parsed.body) != 1 or parsed.gaps or not isinstance(parsed.body[0], tree.Expression):
        return Opaque(frame.text(node))
    test = expressions.evaluate(relocated(parsed.body[0].value, node.span), frame)
    return Filtered(base, test, node)


def relocated(node: Node, span: tree.Span) -> Node:
    """`node` with every span replaced, for code that stands inside a text."""

    def place(value: object) -> object:
        if isinstance(value, Node):
            return relocated(value, span)
        if isinstance(value, tuple):
            return tuple(place(item) for item in value)
        return value

    changed = {name: place(getattr(node, name)) for name in field_names(node)}
    changed["span"] = span
    if "name_span" in changed:
        changed["name_span"] = span
    return replace(node, **changed)


def _attribute(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`person.__getattribute__("age")`."""
    del base
    if not (arguments and isinstance(arguments[0], Const) and isinstance(arguments[0].value, str)):
        return None
    assert isinstance(node.function, tree.Field)
    receiver = frame.text(node.function.value)
    return expressions.mentioned(arguments[0].value, node, frame, receiver) or Opaque(
        f"{receiver}.{arguments[0].value}"
    )


Method = Callable[[tree.Call, Value, tuple[Value, ...], Frame], Value | None]


def _get(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    if not arguments:
        return None
    default = arguments[1] if len(arguments) > 1 else Const(None)
    if isinstance(base, Table):
        assert isinstance(node.function, tree.Field)
        record = expressions.record_field(base, arguments[0], node, frame, node.function.value)
        return record or expressions.lookup(base, arguments[0], default, node, frame)
    if isinstance(base, Choice | Lookup):
        return _get_from(base, arguments[0], default, node, frame)
    if isinstance(arguments[0], Const) and isinstance(arguments[0].value, str):
        assert isinstance(node.function, tree.Field)
        receiver = frame.text(node.function.value)
        return expressions.mentioned(arguments[0].value, node, frame, receiver) or Opaque(frame.text(node))
    if isinstance(arguments[0], Protected) and isinstance(base, Opaque):
        assert isinstance(node.function, tree.Field)
        table = Table((), node.function.value, frame.text(node.function.value), default)
        return Lookup(arguments[0], table, default, node)
    return None


def _get_from(base: Value, index: Value, default: Value, node: Node, frame: Frame) -> Value:
    match base:
        case Table():
            return expressions.lookup(base, index, default, node, frame)
        case Choice(test=test, then=then, otherwise=otherwise, node=site):
            left = _get_from(then, index, default, node, frame)
            return Choice(test, left, _get_from(otherwise, index, default, node, frame), site)
        case Lookup(subject=subject, table=table, default=fallback, node=site):
            entries = tuple(
                (key, _get_from(value, index, default, node, frame)) for key, value in table.entries
            )
            other = None if fallback is None else _get_from(fallback, index, default, node, frame)
            return Lookup(subject, Table(entries, table.node, table.name), other, site)
        case _:
            return default


def _items(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del arguments, frame
    if isinstance(base, Table):
        return Sequence(tuple(Sequence(entry, node) for entry in base.entries), node)
    return None


def _keys(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del arguments, frame
    return Sequence(tuple(key for key, _ in base.entries), node) if isinstance(base, Table) else None


def _values(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del arguments, frame
    return Sequence(tuple(value for _, value in base.entries), node) if isinstance(base, Table) else None


def _mapped(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`series.map(table or function)`, `series.apply(function)`, `frame.apply(function, axis=1)`."""
    if not arguments:
        return None
    if isinstance(arguments[0], Table) and isinstance(base, Protected | Choice | Lookup):
        return Lookup(base, arguments[0], None, node)
    if isinstance(arguments[0], Closure):
        return inline(arguments[0], node, (base,), frame)
    return None


def _isin(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    return expressions.compare("in", base, arguments[0], node) if arguments else None


def _comparison(op: str) -> Method:
    def evaluate(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
        del frame
        return expressions.compare(op, base, arguments[0], node) if arguments else None

    return evaluate


def _arithmetic(op: str) -> Method:
    def evaluate(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
        del frame
        return expressions.arithmetic(op, base, arguments[0], node) if arguments else None

    return evaluate


def _between(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    if len(arguments) < 2:
        return None
    low = expressions.compare(">=", base, arguments[0], node)
    return expressions.combine("and", (low, expressions.compare("<=", base, arguments[1], node)), node)


def _starts_with(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`gender.startswith("f")` names the group that is spelled so."""
    del frame
    if isinstance(base, Protected) and arguments and isinstance(arguments[0], Const):
        return expressions.compare("==", base, arguments[0], node)
    return None


def _masked(keep_when: bool) -> Method:
    """`series.where(test, other)` keeps where the test holds, `series.mask(test, other)` where it does not."""

    def evaluate(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
        del frame
        if len(arguments) < 2:
            return None
        first, second = (base, arguments[1]) if keep_when else (arguments[1], base)
        return Choice(arguments[0], first, second, node)

    return evaluate


_METHODS: dict[str, Method] = {
    "get": _get,
    "__getattribute__": _attribute,
    "__getattr__": _attribute,
    "__getitem__": _get,
    "items": _items,
    "keys": _keys,
    "values": _values,
    "map": _mapped,
    "apply": _mapped,
    "replace": _mapped,
    "transform": _mapped,
    "isin": _isin,
    "eq": _comparison("=="),
    "ne": _comparison("!="),
    "lt": _comparison("<"),
    "le": _comparison("<="),
    "gt": _comparison(">"),
    "ge": _comparison(">="),
    "__eq__": _comparison("=="),
    "mul": _arithmetic("*"),
    "multiply": _arithmetic("*"),
    "add": _arithmetic("+"),
    "sub": _arithmetic("-"),
    "between": _between,
    "startswith": _starts_with,
    "where": _masked(keep_when=True),
    "mask": _masked(keep_when=False),
}


# ------------------------------------------------------------------------------------------------ following calls


def inline(callee: Closure, node: Node, arguments: tuple[Value, ...], frame: Frame, about: str = "") -> Value:
    """The value that a function of this file returns for these arguments, its events recorded on the way.

    `about` says whose elements the arguments are (`staff`), where the call does not.
    """
    from fairlint.analysis.statements import execute_body  # noqa: PLC0415 (statements stand on expressions)

    function = callee.function
    name = function.name if isinstance(function, tree.Function) else f"lambda@{function.span.start}"
    if name in frame.calls or len(frame.calls) >= MAX_INLINE:
        return Opaque(frame.text(node))
    if isinstance(function, tree.Function) and not frame.matters(name, arguments):
        return Opaque(frame.text(node))
    inner = frame.inlined(name, callee.owner or frame.owner, callee.closure)
    keywords = dict(_keyword_values(node, frame))
    for parameter, value in _bound(function.parameters, arguments, keywords):
        inner.types[parameter.name] = parameter.type or about
        default = expressions.evaluate(parameter.default, frame) if parameter.default is not None else None
        chosen = value or default or Opaque(parameter.name)
        if isinstance(chosen, Opaque):
            chosen = expressions.mentioned(parameter.name, parameter, inner) or chosen
        inner.variables[parameter.name] = chosen
    if isinstance(function, tree.Lambda):
        return expressions.evaluate(function.body, inner)
    if not function.body:
        return Opaque(frame.text(node))
    depth = len(frame.guards)
    execute_body(function.body, inner)
    found = merged_returns(inner, depth, node)
    if isinstance(found, Opaque) or (isinstance(found, Const) and found.value is None):
        by_name = _by_name(name, node, frame)
        return by_name if isinstance(by_name, Protected) else found
    return found


def _keyword_values(node: Node, frame: Frame) -> Iterator[tuple[str, Value]]:
    if isinstance(node, tree.Call):
        for key, value in node.keywords:
            if key is not None:
                yield key, expressions.evaluate(value, frame)


def _bound(
    parameters: tuple[tree.Parameter, ...], arguments: tuple[Value, ...], keywords: dict[str, Value]
) -> Iterator[tuple[tree.Parameter, Value | None]]:
    places = iter(arguments)
    for parameter in parameters:
        if parameter.star:
            yield parameter, None
            continue
        yield parameter, keywords.get(parameter.name) or next(places, None)


def merged_returns(frame: Frame, depth: int, node: Node) -> Value:
    """One value for all returns of an inlined body: each under the guards that lead to it.

    `depth` is how many guards the caller stands under; those are left out.
    """
    value: Value = Const(None) if frame.alive else UNKNOWN
    for place, (guards, returned) in enumerate(reversed(frame.returns)):
        own = guards[depth:]
        if (place == 0 and not frame.alive) or not own:
            value = returned
            continue
        tests = [guard.test if guard.holds else expressions.negate(guard.test, guard.node) for guard in own]
        telling = [guard for guard in own if frame.program.dependence.on_any(guard.test)]
        explicit = [guard for guard in telling if not guard.implied]
        site = explicit[0].site if explicit else telling[-1].site if telling else node
        value = Choice(expressions.combine("and", tests, node), returned, value, site)
    return value
