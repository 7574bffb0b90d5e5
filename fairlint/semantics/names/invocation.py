"""A call as the functions of library models see it."""

from __future__ import annotations

from fairlint.semantics.names.library import Entry, Found
from fairlint.support.records import Record

TYPE_CHECKING = False  # importing typing would take long
if TYPE_CHECKING:
    from fairlint.semantics.interpreter.frame import Frame
    from fairlint.semantics.values.symbolic import Value
    from fairlint.syntax import tree
    from fairlint.syntax.tree import Node


class Invocation(Record, eq=False):
    """One call of something known: what the Python function of a library is given."""

    node: tree.Call
    base: Value | None
    """What a method is called on."""
    arguments: tuple[Value, ...]
    frame: Frame
    found: Found

    @property
    def entry(self) -> Entry:
        """What the model says of it."""
        return self.found.entry

    @property
    def name(self) -> str:
        """The last part of its name in the library."""
        return self.found.entry.name.rpartition(".")[2]

    def handed(self) -> tuple[Value, ...]:
        """Return the values of the arguments that the entry names, else of all."""
        if places := (*self.entry.places("argument"), *self.entry.places("arguments")):
            named = (self.keyword(one) if isinstance(one, str) else self._at(one) for one in places)
            return tuple([value for value in named if value is not None])
        return (*self.arguments, *(self.frame.evaluate(value) for _, value in self.node.keywords))

    def _at(self, place: int) -> Value | None:
        return self.arguments[place] if place < len(self.arguments) else None

    def keyword(self, *names: str) -> Value | None:
        """Return the value of the first of these keywords that is given."""
        for name in names:
            for key, node in self.node.keywords:
                if key == name:
                    return self.frame.evaluate(node)
        return None

    def given(self, key: str, *usual: int | str) -> Value | None:
        """Return the argument that the entry's `key` names, by place or keyword; else one of the `usual`
        ones.
        """
        for place in self.entry.places(key) or usual:
            found = self.keyword(place) if isinstance(place, str) else self._at(place)
            if found is not None:
                return found
        return None

    def written(self, key: str, usual: int) -> Node | None:
        """Return the argument as it is written that the entry's `key` names by its place."""
        place = (self.entry.places(key) or (usual,))[0]
        given = self.node.arguments
        return given[place] if isinstance(place, int) and place < len(given) else None
