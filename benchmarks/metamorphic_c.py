"""Changes of a C program that cannot change what comes of it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import lru_cache

import tree_sitter_c
from metamorphic_edits import Change, Changed, Edit, NotHereError, Program, edited, unknown
from metamorphic_words import FUNCTIONS, HEADERS, PHRASES, SUFFIXES
from tree_sitter import Language, Node, Parser

_LANGUAGE = Language(tree_sitter_c.language())


@lru_cache(maxsize=500)
def _tree(data: bytes) -> Node:
    return Parser(_LANGUAGE).parse(data).root_node


def _root(program: Program) -> Node:
    if program.language != "c" or b"\r" in program.data:
        raise NotHereError
    root = _tree(program.data)
    if root.has_error:
        raise NotHereError
    return root


def _walk(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(one.children))


def _kind(node: Node, kind: str) -> list[Node]:
    return [one for one in _walk(node) if one.type == kind]


def _line(program: Program, node: Node) -> int:
    """The offset of the line on which a node begins, where nothing stands before it."""
    start = program.data.rfind(b"\n", 0, node.start_byte) + 1
    if program.data[start : node.start_byte].strip():
        raise NotHereError
    return start


def _indent(program: Program, node: Node) -> bytes:
    return program.data[_line(program, node) : node.start_byte]


def an_include(chance: random.Random, program: Program) -> Changed:
    """A header that nothing needs."""
    _root(program)
    line = f"#include <{chance.choice(HEADERS)}.h>\n".encode()
    if line.strip() in program.data:
        raise NotHereError
    return edited(program, [Edit(0, 0, line)], line.decode().strip())


def a_function(chance: random.Random, program: Program) -> Changed:
    """A function of another world that nothing calls."""
    places = [one for one in _root(program).children if one.type == "function_definition"]
    text = chance.choice(FUNCTIONS)
    name = re.search(r"(\w+)\(", text)
    if not places or name is None or name[1].encode() in program.data:
        raise NotHereError
    at = _line(program, chance.choice(places))
    return edited(program, [Edit(at, at, f"{text}\n\n".encode())], f"function {name[1]}")


def _statements(root: Node) -> list[Node]:
    return [
        one
        for block in _kind(root, "compound_statement")
        for one in block.named_children
        if one.type not in {"comment", "case_statement", "declaration", "labeled_statement"}
        and not one.type.startswith("preproc")
    ]


def a_comment(chance: random.Random, program: Program) -> Changed:
    """A comment that speaks of another world, before a statement."""
    places = _statements(_root(program))
    if not places:
        raise NotHereError
    one, said = chance.choice(places), chance.choice(PHRASES)
    at = _line(program, one)
    if program.data[:at].rstrip().endswith(b"*/"):
        raise NotHereError
    return edited(
        program, [Edit(at, at, _indent(program, one) + f"/* {said} */\n".encode())], f"comment {said}"
    )


def a_function_name(chance: random.Random, program: Program) -> Changed:
    """A function's name with an ending that speaks of another world."""
    root = _root(program)
    named = []
    for one in root.children:
        if one.type == "function_definition":
            declarators = _kind(one, "function_declarator")
            name = declarators[0].child_by_field_name("declarator") if declarators else None
            if name is not None and name.type == "identifier" and name.text != b"main":
                named.append(name.text or b"")
    if not named:
        raise NotHereError
    old = chance.choice(named)
    new = old + chance.choice(SUFFIXES).encode()
    if new in program.data or any(old in (one.text or b"") for one in _kind(root, "string_literal")):
        raise NotHereError
    names = [one for one in _kind(root, "identifier") if one.text == old]
    edits = [Edit(one.start_byte, one.end_byte, new) for one in names]
    if len(edits) != len(re.findall(rb"\b" + re.escape(old) + rb"\b", program.data)):
        raise NotHereError  # a macro's body, or a comment, names it, too
    changed = edited(program, edits, f"{old.decode()} → {new.decode()}")
    return Changed(changed.files, changed.line_of, changed.said, {old.decode(): new.decode()})


def swapped_halves(chance: random.Random, program: Program) -> Changed:
    """The halves of an `if` swapped, with `!` before its test."""
    found = []
    for one in _kind(_root(program), "if_statement"):
        test, first, other = (
            one.child_by_field_name(name) for name in ("condition", "consequence", "alternative")
        )
        if test is None or first is None or other is None:
            continue
        found.append((test, first, other.named_children[-1]))
    if not found:
        raise NotHereError
    test, first, second = chance.choice(found)
    edits = [
        Edit(test.start_byte, test.end_byte, b"(!" + (test.text or b"") + b")"),
        Edit(first.start_byte, first.end_byte, b"{ " + (second.text or b"") + b" }"),
        Edit(second.start_byte, second.end_byte, b"{ " + (first.text or b"") + b" }"),
    ]
    changed = edited(program, edits, f"line {test.start_point[0] + 1}")
    return Changed(changed.files, unknown, changed.said)


def a_local(chance: random.Random, program: Program) -> Changed:
    """A variable for what a test asks first: `const char *g = p->gender;`, `if (strcmp(g, ...) == 0)`."""
    found: list[tuple[Node, Node, bytes]] = []
    for one in _statements(_root(program)):
        test = one.child_by_field_name("condition") if one.type == "if_statement" else None
        if test is None or len(test.named_children) != 1:
            continue
        part = test.named_children[0]
        while part.type == "binary_expression" and part.children[1].type in {b"&&", "&&", "||"}:
            part = part.children[0]
        if part.type != "binary_expression":
            continue
        left, right = part.children[0], part.children[2]
        if left.type == "call_expression" and left.text is not None and left.text.startswith(b"strcmp("):
            asked = left.child_by_field_name("arguments")
            field = asked.named_children[0] if asked is not None and asked.named_children else None
            if field is not None and field.type == "field_expression":
                found.append((one, field, b"const char *"))
        elif left.type == "field_expression":
            kind = b"char " if right.type == "char_literal" else b"int "
            if right.type in {"char_literal", "number_literal"} and b"." not in (right.text or b""):
                found.append((one, left, kind))
    if not found or b"value_1" in program.data:
        raise NotHereError
    statement, field, kind = chance.choice(found)
    at = _line(program, statement)
    line = _indent(program, statement) + kind + b"value_1 = " + (field.text or b"") + b";\n"
    return edited(
        program,
        [Edit(at, at, line), Edit(field.start_byte, field.end_byte, b"value_1")],
        line.decode().strip(),
    )


CHANGES: dict[str, Change] = {
    "include": an_include,
    "function": a_function,
    "comment": a_comment,
    "function renamed": a_function_name,
    "halves swapped": swapped_halves,
    "local variable": a_local,
}
