"""What the person at the screen has chosen: search forms and dashboards show what they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.semantics.tables.libraries import owners_of_field
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import dotted_name
from fairlint.semantics.values.symbolic import Const, Opaque, Operation, Protected, Value
from fairlint.semantics.values.traversal import either, walk
from fairlint.support.expressions import lazy_expression
from fairlint.syntax import tree
from fairlint.syntax.tree import Function, Node, Parameter
from fairlint.vocabulary.words import split_words

_COMPARES = frozenset({"==", "in", "<", ">="})
_CALLED = lazy_expression(r"([A-Za-z_]\w*)\(")


def is_user_choice(value: Value, attribute: str, context: Context) -> bool:
    """Whether all that `value` compares the attribute with comes from a form: from `st.multiselect`, from
    `request.args`, from a parameter of a function that answers requests.
    """
    compared = [part for part in walk(value) if _is_comparison_of_attribute(part, attribute)]
    return bool(compared) and all(
        _is_with_choice(part, attribute, context) for part in compared if isinstance(part, Operation)
    )


def _is_with_choice(part: Operation, attribute: str, context: Context) -> bool:
    """Return whether people are compared with a choice: people who were sent may be compared with
    anything.
    """
    others = [side for side in part.arguments if not _is_read(side, attribute)]
    if others:
        return any(is_from_user_choice(side, context) for side in others)
    return sum(is_from_user_choice(side, context) for side in part.arguments) == 1


def _is_comparison_of_attribute(part: Value, attribute: str) -> bool:
    return (
        isinstance(part, Operation)
        and part.op in _COMPARES
        and any(_is_read(side, attribute) for side in part.arguments)
        and all(
            isinstance(one, Protected | Opaque)
            for side in part.arguments
            for one in _nonempty_alternatives(side)
        )
    )


def _is_read(side: Value, attribute: str) -> bool:
    return isinstance(side, Protected) and side.mention.attribute == attribute


def _nonempty_alternatives(value: Value) -> list[Value]:
    """Return what a value may be, but for nothing: `search if search is not None else ""`."""
    return [one for one in either(value) if not (isinstance(one, Const) and not one.value)]


def is_from_user_choice(value: Value, context: Context) -> bool:
    """Return whether a value is what a person has chosen, or made of it: `int(request.args["age"])`."""
    return any(
        _gives_choice(one, context)
        for part in _nonempty_alternatives(value)
        for one in context.facts.behind(part)
    )


def _gives_choice(value: Value, context: Context) -> bool:
    call = context.facts.call_giving(value)
    if call is not None:
        return any("asks user" in found.entry.does for found in context.may_be(call.node))
    if isinstance(value, Protected) and isinstance(value.node, Parameter):
        return any(value.node is one for one in context.once(_request_parameters, ""))
    place = context.facts.place_of(value)
    if isinstance(place, tree.Field):
        return _is_of_form(place, context)
    if not isinstance(place, tree.Name):
        return False
    typed = context.once(_request_parameters, "")
    return any(one is other for one in _called_so(place, context) for other in typed)


def _is_of_form(place: tree.Field, context: Context) -> bool:
    """Return whether a field holds what somebody has typed: `request.form`, be the request called what it
    may.
    """
    owners = owners_of_field(place.name, "asks user", context.execution.program)
    if not owners:
        return False
    types = [one.type for one in _called_so(place.value, context)]
    values = [one.name for one in context.facts.values_of(place.value) if isinstance(one, Opaque)]
    called = {word for text in (dotted_name(place.value), *types, *values) for word in split_words(text)}
    return not called.isdisjoint(owners)


# ---------------------------------------------------------------------------------------------- parameters


def _called_so(place: Node, context: Context) -> Iterator[Parameter]:
    """Yield the parameters that a name may stand for."""
    if isinstance(place, tree.Name):
        for function in context.functions.values():
            if function.span.start <= place.span.start < function.span.end:
                yield from (one for one in function.parameters if one.name == place.id)


def _request_parameters(_: str, context: Context) -> tuple[Parameter, ...]:
    """Return the parameters of all functions that answer requests, but for what these are given otherwise."""
    return tuple(
        parameter
        for function in context.functions.values()
        if serves(function, context)
        for parameter in function.parameters
        if all("makes field" in does for does in _given_by(parameter, context))
    )


def is_form_parameter(value: Value, context: Context) -> bool:
    """Return whether a value is a parameter that every call in the file gives what somebody has chosen."""
    node = value.node if isinstance(value, Protected) else None
    return any(node is one for one in context.once(_form_parameters, ""))


def _form_parameters(_: str, context: Context) -> tuple[Parameter, ...]:
    found: list[Parameter] = []
    calls: dict[str, list[Call]] = {}
    for call in context.facts.calls:
        calls.setdefault(call.name, []).append(call)
    for name, function in context.functions.items():
        for place, parameter in enumerate(function.parameters if name in calls else ()):
            given = [call.argument(place, parameter.name) for call in calls[name]]
            if all(one is not None and _is_from_form(one, context) for one in given):
                found.append(parameter)
    return tuple(found)


def _is_from_form(value: Value, context: Context) -> bool:
    """Return whether a value is what a widget or a form has asked for."""
    calls = (
        context.facts.call_giving(one)
        for part in _nonempty_alternatives(value)
        for one in context.facts.behind(part)
    )
    return any(
        "asks user" in found.entry.does
        for call in calls
        if call is not None
        for found in context.may_be(call.node)
    )


def serves(function: Function, context: Context) -> bool:
    """Return whether a function answers requests, as its decorator says."""
    calls = [one for one in function.decorators if isinstance(one, tree.Call)]
    return any("serves" in found.entry.does for call in calls for found in context.may_be(call))


def _given_by(parameter: Parameter, context: Context) -> Iterator[frozenset[str]]:
    """Yield what the calls do that say where a parameter comes from: `Query()`, `Annotated[Row,
    Depends(row)]`.
    """
    span = parameter.span
    calls = [tree.Call(span, tree.Name(span, name), ()) for name in _CALLED.findall(parameter.type)]
    calls += [parameter.default] if isinstance(parameter.default, tree.Call) else []
    for call in calls:
        yield frozenset(word for found in context.may_be(call) for word in found.entry.does)
