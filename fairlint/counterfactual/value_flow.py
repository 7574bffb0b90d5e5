"""How values of columns flow through expressions, and which of them only answer a question.

Names are looked at without order and without scopes: a name may hold whatever is bound to it anywhere in the
program. A column's value may flow through names, views of it (`value.lower()`) and arguments of functions
that the program itself defines. Wherever else it goes, it is opaque: nobody knows what is made of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from fairlint.counterfactual.literals import ONLY_LOOK, Literals, bindings
from fairlint.counterfactual.population import Cell
from fairlint.counterfactual.questions import KIND_VIEWS, TEXT_TESTS, TEXT_VIEWS, Test, then
from fairlint.counterfactual.signatures import by_place, signature
from fairlint.syntax.comparisons import MIRRORED
from fairlint.syntax.python.own_tree import nodes_in
from fairlint.syntax.signatures import bind_arguments

ORDERS: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "==", ast.Lt: "<", ast.GtE: ">=", ast.Gt: ">", ast.LtE: "<=",
}  # fmt: skip
VIEWS_OF_VIEWS = 4
"""Views of views up to here: a loop makes ever more of them."""

Item = tuple[str, tuple[str, ...]]
"""A column with what was made of its value; RECORD is the person, PEOPLE a list of no other than people."""
Items = frozenset[Item]
RECORD: Item = ("", ())
PEOPLE: Item = ("", ("people",))
NOTHING: Items = frozenset()


PASSED_THROUGH = "gone through"
CALCULATED = "calculated with"
AS_TEXT = "asked for a method of texts"
TAKEN_APART = "taken apart"
"""What becomes of a value that nobody sees any more, and says of what kind it is."""
LOOKS = 100_000
"""Expressions looked at before a program is given up: calls within calls are looked at again and again."""
NUMBER_CALLS = frozenset({"round", "min", "max"})
TYPES = frozenset({"bool", "dict", "float", "int", "list", "set", "str", "tuple"})


class TooMuch(Exception):  # noqa: N818 (nothing is wrong with the program)
    """A program takes too long to follow."""


def made_of_columns(items: Items) -> Items:
    """Return the items that are values of columns, not people."""
    return frozenset(item for item in items if item[0])


class Flow:
    """What is known of a program: what names hold, what is asked about each column, what is opaque.

    `value` of an expression is the columns whose value it may have; whoever takes an expression in must say
    what becomes of those.
    """

    def __init__(self, module: ast.Module, columns: Iterable[str]) -> None:
        """`columns` are the names that columns are handed in as."""
        self.module = module
        self.nodes = nodes_in(module)
        self.columns = frozenset(columns)
        self.bound = bindings(module)
        self.literals = Literals(module, self.bound)
        self.env: dict[str, Items] = {}
        self.read: set[str] = set()
        self.tests: dict[str, dict[Test, None]] = {}
        self.opaque: dict[str, set[str]] = {}
        """Column → what becomes of its value that nobody sees."""
        self.steps: dict[str, tuple[Cell, ...]] = {}
        """Name that only a loop over a literal gives a value → what it may hold."""
        self.dynamic = ""
        self.changed = False
        self.functions: dict[str, ast.FunctionDef] = {}
        self.methods: dict[str, ast.FunctionDef] = {}
        self.members: set[str] = set()
        self.plain_classes: set[str] = set()
        self.empty_lists: set[str] = set()
        self.in_class = False
        self.left = LOOKS

    def give_up(self, reason: str) -> None:
        """Nothing is known of the program from here on."""
        self.dynamic = self.dynamic or reason

    def escape(self, items: Items, reason: str) -> None:
        """Note that the items go where nobody sees what becomes of them."""
        for column, _ in items:
            if column:
                self.opaque.setdefault(column, set()).add(reason)
            else:
                self.give_up(f"the person is {reason}")

    def bind(self, name: str, items: Items) -> None:
        """Note that a name may hold these."""
        if self.in_class:  # it becomes a field, too
            self.escape(items, "stored")
        known = self.env.get(name, NOTHING)
        if not items <= known:
            self.env[name] = known | items
            self.changed = True

    @property
    def hidden(self) -> frozenset[str]:
        """What a person may have in place of a mapping's methods."""
        return self.columns | self.members

    def test(self, items: Items, op: str, literals: tuple[Cell, ...] = ()) -> None:
        """A question is asked about the columns among the items."""
        for column, views in items:
            if column:
                self.tests.setdefault(column, {})[Test(views, op, literals)] = None

    def apply_view(self, items: Items, view: str) -> Items:
        """Return what a view makes of the items."""
        made = frozenset((column, then(views, view)) for column, views in items if column)
        self.test(made, "made")
        self.escape(items - made_of_columns(items), "converted")
        far = frozenset(item for item in made if len(item[1]) > VIEWS_OF_VIEWS)
        self.escape(far, "converted")
        return made - far

    def looked_at(self, items: Items) -> Items:
        """Return the items, of which the program has seen the values."""
        self.read.update(column for column, _ in items if column)
        return items

    # expressions

    def value(self, node: ast.expr) -> Items:
        """Return the columns whose value an expression may have."""
        self.left -= 1
        if self.left < 0:
            raise TooMuch
        match node:
            case ast.Constant():
                return NOTHING
            case ast.Name(id=name):
                return self.looked_at(self.env.get(name, NOTHING))
            case ast.Attribute():
                return self.attribute(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Call():
                return self.call(node)
            case ast.Compare():
                self.compare(node)
                return NOTHING
            case ast.BoolOp(values=values):
                held = frozenset().union(*map(self.value, values))
                self.test(held, "truth")
                return held
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.truth(operand)
                return NOTHING
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                self.truth(test)
                return self.value(body) | self.value(otherwise)
            case ast.NamedExpr(target=target, value=value):
                held = self.value(value)
                self.bind(target.id, held)
                return held
            case ast.ListComp(elt=element):
                self.comprehension(node)
                return frozenset({PEOPLE}) if self.value(element) == {RECORD} else NOTHING
            case ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self.comprehension(node)
                return NOTHING
            case ast.BinOp():
                self.all_escape(node, CALCULATED)
                return NOTHING
            case _:  # texts, displays, lambdas, and what later versions bring
                self.all_escape(node, "put together with others")
                return NOTHING

    def truth(self, node: ast.expr) -> None:
        """Note that an expression is asked for its truth alone."""
        if isinstance(node, ast.BoolOp):
            for one in node.values:
                self.truth(one)
        else:
            self.test(self.value(node), "truth")

    def all_escape(self, node: ast.AST, reason: str) -> None:
        """Everything that the parts of a node hold goes where nobody sees it."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.escape(self.value(child), reason)
            else:
                self.all_escape(child, reason)

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        """Note what a comprehension goes through, asks and collects."""
        for generator in node.generators:
            self.go_through(generator.target, generator.iter)
            for condition in generator.ifs:
                self.truth(condition)
        elements = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        for one in elements:
            held = self.value(one)
            if held != {RECORD} or not isinstance(node, ast.ListComp):
                self.escape(held, "collected")

    def go_through(self, target: ast.expr, iterated: ast.expr) -> None:
        """`for target in iterated`: each of people is a person."""
        held = self.value(iterated)
        if held == {PEOPLE} and isinstance(target, ast.Name):
            self.bind(target.id, frozenset({RECORD}))
        else:
            self.escape(held, PASSED_THROUGH)
        if isinstance(target, ast.Name) and self.bound[target.id] == 1:
            self.steps[target.id] = self.literals.members(iterated) or ()

    def attribute(self, node: ast.Attribute) -> Items:
        """Return a field of something: a column where that is the person."""
        held = self.value(node.value)
        self.escape(held - {RECORD}, "asked for a field")
        if RECORD not in held:
            return NOTHING
        if node.attr not in self.columns and (node.attr in self.members or hasattr(dict, node.attr)):
            self.give_up(f"`{node.attr}` of the person")
        return self.column(node.attr)

    def column(self, name: str) -> Items:
        """Return the column of this name, if there is one."""
        return self.looked_at(frozenset({(name, ())})) if name in self.columns else NOTHING

    def subscript(self, node: ast.Subscript) -> Items:
        """Return a column of the person, or what a literal table says of a column."""
        held, key = self.value(node.value), self.value(node.slice)
        self.escape(held - {RECORD}, TAKEN_APART)
        if key:
            known = self.literals.keys(node.value)
            if known is None:
                self.escape(key, "a key")
            else:
                self.asked(key, "lookup", known)
        if RECORD not in held:
            return NOTHING
        name = self.literals.cell(node.slice)
        if name is None or not isinstance(name[0], str):
            self.give_up("a column that is chosen when it runs")
            return NOTHING
        return self.column(name[0])

    def asked(self, items: Items, op: str, literals: tuple[Cell, ...]) -> None:
        """Note a question that says nothing of a person as a whole."""
        self.escape(items - made_of_columns(items), "compared")
        self.test(items, op, literals)

    # calls

    def call(self, node: ast.Call) -> Items:
        """Return what a call may return, where that is a column."""
        match node.func:
            case ast.Attribute(value=value, attr=method):
                return self.method(node, value, method)
            case ast.Name(id=name) if name in self.functions:
                return self.own_call(node, self.functions[name], ())
            case ast.Name(id=name) if self.literals.is_builtin(name):
                return self.builtin(node, name)
            case ast.Name(id=name) if name in self.plain_classes:
                return self.made(node)
            case _:
                return self.unknown_call(node)

    def unknown_call(self, node: ast.Call) -> Items:
        """Return a call of which nobody sees what it does."""
        self.all_escape(node, "handed to a call")
        return NOTHING

    def made(self, node: ast.Call) -> Items:
        """Return an object of a class that only holds fields: a person, where each is the column of
        its name.
        """
        fields = {one.arg: self.value(one.value) for one in node.keywords}
        if node.args or any(items != {(name, ())} for name, items in fields.items()):
            return self.unknown_call(node)
        return frozenset({RECORD})

    def builtin(self, node: ast.Call, name: str) -> Items:
        """Return a call of one of Python's own functions."""
        match node.args:
            case [person, ast.Constant(value=str(column)), *default] if name in {"getattr", "hasattr"}:
                held = self.value(person)
                if column.startswith("_") or (RECORD in held and column in self.members):
                    self.give_up(f"`{column}` of the person")
                self.escape(held - {RECORD}, "asked for a field")
                found = self.column(column) if RECORD in held else NOTHING
                return found | frozenset().union(*map(self.value, default)) if name == "getattr" else NOTHING
            case _ if name == "print" and not node.keywords:
                for one in node.args:
                    self.shown(one)
                return NOTHING
            case [ast.Name(id=listed)] if name == "len" and self.env.get(listed) == frozenset({PEOPLE}):
                return NOTHING
            case [one] if not node.keywords and name in KIND_VIEWS:
                return self.apply_view(self.value(one), name)
            case [one] if not node.keywords and name == "bool":
                self.truth(one)
                return NOTHING
            case [one, types] if not node.keywords and name == "isinstance" and self.are_types(types):
                self.asked(self.value(one), "type", ())
                return NOTHING
            case _:
                kind = CALCULATED if name in NUMBER_CALLS else PASSED_THROUGH if name in ONLY_LOOK else ""
                self.all_escape(node, kind or "handed to a call")
                return NOTHING

    def are_types(self, node: ast.expr) -> bool:
        """Return whether an expression names Python's own types, one or several, and nothing else does."""
        types = node.elts if isinstance(node, ast.Tuple) else [node]
        return all(
            isinstance(each, ast.Name) and each.id in TYPES and not self.bound[each.id] for each in types
        )

    def shown(self, node: ast.expr) -> None:
        """Something is printed: nobody reads it, and to print a value or a record of values never fails."""
        match node:
            case ast.JoinedStr(values=values):
                for one in values:
                    self.shown(one)
            case ast.FormattedValue(value=value, format_spec=None):
                self.shown(value)
            case ast.Name() | ast.Attribute() | ast.Subscript():
                self.value(node)
            case _:
                self.escape(self.value(node), "printed")

    def method(self, node: ast.Call, value: ast.expr, method: str) -> Items:
        """Return a method of a column's value, of a literal table or of something else."""
        keys = self.literals.keys(value)
        if method == "get" and keys is not None and 1 <= len(node.args) <= 2 and not node.keywords:
            self.asked(self.value(node.args[0]), "get", keys)
            return frozenset().union(*map(self.value, node.args[1:]))
        held = self.value(value)
        if method == "append" and self.is_own_list(value) and held <= {PEOPLE}:
            return self.append(node, value)
        if RECORD in held:
            if held != {RECORD}:
                self.escape(held - {RECORD}, "asked for a method")
            return self.of_person(node, method)
        if not held:
            return self.unknown_call(node)
        cells = [self.literals.cell(one) for one in node.args]
        if method in TEXT_VIEWS and not node.args and not node.keywords:
            return self.apply_view(held, method)
        if method in TEXT_TESTS and len(cells) == 1 and cells[0] is not None and not node.keywords:
            self.test(held, method, cells[0])
            return NOTHING
        is_text = hasattr(str, method) and not hasattr(list, method)
        self.escape(held, AS_TEXT if is_text else "asked for a method")
        return self.unknown_call(node)

    def is_own_list(self, node: ast.expr) -> bool:
        """Return whether a name is bound once, to an empty list."""
        return isinstance(node, ast.Name) and node.id in self.empty_lists

    def append(self, node: ast.Call, listed: ast.expr) -> Items:
        """`listed.append(person)`, or whatever else is appended."""
        held = [self.value(one) for one in node.args]
        if held == [{RECORD}] and isinstance(listed, ast.Name) and not node.keywords:
            self.bind(listed.id, frozenset({PEOPLE}))
            return NOTHING
        return self.unknown_call(node)

    def of_person(self, node: ast.Call, method: str) -> Items:
        """Return a method of the person."""
        name = self.literals.cell(node.args[0]) if node.args else None
        match node.args:
            case [_, *default] if (
                name is not None
                and isinstance(name[0], str)
                and method == "get"
                and len(default) <= 1
                and not node.keywords
                and method not in self.hidden
            ):
                return self.column(name[0]) | frozenset().union(*map(self.value, default))
            case _ if method in self.methods and method not in self.columns:
                return self.own_call(node, self.methods[method], (frozenset({RECORD}),))
            case _:
                self.give_up(f"`{method}` of the person")
                return self.unknown_call(node)

    def own_call(self, node: ast.Call, function: ast.FunctionDef, before: tuple[Items, ...]) -> Items:
        """Return a call of a function of the program, whose parameters get what is handed over."""
        given = [*before, *(self.value(one) for one in node.args)]
        if any(isinstance(one, ast.Starred) for one in node.args):
            return self.unknown_call(node)
        named = [(one.arg, self.value(one.value)) for one in node.keywords]
        by_name = {name: items for name, items in named if name is not None}
        taken = list(bind_arguments(signature(function), given, by_name, by_place(function)))
        if any(parameter.star == "*" and items for parameter, items in taken):
            return self.unknown_call(node)
        for parameter, found in taken:
            for _, items in found:
                if parameter.star:
                    self.escape(items, "handed to a call")
                else:
                    self.bind(parameter.name, items)
        for items in (items for name, items in named if name is None):
            self.escape(items, "handed to a call")
        return NOTHING

    # comparisons

    def compare(self, node: ast.Compare) -> None:
        """Note a chain of comparisons."""
        left = node.left
        for how, right in zip(node.ops, node.comparators, strict=True):
            self.compare_two(left, how, right)
            left = right

    def compare_two(self, left: ast.expr, how: ast.cmpop, right: ast.expr) -> None:
        """One comparison of a chain."""
        one, other = self.value(left), self.value(right)
        if one and other:
            self.escape((one | other) - {RECORD}, "compared with another")
            if one - {RECORD} or not isinstance(how, ast.In | ast.NotIn):
                self.escape(frozenset({RECORD}) & (one | other), "compared")
        elif one:
            self.ask(one, how, right)
        elif other:
            self.ask_mirror_comparison(other, how, left)

    def ask(self, items: Items, how: ast.cmpop, literal: ast.expr) -> None:
        """`items how literal`."""
        cell = self.literals.cell(literal)
        members, numbers = self.literals.members(literal), self.literals.numbers(literal)
        match how:
            case ast.In() | ast.NotIn() if members is not None:
                self.asked(items, "in", members)
            case ast.In() | ast.NotIn() if numbers is not None:
                self.asked(items, "range", numbers)
            case ast.In() | ast.NotIn() if cell is not None and isinstance(cell[0], str):
                self.asked(items, "within", cell)
            case ast.Is() | ast.IsNot() if cell is not None and (
                cell[0] is None or isinstance(cell[0], bool)
            ):
                self.test(items, "is", cell)
            case _ if cell is not None and type(how) in ORDERS:
                self.test(items, ORDERS[type(how)], cell)
            case _:
                self.escape_comparison(items, how)

    def escape_comparison(self, items: Items, how: ast.cmpop) -> None:
        """Note that items are compared with what is no literal."""
        in_order = isinstance(how, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        self.escape(items, CALCULATED if in_order else "compared with what is no literal")

    def ask_mirror_comparison(self, items: Items, how: ast.cmpop, literal: ast.expr) -> None:
        """`literal how items`."""
        cell = self.literals.cell(literal)
        if cell is not None and type(how) in ORDERS:
            self.test(items, MIRRORED[ORDERS[type(how)]], cell)
        elif isinstance(how, ast.In | ast.NotIn):
            # of a person: whether it has such a column, the same for everybody
            step = self.steps.get(literal.id) if isinstance(literal, ast.Name) else None
            for one in cell or step or ():
                self.test(items, "has", (one,))
            if not (cell or step):
                self.escape(items, PASSED_THROUGH)
        else:
            self.escape_comparison(items, how)
