"""Whether code only asks if a value was given: `if not diagnosis: return []` tells no groups apart."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from fairlint.detectors.context import Context
from fairlint.semantics.groups.asking import asked_if_missing, asks_directly
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.effects import classify_target
from fairlint.semantics.values.events import Event, Guard
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
from fairlint.semantics.values.traversal import either
from fairlint.semantics.values.traversal import parts as parts_of
from fairlint.support.records import Record, field
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MOST_LOOKED_AT = 400
"""Parts of values that are looked at for one site."""
MOST_ALTERNATIVES = 20
"""Parts of a value that are looked at for several things that may be given."""
_JOINED = frozenset({"and", "or", "not"})
_CALCULATES = frozenset("+ - * / // % ** neg trunc ceil floor round min max == < >=".split())
"""What may be done with yes and no as with any numbers: `min((is_named + is_placed) * 50, 100) >= 50`."""
_SCORES = frozenset({"score", "weak score", "hurdle", "outcome"})


class _Asked(Record, frozen=False):
    """What a site asks about its attribute."""

    absent: list[Protected] = field(default_factory=list)
    """The reads that it compares with nothing: `diagnosis is None`."""
    truths: list[Protected] = field(default_factory=list)
    """The reads whose bare truth it asks: `if diagnosis`."""
    left: int = MOST_LOOKED_AT


def is_presence_check(site: Site, context: Context) -> bool:
    """Return whether the site asks of the attribute only if there is a value, and that makes no group."""
    asked = _Asked()
    guards = _guards_of_site(site, context)
    values = {id(guard.test): guard.test for guard in guards}
    if not all(
        _is_only_presence_test(value, site, asked, context, is_test=True) for value in values.values()
    ):
        return False
    if any(_is_selection_by_value(event, site) for event in site.events):
        return False
    if not all(
        _is_only_presence_test(event.value, site, asked, context, is_test=False) for event in site.fed
    ):
        return False
    if not (asked.truths or asked.absent) or any(read.mention.form == "flag" for read in asked.truths):
        return False
    if not (
        any(_has_meaningful_zero(read) or _is_yes(read, context) for read in asked.truths)
        or any(_is_yes(read, context) for read in asked.absent)
    ):
        return True
    return not any(map(_is_score_event, site.events)) and _are_used_behind(guards, context)


def _is_selection_by_value(event: Event, site: Site) -> bool:
    """Return whether people are put in order by the attribute, or chosen by it and by nothing that is made of
    it.
    """
    if event.kind == "filter":
        is_direct = asks_directly(event.value, site.attribute, site.dependence)
        return is_direct and not _asks_if_there(event.value, site)
    return event.kind == "rank" and site.asks(event.value)


def _asks_if_there(test: Value, site: Site) -> bool:
    """Return whether a test asks of the attribute only if it is nothing, with whatever else beside it."""
    if not site.asks(test):
        return True
    match test:
        case Operation(op="and" | "or" | "not", arguments=parts):
            return all(_asks_if_there(part, site) for part in parts)
        case Operation(op="==", arguments=parts) if any(
            isinstance(part, Const) and part.value is None for part in parts
        ):
            return True
        case Operation():
            return asked_if_missing(test, site.attribute, site.dependence) is not None
        case _:
            return False


def _guards_of_site(site: Site, context: Context) -> list[Guard]:
    """Return the tests that the site itself makes, each once; one node makes several in a loop over known
    rows.
    """
    found = {
        (id(guard.node), id(guard.test)): guard
        for guard in context.guards(site)
        if id(guard.site) in site.branches and site.asks(guard.test)
    }
    return list(found.values())


def _is_only_presence_test(
    value: Value, site: Site, asked: _Asked, context: Context, *, is_test: bool
) -> bool:
    """Return whether `value` asks, and hands on, nothing else of the attribute; what it asks is noted."""
    asked.left -= 1
    if asked.left < 0:
        return False
    if not site.asks(value):
        return True
    match value:
        case Protected():
            if is_test:
                asked.truths.append(value)
            return True
        case Operation(op=op, arguments=parts) if op in _JOINED:
            return all(_is_only_presence_test(part, site, asked, context, is_test=True) for part in parts)
        case Operation() if (held := asked_if_missing(value, site.attribute, site.dependence)) is not None:
            asked.absent.extend(site.dependence.reads(held, site.attribute))
            return _is_only_presence_test(held, site, asked, context, is_test=False)
        case Operation(op="==", arguments=(held, Sequence(items=()))):  # `value == []`
            asked.absent.extend(site.dependence.reads(held, site.attribute))
            return _is_only_presence_test(held, site, asked, context, is_test=False)
        case Choice(test=test, then=then, otherwise=otherwise):
            inner = all(
                _is_only_presence_test(part, site, asked, context, is_test=is_test)
                for part in (then, otherwise)
            )
            return inner and _is_only_presence_test(test, site, asked, context, is_test=True)
        case Operation(op=op, arguments=parts) if op in _CALCULATES:
            is_given = all(
                _is_only_presence_test(part, site, asked, context, is_test=False) for part in parts
            )
            return is_given and not any(_is_own_value(part, site) for part in parts)
        case Lookup(subject=subject) if not site.asks(subject):
            return all(
                _is_only_presence_test(part, site, asked, context, is_test=is_test)
                for part in _entry_values(value)
            )
        case Sequence() | Table() if is_test:  # `if updates`
            return all(
                _is_only_presence_test(part, site, asked, context, is_test=True) for part in parts_of(value)
            )
        case Sequence() | Table() | Text() | Elementwise() | Opaque():
            return not is_test
        case _:
            return False


def _entry_values(looked_up: Lookup) -> list[Value]:
    """Return what a table may give."""
    found = [entry for _, entry in looked_up.table.entries]
    return found if looked_up.default is None else [*found, looked_up.default]


def _is_own_value(value: Value, site: Site) -> bool:
    """Return whether a value may be an attribute's own, perhaps with what stands in for it where it is not
    given, and no yes or no about several things: `user.religion or user.address`.
    """

    def is_own(one: Value) -> bool:
        is_joined = isinstance(one, Operation) and one.op in _JOINED
        return isinstance(one, Protected) or (is_joined and not _is_any(one, site))

    return any(site.asks(one) and is_own(one) for one in either(value))


def _is_any(value: Value, site: Site) -> bool:
    """Return whether a value says if any of several things is given, of which some are no attribute's."""
    stack, left = [value], MOST_ALTERNATIVES
    while stack and left:
        left -= 1
        part = stack.pop()
        if isinstance(part, Operation) and part.op in _JOINED:
            others = [one for one in part.arguments if not site.asks(one) and not isinstance(one, Const)]
            if part.op == "or" and len(others) > 1:  # one other stands in: `race or usual_race`
                return True
            stack.extend(part.arguments)
    return False


def makes_groups(read: Protected, context: Context) -> bool:
    """Return whether there being a value, or its truth, tells people apart: `if has_accent`, `if
    num_children`.
    """
    return read.mention.form == "flag" or _has_meaningful_zero(read) or _is_yes(read, context)


def _has_meaningful_zero(read: Protected) -> bool:
    """Return whether no value, or 0, is a number like any other: `if num_children`. Nobody has no age."""
    return read.mention.form in {"number", "date"} and read.mention.attribute != "age"


def _is_yes(read: Protected, context: Context) -> bool:
    """Return whether there being a value makes a group: who has a diagnosis is ill."""
    return read.mention.form == "value" and "yes" in context.attribute(read.mention.attribute).core_groups


def _is_score_event(event: Event) -> bool:
    """Return whether an event changes a number, sets an outcome, or gives a number."""
    match event.kind:
        case "update":
            return True
        case "assign":
            return classify_target(event.target) in _SCORES and not all(
                map(_is_found_object, either(event.value))
            )
        case "return":
            return any(_is_number(one) for one in either(event.value))
        case _:
            return False


def _is_found_object(value: Value) -> bool:
    """Return whether a value is a thing or a list of things that something else gives, and no score or
    verdict.
    """
    if isinstance(value, Operation) and value.op in {"and", "or"}:
        return all(map(_is_found_object, value.arguments))
    return isinstance(value, Opaque | Text | Sequence)


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and type(value.value) in {int, float}


def _are_used_behind(guards: list[Guard], context: Context) -> bool:
    """Return whether what was given is used behind the tests: they only keep that from failing."""
    tests = sorted((guard.node.span.start, guard.node.span.end) for guard in guards)
    starts, reach = [start for start, _ in tests], list(accumulate([end for _, end in tests], max))
    last_use: dict[str, dict[str, int]] = {}
    for guard in guards:
        function = context.function_at(guard.node.span)
        if function not in last_use:
            last_use[function] = {}
            for used in context.once(_find_usages, function):
                span = used.node.span
                before = bisect_right(starts, span.start)
                if not before or reach[before - 1] < span.end:  # it stands in no test
                    last_use[function][used.path] = span.start
        tested = [
            path for part in _walk_usages(guard.node, context) for path in (part.path, part.holder) if path
        ]
        last = max((last_use[function].get(path, -1) for path in tested), default=-1)
        if last < guard.node.span.end:
            return False
    return bool(guards)


class _Used(Record):
    """A variable, a field or an entry that stands in code. Its `holder` is whatever has it, handed on as a
    whole: who is ill is not used where his name is.
    """

    node: Node
    path: str
    holder: str = ""


_WHOLE = "*"


def _find_usages(function: str, context: Context) -> list[_Used]:
    """Return what is used in a function, or in the file outside of all, in order."""
    node = context.functions.get(function)
    body: tuple[Node, ...] = context.body if node is None else node.body
    found = (used for statement in body for used in _walk_usages(statement, context))
    return sorted(found, key=lambda used: (used.node.span.start, used.node.span.end, used.path))


def _walk_usages(node: Node, context: Context) -> Iterator[_Used]:
    stack: list[tuple[Node, bool]] = [(node, True)]
    while stack:
        part, is_whole = stack.pop()
        if isinstance(part, tree.Name | tree.Field) or (held := _entry_access(part)) is None:
            if not isinstance(part, tree.Name | tree.Field):
                stack += _usage_parts(part)
                continue
            path = _source_text(part, context)
            held = _Entry(part.value, part.name) if isinstance(part, tree.Field) else None
        else:
            path = f"{_source_text(held.holder, context)}.{held.key}"
        holder = "" if held is None else _WHOLE + _source_text(held.holder, context)
        yield _Used(part, path, holder)
        if is_whole:
            yield _Used(part, _WHOLE + path)


def _usage_parts(node: Node) -> list[tuple[Node, bool]]:
    """Return the parts of a node, and whether each is used as a whole there: what a method is called on is
    not.
    """
    match node:
        case tree.Call(function=tree.Field(value=held), arguments=arguments, keywords=keywords):
            given = [*arguments, *(value for _, value in keywords)]
            return [(held, False), *((one, True) for one in given)]
        case tree.Index(value=held, index=index):
            return [(held, True), (index, True)]
        case _:
            return [(part, True) for part in tree.children(node)]


class _Entry(Record):
    """A field or an entry, and what has it."""

    holder: Node
    key: str


def _entry_access(node: Node) -> _Entry | None:
    """Return the entry that a text names: `person["diagnosis"]`, `person.get("diagnosis")`."""
    match node:
        case tree.Index(value=held, index=tree.Literal(value=str() as key)):
            return _Entry(held, key)
        case tree.Call(function=tree.Field(value=held), arguments=(tree.Literal(value=str() as key), *_)):
            return _Entry(held, key)
        case _:
            return None


def _source_text(node: Node, context: Context) -> str:
    return context.source.text(node.span)
