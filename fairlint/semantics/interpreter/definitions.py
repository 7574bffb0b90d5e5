"""Definitions of functions, classes and macros, and the frame in which a function is looked at by itself."""

from __future__ import annotations

from fairlint.semantics.interpreter import checked_fields, expressions, loaded_data, reads
from fairlint.semantics.interpreter.bodies import execute_body
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.variables import Variables
from fairlint.semantics.texts import text_values
from fairlint.semantics.values.symbolic import Closure, Const, Opaque
from fairlint.syntax import tree


def execute_function(node: tree.Function, frame: Frame) -> None:
    """Execute a function that is defined in a function."""
    frame.variables[node.name] = Closure(node, dict(frame.variables), frame.owner)
    if frame.calls:
        return
    inner = function_frame(node, frame, frame.owner)
    inner.variables = Variables({**frame.variables, **inner.variables})
    execute_body(node.body, inner)


def function_frame(node: tree.Function, outer: Frame, owner: str) -> Frame:
    """Return a frame for a function that is looked at by itself: parameters stand for themselves."""
    qualified = ".".join(part for part in (outer.function, node.name) if part)
    inner = Frame(outer.program, qualified, Variables(), outer.events, owner=owner)
    _evaluate_decorators(node, outer)
    for parameter in node.parameters:
        inner.types[parameter.name] = parameter.type
        default = None
        if parameter.default is not None:
            default = outer.evaluate(parameter.default)
        if parameter.star:
            continue
        found = reads.read_by_identifier(parameter.name, parameter, inner, "", parameter.type)
        if found is not None:
            inner.variables[parameter.name] = found
        elif isinstance(parameter.default, tree.Literal) and isinstance(parameter.default.value, int | float):
            value = parameter.default.value
            inner.variables[parameter.name] = (
                Opaque(parameter.name) if isinstance(value, bool) else Const(value)
            )
        elif default is not None and text_values.is_sentence(default):
            inner.variables[parameter.name] = default
        elif (file := loaded_data.usual(parameter.name, default, outer)) is not None:
            inner.variables[parameter.name] = file
        elif parameter.name in outer.program.globals or parameter.name in outer.program.definitions.functions:
            inner.variables[parameter.name] = Opaque(parameter.name)
    if node.decorators:
        given = (loaded_data.configuration(one, outer) for one in node.decorators)
        if node.parameters and (known := next(filter(None, given), None)) is not None:
            inner.variables[node.parameters[0].name] = known
        checked_fields.bind(node, inner, owner)
    checked_fields.bind_by_method_name(node, inner, owner)
    return inner


def execute_type(node: tree.Type, frame: Frame) -> None:
    """Evaluate a class in a function: what its level holds."""
    if node.kind == "class" and frame.function and not frame.calls:
        inner = Frame(frame.program, frame.function, Variables(frame.variables), frame.program.aside)
        execute_body([part for part in node.body if not isinstance(part, tree.Function | tree.Type)], inner)


def execute_macro(node: tree.Macro, frame: Frame) -> None:
    """Evaluate a text, or what is named after an attribute, is evaluated also where nothing uses it."""
    is_text = isinstance(node.value, tree.Literal | tree.Interpolation)
    if not frame.calls and (is_text or reads.mention_of(node.name, frame) is not None):
        expressions.macro_value(node.name, node.value, frame)


def _evaluate_decorators(node: tree.Function, outer: Frame) -> None:
    """Evaluate what stands over a function: `@click.option("--gender", default="male")`."""
    if node.decorators and outer.is_recorded:
        events, outer.events = outer.events, outer.program.aside
        for decorator in node.decorators:
            outer.evaluate(decorator)
        outer.events = events
