"""Values as the text that a person reads: chat messages, lists of lines, records, what holds a text.

Most texts are put together by the evaluator already (`semantics/texts/`). What is left is what a library
makes one text of: messages, the fields of a record, a template object that is filled later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from fairlint.analyses.prompts.templates import fill_placeholders, open_placeholders
from fairlint.analyses.prompts.written_entries import entry, is_settings
from fairlint.semantics.execution import Execution
from fairlint.semantics.names.library import Found
from fairlint.semantics.texts import text_values
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.symbolic import (
    Choice,
    Const,
    Elementwise,
    Filtered,
    Lookup,
    Opaque,
    Operation,
    Piece,
    Placeholder,
    Sequence,
    Sorted,
    Table,
    Text,
    TextSpan,
    TooLong,
    Value,
)
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import split_words

MOST_PIECES = 2_000
"""Pieces of one text that are read."""
DEEPEST = 14
MOST_KEYS = 6
"""Keys, one within the other, under which a text stands in a file of settings."""
SHORT = 30
"""A text below this length that stands by itself is rather a value than running text."""

_BOTH = frozenset({"+", "|", "*", "/", "or", "and"})
"""Operators that put two texts together, or take one of two."""

Placed = tuple[Value, Node]


class FieldHole(Placeholder):
    """What a record holds by a `key`."""

    key: str = ""


class Reader:
    """Reads values of one file as texts."""

    def __init__(self, execution: Execution) -> None:
        self._facts = execution.facts
        self._found = execution.program.found
        self._files = execution.tree.texts
        self._words = word_lists("prompts")
        self.guessed: dict[str, None] = {}
        """Calls of which only the bare name says that they hold or fill a text."""
        self.left_out = ""
        """What is said of the text that was read last, where some of it was left out."""
        self._wordless: dict[int, Value] = {}
        """Values in which no words were found, by their identity: a choice of many is looked at once."""

    def pieces_of(self, value: Value, node: Node) -> tuple[Piece, ...]:
        """Return the text that a value is to whoever reads it, at `node`; what is no text is one hole."""
        found = tuple(islice(self._read(value, node, 0), MOST_PIECES + 1))
        if len(found) > MOST_PIECES:
            self.left_out = (
                f"a text of more than {MOST_PIECES:,} parts: only the first {MOST_PIECES:,} were read"
            )
        return found[:MOST_PIECES]

    def _read(self, value: Value, node: Node, depth: int) -> Iterator[Piece]:
        deeper = depth + 1
        match value:
            case _ if depth > DEEPEST or id(value) in self._wordless:
                yield Placeholder(value, node)
            case TooLong():
                yield from (Placeholder(value, node),) if self.left_out else value.begin
                self.left_out = text_values.LEFT_OUT
            case Text() | Const(value=str()):
                for piece in text_values.pieces_of(value, node):
                    yield from (piece,) if isinstance(piece, TextSpan) else self._fill_hole(piece, deeper)
            case Choice(then=then, otherwise=otherwise):
                yield from self._all(value, [(then, node), (otherwise, node)], node, deeper)
            case Lookup(table=table, default=default):
                arms = [held for _, held in table.entries] + ([] if default is None else [default])
                yield from self._all(value, [(arm, node) for arm in arms], node, deeper)
            case Elementwise(element=inside) | Filtered(people=inside) | Sorted(people=inside):
                yield from self._all(value, [(inside, node)], node, deeper)
            case Operation(op=op, arguments=several) if op in _BOTH:
                yield from self._all(value, [(one, node) for one in several], node, deeper)
            case Sequence():
                placed = _placed_items(value, node)
                yield from self._all(value, placed, node, deeper, end="\n")
            case Table(entries=entries):
                yield from self._record(value, entries, node, deeper)
            case Opaque():
                yield from self._pieces_of_unknown(value, node, deeper)
            case _:
                yield Placeholder(value, node)

    def _fill_hole(self, hole: Placeholder, depth: int) -> Iterator[Piece]:
        """Yield a hole; where a text fills it, that text."""
        inner = tuple(self._read(hole.value, hole.node, depth))
        if not has_words(inner):
            yield hole
        elif isinstance(hole.value, Choice | Lookup) and all(map(_is_word, inner)):
            yield from (replace(one, fills=hole) for one in inner)  # what chooses some words shows in them
        else:
            yield from text_values.put_into(inner, *((hole,) if hole.within else ()), *hole.through)

    def _all(
        self, whole: Value, parts: Iterable[Placed], node: Node, depth: int, *, end: str = ""
    ) -> Iterator[Piece]:
        """Yield the texts of several values one after the other; one hole where none has words."""
        found: list[Piece] = []
        for value, place in parts:
            inner = tuple(self._read(value, place, depth))
            found += (*inner, TextSpan(end)) if end and has_words(inner) else inner
            if len(found) > MOST_PIECES:
                break
        yield from self._pieces_with_words(whole, found, node)

    def _pieces_with_words(self, whole: Value, found: list[Piece], node: Node) -> Iterator[Piece]:
        if has_words(found):
            yield from found
        else:
            self._wordless[id(whole)] = whole
            yield Placeholder(whole, node)

    def _record(
        self, whole: Table, entries: Iterable[tuple[Value, Value]], node: Node, depth: int
    ) -> Iterator[Piece]:
        """Yield a chat message, the body of a request, or a record: its texts, and its other fields
        as holes.
        """
        found: list[Piece] = []
        beside: set[int] = set()
        is_said = False
        for name, value in entries:
            key = name.value if isinstance(name, Const) and isinstance(name.value, str) else None
            if key in self._words["role_keys"]:
                continue
            place = text_values.place_of(value) or node
            inner = tuple(self._read(value, place, depth))
            if (
                key is not None
                and key not in self._words["content_keys"]
                and (not has_words(inner) or _is_value(inner))
            ):
                found.append(FieldHole(value, place, key=key))
                beside.add(id(found[-1]))
            else:
                is_said = is_said or (key in self._words["content_keys"] and has_words(inner))
                found += (*inner, TextSpan("\n")) if has_words(inner) else inner
        if is_said:  # what stands beside the text is kept with it: `{"prompt": text, "gender": gender}`
            found = [piece for piece in found if id(piece) not in beside]
        yield from self._pieces_with_words(whole, found, node)

    def _pieces_of_unknown(self, value: Opaque, node: Node, depth: int) -> Iterator[Piece]:
        """Yield what nobody knows, but for where it is from: an entry of a file, or a call."""
        if self._files and (text := self._entry_of_file(value)):
            yield TextSpan(text, node)
        elif (call := self._facts.call_of(value)) is not None:
            yield from self._pieces_of_call(value, call, node, depth)
        else:
            yield Placeholder(value, node)

    def _pieces_of_call(self, value: Opaque, call: Call, node: Node, depth: int) -> Iterator[Piece]:
        """Yield what a call gives that holds texts (`HumanMessage(content=...)`), or fills one
        (`T.render()`).
        """
        last = call.name.rpartition(".")[2]
        owner = call.callee if call.receiver is None else call.receiver
        if owner is not None and self.fills(call):
            held = tuple(self._read(owner, call.node, depth))
            if has_words(held):
                yield from fill_placeholders(open_placeholders(held), given_by_name(call))
                return
        if self._files and last in self._words["reads_file"] and (text := self._written_in(value)):
            yield TextSpan(text, call.node)
            return
        looks_so = last.startswith("from_") or not self._words["holds"].isdisjoint(split_words(last))
        if self._has_effect("holds text", call, by_name=looks_so):
            given = [tuple(self._read(one, place, depth)) for one, place in arguments_of(call)]
            found = [piece for one in given if has_words(one) for piece in (*one, TextSpan("\n"))]
            yield from self._pieces_with_words(value, found, node)
        else:
            yield Placeholder(value, node)

    def _written_in(self, value: Value) -> str:
        """Return the text of the file of the project that a value is read from, as far as its name is
        written; of settings, only an entry is a text.
        """
        name = self._file_behind(value)
        return "" if is_settings(name) else self._files.get(name, "")

    def _file_behind(self, value: Value) -> str:
        for source in self._facts.behind(value):
            for part in walk(source):
                if isinstance(part, Const) and isinstance(part.value, str) and part.value in self._files:
                    return part.value
        return ""

    def _entry_of_file(self, value: Value) -> str:
        """Return the text of an entry of a file of settings:
        `yaml.safe_load(file)["screening"]["system"]`.
        """
        keys: list[str] = []
        place = self._facts.place_of(value)
        while isinstance(place, tree.Index) and len(keys) < MOST_KEYS:
            names = [one.value for one in self._facts.values_of(place.index) if isinstance(one, Const)]
            known = place.index.value if isinstance(place.index, tree.Literal) else next(iter(names), None)
            if not isinstance(known, str):
                return ""
            keys.insert(0, known)
            owner = place.value
            for held in self._facts.values_of(owner):
                call = self._facts.call_giving(held)
                if call is not None and call.name.rpartition(".")[2] in self._words["reads_file"]:
                    name = self._file_behind(held)
                    return entry(self._files[name], name, keys) if is_settings(name) else ""
                owner = self._facts.place_of(held) or owner
            place = owner
        return ""

    def fills(self, call: Call) -> bool:
        """Return whether a method puts values into the places of a text."""
        looks_so = call.callee is not None or call.name.rpartition(".")[2] in self._words["fills"]
        return self._has_effect("fills text", call, by_name=looks_so)

    def known(self, call: Call) -> Found | None:
        """Return what the model of a library says of a call."""
        found = self._found.get(id(call.node))
        return None if found is None else found[1]

    def maker(self, value: Value) -> Found | None:
        """Return what the model of a library says of the call that gave a value."""
        call = self._facts.call_of(value)
        return None if call is None else self.known(call)

    def _has_effect(self, word: str, call: Call, *, by_name: bool) -> bool:
        """Return what the model of a library says of a call; where none is known for sure, its bare name."""
        found = self.known(call)
        does = found is not None and word in found.entry.does
        if found is not None and not found.by_name:
            return does
        if (does or by_name) and call.callee is None:
            self.guessed.setdefault(call.name)
        return does or by_name


def _placed_items(value: Sequence, node: Node) -> list[Placed]:
    """Return the parts of a list, each where it is written, as far as that is known."""
    written = [one.value for one in value.node.items] if isinstance(value.node, tree.Collection) else []
    if len(written) != len(value.items):
        return [(item, text_values.place_of(item) or node) for item in value.items]
    return [
        (item, text_values.place_of(item) or place) for item, place in zip(value.items, written, strict=True)
    ]


def has_words(pieces: Iterable[Piece]) -> bool:
    """Return whether any words are known."""
    return any(isinstance(piece, TextSpan) for piece in pieces)


def _is_value(pieces: tuple[Piece, ...]) -> bool:
    return len(pieces) == 1 and _is_word(pieces[0])


def _is_word(piece: Piece) -> bool:
    return isinstance(piece, TextSpan) and len(piece.text) < SHORT


def arguments_of(call: Call) -> list[Placed]:
    """Return the values that a call is given, each with its place."""
    named = [(call.keywords[name or "**"], node) for name, node in call.node.keywords]
    return [*zip(call.arguments, call.node.arguments, strict=True), *named]


def given_by_name(call: Call) -> dict[str, Placed]:
    """Return what a call gives by name: keywords, and the entries of dicts."""
    named: dict[str, Placed] = {}
    for value, node in arguments_of(call):
        for key, held in value.entries if isinstance(value, Table) else ():
            if isinstance(key, Const) and isinstance(key.value, str):
                named[key.value] = (held, text_values.place_of(held) or node)
    named.update((name, (call.keywords[name], node)) for name, node in call.node.keywords if name is not None)
    return named
