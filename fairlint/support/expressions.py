"""Regular expressions that are compiled when they are first used.

Most of those that modules define are for code of a kind that a run never meets, and compiling all of them
takes as long as Python's own start.

>>> digits = lazy_expression(r"[0-9]+")
>>> digits.findall("1 and 22")
['1', '22']
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # importing typing takes longer than what is saved in many a run
if TYPE_CHECKING:
    from typing import Any, AnyStr

_METHODS = (
    "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn", "scanner",
    "flags", "groups", "groupindex",
)  # fmt: skip


class _Lazy:
    """Has what a compiled expression has. Its methods are those of the compiled one after the first use."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._given = flags

    def __reduce__(self) -> tuple[Any, ...]:
        return lazy_expression, (self.pattern, self._given)

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._given)
        self.__dict__.update({one: getattr(compiled, one) for one in _METHODS})
        return self.__dict__[name]


def lazy_expression(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns, compiled at its first use; a mistake in it shows only then."""
    return _Lazy(pattern, flags)  # type: ignore[return-value]
