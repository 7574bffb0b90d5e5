"""The shared syntax tree: one small set of nodes that every language is lowered to.

Nodes are plain immutable records. Each keeps its `span`, the half-open range of **byte offsets** in the
source it came from; `fairlint.sources.Source` turns offsets into lines and columns. Nothing in this module
knows about fairness, and nothing here keeps a tree-sitter node alive.

Expressions and statements are both `Node`s. Whatever a language has and this set lacks becomes `Other`, which
keeps its children, so that a walk over the tree misses nothing. What could not be parsed becomes `Broken`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

from fairlint.support.records import Record, field, field_names
from fairlint.syntax.conventions import Conventions
from fairlint.syntax.tokens import Tokens

if TYPE_CHECKING:  # start-up
    from fairlint.support.causes import SkipReason

CompareOp = OneOf["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
"""Identity tests (`is`, `is not`) are lowered to `==` and `!=`."""

CollectionKind = OneOf["list", "tuple", "set", "dict", "struct"]
"""`struct` is a C brace initialiser or compound literal."""


class Span(Record):
    """A half-open range of byte offsets: `start <= offset < end`."""

    start: int
    end: int


class Node(Record, eq=False):
    """The base of all nodes. Equality is identity: two equal texts at two places are two nodes."""

    span: Span


# ---------------------------------------------------------------------------------------------- expressions


class Name(Node):
    """An identifier that stands for a value: a variable, function, type or macro."""

    id: str


class Literal(Node):
    """A constant: text, number, truth value or `None` (C: `NULL`, `nullptr`).

    Escapes are resolved. A C character constant is the one-letter text. Adjacent string literals are joined.
    """

    value: str | bytes | int | float | bool | None


class Interpolation(Node):
    """An f-string: text literals and expressions, in order."""

    parts: tuple[Node, ...]


class Field(Node):
    """`value.name` (C: also `value->name`; `(*p).x` and `p->x` are the same)."""

    value: Node
    name: str
    name_span: Span


class Index(Node):
    """`value[index]`. Several indices (`df.loc[mask, "score"]`) are one tuple Collection. C `*p` is
    `p[0]`.
    """

    value: Node
    index: Node


class Slice(Node):
    """`lower:upper:step` inside an index."""

    lower: Node | None
    upper: Node | None
    step: Node | None


class Call(Node):
    """`function(arguments, keyword=...)`. `*args` is a Star; `**kwargs` is a keyword whose name is None."""

    function: Node
    arguments: tuple[Node, ...]
    keywords: tuple[tuple[str | None, Node], ...] = ()


class Compare(Node):
    """One comparison. A chain `a < b < c` is lowered to `a < b and b < c`."""

    op: CompareOp
    left: Node
    right: Node


class BoolOp(Node):
    """`and` / `or` (C: `&&`, `||`) over two or more values, flattened. `&` and `|` stay Binary."""

    op: OneOf["and", "or"]
    values: tuple[Node, ...]


class Unary(Node):
    """`not x` (C: `!x`), `-x`, `+x`, `~x`. C's address-of `&x` is lowered to `x`."""

    op: OneOf["not", "-", "+", "~"]
    operand: Node


class Binary(Node):
    """Arithmetic and bit operations: `+ - * / // % ** @ & | ^ << >>`."""

    op: str
    left: Node
    right: Node


class Conditional(Node):
    """`then if test else otherwise`; C `test ? then : otherwise` (GNU `a ?: b` has then = test)."""

    test: Node
    then: Node
    otherwise: Node


class Item(Node):
    """One entry of a Collection. `key` is None for list-like entries and for `**spread`.

    In a C initialiser `[MALE] = 5` has the key Name MALE, `.age = 3` the key Literal "age"; plain entries
    have no key (their place is their index).
    """

    key: Node | None
    value: Node


class Collection(Node):
    """A list, tuple, set, dict or brace initialiser, written out. `places` are those of the C array that it
    is for, where its declaration says how many.
    """

    kind: CollectionKind
    items: tuple[Item, ...]
    places: int = 0


class Star(Node):
    """`*value` in a call, a target or a collection; in a dict, the value of a `**spread` item."""

    value: Node


class Lambda(Node):
    """An anonymous function of one expression."""

    parameters: tuple[Parameter, ...]
    body: Node


class Generator(Node):
    """One `for target in iterable if condition ...` of a comprehension."""

    target: Node
    iterable: Node
    conditions: tuple[Node, ...]


class Comprehension(Node):
    """`[element for ...]`. `kind` "generator" is the bare one; for "dict", `key` is set and `element` is
    the value.
    """

    kind: OneOf["list", "set", "dict", "generator"]
    element: Node
    key: Node | None
    generators: tuple[Generator, ...]


class Cast(Node):
    """C `(type)value`; transparent for analysis."""

    type: str
    value: Node


# ----------------------------------------------------------------------------------------------- statements


class Assign(Node):
    """`target = value`, `target op= value`, a declaration with or without a value, or a walrus.

    `op` is None for plain `=`, else the operator without `=` ("+", "-", "*", ...). `x++` is `x += 1`.
    Python `a = b = v` has two targets. Unpacking has one target, a tuple Collection. `type` is the
    annotation or the C type as written ("const struct applicant *"), "" where there is none. C also uses
    Assign inside expressions.
    """

    targets: tuple[Node, ...]
    value: Node | None
    op: str | None = None
    type: str = ""


class Expression(Node):
    """An expression evaluated for its effect."""

    value: Node


class Return(Node):
    """`return value`; `yield` and `yield from` too, with `is_yield`."""

    value: Node | None
    is_yield: bool = False


class Raise(Node):
    """`raise value`."""

    value: Node | None


class Assert(Node):
    """`assert test, message` (C: the `assert` macro stays a Call)."""

    test: Node
    message: Node | None


class Break(Node):
    """Leaves the innermost loop or C switch."""


class Continue(Node):
    """Goes on with the next round of the innermost loop."""


class Goto(Node):
    """C `goto label`."""

    label: str


class Label(Node):
    """C `label:`; the statement after it follows in the same body."""

    name: str


class If(Node):
    """`if test: then else: otherwise`.

    An `elif` / `else if` is a single If in `otherwise` with `is_elif` set. `otherwise` is empty without an
    else.
    """

    test: Node
    then: tuple[Node, ...]
    otherwise: tuple[Node, ...]
    is_elif: bool = False


class Case(Node):
    """One case. `patterns` empty means default (`case _`, `default:`).

    `patterns` are expressions compared with the subject: Literal, Name/Field (a constant), a tuple/list/dict
    Collection for structural patterns, Call for class patterns (`Person(gender="female")` keeps its
    keywords), Slice(lower, upper) for GNU ranges `case 1 ... 5`. A Python capture `case x` is a Capture,
    alone or inside another pattern.
    """

    patterns: tuple[Node, ...]
    guard: Node | None
    body: tuple[Node, ...]


class Capture(Node):
    """A name that a pattern binds; `name` "_" binds nothing. `pattern` is what `case pattern as name`
    requires.
    """

    name: str
    pattern: Node | None = None


class Switch(Node):
    """Python `match` (`falls_through` False) or C `switch` (True: a body without Break runs on into the
    next).
    """

    subject: Node
    cases: tuple[Case, ...]
    falls_through: bool


class Loop(Node):
    """`for target in iterable`, `while test`, C `for (init; test; step)` and `do ... while`.

    A C `for` puts `init` before the loop in the surrounding body and `step` at the end of `body`.
    `target`/`iterable` are None for while-like loops; `test` is None for `for ... in`. `otherwise` is
    Python's `else`.
    """

    target: Node | None
    iterable: Node | None
    test: Node | None
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...] = ()


class Try(Node):
    """`try` with handlers' bodies, `else` and `finally`."""

    body: tuple[Node, ...]
    handlers: tuple[tuple[Node, ...], ...]
    otherwise: tuple[Node, ...]
    final: tuple[Node, ...]


class With(Node):
    """`with item as target, ...: body`. Items with a target are Assign, others plain expressions."""

    items: tuple[Node, ...]
    body: tuple[Node, ...]


class Import(Node):
    """`import module as alias` / `from module import names`; C `#include` (names empty).

    `names` pairs what is imported with the name it is bound to. `import a.b` binds ("a.b", "a").
    """

    module: str
    names: tuple[tuple[str, str], ...]
    is_from: bool = False
    """Whether the names are what is in the module, rather than modules themselves."""


class Block(Node):
    """Statements grouped by bare braces in C; transparent."""

    body: tuple[Node, ...]


# ---------------------------------------------------------------------------------------------- definitions


class Parameter(Node):
    """A parameter. `type` is the annotation or C type as written; `star` is "", "*" or "**"."""

    name: str
    type: str = ""
    default: Node | None = None
    star: str = ""


class Function(Node):
    """A function or method, or a C function-like macro whose replacement is one expression (`is_macro`).

    `decorators` are expressions. `docstring` is the text of a leading string. `returns` is the annotation
    or C type.
    """

    name: str
    name_span: Span
    parameters: tuple[Parameter, ...]
    body: tuple[Node, ...]
    decorators: tuple[Node, ...] = ()
    docstring: str = ""
    returns: str = ""
    is_macro: bool = False


class Type(Node):
    """A class, C struct, union or enum (also through typedef, whose name it then has).

    Fields are Assign statements in `body`, typed and mostly without value. Enum members are Assigns with
    their value: in C the implied number as a Literal. `aliases` holds the other names it goes by (`typedef
    struct a {...} b`).
    """

    name: str
    kind: OneOf["class", "struct", "union", "enum"]
    bases: tuple[Node, ...]
    body: tuple[Node, ...]
    decorators: tuple[Node, ...] = ()
    aliases: tuple[str, ...] = ()
    docstring: str = ""


class Macro(Node):
    """C `#define NAME value` whose replacement is one expression (a function-like one is a Function)."""

    name: str
    value: Node


# ------------------------------------------------------------------------------------------------- the rest


class Other(Node):
    """Anything else, by its grammar's name for it, with its lowered children."""

    kind: str
    children: tuple[Node, ...]


class Broken(Node):
    """Text that the grammar could not make sense of, with whatever could be lowered inside it."""

    children: tuple[Node, ...]


def children(node: Node) -> list[Node]:
    """Return the direct child nodes of `node`, in the order of its fields."""
    kind = node.__class__
    return (_READERS.get(kind) or _children_reader(kind))(node)


_ONE, _MANY, _NESTED = range(3)
"""What a field holds: a node or none, a tuple of nodes, or a tuple of tuples with nodes among them."""
_READERS: dict[type[Node], Callable[[Any], list[Node]]] = {}
"""A kind of node -> what gives the children of one."""


def _children_reader(kind: type[Node]) -> Callable[[Any], list[Node]]:
    """Return what gives the children of a node of this kind, and keep it."""
    fields = _node_fields(kind)
    names, shapes = [name for name, _ in fields], {shape for _, shape in fields}
    made: Callable[[Any], list[Node]]
    if not fields:
        made = _no_children
    elif shapes == {_ONE}:
        made = _reader_of_nodes(names)
    elif shapes == {_MANY} and len(names) == 1:
        made = _reader_of_tuple(names[0])
    else:
        made = _reader_of_all(fields)
    _READERS[kind] = made
    return made


def _no_children(_node: Any) -> list[Node]:
    return []


def _reader_of_nodes(names: Sequence[str]) -> Callable[[Any], list[Node]]:
    if len(names) == 1:
        one = attrgetter(names[0])

        def only(node: Any) -> list[Node]:
            value = one(node)
            return [] if value is None else [value]

        return only
    each = attrgetter(*names)

    def several(node: Any) -> list[Node]:
        return [value for value in each(node) if value is not None]

    return several


def _reader_of_tuple(name: str) -> Callable[[Any], list[Node]]:
    many = attrgetter(name)

    def listed(node: Any) -> list[Node]:
        return [*many(node)]

    return listed


def _reader_of_all(fields: tuple[tuple[str, int], ...]) -> Callable[[Any], list[Node]]:
    each, shapes = attrgetter(*(name for name, _ in fields)), tuple(shape for _, shape in fields)
    single = len(shapes) == 1

    def every(node: Any) -> list[Node]:
        found: list[Node] = []
        for shape, value in zip(shapes, (each(node),) if single else each(node), strict=True):
            if not value:
                continue
            if shape == _ONE:
                found.append(value)
            elif shape == _MANY:
                found += value
            else:
                found += [part for entry in value for part in entry if isinstance(part, Node)]
        return found

    return every


def _node_fields(kind: type[Node]) -> tuple[tuple[str, int], ...]:
    """Return the fields that can hold other nodes, by what they are declared to be."""
    declared: dict[str, str] = {}
    for base in kind.__mro__:
        declared.update(getattr(base, "__annotations__", {}))
    kinds = {name for name, value in globals().items() if isinstance(value, type) and issubclass(value, Node)}
    shapes = []
    for name in field_names(kind):
        words = re.findall(r"\w+", declared[name])
        if not kinds.isdisjoint(words):
            shapes.append((name, _ONE if words[0] != "tuple" else _NESTED if "tuple" in words[1:] else _MANY))
    return tuple(shapes)


def walk(node: Node) -> Iterator[Node]:
    """`node` and all nodes below it, parents first, in source order, without recursion."""
    stack, readers = [node], _READERS
    while stack:
        current = stack.pop()
        yield current
        kind = current.__class__
        if kind not in LEAVES:
            below = (readers.get(kind) or _children_reader(kind))(current)
            if below:
                below.reverse()
                stack += below


def inside(inner: Node, outer: Node) -> bool:
    """Return whether a node stands in another, or is it."""
    return outer.span.start <= inner.span.start and inner.span.end <= outer.span.end


LEAVES: frozenset[type[Node]] = frozenset({Name, Literal, Break, Continue, Goto, Label, Import})
"""What never holds another node: half of all nodes, which a walk need not ask."""
LANDMARKS: frozenset[type[Node]] = frozenset({Assign, Call, Compare, Import, Index, Switch, Type})
"""The kinds that whoever looks over a whole source asks for; few of its nodes are of one."""


class Gap(Record):
    """A stretch of the source that was not understood: where, and why in one short clause."""

    span: Span
    reason: str
    cause: SkipReason = "syntax"


class Form(Record):
    """A form of a page that code names."""

    page: str
    action: str
    """Where it is sent to, as written: a path, or an expression of the template."""
    fields: tuple[str, ...]
    """The names of its fields, in their order."""


class DataText(Record):
    """A file of data that code may load: its text is a part of the source, read where it is loaded.

    `span` is None where it is not read for the `reason`.
    """

    path: str
    span: Span | None
    reason: str = ""
    beside: str = ""
    """The path of the source that may load it."""
    above: int = 0
    """How many folders above that source it was found."""
    tells: bool = False
    """Whether it names what code may tell people apart by."""


class Tree(Record, slots=False):
    """One parsed source.

    `body` holds the top-level statements and definitions that were asked for, `gaps` what could not be
    parsed. `modules` are the other files that are followed from this one, their spans behind its own;
    `imports` says which of them a module means, as it is written in an import; `own` are the first names of
    modules that are the project's own, followed or not; `texts` what stands in files that it names, `forms`
    those of pages that it names, `data` the files of data that it may load. `loses_changes` says whether a
    change of what an expression gives of a table is lost. `conventions` is what the code takes for granted,
    `tokens` how its comments and texts look.
    """

    body: tuple[Node, ...]
    gaps: tuple[Gap, ...]
    imports: Mapping[str, int] = field(default_factory=dict)
    modules: tuple[Tree, ...] = ()
    own: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    forms: tuple[Form, ...] = ()
    data: tuple[DataText, ...] = ()
    loses_changes: bool = False
    conventions: Conventions = Conventions()
    tokens: Tokens | None = None

    @cached_property
    def landmarks(self) -> list[Node]:
        """The nodes of the `LANDMARKS` kinds, parents first, in source order; the modules have their own."""
        found: list[Node] = []
        stack, readers = [*reversed(self.body)], _READERS
        while stack:
            node = stack.pop()
            kind = node.__class__
            if kind in LANDMARKS:
                found.append(node)
            if kind not in LEAVES and (below := (readers.get(kind) or _children_reader(kind))(node)):
                below.reverse()
                stack += below
        return found

    @property
    def is_unread(self) -> bool:
        """Whether nothing of the source could be made out: all of it is damage."""
        return bool(self.gaps) and all(isinstance(node, Broken) for node in self.body)
