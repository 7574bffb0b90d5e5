"""Which functions of a file can have to do with a protected attribute at all.

A function matters if it names an attribute, or calls one that does. Others are executed only where something
protected is handed to them, or where they are called for some groups and not for others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from fairlint.semantics.names.scopes import Definitions, type_name
from fairlint.semantics.values.paths import path_of
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.preferring import may_prefer

LONGEST_KEY = 60
SHORTEST_SENTENCE = 12
_MAKERS = frozenset({"format", "join", "format_map", "substitute", "safe_substitute"})
"""Methods that give a text."""
_ADDERS = frozenset({"append", "extend", "insert", "write"})
"""Methods that add a line to what they are called on."""
_WORD = lazy_expression(r"[^\W\d]\w+")


class _Contents(Record, frozen=False):
    mentions: bool
    names: frozenset[str]


class Interest:
    """Answers by function name, each body looked at once."""

    def __init__(
        self,
        definitions: Definitions,
        vocabulary: Vocabulary,
        variables: frozenset[str],
        parts: Mapping[str, str],
        *,
        loads: bool = False,
    ) -> None:
        """`variables` are those of the module that hold something protected or are tables, `parts` the short
        texts that others hold, which a function may put together. Where the code `loads` a file of data that
        names an attribute, no word says which function has to do with that.
        """
        self._loads = loads
        self._vocabulary = vocabulary
        self._is_buffer = definitions.conventions.is_buffer
        self._variables = variables
        self._parts = parts
        bodies: dict[str, list[tree.Node]] = {}
        for function in (*definitions.functions.values(), *definitions.methods.values()):
            bodies.setdefault(function.name, []).append(function)
        for name, value in definitions.macros.items():
            if not (isinstance(value, tree.Literal) and not isinstance(value.value, str)):
                bodies.setdefault(name, []).append(value)
        self._bodies = bodies
        self._contents: dict[str, _Contents] = {}
        self._makes: dict[str, bool] = {}
        self._telling: dict[str, bool] = {}
        self._known: dict[str, bool] = {}

    def matters(self, name: str) -> bool:
        """Return whether a function of this name names an attribute, or calls one that does."""
        if self._loads and name in self._bodies:
            return True
        found = self._known.get(name)
        if found is None:
            self._settle_interest(name)
            found = self._known[name]
        return found

    def makes_text(self, name: str) -> bool:
        """Return whether a function of this name returns a text that it puts together, or adds one to a
        buffer or a list that it is given: where it is called, that text counts.
        """
        makes = self._makes.get(name)
        if makes is None:
            bodies = self._bodies.get(name, ())
            makes = self._makes[name] = any(_makes_text(body, self._is_buffer) for body in bodies)
        return makes

    def _settle_interest(self, name: str) -> None:
        seen = {name}
        stack = [name]
        while stack:
            current = stack.pop()
            if current not in self._bodies:
                continue
            contents = self._function_contents(current)
            if contents.mentions:
                self._known[name] = True
                return
            for called in contents.names & self._bodies.keys():
                if self._known.get(called):
                    self._known[name] = True
                    return
                if called not in seen and called not in self._known:
                    seen.add(called)
                    stack.append(called)
        self._known.update(dict.fromkeys(seen, False))

    def _function_contents(self, name: str) -> _Contents:
        found = self._contents.get(name)
        if found is None:
            found = self._contents[name] = self._contents_of(self._bodies[name])
        return found

    def _contents_of(self, functions: list[tree.Node]) -> _Contents:
        names: set[str] = set()
        keys: set[tuple[str, str]] = set()
        texts: set[str] = set()
        for function in functions:
            if isinstance(function, tree.Function):
                names.add(function.name)
            _gather_names(function, names, keys, texts, self._parts)
        mentions = not names.isdisjoint(self._variables) or _names_any(names, keys, self._vocabulary)
        return _Contents(mentions or any(map(self._is_telling_text, texts)), frozenset(names))

    def _is_telling_text(self, text: str) -> bool:
        known = self._telling.get(text)
        if known is None:
            known = self._telling[text] = text_names(text, self._vocabulary)
        return known


def _makes_text(function: tree.Node, is_buffer: Callable[[str], bool]) -> bool:
    if not isinstance(function, tree.Function):
        return False
    if any("char" in one.type and is_buffer(one.type) for one in function.parameters):
        return True
    defaults = [(one.name, one.default) for one in function.parameters if one.default is not None]
    made = {name for name, default in defaults if _is_text(default, set())}
    given = {one.name for one in function.parameters}
    for statement in function.body:
        for part in tree.walk(statement):
            match part:
                case tree.Assign(targets=(tree.Name(id=name),), value=value) if value is not None:
                    made.update((name,) if _is_text(value, made) else ())
                case tree.Return(value=value) if value is not None and _is_text(value, made):
                    return True
                case tree.Call(function=tree.Field(value=tree.Name(id=owner), name=name), arguments=added):
                    if name in _ADDERS and owner in given and any(_is_text(one, made) for one in added):
                        return True
                case _:
                    pass
    return False


def _is_text(node: tree.Node, made: set[str]) -> bool:
    """Return whether an expression puts a text together, as it is written."""
    match node:
        case tree.Name(id=name):
            return name in made
        case tree.Interpolation():
            return True
        case tree.Literal(value=str() as text):
            return len(text) >= SHORTEST_SENTENCE
        case tree.Binary(op="+" | "%", left=left, right=right):
            return _is_text(left, made) or _is_text(right, made)
        case tree.Call(function=tree.Field(value=owner, name=name)):
            return name in _MAKERS or _is_text(owner, made)
        case tree.Conditional(then=then, otherwise=otherwise):
            return _is_text(then, made) or _is_text(otherwise, made)
        case tree.Collection(kind="list", items=items):
            return any(_is_text(item.value, made) for item in items)
        case _:
            return False


def names_attribute(function: tree.Node, vocabulary: Vocabulary) -> bool:
    """Return whether a function or lambda reads an attribute itself."""
    names: set[str] = set()
    keys: set[tuple[str, str]] = set()
    texts: set[str] = set()
    _gather_names(function, names, keys, texts, {})
    return _names_any(names, keys, vocabulary) or any(text_names(text, vocabulary) for text in texts)


def _names_any(names: set[str], keys: set[tuple[str, str]], vocabulary: Vocabulary) -> bool:
    return any(map(vocabulary.mentions, names)) or any(
        vocabulary.mentions_of(word, owner) for word, owner in keys
    )


def text_names(text: str, vocabulary: Vocabulary) -> bool:
    """Return whether a text is the name of an attribute, a value that tells one, a sentence or a query with
    such a name in it, or one that may prefer a group.
    """
    if len(text) <= LONGEST_KEY and (vocabulary.mentions(text) or text in vocabulary.telling_values):
        return True
    if not (_is_condition(text) or (len(text) >= SHORTEST_SENTENCE and " " in text)):
        return False
    words = _WORD.findall(text)
    pairs = map(" ".join, pairwise(words))
    return any(map(vocabulary.mentions, {*words, *pairs})) or may_prefer(text, vocabulary)


def _is_condition(text: str) -> bool:
    """Return whether a text may be one for a table's rows: `sex='M'`."""
    return "=" in text or "<" in text or ">" in text


def _gather_names(
    node: tree.Node,
    names: set[str],
    keys: set[tuple[str, str]],
    texts: set[str],
    parts: Mapping[str, str],
) -> None:
    """Note names, fields and texts, and the short texts that are made of others: `f"{START}der"`."""
    for part in tree.walk(node):
        kind = part.__class__
        if kind is tree.Name:
            names.add(part.id)  # type: ignore[attr-defined]
        elif kind is tree.Literal:
            if isinstance(value := part.value, str):  # type: ignore[attr-defined]
                texts.add(value)
        elif (note := _READERS.get(kind)) is not None:
            note(part, names, keys)
        elif isinstance(part, tree.Interpolation):
            texts.add("".join(_known_text(piece, parts) for piece in part.parts))
        elif isinstance(part, tree.Binary) and part.op in {"+", "%"}:
            left, right = _known_text(part.left, parts), _known_text(part.right, parts)
            texts.add(left.replace("%s", right) if part.op == "%" else left + right)


def _known_text(node: tree.Node, parts: Mapping[str, str]) -> str:
    match node:
        case tree.Literal(value=str() as text):
            return text
        case tree.Name(id=name) | tree.Field(name=name):
            return parts.get(name, "")
        case _:
            return ""


def _note_field(node: tree.Field, names: set[str], keys: set[tuple[str, str]]) -> None:
    names.update((node.name, node.name.removeprefix("set_")))
    keys.add((node.name, path_of(node.value) or ""))


def _note_index(node: tree.Index, _: set[str], keys: set[tuple[str, str]]) -> None:
    if isinstance(node.index, tree.Literal) and isinstance(node.index.value, str):
        keys.add((node.index.value, path_of(node.value) or ""))


def _note_call(node: tree.Call, names: set[str], keys: set[tuple[str, str]]) -> None:
    match node:
        case tree.Call(
            function=tree.Field(name="get", value=owner), arguments=(tree.Literal(value=str() as word), *_)
        ):
            keys.add((word, path_of(owner) or ""))
        case _:
            names.update(part for key, _ in node.keywords if key for part in key.split("__"))


def _note_parameter(node: tree.Parameter, names: set[str], _: set[tuple[str, str]]) -> None:
    names.update((node.name, type_name(node.type)))


def _note_assignment(node: tree.Assign, names: set[str], _: set[tuple[str, str]]) -> None:
    if node.type:
        names.add(type_name(node.type))


_READERS: dict[type[tree.Node], Callable[[Any, set[str], set[tuple[str, str]]], None]] = {
    tree.Field: _note_field,
    tree.Index: _note_index,
    tree.Call: _note_call,
    tree.Parameter: _note_parameter,
    tree.Assign: _note_assignment,
}
"""A kind of node -> what notes the names that it holds, and the fields with what they are read of."""
