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
from collections.abc import Iterable, Iterator, Sequence

from fairlint.counterfactual.calling import calls, entries
from fairlint.counterfactual.executors.executor import Given, Program
from fairlint.counterfactual.literals import Literals, bindings
from fairlint.counterfactual.population import Cell, Column
from fairlint.counterfactual.questions import TEXT_TESTS, TEXT_VIEWS
from fairlint.counterfactual.record_reads import NOTHING, reads_of
from fairlint.counterfactual.signatures import parameters
from fairlint.counterfactual.value_flow import AS_TEXT, CALCULATED, PASSED_THROUGH
from fairlint.counterfactual.value_reads import Reads, reads
from fairlint.support.errors import UsageError
from fairlint.syntax.python.own_parser import NotParsedError, parse_text
from fairlint.syntax.python.own_tree import named_functions, nodes_in

PEOPLE = 10
"""As many tests as the published check has."""
MOST_VALUES = 12
"""Values of a column that are tried at most."""
_ORDER = frozenset({"<", "<=", ">", ">="})
NOT_COMPARED = frozenset({*TEXT_TESTS, "within", "type", "made"})
"""Questions whose literals are no values that a person has."""
OTHER = "other"
"""A text that no code names."""
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
            found.append(OTHER)
        if not found:
            if self.is_number:
                return _NUMBERS
            return (True, False) if self.is_truth else (OTHER,)
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
        fill = tuple(f"{OTHER} {number}" for number in range(longest - len(items)))
        return ((*items, *fill), items[: (len(items) + 1) // 2], (OTHER,), ())


def trial(source: str, function: str = "", *, seed: int = 0) -> tuple[Program, list[tuple[Given, ...]]]:
    """Return a program that calls a function of some code with a person, and `PEOPLE` people to call it with.

    Where the code does not define the `function`, the last that it defines is called. Raises UsageError where
    there is none, or no way to hand a person in.
    """
    entry = entry_of(source, function)
    try:
        columns = tuple(Column(name=name, values=()) for name in read_names(parse_text(source), entry))
        calling = calls(source, columns, entry, data="what it reads of a person")
        return calling.program, people_for(calling.program, seed=seed)
    except (NotParsedError, RecursionError):
        raise UsageError("the code is nested too deeply") from None


def entry_of(source: str, function: str) -> str:
    """Return what is called of some code: a function, or the last that it defines where it lacks that one.

    Raises UsageError where there is none.
    """
    known = entries(source)
    if not known:
        raise UsageError("the code defines no function, or does not parse")
    plain = [name for name in known if "." not in name]
    return function if function in known else (plain or known)[-1]


def read_names(module: ast.Module, entry: str) -> tuple[str, ...]:
    """Return what a function reads of the person that it is handed, else the names of its parameters."""
    functions = named_functions(nodes_in(module))
    function = functions[entry.rpartition(".")[2]]
    given = [name for name, _ in parameters(function) if name not in {"self", "cls"}]
    for name in given:
        reads = reads_of(function, name, functions)
        keys = reads.keys if len(given) == 1 else ()  # of several, `"x" in skills` is asked of a list
        if found := (*reads.fields, *keys):
            return tuple(dict.fromkeys(found))
    return tuple(given)


def named_columns(tree: ast.AST) -> tuple[str, ...]:
    """Return what people may have whom some code is about: fields and keys that it reads of anything, and the
    parameters of functions that have several and read nothing of them.
    """
    nodes = nodes_in(tree)
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    found: dict[str, None] = {}
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(), attr=name) if id(node) not in called:
                found[name] = None
            case ast.Subscript(slice=ast.Constant(value=str(name))):
                found[name] = None
            case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(name)), *_]):
                found[name] = None
            case ast.FunctionDef(args=arguments) if len(arguments.args) > 1:
                given = (one.arg for one in arguments.args if one.arg != "self")
                found.update(dict.fromkeys(one for one in given if reads_of(node, one, {}) == NOTHING))
    return tuple(name for name in found if name.isidentifier())


def columns_of_code(source: str) -> tuple[str, ...]:
    """Return the same of some code. Raises UsageError for no Python."""
    try:
        return named_columns(parse_text(source))
    except (NotParsedError, RecursionError):
        raise UsageError("the code does not parse") from None


def people_for(program: Program, *, seed: int = 0) -> list[tuple[Given, ...]]:
    """Return a row for each of `PEOPLE`, with a value for each of the columns that a program is handed."""
    pools = list(value_pools(program).values())
    drawn = random.Random(seed)  # noqa: S311 (people, nothing to guess)
    rows = [tuple(pool[0] for pool in pools), tuple(pool[-1] for pool in pools)]
    while len(rows) < PEOPLE:
        rows.append(tuple(drawn.choice(pool) for pool in pools))
    return rows


def value_pools(program: Program) -> dict[str, tuple[Given, ...]]:
    """Return the values to try in each of the columns that a program is handed, what its text asks for first.

    Raises UsageError for code that is nested too deeply.
    """
    try:
        found, others = reads(program), _listed_texts(parse_text(program.source))
    except (NotParsedError, RecursionError):
        raise UsageError("the code is nested too deeply") from None
    return {column: _asked_of(found, column).values(others) for column in program.call.names}


def _asked_of(found: Reads, column: str) -> _Asked:
    """Return what a program asks about one column, by its tests and by what becomes of it else."""
    asked = _Asked()
    becomes = found.opaque.get(column, frozenset())
    asked.is_list = PASSED_THROUGH in becomes
    asked.is_text = AS_TEXT in becomes
    asked.is_number = CALCULATED in becomes
    for test in found.tests.get(column, ()):
        views = {*test.views}
        asked.is_text |= not views.isdisjoint(TEXT_VIEWS) or test.op in TEXT_TESTS
        asked.is_number |= not views.isdisjoint({"int", "float", "abs"}) or test.op in _ORDER
        asked.is_truth |= test.op == "truth"
        if "len" in views:
            asked.is_list = True
            asked.lengths.update((cell, None) for cell in test.literals if isinstance(cell, int | float))
        elif test.op == "has":
            asked.is_list = True
            asked.items.update((cell, None) for cell in test.literals if isinstance(cell, str))
        elif test.op not in NOT_COMPARED:
            asked.compared(test.literals)
    return asked


def _listed_texts(module: ast.Module) -> tuple[str, ...]:
    """Return the texts of all lists, tuples and sets in some code, in their order."""
    literals = Literals(module, bindings(module))
    listed = [node for node in nodes_in(module) if isinstance(node, ast.List | ast.Set | ast.Tuple)]
    listed.sort(key=lambda node: (node.lineno, node.col_offset))
    cells = (cell for node in listed for cell in literals.members(node) or ())
    return tuple(dict.fromkeys(cell for cell in cells if isinstance(cell, str)))
