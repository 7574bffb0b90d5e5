"""Which parameter gets which argument, and whose methods a class has, whatever a tree is made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

TYPE_CHECKING = False  # importing typing would take long
if TYPE_CHECKING:
    from typing import Protocol, TypeVar

    class Declared(Protocol):
        """A parameter: its name, and the stars before it."""

        @property
        def name(self) -> str:
            """What the body calls it."""

        @property
        def star(self) -> str:
            """`*` or `**` where it takes what is left."""

    _Parameter = TypeVar("_Parameter", bound=Declared)
    _Argument = TypeVar("_Argument")


def bind_arguments(
    parameters: Sequence[_Parameter],
    arguments: Iterable[_Argument],
    keywords: Mapping[str, _Argument],
    only_by_place: Collection[str] = (),
) -> Iterator[tuple[_Parameter, Sequence[tuple[str, _Argument]]]]:
    """Yield each parameter with what it is given: nothing, one argument, or all that are left, with their
    keywords. `only_by_place` are the parameters that no keyword means.
    """
    places = iter(arguments)
    names = {one.name for one in parameters if not one.star}.difference(only_by_place)
    for parameter in parameters:
        name = parameter.name
        if parameter.star == "*":
            yield parameter, [("", value) for value in places]
        elif parameter.star:
            yield parameter, [(key, value) for key, value in keywords.items() if key not in names]
        elif name in keywords and name in names:
            yield parameter, ((name, keywords[name]),)
        else:
            yield parameter, [("", value) for value in islice(places, 1)]


def lineage(name: str, bases: Callable[[str], Iterable[str]]) -> list[str]:
    """Return a class and its bases in the order in which Python looks for a method: a class comes before its
    bases, and these as they are written. `bases` gives those of a class by name.
    """
    found: list[str] = []
    seen: set[str] = set()
    stack = [(name, False)]
    while stack:
        current, is_done = stack.pop()
        if is_done:
            found.append(current)
        elif current not in seen:
            seen.add(current)
            stack.append((current, True))
            stack += [(base, False) for base in bases(current) if base not in seen]
    return found[::-1]
