"""Readers: which attributes an expression reads, and which groups it spells, as far as the text shows it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import TypeGuard

from fairlint.lexicon import Vocabulary
from fairlint.lexicon.model import Mention
from fairlint.readers.assumptions.syntax_index import (
    MOST_STEPS,
    Scope,
    SyntaxIndex,
    applied_to,
    called,
    few,
    resolved,
    round_of,
    text_of,
    texts,
)
from fairlint.records import Record
from fairlint.semantics.paths import last_name, path_of
from fairlint.semantics.values import Const
from fairlint.sources.source import Source
from fairlint.syntax import tree
from fairlint.syntax.language import Conventions
from fairlint.syntax.tree import Node

SAME_COLUMN = frozenset(
    "str cat dt values array strip lower upper title capitalize casefold lstrip rstrip astype copy squeeze "
    "to_frame to_numpy tolist to_list reshape ravel item head fillna fill_null fill_nan replace cast alias "
    "dropna drop_nulls unique infer_objects convert_dtypes value to_series over rename reset_index iloc loc "
    "sort_values ffill bfill where mask compute collect".split()
)
"""Fields and methods that leave a column what it is."""
SAME_VALUE = frozenset(
    "str Series array asarray list tuple set DataFrame trim lower upper cast lit first last strdup xstrdup "
    "g_strdup".split()
)
"""Functions that do the same to their first argument."""
COLUMN_MAKERS = frozenset({"col", "nth", "column"})
"""Functions that read the column that a text names."""
GETTERS = frozenset({"get", "pop", "setdefault", "getlist", "get_column"})
"""Methods that read the field that a text names."""
NOBODY = frozenset({"other", "no", "none"})
"""Groups that assume nothing of anybody."""
TABLE_FIELDS = frozenset({"loc", "iloc", "at", "iat"})


class Read(Record, eq=False):
    """A place that reads an attribute: the mention, the place, and the text of what it is read from."""

    mention: Mention
    node: Node
    receiver: str = ""
    listed: Node | None = None
    """Where a list or loop names it, if `node` does not."""


class Reader:
    """Says which attributes an expression of one file reads."""

    def __init__(
        self,
        source: Source,
        vocabulary: Vocabulary,
        members: Container[str],
        enums: Mapping[str, tuple[Const, ...]],
        conventions: Conventions,
    ) -> None:
        """`members` are the names of the constants of the file's `enums`."""
        self.enums = enums
        self.conventions = conventions
        self._source = source
        self._vocabulary = vocabulary
        self._members = members

    def named(self, identifier: str, node: Node, receiver: str = "") -> list[Read]:
        """The attribute that an identifier names at a place; at most one."""
        mentions = self._vocabulary.mentions_of(identifier, receiver)
        return [Read(mentions[0], node, receiver)] if mentions else []

    def columns(self, names: Iterable[tree.Literal], receiver: str) -> list[Read]:
        """The attributes that some columns' names name."""
        return [read for name in names for read in self.named(str(name.value), name, receiver)]

    def reads(self, node: Node, scope: Scope, depth: int = 0) -> list[Read]:
        """The attributes that `node` is: a field, a column or several, or a variable that holds one."""
        if depth > MOST_STEPS:
            return []
        match node:
            case tree.Cast(value=value) | tree.Star(value=value):
                return self.reads(value, scope, depth + 1)
            case tree.Name(id=name):
                return self._variable(name, node, scope, depth)
            case tree.Field(value=value, name=name):
                if name in SAME_COLUMN and (found := self.reads(value, scope, depth + 1)):
                    return found
                found = self.named(name, node, self._text(value))
                return found or self._held(node, scope, depth)
            case tree.Index():
                return self._index(node, scope, depth)
            case tree.Call():
                return self._call(node, scope, depth)
            case _:
                return []

    def _text(self, node: Node) -> str:
        return self._source.text(node.span)[:200]

    def _variable(self, name: str, node: Node, scope: Scope, depth: int) -> list[Read]:
        found = self.named(name, node)
        if applied := applied_to(name, scope):
            reads = [read for one, place in few(applied, depth) for read in self.reads(one, place, depth + 1)]
            return list({read.mention: read for read in reads}.values()) or found
        return found or self._held(node, scope, depth)

    def _held(self, node: Node, scope: Scope, depth: int) -> list[Read]:
        through = round_of(node, scope) if isinstance(node, tree.Name) else None
        if through is not None:
            return self.reads(through, scope, depth + 1)
        value = resolved(node, scope)
        return [] if value is node else self.reads(value, scope, depth + 1)

    def _index(self, node: tree.Index, scope: Scope, depth: int) -> list[Read]:
        by_place = _is_by_place(node.value)
        base = node.value.value if _is_by_place(node.value) else node.value
        names = node.index
        if isinstance(names, tree.Collection) and names.kind == "tuple" and by_place:
            names = names.items[-1].value if len(names.items) == 2 else names
        elif by_place:
            return self.reads(base, scope, depth + 1)
        if isinstance(names, tree.Slice | tree.Compare | tree.Unary):
            return self.reads(base, scope, depth + 1)
        found = self.columns(texts(names, scope), self._text(base))
        found = [self._at(node, read) for read in found] if names_elsewhere(found, node) else found
        if len(found) == 1:
            return [Read(found[0].mention, node, found[0].receiver, found[0].listed)]
        return found or self.reads(base, scope, depth + 1)

    @staticmethod
    def _at(node: Node, read: Read) -> Read:
        return Read(read.mention, node, read.receiver, read.node)

    def _call(self, node: tree.Call, scope: Scope, depth: int) -> list[Read]:
        name = called(node)
        first = node.arguments[0] if node.arguments else None
        if name in COLUMN_MAKERS:
            return [read for given_ in node.arguments for read in self.columns(texts(given_, scope), "df")]
        if name == "getattr" and len(node.arguments) >= 2 and first is not None:
            return self.columns(texts(node.arguments[1], scope), self._text(first))
        if isinstance(node.function, tree.Field):
            if name in GETTERS and first is not None and text_of(first) is not None:
                return self.columns(texts(first, scope), self._text(node.function.value))
            if name in {"select", "filter"} and node.arguments:
                names = [text for part in node.arguments for text in texts(part, scope)]
                return self.columns(names, self._text(node.function.value))
            if name in SAME_COLUMN or (name == "map" and first is not None and _to_texts(first, scope)):
                return self.reads(node.function.value, scope, depth + 1)
        if name in SAME_VALUE and first is not None:
            return self.reads(first, scope, depth + 1)
        return []

    # ------------------------------------------------------------------------------------------- groups

    def group(self, attribute: str, node: Node | None, scope: Scope, depth: int = 0) -> str | None:
        """The canonical group that an expression spells, "unknown" included: a text, or a constant's name."""
        if node is None or depth > MOST_STEPS:
            return None
        spelled = self._constant(attribute, node)
        if spelled is not None:
            return spelled
        match resolved(node, scope):
            case tree.Literal(value=str() as text):
                return self._vocabulary.group_of(attribute, text)
            case tree.Literal(value=bytes() as raw):
                return self._vocabulary.group_of(attribute, raw.decode("utf-8", "replace"))
            case tree.Call(arguments=(first, *_)) as call if (
                called(call) in SAME_VALUE or called(call)[:1].isupper()
            ):
                return self.group(attribute, first, scope, depth + 1)
            case tree.Collection(items=(tree.Item(key=None, value=only),)):
                return self.group(attribute, only, scope, depth + 1)
            case found:
                return None if found is node else self._constant(attribute, found)

    def _constant(self, attribute: str, node: Node) -> str | None:
        """The group that a constant has for its name: `Gender.MALE`, `SEX_FEMALE`."""
        if isinstance(node, tree.Field) and node.name in {"value", "name"}:
            node = node.value
        name = last_name(node)
        in_type = isinstance(node, tree.Field) and last_name(node.value)[:1].isupper()
        if not (self.conventions.is_constant(name) or in_type or name in self._members):
            return None
        group = self._vocabulary.group_of(attribute, name)
        return group if group is not None and len(name) > 1 else None

    def is_somebody(self, attribute: str, group: str | None) -> bool:
        """Whether `group` is a group that somebody is assumed to belong to: not unknown, and not the rest."""
        return (
            group is not None
            and group not in NOBODY
            and not self._vocabulary.is_missing(attribute, group)
            and self._vocabulary.attribute(attribute).kind == "protected"
        )

    def groups_in(self, text: str) -> tuple[tuple[str, str], ...]:
        """The (attribute, group) pairs that a text names by itself."""
        return self._vocabulary.groups_in(text)

    def attribute(self, name: str, node: Node) -> Read | None:
        """A read of an attribute at a place that does not name it."""
        return next(iter(self.named(name, node)), None)

    def is_missing(self, attribute: str, text: str) -> bool:
        """Whether a text says that nothing is known of an attribute."""
        group = self._vocabulary.group_of(attribute, text)
        return group is not None and self._vocabulary.is_missing(attribute, group)

    def in_text(self, text: str) -> bool:
        """Whether a text names a group by itself."""
        return bool(self._vocabulary.groups_in(text))

    def receiver(self, call: tree.Call) -> str:
        """The text of what a method is called on; of the first argument for `getattr`."""
        if isinstance(call.function, tree.Field):
            return self._text(call.function.value)
        return self._text(call.arguments[0]) if called(call) == "getattr" and call.arguments else ""

    def written(self, target: Node) -> list[Read]:
        """The attribute that a variable, field or key is named after."""
        match target:
            case tree.Name(id=name):
                return self.named(name, target)
            case tree.Field(value=value, name=name):
                return self.named(name, target, self._text(value))
            case tree.Index(value=value, index=tree.Literal(value=str() as name)):
                return self.named(name, target, self._text(value))
            case tree.Literal(value=str() as name):
                return self.named(name, target)
            case _:
                return []

    def text(self, node: Node) -> str:
        """The source of a node, cut where it is long."""
        return self._text(node)

    def group_named(self, attribute: str, label: str) -> str | None:
        """The canonical group that a text spells."""
        return self._vocabulary.group_of(attribute, label)

    def label(self, node: Node, scope: Scope) -> str | None:
        """The group as it is written: a text, or the name of a constant."""
        if isinstance(node, tree.Field) and node.name in {"value", "name"}:
            node = node.value
        name = last_name(node)
        if isinstance(node, tree.Field) and (
            self.conventions.is_constant(name) or last_name(node.value)[:1].isupper()
        ):
            return name
        if name and name in self._members:
            return name
        value = resolved(node, scope)
        if isinstance(value, tree.Call) and called(value) in SAME_VALUE and value.arguments:
            value = value.arguments[0]
        return value.value if isinstance(value, tree.Literal) and isinstance(value.value, str) else None


def _to_texts(table: Node, scope: Scope) -> bool:
    """Whether a column is mapped to other names of its groups: `{"M": "male", "F": "female"}`."""
    written = resolved(table, scope)
    return (
        isinstance(written, tree.Collection)
        and written.kind == "dict"
        and bool(written.items)
        and all(
            isinstance(item.value, tree.Literal) and isinstance(item.value.value, str)
            for item in written.items
        )
    )


def names_elsewhere(reads: list[Read], node: Node) -> bool:
    """Whether columns are named in another place than the one that reads them: in a list, in a loop."""
    return any(read.node.span.start < node.span.start or node.span.end < read.node.span.end for read in reads)


# ------------------------------------------------------------------------------------------ whole tables


def known_columns(node: Node, scope: Scope, scene: SyntaxIndex, reader: Reader) -> list[Read]:
    """The protected columns of a whole table, as far as the code reads them elsewhere by name."""
    table = _table(node, scope)
    path = None if table is None else path_of(table)
    if path is None:
        return []
    found: dict[str, Read] = {}
    made = resolved(table, scope) if table is not None else None
    if isinstance(made, tree.Call):
        listed = [value for key, value in made.keywords if key in {"names", "usecols", "columns", "schema"}]
        for value in (*listed, *made.arguments[:1]):
            if value in listed or called(made) == "DataFrame":
                for read in reader.columns(texts(value, scope), path):
                    found.setdefault(read.mention.attribute, read)
    for index, place in scene.places(tree.Index):
        base = index.value.value if _is_by_place(index.value) else index.value
        if path_of(base) == path:
            for read in reader.reads(index, place):
                found.setdefault(read.mention.attribute, read)
    for name, place in scene.places(tree.Field):
        if path_of(name.value) == path:
            for read in reader.reads(name, place):
                found.setdefault(read.mention.attribute, read)
    return list(found.values())


def _is_by_place(node: Node) -> TypeGuard[tree.Field]:
    return isinstance(node, tree.Field) and node.name in TABLE_FIELDS


def _table(node: Node, scope: Scope) -> Node | None:
    """The table that an expression stands for as a whole, column by column, or in an unreadable selection."""
    match node:
        case tree.Name(id=name):
            applied = applied_to(name, scope)
            return applied[0][0] if applied else node
        case tree.Field():
            return node if path_of(node) is not None else None
        case tree.Index(value=base, index=tree.Name() | tree.Call() | tree.Field()):
            return base
        case tree.Call(function=tree.Field(value=base, name="copy" | "replace" | "groupby" | "astype")):
            return _table(base, scope)
        case _:
            return None
