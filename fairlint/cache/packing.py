"""Values as bytes and back: records of known kinds, collections, and plain values.

What comes back is equal to what was given, and what was one object is one object again. Bytes may only be
read where they are fairlint's own.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

_VERSION = 4
_PLAIN = frozenset({type(None), bool, int, float, str, bytes})
_COLLECTIONS: dict[str, Callable[[list[Any]], Any]] = {"list": list, "set": set, "frozenset": frozenset}
_AGAIN = "again"


class NotPackableError(Exception):
    """A value of a kind that is not known here."""


def pack_value(value: object, kinds: Sequence[str]) -> bytes:
    """Return a value as bytes; a NotPackableError for what is none of `kinds`, each as `module:Name`."""
    return marshal.dumps(plain_value(value, kinds), _VERSION)


def unpack_value(data: bytes, kinds: Sequence[str]) -> Any:
    """Return the value that `packed` made so. The bytes have to be fairlint's own."""
    return value_of_plain(marshal.loads(data), kinds)  # noqa: S302 (behind a seal)


def plain_value(value: object, kinds: Sequence[str]) -> Any:
    """Return a value in lists, tuples and plain values; a NotPackableError as for `pack_value`."""
    return _Packing(tuple(map(_load_kind, kinds))).plain(value)


def value_of_plain(plain: Any, kinds: Sequence[str]) -> Any:
    """Return the value that `plain_value` made so."""
    return _Unpacking(kinds).value(plain)


@cache
def _load_kind(kind: str) -> Any:
    """Return the class of such a name. Where a value is read, only those that it holds are imported."""
    module, _, name = kind.partition(":")
    return getattr(import_module(module), name)


def _field_names(kind: Any) -> tuple[str, ...]:
    """Return the fields of a Record or a named tuple."""
    return tuple(kind._fields)


class _Packing:
    """Tuples become lists; all else that is no plain value a tuple that begins with what it is."""

    def __init__(self, kinds: tuple[type, ...]) -> None:
        self._numbers = {kind: number for number, kind in enumerate(kinds)}
        self._places: dict[int, int] = {}

    def plain(self, value: object) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if isinstance(value, tuple) and kind is tuple:
            return [self.plain(one) for one in value]
        number = self._numbers.get(kind)
        if number is not None:
            if (place := self._places.get(id(value))) is not None:
                return (_AGAIN, place)
            fields = [self.plain(getattr(value, name)) for name in _field_names(kind)]
            self._places[id(value)] = len(self._places)
            return (number, *fields)
        if isinstance(value, dict) and kind is dict:
            return ("dict", *(self.plain(one) for pair in value.items() for one in pair))
        if isinstance(value, list | set | frozenset) and kind.__name__ in _COLLECTIONS:
            return (kind.__name__, *map(self.plain, value))
        raise NotPackableError(kind.__qualname__)


class _Unpacking:
    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = kinds
        self._known: list[Any] = []

    def value(self, plain: Any) -> Any:
        if isinstance(plain, list):
            return tuple([self.value(one) for one in plain])
        if not isinstance(plain, tuple):
            return plain
        first = plain[0]
        if first == _AGAIN:
            return self._known[plain[1]]
        values = [self.value(one) for one in plain[1:]]
        if isinstance(first, int):
            made = _load_kind(self._kinds[first])(*values)
            self._known.append(made)
            return made
        if first == "dict":
            return dict(zip(values[::2], values[1::2], strict=True))
        return _COLLECTIONS[first](values)
