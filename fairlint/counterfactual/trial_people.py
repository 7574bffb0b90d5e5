"""Ten people to try a function with, made up from what its text asks of a person.

Whoever writes tests for a function looks at what it compares: a GPA with 3.5, a letter with "strong", skills
with a list. So each column has a short list of values, those on either side of each comparison, and people
are combinations of these: the first has the first value of each (what the function asks for first), the
second the last of each, all others are drawn, alike each time. The text is read and never run.
"""

from __future__ import annotations

import ast
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fairlint.counterfactual.calling import calls, entries
from fairlint.counterfactual.executors.executor import Given, Program
from fairlint.counterfactual.literals import Literals, bindings
from fairlint.counterfactual.population import Cell, Column
from fairlint.counterfactual.record_reads import reads_of
from fairlint.counterfactual.signatures import parameters
from fairlint.support.errors import UsageError
from fairlint.syntax.python.own_parser import NotParsedError, parse_text
from fairlint.syntax.python.own_tree import named_functions

PEOPLE = 10
"""As many tests as the published check has."""
MOST_VALUES = 12
"""Values of a column that are tried at most."""
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_WITHIN = (ast.In, ast.NotIn)
_TEXT_METHODS = frozenset(
    "lower upper strip title capitalize casefold split startswith endswith replace".split()
)
_NUMBER_CALLS = frozenset({"int", "float", "abs", "round", "min", "max"})
_LIST_CALLS = frozenset({"set", "list", "sorted", "sum", "any", "all", "tuple", "frozenset", "enumerate"})
_OTHER = "other"
_NUMBERS = (3, 2, 1)
"""What a number is that nothing is compared with."""


class _Asked:
    """What some code asks about one column."""

    def __init__(self) -> None:
        self.numbers: dict[float, None] = {}
        self.texts: dict[str, None] = {}
        self.items: dict[str, None] = {}
        self.lengths: dict[float, None] = {}
        self.is_list = self.is_text = self.is_number = self.is_truth = False

    def compared(self, cells: Iterable[Cell]) -> None:
        """Something that it is compared with."""
        for cell in cells:
            if isinstance(cell, str):
                self.texts[cell] = None
            elif isinstance(cell, bool):
                self.is_truth = True
            elif cell is not None and math.isfinite(cell):
                self.numbers[cell] = None

    def values(self, others: Sequence[str]) -> tuple[Given, ...]:
        """Return the values to try; `others` are the texts of all lists in the code."""
        if self.is_list and not self.is_text:
            return self._list_values(tuple(self.items) or tuple(others))
        found: list[Given] = [*self._boundary_values(), *self.texts]
        if self.texts or self.is_text:
            found.append(_OTHER)
        if not found:
            if self.is_number:
                return _NUMBERS
            return (True, False) if self.is_truth else (_OTHER,)
        return tuple(found[:MOST_VALUES])

    def _boundary_values(self) -> Iterator[Given]:
        """Yield each number that it is compared with, the highest first, one above and one below
        all of them.
        """
        known = sorted(self.numbers, reverse=True)
        if known:
            yield known[0] + 1
            yield from known
            yield known[-1] - 1 if known[-1] >= 1 else known[-1] / 2

    def _list_values(self, items: tuple[str, ...]) -> tuple[Given, ...]:
        longest = int(min(MOST_VALUES, max(self.lengths, default=0) + 1))
        fill = tuple(f"{_OTHER} {number}" for number in range(longest - len(items)))
        return ((*items, *fill), items[: (len(items) + 1) // 2], (_OTHER,), ())


def trial(source: str, function: str = "", *, seed: int = 0) -> tuple[Program, list[tuple[Given, ...]]]:
    """Return a program that calls a function of some code with a person, and `PEOPLE` people to call it with.

    Where the code does not define the `function`, the last that it defines is called. Raises UsageError where
    there is none, or no way to hand a person in.
    """
    known = entries(source)
    if not known:
        raise UsageError("the code defines no function, or does not parse")
    plain = [name for name in known if "." not in name]
    entry = function if function in known else (plain or known)[-1]
    try:
        module = parse_text(source)
        columns = tuple(Column(name=name, values=()) for name in _read_names(module, entry))
        calling = calls(source, columns, entry, data="what it reads of a person")
        by_name = calling.program.call.style == "arguments"
        return calling.program, people_for(module, calling.columns, by_name=by_name, seed=seed)
    except (NotParsedError, RecursionError):
        raise UsageError("the code is nested too deeply") from None


def _read_names(module: ast.Module, entry: str) -> tuple[str, ...]:
    """Return what a function reads of the person that it is handed, else the names of its parameters."""
    functions = named_functions(ast.walk(module))
    function = functions[entry.rpartition(".")[2]]
    given = [name for name, _ in parameters(function) if name not in {"self", "cls"}]
    for name in given:
        reads = reads_of(function, name, functions)
        keys = reads.keys if len(given) == 1 else ()  # of several, `"x" in skills` is asked of a list
        if found := (*reads.fields, *keys):
            return tuple(dict.fromkeys(found))
    return tuple(given)


def people_for(
    module: ast.Module, columns: Sequence[str], *, by_name: bool, seed: int = 0
) -> list[tuple[Given, ...]]:
    """Return a row for each of `PEOPLE`, with a value for each of the columns that the code reads.

    `by_name` says that each column is a parameter of its own.
    """
    walk = _Walk(module, columns, by_name=by_name)
    walk.visit(module)
    others = tuple(dict.fromkeys(walk.listed))
    pools = [walk.asked[column].values(others) for column in columns]
    drawn = random.Random(seed)  # noqa: S311 (people, nothing to guess)
    rows = [tuple(pool[0] for pool in pools), tuple(pool[-1] for pool in pools)]
    while len(rows) < PEOPLE:
        rows.append(tuple(drawn.choice(pool) for pool in pools))
    return rows


class _Walk(ast.NodeVisitor):
    """Goes through code once; what is said of a name that holds a column is said of the column."""

    def __init__(self, module: ast.Module, columns: Sequence[str], *, by_name: bool) -> None:
        self.asked: Mapping[str, _Asked] = {column: _Asked() for column in columns}
        self.literals = Literals(module, bindings(module))
        self.names = {column: column for column in columns if by_name}
        self.members: dict[str, tuple[str, ...]] = {}
        """Name of a loop over a literal list → what is in it."""
        self.listed: Counter[str] = Counter()

    def column(self, node: ast.AST) -> str | None:
        """Return the column that an expression has the value of, or a view of (`x.lower()`)."""
        name: str | None = None
        match node:
            case ast.Name(id=known):
                name = self.names.get(known)
            case ast.Attribute(attr=field) | ast.Subscript(slice=ast.Constant(value=str(field))):
                name = field
            case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(field)), *_]):
                name = field
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(field)), *_]):
                name = field
            case ast.Call(func=ast.Attribute(value=inner, attr=method)) if method in _TEXT_METHODS:
                name = self.column(inner)
                if name is not None:
                    self.asked[name].is_text = True
            case ast.Call(func=ast.Name(id=function), args=[inner, *_]) if function in _NUMBER_CALLS:
                name = self.column(inner)
                if name is not None:
                    self.asked[name].is_number = True
            case _:
                pass
        return name if name in self.asked else None

    def visit_Assign(self, node: ast.Assign) -> None:
        column = self.column(node.value)
        match node.targets:
            case [ast.Name(id=name)] if column is not None:
                self.names[name] = column
            case _:
                pass
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for left, how, right in zip(sides, node.ops, sides[1:], strict=False):
            if isinstance(how, _WITHIN):
                self._note_membership(left, right)
            else:
                for one, other in ((left, right), (right, left)):
                    self._note_comparison(one, other, in_order=isinstance(how, _ORDER))
        self.generic_visit(node)

    def _note_comparison(self, one: ast.expr, other: ast.expr, *, in_order: bool) -> None:
        cell = self.literals.cell(other) or ()
        match one:
            case ast.Call(func=ast.Name(id="len"), args=[inner]):
                column = self.column(inner)
                if column is not None:
                    numbers = (each for each in cell if isinstance(each, int | float))
                    self.asked[column].lengths.update(dict.fromkeys(numbers))
                return
            case _:
                column = self.column(one)
        if column is not None:
            self.asked[column].compared(cell)
            self.asked[column].is_number |= in_order

    def _note_membership(self, left: ast.expr, right: ast.expr) -> None:
        column = self.column(left)
        if column is not None:
            self.asked[column].compared(self.literals.members(right) or ())
        column = self.column(right)
        if column is not None:
            asked = self.asked[column]
            asked.is_list = True
            items = self.members.get(left.id, ()) if isinstance(left, ast.Name) else ()
            items += tuple(cell for cell in self.literals.cell(left) or () if isinstance(cell, str))
            asked.items.update(dict.fromkeys(items))

    def visit_For(self, node: ast.For) -> None:
        self._note_loop(node.target, node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._note_loop(node.target, node.iter)
        self.generic_visit(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp | ast.ListComp | ast.SetComp) -> None:
        for part in node.generators:
            self.visit(part)  # before what stands in front of it
        self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_GeneratorExp  # noqa: N815

    def _note_loop(self, target: ast.expr, source: ast.expr) -> None:
        column = self.column(source)
        if column is not None:
            self.asked[column].is_list = True
        members = self.literals.members(source)
        if isinstance(target, ast.Name) and members:
            self.members[target.id] = tuple(cell for cell in members if isinstance(cell, str))

    def visit_Call(self, node: ast.Call) -> None:
        for given in node.args[:1]:
            column = self.column(given)
            match node.func:
                case ast.Name(id=function) if column is not None and function in _LIST_CALLS:
                    self.asked[column].is_list = True
                case ast.Name(id="len") if column is not None:
                    self.asked[column].is_list = True
                case ast.Attribute(value=table, attr="get") if column is not None:
                    self.asked[column].compared(self.literals.keys(table) or ())
                case _:
                    pass
        self.column(node)  # what it is a view of
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        column = self.column(node.slice)
        if column is not None:
            self.asked[column].compared(self.literals.keys(node.value) or ())
        self.generic_visit(node)

    def visit_List(self, node: ast.List | ast.Set | ast.Tuple) -> None:
        self.listed.update(cell for cell in self.literals.members(node) or () if isinstance(cell, str))
        self.generic_visit(node)

    visit_Set = visit_Tuple = visit_List  # noqa: N815

    def visit_BinOp(self, node: ast.BinOp) -> None:
        for side in (node.left, node.right):
            self._note_number(side)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._note_number(node.value)
        self.generic_visit(node)

    def _note_number(self, node: ast.expr) -> None:
        column = self.column(node)
        if column is not None:
            self.asked[column].is_number = True

    def visit_If(self, node: ast.If | ast.IfExp) -> None:
        self._note_truth_test(node.test)
        self.generic_visit(node)

    visit_IfExp = visit_If  # noqa: N815

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for part in node.values:
            self._note_truth_test(part)
        self.generic_visit(node)

    def _note_truth_test(self, node: ast.expr) -> None:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node = node.operand
        column = self.column(node)
        if column is not None:
            self.asked[column].is_truth = True
