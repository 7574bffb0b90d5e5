"""What functions do to texts: searching, copying, appending, printing, and regular expressions."""

from __future__ import annotations

import functools

from fairlint.semantics.interpreter import operations, reads
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.effects import is_show
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.texts import regexes, spellings, text_filling, text_forms, text_growth, text_values
from fairlint.semantics.texts.menus import listed_names
from fairlint.semantics.values.marks import hidden_mark
from fairlint.semantics.values.paths import last_name, path_of
from fairlint.semantics.values.symbolic import Const, Opaque, Protected, Sequence, Text, Value
from fairlint.semantics.values.traversal import either
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

_NOTHING = frozenset({"", "\0", None})

REST = "..."
"""The parameter of a function of C that takes any number of arguments."""
MOST_BEFORE = 12
"""Calls that are looked at for what somebody was asked before he typed."""
FORMAT = lazy_expression(r"%[-+ #0-9.*lhzjt]*[a-zA-Z]")


def search_test(call: Invocation) -> Value | None:
    """`strstr(text, "female")`: a null pointer where the text is not found."""
    places = [place for place in call.entry.places("arguments") if isinstance(place, int)]
    if len(places) != 2 or len(call.arguments) <= max(places):
        return None
    needle, text = (call.arguments[place] for place in places)
    if isinstance(needle, Const) and not any(char.isalnum() for char in str(needle.value)):
        return None  # a separator
    if not (isinstance(needle, Const) or isinstance(text, Const)):
        return None
    test = operations.compare("in", needle, text, call.node)
    return test if call.frame.program.dependence.on_any(test) else None


def copy_text(call: Invocation) -> Value | None:
    """`strcpy(target, value)` is an assignment."""
    value, target = call.given("argument", 1), call.written("target", 0)
    return None if value is None or target is None else _assign_text(call.node, target, value, call.frame)


def empty_text(call: Invocation) -> Value | None:
    """`initPQExpBuffer(&buffer)`: an empty text."""
    target = call.written("target", 0)
    return None if target is None else _assign_text(call.node, target, Const("", "", call.node), call.frame)


def append_text(call: Invocation) -> Value | None:
    """`strcat(target, value)`."""
    value = call.given("argument", 1)
    return None if value is None else _append_to_first(call.node, value, call.frame)


def print_to_buffer(call: Invocation) -> Value | None:
    """`snprintf(target, size, format, ...)`: a copy where the format is no more than `%s`."""
    form, target = _call_format(call, 1), call.written("target", 0)
    if form is None or target is None or not text_values.may_be_text(form.form):
        return None
    is_bare = isinstance(form.form, Const) and not FORMAT.sub("", str(form.form.value)).strip()
    is_copy = is_bare and len(form.given) == 1
    _assign_text(
        call.node, target, form.given[0][0] if is_copy else _fill_format(call.node, form), call.frame
    )
    return Opaque(call.frame.text(call.node))


def printed_behind(call: Invocation) -> Value | None:
    """`appendPQExpBuffer(buffer, format, ...)`."""
    form = _call_format(call, 1)
    return None if form is None else _append_to_first(call.node, _fill_format(call.node, form), call.frame)


def formatted_text(call: Invocation) -> Value | None:
    """`sqlite3_mprintf(format, ...)` gives a text."""
    form = _call_format(call, 0)
    return None if form is None else _fill_format(call.node, form)


def list_arguments(call: Invocation) -> Value:
    """`va_start(list, last)` and `va_copy(list, other)` make a list of what is given for `...`."""
    target, other = call.written("target", 0), call.given("argument", 1)
    path = None if target is None else path_of(_uncast_target(target))
    given = other if isinstance(other, Sequence) else call.frame.variables.get(REST)
    if path is not None and isinstance(given, Sequence):
        call.frame.variables[path] = given
    return Const(None)


def new_text(call: Invocation) -> Value | None:
    """`g_string_new("SELECT ")` and `sdsempty()`."""
    if not call.entry.places("argument"):
        return Const("", "", call.node)
    value = call.given("argument")
    return None if value is None else _initial_text(value, call.node)


def wrapped_text(call: Invocation) -> Value | None:
    """`text("SELECT ...")`, `Template("...")`: the text it is given, or that it is called on."""
    is_on = call.entry.is_method and not call.entry.places("argument")
    value = call.base if is_on else call.given("argument", 0)
    return value if text_values.may_be_text(value) else None


class _Format(Record):
    """A format, and what it is filled with, each with its place."""

    form: Value
    given: list[tuple[Value, Node]]


def _call_format(call: Invocation, usual: int) -> _Format | None:
    """Return the format that a call is given, and what follows it or stands in its last argument."""
    place = (call.entry.places("argument") or (usual,))[0]
    if not isinstance(place, int) or place >= len(call.arguments):
        return None
    given = list(zip(call.arguments[place + 1 :], call.node.arguments[place + 1 :], strict=False))
    if call.entry.given.get("form") == "list":
        rest = call.arguments[-1]
        items = rest.items if isinstance(rest, Sequence) else ()
        given = [(item, text_values.place_of(item) or call.node) for item in items]
    return _Format(call.arguments[place], given)


def _initial_text(value: Value, node: Node) -> Value | None:
    if isinstance(value, Const) and value.value is None:
        return Const("", "", node)
    return value if text_values.may_be_text(value) else None


def _uncast_target(written: Node) -> Node:
    while isinstance(written, tree.Cast):
        written = written.value
    return written


def _assign_text(node: tree.Call, written: Node, value: Value, frame: Frame) -> Value:
    """`strcpy(target, value)` is an assignment; `strcpy(target + length, value)` adds to what is there."""
    target = _uncast_target(written)
    if (before := _extended_buffer(target)) is not None:
        return _add_text(node, before, value, frame)
    path = path_of(target)
    frame.emit("assign", node, value, path or frame.text(target))
    if path is not None:
        frame.variables[path] = _buffer_value(path, target, value, frame)
    changed = frame.changed(target)
    frame.note(node, value, (changed, changed), target)
    return value


def filled_from_outside(call: Invocation) -> Value | None:
    """`sscanf(line, "%s", gender)`: what a buffer held before says nothing of what is read into it."""
    first = (call.entry.places("target") or (0,))[0]
    filled = call.node.arguments[first:] if isinstance(first, int) else ()
    is_one = len(filled) == 1 or first == 0
    for place, written in enumerate(filled):
        target = _uncast_target(written)
        path = path_of(target)
        held = None if path is None else call.frame.variables.get(path)
        of = None if is_one else (place, len(filled))
        asked = None if path is None or (is_one and place) else asked_before(call, target, of)
        if path is not None and asked is not None and not _says_itself(target, asked, call.frame):
            call.frame.variables[path] = asked
            continue
        if path is None or not isinstance(held, Const | Text):
            continue
        name = target.name if isinstance(target, tree.Field) else path
        read = reads.read_by_identifier(name, target, call.frame)
        call.frame.variables[path] = read or Opaque(f"{path}{hidden_mark(written.span.start)}")
    return None


_LISTED = lazy_expression(r"\s*(?:[,;&]|\band\b)\s*(?:\band\b\s*)?")
_ASIDE = lazy_expression(r"\([^()]*\)|\[[^\[\]]*\]")
"""What stands in brackets behind what is asked for: `degree (0 = none, 1 = bachelor)`."""


def _says_itself(target: Node, asked: Protected, frame: Frame) -> bool:
    """Return whether a field that is read into says what it holds, and whose it is: `&patient.age`."""
    if not isinstance(target, tree.Field):
        return False
    named = reads.mention_of(target.name, frame, frame.text(target.value))
    return named is not None and named.attribute == asked.mention.attribute


def asked_before(call: Invocation, target: Node, of: tuple[int, int] | None = None) -> Protected | None:
    """Return what a variable of any name holds that is typed in where the program has just asked for it:
    `printf("Your gender: "); scanf("%9s", answer);`, `print("1. Male"); print("2. Female"); n = input()`.

    Where several are typed in at once, `of` says which it is, of how many: `Enter age, sex, marital status`.
    """
    if call.entry.given.get("form") != "typed":
        return None
    shown = shown_before(call)
    if not shown:
        return None
    place, several = of or (0, 1)
    asked = [shown[-1]] if of is None else _LISTED.split(_ASIDE.sub("", shown[-1]).strip())
    if len(asked) != several:
        asked = listed_names(_ASIDE.sub("", shown[-1]), call.frame.program.vocabulary)
    if len(asked) != several:
        return None
    found = reads.read_by_label(asked[place], target, call.frame, typed=True)
    return found if of is not None else reads.read_by_label_or_menu(found, shown, target, call.frame)


def shown_before(call: Invocation) -> list[str]:
    """Return the texts that the program shows right before a call, in order."""
    shown: list[str] = []
    for before in reversed(call.frame.program.facts.calls[-MOST_BEFORE:]):
        if before.node is call.node:
            continue
        text = before.arguments[0] if before.arguments else None
        if not is_show(last_name(before.node.function)) or before.node.span.start > call.node.span.start:
            break
        if isinstance(text, Const) and isinstance(text.value, str) and text.value.strip():
            shown.append(text.value.strip())
    return shown[::-1]


def _buffer_value(path: str, target: Node, value: Value, frame: Frame) -> Value:
    """Return a buffer named after an attribute holds the attribute if what is copied is unknown or
    a sample.
    """
    if isinstance(value, Const) and frame.conditional:
        return value
    if isinstance(value, Opaque | Const) and not text_values.is_prose(value):
        name = target.name if isinstance(target, tree.Field) else path
        found = reads.read_by_identifier(name, target, frame)
        if isinstance(found, Protected) and found.mention.group is None:
            return reads.with_sample(found, value)
    return value


def _extended_buffer(target: Node) -> Node | None:
    """Return the buffer to whose end something is written: `sql + length`, `sql + strlen(sql)`."""
    match target:
        case tree.Binary(op="+", left=tree.Name() | tree.Field() as buffer):
            return buffer
        case _:
            return None


def _append_to_first(node: tree.Call, value: Value, frame: Frame) -> Value:
    return _add_text(node, _uncast_target(node.arguments[0]), value, frame)


def _add_text(node: tree.Call, target: Node, value: Value, frame: Frame) -> Value:
    path = path_of(target)
    before = None if path is None else frame.variables.get(path)
    if path is None:
        return Opaque(frame.text(node))
    held = Opaque(path) if before is None else before
    if not (isinstance(before, Const) and before.value in _NOTHING):
        value = text_values.join_values([(held, target), (value, node.arguments[-1])], node)
    grow(node, target, held, value, frame)
    return value


def grow(node: Node, target: Node, before: Value, value: Value, frame: Frame) -> None:
    """Note that a text that `target` holds becomes longer: the event says what is added to it."""
    path = path_of(target) or frame.text(target)
    frame.variables[path] = value
    if frame.alive:
        frame.emit("update", node, text_growth.growth(before, value, target), path)
        if frame.is_recorded:
            whole = replace(frame.events[-1], kind="assign", value=value)
            frame.program.facts.grown[frame.run, path] = whole


def _fill_format(node: tree.Call, form: _Format) -> Value:
    """Return a format with what it is filled with."""
    filled = text_forms.changed_each(
        form.form, lambda one: text_filling.percent_format(one, form.given, node)
    )
    return text_values.unknown(node) if filled is None else filled


# ---------------------------------------------------------------------------------------- regular expressions


@functools.lru_cache(maxsize=512)
def _pattern_texts(pattern: str) -> tuple[str, ...] | None:
    return regexes.texts(pattern)


def matching(
    pattern: Value, subject: Value, node: Node, frame: Frame, *, within: bool = False, whole: bool = False
) -> Value | None:
    """Return the same as a plain test, as in `df["sex"].str.contains("^f")`; `within` finds it anywhere, and
    `whole` only as all of the text.
    """
    if not isinstance(pattern, Const) or not isinstance(pattern.value, str):
        return None
    if not frame.program.dependence.on_any(subject):
        return None
    found = _pattern_texts(pattern.value)
    if found is None:
        return None
    if within and not pattern.value.startswith(_STARTS):
        find = ending if pattern.value.endswith(_ENDS) else _containment_test
        parts = tuple([find(subject, Const(text), node, frame) for text in found])
        return operations.combine("or", parts, node) if len(parts) > 1 else parts[0]
    if len(found) == 1 and not whole and not pattern.value.endswith(_ENDS):
        return beginning(subject, Const(found[0]), node, frame)
    if len(found) == 1:
        return operations.compare("==", subject, Const(found[0]), node)
    return operations.compare("in", subject, Sequence(tuple(map(Const, found)), node), node)


SHORTEST_END = 3
"""Characters of an end that stands for whole names: a letter is a code."""
_STARTS = ("^", r"\A", r"\b", "(?i)^")
_ENDS = ("$", r"\Z", r"\b")


def _containment_test(subject: Value, part: Const, node: Node, _: Frame) -> Value:
    return operations.compare("in", part, subject, node)


def beginning(subject: Value, start: Const, node: Node, frame: Frame) -> Value:
    """Return whether somebody is of the groups whose names begin so, where no group is spelled so itself."""
    read = next((one for one in either(subject) if isinstance(one, Protected)), None)
    if read is not None and isinstance(start.value, str) and (text := start.value):
        vocabulary = frame.program.vocabulary
        attribute = vocabulary.attribute(read.mention.attribute)
        if vocabulary.group_of(attribute.name, text) is None:
            groups = frozenset(one for one in attribute.core_groups if one.startswith(text.lower()))
            if len(text) >= SHORTEST_END:
                groups = spellings.telling(attribute, read.spelling, text, lambda name: name.startswith(text))
            listed = tuple([Const(one) for one in sorted(groups)])
            if listed:
                return operations.compare("in", subject, Sequence(listed, node), node)
    return operations.compare("==", subject, start, node)


def ending(subject: Value, end: Const, node: Node, frame: Frame) -> Value:
    """Return whether somebody's group ends so: "male" ends "female", too."""
    read = next((one for one in either(subject) if isinstance(one, Protected)), None)
    if read is not None and isinstance(end.value, str) and len(text := end.value) >= SHORTEST_END:
        attribute = frame.program.vocabulary.attribute(read.mention.attribute)
        groups = spellings.telling(attribute, read.spelling, text, lambda name: name.endswith(text))
        if groups:
            listed = tuple([Const(one) for one in sorted(groups)])
            return operations.compare("in", subject, Sequence(listed, node), node)
    return operations.compare("==", subject, end, node)
