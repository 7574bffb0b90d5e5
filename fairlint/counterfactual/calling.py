"""How a program is called with a person: which of its functions decides, and how that takes the columns.

Read off the syntax, never by running anything. What stands at the top of the program and is no part of the
decision (example calls, prints, questions to a user, `if __name__ == "__main__":`) is left out of the program
that is run, as `definitions` says.

A function takes a person by its parameters, each a column (`def decide(age, sex)`), as one record that is
read by keys or fields (`def decide(person)`), as the object of a class that is made of the columns
(`Applicant.decide`, `def decide(person: Applicant)`), or out of a list (`def find(people, dimension)`).
Spelling does not matter, and a name that the vocabulary knows for a protected attribute means the column that
holds it; no other name is guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from fairlint.counterfactual.column_names import columns_by_name
from fairlint.counterfactual.definitions import definitions
from fairlint.counterfactual.executors.answers import parse_program
from fairlint.counterfactual.executors.executor import Call, CallStyle, Failed, Program
from fairlint.counterfactual.handing_in import Wrapped, handing_in
from fairlint.counterfactual.odd_functions import frame_sign, reason_against_call
from fairlint.counterfactual.population import Cell, Column
from fairlint.counterfactual.record_reads import NOTHING, RecordReads, is_operand, reads_of
from fairlint.counterfactual.signatures import (
    annotation,
    by_place,
    constructor,
    decorators,
    initializer,
    is_positional,
    parameters,
)
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError
from fairlint.support.records import Record
from fairlint.syntax.python.own_tree import Function, named_functions, nodes_in

LONGEST_SIGN = 60
"""Characters of code that an error shows."""
_LISTS = frozenset("list List Sequence Iterable tuple Tuple Collection".split())


class Calling(Record):
    """A program, and what it is handed of each person."""

    program: Program
    columns: tuple[str, ...]
    """The column of each of `program.call.names`; one column may come under two names."""
    line: int
    """Where the function begins, from 1."""
    unknown: tuple[str, ...] = ()
    """Keys and fields that are read and are no column."""


class _Code(Record):
    """What stands at the top of a program."""

    tree: ast.Module
    functions: Mapping[str, Function]
    classes: Mapping[str, ast.ClassDef]
    helpers: frozenset[str]
    """Functions that others call, methods included."""


class _Taken(Record):
    """How one function takes a person."""

    style: CallStyle
    names: tuple[tuple[str, str], ...]
    """Name in the code → column."""
    extra: tuple[tuple[str, Cell], ...] = ()
    unknown: tuple[str, ...] = ()
    made: str = ""
    """The class that the person is made of before it is handed in; empty for none."""


def calls(
    source: str,
    columns: Sequence[Column],
    entry: str | None = None,
    *,
    data: str = "the data",
    extra: Mapping[str, Cell] | None = None,
) -> Calling:
    """Return how a program is called with a person who has these columns.

    `entry` is a function or `Class.method`; without it, the last one that takes a person and is not called by
    another. `data` is what the columns are called in errors, `extra` other arguments by name. A UsageError
    says in one line why there is no way.
    """
    tree = parse_program(source)
    if isinstance(tree, Failed):
        raise UsageError(f"the code does not parse: {tree.message}")
    code = _index_code(tree)
    ways = _Ways(code, columns, data, dict(extra or {}))
    found = _resolve_entry(code, entry) if entry else _last_entry(ways)
    function = _function_of_entry(code, found)
    taken = ways.of(found)
    names = tuple(name for name, _ in taken.names)
    text = definitions(source, tree, found, *([taken.made] if taken.made else []))
    call = Call(taken.style, names, taken.extra)
    wrapped = _wrap_entry(code, found, taken)
    if wrapped is not None:
        others = () if taken.style == "method" else tuple(name for name, _ in taken.extra)
        text, found = handing_in(text, found, (*names, *others), wrapped)
        call = Call("arguments", names, taken.extra if others else ())
    return Calling(
        Program(text, found, call),
        tuple(column for _, column in taken.names),
        function.lineno,
        taken.unknown,
    )


def entries(source: str) -> tuple[str, ...]:
    """Return the functions and methods that a program defines at its top; none where it does not parse."""
    tree = parse_program(source)
    return () if isinstance(tree, Failed) else _entry_names(_index_code(tree))


def _wrap_entry(code: _Code, entry: str, taken: _Taken) -> Wrapped | None:
    """Return how a function beside the program calls it, where the person cannot be handed in by
    names alone.
    """
    owner, _, method = entry.partition(".")
    if taken.made:
        function = f"{owner}().{method}" if method else owner
        init = initializer(code.classes[taken.made], code.classes)
        return Wrapped(taken.made, init, bound=True, then=f"{function}({{}})")
    if taken.style == "method":
        init = initializer(code.classes[owner], code.classes)
        if init is None or not by_place(init, bound=True):
            return None
        extra = ", ".join(f"{name}={cell!r}" for name, cell in taken.extra)
        return Wrapped(owner, init, bound=True, then=f"{{}}.{method}({extra})")
    own = _function_of_entry(code, entry)
    bound = bool(method) and not _is_static(own)
    if taken.style != "arguments" or not by_place(own, bound=bound):
        return None
    return Wrapped(f"{owner}().{method}" if method else owner, own, bound=bound)


# ---------------------------------------------------------------------------------------- which function


def _index_code(tree: ast.Module) -> _Code:
    functions = named_functions(tree.body)
    classes = {made.name: made for made in tree.body if isinstance(made, ast.ClassDef)}
    helpers = {
        called
        for caller, function in functions.items()
        for called in _called_names(function) & functions.keys() - {caller}
    }
    methods = {called for made in classes.values() for called in _called_names(made)}
    return _Code(tree, functions, classes, frozenset(helpers | methods & functions.keys()))


def _called_names(node: ast.AST) -> set[str]:
    called = {each.func for each in nodes_in(node) if isinstance(each, ast.Call)}
    return {each.id for each in called if isinstance(each, ast.Name)}


def _entry_names(code: _Code) -> tuple[str, ...]:
    methods = [f"{name}.{method}" for name, made in code.classes.items() for method in _public_methods(made)]
    return (*code.functions, *methods)


def _public_methods(made: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """Return the public methods of a class."""
    return {
        part.name: part
        for part in made.body
        if isinstance(part, ast.FunctionDef) and not part.name.startswith("_")
    }


def _resolve_entry(code: _Code, asked: str) -> str:
    known = _entry_names(code)
    if asked in known:
        return asked
    if asked in code.classes and _public_methods(code.classes[asked]):
        return f"{asked}.{list(_public_methods(code.classes[asked]))[-1]}"
    hint = did_you_mean(asked, known) or (f" (it defines {', '.join(known)})" if known else "")
    raise UsageError(f"the code defines no '{asked}'{hint}")


def _last_entry(ways: _Ways) -> str:
    """Return the last function that takes a person and is no helper; else such a method; else such
    a helper.
    """
    code = ways.code
    known = _entry_names(code)
    if not known:
        raise UsageError("the code defines no function")
    first = [name for name in code.functions if name not in code.helpers]
    methods = [name for name in known if "." in name]
    order = [
        *reversed(first),
        *reversed(methods),
        *(name for name in reversed(known) if name in code.helpers),
    ]
    why: UsageError | None = None
    constant: str | None = None
    for name in order:
        try:
            taken = ways.of(name)
        except UsageError as error:
            why = why or error
            continue
        if taken.names and ways.is_read(name, taken):
            return name
        constant = constant or name
    if constant is not None:
        return constant
    assert why is not None, "something was tried"
    raise why


def _function_of_entry(code: _Code, entry: str) -> Function:
    owner, _, method = entry.partition(".")
    return _public_methods(code.classes[owner])[method] if method else code.functions[owner]


# ------------------------------------------------------------------------------------- how it takes a person


class _Ways:
    """Finds how functions take people who have the given columns."""

    def __init__(self, code: _Code, columns: Sequence[Column], data: str, extra: dict[str, Cell]) -> None:
        self.code = code
        self.columns = [column.name for column in columns]
        self.column_of: Callable[[str], str | None] = columns_by_name(columns)
        self.data = data
        self.extra = extra

    def of(self, entry: str) -> _Taken:
        """Return how a function or method takes a person; a UsageError says why there is no way."""
        function = _function_of_entry(self.code, entry)
        why = reason_against_call(function, entry)
        if why:
            raise UsageError(why)
        owner, _, method = entry.partition(".")
        if not method:
            return self._way_of_function(function, entry, bound=False)
        made = self.code.classes[owner]
        is_static = _is_static(function)
        needed = [name for name, optional in constructor(made, self.code.classes) if not optional]
        if needed or (self._of_self(made) and not self._own_parameters(function, bound=not is_static)):
            return self._way_of_method(made, function, entry)
        return self._way_of_function(function, entry, bound=not is_static)

    def is_read(self, entry: str, taken: _Taken) -> bool:
        """Return whether a function says by any name what it takes of a person, or may take anything."""
        if taken.style in ("arguments", "method", "people"):
            return True
        function = _function_of_entry(self.code, entry)
        bound = "." in entry and not _is_static(function)
        given = [name for name, _ in parameters(function)]
        first = given[1:] if bound else given  # optional ones too, as where a person may be missing
        parameter = (self._own_parameters(function, bound=bound) or first)[0]
        reads = reads_of(function, parameter, self._functions())
        return bool(reads.keys or reads.fields or reads.is_mapping or reads.is_object)

    def _functions(self) -> dict[str, Function]:
        methods = {
            name: each for made in self.code.classes.values() for name, each in _public_methods(made).items()
        }
        return {**methods, **self.code.functions}

    def _of_self(self, made: ast.ClassDef) -> bool:
        return any(self.column_of(name) for name, _ in constructor(made, self.code.classes))

    def _own_parameters(self, function: Function, *, bound: bool) -> list[str]:
        """Return the parameters without a default that nobody else gives."""
        given = [name for name, optional in parameters(function) if not optional]
        return [name for name in (given[1:] if bound else given) if name not in self.extra]

    def _way_of_method(self, made: ast.ClassDef, function: Function, entry: str) -> _Taken:
        """Return a method without arguments, of an object that is made of the columns."""
        names = []
        for name, optional in constructor(made, self.code.classes):
            column = self.column_of(name)
            if column is not None:
                names.append((name, column))
            elif not optional:
                self._no_column(name, f"{made.name}.__init__")
        for name in self._own_parameters(function, bound=True):
            self._no_column(name, entry)
        return _Taken("method", self._check_unique_columns(names, entry), self._given(function))

    def _way_of_function(self, function: Function, entry: str, *, bound: bool) -> _Taken:
        own = parameters(function)[1:] if bound else parameters(function)
        own = [each for each in own if each[0] not in self.extra]
        names = [(name, column) for name, _ in own if (column := self.column_of(name))]
        unknown = [name for name, optional in own if not optional and not self.column_of(name)]
        required = [name for name, optional in own if not optional]
        record = self._record_parameter(function, unknown, required)
        if record is None and own and not required and not names:
            record = self._optional_record(function, own[0][0])
        if record is not None:
            return self._with_record(function, record, [name for name in unknown if name != record], entry)
        if unknown:
            self._no_column(unknown[0], entry)
        self._check_keyword_passing(function, names, entry)
        if function.args.kwarg is not None:
            reads = reads_of(function, function.args.kwarg.arg, self._functions())
            names = self._as_read(reads.keys, tuple(names))
        return _Taken("arguments", self._check_unique_columns(names, entry), self._given(function))

    def _record_parameter(self, function: Function, unknown: list[str], required: list[str]) -> str | None:
        """Return the parameter that holds the whole person, or people."""
        if not required or not unknown:
            return None
        first = required[0]
        if unknown == [first] and len(required) == 1:
            return first
        reads = reads_of(function, first, self._functions())
        if first == unknown[0] and (reads.element is not None or self._is_list(function, first)):
            return first  # what comes after it is a dimension
        return None

    def _check_keyword_passing(
        self, function: Function, names: Sequence[tuple[str, str]], entry: str
    ) -> None:
        """Say so where columns cannot be handed in by their names."""
        if function.args.vararg is not None and not names and function.args.kwarg is None:
            raise UsageError(
                f"{entry} takes what it gets by place alone (*{function.args.vararg.arg}): name its "
                "parameters as the columns, or let it take one person"
            )

    def _optional_record(self, function: Function, first: str) -> str | None:
        """Return the first of parameters that all have a default, where a person is read of it."""
        reads = reads_of(function, first, self._functions())
        is_read = reads.keys or reads.fields or reads.is_mapping or reads.is_object
        return first if is_read or self._class_of(function, first) is not None else None

    def _is_list(self, function: Function, parameter: str) -> bool:
        kind = annotation(function, parameter)
        kind = kind.value if isinstance(kind, ast.Subscript) else kind
        return isinstance(kind, ast.Name) and kind.id in _LISTS

    def _with_record(self, function: Function, record: str, others: list[str], entry: str) -> _Taken:
        if others:
            self._no_column(others[0], entry)
        if not is_positional(function, record):
            raise UsageError(f"parameter '{record}' of {entry} can only be given by its name")
        made = self._class_of(function, record)
        if made is not None:
            return made
        sign = frame_sign(function, record)
        if sign:
            raise UsageError(
                f"{entry} takes a data frame ({' '.join(sign.split())[:LONGEST_SIGN]}): let it take one "
                "person, as a dict or an object"
            )
        for name, optional in parameters(function):
            is_given = name in self.extra or (name != record and not optional and self.column_of(name))
            if is_given and name in by_place(function):
                raise UsageError(f"parameter '{name}' of {entry} cannot be given by its name")
        reads = reads_of(function, record, self._functions())
        is_people = self._is_list(function, record) or (
            reads.element is not None
            and not (reads.keys or reads.fields or reads.is_mapping or reads.is_object)
        )
        if is_people:
            return self._way_of_people(function, record, reads.element, entry)
        if reads == NOTHING and is_operand(function, record):
            self._no_column(record, entry)
        style: CallStyle = "object" if reads.fields or reads.is_object or reads.methods else "mapping"
        read = tuple(dict.fromkeys((*reads.keys, *reads.fields)))
        unknown = tuple(name for name in read if self.column_of(name) is None)
        return _Taken(style, tuple(self._as_read(read, ())), self._given(function), unknown)

    def _class_of(self, function: Function, record: str) -> _Taken | None:
        """Return a person as an object of the class that the parameter is said to be of, if the columns make
        one.
        """
        kind = _without_none(annotation(function, record))
        if not isinstance(kind, ast.Name) or kind.id not in self.code.classes or self.extra:
            return None
        fields = constructor(self.code.classes[kind.id], self.code.classes)
        names = [(name, column) for name, _ in fields if (column := self.column_of(name))]
        if not names or any(not optional and not self.column_of(name) for name, optional in fields):
            return None
        return _Taken("arguments", tuple(names), made=kind.id)

    def _way_of_people(
        self, function: Function, record: str, element: RecordReads | None, entry: str
    ) -> _Taken:
        if element is not None and element.fields and not element.keys:
            raise UsageError(f"{entry} reads people by fields, not by keys: no way to hand them in")
        dimensions = []
        for name, optional in parameters(function):
            if name != record and name not in self.extra and not optional:
                column = self.column_of(name)
                if column is None:
                    self._no_column(name, entry)
                dimensions.append((name, column))
        read = element.keys if element is not None else ()
        unknown = tuple(name for name in read if self.column_of(name) is None)
        # each column under its own name, too, as `person[dimension]` reads it
        names = self._as_read(read, tuple((column, column) for column in self.columns))
        extra = (*((name, column) for name, column in dimensions), *self._given(function))
        return _Taken("people", tuple(names), extra, unknown)

    def _as_read(self, read: Sequence[str], before: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
        """Return all columns: those that are read under the names they are read by, the others under their
        own.
        """
        names = dict(before)
        for name in read:
            column = self.column_of(name)
            if column is not None:
                names.setdefault(name, column)
        there = set(names.values())
        names.update(
            {column: column for column in self.columns if column not in there and column not in names}
        )
        order = {column: place for place, column in enumerate(self.columns)}
        return sorted(names.items(), key=lambda pair: order[pair[1]])

    def _check_unique_columns(
        self, names: Sequence[tuple[str, str]], entry: str
    ) -> tuple[tuple[str, str], ...]:
        """Say so where two parameters are the same column."""
        seen: dict[str, str] = {}
        for name, column in names:
            if column in seen and seen[column] != name:
                raise UsageError(
                    f"parameters '{seen[column]}' and '{name}' of {entry} are both column '{column}'"
                )
            seen[column] = name
        return tuple(names)

    def _given(self, function: Function) -> tuple[tuple[str, Cell], ...]:
        known = {name for name, _ in parameters(function)}
        return tuple((name, cell) for name, cell in self.extra.items() if name in known)

    def _no_column(self, name: str, entry: str) -> NoReturn:
        columns = ", ".join(self.columns)
        raise UsageError(f"parameter '{name}' of {entry} is no column of {self.data} (columns: {columns})")


def _is_static(function: Function) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in decorators(function))


def _without_none(kind: ast.expr | None) -> ast.expr | None:
    """`Applicant` of `Applicant | None`, `Optional[Applicant]` and the texts of these."""
    match kind:
        case ast.Constant(value=str(text)):
            told = parse_program(text)
            match told:
                case ast.Module(body=[ast.Expr(value=ast.Constant())]):
                    return None
                case ast.Module(body=[ast.Expr(value=inner)]):
                    return _without_none(inner)
                case _:
                    return None
        case ast.BinOp(left=inner, op=ast.BitOr(), right=ast.Constant(value=None)):
            return inner
        case ast.BinOp(left=ast.Constant(value=None), op=ast.BitOr(), right=inner):
            return inner
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=inner):
            return inner
        case _:
            return kind
