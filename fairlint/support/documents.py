"""Reads JSON and TOML that anybody may have written: what is wrong with it is a ValueError, one clause.

Python's own readers give up at a depth that hangs on its version and on who calls them, and what walks
through the tables they give would break at another. Here the depth is bounded, and the line is known.
"""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False  # importing typing would take as long as reading some files
if TYPE_CHECKING:
    import re
    from json import JSONDecoder
    from typing import Any, NoReturn

DEEPEST = 100
"""Lists and tables in one another that a document may have."""
MOST_PARTS = 100
"""Parts of a key with dots: each key of a table takes as many steps as the name of the table has parts."""
LONGEST_SHOWN = 40
"""Characters of a number that a message repeats."""
_INFINITY = float("inf")
_LONG_KEY = (
    r"""(?m)^[ \t]*\[{0,2}(?:[ \t]*(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*\.)"""
    rf"{{{MOST_PARTS}}}"
)


class TooDeepError(ValueError):
    """A document that nests deeper than is read; `line` is where."""

    def __init__(self, deepest: int, line: int = 1) -> None:
        super().__init__(f"nested too deeply: more than {deepest} lists and tables in one another")
        self.line = line


def read_json(text: str | bytes, *, deepest: int = DEEPEST, finite: bool = False) -> Any:
    """Return what a JSON document says; where it is to be `finite`, NaN, Infinity and what is too large for a
    number are mistakes.
    """
    import json  # noqa: PLC0415 (start-up)

    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    check_depth(text, deepest)
    try:
        return _finite_decoder().decode(text) if finite else json.loads(text)
    except RecursionError:  # who calls has hardly any room left
        raise TooDeepError(deepest) from None
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        if "int_max_str_digits" in str(error):  # Python's own words name a function to call
            raise ValueError("a whole number has too many digits") from None
        raise


@cache
def _finite_decoder() -> JSONDecoder:
    """Made once: it takes as long as reading a short line."""
    import json  # noqa: PLC0415 (start-up)

    return json.JSONDecoder(parse_float=_parse_finite_float, parse_constant=_not_finite)


def _parse_finite_float(digits: str) -> float:
    found = float(digits)
    if found in {_INFINITY, -_INFINITY}:
        raise ValueError(f"{digits[:LONGEST_SHOWN]} is too large for a number")
    return found


def _not_finite(told: str) -> NoReturn:
    raise ValueError(f"{told} is not JSON")


def check_depth(text: str, deepest: int) -> None:
    """Raise TooDeepError for JSON that nests deeper."""
    if text.count("[") + text.count("{") <= deepest:
        return
    depth = 0
    for found in _delimiter_pattern().finditer(text):
        if found[0] in "[{":
            depth += 1
            if depth > deepest:
                raise TooDeepError(deepest, text.count("\n", 0, found.start()) + 1)
        elif found[0] in "]}":
            depth -= 1


@cache
def _delimiter_pattern() -> re.Pattern[str]:
    """Return a text, or what opens or closes a list or a table."""
    import re  # noqa: PLC0415 (as above)

    return re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)


def read_toml(text: str) -> dict[str, Any]:
    """Return what a TOML document says."""
    import re  # noqa: PLC0415 (as above)
    import tomllib  # noqa: PLC0415 (as above)

    if re.search(_LONG_KEY, text):
        raise ValueError(f"a key has more than {MOST_PARTS} parts")
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise TooDeepError(DEEPEST) from None
    except ValueError as error:
        raise ValueError(f"is not valid TOML: {error}") from None
    inner: list[tuple[object, int]] = [(table, 1)]
    while inner:
        value, depth = inner.pop()
        if depth > DEEPEST:
            raise TooDeepError(DEEPEST)
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        inner += [(part, depth + 1) for part in parts if isinstance(part, dict | list)]
    return table
