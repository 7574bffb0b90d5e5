"""Methods of texts: what no entry of `builtins.toml` can say."""

from __future__ import annotations

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.texts import spellings, text_calls, text_filling, text_forms, text_values
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Columns,
    Const,
    Elementwise,
    Protected,
    Sequence,
    Table,
    Value,
)
from fairlint.syntax import text_methods, tree
from fairlint.syntax.tree import Node


def starts_with(call: Invocation) -> Value | None:
    """`gender.startswith("f")` names the group that is spelled so."""
    base, arguments = call.base or UNKNOWN, call.arguments
    if not (arguments and isinstance(arguments[0], Const)):
        return None
    start = arguments[0].value
    if isinstance(base, Const) and isinstance(base.value, str) and isinstance(start, str):
        return Const(base.value.startswith(start))
    is_asked = isinstance(base, Protected)
    return text_calls.beginning(base, arguments[0], call.node, call.frame) if is_asked else None


def ends_with(call: Invocation) -> Value | None:
    """`gender.endswith("male")` holds for all groups whose names end so."""
    base, arguments = call.base or UNKNOWN, call.arguments
    if not (arguments and isinstance(arguments[0], Const) and isinstance(arguments[0].value, str)):
        return None
    if isinstance(base, Const) and isinstance(base.value, str):
        return Const(base.value.endswith(arguments[0].value))
    is_asked = call.frame.program.dependence.on_any(base)
    return text_calls.ending(base, arguments[0], call.node, call.frame) if is_asked else None


def in_other_form(call: Invocation) -> Value | None:
    """`text.strip(".")`, `text.upper()`."""
    base, arguments = call.base or UNKNOWN, call.arguments
    name, around = call.name, None
    if (
        isinstance(base, Protected)
        and name in text_methods.SAME_LENGTH
        and spellings.is_group_text(base, call.frame)
    ):
        return spellings.in_case(base, name)
    if arguments:
        if not (isinstance(arguments[0], Const) and isinstance(arguments[0].value, str)):
            return None
        around = arguments[0].value
    return text_forms.changed_each(base, lambda one: text_forms.in_other_form(one, name, around))


def same_text(call: Invocation) -> Value | None:
    """`text.encode()`: the same characters."""
    base = call.base or UNKNOWN
    return base if text_values.may_be_text(base) else None


def replaced(call: Invocation) -> Value | None:
    """`text.replace("{table}", name)`."""
    node, base, arguments = call.node, call.base or UNKNOWN, call.arguments
    if isinstance(base, Protected) and len(arguments) == 2 and all(map(_is_separator, arguments)):
        return base  # the same group, written otherwise
    if len(arguments) < 2 or not text_values.may_be_text(base):
        return None
    old, new = arguments[0], text_values.pieces_of(arguments[1], node.arguments[1])
    if not (isinstance(old, Const) and isinstance(old.value, str)):
        return base
    word = old.value
    return text_forms.changed_each(base, lambda one: text_forms.with_other_words(one, word, new, node))


def _is_separator(value: Value) -> bool:
    """Return whether a text is nothing, or what stands between words: a blank, a dash."""
    return (
        isinstance(value, Const)
        and isinstance(value.value, str)
        and not any(char.isalnum() for char in value.value)
    )


def split(call: Invocation) -> Value | None:
    """`"male female".split()` writes a list; `gender.split()` gives words, of which the group is one."""
    node, base, arguments = call.node, call.base or UNKNOWN, call.arguments
    if isinstance(base, Protected) and base.mention.form == "value":
        return Elementwise(base, node)
    if not (isinstance(base, Const) and isinstance(base.value, str)):
        return None
    separator = arguments[0].value if arguments and isinstance(arguments[0], Const) else None
    if arguments and not (isinstance(separator, str) and separator):
        return None
    parts = base.value.split(separator if isinstance(separator, str) else None)
    return Sequence(tuple(Const(part, "", base.node) for part in parts), node)


def joined(call: Invocation) -> Value | None:
    """`" + ".join(lines)`."""
    node, base, arguments = call.node, call.base or UNKNOWN, call.arguments
    if not text_values.is_text(base) or len(arguments) != 1 or isinstance(arguments[0], Columns):
        return None
    return text_values.join_items(base, text_values.items_of(arguments[0]), node)


def formatted(call: Invocation) -> Value | None:
    """`"...".format(a, name=b)` and `.format_map(values)`."""
    node, base, arguments, frame = call.node, call.base or UNKNOWN, call.arguments, call.frame
    if not text_values.may_be_text(base):
        return None
    placed, named = tuple(_pair_with_nodes(node, arguments)), given_by_name(node, arguments, frame)
    return text_forms.changed_each(base, lambda one: text_filling.brace_format(one, placed, named, node))


def _pair_with_nodes(node: tree.Call, arguments: tuple[Value, ...]) -> list[tuple[Value, Node]]:
    places = node.arguments if len(node.arguments) == len(arguments) else (node,) * len(arguments)
    return list(zip(arguments, places, strict=True))


def given_by_name(
    node: tree.Call, arguments: tuple[Value, ...], frame: Frame
) -> dict[str, tuple[Value, Node]]:
    """Return what a text's places are given by name: as keywords, or in a dict."""
    named: dict[str, tuple[Value, Node]] = {}
    spread_out = [frame.evaluate(value) for key, value in node.keywords if key is None]
    for table in (*arguments, *spread_out):
        if isinstance(table, Table):
            for key, value in table.entries:
                if isinstance(key, Const) and isinstance(key.value, str):
                    named[key.value] = (value, text_values.place_of(value) or node)
    for name, written in node.keywords:
        if name is not None:
            named[name] = (frame.evaluate(written), written)
    return named
