"""Encoders: library calls that number the values of a column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.readers.assumptions.attribute_reads import Read, Reader, known_columns
from fairlint.readers.assumptions.ordinal_encodings import (
    FARTHEST,
    Coding,
    called_name,
    inside,
    lexicon,
    nearest,
)
from fairlint.readers.assumptions.syntax_index import Scope, SyntaxIndex, argument, called, resolved, texts
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


class Encoders:
    """The encoders of one file."""

    def __init__(self, scene: SyntaxIndex, reader: Reader) -> None:
        self.scene = scene
        self.reader = reader

    def all(self) -> Iterator[Coding]:
        """All columns that an encoder numbers."""
        for call, scope in self.scene.places(tree.Call):
            yield from self._call(call, scope)
        for field, scope in self.scene.places(tree.Field):
            if field.name == "codes":
                yield from self._tool(field, self._columns(_of_codes(field), scope), ".cat.codes")

    def _columns(self, node: Node, scope: Scope) -> list[Read]:
        """The columns that an expression reads, or the known ones of a whole table."""
        return self.reader.reads(node, scope) or known_columns(node, scope, self.scene, self.reader)

    def _call(self, call: tree.Call, scope: Scope) -> Iterator[Coding]:
        name = called(call)
        words = lexicon()
        if isinstance(call.function, tree.Field):
            base = call.function.value
            if name in words["encoders_fit"] and call.arguments:
                yield from self._encoded(call, base, scope)
            elif name in words["encoders_functions"] and not (call.arguments and name == "factorize"):
                yield from self._tool(call, self.reader.reads(base, scope), f".{name}()")
            elif name == "apply" and len(call.arguments) == 1:
                yield from self._applied_encoder(call, base, scope)
        if name == "factorize" and call.arguments:
            yield from self._tool(call, self.reader.reads(call.arguments[0], scope), "factorize")
        elif name in {"Categorical", "astype", "set_categories", "reorder_categories", "as_ordered"}:
            yield from self._ordered(call, name, scope)
        elif name in words["encoders"]:
            yield from self._declared(call, name, scope)
        elif name in words["dummies"]:
            yield from self._dummies(call, scope)

    def _tool(
        self, node: Node, reads: Iterable[Read], tool: str, *steps: tuple[Node, str]
    ) -> Iterator[Coding]:
        for read in reads:
            yield Coding(read, node, "encoder", tool=tool, steps=steps, in_table=True)

    def _encoded(self, call: tree.Call, base: Node, scope: Scope) -> Iterator[Coding]:
        """`LabelEncoder().fit_transform(df["race"])`."""
        encoder = self._encoder(base, scope)
        if encoder is not None:
            step = () if inside(encoder, call) else ((encoder, "the encoder"),)
            yield from self._tool(call, self._columns(call.arguments[0], scope), called(encoder), *step)

    def _applied_encoder(self, call: tree.Call, base: Node, scope: Scope) -> Iterator[Coding]:
        """`df[cols].apply(LabelEncoder().fit_transform)`."""
        function = call.arguments[0]
        if isinstance(function, tree.Field) and function.name in lexicon()["encoders_fit"]:
            encoder = self._encoder(function.value, scope)
            if encoder is not None:
                yield from self._tool(call, self._columns(base, scope), called(encoder))

    def _encoder(self, node: Node, scope: Scope, depth: int = 0) -> tree.Call | None:
        value = resolved(node, scope)
        if isinstance(value, tree.Index):
            value = self._kept_in(value, scope) or value
        if isinstance(value, tree.Call):
            name = called(value)
            if name in lexicon()["encoders"]:
                return value
            if (
                name == "defaultdict"
                and value.arguments
                and called_name(value.arguments[0]) in lexicon()["encoders"]
            ):
                return tree.Call(value.span, value.arguments[0], ())
            if name in {"fit", "set_output"} and isinstance(value.function, tree.Field):
                return self._encoder(value.function.value, scope, depth + 1) if depth < FARTHEST else None
        return None

    def _kept_in(self, place: tree.Index, scope: Scope) -> Node | None:
        """What `encoders[column]` was given: by text, as nobody knows which column it is."""
        base = resolved(place.value, scope)
        if isinstance(base, tree.Call | tree.Comprehension) or (
            isinstance(base, tree.Collection) and base.items
        ):
            return base.element if isinstance(base, tree.Comprehension) else base
        wanted = self.reader.text(place)
        for assign, _ in self.scene.places(tree.Assign):
            if assign.value is not None and any(
                isinstance(target, tree.Index) and self.reader.text(target) == wanted
                for target in assign.targets
            ):
                return resolved(assign.value, scope)
        return None

    def _declared(self, call: tree.Call, name: str, scope: Scope) -> Iterator[Coding]:
        """`StringIndexer(inputCol="race")`, and an `OrdinalEncoder()` in a ColumnTransformer."""
        listed = [
            text
            for key in ("inputCol", "inputCols", "cols")
            if (given := argument(call, key)) is not None
            for text in texts(given, scope)
        ]
        yield from self._tool(call, self.reader.columns(listed, "df"), name)
        if listed:
            return
        for row in self._rows_of(call, scope):
            names = [text for item in row.items for text in texts(item.value, scope)]
            for read in self.reader.columns(names, "df"):
                yield Coding(
                    read, read.node, "encoder", tool=name, steps=((call, "the encoder"),), in_table=True
                )

    def _rows_of(self, call: tree.Call, scope: Scope) -> Iterator[tree.Collection]:
        """The entries of lists of transformers that hold an encoder, also by the name it was given."""
        names = [
            path.targets[0].id
            for path in self._assigns_around(call)
            if isinstance(path.targets[0], tree.Name)
        ]
        for row, _ in self.scene.places(tree.Collection):
            if row.kind != "tuple" or not 2 <= len(row.items) <= 3:
                continue
            if not any(called(outer).endswith("ransformer") for outer in nearest(self.scene.around(row))):
                continue
            held = inside(call, row) or any(
                isinstance(item.value, tree.Name) and item.value.id in names for item in row.items
            )
            if held:
                yield row
        del scope

    def _assigns_around(self, node: Node) -> Iterator[tree.Assign]:
        for outer in nearest(self.scene.around(node)):
            if isinstance(outer, tree.Assign):
                yield outer
                return

    def _ordered(self, call: tree.Call, name: str, scope: Scope) -> Iterator[Coding]:
        """`pd.Categorical(df["race"], categories=[...], ordered=True)`."""
        arguments = [argument_ for argument_ in call.arguments if isinstance(argument_, tree.Call)]
        for holder in (call, *arguments, *(resolved(one, scope) for one in call.arguments)):
            if name == "as_ordered" or (
                isinstance(holder, tree.Call) and _is_true(argument(holder, "ordered"))
            ):
                break
        else:
            return
        base = call.arguments[0] if name == "Categorical" and call.arguments else None
        if name != "Categorical" and isinstance(call.function, tree.Field):
            base = call.function.value
        if base is not None:
            yield from self._tool(call, self.reader.reads(base, scope), "an ordered Categorical")

    def _dummies(self, call: tree.Call, scope: Scope) -> Iterator[Coding]:
        """`pd.get_dummies(df, columns=["gender"], drop_first=True)`."""
        if not _is_true(argument(call, "drop_first")):
            return
        listed = argument(call, "columns", 1)
        reads = self.reader.columns(texts(listed, scope), "df") if listed is not None else []
        if not reads and call.arguments:
            reads = self.reader.reads(call.arguments[0], scope)
        for read in reads:
            yield Coding(read, call, "dummies", tool="get_dummies(drop_first=True)", in_table=True)


def _of_codes(field: tree.Field) -> Node:
    """The column in `column.astype("category").cat.codes` and in `pd.Categorical(column).codes`."""
    node = field.value
    if isinstance(node, tree.Field) and node.name == "cat":
        node = node.value
    if called(node) == "astype" and isinstance(node, tree.Call) and isinstance(node.function, tree.Field):
        node = node.function.value
    if called(node) == "Categorical" and isinstance(node, tree.Call) and node.arguments:
        node = node.arguments[0]
    return node


def _is_true(node: Node | None) -> bool:
    return isinstance(node, tree.Literal) and node.value is True
