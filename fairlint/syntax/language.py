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

    receiver: str = "self"
    """What a method calls the object it belongs to."""
    receivers: frozenset[str] = frozenset({"self", "cls", "this"})
    """All that a method may call its object or class."""
    parents: frozenset[str] = frozenset({"super()", "super"})
    """What stands for the same object with its parent's methods."""
    constructor: str = "__init__"
    """The method that fills a new object."""
    static: frozenset[str] = frozenset({"staticmethod"})
    """What decorates a method that is given no object."""
    is_constant: Callable[[str], bool] = is_constant
    """Whether a name is spelled as constants are."""

    def own(self, name: str) -> str:
        """The path of an object's own field: `self.name`."""
        return f"{self.receiver}.{name}"

    def is_own(self, path: str) -> bool:
        """Whether a path leads to a field of the object itself."""
        return path.startswith(f"{self.receiver}.")

    def own_name(self, path: str) -> str:
        """The same without the object: `self.age` is `age`; other paths stay as they are."""
        return path.removeprefix(f"{self.receiver}.")

    def is_receiver(self, text: str) -> bool:
        """Whether a text is what methods call their object, its class, or its parent."""
        return text in self.receivers or text in self.parents
