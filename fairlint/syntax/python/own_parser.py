"""Python's own parser: the tree and the scopes of a text, without running anything and without warnings."""

from __future__ import annotations

import ast
import symtable
import threading
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

_LOCK = threading.Lock()
"""The filters of warnings are one for all threads."""
_Read = TypeVar("_Read")
_MOST_KEPT = 4
"""Trees that are kept: of one answer, and of what it comes to without calls and prints."""


class NotParsedError(Exception):
    """A text is no Python, with the `line` where that shows, or nests too deeply (`is_too_deep`)."""

    def __init__(self, message: str, line: int | None = None, *, is_too_deep: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.is_too_deep = is_too_deep


def parse_text(text: str) -> ast.Module:
    """Return the syntax tree of a text. Raises NotParsedError where Python has none."""
    return _read_text(ast.parse, text)


@lru_cache(maxsize=_MOST_KEPT)
def shared_tree(text: str) -> ast.Module:
    """Return the syntax tree of a text that several ask for, who must not change it. Raises as `parse_text`
    does.
    """
    return parse_text(text)


def outer_names(text: str) -> set[str]:
    """Return the names that code means from outside itself: those that it reads where no function of its own
    binds them, and those that its functions call global. Raises NotParsedError where Python has no scopes.
    """
    found: set[str] = set()
    tables = [_read_text(lambda read: symtable.symtable(read, "", "exec"), text)]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        is_closed = table.get_type() == "function"  # others fall back on the module's names
        for symbol in table.get_symbols():
            if symbol.is_declared_global() or (
                symbol.is_referenced() and (symbol.is_global() or not is_closed)
            ):
                found.add(symbol.get_name())
    return found


def _read_text(read: Callable[[str], _Read], text: str) -> _Read:
    try:
        with _LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes and comparisons in the text
            return read(text)
    except SyntaxError as error:
        raise NotParsedError(error.msg, error.lineno) from None
    except ValueError as error:
        raise NotParsedError(str(error)) from None
    except (RecursionError, MemoryError):
        raise NotParsedError("is nested too deeply", is_too_deep=True) from None
