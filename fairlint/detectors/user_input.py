"""What the person at the screen has chosen: search forms and dashboards show what they are asked for."""

from __future__ import annotations

from fairlint.detectors.context import Context
from fairlint.lexicon.words import split_words
from fairlint.semantics.effects import lexicon
from fairlint.semantics.paths import path_of
from fairlint.semantics.values import Choice, Const, Opaque, Operation, Protected, Value, walk
from fairlint.syntax import tree

_COMPARES = frozenset({"==", "in", "<", ">="})


def is_chosen(value: Value, attribute: str, context: Context) -> bool:
    """Whether all that `value` compares the attribute with comes from a form: from `st.multiselect`, from
    `request.args`.
    """
    compared = [part for part in walk(value) if _compares(part, attribute)]
    return bool(compared) and all(
        any(_is_asked(side, context) for side in part.arguments)
        for part in compared
        if isinstance(part, Operation)
    )


def _compares(part: Value, attribute: str) -> bool:
    return (
        isinstance(part, Operation)
        and part.op in _COMPARES
        and any(
            isinstance(side, Protected) and side.mention.attribute == attribute for side in part.arguments
        )
        and all(isinstance(one, Protected | Opaque) for side in part.arguments for one in _either(side))
    )


def _either(value: Value) -> list[Value]:
    """What a value may be, but for nothing: `search if search is not None else ""`."""
    if isinstance(value, Choice):
        return [*_either(value.then), *_either(value.otherwise)]
    return [] if isinstance(value, Const) and not value.value else [value]


def _is_asked(value: Value, context: Context) -> bool:
    """Whether a value is what a person has chosen, or made of it: `int(request.args["age"])`."""
    calls = (context.facts.call_giving(one) for part in _either(value) for one in context.facts.behind(part))
    return any(call is not None and _asks(call.node, context) for call in calls)


def _asks(node: tree.Call, context: Context) -> bool:
    """Whether a call gives what a person has chosen: a widget's, or a look-up among a request's fields."""
    match node.function:
        case tree.Field(value=owner, name="get" | "getlist" | "get_argument"):
            typed = any(name == "type" for name, _ in node.keywords)  # only a request's fields are converted
            if typed or not lexicon()["request"].isdisjoint(split_words((path_of(owner) or "").lower())):
                return True
        case _:
            pass
    return any("asks user" in found.entry.does for found in context.may_be(node))
