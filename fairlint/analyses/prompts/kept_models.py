"""Models that an object keeps: what each was told where the constructor made it."""

from __future__ import annotations

from fairlint.analyses.prompts.reading import Placed
from fairlint.semantics.interpreter.file_state import FileState
from fairlint.semantics.names.qualified_names import type_of_value
from fairlint.semantics.tables import libraries
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MOST_FIELDS = 3
"""Fields that are followed: a chat is made of a model, which is told who it is."""


def texts_from_constructor(call: Call, program: FileState) -> list[Placed]:
    """Return the texts that a model holds which a method asks: `self.agent.run(...)` of an
    `Agent(instructions=...)` that the constructor gave to `self.agent`.
    """
    owner = call.function.rpartition(".")[0]
    constructor = program.definitions.method(owner, program.conventions.constructor)
    path, receiver = _field_of_method_call(call.node, program), call.receiver
    for _ in range(MOST_FIELDS):
        made = None if constructor is None or path is None else _given_to(path, constructor.function)
        if made is None or receiver is None:
            return []
        several = libraries.may_be(made, type_of_value(receiver), program)
        if any("holds text" in one.entry.does for one in several):
            given = (*made.arguments, *(node for _, node in made.keywords))
            return [
                (value, node) for node in given if (value := _static_value(node, owner, program)) is not None
            ]
        path = _field_of_method_call(made, program)
        receiver = program.class_values.get(owner, {}).get(path or "")
    return []


def _field_of_method_call(call: tree.Call, program: FileState) -> str | None:
    """Return the field of the object that a method is called on: `self.model` of
    `self.model.start_chat()`.
    """
    path = path_of(call.function.value) if isinstance(call.function, tree.Field) else None
    return path if path is not None and program.conventions.own_name(path) else None


def _given_to(path: str, constructor: tree.Function) -> tree.Call | None:
    """Return the call whose result a constructor gives to a field last."""
    found = None
    for statement in constructor.body:
        for part in tree.walk(statement):
            if isinstance(part, tree.Assign) and any(path_of(target) == path for target in part.targets):
                found = part.value if isinstance(part.value, tree.Call) else None
    return found


def _static_value(node: Node, owner: str, program: FileState) -> Value | None:
    """Return a text that is written out, a variable of the module, or a field of the class."""
    if isinstance(node, tree.Literal):
        return None if isinstance(node.value, bytes) else Const(node.value, "", node)
    path = path_of(node)
    if path is None:
        return None
    values = program.class_values.get(owner, {})
    return values.get(path) if program.conventions.own_name(path) else program.globals.get(path)
