"""Expressions to texts: f-strings, `.format`, `%`, templates, lines, chat messages, helper functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from fairlint.lexicon.words import split_words
from fairlint.readers.prompts.templates import (
    DEEPEST,
    SHORT,
    Hole,
    Part,
    Parts,
    Reading,
    Scope,
    Text,
    all_keys,
    compiled,
    element,
    entries,
    has_text,
    is_short,
    limited,
    literal_keys,
    name_of,
    places,
    resolved,
)
from fairlint.readers.prompts.variadic import printer_of
from fairlint.semantics.paths import path_of
from fairlint.syntax import tree
from fairlint.syntax.tree import Function, Node

LONGEST_TEXT = 40_000
MOST_FOLLOWED = 4000
"""Steps that one helper function may take."""

FILLS = frozenset(
    "format format_map substitute safe_substitute format_messages format_prompt partial render invoke "
    "ainvoke stream astream batch abatch run arun predict apredict apply call acall __call__ arender "
    "render_async generate".split()
)
"""Methods of a text, or of what was made of it, that put values into its places."""
KEPT = frozenset(
    "strip lstrip rstrip lower upper title capitalize dedent indent cleandoc fill encode decode str "
    "expandtabs removeprefix removesuffix normalize casefold copy deepcopy strdup wrap escape repr".split()
)
"""What gives back its text as good as unchanged."""
GATHERS = frozenset(
    "prompt template message messages chain text conversation dedent content part textpart block dict list "
    "tuple user assistant system blob chat input".split()
)
"""Words of calls that hold what they are given: `PromptTemplate`, `HumanMessage`, `LLMChain`, `dict`."""
OVER_ROWS = frozenset({"apply", "map", "progress_apply", "parallel_apply", "map_elements", "transform"})
"""What does the same with every row of a table."""
CONTENT_KEYS = frozenset({"content", "text", "prompt", "system", "parts", "input", "messages", "template"})
ROLE_KEYS = frozenset({"role", "type", "name", "from", "speaker", "author"})
CONVERSION = (
    r"%(?:\((?P<key>\w+)\))?[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|z|j|t|L)?"
    r"(?P<kind>[sdifgeuxXcrap%])"
)


def called(node: Node) -> str:
    """The dotted name of what is called, as far as it has one."""
    match node:
        case tree.Name(id=name):
            return name
        case tree.Field(value=value, name=name):
            base = called(value)
            return f"{base}.{name}" if base else name
        case tree.Call(function=function):
            return called(function)
        case tree.Index(value=value):
            return called(value)
        case _:
            return ""


def read(node: Node, scope: Scope) -> Parts:
    """The text that an expression gives; what is no text is one Hole."""
    reading = scope.reading
    reading.steps -= 1
    if reading.depth > DEEPEST or reading.steps <= 0:
        return (Hole(node, scope=scope),)
    reading.depth += 1
    try:
        return limited(_read(node, scope))
    finally:
        reading.depth -= 1


def _read(node: Node, scope: Scope) -> Parts:
    match node:
        case tree.Literal(value=str() as value):
            return (Text(value[:LONGEST_TEXT], node),)
        case tree.Literal():
            return ()
        case tree.Interpolation(parts=parts):
            return tuple(_interpolated(node, parts, scope))
        case tree.Binary(op="%", left=left, right=right):
            if isinstance(right, tree.Collection) and right.kind == "tuple":
                return printed(left, [item.value for item in right.items], scope)
            return printed(left, [right], scope)
        case tree.Binary(op="+" | "|" | "*" | "/", left=left, right=right):
            both = (*read(left, scope), *read(right, scope))
            return both if has_text(both) else (Hole(node, scope=scope),)
        case tree.Conditional(then=then, otherwise=otherwise):
            return (*read(then, scope), *read(otherwise, scope))
        case tree.BoolOp(values=several):
            return tuple(part for value in several for part in read(value, scope))
        case tree.Cast(value=value) | tree.Star(value=value):
            return read(value, scope)
        case tree.Assign(value=assigned) if assigned is not None:
            return read(assigned, scope)
        case tree.Collection():
            return _collection(node, scope)
        case tree.Comprehension(element=one, generators=generators):
            inner = scope.inner()
            for generator in generators:
                bind_first(generator.target, generator.iterable, inner)
                bind_entries(generator.target, generator.iterable, generator.conditions, inner)
            return read(one, inner)
        case tree.Call():
            return _called(node, scope)
        case tree.Index(value=value, index=tree.Literal(value=str() as key)):
            return _entry(node, value, key, scope)
        case tree.Index(value=value, index=tree.Literal(value=int()) | tree.Name() as place):
            return _placed(node, value, place, scope)
        case tree.Other(kind="await" | "parenthesized_expression", children=(only,)):
            return read(only, scope)
        case _:
            return _named(node, scope)


def bind_first(target: Node, iterable: Node, scope: Scope) -> None:
    """A loop: the first of what is gone through stands for all."""
    path = path_of(target)
    if path is None:
        return
    first = element(iterable, scope)
    if first is None:
        scope.texts.pop(path, None)
        entry = tree.Index(iterable.span, iterable, tree.Literal(iterable.span, 0))
        scope.nodes[path] = (entry, scope)
    else:
        scope.bind(path, read(first[0], first[1] or scope), first[0])
        scope.nodes[path] = all_keys(iterable, scope) or first


def bind_entries(target: Node, iterable: Node, conditions: tuple[Node, ...], scope: Scope) -> None:
    """`for k, v in person.items()`: the keys are the record's, or those that a condition lets through."""
    match target, iterable:
        case (
            tree.Collection(
                items=(tree.Item(value=tree.Name(id=key) as name), tree.Item(value=tree.Name(id=entry)))
            ),
            tree.Call(function=tree.Field(value=owner, name="items")),
        ):
            pass
        case _:
            return
    keys: Node | None = None
    for test in conditions:
        match test:
            case tree.Compare(op="in", left=tree.Name(id=tested), right=listed) if tested == key:
                keys = resolved(listed, scope)[0]
            case _:
                pass
    if keys is None and (known := entries(owner, scope)):
        items = tuple(tree.Item(iterable.span, None, tree.Literal(iterable.span, text)) for text in known)
        keys = tree.Collection(iterable.span, "list", items)
    if keys is not None and literal_keys(keys):
        scope.nodes[key] = (keys, scope)
        scope.nodes[entry] = (tree.Index(iterable.span, owner, name), scope)


def _named(node: Node, scope: Scope) -> Parts:
    path = path_of(node)
    held = scope.text(path) if path is not None else None
    return (Hole(node, scope=scope),) if held is None else held


def _entry(node: Node, value: Node, key: str, scope: Scope) -> Parts:
    """`prompts["hire"]`: one of several templates, where it is no field of somebody."""
    held = _named(node, scope)
    if has_text(held):
        return held
    table, among = resolved(value, scope)
    if isinstance(table, tree.Collection) and table.kind == "dict":
        for item in table.items:
            if isinstance(item.key, tree.Literal) and item.key.value == key:
                inner = read(item.value, among or scope)
                if any(isinstance(part, Text) and len(part.value) > SHORT for part in inner):
                    return inner
    return held


def _placed(node: tree.Index, value: Node, place: Node, scope: Scope) -> Parts:
    """`TEMPLATES[1]`, C's `templates[ASK_HIRE]`: one of several templates, by its place."""
    held = _named(node, scope)
    table, among = (value, None) if has_text(held) else resolved(value, scope)
    if not isinstance(table, tree.Collection) or table.kind == "dict":
        return held
    for at, item in enumerate(table.items):
        own = item.key if item.key is not None else tree.Literal(node.span, at)
        if _same(own, place):
            inner = read(item.value, among or scope)
            return inner if has_text(inner) and not is_short(inner) else held
    return held


def _same(key: Node, place: Node) -> bool:
    if isinstance(key, tree.Literal) and isinstance(place, tree.Literal):
        return key.value == place.value
    return isinstance(key, tree.Name) and isinstance(place, tree.Name) and key.id == place.id


def _interpolated(node: Node, parts: tuple[Node, ...], scope: Scope) -> Iterator[Part]:
    for part in parts:
        inner = read(part, scope)
        if isinstance(part, tree.Literal) or (has_text(inner) and not is_short(inner)):
            yield from inner
        else:
            yield Hole(part, around=node, scope=scope)


def _collection(node: tree.Collection, scope: Scope) -> Parts:
    if not node.items:
        return ()
    found: list[Part] = []
    for item in node.items:
        key = item.key.value if isinstance(item.key, tree.Literal) else None
        is_field = node.kind == "dict" and isinstance(key, str)
        if is_field and key in ROLE_KEYS:
            continue
        inner = read(item.value, scope)
        if is_field and key not in CONTENT_KEYS and (not has_text(inner) or is_short(inner)):
            found.append(Hole(item.value, label=str(key), scope=scope))
            continue
        found += inner
        if has_text(inner):
            found.append(Text("\n", node))
    return tuple(found) if has_text(tuple(found)) else (Hole(node, scope=scope),)


def _called(node: tree.Call, scope: Scope) -> Parts:
    name = called(node.function)
    last = name.rpartition(".")[2]
    made = printer_of(scope.reading.functions.get(name)) if isinstance(node.function, tree.Name) else None
    if made is not None and made.buffer is None and len(node.arguments) > made.form:
        return printed(node.arguments[made.form], node.arguments[made.form + 1 :], scope)
    if isinstance(node.function, tree.Field):
        found = _method(node, node.function.value, last, scope)
        if found is not None:
            return found
    for argument in node.arguments[:1] if last in OVER_ROWS else ():
        if isinstance(argument, tree.Lambda):
            return read(argument.body, scope.inner())
    helper = _helper(node.function, name, scope)
    if helper is not None and (followed := _followed(*helper, node, scope)):
        return followed
    is_holder = last.startswith("from_") or not GATHERS.isdisjoint(split_words(last))
    if last in KEPT or is_holder:
        gathered: list[Part] = []
        for argument in (*node.arguments, *(value for _, value in node.keywords)):
            inner = read(argument, scope)
            if has_text(inner):
                gathered += (*inner, Text("\n", argument))
        if gathered:
            return tuple(gathered)
    if has_text(held := _named(node.function, scope)):
        return _filled(held, node, scope)
    return (Hole(node, scope=scope),)


def _method(node: tree.Call, owner: Node, last: str, scope: Scope) -> Parts | None:
    if last == "join" and len(node.arguments) == 1:
        between = owner.value if isinstance(owner, tree.Literal) else "\n"
        lines = read(node.arguments[0], scope)
        return (*lines, Text(str(between), owner)) if has_text(lines) else lines
    if last == "replace" and len(node.arguments) >= 2:
        return _replaced(node, read(owner, scope), scope)
    if last in FILLS or last in KEPT:
        held = read(owner, scope)
        if has_text(held):
            return held if last in KEPT else _filled(held, node, scope)
    return None


def _replaced(node: tree.Call, held: Parts, scope: Scope) -> Parts:
    sought, value = node.arguments[:2]
    mark = sought.value if isinstance(sought, tree.Literal) else None
    if not isinstance(mark, str) or not mark:
        return held
    name = re.sub(r"\W+", "", mark)
    found: list[Part] = []
    for part in held:
        if not isinstance(part, Text) or mark not in part.value:
            found.append(part)
            continue
        first, *pieces = part.value.split(mark)[:50]
        found.append(Text(first, part.node))
        for piece in pieces:
            found += (Hole(value, name, part, scope=scope), Text(piece, part.node))
    return tuple(found)


# ---------------------------------------------------------------------------------------- helper functions


def _helper(node: Node, name: str, scope: Scope) -> tuple[str, Function] | None:
    functions = scope.reading.functions
    if isinstance(node, tree.Name) and (found := functions.get(node.id)) is not None:
        return node.id, found
    first, _, last = name.rpartition(".")
    qualified = f"{scope.owner}.{last}"
    if first in scope.reading.conventions.receivers and (found := functions.get(qualified)) is not None:
        return qualified, found
    return None


def _followed(name: str, function: Function, node: tree.Call, scope: Scope) -> Parts:
    """The text that a function of the same file returns."""
    inner = _run(name, function, node, scope)
    if inner is None:
        return ()
    returned = (use.parts for use in inner.reading.usages if use.kind == "return")
    return tuple(part for parts in returned for part in parts)


def fill_buffers(node: tree.Call, scope: Scope) -> bool:
    """A function of the same file writes into buffers that it is given, as C's do."""
    if not isinstance(node.function, tree.Name):
        return False
    name = node.function.id
    function = scope.reading.functions.get(name)
    if function is None or not any(_is_buffer(parameter) for parameter in function.parameters):
        return False
    inner = _run(name, function, node, scope)
    filled = False
    for parameter, argument in arguments_of(function, node, scope).items():
        path = path_of(argument)
        parts = inner.texts.get(parameter) if inner is not None else None
        if path is not None and parts and has_text(parts) and parts != scope.text(path):
            scope.bind(path, parts, node)
            filled = True
    return filled


def _is_buffer(parameter: tree.Parameter) -> bool:
    kind = parameter.type
    return "char" in kind and ("*" in kind or "[" in kind) and "const" not in kind


def _run(name: str, function: Function, node: tree.Call, scope: Scope) -> Scope | None:
    """The names of a function of the same file, once it has run for a call."""
    reading = scope.reading
    if name in reading.following or len(reading.following) > 3 or not function.body:
        return None
    steps = min(reading.steps, MOST_FOLLOWED)
    aside = Reading(
        reading.functions, reading.run, reading.conventions, steps, reading.room, reading.depth, at=name
    )
    aside.classes, aside.following = reading.classes, (*reading.following, name)
    owner = name.rpartition(".")[0]
    inner = Scope(aside, outer=reading.classes.get(owner) or outermost(scope), owner=owner)
    given = arguments_of(function, node, scope)
    for parameter in function.parameters:
        argument = given.get(parameter.name, parameter.default)
        if argument is None:
            continue
        parts = read(argument, scope)
        if has_text(parts) and not is_short(parts):
            inner.texts[parameter.name] = parts
        inner.nodes[parameter.name] = (argument, scope)
    reading.run(function.body, inner)
    reading.steps -= max(steps - aside.steps, 0)
    reading.room = aside.room
    return inner


def outermost(scope: Scope) -> Scope:
    """The names of the module."""
    while scope.outer is not None:
        scope = scope.outer
    return scope


def arguments_of(function: Function, call: tree.Call, scope: Scope) -> dict[str, Node]:
    """What a call gives each parameter."""
    names = [part.name for part in function.parameters if not part.star]
    receivers = scope.reading.conventions.receivers
    if names and names[0] in receivers and isinstance(call.function, tree.Field):
        names = names[1:]
    given = dict(zip(names, call.arguments, strict=False))
    given.update((name, node) for name, node in call.keywords if name is not None)
    return given


# ------------------------------------------------------------------------------------------------- filling


def printed(form: Node, values: Iterable[Node], scope: Scope) -> Parts:
    """A text with `%` conversions, and what is put there."""
    found: list[Part] = []
    rest = list(values)
    keywords = entries(rest[0], scope) if len(rest) == 1 else {}
    for part in read(form, scope):
        if not isinstance(part, Text):
            found.append(part)
            continue
        at = 0
        for match in compiled(CONVERSION).finditer(part.value):
            if match["kind"] == "%":
                continue
            found.append(Text(part.value[at : match.start()], part.node))
            at = match.end()
            if match["key"]:
                found.append(Hole(keywords.get(match["key"]), match["key"], part, scope=scope))
            elif rest:
                found += _value(rest.pop(0), "", part, scope)
            else:
                found.append(Hole(None, "", part, scope=scope))
        found.append(Text(part.value[at:], part.node))
    return tuple(found)


def _filled(parts: Parts, node: tree.Call, scope: Scope) -> Parts:
    """A text with its named and numbered places filled as far as the call's values are known."""
    values, keywords = _given(node, scope)
    found: list[Part] = []
    count = 0
    for part in parts:
        if not isinstance(part, Text):
            found.append(part)
            continue
        at = 0
        for match in places(part.value):
            name = name_of(match)
            if name is None:
                number = int(match["number"] or count)
                count += not match["number"]
                given = values[number] if number < len(values) else None
            else:
                given = keywords.get(re.split(r"[.\[]", name)[0])
            if given is not None:
                found.append(Text(part.value[at : match.start()], part.node))
                found += _value(given, name or "", part, scope)
                at = match.end()
        found.append(Text(part.value[at:], part.node) if at else part)
    return tuple(found)


def _value(node: Node, name: str, text: Text, scope: Scope) -> Parts:
    inner = read(node, scope)
    of_somebody = "." in name or "[" in name
    if has_text(inner) and not is_short(inner) and not of_somebody:
        return inner
    return (Hole(node, name, text, scope=scope),)


def _given(node: tree.Call, scope: Scope) -> tuple[tuple[Node, ...], Mapping[str, Node]]:
    """What a call hands over, by place and by name; a dict's entries count as names."""
    keywords: dict[str, Node] = {}
    values: list[Node] = []
    for name, value in node.keywords:
        keywords.update(entries(value, scope) if name is None else {name: value})
    for argument in node.arguments:
        inner = argument.value if isinstance(argument, tree.Star) else argument
        if known := entries(inner, scope):
            keywords.update(known)
        else:
            values.append(inner)
    return tuple(values), keywords
