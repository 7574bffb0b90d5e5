"""A program without what is no part of its decision: example calls, prints, questions to a user.

Kept are the functions and classes that the entry needs, by name, and whatever else at the top binds or
changes a name that these need: imports, constants, tables. All other statements are replaced by `pass`, so
that the rest stays in its lines: `if __name__ == "__main__":`, an import that nothing kept names, a call
whose result is named and never used. Code that finds names by text (`eval`) keeps all that defines.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from fairlint.syntax.python.own_parser import NotParsedError, outer_names
from fairlint.syntax.python.own_tree import names_bound_by, scope_nodes

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
    try:
        kept = _needed_statements(tree.body, {entry.partition(".")[0] for entry in entries})
    except (NotParsedError, RecursionError):  # it does not compile, as whoever runs it is told
        return source
    lines = source.encode().splitlines(keepends=True)
    for place in range(len(tree.body) - 1, -1, -1):
        if place not in kept:
            _leave_out(lines, tree.body[place])
    return b"".join(lines).decode()


def _needed_statements(body: list[ast.stmt], entries: set[str]) -> set[int]:
    """Return the places of the statements that are kept."""
    read = [_read_names(statement) for statement in body]
    if any(map(_BY_TEXT.intersection, read)):
        return {place for place, each in enumerate(body) if isinstance(each, _DEFINING)}
    bound = [_bound_names(statement) for statement in body]
    named = zip(body, read, strict=True)
    fills = {one.name: names for one, names in named if isinstance(one, ast.FunctionDef)}
    kept: set[int] = set()
    needs = set(entries)
    while True:
        more = {
            place
            for place, statement in enumerate(body)
            if place not in kept and _is_needed_statement(statement, bound[place], needs, fills)
        }
        if not more:
            return kept
        kept |= more
        needs.update(*(read[place] for place in more))


def _is_needed_statement(
    statement: ast.stmt, bound: set[str], needs: set[str], fills: Mapping[str, set[str]]
) -> bool:
    if isinstance(statement, ast.ImportFrom) and (statement.module == "__future__" or "*" in bound):
        return True
    if _is_main(statement):
        return False
    if isinstance(statement, ast.FunctionDef | ast.ClassDef) and statement.decorator_list:
        # a decorator may enter it in a table that is asked later
        by = {name for each in statement.decorator_list for name in outer_names(ast.unparse(each))}
        bound = bound.union(by - fills.keys(), *(fills[name] for name in by & fills.keys()))
    return bool(needs & bound)


def _is_main(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(statement.test)
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


def _read_names(statement: ast.stmt) -> set[str]:
    """Return the names that a statement at the top reads from outside itself."""
    changed = [node.target for node in scope_nodes(statement) if isinstance(node, ast.AugAssign)]
    return outer_names(ast.unparse(statement)).union(*map(_root_name, changed))


def _leave_out(lines: list[bytes], statement: ast.stmt) -> None:
    """Replace a statement by `pass` and empty lines."""
    decorators = getattr(statement, "decorator_list", None)
    first = min([statement.lineno, *(each.lineno for each in decorators or ())]) - 1
    start = 0 if decorators else statement.col_offset
    last, end = (statement.end_lineno or statement.lineno) - 1, statement.end_col_offset or 0
    after = lines[last][end:]
    before = lines[first][:start]
    lines[first] = before + b"pass" + (after if first == last else b"\n")
    for place in range(first + 1, last + 1):
        lines[place] = b"\n"
    if first != last and after.strip():
        lines[last] = after.lstrip(b" ;\t")
