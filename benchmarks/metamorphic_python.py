"""Changes of a Python program that cannot change what comes of it."""

from __future__ import annotations

import ast
import io
import json
import random
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from metamorphic_edits import Change, Changed, Edit, NotHereError, Program, edited, line_starts, unknown
from metamorphic_words import BODIES, IMPORTS, PHRASES, SUFFIXES

_STRING_METHODS = frozenset({"lower", "upper", "strip", "casefold", "lstrip", "rstrip"})
_NUMBER = re.compile(r"-?\d+")


class _Parsed:
    """A program's tree with the offsets of its nodes."""

    def __init__(self, program: Program) -> None:
        try:
            self.tree = ast.parse(program.data)
        except (SyntaxError, ValueError) as error:
            raise NotHereError from error
        if b"\r" in program.data or b"\t" in program.data or b"\f" in program.data:
            raise NotHereError
        self.data = program.data
        self.starts = line_starts(program.data)

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        return self.starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)

    def text(self, node: ast.expr | ast.stmt) -> bytes:
        return self.data[self.start(node) : self.end(node)]

    def line(self, number: int) -> int:
        """The offset of a line, from 1, or of the end of the text."""
        return self.starts[number - 1] if number <= len(self.starts) else len(self.data)

    def walk(self, *types: type[ast.AST]) -> list[Any]:
        return [node for node in ast.walk(self.tree) if isinstance(node, types)]

    def bodies(self) -> Iterator[list[ast.stmt]]:
        for node in ast.walk(self.tree):
            for name in ("body", "orelse", "finalbody"):
                body = getattr(node, name, None)
                if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                    yield body

    def first(self, statement: ast.stmt) -> int:
        """The line at which a statement begins, its decorators included."""
        decorators = getattr(statement, "decorator_list", [])
        lines: list[int] = [statement.lineno, *(one.lineno for one in decorators)]
        return min(lines)

    def begins_line(self, node: ast.stmt) -> bool:
        line = self.line(self.first(node))
        return not self.data[line : self.start(node)].strip() or bool(getattr(node, "decorator_list", []))

    def indent(self, statement: ast.stmt) -> bytes:
        return b" " * statement.col_offset


def _parsed(program: Program) -> _Parsed:
    if program.language != "python":
        raise NotHereError
    return _Parsed(program)


def _head(parsed: _Parsed) -> int:
    """The offset behind the docstring and what is imported from the future."""
    line = 1
    for statement in parsed.tree.body:
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not (is_text or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")):
            break
        line = (statement.end_lineno or statement.lineno) + 1
    else:
        raise NotHereError
    return parsed.line(line)


def an_import(chance: random.Random, program: Program) -> Changed:
    """`import x`, `import x as y` or `from x import y` of a module that nothing uses."""
    parsed = _parsed(program)
    module, member = chance.choice(IMPORTS)
    alias = f"_{chance.choice(('m', 'lib', 'unused'))}_1"
    whole, short = f"import {module}", f"import {module} as {alias}"
    statement = chance.choice([whole, short, *([f"from {module} import {member}"] if member else [])])
    bound = {name.partition(".")[0] for name in re.findall(r"[\w.]+", statement)}
    if _names(parsed) & bound:
        raise NotHereError
    at = _head(parsed)
    return edited(program, [Edit(at, at, f"{statement}\n".encode())], statement)


def _names(parsed: _Parsed) -> set[str]:
    names = {token for node in ast.walk(parsed.tree) for token in _names_of(node)}
    return names - {"import", "as", "from"}


def _names_of(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) | ast.alias(name=name):
            yield name
            yield name.partition(".")[0]
        case ast.Attribute(attr=name) | ast.arg(arg=name) | ast.ImportFrom(module=str() as name):
            yield name
            yield name.partition(".")[0]
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.Constant(value=str() as text):
            yield text


def a_definition(chance: random.Random, program: Program) -> Changed:
    """A function or a class of another world that nothing calls."""
    parsed = _parsed(program)
    text = chance.choice(BODIES)
    name = re.search(r"(?:def|class) (\w+)", text)
    if name is None or name[1] in _names(parsed):
        raise NotHereError
    tops = [one for one in parsed.tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    places = [parsed.line(parsed.first(one)) for one in tops]
    if parsed.data.endswith(b"\n"):
        places.append(len(parsed.data))
    if not places:
        raise NotHereError
    at = chance.choice(places)
    return edited(program, [Edit(at, at, f"{text}\n\n".encode())], f"definition {name[1]}")


def a_comment(chance: random.Random, program: Program) -> Changed:
    """A comment that speaks of another world, before a statement."""
    parsed = _parsed(program)
    places = [one for body in parsed.bodies() for one in body if parsed.begins_line(one)]
    if not places:
        raise NotHereError
    one = chance.choice(places)
    at = parsed.line(parsed.first(one))
    said = chance.choice(PHRASES)
    if _is_directed(parsed, parsed.first(one)):
        raise NotHereError
    return edited(program, [Edit(at, at, parsed.indent(one) + f"# {said}\n".encode())], f"comment {said}")


def _is_directed(parsed: _Parsed, line: int) -> bool:
    """Whether the line before holds a comment: one that puts findings aside speaks of the line below it."""
    before = parsed.data[parsed.line(line - 1) : parsed.line(line)] if line > 1 else b""
    return before.lstrip().startswith(b"#")


def a_docstring(chance: random.Random, program: Program) -> Changed:
    """A docstring that speaks of another world, where a function has none."""
    parsed = _parsed(program)
    functions = [
        one
        for one in parsed.walk(ast.FunctionDef, ast.AsyncFunctionDef)
        if ast.get_docstring(one) is None and parsed.begins_line(one.body[0])
    ]
    if not functions:
        raise NotHereError
    first = chance.choice(functions).body[0]
    at = parsed.line(parsed.first(first))
    if _is_directed(parsed, parsed.first(first)):
        raise NotHereError
    said = chance.choice(PHRASES).capitalize()
    text = f'"""{said}."""\n'.encode()
    return edited(program, [Edit(at, at, parsed.indent(first) + text)], f"docstring {said}")


def a_function_name(chance: random.Random, program: Program) -> Changed:
    """A function's name with an ending that speaks of another world."""
    parsed = _parsed(program)
    defined = Counter(one.name for one in parsed.walk(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    texts = {one.value for one in parsed.walk(ast.Constant) if isinstance(one.value, str)}
    others = {one.arg for one in parsed.walk(ast.arg, ast.keyword)} | {
        one.id for one in parsed.walk(ast.Name) if isinstance(one.ctx, ast.Store)
    }
    functions = [
        one
        for one in parsed.walk(ast.FunctionDef, ast.AsyncFunctionDef)
        if defined[one.name] == 1
        and not one.name.startswith(("__", "test"))
        and not one.decorator_list
        and one.name not in others
        and not any(one.name in text for text in texts)
    ]
    classes = {one: node for node in parsed.walk(ast.ClassDef) for one in node.body if node.bases}
    functions = [one for one in functions if one not in classes]  # a base may call it
    if not functions:
        raise NotHereError
    old = chance.choice(functions).name
    new = old + chance.choice(SUFFIXES)
    if new in _names(parsed):
        raise NotHereError
    edits = [Edit(start, end, new.encode()) for start, end in _tokens(parsed, old)]
    changed = edited(program, edits, f"{old} → {new}")
    return Changed(changed.files, changed.line_of, changed.said, {old: new})


def _tokens(parsed: _Parsed, name: str) -> Iterator[tuple[int, int]]:
    lines = parsed.data.decode().splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(parsed.data.decode()).readline):
        if token.type == tokenize.NAME and token.string == name:
            row, column = token.start
            start = parsed.line(row) + len(lines[row - 1][:column].encode())
            yield start, start + len(name.encode())
        elif token.type == tokenize.STRING and token.string[:1] in "fF" and name in token.string:
            raise NotHereError


def an_annotation(chance: random.Random, program: Program) -> Changed:
    """An annotation of a result or of a number that a variable gets, added."""
    parsed = _parsed(program)
    edits = [
        (Edit(colon, colon, b" -> object"), f"-> object of {one.name}")
        for one in parsed.walk(ast.FunctionDef, ast.AsyncFunctionDef)
        if one.returns is None and (colon := _colon(parsed, one)) is not None
    ]
    for function in parsed.walk(ast.FunctionDef):
        declared = {
            name
            for part in ast.walk(function)
            if isinstance(part, ast.Global | ast.Nonlocal)
            for name in part.names
        }
        for one in ast.walk(function):
            match one:
                case ast.Assign(
                    targets=[ast.Name(id=name) as target], value=ast.Constant(value=int() | float() as value)
                ) if name not in declared and not isinstance(value, bool):
                    end = parsed.end(target)
                    kind = type(value).__name__.encode()
                    edits.append((Edit(end, end, b": " + kind), f"{name}: {kind.decode()}"))
    if not edits:
        raise NotHereError
    edit, said = chance.choice(edits)
    return edited(program, [edit], said)


def _colon(parsed: _Parsed, function: ast.FunctionDef | ast.AsyncFunctionDef) -> int | None:
    """The offset of the colon behind a function's parameters, where it stands right behind them."""
    start = parsed.start(function)
    head = parsed.data[start : parsed.start(function.body[0])]
    found = re.search(rb"\)\s*:\s*(?:#[^\n]*)?\s*\Z", head)
    return None if found is None else start + found.start() + 1


def no_annotation(chance: random.Random, program: Program) -> Changed:
    """An annotation of a result or of a local variable, removed."""
    parsed = _parsed(program)
    edits: list[tuple[Edit, str]] = []
    for one in parsed.walk(ast.FunctionDef, ast.AsyncFunctionDef):
        if one.returns is not None:
            start = parsed.data.rfind(b"->", parsed.start(one), parsed.start(one.returns))
            start -= len(parsed.data[:start]) - len(parsed.data[:start].rstrip(b" "))
            edits.append((Edit(start, parsed.end(one.returns), b""), f"-> of {one.name}"))
        for part in ast.walk(one):
            match part:
                case ast.AnnAssign(
                    target=ast.Name(id=name) as target, annotation=annotation, value=ast.expr()
                ):
                    edits.append((Edit(parsed.end(target), parsed.end(annotation), b""), name))
    if not edits:
        raise NotHereError
    edit, said = chance.choice(edits)
    return edited(program, [edit], f"without {said}")


def a_local(chance: random.Random, program: Program) -> Changed:
    """A variable for what a test asks first: `g = x.gender`, `if g == ...`."""
    parsed = _parsed(program)
    elifs = {one.orelse[0] for one in parsed.walk(ast.If) if len(one.orelse) == 1}
    found: list[tuple[ast.If, ast.expr]] = []
    for one in parsed.walk(ast.If):
        test = one.test.values[0] if isinstance(one.test, ast.BoolOp) else one.test
        is_elif = one in elifs and parsed.data[parsed.start(one) :].startswith(b"elif")
        if isinstance(test, ast.Compare) and not is_elif and parsed.begins_line(one):
            match test.left:
                case ast.Attribute(value=ast.Name()) | ast.Subscript(value=ast.Name(), slice=ast.Constant()):
                    found.append((one, test.left))
    if not found or b"value_1" in parsed.data:
        raise NotHereError
    statement, asked = chance.choice(found)
    at = parsed.line(statement.lineno)
    if _is_directed(parsed, statement.lineno):
        raise NotHereError
    text = parsed.indent(statement) + b"value_1 = " + parsed.text(asked) + b"\n"
    edits = [Edit(at, at, text), Edit(parsed.start(asked), parsed.end(asked), b"value_1")]
    return edited(program, edits, f"value_1 = {parsed.text(asked).decode()}")


def a_call(chance: random.Random, program: Program) -> Changed:
    """`str.lower(x)` for `x.lower()`."""
    parsed = _parsed(program)
    calls: list[tuple[ast.Call, ast.Attribute]] = []
    for one in parsed.walk(ast.Call):
        match one:
            case ast.Call(func=ast.Attribute(attr=method, value=value) as func, args=[], keywords=[]) if (
                method in _STRING_METHODS and not (isinstance(value, ast.Attribute) and value.attr == "str")
            ):
                calls.append((one, func))
    if not calls or "str" in {one.id for one in parsed.walk(ast.Name) if isinstance(one.ctx, ast.Store)}:
        raise NotHereError
    call, func = chance.choice(calls)
    new = b"str." + func.attr.encode() + b"(" + parsed.text(func.value) + b")"
    edits = [Edit(parsed.start(call), parsed.end(call), new)]
    return edited(program, edits, new.decode())


def swapped_halves(chance: random.Random, program: Program) -> Changed:
    """The halves of an `if` swapped, with `not` before its test."""
    parsed = _parsed(program)
    found = [
        one
        for one in parsed.walk(ast.If)
        if one.orelse
        and parsed.begins_line(one.body[0])
        and parsed.begins_line(one.orelse[0])
        and _is_else(parsed, one)
    ]
    if not found:
        raise NotHereError
    one = chance.choice(found)
    first, second = _block(parsed, one.body), _block(parsed, one.orelse)
    edits = [
        Edit(parsed.start(one.test), parsed.end(one.test), b"not (" + parsed.text(one.test) + b")"),
        Edit(*first, parsed.data[slice(*second)]),
        Edit(*second, parsed.data[slice(*first)]),
    ]
    changed = edited(program, edits, f"line {one.lineno}")
    return Changed(changed.files, unknown, changed.said)


def _is_else(parsed: _Parsed, one: ast.If) -> bool:
    """Whether the second half stands behind `else:`, which has a line of its own."""
    between = parsed.data[parsed.end(one.body[-1]) : parsed.line(parsed.first(one.orelse[0]))]
    return re.search(rb"^ *else:[ ]*$", between, re.MULTILINE) is not None and b"elif" not in between


def _block(parsed: _Parsed, body: Sequence[ast.stmt]) -> tuple[int, int]:
    """The lines of a block, from its first statement to its last."""
    last = body[-1].end_lineno or body[-1].lineno
    end = parsed.line(last + 1)
    if not parsed.data[:end].endswith(b"\n"):
        raise NotHereError
    return parsed.line(parsed.first(body[0])), end


def nested_else(chance: random.Random, program: Program) -> Changed:
    """`else:` and an `if` in it for `elif`."""
    parsed = _parsed(program)
    elifs = [
        one.orelse[0]
        for one in parsed.walk(ast.If)
        if len(one.orelse) == 1
        and isinstance(one.orelse[0], ast.If)
        and parsed.data[parsed.start(one.orelse[0]) :].startswith(b"elif")
    ]
    if not elifs:
        raise NotHereError
    one = chance.choice(elifs)
    last = one.end_lineno or one.lineno
    amid = _amid_texts(parsed)
    edits = [Edit(parsed.start(one), parsed.start(one) + 4, b"else:\n" + parsed.indent(one) + b"    if")]
    for line in range(one.lineno + 1, last + 1):
        if line in amid:
            raise NotHereError
        if parsed.data[parsed.line(line) : parsed.line(line + 1)].strip():
            edits.append(Edit(parsed.line(line), parsed.line(line), b"    "))
    changed = edited(program, edits, f"line {one.lineno}")
    return Changed(
        changed.files, lambda line: changed.line_of(line) if line != one.lineno else line + 1, changed.said
    )


def one_elif(chance: random.Random, program: Program) -> Changed:
    """`elif` for an `if` that is all that stands in `else:`."""
    parsed = _parsed(program)
    nested = [
        (one, one.orelse[0])
        for one in parsed.walk(ast.If)
        if len(one.orelse) == 1
        and isinstance(one.orelse[0], ast.If)
        and not parsed.data[parsed.start(one.orelse[0]) :].startswith(b"elif")
    ]
    if not nested:
        raise NotHereError
    outer, one = chance.choice(nested)
    start = parsed.end(outer.body[-1])
    between = parsed.data[start : parsed.start(one)]
    found = re.fullmatch(rb"\s*?\n *(else:\n *)", between)
    if found is None or one.col_offset != outer.col_offset + 4:
        raise NotHereError
    amid = _amid_texts(parsed)
    edits = [Edit(start + found.start(1), parsed.start(one) + 2, b"elif")]
    for line in range(one.lineno + 1, (one.end_lineno or one.lineno) + 1):
        if line in amid:
            raise NotHereError
        if parsed.data[parsed.line(line) : parsed.line(line) + 4] == b"    ":
            edits.append(Edit(parsed.line(line), parsed.line(line) + 4, b""))
    return edited(program, edits, f"line {one.lineno}")


def _amid_texts(parsed: _Parsed) -> set[int]:
    """The lines that begin inside a text."""
    return {
        line
        for one in parsed.walk(ast.Constant, ast.JoinedStr)
        for line in range(one.lineno + 1, (one.end_lineno or one.lineno) + 1)
    }


def two_files(chance: random.Random, program: Program) -> Changed:
    """A function that needs nothing else of the file, in a module of its own that the file imports."""
    parsed = _parsed(program)
    top = {name for one in parsed.tree.body for name in _bound(one)}
    found = []
    for one in parsed.tree.body:
        if not isinstance(one, ast.FunctionDef) or one.decorator_list or one.name.startswith("test"):
            continue
        loads = {part.id for part in ast.walk(one) if isinstance(part, ast.Name)}
        others = [node for node in parsed.tree.body if node is not one]
        used = any(
            isinstance(part, ast.Name) and part.id == one.name for node in others for part in ast.walk(node)
        )
        if (
            used
            and not (loads & (top - {one.name}))
            and not any(isinstance(part, ast.Global) for part in ast.walk(one))
        ):
            found.append(one)
    if not found or any(
        isinstance(one, ast.ImportFrom) and (one.level or one.names[0].name == "*")
        for one in parsed.tree.body
    ):
        raise NotHereError
    one = chance.choice(found)
    start, end = parsed.line(parsed.first(one)), parsed.line((one.end_lineno or one.lineno) + 1)
    head = _head(parsed)
    if start < head:
        raise NotHereError
    module = "moved_part"
    line = f"from {module} import {one.name}\n".encode()
    changed = edited(program, [Edit(head, head, line), Edit(start, end, b"")], f"{one.name} moved")
    future = (
        b"from __future__ import annotations\n\n"
        if b"from __future__ import annotations" in parsed.data
        else b""
    )
    files = {**changed.files, f"{module}.py": future + parsed.data[start:end]}
    return Changed(files, unknown, changed.said)


def _bound(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from ((one.asname or one.name).partition(".")[0] for one in names)
        case _:
            for part in ast.walk(statement):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    yield part.id


def a_notebook(chance: random.Random, program: Program) -> Changed:
    """The program as a notebook, in one cell or in several."""
    parsed = _parsed(program)
    body = parsed.tree.body
    cuts = [parsed.first(one) for one in body[1:] if chance.random() < 0.5 and parsed.begins_line(one)]
    if chance.random() < 1 / 3:
        cuts = []
    starts = [parsed.line(line) for line in (1, *cuts)]
    pieces = [
        parsed.data[start:end] for start, end in zip(starts, [*starts[1:], len(parsed.data)], strict=True)
    ]
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "id": f"cell-{number}", "execution_count": None, "metadata": {}, "outputs": [],
         "source": piece.decode().splitlines(keepends=True)}
        for number, piece in enumerate(pieces)
    ]  # fmt: skip
    book = {
        "cells": cells,
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path = str(Path(program.path).with_suffix(".ipynb"))
    return Changed({path: json.dumps(book, indent=1).encode()}, unknown, f"{len(cells)} cells")


CHANGES: dict[str, Change] = {
    "import": an_import,
    "definition": a_definition,
    "comment": a_comment,
    "docstring": a_docstring,
    "function renamed": a_function_name,
    "annotation added": an_annotation,
    "annotation removed": no_annotation,
    "local variable": a_local,
    "str.f(x) for x.f()": a_call,
    "halves swapped": swapped_halves,
    "elif to else and if": nested_else,
    "else and if to elif": one_elif,
    "two files": two_files,
    "notebook": a_notebook,
}
