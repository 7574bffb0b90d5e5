"""Texts that a program puts together: which words stand in them, and what is filled in where.

A text is a row of parts: words as written, and gaps with what is put there. `template_reading` reads parts
out of expressions, `template_usages` follows them through a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from fairlint.records import Record, field
from fairlint.semantics.paths import path_of
from fairlint.syntax import tree
from fairlint.syntax.language import Conventions
from fairlint.syntax.tree import Function, Node

MOST_PARTS = 400
MOST_STEPS = 60_000
"""Expressions that are read in one file; what stands behind them is not known."""
MOST_USED = 60_000
"""Parts of all texts that are used in one file; later ones are not looked at."""
DEEPEST = 14
SHORT = 30
"""Texts below this length are rather a value than a stretch of running text."""
MARK = "□"
"""Stands for a Hole in running text."""
_REMEMBERED = 200

_PLACE = (
    r"\{\{[-~]?\s*(?P<jinja>[A-Za-z_][\w.\[\]'\"]*)\s*(?:\|[^{}]*)?[-~]?\}\}"
    r"|\{(?P<brace>[A-Za-z_]\w*(?:\.\w+|\[['\"]?\w+['\"]?\])*)(?:![rsa])?(?::[^{}]*)?\}"
    r"|\{(?P<number>\d*)(?:![rsa])?(?::[^{}]*)?\}"
    r"|\$\{?(?P<dollar>[A-Za-z_]\w*)\}?"
    r"|%\((?P<percent>\w+)\)[sdifgr]"
    r"|<<?(?P<angle>[A-Za-z_]\w*)>>?"
    r"|\[(?P<square>[A-Z][A-Z_]+)\]"
)
"""A place that is filled later, in any of the ways in which templates are written."""
_SIGNS = frozenset("{$%<[")
"""One of them begins a place."""


class Text(Record, eq=False):
    """Words as they are written; `node` is the literal."""

    value: str
    node: Node


class Hole(Record, eq=False):
    """A place where something is filled in.

    `node` is what is filled in, None where only the place's name is known; `name` is the place's own name
    (`{gender}`), `text` the literal it stands in, `around` the f-string. `label` is what a record's key says
    of it. `scope` holds what the names in `node` stand for.
    """

    node: Node | None
    name: str = ""
    text: Text | None = None
    label: str = ""
    around: Node | None = None
    scope: Scope | None = None


Part = Text | Hole
Parts = tuple[Part, ...]


class Usage(Record, eq=False):
    """A text where it is used: assigned to a name, returned, or given to a call.

    `name` is the variable, the function that returns it, or the called function; `keyword` the argument's
    name. `function` is the qualified name of the function it happens in.
    """

    parts: Parts
    kind: str
    name: str
    node: Node
    keyword: str = ""
    function: str = ""


class Reading(Record, frozen=False, eq=False):
    """What is known while a file is read: its functions, its classes, and the calls so far."""

    functions: Mapping[str, Function]
    run: Callable[[Iterable[Node], Scope], None]
    """Reads statements."""
    conventions: Conventions
    """What the language takes for granted."""
    steps: int = MOST_STEPS
    room: int = MOST_USED
    depth: int = 0
    usages: list[Usage] = field(default_factory=list)
    growing: dict[tuple[str, str], int] = field(default_factory=dict)
    """Function and path of a text that grows -> its place among the usages: the last state speaks for all."""
    classes: dict[str, Scope] = field(default_factory=dict)
    calls: dict[str, list[tuple[tree.Call, Scope]]] = field(default_factory=dict)
    at: str = ""
    """The function that is being read."""
    following: tuple[str, ...] = ()
    """Helper functions that are being followed."""


class Scope(Record, frozen=False, eq=False):
    """What names stand for at one point of a function: texts, and the expressions of all others."""

    reading: Reading
    texts: dict[str, Parts] = field(default_factory=dict)
    nodes: dict[str, tuple[Node, Scope | None]] = field(default_factory=dict)
    outer: Scope | None = None
    owner: str = ""
    """The class whose method it is."""

    def text(self, path: str) -> Parts | None:
        """The text that a path holds."""
        found = self.texts.get(path)
        if found is None and path not in self.nodes and self.outer is not None:
            return self.outer.text(path)
        return found

    def node(self, path: str) -> tuple[Node, Scope | None] | None:
        """The expression that a path was last given, with the names it was written among."""
        found = self.nodes.get(path)
        return self.outer.node(path) if found is None and self.outer is not None else found

    def bind(self, path: str, parts: Parts, node: Node) -> None:
        """Gives a path a new value."""
        if any(isinstance(part, Text) and part.value for part in parts):
            self.texts[path] = parts
        else:
            self.texts.pop(path, None)
        self.nodes[path] = (node, self)

    def inner(self) -> Scope:
        """Names that are bound inside only."""
        return Scope(self.reading, outer=self, owner=self.owner)

    def fork(self) -> Scope:
        """The same names for one branch."""
        return Scope(self.reading, dict(self.texts), dict(self.nodes), self.outer, self.owner)

    def merge(self, branches: Iterable[Scope]) -> None:
        """After a branch a name may hold what any of its arms gave it, one after the other."""
        before = dict(self.texts)
        for branch in branches:
            self.nodes.update(branch.nodes)
            for path, parts in branch.texts.items():
                if parts is before.get(path):
                    continue
                held = self.texts.get(path, ())
                if len(held) + len(parts) <= MOST_PARTS:
                    known = set(map(id, held))
                    self.texts[path] = (*held, *(part for part in parts if id(part) not in known))


def resolved(node: Node, scope: Scope | None) -> tuple[Node, Scope | None]:
    """What a name stands for in the end, with the names that were known there."""
    for _ in range(DEEPEST):
        path = path_of(node)
        found = scope.node(path) if path is not None and scope is not None else None
        if found is None or found[0] is node:
            break
        node, scope = found
    return node, scope


def element(iterable: Node, scope: Scope) -> tuple[Node, Scope | None] | None:
    """The first entry of a list that is written out."""
    node, among = resolved(iterable, scope)
    if isinstance(node, tree.Collection) and node.kind != "dict" and node.items:
        return node.items[0].value, among
    return None


def all_keys(iterable: Node, scope: Scope | None) -> tuple[Node, Scope | None] | None:
    """A list that is written out and holds texts only: any of them may be the key that is meant."""
    node, among = resolved(iterable, scope)
    if isinstance(node, tree.Collection) and node.kind != "dict" and literal_keys(node):
        return node, among
    return None


def literal_keys(node: Node) -> list[str]:
    """The texts of a list that holds nothing else."""
    if not isinstance(node, tree.Collection):
        return []
    texts = [item.value.value for item in node.items if isinstance(item.value, tree.Literal)]
    found = [text for text in texts if isinstance(text, str)]
    return found if len(found) == len(node.items) else []


def entries(node: Node, scope: Scope) -> dict[str, Node]:
    """The entries of a dict that is written out, by key."""
    held, _ = resolved(node, scope)
    if not isinstance(held, tree.Collection) or held.kind != "dict":
        return {}
    return {
        item.key.value: item.value
        for item in held.items
        if isinstance(item.key, tree.Literal) and isinstance(item.key.value, str)
    }


def has_text(parts: Parts) -> bool:
    """Whether there are words among the parts."""
    return any(isinstance(part, Text) for part in parts)


def is_short(parts: Parts) -> bool:
    """Whether a name rather stands for a value than for a stretch of running text."""
    return len(parts) == 1 and isinstance(parts[0], Text) and len(parts[0].value) < SHORT


def limited(parts: Iterable[Part]) -> Parts:
    """No more parts than anybody looks at."""
    return tuple(parts)[:MOST_PARTS]


@cache
def compiled(expression: str) -> re.Pattern[str]:
    """An expression, compiled where it is first needed: few files have such texts."""
    return re.compile(expression)


def places(text: str) -> Iterator[re.Match[str]]:
    """The places of a text that are filled later."""
    return iter(()) if _SIGNS.isdisjoint(text) else compiled(_PLACE).finditer(text)


def name_of(match: re.Match[str]) -> str | None:
    """The name of a place, None where it is numbered."""
    names = ("jinja", "brace", "dollar", "percent", "angle", "square")
    return next((match[name] for name in names if match[name]), None)


def opened(parts: Parts) -> Parts:
    """The same text, with a Hole for every place that still has a name only."""
    found: list[Part] = []
    for part in parts:
        if not isinstance(part, Text):
            found.append(part)
            continue
        at = 0
        for match in places(part.value):
            name = name_of(match)
            if name is None:
                continue
            found.append(Text(part.value[at : match.start()], part.node))
            found.append(Hole(None, name, part))
            at = match.end()
        found.append(Text(part.value[at:], part.node) if at else part)
    return tuple(found)


def holes(parts: Parts) -> Iterator[tuple[Hole, str, str]]:
    """Each Hole with the words right before and after it."""
    before = ""
    for at, part in enumerate(parts):
        if isinstance(part, Text):
            before = (before + part.value)[-_REMEMBERED:]
        else:
            yield part, before, running_text(parts[at + 1 : at + 2])
            before = (before + MARK)[-_REMEMBERED:]


def running_text(parts: Parts) -> str:
    """The words of a text, with a mark for each Hole."""
    return "".join(part.value if isinstance(part, Text) else MARK for part in parts)
