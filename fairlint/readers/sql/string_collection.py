"""The texts of a file that look like SQL: each as far as it can be put together, and what is done with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from fairlint.readers.sql import detection
from fairlint.readers.sql.texts import (
    MOST_VARIANTS,
    Text,
    functions_in,
    hole,
    joined,
    literal,
    merged,
    plain,
    substituted,
    variants,
)
from fairlint.records import Record, field
from fairlint.semantics.paths import path_of
from fairlint.syntax import tree
from fairlint.syntax.language import Conventions
from fairlint.syntax.tree import Node

PRINTF = re.compile(r"%(?:\((\w+)\))?[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t|L)?([a-zA-Z%])")
"""A place in a text that `%`, `snprintf` or a database's driver fills."""
MOST_HANDED = 200
"""Calls of a file's own functions with a part of a text; more are a table of them."""
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_DOLLARS = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_SAME_TEXT = frozenset(
    "strip lstrip rstrip dedent cleandoc text SQL encode decode lower upper Template RawSQL literal_column "
    "f_string Query expr TextClause str String sql_text".split()
)
"""Calls that give the text they are given, or that they are a method of."""
_FORMATS_INTO: Mapping[str, tuple[int, int]] = {
    "snprintf": (0, 2), "sprintf": (0, 1), "asprintf": (0, 1), "sqlite3_snprintf": (1, 2),
    "vsnprintf": (0, 2), "_snprintf": (0, 2), "sprintf_s": (0, 2), "xasprintf": (0, 1), "g_snprintf": (0, 2),
}  # fmt: skip
"""C function -> which argument is written to, and which is the format."""
_FORMATS = frozenset("sqlite3_mprintf g_strdup_printf talloc_asprintf psprintf".split())
_COPIES = frozenset("strcpy strncpy strlcpy g_strlcpy strdup g_strdup".split())
_APPENDS = frozenset(
    "strcat strncat strlcat g_strlcat g_string_append appendStringInfo appendStringInfoString".split()
)
FETCHES = frozenset("fetchall fetchone fetchmany all first scalars mappings fetch_all fetch_one".split())


class Found(Record, frozen=False):
    """One text and what the code does with it."""

    text: Text
    node: Node
    """The literal, or the variable's value, that it begins with."""
    names: list[str]
    """The variables, keys and columns that it is bound to."""
    calls: list[tree.Call] = field(default_factory=list)
    """The calls that it is an argument of, innermost first."""
    results: list[str] = field(default_factory=list)
    """What the calls' results are bound to; `return` where they are returned."""
    functions: list[str] = field(default_factory=list)
    """Qualified names of the functions in which it is used."""
    used: bool = False


class _Scope(Record, frozen=False):
    function: str
    texts: dict[str, tuple[Text, ...]] = field(default_factory=dict)
    lists: dict[str, list[Text]] = field(default_factory=dict)
    constants: dict[str, Node] = field(default_factory=dict)
    executed: dict[str, list[Found]] = field(default_factory=dict)
    """Cursor -> the texts it was last given."""
    caller: str = ""
    """The function that gives this one a part of a text."""


class _Handed(Record):
    """A function that is called with a part of a text."""

    function: tree.Function
    owner: str
    texts: dict[str, tuple[Text, ...]]
    caller: str


def gather(body: Sequence[Node], conventions: Conventions, is_wanted: Callable[[str], bool]) -> list[Found]:
    """All texts of a file for which `is_wanted(text)` holds, in order."""
    walk = _Walk(conventions, is_wanted)
    walk.file(body)
    return walk.result()


class _Walk:
    def __init__(self, conventions: Conventions, is_wanted: Callable[[str], bool]) -> None:
        self._conventions = conventions
        self._is_wanted = is_wanted
        self._found: dict[tuple[object, ...], Found] = {}
        self._later: list[tuple[tree.Function, str]] = []
        self._handed: list[_Handed] = []
        self._functions: dict[str, tuple[tree.Function, str]] = {}
        self._module = _Scope("")
        self._stack: list[tree.Call] = []

    # ------------------------------------------------------------------------------------------- statements

    def file(self, body: Sequence[Node]) -> None:
        self._functions = dict(functions_in(body))
        self._run(body, self._module, "")
        while self._later:
            function, owner = self._later.pop(0)
            self._function(function, owner)
        for handed in self._handed:  # grows while it is gone through
            if len(self._handed) > MOST_HANDED:
                break
            self._function(handed.function, handed.owner, handed)

    def _function(self, function: tree.Function, owner: str, handed: _Handed | None = None) -> None:
        name = f"{owner}.{function.name}" if owner else function.name
        scope = _Scope(name, dict(self._module.texts), dict(self._module.lists), dict(self._module.constants))
        for parameter in function.parameters:
            for held in (scope.texts, scope.lists, scope.constants):
                held.pop(parameter.name, None)
        if handed is not None:
            scope.texts.update(handed.texts)
            scope.caller = handed.caller
        self._run(function.body, scope, name)

    def result(self) -> list[Found]:
        """What was found, without what is only the beginning of something else."""
        longest: dict[tuple[int, int], int] = {}
        for one in self._found.values():
            for piece in _places(one.text):
                longest[piece] = max(longest.get(piece, 0), len(one.text.text))
        whole = [
            one
            for one in self._found.values()
            if one.used
            or not one.text.pieces
            or any(longest[piece] <= len(one.text.text) for piece in _places(one.text))
        ]
        return sorted(whole, key=lambda one: one.node.span.start)

    def _run(self, body: Sequence[Node], scope: _Scope, owner: str) -> None:
        for node in body:
            self._statement(node, scope, owner)

    def _statement(self, node: Node, scope: _Scope, owner: str) -> None:
        match node:
            case tree.Function():
                if node.is_macro:
                    self._run(node.body, scope, owner)
                else:
                    self._later.append((node, owner))
            case tree.Type(name=name):
                before = dict(scope.texts)
                self._run(node.body, scope, name)
                for key in [key for key in scope.texts if key not in before]:
                    for path in (f"{name}.{key}", *self._conventions.own_paths(key)):
                        scope.texts[path] = scope.texts[key]
            case tree.Macro(name=name, value=value):
                self._assign(name, value, node, scope)
            case tree.Assign():
                self._assigned(node, scope)
            case tree.If(test=test, then=then, otherwise=otherwise):
                self._visit(test, scope)
                before = dict(scope.texts)
                self._run(then, scope, owner)
                after, scope.texts = scope.texts, before
                self._run(otherwise, scope, owner)
                scope.texts = merged(after, scope.texts)
            case tree.Return(value=value):
                if value is not None:
                    self._visit(value, scope, result="return")
            case tree.With(items=items, body=inner):
                self._run(items, scope, owner)
                self._run(inner, scope, owner)
            case tree.Loop(target=target, iterable=iterable, test=test, body=inner, otherwise=otherwise):
                for part in (iterable, test):
                    if part is not None:
                        self._visit(part, scope, result=path_of(target) or "" if target is not None else "")
                self._run(inner, scope, owner)
                self._run(otherwise, scope, owner)
            case tree.Try(body=inner, handlers=handlers, otherwise=otherwise, final=final):
                for block in (inner, *handlers, otherwise, final):
                    self._run(block, scope, owner)
            case tree.Switch(subject=subject, cases=cases):
                self._visit(subject, scope)
                before = dict(scope.texts)
                for case in cases:
                    after, scope.texts = scope.texts, dict(before)
                    self._run(case.body, scope, owner)
                    scope.texts = merged(after, scope.texts)
            case tree.Block(body=inner):
                self._run(inner, scope, owner)
            case tree.Other(children=children) | tree.Broken(children=children):
                self._run(children, scope, owner)
            case tree.Expression(value=value):
                self._visit(value, scope)
            case _:
                self._visit(node, scope)

    def _assigned(self, node: tree.Assign, scope: _Scope) -> None:
        value = node.value
        if value is None:
            return
        for target in node.targets:
            path = path_of(target)
            if path is None:
                path = ""
                for part in tree.walk(target):
                    if isinstance(part, tree.Name) and not path:
                        path = part.id
                self._visit(value, scope, result=path)
                continue
            path = path.removeprefix("*")
            if node.op == "+" and path in scope.lists and isinstance(value, tree.Collection):
                scope.lists[path].extend(self._items(value, scope))
            elif node.op == "+":
                new = self._read(value, scope)
                if new and path in scope.texts:
                    self._hold(path, variants((scope.texts[path], new)), value, scope)
                elif not new:
                    if path in scope.texts:
                        self._hold(path, variants((scope.texts[path], (hole(value),))), value, scope)
                    self._visit(value, scope)
            elif node.op is None:
                self._assign(path, value, node, scope)

    def _assign(self, path: str, value: Node, node: Node, scope: _Scope) -> None:
        del node
        scope.lists.pop(path, None)
        texts = self._read(value, scope)
        if texts and (_is_text(value) or isinstance(value, tree.Name | tree.Field | tree.Index)):
            self._hold(path, texts, value, scope)
            return
        scope.texts.pop(path, None)
        scope.constants.pop(path, None)
        if isinstance(value, tree.Collection):
            self._collection(path, value, scope)
            scope.constants[path] = value
            return
        if isinstance(value, tree.Literal):
            scope.constants[path] = value
        self._fetched(path, value, scope)
        self._visit(value, scope, result=path)

    def _collection(self, path: str, value: tree.Collection, scope: _Scope) -> None:
        if value.kind in {"list", "tuple"}:
            scope.lists[path] = self._items(value, scope)
        for item in value.items:
            key = item.key.value if isinstance(item.key, tree.Literal) else None
            texts = self._read(item.value, scope)
            if texts and _is_text(item.value):
                name = f"{path}[{key!r}]" if key is not None else path
                scope.texts[name] = texts if key is not None else ()
                for text in texts:
                    self._note(text, item.value, [path, *([key] if isinstance(key, str) else [])], scope)
            elif isinstance(item.value, tree.Collection):
                self._collection(f"{path}[{key!r}]" if key is not None else path, item.value, scope)
            else:
                self._visit(item.value, scope)

    def _items(self, value: tree.Collection, scope: _Scope) -> list[Text]:
        return [(self._read(item.value, scope) or (hole(item.value),))[0] for item in value.items]

    def _hold(self, path: str, texts: tuple[Text, ...], node: Node, scope: _Scope) -> None:
        scope.texts[path] = texts
        for text in texts:
            self._note(text, node, [path], scope)

    def _fetched(self, path: str, value: Node, scope: _Scope) -> None:
        """`rows = cursor.fetchall()`: what the cursor was last told to execute gives the rows."""
        for part in tree.walk(value):
            if isinstance(part, tree.Call) and isinstance(part.function, tree.Field):
                receiver = path_of(part.function.value)
                if receiver in scope.executed and part.function.name in FETCHES:
                    for found in scope.executed[receiver]:
                        found.results.append(path)
                        found.calls.append(part)

    # ------------------------------------------------------------------------------------------ expressions

    def _visit(self, node: Node, scope: _Scope, result: str = "") -> None:
        """Notes the texts in an expression; `result` is what its value is bound to."""
        if _is_text(node) or isinstance(node, tree.Name | tree.Field | tree.Index):
            texts = self._read(node, scope)
            if texts:
                for text in texts:
                    self._note(text, node, [], scope, result=result)
                return
        match node:
            case tree.Call():
                self._call(node, scope, result)
            case tree.Assign():
                self._assigned(node, scope)
            case tree.Lambda(body=body):
                self._visit(body, scope, result)
            case tree.Collection(items=items):
                for item in items:
                    names = [item.key.value] if isinstance(item.key, tree.Literal) else []
                    texts = self._read(item.value, scope) if _is_text(item.value) else ()
                    for text in texts:
                        self._note(text, item.value, [str(name) for name in names], scope, result=result)
                    if not texts:
                        self._visit(item.value, scope, result)
            case tree.Function():
                self._later.append((node, scope.function))
            case _:
                for child in tree.children(node):
                    self._visit(child, scope, result)

    def _call(self, node: tree.Call, scope: _Scope, result: str) -> None:
        name = called(node)
        if self._written(node, name, scope):
            return
        self._hand(node, name, scope)
        if isinstance(node.function, tree.Field):
            receiver = path_of(node.function.value)
            if name in {"append", "extend"} and receiver in scope.lists and node.arguments:
                added = self._read(node.arguments[0], scope)
                if added:
                    scope.lists[receiver].append(added[0])
                    return
        if result == "return" or not result:
            self._refetched(node, result, scope)
        self._stack.append(node)
        self._visit(node.function, scope, result)
        for argument in node.arguments:
            self._visit(argument, scope, result)
        for key, argument in node.keywords:
            texts = self._read(argument, scope) if _is_text(argument) else ()
            for text in texts:
                self._note(text, argument, [key or ""], scope, result=result)
            if not texts:
                self._visit(argument, scope, result)
        self._stack.pop()

    def _hand(self, node: tree.Call, name: str, scope: _Scope) -> None:
        """A function of the file is given a condition: what it makes of it is gone through once more."""
        known = self._functions.get(name)
        if known is None or scope.caller:
            return
        function, owner = known
        parameters = [parameter.name for parameter in function.parameters]
        if owner and parameters and parameters[0] in self._conventions.receivers:
            del parameters[0]
        given = [*zip(parameters, node.arguments, strict=False)]
        given += [(key, value) for key, value in node.keywords if key in parameters]
        texts = {
            parameter: read
            for parameter, value in given
            if (read := self._read(value, scope))
            and detection.is_condition(read[0].text)
            and not detection.is_statement(read[0].text)
        }
        if texts:
            self._handed.append(_Handed(function, owner, texts, scope.function))

    def _refetched(self, node: tree.Call, result: str, scope: _Scope) -> None:
        if not isinstance(node.function, tree.Field) or node.function.name not in FETCHES:
            return
        for found in scope.executed.get(path_of(node.function.value) or "", ()):
            found.calls.append(node)
            if result:
                found.results.append(result)

    def _written(self, node: tree.Call, name: str, scope: _Scope) -> bool:
        """C functions that write a text somewhere."""
        arguments = node.arguments
        if name in _FORMATS_INTO:
            into, form = _FORMATS_INTO[name]
            if len(arguments) > form and (path := path_of(arguments[into])) is not None:
                texts = self._read(arguments[form], scope)
                filled = tuple(self._printf(text, arguments[form + 1 :], scope) for text in texts)
                self._hold(path, filled, arguments[form], scope)
                return True
        elif name in _COPIES | _APPENDS and len(arguments) > 1:
            path = path_of(arguments[0])
            texts = self._read(arguments[1], scope) or (hole(arguments[1]),)
            if path is None:
                return False
            if name in _APPENDS:
                if path not in scope.texts:
                    return False
                texts = variants((scope.texts[path], texts))
            self._hold(path, texts, arguments[1], scope)
            return True
        return False

    def _note(self, text: Text, node: Node, names: list[str], scope: _Scope, result: str = "") -> None:
        if not text.text or not self._is_wanted(text.text):
            return
        key = (text.text, *_places(text))
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = Found(text, _literal_of(node, text), [])
        found.names.extend(name for name in names if name not in found.names)
        if scope.function not in found.functions and (self._stack or result or scope.function):
            found.functions.append(scope.function)
        if scope.caller and scope.caller not in found.functions:
            found.functions.append(scope.caller)
        if not names or self._stack:
            found.used = True
        if self._stack:
            found.calls.extend(call for call in reversed(self._stack) if call not in found.calls)
            for call in self._stack:
                if isinstance(call.function, tree.Field):
                    receiver = path_of(call.function.value)
                    if receiver:
                        held = scope.executed.setdefault(receiver, [])
                        if held and held[-1].node.span != found.node.span and call is self._stack[-1]:
                            held.clear()
                        if found not in held:
                            held.append(found)
        if result and result not in found.results:
            found.results.append(result)

    # ------------------------------------------------------------------------------------------------ texts

    def _read(self, node: Node, scope: _Scope) -> tuple[Text, ...]:
        """The texts that an expression may give; empty where it gives none that is known in part."""
        match node:
            case tree.Literal(value=str() as value):
                return (literal(value, node.span),)
            case tree.Literal(value=bytes() as raw):
                return (literal(raw.decode("utf-8", "replace"), node.span),)
            case tree.Interpolation(parts=parts):
                return variants([self._read(part, scope) or (hole(part),) for part in parts])
            case tree.Binary(op="+"):
                return self._sum(node, scope)
            case tree.Binary(op="%", left=left, right=right):
                several = right.items if isinstance(right, tree.Collection) else ()
                values: Sequence[Node] = [item.value for item in several] if several else (right,)
                named: dict[object, Node] = {
                    item.key.value: item.value for item in several if isinstance(item.key, tree.Literal)
                }
                return tuple(self._printf(text, values, scope, named) for text in self._read(left, scope))
            case tree.Call():
                return self._called(node, scope)
            case tree.Conditional(then=then, otherwise=otherwise):
                both = (*self._read(then, scope), *self._read(otherwise, scope))
                return both[:MOST_VARIANTS] if len(both) > 1 else ()
            case tree.Name() | tree.Field() | tree.Index():
                return scope.texts.get(path_of(node) or "", ())
            case tree.Cast(value=value):
                return self._read(value, scope)
            case _:
                return ()

    def _sum(self, node: tree.Binary, scope: _Scope) -> tuple[Text, ...]:
        terms: list[Node] = []
        left: Node = node
        while isinstance(left, tree.Binary) and left.op == "+":
            terms.append(left.right)
            left = left.left
        terms.append(left)
        parts = [self._read(term, scope) for term in reversed(terms)]
        if not any(parts):
            return ()
        return variants([part or (hole(term),) for part, term in zip(parts, reversed(terms), strict=True)])

    def _called(self, node: tree.Call, scope: _Scope) -> tuple[Text, ...]:
        name = called(node)
        base = node.function.value if isinstance(node.function, tree.Field) else None
        if name == "format" and base is not None:
            texts = self._read(base, scope)
            return tuple(self._braces(text, node, scope) for text in texts)
        if name in {"substitute", "safe_substitute"} and base is not None:
            named = {key: value for key, value in node.keywords if key}
            return tuple(
                substituted(text, _DOLLARS, lambda match: self._value(named.get(match[1] or match[2]), scope))
                for text in self._read(base, scope)
            )
        if name == "join" and base is not None and node.arguments:
            return self._joined(base, node.arguments[0], scope)
        if name in _FORMATS and node.arguments:
            texts = self._read(node.arguments[0], scope)
            return tuple(self._printf(text, node.arguments[1:], scope) for text in texts)
        if name == "replace" and base is not None:
            return self._read(base, scope)
        if name in _SAME_TEXT:
            own = self._read(base, scope) if base is not None else ()
            return own or (self._read(node.arguments[0], scope) if node.arguments else ())
        return ()

    def _joined(self, separator: Node, items: Node, scope: _Scope) -> tuple[Text, ...]:
        between = self._read(separator, scope)
        parts: list[Text] = []
        if isinstance(items, tree.Collection):
            parts = self._items(items, scope)
        elif (path := path_of(items)) is not None:
            parts = scope.lists.get(path, [])
        if not between or not any(part.pieces for part in parts):
            return ()
        row = [part for one in parts for part in (between[0], one)][1:]
        return (joined(row),)

    def _printf(
        self, text: Text, values: Sequence[Node], scope: _Scope, named: Mapping[object, Node] | None = None
    ) -> Text:
        """The text with what is known put in; the rest stays as it is."""
        left = list(values)

        def fill(match: re.Match[str]) -> Text | None:
            if match[2] == "%":
                return plain("%")
            if match[1]:
                return self._value((named or {}).get(match[1]), scope)
            return self._value(left.pop(0), scope) if left else None

        return substituted(text, PRINTF, fill)

    def _braces(self, text: Text, node: tree.Call, scope: _Scope) -> Text:
        named = {key: value for key, value in node.keywords if key}
        row = iter(node.arguments)

        def fill(match: re.Match[str]) -> Text:
            if match[0] in {"{{", "}}"}:
                return plain(match[0][0])
            name = re.split(r"[!:.\[]", match[1])[0]
            value = next(row, None) if not name else named.get(name)
            if name.isdigit() and int(name) < len(node.arguments):
                value = node.arguments[int(name)]
            return self._value(value, scope) or hole(tree.Name(_shifted(node, match.start()), name or "_"))

        return substituted(text, _BRACES, fill)

    def _value(self, node: Node | None, scope: _Scope) -> Text | None:
        if node is None:
            return None
        if isinstance(node, tree.Literal) and not isinstance(node.value, str | bytes):
            return plain(str(node.value))
        texts = self._read(node, scope)
        constant = scope.constants.get(path_of(node) or "")
        if not texts and isinstance(constant, tree.Literal) and constant is not node:
            return self._value(constant, scope)
        return texts[0] if texts else hole(node)


def _shifted(node: Node, offset: int) -> tree.Span:
    return tree.Span(node.span.start + offset, node.span.end + offset)


def _places(text: Text) -> tuple[tuple[int, int], ...]:
    return tuple((piece.span.start, piece.at) for piece in text.pieces)


def _literal_of(node: Node, text: Text) -> Node:
    """The first literal of a text, which may stand elsewhere than where the text is used."""
    if text.pieces and not node.span.start <= text.pieces[0].span.start < node.span.end:
        first = text.pieces[0]
        return tree.Literal(first.span, first.value)
    return node


def _is_text(node: Node) -> bool:
    match node:
        case tree.Literal(value=value):
            return isinstance(value, str | bytes)
        case tree.Interpolation() | tree.Conditional():
            return True
        case tree.Binary(op=op):
            return op in {"+", "%"}
        case tree.Call():
            return called(node) in {"format", "join", "substitute", "safe_substitute", *_SAME_TEXT, *_FORMATS}
        case _:
            return False


def called(node: tree.Call) -> str:
    """The last part of the name of what is called."""
    match node.function:
        case tree.Field(name=name) | tree.Name(id=name):
            return name
        case _:
            return ""


def parameters(found: Found) -> Iterator[Node]:
    """What the executing call gives for the text's placeholders."""
    for call in found.calls:
        position = next(
            (
                place
                for place, argument in enumerate(call.arguments)
                if argument.span.start <= found.node.span.start < argument.span.end
            ),
            0,
        )
        rest = call.arguments[position + 1 :]
        yield from (argument for argument in rest if isinstance(argument, tree.Collection))
        if rest and "$1" in found.text.text and isinstance(call.function, tree.Field):  # asyncpg
            yield tree.Collection(call.span, "tuple", tuple(tree.Item(one.span, None, one) for one in rest))
        yield from (
            value
            for key, value in call.keywords
            if key in {"params", "parameters", "args", "vars"} and isinstance(value, tree.Collection)
        )
