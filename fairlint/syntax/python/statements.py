"""Python statements and definitions, from tree-sitter to the shared nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from tree_sitter import Node as Syntax

from fairlint.syntax import lowering
from fairlint.syntax.python.compound_statements import (
    lower_for,
    lower_if,
    lower_match,
    lower_try,
    lower_while,
    lower_with,
)
from fairlint.syntax.python.patterns import Patterns
from fairlint.syntax.python.syntax_nodes import EXTRAS, has_direct_error, span_of
from fairlint.syntax.tree import (
    Assert,
    Assign,
    Break,
    Broken,
    Call,
    Continue,
    Expression,
    Function,
    Import,
    Literal,
    Name,
    Node,
    Other,
    Raise,
    Return,
    Span,
    Type,
)

Keep = Callable[[int, int, str], bool]
"""Whether the body of the function at these bytes, with this qualified name, is wanted."""

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"})
_BLOCKS = frozenset({"block", "module"})
_CAUSES_NOT_KEPT = frozenset({"identifier", "none"})


class Statements(Patterns):
    """Lowers the statements of one source."""

    def __init__(
        self,
        data: bytes,
        *,
        damaged: bool,
        max_items: int,
        fillers: frozenset[int],
        keep: Keep | None = None,
        fragment: Callable[[Span], Node] | None = None,
    ) -> None:
        super().__init__(data, damaged=damaged, max_items=max_items, fillers=fillers)
        self._keep = keep
        self._fragment = fragment
        self._scope: tuple[str, ...] = ()
        self._in_function = False

    # ------------------------------------------------------------------------------------------- sequences

    def root(self, node: Syntax) -> tuple[Node, ...]:
        """Return the whole source; tree-sitter calls it an error where it could make nothing of it."""
        if node.type == "module":
            return self.body(node)
        out: list[Node] = []
        self.statement(node, out)
        return tuple(out)

    def body(self, node: Syntax | None) -> tuple[Node, ...]:
        """Return the statements of a block or module."""
        out: list[Node] = []
        for child in self.block_children(node):
            self.statement(child, out)
        return tuple(out)

    def block_children(self, block: Syntax | None) -> list[Syntax]:
        """Return what stands in a block; the grammar allows that it is nothing, which Python does not."""
        children = self.parts(block) if block is not None else []
        if block is not None and not children and block.type == "block":
            self.gap(lowering.last_word(self.data, block.start_byte), lowering.UNFINISHED)
        if not self.damaged and len(children) > 1:
            self._indented_alike(children)
        return children

    def _indented_alike(self, children: list[Syntax]) -> None:
        """Note that a gap for what is indented unlike the block that it stands in: the grammar allows it."""
        columns = {child.start_point.column for child in children}
        if len(columns) == 1:
            return
        indented = [self._indentation_width(child) for child in children]
        if children[0].parent is not None and children[0].parent.type == "module":
            indented = (
                indented[1:] if (indented[0] or 0) > 0 else indented
            )  # pieces of answers begin anywhere
        for child, found in zip(children[-len(indented) :], indented, strict=True):
            if found not in {None, indented[0]}:
                self.gap(span_of(child), lowering.SYNTAX_ERROR)

    def _indentation_width(self, node: Syntax) -> int | None:
        """Return how far a statement is indented, with tabs of eight columns; None behind another one."""
        start = node.start_byte
        before = self.data[start - node.start_point.column : start]
        return None if before.strip() else len(before.expandtabs(8))

    def statement(self, node: Syntax, out: list[Node]) -> None:
        """Lower one statement, which may become several nodes, to the end of `out`."""
        kind = node.type
        if kind == "ERROR":
            self._lower_loose_error(node, out)
            return
        handler = self._STATEMENTS.get(kind)
        if handler is None:
            out.append(self.expression(node))
            return
        if self.depth >= self.deepest:
            out.append(self.too_deep(node))
            return
        if self.damaged and kind in self._SIMPLE and node.has_error and has_direct_error(node):
            out.append(self.mixed(node))
            return
        self.depth += 1
        handler(self, node, out)
        self.depth -= 1

    def pieces(self, node: Syntax) -> tuple[Node, ...]:
        """Whatever can be lowered inside broken code, statements and expressions alike."""
        out: list[Node] = []
        for child in self.parts(node):
            if child.type in _BLOCKS:
                out.extend(self.body(child))
            else:
                self.statement(child, out)
        return tuple(out)

    def filled(self, span: Span) -> Node:
        """Return what stands for a damaged range that the repair has taken out."""
        return Broken(span, ()) if self._fragment is None else self._fragment(span)

    def _lower_loose_error(self, node: Syntax, out: list[Node]) -> None:
        """Lower an error between statements: the intact statements inside it stand for themselves."""
        if self.depth >= self.deepest:
            out.append(self.too_deep(node))
            return
        self.depth += 1
        run: list[Node] = []
        for child in self.parts(node):
            if child.type in UNDERSTOOD:
                _close_run(run, out)
                self.statement(child, out)
            else:
                run.extend(self.pieces(child) if child.type in _BLOCKS else (self.expression(child),))
        _close_run(run, out)
        self.depth -= 1

    # ------------------------------------------------------------------------------------ simple statements

    def _expression_statement(self, node: Syntax, out: list[Node]) -> None:
        children = self.parts(node)
        if len(children) == 1:
            only = children[0]
            kind = only.type
            if kind == "assignment":
                out.append(self._lower_assignment(only))
                return
            if kind == "augmented_assignment":
                out.append(self._lower_augmented_assignment(only))
                return
            if kind == "yield":
                out.append(self.yields(only))
                return
        comma = len(node.children) > 1 and node.children[-1].type == ","
        value = self.one_or_tuple(children, span_of(node), comma=comma)
        if isinstance(value, Broken | Assign):
            out.append(value)
        else:
            out.append(Expression(span_of(node), value))

    def _lower_assignment(self, node: Syntax) -> Node:
        span = span_of(node)
        targets: list[Node] = []
        annotation = ""
        while True:
            if self.damaged and node.has_error and has_direct_error(node):
                return self.mixed(node)
            targets.append(self.field(node, "left"))
            annotation = annotation or self.annotation(node.child_by_field_name("type"))
            right = node.child_by_field_name("right")
            if right is None or right.type != "assignment":
                break
            node = right
        value = None if right is None else self._lower_assigned_value(right)
        return Assign(span, tuple(targets), value, None, annotation)

    def _lower_augmented_assignment(self, node: Syntax) -> Node:
        if self.damaged and node.has_error and has_direct_error(node):
            return self.mixed(node)
        operator, right = node.child_by_field_name("operator"), node.child_by_field_name("right")
        op = operator.type.removesuffix("=") if operator is not None else None
        value = None if right is None else self._lower_assigned_value(right)
        return Assign(span_of(node), (self.field(node, "left"),), value, op)

    def _lower_assigned_value(self, node: Syntax) -> Node:
        if self.depth >= self.deepest or node.type not in {"assignment", "augmented_assignment"}:
            return self.expression(node)
        self.depth += 1
        value = (
            self._lower_assignment(node)
            if node.type == "assignment"
            else self._lower_augmented_assignment(node)
        )
        self.depth -= 1
        return value

    def _type_alias(self, node: Syntax, out: list[Node]) -> None:
        name = node.child_by_field_name("left")
        while name is not None and name.type in {"type", "generic_type"}:
            name = next(iter(self.parts(name)), None)
        if name is None:
            out.append(self.other(node))
            return
        out.append(Assign(span_of(node), (self.expression(name),), self.field(node, "right"), None, "type"))

    def _lower_return(self, node: Syntax, out: list[Node]) -> None:
        children = self.parts(node)
        out.append(Return(span_of(node), self.expression(children[0]) if children else None))

    def _lower_raise(self, node: Syntax, out: list[Node]) -> None:
        cause = node.child_by_field_name("cause")
        children = [child for child in self.parts(node) if cause is None or child.id != cause.id]
        value = self.expression(children[0]) if children else None
        if cause is not None and value is not None and cause.type not in _CAUSES_NOT_KEPT:
            value = Other(Span(value.span.start, cause.end_byte), "from", (value, self.expression(cause)))
        out.append(Raise(span_of(node), value))

    def _lower_assert(self, node: Syntax, out: list[Node]) -> None:
        values = self.expressions(node)
        if values:
            out.append(Assert(span_of(node), values[0], values[1] if len(values) > 1 else None))
        else:
            out.append(Broken(span_of(node), ()))

    def _lower_break(self, node: Syntax, out: list[Node]) -> None:
        out.append(Break(span_of(node)))

    def _lower_continue(self, node: Syntax, out: list[Node]) -> None:
        out.append(Continue(span_of(node)))

    def _skip_future_import(self, node: Syntax, out: list[Node]) -> None:
        """`from __future__ import annotations` is no import: it says nothing of what the code is about."""

    def _other_statement(self, node: Syntax, out: list[Node]) -> None:
        out.append(Other(span_of(node), node.type, self.expressions(node)))

    def _lower_keyword_call(self, node: Syntax, out: list[Node]) -> None:
        """Lower the `print` and `exec` statements of Python 2, as calls."""
        word = node.children[0]
        arguments: list[Node] = []
        keywords: list[tuple[str | None, Node]] = []
        for child in self.parts(node):
            if child.type == "chevron":
                keywords.extend(("file", value) for value in self.expressions(child)[:1])
            elif child.id != word.id:
                arguments.append(self.expression(child))
        function = Name(span_of(word), self.text(word))
        call = Call(span_of(node), function, tuple(arguments), tuple(keywords))
        out.append(Expression(span_of(node), call))

    def _lower_import(self, node: Syntax, out: list[Node]) -> None:
        for child in self.parts(node):
            module = child.child_by_field_name("name") if child.type == "aliased_import" else child
            alias = child.child_by_field_name("alias")
            if module is None or module.type != "dotted_name":
                continue
            name = self._module_name(module)
            bound = name.partition(".")[0] if alias is None else self.text(alias)
            out.append(Import(span_of(node), name, ((name, bound),)))

    def _import_from(self, node: Syntax, out: list[Node]) -> None:
        module = node.child_by_field_name("module_name")
        names: list[tuple[str, str]] = []
        for child in self.parts(node):
            if module is not None and child.id == module.id:
                continue
            if child.type == "aliased_import":
                name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
                if name is not None and alias is not None:
                    names.append((self._module_name(name), self.text(alias)))
            elif child.type in {"dotted_name", "wildcard_import"}:
                names.append((self._module_name(child), self._module_name(child)))
        source = "" if module is None else self._module_name(module)
        out.append(Import(span_of(node), source, tuple(names), is_from=True))

    def _module_name(self, node: Syntax) -> str:
        return "".join(self.text(node).split())

    # ------------------------------------------------------------------------------------------- definitions

    def _lower_decorated_definition(self, node: Syntax, out: list[Node]) -> None:
        decorators: list[Node] = []
        parts = self.parts(node)
        is_kept = self._is_definition_to_lower(node.start_byte, parts[-1])
        for child in parts:
            if child.type == "decorator":
                if is_kept or not any(part.type == "call" for part in child.named_children):
                    decorators.extend(self.expressions(child))
            elif child.type == "function_definition":
                self._lower_function(child, out, tuple(decorators))
            elif child.type == "class_definition":
                self._lower_class(child, out, tuple(decorators))
            else:
                out.append(self.mixed(child))

    def _is_definition_to_lower(self, start: int, node: Syntax) -> bool:
        """Return whether a definition that stands from `start` on, with its decorators, say, is to be
        lowered.
        """
        if self._in_function or self._keep is None or node.type != "function_definition":
            return True
        name = node.child_by_field_name("name")
        scope = (*self._scope, self.text(name) if name is not None else "")
        return self._keep(start, node.end_byte, ".".join(scope))

    def _lower_function(self, node: Syntax, out: list[Node], decorators: tuple[Node, ...] = ()) -> None:
        span = span_of(node)
        name_node = node.child_by_field_name("name")
        name_span = span_of(name_node) if name_node is not None else Span(span.start, span.start)
        name = self.text(name_node) if name_node is not None else ""
        parameters = self.parameters(node.child_by_field_name("parameters"))
        block = node.child_by_field_name("body")
        scope = (*self._scope, name)
        docstring, statements = self._split_docstring(block)
        body: list[Node] = []
        if self._is_definition_to_lower(span.start, node):
            outer = self._scope, self._in_function
            self._scope, self._in_function = scope, True
            for child in statements:
                self.statement(child, body)
            self._scope, self._in_function = outer
        returns = self.annotation(node.child_by_field_name("return_type"))
        out.append(Function(span, name, name_span, parameters, tuple(body), decorators, docstring, returns))

    def _lower_class(self, node: Syntax, out: list[Node], decorators: tuple[Node, ...] = ()) -> None:
        name_node = node.child_by_field_name("name")
        name = self.text(name_node) if name_node is not None else ""
        bases: list[Node] = []
        given = node.child_by_field_name("superclasses")
        if given is not None:
            keywords: list[tuple[str | None, Node]] = []
            self.arguments(given, bases, keywords)
            bases.extend(Other(value.span, "keyword_argument", (value,)) for _, value in keywords)
        docstring, statements = self._split_docstring(node.child_by_field_name("body"))
        outer = self._scope
        self._scope = (*outer, name)
        body: list[Node] = []
        for child in statements:
            self.statement(child, body)
        self._scope = outer
        is_enum = any(getattr(base, "id", getattr(base, "name", "")) in _ENUMS for base in bases)
        out.append(
            Type(
                span_of(node),
                name,
                "enum" if is_enum else "class",
                tuple(bases),
                tuple(body),
                decorators,
                docstring=docstring,
            )
        )

    def _split_docstring(self, block: Syntax | None) -> tuple[str, list[Syntax]]:
        """Return the text of a leading string and the statements after it."""
        children = self.block_children(block)
        if children and children[0].type == "expression_statement" and not children[0].has_error:
            inner = self.parts(children[0])
            if len(inner) == 1 and inner[0].type in {"string", "concatenated_string"}:
                value = self.expression(inner[0])
                if isinstance(value, Literal) and isinstance(value.value, str):
                    return value.value, children[1:]
        return "", children

    # ---------------------------------------------------------------------------------------------- dispatch

    _SIMPLE: ClassVar[Mapping[str, Callable[[Any, Syntax, list[Node]], None]]] = {
        "expression_statement": _expression_statement, "return_statement": _lower_return,
        "raise_statement": _lower_raise, "assert_statement": _lower_assert,
        "type_alias_statement": _type_alias,
        "import_statement": _lower_import, "import_from_statement": _import_from,
        "future_import_statement": _skip_future_import, "break_statement": _lower_break,
        "continue_statement": _lower_continue, "pass_statement": _other_statement,
        "global_statement": _other_statement, "nonlocal_statement": _other_statement,
        "delete_statement": _other_statement, "print_statement": _lower_keyword_call,
        "exec_statement": _lower_keyword_call,
    }  # fmt: skip
    _STATEMENTS: ClassVar[Mapping[str, Callable[[Any, Syntax, list[Node]], None]]] = {
        **_SIMPLE,
        "if_statement": lower_if, "for_statement": lower_for, "while_statement": lower_while,
        "try_statement": lower_try,
        "with_statement": lower_with, "match_statement": lower_match,
        "decorated_definition": _lower_decorated_definition,
        "function_definition": _lower_function, "class_definition": _lower_class,
    }  # fmt: skip
    KINDS: ClassVar[frozenset[str]] = frozenset(_STATEMENTS)


UNDERSTOOD = Statements.KINDS | EXTRAS
"""The syntax nodes that mean what they say even where they stand inside an error."""


def _close_run(run: list[Node], out: list[Node]) -> None:
    if run:
        out.append(Broken(Span(run[0].span.start, max(node.span.end for node in run)), tuple(run)))
        run.clear()
