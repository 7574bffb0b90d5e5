"""What a file imports from other files of its project: constants, functions and classes, under its own names.

A module is executed at its module level once, with names of its own, and hands them on. Its functions stay
closures over these names, so that they mean what they mean at home.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fairlint.semantics.interpreter.file_state import FileState
from fairlint.semantics.names.scopes import Definitions, definitions
from fairlint.semantics.values.symbolic import Closure, Value
from fairlint.support.records import Record, replace
from fairlint.syntax.tree import Function, Import, Tree

MODULE_BUDGET = 200_000
"""Statements that are executed for one module."""

Execute = Callable[[FileState, Tree], None]
"""Executes a file's own statements and the levels of its classes."""


class _Module(Record, frozen=False):
    """One executed module: what it offers by name."""

    program: FileState
    names: dict[str, Value]
    is_ready: bool = False


def bring_in(program: FileState, parsed: Tree, execute: Execute) -> tuple[Function, ...]:
    """Give the program of a file what it imports; returns the functions of all modules followed."""
    if not parsed.modules:
        return ()
    modules: dict[int, _Module] = {}
    _link_imports(program, parsed, parsed.modules, modules, execute)
    found = [module for module in modules.values() if module.is_ready]
    for module in found:
        _share_classes(program, module)
        program.behind.extend(module.program.definitions.imports)
        for name, value in module.program.modules.items():
            program.modules.setdefault(name, value)
    return tuple(
        function
        for module in found
        for function in (
            *module.program.definitions.functions.values(),
            *module.program.definitions.methods.values(),
        )
    )


def with_functions(own: Definitions, functions: tuple[Function, ...]) -> Definitions:
    """Return the definitions of a file with those of other files beside them, under names that no
    code has.
    """
    others = {f"{function.name}@{function.span.start}": function for function in functions}
    return replace(own, functions={**own.functions, **others}) if others else own


def _link_imports(
    program: FileState,
    parsed: Tree,
    trees: tuple[Tree, ...],
    modules: dict[int, _Module],
    execute: Execute,
) -> None:
    """Bind what the imports of one file bind, as far as it is followed."""
    for statement in _import_statements(parsed):
        at = parsed.imports.get(statement.module)
        module = None if at is None else _execute_module(at, program, trees, modules, execute)
        for name, alias in statement.names:
            if module is not None and name == "*":
                _bind_names(
                    program, {key: value for key, value in module.names.items() if key[:1] != "_"}, statement
                )
            elif module is not None and name == statement.module:
                _bind_module(program, name if alias == name.partition(".")[0] else alias, module)
                _bind_name(
                    program, name, alias, module, statement
                )  # `from bonus import bonus` looks the same
            elif module is None or not _bind_name(program, name, alias, module, statement):
                dot = "" if statement.module.endswith(".") else "."
                below = parsed.imports.get(f"{statement.module}{dot}{name}")
                if below is not None and (found := _execute_module(below, program, trees, modules, execute)):
                    _bind_module(program, alias, found)


def _execute_module(
    at: int, importer: FileState, trees: tuple[Tree, ...], modules: dict[int, _Module], execute: Execute
) -> _Module | None:
    """Return the module at a place; None while it is being executed, which is a circle of imports."""
    known = modules.get(at)
    if known is not None:
        return known if known.is_ready else None
    parsed = trees[at]
    program = FileState(
        importer.source,
        importer.vocabulary,
        definitions(parsed),
        importer.evaluator,
        importer.models,
        budget=min(importer.budget, MODULE_BUDGET),
        dependence=importer.dependence,
        data=parsed.data,
    )
    module = modules[at] = _Module(program, {})
    _link_imports(program, parsed, trees, modules, execute)
    execute(program, parsed)
    space = program.globals
    for name, function in program.definitions.functions.items():
        space.setdefault(name, Closure(function, space))
    module.names = space
    importer.stopped_at = importer.stopped_at or program.stopped_at
    for name in program.definitions.types:
        program.homes.setdefault(name, space)
    module.is_ready = True
    return module


def _bind_names(program: FileState, names: dict[str, Value], statement: Import) -> None:
    program.linked.update(names)
    program.brought.setdefault(id(statement), {}).update(names)
    for name, value in names.items():
        program.globals.setdefault(name, value)


def _bind_name(program: FileState, name: str, alias: str, module: _Module, statement: Import) -> bool:
    """Make one name of a module known by its alias; False if the module has no such name."""
    if name in module.names:
        _bind_names(program, {alias: module.names[name]}, statement)
    elif name not in module.program.definitions.types:
        return False
    if program.models.library(statement.module.partition(".")[0]) is not None:
        program.of_libraries.setdefault(alias, f"{statement.module}.{name}")
    _alias_class(program, module.program, name, alias)
    return True


def _bind_module(program: FileState, called: str, module: _Module) -> None:
    """Make what is in a module known as `ft.COLUMNS`."""
    program.linked.add(called)
    for name, value in module.names.items():
        program.modules.setdefault(f"{called}.{name}", value)
    for name in module.program.definitions.types:
        _alias_class(program, module.program, name, f"{called}.{name}")
    for name, member in module.program.definitions.members.items():
        program.definitions.members.setdefault(f"{called}.{name}", member)


def _alias_class(program: FileState, home: FileState, name: str, alias: str) -> None:
    """Make a class known by the name that it is imported as."""
    own, theirs = program.definitions, home.definitions
    if name == alias or name not in theirs.types:
        return
    own.types.setdefault(alias, theirs.types[name])
    for (owner, method), function in theirs.methods.items():
        if owner == name:
            own.methods.setdefault((alias, method), function)
    for member, value in theirs.members.items():
        if member.partition(".")[0] == name:
            own.members.setdefault(f"{alias}.{member.partition('.')[2]}", value)
    program.class_values.setdefault(alias, home.class_values.get(name, {}))
    program.homes.setdefault(alias, home.globals)


def _share_classes(program: FileState, module: _Module) -> None:
    """Make the classes of a module known; what the file itself defines comes first."""
    own, theirs = program.definitions, module.program.definitions
    own.types.update({name: type_ for name, type_ in theirs.types.items() if name not in own.types})
    for (owner, name), method in theirs.methods.items():
        if own.types.get(owner) is theirs.types.get(owner):
            own.methods.setdefault((owner, name), method)
    for name, member in theirs.members.items():
        own.members.setdefault(name, member)
    for name, members in theirs.enums.items():
        own.enums.setdefault(name, members)
    for name, fields in theirs.fields.items():
        own.fields.setdefault(name, fields)
    for name, values in module.program.class_values.items():
        program.class_values.setdefault(name, values)
    for name, space in module.program.homes.items():
        program.homes.setdefault(name, space)


def _import_statements(parsed: Tree) -> Iterator[Import]:
    """Return all import statements, also those in functions."""
    return (node for node in parsed.landmarks if isinstance(node, Import))
