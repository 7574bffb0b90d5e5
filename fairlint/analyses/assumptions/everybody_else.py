"""Groups for everybody else: where code asks for one group, and whoever is not of it becomes another.

`"female" if row["sex"] == "F" else "male"` makes men of those of whom nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.analyses.assumptions.attribute_reads import Read, Reader
from fairlint.analyses.assumptions.defaults import Assumed, given_by
from fairlint.analyses.assumptions.encodings import bare
from fairlint.analyses.assumptions.ordinal_encodings import asks_for_groups
from fairlint.semantics.names.effects import is_show
from fairlint.semantics.values.symbolic import Choice, Const, Lookup, Operation, Value
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside

MOST_ARMS = 12
"""Arms of one chain that are looked at."""

Arm = tuple[list[Value], list[Value]]
"""What a test may be, and what is given where it holds."""


class _Chain(Record, eq=False):
    node: Node
    arms: list[Arm]
    last: list[Value]
    targets: tuple[Node, ...]
    """What is named after the attribute, if anything is."""


class _Given(Record, eq=False):
    place: str
    targets: tuple[Node, ...]
    values: list[Value]


def left_to_a_group(reader: Reader) -> Iterator[Assumed]:
    """Yield all places of one file that write an attribute anew and make a group of everybody else."""
    for chain in (
        *_chains_of_choices(reader),
        *_chains_of_calls(reader),
        *_chains_of_tables(reader),
        *_chains_of_branches(reader),
    ):
        if (found := _assumption_of_chain(chain, reader)) is not None:
            yield found


def _assumption_of_chain(chain: _Chain, reader: Reader) -> Assumed | None:
    named = [_group_of_arm(tests, values, reader) for tests, values in chain.arms]
    known = [one for one in named if one is not None]
    if len(known) < len(named) or len({read.mention.attribute for read, _ in known}) != 1:
        return None
    first, attribute = known[0][0], known[0][0].mention.attribute
    rest = {reader.group_of(attribute, value) for value in chain.last}
    group = rest.pop() if len(rest) == 1 else None
    others = dict.fromkeys(own for _, own in known if own != group)
    if group is None or not others or not reader.is_somebody(attribute, group) or group.startswith("non"):
        return None  # `non-hispanic` is whoever is not hispanic
    if not _keeps_it(chain, attribute, reader) or _is_known_before(chain.node, attribute, reader):
        return None
    how = f"{group}, and so does everyone who is not {' or '.join(others)}"
    return Assumed(first, chain.node, group, how, chain.node, is_rest=True)


def _group_of_arm(tests: list[Value], values: list[Value], reader: Reader) -> tuple[Read, str] | None:
    """Return the read and the group of an arm that asks for the very group that it gives."""
    asks = next((found for test in tests if (found := asks_for_groups(test, reader))), None)
    if asks is None or asks[0].mention.form != "value":
        return None
    read, labels = asks
    if _are_letters(values) and not any(_are_letters([label]) for label in labels):
        return None  # who is told in words already is written in code: `sex="M" if gender == "male" else "F"`
    attribute = read.mention.attribute
    own = {reader.group_named(attribute, label) for label in labels}
    group = own.pop() if len(own) == 1 else None
    if group is None or {reader.group_of(attribute, value) for value in values} != {group}:
        return None
    return (read, group) if reader.is_somebody(attribute, group) else None


def _are_letters(values: Iterable[object]) -> bool:
    texts = [one.value if isinstance(one, Const) else one for one in values]
    return bool(texts) and all(isinstance(one, str) and len(one) == 1 for one in texts)


def _keeps_it(chain: _Chain, attribute: str, reader: Reader) -> bool:
    """Return whether what is chosen is kept as the attribute, and not shown."""
    for target in chain.targets:
        for read in (*reader.written(target), *reader.reads(target))[:1]:
            if read.mention.attribute == attribute and not is_show(read.mention.identifier):
                return True
    return False


def _is_known_before(node: Node, attribute: str, reader: Reader) -> bool:
    """Return whether a test around, or one that has turned others away before, asks for the attribute, too:
    then nobody can say who is left.
    """
    inner = node
    for outer in reader.syntax.around(node):
        tests = [outer] if getattr(outer, "test", None) is not inner else []
        for one in (*_statements_before(inner, outer), *tests):
            match one:
                case (
                    tree.If(test=test)
                    | tree.Conditional(test=test)
                    | tree.Assert(test=test)
                    | tree.Loop(test=test)
                ) if _has_test_of_attribute(test, attribute, reader):
                    return True
                case _:
                    pass
        if isinstance(outer, tree.Function):
            return False
        inner = outer
    return False


def _statements_before(inner: Node, outer: Node) -> Iterator[Node]:
    """Yield the tests in the same body before a statement."""
    for body in (getattr(outer, name, ()) for name in ("body", "then", "otherwise")):
        if isinstance(body, tuple) and any(one is inner for one in body):
            for one in body:
                if one is inner:
                    return
                yield one


def _has_test_of_attribute(test: Node | None, attribute: str, reader: Reader) -> bool:
    return any(
        read.mention.attribute == attribute
        for part in (tree.walk(test) if test is not None else ())
        if isinstance(part, tree.Name | tree.Field | tree.Index | tree.Call)
        for read in reader.reads(part)
    )


# ------------------------------------------------------------------------------------------------- chains


def _chains_of_choices(reader: Reader) -> Iterator[_Chain]:
    """`"female" if sex == "F" else "male"`."""
    for choice in reader.syntax.places(tree.Conditional):
        if not isinstance(reader.syntax.parent(choice), tree.Conditional):
            for value in reader.values(choice):
                yield from _of_value(value, choice, reader)


def _chains_of_calls(reader: Reader) -> Iterator[_Chain]:
    """`np.where(df["sex"] == "F", "female", "male")`."""
    for node in reader.syntax.places(tree.Call):
        for call in reader.calls(node):
            if reader.chooses(call):
                yield from _of_value(call.value, node, reader)


def _chains_of_tables(reader: Reader) -> Iterator[_Chain]:
    """`{"f": "female", "w": "female"}.get(sex, "male")`."""
    for node in reader.syntax.places(tree.Call):
        for value in reader.values(node):
            if not (isinstance(value, Lookup) and value.node is node and isinstance(value.default, Const)):
                continue
            if 0 < len(value.table.entries) <= MOST_ARMS:
                arms: list[Arm] = [
                    ([Operation("==", (value.subject, key), node)], [entry])
                    for key, entry in value.table.entries
                ]
                yield _Chain(node, arms, [value.default], _targets_of_value(node, reader))


def _of_value(value: Value, node: Node, reader: Reader) -> Iterator[_Chain]:
    arms: list[Arm] = []
    while isinstance(value, Choice) and inside(value.node, node) and len(arms) < MOST_ARMS:
        match value.test:
            case Operation(op="not", arguments=(test,)) if not isinstance(value.then, Choice):
                arms.append(([test], [value.otherwise]))
                value = value.then
            case test:
                arms.append(([test], [value.then]))
                value = value.otherwise
    if arms:
        yield _Chain(node, arms, [value], _targets_of_value(node, reader))


def _targets_of_value(node: Node, reader: Reader) -> tuple[Node, ...]:
    """Return what a value is given to: a variable, a field, an entry, a keyword, or what a function
    returns.
    """
    around = reader.syntax.parent(node)
    if isinstance(around, tree.Return):
        return _function_around(node, reader)
    target = reader.syntax.given_to(around if isinstance(around, tree.Lambda) else node)
    return () if target is None else (target,)


def _function_around(node: Node, reader: Reader) -> tuple[Node, ...]:
    function = reader.syntax.scope_around(node)
    return (tree.Name(node.span, function.name),) if isinstance(function, tree.Function) else ()


def _chains_of_branches(reader: Reader) -> Iterator[_Chain]:
    """Yield the same by `if` and `else`, also where a function of C copies the texts."""
    for branch in reader.syntax.places(tree.If):
        if not branch.is_elif and (chain := _chain_of_branch(branch, reader)) is not None:
            yield chain


def _chain_of_branch(branch: tree.If, reader: Reader) -> _Chain | None:
    arms: list[Arm] = []
    first: _Given | None = None
    current = branch
    while len(arms) < MOST_ARMS:
        plain = _without_negation(current, reader)
        given = _result_of_body(plain.then, reader)
        if given is None or (first is not None and given.place != first.place):
            return None
        first = first or given
        arms.append((plain.tests, given.values))
        rest = plain.otherwise or (_statement_after(current, reader) if first.place == "return" else ())
        if len(rest) == 1 and isinstance(rest[0], tree.If):
            current = rest[0]
            continue
        last = _result_of_body(rest, reader)
        is_one = last is not None and last.place == first.place
        return _Chain(branch.test, arms, last.values, first.targets) if is_one and last else None
    return None


class _PlainBranch(Record):
    """What a branch may ask, and its two halves."""

    tests: list[Value]
    then: tuple[Node, ...]
    otherwise: tuple[Node, ...]


def _without_negation(branch: tree.If, reader: Reader) -> _PlainBranch:
    """Return what a branch may ask and its two halves, which change places behind a `not`."""
    tests, then, otherwise = reader.values(branch.test), bare(branch.then), bare(branch.otherwise)
    turned = [one.arguments[0] for one in tests if isinstance(one, Operation) and one.op == "not"]
    if otherwise and len(turned) == len(tests):
        return _PlainBranch(turned, otherwise, then)
    return _PlainBranch(tests, then, otherwise)


def _statement_after(statement: Node, reader: Reader) -> tuple[Node, ...]:
    """Return what stands behind a statement in the body of its function."""
    owner = reader.syntax.parent(statement)
    body = owner.body if isinstance(owner, tree.Function) else ()
    place = next((place for place, one in enumerate(body) if one is statement), len(body))
    return body[place + 1 : place + 2]


def _result_of_body(body: tuple[Node, ...], reader: Reader) -> _Given | None:
    """Return what a body of one statement gives, and to what."""
    if len(body) != 1:
        return None
    match body[0]:
        case tree.Return(value=value, is_yield=False) if value is not None:
            return _Given("return", _function_around(body[0], reader), reader.values(value))
        case statement if (given := given_by(statement, reader)) is not None:
            return _Given(reader.text(given.target), (given.target,), given.values)
        case _:
            return None
