"""Qualified names: what a name or an attribute stands for, by imports, constructors and annotations.

An import gives its name a value that knows what it is: after `import numpy as np`, `np` is `numpy` and
`np.where` is `numpy.where`, wherever that value goes: into functions, into other files that import it from
here, into variables of another name. What is called with such a name gives a value that knows its type. A
name that is assigned, is a parameter or is defined otherwise has another value, and so another meaning.

Three answers are told apart everywhere: the name of something in a known library (`numpy.where`); the name of
something in another package (`gridlib:Sheet().fit`), which no known library has; and the empty text, where
nothing is known. Unknown is what a parameter without an annotation holds, what a module of the project gives
that is not followed, and what an object is that another package hands out as it is: in `from app import db`,
nobody can say what `db.session` is, but `Sheet()` of `from gridlib import Sheet` is no data frame.
"""

from __future__ import annotations

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.library import PREPARES
from fairlint.semantics.names.scopes import type_name, type_words
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    OLD,
    Choice,
    Const,
    Instance,
    Opaque,
    Operation,
    Protected,
    Value,
)
from fairlint.semantics.values.traversal import either
from fairlint.support.expressions import lazy_expression
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

_DOTTED = lazy_expression(r"[A-Za-z_][\w.]*")
OBJECT = ":"
"""Stands before the name of what another package hands out: `gridlib:Sheet`."""


def bind_import(node: tree.Import, frame: Frame) -> None:
    """Give what an import binds the values that know their names; what the project defines stays."""
    program = frame.program
    if frame.function:  # another function may import another thing under the same name
        frame.variables.update(program.brought.get(id(node), {}))
    is_of_project = node.module.partition(".")[0] in {"", *program.definitions.own}
    for name, alias in node.names:
        if name == "*":
            program.stars.append(node.module)
            continue
        program.definitions.imported.add(alias)
        if alias in program.linked or program.definitions.defines(alias):
            continue
        if node.is_from and program.vocabulary.mentions(alias):
            continue  # `from records import gender`
        if is_of_project:
            called = ""  # it may be anything
        elif node.is_from:
            called = f"{node.module}{OBJECT if is_other_package(node.module, frame) else '.'}{name}"
        else:
            called = alias if alias == name.partition(".")[0] else name
        frame.variables[alias] = Opaque(alias, called)


def is_other_package(module: str, frame: Frame) -> bool:
    """Return whether a module is of no known library."""
    package = module.partition(".")[0]
    return package not in frame.program.conventions.standard and frame.program.models.library(package) is None


def name_of(value: Value | None) -> str:
    """Return what a value is by its qualified name; empty where nothing says it."""
    if not isinstance(value, Choice):
        return value.name if isinstance(value, Opaque) else ""
    ends = either(value)  # one of several imports
    return next((one.name for one in ends if isinstance(one, Opaque) and one.name), "")


def qualified_name(node: Node, frame: Frame) -> str:
    """Return the qualified name of what an expression stands for: of `np.where`, of `df.fillna`,
    else empty.
    """
    if isinstance(node, tree.Field):
        known = frame.variables.qualified
        found = known.get(id(node))
        if found is None:
            known[id(node)] = ""  # a function may return what it gives itself: `return f().t()`
            found = known[id(node)] = _of_field(node, frame)
        return found
    if not isinstance(node, tree.Name):
        return ""
    value = frame.variables.get(node.id) or frame.program.globals.get(node.id)
    if value is not None and not _is_import(value, node.id):
        return name_of(value)
    of_library = frame.program.of_libraries.get(node.id, "")
    if has_binding(node.id, frame):
        return name_of(value) or of_library
    return frame.program.models.usual.get(node.id, "")


def _is_import(value: Value, name: str) -> bool:
    """Return whether a value is what an import gave a name."""
    return type(value) is Opaque and value.key == name


def _of_field(node: tree.Field, frame: Frame) -> str:
    path = path_of(node)
    held = (frame.variables.get(path) or frame.program.modules.get(path)) if path else None
    if held is not None:
        return name_of(held)
    owner = qualified_name(node.value, frame) or qualified_type(node.value, frame)
    if OBJECT not in owner and _is_plain_data(node.value, frame):
        return ""
    return member(owner, node.name)


def _is_plain_data(node: Node, frame: Frame) -> bool:
    """Return whether an expression reads what a record says of a person: a text or a number, of any
    record.
    """
    return isinstance(frame.variables.last_value_of(node), Protected)


def star_import_name(name: str, frame: Frame) -> str:
    """Return the qualified name of what a known library gives by `from library import *`; else empty."""
    if not frame.program.stars or has_binding(name, frame):
        return ""
    found = (f"{star}.{name}" for star in frame.program.stars)
    return next((called for called in found if frame.program.models.find(called) is not None), "")


def member(owner: str, name: str) -> str:
    """Return the qualified name of what is called `name` in a module or type; empty where that may be
    anything.
    """
    is_object = OBJECT in owner and not owner.endswith("()")
    return f"{owner}.{name}" if owner and not is_object else ""


def instance_call_name(node: Node, frame: Frame) -> str:
    """Return the qualified name of what calls an object (`generator(text)`), where its library knows one."""
    called = f"{qualified_type(node, frame)}.__call__"
    return called if frame.program.models.find(called) is not None else ""


def has_binding(name: str, frame: Frame) -> bool:
    """Return whether the code itself says what a name is."""
    program = frame.program
    if name in frame.variables or name in program.globals or name in frame.types:
        return True
    return program.definitions.defines(name) or name in program.definitions.imported


def qualified_type(node: Node, frame: Frame) -> str:
    """Return the qualified type of what an expression gives; empty where nothing says it."""
    path = path_of(node)
    program = frame.program
    held = program.globals.get(path) or program.modules.get(path) if path else None
    held = (frame.variables.get(path) if path else None) or held
    held = frame.variables.before.get(path or "") if held is OLD else held
    if (known := type_of_value(held)) or path is None:
        return known or (_of_call(node, frame) if isinstance(node, tree.Call) else "")
    match node:
        case tree.Name(id=name):
            return annotation_type(frame.types.get(name, ""), frame)
        case tree.Field(value=tree.Name(id=itself), name=name) if (
            frame.owner and itself in frame.program.conventions.receivers
        ):
            values = frame.program.class_values.get(frame.owner, {})
            written = frame.program.definitions.fields.get(frame.owner, {}).get(name, "")
            return type_of_value(values.get(frame.program.conventions.own(name))) or annotation_type(
                written, frame
            )
        case tree.Index(value=inner):
            owner = qualified_type(inner, frame)
            return owner if OBJECT in owner else ""  # what is in another package's object is no library's
        case tree.Field(value=inner, name=name):
            owner = type_name(frame.types.get(inner.id, "")) if isinstance(inner, tree.Name) else ""
            return annotation_type(frame.program.definitions.fields.get(owner, {}).get(name, ""), frame)
        case _:
            return ""


def type_of_value(value: Value | None) -> str:
    """Return the qualified type of a value, as far as the value itself knows it."""
    stack = [] if value is None else [value]
    seen: set[int] = set()
    while stack:
        one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        match one:
            case Instance():
                pass  # of a class of this file, which is asked itself
            case Opaque(type=known) if known:
                return known
            case Const(value=str(), label=""):
                return "builtins.str"
            case Choice(then=first, otherwise=second) | Operation(op="|" | "or", arguments=(second, first)):
                stack += (second, first)  # of a chain, its last part
            case _:
                pass
    return ""


def _of_call(node: tree.Call, frame: Frame) -> str:
    """Return the type of what a call gives; what is read by a name (`row.get("gender")`) is plain data."""
    return "" if _is_plain_data(node, frame) else type_of_call(node, frame)


def type_of_call(node: tree.Call, frame: Frame) -> str:
    """Return the type of what a call gives: a class's own name, else what stands for the result of a
    function.
    """
    called = qualified_name(node.function, frame)
    if not called:
        return _return_type(node.function, frame)
    known = frame.program.models.find(called)
    if known is not None and known.entry.returns:
        return known.entry.returns
    is_class = OBJECT not in called and called.rpartition(".")[2][:1].isupper()
    return called if is_class else f"{called}()"


def _return_type(function: Node, frame: Frame) -> str:
    """Return the type of what a function of this file makes and returns, where its last return says it."""
    own = frame.program.definitions.functions.get(function.id) if isinstance(function, tree.Name) else None
    if own is None:
        return ""
    last = own.body[-1] if own.body else None
    made = last.value if isinstance(last, tree.Return) else None
    if isinstance(made, tree.Name):
        assigned = [part for part in own.body if isinstance(part, tree.Assign)]
        made = next((part.value for part in assigned if _has_target_name(part, made.id)), None)
    known = isinstance(made, tree.Call) and qualified_name(made.function, frame)
    return (
        type_of_call(made, frame)
        if isinstance(made, tree.Call) and known
        else annotation_type(own.returns, frame)
    )


def _has_target_name(statement: tree.Assign, name: str) -> bool:
    """Return whether a statement gives a variable its value."""
    return statement.op is None and any(
        isinstance(target, tree.Name) and target.id == name for target in statement.targets
    )


def annotation_type(written: str, frame: Frame) -> str:
    """Return the qualified name of a type that an annotation names: `"pd.DataFrame | None"`."""
    if not written:
        return ""
    for name in _DOTTED.findall(written):
        if name.rpartition(".")[2] in type_words()["around"]:
            continue
        first, dot, rest = name.partition(".")
        value = frame.variables.get(first) or frame.program.globals.get(first)
        of_library = frame.program.of_libraries if has_binding(first, frame) else frame.program.models.usual
        may_be = value is None or _is_import(value, first)
        owner = name_of(value) or (of_library.get(first, "") if may_be else "")
        found = f"{owner}{dot}{rest}" if owner else ""
        return f"{found}()" if OBJECT in found else found
    return ""


def package_of(name: str) -> str:
    """Return the package that a qualified name begins with."""
    return name.partition(".")[0].partition(OBJECT)[0]


def is_learner(value: Value, frame: Frame) -> bool:
    """Return whether a value is an object that learns from tables, and no table itself: an encoder,
    a model.
    """
    if type(value) is not Opaque or not value.type.rpartition(".")[2][:1].isupper():
        return False
    models = frame.program.models
    made = models.find(value.type)
    if made is not None and not PREPARES.issuperset(made.entry.does):
        return False
    return models.find(f"{value.type}.fit") is not None
