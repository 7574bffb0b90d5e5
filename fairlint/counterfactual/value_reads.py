"""What a program asks about each column, read off its syntax without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from fairlint.counterfactual.executors.answers import parse_program
from fairlint.counterfactual.executors.executor import Failed, Program
from fairlint.counterfactual.questions import Test
from fairlint.counterfactual.signatures import decorators
from fairlint.counterfactual.value_flow import NOTHING, PEOPLE, RECORD, TAKEN_APART, Flow, Items, TooMuch
from fairlint.support.records import Record
from fairlint.syntax.python.own_tree import Function, named_functions


class Reads(Record):
    """What a program does with the columns that are handed to it, by the names they are handed in as."""

    read: frozenset[str]
    """Those whose value is looked at in any way."""
    tests: Mapping[str, tuple[Test, ...]]
    """What is asked about each, in the order in which the program has it."""
    opaque: Mapping[str, frozenset[str]]
    """Those that are read in some way that is no test, with what becomes of them."""
    dynamic: str = ""
    """Why any column may be read in any way; empty where that cannot be."""

    def is_opaque(self, column: str) -> bool:
        """Return whether nothing less than the value itself says what the program makes of it."""
        return bool(self.dynamic) or column in self.opaque

    def is_read(self, column: str) -> bool:
        """Return whether the program may look at a column's value."""
        return bool(self.dynamic) or column in self.read


HARMLESS_MODULES = frozenset(
    "__future__ abc collections copy dataclasses datetime decimal enum fractions functools itertools json "
    "math numbers random re statistics string time typing typing_extensions uuid".split()
)
"""Modules through which no code sees another's names."""
SEEING_NAMES = frozenset(
    "globals locals vars eval exec compile breakpoint delattr setattr __import__ __builtins__ attrgetter "
    "methodcaller".split()
)
"""Through these, code sees names or fields that it does not name."""
SEEING_FIELDS = SEEING_NAMES | frozenset(
    "f_locals f_globals f_back gi_frame cr_frame ag_frame tb_frame sys inspect builtins os gc importlib "
    "modules".split()
)
"""The same for what modules, frames and tracebacks have."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MAIN = "__main__"
"""The one text with two underscores that is no name of something hidden."""


def reads(program: Program) -> Reads:
    """Return what the program asks about each of `program.call.names`."""
    if program.call.style == "frame":
        return unknown(program, "a fitted model is asked")
    module = parse_program(program.source)
    if isinstance(module, Failed):
        return unknown(program, "it does not parse")
    walk = _Walk(program, module)
    try:
        walk.run()
    except (RecursionError, TooMuch):
        return unknown(program, "it is too deep to follow")
    return Reads(
        frozenset(walk.read),
        {column: tuple(tests) for column, tests in walk.tests.items()},
        {column: frozenset(reasons) for column, reasons in walk.opaque.items()},
        walk.dynamic,
    )


def unknown(program: Program, reason: str = "it was not looked at") -> Reads:
    """Return what is known where nothing is: each column may be read in any way."""
    return Reads(frozenset(program.call.names), {}, dict.fromkeys(program.call.names, frozenset()), reason)


class _Walk(Flow):
    """Goes through all statements until nothing new is bound."""

    def __init__(self, program: Program, module: ast.Module) -> None:
        super().__init__(module, program.call.names)
        self.program = program
        self.entries: list[Function] = []
        self.within: ast.AST | None = None

    def run(self) -> None:
        """Hand the columns in, then goes through all statements until nothing changes; what it finds where
        any column may be read in any way is not all.
        """
        self.refuse_what_sees_names()
        self.find_functions()
        self.hand_in()
        self.changed = True
        while self.changed:
            self.changed = False
            self.block(self.module.body)

    # what the program is

    def refuse_what_sees_names(self) -> None:
        """Leave nothing known of a program that may reach values by other ways than their names."""
        called = {
            id(node.func)
            for node in self.nodes
            if isinstance(node, ast.Call) and len(node.args) >= 2 and isinstance(node.args[1], ast.Constant)
        }
        for node in self.nodes:
            match node:
                case ast.Name(id=name) if name in SEEING_NAMES:
                    self.give_up(f"`{name}`")
                case ast.Attribute(attr=name) if name.startswith("_") or name in SEEING_FIELDS:
                    self.give_up(f"`{name}`")
                case ast.Constant(value=str(text)) if "__" in text and text != MAIN:
                    self.give_up("a text with the name of something hidden")
                case ast.FunctionDef(name="dataclass") | ast.Name(id="dataclass", ctx=ast.Store()):
                    self.give_up("a `dataclass` of its own")
                case ast.Name(id="getattr") if id(node) not in called:
                    self.give_up("`getattr`")
                case ast.Import(names=names):
                    for alias in names:
                        self.imported(alias.name)
                case ast.ImportFrom(module=name, names=names):
                    self.imported(name or "")
                    if any(alias.name == "*" for alias in names):
                        self.give_up("`import *`")
                case _:
                    pass

    def imported(self, module: str) -> None:
        """Note a module that the program sees."""
        if module.partition(".")[0] not in HARMLESS_MODULES:
            self.give_up(f"`import {module}`")

    def find_functions(self) -> None:
        """Functions and methods whose every call by name can be followed."""
        for node in self.nodes:
            inner = node.body if isinstance(node, ast.ClassDef) else []
            self.members.update(one.name for one in inner if isinstance(one, FUNCTIONS))
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])) if (
                    self.bound[name] == 1
                ):
                    self.empty_lists.add(name)
            if isinstance(node, ast.ClassDef) and self.bound[node.name] == 1:
                self.plain_classes.update([node.name] if _is_plain_class(node, self.columns) else [])
        within = {id(one) for node in self.nodes if isinstance(node, ast.ClassDef) for one in node.body}
        for node in self.nodes:
            if isinstance(node, ast.FunctionDef) and not node.decorator_list and self.bound[node.name] == 1:
                (self.methods if id(node) in within else self.functions)[node.name] = node

    def entry(self) -> tuple[list[Function], ast.ClassDef | None]:
        """Return the functions that may be meant by the entry's name, and the class that they stand in."""
        body, holder = self.module.body, None
        *classes, name = self.program.entry.split(".")
        for part in classes:
            found = [one for one in body if isinstance(one, ast.ClassDef) and one.name == part]
            if len(found) != 1 or self.bound[part] != 1:
                return [], None
            holder, body = found[0], found[0].body
        named = (named_functions([one]).get(name) for one in body)
        return [one for one in named if isinstance(one, ast.FunctionDef | ast.Lambda)], holder

    def hand_in(self) -> None:
        """Bind the columns, or the person, to the parameters of the entry."""
        call = self.program.call
        functions, holder = self.entry()
        name = self.program.entry.rpartition(".")[2]
        if not functions or self.bound[name] != len(functions) or any(map(decorators, functions)):
            self.give_up("the entry is no plain function")
        if holder is not None and not _is_plain_class(holder, self.columns):
            self.give_up(f"class `{holder.name}` does more than to hold columns")
        own = int(holder is not None and call.style != "method")  # its first parameter is no person
        others = {name for name, _ in call.extra}
        for function in functions:
            arguments = function.args
            if arguments.vararg:
                self.give_up("it takes any arguments")
            names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
            names = names[own:]
            if call.style == "arguments":
                for column in self.columns & set(names):
                    self.bind(column, frozenset({(column, ())}))
                if arguments.kwarg:
                    self.bind(arguments.kwarg.arg, frozenset({RECORD}))
            else:
                people = [one for one in names if one not in others][:1]
                if not people:
                    self.give_up("no parameter takes the person")
                    continue
                self.bind(people[0], frozenset({PEOPLE if call.style == "people" else RECORD}))
        self.entries = functions
        if len(functions) == 1 and not any(_is_name_node(node, name) for node in self.nodes):
            for other, cell in call.extra:
                if self.bound[other] == 1:
                    self.literals.named[other] = ast.Constant(cell)

    # statements

    def block(self, statements: Iterable[ast.stmt]) -> None:
        """Statements one after another."""
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """One statement: those that bind or use a value here, those that hold others in `compound`."""
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self.assign(target, value)
            case ast.AnnAssign(target=target, value=value):
                self.escape(self.value(node.annotation), "kept")
                if value is not None:
                    self.assign(target, value)
            case ast.AugAssign(target=target, value=value):
                self.escape(self.value(value), "calculated with")
                if isinstance(target, ast.Name):
                    self.escape(self.looked_at(self.env.get(target.id, NOTHING)), "calculated with")
                else:
                    self.store(target, NOTHING)
            case ast.Expr(value=value):
                self.value(value)
            case ast.Assert(test=test, msg=message):
                self.truth(test)
                if message is not None:
                    self.escape(self.value(message), "told")
            case ast.Delete(targets=targets):
                for target in targets:
                    self.store(target, NOTHING)
            case ast.Pass() | ast.Break() | ast.Continue() | ast.Global() | ast.Nonlocal() | ast.Import():
                pass
            case ast.ImportFrom():
                pass
            case ast.Return(value=ast.expr() as value):
                held = self.value(value)
                if held != {PEOPLE} or self.program.call.style != "people" or self.within not in self.entries:
                    self.escape(
                        held, "returned"
                    )  # of people who are returned it only counts whether there are any
            case _:
                self.compound(node)

    def compound(self, node: ast.stmt) -> None:
        """Note a statement with others in it."""
        match node:
            case ast.If(test=test) | ast.While(test=test):
                self.truth(test)
                self.block([*node.body, *node.orelse])
            case ast.For(target=target, iter=iterated) | ast.AsyncFor(target=target, iter=iterated):
                self.go_through(target, iterated)
                self.store(target, NOTHING)
                self.block([*node.body, *node.orelse])
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node)
            case ast.ClassDef(bases=bases, keywords=keywords, decorator_list=decorators):
                for one in (*bases, *(keyword.value for keyword in keywords), *decorators):
                    self.escape(self.value(one), "given to a class")
                around, self.in_class = self.in_class, True
                self.block(node.body)
                self.in_class = around
            case ast.Match(subject=subject, cases=cases):
                held = self.value(subject)
                for case in cases:
                    self.pattern(case.pattern, held)
                    if case.guard is not None:
                        self.truth(case.guard)
                    self.block(case.body)
            case ast.Try() | ast.TryStar():
                self.block([*node.body, *node.orelse, *node.finalbody])
                for handler in node.handlers:
                    if handler.type is not None:
                        self.escape(self.value(handler.type), "caught")
                    self.block(handler.body)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                for item in items:
                    self.escape(self.value(item.context_expr), "opened")
                    if item.optional_vars is not None:
                        self.store(item.optional_vars, NOTHING)
                self.block(node.body)
            case _:  # return, raise, and what later versions bring
                self.all_escape(node, "returned")

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Note what a function is defined with, and its body."""
        around, self.in_class, within, self.within = self.in_class, False, self.within, node
        for one in (*node.decorator_list, *([] if node.returns is None else [node.returns])):
            self.escape(self.value(one), "kept")
        self.all_escape(node.args, "kept")
        self.block(node.body)
        self.in_class, self.within = around, within

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        """`target = value`, each for itself where both are rows of the same length."""
        match target, value:
            case ((ast.Tuple(elts=to) | ast.List(elts=to)), (ast.Tuple(elts=of) | ast.List(elts=of))) if len(
                to
            ) == len(of) and not any(isinstance(one, ast.Starred) for one in (*to, *of)):
                for one, other in zip(to, of, strict=True):
                    self.assign(one, other)
            case _:
                self.store(target, self.value(value))

    def store(self, target: ast.expr, items: Items) -> None:
        """Something is put where `target` says."""
        match target:
            case ast.Name(id=name):
                self.bind(name, items)
            case ast.Attribute(value=value, attr=attribute):
                self.escape(items, "stored")
                if RECORD in self.value(value) and attribute in (self.columns | self.members):
                    self.give_up("the person is changed")
            case ast.Subscript(value=value, slice=key):
                self.escape(items, "stored")
                self.escape(self.value(key), "a key")
                named = isinstance(key, ast.Constant) and key.value not in self.columns
                if RECORD in self.value(value) and not named:
                    self.give_up("the person is changed")
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self.escape(items, "unpacked")
                for one in targets:
                    self.store(one, NOTHING)
            case ast.Starred(value=value):
                self.escape(items, "unpacked")
                self.store(value, NOTHING)
            case _:
                self.escape(items, "stored")
                self.all_escape(target, "stored")

    def pattern(self, pattern: ast.pattern, held: Items) -> None:
        """Note that a pattern of `match` asks about what it is given."""
        match pattern:
            case ast.MatchValue(value=value):
                self.ask(held, ast.Eq(), value)
            case ast.MatchSingleton(value=value):
                self.test(held, "is", (value,))
            case ast.MatchOr(patterns=patterns) if (any_of := _any_of(patterns)) is not None:
                self.ask(held, ast.In(), any_of)
            case ast.MatchOr(patterns=patterns):
                for one in patterns:
                    self.pattern(one, held)
            case ast.MatchAs(pattern=inner, name=name):
                if inner is not None:
                    self.pattern(inner, held)
                if name is not None:
                    self.bind(name, held)
            case _:
                self.escape(held, TAKEN_APART)
                self.all_escape(pattern, "matched")


def _is_plain_class(node: ast.ClassDef, columns: frozenset[str]) -> bool:
    """Return whether a class has fields and methods alone, none of which is called unseen."""
    decorators = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
    named = [one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in decorators]
    return (
        not node.bases
        and not node.keywords
        and set(named) <= {"dataclass"}
        and not any(
            not isinstance(one, ast.FunctionDef) or one.name.startswith("__") or one.name in columns
            for one in node.body
            if isinstance(one, FUNCTIONS)
        )
    )


def _is_name_node(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _any_of(patterns: list[ast.pattern]) -> ast.Tuple | None:
    """Return the values of a pattern that asks for any of some values."""
    values = [one.value for one in patterns if isinstance(one, ast.MatchValue)]
    return ast.Tuple(values, ast.Load()) if len(values) == len(patterns) else None
