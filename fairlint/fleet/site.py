"""A run as pages that open without a server: all repositories, one page or more a repository, and lists.

    index.html                     counts, and the way to everything
    repositories-1.html, …         all repositories, those with the most findings first
    repository/NAME-1.html, …      its findings, and what was not read
    owners-1.html, rules-1.html, attributes-1.html, …
    owner/                         the findings of one owner, as CODEOWNERS says
    rule/, attribute/              repositories with findings under one rule, about one attribute
    findings.csv                   all findings, for a spreadsheet

`site_pages.py` keeps each of them below a megabyte, however many repositories there are. The same rows
give the same pages to the byte: every order is a whole one.
"""

# ruff: noqa: S608 (statements are put together of what stands here)

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fairlint.fleet.answer_formats import csv_lines
from fairlint.fleet.outward import file_name, findings_table
from fairlint.fleet.query import ask_with_names
from fairlint.fleet.site_pages import Address, Cell, Columns, PageWriter, Table, table_of
from fairlint.reporters.page.words import name as plain_words
from fairlint.support import whole_files
from fairlint.support.errors import UsageError

TOP = 20
"""Rows of each list on the first page; the whole list has pages of its own."""
MARK = "findings.csv"
"""What shows that a folder holds such a site."""
NOBODY = "nobody"
"""What findings without an owner are listed under."""
_LISTS: Mapping[str, tuple[str, str, str]] = {
    "rule": ("rule", "rule || ' ' || name", "findings"),
    "attribute": ("attribute", "attribute", "findings"),
    "owner": (f"'{NOBODY}'", f"'{NOBODY}'", "(FROM findings WHERE len(owners) = 0)"),
}
"""What repositories are listed by → what that is and is called, and where the findings come from."""
_REPOSITORIES = """
    SELECT repository, status, files, findings, suppressed, not_read, commit
    FROM repositories WHERE run = $run
    ORDER BY findings DESC, not_read DESC, repository
"""
_SEVERITY = "CASE severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END"
_COLUMNS = "repository, severity, rule, name, path, line, cell, attributes, message, advice, owners"
_PLACE = 'path, line, "column", rule, identity, message'
_FINDINGS = f"SELECT {_COLUMNS} FROM findings WHERE run = $run ORDER BY repository, {_SEVERITY}, {_PLACE}"
_OWNED = f"""
    SELECT owner, {_COLUMNS} FROM (SELECT *, unnest(owners) AS owner FROM findings WHERE run = $run)
    ORDER BY owner, repository, {_PLACE}
"""
_COVERAGE = """
    SELECT repository, cause, kind, count(DISTINCT path) AS files, min(path) AS path, min(reason) AS reason
    FROM coverage WHERE run = $run GROUP BY repository, cause, kind
    ORDER BY repository, files DESC, cause, kind
"""
_UNREAD = """
    SELECT cause, kind, count(*) AS files, count(DISTINCT repository) AS repositories
    FROM (SELECT DISTINCT repository, cause, kind, path FROM coverage WHERE run = $run)
    GROUP BY ALL ORDER BY files DESC, cause, kind
"""
_COUNTS = """
    SELECT count(*) AS repositories, count(*) FILTER (findings > 0) AS "with findings",
           coalesce(sum(findings), 0)::BIGINT AS findings, coalesce(sum(files), 0)::BIGINT AS files,
           coalesce(sum(not_read), 0)::BIGINT AS "places not read"
    FROM repositories WHERE run = $run
"""
_ERRORS = "SELECT repository, cause, reason FROM errors WHERE run = $run ORDER BY cause, repository, reason"
_OVERVIEW = ("Overview", "index.html")
_BACK = ("Overview", "../index.html")
_REPOSITORY_COLUMNS: Columns = (
    ("repository", ""), ("status", ""), ("files", "n"), ("findings", "n"), ("suppressed", "n"),
    ("not read", "n"), ("commit", ""),
)  # fmt: skip
_FINDING_COLUMNS: Columns = (
    ("severity", ""), ("rule", ""), ("place", ""), ("attribute", ""), ("what", "prose"), ("owners", ""),
)  # fmt: skip


class Site:
    """Writes the pages of one run into a folder."""

    def __init__(self, connection: Any, run: str, folder: Path) -> None:
        self._connection = connection
        self._run = run
        self._folder = folder
        self._writer = PageWriter(folder, run)
        self._linked: dict[str, str] = {}

    @property
    def pages(self) -> int:
        """Return how many pages were written."""
        return self._writer.pages

    def write(self) -> None:
        """Write everything."""
        self._write_repository_pages()
        address = Address(".", "repositories", "Repositories", (_OVERVIEW,))
        self._writer.write_paged(address, self._repository_rows(), _REPOSITORY_COLUMNS)
        errors = self._write_errors()
        lists = {
            "owner": self._write_owners(),
            "rule": self._write_lists("rule"),
            "attribute": self._write_lists("attribute"),
        }
        self._write_index([self._write_top(by, rows) for by, rows in lists.items()], errors)
        lines = csv_lines(findings_table(self._connection, self._run))
        whole_files.write(self._folder / MARK, (line.encode("utf-8", "backslashreplace") for line in lines))

    def _write_errors(self) -> int:
        """Write which repositories were not checked; how many."""
        names = ("repository", "cause", "reason")
        rows = [[Cell(row[name]) for name in names] for row in self._rows(_ERRORS)]
        if rows:
            address = Address(".", "errors", "Not checked", (_OVERVIEW,))
            self._writer.write_paged(address, rows, [(name, "") for name in names])
        return len(rows)

    def _write_index(self, lists: Sequence[Table], errors: int) -> None:
        (counts,) = self._rows(_COUNTS)
        tiles = [(name, f"{count:,}") for name, count in {**counts, "not checked": errors}.items()]
        ways = [Cell("All repositories", "repositories-1.html"), Cell("All findings as a table (CSV)", MARK)]
        if errors:
            ways.append(Cell("Repositories that were not checked", "errors-1.html"))
        unread = [
            [
                Cell(row["cause"]),
                Cell(row["kind"]),
                Cell(f"{row['files']:,}"),
                Cell(f"{row['repositories']:,}"),
            ]
            for row in self._rows(_UNREAD)
        ]
        columns = (("cause", ""), ("kind", ""), ("files", "n"), ("repositories", "n"))
        findings, affected = counts["findings"], counts["with findings"]
        noun = "finding" if findings == 1 else "findings"
        lead = f"{findings:,} {noun} in {affected:,} of {counts['repositories']:,} repositories."
        self._writer.write_page(
            Address(".", "index", "Fairness findings"), "index.html",
            [*lists, table_of("What was not read", columns, unread)], tiles=tiles, lead=lead, ways=ways,
        )  # fmt: skip

    def _repository_rows(self) -> Iterator[list[Cell]]:
        for row in self._rows(_REPOSITORIES):
            yield [
                self._repository_cell(row["repository"], ""), Cell(row["status"]),
                *(Cell(f"{row[key]:,}") for key in ("files", "findings", "suppressed", "not_read")),
                Cell(row["commit"].removeprefix("sha256:")[: len("0123456789ab")]),
            ]  # fmt: skip

    def _repository_cell(self, name: str, up: str = "../", only: str = "") -> Cell:
        """Return a cell that leads to the page of a repository where it has one, and there to some rows."""
        if name not in self._linked:
            return Cell(name)
        words = f"#only={quote(only)}" if only else ""
        return Cell(name, f"{up}repository/{self._linked[name]}{words}")

    def _write_repository_pages(self) -> None:
        """Write the pages of repositories with findings or gaps."""
        rows = heapq.merge(
            ((row["repository"], 0, row) for row in self._rows(_FINDINGS)),
            ((row["repository"], 1, row) for row in self._rows(_COVERAGE)),
            key=itemgetter(0),
        )
        for name, group in groupby(rows, key=itemgetter(0)):
            both: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
            for _, which, row in group:
                both[which].append(row)
            self._linked[name] = self._write_repository(name, *both)

    def _write_repository(self, name: str, rows: list[dict[str, Any]], gaps: list[dict[str, Any]]) -> str:
        columns = (("cause", ""), ("kind", ""), ("files", "n"), ("for example", ""), ("why", ""))
        unread = [
            [Cell(gap["cause"]), Cell(gap["kind"]), Cell(f"{gap['files']:,}"), Cell(gap["path"]),
             Cell(gap["reason"])]
            for gap in gaps
        ]  # fmt: skip
        more = [table_of("Not read", columns, unread)] if unread else []
        address = Address(
            "repository", file_name(name, ""), name, (_BACK, ("Repositories", "../repositories-1.html"))
        )
        return self._writer.write_paged(address, map(_finding_cells, rows), _FINDING_COLUMNS, more)

    def _write_owners(self) -> list[list[Cell]]:
        """Write the findings of each owner, and those of nobody; the rows that lead there, the most first."""
        columns = (("repository", ""), *_FINDING_COLUMNS)
        rows = self._write_lists("owner")
        for owner, group in groupby(self._rows(_OWNED), key=itemgetter("owner")):
            tally = _Tally()
            cells = (
                [self._repository_cell(row["repository"]), *_finding_cells(row)] for row in tally.of(group)
            )
            address = Address("owner", file_name(owner, ""), f"Owner {owner}", (_BACK,))
            rows.append(tally.row(Cell(owner, f"owner/{self._writer.write_paged(address, cells, columns)}")))
        return sorted(rows, key=_by_findings)

    def _write_lists(self, by: str) -> list[list[Cell]]:
        """Write the repositories with findings of each kind; the rows that lead there, the most first."""
        one, title, source = _LISTS[by]
        statement = f"""
            SELECT {one} AS one, min({title}) AS title, repository, count(*) AS findings,
                   count(*) FILTER (severity = 'error') AS errors, count(DISTINCT path) AS files,
                   min(struct_pack(rank := {_SEVERITY}, path := path, line := line, cell := cell,
                                   message := message)) AS example
            FROM {source} WHERE run = $run GROUP BY ALL ORDER BY one, findings DESC, repository
        """
        columns = (
            ("repository", ""), ("findings", "n"), ("errors", "n"), ("files", "n"), ("for example", ""),
            ("what", "prose"),
        )  # fmt: skip
        rows = []
        for name, group in groupby(self._rows(statement), key=itemgetter("one")):
            first = next(group)
            called = plain_words(first["title"]) if by == "attribute" else first["title"]
            only = name if by == "rule" else called
            tally = _Tally()
            cells = (self._counted_cells(row, only) for row in tally.of(chain([first], group)))
            address = Address(by, file_name(name, ""), f"{by.capitalize()} {called}", (_BACK,))
            rows.append(tally.row(Cell(called, f"{by}/{self._writer.write_paged(address, cells, columns)}")))
        return sorted(rows, key=_by_findings)

    def _counted_cells(self, row: Mapping[str, Any], only: str) -> list[Cell]:
        example = row["example"]
        numbers = (Cell(f"{row[name]:,}") for name in ("findings", "errors", "files"))
        name = self._repository_cell(row["repository"], only=only)
        return [name, *numbers, Cell(_place(example)), Cell(example["message"])]

    def _write_top(self, by: str, rows: Sequence[list[Cell]]) -> Table:
        """Write the whole of a list where it is long, and return its top."""
        columns = ((by, ""), ("findings", "n"), ("repositories", "n"))
        more = None
        if len(rows) > TOP:
            plural = f"{by}s"
            address = Address(".", plural, plural.capitalize(), (_OVERVIEW,))
            link = self._writer.write_paged(address, rows, columns)
            more = Cell(f"All {len(rows):,} {plural}", link)
        return table_of(f"By {by}", columns, rows[:TOP], more)

    def _rows(self, statement: str) -> Iterator[dict[str, Any]]:
        answers = ask_with_names(self._connection.cursor(), statement, {"run": self._run})
        return (dict(zip(answers.columns, row, strict=True)) for row in answers.rows)


def write_site(connection: Any, run: str, output: Path) -> int:
    """Write the site of a run to a new or empty folder, or in the place of an earlier site.

    The result is how many pages it has.
    """
    if (
        output.is_dir()
        and (names := {path.name for path in output.iterdir()})
        and not {MARK, "index.html"} <= names
    ):
        raise UsageError(f"{output}: holds something else than a site: name a new or empty folder")
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output}: is no folder")
    try:
        output.absolute().parent.mkdir(parents=True, exist_ok=True)
        with whole_files.folder_for(output) as made:
            site = Site(connection, run, Path(made))
            site.write()
    except OSError as error:
        raise UsageError(f"{output}: cannot be written: {error.strerror or error}") from None
    return site.pages


class _Tally:
    """Counts findings and their repositories, which come one after the other, while they pass."""

    def __init__(self) -> None:
        self._findings = self._repositories = 0

    def of(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Yield the rows."""
        before = None
        for row in rows:
            self._findings += row.get("findings", 1)
            self._repositories += row["repository"] != before
            before = row["repository"]
            yield row

    def row(self, name: Cell) -> list[Cell]:
        """Return a row of a list: what was counted, and how often."""
        return [name, Cell(f"{self._findings:,}"), Cell(f"{self._repositories:,}")]


def _by_findings(row: Sequence[Cell]) -> tuple[int, str]:
    return -int(row[1].text.replace(",", "")), row[0].text


def _place(row: Mapping[str, Any]) -> str:
    return f"{row['path']}:{row['line']}" + (f" (cell {row['cell']})" if row["cell"] else "")


def _finding_cells(row: Mapping[str, Any]) -> list[Cell]:
    return [
        Cell(row["severity"]), Cell(f"{row['rule']} {row['name']}"), Cell(_place(row)),
        Cell(", ".join(map(plain_words, row["attributes"]))), Cell(f"{row['message']}. {row['advice']}"),
        Cell(", ".join(row["owners"]) or NOBODY),
    ]  # fmt: skip
