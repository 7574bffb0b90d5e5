"""C to the shared tree.

The text is made readable for the grammar first (`text`), parsed, and lowered. Where damage lets the grammar
lose its way, the text is cut at the lines that look like definitions, so that one broken function hides none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, cached_property
from itertools import pairwise

from tree_sitter import Language, Parser
from tree_sitter import Node as Syntax

from fairlint.support.records import replace
from fairlint.syntax import tree as t
from fairlint.syntax.c.macros import directive
from fairlint.syntax.c.statements import UNDERSTOOD, Statements
from fairlint.syntax.c.text import blank, closing, prepare
from fairlint.syntax.c.unit import Keep, Unit
from fairlint.syntax.grammars import grammar
from fairlint.syntax.lowering import SYNTAX_ERROR, merge_gaps, syntax_children, trim_span

_TYPE_WORDS = rb"(?:struct|union|enum|unsigned|signed|int|char|long|short|float|double|void|bool|_Bool)"
_HEAD = re.compile(
    rb"^(?!(?:else|return|case|goto|do|while|switch|if|for|sizeof|default|break)\b)"
    rb"(?:[A-Za-z_]\w*(?:\s|\*){1,40}){1,8}[A-Za-z_]\w*\s{0,20}\(",
    re.MULTILINE,
)
_OTHER_DEFINITION = re.compile(rb"^(?:typedef|struct|enum|union|static|extern|const)\b", re.MULTILINE)
_TERMINATOR = re.compile(rb"[;{}]")
_BRACKET = re.compile(rb"[(){};]")
_PARENTHESIS = re.compile(rb"[()]")
_BLANK = 0x20
_MOST_STRAYS = 200
"""So many parentheses that close nothing are left to the grammar, whose time grows with their square."""
_BRACE = re.compile(rb"[{}]")
_PROTOTYPE = re.compile(
    rb"\s*(?!(?:return|case|goto|else)\b)(?:[A-Za-z_]\w*(?:\s|\*){1,40}){1,8}[A-Za-z_]\w*\s{0,20}\("
)
_PARAMETER_DECLARED = re.compile(rb"\s*[A-Za-z_]\w*[\s*]+[\w*(]")
_MACRO_BEFORE_TYPE = re.compile(
    rb"\b(?!(?:static|extern|typedef|register|const|volatile|inline|auto|else|return|do|case|goto|sizeof|restrict"
    rb"|struct|union|enum|unsigned|signed|int|char|long|short|float|double|void|bool|defined|default)\b)"
    rb"[A-Za-z_]\w*(?=\s+(?:const\s+)?" + _TYPE_WORDS + rb"\b)"
)
_MACRO_AFTER_NAME = re.compile(
    rb"(?:\*|\b"
    + _TYPE_WORDS
    + rb"\b)\s*(?!"
    + _TYPE_WORDS
    + rb"\b)\w+[ \t]+([A-Z_][A-Z0-9_]{2,})(?=\s*[;,)=])"
)
_CALL_ON_LINE = re.compile(
    rb"\n[ \t]+(?!(?:if|while|for|switch|return|sizeof|else|do|case|goto)\b)[A-Za-z_]\w*[ \t]*\("
)
_GOES_ON = re.compile(rb"[ \t]*\n\s*[A-Za-z_*.\"{&]")
_LOOK_BACK = 400
_PATIENCE = 1000
"""So many parentheses without an end, and the text is not worth the search."""
_TYPE_FIRST = re.compile(rb"\w\s*\(\s*[A-Za-z_]\w*\s*(\*+)\s*,")
_TYPE_LAST = re.compile(rb",\s*(?:const\s+|struct\s+)?[A-Za-z_]\w*\s*(\*+)\s*\)")
_OUTSIDE = frozenset(("translation_unit", "declaration_list", "field_declaration_list"))
_CPLUSPLUS = re.compile(
    rb"^[ \t]*(?:class\s+\w+[^;(){]{0,200}\{|namespace\b[^;]{0,100}\{|template\s*<|using\s+namespace\b"
    rb"|(?:public|private|protected)(?:\s+slots)?\s*:)"
    rb"|^[A-Za-z_][\w \t*&<>]*\b\w+::~?\w+\s*\(",
    re.MULTILINE,
)
_DECLARING = frozenset((
    "declaration", "init_declarator", "function_definition", "function_declarator", "parameter_list",
    "parameter_declaration", "field_declaration", "type_definition", "type_descriptor", "argument_list",
    "pointer_declarator", "array_declarator", "enum_specifier", "cast_expression",
))  # fmt: skip
_NOT_WORDS = re.compile(rb"[^\w\s*,()\[\].&]")
_COMPUTES = re.compile(rb"[{}=?]")


@cache
def _c_grammar() -> Language:
    return grammar("tree_sitter_c")


def parse(data: bytes, keep: Keep | None = None) -> t.Tree:
    """Lower C source to the shared tree.

    `keep(start, end, name)` says for each function whether its body is wanted; None wants them all. Whatever
    the bytes are, this does not raise: what makes no sense is a gap.
    """
    unit, body = _lower_source(data, keep, {})
    return t.Tree(tuple(body), _coalesce_gaps(data, merge_gaps(data, unit.gaps)))


def parse_with(data: bytes, headers: bytes, keep: Keep | None = None) -> t.Tree:
    """Return the same with what headers define, which stand behind the source: where it includes the first of
    them.

    What of them cannot be read is no gap of the source.
    """
    known, defined = _lower_source(b" " * max(len(data) - 1, 0) + b"\n" + headers, _no_function, {})
    unit, body = _lower_source(data, keep, known.constants)
    first = next((at for at, node in enumerate(body) if isinstance(node, t.Import)), 0)
    body[first:first] = defined
    return t.Tree(tuple(body), _coalesce_gaps(data, merge_gaps(data, unit.gaps)))


def _lower_source(data: bytes, keep: Keep | None, constants: dict[str, int]) -> tuple[Unit, list[t.Node]]:
    """Return the statements of a source, with its directives among them."""
    text = prepare(data)
    unit = Unit(text, Parser(_c_grammar()), keep)
    unit.constants.update(constants)
    found = (directive(unit, line) for line in text.directives)
    lines = [node for node in found if node is not None]
    body = _File(unit).lower()
    return unit, sorted([*lines, *body], key=lambda node: node.span.start) if lines else body


def _no_function(start: int, end: int, name: str) -> bool:
    del start, end, name
    return False


def _coalesce_gaps(data: bytes, gaps: tuple[t.Gap, ...]) -> tuple[t.Gap, ...]:
    """Return one gap where there are several on a line."""
    result: list[t.Gap] = []
    for gap in gaps:
        last = result[-1] if result else None
        if (
            last is not None
            and last.reason == gap.reason
            and b"\n" not in data[last.span.end : gap.span.start]
        ):
            result[-1] = replace(last, span=t.Span(last.span.start, gap.span.end))
        else:
            result.append(gap)
    return tuple(result)


class _File:
    """One source on its way through the parser."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.parser = unit.parser
        self.code = unit.text.code
        self.shape = unit.text.shape

    def lower(self) -> list[t.Node]:
        """Return all of it, in pieces where it does not parse as a whole."""
        self.drop_strays()
        root = self.parser.parse(self.code).root_node
        if root.has_error and self.simplify():
            root = self.parser.parse(self.code).root_node
        if root.has_error and (found := _CPLUSPLUS.search(self.shape)) is not None:
            self.unit.gap(trim_span(self.shape, found.start(), len(self.shape)), "C++, read as C")
        if root.has_error and self.has_spreading_error(root):
            body: list[t.Node] = []
            for start, end in pairwise(self.bounds()):
                body.extend(self.piece(start, end))
            return body
        return self.accept(root, self.code, 0, len(self.code))

    def drop_strays(self) -> None:
        """Blanks parentheses that close nothing where there are very many, which the grammar is slow at."""
        if self.shape.count(b")") <= _MOST_STRAYS:
            return
        strays: list[int] = []
        opened = 0
        for match in _PARENTHESIS.finditer(self.shape):
            opened += 1 if match[0] == b"(" else -1
            if opened < 0:
                strays.append(match.start())
                opened = 0
        if len(strays) > _MOST_STRAYS:
            self.unit.gap(trim_span(self.shape, strays[0], strays[-1] + 1), SYNTAX_ERROR)
            code, shape = bytearray(self.code), bytearray(self.shape)
            for at in strays:
                code[at] = shape[at] = _BLANK
            self.code, self.shape = bytes(code), bytes(shape)

    def simplify(self) -> bool:
        """Blank out what trips the grammar and says nothing here: prototypes, macros that decorate."""
        hidden = self.prototypes()
        for head, brace in self.old_style.items():
            end = self.parameters_end(head, brace)
            if end is not None:
                self.unit.old_style[brace] = end
                hidden.append((end, brace))
        hidden.extend(match.span() for match in _MACRO_BEFORE_TYPE.finditer(self.shape))
        hidden.extend(match.span(1) for match in _MACRO_AFTER_NAME.finditer(self.shape))
        hidden.extend(match.span(1) for match in _TYPE_FIRST.finditer(self.shape))
        hidden.extend(match.span(1) for match in _TYPE_LAST.finditer(self.shape))
        marks = self.unmarked_ends()
        if not hidden and not marks:
            return False
        code, shape = bytearray(self.code), bytearray(self.shape)
        for at, mark in marks:
            code[at : at + 1] = shape[at : at + 1] = mark
        for start, end in hidden:
            code[start:end] = shape[start:end] = blank(self.code[start:end])
        self.code, self.shape = bytes(code), bytes(shape)
        return True

    def unmarked_ends(self) -> list[tuple[int, bytes]]:
        """Return where a macro call stands alone on its line and brings its own semicolon or comma."""
        found: list[tuple[int, bytes]] = []
        shape = self.shape
        unclosed = 0
        last = 0
        for match in _CALL_ON_LINE.finditer(shape):
            end = closing(shape, match.end())
            unclosed += end is None
            if unclosed > _PATIENCE:
                break
            if end is None or not _GOES_ON.match(shape, end):
                continue
            before = shape[max(last, match.start() - _LOOK_BACK) : match.start()].rstrip()
            if before and before[-1:] not in (b";", b"{", b"}", b":"):
                continue
            in_table = before.endswith(b"{") and before[:-1].rstrip().endswith((b"=", b"{", b","))
            if in_table or shape[end : end + _LOOK_BACK].lstrip()[:1] not in (b".", b'"', b"{", b"&"):
                found.append((end, b"," if in_table else b";"))
                last = end
        return found

    def prototypes(self) -> list[tuple[int, int]]:
        """Return declarations of functions outside of all braces."""
        found: list[tuple[int, int]] = []
        bodies = {brace: head for head, brace in self.old_style.items()}
        depth = 0
        last = 0
        for match in _TERMINATOR.finditer(self.shape):
            mark, end = match.group(), match.end()
            if mark == b";":
                if depth == 0:
                    chunk = self.shape[last : end - 1]
                    whole = chunk.count(b"(") == chunk.count(b")")
                    if whole and _PROTOTYPE.match(chunk) and not _COMPUTES.search(chunk):
                        found.append((last, end))
            elif mark == b"{":
                head = bodies.get(end - 1)
                while found and head is not None and found[-1][1] > head:
                    found.pop()
                depth += 1
            else:
                depth = max(0, depth - 1)
            last = end
        return found

    def has_spreading_error(self, root: Syntax) -> bool:
        """Return whether an error reaches beyond one definition."""
        if root.is_error:
            return True
        for child in syntax_children(root):
            if child.type == "compound_statement":
                return True
            if not child.has_error:
                continue
            start, end = child.start_byte, child.end_byte
            if child.is_error and _BRACE.search(self.shape, start, end):
                return True
            if child.type == "function_definition":
                functions = self.functions
                at = bisect_right(functions, start)
                if at < len(functions) and functions[at] < end:
                    return True
        return False

    @cached_property
    def functions(self) -> list[int]:
        """Where lines start that look like the head of a function."""
        return [start for start, is_function in self.heads if is_function]

    @cached_property
    def heads(self) -> list[tuple[int, bool]]:
        """Where to cut: at functions, and at other definitions outside of all braces."""
        return self.outline[0]

    @property
    def old_style(self) -> dict[int, int]:
        """Where old-style functions start -> where their bodies do."""
        return self.outline[1]

    @cached_property
    def outline(self) -> tuple[list[tuple[int, bool]], dict[int, int]]:
        """The heads, and the old-style functions among them."""
        found: list[tuple[int, bool]] = []
        bodies: dict[int, int] = {}
        # What is blanked out later has its place at the start of lines, too.
        shape = self.unit.text.shape
        pending: int | None = None
        unclosed = 0
        depth = 0
        last = 0
        for match in _TERMINATOR.finditer(shape):
            mark, end = match.group(), match.start()
            head: int | None = None
            if mark == b"{":
                for candidate in _HEAD.finditer(shape, last, end):
                    head = candidate.start()
                if head is None and pending is not None and not shape[last:end].strip():
                    head = pending
                    bodies[head] = end
                    # The lines between are its parameters.
                    while found and found[-1][0] > head:
                        found.pop()
            elif mark == b";":
                for candidate in _HEAD.finditer(shape, last, end):
                    close = closing(shape, candidate.end()) if unclosed <= _PATIENCE else None
                    unclosed += close is None
                    if close is not None and _PARAMETER_DECLARED.match(shape, close, end):
                        pending = candidate.start()
            if head is not None:
                found.append((head, True))
                depth = 0
            elif mark != b"}" and (depth == 0 or shape.endswith(b"\n}", 0, last)):
                depth = 0
                found.extend((other.start(), False) for other in _OTHER_DEFINITION.finditer(shape, last, end))
            if mark != b";":
                pending = None
                depth = depth + 1 if mark == b"{" else max(0, depth - 1)
            last = match.end()
        return sorted(set(found)), bodies

    def parameters_end(self, head: int, brace: int) -> int | None:
        """Return the offset after the parameter list of the function that starts at `head`."""
        at = self.unit.text.shape.find(b"(", head, brace)
        return None if at < 0 else closing(self.unit.text.shape, at + 1)

    def bounds(self) -> list[int]:
        """Return the offsets between which the pieces lie."""
        starts = [start for start, _ in self.heads if start > 0]
        return [0, *starts, len(self.code)]

    def piece(self, start: int, end: int) -> list[t.Node]:
        """Return one definition and what follows it, with its brackets closed if that helps."""
        code = self.code[start:end]
        if not code.strip():
            return []
        root = self.parser.parse(code).root_node
        if root.has_error:
            cut, closers = self.open_braces_at_end(start, end)
            if closers:
                repaired = self.code[start:cut] + closers
                other = self.parser.parse(repaired).root_node
                if _damage_size(other) < _damage_size(root):
                    rest = trim_span(self.code, cut, end)
                    if rest.start == rest.end:
                        rest = t.Span(max(start, cut - 1), cut)
                    self.unit.gap(rest, SYNTAX_ERROR)
                    return self.accept(other, repaired, start, cut)
        return self.accept(root, code, start, end)

    def open_braces_at_end(self, start: int, end: int) -> tuple[int, bytes]:
        """Return where the last whole statement ends, and the braces that are open there."""
        braces = 0
        parentheses = 0
        cut, open_there = start, 0
        for match in _BRACKET.finditer(self.shape, start, end):
            mark = match.group()
            if mark == b"(":
                parentheses += 1
            elif mark == b")":
                parentheses = max(0, parentheses - 1)
            elif mark == b";":
                if not parentheses:
                    cut, open_there = match.end(), braces
            else:
                parentheses = 0
                braces = max(0, braces + (1 if mark == b"{" else -1))
                cut, open_there = match.end(), braces
        return cut, b"}" * open_there

    def accept(self, root: Syntax, code: bytes, base: int, end: int) -> list[t.Node]:
        """Lower a parsed stretch, and note its gaps."""
        lowering = Statements(self.unit, code, base, end)
        if root.has_error:
            self.note(root, base, end)
        return lowering.top_level(lowering.values(root))

    # -------------------------------------------------------------------------------------------------- gaps

    def note(self, root: Syntax, base: int, end: int) -> None:
        """Lower a gap for each thing the grammar stumbled over, unless nothing can hide in it."""
        # Braces without a head: the head is what broke, so nothing before them is harmless.
        headless = any(child.type == "compound_statement" for child in syntax_children(root))
        stack = [(child, root) for child in syntax_children(root) if child.has_error]
        if root.is_error:
            stack = [(root, root)]
        while stack:
            node, parent = stack.pop()
            if node.is_missing:
                if not _is_macro_call(node, parent):
                    self.gap(max(0, node.start_byte - 1), node.start_byte, base, end)
            elif not (headless and parent is root) and self.is_harmless(node, parent, base):
                continue
            elif node.is_error:
                stack.extend(self.note_error(node, base, end))
            elif node.has_error:
                stack.extend((child, node) for child in syntax_children(node) if child.has_error)

    def note_error(self, node: Syntax, base: int, end: int) -> list[tuple[Syntax, Syntax]]:
        """Return the parts of an error that are not whole in themselves; returns what is to be
        looked into.
        """
        inside: list[tuple[Syntax, Syntax]] = []
        start = node.start_byte
        for child in syntax_children(node):
            if child.type in UNDERSTOOD:
                self.gap(start, child.start_byte, base, end)
                start = child.end_byte
                if child.has_error:
                    inside.append((child, node))
        self.gap(start, node.end_byte, base, end)
        return inside

    def is_harmless(self, node: Syntax, parent: Syntax, base: int) -> bool:
        """Return nothing is computed in it: a prototype, a member, or words before a name that are macros."""
        start, end = node.start_byte + base, node.end_byte + base
        if parent.type in _OUTSIDE:
            if node.type == "function_definition" or _COMPUTES.search(self.shape, start, end):
                return False
            return self.shape.count(b"(", start, end) == self.shape.count(b")", start, end)
        return node.is_error and parent.type in _DECLARING and not _NOT_WORDS.search(self.shape, start, end)

    def gap(self, start: int, stop: int, base: int, end: int) -> None:
        """Lower a gap, less the white space at its ends."""
        span = trim_span(self.code, min(start + base, end), min(stop + base, end))
        if span.start < span.end:
            self.unit.gap(span, SYNTAX_ERROR)


def _is_macro_call(node: Syntax, parent: Syntax) -> bool:
    """Return a statement without semicolon that is only a name or a call: a macro that brings its own."""
    if node.type != ";" or parent.type != "expression_statement":
        return False
    return any(child.type in ("identifier", "call_expression") for child in parent.named_children[:1])


def _damage_size(root: Syntax) -> int:
    """Return how many bytes stand in errors, each thing invented counting a little."""
    total = 0
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_missing:
            total += 4
        elif node.is_error:
            total += 1 + node.end_byte - node.start_byte
        elif node.has_error:
            stack.extend(syntax_children(node))
    return total
