"""Which functions of a file can have to do with a protected attribute at all.

A function matters if it names an attribute, or calls one that does. Others are executed only where something
protected is handed to them, or where they are called for some groups and not for others.
"""

from __future__ import annotations

from fairlint.analysis.paths import path_of
from fairlint.analysis.scopes import Definitions, type_name
from fairlint.records import Record
from fairlint.syntax import tree
from fairlint.vocabulary import Vocabulary

LONGEST_KEY = 60


class _Contents(Record, frozen=False):
    mentions: bool
    names: frozenset[str]


def _words(node: tree.Node, vocabulary: Vocabulary) -> tuple[bool, set[str]]:
    """Whether the code in `node` reads an attribute by a key or field, and the names that it uses."""
    names: set[str] = set()
    mentions = False
    for part in tree.walk(node):
        match part:
            case tree.Field(name=word, value=owner):
                names.add(word)
                mentions = mentions or bool(vocabulary.mentions_of(word, path_of(owner) or ""))
            case tree.Index(value=owner, index=tree.Literal(value=str() as word)):
                mentions = mentions or bool(vocabulary.mentions_of(word, path_of(owner) or ""))
            case tree.Call(
                function=tree.Field(name="get", value=owner),
                arguments=(tree.Literal(value=str() as word), *_),
            ):
                mentions = mentions or bool(vocabulary.mentions_of(word, path_of(owner) or ""))
            case tree.Name(id=word):
                names.add(word)
            case tree.Parameter(name=word, type=type_):
                names.update((word, type_name(type_)))
            case tree.Assign(type=type_) if type_:
                names.add(type_name(type_))
            case tree.Call(keywords=keywords) if keywords:
                names.update(part for key, _ in keywords if key for part in key.split("__"))
            case tree.Literal(value=str() as word) if len(word) <= LONGEST_KEY:
                mentions = mentions or bool(vocabulary.mentions(word))
            case _:
                pass
    return mentions, names


def names_attribute(function: tree.Node, vocabulary: Vocabulary) -> bool:
    """Whether a function or lambda reads an attribute itself."""
    mentions, names = _words(function, vocabulary)
    return mentions or any(vocabulary.mentions(word) for word in names)


class Interest:
    """Answers by function name, each body looked at once."""

    def __init__(self, definitions: Definitions, vocabulary: Vocabulary, variables: frozenset[str]) -> None:
        """`variables` are those of the module that hold something protected or are tables."""
        self._vocabulary = vocabulary
        self._variables = variables
        bodies: dict[str, list[tree.Function]] = {}
        for function in (*definitions.functions.values(), *definitions.methods.values()):
            bodies.setdefault(function.name, []).append(function)
        self._contents = {name: self._look(functions) for name, functions in bodies.items()}
        self._known: dict[str, bool] = {}

    def matters(self, name: str) -> bool:
        """Whether a function of this name names an attribute, or calls one that does."""
        found = self._known.get(name)
        if found is None:
            self._settle(name)
            found = self._known[name]
        return found

    def _settle(self, name: str) -> None:
        seen = {name}
        stack = [name]
        while stack:
            contents = self._contents.get(stack.pop())
            if contents is None:
                continue
            if contents.mentions:
                self._known[name] = True
                return
            for called in contents.names & self._contents.keys():
                if self._known.get(called):
                    self._known[name] = True
                    return
                if called not in seen and called not in self._known:
                    seen.add(called)
                    stack.append(called)
        self._known.update(dict.fromkeys(seen, False))

    def _look(self, functions: list[tree.Function]) -> _Contents:
        names: set[str] = set()
        mentions = False
        for function in functions:
            found, used = _words(function, self._vocabulary)
            mentions = mentions or found
            names |= used
        mentions = mentions or not names.isdisjoint(self._variables)
        mentions = mentions or any(self._vocabulary.mentions(word) for word in names)
        return _Contents(mentions, frozenset(names))
