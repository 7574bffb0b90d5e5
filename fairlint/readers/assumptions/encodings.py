"""Codings: where code puts numbers in the place of the groups of a person."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.readers.assumptions.attribute_reads import Read, Reader
from fairlint.readers.assumptions.encoders import Encoders
from fairlint.readers.assumptions.ordinal_encodings import (
    FARTHEST,
    Code,
    Coding,
    asks_for_groups,
    inside,
    is_nothing,
    is_number_type,
    lexicon,
    nearest,
    number_of,
    paired,
)
from fairlint.readers.assumptions.syntax_index import (
    Scope,
    SyntaxIndex,
    argument,
    called,
    resolved,
    text_of,
    texts,
)
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MOST_ARMS = 30
"""Arms of one chain that are looked at."""


def codings(scene: SyntaxIndex, reader: Reader) -> Iterator[Coding]:
    """All codings of one file; a place may be told of more than once."""
    yield from Encoders(scene, reader).all()
    coder = _Coder(scene, reader)
    for call, scope in scene.places(tree.Call):
        yield from coder.call(call, scope)
    for index, scope in scene.places(tree.Index):
        yield from coder.looked_up(index.index, index.value, index, scope)
    for choice, scope in scene.places(tree.Conditional):
        if not isinstance(scene.parents.get(id(choice)), tree.Conditional):
            yield from coder.conditional(choice, scope)
    for branch, scope in scene.places(tree.If):
        if not branch.is_elif:
            yield from coder.branches(branch, scope)
    for switch, scope in scene.places(tree.Switch):
        yield from coder.cases(switch, scope)
    for product, scope in scene.places(tree.Binary):
        yield from coder.product(product, scope)
    for table, scope in scene.places(tree.Collection):
        yield from coder.table_of_tables(table, scope)


class _Coder:
    """What codes groups in one file."""

    def __init__(self, scene: SyntaxIndex, reader: Reader) -> None:
        self.scene = scene
        self.reader = reader
        self._seen: set[int] = set()
        """Branches, by identity, that belong to a chain which was told."""

    # --------------------------------------------------------------------------------------------- calls

    def call(self, call: tree.Call, scope: Scope) -> Iterator[Coding]:
        """The codings that a call makes."""
        name = called(call)
        words = lexicon()
        if isinstance(call.function, tree.Field):
            base = call.function.value
            if name in words["map"]:
                yield from self._mapped(call, name, base, scope)
            if name == "get" and len(call.arguments) in {1, 2}:
                yield from self.looked_up(call.arguments[0], base, call, scope)
            if name == "otherwise":
                yield from self._when(call, scope)
        if name == "where" and len(call.arguments) == 3:
            yield from self._chain([(call.arguments[0], call.arguments[1])], call.arguments[2], call, scope)
        elif name == "select" and len(call.arguments) >= 2:
            yield from self._selected(call, scope)
        if name in words["casts"]:
            yield from self._cast(call, name, scope)

    def _mapped(self, call: tree.Call, name: str, base: Node, scope: Scope) -> Iterator[Coding]:
        """`df["race"].map({...})`, `df.replace({"race": {...}})`, `column.replace(["a", "b"], [0, 1])`."""
        reads = self.reader.reads(base, scope)
        first = argument(call, "to_replace", 0) or argument(call, "mapping") or argument(call, "old", 0)
        if first is None:
            return
        second = argument(call, "value", 1) or argument(call, "new", 1)
        if second is not None and name in {"replace", "replace_strict", "recode"}:
            yield from self._pairwise(call, first, second, reads, scope)
            return
        table = resolved(first, scope)
        if isinstance(table, tree.Field) and table.name in {"get", "__getitem__"}:
            table = resolved(table.value, scope)
        if called(table) == "dict" and isinstance(table, tree.Call):
            table = paired(table, scope) or table
        if isinstance(table, tree.Collection) and table.kind == "dict":
            yield from self._by_table(call, table, reads, scope)
        elif isinstance(table, tree.Comprehension) and table.kind == "dict" and _numbers(table):
            for read in reads:
                steps = () if inside(table, call) else ((table, "the table of codes"),)
                yield Coding(read, call, "encoder", tool="a running number", steps=steps, in_table=True)

    def _by_table(
        self, call: tree.Call, table: tree.Collection, reads: list[Read], scope: Scope
    ) -> Iterator[Coding]:
        steps = () if inside(table, call) else ((table, "the table of codes"),)
        for read in reads:
            codes = self._codes(read, table, scope)
            if codes:
                yield Coding(read, call, "table", codes, None, "", steps, in_table=True)
        if reads:
            return
        for item in table.items:
            inner = resolved(item.value, scope)
            if item.key is None or not (isinstance(inner, tree.Collection) and inner.kind == "dict"):
                continue
            for read in self.reader.columns(texts(item.key, scope), self.reader.receiver(call)):
                codes = self._codes(read, inner, scope)
                if codes:
                    yield Coding(
                        read, item.key, "table", codes, None, "", ((call, "the codes are put in"),), True
                    )

    def _pairwise(
        self, call: tree.Call, first: Node, second: Node, reads: list[Read], scope: Scope
    ) -> Iterator[Coding]:
        """`replace(["Male", "Female"], [1, 0])` and chains of `replace("Male", 1)`."""
        olds, news = resolved(first, scope), resolved(second, scope)
        for read in reads:
            if isinstance(olds, tree.Collection) and isinstance(news, tree.Collection):
                pairs = list(
                    zip(
                        [item.value for item in olds.items], [item.value for item in news.items], strict=False
                    )
                )
            elif isinstance(self.scene.parents.get(id(call)), tree.Field):
                return  # the last call of the chain tells all
            else:
                pairs = self._chain_of_replaces(call)
            codes = [code for old, new in pairs if (code := self._code(read, old, new, scope)) is not None]
            if codes:
                yield Coding(read, call, "table", tuple(codes), None, "", (), in_table=True)

    @staticmethod
    def _chain_of_replaces(call: tree.Call) -> list[tuple[Node, Node]]:
        pairs: list[tuple[Node, Node]] = []
        current: Node = call
        for _ in range(FARTHEST):
            if not (isinstance(current, tree.Call) and isinstance(current.function, tree.Field)):
                break
            if called(current) == "replace" and len(current.arguments) >= 2:
                pairs.append((current.arguments[0], current.arguments[1]))
            current = current.function.value
            if isinstance(current, tree.Field) and current.name == "str":
                current = current.value
        return pairs[::-1]

    def looked_up(self, key: Node, base: Node, node: Node, scope: Scope) -> Iterator[Coding]:
        """`RACE_CODES[person.race]`, `codes.get(gender, 0)`."""
        if isinstance(key, tree.Literal | tree.Slice | tree.Collection | tree.Compare):
            return
        if isinstance(base, tree.Name) and base.id in self.reader.enums:
            yield from self._enum(base.id, key, node, scope)
            return
        table = resolved(base, scope)
        if not (isinstance(table, tree.Collection) and table.kind == "dict"):
            return
        reads = self.reader.reads(key, scope)
        rest = (
            number_of(node.arguments[1], scope)
            if isinstance(node, tree.Call) and len(node.arguments) > 1
            else None
        )
        for read in reads[:1]:
            codes = self._codes(read, table, scope)
            if codes:
                steps = () if inside(table, node) else ((table, "the table of codes"),)
                yield Coding(read, node, "table", codes, rest, "", steps, self._fills_column(node))

    def _enum(self, name: str, key: Node, node: Node, scope: Scope) -> Iterator[Coding]:
        """`Race[person.race].value` in a column."""
        value = self.scene.parents.get(id(node))
        if not (isinstance(value, tree.Field) and value.name == "value" and self._fills_column(value)):
            return
        for read in self.reader.reads(key, scope)[:1]:
            members = [member for member in self.reader.enums[name] if isinstance(member.value, int | float)]
            codes = tuple(self._named(read, member.label, float(member.value or 0)) for member in members)
            yield Coding(read, value, "table", codes, in_table=True)

    def _codes(self, read: Read, table: tree.Collection, scope: Scope) -> tuple[Code, ...]:
        found = []
        for item in table.items:
            code = None if item.key is None else self._code(read, item.key, item.value, scope)
            if code is not None:
                found.append(code)
        return tuple(found) if len(found) == len(table.items) else ()

    def _code(self, read: Read, key: Node, value: Node, scope: Scope) -> Code | None:
        number = number_of(value, scope)
        label = self.reader.label(key, scope)
        if number is None or label is None:
            return None
        return Code(label, self.reader.group(read.mention.attribute, key, scope), number)

    def table_of_tables(self, table: tree.Collection, scope: Scope) -> Iterator[Coding]:
        """`MAPPINGS = {"race": {"White": 0, ...}, "sex": {...}}`, whose entries are mapped in a loop."""
        if table.kind != "dict" or not self._is_mapped_later(table):
            return
        for item in table.items:
            name = text_of(item.key)
            inner = item.value
            if name is None or item.key is None:
                continue
            if not (isinstance(inner, tree.Collection) and inner.kind == "dict"):
                continue
            for read in self.reader.named(name, item.key, "df"):
                codes = self._codes(read, inner, scope)
                if codes:
                    yield Coding(read, item.key, "table", codes, None, "", (), in_table=True)

    def _is_mapped_later(self, table: tree.Collection) -> bool:
        """Whether a loop goes through the entries of a table and maps columns by them."""
        assign = self.scene.parents.get(id(table))
        if not (isinstance(assign, tree.Assign) and isinstance(assign.targets[0], tree.Name)):
            return False
        name = assign.targets[0].id
        for loop, _ in self.scene.places(tree.Loop):
            around = loop.iterable
            if around is None or not any(
                isinstance(part, tree.Name) and part.id == name for part in tree.walk(around)
            ):
                continue
            if any(
                called(part) in {"map", "replace"} for statement in loop.body for part in tree.walk(statement)
            ):
                return True
        return False

    # ------------------------------------------------------------------------------------------- choices

    def conditional(self, choice: tree.Conditional, scope: Scope) -> Iterator[Coding]:
        """`1 if gender == "Male" else 0`."""
        arms: list[tuple[Node, Node]] = []
        current: Node = choice
        while isinstance(current, tree.Conditional) and len(arms) < MOST_ARMS:
            arms.append((current.test, current.then))
            current = current.otherwise
        yield from self._chain(arms, current, choice, scope)

    def _selected(self, call: tree.Call, scope: Scope) -> Iterator[Coding]:
        """`np.select([df.race == "White", ...], [2, 1], default=0)`."""
        tests, values = resolved(call.arguments[0], scope), resolved(call.arguments[1], scope)
        if not (isinstance(tests, tree.Collection) and isinstance(values, tree.Collection)):
            return
        arms = list(
            zip([item.value for item in tests.items], [item.value for item in values.items], strict=False)
        )
        yield from self._chain(arms[:MOST_ARMS], argument(call, "default", 2), call, scope)

    def _when(self, call: tree.Call, scope: Scope) -> Iterator[Coding]:
        """`pl.when(test).then(1).when(test).then(2).otherwise(0)`, Spark's `F.when(test, 1).otherwise(0)`."""
        arms: list[tuple[Node, Node]] = []
        current: Node = call.function
        while isinstance(current, tree.Field) and len(arms) < MOST_ARMS:
            step = current.value
            if not isinstance(step, tree.Call):
                break
            if called(step) == "when" and len(step.arguments) == 2:
                arms.append((step.arguments[0], step.arguments[1]))
                current = step.function
            elif called(step) == "then" and isinstance(step.function, tree.Field) and step.arguments:
                when = step.function.value
                if not (isinstance(when, tree.Call) and when.arguments):
                    break
                arms.append((when.arguments[0], step.arguments[0]))
                current = when.function
            else:
                break
        yield from self._chain(arms[::-1], call.arguments[0] if call.arguments else None, call, scope)

    def branches(self, branch: tree.If, scope: Scope) -> Iterator[Coding]:
        """`if race == "White": return 2`, and further branches and statements that go on with it."""
        if id(branch) in self._seen:
            return
        arms: list[tuple[Node, Node]] = []
        target = ""
        rest: tuple[str, Node] | None = None
        current: tree.If | None = branch
        head = branch
        while current is not None and len(arms) < MOST_ARMS:
            self._seen.add(id(current))
            given_ = self._given(current.then)
            if given_ is None or (arms and given_[0] != target):
                return
            target = given_[0]
            arms.append((current.test, given_[1]))
            if not current.is_elif:
                head = current
            following = current.otherwise or (self._after(head) if target == "return" else ())
            current = following[0] if following and isinstance(following[0], tree.If) else None
            if current is None and following:
                rest = self._given(following[:1])
        last = rest[1] if rest is not None and rest[0] == target else None
        yield from self._chain(arms, last, arms[0][0], scope)

    def _after(self, statement: Node) -> tuple[Node, ...]:
        """The statements behind one in the same body."""
        around = self.scene.parents.get(id(statement))
        body = getattr(around, "body", ())
        for place, other in enumerate(body if isinstance(body, tuple) else ()):
            if other is statement:
                return tuple(body[place + 1 :])
        return ()

    def _given(self, body: tuple[Node, ...]) -> tuple[str, Node] | None:
        """What a body of one statement returns, or gives to a variable."""
        if len(body) != 1:
            return None
        match body[0]:
            case tree.Return(value=value, is_yield=False) if value is not None:
                return "return", value
            case tree.Assign(targets=(target,), value=value, op=None) if value is not None:
                return self.reader.text(target), value
            case tree.Expression(
                value=tree.Call(function=tree.Field(name="append") as function, arguments=(value,))
            ):
                return self.reader.text(function), value
            case _:
                return None

    def cases(self, switch: tree.Switch, scope: Scope) -> Iterator[Coding]:
        """`match race: case "White": return 2`."""
        codes: list[Code] = []
        rest: float | None = None
        reads = self.reader.reads(switch.subject, scope)
        for case in switch.cases if reads else ():
            given_ = self._given(case.body)
            number = number_of(given_[1], scope) if given_ is not None else None
            if number is None:
                return
            labels = [
                label for part in case.patterns if (label := self.reader.label(part, scope)) is not None
            ]
            if not labels:
                rest = number
            codes += [self._named(reads[0], label, number) for label in labels]
        if codes:
            yield Coding(reads[0], switch.subject, "choice", tuple(codes), rest)

    def _named(self, read: Read, label: str, number: float) -> Code:
        return Code(label, self.reader.group_named(read.mention.attribute, label), number)

    def _chain(
        self, arms: list[tuple[Node, Node]], last: Node | None, node: Node, scope: Scope
    ) -> Iterator[Coding]:
        """A chain of tests on one attribute, each of which gives a number."""
        codes: list[Code] = []
        first: Read | None = None
        while isinstance(last, tree.Call) and called(last) == "where" and len(last.arguments) == 3:
            arms = [*arms, (last.arguments[0], last.arguments[1])]
            last = last.arguments[2]
        for test, value in arms:
            number = number_of(value, scope)
            asked = asks_for_groups(test, scope, self.reader)
            if number is None or asked is None:
                return
            read, labels = asked
            if first is not None and read.mention.attribute != first.mention.attribute:
                return
            first = first or read
            codes += [self._named(read, label, number) for label in labels]
        rest = None if last is None else number_of(last, scope)
        if last is not None and rest is None and not is_nothing(last):
            return
        if first is not None and codes:
            yield Coding(first, node, "choice", tuple(codes), rest, in_table=self._fills_column(node))

    def _cast(self, call: tree.Call, name: str, scope: Scope) -> Iterator[Coding]:
        """`(df["sex"] == "M").astype(int)`, `int(sex == "male")`."""
        if isinstance(call.function, tree.Field) and name in {"astype", "cast", "view"}:
            if not call.arguments or not is_number_type(call.arguments[0]):
                return
            test: Node = call.function.value
        elif call.arguments and not isinstance(call.function, tree.Field):
            test = call.arguments[0]
        else:
            return
        yield from self._truth(test, call, scope)

    def product(self, product: tree.Binary, scope: Scope) -> Iterator[Coding]:
        """`(df["sex"] == "M") * 1`."""
        for test, factor in ((product.left, product.right), (product.right, product.left)):
            if product.op in "*+" and number_of(factor, scope) == {"*": 1, "+": 0}[product.op]:
                yield from self._truth(test, product, scope)

    def _truth(self, test: Node, node: Node, scope: Scope) -> Iterator[Coding]:
        if isinstance(test, tree.Name | tree.Field):
            test = resolved(test, scope)
        if not isinstance(test, tree.Compare | tree.Call):
            return
        asked = asks_for_groups(test, scope, self.reader)
        if asked is not None:
            read, labels = asked
            codes = tuple(self._named(read, label, 1) for label in labels)
            yield Coding(read, node, "cast", codes, 0, in_table=self._fills_column(node))

    def _fills_column(self, node: Node) -> bool:
        """Whether a coding becomes a column of a table: `df["race"] = ...`, `df.assign(race=...)`."""
        for outer in nearest(self.scene.around(node)):
            match outer:
                case tree.Assign(targets=(tree.Index(), *_)):
                    return True
                case tree.Call(function=tree.Field(name="assign" | "with_columns" | "withColumn" | "insert")):
                    return True
                case tree.Call(function=tree.Field(name="apply" | "map" | "map_elements")):
                    return True
                case tree.Function() | tree.Type():
                    return isinstance(outer, tree.Function) and self.scene.is_applied(outer)
                case _:
                    pass
        return False


def _numbers(table: tree.Comprehension) -> bool:
    """Whether a comprehension numbers what it goes through: `{race: i for i, race in enumerate(races)}`."""
    around = table.generators[0].iterable
    if called(around) == "zip" and isinstance(around, tree.Call):
        return any(called(argument_) == "range" for argument_ in around.arguments)
    return called(around) == "enumerate"
