"""The state that all walks through one file share: what is known of it, its budget, and its events."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from fairlint.semantics.groups.dependencies import Dependence
from fairlint.semantics.interpreter.variables import Variables
from fairlint.semantics.names.call_reachability import Interest, names_attribute, text_names
from fairlint.semantics.names.library import Found, Library, Models, Named
from fairlint.semantics.names.scopes import Definitions
from fairlint.semantics.values.events import Event, Guard, Guards
from fairlint.semantics.values.facts import Facts
from fairlint.semantics.values.symbolic import (
    Choice,
    Closure,
    Columns,
    Const,
    Instance,
    Opaque,
    Protected,
    RecordType,
    Sequence,
    Table,
    Text,
    TextSpan,
    Value,
)
from fairlint.semantics.values.traversal import walk
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record, field
from fairlint.syntax.constants import Defined
from fairlint.syntax.conventions import Conventions
from fairlint.syntax.source import Source
from fairlint.syntax.tree import Assign, DataText, Form, If, Node, Span
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.model import Mention, Surroundings

if TYPE_CHECKING:
    from fairlint.semantics.interpreter.frame import Frame


_DEFINE = lazy_expression(r"#\s*define\s+\w+(?:\((?P<parameters>[^()]*)\))?(?P<text>.*)", re.DOTALL)
STEPS = 250_000
"""Statements and expressions that are evaluated in one file at the most."""

SPAN_BITS = 40
LONGEST_KEPT = 200
"""Bytes of an expression whose text is kept: the same ones are asked for again and again."""
MOST_KEYS = 20
"""Keys of a table that are asked whether they are groups, which tells what the table is asked for."""
MOST_NAMES = 5
"""Names for names of a type that are followed."""

MOST_INLINED = 60
"""How many calls are followed from one function on, all depths together."""
MOST_HAPPENING = 400
"""Events in one function after which no further call is followed."""


class Evaluator(Record):
    """What the interpreter does for all who work with values: they reach it through the frame."""

    evaluate: Callable[[Node | None, Frame], Value]
    inline: Callable[[Closure, Node, tuple[Value, ...], Frame, str], Value]
    apply: Callable[[Value, Node, tuple[Value, ...], Frame], Value]
    assign: Callable[[Assign, Frame], None]
    bind: Callable[[Node, Value, Frame], None]
    scope: Callable[[Frame], Frame]
    handlers: Mapping[type[Node], Callable[..., None]]
    """What executes a statement, by its kind; the others are expressions."""


class FileState(Record, frozen=False):
    """What every frame of one file shares."""

    source: Source
    vocabulary: Vocabulary
    definitions: Definitions
    evaluator: Evaluator
    models: Models
    """What is known of libraries."""
    dependence: Dependence
    globals: Variables = field(default_factory=Variables)
    types: dict[str, str] = field(default_factory=dict)
    """The types of the variables of the file, as written."""
    aliases: Mapping[str, str] | None = None
    """Other names of types; None until they are asked for."""
    class_values: dict[str, dict[str, Value]] = field(default_factory=dict)
    """Per class: what its class level and its constructor give to `self.x`."""
    modules: dict[str, Value] = field(default_factory=dict)
    """What is in modules that are imported as such, by its dotted name (`ft.COLUMNS`)."""
    homes: dict[str, dict[str, Value]] = field(default_factory=dict)
    """Per class of another file: the names that its methods see there."""
    body: tuple[Node, ...] = ()
    """The statements of the file."""
    forms: tuple[Form, ...] = ()
    """The forms of the pages that the file names."""
    data: tuple[DataText, ...] = ()
    """The files of data that the file may load."""
    options: dict[str, str] = field(default_factory=dict)
    """Options of the program that name such a file where nobody gives another, by their names."""
    loaded: dict[tuple[str, str, str], Node | None] = field(default_factory=dict)
    """What is in those that were loaded, by path, form and delimiter; None where it is not read."""
    loses_changes: bool = False
    """Whether what is changed of a column that an expression gives of a table is lost."""
    labels: dict[str, str] | None = None
    """What stands beside the fields of its window, by their access paths; None until it is asked for."""
    keys: dict[str, set[str]] | None = None
    """What is read by written keys, by its access path; None until it is asked for."""
    budget: int = STEPS
    """Statements and expressions still to be evaluated; a file that needs more is analysed in part."""
    stopped_at: Node | None = None
    """Where the budget was spent."""
    branches: dict[int, If] = field(default_factory=dict)
    """The branch that a loop which runs once is, by the loop's identity."""
    assigned: dict[int, tuple[Assign, ...]] = field(default_factory=dict)
    """What is assigned in the body of a loop, by the loop's identity."""
    rounds: int = 1
    """How often what is being walked is met in all, as loops around it go from entry to entry."""
    inlined: int = 0
    """How many calls have been followed from the function that is being walked."""
    happened: int = 0
    """How many events there were before it."""
    jumped: int = 0
    """How many steps its jumps have led to."""
    runs: int = 0
    """How many function bodies have been walked so far."""
    interest: Interest | None = None
    """Which functions matter; None until the module's own statements have been executed."""
    events: list[Event] = field(default_factory=list)
    """What happens in the file, in the order in which it was met."""
    aside: list[Event] = field(default_factory=list)
    """What happens at the level of classes, and in lambdas that nothing calls: it decides about nobody."""
    lambdas: dict[int, tuple[Closure, str]] = field(default_factory=dict)
    """The lambdas that have been made, and in which function, by their identity."""
    applied: set[int] = field(default_factory=set)
    """Those of them that have been called."""
    facts: Facts = field(default_factory=Facts)
    named: dict[str, bool] = field(default_factory=dict)
    """Whether a text names an attribute."""
    written_macros: dict[str, Defined | None] = field(default_factory=dict)
    """Macros as they are written, by the names that were asked for."""
    macros: dict[str, Value] = field(default_factory=dict)
    """What the macros come to that are values."""
    expansions: dict[int, tuple[Node, ...]] = field(default_factory=dict)
    """What a call of a macro stands for, by the call's identity."""
    expanding: list[str] = field(default_factory=list)
    """The macros that are being put in, outermost first."""
    copies: list[tuple[Node, ...]] = field(default_factory=list)
    """Statements that were copied for each row of a table, kept because nodes go by their identity."""

    one_liners: dict[int, str] = field(default_factory=dict)
    """The texts of short spans on one line, by where they start and end."""
    telling: dict[Guards, Guard | None] = field(default_factory=dict)
    """The last condition of each way that tells groups apart."""
    enum_attributes: dict[str, str | None] = field(default_factory=dict)
    verdicts: dict[tuple[str, str], dict[str, list[str]]] = field(default_factory=dict)
    """Per function: its variables that it gives names of outcomes, with these."""
    linked: set[str] = field(default_factory=set)
    """The names that imports of other files of the project gave a meaning."""
    of_libraries: dict[str, str] = field(default_factory=dict)
    """Classes of a known library that the project itself holds, by their qualified names."""
    brought: dict[int, dict[str, Value]] = field(default_factory=dict)
    """What each of these imports gives, by the identity of its statement."""
    behind: list[str] = field(default_factory=list)
    """What the files import that are followed from this one."""
    stars: list[str] = field(default_factory=list)
    """The modules that give all their names: `from numpy import *`."""
    about: frozenset[str] | None = None
    """What the imported libraries are about: `tables`, `models`; None until it is asked for."""
    imported: tuple[Library, ...] | None = None
    """The known libraries that the file imports; None until they are asked for."""
    in_reach: tuple[Library, ...] | None = None
    """Those whose bare names may be meant."""
    group_parts: dict[int, tuple[Value, Value]] = field(default_factory=dict)
    """People of one group, by identity, with what tells which group it is."""
    own_groups: bool = False
    """Whether people were chosen who are of somebody's own group: figures of them may be met."""
    of_bare_name: dict[tuple[str, bool, bool], Named] = field(default_factory=dict)
    """A bare name, whether a method's, and whether of any library → what they call so."""
    anywhere: tuple[Library, ...] | None = None
    """Those, and all common ones: of which something may be of which only the bare name is known."""
    deeds_of_name: dict[tuple[str, bool], frozenset[str]] = field(default_factory=dict)
    """A bare name, and whether a method's → what libraries say that it may do."""
    of_fields: dict[str, frozenset[str]] = field(default_factory=dict)
    """What fields give, by their bare names."""
    found: dict[int, tuple[Node, Found]] = field(default_factory=dict)
    """What is known of calls, by the identity of their nodes."""
    functions_told: dict[int, bool] = field(default_factory=dict)
    """Whether functions of the tree read an attribute themselves."""
    made_of: dict[int, tuple[Value, bool]] = field(default_factory=dict)
    """Whether lists, and what is in them, were made by a call that was given what tells."""
    columns_read: dict[str, dict[str, Node]] = field(default_factory=dict)
    """Protected columns that the code reads, and where, by the table they are in."""
    renamed: dict[str, tuple[str, Node]] = field(default_factory=dict)
    """New names of columns, with the names they had and where they got the new ones."""

    def text(self, span: Span) -> str:
        """Return the source text of a span on one line."""
        key = span.start << SPAN_BITS | span.end
        found = self.one_liners.get(key)
        if found is None:
            found = " ".join(self.source.text(span).split())
            if span.end - span.start <= LONGEST_KEPT:
                self.one_liners[key] = found
        return found

    @property
    def conventions(self) -> Conventions:
        """What the language takes for granted."""
        return self.definitions.conventions

    @property
    def itself(self) -> Opaque:
        """The object whose method is called."""
        return Opaque(self.conventions.receiver)

    def attribute_of_type(self, name: str) -> str | None:
        """Return the attribute that an enum of this file lists groups of."""
        if name not in self.enum_attributes:
            self.enum_attributes[name] = self._attribute_of(name)
        return self.enum_attributes[name]

    def _attribute_of(self, name: str) -> str | None:
        members = self.definitions.enums.get(name, ())
        if not members:
            return None
        bare = name.removesuffix("_t").removesuffix("_e")
        named = [mention.attribute for mention in self.vocabulary.mentions(bare)]
        for member in members:
            named.extend(
                mention.attribute for mention in self.vocabulary.mentions(member.label) if mention.group
            )
        for attribute in dict.fromkeys(named):
            if sum(self.vocabulary.group_of(attribute, member.label) is not None for member in members) >= 2:
                return attribute
        return None

    def keyed_by(self, table: Table, name: str, node: Node) -> Protected | None:
        """Return what a table is asked for whose keys are groups: a read of their attribute, whatever its
        name.
        """
        keys = [
            key.value for key, _ in table.entries if isinstance(key, Const) and isinstance(key.value, str)
        ]
        if not 1 < len(keys) == len(table.entries) <= MOST_KEYS:
            return None
        for attribute in dict.fromkeys(one for key in keys for one, _ in self.vocabulary.groups_in(key)):
            groups = {self.vocabulary.group_of(attribute, key) for key in keys} - {None}
            if 1 < len(groups) >= len(keys) - 1:
                return Protected(Mention(attribute, name, (attribute,), "ambiguous", "value", None, 2), node)
        return None

    def is_person(self, text: str, mention: Mention, *, surely: bool = False) -> bool:
        """Return whether what is called `text` is a person or a record of one; `surely`, no mere record."""
        by_itself = sum(item.weight for item in self.vocabulary.weigh(mention, Surroundings()))
        as_owner = sum(item.weight for item in self.vocabulary.weigh(mention, Surroundings(receiver=text)))
        return as_owner - by_itself > (1 if surely else 0)

    def number_type(self, written: str) -> str:
        """Return the type of numbers that is written, perhaps by another name for it; empty for any other
        type.
        """
        for _ in range(MOST_NAMES):
            found = self.conventions.number_type(written)
            words = written.split()
            if found or not words:
                return found
            if self.aliases is None:
                self.aliases = self.conventions.aliases(self.source.data)
            if (
                words[-1] not in self.aliases
                or self.conventions.number_type(" ".join((*words[:-1], "int"))) == ""
            ):
                return ""
            written = self.aliases[words[-1]]
        return ""

    def is_open(self, name: str) -> bool:
        """Return whether a macro is defined in several ways, so that what is built says which of
        them counts.
        """
        macros = self.definitions.defined_at.get(name, ())
        if len(macros) < 2:
            return False
        return len({" ".join(self.source.text(one.span).split()) for one in macros}) > 1

    def defined(self, name: str) -> Defined | None:
        """Return a macro, as it is written; None where a name is none, or is defined in two ways."""
        if name not in self.written_macros:
            self.written_macros[name] = self._find_macro_definition(name)
        return self.written_macros[name]

    def _find_macro_definition(self, name: str) -> Defined | None:
        macros = self.definitions.defined_at.get(name, ())
        if not macros or self.is_open(name) or not (found := _DEFINE.match(self.source.text(macros[0].span))):
            return None
        parameters = found["parameters"]
        names = None if parameters is None else tuple(filter(None, map(str.strip, parameters.split(","))))
        return Defined(found["text"], names)

    def tells(self, value: Value) -> bool:
        """Return whether a value is protected, or a list or table that names an attribute."""
        if value.__class__ is Opaque:
            return False
        if isinstance(value, Columns) or self.dependence.on_any(value):
            return True
        shaped = isinstance(value, Const | Table | Sequence | Closure | Instance | Text | Choice)
        return shaped and any(map(self._names_or_reads, walk(value)))

    def _names_or_reads(self, part: Value) -> bool:
        match part:
            case Closure():
                return self.closure_tells(part)
            case Const(value=str() as text):
                return self.names(text)
            case Text(pieces=pieces):
                return any(isinstance(piece, TextSpan) and self.names(piece.text) for piece in pieces)
            case _:
                return False

    def is_made_of(self, value: Value) -> bool:
        """Return whether a value was made by a call that was given what tells: a template, an
        agent, people.
        """
        if not isinstance(value, Sequence):
            return self._is_made_of(value)
        known = self.made_of
        stack: list[Value] = [value]
        while stack:  # a list may hold another many times, and that one others
            one = stack[-1]
            inner = one.items if isinstance(one, Sequence) and id(one) not in known else ()
            unknown = [item for item in inner if id(item) not in known]
            if unknown:
                stack += unknown
                continue
            stack.pop()
            if id(one) not in known:
                is_made = any(known[id(item)][1] for item in inner) if inner else self._is_made_of(one)
                known[id(one)] = one, is_made
        return known[id(value)][1]

    def _is_made_of(self, value: Value) -> bool:
        if (call := self.facts.call_of(value)) is None:
            return False
        fields = (
            call.callee.names
            if isinstance(call.callee, RecordType)
            else self.definitions.fields.get(call.name, ())
        )
        given = (*call.arguments, *call.keywords.values())
        return any(map(self.vocabulary.mentions, (*call.keywords, *fields))) or any(map(self.tells, given))

    def names(self, text: str) -> bool:
        """Return whether a text is the name of an attribute, or has such a name in it."""
        found = self.named.get(text)
        if found is None:
            found = self.named[text] = text_names(text, self.vocabulary)
        return found

    def is_class(self, name: str) -> bool:
        """Return whether `name` is a class of this file that is not a list of constants."""
        type_ = self.definitions.types.get(name)
        return type_ is not None and type_.kind == "class" and name not in self.definitions.enums

    def closure_tells(self, function: Closure) -> bool:
        """Return whether a function that is held in a variable or table reads an attribute, or was made with
        one.
        """
        own = [value for name, value in function.closure.items() if self.globals.get(name) is not value]
        if any(self.tells(value) for value in own if not isinstance(value, Closure)):
            return True
        known = self.functions_told
        key = id(function.function)
        if key not in known:
            known[key] = names_attribute(function.function, self.vocabulary)
        return known[key]

    def step(self, node: Node) -> bool:
        """Count one step of the evaluation, at `node`; False where the budget is spent."""
        self.budget -= 1
        if self.budget > 0:
            return True
        if self.stopped_at is None:
            self.stopped_at = node
        return False

    def begin(self, events: int) -> None:
        """Another function is walked, and so many events are known."""
        self.inlined, self.happened, self.jumped = 0, events, 0

    def may_inline(self, events: int) -> bool:
        """Return whether one more call may be followed from the function that is being walked; counts it."""
        self.inlined += 1
        return self.inlined <= MOST_INLINED and events - self.happened <= MOST_HAPPENING

    def next_run(self) -> int:
        """Return a number for one more walk."""
        self.runs += 1
        return self.runs
