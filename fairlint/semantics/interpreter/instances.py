"""Instances of the classes of this file: what their fields and properties hold, and their methods."""

from __future__ import annotations

from collections.abc import Mapping

from fairlint.semantics.interpreter import reads
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names import qualified_names
from fairlint.semantics.names.scopes import type_name
from fairlint.semantics.texts import text_values
from fairlint.semantics.values.lift import each_leaf, spread
from fairlint.semantics.values.symbolic import (
    RAISES,
    Choice,
    Closure,
    Columns,
    Const,
    Instance,
    Lookup,
    Opaque,
    Protected,
    RecordType,
    Sequence,
    Table,
    TypedParameter,
    Value,
)
from fairlint.semantics.values.traversal import either
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


def type_of(node: Node, frame: Frame) -> str:
    """Return the type of an expression as written, as far as annotations and constructors say it;
    else empty.
    """
    match node:
        case tree.Name(id=name):
            is_receiver = frame.owner and name == frame.program.conventions.receiver
            return frame.owner if is_receiver else frame.types.get(name, "")
        case tree.Index(value=inner):
            return type_of(inner, frame)
        case tree.Field(value=inner, name=name):
            owner = type_name(type_of(inner, frame))
            return frame.program.definitions.type_of_field(owner, name)
        case _:
            return ""


def class_of(node: Node, frame: Frame) -> str:
    """Return the class of this file that an expression is an instance of, else empty."""
    if isinstance(node, tree.Call) and isinstance(node.function, tree.Name):
        name = node.function.id
    else:
        name = type_name(type_of(node, frame))
    known = frame.program.definitions.types.get(name)
    return name if known is not None and known.kind == "class" else ""


def record_class(node: Node, frame: Frame) -> str:
    """Return the class of this file whose fields an expression has, or each in the list that it is, else
    empty.
    """
    name = class_of(node, frame)
    return name if name and frame.program.definitions.fields_of(name) else ""


def field(node: tree.Field, frame: Frame) -> Value | None:
    """`config.features.names`: what the class or its constructor gives, or what a property returns."""
    program = frame.program
    owner = frame.owner if _is_receiver(node.value, frame) else class_of(node.value, frame)
    if not owner:
        return None
    known = program.class_values.get(owner, {}).get(program.conventions.own(node.name))
    if isinstance(known, Sequence | Table | Columns) or (isinstance(known, Const) and known.label):
        return known
    if isinstance(known, Choice) and all(isinstance(one, Sequence | Table) for one in either(known)):
        return known
    found = program.definitions.method(owner, node.name)
    if found is None:
        return None
    itself = (program.itself,)
    if not found.function.decorators and _is_receiver(node.value, frame):
        return Closure(found.function, owner=owner, given=itself)
    if not _is_property(found.function, frame):
        return None
    value = frame.inline(Closure(found.function, owner=found.owner), node, itself)
    tells = isinstance(value, Sequence | Table | Columns) or frame.program.dependence.on_any(value)
    return value if tells or text_values.is_prose(value) else None


def dump_fields(instance: Node, place: Node, frame: Frame) -> Table | None:
    """`request.model_dump()`: all fields of an instance, as a dict."""
    held = frame.variables.last_value_of(instance)
    owner = frame.owner if _is_receiver(instance, frame) else class_of(instance, frame)
    return fields_of(owner or (held.of if isinstance(held, TypedParameter) else ""), place, frame)


def fields_of(name: str, place: Node, frame: Frame) -> Table | None:
    """Return the fields of a class of this file, as a dict: what it declares or sets, else what it is made
    with.
    """
    definitions = frame.program.definitions
    fields = definitions.fields_of(name)
    entries = [(Const(own, "", written), Opaque(own)) for own, written in fields.items()]
    if not entries and definitions.method(name, definitions.conventions.constructor) is not None:
        entries = [(Const(own), Opaque(own)) for own in definitions.made_with(name)]
    return Table(tuple(entries), place) if entries else None


def _is_receiver(node: Node, frame: Frame) -> bool:
    return isinstance(node, tree.Name) and node.id in frame.program.conventions.receivers


def _is_property(function: tree.Function, frame: Frame) -> bool:
    return any(
        frame.text(decorator) in frame.program.conventions.properties for decorator in function.decorators
    )


def _may_be_instance(value: Value, frame: Frame) -> bool:
    if isinstance(value, Lookup):
        other = value.default
        return _holds_instance(value.table, frame) or (other is not None and _is_one_instance(other))
    return _is_one_instance(value)


def _is_one_instance(value: Value) -> bool:
    return isinstance(value, Instance) or (
        isinstance(value, Choice | Lookup) and any(isinstance(one, Instance) for one in each_leaf(value))
    )


def _holds_instance(table: Table, frame: Frame) -> bool:
    """Return whether an entry of a table may be an instance: asked once, as a table may be long and read
    often.
    """
    dependence = frame.program.dependence
    dependence.attributes(table)  # keeps it alive
    key = (id(table), "holds an instance")
    known = dependence.memo.get(key)
    if known is None:
        known = dependence.memo[key] = any(_is_one_instance(held) for _, held in table.entries)
    return bool(known)


def holds_tables(value: Value) -> bool:
    """Return whether an instance was given lists or tables that are written out: `Trainer(config)`."""
    return isinstance(value, Instance) and any(
        isinstance(one, Table | Sequence) for one in value.fields.values()
    )


def methods(base: Value, name: str, frame: Frame) -> Value | None:
    """Return the method `name` of each instance that a value may be: `POLICIES[sex]().price(...)`."""
    if not _may_be_instance(base, frame):
        return None

    def own(one: Value) -> Value | None:
        if not isinstance(one, Instance):
            return None
        found = frame.program.definitions.method(one.type, name)
        own_path = frame.program.conventions.own
        state = {own_path(key): value for key, value in _state_of_instance(one, frame).items()}
        known = {**frame.program.homes.get(one.type, {}), **state}
        return None if found is None else Closure(found.function, known, owner=one.type)

    return spread(base, own)


def _state_of_instance(one: Instance, frame: Frame) -> dict[str, Value]:
    """Return what the fields of an instance hold: constants of its class and its bases, and what it was
    given.
    """
    state: dict[str, Value] = {}
    queue, seen = [one.type], set[str]()
    while queue:
        type_ = frame.program.definitions.types.get(queue.pop(0))
        if type_ is None or type_.name in seen:
            continue
        seen.add(type_.name)
        for part in type_.body:
            match part:
                case tree.Assign(
                    targets=(tree.Name(id=name),), value=tree.Literal() | tree.Unary() as value, op=None
                ):
                    state.setdefault(name, frame.evaluate(value))
                case _:
                    pass
        queue.extend(base.id for base in type_.bases if isinstance(base, tree.Name))
    return {**state, **one.fields}


def fields(base: Value, name: str, frame: Frame) -> Value | None:
    """Return what a field of each instance that a value may be holds."""
    values, own_path = frame.program.class_values, frame.program.conventions.own
    if not _may_be_instance(base, frame):
        return None

    def own(one: Value) -> Value | None:
        if not isinstance(one, Instance):
            return None
        return _state_of_instance(one, frame).get(name) or values.get(one.type, {}).get(own_path(name))

    return spread(base, own)


def method(function: tree.Field, frame: Frame) -> Closure | None:
    """Return the method of this file that is called on an instance: `trainer.fit(people)`."""
    owner = class_of(function.value, frame)
    found = frame.program.definitions.method(owner, function.name) if owner else None
    conventions = frame.program.conventions
    if found is None or any(
        frame.text(one) in (*conventions.static, *conventions.of_class) for one in found.function.decorators
    ):
        return None
    return Closure(found.function, frame.program.homes.get(found.owner, {}), owner=found.owner)


def record_field(record: Table, key: Value, node: Node, frame: Frame, receiver: Node) -> Value | None:
    """Return a protected field of a person written out as a dict (`applicant["gender"]`), where `key` names
    one.
    """
    if not (isinstance(key, Const) and isinstance(key.value, str)):
        return None
    value = next(
        (held for name, held in record.entries if isinstance(name, Const) and name.value == key.value), None
    )
    found = reads.read_by_identifier(key.value, node, frame, frame.text(receiver), type_of(receiver, frame))
    if not isinstance(found, Protected):
        return None
    sample = isinstance(value, Const) and isinstance(value.value, str)
    is_object = value is not None and qualified_names.is_learner(value, frame)  # `encoders["race"]`
    if value is None or (isinstance(value, Opaque | Protected) and not is_object) or sample:
        found = replace(found, of=record)
        return found if value is None else reads.with_sample(found, value)
    return None


def record(name: str, node: Node, fields: Mapping[str, Value], frame: Frame) -> Instance:
    """Return an instance with these fields; that of a person who is written out stands for anybody."""
    samples = {own: value for own, value in fields.items() if frame.program.vocabulary.mentions(own)}
    return Instance(frame.text(node), type=name, fields={} if samples else fields, samples=samples)


def member(name: str, node: Node, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`Status(person.gender)`: the member of an enumeration of this file with that value, if any."""
    members = frame.program.definitions.enums.get(name, ())
    if not members or len(arguments) != 1 or not frame.program.dependence.on_any(arguments[0]):
        return None
    table = Table(tuple((one, one) for one in members), node, name)
    return Lookup(arguments[0], table, RAISES, node)


def made_by(maker: RecordType, node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Instance:
    """Return one record of a type that `namedtuple` made."""
    given = {name: frame.evaluate(value) for name, value in node.keywords if name is not None}
    return record("", node, {**dict(zip(maker.names, arguments, strict=False)), **given}, frame)
