"""A program without what is no part of its decision: example calls, prints, questions to a user.

Kept are the functions and classes that the entry needs, by name, and whatever else at the top binds or
changes a name that these need: imports, constants, tables. All other statements are replaced by `pass`, so
that the rest stays in its lines: `if __name__ == "__main__":`, an import that nothing kept names, a call
whose result is named and never used. Code that finds names by text (`eval`) keeps all that defines.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from fairlint.support.records import Record
from fairlint.syntax.python.own_parser import NotParsedError, outer_names
from fairlint.syntax.python.own_tree import names_bound_by, nodes_in, scope_nodes

_BY_TEXT = frozenset({"globals", "locals", "vars", "eval", "exec", "__import__", "import_module"})
_DEFINING = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
)


def definitions(source: str, tree: ast.Module, *entries: str) -> str:
    """Return the program's text, down to what its entries need: what is called, and what its person is made
    of.
    """
    lines = source.encode().splitlines(keepends=True)
    try:
        kept = _needed_statements(lines, tree.body, {entry.partition(".")[0] for entry in entries})
    except NotParsedError:  # it does not compile, as whoever runs it is told
        return source
    for place in range(len(tree.body) - 1, -1, -1):
        if place not in kept:
            _leave_out(lines, tree.body[place])
    return b"".join(lines).decode()


def _needed_statements(lines: list[bytes], body: list[ast.stmt], entries: set[str]) -> set[int]:
    """Return the places of the statements that are kept."""
    read = [_read_names(lines, statement) for statement in body]
    if any(map(_BY_TEXT.intersection, read)):
        return {place for place, each in enumerate(body) if isinstance(each, _DEFINING)}
    named = zip(body, read, strict=True)
    fills = {one.name: names for one, names in named if isinstance(one, ast.FunctionDef)}
    bound = [
        _bound_names(statement) | _names_filled_by_decorators(lines, statement, fills) for statement in body
    ]
    kept: set[int] = set()
    needs = set(entries)
    while True:
        more = {
            place
            for place, statement in enumerate(body)
            if place not in kept and _is_needed_statement(statement, bound[place], needs)
        }
        if not more:
            return kept
        kept |= more
        needs.update(*(read[place] for place in more))


def _is_needed_statement(statement: ast.stmt, bound: set[str], needs: set[str]) -> bool:
    if isinstance(statement, ast.ImportFrom) and (statement.module == "__future__" or "*" in bound):
        return True
    return bool(needs & bound) and not _is_main(statement)


def _names_filled_by_decorators(
    lines: list[bytes], statement: ast.stmt, fills: Mapping[str, set[str]]
) -> set[str]:
    """Return what decorators may enter a function or class in, as a table that is asked later."""
    if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return set()
    by = {name for each in statement.decorator_list for name in outer_names(f"({_written(lines, each)}\n)")}
    return (by - fills.keys()).union(*(fills[name] for name in by & fills.keys()))


def _is_main(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in nodes_in(statement.test)
    )


def _bound_names(statement: ast.stmt) -> set[str]:
    """Return the names that a statement at the top binds, or whose values it changes."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Expr):
        return _names_changed_by_call(statement.value)
    return set(_target_names(statement))


def _target_names(statement: ast.AST) -> Iterator[str]:
    for node in scope_nodes(statement):
        yield from names_bound_by(node)
        match node:
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                yield from _root_name(node)
            case ast.Expr(value=value):
                yield from _names_changed_by_call(value)
            case _:
                pass


def _names_changed_by_call(value: ast.expr) -> set[str]:
    """Return what a statement that is a call may change: `table` in `table.update(more)`."""
    match value:
        case ast.Call(func=ast.Attribute(value=inner)):
            return set(_root_name(inner))
        case _:
            return set()


def _root_name(node: ast.expr) -> Iterator[str]:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _read_names(lines: list[bytes], statement: ast.stmt) -> set[str]:
    """Return the names that a statement at the top reads from outside itself."""
    changed = [node.target for node in scope_nodes(statement) if isinstance(node, ast.AugAssign)]
    return outer_names(_written(lines, statement)).union(*map(_root_name, changed))


class _Extent(Record):
    """The first line of a part of a program, with its decorators, and where it begins in it; the last line,
    and where it ends.
    """

    first: int
    start: int
    last: int
    end: int


def _extent(node: ast.stmt | ast.expr) -> _Extent:
    decorators = getattr(node, "decorator_list", None)
    first = min([node.lineno, *(each.lineno for each in decorators or ())]) - 1
    last = (node.end_lineno or node.lineno) - 1
    return _Extent(first, 0 if decorators else node.col_offset, last, node.end_col_offset or 0)


def _written(lines: list[bytes], node: ast.stmt | ast.expr) -> str:
    at = _extent(node)
    part = lines[at.first : at.last + 1]
    part[-1] = part[-1][: at.end]
    part[0] = part[0][at.start :]
    return b"".join(part).decode()


def _leave_out(lines: list[bytes], statement: ast.stmt) -> None:
    """Replace a statement by `pass` and empty lines."""
    at = _extent(statement)
    before, after = lines[at.first][: at.start], lines[at.last][at.end :]
    lines[at.first] = before + b"pass" + (after if at.first == at.last else b"\n")
    for place in range(at.first + 1, at.last + 1):
        lines[place] = b"\n"
    if at.first != at.last and after.strip():
        lines[at.last] = after.lstrip(b" ;\t")
