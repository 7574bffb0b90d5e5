"""Python's own parser: the tree of a text, made without running anything and without warnings."""

from __future__ import annotations

import ast
import threading
import warnings

_LOCK = threading.Lock()
"""The filters of warnings are one for all threads."""


class NotParsedError(Exception):
    """A text is no Python, with the `line` where that shows, or nests too deeply (`is_too_deep`)."""

    def __init__(self, message: str, line: int | None = None, *, is_too_deep: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.is_too_deep = is_too_deep


def parse_text(text: str) -> ast.Module:
    """Return the syntax tree of a text. Raises NotParsedError where Python has none."""
    try:
        with _LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes and comparisons in the text
            return ast.parse(text)
    except SyntaxError as error:
        raise NotParsedError(error.msg, error.lineno) from None
    except ValueError as error:
        raise NotParsedError(str(error)) from None
    except (RecursionError, MemoryError):
        raise NotParsedError("is nested too deeply", is_too_deep=True) from None
