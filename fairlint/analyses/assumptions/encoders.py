"""Encoders: library calls that number the values of a column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.analyses.assumptions.attribute_reads import Read, Reader
from fairlint.analyses.assumptions.imputation import FITS
from fairlint.analyses.assumptions.ordinal_encodings import Coding, nearest
from fairlint.semantics.tables.column_names import some_names
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import last_name
from fairlint.semantics.values.symbolic import Const, Opaque, Table, Value
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside
from fairlint.vocabulary.model import TABLE


def encoders(reader: Reader) -> Iterator[Coding]:
    """Yield all columns of one file that an encoder numbers."""
    for node in reader.syntax.places(tree.Call):
        for call in reader.calls(node):
            yield from (replace(one, call=one.call or call.node) for one in _codings_of_call(call, reader))
    for row in reader.syntax.places(tree.Collection):
        if row.kind == "tuple" and 2 <= len(row.items) <= 3:
            yield from _codings_of_transformer(row, reader)
    for field in reader.syntax.places(tree.Field):
        if field.name == "codes":
            reads = reader.reads(field) or reader.known_columns(field.value)
            yield from _codings_by_tool(field, reads, ".cat.codes")


def _codings_of_call(call: Call, reader: Reader) -> Iterator[Coding]:
    node, does = call.node, reader.does(call)
    name = last_name(node.function)
    if "numbers" in does and name[:1].isupper():
        given = [call.keywords[key] for key in ("inputCol", "inputCols", "cols") if key in call.keywords]
        names = [one for value in given for one in some_names(value)]
        yield from _codings_by_tool(node, reader.columns(names, node, TABLE), name)
    elif "numbers" in does and call.arguments:
        yield from _codings_by_tool(node, reader.given_to(call, 0), name)
    elif "numbers" in does:
        yield from _codings_by_tool(node, reader.called_on(call), f".{name}()")
    elif call.receiver is not None and name == "apply" and len(node.arguments) == 1:
        yield from _codings_by_apply(call, node.arguments[0], reader)
    elif call.receiver is not None and call.arguments and not FITS.isdisjoint(does):
        yield from _codings_by_encoder(call, reader)
    if name in {"Categorical", "astype", "set_categories", "reorder_categories", "as_ordered"}:
        yield from _ordered_categories(call, name, reader)
    elif "encodes" in does:
        yield from _dummy_codings(call, reader)


def _codings_by_tool(
    node: Node, reads: Iterable[Read], tool: str, *steps: tuple[Node, str]
) -> Iterator[Coding]:
    for read in reads:
        yield Coding(read, node, "encoder", tool=tool, steps=steps, in_table=True)


def _codings_by_encoder(call: Call, reader: Reader) -> Iterator[Coding]:
    """`LabelEncoder().fit_transform(df["race"])`."""
    encoder = _find_encoder(call.receiver, reader)
    if encoder is not None:
        step = () if inside(encoder.node, call.node) else ((encoder.node, "the encoder"),)
        yield from _codings_by_tool(
            call.node, reader.given_to(call, 0, whole=True), _encoder_name(encoder), *step
        )


def _codings_by_apply(call: Call, function: Node, reader: Reader) -> Iterator[Coding]:
    """`df[cols].apply(LabelEncoder().fit_transform)`."""
    if isinstance(function, tree.Field):
        for value in reader.values(function.value):
            encoder = _find_encoder(value, reader)
            if encoder is not None:
                yield from _codings_by_tool(
                    call.node, reader.called_on(call, whole=True), _encoder_name(encoder)
                )


def _codings_of_transformer(row: tree.Collection, reader: Reader) -> Iterator[Coding]:
    """`("words", OrdinalEncoder(), ["race"])` in a list of transformers."""
    around = nearest(reader.syntax.around(row))
    outer = (call for one in around if isinstance(one, tree.Call) for call in reader.calls(one))
    if not any("pipeline" in reader.does(call) for call in outer):
        return
    values = [value for item in row.items for value in reader.values(item.value)]
    for encoder in (
        call for value in values for call in reader.made_by(value, parts=True) if _is_encoder(call, reader)
    ):
        for item in row.items:
            for read in reader.columns(reader.names(item.value), item.value, TABLE):
                yield from _codings_by_tool(
                    read.node, [read], _encoder_name(encoder), (encoder.node, "the encoder")
                )


# ------------------------------------------------------------------------------------------ which encoder


def _encoder_name(encoder: Call) -> str:
    """Return the name of an encoder's class; `defaultdict(LabelEncoder)` makes such, too."""
    name = last_name(encoder.node.function)
    return _class_name(encoder.arguments[0]) if name == "defaultdict" else name


def _class_name(value: Value) -> str:
    return value.key.rpartition(".")[2] if isinstance(value, Opaque) else ""


def _is_encoder(call: Call, reader: Reader) -> bool:
    if last_name(call.node.function) == "defaultdict":
        return any(reader.makes_numbers(value) for value in call.arguments[:1])
    return "numbers" in reader.does(call)


def _find_encoder(value: Value | None, reader: Reader) -> Call | None:
    """Return the call that made the encoder which a value is, or that stands at this place of a table."""
    if value is None:
        return None
    known = [*reader.made_by(value, parts=False)]
    place = reader.facts.place_of(value)
    if isinstance(place, tree.Index):
        kept = [*reader.given_at(reader.text(place)), *_values_at_index(place, reader)]
        known += [call for one in kept for call in reader.made_by(one, parts=False)]
    return next((call for call in known if _is_encoder(call, reader)), None)


def _values_at_index(place: tree.Index, reader: Reader) -> Iterator[Value]:
    """Yield what `encoders[column]` may be, whichever column it is."""
    for base in reader.values(place.value):
        yield base
        if isinstance(base, Table):
            yield from (held for _, held in base.entries)
        made = reader.facts.place_of(base)
        if isinstance(made, tree.Comprehension):
            yield from reader.values(made.element)


# ------------------------------------------------------------------------------------------ the rest


def _ordered_categories(call: Call, name: str, reader: Reader) -> Iterator[Coding]:
    """`pd.Categorical(df["race"], categories=[...], ordered=True)`."""
    given = (reader.facts.call_giving(value) for value in call.arguments)
    if name != "as_ordered" and not any(
        one is not None and _is_true(one.keywords.get("ordered")) for one in (call, *given)
    ):
        return
    reads = reader.given_to(call, 0) if name == "Categorical" else reader.called_on(call)
    yield from _codings_by_tool(call.node, reads, "an ordered Categorical")


def _dummy_codings(call: Call, reader: Reader) -> Iterator[Coding]:
    """`pd.get_dummies(df, columns=["gender"], drop_first=True)`."""
    if not _is_true(call.keywords.get("drop_first")):
        return
    listed = call.argument("columns", 1)
    reads = [] if listed is None else reader.columns(some_names(listed), call.node, TABLE)
    for read in reads or reader.given_to(call, 0):
        yield Coding(read, call.node, "dummies", tool="get_dummies(drop_first=True)", in_table=True)


def _is_true(value: Value | None) -> bool:
    return isinstance(value, Const) and value.value is True
