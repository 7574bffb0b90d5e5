"""C statements and functions, from the grammar's nodes to the shared ones."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node as Syntax

from fairlint.syntax import tree as t
from fairlint.syntax.c.declarations import KEYWORDS, Declarations
from fairlint.syntax.c.expressions import operator_of, unwrap
from fairlint.syntax.depth import TOO_DEEP
from fairlint.syntax.lowering import MAX_CHAIN

_LINKS_A_LEVEL = 8
_CPLUSPLUS = frozenset(("class", "namespace", "template"))
_EFFECTS = frozenset(("assignment_expression", "update_expression"))


class Statements(Declarations):
    """Lowers statements and definitions."""

    def statements(self, nodes: list[Syntax]) -> tuple[t.Node, ...]:
        """Lower one after the other."""
        out: list[t.Node] = []
        for node in nodes:
            self.anything(node, out)
        return tuple(out)

    def anything(self, node: Syntax, out: list[t.Node]) -> None:
        """Lower a statement, a definition or, failing that, an expression."""
        handler = _STATEMENTS.get(node.type)
        if handler is None:
            out.append(self.expression(node))
        elif self.depth >= self.deepest:
            out.append(self.too_deep(node))
        else:
            self.depth += 1
            handler(self, node, out)
            self.depth -= 1

    def block(self, node: Syntax | None) -> tuple[t.Node, ...]:
        """Return the statements of a body, with or without braces."""
        if node is None:
            return ()
        if node.type == "compound_statement":
            return self.statements(self.values(node))
        return self.statements([node])

    def other(self, node: Syntax) -> t.Node:
        """Also the GNU statement expression `({ ...; value; })`."""
        if node.type == "parenthesized_expression" and node.named_child_count == 1:
            inner = node.named_children[0]
            if inner.type == "compound_statement":
                return t.Other(self.span(node), "statement_expression", self.children(inner))
        return super().other(node)

    # -------------------------------------------------------------------------------------------- statements

    def expression_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """Lower an expression and its semicolon."""
        for child in node.named_children:
            if child.type == "ERROR":
                out.append(self.other(child))
            else:
                self.effect(child, out)

    def effect(self, node: Syntax, out: list[t.Node]) -> None:
        """Note that an expression that stands for what it does: `a = 1, b++` is two statements."""
        inner = unwrap(node)
        kind = inner.type
        if kind in _EFFECTS and self.depth < self.deepest:
            self.depth += 1
            out.append(self.assignment(inner) if kind == "assignment_expression" else self.update(inner))
            self.depth -= 1
        elif kind == "comma_expression":
            for part in self.parts(inner):
                self.nested_effect(part, out)
        elif kind == "conditional_expression" and (
            _has_effect(inner, "consequence") or _has_effect(inner, "alternative")
        ):
            self.chosen_effect(inner, out)
        elif (
            kind == "binary_expression" and operator_of(inner) in ("&&", "||") and _has_effect(inner, "right")
        ):
            self.guarded_effect(inner, out)
        else:
            out.append(t.Expression(self.span(node), self.expression(inner)))

    def nested_effect(self, node: Syntax | None, out: list[t.Node]) -> None:
        """Lower an effect inside another one."""
        if node is None:
            return
        if self.depth >= self.deepest:
            out.append(self.too_deep(node))
            return
        self.depth += 1
        self.effect(node, out)
        self.depth -= 1

    def chosen_effect(self, node: Syntax, out: list[t.Node]) -> None:
        """Lower `a ? (b += 1) : (c += 2);` is an if."""
        then: list[t.Node] = []
        otherwise: list[t.Node] = []
        test = self.required(node, "condition")
        self.nested_effect(node.child_by_field_name("consequence"), then)
        self.nested_effect(node.child_by_field_name("alternative"), otherwise)
        out.append(t.If(self.span(node), test, tuple(then), tuple(otherwise)))

    def guarded_effect(self, node: Syntax, out: list[t.Node]) -> None:
        """Lower `a && (b += 1);` is an if."""
        test = self.required(node, "left")
        if operator_of(node) == "||":
            test = t.Unary(test.span, "not", test)
        then: list[t.Node] = []
        self.nested_effect(node.child_by_field_name("right"), then)
        out.append(t.If(self.span(node), test, tuple(then), ()))

    def compound_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """Bare braces."""
        out.append(t.Block(self.span(node), self.block(node)))

    def if_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """`if`, with its whole ladder of `else if`, which is walked, not recursed into."""
        rungs: list[tuple[Syntax, t.Node, tuple[t.Node, ...]]] = []
        otherwise: tuple[t.Node, ...] = ()
        depth = self.depth
        current: Syntax = node
        while True:
            self.depth = depth + len(rungs) // _LINKS_A_LEVEL
            test = self.required(current, "condition")
            rungs.append((current, test, self.block(current.child_by_field_name("consequence"))))
            clause = current.child_by_field_name("alternative")
            last = clause.named_children[-1:] if clause is not None else []
            if not last:
                break
            if last[0].type != "if_statement":
                otherwise = self.block(last[0])
                break
            current = last[0]
            if len(rungs) >= MAX_CHAIN:
                otherwise = (self.left_out(current, TOO_DEEP),)
                break
        self.depth = depth
        for index in range(len(rungs) - 1, -1, -1):
            owner, test, then = rungs[index]
            otherwise = (t.If(self.span(owner), test, then, otherwise, index > 0),)
        out.extend(otherwise)

    def switch_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """`switch`; labels that follow each other directly are one case with several patterns."""
        subject = self.required(node, "condition")
        body = node.child_by_field_name("body")
        items = [] if body is None else self.values(body) if body.type == "compound_statement" else [body]
        cases: list[t.Case] = []
        before: list[t.Node] = []
        for item in items:
            if item.type == "case_statement":
                case = self.case(item)
                if cases and not cases[-1].body and cases[-1].patterns and case.patterns:
                    last = cases.pop()
                    span = t.Span(last.span.start, case.span.end)
                    case = t.Case(span, last.patterns + case.patterns, None, case.body)
                cases.append(case)
                continue
            found: list[t.Node] = []
            self.anything(item, found)
            if cases:
                last = cases.pop()
                end = max(last.span.end, found[-1].span.end) if found else last.span.end
                span = t.Span(last.span.start, end)
                cases.append(t.Case(span, last.patterns, None, (*last.body, *found)))
            else:
                before.extend(found)
        out.extend(before)
        out.append(t.Switch(self.span(node), subject, tuple(cases), True))

    def case(self, node: Syntax) -> t.Case:
        """Return one label with what follows it; braces around that are transparent."""
        value = node.child_by_field_name("value")
        body: list[t.Node] = []
        for child in self.values(node):
            if value is not None and child.id == value.id:
                continue
            if child.type == "compound_statement":
                body.extend(self.block(child))
            else:
                self.anything(child, body)
        return t.Case(self.span(node), () if value is None else (self.pattern(value),), None, tuple(body))

    def pattern(self, node: Syntax) -> t.Node:
        """Return the value of a case; a GNU range was rewritten to an operator, the source still says so."""
        operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
        if operator is not None:
            at = operator.start_byte + self.base
            if self.unit.text.data[at - 1 : at + 2] == b"...":
                return t.Slice(
                    self.span(node), self.required(node, "left"), self.required(node, "right"), None
                )
        return self.expression(node)

    def stray_case(self, node: Syntax, out: list[t.Node]) -> None:
        """Lower a label inside another statement of the switch, as in Duff's device."""
        case = self.case(node)
        out.append(t.Label(t.Span(case.span.start, case.span.start), "case"))
        out.extend(case.patterns)
        out.extend(case.body)

    def while_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """`while`."""
        test = self.required(node, "condition")
        body = self.block(node.child_by_field_name("body"))
        out.append(t.Loop(self.span(node), None, None, test, body))

    def do_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """`do ... while`; with a constant 0 it runs once and is no loop."""
        body = self.block(node.child_by_field_name("body"))
        test = self.required(node, "condition")
        span = self.span(node)
        if not (isinstance(test, t.Literal) and not test.value):
            out.append(t.Loop(span, None, None, test, body))
        elif _has_jump(body):
            end = t.Span(span.end, span.end)
            out.append(t.Loop(span, None, None, t.Literal(test.span, value=True), (*body, t.Break(end))))
        else:
            out.append(t.Block(span, body))

    def for_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """`for`: the start goes before the loop, the step to the end of its body."""
        start = node.child_by_field_name("initializer")
        if start is not None:
            if start.type == "declaration":
                self.declaration(start, out)
            else:
                self.nested_effect(start, out)
        condition = node.child_by_field_name("condition")
        body = list(self.block(node.child_by_field_name("body")))
        test: t.Node
        if condition is None:
            test = t.Literal(t.Span(self.span(node).start, self.span(node).start), value=True)
        else:
            test = self.expression(condition)
        self.nested_effect(node.child_by_field_name("update"), body)
        out.append(t.Loop(self.span(node), None, None, test, tuple(body)))

    def return_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """`return`."""
        value = node.named_children[0] if node.named_child_count else None
        out.append(t.Return(self.span(node), self.optional(value)))

    def break_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """`break`."""
        out.append(t.Break(self.span(node)))

    def continue_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """`continue`."""
        out.append(t.Continue(self.span(node)))

    def goto_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """`goto label`; a computed one keeps its expression."""
        label = node.child_by_field_name("label")
        if label is None:
            out.append(self.other(node))
        else:
            out.append(t.Goto(self.span(node), self.source(label)))

    def labeled_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """`label:` and the statement after it."""
        label = node.child_by_field_name("label")
        for child in node.named_children:
            if label is not None and child.id == label.id:
                out.append(t.Label(self.span(child), self.source(child)))
            elif child.type != "attribute_declaration":
                self.anything(child, out)

    def transparent_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """Lower what only wraps statements: `extern "C" {...}`, attributes."""
        for child in self.values(node):
            if child.type not in ("attribute_declaration", "string_literal"):
                self.anything(child, out)

    def try_statement(self, node: Syntax, out: list[t.Node]) -> None:
        """Microsoft's `__try`."""
        body = self.block(node.child_by_field_name("body"))
        handlers: list[tuple[t.Node, ...]] = []
        final: tuple[t.Node, ...] = ()
        for child in node.named_children:
            if child.type == "seh_except_clause":
                handlers.append(self.block(child.child_by_field_name("body")))
            elif child.type == "seh_finally_clause":
                final = self.block(child.child_by_field_name("body"))
        out.append(t.Try(self.span(node), body, tuple(handlers), (), final))

    def nothing(self, node: Syntax, out: list[t.Node]) -> None:
        """Lower what has no meaning by itself."""

    # --------------------------------------------------------------------------------------------- functions

    def function(self, node: Syntax, out: list[t.Node]) -> None:
        """Lower a function definition."""
        declarator = node.child_by_field_name("declarator")
        body = node.child_by_field_name("body")
        base, rest = self.specifiers(node, out)
        declared = self.declared(declarator, base) if declarator is not None else None
        if declared is None or declared.name is None:
            out.append(t.Broken(self.span(node), self.block(body)))
            return
        if base in _CPLUSPLUS:
            self.unit.gap(self.span(node), "C++, read as C")
            out.append(t.Broken(self.span(node), self.block(body)))
            return
        if self.source(declared.name) in KEYWORDS or base in KEYWORDS & {"else", "case", "return", "typedef"}:
            out.append(t.Broken(self.span(node), self.block(body)))
            return
        old_style = [child for child in node.named_children if child.type == "declaration"]
        types = dict(self.old_types(old_style)) if old_style else self.hidden_types(body)
        parameters = self.parameters(declared.function, types)
        # `rest` holds the declarator; with a macro for its type it may hold words before it.
        returns = declared.type if rest else base
        self.define(node, declared.name, parameters, returns, body, out=out)

    def hidden_types(self, body: Syntax | None) -> dict[str, str]:
        """Return the types of old-style parameters whose declarations were taken out of the grammar's way."""
        end = 0 if body is None else body.start_byte + self.base
        start = self.unit.old_style.get(end)
        if start is None:
            return {}
        text = self.unit.text.code[start:end]
        root = self.unit.parser.parse(text).root_node
        lowering = Statements(self.unit, text, start, end)
        return dict(lowering.old_types(child for child in root.named_children if child.type == "declaration"))

    def define(
        self,
        node: Syntax,
        name: Syntax,
        parameters: tuple[t.Parameter, ...],
        returns: str,
        body: Syntax | None,
        *,
        out: list[t.Node],
        start: int | None = None,
    ) -> None:
        """Add a Function, its body lowered where it is wanted."""
        end = node.end_byte if body is None else max(node.end_byte, body.end_byte)
        span = self.range(node.start_byte if start is None else start, end)
        title = self.source(name)
        keep = self.unit.keep
        wanted = keep is None or keep(span.start, span.end, title)
        statements = self.block(body) if wanted else ()
        prose = self.unit.text.prose_above(span.start) if wanted else ""
        found = t.Function(span, title, self.span(name), parameters, statements, (), prose, returns)
        out.append(found)

    def top_level(self, nodes: list[Syntax]) -> list[t.Node]:
        """Return a file's definitions; `MACRO(name, ...) { ... }` is one, too."""
        out: list[t.Node] = []
        index = 0
        while index < len(nodes):
            node = nodes[index]
            following = nodes[index + 1] if index + 1 < len(nodes) else None
            call = _unterminated_call(node)
            if call is not None and following is not None and following.type == "compound_statement":
                name = call.child_by_field_name("function")
                arguments = call.child_by_field_name("arguments")
                first = arguments.named_children[:1] if arguments is not None else []
                if first and first[0].type == "identifier":
                    name = first[0]
                if name is not None:
                    self.define(following, name, (), "", following, out=out, start=node.start_byte)
                    index += 2
                    continue
            self.anything(node, out)
            index += 1
        return out


def _unterminated_call(node: Syntax) -> Syntax | None:
    """Return the call in a statement that is a call without its semicolon."""
    if node.type != "expression_statement" or not node.named_child_count:
        return None
    inner = node.named_children[0]
    return inner if inner.type == "call_expression" and node.children[-1].is_missing else None


def _has_effect(node: Syntax, field: str) -> bool:
    """Return whether this part of an expression assigns."""
    child = node.child_by_field_name(field)
    while child is not None:
        child = unwrap(child)
        if child.type == "comma_expression":
            child = child.child_by_field_name("right")
        else:
            return child.type in _EFFECTS
    return False


def _has_jump(body: tuple[t.Node, ...]) -> bool:
    """Return whether a `break` or `continue` in it belongs to the loop around it."""
    stack: list[t.Node] = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, t.Break | t.Continue):
            return True
        if isinstance(node, t.Loop):
            continue
        if isinstance(node, t.Switch):
            # Its breaks are its own; a continue in it is rare enough to ignore.
            continue
        if isinstance(node, t.If | t.Block | t.Try):
            stack.extend(t.children(node))
    return False


_STATEMENTS: dict[str, Callable[[Statements, Syntax, list[t.Node]], None]] = {
    "expression_statement": Statements.expression_statement,
    "declaration": Statements.declaration,
    "field_declaration": Statements.member,
    "compound_statement": Statements.compound_statement,
    "if_statement": Statements.if_statement,
    "switch_statement": Statements.switch_statement,
    "case_statement": Statements.stray_case,
    "while_statement": Statements.while_statement,
    "do_statement": Statements.do_statement,
    "for_statement": Statements.for_statement,
    "return_statement": Statements.return_statement,
    "break_statement": Statements.break_statement,
    "seh_leave_statement": Statements.break_statement,
    "continue_statement": Statements.continue_statement,
    "goto_statement": Statements.goto_statement,
    "labeled_statement": Statements.labeled_statement,
    "attributed_statement": Statements.transparent_statement,
    "linkage_specification": Statements.transparent_statement,
    "declaration_list": Statements.transparent_statement,
    "else_clause": Statements.transparent_statement,
    "attribute_declaration": Statements.nothing,
    "attribute_specifier": Statements.nothing,
    "storage_class_specifier": Statements.nothing,
    "type_qualifier": Statements.nothing,
    "primitive_type": Statements.nothing,
    "type_descriptor": Statements.nothing,
    "comment": Statements.nothing,
    "seh_try_statement": Statements.try_statement,
    "function_definition": Statements.function,
    "type_definition": Statements.typedef,
    "struct_specifier": Statements.standalone,
    "union_specifier": Statements.standalone,
    "enum_specifier": Statements.standalone,
}
UNDERSTOOD = frozenset(_STATEMENTS) - {
    "storage_class_specifier", "type_qualifier", "primitive_type", "type_descriptor", "else_clause",
}  # fmt: skip
"""Kinds of nodes that are whole in themselves, even where they stand inside an error."""
