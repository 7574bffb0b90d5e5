"""The prompts of one file, as the detectors read them: their messages, and what is known of each gap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from fairlint.analyses.prompts import prompt_intent, templates
from fairlint.analyses.prompts.reading import FieldHole, Reader
from fairlint.analyses.prompts.usages import Usage, usages
from fairlint.detectors import grounds_of_prompts, instructed
from fairlint.detectors.context import Context
from fairlint.detectors.prompt_inputs import BESIDE, Known, all_attributes_in_text
from fairlint.detectors.prompt_texts import decision_reports
from fairlint.findings.levels import NOTE_WEIGHT
from fairlint.findings.uses import Use
from fairlint.semantics.texts.text_values import is_text
from fairlint.semantics.values.paths import path_of
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
    TextSpan,
    Value,
)
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, Span
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import split_words

_SIDES = frozenset({"or", "and", "|"})
"""Operators that take one of two texts."""
_ROLES = {
    "SystemMessage": "system",
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "human": "user",
    "ai": "assistant",
}
"""What LangChain calls messages."""


class Gap(Record):
    """A gap of a prompt."""

    name: str
    """What it is called: its own name, or what is put there, as code writes it."""
    attributes: tuple[str, ...]
    """What of a person is put there: protected attributes, or a name."""


class Message(Record):
    """One message, in its stretches of text and its gaps."""

    role: str
    parts: tuple[str | Gap, ...]


class _Turn(NamedTuple):
    """A message, by its role."""

    role: str
    pieces: tuple[Piece, ...]


class _Said(NamedTuple):
    """What a message holds before it is read."""

    role: str
    content: Value


class Wording(Record):
    """A text of a file where it is used, with the findings about it."""

    messages: tuple[Message, ...]
    uses: tuple[Use, ...]
    """What the detectors say of it; none where it asks for no decision about a person."""
    flat: str
    """Its running text, with a mark for each gap."""
    spans: tuple[Span, ...]
    """Where it is written, put together and used."""
    place: Span
    """Where it is used."""
    is_sent: bool
    """Whether a call is given it."""
    asks_model: bool
    """Whether that call is known to ask a language model."""
    unsure: str = ""
    """Why nobody can write it out with the gaps filled; empty where one can."""


def wordings(context: Context) -> Iterator[Wording]:
    """Yield the texts of a file that have gaps, each where it is used. Steps are counted anew."""
    context = Context(context.execution, context.settings)
    used = list(usages(context.execution))
    uses: dict[int, list[Use]] = {}
    for report in decision_reports(used, context):
        uses.setdefault(report.number, []).append(report.use)
    known: Known = {}
    reader = Reader(context.execution)
    for number, usage in enumerate(used):
        of_text = uses.get(number, [])
        filled = {(0, use.attribute) for use in of_text}
        of_text += [
            *grounds_of_prompts.observe([usage], filled, context),
            *instructed.observe([usage], context),
        ]
        pieces = templates.open_placeholders(usage.pieces)
        holes = [piece for piece in pieces if isinstance(piece, Placeholder)]
        if not holes:
            continue
        flat = prompt_intent.flatten_text(templates.running_text(pieces))
        attributes: dict[_HoleKey, list[str]] = {}
        for one in all_attributes_in_text(pieces, context, known):
            if (
                one.mention.attribute == BESIDE
                or context.attribute(one.mention.attribute).kind == "protected"
            ):
                attributes.setdefault(_hole_key(one.hole), []).append(one.mention.attribute)
        yield Wording(
            tuple(_messages(usage, pieces, attributes, reader, context)),
            tuple(use for use in of_text if use.weight >= NOTE_WEIGHT),
            flat,
            tuple(_spans(usage, pieces, of_text)),
            usage.node.span,
            usage.kind == "call",
            usage.known is not None and "asks model" in usage.known.entry.does,
            usage.left_out or _unsure(usage, pieces),
        )


class _HoleKey(NamedTuple):
    """What tells a hole from others: its name, and where it stands."""

    name: str
    span: Span


def _hole_key(hole: Placeholder) -> _HoleKey:
    return _HoleKey(hole.name, hole.node.span)


def _spans(usage: Usage, pieces: Iterable[Piece], uses: Iterable[Use]) -> Iterator[Span]:
    """Yield the places of a text: its literals, what fills it, the call that gets it, and its findings."""
    nodes = [usage.node, *([usage.call.node] if usage.call is not None else [])]
    for piece in pieces:
        if isinstance(piece, TextSpan):
            nodes += [one for one in (piece.node,) if one is not None]
            holes = [piece.fills] if piece.fills is not None else []
        else:
            holes = [piece, *piece.through]
        for hole in holes:
            nodes += [hole.node, *([hole.within] if hole.within is not None else [])]
    yield from dict.fromkeys(node.span for node in nodes)
    for use in uses:
        yield from (use.span, *(step.span for step in use.flow))


def _unsure(usage: Usage, pieces: Iterable[Piece]) -> str:
    """Return why a text cannot be written out from its pieces; empty where it can."""
    if any(isinstance(piece, FieldHole) for piece in pieces):
        return "a whole record is written into it"
    for value in walk(*(value for value, _ in usage.values)):
        match value:
            case Choice(then=then, otherwise=otherwise) if is_text(then) or is_text(otherwise):
                return "a condition decides what it says"
            case Lookup(table=table) if any(is_text(held) for _, held in table.entries):
                return "a table decides what it says"
            case Operation(op=op, arguments=several) if op in _SIDES and any(map(is_text, several)):
                return "a condition decides what it says"
            case Elementwise(element=inside) | Filtered(people=inside) | Sorted(people=inside) if is_text(
                inside
            ):
                return "a loop writes it"
            case _:
                pass
    return ""


# ------------------------------------------------------------------------------------------------ messages


def _messages(
    usage: Usage,
    pieces: tuple[Piece, ...],
    attributes: Mapping[_HoleKey, list[str]],
    reader: Reader,
    context: Context,
) -> Iterator[Message]:
    """Yield the messages of a chat; a text is one of the user's."""
    for role, own in _chat_of(usage, reader, context) or [_Turn("user", pieces)]:
        found: list[str | Gap] = []
        for piece in own:
            if isinstance(piece, TextSpan):
                if found and isinstance(found[-1], str):
                    found[-1] += piece.text
                else:
                    found.append(piece.text)
            else:
                told = tuple(dict.fromkeys(attributes.get(_hole_key(piece), ())))
                found.append(Gap(piece.name or _written_name(piece.node, context), told))
        yield Message(role, tuple(found))


def _chat_of(usage: Usage, reader: Reader, context: Context) -> list[_Turn]:
    """Return the messages of what is used, where a list of them is, or a text for the system beside another;
    none where it is one text.
    """
    turns: list[_Turn] = []
    values = [placed for placed in usage.values if len(usage.values) == 1 or not _is_option(*placed, usage)]
    is_chat = False
    for value, node in values:
        said = [_said_in(item, context) for item in value.items] if isinstance(value, Sequence) else []
        if said and None not in said:
            turns += [_Turn(one.role, reader.pieces_of(one.content, node)) for one in said if one is not None]
            is_chat = True
            continue
        is_of_system = any(_is_of_system(name) for name in _keywords_of(value, usage))
        turns.append(_Turn("system" if is_of_system else "", reader.pieces_of(value, node)))
    if is_chat:  # what stands beside its messages are options
        turns = [turn for turn in turns if turn.role]
    if not any(turn.role for turn in turns):
        if len(values) == len(usage.values):
            return []
        texts = [piece for turn in turns for piece in (TextSpan("\n"), *turn.pieces)][1:]
        turns = [_Turn("user", tuple(texts))]
    turns = [_Turn(role or "user", templates.open_placeholders(pieces)) for role, pieces in turns]
    return sorted(turns, key=lambda turn: turn.role != "system")


def _is_option(value: Value, node: Node, usage: Usage) -> bool:
    """Return whether an argument beside a prompt is no part of it: an option by its name (`model=`), or one
    word without a name. What else is unknown stays, as it may be what the prompt is about.
    """
    options = word_lists("prompts")["options"]
    if keywords := _keywords_of(value, usage):
        return any(not options.isdisjoint(split_words(name)) for name in keywords)
    if isinstance(value, Const):
        return isinstance(value.value, str) and not value.value.strip().count(" ")
    name = (path_of(node) or "").rpartition(".")[2]
    return isinstance(value, Opaque) and not is_text(value) and not options.isdisjoint(split_words(name))


def _keywords_of(value: Value, usage: Usage) -> list[str]:
    """Return the names of the arguments by which a call is given a value."""
    return [] if usage.call is None else [name for name, one in usage.call.keywords.items() if one is value]


def _is_of_system(keyword: str) -> bool:
    """Return whether an argument is what the system is told: `system=`, `instructions=`."""
    return "system" in keyword or keyword == "instructions"


def _said_in(item: Value, context: Context) -> _Said | None:
    """Return role and content of `{"role": ..., "content": ...}`, `("system", ...)`, `HumanMessage(...)`."""
    match item:
        case Table(entries=entries):
            held = {key.value: value for key, value in entries if isinstance(key, Const)}
            role, content = held.get("role"), held.get("content")
        case Sequence(items=(Const() as role, content)):
            pass
        case _:
            call = context.facts.call_of(item)
            name = "" if call is None else call.name.rpartition(".")[2]
            if call is None or name not in _ROLES:
                return None
            given = [*call.keywords.values(), *call.arguments]
            return _Said(_ROLES[name], call.keywords.get("content", given[0])) if given else None
    if not (isinstance(role, Const) and isinstance(role.value, str) and content is not None):
        return None
    return _Said(_ROLES.get(role.value, role.value), content)


def _written_name(node: Node, context: Context) -> str:
    """Return what a value is called in code: `applicant.age` of that, `applicant["age"]` and
    `str(applicant.get("age"))`.
    """
    match node:
        case tree.Name(id=name):
            return name
        case tree.Field(value=owner, name=name):
            return f"{_written_name(owner, context)}.{name}"
        case tree.Index(value=owner, index=tree.Literal(value=str() as key)):
            return f"{_written_name(owner, context)}.{key}"
        case tree.Call(
            function=tree.Field(value=owner, name="get"), arguments=(tree.Literal(value=str() as key), *_)
        ):
            return f"{_written_name(owner, context)}.{key}"
        case tree.Call(arguments=(inner,)):
            return _written_name(inner, context)
        case _:
            return " ".join(context.source.text(node.span).split())
