"""C declarations: declarators, types, structs, unions, enums, parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from tree_sitter import Node as Syntax

from fairlint.support.records import Record, replace
from fairlint.syntax import tree as t
from fairlint.syntax.c.expressions import Expressions

_Compound = Literal["struct", "union", "enum"]
_COMPOUND: dict[str, _Compound] = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
}
_TYPES = frozenset(
    (*_COMPOUND, "primitive_type", "type_identifier", "sized_type_specifier", "macro_type_specifier")
)
_DECLARATORS = frozenset((
    "identifier", "field_identifier", "type_identifier", "primitive_type", "init_declarator",
    "pointer_declarator", "array_declarator", "function_declarator", "parenthesized_declarator",
    "attributed_declarator", "abstract_pointer_declarator", "abstract_array_declarator",
    "abstract_function_declarator", "abstract_parenthesized_declarator",
))  # fmt: skip
_NAMES = frozenset(("identifier", "field_identifier", "type_identifier", "primitive_type"))
_WRAPPERS = frozenset(
    ("parenthesized_declarator", "attributed_declarator", "abstract_parenthesized_declarator")
)
_LONGEST_TYPE = 200

KEYWORDS = frozenset((
    "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict",
    "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "typeof", "union",
    "unsigned", "void", "volatile", "while", "_Bool", "__const", "__extension__", "__inline",
    "__inline__", "__restrict", "__volatile__",
))  # fmt: skip
"""Words that are never the name of anything."""


class Declarator(Record, frozen=False):
    """What a declarator says: which name, how its type goes on, whether it is a function's, and how many
    places an array has.
    """

    name: Syntax | None
    type: str
    function: Syntax | None
    size: Syntax | None = None


class Declarations(Expressions):
    """Lowers declarations."""

    def declared(self, node: Syntax, base: str) -> Declarator:
        """Unwind a declarator down to its name."""
        stars = 0
        arrays = 0
        functions = 0
        owner: Syntax | None = None
        innermost: Syntax | None = None
        size: Syntax | None = None
        current: Syntax | None = node
        while current is not None and current.type not in _NAMES:
            kind = current.type
            if kind.endswith("pointer_declarator"):
                stars += 1
            elif kind.endswith("array_declarator"):
                arrays += 1
                size = current.child_by_field_name("size")
            elif kind.endswith("function_declarator"):
                functions += 1
                owner = current
            if kind not in _WRAPPERS:
                innermost = current
            current = current.child_by_field_name("declarator") or _inner_declarator(current)
        function = owner if owner is not None and innermost is owner else None
        if functions and function is None:
            written = f"{base} (*)()"
        else:
            written = base + (" " + "*" * stars if stars else "") + "[]" * arrays
        return Declarator(current, written.strip(), function, size if arrays == 1 else None)

    def declaration(self, node: Syntax, out: list[t.Node]) -> None:
        """`type a = 1, *b, c[3];`: the type if it is defined here, then one Assign for each variable."""
        base, rest = self.specifiers(node, out)
        for child in rest:
            self.variable(child, base, out)

    def specifiers(self, node: Syntax, out: list[t.Node]) -> tuple[str, list[Syntax]]:
        """Return the type as written, and the declarators after it."""
        parts: list[str] = []
        rest: list[Syntax] = []
        seen = False
        for child in node.children:
            kind = child.type
            if not seen and kind in _TYPES:
                seen = True
                parts.append(self.type_name(child, out))
            elif kind == "type_qualifier":
                if not rest:
                    parts.append(self.source(child))
            elif kind in _DECLARATORS:
                rest.append(child)
            elif kind == "ERROR":
                self.damaged(child, out)
        return " ".join(parts), rest

    def damaged(self, node: Syntax, out: list[t.Node]) -> None:
        """Lower what an error inside a declaration still holds; a mere word there is a macro of the type."""
        if any(child.type not in _NAMES for child in node.named_children):
            out.append(self.other(node))

    def variable(self, node: Syntax, base: str, out: list[t.Node]) -> None:
        """One declarator, with or without a value. A function's declares nothing that counts here."""
        value: Syntax | None = None
        declarator: Syntax | None = node
        if node.type == "init_declarator":
            declarator = node.child_by_field_name("declarator")
            value = node.child_by_field_name("value")
        declared = self.declared(declarator, base) if declarator is not None else None
        if declared is None or declared.name is None or (declared.function is not None and value is None):
            return
        name = self.source(declared.name)
        if not name or name in KEYWORDS:
            if value is not None:
                out.append(t.Expression(self.span(value), self.expression(value)))
            return
        target = t.Name(self.span(declared.name), name)
        given = self.optional(value)
        if declared.size is not None and isinstance(given, t.Collection):
            places = self.unit.constant(self.expression(declared.size))
            given = replace(given, places=places) if places else given
        out.append(t.Assign(self.span(node), (target,), given, None, declared.type))

    def type_name(self, node: Syntax, out: list[t.Node]) -> str:
        """Return the type's text; a struct, union or enum with a body is added to `out`."""
        kind = _COMPOUND.get(node.type)
        if kind is None:
            written = self.written(node.start_byte, node.end_byte)
            # `auto` was rewritten for the grammar, the source still says so.
            at = node.start_byte + self.base
            return "auto" if written == "int" and self.unit.text.data[at : at + 4] == b"auto" else written
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if body is not None:
            self.compound(node, out)
        if name is not None:
            return f"{kind} {self.source(name)}"
        # Nothing else leads from the variable to the members of a nameless enum.
        if kind == "enum" and node.end_byte - node.start_byte <= _LONGEST_TYPE:
            return self.written(node.start_byte, node.end_byte)
        return kind

    def compound(self, node: Syntax, out: list[t.Node], names: tuple[str, ...] = (), start: int = -1) -> None:
        """Lower a struct, union or enum definition. `names` come from a typedef and go before its own."""
        kind = _COMPOUND[node.type]
        tag = node.child_by_field_name("name")
        own = () if tag is None else (self.source(tag),)
        every = tuple(dict.fromkeys((*names, *own)))
        body = node.child_by_field_name("body")
        if self.depth >= self.deepest:
            out.append(self.too_deep(node))
            return
        self.depth += 1
        members: list[t.Node] = []
        if body is not None and kind == "enum":
            self.enumerators(body, "enum " + own[0] if own else " ".join(("enum", *names[:1])), members)
        elif body is not None:
            for child in self.values(body):
                self.member(child, members)
        self.depth -= 1
        above = node.start_byte if start < 0 else start
        prose = self.unit.text.prose_above(above + self.base)
        name = every[0] if every else ""
        found = t.Type(self.span(node), name, kind, (), tuple(members), (), every[1:], prose)
        out.append(found)

    def member(self, node: Syntax, out: list[t.Node]) -> None:
        """One line of a struct. The members of a nameless struct in it are its own."""
        if node.type != "field_declaration":
            self.anything(node, out)
            return
        inner: list[t.Node] = []
        base, rest = self.specifiers(node, inner)
        nameless = len(inner) == 1 and isinstance(inner[0], t.Type) and not inner[0].name
        if not rest and nameless and isinstance(inner[0], t.Type) and inner[0].kind != "enum":
            out.extend(inner[0].body)
            return
        out.extend(inner)
        for child in rest or self.made_by_macro(node):
            self.variable(child, base, out)

    def made_by_macro(self, node: Syntax) -> list[Syntax]:
        """Return the name in `BITS(name, 1);`, which the grammar takes for a type."""
        kind = node.child_by_field_name("type")
        inner = None if kind is None else kind.child_by_field_name("type")
        return [] if inner is None or inner.named_child_count != 1 else inner.named_children

    def enumerators(self, node: Syntax, kind: str, out: list[t.Node]) -> None:
        """Lower the members of an enum, with the numbers that C implies."""
        following: int | None = 0
        for child in self.values(node):
            name = child.child_by_field_name("name") if child.type == "enumerator" else None
            if name is None:
                self.anything(child, out)
                continue
            written = child.child_by_field_name("value")
            value: t.Literal | None = None
            span = self.span(name)
            if written is not None:
                lowered = self.expression(written)
                following = self.unit.constant(lowered)
                span = lowered.span
                if isinstance(lowered, t.Literal):
                    value = lowered
            if value is None and following is not None:
                value = t.Literal(span, following)
            target = t.Name(self.span(name), self.source(name))
            out.append(t.Assign(self.span(child), (target,), value, None, kind))
            if following is not None:
                self.unit.constants[target.id] = following
                following += 1
            else:
                self.unit.constants.pop(target.id, None)

    def typedef(self, node: Syntax, out: list[t.Node]) -> None:
        """`typedef struct a {...} b;` names a Type; a typedef of anything else says nothing here."""
        kind: Syntax | None = None
        names: list[str] = []
        for child in node.children:
            if kind is None and child.type in _TYPES:
                kind = child
            elif child.type in _DECLARATORS:
                declared = self.declared(child, "")
                if declared.name is not None and declared.function is None and not declared.type:
                    names.insert(0, self.source(declared.name))
                elif declared.name is not None and declared.type.strip("*") == "":
                    names.append(self.source(declared.name))
            elif child.type == "ERROR":
                self.damaged(child, out)
        if kind is not None and kind.type in _COMPOUND:
            self.compound(kind, out, tuple(names), node.start_byte)

    def standalone(self, node: Syntax, out: list[t.Node]) -> None:
        """`struct a {...};`; without a body it declares nothing."""
        if node.child_by_field_name("body") is not None:
            self.compound(node, out)

    # -------------------------------------------------------------------------------------------- parameters

    def parameters(self, function: Syntax | None, types: Mapping[str, str]) -> tuple[t.Parameter, ...]:
        """Return the parameters of a function; `types` come from the declarations of an old-style
        definition.
        """
        listed = None if function is None else function.child_by_field_name("parameters")
        found: list[t.Parameter] = []
        for child in () if listed is None else self.values(listed):
            span = self.span(child)
            if child.type in ("identifier", "type_identifier"):
                name = self.source(child)
                found.append(t.Parameter(span, name, types.get(name, "")))
            elif child.type == "variadic_parameter":
                found.append(t.Parameter(span, "...", "", None, "*"))
            elif child.type == "parameter_declaration":
                name, kind = self.parameter(child)
                if not name and (kind in types or self.is_old_style(child)):
                    name, kind = kind, types.get(kind, "")
                if kind != "void":
                    found.append(t.Parameter(span, name, kind))
        return tuple(found)

    def is_old_style(self, node: Syntax) -> bool:
        """Return whether a lone word in a definition's parameters is a name; `void` is not."""
        return node.named_child_count == 1 and node.named_children[0].type == "type_identifier"

    def parameter(self, node: Syntax) -> tuple[str, str]:
        """Return the name, empty where there is none, and the type."""
        base, rest = self.specifiers(node, [])
        if not rest:
            return "", base
        declared = self.declared(rest[0], base)
        kind = f"{base} (*)()" if declared.function is not None else declared.type
        return "" if declared.name is None else self.source(declared.name), kind

    def old_types(self, declarations: Iterable[Syntax]) -> Iterator[tuple[str, str]]:
        """Yield the types that old-style declarations give."""
        for node in declarations:
            base, rest = self.specifiers(node, [])
            for child in rest:
                declared = self.declared(child, base)
                if declared.name is not None:
                    yield self.source(declared.name), declared.type


def _inner_declarator(node: Syntax) -> Syntax | None:
    """Return a parenthesised declarator has its content without a field name."""
    for child in node.named_children:
        if child.type in _DECLARATORS:
            return child
    return None
