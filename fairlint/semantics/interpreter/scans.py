"""Scans: loops that count through a table which is written out, followed row by row.

`for (i = 0; i < N; i++) if (strcmp(t[i].race, p->race) == 0) { points = t[i].points; break; }` is a chain of
branches, one for each row. So it is executed as one.
"""

from __future__ import annotations

from fairlint.semantics.interpreter import operations, reads
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const, Lookup, Sequence, Table, Value
from fairlint.support.records import field_names, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

COMPARES = frozenset({"strcmp", "strcasecmp", "strncmp", "strncasecmp", "stricmp", "_stricmp", "streq"})
"""Functions that are true or false of two texts."""


def rounds(loop: tree.Loop, frame: Frame) -> tuple[tuple[Node, ...], int] | None:
    """Return the statements that a loop over a known table stands for, and for how many rounds; None where it
    is no such loop.
    """
    counter = _counter_name(loop)
    if counter is None or loop.test is None:
        return None
    body = loop.body[:-1]
    held = frame.variables.get(counter)
    if isinstance(held, Const) and held.value == 0:
        tables = _indexed_tables(loop, counter, frame)
        is_pointer = False
    elif isinstance(held, Sequence):
        tables, is_pointer = {counter: held}, True
    else:
        return None
    if not tables or not _has_protected_reads(loop, frame) or not _is_plain(body):
        return None
    count = min(len(table.items) for table in tables.values())
    count = min(count, _round_limit(loop.test, counter, frame))
    if count > operations.MAX_UNROLL or count * frame.program.rounds > operations.MAX_ROUNDS:
        return None
    copies: list[tuple[Node, ...]] = []
    for place in range(count):
        row = _Row(counter, place, frozenset(tables), is_pointer)
        test = frame.evaluate(row.of(loop.test))
        if isinstance(test, Const) and not test.label and not test.value:
            break  # the row that ends the table
        found = [row.of(statement) for statement in body]
        copies.append(tuple(found))
    following: tuple[Node, ...] = ()
    for place in reversed(range(len(copies))):
        following = _unrolled_round(
            copies[place], following, _counter_assignment(loop.body[-1], place, is_pointer)
        )
    frame.program.copies.append(following)
    return following, max(1, len(copies))


def is_next_place(target: tree.Index, value: Node | None, frame: Frame) -> bool:
    """Return whether something is put behind what an array has so far: `kept[n++] = p`, `kept[n] = all[i];
    n++`.
    """
    if isinstance(target.index, tree.Assign):
        return True
    place, loop = path_of(target.index), frame.loop
    if place is None or not isinstance(loop, tree.Loop) or loop.target is not None:
        return False
    if isinstance(target.index, tree.Literal) or (loop.test is not None and _has_path(loop.test, place)):
        return (
            isinstance(value, tree.Index) and _has_counter_step(loop, place) and not _has_path(value, place)
        )
    return _has_counter_step(loop, place)


def _has_path(node: Node, path: str) -> bool:
    return any(path_of(part) == path for part in tree.walk(node))


def _has_counter_step(loop: tree.Loop, path: str) -> bool:
    """Return whether a loop counts a variable up by one in the midst of its body."""
    return any(
        isinstance(part, tree.Assign) and part.op == "+" and path_of(part.targets[0]) == path
        for part in tree.walk(loop)
    )


def _counter_name(loop: tree.Loop) -> str | None:
    """Return the variable that a loop counts up by one at the end of each round, and nowhere else."""
    if not loop.body:
        return None
    match loop.body[-1]:
        case tree.Assign(targets=(tree.Name(id=name),), op="+", value=tree.Literal(value=1)):
            pass
        case _:
            return None
    for statement in loop.body[:-1]:
        for part in tree.walk(statement):
            if isinstance(part, tree.Assign) and any(path_of(target) == name for target in part.targets):
                return None
    return name


def _indexed_tables(loop: tree.Loop, counter: str, frame: Frame) -> dict[str, Sequence]:
    """Return the written-out tables that a loop reads by its counter, by their paths."""
    found: dict[str, Sequence] = {}
    for part in tree.walk(loop):
        if not (isinstance(part, tree.Index) and isinstance(part.index, tree.Name)):
            continue
        path = path_of(part.value) if part.index.id == counter else None
        if path is None or path in found:
            continue
        value: Value | None = frame.variables.get(path) or frame.program.globals.get(path)
        if isinstance(value, Sequence):
            found[path] = value
    return found


def _has_protected_reads(loop: tree.Loop, frame: Frame) -> bool:
    """Return whether a loop reads anything protected, by its name or in what it was given."""
    on_any = frame.program.dependence.on_any
    names: set[str] = set()
    for part in tree.walk(loop):
        match part:
            case tree.Name(id=name):
                names.add(name)
            case tree.Field(name=name):
                if reads.mention_of(name, frame) is not None:
                    return True
            case _:
                pass
    if any(_has_protected_field(name, frame) for name in names):
        return True
    if any(reads.mention_of(name, frame) is not None for name in names):
        return True
    return any(path.partition("[")[0] in names and on_any(value) for path, value in frame.variables.items())


def _has_protected_field(name: str, frame: Frame) -> bool:
    """Return whether a function of the file reads a protected field: `strcmp(t[i].race, race_of(p))`."""
    function = frame.program.definitions.functions.get(name)
    return function is not None and any(
        isinstance(part, tree.Field) and reads.mention_of(part.name, frame) is not None
        for statement in function.body
        for part in tree.walk(statement)
    )


def _round_limit(test: Node, counter: str, frame: Frame) -> int:
    """Return how many rounds a test allows, as far as it says so in numbers."""
    limit = operations.MAX_UNROLL + 1
    match test:
        case tree.Compare(op="<" | "!=", left=tree.Name(id=name), right=right) if name == counter:
            value = frame.evaluate(right)
            if isinstance(value, Const) and isinstance(value.value, int):
                return max(0, int(value.value))
        case _:
            pass
    return limit


def breaks_plainly(body: tuple[Node, ...]) -> bool:
    """Return whether `break` leaves a loop, at the end of an `if` in it, and nothing else does in another
    way.
    """
    return _is_plain(body) and any(
        isinstance(statement, tree.If) and bool(statement.then) and isinstance(statement.then[-1], tree.Break)
        for statement in body
    )


def round_before(body: tuple[Node, ...], rest: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the statements of one round, with what comes after it behind what `break` does not leave."""
    return _unrolled_round(body, rest, ())


def _is_plain(body: tuple[Node, ...]) -> bool:
    """Return whether all that leaves a round early is at the end of an `if` in it, or leaves the function."""
    for place, statement in enumerate(body):
        inner: tuple[Node, ...]
        match statement:
            case tree.Break() | tree.Continue():
                if place != len(body) - 1:
                    return False
                continue
            case tree.If(then=then, otherwise=otherwise):
                ends = bool(then) and not otherwise and isinstance(then[-1], tree.Break | tree.Continue)
                inner = (*(then[:-1] if ends else then), *otherwise)
            case tree.Loop():
                continue
            case _:
                inner = (statement,)
        for part in inner:
            if any(isinstance(below, tree.Break | tree.Continue) for below in tree.walk(part)):
                return False
    return True


class _Row:
    """Puts the number of a row in the place of a loop's counter."""

    def __init__(self, counter: str, place: int, tables: frozenset[str], is_pointer: bool) -> None:
        self.counter = counter
        self.place = place
        self.tables = tables
        self.is_pointer = is_pointer

    def of(self, node: Node) -> Node:
        """Return a copy of `node` for this row."""
        match node:
            case tree.Index(value=tree.Name(id=name), index=tree.Literal(value=0)) if (
                self.is_pointer and name == self.counter
            ):
                return tree.Index(node.span, node.value, self._row_number(node, known=True))
            case tree.Index(value=value, index=tree.Name(id=name)) if name == self.counter:
                known = path_of(value) in self.tables
                return tree.Index(node.span, self.of(value), self._row_number(node.index, known=known))
            case tree.Name(id=name) if name == self.counter:
                number = self._row_number(node, known=True)
                return tree.Index(node.span, node, number) if self.is_pointer else number
            case tree.Name() | tree.Literal():
                return node
            case _:
                pass
        changed = {name: self._row_part(getattr(node, name)) for name in field_names(node)}
        return replace(node, **changed)

    def _row_part(self, value: object) -> object:
        if isinstance(value, Node):
            return self.of(value)
        if isinstance(value, tuple):
            return tuple(self._row_part(item) for item in value)
        return value

    def _row_number(self, node: Node, *, known: bool) -> Node:
        """Return the number of the row. A cast keeps the first row from being taken for what a pointer points
        at.
        """
        number = tree.Literal(node.span, self.place)
        return tree.Cast(node.span, "int", number) if known else number


def _counter_assignment(step: Node, place: int, is_pointer: bool) -> tuple[Node, ...]:
    """Return what the counter is where the loop is left in a row."""
    assert isinstance(step, tree.Assign)
    number = tree.Cast(step.span, "int", tree.Literal(step.span, place))
    value = tree.Index(step.span, step.targets[0], number) if is_pointer else number
    return (tree.Assign(step.span, step.targets, value),)


def _unrolled_round(
    body: tuple[Node, ...], rest: tuple[Node, ...], left: tuple[Node, ...]
) -> tuple[Node, ...]:
    """Return one round and all later ones; `left` is what holds where the loop ends in it."""
    for place, statement in enumerate(body):
        before, behind = body[:place], body[place + 1 :]
        match statement:
            case tree.Break():
                return (*before, *left)
            case tree.Continue():
                return (*before, *rest)
            case tree.If(test=test, then=(*then, tree.Break()), otherwise=()):
                return (
                    *before,
                    _chain_branches(statement, test, (*left, *then), _unrolled_round(behind, rest, left)),
                )
            case tree.If(test=test, then=(*then, tree.Continue()), otherwise=()):
                if behind and isinstance(behind[-1], tree.Break) and not then:
                    opposite = tree.Unary(test.span, "not", test)
                    return (*before, _chain_branches(statement, opposite, (*left, *behind[:-1]), rest))
                return (*before, tree.If(statement.span, test, tuple(then), behind), *rest)
            case tree.If(test=test, then=then, otherwise=()) if not behind and _is_equality(test):
                return (*before, _chain_branches(statement, test, then, rest))
            case _:
                pass
    return (*body, *rest)


def _is_equality(test: Node) -> bool:
    """Return whether a test asks for one row: keys that are equal."""
    return any(
        (isinstance(part, tree.Compare) and part.op == "==")
        or (
            isinstance(part, tree.Call)
            and isinstance(part.function, tree.Name)
            and part.function.id in COMPARES
        )
        for part in tree.walk(test)
    )


def _chain_branches(
    branch: tree.If, test: Node, then: tuple[Node, ...], otherwise: tuple[Node, ...]
) -> tree.If:
    match otherwise:
        case (tree.If() as following,):
            otherwise = (replace(following, is_elif=True),)
        case _:
            pass
    return tree.If(branch.span, test, tuple(then), otherwise, branch.is_elif)


def found_row(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`bsearch(p->race, table, n, size, compare)`: the row whose first text or constant is the key."""
    if len(arguments) < 3 or not isinstance(arguments[1], Sequence):
        return None
    key, rows = arguments[0], arguments[1].items
    if len(rows) > operations.MAX_UNROLL or not frame.program.dependence.on_any(key):
        return None
    entries: list[tuple[Value, Value]] = []
    for row in rows:
        cells = [cell for _, cell in row.entries] if isinstance(row, Table) else [row]
        own = next((cell for cell in cells if _is_key(cell)), None)
        if own is None:
            return None
        entries.append((own, row))
    return Lookup(key, Table(tuple(entries), arguments[1].node, arguments[1].name), Const(None), node)


def _is_key(cell: Value) -> bool:
    return isinstance(cell, Const) and (isinstance(cell.value, str) or bool(cell.label))
