"""Assumed groups: where code says which group somebody belongs to who has not said so.

This module finds defaults: of parameters, fields and options, of look-ups by name, and of expressions that
put a group in the place of nothing. `filling.py` finds the filling of gaps in columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from fairlint.lexicon.load import word_lists
from fairlint.lexicon.words import split_words
from fairlint.readers.assumptions.attribute_reads import Read, Reader
from fairlint.readers.assumptions.syntax_index import Scope, SyntaxIndex, called, resolved, text_of, texts
from fairlint.records import Record, replace
from fairlint.semantics.paths import path_of
from fairlint.semantics.scopes import ENUM_BASES
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

STRUCT_FILLERS = frozenset({"strcpy", "strncpy", "strlcpy", "strdup", "snprintf", "sprintf"})
"""C functions that put a text into a field."""
NULLS = frozenset({"NULL", "nullptr", "NaN", "nan", "NA", "NAN", "None", "pd.NA", "np.nan", "numpy.nan"})


class Assumed(Record, eq=False):
    """One assumption: whose attribute, where it is written, and which group it is.

    `group` is empty where the data says which one: the most frequent, a neighbour's. `how` says in words what
    is assumed. `named` is the place that names the attribute, where that is another one.
    """

    read: Read
    node: Node
    group: str
    how: str
    named: Node | None = None
    in_table: bool = False
    """Whether a whole column is filled."""
    steps: tuple[tuple[Node, str], ...] = ()
    """What else belongs to it, in words."""


@cache
def lexicon() -> Mapping[str, frozenset[str]]:
    """The names and words of `defaults.toml`."""
    return word_lists("defaults")


def defaults(scene: SyntaxIndex, reader: Reader, language: str) -> Iterator[Assumed]:
    """All defaults of one file."""
    written: list[str] = []
    for found in _in_code(scene, reader, language):
        written.append(reader.text(found.node))
        yield found
    for found in _constants(scene, reader):
        name = found.how.strip("`")
        if not any(name in text for text in written):  # else it is told where it is used
            yield found


def _in_code(scene: SyntaxIndex, reader: Reader, language: str) -> Iterator[Assumed]:
    for parameter, scope in scene.places(tree.Parameter):
        yield from _parameter(parameter, scope, reader)
    for type_, scope in scene.places(tree.Type):
        yield from _class_fields(type_, scope, reader)
    for call, scope in scene.places(tree.Call):
        yield from _call(call, scope, scene, reader)
    for pair, scope in scene.places(tree.BoolOp):
        if pair.op == "or" and language == "python":
            yield from _rather_than_nothing(pair, scope, scene, reader)
    for choice, scope in scene.places(tree.Conditional):
        yield from _choice(choice, scope, reader)
    for table, scope in scene.places(tree.Collection):
        yield from _table(table, scope, scene, reader)
    for attempt, scope in scene.places(tree.Try):
        yield from _on_failure(attempt, scope, reader)
    yield from _overridden(scene, reader)
    if language == "c":
        for found in where_missing(scene, reader):
            yield replace(found, how=f"`{found.read.mention.identifier}`")


# ------------------------------------------------------------------------------------- parameters, fields


def _parameter(parameter: tree.Parameter, scope: Scope, reader: Reader) -> Iterator[Assumed]:
    """`def quote(income, gender="male")`."""
    if parameter.default is None or parameter.star:
        return
    value = _wrapped(parameter.default)
    for read in reader.named(parameter.name, parameter):
        group = default_of(read, value, scope, reader)
        if group:
            yield Assumed(read, parameter, group, f"the parameter `{parameter.name}`", None)


def _class_fields(type_: tree.Type, scope: Scope, reader: Reader) -> Iterator[Assumed]:
    """`gender: str = "male"` and `gender = Column(String, default="M")` in a class."""
    if type_.kind != "class" or _is_enum(type_) or _names_group(type_.name, reader):
        return
    plain = not type_.bases and not type_.decorators
    for part in type_.body:
        if not (isinstance(part, tree.Assign) and len(part.targets) == 1 and part.value is not None):
            continue
        target = part.targets[0]
        if not isinstance(target, tree.Name) or (plain and not part.type):
            continue
        is_call = isinstance(part.value, tree.Call)
        value = _wrapped(part.value) if is_call else part.value
        if value is part.value and is_call:
            continue
        for read in reader.named(target.id, target, type_.name):
            group = default_of(read, value, scope, reader)
            if group:
                how = f"the field `{target.id}`"
                yield Assumed(read, value, group, how, target)


def _is_enum(type_: tree.Type) -> bool:
    names = {base.id if isinstance(base, tree.Name) else getattr(base, "name", "") for base in type_.bases}
    return not ENUM_BASES.isdisjoint(names)


def _names_group(name: str, reader: Reader) -> bool:
    """Whether a class is about one group by its own name: `class Woman(Person)`."""
    return any(reader.in_text(word) for word in split_words(name)) or any(
        read.mention.group is not None for read in reader.named(name, tree.Name(tree.Span(0, 0), name))
    )


def _wrapped(value: Node) -> Node:
    """The default that `Field("male")` or `Column(String, default="male")` gives, else `value` itself."""
    if not isinstance(value, tree.Call):
        return value
    words = lexicon()
    for key, given in value.keywords:
        if key in words["default_keywords"]:
            return given
        if key == "default_factory" and isinstance(given, tree.Lambda):
            return given.body
    if called(value) in words["default_fields"] and value.arguments:
        return value.arguments[0]
    return value


def default_of(read: Read, value: Node, scope: Scope, reader: Reader) -> str:
    """The group that a default assumes, empty where it assumes none."""
    attribute = read.mention.attribute
    if read.mention.group is not None and read.mention.form == "flag":
        is_set = isinstance(value, tree.Literal) and value.value is True
        group = read.mention.group if is_set else None
        if group is None and read.mention.group != "yes":  # `married="Yes"`
            group = reader.group(attribute, value, scope)
    else:
        group = reader.group(attribute, value, scope)
    return group if group is not None and reader.is_somebody(attribute, group) else ""


# ------------------------------------------------------------------------------------------------- calls


def _call(call: tree.Call, scope: Scope, scene: SyntaxIndex, reader: Reader) -> Iterator[Assumed]:
    words = lexicon()
    name = called(call)
    if name in words["default_sets"] or (name == "dict" and _is_called_default(call, scene)):
        yield from _set_defaults(call, scope, reader)
    if name in words["default_getters"]:
        yield from _getter(call, scope, scene, reader)
    if not call.keywords:
        return
    keywords = {key: value for key, value in call.keywords if key is not None}
    for key in words["default_keywords"] & keywords.keys():
        for named, read in _named_by(call, keywords, scene, reader):
            group = default_of(read, keywords[key], scope, reader)
            if group:
                how = f"`{str(named.value).lstrip('-')}`" if isinstance(named, tree.Literal) else "it"
                yield Assumed(read, keywords[key], group, how, named)
                return


def _named_by(
    call: tree.Call, keywords: dict[str, Node], scene: SyntaxIndex, reader: Reader
) -> Iterator[tuple[Node, Read]]:
    """What a call with a default is about: its first texts, its `dest`, or the variable it is given to."""
    for argument_ in (*call.arguments[:3], keywords.get("dest"), keywords.get("name")):
        text = text_of(argument_)
        if argument_ is not None and text is not None:
            for read in reader.named(text.lstrip("-"), argument_):
                yield argument_, read
    target = target_of(call, scene)
    if target is not None:
        for read in reader.written(target):
            yield target, read


def _set_defaults(call: tree.Call, scope: Scope, reader: Reader) -> Iterator[Assumed]:
    """`parser.set_defaults(gender="male")`."""
    for key, value in call.keywords:
        for read in reader.named(key, value) if key is not None else ():
            group = default_of(read, value, scope, reader)
            if group:
                yield Assumed(read, value, group, f"`{key}`")


def _getter(call: tree.Call, scope: Scope, scene: SyntaxIndex, reader: Reader) -> Iterator[Assumed]:
    """`row.get("race", "White")`, `getattr(person, "gender", "male")`, `os.environ.get("GENDER", "male")`."""
    for place, key in enumerate(call.arguments[:-1]):
        text = text_of(key)
        if text is None:
            continue
        value = call.arguments[place + 1]
        receiver = reader.receiver(call)
        reads = reader.named(text, key, receiver)
        target = target_of(call, scene)
        if not reads and target is not None:
            reads = reader.written(target)
        for read in reads:
            if read.mention.group is not None and reader.in_text(text):
                continue  # `labels.get("female", "F")` reads a table by group
            group = default_of(read, value, scope, reader)
            if group:
                yield Assumed(Read(read.mention, key, receiver), value, group, f"`{text}`", key)
                return


def target_of(node: Node, scene: SyntaxIndex) -> Node | None:
    """What the value of an expression is given to, as far as it goes there as it is."""
    inner = node
    for outer in scene.around(node):
        match outer:
            case tree.Assign(targets=(target,)):
                return target
            case tree.Call(keywords=keywords) if any(value is inner for _, value in keywords):
                return (
                    next(
                        tree.Name(value.span, key)
                        for key, value in keywords
                        if value is inner and key is not None
                    )
                    if any(value is inner and key is not None for key, value in keywords)
                    else None
                )
            case tree.Call(function=tree.Field(value=receiver)) if receiver is inner:
                pass
            case tree.Call(arguments=(only,)) if only is inner:
                pass
            case tree.Field() | tree.BoolOp() | tree.Cast():
                pass
            case tree.Item(key=tree.Literal(value=str()) as key):
                return key
            case _:
                return None
        inner = outer
    return None


# ------------------------------------------------------------------------------------------- expressions


def _rather_than_nothing(
    pair: tree.BoolOp, scope: Scope, scene: SyntaxIndex, reader: Reader
) -> Iterator[Assumed]:
    """`row.get("sex") or "M"`."""
    if isinstance(scene.parents.get(id(pair)), tree.BoolOp | tree.If | tree.Unary):
        return
    last = pair.values[-1]
    reads = [read for value in pair.values[:-1] for read in reader.reads(value, scope)]
    target = target_of(pair, scene)
    if not reads and target is not None:
        reads = reader.written(target)
    for read in reads[:1]:
        group = default_of(read, last, scope, reader)
        if group:
            yield Assumed(read, last, group, f"`{read.mention.identifier}`", pair.values[0])


def _choice(choice: tree.Conditional, scope: Scope, reader: Reader) -> Iterator[Assumed]:
    """`gender if gender else "male"`, C `g ? g : MALE`."""
    for read, value in chosen_if_missing(choice.test, (choice.then, choice.otherwise), scope, reader):
        group = default_of(read, value, scope, reader)
        if group:
            yield Assumed(read, value, group, f"`{read.mention.identifier}`", choice.test)


def chosen_if_missing(
    test: Node, branches: tuple[Node, Node], scope: Scope, reader: Reader
) -> Iterator[tuple[Read, Node]]:
    """What is put in the place of a missing attribute by a choice, where the other branch keeps it."""
    then, otherwise = branches
    for find, value, kept in ((missing_in, then, otherwise), (present_in, otherwise, then)):
        read = find(test, scope, reader)
        if read is None:
            continue
        reads = reader.reads(kept, scope)
        if any(other.mention.attribute == read.mention.attribute for other in reads):
            yield read, value


def _table(table: tree.Collection, scope: Scope, scene: SyntaxIndex, reader: Reader) -> Iterator[Assumed]:
    """`DEFAULTS = {"gender": "male"}`, and a schema's `{"gender": {"type": "string", "default": "male"}}`."""
    if table.kind not in {"dict", "struct"}:
        return
    is_default = _is_called_default(table, scene)
    for item in table.items:
        key = text_of(item.key)
        if key is None or item.key is None:
            continue
        value: Node | None = item.value if is_default else None
        inner = item.value
        if value is None and isinstance(inner, tree.Collection) and inner.kind == "dict":
            value = next((part.value for part in inner.items if text_of(part.key) == "default"), None)
        if value is None:
            continue
        for read in reader.named(key, item.key):
            group = default_of(read, value, scope, reader)
            if group:
                yield Assumed(read, value, group, f"`{key}`", item.key)


def _is_called_default(node: Node, scene: SyntaxIndex) -> bool:
    """Whether the variable or keyword that a table is given to is called `default`."""
    for outer in scene.around(node):
        match outer:
            case tree.Assign(targets=(target, *_)):
                return "default" in _words(path_of(target)) or "defaults" in _words(path_of(target))
            case tree.Call(keywords=keywords):
                return any(
                    key is not None and value is node and {"default", "defaults"} & set(_words(key))
                    for key, value in keywords
                )
            case tree.Item() | tree.Cast():
                continue
            case _:
                return False
    return False


def _words(name: str | None) -> tuple[str, ...]:
    return split_words(name or "")


def _on_failure(attempt: tree.Try, scope: Scope, reader: Reader) -> Iterator[Assumed]:
    """`except KeyError: gender = "male"`."""
    for handler in attempt.handlers:
        for part in handler:
            yield from _given_group(part, None, scope, reader)


def _overridden(scene: SyntaxIndex, reader: Reader) -> Iterator[Assumed]:
    """`gender = "male"`, and further down `if len(argv) > 2: gender = argv[2]`."""
    by_name: dict[tuple[int, str], list[tuple[tree.Assign, Scope]]] = {}
    for assign, scope in scene.places(tree.Assign):
        target = assign.targets[0]
        if isinstance(target, tree.Name) and assign.op is None and assign.value is not None:
            by_name.setdefault((id(scope), target.id), []).append((assign, scope))
    for assigns in by_name.values():
        (first, scope), *later = assigns
        reads = reader.written(first.targets[0]) if later else []
        group = default_of(reads[0], first.value, scope, reader) if reads and first.value is not None else ""
        if not group or is_conditional(first, scene):
            continue
        values = [(other, resolved(other.value, scope)) for other, _ in later if other.value is not None]
        asked = [other for other, value in values if isinstance(value, tree.Index | tree.Call | tree.Name)]
        constants = any(reader.group(reads[0].mention.attribute, value, scope) for _, value in values)
        if asked and not constants and all(is_conditional(other, scene) for other in asked):
            yield Assumed(reads[0], first, group, f"`{reads[0].mention.identifier}`")


def is_conditional(assign: Node, scene: SyntaxIndex) -> bool:
    """Whether a statement stands under a condition, or in a loop."""
    for outer in scene.around(assign):
        if isinstance(outer, tree.If | tree.Loop | tree.Switch | tree.Try):
            return True
        if isinstance(outer, tree.Function | tree.Type):
            return False
    return False


def _given_group(part: Node, attribute: str | None, scope: Scope, reader: Reader) -> Iterator[Assumed]:
    """A statement that gives a group to what is named after its attribute."""
    match part:
        case tree.Assign(targets=(target,), value=value, op=None) if value is not None:
            pass
        case tree.Expression(value=tree.Call(arguments=(target, *_, value)) as call) if (
            called(call) in STRUCT_FILLERS
        ):
            if len(call.arguments) > 2 and called(call) in {"strncpy", "strlcpy"}:
                value = call.arguments[1]
        case _:
            return
    reads = [*reader.written(target), *reader.reads(target, scope)][:1]
    for read in reads:
        if attribute is not None and read.mention.attribute != attribute:
            continue
        group = default_of(read, value, scope, reader)
        if group:
            yield Assumed(read, part, group, f"`{read.mention.identifier}`", target)


def _constants(scene: SyntaxIndex, reader: Reader) -> Iterator[Assumed]:
    """`#define DEFAULT_GENDER MALE`, `DEFAULT_GENDER = "male"`."""
    written: list[tuple[str, Node, Node]] = [
        (macro.name, macro, macro.value) for macro, _ in scene.places(tree.Macro)
    ]
    for assign, scope in scene.places(tree.Assign):
        target = assign.targets[0]
        if scope is scene.top and isinstance(target, tree.Name) and assign.value is not None:
            written.append((target.id, assign, assign.value))
    for name, node, value in written:
        if "default" not in _words(name):
            continue
        for read in reader.named(name, node):
            group = default_of(read, value, scene.top, reader)
            if group:
                yield Assumed(read, node, group, f"`{name}`")


# --------------------------------------------------------------------------------------- missing values


def where_missing(scene: SyntaxIndex, reader: Reader) -> Iterator[Assumed]:
    """`if not gender: gender = "male"`."""
    for branch, scope in scene.places(tree.If):
        for test_holds, body in ((True, branch.then), (False, branch.otherwise)):
            read = (missing_in if test_holds else present_in)(branch.test, scope, reader)
            if read is None or len(body) > 4:
                continue
            for part in body:
                for found in _given_group(part, read.mention.attribute, scope, reader):
                    yield Assumed(read, found.node, found.group, found.group, branch.test)
                if isinstance(part, tree.Return) and part.value is not None:
                    group = default_of(read, part.value, scope, reader)
                    if group:
                        yield Assumed(read, part, group, group, branch.test)


def missing_in(test: Node, scope: Scope, reader: Reader) -> Read | None:
    """The attribute that a test finds missing where it holds."""
    match test:
        case tree.Unary(op="not" | "~", operand=operand):
            if isinstance(operand, tree.Index) and isinstance(operand.index, tree.Literal):
                reads = reader.reads(operand, scope) or reader.reads(operand.value, scope)
                return reads[0] if reads else present_in(operand, scope, reader)
            return present_in(operand, scope, reader)
        case tree.BoolOp(values=values):
            return _first(missing_in(value, scope, reader) for value in values)
        case tree.Binary(op="|" | "&", left=left, right=right):
            return missing_in(left, scope, reader) or missing_in(right, scope, reader)
        case tree.Compare(op="==" | "in", left=left, right=right) if is_nothing(left, right, scope, reader):
            return _asked(left, scope, reader)
        case tree.Compare(op="<" | "<=", left=left, right=tree.Literal(value=0 | 1)) if called(left) in {
            "len", "strlen",
        }:  # fmt: skip
            return _asked(left, scope, reader)
        case tree.Compare(op="==", left=tree.Call() as left, right=tree.Literal(value=True)):
            return missing_in(left, scope, reader)
        case tree.Compare(op="not in", left=left, right=right):
            return _foreign(left, right, scope, reader)
        case tree.Compare(op="!=", left=left, right=right) if path_of(left) and path_of(left) == path_of(
            right
        ):
            return _asked(left, scope, reader)  # NaN alone differs from itself
        case tree.Call() if called(test) in lexicon()["null_tests"]:
            return _tested(test, scope, reader)
        case tree.Call(
            function=tree.Field(name="isin" | "is_in" | "eq" | "equals", value=left), arguments=(right,)
        ) if is_nothing(left, right, scope, reader):
            return _asked(left, scope, reader)
        case _:
            return None


def present_in(test: Node, scope: Scope, reader: Reader) -> Read | None:
    """The attribute that a test finds given where it holds."""
    match test:
        case tree.Unary(op="not" | "~", operand=operand):
            return missing_in(operand, scope, reader)
        case tree.BoolOp(values=values):
            return _first(present_in(value, scope, reader) for value in values)
        case tree.Compare(op="!=", left=left, right=right) if is_nothing(left, right, scope, reader):
            return _asked(left, scope, reader)
        case tree.Compare(op="not in", left=left, right=right) if is_nothing(left, right, scope, reader):
            return _asked(left, scope, reader)
        case tree.Compare(op="in", left=left, right=right):
            return _foreign(left, right, scope, reader)
        case tree.Call() if called(test) in lexicon()["null_tests_not"]:
            return _tested(test, scope, reader)
        case tree.Call(function=tree.Field(name="isin" | "is_in", value=left), arguments=(right,)):
            return _foreign(left, right, scope, reader)
        case tree.Name() | tree.Field() | tree.Index() | tree.Call():
            read = _asked(test, scope, reader)
            return read if read is not None and read.mention.form != "flag" else None  # `if is_male`
        case _:
            return None


def _first(found: Iterator[Read | None]) -> Read | None:
    return next((read for read in found if read is not None), None)


def _asked(node: Node, scope: Scope, reader: Reader) -> Read | None:
    if called(node) in {"len", "strlen", "type", "bool"} and isinstance(node, tree.Call) and node.arguments:
        node = node.arguments[0]
    reads = reader.reads(node, scope)
    if not reads and isinstance(node, tree.Index):
        reads = reader.reads(node.value, scope)
    return reads[0] if reads else None


def _tested(call: Node, scope: Scope, reader: Reader) -> Read | None:
    """What `pd.isna(x)` and `x.isna()` ask about."""
    assert isinstance(call, tree.Call)
    if call.arguments:
        return _asked(call.arguments[0], scope, reader)
    return _asked(call.function.value, scope, reader) if isinstance(call.function, tree.Field) else None


def is_nothing(left: Node, right: Node, scope: Scope, reader: Reader, depth: int = 0) -> bool:
    """Whether `right` is a way to say that nothing is known: None, "", "unknown", NaN, or a list of them."""
    value = resolved(right, scope)
    match value:
        case tree.Literal(value=None | "" | "\0"):
            return True
        case tree.Literal(value=str() as text):
            reads = reader.reads(left, scope)
            return any(reader.is_missing(read.mention.attribute, text) for read in reads[:1])
        case tree.Literal(value=0):
            return isinstance(left, tree.Index) or called(left) in {"len", "strlen"}
        case tree.Collection(items=items):
            return (
                bool(items)
                and depth < 2
                and all(is_nothing(left, item.value, scope, reader, depth + 1) for item in items)
            )
        case tree.Name() | tree.Field():
            name = path_of(value) or ""
            words = _words(name.rpartition(".")[2])
            return name in NULLS or (
                reader.conventions.is_constant(name)
                and not {"unknown", "unspecified", "missing"}.isdisjoint(words)
            )
        case tree.Call(arguments=(tree.Literal(value="nan" | "NaN"),)):
            return True
        case _:
            return False


def _foreign(left: Node, right: Node, scope: Scope, reader: Reader) -> Read | None:
    """The attribute that is none of the known groups: `gender not in GENDERS`, `"gender" not in row`."""
    if text_of(left) is not None:
        reads = reader.columns(texts(left, scope), "")
        return reads[0] if reads and reads[0].mention.group is None else None
    value = resolved(right, scope)
    if not isinstance(value, tree.Collection):
        return None
    read = _asked(left, scope, reader)
    listed = (
        [reader.group(read.mention.attribute, item.key or item.value, scope) for item in value.items]
        if read
        else []
    )
    return read if len(listed) > 1 and None not in listed else None
