"""Scenes: one file as it is written, with what each name was given and what each expression reads.

The symbolic walk knows what a value becomes. A scene knows places: a parameter's default, the column that a
method is called on, the test that an assignment stands under.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from typing import TypeVar

from fairlint.records import Record, field
from fairlint.semantics.paths import last_name, path_of
from fairlint.syntax import tree
from fairlint.syntax.language import Conventions
from fairlint.syntax.tree import Node

Kind = TypeVar("Kind", bound=Node)

MOST_STEPS = 6
"""How many names are followed, one to the next."""
MOST_CALLS = 8
"""Calls of one function whose arguments are looked at."""
MOST_TEXTS = 200
"""Texts of one list that are looked at."""

APPLIERS = frozenset(
    "apply map transform applymap map_elements map_batches pipe agg aggregate map_rows progress_apply".split()
)
"""Methods that call a function for each value of what they are called on."""
NAMING = frozenset({tree.Assign, tree.Loop, tree.Generator, tree.Macro})
"""What gives a value to a name."""
SCOPES = frozenset({tree.Function, tree.Lambda, tree.Type})
"""What has names of its own."""


class Scope(Record, frozen=False):
    """The names of one function, class or lambda; those of the file for the outermost."""

    owner: Node | None
    outer: Scope | None
    given: dict[str, list[Node]] = field(default_factory=dict)
    """A path -> the expressions that it was given."""
    rounds: dict[str, list[Node]] = field(default_factory=dict)
    """A loop's variable -> what the loops over it go through."""
    applied: dict[str, list[tuple[Node, Scope]]] = field(default_factory=dict)
    """A parameter -> what the function is applied to, or called with, and the scopes which that stands in."""


class SyntaxIndex:
    """One file as written."""

    def __init__(self, body: tuple[Node, ...], conventions: Conventions) -> None:
        self._conventions = conventions
        self.parents: dict[int, Node] = {}
        """The identity of a node -> the node around it."""
        self.top = Scope(None, None)
        self._functions: dict[str, list[Scope]] = {}
        self._handed: set[str] = set()
        self._places: dict[type[Node], list[tuple[Node, Scope]]] = {}
        self._walk(body)

    def places(self, kind: type[Kind]) -> list[tuple[Kind, Scope]]:
        """All nodes of one kind, parents first, each with the scope it stands in."""
        return self._places.get(kind, [])  # type: ignore[return-value]

    def around(self, node: Node) -> Iterator[Node]:
        """The nodes around `node`, from the inside to the outside."""
        current = self.parents.get(id(node))
        while current is not None:
            yield current
            current = self.parents.get(id(current))

    def imported_from(self, name: str, modules: Container[str]) -> bool:
        """Whether a name is bound by an import from one of some modules."""
        return any(
            bound == name
            and (
                any(part in modules for part in module.module.lstrip(".").split("."))
                or real.split(".")[0] in modules
            )
            for module, _ in self.places(tree.Import)
            for real, bound in module.names
        )

    def is_applied(self, function: tree.Function) -> bool:
        """Whether a function is handed to a method that calls it for each value of a column."""
        return function.name in self._handed

    # ------------------------------------------------------------------------------------------- building

    def _walk(self, body: tuple[Node, ...]) -> None:
        places, parents = self._places, self.parents
        stack: list[tuple[Node, Scope]] = [(node, self.top) for node in reversed(body)]
        while stack:
            node, scope = stack.pop()
            kind = type(node)
            if (found := places.get(kind)) is None:
                found = places[kind] = []
            found.append((node, scope))
            if kind in NAMING:
                self._note(node, scope)
            if kind in tree.LEAVES:
                continue
            inner = self._scope_of(node, scope) if kind in SCOPES else scope
            children = tree.children(node)
            for child in children:
                parents[id(child)] = node
            children.reverse()
            stack.extend([(child, inner) for child in children])

    def _scope_of(self, node: Node, outer: Scope) -> Scope:
        while isinstance(outer.owner, tree.Type):  # a class's names are not those of its methods
            assert outer.outer is not None
            if isinstance(node, tree.Type):
                break
            outer = outer.outer
        inner = Scope(node, outer)
        if isinstance(node, tree.Function):
            self._functions.setdefault(node.name, []).append(inner)
        elif isinstance(node, tree.Lambda):
            column = self.applied_to(node)
            if column is not None and node.parameters:
                inner.applied[node.parameters[0].name] = [(column, outer)]
        return inner

    def applied_to(self, function: Node) -> Node | None:
        """What a function that is an argument of `column.apply` is called with."""
        call = self.parents.get(id(function))
        match call:
            case tree.Call(function=tree.Field(name=name, value=column)) if name in APPLIERS:
                return column
            case tree.Call(function=tree.Name(id="map"), arguments=(_, column)):
                return column
            case _:
                return None

    def _note(self, node: Node, scope: Scope) -> None:
        match node:
            case tree.Assign(targets=targets, value=value, op=None) if value is not None:
                for target in targets:
                    self._give(target, value, scope)
            case tree.Loop(target=variable, iterable=people) if variable is not None and people is not None:
                _go_through(variable, people, scope)
            case tree.Generator(target=variable, iterable=people):
                _go_through(variable, people, scope)
            case tree.Macro(name=name, value=value):
                scope.given.setdefault(name, []).append(value)
            case _:
                pass

    def _give(self, target: Node, value: Node, scope: Scope) -> None:
        if isinstance(target, tree.Collection):
            if isinstance(value, tree.Collection) and len(value.items) == len(target.items):
                for item, part in zip(target.items, value.items, strict=True):
                    self._give(item.value, part.value, scope)
            return
        path = path_of(target)
        if path is not None:
            place = self.top if self._conventions.own_name(path) else scope
            place.given.setdefault(path, []).append(value)

    def note_applied(self) -> None:
        """Finds what named functions are applied to (`df["race"].map(encode)`) or called with."""
        for name, scope in self.places(tree.Name):
            inners = self._functions.get(name.id, ())
            column = self.applied_to(name) if inners else None
            if column is not None:
                self._handed.add(name.id)
            for inner in inners if column is not None else ():
                self._apply(inner, (column,), scope)
        for call, scope in self.places(tree.Call):
            if isinstance(call.function, tree.Name):
                for inner in self._functions.get(call.function.id, ()):
                    self._apply(inner, call.arguments, scope)

    @staticmethod
    def _apply(inner: Scope, arguments: Iterable[Node | None], scope: Scope) -> None:
        assert isinstance(inner.owner, tree.Function)
        for parameter, argument_ in zip(inner.owner.parameters, arguments, strict=False):
            known = inner.applied.setdefault(parameter.name, [])
            if argument_ is not None and len(known) < MOST_CALLS:
                known.append((argument_, scope))


def _go_through(target: Node, iterable: Node, scope: Scope) -> None:
    path = path_of(target)
    if path is not None:
        scope.rounds.setdefault(path, []).append(iterable)


@lru_cache(maxsize=1)
def scene_of(body: tuple[Node, ...], conventions: Conventions) -> SyntaxIndex:
    """The scene of a file's statements; the last one is kept for whoever asks next."""
    scene = SyntaxIndex(body, conventions)
    scene.note_applied()
    return scene


# ------------------------------------------------------------------------------------------------- names


def given(path: str, at: Node, scope: Scope) -> Node | None:
    """The last expression before `at` that a name was given, from the inside to the outside."""
    current: Scope | None = scope
    while current is not None:
        values = current.given.get(path)
        if values:
            before = [value for value in values if value.span.end <= at.span.start]
            if before or current is not scope:
                return before[-1] if before else values[-1]
        owner = current.owner
        if isinstance(owner, tree.Function | tree.Lambda) and any(
            parameter.name == path for parameter in owner.parameters
        ):
            return None
        current = current.outer
    return None


def resolved(node: Node, scope: Scope) -> Node:
    """What an expression stands for: a name's value, as far as it is plain."""
    for _ in range(MOST_STEPS):
        if isinstance(node, tree.Cast):
            node = node.value
            continue
        path = path_of(node) if isinstance(node, tree.Name | tree.Field) else None
        value = None if path is None else given(path, node, scope)
        if value is None or value is node:
            return node
        node = value
    return node


def texts(node: Node, scope: Scope, depth: int = 0) -> list[tree.Literal]:
    """The texts that a list of column names spells, through names, loops and sums of lists."""
    if depth > MOST_STEPS:
        return []
    match node:
        case tree.Literal(value=str()):
            return [node]
        case tree.Collection(kind="dict", items=items):
            parts = [item.key for item in items if item.key is not None]
            return [text for part in parts for text in texts(part, scope, depth + 1)][:MOST_TEXTS]
        case tree.Collection(items=items):
            return [text for item in items for text in texts(item.value, scope, depth + 1)][:MOST_TEXTS]
        case tree.Star(value=value):
            return texts(value, scope, depth + 1)
        case tree.Binary(op="+" | "|", left=left, right=right):
            return [*texts(left, scope, depth + 1), *texts(right, scope, depth + 1)]
        case tree.Call(function=function, arguments=(first, *_)) if last_name(function) in {
            "list", "tuple", "set", "sorted", "Index", "array", "enumerate", "tqdm",
        }:  # fmt: skip
            return texts(first, scope, depth + 1)
        case tree.Comprehension(element=tree.Name(), generators=(generator,)) if not generator.conditions:
            return texts(generator.iterable, scope, depth + 1)
        case (
            tree.Index(index=tree.Collection() as names)
            | tree.Field(value=tree.Index(index=tree.Collection() as names), name="columns")
        ):
            return texts(names, scope, depth + 1)
        case tree.Name(id=name) if applied := applied_to(name, scope):
            return [text for one, place in few(applied, depth) for text in texts(one, place, depth + 1)][
                :MOST_TEXTS
            ]
        case tree.Name() | tree.Field():
            found = round_of(node, scope) or resolved(node, scope)
            return [] if found is node else texts(found, scope, depth + 1)
        case _:
            return []


def applied_to(name: str, scope: Scope) -> list[tuple[Node, Scope]]:
    """What the function around is applied to or called with, where `name` is the parameter for it."""
    current: Scope | None = scope
    while current is not None:
        if (found := current.applied.get(name)) is not None:
            return found
        current = current.outer
    return []


def few(calls: list[tuple[Node, Scope]], depth: int) -> list[tuple[Node, Scope]]:
    """All calls at first and two farther on, so that chains of calls do not multiply."""
    return calls if depth == 0 else calls[:2]


def round_of(node: Node, scope: Scope) -> Node | None:
    """What the loop goes through whose variable `node` is."""
    path = path_of(node)
    current: Scope | None = scope
    while current is not None and path is not None:
        loops = current.rounds.get(path)
        if loops:
            before = [loop for loop in loops if loop.span.start <= node.span.start]
            return before[-1] if before else loops[-1]
        current = current.outer
    return None


def called(node: Node) -> str:
    """The bare name of the function that a call calls, else nothing."""
    return last_name(node.function) if isinstance(node, tree.Call) else ""


def argument(node: tree.Call, name: str, place: int | None = None) -> Node | None:
    """An argument by its name, or by its place."""
    for key, value in node.keywords:
        if key == name:
            return value
    return node.arguments[place] if place is not None and place < len(node.arguments) else None


def text_of(node: Node | None) -> str | None:
    """The text that is written here, else None."""
    return node.value if isinstance(node, tree.Literal) and isinstance(node.value, str) else None
