"""Codings: where code puts numbers in the place of the groups of a person."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.analyses.assumptions.attribute_reads import Read, Reader
from fairlint.analyses.assumptions.encoders import encoders
from fairlint.analyses.assumptions.ordinal_encodings import (
    FARTHEST,
    Code,
    Coding,
    asks_for_groups,
    first_number,
    is_gap,
    is_number_type,
    nearest,
    number_of,
)
from fairlint.semantics.tables.column_names import some_names
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import last_name
from fairlint.semantics.values.symbolic import Choice, Lookup, Sequence, Table, Value
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside

MOST_ARMS = 30
"""Arms of one chain that are looked at."""
"""Functions and methods that choose between values by tests."""


def codings(reader: Reader) -> Iterator[Coding]:
    """Yield all codings of one file; a place may be told of more than once."""
    yield from encoders(reader)
    coder = _Coder(reader)
    places = reader.syntax.places
    for node in places(tree.Call):
        for call in reader.calls(node):
            yield from coder.call(call)
    for index in places(tree.Index):
        for value in reader.values(index):
            yield from coder.looked_up(value, index)
    for choice in places(tree.Conditional):
        if not isinstance(reader.syntax.parent(choice), tree.Conditional):
            for value in reader.values(choice):
                yield from coder.chosen(value, choice)
    for branch in places(tree.If):
        if not branch.is_elif:
            yield from coder.branches(branch)
    for switch in places(tree.Switch):
        yield from coder.cases(switch)
    for product in places(tree.Binary):
        yield from coder.product(product)


_FILLS = frozenset({"adds columns", "applies"})
"""What calls do whose results become a column."""


class _Coder:
    """What codes groups in one file."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._seen: set[int] = set()
        """Branches, by identity, that belong to a chain which was told."""

    # --------------------------------------------------------------------------------------------- calls

    def call(self, call: Call) -> Iterator[Coding]:
        """Yield the codings that a call makes."""
        name, does = last_name(call.node.function), self.reader.does(call)
        if isinstance(call.node.function, tree.Field) and "applies" in does:
            yield from self._mapping_codings(call)
        if name == "get":
            yield from self.looked_up(call.value, call.node)
        if self.reader.chooses(call):
            yield from self.chosen(call.value, call.node)
        if call.arguments and not does.isdisjoint({"stays", "keeps"}):
            yield from self._cast_codings(call)

    def _mapping_codings(self, call: Call) -> Iterator[Coding]:
        """`df["race"].map({...})`, `df.replace({"race": {...}})`, `column.replace(["a", "b"], [0, 1])`."""
        reads = self.reader.called_on(call)
        first = call.argument("to_replace", "mapping", "old", 0)
        second = call.argument("value", "new", 1)
        if second is not None and not isinstance(first, Table):
            yield from self._pairwise_codings(call, first, second, reads)
        elif isinstance(first, Table):
            yield from self._by_table(call, first, reads)
        elif first is not None and (made := self._numbering_comprehension(first)) is not None:
            steps = _written_at(made, call.node)
            for read in reads:
                yield Coding(read, call.node, "encoder", tool="a running number", steps=steps, in_table=True)

    def _numbering_comprehension(self, value: Value) -> tree.Comprehension | None:
        """Return where a table is made that numbers whatever it goes through."""
        made = self.reader.facts.place_of(value)
        return made if isinstance(made, tree.Comprehension) and _is_numbering(made) else None

    def _by_table(self, call: Call, table: Table, reads: list[Read]) -> Iterator[Coding]:
        for read in reads:
            if codes := self._table_codes(read, table):
                yield self._of_table(read, table, codes, None, call.node, in_table=True)
        for entry in self.reader.entries(table, call.node) if not reads else ():
            if not isinstance(entry.value, Table):
                continue
            for name in some_names(entry.key):
                receiver = self.reader.receiver(call.node)
                for read in self.reader.named(str(name.value), entry.key_node, receiver):
                    if codes := self._table_codes(read, entry.value):
                        steps = ((call.node, "the codes are put in"),)
                        yield Coding(read, entry.key_node, "table", codes, None, "", steps, True)

    def _of_table(
        self,
        read: Read,
        table: Table,
        codes: tuple[Code, ...],
        rest: float | None,
        node: Node,
        *,
        in_table: bool,
    ) -> Coding:
        """Return what a table codes; the table of a column among tables of others is told where it is
        written.
        """
        entry = self.reader.syntax.parent(table.node)
        if isinstance(entry, tree.Item) and entry.key is not None and not inside(table.node, node):
            put_in = ((node, "the codes are put in"),)
            return Coding(read, entry.key, "table", codes, rest, "", put_in, in_table)
        return Coding(read, node, "table", codes, rest, "", _written_at(table.node, node), in_table)

    def _pairwise_codings(
        self, call: Call, first: Value | None, second: Value, reads: list[Read]
    ) -> Iterator[Coding]:
        """`replace(["Male", "Female"], [1, 0])` and chains of `replace("Male", 1)`."""
        if isinstance(first, Sequence) and isinstance(second, Sequence):
            pairs = list(zip(first.items, second.items, strict=False))
        elif isinstance(self.reader.syntax.parent(call.node), tree.Field):
            return  # the last call of the chain tells all
        else:
            pairs, base = self._chain_of_replaces(call.node)
            reads = self.reader.reads(base)
        for read in reads:
            codes = [code for old, new in pairs if (code := self._code_of_entry(read, old, new)) is not None]
            if codes:
                yield Coding(read, call.node, "table", tuple(codes), None, "", (), in_table=True)

    def _chain_of_replaces(self, node: tree.Call) -> tuple[list[tuple[Value, Value]], Node]:
        pairs: list[tuple[Value, Value]] = []
        current: Node = node
        for _ in range(FARTHEST):
            if not (isinstance(current, tree.Call) and isinstance(current.function, tree.Field)):
                break
            applied = (
                call for call in self.reader.calls(current)[-1:] if "applies" in self.reader.does(call)
            )
            pairs += [(call.arguments[0], call.arguments[1]) for call in applied if len(call.arguments) >= 2]
            current = current.function.value
            if isinstance(current, tree.Field) and current.name == "str":
                current = current.value
        return pairs[::-1], current

    def looked_up(self, value: Value, node: Node) -> Iterator[Coding]:
        """`RACE_CODES[person.race]`, `codes.get(gender, 0)`, `Race[person.race].value` in a column."""
        if not (isinstance(value, Lookup) and value.node is node):
            return
        table = value.table
        if isinstance(table.node, tree.Name) and table.node.id in self.reader.definitions.enums:
            around = self.reader.syntax.parent(node)
            if not (isinstance(around, tree.Field) and around.name == "value" and self._fills_column(around)):
                return
            node = around
        for read in self.reader.reads_of(value.subject)[:1]:
            if codes := self._table_codes(read, table):
                rest = number_of(value.default)
                yield self._of_table(read, table, codes, rest, node, in_table=self._fills_column(node))

    def _table_codes(self, read: Read, table: Table) -> tuple[Code, ...]:
        found = [self._code_of_entry(read, key, value) for key, value in table.entries]
        codes = tuple(code for code in found if code is not None)
        return codes if len(codes) == len(found) else ()

    def _code_of_entry(self, read: Read, key: Value, value: Value) -> Code | None:
        attribute = read.mention.attribute
        number, label = number_of(value), self.reader.label(attribute, key)
        if number is None or label is None:
            return None
        return Code(label, self.reader.group_of(attribute, key), number)

    # ------------------------------------------------------------------------------------------- choices

    def chosen(self, value: Value, node: Node) -> Iterator[Coding]:
        """`1 if gender == "Male" else 0`, `np.where`, `np.select([df.race == "White", ...], [2, 1])`, polars'
        and Spark's `when(test).then(1).otherwise(0)`.
        """
        arms: list[tuple[Value, Value]] = []
        while isinstance(value, Choice) and inside(value.node, node) and len(arms) < MOST_ARMS:
            arms.append((value.test, value.then))
            value = value.otherwise
        if arms:
            yield from self._chain_codings([([test], [then]) for test, then in arms], [value], node)

    def branches(self, branch: tree.If) -> Iterator[Coding]:
        """`if race == "White": return 2`, and further branches and statements that go on with it."""
        if id(branch) in self._seen:
            return
        arms: list[tuple[Node, Node]] = []
        target = ""
        rest: _Given | None = None
        current: tree.If | None = branch
        head = branch
        inner = False
        while current is not None and len(arms) < MOST_ARMS:
            self._seen.add(id(current))
            plain = _without_negation(current)
            given = self._given(plain.then)
            if given is None or (arms and given.target != target):
                return
            target = given.target
            arms.append((plain.test, given.value))
            if not inner and not current.is_elif:
                head = current
            inner = bool(plain.otherwise)
            following = plain.otherwise or (self._following_statements(head) if target == "return" else ())
            current = following[0] if following and isinstance(following[0], tree.If) else None
            if current is None and following:
                rest = self._given(following[:1])
        last = rest.value if rest is not None and rest.target == target else None
        values = self.reader.values
        chain = [(values(test), values(value)) for test, value in arms]
        yield from self._chain_codings(chain, values(last), arms[0][0])

    def _following_statements(self, statement: Node) -> tuple[Node, ...]:
        """Return the statements behind one in the same body."""
        body = getattr(self.reader.syntax.parent(statement), "body", ())
        for place, other in enumerate(body if isinstance(body, tuple) else ()):
            if other is statement:
                return tuple(body[place + 1 :])
        return ()

    def _given(self, body: tuple[Node, ...]) -> _Given | None:
        """Return what a body of one statement returns, or gives to a variable."""
        if len(body) != 1:
            return None
        match body[0]:
            case tree.Return(value=value, is_yield=False) if value is not None:
                return _Given("return", value)
            case tree.Assign(targets=(target,), value=value, op=None) if value is not None:
                return _Given(self.reader.text(target), value)
            case tree.Expression(
                value=tree.Call(function=tree.Field(name="append") as function, arguments=(value,))
            ):
                return _Given(self.reader.text(function), value)
            case _:
                return None

    def cases(self, switch: tree.Switch) -> Iterator[Coding]:
        """`match race: case "White": return 2`."""
        codes: list[Code] = []
        rest: float | None = None
        for read in self.reader.reads(switch.subject)[:1]:
            for case in switch.cases:
                given = self._given(case.body)
                number = first_number(self.reader.values(given.value)) if given is not None else None
                if number is None:
                    return
                labels = [
                    label
                    for part in case.patterns
                    for value in self.reader.values(part)
                    if (label := self.reader.label(read.mention.attribute, value)) is not None
                ]
                if not labels:
                    rest = number
                codes += [self._code_of_label(read, label, number) for label in labels]
            if codes:
                yield Coding(read, switch.subject, "choice", tuple(codes), rest)

    def _code_of_label(self, read: Read, label: str, number: float) -> Code:
        return Code(label, self.reader.group_named(read.mention.attribute, label), number)

    def _chain_codings(
        self, arms: list[tuple[list[Value], list[Value]]], last: list[Value], node: Node
    ) -> Iterator[Coding]:
        """Yield a chain of tests on one attribute, each of which gives a number."""
        codes: list[Code] = []
        first: Read | None = None
        for tests, values in arms:
            number = first_number(values)
            asked = next((found for test in tests if (found := asks_for_groups(test, self.reader))), None)
            if number is None or asked is None:
                return
            read, labels = asked
            if first is not None and read.mention.attribute != first.mention.attribute:
                return
            first = first or read
            codes += [self._code_of_label(read, label, number) for label in labels]
        rest = first_number(last)
        if last and rest is None and not any(map(is_gap, last)):
            return
        if first is not None and codes:
            yield Coding(first, node, "choice", tuple(codes), rest, in_table=self._fills_column(node))

    def _cast_codings(self, call: Call) -> Iterator[Coding]:
        """`(df["sex"] == "M").astype(int)`, `int(sex == "male")`."""
        if isinstance(call.node.function, tree.Field):
            if call.receiver is not None and is_number_type(call.arguments[0]):
                yield from self._truth_codings(call.receiver, call.node)
        elif (kept := self.reader.known(call, "keeps")) and kept.entry.given.get("form") in {"int", "float"}:
            yield from self._truth_codings(call.arguments[0], call.node)

    def product(self, product: tree.Binary) -> Iterator[Coding]:
        """`(df["sex"] == "M") * 1`."""
        neutral = {"*": 1, "+": 0}.get(product.op)
        if neutral is None:
            return
        for test, factor in ((product.left, product.right), (product.right, product.left)):
            if first_number(self.reader.values(factor)) == neutral:
                for value in self.reader.values(test):
                    yield from self._truth_codings(value, product)

    def _truth_codings(self, test: Value, node: Node) -> Iterator[Coding]:
        asked = asks_for_groups(test, self.reader)
        if asked is not None:
            read, labels = asked
            codes = tuple(self._code_of_label(read, label, 1) for label in labels)
            yield Coding(read, node, "cast", codes, 0, in_table=self._fills_column(node))

    def _fills_column(self, node: Node) -> bool:
        """Return whether a coding becomes a column of a table: `df["race"] = ...`, `df.assign(race=...)`."""
        for outer in nearest(self.reader.syntax.around(node)):
            match outer:
                case tree.Assign(targets=(tree.Index(), *_)):
                    return True
                case tree.Call(function=tree.Field()):
                    if any(
                        not _FILLS.isdisjoint(self.reader.does(call)) for call in self.reader.calls(outer)
                    ):
                        return True
                case tree.Function():
                    return self.reader.is_applied(node)
                case tree.Type():
                    return False
                case _:
                    pass
        return False


class _Given(Record):
    """What a body gives: to a variable, or as what is returned."""

    target: str
    value: Node


class _PlainBranch(Record):
    """What a branch asks, and its two halves."""

    test: Node
    then: tuple[Node, ...]
    otherwise: tuple[Node, ...]


def _without_negation(branch: tree.If) -> _PlainBranch:
    """Return what a branch asks and its two halves, without a `not` before the question and braces around a
    half.
    """
    test, then, otherwise = branch.test, bare(branch.then), bare(branch.otherwise)
    while isinstance(test, tree.Unary) and test.op == "not" and otherwise:
        test, then, otherwise = test.operand, otherwise, then
    return _PlainBranch(test, then, otherwise)


def bare(body: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the statements of a half, without braces that stand around all of them."""
    while len(body) == 1 and isinstance(body[0], tree.Block):
        body = body[0].body
    return body


def _written_at(table: Node, node: Node) -> tuple[tuple[Node, str], ...]:
    """Return the station of a table of codes that is not written where it is used."""
    return () if inside(table, node) else ((table, "the table of codes"),)


def _is_numbering(table: tree.Comprehension) -> bool:
    """Return whether a comprehension numbers what it goes through: `{race: i for i, race in
    enumerate(races)}`.
    """
    if table.kind != "dict":
        return False
    around = table.generators[0].iterable
    name = last_name(around.function) if isinstance(around, tree.Call) else ""
    if name == "zip" and isinstance(around, tree.Call):
        return any(
            isinstance(one, tree.Call) and last_name(one.function) == "range" for one in around.arguments
        )
    return name == "enumerate"
