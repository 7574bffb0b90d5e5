"""Assumed groups: where code says which group a person belongs to who has not said so.

This module finds defaults: of parameters, fields and options, of look-ups by name, and of expressions that
put a group in the place of nothing. `imputation.py` finds the filling of gaps in columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.analyses.assumptions.attribute_reads import Read, Reader
from fairlint.analyses.assumptions.missing_values import is_nothing, lexicon, missing_in, present_in
from fairlint.semantics.names.scopes import type_words
from fairlint.semantics.names.syntax_index import NOWHERE
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import last_name, path_of
from fairlint.semantics.values.symbolic import (
    Choice,
    Closure,
    Const,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Text,
    Value,
)
from fairlint.support.records import Record, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside
from fairlint.vocabulary.words import split_words

LONGEST_BODY = 4
"""Statements of a branch that does no more than fill a gap."""


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
    call: Node | None = None
    """What assumes it, where a library does."""
    is_rest: bool = False
    """Whether it is assumed of all whom no test has named, and not of those alone who said nothing."""


class Given(Record, eq=False):
    """Something that is given to a variable or a field, at `node`."""

    target: Node
    node: Node
    value: Node
    values: list[Value]
    """What it came to."""


def defaults(reader: Reader) -> Iterator[Assumed]:
    """Yield all defaults of one file."""
    written: list[str] = []
    for found in _in_code(reader):
        written.append(reader.text(found.node))
        yield found
    for found in _default_constants(reader):
        name = found.how.strip("`")
        if not any(name in text for text in written):  # else it is told where it is used
            yield found


def _in_code(reader: Reader) -> Iterator[Assumed]:
    places = reader.syntax.places
    for parameter in places(tree.Parameter):
        yield from _default_of_parameter(parameter, reader)
    for type_ in places(tree.Type):
        yield from _class_fields(type_, reader)
    for node in places(tree.Call):
        for call in reader.calls(node):
            yield from _defaults_of_call(call, reader)
    for pair in places(tree.BoolOp):
        if pair.op == "or" and reader.conventions.or_gives_value:
            yield from _rather_than_nothing(pair, reader)
    for choice in places(tree.Conditional):
        yield from _default_of_choice(choice, reader)
    for table in places(tree.Collection):
        yield from _defaults_of_table(table, reader)
    for attempt in places(tree.Try):
        for handler in attempt.handlers:
            for part in handler:
                yield from _given_group(part, None, reader)
    yield from _defaults_before_override(reader)
    if not reader.conventions.has_tables:
        for found in where_missing(reader):
            yield replace(found, how=f"`{found.read.mention.identifier}`")


def group_of_default(read: Read, values: Iterable[Value], reader: Reader) -> str:
    """Return the group or age that a default assumes which came to these values, empty where it
    assumes none.
    """
    mention = read.mention
    is_flag = mention.group is not None and mention.form == "flag"
    for value in values:
        if mention.form == "number" and (number := reader.number_of(mention.attribute, value)):
            return number
        group = None
        if is_flag and isinstance(value, Const) and value.value is True:
            group = mention.group
        elif not is_flag or mention.group != "yes":  # `married="Yes"`
            group = reader.group_of(mention.attribute, value)
        if group is not None and reader.is_somebody(mention.attribute, group):
            return group
    return ""


# ------------------------------------------------------------------------------------- parameters, fields


def _default_of_parameter(parameter: tree.Parameter, reader: Reader) -> Iterator[Assumed]:
    """`def quote(income, gender="male")`."""
    if parameter.default is None or parameter.star:
        return
    _, values = _unwrap_default(parameter.default, reader)
    for read in reader.named(parameter.name, parameter):
        if group := group_of_default(read, values, reader):
            yield Assumed(read, parameter, group, f"the parameter `{parameter.name}`", None)


def _class_fields(type_: tree.Type, reader: Reader) -> Iterator[Assumed]:
    """`gender: str = "male"` and `gender = Column(String, default="M")` in a class."""
    if type_.kind != "class" or _is_enum(type_):
        return
    plain = not type_.bases and not type_.decorators
    of_groups = _attributes_in_class_name(type_.name, reader)
    for part in type_.body:
        if not (isinstance(part, tree.Assign) and len(part.targets) == 1 and part.value is not None):
            continue
        target = part.targets[0]
        if not isinstance(target, tree.Name) or (plain and not part.type):
            continue
        node, values = _unwrap_default(part.value, reader)
        if node is part.value and isinstance(node, tree.Call):  # `Column(Enum("single", "married"))`
            values = [value for value in values if isinstance(value, Const)]
        for read in reader.named(target.id, target, type_.name):
            if read.mention.attribute in of_groups:
                continue
            group = group_of_default(read, values, reader)
            is_yes = any(isinstance(one, Const) and one.value is True for one in values)
            says_itself = not is_yes and node is part.value and _says_itself(target.id, read, group, reader)
            if group and not says_itself:
                yield Assumed(read, node, group, f"the field `{target.id}`", target)
            elif _is_yes_or_no(part.value, reader) and _is_one_of_two(read, values):
                yield Assumed(read, node, "", f"the field `{target.id}`", target)


def _is_yes_or_no(field: Node, reader: Reader) -> bool:
    """Return whether a field is of the type for yes and no, as the call says that makes it."""
    return isinstance(field, tree.Call) and "boolean" in split_words(reader.text(field))


def _is_one_of_two(read: Read, values: list[Value]) -> bool:
    """Return whether a yes or no stands for one of two groups: `gender = Column(Boolean, default=False)`."""
    mention = read.mention
    if mention.group is not None or mention.form != "value":
        return False
    is_flag = bool(values) and all(isinstance(one, Const) and isinstance(one.value, bool) for one in values)
    return is_flag and mention.attribute in lexicon()["told_by_flag"]


def _says_itself(name: str, read: Read, group: str, reader: Reader) -> bool:
    """Return whether a name says the group that it stands for: `GENDER_MALE = "male"` is one among the
    choices.
    """
    attribute, *_, last = read.mention.attribute, *split_words(name)
    return reader.group_named(attribute, last) == group


def _is_enum(type_: tree.Type) -> bool:
    return not type_words()["enums"].isdisjoint(last_name(base) for base in type_.bases)


def _attributes_in_class_name(name: str, reader: Reader) -> set[str]:
    """Return the attributes of which a class is about one group by its own name: `class Woman(Person)`."""
    said = {attribute for word in split_words(name) for attribute, _ in reader.groups_in(word)}
    named = reader.named(name, NOWHERE)
    return said | {read.mention.attribute for read in named if read.mention.group is not None}


def _unwrap_default(node: Node, reader: Reader) -> tuple[Node, list[Value]]:
    """Return the default that `Field("male")` or `Column(String, default="male")` gives, else what is given
    itself: where it is written, and what it came to.
    """
    for call in reader.calls(node) if isinstance(node, tree.Call) else ():
        written = {key: value for key, value in call.node.keywords if key is not None}
        for key, value in call.keywords.items():
            if key in lexicon()["default_keywords"]:
                return written[key], [value]
            if key == "default_factory" and isinstance(value, Closure):
                body = value.function.body
                return (body, reader.values(body)) if isinstance(body, Node) else (node, [call.value])
        if call.arguments and reader.known(call, "makes field") is not None:
            return call.node.arguments[0], list(call.arguments[:1])
    return node, reader.values(node)


# ------------------------------------------------------------------------------------------------- calls


def _defaults_of_call(call: Call, reader: Reader) -> Iterator[Assumed]:
    words, node = lexicon(), call.node
    name = last_name(node.function)
    if name in words["default_sets"] or (name == "dict" and _is_called_default(node, reader)):
        yield from _set_defaults(call, reader)
    if name in words["default_getters"]:
        yield from _default_of_getter(call, reader)
    written = {key: value for key, value in node.keywords if key is not None}
    for key in words["default_keywords"] & call.keywords.keys():
        for one in _named_by(call, written, reader):
            if group := group_of_default(one.read, [call.keywords[key]], reader):
                yield Assumed(one.read, written[key], group, one.shown, one.node)
                return


class _NamedRead(Record):
    """A read that a call names: where, and how a message shows the name."""

    read: Read
    node: Node
    shown: str


def _named_by(call: Call, written: dict[str, Node], reader: Reader) -> Iterator[_NamedRead]:
    """Yield what a call with a default is about: its first texts, its `dest`, or the variable it is
    given to.
    """
    given = [*zip(call.node.arguments[:3], call.arguments[:3], strict=False)]
    given += [(written[key], call.keywords[key]) for key in ("dest", "name") if key in written]
    for node, value in given:
        if isinstance(value, Const) and isinstance(value.value, str):
            text = value.value.lstrip("-")
            for read in reader.named(text, node):
                yield _NamedRead(read, node, f"`{text}`")
    target = reader.syntax.given_to(call.node)
    for read in reader.written(target) if target is not None else ():
        by_key = isinstance(target, tree.Literal)
        yield _NamedRead(read, read.node, f"`{read.mention.identifier}`" if by_key else "it")


def _set_defaults(call: Call, reader: Reader) -> Iterator[Assumed]:
    """`parser.set_defaults(gender="male")`."""
    for key, node in call.node.keywords:
        if key is None:
            continue
        for read in reader.named(key, node):
            if group := group_of_default(read, [call.keywords[key]], reader):
                yield Assumed(read, node, group, f"`{key}`")


def _default_of_getter(call: Call, reader: Reader) -> Iterator[Assumed]:
    """`row.get("race", "White")`, `getattr(person, "gender", "male")`, `os.environ.get("GENDER", "male")`."""
    nodes = call.node.arguments
    for place, (key, value) in enumerate(zip(call.arguments, call.arguments[1:], strict=False)):
        if not (isinstance(key, Const) and isinstance(key.value, str)) or place + 1 >= len(nodes):
            continue
        text, receiver = key.value, reader.receiver(call.node)
        reads = reader.named(text, nodes[place], receiver)
        target = reader.syntax.given_to(call.node)
        if not reads and target is not None:
            reads = reader.written(target)
        for read in reads:
            if read.mention.group is not None and reader.in_text(text):
                continue  # `labels.get("female", "F")` reads a table by group
            if group := group_of_default(read, [value], reader):
                named = Read(read.mention, nodes[place], receiver)
                yield Assumed(named, nodes[place + 1], group, f"`{text}`", nodes[place])
                return


# ------------------------------------------------------------------------------------------- expressions


def _rather_than_nothing(pair: tree.BoolOp, reader: Reader) -> Iterator[Assumed]:
    """`row.get("sex") or "M"`."""
    if isinstance(reader.syntax.parent(pair), tree.BoolOp | tree.If | tree.Unary):
        return
    last = pair.values[-1]
    reads = [read for value in pair.values[:-1] for read in reader.reads(value)]
    target = reader.syntax.given_to(pair)
    if not reads and target is not None:
        reads = reader.written(target)
    for read in reads[:1]:
        if group := group_of_default(read, reader.values(last), reader):
            yield Assumed(read, last, group, f"`{read.mention.identifier}`", pair.values[0])


def _default_of_choice(choice: tree.Conditional, reader: Reader) -> Iterator[Assumed]:
    """`gender if gender else "male"`, C `g ? g : MALE`."""
    for read, value in chosen_if_missing(choice, reader):
        if group := group_of_default(read, reader.values(value), reader):
            yield Assumed(read, value, group, f"`{read.mention.identifier}`", choice.test)


def chosen_if_missing(choice: tree.Conditional, reader: Reader) -> Iterator[tuple[Read, Node]]:
    """Yield what is put in the place of a missing attribute by a choice, where the other branch keeps it."""
    then, otherwise = choice.then, choice.otherwise
    for test in reader.values(choice.test):
        for read, value, kept in (
            (missing_in(test, reader), then, otherwise),
            (present_in(test, reader), otherwise, then),
        ):
            if read is not None and any(
                other.mention.attribute == read.mention.attribute for other in reader.reads(kept)
            ):
                yield read, value


def _defaults_of_table(table: tree.Collection, reader: Reader) -> Iterator[Assumed]:
    """`DEFAULTS = {"gender": "male"}`, and a schema's `{"gender": {"type": "string", "default": "male"}}`."""
    if table.kind not in {"dict", "struct"}:
        return
    is_default = _is_called_default(table, reader)
    for item in table.items:
        if item.key is None:
            continue
        value: Node | None = item.value if is_default else None
        inner = item.value
        if value is None and isinstance(inner, tree.Collection) and inner.kind == "dict":
            value = next((part.value for part in inner.items if _is_text_literal(part.key, "default")), None)
        if value is None:
            continue
        for name in reader.names(item.key):
            for read in reader.named(str(name.value), item.key):
                if group := group_of_default(read, reader.values(value), reader):
                    yield Assumed(read, value, group, f"`{name.value}`", item.key)


def _is_text_literal(node: Node | None, text: str) -> bool:
    return isinstance(node, tree.Literal) and node.value == text


def _is_called_default(node: Node, reader: Reader) -> bool:
    """Return whether the variable or keyword that a table is given to is called `default`."""
    return not {"default", "defaults"}.isdisjoint(split_words(reader.syntax.name_given_to(node)))


def _defaults_before_override(reader: Reader) -> Iterator[Assumed]:
    """`gender = "male"`, and further down `if len(argv) > 2: gender = argv[2]`."""
    by_name: dict[tuple[int, str], list[Given]] = {}
    for assign in reader.syntax.places(tree.Assign):
        given = given_by(assign, reader)
        if given is not None and isinstance(given.target, tree.Name):
            scope = reader.syntax.scope_around(assign)
            by_name.setdefault((id(scope), given.target.id), []).append(given)
    for (_, name), (first, *later) in by_name.items():
        for read in reader.written(first.target) if later else ():
            group = group_of_default(read, first.values, reader)
            if group and is_open(first, later, read.mention.attribute, reader):
                yield Assumed(read, first.node, group, f"`{name}`")


def is_open(first: Given, later: list[Given], attribute: str, reader: Reader) -> bool:
    """Return whether what is given first stays unless something unknown is given under a condition."""
    if reader.syntax.is_conditional(first.node):
        return False
    if any(reader.group_of(attribute, value) for other in later for value in other.values):
        return False
    asked = [other for other in later if any(map(_is_unknown, other.values))]
    return bool(asked) and all(reader.syntax.is_conditional(other.node) for other in asked)


def _is_unknown(value: Value) -> bool:
    """Return whether a value is none that the code writes out: an argument, what a call gives."""
    return isinstance(value, Opaque | Protected | Lookup | Choice) and not isinstance(value, Text)


def given_by(part: Node, reader: Reader) -> Given | None:
    """Return what a statement gives to a variable or field, by an assignment or by copying a text."""
    match part:
        case tree.Assign(targets=(target,), value=value, op=None) if value is not None:
            return Given(target, part, value, reader.values(value))
        case tree.Expression(value=tree.Call() as call):
            return _copied_by(call, reader)
        case _:
            return None


def _copied_by(call: tree.Call, reader: Reader) -> Given | None:
    """Return what a function of C copies into one of its arguments."""
    copied = reader.filled(call)
    known = [id(value) for _, value in copied]
    text = next((one for one in call.arguments if any(id(own) in known for own in reader.values(one))), call)
    for path, _ in copied:
        for target in call.arguments:
            if path_of(target) == path or reader.text(target) == path:
                return Given(target, call, text, [value for _, value in copied])
    return None


def _given_group(part: Node, attribute: str | None, reader: Reader) -> Iterator[Assumed]:
    """Yield a statement that gives a group to what is named after its attribute."""
    given = given_by(part, reader)
    if given is None:
        return
    for read in [*reader.written(given.target), *reader.reads(given.target)][:1]:
        group = group_of_default(read, given.values, reader)
        if group and attribute in {None, read.mention.attribute}:
            yield Assumed(read, part, group, f"`{read.mention.identifier}`", given.target)


def _default_constants(reader: Reader) -> Iterator[Assumed]:
    """`#define DEFAULT_GENDER MALE`, `DEFAULT_GENDER = "male"`."""
    written: list[tuple[str, Node, Node]] = [
        (macro.name, macro, macro.value) for macro in reader.syntax.places(tree.Macro)
    ]
    for assign in reader.syntax.places(tree.Assign):
        target = assign.targets[0]
        if (
            isinstance(target, tree.Name)
            and assign.value is not None
            and reader.syntax.scope_around(assign) is None
        ):
            written.append((target.id, assign, assign.value))
    for name, node, value in written:
        if "default" not in split_words(name):
            continue
        for read in reader.named(name, node):
            if group := group_of_default(read, reader.values(value), reader):
                yield Assumed(read, node, group, f"`{name}`")


# --------------------------------------------------------------------------------------- missing values


def where_missing(reader: Reader) -> Iterator[Assumed]:
    """`if not gender: gender = "male"`."""
    for branch in reader.syntax.places(tree.If):
        for find, body, kept in (
            (missing_in, branch.then, branch.otherwise),
            (present_in, branch.otherwise, branch.then),
        ):
            if not 0 < len(body) <= LONGEST_BODY:
                continue
            tests = (find(test, reader) for test in reader.values(branch.test))
            for read in [found for found in tests if found is not None][:1]:
                if _is_in_known_branch(branch, read.mention.attribute, reader):
                    continue
                written = _written_in(kept, reader)
                for part in body:
                    if _written_in([part], reader).isdisjoint(written):
                        yield from _put_in(part, read, branch.test, reader)


def _is_in_known_branch(branch: tree.If, attribute: str, reader: Reader) -> bool:
    """Return whether an attribute is known where a test stands: in the branch for one of its values."""
    return any(
        isinstance(outer, tree.If)
        and any(inside(branch, part) for part in outer.then)
        and any(_has_stated_value(test, attribute, reader) for test in reader.values(outer.test))
        for outer in reader.syntax.around(branch)
    )


def _has_stated_value(test: Value, attribute: str, reader: Reader) -> bool:
    """Return whether an attribute has some value or another where a test holds."""
    match test:
        case Operation(op="or", arguments=parts):
            return all(_has_stated_value(part, attribute, reader) for part in parts)
        case Operation(op="and", arguments=parts):
            return any(_has_stated_value(part, attribute, reader) for part in parts)
        case Operation(op="==", arguments=(left, right)):
            return any(
                isinstance(said, Const)
                and not is_nothing(said, attribute, reader)
                and any(read.mention.attribute == attribute for read in reader.reads_of(asked))
                for asked, said in ((left, right), (right, left))
            )
        case _:
            return False


def _written_in(body: Iterable[Node], reader: Reader) -> frozenset[str]:
    """To what some statements give something that is written out: names, fields, and what is returned."""
    found: set[str] = set()
    for part in body:
        if isinstance(part, tree.Return):
            values, target = reader.values(part.value), "return"
        elif (given := given_by(part, reader)) is not None:
            values, target = given.values, reader.text(given.target)
        else:
            continue
        if values and all(isinstance(value, Const) and value.value is not None for value in values):
            found.add(target)
    return frozenset(found)


def _put_in(part: Node, read: Read, test: Node, reader: Reader) -> Iterator[Assumed]:
    """Yield the group that a statement puts in the place of what a test has found missing."""
    for found in _given_group(part, read.mention.attribute, reader):
        yield Assumed(read, found.node, found.group, found.group, test)
    if isinstance(part, tree.Return) and part.value is not None:
        group = group_of_default(read, reader.values(part.value), reader)
        if group:
            yield Assumed(read, part, group, group, test)
