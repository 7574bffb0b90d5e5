"""Tools that a model is offered: what they are for, and which fields the model is to hand over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fairlint.analyses.prompts.reading import FieldHole
from fairlint.analyses.prompts.usages import Usage
from fairlint.semantics.execution import Execution
from fairlint.semantics.texts import text_values
from fairlint.semantics.values.symbolic import Const, Opaque, Sequence, Table, TextSpan, Value
from fairlint.syntax.tree import Node
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import split_words


def tools(execution: Execution) -> Iterator[Usage]:
    """`{"name": "approve_loan", "parameters": {"properties": {"race": ...}}}`, each once."""
    stack = [event.value for event in execution.events if event.kind == "assign"]
    for call in execution.facts.calls:
        stack += [*call.arguments, *call.keywords.values()]
    seen: set[int] = set()
    while stack:
        value = stack.pop()
        if not isinstance(value, Sequence | Table) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Table):
            if (tool := _usage_of_tool(value)) is not None:
                yield tool
            stack += [held for _, held in value.entries]
        else:
            stack += value.items


def _usage_of_tool(table: Table) -> Usage | None:
    words = word_lists("prompts")
    entries = _by_key(table)
    name, described = _text_of_constant(entries.get("name")), entries.get("description")
    schema = next((entries[key] for key in words["schema_keys"] if key in entries), None)
    fields = _by_key(schema).get("properties") if isinstance(schema, Table) else None
    if not (name and isinstance(fields, Table) and isinstance(table.node, Node)):
        return None
    said = f"{' '.join(split_words(name))}. {_text_of_constant(described)}"
    place = described.node if isinstance(described, Const) and described.node is not None else table.node
    pieces: list[TextSpan | FieldHole] = [TextSpan(f"{said}\n", place)]
    for key, _ in fields.entries:
        if isinstance(key, Const) and isinstance(key.value, str):
            at = key.node or text_values.place_of(fields) or table.node
            pieces += (TextSpan(f"{key.value}: ", at), FieldHole(Opaque(key.value), at, key=key.value))
    return Usage(tuple(pieces), "call", name, table.node, keyword="prompt")


def _by_key(table: Table) -> Mapping[str, Value]:
    return {
        key.value: held
        for key, held in table.entries
        if isinstance(key, Const) and isinstance(key.value, str)
    }


def _text_of_constant(value: Value | None) -> str:
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else ""
