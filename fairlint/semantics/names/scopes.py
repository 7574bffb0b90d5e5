"""What a file defines: its functions, types, enum members and named constants, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache, partial

from fairlint.semantics.values.symbolic import Const, Scalar
from fairlint.support.records import Record, field
from fairlint.syntax.conventions import Conventions
from fairlint.syntax.signatures import lineage
from fairlint.syntax.tokens import Tokens
from fairlint.syntax.tree import (
    LEAVES,
    Assert,
    Assign,
    Block,
    Call,
    Expression,
    Field,
    Function,
    If,
    Import,
    Literal,
    Loop,
    Macro,
    Name,
    Node,
    Raise,
    Return,
    Switch,
    Tree,
    Try,
    Type,
    Unary,
    With,
    children,
)
from fairlint.vocabulary.load import word_lists

WITHOUT_DEFINITIONS = LEAVES | {Assign, Expression, Return, Raise, Assert, Call}
"""Statements in which nothing is defined."""
type_words = partial(word_lists, "types")
"""The words of `vocabulary/words/types.toml`."""


class Method(Record):
    """A method, with the class that defines it."""

    owner: str
    function: Function


class Definitions(Record, frozen=False):
    """The definitions of one file.

    `methods` is keyed by class and name; `members` maps an enum member, bare (C) or dotted (`Gender.MALE`),
    to its constant; `enums` maps an enum's name to its members in order; `fields` maps a type to its field
    names with types.
    """

    functions: dict[str, Function] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    methods: dict[tuple[str, str], Function] = field(default_factory=dict)
    members: dict[str, Const] = field(default_factory=dict)
    enums: dict[str, tuple[Const, ...]] = field(default_factory=dict)
    macros: dict[str, Node] = field(default_factory=dict)
    defined_at: dict[str, list[Node]] = field(default_factory=dict)
    """Each place that defines a macro."""
    classes: list[Type] = field(default_factory=list)
    """The classes outside functions, wherever their statements stand, each before those in it."""
    local_classes: list[Type] = field(default_factory=list)
    """Those in functions."""
    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    imports: list[str] = field(default_factory=list)
    own: frozenset[str] = frozenset()
    """The first names of the project's own modules that it imports."""
    imported: set[str] = field(default_factory=set)
    """The names that imports bind."""
    nameless: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    """Where the structs without a name end, and their fields."""
    conventions: Conventions = Conventions()
    """What the language takes for granted."""
    tokens: Tokens | None = None
    """How its comments and texts look."""
    kept: dict[str, dict[str, str]] = field(default_factory=dict)
    """Per class that was asked for: the types of what its constructor keeps."""

    def defines(self, name: str) -> bool:
        """Return whether the file itself says at its top level what a name is, other than by an import."""
        return name in self.functions or name in self.types or name in self.members or name in self.macros

    def nameless_before(self, start: int) -> dict[str, str] | None:
        """Return the fields of the nameless struct that a variable is declared with, which ends before it."""
        return next((fields for end, fields in reversed(self.nameless) if end <= start), None)

    def made_with(self, name: str) -> tuple[str, ...]:
        """Return what an object of a class is made with, by place: its constructor's parameters, else its
        fields and those of its bases.
        """
        constructor = self.method(name, self.conventions.constructor)
        if constructor is not None and constructor.function.parameters:
            return tuple(one.name for one in constructor.function.parameters[1:] if not one.star)
        found: list[str] = []
        for base in self._class_lineage(name):
            fields = self.fields.get(base, {})
            found[:0] = [field for field, type_ in fields.items() if type_] or fields
        return tuple(dict.fromkeys(found))

    def fields_of(self, name: str) -> dict[str, Node]:
        """Return the fields of a record, those of its bases first: what the class declares or makes, else
        what its constructor sets; each with the place that does so.
        """
        lineage = [self.types[base] for base in self._class_lineage(name) if base in self.types][::-1]
        for chosen in (_declared_fields, _constructed_fields):
            if found := {field: node for type_ in lineage for field, node in chosen(type_)}:
                return found
        constructor = self.method(name, self.conventions.constructor)
        return {} if constructor is None else dict(_set_by(constructor.function))

    def type_of_field(self, owner: str, name: str) -> str:
        """Return the type of a class's field as written: where it is declared, or where the constructor keeps
        it.
        """
        if written := self.fields.get(owner, {}).get(name, ""):
            return written
        if owner not in self.kept:
            found = self.method(owner, self.conventions.constructor) if owner in self.types else None
            self.kept[owner] = {} if found is None else dict(_kept_by(found.function))
        return self.kept[owner].get(name, "")

    def method(self, owner: str, name: str) -> Method | None:
        """Return the method `name` of class `owner` or of the nearest base in this file, with the class that
        defines it.
        """
        if (own := self.methods.get((owner, name))) is not None:
            return Method(owner, own)
        for base in self._class_lineage(owner):
            if (found := self.methods.get((base, name))) is not None:
                return Method(base, found)
        return None

    def _class_lineage(self, name: str) -> list[str]:
        """Return a class and its bases, the nearest first."""
        return lineage(name, self._bases_of)

    def _bases_of(self, name: str) -> list[str]:
        type_ = self.types.get(name)
        return [] if type_ is None else [base.id for base in type_.bases if isinstance(base, Name)]


def definitions(tree: Tree) -> Definitions:
    """Collect what `tree` defines, also in statements at module level, and the classes in functions."""
    found = Definitions(conventions=tree.conventions, tokens=tree.tokens, own=tree.own)
    for node in _nested_statements(tree.body):
        match node:
            case Function():
                if node.is_macro:
                    found.defined_at.setdefault(node.name, []).append(node)
                if node.body or node.name not in found.functions:
                    found.functions[node.name] = node  # the last definition counts
                for part in node.body:
                    if isinstance(part, Type) and part.kind == "struct":
                        _add_type(found, part)
            case Type():
                _add_type(found, node)
            case Macro():
                found.defined_at.setdefault(node.name, []).append(node)
                found.macros.setdefault(node.name, node.value)
            case Import():
                found.imports.append(node.module)
                found.imported.update(name for _, name in node.names)
            case _:
                pass
    _find_classes(tree.body, found.classes, found.local_classes)
    for type_ in found.local_classes:
        if type_.name and type_.name not in found.types:  # what stands at the top level counts before it
            _add_type(found, type_)
    return found


def _find_classes(body: Iterable[Node], here: list[Type], local: list[Type]) -> None:
    """Add the classes of a body to those `here`, and those in its functions to the `local` ones."""
    for node in body:
        if isinstance(node, Type):
            here.append(node)
            _find_classes(node.body, here, local)
        elif isinstance(node, Function):
            _find_classes(node.body, local, local)
        elif type(node) not in WITHOUT_DEFINITIONS:
            _find_classes(children(node), here, local)


def _kept_by(constructor: Function) -> Iterator[tuple[str, str]]:
    """Yield the fields that a constructor sets to what it is given, or to a new object, with their types."""
    types = {one.name: one.type for one in constructor.parameters}
    for part in constructor.body:
        match part:
            case Assign(targets=(Field(value=Name(), name=name),), value=Name(id=given)) if types.get(given):
                yield name, types[given]
            case Assign(targets=(Field(value=Name(), name=name),), value=Call(function=Name(id=made))):
                yield name, made
            case _:
                pass


def _declared_fields(type_: Type) -> Iterator[tuple[str, Node]]:
    """`gender: str`."""
    for part in type_.body:
        if isinstance(part, Assign) and part.type and isinstance(part.targets[0], Name):
            yield part.targets[0].id, part.targets[0]


def _constructed_fields(type_: Type) -> Iterator[tuple[str, Node]]:
    """`gender = forms.ChoiceField()`."""
    for part in type_.body:
        if isinstance(part, Assign) and isinstance(part.value, Call) and isinstance(part.targets[0], Name):
            yield part.targets[0].id, part.targets[0]


def _set_by(constructor: Function) -> Iterator[tuple[str, Node]]:
    """`self.gender = gender`."""
    for part in constructor.body:
        match part:
            case Assign(targets=(Field(value=Name(), name=name) as target,)):
                yield name, target
            case _:
                pass


def _nested_statements(body: Iterable[Node]) -> Iterator[Node]:
    for node in body:
        yield node
        match node:
            case If():
                yield from _nested_statements((*node.then, *node.otherwise))
            case Try():
                yield from _nested_statements((*node.body, *node.otherwise, *node.final))
                for handler in node.handlers:
                    yield from _nested_statements(handler)
            case With() | Block():
                yield from _nested_statements(node.body)
            case Loop():
                yield from _nested_statements((*node.body, *node.otherwise))
            case Switch():
                for case in node.cases:
                    yield from _nested_statements(case.body)
            case _:
                pass


def _add_type(found: Definitions, node: Type, outer: str = "") -> None:
    name = f"{outer}.{node.name}" if outer else node.name
    for alias in (node.name, *node.aliases):
        found.types.setdefault(alias, node)
    is_enum = node.kind == "enum" or any(_last_name(base) in type_words()["enums"] for base in node.bases)
    members: list[Const] = []
    fields = found.fields.setdefault(node.name, {}) if node.name else {}
    if not node.name and node.kind == "struct":
        found.nameless.append((node.span.end, fields))
    for alias in node.aliases:
        found.fields.setdefault(alias, fields)
    for part in node.body:
        match part:
            case Function():
                found.methods.setdefault((node.name, part.name), part)
            case Type():
                _add_type(found, part, name)
            case Assign(targets=(Name(id=field_name),)):
                if is_enum:
                    written = part.value if isinstance(part.value, Literal) else None
                    member = Const(_scalar_value(part.value, len(members)), field_name, written)
                    members.append(member)
                    found.members[f"{node.name}.{field_name}"] = member
                    if node.kind == "enum" and not node.bases:
                        found.members[field_name] = member
                else:
                    fields[field_name] = part.type
            case _:
                pass
    if is_enum and members:
        for alias in (node.name, *node.aliases):
            if alias:
                found.enums[alias] = tuple(members)
        if not node.name and not node.aliases:
            found.enums[f"enum@{node.span.start}"] = tuple(members)


def _last_name(node: Node) -> str:
    match node:
        case Name():
            return node.id
        case Field():
            return node.name
        case _:
            return ""


def _scalar_value(node: Node | None, position: int) -> Scalar:
    match node:
        case Literal(value=bytes() as raw):
            return raw.decode("utf-8", "replace")
        case Literal(value=value):
            return value if not isinstance(value, bytes) else None
        case Unary(op="-", operand=Literal(value=int() | float() as number)):
            return -number
        case _:
            return position


@lru_cache(maxsize=4096)
def type_name(written: str) -> str:
    """Return the bare name of a type as written: `const struct applicant *` → `applicant`, `Optional[Person]`
    → `Person`.
    """
    words = "".join(char if char.isalnum() or char == "_" else " " for char in written).split()
    known = type_words()
    kept = [word for word in words if word not in known["around"] and word not in known["holds"]]
    return kept[-1] if kept else ""
