"""Values as bytes and back: records of known kinds, collections, and plain values.

What comes back is equal to what was given, and what was one object is one object again. Bytes may only be
read where they are fairlint's own; text may come from anywhere, and is at worst refused or a wrong value.
"""

from __future__ import annotations

import base64
import json
import marshal
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from fairlint.support.documents import read_json

_VERSION = 4
_PLAIN = frozenset({type(None), bool, int, float, str, bytes})
_COLLECTIONS: dict[str, Callable[[list[Any]], Any]] = {"list": list, "set": set, "frozenset": frozenset}
_AGAIN = "again"
_TUPLE, _BYTES = "tuple", "bytes"
"""The keys of JSON objects that stand for such a value."""


class NotPackableError(Exception):
    """A value of a kind that is not known here."""


def pack_value(value: object, kinds: Sequence[str]) -> bytes:
    """Return a value as bytes; a NotPackableError for what is none of `kinds`, each as `module:Name`."""
    return marshal.dumps(_Packing(tuple(map(_load_kind, kinds))).plain(value), _VERSION)


def unpack_value(data: bytes, kinds: Sequence[str]) -> Any:
    """Return the value that `packed` made so. The bytes have to be fairlint's own."""
    return _Unpacking(kinds).value(marshal.loads(data))  # noqa: S302 (behind a seal)


def pack_value_as_text(value: object, kinds: Sequence[str]) -> str:
    """Return a value as JSON; a NotPackableError as for `pack_value`."""
    return json.dumps(_json_form(_Packing(tuple(map(_load_kind, kinds))).plain(value)))


def unpack_value_from_text(text: str, kinds: Sequence[str]) -> Any:
    """Return the value that `pack_value_as_text` made so; a ValueError where the text is none of its."""
    try:
        return _Unpacking(kinds).value(_plain_form(read_json(text)))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"is no packed value: {type(error).__name__}") from None


def _json_form(plain: Any) -> Any:
    """Return what `_Packing` makes, as JSON has it: an object stands for a tuple or for bytes."""
    if isinstance(plain, tuple):
        return {_TUPLE: [_json_form(one) for one in plain]}
    if isinstance(plain, list):
        return [_json_form(one) for one in plain]
    return {_BYTES: base64.b64encode(plain).decode()} if isinstance(plain, bytes) else plain


def _plain_form(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain_form(one) for one in value]
    if isinstance(value, dict):
        held = value.get(_TUPLE)
        return base64.b64decode(value[_BYTES]) if held is None else tuple([_plain_form(one) for one in held])
    return value


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
