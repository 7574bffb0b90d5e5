"""Where the functions of a Python file stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError
from fairlint.support.records import Record
from fairlint.syntax.python.own_parser import NotParsedError, parse_text
from fairlint.syntax.python.own_tree import named_functions
from fairlint.syntax.tree import Span

MOST_NAMED = 12
"""Functions that a message names."""


class Head(Record):
    """Where a function stands: lines and columns count from 1, `last` is its last line."""

    entry: str
    line: int
    column: int
    end_column: int
    last: int
    span: Span


def head_of(text: str, entry: str, path: str) -> Head:
    """Return where the function or method `entry` (`decide`, `Applicant.decide`) begins and ends.

    Raises UsageError where the text does not parse or holds no such function; it names those that are there.
    """
    try:
        module = parse_text(text)
    except NotParsedError as error:
        line = f":{error.line}" if error.line else ""
        raise UsageError(f"{path}{line}: not Python: {error.message}") from None
    heads = dict(_heads_of_module(module, text))
    if entry not in heads:
        names = ", ".join(list(heads)[:MOST_NAMED]) + (", ..." if len(heads) > MOST_NAMED else "")
        hint = did_you_mean(entry, heads) or f" (there: {names or 'none'})"
        raise UsageError(f"{path}: no function {entry!r}{hint}")
    return heads[entry]


def _heads_of_module(module: ast.Module, text: str) -> Iterator[tuple[str, Head]]:
    lines = text.encode().splitlines(keepends=True)
    starts = [0]
    for one in lines:
        starts.append(starts[-1] + len(one))
    for name, node in _walk_functions(module.body, ""):
        own = name.rpartition(".")[2].encode()
        line = lines[node.lineno - 1]
        begin = line.index(own, node.col_offset)
        end = begin + len(own)
        column, end_column = (len(line[:at].decode(errors="replace")) + 1 for at in (begin, end))
        span = Span(starts[node.lineno - 1] + begin, starts[node.lineno - 1] + end)
        yield name, Head(name, node.lineno, column, end_column, node.end_lineno or node.lineno, span)


def _walk_functions(body: Sequence[ast.stmt], outer: str) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the functions with their names, a lambda that has one included."""
    for node in body:
        for name, function in named_functions([node]).items():
            if not outer or not isinstance(function, ast.Lambda):
                yield f"{outer}{name}", node
        if isinstance(node, ast.ClassDef):
            yield from _walk_functions(node.body, f"{outer}{node.name}.")
