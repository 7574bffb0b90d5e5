"""Which protected attributes a text carries: what is put into its gaps, and what its gaps are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fairlint.detectors.context import Context
from fairlint.lexicon.model import Mention
from fairlint.readers.prompts import templates
from fairlint.readers.prompts.reading import CONTENT_KEYS, bind_entries, bind_first, called
from fairlint.readers.prompts.templates import Hole, Parts, Scope
from fairlint.records import Record
from fairlint.semantics.getters import GETTER_PREFIXES
from fairlint.semantics.scopes import type_name
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

DEEPEST = 9
_SOMEBODY = "person"
"""The receiver of fields whose record is known to be one of a person."""
_LABEL = r"([^\W\d_][\w '’/-]{1,60}?)\s*(?:\([^()\n]{0,30}\))?\**\s*(?:[:=]|\bis\b|->|→)\s*\**[\"'`<\[({]?$"
_LONGEST_LABEL = 4
_YEARS_OLD = r"(?i)\s*-?\s*(?:years?|yrs?)[- ]old\b|\s*y/?o\b"
_OTHER_FORMS = frozenset({"value", "name", "title", "label"})
_READERS = frozenset({"get", "pop", "getitem"})


class Carried(Record):
    """A protected attribute that a text carries: by which name, and what is read."""

    mention: Mention
    receiver: str
    hole: Hole
    node: Node | None
    """None where only the place in the template is known."""


def carried(parts: Parts, context: Context) -> Iterator[Carried]:
    """The protected attributes that come with a text, each gap's own ones once."""
    for hole, before, behind in templates.holes(parts):
        seen: set[str] = set()
        for one in _of_hole(hole, before, behind, context):
            name = one.mention.attribute
            if name not in seen and context.attribute(name).kind == "protected":
                seen.add(name)
                yield one


def _of_hole(hole: Hole, before: str, behind: str, context: Context) -> Iterator[Carried]:
    vocabulary = context.vocabulary
    if hole.node is not None:
        yield from _of_node(hole.node, hole, hole.scope, context, 0)
    if hole.label and (found := vocabulary.mentions_of(hole.label, _SOMEBODY)):
        yield Carried(found[0], "", hole, hole.node)
    if hole.name:
        names = re.findall(r"\w+", hole.name)
        receiver = ".".join(names[:-1])
        if names and (found := vocabulary.mentions_of(names[-1].lower(), receiver)):
            yield Carried(found[0], receiver, hole, hole.node)
            return
    if not isinstance(hole.node, tree.Literal) and (label := templates.compiled(_LABEL).search(before)):
        yield from _of_label(label[1], hole, context)
    if templates.compiled(_YEARS_OLD).match(behind) and (found := vocabulary.mentions("age")):
        yield Carried(found[0], _SOMEBODY, hole, hole.node)


def _of_label(label: str, hole: Hole, context: Context) -> Iterator[Carried]:
    """What the words before a gap say of it: "Candidate's gender: ..."."""
    words = re.split(r"[,;|]|\band\b", label)[-1].split()[-_LONGEST_LABEL:]
    for size in dict.fromkeys((len(words), 2, 1)):
        name = " ".join(words[-size:])
        if name and (found := context.vocabulary.mentions(name)):
            owner = re.sub(r"s?['’]?s?$", "", words[0]) if len(words) > 1 else ""
            yield Carried(found[0], owner if len(owner) > 3 else "", hole, hole.node)
            return


def _of_node(node: Node, hole: Hole, scope: Scope | None, context: Context, depth: int) -> Iterator[Carried]:
    """The attributes that an expression reads."""
    if depth > DEEPEST:
        return
    vocabulary = context.vocabulary
    deeper = depth + 1
    match node:
        case tree.Name(id=name):
            if found := vocabulary.mentions(name):
                yield Carried(found[0], "", hole, node)
                return
            held, among = templates.resolved(node, scope)
            if held is not node:
                yield from _of_node(held, hole, among, context, deeper)
            else:
                yield from _of_parameter(node, hole, context)
        case tree.Field(value=value, name=name):
            receiver = context.source.text(value.span)
            held, among = templates.resolved(node, scope)
            if found := vocabulary.mentions_of(name, receiver):
                yield Carried(found[0], receiver, hole, node)
            elif name == "__dict__" or (name in _OTHER_FORMS and not isinstance(value, tree.Name)):
                yield from _of_node(value, hole, scope, context, deeper)
            elif held is not node:
                yield from _of_node(held, hole, among, context, deeper)
        case tree.Index(value=value, index=tree.Literal(value=str() as key)):
            receiver = context.source.text(value.span)
            if found := vocabulary.mentions_of(key, receiver):
                yield Carried(found[0], receiver, hole, node)
        case tree.Index(value=value, index=index) if keys := _keys(index, scope):
            receiver = context.source.text(value.span)
            for key in keys:
                if found := vocabulary.mentions_of(key, receiver):
                    yield Carried(found[0], receiver, hole, node)
        case tree.Index(value=value):
            first = templates.element(value, scope) if scope is not None else None
            inner, among = (value, scope) if first is None else first
            yield from _of_node(inner, hole, among, context, deeper)
        case tree.Collection(items=items):
            for item in items:
                named = item.key.value if isinstance(item.key, tree.Literal) else None
                if isinstance(named, str) and (found := vocabulary.mentions_of(named, _SOMEBODY)):
                    yield Carried(found[0], "", hole, item.key)
                elif item.key is None or named in CONTENT_KEYS or isinstance(item.value, tree.Collection):
                    yield from _of_node(item.value, hole, scope, context, deeper)
        case tree.Comprehension(element=element, generators=generators):
            if scope is not None:
                scope = scope.inner()
                for generator in generators:
                    bind_first(generator.target, generator.iterable, scope)
                    bind_entries(generator.target, generator.iterable, generator.conditions, scope)
            for part in (element, *(generator.iterable for generator in generators)):
                yield from _of_node(part, hole, scope, context, deeper)
        case tree.Call():
            yield from _of_call(node, hole, scope, context, deeper)
        case tree.Conditional(then=then, otherwise=otherwise):
            for part in (then, otherwise):
                yield from _of_node(part, hole, scope, context, deeper)
        case tree.BoolOp() | tree.Binary() | tree.Interpolation() | tree.Star() | tree.Cast():
            for part in tree.children(node):
                yield from _of_node(part, hole, scope, context, deeper)
        case _:
            pass


def _keys(index: Node, scope: Scope | None) -> list[str]:
    """The keys that an index stands for: `row[FIELDS]`, and `row[key]` in a loop over a list of them."""
    return templates.literal_keys(templates.resolved(index, scope)[0])


def _of_call(
    node: tree.Call, hole: Hole, scope: Scope | None, context: Context, depth: int
) -> Iterator[Carried]:
    vocabulary = context.vocabulary
    owner = node.function.value if isinstance(node.function, tree.Field) else None
    receiver = "" if owner is None else context.source.text(owner.span)
    last = called(node.function).rpartition(".")[2]
    match node.arguments:
        case (tree.Literal(value=str() as key), *_) if last in _READERS:
            if found := vocabulary.mentions_of(key, receiver):
                yield Carried(found[0], receiver, hole, node)
            return
        case (somebody, tree.Name() as index, *_) if last == "getattr" and (keys := _keys(index, scope)):
            receiver = context.source.text(somebody.span)
            for key in keys:
                if found := vocabulary.mentions_of(key, receiver):
                    yield Carried(found[0], receiver, hole, node)
            return
        case (somebody, tree.Literal(value=str() as key), *_) if last == "getattr":
            receiver = context.source.text(somebody.span)
            if found := vocabulary.mentions_of(key, receiver):
                yield Carried(found[0], receiver, hole, node)
            return
        case _:
            pass
    bare = next((last[len(start) :] for start in GETTER_PREFIXES if last.startswith(start)), last)
    if bare and (found := vocabulary.mentions_of(bare, receiver)):
        yield Carried(found[0], receiver, hole, node)
        return
    yield from _of_fields(context.definitions.fields.get(last, ()), hole, node, context)
    for argument in (*node.arguments, *(value for _, value in node.keywords)):
        yield from _of_node(argument, hole, scope, context, depth)
    if owner is not None and last not in _READERS:
        yield from _of_node(owner, hole, scope, context, depth)


def _of_parameter(node: tree.Name, hole: Hole, context: Context) -> Iterator[Carried]:
    """A parameter whose class in this file has protected fields: the whole record is written out."""
    function = context.functions.get(context.function_at(node.span))
    for parameter in () if function is None else function.parameters:
        if parameter.name == node.id and parameter.type:
            fields = context.definitions.fields.get(type_name(parameter.type), ())
            yield from _of_fields(fields, hole, node, context)


def _of_fields(fields: Iterable[str], hole: Hole, node: Node, context: Context) -> Iterator[Carried]:
    for name in fields:
        if found := context.vocabulary.mentions_of(name, _SOMEBODY):
            yield Carried(found[0], "", hole, node)
