"""Calls of what is known: each effect of the closed vocabulary, as values and events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite

from fairlint.semantics.groups.chains import ARITHMETIC
from fairlint.semantics.interpreter import (
    container_elements,
    instances,
    loaded_data,
    operations,
    orderings,
    reads,
    rounds,
    selections,
)
from fairlint.semantics.interpreter.arguments import keyword
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables import learning, table_functions, table_methods
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.texts import text_calls, text_forms
from fairlint.semantics.values import whole_numbers
from fairlint.semantics.values.lift import leaves, map_alternatives, spread
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    Choice,
    Const,
    Elementwise,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Table,
    Text,
    Value,
)
from fairlint.support.records import replace
from fairlint.syntax import text_methods, tree
from fairlint.syntax.tree import Node


def apply(call: Invocation) -> Value | None:
    """Return what a known call gives; None where that says nothing here. What Python says of it
    comes first.
    """
    python, function = call.entry.given.get("python", ""), call.found.library.function
    if python and function is not None:
        value: Value | None = function(python)(call)
        if value is not None:
            return value
    for does in call.entry.does:
        if (handler := _BY_EFFECT.get(does)) is not None and (found := handler(call)) is not None:
            return found
    if python:
        return None
    if (found := learning.apply(call)) is not None:
        return found
    return table_methods.method(call) if call.entry.is_method else table_functions.function(call)


def of_value(callee: Value, node: Node, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """Return what a known function gives that is held as a value: `OPS["<"](age, 40)`."""
    name = callee.name if isinstance(callee, Opaque) else ""
    found = frame.program.models.find(name) if name else None
    if found is None:
        return None
    call = node if isinstance(node, tree.Call) else tree.Call(node.span, node, ())
    return apply(Invocation(call, None, arguments, frame, found))


# ------------------------------------------------------------------------------------------------ values


_NUMBERS = frozenset({"int", "float"})
"""Forms that make a number of a text."""


_CUTS_OFF = frozenset({"int", "floor", "trunc"})
"""Forms that leave a number's fraction out."""


_OF_TRUTHS = _NUMBERS | {"round", "trunc", "floor", "ceil", "abs"}
"""Forms that make 1 and 0 of a truth value."""


def _passed_argument(call: Invocation) -> Value | None:
    """Return what it is given, or what it is called on, perhaps in another form."""
    form = call.entry.given.get("form", "")
    places = call.entry.places("argument")
    found = call.base if call.entry.is_method and not places else call.given("argument", 0)
    if not form or found is None:
        return found
    if form in text_methods.SAME_LENGTH or form in text_methods.ENDS:
        return text_forms.changed_each(found, lambda one: text_forms.in_other_form(one, form)) or found
    further = call.arguments[1] if len(call.arguments) > 1 else None
    number = further.value if isinstance(further, Const) and isinstance(further.value, int) else None
    if form in _CUTS_OFF and (whole := operations.in_whole_steps(found)) is not None:
        return whole
    if form in _OF_TRUTHS and isinstance(found, Operation) and found.op in operations.TRUTHS:
        return call.frame.program.facts.counted(found)
    if form in whole_numbers.FORMS:
        return whole_numbers.in_form(form, found, number)
    if isinstance(found, Choice | Lookup):
        return map_alternatives(found, lambda end: _convert_constant(form, end, number))
    if isinstance(found, Text) and form in _NUMBERS and not call.frame.program.dependence.on_any(found):
        return Opaque(call.frame.text(call.node))  # a number, whatever the text was put together of
    return _convert_constant(form, found, number)


def _convert_constant(name: str, value: Value, base: int | None = None) -> Value:
    """`str(5)`, `int("3")`, `int("11", 2)` and their like on something known, and whether a number is any."""
    if name == "bool" and isinstance(value, Operation) and value.op in ARITHMETIC:
        return Operation("not", (Operation("==", (value, Const(0)), value.node),), value.node)
    if not isinstance(value, Const) or value.value is None:
        return value
    try:
        match name:
            case "int" if base is not None and isinstance(value.value, str):
                return Const(int(value.value, base), value.label)
            case "int":
                return Const(int(value.value), value.label)
            case "float" if not isfinite(number := float(value.value)):
                return Opaque(str(number))  # no amount is told of it
            case "float":
                return Const(float(value.value), value.label)
            case "bool":
                return value if value.label else Const(bool(value.value))
            case "str":
                return Const(str(value.value), value.label)
            case _:
                return value
    except (ValueError, OverflowError):
        return value


def _measured_value(call: Invocation) -> Value:
    return Opaque(call.frame.text(call.node))


def _call_operands(call: Invocation) -> tuple[Value, ...]:
    """Return what an operator is given; a method, after what it is called on."""
    base = call.base if call.entry.is_method else None
    return call.arguments if base is None else (base, *call.arguments)


def _compared_pair(call: Invocation) -> tuple[Value, Value] | None:
    """Return the two values that a comparison is of."""
    given = _call_operands(call)
    first, second = (call.entry.places("arguments") or (0, 1))[:2]
    if not (isinstance(first, int) and isinstance(second, int)) or len(given) <= max(first, second):
        return None
    return given[first], given[second]


def _comparison_result(call: Invocation) -> Value | None:
    pair, op = _compared_pair(call), call.entry.given["op"]
    if pair is None:
        return None
    if op == "strcmp":
        return Operation(op, pair, call.node)
    return operations.compare(op, *pair, call.node)


def _arithmetic_result(call: Invocation) -> Value | None:
    given, op = _call_operands(call), call.entry.given["op"]
    if len(given) != 2:
        return None
    if op == "+" and call.entry.is_method and not _is_sum(given, call.frame):
        return None  # a person joins a set
    return operations.arithmetic(op, *given, call.node)


def _is_sum(given: tuple[Value, ...], frame: Frame) -> bool:
    is_number = isinstance(given[1], Const) and isinstance(given[1].value, int | float)
    return is_number or any(map(frame.program.dependence.on_any, given))


def _combination_result(call: Invocation) -> Value | None:
    if len(call.arguments) < 2:
        return None
    return operations.combine(call.entry.given["op"], call.arguments, call.node)


def _negation_result(call: Invocation) -> Value | None:
    return operations.negate(call.arguments[0], call.node) if call.arguments else None


def _conditional_choice(call: Invocation) -> Value | None:
    """`np.where(test, then, otherwise)`."""
    return Choice(*call.arguments, call.node) if len(call.arguments) == 3 else None


def _monotone_result(call: Invocation) -> Value | None:
    """`np.log(score)`: what differs where its argument differs."""
    if not call.arguments or not call.frame.program.dependence.on_any(call.arguments[0]):
        return None
    return Operation(call.name, call.arguments[:1], call.node)


def _gives_fields(call: Invocation) -> Value | None:
    """`asdict(applicant)`, `request.model_dump()`, `request.model_dump(include={"income"})`."""
    function = call.node.function
    owners = call.node.arguments if call.base is None else (getattr(function, "value", None),)
    given = (instances.dump_fields(one, call.node, call.frame) for one in owners if one is not None)
    record = next(given, None)
    kept, dropped = _literal_names(call.keyword("include")), _literal_names(call.keyword("exclude"))
    if record is None or (kept is None and not dropped):
        return record
    entries = [
        (key, value)
        for key, value in record.entries
        if isinstance(key, Const) and (kept is None or key.value in kept) and key.value not in (dropped or ())
    ]
    return replace(record, entries=tuple(entries))


def _literal_names(value: Value | None) -> frozenset[object] | None:
    """Return the names in a list, a set or the keys of a dict; None where they are not all known."""
    names: list[Value] = []
    if isinstance(value, Sequence):
        names += value.items
    elif isinstance(value, Table):
        names += (key for key, _ in value.entries)
    known = [one.value for one in names if isinstance(one, Const)]
    return frozenset(known) if names and len(known) == len(names) else None


def _parsed_date(call: Invocation) -> Value | None:
    """`datetime.strptime(person.born, ...)`: a protected date."""
    first = call.arguments[0] if call.arguments else None
    return first if isinstance(first, Protected) and first.mention.form == "date" else None


def _age_from_date(call: Invocation) -> Value | None:
    """`relativedelta(today, person.born)`: the time since a protected date is an age."""
    for argument in call.arguments:
        if isinstance(argument, Protected) and argument.mention.form == "date":
            return operations.as_number(argument)
    return None


def _collection_entries(call: Invocation, if_left_out: Value | None) -> Value | None:
    """Return what a function of a collection goes through: a Sequence, or several by group.

    An entry that a comprehension's own condition leaves out counts as `if_left_out`.
    """
    node, arguments, frame = call.node, call.arguments, call.frame
    if not arguments:
        return None
    written = node.arguments[0]
    if (
        if_left_out is not None
        and isinstance(written, tree.Comprehension)
        and len(written.generators) == 1
        and written.generators[0].conditions
    ):
        found = _conditional_entries(written, frame, if_left_out)
        if found is not None:
            return found
    alternatives = leaves(arguments[0])
    if alternatives and all(isinstance(one, Sequence) and one.items for one in alternatives):
        return arguments[0]
    return None


def _conditional_entries(node: tree.Comprehension, frame: Frame, if_left_out: Value) -> Value | None:
    passed = rounds.of_entries(node, frame)
    if not passed:
        return None
    return Sequence(tuple(Choice(one.test, one.element, if_left_out, node) for one in passed), node)


def _sum_result(call: Invocation) -> Value | None:
    path = path_of(call.node.arguments[0]) if len(call.node.arguments) == 1 else None
    kept = None if path is None else call.frame.variables.get(container_elements.SUM + path)
    if kept is not None and call.frame.program.dependence.on_any(kept):
        return kept
    start: Value = call.arguments[1] if len(call.arguments) > 1 else Const(0)

    def total(value: Value) -> Value | None:
        if not isinstance(value, Sequence):
            return None
        amount = start
        for item in value.items:
            amount = operations.arithmetic("+", amount, item, call.node)
        return amount

    entries = _collection_entries(call, Const(0))
    return None if entries is None else spread(entries, total)


def _asks_all(call: Invocation) -> Value | None:
    op = call.entry.given["op"]

    def joined(value: Value) -> Value | None:
        return operations.combine(op, value.items, call.node) if isinstance(value, Sequence) else None

    entries = _collection_entries(call, Const(op == "and"))
    return None if entries is None else spread(entries, joined)


def _known_extreme(op: str, given: tuple[Value, ...]) -> Const | None:
    """Return the lowest or highest of numbers that are written out."""
    numbers = [
        one.value
        for one in given
        if isinstance(one, Const) and not one.label and whole_numbers.is_number(one.value)
    ]
    return Const((min if op == "min" else max)(numbers)) if len(numbers) == len(given) else None


def _extreme_result(call: Invocation) -> Value | None:
    op = call.entry.given["op"]
    if len(call.arguments) >= 2:
        return _known_extreme(op, call.arguments) or Operation(op, call.arguments, call.node)

    def extreme(value: Value) -> Value | None:
        return Operation(op, value.items, call.node) if isinstance(value, Sequence) else None

    entries = _collection_entries(call, None)
    return None if entries is None else spread(entries, extreme)


# ------------------------------------------------------------------------------------------------ people


_WITHIN = frozenset({"search", "contains", "findall", "finditer"})
"""What finds a text anywhere in another; the others begin at its beginning."""


def _match_result(call: Invocation) -> Value | None:
    """`re.match(pattern, text)`, `pattern.match(text)`, `column.str.contains(pattern)`."""
    given = _call_operands(call)
    if len(given) < 2 or (call.entry.is_method and not isinstance(given[0], Const | Protected)):
        return None
    is_column = call.entry.is_method and isinstance(given[0], Protected)
    pattern, text = (given[1], given[0]) if is_column else given[:2]
    within, whole = call.name in _WITHIN, call.entry.given.get("form") == "whole"
    return text_calls.matching(pattern, text, call.node, call.frame, within=within, whole=whole)


def _picked_selection(call: Invocation) -> Value | None:
    chance = call.given("weight") if call.entry.places("weight") else None
    chance = chance.element if isinstance(chance, Elementwise) else chance
    if chance is not None and call.frame.program.dependence.on_any(chance):
        call.frame.emit("assign", call.node, chance, "chance", by_name=call.found.by_name)
    return selections.picked_selection(call.node, call.arguments, one="op" in call.entry.given)


def _ordering_result(call: Invocation) -> Value | None:
    key = keyword(call.node, "key")
    return None if key is None or call.entry.is_method else orderings.by_key(call, key)


def _push_result(call: Invocation) -> Value | None:
    if call.entry.is_method or len(call.arguments) < 2:
        return None
    return container_elements.push_on_heap(call.node, call.arguments, call.frame)


def _takes_first(call: Invocation) -> Value | None:
    if call.entry.is_method or not call.arguments:
        return None
    return container_elements.pop_from_heap(call.node, call.arguments, call.frame)


# ------------------------------------------------------------------------------------------------ judging


def _judgment_result(call: Invocation) -> Value:
    """`risk.score(applicant)`: what a call is given decides about a person; detectors ask what that is."""
    frame, node = call.frame, call.node
    given = Sequence(call.handed(), node)
    frame.emit("call", node, given, frame.text(node.function), by_name=call.found.by_name)
    return Opaque(frame.text(node))


# ------------------------------------------------------------------------------------------------ asking


def _user_input_value(call: Invocation) -> Value | None:
    """`st.selectbox("Gender", ...)`, `gender_entry.get()`: what is chosen, as its label or name says."""
    if call.entry.given.get("form") == "by name":
        if not has_tables(call.frame):
            return None
        function = call.node.function
        if not isinstance(function, tree.Field) or call.arguments:
            return None
        return reads.held_by(function.value, call.node, call.frame)
    label = call.given("argument") if call.entry.places("argument") else None
    if label is None and not call.arguments:
        return text_calls.asked_before(call, call.node)
    if not (isinstance(label, Const) and isinstance(label.value, str)):
        return None
    is_typed = call.entry.given.get("form") == "typed"
    found = reads.read_by_label(label.value, call.node, call.frame, typed=is_typed)
    shown = [*text_calls.shown_before(call), label.value]
    return reads.read_by_label_or_menu(found, shown, call.node, call.frame) if is_typed else found


_BY_EFFECT: Mapping[str, Callable[[Invocation], Value | None]] = {
    "keeps": _passed_argument,
    "measures": _measured_value,
    "compares": _comparison_result,
    "computes": _arithmetic_result,
    "joins": _combination_result,
    "negates": _negation_result,
    "chooses": _conditional_choice,
    "rises": _monotone_result,
    "gives fields": _gives_fields,
    "parses": _parsed_date,
    "gives age": _age_from_date,
    "names file": loaded_data.named_file,
    "loads data": loaded_data.loaded_value,
    "makes option": loaded_data.option,
    "sums": _sum_result,
    "asks of all": _asks_all,
    "extreme": _extreme_result,
    "matches": _match_result,
    "searches": text_calls.search_test,
    "copies": text_calls.copy_text,
    "appends": text_calls.append_text,
    "prints": text_calls.print_to_buffer,
    "prints behind": text_calls.printed_behind,
    "formats": text_calls.formatted_text,
    "lists arguments": text_calls.list_arguments,
    "wraps text": text_calls.wrapped_text,
    "begins text": text_calls.new_text,
    "empties": text_calls.empty_text,
    "reads into": text_calls.filled_from_outside,
    "picks": _picked_selection,
    "orders": _ordering_result,
    "gathers": _push_result,
    "takes first": _takes_first,
    "scores": _judgment_result,
    "decides": _judgment_result,
    "asks user": _user_input_value,
}
