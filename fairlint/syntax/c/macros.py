"""C macros: what `#define` and `#include` say, as nodes."""

from __future__ import annotations

import re

from tree_sitter import Node as Syntax

from fairlint.support.records import Record
from fairlint.syntax import tree as t
from fairlint.syntax.c.declarations import KEYWORDS
from fairlint.syntax.c.expressions import unwrap
from fairlint.syntax.c.literals import number
from fairlint.syntax.c.statements import Statements
from fairlint.syntax.c.text import Directive
from fairlint.syntax.c.unit import Unit
from fairlint.syntax.lowering import TOO_LONG_MACRO

_DEFINE = re.compile(rb"[ \t\f\v]*#\s*define[ \t]+(\w+)(\([^()]*\))?", re.ASCII)
_INCLUDE = re.compile(rb'[ \t\f\v]*#\s*(?:include|include_next|import|embed)\s*([<"]?)([^>"\n]+)')
_WORD = re.compile(rb"[A-Za-z_]\w*\Z", re.ASCII)
_NUMBER = re.compile(rb"[0-9][\w.']*\Z", re.ASCII)
_PASTE = re.compile(rb"\s*##\s*")
_STRINGIFY = re.compile(rb"#(?=\s*\w)")
_DOES_SOMETHING = re.compile(rb"[^=!<>]=[^=]|\?|\bif\b|\breturn\b|\+\+|--")
_EFFECTS = frozenset(("assignment_expression", "update_expression", "comma_expression"))
_LONGEST = 20_000


def directive(unit: Unit, line: Directive) -> t.Node | None:
    """Return the node for one preprocessor line, if it has one."""
    if line.word == b"define":
        return _lower_define(unit, line)
    if line.word in (b"include", b"include_next", b"import", b"embed"):
        match = _INCLUDE.match(unit.text.uncommented, line.start, line.end)
        if match is not None:
            module = match[2].decode("utf-8", "replace").strip()
            return t.Import(_trimmed_span(unit, line), module, ())
    return None


def _trimmed_span(unit: Unit, line: Directive) -> t.Span:
    text = unit.text.uncommented[line.start : line.end]
    return t.Span(line.end - len(text.lstrip()), line.start + len(text.rstrip()))


def _lower_define(unit: Unit, line: Directive) -> t.Node | None:
    match = _DEFINE.match(unit.text.uncommented, line.start, line.end)
    if match is None:
        return None
    start = match.end()
    value = unit.text.uncommented[start : line.end].replace(b"\\\n", b"  ")
    start += len(value) - len(value.lstrip())
    value = value.strip()
    if not value:
        return None
    name = match[1].decode("ascii")
    span = _trimmed_span(unit, line)
    if match[2] is None:
        unit.constants.pop(name, None)
        simple = _simple_replacement(value, start)
        if simple is not None:
            return _macro_node(unit, span, name, simple)
        if value.decode("utf-8", "replace") in KEYWORDS:
            return None
    replacement = _Replacement(unit, value, start)
    if match[2] is None and (expression := replacement.expression()) is not None:
        return _macro_node(unit, span, name, expression)
    if match[2] is None and not _DOES_SOMETHING.search(value) and b"(" not in value:
        return None
    body = replacement.body(as_function=match[2] is not None)
    if body is None:
        if _DOES_SOMETHING.search(value) and not value.startswith((b"__attribute", b"__asm")):
            unit.gap(t.Span(start, start + len(value)), "macro")
        return None
    parameters = _macro_parameters(match) if match[2] is not None else ()
    return t.Function(span, name, t.Span(*match.span(1)), parameters, body, is_macro=True)


def _macro_node(unit: Unit, span: t.Span, name: str, value: t.Node) -> t.Macro:
    constant = unit.constant(value)
    if constant is not None:
        unit.constants[name] = constant
    return t.Macro(span, name, value)


def _simple_replacement(value: bytes, start: int) -> t.Node | None:
    """Return the commonest replacements need no parser."""
    span = t.Span(start, start + len(value))
    if _NUMBER.match(value):
        amount = number(value.decode("ascii"))
        return None if amount is None else t.Literal(span, amount)
    if _WORD.match(value):
        word = value.decode("ascii")
        if word in ("NULL", "nullptr"):
            return t.Literal(span, None)
        if word in ("true", "false"):
            return t.Literal(span, word == "true")
        return None if word in KEYWORDS else t.Name(span, word)
    return None


def _macro_parameters(match: re.Match[bytes]) -> tuple[t.Parameter, ...]:
    found: list[t.Parameter] = []
    at = match.start(2) + 1
    for part in match[2][1:-1].split(b","):
        text = part.replace(b"\\\n", b"  ")
        word = text.strip()
        begin = at + len(text) - len(text.lstrip())
        at += len(part) + 1
        if word:
            name = word.decode("ascii", "replace")
            star = "*" if name.endswith("...") else ""
            found.append(t.Parameter(t.Span(begin, begin + len(word)), name, "", None, star))
    return tuple(found)


class _Parsed(Record):
    """A node of the parsed text, and what reads it."""

    syntax: Syntax
    statements: Statements


class _Replacement:
    """The text a macro stands for, parsed as an expression or as statements, whichever it is."""

    def __init__(self, unit: Unit, value: bytes, start: int) -> None:
        self.unit, self.start = unit, start
        self.end = start + len(value)
        # Pasted words become one name; a stringified parameter stands for itself.
        pasted = _PASTE.sub(lambda match: b"_" * len(match.group()), value)
        self.value = _STRINGIFY.sub(b" ", pasted)

    def lowering(self, prefix: bytes, suffix: bytes) -> _Parsed | None:
        """Parse the text between `prefix` and `suffix`; None where it does not parse."""
        if len(self.value) > _LONGEST:
            self.unit.gap(t.Span(self.start, self.end), TOO_LONG_MACRO)
            return None
        text = prefix + self.value + suffix
        root = self.unit.parser.parse(text).root_node
        if root.has_error or root.named_child_count != 1:
            return None
        return _Parsed(
            root.named_children[0], Statements(self.unit, text, self.start - len(prefix), self.end)
        )

    def parse_expression(self) -> _Parsed | None:
        """Return the one expression that the text is."""
        braces = self.value.startswith(b"{")
        found = self.lowering(b"int x=", b";") if braces else self.lowering(b"int x=(", b");")
        if found is None:
            return None
        declarators = found.syntax.children_by_field_name("declarator")
        value = declarators[0].child_by_field_name("value") if len(declarators) == 1 else None
        if value is None or found.syntax.type != "declaration":
            return None
        if not braces and value.end_byte != len(self.value) + len(b"int x=()"):
            return None
        return _Parsed(unwrap(value), found.statements)

    def expression(self) -> t.Node | None:
        """Return the text as a value."""
        found = self.parse_expression()
        if found is None or found.syntax.type in ("compound_statement", *_EFFECTS):
            return None
        return found.statements.expression(found.syntax)

    def body(self, *, as_function: bool) -> tuple[t.Node, ...] | None:
        """Return the text as what a function does."""
        braces = self.value.startswith(b"{")
        found = None if braces else self.parse_expression()
        if found is not None:
            value, lowering = found.syntax, found.statements
            if value.type in ("assignment_expression", "update_expression"):
                out: list[t.Node] = []
                lowering.effect(value, out)
                return tuple(out)
            result = lowering.expression(value)
            return (t.Return(result.span, result),)
        found = self.lowering(b"void f(){", b";}")
        if found is None or found.syntax.type != "function_definition":
            return self.initialiser() if braces and as_function else None
        body = found.syntax.child_by_field_name("body")
        return None if body is None else _without_empty(found.statements.block(body))

    def initialiser(self) -> tuple[t.Node, ...] | None:
        """`{ name, #name }`: a row of a table."""
        found = self.parse_expression()
        if found is None:
            return None
        result = found.statements.expression(found.syntax)
        return (t.Return(result.span, result),)


def _without_empty(body: tuple[t.Node, ...]) -> tuple[t.Node, ...]:
    """Return a block around everything is transparent."""
    while len(body) == 1 and isinstance(body[0], t.Block):
        body = body[0].body
    return body
