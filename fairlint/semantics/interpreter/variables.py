"""Variables: what names stand for at one point of a walk."""

from __future__ import annotations

from collections.abc import Mapping

from fairlint.semantics.values.symbolic import Value
from fairlint.syntax.tree import Node


class Variables(dict[str, Value]):
    """What names stand for at one point of a walk, and what the expressions there have come to.

    What an expression has come to holds until a name gets another value. So each is evaluated, and its events
    are recorded, once.
    """

    __slots__ = ("before", "changed", "found", "qualified", "state")

    def __init__(self, names: Mapping[str, Value] | None = None) -> None:
        super().__init__(names or ())
        self.found: dict[int, tuple[Node, Value, int]] = {}
        """By the identity of an expression of the current statement, what it came to, and in which state."""
        self.state = 0
        """How often a name has got another value."""
        self.qualified: dict[int, str] = {}
        """What fields stand for by their qualified names, by identity, until a name gets another value."""
        self.before: dict[str, Value] = {}
        """What a variable held that is being changed, and stands for OLD."""
        self.changed: dict[str, None] = {}
        """The names that were given a value here, and not before a branch began."""

    def __setitem__(self, name: str, value: Value) -> None:
        super().__setitem__(name, value)
        self.changed[name] = None
        self.state += 1
        if self.qualified:
            self.qualified.clear()

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        self.changed[name] = None
        self.state += 1
        self.qualified.clear()

    def update(self, names: Mapping[str, Value]) -> None:  # type: ignore[override]
        """As of a dict."""
        super().update(names)
        self.changed.update(dict.fromkeys(names))
        self.state += 1
        self.qualified.clear()

    def copy(self) -> Variables:
        """Return the same names, with what was changed so far."""
        copied = Variables(self)
        copied.changed = dict(self.changed)
        return copied

    def next_statement(self) -> None:
        """Another statement begins: in a loop, the same expression may come to something else."""
        self.found.clear()
        if self.qualified:
            self.qualified.clear()

    def keep(self, node: Node, value: Value) -> None:
        """Remember what an expression of the current statement has come to."""
        self.found[id(node)] = (node, value, self.state)

    def value_of(self, node: Node) -> Value | None:
        """Return what an expression of the current statement has come to, unless a name has changed since."""
        found = self.found.get(id(node))
        return found[1] if found is not None and found[2] == self.state else None

    def last_value_of(self, node: Node) -> Value | None:
        """Return what an expression of the current statement came to when it was last evaluated."""
        found = self.found.get(id(node))
        return None if found is None else found[1]
