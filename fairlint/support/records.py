"""Records: small classes of named fields, as cheap to define as they are to make.

`dataclasses` writes and compiles source for every class, which for a hundred of them takes several times as
long as Python's own start. A Record's `__init__` is compiled once for all classes of the same shape, when
the first record of one is made, and the names are put in afterwards. Type checkers see a frozen dataclass.

>>> class Point(Record):
...     x: int
...     y: int = 0
>>> Point(1)
Point(x=1, y=0)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType

TYPE_CHECKING = False  # importing typing takes as long as all of this module
if TYPE_CHECKING:
    from typing import Any, TypeVar, dataclass_transform

    _Value = TypeVar("_Value")
    _Made = TypeVar("_Made", bound="Record")
else:

    def dataclass_transform(**_options):
        """At run time there is nothing to transform."""
        return lambda kind: kind


class _Fresh:
    """A default that is made anew for every record."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], object]) -> None:
        self.make = make


def field(*, default_factory: Callable[[], _Value]) -> _Value:
    """Return a field whose default is made anew for every record: `field(default_factory=list)`."""
    return _Fresh(default_factory)  # type: ignore[return-value]


def _of_class(annotation: object) -> bool:
    return str(annotation).startswith("ClassVar")


def _empty_key(_record: object) -> tuple[()]:
    return ()


def _lazy_initializer(qualified: str, names: tuple[str, ...], defaults: dict[str, object]) -> FunctionType:
    """`__init__` that puts the real one in its place when the first record is made: of most classes a run
    makes none.
    """
    with_default = sum(name in defaults for name in names)
    if any(name in defaults for name in names[: len(names) - with_default]):
        raise TypeError(f"{qualified}: a field without a default follows one that has a default")

    def __init__(self: object, *values: object, **named: object) -> None:  # noqa: N807
        made = _make_initializer(qualified, names, defaults)
        for kind in type(self).__mro__:
            if kind.__dict__.get("__init__") is __init__:
                kind.__init__ = made  # type: ignore[misc]
        made(self, *values, **named)

    __init__.__qualname__ = qualified
    return __init__  # type: ignore[return-value]


def _make_initializer(qualified: str, names: tuple[str, ...], defaults: dict[str, object]) -> FunctionType:
    """`__init__` for fields of these names."""
    given = [defaults[name] for name in names if name in defaults]
    shape = "".join("f" if isinstance(defaults.get(name), _Fresh) else "v" for name in names)
    code = _initializer_template(shape)
    real = {f"_{place}": name for place, name in enumerate(names)}
    code = code.replace(
        co_varnames=tuple(real.get(name, name) for name in code.co_varnames),
        co_names=tuple(real.get(name, name) for name in code.co_names),
    )
    made = FunctionType(code, {"_Fresh": _Fresh}, "__init__", tuple(given) or None)
    made.__qualname__ = qualified
    return made


@cache
def _initializer_template(shape: str) -> CodeType:
    """Return the code of `__init__` for so many fields called `_0`, `_1` and so on; `f` fields may be a
    _Fresh.
    """
    lines = [f"def __init__(self, {', '.join(f'_{place}' for place in range(len(shape)))}):"]
    for place, sort in enumerate(shape):
        made = f"_{place}.make() if _{place}.__class__ is _Fresh else " if sort == "f" else ""
        lines.append(f"    self._{place} = {made}_{place}")
    space: dict[str, Any] = {}
    exec("\n".join(lines), space)  # noqa: S102 (nothing in it comes from outside)
    code: CodeType = space["__init__"].__code__
    return code


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class _RecordType(type):
    """Makes a class of the annotations in its body.

    `frozen=False` says that fields may change, so that the record has no hash; `eq=False` makes equality
    identity, for subclasses too; `slots=False` leaves a `__dict__`, which cached properties need.
    """

    if TYPE_CHECKING:
        _fields: tuple[str, ...]
        _defaults: dict[str, object]
        _key: Callable[[object], object]

    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        space: dict[str, Any],
        *,
        frozen: bool = True,
        eq: bool = True,
        slots: bool = True,
    ) -> _RecordType:
        """Return the class, with slots and `__init__`."""
        own = [key for key, type_ in space.get("__annotations__", {}).items() if not _of_class(type_)]
        defaults: dict[str, object] = {}
        inherited: tuple[str, ...] = ()
        for base in bases:
            if isinstance(base, _RecordType):
                inherited += base._fields
                defaults.update(base._defaults)
        for key in own:
            if key in space:
                defaults[key] = space.pop(key)
        names = tuple(dict.fromkeys((*inherited, *own)))
        if slots:
            space["__slots__"] = tuple(key for key in own if key not in inherited)
        space["__match_args__"] = space["_fields"] = names
        space["_defaults"] = defaults
        if names and "__init__" not in space:
            space["__init__"] = _lazy_initializer(f"{space['__qualname__']}.__init__", names, defaults)
        if not eq:
            space.setdefault("__eq__", object.__eq__)
            space.setdefault("__hash__", object.__hash__)
        elif not frozen:
            space.setdefault("__hash__", None)
        space["_key"] = attrgetter(*names) if names else _empty_key
        return super().__new__(mcs, name, bases, space)

    def __init__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any], **_options: bool) -> None:
        super().__init__(name, bases, space)


class Record(metaclass=_RecordType):
    """The base of all records: equal where the type and all fields are, and hashable where the fields are."""

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        key = self.__class__._key
        return key(self) == key(other)

    def __hash__(self) -> int:
        return hash(self.__class__._key(self))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in field_names(self))
        return f"{self.__class__.__qualname__}({shown})"


def replace(record: _Made, **changes: Any) -> _Made:
    """Return the same record with other values in some fields."""
    values = {name: getattr(record, name) for name in field_names(record)}
    return type(record)(**{**values, **changes})


def field_names(record: Record | type[Record]) -> tuple[str, ...]:
    """Return the names of a record's fields, in the order of its arguments."""
    kind = record if isinstance(record, type) else record.__class__
    return kind._fields
