"""What one file writes: its texts and its names, gathered once, so that whole detectors can be left out.

A gate says whether a detector could find anything at all. It looks at words, and never changes a finding.
"""

from __future__ import annotations

from functools import cached_property

from fairlint.semantics.values.symbolic import Closure, Const
from fairlint.support.expressions import lazy_expression
from fairlint.syntax import tree
from fairlint.vocabulary.words import split_words

TYPE_CHECKING = False  # importing typing would take as long as the gates
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    from fairlint.detectors.context import Context

    Kind = TypeVar("Kind", bound=tree.Node)

BETWEEN = "□"
"""Stands between two texts, as it does for what is filled in between them."""
SHORT = 40
"""Texts up to this length may spell a group, or name an attribute."""
_WORD = lazy_expression(r"\w+")
_DATA_SIGNS = frozenset(",;:|\t\n")


class FileText:
    """The texts and names of one file and of the functions that are followed from it."""

    def __init__(self, context: Context) -> None:
        # not the context itself: a file's nodes go at once when nothing refers to them in a circle
        self._functions = tuple(context.functions.values())
        self._syntax = context.execution.syntax
        self._program = context.execution.program

    @cached_property
    def _foreign_nodes(self) -> Mapping[type[tree.Node], list[tree.Node]]:
        """The nodes of functions of other files, by their kind."""
        known = {id(function) for function in self._syntax.places(tree.Function)}
        found: dict[type[tree.Node], list[tree.Node]] = {}
        for function in self._functions:
            for node in tree.walk(function) if id(function) not in known else ():
                found.setdefault(node.__class__, []).append(node)
        return found

    def _nodes_of_kind(self, kind: type[Kind]) -> list[Kind]:
        return [*self._syntax.places(kind), *self._foreign_nodes.get(kind, ())]

    @cached_property
    def texts(self) -> list[str]:
        """All texts as they are written, a part of an f-string by itself; documentation is none."""
        parents = self._syntax.parents
        own = [
            node.value
            for node in self._nodes_of_kind(tree.Literal)
            if isinstance(node.value, str) and not isinstance(parents.get(id(node)), tree.Expression)
        ]
        return own + self._imported_texts

    @property
    def _imported_texts(self) -> list[str]:
        """The texts that constants of other files hold: what is imported of them, and what is beside that."""
        program = self._program
        linked = [program.globals[name] for name in program.linked if name in program.globals]
        linked += program.modules.values()
        spaces = {id(one.closure): one.closure for one in linked if isinstance(one, Closure)}
        held = {
            id(one): one
            for values in (linked, *(space.values() for space in spaces.values()))
            for one in values
        }
        return [one.value for one in held.values() if isinstance(one, Const) and isinstance(one.value, str)]

    @cached_property
    def prose(self) -> str:
        """All that may be running text."""
        return BETWEEN.join([text for text in self.texts if not text.isidentifier()])

    @cached_property
    def names(self) -> frozenset[str]:
        """All names: of variables, fields, functions, classes, parameters and keywords."""
        names = {node.id for node in self._nodes_of_kind(tree.Name)}
        names.update([node.name for node in self._nodes_of_kind(tree.Field)])
        names.update([node.name for node in self._nodes_of_kind(tree.Function)])
        names.update([node.name for node in self._nodes_of_kind(tree.Type)])
        names.update([node.name for node in self._nodes_of_kind(tree.Parameter)])
        names.update([node.name for node in self._nodes_of_kind(tree.Macro)])
        names.update(
            [key for node in self._nodes_of_kind(tree.Call) for key, _ in node.keywords if key is not None]
        )
        return frozenset(names)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all names, and of the texts that could be names."""
        short = {text for text in self.texts if text.isidentifier()}
        return frozenset([word for name in self.names | short for word in split_words(name)])

    @property
    def asserts(self) -> bool:
        """Whether anything is asserted."""
        return any(self._nodes_of_kind(tree.Assert))

    @cached_property
    def spelled(self) -> frozenset[str]:
        """What may name a field or spell a group: names, short texts, the words of longer ones."""
        found = set(self.names)
        for text in self.texts:
            if len(text) <= SHORT:
                found.add(text)
            if text[:1].isspace() or not _DATA_SIGNS.isdisjoint(text):  # JSON, CSV, a list of names
                found.update(_WORD.findall(text))
        return frozenset(found)
