"""Expressions to symbolic values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from zlib import crc32

from fairlint.semantics.interpreter import (
    access,
    calls,
    container_elements,
    designated,
    loaded_data,
    norms,
    operations,
    reads,
    rounds,
    struct_rows,
    typed_numbers,
    whole_tests,
)
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names import qualified_names
from fairlint.semantics.names.scopes import type_name
from fairlint.semantics.tables import chained, columns, gradients, table_access
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.texts import text_values
from fairlint.semantics.values import whole_numbers
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.lift import leaves, map_alternatives
from fairlint.semantics.values.paths import dotted_name, path_of
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Closure,
    Columns,
    Const,
    Elementwise,
    Filtered,
    Instance,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Sorted,
    Table,
    TypedParameter,
    Value,
    walk,
)
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.depth import TOO_DEEP, nesting
from fairlint.syntax.tree import Node
from fairlint.vocabulary.model import Mention

LONGEST_KEY = 190
"""Characters of an expression that say what an unknown value is; of a longer one, a hash says the rest."""


def evaluate(node: Node | None, frame: Frame) -> Value:
    """The symbolic value of the expression `node`, which is found once as long as no variable changes."""
    if node is None:
        return Const(None)
    handler = _HANDLERS.get(node.__class__)
    if handler is None:
        return UNKNOWN
    variables = frame.variables
    known = variables.found.get(id(node))
    if known is not None and known[2] == variables.state:
        return known[1]
    if not frame.program.step(node):
        return UNKNOWN
    value = handler(node, frame)
    variables = frame.variables
    variables.found[id(node)] = (node, value, variables.state)
    if frame.is_recorded or not frame.calls:
        frame.program.facts.note(node, value, own=not frame.calls)
    return value


# ------------------------------------------------------------------------------------------------ leaves


def _evaluate_name(node: tree.Name, frame: Frame) -> Value:
    program = frame.program
    if (known := _variable_value(node.id, frame)) is not None:
        return known
    definitions = program.definitions
    if (member := definitions.members.get(node.id)) is not None:
        return member
    if (macro := definitions.macros.get(node.id)) is not None:
        return macro_value(node.id, macro, frame)
    if (function := definitions.functions.get(node.id)) is not None:
        return Closure(function)
    type_ = frame.types.get(node.id, "")
    found = reads.read_by_identifier(node.id, node, frame, "", type_) or reads.read_by_type(
        node.id, type_, node, frame
    )
    return found or _of_type(node.id, type_name(type_), frame)


def _of_type(name: str, type_: str, frame: Frame) -> Opaque:
    return TypedParameter(name, of=type_) if type_ in frame.program.definitions.types else Opaque(name)


def _variable_value(name: str, frame: Frame) -> Value | None:
    """What a variable holds, of the function or of the file."""
    known = frame.variables.get(name)
    return frame.program.globals.get(name) if known is None else known


def macro_value(name: str, value: Node, frame: Frame) -> Value:
    """What a macro comes to that is a value."""
    if name in frame.calls or frame.program.is_open(name):
        return Opaque(name)
    known = frame.program.macros.get(name)
    if known is None and len(frame.calls) >= nesting():
        frame.program.facts.cut(value, TOO_DEEP)
        return Opaque(name)
    if known is None:
        found = evaluate(value, frame.inlined(name, "", {}))
        known = replace(found, label=found.label or name) if isinstance(found, Const) else found
        frame.program.macros[name] = known
    return known


def _evaluate_literal(node: tree.Literal, frame: Frame) -> Value:
    del frame
    value = node.value
    return Const(value.decode("utf-8", "replace") if isinstance(value, bytes) else value, "", node)


def _evaluate_interpolation(node: tree.Interpolation, frame: Frame) -> Value:
    return text_values.join_values([(evaluate(part, frame), part) for part in node.parts], node, node)


# ------------------------------------------------------------------------------------------------ operators


def _evaluate_comparison(node: tree.Compare, frame: Frame) -> Value:
    if (known := typed_numbers.truth(node, frame)) is not None:
        return known
    left, right = evaluate(node.left, frame), evaluate(node.right, frame)
    frame.note(node, UNKNOWN, (left, right))
    if node.op in {"==", "!=", "in", "not in"}:
        left, right = _sample_in_comparison(left, right), _sample_in_comparison(right, left)
    if node.op in {"==", "!="}:
        left = _compared_with_group(left, right, node.left, frame)
        right = _compared_with_group(right, left, node.right, frame)
        if (person := operations.person_of_condition(left, right)) is not None:
            test = Operation("asks", (person,), node)
            return test if node.op == "==" else operations.negate(test, node)
    if node.op in {"==", "!=", "in", "not in"}:
        left, right = _named_group(left, right, frame), _named_group(right, left, frame)
    asked = _asked_by_length(node.left, right, node, frame) or _asked_by_length(node.right, left, node, frame)
    if asked is not None:
        return asked
    left, right = (
        typed_numbers.wrap_comparison_side(left, node, frame),
        typed_numbers.wrap_comparison_side(right, node, frame),
    )
    return whole_tests.compare_whole(node.op, left, right, node, frame)


_LENGTHS = range(2, 21)
"""Characters that a group's name may be asked for: more are a limit for what somebody types."""


def _asked_by_length(side: Node, other: Value, node: tree.Compare, frame: Frame) -> Value | None:
    """`len(person.race) == 5`: groups are told apart by how long their names are.

    Whether there is a name at all, or more than a letter or two, tells none apart.
    """
    match side, other:
        case (
            tree.Call(function=tree.Name(id="len"), arguments=(tree.Field(value=tree.Name()) as read,)),
            Const(value=int() as length),
        ) if length in (_LENGTHS if node.op in {"==", "!="} else _LENGTHS[2:]):
            value = evaluate(read, frame)
        case _:
            return None
    if not isinstance(value, Protected) or value.mention.group is not None or value.mention.form != "value":
        return None
    groups = frame.program.vocabulary.attribute(value.mention.attribute).core_groups
    return Operation("asks", (value,), node) if len(groups) > 1 and "no" not in groups else None


def _sample_in_comparison(value: Value, other: Value) -> Value:
    """What a record that is written out holds, where it is compared with somebody: a row of rules."""
    if not (isinstance(value, Protected) and value.sample is not None and value.of is not None):
        return value
    asked = other.items if isinstance(other, Sequence) else (other,)
    is_asked = any(
        isinstance(one, Protected) and one.sample is None and one.mention.attribute == value.mention.attribute
        for one in asked
    )
    return value.sample if is_asked else value


def _as_written_beside(value: Value, values: Iterable[Value], frame: Frame) -> Value:
    """The same where its bare truth stands beside such a test: `row["sex"] and row["sex"] != person.sex`."""
    if isinstance(value, Operation) and value.op == "not":
        asked = _as_written_beside(value.arguments[0], (one for one in values if one is not value), frame)
        return value if asked is value.arguments[0] else operations.negate(asked, value.node)
    if not (isinstance(value, Protected) and value.sample is not None and value.of is not None):
        return value
    attributes = frame.program.dependence.attributes
    others = (one for one in values if not isinstance(one, Protected))
    is_asked = any(value.mention.attribute in attributes(one) for one in others)
    return value.sample if is_asked else value


def _compared_with_group(value: Value, other: Value, node: Node, frame: Frame) -> Value:
    """What is compared with the constant of a group (`s == MALE`) holds the attribute, whatever its name; so
    does what a function that nobody knows makes of it (`clean(person.gender) == "female"`).
    """
    if not isinstance(value, Opaque):
        return value
    if isinstance(node, tree.Call) and len(node.arguments) == 1 and isinstance(other, Const):
        return _in_another_form(evaluate(node.arguments[0], frame), other, frame) or value
    if path_of(node) is None:
        return value
    flag = _group_constant(other, frame)
    if flag is None or flag.group is None:
        return value
    mention = Mention(flag.attribute, frame.text(node), flag.words, "ambiguous", "value")
    return Protected(mention, node)


def _in_another_form(given: Value, other: Const, frame: Frame) -> Value | None:
    """The attribute that a function is given, where what it makes of it is compared with a group of it."""
    if not isinstance(given, Protected) or given.mention.form != "value" or not isinstance(other.value, str):
        return None
    vocabulary, attribute = frame.program.vocabulary, given.mention.attribute
    group = vocabulary.group_of(attribute, other.value)
    return None if group is None or vocabulary.is_missing(attribute, group) else given


def _named_group(value: Value, other: Value, frame: Frame) -> Value:
    """The groups that constants of an unread class are called after: `race == Race.OTHER_HISPANIC`.

    Of a list only its own items are looked at: one that is put into itself has no end.
    """
    if not isinstance(other, Protected):
        return value
    if not isinstance(value, Sequence):
        return _group_of_class(value, other.mention.attribute, frame)
    items = tuple(_group_of_class(item, other.mention.attribute, frame) for item in value.items)
    is_same = all(new is old for new, old in zip(items, value.items, strict=True))
    return value if is_same else replace(value, items=items)


def _group_of_class(value: Value, attribute: str, frame: Frame) -> Value:
    if not isinstance(value, Opaque):
        return value
    holder, _, name = value.key.rpartition(".")
    if not holder.isidentifier() or not frame.program.conventions.is_constant(name):
        return value
    is_of_class = holder[:1].isupper() and any(
        mention.attribute == attribute for mention in frame.program.vocabulary.mentions(holder)
    )
    return Const(name, label=name) if is_of_class else value


def _bool_op(node: tree.BoolOp, frame: Frame) -> Value:
    if (known := typed_numbers.truth(node, frame)) is not None:
        return known
    values = [typed_numbers.as_truth(evaluate(value, frame), value, frame) for value in node.values]
    values = [_as_written_beside(value, values, frame) for value in values]
    if node.op == "or" and isinstance(values[0], Protected) and all(map(_is_empty, values[1:])):
        return values[0]  # `gender or ""`: of whom nothing is known is of no group either way
    chosen = None
    if node.op == "or" and frame.program.conventions.or_gives_value:
        chosen = operations.one_of_two(values, node)
    return chosen or operations.combine(node.op, values, node)


def _is_empty(value: Value) -> bool:
    return isinstance(value, Const) and not value.label and value.value in {"", None}


def _evaluate_unary(node: tree.Unary, frame: Frame) -> Value:
    decided = typed_numbers.truth if node.op == "not" else typed_numbers.constant
    if (known := decided(node, frame)) is not None:
        return known
    operand = evaluate(node.operand, frame)
    match node.op:
        case "not":
            return operations.negate(whole_tests.truth(operand, node, frame), node)
        case "~" if (
            isinstance(operand, Const)
            and type(operand.value) is int
            and frame.program.conventions.computed is None  # of what type it is in C, nobody knows here
        ):
            return Const(~operand.value)
        case "~":
            return (
                operations.negate(operand, node) if operations.mask_of(operand) else Opaque(frame.text(node))
            )
        case "-":
            if isinstance(operand, Const) and isinstance(operand.value, int | float):
                return Const(-operand.value)
            return Operation("neg", (operand,), node)
        case "+" if isinstance(operand, Operation) and operand.op in operations.TRUTHS:
            return frame.program.facts.counted(operand)
        case _:
            return operand


def _evaluate_binary(node: tree.Binary, frame: Frame) -> Value:
    spine: list[tree.Binary] = []
    left: Node = node
    known: Value | None = None
    while known is None and isinstance(left, tree.Binary):
        known = typed_numbers.constant(left, frame)
        if known is None:
            spine.append(left)
            left = left.left
    if known is not None and not spine:
        return known
    value = _evaluate_operand(left, spine[-1].op, frame, is_left=True) if known is None else known
    for part in reversed(spine):
        right = _evaluate_operand(part.right, part.op, frame)
        flag = _group_constant(right, frame) or _group_constant(value, frame) if part.op == "&" else None
        if flag is not None and not (operations.mask_of(value) or operations.mask_of(right)):
            value = Protected(flag, part, frame.text(part.left))  # `flags & FLAG_FEMALE`
        elif part.op == "%" and text_values.is_text(value):
            value = _percent_format(value, right, part)
        else:
            if part.op == "@":
                gradients.product(part, frame)
            found = loaded_data.below(part, value, right, frame) or _whole_division(part, value, right, frame)
            found = found or whole_tests.mask_test(part, value, right, frame)
            found = found or operations.arithmetic(part.op, value, right, part)
            value = typed_numbers.divide_in_type(part, found, frame)
    return value


def _evaluate_operand(node: Node, op: str, frame: Frame, *, is_left: bool = False) -> Value:
    """The value of an operand; a macro without brackets is other operands there than the value that it is."""
    if typed_numbers.falls_apart(node, op, frame, is_left=is_left):
        return Opaque(frame.text(node))
    return typed_numbers.of_letter(node, evaluate(node, frame), frame)


def _whole_division(node: tree.Binary, left: Value, right: Value, frame: Frame) -> Value | None:
    """What comes of whole numbers where the language cuts off what is left over; None for all else."""
    if node.op not in {"/", "%"} or not frame.program.conventions.divides_whole:
        return None
    if typed_numbers.is_floating(node.left, frame) or typed_numbers.is_floating(node.right, frame):
        return None
    divide = whole_numbers.quotient if node.op == "/" else whole_numbers.remainder
    if not isinstance(left, Choice | Lookup):
        return divide(left, right)
    if not all(divide(end, right) is not None for end in leaves(left)):
        return None
    return map_alternatives(left, lambda end: divide(end, right) or end)


def _percent_format(form: Value, given: Value, node: tree.Binary) -> Value:
    """`form % given`: of a tuple, of a dict by its keys, or of one value."""
    match given:
        case Table(entries=entries):
            named = {
                key.value: (value, text_values.place_of(value) or node.right)
                for key, value in entries
                if isinstance(key, Const) and isinstance(key.value, str)
            }
            return text_values.printed_by_name(form, named, node)
        case Sequence(items=items) if isinstance(node.right, tree.Collection):
            written = [item.value for item in node.right.items]
            return text_values.percent_format(form, zip(items, written, strict=False), node)
        case Sequence(items=items):
            return text_values.percent_format(
                form, [(item, text_values.place_of(item) or node.right) for item in items], node
            )
        case _:
            return text_values.percent_format(form, [(given, node.right)], node)


def _group_constant(value: Value, frame: Frame) -> Mention | None:
    """The group that a named constant stands for by its name."""
    if not (isinstance(value, Const) and value.label):
        return None
    mention = reads.mention_of(value.label, frame)
    return mention if mention is not None and mention.group is not None else None


def _evaluate_conditional(node: tree.Conditional, frame: Frame) -> Value:
    if (known := typed_numbers.constant(node, frame)) is not None:
        return known
    test = whole_tests.truth(evaluate(node.test, frame), node.test, frame)
    then, otherwise = evaluate(node.then, frame), evaluate(node.otherwise, frame)
    if isinstance(test, Const) and not test.label and isinstance(test.value, bool):
        return then if test.value else otherwise
    return Choice(test, then, otherwise, node)


# ------------------------------------------------------------------------------------------------ collections


def _evaluate_collection(node: tree.Collection, frame: Frame) -> Value:
    spread_out: list[Value] = []
    made = _written_out(node, spread_out, frame)
    frame.note(node, made, tuple(spread_out))
    return made


def _written_out(node: tree.Collection, spread_out: list[Value], frame: Frame) -> Value:
    if node.kind == "struct" and any(item.key is not None for item in node.items):
        return designated.table(node, frame)
    if node.kind == "dict" or any(item.key is not None for item in node.items):
        entries: list[tuple[Value, Value]] = []
        for item in node.items:
            value = evaluate(item.value, frame)
            if item.key is None:
                spread_out.append(value)
                if isinstance(value, Table):
                    entries.extend(value.entries)
                continue
            entries.append((evaluate(item.key, frame), value))
        return Table(_last_of_each(entries), node)
    items: list[Value] = []
    for item in node.items:
        value = evaluate(item.value, frame)
        if isinstance(item.value, tree.Star) and isinstance(value, Sequence):
            spread_out.append(value)
            items.extend(value.items)
        else:
            items.append(value)
    items = designated.fill_with_zeros(node, items) if node.places else items
    return _with_further_names(node, items, frame) or Sequence(tuple(items), node)


def _last_of_each(entries: list[tuple[Value, Value]]) -> tuple[tuple[Value, Value], ...]:
    """The entries without those whose key comes again: the last one counts."""
    last = {(key.value, key.label): at for at, (key, _) in enumerate(entries) if isinstance(key, Const)}
    return tuple(
        entry
        for at, entry in enumerate(entries)
        if not isinstance(entry[0], Const) or last[entry[0].value, entry[0].label] == at
    )


def _with_further_names(node: tree.Collection, items: list[Value], frame: Frame) -> Value | None:
    """`["gender", *others]` over columns of which nobody knows the others."""
    if not (node.kind == "list" and node.items and isinstance(node.items[-1].value, tree.Star)):
        return None
    if not (items and isinstance(items[-1], Opaque)) or not has_tables(frame):
        return None
    return columns.joined_names("+", Sequence(tuple(items[:-1]), node), items[-1], node)


def _evaluate_star(node: tree.Star, frame: Frame) -> Value:
    return evaluate(node.value, frame)


def _evaluate_lambda(node: tree.Lambda, frame: Frame) -> Value:
    made = Closure(node, dict(frame.variables), frame.owner)
    if frame.is_recorded and not frame.calls:
        frame.program.lambdas[id(node)] = (made, frame.function)
    return made


def _evaluate_comprehension(node: tree.Comprehension, frame: Frame) -> Value:
    if len(node.generators) == 1 and (made := _entry_by_entry(node, node.generators[0], frame)) is not None:
        return made
    if (rounds := _rounds_of_comprehension(node, frame)) is not None:
        return Sequence(tuple(evaluate(node.element, one) for one in rounds), node)
    if (all_or_none := _all_or_none(node, frame)) is not None:
        return all_or_none
    inner = scope(frame)
    people: Value = UNKNOWN
    tests: list[Value] = []
    for place, generator in enumerate(node.generators):
        people = evaluate(generator.iterable, inner if place else frame)
        if isinstance(generator.target, tree.Name):
            inner.types = {**inner.types, generator.target.id: frame.text(generator.iterable)}
        bind(generator.target, element_of(people, generator.target, inner), inner)
        tests.extend(evaluate(condition, inner) for condition in generator.conditions)
    element = evaluate(node.element, inner)
    if tests:
        test = operations.combine("and", tests, node)
        frame.program.own_groups = frame.program.own_groups or norms.asked_of_two(test) is not None
        return Filtered(people if isinstance(people, Filtered) else element, test, node)
    tells = frame.program.dependence.on_any(element)
    if isinstance(people, Filtered) or (isinstance(people, Sorted) and not tells):
        return people
    if (rows := table_access.rows_of(element, node, frame)) is not None:
        return rows
    if (isinstance(element, Sequence | Table) and tells) or text_values.is_text(element):
        return Elementwise(element, node)
    if isinstance(node.element, tree.Call) and _is_record(element, frame):  # `[str(c) for c in candidates]`
        return Elementwise(element, node)
    return element if isinstance(element, Choice | Lookup | Operation) else Opaque(frame.text(node))


def _all_or_none(node: tree.Comprehension, frame: Frame) -> Value | None:
    """What is made of all or none, by a test of somebody else: `[5 for _ in rules if person.is_male]`."""
    if node.key is not None or not any(one.conditions for one in node.generators):
        return None
    found = rounds.that_are_alike(node, frame)
    if found is None or not frame.program.dependence.on_any(found.test):
        return None
    return Choice(found.test, Elementwise(found.element, node), Sequence((), node), node)


def _is_record(value: Value, frame: Frame) -> bool:
    """Whether a value is a record that names an attribute, in another form."""
    return isinstance(value, TypedParameter) or (isinstance(value, Table) and frame.program.tells(value))


def _entry_by_entry(node: tree.Comprehension, generator: tree.Generator, frame: Frame) -> Value | None:
    """What is made of entries that are written out, or of a table's columns."""
    gone_through = evaluate(generator.iterable, frame)
    frame.note(node, gone_through, target=generator.target)
    if (table := table_access.comprehension(node, generator, gone_through, frame)) is not None:
        return table
    entries = operations.entries_of(gone_through) or _items_asked_for(generator, frame)
    if generator.conditions or entries is None:
        if not entries:
            return None
        passing = _known_to_pass(node, generator, entries, frame)
        return _rows_by_person(node, generator, entries, frame) if passing is None else passing
    values, keys = [], []
    for entry in entries:
        inner = scope(frame)
        bind(generator.target, entry, inner)
        values.append(evaluate(node.element, inner))
        keys.append(None if node.key is None else reads.written_out_value(evaluate(node.key, inner)))
    pairs = tuple((key, value) for key, value in zip(keys, values, strict=True) if key is not None)
    return Table(pairs, node) if pairs else Sequence(tuple(values), node)


def _rounds_of_comprehension(node: tree.Comprehension, frame: Frame) -> list[Frame] | None:
    """The rounds of several lists that are written out: `[(r, s) for r in RACES for s in SEXES]`."""
    if len(node.generators) == 1:
        return None
    rounds = [frame]
    for generator in node.generators:
        entered: list[Frame] = []
        for outer in rounds:
            is_plain = (
                node.key is None and not generator.conditions and path_of(generator.iterable) is not None
            )
            entries = operations.entries_of(evaluate(generator.iterable, outer)) if is_plain else None
            if entries is None or len(entered) + len(entries) > operations.MAX_UNROLL:
                return None
            for entry in entries:
                entered.append(scope(outer))
                bind(generator.target, entry, entered[-1])
        rounds = entered
    return rounds


def _items_asked_for(generator: tree.Generator, frame: Frame) -> tuple[Value, ...] | None:
    """The entries of a record that a condition lets through: `for k, v in person.items() if k in FIELDS`."""
    match generator:
        case tree.Generator(
            target=tree.Collection(items=(tree.Item(value=tree.Name(id=key)), _)),
            iterable=tree.Call(function=tree.Field(value=record, name="items")),
        ):
            pass
        case _:
            return None
    for condition in generator.conditions:
        match condition:
            case tree.Compare(op="in", left=tree.Name(id=asked), right=listed) if asked == key:
                names = operations.entries_of(evaluate(listed, frame))
                if names and all(map(text_values.is_name, names)):
                    held = [access.entry_of(record, name, frame) for name in names]
                    return tuple(Sequence(pair, listed) for pair in zip(names, held, strict=True))
            case _:
                pass
    return None


def _known_to_pass(
    node: tree.Comprehension, generator: tree.Generator, entries: tuple[Value, ...], frame: Frame
) -> Sequence | Table | None:
    """The entries that pass, where every condition is decided: `[name for name in NAMES if name != "a"]`."""
    values: list[Value] = []
    keys: list[Value] = []
    for entry in entries:
        inner = scope(frame)
        bind(generator.target, entry, inner)
        tests = [evaluate(condition, inner) for condition in generator.conditions]
        test = operations.combine("and", map(operations.settle_test, tests), node)
        unclear = not isinstance(test, Const) or bool(test.label)
        if unclear and not _asks_for_column(test) and not _is_name_of_column(entry, test, frame):
            return None
        if unclear or (isinstance(test, Const) and test.value):
            values.append(evaluate(node.element, inner))
            keys.extend(() if node.key is None else (reads.written_out_value(evaluate(node.key, inner)),))
    return Table(tuple(zip(keys, values, strict=True)), node) if keys else Sequence(tuple(values), node)


def _rows_by_person(
    node: tree.Comprehension, generator: tree.Generator, entries: tuple[Value, ...], frame: Frame
) -> Filtered | None:
    """The rows of a written-out table that ask something of a person: `[r for r in RULES if r.sex == p.sex]`.

    What is a person's own is looked at as ever.
    """
    rows = (part for entry in entries for part in (entry.items if isinstance(entry, Sequence) else (entry,)))
    if not any(isinstance(row, Table | Instance) for row in rows):
        return None
    found: Value = Opaque(frame.text(node))
    for entry in entries:
        inner = scope(frame)
        bind(generator.target, entry, inner)
        tests = [evaluate(condition, inner) for condition in generator.conditions]
        test = operations.combine("and", map(operations.settle_test, tests), node)
        if not frame.program.dependence.on_any(test):
            continue
        if any(isinstance(part, Protected) and part.sample is not None for part in walk(test)):
            return None
        found = Filtered(found, test, node)
    return found if isinstance(found, Filtered) else None


def _is_name_of_column(entry: Value, test: Value, frame: Frame) -> bool:
    """Whether one of some names may pass a test about anything else: an option, a study's suggestion."""
    is_name = isinstance(entry, Const) and isinstance(entry.value, str)
    return is_name and has_tables(frame) and not frame.program.dependence.on_any(test)


def _asks_for_column(test: Value) -> bool:
    """Whether a test only asks if a table has a column, which it mostly has."""
    return isinstance(test, Operation) and test.op == "in" and isinstance(test.arguments[1], Columns)


def scope(frame: Frame) -> Frame:
    """A frame with its own variables and everything else shared."""
    inner = frame.inlined(frame.function, frame.owner, frame.variables)
    inner.calls, inner.types = frame.calls, frame.types
    return inner


def element_of(people: Value, target: Node, frame: Frame) -> Value:
    """What a loop variable stands for."""
    if (inside := container_elements.element(people)) is not None:
        return inside
    if (
        isinstance(people, Protected)
        and isinstance(people.node, tree.Index | tree.Field)
        and has_tables(frame)
    ):
        return people  # each value of a column
    name = path_of(target)
    if name is None:
        return UNKNOWN
    found = reads.read_by_identifier(name, target, frame)
    found = found or (
        TypedParameter(name, of=people.of) if isinstance(people, TypedParameter) else Opaque(name)
    )
    frame.program.facts.origins[id(found)] = found, people
    return found


def bind(target: Node, value: Value, frame: Frame) -> None:
    """Gives `value` to the variable, or the tuple of variables, `target`."""
    match target:
        case tree.Collection(items=items):
            held = tuple(value.fields.values()) if isinstance(value, Instance) else ()
            held = value.items if isinstance(value, Sequence) else held
            if held and len(held) == len(items):
                for item, part in zip(items, held, strict=True):
                    bind(item.value, part, frame)
            else:
                for item in items:
                    bind(item.value, element_of(value, item.value, frame), frame)
        case tree.Star(value=inner):
            bind(inner, UNKNOWN, frame)
        case _:
            if (path := path_of(target)) is not None:
                frame.variables[path] = value


# ------------------------------------------------------------------------------------------------ the rest


def _evaluate_assignment(node: tree.Assign, frame: Frame) -> Value:
    from fairlint.semantics.interpreter.statements import execute_assign  # noqa: PLC0415 (statements stand on expressions)

    execute_assign(node, frame)
    return evaluate(node.targets[0], frame) if node.targets else UNKNOWN


def _evaluate_cast(node: tree.Cast, frame: Frame) -> Value:
    if (known := typed_numbers.constant(node, frame)) is not None:
        return known
    value = struct_rows.shape_rows(node, evaluate(node.value, frame), frame)
    return typed_numbers.wrap_difference(
        typed_numbers.convert_to_type(value, node.type, frame), node.type, frame
    )


def _evaluate_call(node: tree.Call, frame: Frame) -> Value:
    if chained.is_lost_call(node, frame):
        for part in (node.function, *node.arguments):
            evaluate(part, frame)
        return Const(None)
    if (known := typed_numbers.of_macro(node, frame)) is not None:
        return known
    value = calls.evaluate_call(node, frame)
    if not frame.is_recorded:
        for _, given in node.keywords:
            evaluate(given, frame)
        return value
    last = frame.variables.last_value_of
    keywords = {key or "**": last(given) or evaluate(given, frame) for key, given in node.keywords}
    if frame.alive:
        function = node.function
        receiver = last(function.value) if isinstance(function, tree.Field) else None
        callee = _variable_value(function.id, frame) if isinstance(function, tree.Name) else None
        arguments = tuple([last(given) or evaluate(given, frame) for given in node.arguments])
        call = Call(
            node,
            dotted_name(function),
            qualified_names.qualified_name(function, frame),
            receiver,
            arguments,
            keywords,
            value,
            frame.guards,
            frame.function,
            frame.run,
            frame.way,
            callee,
        )
        frame.program.facts.calls.append(call)
        frame.program.facts.steps.append(call)
    return value


def _evaluate_other(node: tree.Other, frame: Frame) -> Value:
    known = typed_numbers.constant(node, frame)
    if known is not None:
        return known
    if node.kind == "comma_expression" and (children := tree.children(node)):
        return [evaluate(child, frame) for child in children][-1]
    return _evaluate_children(node, frame)


def _evaluate_children(node: Node, frame: Frame) -> Value:
    for child in tree.children(node):
        evaluate(child, frame)
    text = frame.text(node)
    if len(text) > LONGEST_KEY:  # what differs further on is something else
        text = f"{text[:LONGEST_KEY]}… {crc32(text.encode('utf-8', 'replace')):08x}"
    return Opaque(text)


_HANDLERS: dict[type[Node], Callable[..., Value]] = {
    tree.Name: _evaluate_name,
    tree.Literal: _evaluate_literal,
    tree.Interpolation: _evaluate_interpolation,
    tree.Field: access.field,
    tree.Index: access.entry,
    tree.Call: _evaluate_call,
    tree.Compare: _evaluate_comparison,
    tree.BoolOp: _bool_op,
    tree.Unary: _evaluate_unary,
    tree.Binary: _evaluate_binary,
    tree.Conditional: _evaluate_conditional,
    tree.Collection: _evaluate_collection,
    tree.Star: _evaluate_star,
    tree.Lambda: _evaluate_lambda,
    tree.Comprehension: _evaluate_comprehension,
    tree.Assign: _evaluate_assignment,
    tree.Cast: _evaluate_cast,
    tree.Other: _evaluate_other,
    tree.Broken: _evaluate_children,
}
