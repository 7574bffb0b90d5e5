"""Assumed groups in a language without defaults: options and fields that start with a group, until they are
given another.
"""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.analyses.assumptions.attribute_reads import Read, Reader
from fairlint.analyses.assumptions.defaults import Assumed, Given, given_by, group_of_default, is_open
from fairlint.analyses.assumptions.missing_values import lexicon
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.words import split_words


def first_values(reader: Reader) -> Iterator[Assumed]:
    """Yield the groups that options and fields start with."""
    all_given = list(_all_assignments(reader))
    yield from _first_value_assumptions(all_given, reader)
    yield from _fallback_assumptions(reader)
    yield from _at_the_start(all_given, reader)


def _all_assignments(reader: Reader) -> Iterator[Given]:
    """Yield what every variable and field of the file is given, in order."""
    for assign in reader.syntax.places(tree.Assign):
        if (given := given_by(assign, reader)) is not None:
            yield given
            yield from _fields_of_struct(given.target, given.value, reader)
    for returned in reader.syntax.places(tree.Return):
        if returned.value is not None:
            yield from _fields_of_struct(tree.Name(returned.span, "return"), returned.value, reader)
    for statement in reader.syntax.places(tree.Expression):
        if (given := given_by(statement, reader)) is not None:
            yield given


def _fields_of_struct(target: Node, value: Node, reader: Reader) -> Iterator[Given]:
    """Yield the fields that `struct options o = {.gender = "male"}` gives."""
    while isinstance(value, tree.Cast):
        value = value.value
    if not (isinstance(value, tree.Collection) and value.kind == "struct"):
        return
    for item in value.items:
        for name in reader.names(item.key):
            assert item.key is not None
            field = tree.Field(item.key.span, target, str(name.value), item.key.span)
            yield Given(field, item.value, item.value, reader.values(item.value))


# ------------------------------------------------------------------------------------------ until it is given


def _first_value_assumptions(all_given: list[Given], reader: Reader) -> Iterator[Assumed]:
    """`gender = "male"`, and further down `case 'g': gender = optarg;`."""
    scope_around = reader.syntax.scope_around
    own = {(id(scope_around(one.node)), path_of(one.target)) for one in all_given if _is_declaration(one)}
    by_path: dict[tuple[int, str], list[Given]] = {}
    for one in all_given:
        path = path_of(one.target)
        if path is None:
            continue
        scope = scope_around(one.node)
        base = path.partition(".")[0].partition("[")[0]
        is_local = (id(scope), base) in own or base in _parameter_names(scope)
        by_path.setdefault((id(scope if is_local else None), path), []).append(one)
    for found in by_path.values():
        first, *later = sorted(found, key=lambda one: one.node.span.start)
        for read in _reads_of_target(first, reader) if later else ():
            group = group_of_default(read, first.values, reader)
            if group and is_open(first, later, read.mention.attribute, reader):
                yield _build_assumption(first, read, group)


def _is_declaration(one: Given) -> bool:
    return isinstance(one.node, tree.Assign) and bool(one.node.type)


def _parameter_names(scope: Node | None) -> frozenset[str]:
    if not isinstance(scope, tree.Function):
        return frozenset()
    return frozenset(parameter.name for parameter in scope.parameters)


def _reads_of_target(one: Given, reader: Reader) -> list[Read]:
    return reader.written(one.target)[:1]


def _build_assumption(one: Given, read: Read, group: str) -> Assumed:
    return Assumed(
        read,
        one.node if _is_declaration(one) else one.value,
        group,
        f"`{read.mention.identifier}`",
        one.target,
    )


# ------------------------------------------------------------------------------------------ unless it is said


def _fallback_assumptions(reader: Reader) -> Iterator[Assumed]:
    """`sex = argc > 2 ? argv[2] : "male"`, and the same as a branch."""
    for choice in reader.syntax.places(tree.Conditional):
        for said, value in ((choice.then, choice.otherwise), (choice.otherwise, choice.then)):
            target = reader.syntax.given_to(choice) if _is_outside(said, reader) else None
            for read in reader.written(target)[:1] if target is not None else ():
                if group := group_of_default(read, reader.values(value), reader):
                    yield Assumed(read, value, group, f"`{read.mention.identifier}`", target)
    for branch in reader.syntax.places(tree.If):
        for said_in, body in ((branch.then, branch.otherwise), (branch.otherwise, branch.then)):
            filled = {
                reader.text(one.target) for one in _in_body(said_in, reader) if _is_outside(one.value, reader)
            }
            for one in _in_body(body, reader) if filled else ():
                if reader.text(one.target) not in filled:
                    continue
                for read in _reads_of_target(one, reader):
                    if group := group_of_default(read, one.values, reader):
                        yield _build_assumption(one, read, group)


def _in_body(body: tuple[Node, ...], reader: Reader) -> list[Given]:
    return [given for part in body if (given := given_by(part, reader)) is not None]


def _is_outside(node: Node, reader: Reader) -> bool:
    """Return whether an expression is what the user has said."""
    return any(
        (isinstance(part, tree.Name) and part.id in lexicon()["said_in"])
        or (
            isinstance(part, tree.Call) and any("asks user" in reader.does(one) for one in reader.calls(part))
        )
        for part in tree.walk(node)
    )


# ------------------------------------------------------------------------------------------ at the start


def _at_the_start(all_given: list[Given], reader: Reader) -> Iterator[Assumed]:
    """`c->gender = MALE;` in `customer_init`."""
    by_function: dict[int, tuple[tree.Function, list[Given]]] = {}
    for one in all_given:
        scope = reader.syntax.scope_around(one.node)
        if isinstance(scope, tree.Function) and isinstance(one.target, tree.Field):
            by_function.setdefault(id(scope), (scope, []))[1].append(one)
    for function, found in by_function.values():
        words = set(split_words(function.name))
        starts = not lexicon()["starts"].isdisjoint(words)
        if not starts and (lexicon()["makes"].isdisjoint(words) or _makes_somebody_up(found, reader)):
            continue
        if any(reader.in_text(word) for word in words):
            continue  # `init_female_voice`
        for one in found:
            for read in _reads_of_target(one, reader):
                group = group_of_default(read, one.values, reader)
                if group and not reader.syntax.is_conditional(one.node):
                    yield _build_assumption(one, read, group)


def _makes_somebody_up(found: list[Given], reader: Reader) -> bool:
    """Return whether a record is given texts of its own, besides groups: a name, a job."""
    return any(
        isinstance(value, Const) and isinstance(value.value, str) and len(value.value) > 1
        for one in found
        if not _reads_of_target(one, reader)
        for value in one.values
    )
