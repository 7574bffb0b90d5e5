"""Assumed groups in C: options and fields that start with a group, until somebody gives another."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.lexicon.words import split_words
from fairlint.readers.assumptions.attribute_reads import Read, Reader
from fairlint.readers.assumptions.defaults import (
    STRUCT_FILLERS,
    Assumed,
    default_of,
    is_conditional,
    target_of,
)
from fairlint.readers.assumptions.syntax_index import Scope, SyntaxIndex, called, resolved, text_of
from fairlint.records import Record
from fairlint.semantics.paths import path_of
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

OUTSIDE = frozenset({"argv", "optarg"})
"""Variables that hold what the user has said."""
ASKS_OUTSIDE = frozenset({"getenv", "secure_getenv"})
STARTS = frozenset("init initialize initialise default defaults reset clear".split())
"""Words of functions that say how a record starts."""
MAKES = frozenset("new create alloc make".split())
"""Words of functions that make a record; many of them make up a person."""
SECOND = frozenset({"strcpy", "strncpy", "strlcpy", "strdup"})
"""Fillers whose second argument is the text; of the others it is the last."""


class _Given(Record, eq=False):
    """Something that is given to a path: a variable or a field."""

    target: Node
    value: Node
    node: Node
    scope: Scope
    declares: bool = False


def defaults_in_c(scene: SyntaxIndex, reader: Reader) -> Iterator[Assumed]:
    """The defaults that only C writes this way."""
    all_given = list(_all_given(scene))
    yield from _until_given(all_given, scene, reader)
    yield from _unless_said(scene, reader)
    yield from _at_the_start(all_given, scene, reader)


def _all_given(scene: SyntaxIndex) -> Iterator[_Given]:
    """What every variable and field of the file is given, in order."""
    for assign, scope in scene.places(tree.Assign):
        if assign.op is None and assign.value is not None and len(assign.targets) == 1:
            target = assign.targets[0]
            yield _Given(target, assign.value, assign, scope, bool(assign.type))
            yield from _fields(target, assign.value, scope)
    for returned, scope in scene.places(tree.Return):
        if returned.value is not None:
            yield from _fields(tree.Name(returned.span, "return"), returned.value, scope)
    for call, scope in scene.places(tree.Call):
        if called(call) in STRUCT_FILLERS and len(call.arguments) >= 2:
            value = call.arguments[1 if called(call) in SECOND else -1]
            yield _Given(call.arguments[0], value, call, scope)


def _fields(target: Node, value: Node, scope: Scope) -> Iterator[_Given]:
    """The fields that `struct options o = {.gender = "male"}` gives."""
    while isinstance(value, tree.Cast):
        value = value.value
    if not (isinstance(value, tree.Collection) and value.kind == "struct"):
        return
    for item in value.items:
        name = text_of(item.key)
        if name is not None and item.key is not None:
            field = tree.Field(item.key.span, target, name, item.key.span)
            yield _Given(field, item.value, item.value, scope)


# ------------------------------------------------------------------------------------------ until it is given


def _until_given(all_given: list[_Given], scene: SyntaxIndex, reader: Reader) -> Iterator[Assumed]:
    """`gender = "male"`, and further down `case 'g': gender = optarg;`."""
    own = {(id(one.scope), path_of(one.target)) for one in all_given if one.declares}
    by_path: dict[tuple[int, str], list[_Given]] = {}
    for one in all_given:
        path = path_of(one.target)
        if path is None:
            continue
        base = path.partition(".")[0].partition("[")[0]
        is_local = (id(one.scope), base) in own or base in _parameters(one.scope)
        scope = one.scope if is_local else scene.top
        by_path.setdefault((id(scope), path), []).append(one)
    for found in by_path.values():
        if len(found) < 2:
            continue
        first, *later = sorted(found, key=lambda one: one.node.span.start)
        for read in _written(first, reader):
            group = default_of(read, first.value, first.scope, reader)
            if not group or is_conditional(first.node, scene):
                continue
            attribute = read.mention.attribute
            if any(reader.group(attribute, one.value, one.scope) for one in later):
                continue
            asked = [one for one in later if _is_unknown(one)]
            if asked and all(is_conditional(one.node, scene) for one in asked):
                yield _assumed(first, read, group)


def _parameters(scope: Scope) -> frozenset[str]:
    owner = scope.owner
    if not isinstance(owner, tree.Function):
        return frozenset()
    return frozenset(parameter.name for parameter in owner.parameters)


def _is_unknown(one: _Given) -> bool:
    return isinstance(resolved(one.value, one.scope), tree.Index | tree.Call | tree.Name)


def _written(one: _Given, reader: Reader) -> list[Read]:
    return reader.written(one.target)[:1]


def _assumed(one: _Given, read: Read, group: str) -> Assumed:
    node = one.node if isinstance(one.node, tree.Assign) and one.declares else one.value
    return Assumed(read, node, group, f"`{read.mention.identifier}`", one.target)


# ------------------------------------------------------------------------------------------ unless it is said


def _unless_said(scene: SyntaxIndex, reader: Reader) -> Iterator[Assumed]:
    """`sex = argc > 2 ? argv[2] : "male"`, and the same as a branch."""
    for choice, scope in scene.places(tree.Conditional):
        for said, value in ((choice.then, choice.otherwise), (choice.otherwise, choice.then)):
            target = target_of(choice, scene) if _is_outside(said) else None
            for read in reader.written(target)[:1] if target is not None else ():
                group = default_of(read, value, scope, reader)
                if group:
                    yield Assumed(read, value, group, f"`{read.mention.identifier}`", target)
    for branch, scope in scene.places(tree.If):
        for said_in, body in ((branch.then, branch.otherwise), (branch.otherwise, branch.then)):
            filled = {reader.text(one.target) for one in _in_body(said_in, scope) if _is_outside(one.value)}
            for one in _in_body(body, scope) if filled else ():
                if reader.text(one.target) not in filled:
                    continue
                for read in _written(one, reader):
                    group = default_of(read, one.value, scope, reader)
                    if group:
                        yield _assumed(one, read, group)


def _in_body(body: tuple[Node, ...], scope: Scope) -> Iterator[_Given]:
    for part in body:
        match part:
            case tree.Assign(targets=(target,), value=value, op=None) if value is not None:
                yield _Given(target, value, part, scope)
            case tree.Expression(value=tree.Call(arguments=(target, *_)) as call) if (
                called(call) in STRUCT_FILLERS and len(call.arguments) >= 2
            ):
                yield _Given(target, call.arguments[1 if called(call) in SECOND else -1], call, scope)
            case _:
                pass


def _is_outside(node: Node) -> bool:
    """Whether an expression is what the user has said."""
    return any(
        (isinstance(part, tree.Name) and part.id in OUTSIDE) or called(part) in ASKS_OUTSIDE
        for part in tree.walk(node)
    )


# ------------------------------------------------------------------------------------------ at the start


def _at_the_start(all_given: list[_Given], scene: SyntaxIndex, reader: Reader) -> Iterator[Assumed]:
    """`c->gender = MALE;` in `customer_init`."""
    by_function: dict[int, list[_Given]] = {}
    for one in all_given:
        owner = one.scope.owner
        if isinstance(owner, tree.Function) and isinstance(one.target, tree.Field):
            by_function.setdefault(id(owner), []).append(one)
    for found in by_function.values():
        owner = found[0].scope.owner
        assert isinstance(owner, tree.Function)
        words = set(split_words(owner.name))
        starts = not STARTS.isdisjoint(words)
        if not starts and (MAKES.isdisjoint(words) or _makes_somebody_up(found, reader)):
            continue
        if any(reader.in_text(word) for word in words):
            continue  # `init_female_voice`
        for one in found:
            for read in _written(one, reader):
                group = default_of(read, one.value, one.scope, reader)
                if group and not is_conditional(one.node, scene):
                    yield _assumed(one, read, group)


def _makes_somebody_up(found: list[_Given], reader: Reader) -> bool:
    """Whether a record is given texts of its own, besides groups: a name, a job."""
    return any(
        isinstance(one.value, tree.Literal)
        and isinstance(one.value.value, str)
        and len(one.value.value) > 1
        and not _written(one, reader)
        for one in found
    )
