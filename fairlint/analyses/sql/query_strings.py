"""The texts of a file that look like SQL: each as far as it is known, and what the code does with it.

What the code puts together, follows and calls is told by the evaluator's facts; only what stands around a
call is read off the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from fairlint.analyses.sql.rounds import Occasion, together
from fairlint.analyses.sql.texts import MOST_VARIANTS, Text, has_more, of_pieces, variants
from fairlint.analyses.sql.words import words
from fairlint.semantics.execution import Execution
from fairlint.semantics.tables.libraries import may_do
from fairlint.semantics.texts.text_values import LEFT_OUT, flat, may_be_text
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    Const,
    Opaque,
    Operation,
    Sequence,
    Table,
    TextSpan,
    TooLong,
    Value,
)
from fairlint.support.records import Record, field
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, Span

_FETCHES = frozenset({"takes first", "keeps rows"})
"""What methods do that give the rows of what was executed before."""
MOST_ITEMS = 10_000
"""Entries of a list or table that are looked through; of a longer one, the report says so."""
MORE_TEXTS = f"SQL that may be more than {MOST_VARIANTS} texts: only {MOST_VARIANTS} of them were read"
DEEPEST = 3
_NOWHERE = tree.Name(Span(0, 0), "_")
_ENDS = (
    tree.Expression, tree.If, tree.Switch, tree.With, tree.Try, tree.Block, tree.Function, tree.Type,
    tree.Raise, tree.Assert,
)  # fmt: skip
"""What no expression goes on behind."""


TYPE_CHECKING = False  # importing typing at run time takes long
if TYPE_CHECKING:
    from typing import TypeVar

    Entry = TypeVar("Entry")


class Found(Record, frozen=False):
    """One text and what the code does with it."""

    text: Text
    node: Node
    """The literal, or the expression, that it begins with."""
    names: list[str] = field(default_factory=list)
    """The variables, keys and columns that it is bound to."""
    calls: list[tree.Call] = field(default_factory=list)
    """The calls that it is given to, and those around them, innermost first."""
    results: list[str] = field(default_factory=list)
    """What the calls' results are bound to; `return` where they are returned."""
    functions: list[str] = field(default_factory=list)
    """Qualified names of the functions in which it is used, callers first; empty for the file's own level."""
    given: list[Value] = field(default_factory=list)
    """What its placeholders are given: rows and tables of values."""
    used: bool = False


def gather(
    execution: Execution, is_wanted: Callable[[str], bool], may_read: Callable[[Node, int], bool]
) -> list[Found]:
    """Return all texts of a file for which `is_wanted(text)` holds, in order, as long as `may_read(node,
    steps)`.
    """
    gathering = _Gathering(execution, is_wanted, may_read)
    gathering.assignments()
    gathering.calls()
    gathering.returns()
    gathering.statements()
    return gathering.result()


class _Gathering:
    def __init__(
        self, execution: Execution, is_wanted: Callable[[str], bool], may_read: Callable[[Node, int], bool]
    ) -> None:
        self._execution = execution
        self._index = execution.syntax
        self._is_wanted = is_wanted
        self._may_read = may_read
        self._wanted: dict[str, bool] = {}
        self._found: dict[tuple[object, ...], Found] = {}
        self._calls = {(*map(id, call.way), id(call.node)): call for call in execution.facts.calls}
        self._writes: set[int] = set()
        """The calls that write a text into a buffer."""
        self._names = {id(function): name for name, function in execution.functions.items()}

    # ------------------------------------------------------------------------------------------- occasions

    def _event_occasions(self, kind: str) -> Iterator[Occasion]:
        happened = (*self._execution.events, *self._execution.aside, *self._execution.facts.grown.values())
        for event in happened:
            if event.kind == kind:
                yield Occasion(event.node, event.way, event.target, event.function, (event.value,), None)

    def assignments(self) -> None:
        """Read what variables, macros and C's buffers are given."""
        for given in together(self._event_occasions("assign")):
            if isinstance(given.node, tree.Call):
                self._writes.add(id(given.node))
            for text, names in self._wanted_texts(given.values[0], given.node, [given.target]):
                self._note_text(text, given.node, names)
        for macro in self._index.places(tree.Macro):
            if (held := self._execution.program.macros.get(macro.name)) is not None:
                for text, names in self._wanted_texts(held, macro, [macro.name]):
                    self._note_text(text, macro, names)

    def returns(self) -> None:
        """Read what functions return."""
        for given in together(self._event_occasions("return")):
            for text, _ in self._wanted_texts(given.values[0], given.node, []):
                found = self._note_text(text, given.node, ["return"])
                found.used = True
                _add_once(found.functions, given.function)

    def statements(self) -> None:
        """Texts that stand alone: what a notebook's magics are turned into."""
        for statement in self._index.places(tree.Expression):
            written = statement.value.operand if isinstance(statement.value, tree.Unary) else statement.value
            value = self._execution.facts.value_of(written)
            if value is not None and not isinstance(written, tree.Call):
                for text, _names in self._wanted_texts(value, written, []):
                    self._note_text(text, written, []).used = True

    def calls(self) -> None:
        """Read what is given to a call, and the calls that fetch what another has executed."""
        executed: list[tuple[Call, Found]] = []
        for given in together(map(_of_call, self._execution.facts.calls)):
            call = given.call
            assert call is not None
            taken = self._note_call_texts(call, given)
            does = may_do(call.node, call.qualified, self._execution.program) if executed else frozenset()
            if taken or "runs sql" in does:
                executed = [one for one in executed if not self._is_on(call, one[0])]
                executed += [(call, found) for found in taken]
            elif not _FETCHES.isdisjoint(does):
                for before, found in executed:
                    if self._is_on(call, before):
                        self._note_use(found, call)
            elif "binds value" in does:
                for before, found in executed:
                    if before.run == call.run and _shares_a_path(before.node, call.node):
                        found.given += _value_of_binding(given.values)

    def _note_call_texts(self, call: Call, given: Occasion) -> list[Found]:
        """Note the texts that a call is given, and does more with than to make another text of them."""
        made_of: frozenset[int] | None = None
        taken: list[Found] = []
        if id(call.node) in self._writes:
            return taken
        written = [(node, "") for node in call.node.arguments]
        written += [(node, key or "") for key, node in call.node.keywords]
        for place, (value, (node, key)) in enumerate(zip(given.values, written, strict=False)):
            for text, names in self._wanted_texts(value, node, [key] if key else []):
                made_of = _literal_ids(call.value) if made_of is None else made_of
                if any(id(piece.node) in made_of for piece in text.pieces if isinstance(piece, TextSpan)):
                    continue
                found = self._note_text(text, node, names)
                found.used = True
                self._note_use(found, call)
                found.given += _placeholder_values(call, given.values, place, text)
                taken.append(found)
        return taken

    def _is_on(self, call: Call, before: Call) -> bool:
        """Return whether two methods are called on one object: a cursor that executes, and that fetches."""
        one, other = call.receiver, before.receiver
        if one is None or other is None or call.node is before.node:
            return False
        if one is other:
            return True
        if not (isinstance(one, Opaque) and isinstance(other, Opaque) and one.key == other.key):
            return False
        return one.key.isidentifier() and self._root_function(call) == self._root_function(before)

    def _root_function(self, call: Call) -> str:
        """Return the function whose walk led to a call."""
        return (self._function_at(call.way[0]) or "") if call.way else call.function

    # ------------------------------------------------------------------------------------------------ noting

    def _wanted_texts(
        self, value: Value, node: Node, names: list[str], depth: int = DEEPEST
    ) -> Iterator[tuple[Text, list[str]]]:
        """Yield the wanted texts in a value, each with the names it goes by."""
        match value:
            case TooLong(begin=begin):
                if self._is_cached_query(of_pieces(begin, node).text):
                    written = (piece.node for piece in begin if isinstance(piece, TextSpan))
                    self._execution.facts.cut(next(filter(None, written), node), f"SQL in {LEFT_OUT}")
            case Sequence(items=items) if depth:
                for item in self._first(items, node):
                    yield from self._wanted_texts(item, node, names, depth - 1)
            case Table(entries=entries) if depth:
                for key, held in self._first(entries, node):
                    own = [key.value] if isinstance(key, Const) and isinstance(key.value, str) else []
                    yield from self._wanted_texts(held, node, [*names, *own], depth - 1)
            case Operation(op="or", arguments=several) if depth:
                for item in several:
                    yield from self._wanted_texts(item, node, names, depth - 1)
            case _ if may_be_text(value):
                found = [text for text in variants(value, node) if self._is_cached_query(text.text)]
                if found and has_more(value):
                    self._execution.facts.cut(node, MORE_TEXTS)
                yield from ((text, names) for text in found if self._may_read(node, len(text.pieces)))
            case _:
                pass

    def _first(self, entries: tuple[Entry, ...], node: Node) -> tuple[Entry, ...]:
        """As many of some entries as are looked through."""
        if len(entries) > MOST_ITEMS:
            rest = f"only the first {MOST_ITEMS:,} were looked through for SQL"
            self._execution.facts.cut(node, f"{len(entries):,} entries: {rest}")
        return entries[:MOST_ITEMS]

    def _is_cached_query(self, text: str) -> bool:
        known = self._wanted.get(text)
        if known is None:
            known = self._wanted[text] = self._is_wanted(text)
        return known

    def _note_text(self, text: Text, node: Node, names: Iterable[str]) -> Found:
        key = (text.text, *_places_of_stretches(text))
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = Found(text, _first_expression(text, node))
        for name in names:
            _add_once(found.results if name == "return" else found.names, name)
        return found

    def _note_use(self, found: Found, call: Call) -> None:
        """Note a call, what stands around it, and the calls that handed the text there."""
        chain = [call, *self._handing_calls(found.text, call)]
        for one in chain:
            _add_call(found, one.node)
            inside: Node = one.node
            for node in self._index.around(one.node):
                if _ends_at(found, node, inside):
                    break
                inside = node
        for one in reversed(chain):
            function = self._function_at(one.node)
            _add_once(found.functions, one.function if function is None else function)

    def _handing_calls(self, text: Text, call: Call) -> Iterator[Call]:
        """Yield the calls of the file's own functions that gave a part of the text to the one it
        came from.
        """
        literals = {id(piece.node) for piece in text.pieces if isinstance(piece, TextSpan)}
        for depth in reversed(range(len(call.way))):
            outer = self._calls.get((*map(id, call.way[: depth + 1]),))
            if outer is None:
                return
            given = (*outer.arguments, *outer.keywords.values())
            if not any(not literals.isdisjoint(_literal_ids(value)) for value in given):
                return
            yield outer

    def _function_at(self, site: Node) -> str | None:
        """Return the qualified name of the function a node stands in; None where it is of another file."""
        name = None
        for node in self._index.around(site):
            name = self._names.get(id(node), "")
            if name:
                break
        return name

    def result(self) -> list[Found]:
        """Return what was found, without what is only the beginning of something else."""
        longest: dict[tuple[int, int], int] = {}
        for one in self._found.values():
            for piece in _places_of_stretches(one.text):
                longest[piece] = max(longest.get(piece, 0), len(one.text.text))
        whole = [
            one
            for one in self._found.values()
            if one.used
            or any(longest[piece] <= len(one.text.text) for piece in _places_of_stretches(one.text))
        ]
        return sorted(whole, key=lambda one: one.node.span.start)


# ---------------------------------------------------------------------------------------------------- calls


def _of_call(call: Call) -> Occasion:
    values = (*call.arguments, *call.keywords.values())
    return Occasion(call.node, call.way, "", call.function, values, call)


def _ends_at(found: Found, node: Node, inside: Node) -> bool:
    """Note what one node does with the expression in it; gives whether the expression ends there."""
    match node:
        case tree.Call():
            _add_call(found, node)
            return False
        case tree.Assign(targets=targets):
            for target in targets:
                if bound := _bound_to(target):
                    _add_once(found.results, bound)
            return True
        case tree.Return():
            _add_once(found.results, "return")
            return True
        case tree.Loop(target=tree.Name(id=name), iterable=iterable):
            if iterable is inside:
                _add_once(found.results, name)
            return True
        case tree.Loop():
            return True
        case _:
            return isinstance(node, _ENDS)


def _placeholder_values(call: Call, values: tuple[Value, ...], place: int, text: Text) -> Iterator[Value]:
    """Yield what a call gives for the placeholders of the text that is its argument at `place`."""
    count = len(call.node.arguments)
    rest = values[place + 1 : count] if place < count else ()
    yield from (value for value in rest if isinstance(value, Sequence | Table))
    if rest and "$1" in text.text and isinstance(call.node.function, tree.Field):  # asyncpg
        yield Sequence(rest, call.node)
    for (key, _), value in zip(call.node.keywords, values[count:], strict=False):
        if key in words()["placeholders"] and isinstance(value, Sequence | Table):
            yield value


def _value_of_binding(values: tuple[Value, ...]) -> Iterator[Value]:
    """`sqlite3_bind_text(statement, 1, "M", ...)`: the value of one placeholder."""
    match values:
        case (_, Const(value=int() as number), Const() as value, *_):
            yield Table(((Const(number - 1), value),), _NOWHERE)
        case _:
            pass


def _shares_a_path(one: tree.Call, other: tree.Call) -> bool:
    """Return whether two calls are given the same variable."""
    first = path_of(other.arguments[0]) if other.arguments else None
    return first is not None and any(path_of(argument) == first for argument in one.arguments)


def _bound_to(target: Node) -> str:
    """Return the variable that an assignment gives a value to; of several, the first."""
    path = path_of(target)
    if path is not None:
        return path.removeprefix("*")
    return next((part.id for part in tree.walk(target) if isinstance(part, tree.Name)), "")


def _add_once(names: list[str], name: str) -> None:
    if name not in names:
        names.append(name)


def _add_call(found: Found, call: tree.Call) -> None:
    if not any(one is call for one in found.calls):
        found.calls.append(call)


# ---------------------------------------------------------------------------------------------------- texts


def _literal_ids(value: Value) -> frozenset[int]:
    """Return the literals that a value's texts are made of."""
    if not may_be_text(value):
        return frozenset()
    return frozenset([id(piece.node) for piece in flat(value, _NOWHERE) if isinstance(piece, TextSpan)])


def _places_of_stretches(text: Text) -> tuple[tuple[int, int], ...]:
    """Return where the known stretches of a text stand."""
    return tuple(
        (piece.node.span.start, piece.at)
        for piece in text.pieces
        if isinstance(piece, TextSpan) and piece.node is not None
    )


def _first_expression(text: Text, node: Node) -> Node:
    """Return the expression that a text is written as, or else its first literal, which may stand
    elsewhere.
    """
    whole = text.node or node
    stretches = (piece.node for piece in text.pieces if isinstance(piece, TextSpan))
    first = next((literal for literal in stretches if literal is not None), whole)
    is_inside = whole.span.start <= first.span.start < whole.span.end
    return whole if is_inside else first
