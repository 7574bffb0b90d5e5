"""Runs what plugins bring: what it raises is one line that names the plugin, and what it gives is looked at.

Plugins have the rights of fairlint itself, so nothing here keeps out one that means harm. It keeps a mistake
of one from being anything but its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import cache
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from fairlint.plugins.moved import new_place
from fairlint.support.records import Record, field_names

DEEPEST = 1_000
"""Levels of what a plugin gives."""


class PluginError(Exception):
    """What a plugin did wrong: one line that names it."""


class InvalidOfferError(TypeError):
    """What a plugin gave is not what was asked for; the message goes on from what gave it."""


@contextmanager
def guest(plugin: str, what: str, *, lets: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Make a PluginError of whatever is raised within, and keeps standard output for the report.

    What fairlint itself ends the work with passes: its limits, an interrupt, and what `lets` names.
    """
    passing: tuple[type[Exception], ...] = (PluginError, MemoryError, *lets)
    try:
        with redirect_stdout(sys.stderr):
            yield
    except passing:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"plugin '{plugin}': {what} {_error_description(error)}") from error
    except BaseException as error:
        error.add_note(f"in the plugin '{plugin}'")
        raise


def _error_description(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "asked to exit"
    if type(error) is InvalidOfferError:
        return str(error)
    if isinstance(error, ImportError) and (moved := new_place(error)):
        return moved
    try:
        reason = " ".join(str(error).split())[:200]
    except Exception:  # an error may be as broken as what raises it
        reason = ""
    return f"raised {type(error).__name__}: {reason}" if reason else f"raised {type(error).__name__}"


def plain(value: object, depth: int = 0) -> Any:
    """Return a copy of what TOML could say, made of Python's own types; an InvalidOfferError for anything
    else.
    """
    if depth > DEEPEST:
        raise InvalidOfferError("gives what is nested too deeply")
    if type(value) in {str, int, float, bool}:
        return value
    if isinstance(value, Mapping):
        table = {key: plain(value[key], depth + 1) for key in value}
        if any(type(key) is not str for key in table):
            raise InvalidOfferError("gives a table with a key that is no text")
        return table
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    raise InvalidOfferError(f"gives a table that holds a {type(value).__name__}, which TOML has not")


# -------------------------------------------------------------------------------------- records of ours


class SchemaCheck:
    """Looks whether values are what annotations say, with all in them; InvalidOfferError tells what is not.

    `names` are what annotations mean that only type checkers see; every `start` and `end` are places of a
    source of `size` bytes.
    """

    def __init__(self, names: Mapping[str, Any], size: int) -> None:
        self._names = dict(names)
        self._size = size
        self._hints = cache(lambda kind: get_type_hints(kind, localns=self._names))

    def record(self, value: object, kind: type[Record], where: str = "", depth: int = 0) -> None:
        """Compare a record of ours, with all its fields."""
        if not (issubclass(type(value), kind) and type(value).__module__.startswith("fairlint.")):
            raise _wrong_type_error(where, kind.__name__, value)
        assert isinstance(value, Record)
        hints = self._hints(type(value))
        for name in field_names(value):
            part = getattr(value, name)
            self.fits(part, hints[name], f"{where}.{name}" if where else name, depth + 1)
        start, end = getattr(value, "start", 0), getattr(value, "end", self._size)
        if not 0 <= start <= end <= self._size:
            raise InvalidOfferError(
                f"is wrong: `{where}` is no place of the file: {start} to {end} of {self._size} bytes"
            )

    def fits(self, value: object, hint: Any, where: str = "", depth: int = 0) -> None:
        """Compare one value with one annotation."""
        if depth > DEEPEST:
            raise InvalidOfferError(f"is wrong: `{where[:80]}` is nested too deeply")
        origin, parts = get_origin(hint), get_args(hint)
        if origin is Literal:
            if type(value) is not str or value not in parts:
                raise _wrong_type_error(where, f"one of {', '.join(map(str, parts))}", value)
        elif origin is UnionType or str(origin) == "typing.Union":
            self._check_union(value, parts, where, depth)
        elif origin in {tuple, frozenset}:
            self._each(value, origin, parts, where, depth)
        elif origin is not None and issubclass(origin, Mapping):
            if type(value) is not dict:
                raise _wrong_type_error(where, "dict", value)
            for key, item in value.items():
                self.fits(key, parts[0], where, depth + 1)
                self.fits(item, parts[1], where, depth + 1)
        elif isinstance(hint, type) and issubclass(hint, Record):
            self.record(value, hint, where, depth)
        elif type(value) is not hint and not (hint is float and type(value) is int):
            raise _wrong_type_error(where, _type_name(hint), value)

    def _each(self, value: object, kind: Any, parts: tuple[Any, ...], where: str, depth: int) -> None:
        if type(value) is not kind:
            raise _wrong_type_error(where, kind.__name__, value)
        every = parts[0] if kind is frozenset or parts[-1] is ... else None
        if every is None and len(value) != len(parts):  # type: ignore[arg-type]
            raise _wrong_type_error(where, f"tuple of {len(parts)}", value)
        for place, item in enumerate(value):  # type: ignore[arg-type, var-annotated]
            self.fits(item, parts[place] if every is None else every, where, depth + 1)

    def _check_union(self, value: object, parts: tuple[Any, ...], where: str, depth: int) -> None:
        if value is None and type(None) in parts:
            return
        fitting = [part for part in parts if type(value) is part] or [
            part for part in parts if _may_be(value, part)
        ]
        if not fitting:
            raise _wrong_type_error(where, " or ".join(_type_name(part) for part in parts), value)
        self.fits(value, fitting[0], where, depth)


def _type_name(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)


def _may_be(value: object, hint: Any) -> bool:
    kind = get_origin(hint) or hint
    return isinstance(kind, type) and issubclass(type(value), kind)


def _wrong_type_error(where: str, wanted: str, value: object) -> InvalidOfferError:
    told = f"wrong: `{where[:80]}` is " if where else ""
    return InvalidOfferError(f"is {told}a {type(value).__name__}, not {wanted}")


Function = Callable[..., Any]


def guard_function(function: Function, plugin: str, what: str) -> Function:
    """Return a function of a plugin, as `guest` runs it."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        with guest(plugin, what):
            return function(*arguments, **keywords)

    return call
