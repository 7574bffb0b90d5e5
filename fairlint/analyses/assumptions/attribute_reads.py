"""What the expressions of one file are: attributes that they read, groups, names, numbers that they spell.

The evaluator has followed names, helpers, lists and texts; what is asked here is asked of values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.semantics.execution import Execution
from fairlint.semantics.names.library import Found
from fairlint.semantics.names.qualified_names import member, name_of, type_of_value
from fairlint.semantics.names.syntax_index import NOWHERE
from fairlint.semantics.tables import column_names, columns, libraries
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import last_name
from fairlint.semantics.values.symbolic import (
    Choice,
    Closure,
    Columns,
    Const,
    Elementwise,
    Filtered,
    Lookup,
    Old,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Sorted,
    Table,
    Value,
)
from fairlint.semantics.values.traversal import walk
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.model import Mention

NOBODY = frozenset({"other", "no", "none"})
"""Groups that assume nothing of anybody."""
PASSES_TABLE = frozenset({"copy", "replace", "groupby", "astype"})
_CHOOSES = frozenset({"chooses", "filters"})
_GIVES_ITSELF = frozenset({"learns", "prepares", "keeps"})
"""What the `fit` of a scaler, or `set_output`, does."""
BY_PLACE = frozenset({"loc", "iloc", "at", "iat"})
DEEPEST = 6
"""How many values within values are looked into."""
_WORD = lazy_expression(r"\w+")
LONGEST = 200
"""Characters of an expression that are read."""


class Read(Record, eq=False):
    """A place that reads an attribute: the mention, the place, and the text of what it is read from."""

    mention: Mention
    node: Node
    receiver: str = ""
    listed: Node | None = None
    """Where a list, loop or constant names it, if `node` does not."""


class Entry(Record, eq=False):
    """One entry of a table that is written out: its key and value, and where they stand."""

    key: Value
    value: Value
    key_node: Node
    node: Node


class Reader:
    """Says which attributes, groups and numbers the expressions of one file are."""

    def __init__(self, execution: Execution) -> None:
        self.facts = execution.facts
        self.syntax = execution.syntax
        self.definitions = execution.definitions
        self.conventions = execution.definitions.conventions
        self._execution = execution
        self._source = execution.source
        self._vocabulary = execution.vocabulary
        self._members = frozenset(name.rpartition(".")[2] for name in self.definitions.members)
        self._deeds: dict[tuple[int, str], frozenset[str]] = {}
        self._applied: frozenset[int] | None = None
        self._filled: dict[int, list[tuple[str, Value]]] | None = None
        self._given: dict[str, list[Value]] | None = None

    # ------------------------------------------------------------------------------------------- values

    def values(self, node: Node | None) -> list[Value]:
        """Return all that an expression came to."""
        match node:
            case None:
                return []
            case tree.Literal(value=value):
                text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
                return [Const(text, "", node)]
            case tree.Cast(value=inner) | tree.Star(value=inner):
                return self.values(inner)
            case _:
                return self.facts.values_of(node)

    def calls(self, node: tree.Call) -> list[Call]:
        """Return a call with what it was given, each time it was made."""
        return self.facts.calls_at(node)

    def known(self, call: Call, does: str) -> Found | None:
        """Return the model of a library that says of a call what it does; by its bare name at worst."""
        program = self._execution.program
        several = libraries.may_be(call.node, call.qualified, program)
        found = next((one for one in several if does in one.entry.does), None)
        if found is not None:
            program.found.setdefault(id(call.node), (call.node, found))
        return found

    def does(self, call: Call) -> frozenset[str]:
        """Return what a call does, in the words of `library.DOES`."""
        key = (id(call.node), call.qualified)
        found = self._deeds.get(key)
        if found is None:
            program = self._execution.program
            found = self._deeds[key] = libraries.may_do(call.node, call.qualified, program)
        return found

    def chooses(self, call: Call) -> bool:
        """Return whether a call gives one of two values by a test: `np.where`, `column.where`,
        `otherwise`.
        """
        made_here = isinstance(call.value, Choice) and call.value.node is call.node
        return made_here and not _CHOOSES.isdisjoint(self.does(call))

    def makes_numbers(self, value: Value) -> bool:
        """Return whether a value is the class of an encoder."""
        found = self._execution.program.models.find(name_of(value))
        return found is not None and "numbers" in found.entry.does

    def method(self, field: tree.Field) -> Found | None:
        """Return what the model of a library says of a method that is handed on and not called."""
        owners = (name_of(value) or type_of_value(value) for value in self.values(field.value))
        found = map(self._execution.program.models.find, (member(owner, field.name) for owner in owners))
        return next(filter(None, found), None)

    def text(self, node: Node) -> str:
        """Return the source of a node, cut where it is long."""
        return self._source.text(node.span)[:LONGEST]

    def whole(self, node: Node) -> str:
        """Return the source of a node, however long it is."""
        return self._source.text(node.span)

    def filled(self, call: tree.Call) -> list[tuple[str, Value]]:
        """Return what a call puts where: `strcpy(applicant->gender, "male")`."""
        if self._filled is None:
            self._filled = {}
            for event in self._execution.events:
                if event.kind == "assign" and isinstance(event.node, tree.Call):
                    self._filled.setdefault(id(event.node), []).append((event.target, event.value))
        return self._filled.get(id(call), [])

    def given_at(self, text: str) -> list[Value]:
        """Return what is given to a place that the code can only reach by what it is called:
        `models[name]`.
        """
        if self._given is None:
            self._given = {}
            for event in self._execution.events:
                if event.kind == "assign":
                    self._given.setdefault(event.target, []).append(event.value)
        return self._given.get(text, [])

    def made_by(self, value: Value, *, parts: bool, depth: int = 0) -> Iterator[Call]:
        """Yield the calls that made a value, and the `parts` of a pipeline or list that it is."""
        if depth > DEEPEST:
            return
        inner: tuple[Value, ...] = ()
        if isinstance(value, Sequence):
            inner = value.items if parts else ()
        elif (call := self.facts.call_giving(value)) is not None:
            yield call
            does = self.does(call)
            if parts and "chains steps" in does:
                inner = (*call.arguments, *call.keywords.values())
            elif call.receiver is not None and not _GIVES_ITSELF.isdisjoint(does):
                inner = (call.receiver,)
        for one in inner:
            yield from self.made_by(one, parts=parts, depth=depth + 1)

    def is_applied(self, node: Node) -> bool:
        """Return whether a place stands in a function that is called for each value of a column."""
        if self._applied is None:
            self._applied = frozenset(self._applied_functions())
        return any(id(outer) in self._applied for outer in self.syntax.around(node))

    def _applied_functions(self) -> Iterator[int]:
        for call in self.facts.calls:
            if "applies" in self.does(call):
                for value in call.arguments:
                    if isinstance(value, Closure):
                        yield id(value.function)

    # ------------------------------------------------------------------------------------------- attributes

    def named(self, identifier: str, node: Node, receiver: str = "") -> list[Read]:
        """Return the attribute that an identifier names at a place; at most one."""
        mentions = self._vocabulary.mentions_of(identifier, receiver)
        return [Read(mentions[0], node, receiver)] if mentions else []

    def columns(self, names: Iterable[Const], node: Node, receiver: str) -> list[Read]:
        """Return the attributes that some columns' names name, each where its name is written."""
        return [read for name in names for read in self.named(str(name.value), name.node or node, receiver)]

    def names(self, node: Node | None) -> list[Const]:
        """Return the names of columns that an expression spells: a text, or a list of them."""
        values = self.values(node)
        if not values and isinstance(node, tree.Collection):  # where a value is assigned to
            return [name for item in node.items for name in self.names(item.value)]
        return [name for value in values for name in column_names.some_names(value)]

    def reads(self, node: Node) -> list[Read]:
        """Return the attributes that an expression is: a field, a column or several, or what holds one."""
        found = [read for value in self.values(node) for read in self.reads_at(value, node)]
        return list({read.mention: read for read in found}.values())

    def reads_at(self, value: Value | None, node: Node) -> list[Read]:
        """Return the attributes that an expression is which came to a value: codes of a column are in it,
        too.
        """
        if value is None:
            return []
        made_here = isinstance(value, Lookup | Choice | Operation | Old)
        return self.reads_of(value) or (self.written(node) if made_here else [])

    def called_on(self, call: Call, *, whole: bool = False, as_texts: bool = False) -> list[Read]:
        """Return the attributes that a method is called on, be it on a `whole` table, or on the
        texts in it.
        """
        function = call.node.function
        if call.receiver is None or not isinstance(function, tree.Field):
            return []
        found = [] if as_texts else self.reads_at(call.receiver, function.value)
        return found or (self.known_in(call.receiver, as_texts=as_texts) if whole else [])

    def given_to(self, call: Call, place: int, *, whole: bool = False) -> list[Read]:
        """Return the attributes that a call is given as one of its arguments, be it in a `whole` table."""
        if place >= len(call.arguments):
            return []
        value = call.arguments[place]
        found = self.reads_at(value, call.node.arguments[place])
        return found or (self.known_in(value) if whole else [])

    def reads_of(self, value: Value, depth: int = 0) -> list[Read]:
        """Return the attributes that a value is."""
        if depth > DEEPEST:
            return []
        match value:
            case Protected(mention=mention, node=place, receiver=receiver, named=listed):
                return [Read(mention, place, receiver, listed)]
            case Columns(held=held):
                chosen = [Const(column.name, "", column.node) for column in held if column.form != "given"]
                found = self.columns(chosen, value.node, self._owner_text(value)) if value.complete else []
                return self._relocate_reads(found, value.node)
            case Choice(then=then, otherwise=otherwise):
                both = (self.reads_of(one, depth + 1) for one in (then, otherwise))
                return [read for one in both for read in one]
            case Lookup(subject=subject, table=table):
                found = self.reads_of(subject, depth + 1)
                return [*found, *self._told_by(table, found)] if found and _to_texts(table) else []
            case Elementwise(element=inner) | Filtered(people=inner) | Sorted(people=inner):
                return self.reads_of(inner, depth + 1)
            case Opaque():
                return self._by_index(value)
            case _:
                return []

    def _told_by(self, table: Table, subjects: list[Read]) -> Iterator[Read]:
        """Another attribute whose groups a table's texts are: a status becomes "male" or "female"."""
        told = [self.groups_in(str(held.value)) for held in _texts_of(table)]
        attributes = {attribute for groups in told for attribute, _ in groups}
        for read in subjects[:1]:
            for attribute in sorted(attributes - {one.mention.attribute for one in subjects}):
                if len({group for groups in told for one, group in groups if one == attribute}) > 1:
                    mention = replace(read.mention, attribute=attribute, form="value", group=None)
                    yield Read(mention, read.node, read.receiver, read.listed)

    def _owner_text(self, table: Columns) -> str:
        """Return the text of the table that some columns are chosen from."""
        return self.text(table.node.value) if isinstance(table.node, tree.Index) else table.origin

    def _by_index(self, value: Opaque) -> list[Read]:
        """`df["Married"]`: a column of a name that says a group, where a table by group has the same."""
        node = self.facts.place_of(value)
        if not isinstance(node, tree.Index):
            return []
        return self._relocate_reads(
            self.columns(self.names(node.index), node.index, self.text(node.value)), node
        )

    @staticmethod
    def _relocate_reads(reads: list[Read], node: Node) -> list[Read]:
        """Return the columns that an expression reads, each where it is: alone, in a list, or listed
        elsewhere.
        """
        inside = [
            node.span.start <= one.node.span.start < one.node.span.end <= node.span.end for one in reads
        ]
        return [
            read
            if is_inside and len(reads) > 1
            else Read(read.mention, node, read.receiver, None if is_inside else read.node)
            for read, is_inside in zip(reads, inside, strict=True)
        ]

    def known_columns(self, node: Node) -> list[Read]:
        """Return the protected columns of a whole table, as far as the code lists them or reads
        them by name.
        """
        found: dict[str, Read] = {}
        for value in self.values(node):
            for one in self.known_in(value):
                found.setdefault(one.mention.attribute, one)
        return list(found.values())

    def known_in(self, value: Value, depth: int = 0, *, as_texts: bool = False) -> list[Read]:
        """Return the same of a value; `as_texts` leaves out the columns that are numbers by then."""
        place = self.facts.place_of(value) if type(value) is Opaque and depth < DEEPEST else None
        match place:
            case tree.Index(value=base, index=index) if not self.names(index):  # a column nobody can name
                return [
                    read
                    for one in self.values(base)
                    for read in self.known_in(one, depth + 1, as_texts=as_texts)
                ]
            case tree.Call(function=tree.Field(value=base, name=name)) if name in PASSES_TABLE:
                return [
                    read
                    for one in self.values(base)
                    for read in self.known_in(one, depth + 1, as_texts=as_texts)
                ]
            case _:
                pass
        table = columns.as_table(value, value.node if isinstance(value, Columns) else NOWHERE)
        if table is None:
            return []
        coded = {column.name for column in table.held if as_texts and column.form == "encoded"}
        held = [Const(column.name, "", column.node) for column in table.held if column.name not in coded]
        if not table.complete and not any(map(self._drops_some, table.way)):
            gone = coded | {name for name, _ in table.left_out}
            read = self._execution.columns_read.get(table.origin, {})
            held += [Const(name, "", node) for name, node in read.items() if name not in gone]
        return self.columns(held, table.node, table.origin)

    def _drops_some(self, node: Node) -> bool:
        """Return whether a call drops columns that nobody can name: what is left is known no more."""
        return isinstance(node, tree.Call) and any(
            "drops columns" in self.does(call)
            and not any(column_names.some_names(one) for one in (*call.arguments, *call.keywords.values()))
            for call in self.calls(node)
        )

    def is_of_people(self, holder: Node, mention: Mention) -> bool:
        """Return whether what an attribute would be read from is a person, or several, by its name."""
        return self._execution.program.is_person(self.text(holder), mention, surely=True)

    def written(self, target: Node) -> list[Read]:
        """Return the attribute that a variable, field or key is named after."""
        match target:
            case tree.Name(id=name):
                return self.named(name, target)
            case tree.Field(value=value, name=name):
                return self.named(name, target, self.text(value))
            case tree.Index(value=value, index=index):
                by_place = isinstance(value, tree.Field) and value.name in BY_PLACE
                receiver = self.text(value.value if by_place and isinstance(value, tree.Field) else value)
                names = self.names(index)
                return [read for name in names for read in self.named(str(name.value), target, receiver)]
            case tree.Literal(value=str() as name):
                return self.named(name, target)
            case _:
                return []

    def columns_written(self, target: Node) -> list[Read]:
        """Return the columns that an assignment changes, be it in some rows: `df["race"][rows] = ...`."""
        while not (found := self.written(target)) and isinstance(target, tree.Index):
            target = target.value
        return found

    # ------------------------------------------------------------------------------------------- groups

    def group(self, attribute: str, node: Node | None) -> str | None:
        """Return the canonical group that an expression spells, "unknown" included."""
        found = (self.group_of(attribute, value) for value in self.values(node))
        return next((group for group in found if group is not None), None)

    def group_of(self, attribute: str, value: Value, depth: int = 0) -> str | None:
        """Return the canonical group that a value is: a text, a constant's name, or what is made of one."""
        if depth > DEEPEST:
            return None
        match value:
            case Const(value=held, label=label):
                group = self._vocabulary.group_of(attribute, label) if len(label) > 1 else None
                if group is None and isinstance(held, str):
                    return self._vocabulary.group_of(attribute, held)
                return group
            case Sequence(items=(only,)) | Protected(sample=Const() as only):
                return self.group_of(attribute, only, depth + 1)
            case Opaque():
                call = self.facts.call_giving(value)  # `Gender("male")`, `pd.Series("male", index=rows)`
                if call is not None and call.arguments and last_name(call.node.function)[:1].isupper():
                    return self.group_of(attribute, call.arguments[0], depth + 1)
                return None
            case _:
                return None

    def number_of(self, attribute: str, value: Value) -> str:
        """Return a number that may be somebody's, where the groups of an attribute are bands of it; else
        nothing.
        """
        bands = self._vocabulary.attribute(attribute).bands
        held = value.value if isinstance(value, Const) else None
        if not bands or isinstance(held, bool) or not isinstance(held, int | float):
            return ""
        return f"{held:g}" if 0 < held <= max(high for _, high in bands.values()) else ""

    def label(self, attribute: str, value: Value) -> str | None:
        """Return a group as it is written: a text, or the name of a constant."""
        if not isinstance(value, Const):
            return None
        by_name = value.label in self._members or not isinstance(value.value, str)
        if (
            by_name
            and value.label
            and (
                not isinstance(value.value, str)
                or self._vocabulary.group_of(attribute, value.label) is not None
            )
        ):
            return value.label
        return value.value if isinstance(value.value, str) else None

    def is_somebody(self, attribute: str, group: str | None) -> bool:
        """Return whether `group` is a group that a person is assumed to belong to: not unknown, and not the
        rest.
        """
        return (
            group is not None
            and group not in NOBODY
            and not self._vocabulary.is_missing(attribute, group)
            and self._vocabulary.attribute(attribute).kind == "protected"
        )

    def is_missing(self, attribute: str, text: str) -> bool:
        """Return whether a text says that nothing is known of an attribute."""
        group = self._vocabulary.group_of(attribute, text)
        return group is not None and self._vocabulary.is_missing(attribute, group)

    def group_named(self, attribute: str, label: str) -> str | None:
        """Return the canonical group that a text spells."""
        return self._vocabulary.group_of(attribute, label)

    def groups_in(self, text: str) -> tuple[tuple[str, str], ...]:
        """Return the (attribute, group) pairs that a text names by itself."""
        return self._vocabulary.groups_in(text)

    def in_text(self, text: str) -> tuple[str, ...]:
        """Return the attributes of which a text names a group by itself."""
        return tuple([attribute for attribute, _ in self._vocabulary.groups_in(text)])

    # ------------------------------------------------------------------------------------------- the rest

    def receiver(self, call: tree.Call) -> str:
        """Return the text of what a method is called on; of the first argument for `getattr`."""
        if isinstance(call.function, tree.Field):
            return self.text(call.function.value)
        return (
            self.text(call.arguments[0]) if last_name(call.function) == "getattr" and call.arguments else ""
        )

    def entries(self, table: Table, at: Node) -> Iterator[Entry]:
        """Yield the entries of a table, each where it is written; at `at` where nobody can say."""
        written = table.node.items if isinstance(table.node, tree.Collection) else ()
        named = [item for item in written if item.key is not None]
        for place, (key, value) in enumerate(table.entries):
            item = named[place] if len(named) == len(table.entries) else None
            if item is not None and item.key is not None:
                yield Entry(key, value, item.key, item.value)
            else:
                yield Entry(key, value, at, at)

    def words_of(self, value: Value) -> set[str]:
        """Return the words of the texts that a value is made of, and of the expressions it comes from."""
        texts: list[str] = []
        for part in walk(value):
            if isinstance(part, Const) and isinstance(part.value, str):
                texts.append(part.value)
            elif isinstance(part, Opaque):
                texts.append(part.key)
        return {word for text in texts for word in _WORD.findall(text)}


def _to_texts(table: Table) -> bool:
    """Return whether a column is mapped to other names of its groups: `{"M": "male", "F": "female"}`."""
    return bool(table.entries) and len([*_texts_of(table)]) == len(table.entries)


def _texts_of(table: Table) -> Iterator[Const]:
    return (value for _, value in table.entries if isinstance(value, Const) and isinstance(value.value, str))
