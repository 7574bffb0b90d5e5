"""Filled gaps: where code decides to which group those belong whose group is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.readers.assumptions.attribute_reads import Read, Reader, known_columns
from fairlint.readers.assumptions.defaults import (
    Assumed,
    chosen_if_missing,
    default_of,
    lexicon,
    missing_in,
    present_in,
    where_missing,
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
from fairlint.semantics.paths import path_of
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

LISTS = frozenset({"ColumnTransformer", "make_column_transformer", "DataFrameMapper", "FeatureUnion"})
PIPELINES = frozenset({"Pipeline", "make_pipeline", "ImbPipeline"})
FITS = frozenset({"fit", "transform", "fit_transform", "fit_predict"})
SAME_FOR_ALL = frozenset({"Series", "full", "repeat"})
"""What makes a column of one value."""
DEEPEST = 6


class Gaps:
    """What fills the gaps of columns in one file."""

    def __init__(self, scene: SyntaxIndex, reader: Reader) -> None:
        self.scene = scene
        self.reader = reader

    def all(self) -> Iterator[Assumed]:
        """All fillings."""
        for call, scope in self.scene.places(tree.Call):
            yield from self._call(call, scope)
        for assign, scope in self.scene.places(tree.Assign):
            yield from self._masked(assign, scope)
        for row, scope in self.scene.places(tree.Collection):
            if row.kind == "tuple":
                yield from self._listed(row, scope)
        for choice, scope in self.scene.places(tree.Conditional):
            if _asks_for_null(choice.test):
                yield from self._chosen(choice, choice.test, (choice.then, choice.otherwise), scope)
        yield from where_missing(self.scene, self.reader)

    # --------------------------------------------------------------------------------------------- calls

    def _call(self, call: tree.Call, scope: Scope) -> Iterator[Assumed]:
        name = called(call)
        words = lexicon()
        if isinstance(call.function, tree.Field):
            base = call.function.value
            if name in words["fill"] or name in words["fill_neighbour"]:
                yield from self._filled(call, name, base, scope)
            elif name == "replace":
                yield from self._replaced(call, base, scope)
            elif name in {"where", "mask"} and len(call.arguments) >= 2:
                yield from self._kept_where(call, name, base, scope)
            elif name in FITS and call.arguments:
                yield from self._fitted(call, base, scope)
            elif name == "otherwise" and len(call.arguments) == 1:
                yield from self._when(call, scope)
        if name == "where" and len(call.arguments) == 3:
            test, then, otherwise = call.arguments
            yield from self._chosen(call, test, (then, otherwise), scope)
        elif name == "coalesce" and len(call.arguments) >= 2:
            for read in self._reads(call.arguments[0], scope):
                yield from self._with_value(read, call.arguments[-1], call, scope)

    def _filled(self, call: tree.Call, name: str, base: Node, scope: Scope) -> Iterator[Assumed]:
        """`df["race"].fillna("White")`, `df.fillna({"race": "White"})`, `df.ffill()`."""
        words = lexicon()
        if name == "fill" and not (isinstance(base, tree.Field) and base.name == "na"):
            return
        if isinstance(base, tree.Field) and base.name == "na":
            base = base.value
        value = argument(call, "value", 0)
        way = argument(call, "method") or argument(call, "strategy")
        if name in words["fill_neighbour"] or text_of(way) in words["fill_neighbour"]:
            for read in self._columns(base, scope, known=True):
                yield self._told(read, call, "", "a neighbouring row's group")
            return
        if text_of(way) in words["fill_frequent"]:
            value = way
        if value is None:
            return
        if name == "combine_first" and called(value) in SAME_FOR_ALL and isinstance(value, tree.Call):
            value = argument(value, "data", 0) or value
        written = resolved(value, scope)
        if isinstance(written, tree.Collection) and written.kind == "dict":
            receiver = self.reader.receiver(call)
            for item in written.items:
                if item.key is None:
                    continue
                for read in self.reader.columns(texts(item.key, scope), receiver):
                    yield from self._with_value(read, item.value, item.value, scope)
            return
        subset = argument(call, "subset", 1)
        if subset is not None and texts(subset, scope):
            reads = self.reader.columns(texts(subset, scope), self.reader.receiver(call))
        else:
            reads = list(self._columns(base, scope, known=self._way(value, scope) == FREQUENT))
        for read in reads:
            yield from self._with_value(read, value, call, scope)

    def _replaced(self, call: tree.Call, base: Node, scope: Scope) -> Iterator[Assumed]:
        """`df["race"].replace("?", "White")`, `df.replace({"race": {"?": "White"}})`."""
        reads = self._reads(base, scope)
        if len(call.arguments) == 2:
            for read in reads:
                if self._is_nothing(read, call.arguments[0], scope):
                    yield from self._with_value(read, call.arguments[1], call, scope)
            return
        table = resolved(call.arguments[0], scope) if len(call.arguments) == 1 else None
        if not (isinstance(table, tree.Collection) and table.kind == "dict"):
            return
        for item in table.items:
            if item.key is None:
                continue
            inner = resolved(item.value, scope)
            if isinstance(inner, tree.Collection) and inner.kind == "dict":
                for read in self.reader.columns(texts(item.key, scope), self.reader.receiver(call)):
                    yield from self._by_table(read, inner, scope)
            else:
                for read in reads:
                    if self._is_nothing(read, item.key, scope):
                        yield from self._with_value(read, item.value, item.value, scope)

    def _by_table(self, read: Read, table: tree.Collection, scope: Scope) -> Iterator[Assumed]:
        for item in table.items:
            if item.key is not None and self._is_nothing(read, item.key, scope):
                yield from self._with_value(read, item.value, item.value, scope)

    def _is_nothing(self, read: Read, node: Node, scope: Scope, depth: int = 0) -> bool:
        value = resolved(node, scope)
        match value:
            case tree.Literal(value=None | ""):
                return True
            case tree.Literal(value=str() as text):
                return self.reader.is_missing(read.mention.attribute, text.strip())
            case tree.Collection(kind="list" | "tuple", items=items):
                return (
                    bool(items)
                    and depth < 2
                    and all(self._is_nothing(read, item.value, scope, depth + 1) for item in items)
                )
            case tree.Name() | tree.Field():
                return (path_of(value) or "").rpartition(".")[2] in {"nan", "NaN", "NA", "NAN", "NaT"}
            case _:
                return False

    def _kept_where(self, call: tree.Call, name: str, base: Node, scope: Scope) -> Iterator[Assumed]:
        """`column.where(column.notna(), "White")`, `column.mask(column.isna(), "White")`."""
        find = present_in if name == "where" else missing_in
        read = find(call.arguments[0], scope, self.reader)
        for other in self._reads(base, scope) if read is not None else ():
            yield from self._with_value(other, call.arguments[1], call, scope)

    def _when(self, call: tree.Call, scope: Scope) -> Iterator[Assumed]:
        """`pl.when(pl.col("sex").is_null()).then(pl.lit("male")).otherwise(pl.col("sex"))`."""
        assert isinstance(call.function, tree.Field)
        then = call.function.value
        if not (isinstance(then, tree.Call) and isinstance(then.function, tree.Field)):
            return
        if called(then) == "when" and len(then.arguments) == 2:
            test, value = then.arguments
        elif called(then) == "then" and called(then.function.value) == "when" and then.arguments:
            when = then.function.value
            assert isinstance(when, tree.Call)
            if not when.arguments:
                return
            test, value = when.arguments[0], then.arguments[0]
        else:
            return
        yield from self._chosen(call, test, (value, call.arguments[0]), scope)

    def _chosen(self, node: Node, test: Node, branches: tuple[Node, Node], scope: Scope) -> Iterator[Assumed]:
        for read, value in chosen_if_missing(test, branches, scope, self.reader):
            yield from self._with_value(read, value, node, scope)

    def _masked(self, assign: tree.Assign, scope: Scope) -> Iterator[Assumed]:
        """`df.loc[df.race.isna(), "race"] = "White"`."""
        if len(assign.targets) != 1 or assign.value is None or not isinstance(assign.targets[0], tree.Index):
            return
        target = assign.targets[0]
        mask = target.index
        if isinstance(mask, tree.Collection):
            mask = mask.items[0].value if mask.items else mask
        mask = resolved(mask, scope) if isinstance(mask, tree.Name) else mask
        if not isinstance(mask, tree.Call | tree.Compare | tree.Unary | tree.Binary | tree.BoolOp):
            return
        read = missing_in(mask, scope, self.reader)
        for other in self._reads(target, scope) if read is not None else ():
            yield from self._with_value(other, assign.value, assign, scope)

    # ------------------------------------------------------------------------------------------ imputers

    def _fitted(self, call: tree.Call, base: Node, scope: Scope) -> Iterator[Assumed]:
        """`imputer.fit_transform(df[["race", "sex"]])`."""
        imputer, how = self._imputer(base, scope)
        if imputer is None:
            return
        for read in self._columns(call.arguments[0], scope, known=True):
            found = self._filled_by(read, imputer, how, read.node, scope)
            if found is not None:
                yield found

    def _listed(self, row: tree.Collection, scope: Scope) -> Iterator[Assumed]:
        """`("cat", SimpleImputer(strategy="most_frequent"), ["race"])` in a list of transformers."""
        if not 2 <= len(row.items) <= 3 or not any(
            called(outer) in LISTS for outer, _ in zip(self.scene.around(row), range(5), strict=False)
        ):
            return
        for place, item in enumerate(row.items):
            imputer, how = self._imputer(item.value, scope)
            if imputer is None:
                continue
            for other in (*row.items[place + 1 :], *row.items[:place]):
                for read in self.reader.columns(texts(other.value, scope), "df"):
                    found = self._filled_by(read, imputer, how, read.node, scope)
                    if found is not None:
                        yield found
            return

    def _imputer(self, node: Node, scope: Scope, depth: int = 0) -> tuple[tree.Call | None, str]:
        """The imputer that an expression is or holds, and how it fills."""
        value = resolved(node, scope)
        words = lexicon()
        if depth > DEEPEST:
            return None, ""
        if isinstance(value, tree.Collection):
            for item in value.items:
                imputer, how = self._imputer(item.value, scope, depth + 1)
                if imputer is not None:
                    return imputer, how
            return None, ""
        if not isinstance(value, tree.Call):
            return None, ""
        name = called(value)
        if name in PIPELINES:
            for argument_ in (*value.arguments, *(given for _, given in value.keywords)):
                imputer, how = self._imputer(argument_, scope, depth + 1)
                if imputer is not None:
                    return imputer, how
        if name in {"fit", "set_output"} and isinstance(value.function, tree.Field):
            return self._imputer(value.function.value, scope, depth + 1)
        if name in words["imputer_neighbour"]:
            return value, "a group worked out from people who are alike"
        if name in words["imputer"]:
            ways = [text.value for _, given in value.keywords for text in texts(given, scope)]
            if any(way in words["imputer_frequent"] for way in ways):
                return value, "" if "constant" in ways else FREQUENT
            if name == "CategoricalImputer" and "missing" not in ways:
                return value, FREQUENT
        return None, ""

    def _filled_by(
        self, read: Read, imputer: tree.Call, how: str, node: Node, scope: Scope
    ) -> Assumed | None:
        if not self._is_group_column(read):
            return None
        group = ""
        if not how:
            group = default_of(read, argument(imputer, "fill_value") or imputer, scope, self.reader)
            if not group:
                return None
        return Assumed(read, node, group, how or group, None, True, ((imputer, "gaps are filled by this"),))

    # -------------------------------------------------------------------------------------------- values

    def _way(self, value: Node, scope: Scope) -> str:
        """How a value that is no plain group fills a gap, empty where it says nothing of groups."""
        words = lexicon()
        names: set[str] = set()
        for part in (*tree.walk(value), *tree.walk(resolved(value, scope))):
            match part:
                case tree.Field(name=name) | tree.Name(id=name):
                    names.add(name)
                case tree.Literal(value=str() as name):
                    names.add(name)
                case _:
                    pass
        if not names.isdisjoint(words["fill_frequent"]):
            return FREQUENT
        return "a group drawn by chance" if not names.isdisjoint(words["fill_chance"]) else ""

    def _with_value(self, read: Read, value: Node, node: Node, scope: Scope) -> Iterator[Assumed]:
        if not self._is_group_column(read):
            return
        group = default_of(read, value, scope, self.reader)
        if group:
            yield self._told(read, node, group, group)
        elif how := self._way(value, scope):
            yield self._told(read, node, "", how)

    def _told(self, read: Read, node: Node, group: str, how: str) -> Assumed:
        return Assumed(read, node, group, how, read.node, True)

    def _is_group_column(self, read: Read) -> bool:
        return read.mention.form not in {"number", "date"}

    # ------------------------------------------------------------------------------------------- columns

    def _reads(self, node: Node, scope: Scope) -> list[Read]:
        return [read for read in self.reader.reads(node, scope) if self._is_group_column(read)]

    def _columns(self, node: Node, scope: Scope, *, known: bool) -> Iterable[Read]:
        """The columns that an expression reads; of a whole table, those protected ones that are `known`."""
        reads = self._reads(node, scope)
        if reads or not known:
            return reads
        reads = known_columns(node, scope, self.scene, self.reader)
        return [read for read in reads if self._is_group_column(read)]


FREQUENT = "the most frequent group"


def fillings(scene: SyntaxIndex, reader: Reader) -> Iterator[Assumed]:
    """All places of one file that fill the gaps of a protected attribute."""
    return Gaps(scene, reader).all()


def _asks_for_null(test: Node) -> bool:
    """Whether a test asks for the gaps of a table: `pd.isna(x)`."""
    words = lexicon()
    return any(
        called(part) in words["null_tests"] or called(part) in words["null_tests_not"]
        for part in tree.walk(test)
    )
