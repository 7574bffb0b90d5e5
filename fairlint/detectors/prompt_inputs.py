"""Which protected attributes a text carries: what is put into its gaps, and what its gaps are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from fairlint.analyses.prompts import prompt_intent, templates
from fairlint.analyses.prompts.reading import SHORT, FieldHole, arguments_of
from fairlint.detectors.context import Context
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import last_name
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Columns,
    Const,
    Elementwise,
    Filtered,
    Instance,
    Lookup,
    Opaque,
    Operation,
    Piece,
    Placeholder,
    Protected,
    Sequence,
    Sorted,
    Table,
    Text,
    TypedParameter,
    Value,
)
from fairlint.semantics.values.traversal import either
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.model import Mention
from fairlint.vocabulary.words import split_words

DEEPEST = 9
MOST_PARTS = 200
"""Values that are looked at to see what is in one gap; where there are more, the report says so."""
TOO_MANY_PARTS = (
    f"what is put into a text here holds more than {MOST_PARTS} values: only {MOST_PARTS} were read"
)
_SOMEBODY = "person"
"""The receiver of fields whose record is known to be one of a person."""
_LABEL = r"([^\W\d_][\w '’/-]{1,60}?)\s*(?:\([^()\n]{0,30}\))?\**\s*(?:[:=]|\bis\b|->|→)\s*\**[\"'`<\[({]?$"
_ENDS_OF_LABEL = (":", "=", "is", "->", "→")
_BEHIND_LABEL = "\"'`<[({* \t\r\n\f\v"
"""What may stand between a label and what it labels: looking here first saves nearly all searches."""
_LONGEST_LABEL = 4
_LONGEST_BEFORE = 200
"""Letters before a gap in which its label stands."""
BESIDE = "name"
"""What a place or a school has to stand beside."""
PLACES = frozenset({"zip_code", "region", "school"})
_LOOKS = "body"
_BYTES = r"data:image/[\w+.-]+;base64,\Z"
_SHOWN = "photo"
"""What a picture of somebody is called."""
_PROXIES = PLACES | {BESIDE, _LOOKS}
"""Attributes from which gender and origin are guessed: of a name together with one of the others, and of a
picture."""
_NUMBER = re.compile(r"\d+(?:[-/]\d+)*")
"""A number, a range or a date, written as a text."""
_YEARS_OLD = r"(?i)\s*-?\s*(?:years?|yrs?)[- ]old\b|\s*y/?o\b"


class Carried(Record):
    """A protected attribute that a text carries: by which name, and what is read."""

    mention: Mention
    receiver: str
    hole: Placeholder
    node: Node | None = None
    """Where it is read; None where only the name of the place in the text says it."""


Read = tuple[Mention, str, Node | None]
"""An attribute that a value holds, of what it is read, and where."""
Known = dict[int, tuple[Value, tuple[Read, ...]]]
"""What was read in values, by their identity: one value stands in many texts."""


def attributes_in_text(pieces: tuple[Piece, ...], context: Context, known: Known) -> tuple[Carried, ...]:
    """Return the protected attributes that come with a text, each gap's own ones once.

    Where there is none, a picture counts, or a name and a place from which they are guessed, at the place.
    """
    found = tuple(all_attributes_in_text(pieces, context, known))
    protected = tuple([one for one in found if _attribute_kind(one, context) == "protected"])
    if protected:
        return protected
    guessed_from = [one for one in found if _is_picture(one)]
    if not guessed_from and any(one.mention.attribute == BESIDE for one in found):
        guessed_from = [one for one in found if one.mention.attribute in PLACES]
    return tuple(guessed_from[:1])


def _is_picture(one: Carried) -> bool:
    pictures = word_lists("prompts")["pictures"]
    return one.mention.attribute == _LOOKS and not pictures.isdisjoint(one.mention.words)


def _attribute_kind(one: Carried, context: Context) -> str:
    return context.attribute(one.mention.attribute).kind


def all_attributes_in_text(pieces: tuple[Piece, ...], context: Context, known: Known) -> Iterator[Carried]:
    """Yield the protected attributes and the proxies that come with a text."""
    shows = context.vocabulary.mentions_of(_SHOWN, _SOMEBODY)
    said = bool(shows) and prompt_intent.says("pictures_said", templates.running_text(pieces)) is not None
    for place in templates.holes(pieces):
        hole = place.placeholder
        if _is_count(hole, context):
            continue
        seen: set[str] = set()
        if id(hole.value) not in known:
            known[id(hole.value)] = (hole.value, tuple(_read_in(hole.value, hole.node, context)))
        for one in _of_hole(hole, place.before, place.behind, known[id(hole.value)][1], context):
            name = one.mention.attribute
            if name not in seen and (name in _PROXIES or _attribute_kind(one, context) == "protected"):
                seen.add(name)
                yield one
        if shows and not seen and _shows_somebody(hole, place.before, said=said):
            yield Carried(shows[0], _SOMEBODY, hole, hole.node)


def _shows_somebody(hole: Placeholder, before: str, *, said: bool) -> bool:
    """Return whether a gap holds a picture of somebody, by what it is called; where the text speaks of one,
    any picture is: an image, the message that holds it, and what is sent as its bytes.
    """
    if said and templates.compile_pattern(_BYTES).search(before[-_LONGEST_BEFORE:]):
        return True
    called = [last_name(hole.node)] if isinstance(hole.node, tree.Name | tree.Field) else []
    called += [hole.key] if isinstance(hole, FieldHole) else []
    if isinstance(hole.value, Table):
        called += [str(key.value) for key, _ in hole.value.entries if isinstance(key, Const)]
    words = {word for name in called for word in split_words(name or "")}
    lists = word_lists("prompts")
    return not words.isdisjoint(lists["pictures"] | (lists["images"] if said else frozenset()))


def _is_count(hole: Placeholder, context: Context) -> bool:
    """Return whether a gap holds how many people there are: "drivers under 25: 3"."""
    call = context.execution.facts.call_of(hole.value)
    if call is not None:
        return _is_count_call(call.node, context)
    if not (isinstance(hole.value, Protected) and isinstance(hole.value.node, tree.Name)):
        return False
    name = hole.value.node.id
    given = [
        event.node.value
        for event in context.execution.events
        if event.kind == "assign" and event.target == name and isinstance(event.node, tree.Assign)
    ]
    return bool(given) and all(isinstance(one, tree.Call) and _is_count_call(one, context) for one in given)


def _is_count_call(call: tree.Call, context: Context) -> bool:
    """Return whether a call counts: `len(people)`, `sum(1 for ...)`, `sum(age < 25 for ...)`."""
    does = context.does(call)
    if does == ("measures",):
        return True
    of = call.arguments[0] if call.arguments else None
    each = of.element if isinstance(of, tree.Comprehension) else None
    return "sums" in does and isinstance(each, tree.Literal | tree.Compare)


def _of_hole(
    hole: Placeholder, before: str, behind: str, read: tuple[Read, ...], context: Context
) -> Iterator[Carried]:
    vocabulary = context.vocabulary
    for mention, receiver, node in read:
        yield Carried(mention, receiver, hole, node)
    if isinstance(hole.value, Const):  # known here, but by a name that says what it is
        if found := vocabulary.mentions(hole.name or last_name(hole.node)):
            yield Carried(found[0], "", hole, hole.node)
            return
        if isinstance(hole.node, tree.Literal):
            return
    if (
        isinstance(hole, FieldHole)
        and (found := vocabulary.mentions_of(hole.key, _SOMEBODY))
        and _is_somebodys(hole.value, found[0].attribute, context)
    ):
        yield Carried(found[0], "", hole, hole.node)
    if hole.name:
        names = re.findall(r"\w+", hole.name)
        receiver = ".".join(names[:-1])
        if names and (found := vocabulary.mentions_of(names[-1].lower(), receiver)):
            yield Carried(found[0], receiver, hole)
            return
    if before.rstrip(_BEHIND_LABEL).endswith(_ENDS_OF_LABEL) and (
        label := _label_in(before[-_LONGEST_BEFORE:])
    ):
        yield from _of_label(label, hole, context)
    if templates.compile_pattern(_YEARS_OLD).match(behind) and (found := vocabulary.mentions("age")):
        yield Carried(found[0], _SOMEBODY, hole)


@lru_cache(maxsize=512)
def _label_in(before: str) -> str:
    """Return the label that a text ends with; the same ones stand before many gaps."""
    found = templates.compile_pattern(_LABEL).search(before)
    return found[1] if found else ""


def _of_label(label: str, hole: Placeholder, context: Context) -> Iterator[Carried]:
    """Yield what the words before a gap say of it: "Candidate's gender: ..."."""
    words = re.split(r"[,;|]|\band\b", label)[-1].split()[-_LONGEST_LABEL:]
    for size in dict.fromkeys((len(words), 2, 1)):
        name = " ".join(words[-size:])
        if name and (found := context.vocabulary.mentions(name)):
            owner = re.sub(r"s?['’]?s?$", "", words[0]) if len(words) > 1 else ""
            yield Carried(found[0], owner if len(owner) > 3 else "", hole)
            return


def _read_in(value: Value, node: Node, context: Context) -> Iterator[Read]:
    """Yield the attributes that a value gives away, written out in a text."""
    seen: set[int] = set()
    stack = [(value, 0)]
    while stack and len(seen) < MOST_PARTS:
        current, depth = stack.pop()
        if id(current) in seen or depth > DEEPEST or current is UNKNOWN:
            continue
        seen.add(id(current))
        match current:
            case Protected(mention=mention, receiver=receiver, node=node):
                yield mention, receiver, node
            case Columns(held=held):
                yield from _reads_of_fields(((column.name, column.node) for column in held), context)
            case TypedParameter(of=type_) | Instance(type=type_):
                fields = context.definitions.fields.get(type_, ())
                yield from _reads_of_fields(((name, None) for name in fields), context)
            case Table(entries=entries):
                for key, of in entries:
                    if isinstance(key, Const) and isinstance(key.value, str):
                        for read in _reads_of_fields(((key.value, key.node),), context):
                            if _is_somebodys(of, read[0].attribute, context):
                                yield read
            case _:
                pass
        stack.extend((part, depth + 1) for part in reversed(_printed_parts(current, context)))
    if stack:
        context.facts.cut(node, TOO_MANY_PARTS)


def _reads_of_fields(names: Iterable[tuple[str, Node | None]], context: Context) -> Iterator[Read]:
    """Yield the fields of a record of a person that name an attribute."""
    for name, node in names:
        if found := context.vocabulary.mentions_of(name, _SOMEBODY):
            yield found[0], "", node


def _is_somebodys(value: Value, attribute: str, context: Context) -> bool:
    """Return whether what a field holds may be what a person is: not so what a form or a schema says of the
    field in fixed words, such as its type or where it is printed.
    """
    match value:
        case Const(value=str() as text):
            return context.vocabulary.group_of(attribute, text) is not None or bool(_NUMBER.fullmatch(text))
        case Table(entries=entries) if entries:
            about = (one for _, one in entries if not isinstance(one, Const) or isinstance(one.value, str))
            return any(_is_somebodys(held, attribute, context) for held in about)
        case _:
            return True


def _printed_parts(value: Value, context: Context) -> list[Value]:
    """Return what is written out with a value."""
    match value:
        case Sequence(items=parts) | Operation(arguments=parts):
            return list(parts)
        case Elementwise(element=inside) | Filtered(people=inside) | Sorted(people=inside):
            return [inside]
        case Table(entries=entries):
            return [held for _, held in entries]
        case Choice(test=test, then=then, otherwise=otherwise):
            return [then, otherwise, test] if _are_words(then, otherwise) else [then, otherwise]
        case Lookup(subject=subject, table=table):
            return [subject, *(held for _, held in table.entries)]
        case Text(pieces=pieces):
            return [piece.value for piece in pieces if isinstance(piece, Placeholder)]
        case Opaque() if (call := context.execution.facts.call_of(value)) is not None:
            if _is_count_call(call.node, context):  # how many they are says nothing of one
                return []
            if not _is_rewriting_call(call, context):
                return []
            owner = () if call.receiver is None else (call.receiver,)
            return [*(given for given, _ in arguments_of(call)), *owner]
        case Opaque():
            return _row_of(value, context)
        case _:
            return []


def _is_rewriting_call(call: Call, context: Context) -> bool:
    """Return whether a call gives what it is given in other words or another form. What a model answers, or
    what is computed or looked up, does not hold it.
    """
    words, found = word_lists("prompts"), context.known(call.node)
    if found is not None and not found.by_name:
        return not words["keeps_words"].isdisjoint(found.entry.does)
    return not words["writes"].isdisjoint(split_words(call.name.rpartition(".")[2]))


def _row_of(value: Opaque, context: Context) -> list[Value]:
    """Return the table whose rows a loop goes through: `for _, row in table.iterrows()`."""
    origin = context.execution.facts.origins.get(id(value))
    rows = None if origin is None else context.execution.facts.call_of(origin[1])
    return [rows.receiver] if rows is not None and isinstance(rows.receiver, Columns) else []


def _are_words(*values: Value) -> bool:
    """Return whether a choice is one of words, which show by what it was made: "Mr" or "Ms"."""
    return all(
        isinstance(one, Const) and (not isinstance(one.value, str) or len(one.value) < SHORT)
        for value in values
        for one in either(value)
    )
