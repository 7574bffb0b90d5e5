"""Filled gaps: where code decides to which group those belong whose group is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.analyses.assumptions import column_types
from fairlint.analyses.assumptions.attribute_reads import Read, Reader
from fairlint.analyses.assumptions.defaults import (
    Assumed,
    chosen_if_missing,
    group_of_default,
    where_missing,
)
from fairlint.analyses.assumptions.missing_values import (
    asks_for_null,
    is_nothing,
    lexicon,
    missing_in,
    present_in,
)
from fairlint.semantics.tables.column_names import some_names
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import last_name
from fairlint.semantics.values.symbolic import Choice, Const, Table, Value
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.model import TABLE

FITS = frozenset({"learns", "prepares"})
"""What the `fit` and `transform` of an imputer do."""
FREQUENT = "the most frequent group"
CHANCE = "a group drawn by chance"
_WORD = lazy_expression(r"\w+")


def fillings(reader: Reader) -> Iterator[Assumed]:
    """Yield all places of one file that fill the gaps of a protected attribute."""
    for node in reader.syntax.places(tree.Call):
        for call in reader.calls(node):
            yield from (replace(one, call=call.node) for one in _imputations_of_call(call, reader))
    for assign in reader.syntax.places(tree.Assign):
        yield from _imputations_by_mask(assign, reader)
    for row in reader.syntax.places(tree.Collection):
        if row.kind == "tuple":
            yield from _imputations_in_pipeline(row, reader)
    for choice in reader.syntax.places(tree.Conditional):
        if _asks_for_null(choice.test, reader):
            for read, value in chosen_if_missing(choice, reader):
                yield from _with_value(read, value, choice, reader)
    yield from where_missing(reader)


# ------------------------------------------------------------------------------------------------- calls


def _imputations_of_call(call: Call, reader: Reader) -> Iterator[Assumed]:
    does = reader.does(call)
    if "fills gaps" in does and call.receiver is not None:
        yield from _imputations_by_fill(call, reader)
    elif "fills gaps" in does and len(call.arguments) >= 2:
        for read in _of_groups(reader.given_to(call, 0)):
            yield from _imputations_with_value(read, call.arguments[-1], call.node, reader)
    elif call.receiver is not None and last_name(call.node.function) == "replace":
        yield from _imputations_by_replace(call, reader)
    elif call.arguments and not FITS.isdisjoint(does):
        yield from _imputations_by_imputer(call, reader)
    if reader.chooses(call) and isinstance(call.value, Choice):
        yield from _imputations_by_choice(call, call.value, reader)


def _imputations_by_fill(call: Call, reader: Reader) -> Iterator[Assumed]:
    """`df["race"].fillna("White")`, `df.fillna({"race": "White"})`, `df.ffill()`."""
    words, node, known = lexicon(), call.node, reader.known(call, "fills gaps")
    value = call.argument("value", 0)
    way = call.argument("method", "strategy")
    by_neighbour = known is not None and known.entry.given.get("way") == "neighbour"
    if by_neighbour or _text_of_constant(way) in words["fill_neighbour"]:
        for read in _of_groups(reader.called_on(call, whole=True)):
            yield _build_imputation(read, node, "", "a neighbouring row's group")
        return
    if way is not None and _text_of_constant(way) in words["fill_frequent"]:
        value = way
    if value is None:
        return
    if isinstance(value, Table):
        for entry in reader.entries(value, node):
            for read in _columns_of_key(entry.key, entry.key_node, reader.receiver(node), reader):
                yield from _imputations_with_value(read, entry.value, entry.node, reader)
        return
    subset = call.argument("subset", 1)
    if subset is not None and (names := some_names(subset)):
        reads = _of_groups(reader.columns(names, node, reader.receiver(node)))
    else:
        is_frequent = _way_of_filling(value, reader) == FREQUENT
        chosen = column_types.chosen_for(node, reader) if is_frequent else ""
        if chosen == column_types.NUMBERS:
            return
        is_text = chosen == column_types.TEXTS
        reads = _of_groups(reader.called_on(call, whole=is_frequent, as_texts=is_text))
    for read in reads:
        yield from _imputations_with_value(read, value, node, reader)


def _text_of_constant(value: Value | None) -> str:
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else ""


def _imputations_by_replace(call: Call, reader: Reader) -> Iterator[Assumed]:
    """`df["race"].replace("?", "White")`, `df.replace({"race": {"?": "White"}})`."""
    reads = _of_groups(reader.called_on(call))
    match call.arguments:
        case (old, new):
            for read in reads:
                if is_nothing(old, read.mention.attribute, reader):
                    yield from _imputations_with_value(read, new, call.node, reader)
        case (Table() as table,):
            for entry in reader.entries(table, call.node):
                if isinstance(entry.value, Table):
                    for read in _columns_of_key(
                        entry.key, entry.key_node, reader.receiver(call.node), reader
                    ):
                        yield from _by_table([read], entry.value, call.node, reader)
            yield from _by_table(reads, table, call.node, reader)
        case _:
            pass


def _by_table(reads: Iterable[Read], table: Table, node: Node, reader: Reader) -> Iterator[Assumed]:
    for entry in reader.entries(table, node):
        for read in reads:
            if is_nothing(entry.key, read.mention.attribute, reader):
                yield from _imputations_with_value(read, entry.value, entry.node, reader)


def _imputations_by_choice(call: Call, choice: Choice, reader: Reader) -> Iterator[Assumed]:
    """`np.where(df["sex"].isna(), "M", df["sex"])`, `column.where(column.notna(), "M")`, polars' and Spark's
    `when(...).then(...).otherwise(...)`.
    """
    for find, value, kept in (
        (missing_in, choice.then, choice.otherwise),
        (present_in, choice.otherwise, choice.then),
    ):
        read = find(choice.test, reader)
        if read is not None and any(
            other.mention.attribute == read.mention.attribute for other in reader.reads_of(kept)
        ):
            yield from _imputations_with_value(read, value, call.node, reader)


def _imputations_by_mask(assign: tree.Assign, reader: Reader) -> Iterator[Assumed]:
    """`df.loc[df.race.isna(), "race"] = "White"`."""
    if len(assign.targets) != 1 or assign.value is None or not isinstance(assign.targets[0], tree.Index):
        return
    target = assign.targets[0]
    mask = target.index
    if isinstance(mask, tree.Collection):
        mask = mask.items[0].value if mask.items else mask
    if not any(missing_in(test, reader) is not None for test in reader.values(mask)):
        return
    for read in _of_groups(reader.columns_written(target)):
        yield from _with_value(read, assign.value, assign, reader)


# ------------------------------------------------------------------------------------------ imputers


def _imputations_by_imputer(call: Call, reader: Reader) -> Iterator[Assumed]:
    """`imputer.fit_transform(df[["race", "sex"]])`."""
    imputer, how = _find_imputer(call.receiver, reader)
    if imputer is None:
        return
    reads = _of_groups(reader.given_to(call, 0, whole=True))
    named = {read.mention.attribute for read in reads if not isinstance(read.node, tree.Call)}
    once = {read.mention.identifier: read for read in reads}
    for read in once.values():
        is_renamed = isinstance(read.node, tree.Call) and read.mention.attribute in named
        if not (is_renamed or _is_complete(read, reader)):
            yield from _filled_by(read, imputer, how, reader)


def _is_complete(read: Read, reader: Reader) -> bool:
    """Return whether a column was made of whole numbers, among which none can be missing: `.astype(int)`."""
    assign = reader.syntax.parent(read.node)
    if not (isinstance(assign, tree.Assign) and isinstance(assign.value, tree.Call)):
        return False
    kinds = [one.id for one in assign.value.arguments if isinstance(one, tree.Name)]
    return bool(kinds) and lexicon()["whole_types"].issuperset(kinds)


def _imputations_in_pipeline(row: tree.Collection, reader: Reader) -> Iterator[Assumed]:
    """`("cat", SimpleImputer(strategy="most_frequent"), ["race"])` in a list of transformers."""
    around = zip(reader.syntax.around(row), range(5), strict=False)
    if not 2 <= len(row.items) <= 3 or not any(
        isinstance(outer, tree.Call) and any("pipeline" in reader.does(one) for one in reader.calls(outer))
        for outer, _ in around
    ):
        return
    for place, item in enumerate(row.items):
        found = (_find_imputer(value, reader) for value in reader.values(item.value))
        imputer, how = next((one for one in found if one[0] is not None), (None, ""))
        if imputer is None:
            continue
        for other in (*row.items[place + 1 :], *row.items[:place]):
            for read in reader.columns(reader.names(other.value), other.value, TABLE):
                yield from _filled_by(read, imputer, how, reader)
        return


def _find_imputer(value: Value | None, reader: Reader) -> tuple[Call | None, str]:
    """Return the call that made the imputer which a value is or holds, and how it fills."""
    for call in reader.made_by(value, parts=True) if value is not None else ():
        known = reader.known(call, "imputes")
        if known is None:
            continue
        way = known.entry.given.get("way", "")
        if way == "neighbour":
            return call, "a group worked out from people who are alike"
        ways = {_text_of_constant(given) for given in call.keywords.values()}
        if not ways.isdisjoint(lexicon()["imputer_frequent"]):
            return call, "" if "constant" in ways else FREQUENT
        if way == "frequent" and "missing" not in ways:
            return call, FREQUENT
    return None, ""


def _filled_by(read: Read, imputer: Call, how: str, reader: Reader) -> Iterator[Assumed]:
    if not _has_groups(read):
        return
    group = ""
    if not how:
        given = imputer.keywords.get("fill_value")
        group = group_of_default(read, [given] if given is not None else [], reader)
    if how or group:
        step = (imputer.node, "gaps are filled by this")
        yield Assumed(read, read.node, group, how or group, None, True, (step,), imputer.node)


# -------------------------------------------------------------------------------------------- values


def _way_of_filling(value: Value, reader: Reader) -> str:
    """Return how a value that is no plain group fills a gap, empty where it says nothing of groups."""
    words, used = lexicon(), reader.words_of(value)
    if not used.isdisjoint(words["fill_frequent"]):
        return FREQUENT
    return "" if used.isdisjoint(words["fill_chance"]) else CHANCE


def _with_value(read: Read, value: Node, node: Node, reader: Reader) -> Iterator[Assumed]:
    for one in reader.values(value):
        yield from _imputations_with_value(read, one, node, reader)


def _imputations_with_value(read: Read, value: Value, node: Node, reader: Reader) -> Iterator[Assumed]:
    if not _has_groups(read):
        return
    if group := group_of_default(read, [value], reader):
        yield _build_imputation(read, node, group, group)
    elif how := _way_of_filling(value, reader):
        yield _build_imputation(read, node, "", how)


def _build_imputation(read: Read, node: Node, group: str, how: str) -> Assumed:
    return Assumed(read, node, group, how, read.node, True)


def _has_groups(read: Read) -> bool:
    return read.mention.form not in {"number", "date"}


def _of_groups(reads: Iterable[Read]) -> list[Read]:
    return list(filter(_has_groups, reads))


# ------------------------------------------------------------------------------------------- columns


def _columns_of_key(key: Value, node: Node, receiver: str, reader: Reader) -> list[Read]:
    """Return the columns that the key of a table names, where it stands."""
    return [read for name in some_names(key) for read in reader.named(str(name.value), node, receiver)]


def _asks_for_null(test: Node, reader: Reader) -> bool:
    """Return whether a test asks for the gaps of a table: `pd.isna(x)`."""
    calls = (reader.calls(part) for part in tree.walk(test) if isinstance(part, tree.Call))
    return any(asks_for_null(call, reader) for made in calls for call in made)
