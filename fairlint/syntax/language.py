"""What differs between languages, as data: everything else asks this record and never a language's name."""

from __future__ import annotations

from collections.abc import Callable

from fairlint.records import Record


def is_constant(name: str) -> bool:
    """Whether a name is spelled as constants are: `MAX_AGE`, and `kMaxAge`."""
    return name.isupper() or (name[:1] == "k" and name[1:2].isupper())


class Conventions(Record):
    """What code takes for granted: names with a meaning of their own, and how others are spelled.

    The defaults are what most languages with classes share, so that a language which says nothing is
    understood as far as that goes.
    """

    receivers: tuple[str, ...] = ("self", "cls", "this")
    """What a method calls the object or class that it belongs to; the object's usual name first."""
    parents: tuple[str, ...] = ("super()", "super")
    """What stands for the same object with its parent's methods."""
    constructor: str = "__init__"
    """The method that fills a new object; empty where there is none."""
    static: tuple[str, ...] = ("staticmethod",)
    """What decorates a method that is given no object."""
    or_gives_value: bool = True
    """Whether `x or "male"` is `x` or the text, rather than a truth value."""
    main: str = "__name__"
    """What a module compares to learn that it is run as a program; empty where it cannot."""
    is_constant: Callable[[str], bool] = is_constant
    """Whether a name is spelled as constants are."""

    @property
    def receiver(self) -> str:
        """What a method calls its object; `self` where there are no methods."""
        return self.receivers[0] if self.receivers else "self"

    def is_receiver(self, text: str) -> bool:
        """Whether a text is what methods call their object, its class, or its parent."""
        return text in self.receivers or text in self.parents

    def own(self, name: str) -> str:
        """The path of an object's own field: `self.name`."""
        return f"{self.receiver}.{name}"

    def own_paths(self, name: str) -> list[str]:
        """All paths of a class's own field: `self.name`, `cls.name`."""
        return [f"{receiver}.{name}" for receiver in self.receivers]

    def own_name(self, path: str) -> str:
        """The field of the object itself that a path leads to: `age` for `self.age`; empty for all others."""
        first, _, rest = path.partition(".")
        return rest if first in self.receivers else ""
