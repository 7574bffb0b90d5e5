"""Where the texts of a file are used: given to a name, returned, or given to a call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.analyses.prompts.kept_models import texts_from_constructor
from fairlint.analyses.prompts.reading import FieldHole, Placed, Reader, arguments_of
from fairlint.semantics.execution import Execution
from fairlint.semantics.interpreter.file_state import FileState
from fairlint.semantics.names.library import Found
from fairlint.semantics.tables.libraries import class_does
from fairlint.semantics.texts import text_filling, text_values
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Opaque, Piece, Sequence, TextSpan, Value
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.load import word_lists

SHORTEST = 3
"""Texts of fewer characters say nothing."""


class Usage(Record, eq=False):
    """A text where it is used: assigned to a name, returned, or given to a call.

    `name` is the variable, the function that returns it, or the called function; `keyword` the argument's
    name, `place` its place. `function` is the qualified name of the function it happens in, `known` what the
    model of a library says of the call. Of the `guessed` calls only bare names say that they hold it.
    `left_out` says what was not read of it.
    """

    pieces: tuple[Piece, ...]
    kind: str
    name: str
    node: Node
    keyword: str = ""
    place: int | None = None
    function: str = ""
    call: Call | None = None
    known: Found | None = None
    guessed: tuple[str, ...] = ()
    left_out: str = ""
    is_whole_call: bool = False
    """Whether it is all that a call is given, one after the other."""
    is_one: bool = True
    """Whether all of it is one prompt: a text, or what is sent together; a list or dict may hold several."""
    values: tuple[Placed, ...] = ()
    """What it was read from."""

    @property
    def begin(self) -> Node:
        """Where the text is written, as far as that is known."""
        written = (piece.node for piece in self.pieces if isinstance(piece, TextSpan))
        return next(filter(None, written), self.node)


class _Use(Record):
    """A usage before its text is read: of several values, one after the other."""

    values: tuple[Placed, ...]
    kind: str
    name: str
    node: Node
    way: tuple[Node, ...]
    """The statement or call, behind those that led to it."""
    keyword: str = ""
    place: int | None = None
    function: str = ""
    call: Call | None = None


def usages(execution: Execution) -> Iterator[Usage]:
    """Yield every use of a text in a file, in the order in which they are written. What a function does that
    is followed comes behind the call.
    """
    reader = Reader(execution)
    for use in sorted([*_given_to_names(execution), *_given_to_calls(execution, reader)], key=_place_key):
        pieces: list[Piece] = []
        reader.guessed.clear()
        reader.left_out = ""
        for number, (value, node) in enumerate(use.values):
            pieces += (TextSpan("\n"),) if number else ()
            pieces += reader.pieces_of(value, node)
        if _says_anything(pieces):
            known = None if use.call is None else reader.known(use.call)
            yield Usage(
                tuple(pieces), use.kind, use.name, use.node, use.keyword, use.place, use.function, use.call,
                known, tuple(reader.guessed), reader.left_out, use.kind == "call" and len(use.values) > 1,
                use.kind == "call" or all(text_values.may_be_text(value) for value, _ in use.values),
                use.values,
            )  # fmt: skip
    yield from _usages_of_signatures(execution)


def _place_key(use: _Use) -> list[tuple[int, int]]:
    return [(node.span.start, -node.span.end) for node in use.way]


def _says_anything(pieces: Iterable[Piece]) -> bool:
    return any(isinstance(piece, TextSpan) and len(piece.text) >= SHORTEST for piece in pieces)


def _given_to_names(execution: Execution) -> Iterator[_Use]:
    """Return assignments and returns; a text that grows is told once, as a whole."""
    classes = execution.definitions.types
    for event in (*execution.events, *execution.aside, *execution.facts.grown.values()):
        if event.kind in {"assign", "return"}:
            function = "" if event.function in classes else event.function
            name = function.rpartition(".")[2] if event.kind == "return" else event.target
            node = _value_node(event.node)
            values = ((event.value, node),)
            yield _Use(values, event.kind, name, node, (*event.way, event.node), function=function)
    for members in execution.definitions.enums.values():
        for member in members:
            if isinstance(member.value, str) and member.node is not None:
                yield _Use(((member, member.node),), "assign", member.label, member.node, (member.node,))


def _value_node(node: Node) -> Node:
    value = node.value if isinstance(node, tree.Assign | tree.Return) else None
    return node if value is None else value


def _given_to_calls(execution: Execution, reader: Reader) -> Iterator[_Use]:
    """Yield each text that a call is given, and all of them together."""
    aside = _set_aside(execution.events)
    lists: dict[tuple[int, str], _Use] = {}
    for call in execution.facts.calls:
        last = call.name.rpartition(".")[2]
        if id(call.node) in aside:
            continue
        if last in word_lists("prompts")["adds"] and call.receiver is not None and call.arguments:
            _join_list(call, lists)
        else:
            yield from _handed_over(call, reader, execution.program)
    yield from lists.values()


def _set_aside(events: Iterable[Event]) -> frozenset[int]:
    """Return the calls in what is raised or asserted, and those that write a text, by their identity."""
    shown = [event.node for event in events if event.kind == "raise" or isinstance(event.node, tree.Assert)]
    written = [event.node for event in events if event.kind in {"assign", "update"}]
    inside = [part for node in shown for part in tree.walk(node)]
    return frozenset([id(node) for node in (*inside, *written) if isinstance(node, tree.Call)])


def _join_list(call: Call, lists: dict[tuple[int, str], _Use]) -> None:
    """Note that a line or message joins a list: the list is one text."""
    assert isinstance(call.node.function, tree.Field)
    assert call.receiver is not None
    path = path_of(call.node.function.value)
    if path is None:
        return
    key = (call.run, path)
    added = (call.arguments[-1], call.node.arguments[-1])
    before: tuple[Placed, ...] = ((call.receiver, call.node.function.value),)
    if key in lists and not isinstance(call.receiver, Sequence):
        before = lists[key].values
    values = (*before, added)
    lists[key] = _Use(values, "assign", path, call.node, (*call.way, call.node), function=call.function)


def _handed_over(call: Call, reader: Reader, program: FileState) -> Iterator[_Use]:
    given = arguments_of(call)
    for place, (value, node) in enumerate(given[: len(call.arguments) - 1]):
        if text_filling.converts(value):
            rest = [one for others in given[place + 1 :] for one in _spread_arguments(*others)]
            given = [*given[:place], (text_filling.percent_format(value, rest, call.node), node)]
            break
    keywords = ["" for _ in call.arguments] + [name or "" for name, _ in call.node.keywords]
    for place, (one, keyword) in enumerate(zip(given, keywords, strict=False)):
        yield _of_call(call, (one,), one[1], keyword, place)
    sent = [*_told_before(call, reader, program), *_texts_for_model(given, keywords, reader.known(call))]
    if len(sent) > 1:
        yield _of_call(call, tuple(sent), call.node)
    if reader.fills(call):
        yield _of_call(call, ((call.value, call.node),), call.node)


def _told_before(call: Call, reader: Reader, program: FileState) -> list[Placed]:
    """Return what the model that is asked was told when it was made: `Agent(instructions=...)`,
    `agent.run(...)`.
    """
    known = reader.known(call)
    if known is None or "asks model" not in known.entry.does or call.receiver is None:
        return []
    maker = reader.maker(call.receiver)
    if maker is None:
        return texts_from_constructor(call, program)
    return [(call.receiver, call.node)] if "holds text" in maker.entry.does else []


def _texts_for_model(given: list[Placed], keywords: list[str], known: Found | None) -> list[Placed]:
    """Of what a call is given, what a language model gets, by the model of its library; else all of it."""
    places = known.entry.places("argument") if known is not None and "asks model" in known.entry.does else ()
    named = zip(given, keywords, strict=False)
    return [one for place, (one, key) in enumerate(named) if not places or (key or place) in places]


def _spread_arguments(value: Value, node: Node) -> list[Placed]:
    """Return what a list of arguments holds that is handed on: `*args`, C's `va_list`."""
    items = value.items if isinstance(value, Sequence) else None
    return (
        [(value, node)] if items is None else [(item, text_values.place_of(item) or node) for item in items]
    )


def _of_call(
    call: Call, given: tuple[Placed, ...], node: Node, keyword: str = "", place: int | None = None
) -> _Use:
    way = (*call.way, call.node)
    return _Use(given, "call", call.name, node, way, keyword, place, call.function, call)


def _usages_of_signatures(execution: Execution) -> Iterator[Usage]:
    """DSPy: the docstring of a class is the order, and its fields are what the model is given."""
    program = execution.program
    for name, type_ in execution.definitions.types.items():
        if type_.name != name or not is_prompt(type_, program):
            continue
        pieces: list[Piece] = [TextSpan(f"{type_.docstring}\n", type_)]
        for part in type_.body:
            match part:
                case tree.Assign(targets=(tree.Name(id=own) as target,), value=tree.Call(function=function)):
                    if "fills prompt" in class_does(function, program):
                        pieces.append(TextSpan(f"{own}: ", part))
                        pieces.append(FieldHole(Opaque(own), target, key=own))
                case _:
                    pass
        yield Usage(tuple(pieces), "call", f"{name}.prompt", type_)


def is_prompt(type_: tree.Type, program: FileState) -> bool:
    """Return whether a class stands for a prompt, by what the libraries of its bases say."""
    return any("is prompt" in class_does(base, program) for base in type_.bases)
