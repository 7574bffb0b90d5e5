"""Answers in SQL: DuckDB reads the parts of a store, and can neither write nor look at anything else.

Each table is a view with the columns `run` and `date`. A run shows the rows of repositories that have not
changed since an earlier one, which has them. The view `latest_…` of each table is the latest finished run.
"""

# ruff: noqa: S608 (names are the tables' own, and texts are quoted)

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from fairlint.backends.extras import need
from fairlint.fleet.parts import EXTRA, are_columns_alike, part_folders
from fairlint.fleet.store import Store
from fairlint.fleet.tables import TABLES, Type
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

MEMORY = "2GB"
"""What DuckDB may take of memory where nobody says otherwise."""
_TYPES: dict[Type, str] = {"text": "VARCHAR", "texts": "VARCHAR[]", "whole": "BIGINT", "number": "DOUBLE"}
_READING = "SELECT"
"""The kind of statement that changes nothing; EXPLAIN ANALYZE runs what it explains."""
AT_ONCE = 10_000
"""Rows that are fetched at once."""


class Answers(Record):
    """The names of columns, and rows as they come."""

    columns: Sequence[str]
    rows: Iterator[tuple[Any, ...]]


@contextmanager
def open_views(store: Store, memory: str = MEMORY) -> Iterator[Any]:
    """Yield a connection of DuckDB to the views of a store."""
    duckdb = need("duckdb", EXTRA)
    settings = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    with duckdb.connect(":memory:", config=settings) as connection:
        folder = str(store.parts.resolve())
        try:
            connection.execute("SET memory_limit = ?", [memory])
        except duckdb.Error as error:
            raise UsageError(f"--memory {memory}: {_first_line(error)}") from None
        connection.execute("SET temp_directory = ''")
        connection.execute("SET allowed_directories = ?", [[folder]])
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        parts = part_folders(store.parts)
        for name in TABLES:
            is_alike = are_columns_alike(parts, name)
            connection.execute(_table_view(name, folder if parts else "", is_alike=is_alike))
        finished = [run.name for run in store.runs() if run.is_finished]
        latest = _quote(finished[-1] if finished else "")
        connection.execute(
            "CREATE VIEW runs AS SELECT * "
            f"FROM (VALUES {_run_values(store)}) AS t(run, date, finished, number) WHERE run IS NOT NULL"
        )
        for name in TABLES:
            connection.execute(f"CREATE VIEW latest_{name} AS SELECT * FROM {name} WHERE run = {latest}")
        yield connection


def ask_with_names(connection: Any, statement: str, values: Mapping[str, Any]) -> Answers:
    """As `ask`, with the values of names such as `$run`; those that do not occur are left out."""
    return ask(
        connection, statement, {name: value for name, value in values.items() if f"${name}" in statement}
    )


def ask(connection: Any, statement: str, values: Mapping[str, Any] | None = None) -> Answers:
    """Return the answers to one statement that reads; anything else, and what is wrong with it, is a
    UsageError.
    """
    duckdb = need("duckdb", EXTRA)
    try:
        found = connection.extract_statements(statement)
    except duckdb.Error as error:
        raise UsageError(f"the query cannot be read: {_first_line(error)}") from None
    if len(found) != 1 or found[0].type.name != _READING:
        raise UsageError("a query is one statement that reads: SELECT, DESCRIBE or SHOW")
    try:
        done = connection.execute(found[0], dict(values or {}))
        columns = [column[0] for column in done.description]
    except duckdb.Error as error:
        raise UsageError(f"the query fails: {_first_line(error)}") from None
    return Answers(columns, _fetch(duckdb, done))


def _fetch(duckdb: Any, done: Any) -> Iterator[tuple[Any, ...]]:
    try:
        while batch := done.fetchmany(AT_ONCE):
            yield from batch
    except duckdb.Error as error:
        raise UsageError(f"the query fails: {_first_line(error)}") from None


def _table_view(name: str, folder: str, *, is_alike: bool) -> str:
    """Return the statement that makes the view of a table. Where its columns are not the same in all parts,
    all of these are opened at once, which takes seconds where there are a thousand.
    """
    if not folder:
        columns = ", ".join(f'NULL::{_TYPES[one.type]} AS "{one.name}"' for one in TABLES[name])
        return f"CREATE VIEW {name} AS SELECT NULL::VARCHAR AS run, NULL::DATE AS date, {columns} WHERE false"
    pattern = _quote(f"{folder}/run=*/date=*/part-*/{name}.parquet")
    rows = (
        f"read_parquet({pattern}, hive_partitioning = true, hive_types = {{'run': VARCHAR, 'date': DATE}}, "
        f"union_by_name = {str(not is_alike).lower()})"
    )
    if name in {"repositories", "errors"}:
        return f"CREATE VIEW {name} AS SELECT run, date, * EXCLUDE (run, date) FROM {rows}"
    return (
        f"CREATE VIEW {name} AS SELECT r.run, r.date, t.* EXCLUDE (run, date) FROM {rows} t "
        "JOIN repositories r ON t.run = r.data_run AND t.repository = r.repository"
    )


def _run_values(store: Store) -> str:
    rows = [
        f"({_quote(run.name)}, DATE {_quote(run.date)}, {str(run.is_finished).lower()}, {number})"
        for number, run in enumerate(store.runs(), 1)
    ]
    return ", ".join(rows or ["(NULL::VARCHAR, NULL::DATE, NULL::BOOLEAN, NULL::INTEGER)"])


def _quote(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
