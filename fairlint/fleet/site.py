"""A run as pages that open without a server: all repositories, one page or more a repository, and lists.

    index.html                    counts, and the way to everything
    repositories-1.html, …        all repositories, those with the most findings first
    repository/NAME.html, …       its findings, and what was not read
    owner/, rule/, attribute/     the findings of one owner, under one rule, about one attribute
    findings.csv                  all findings, for a spreadsheet

A page holds so many rows that it stays well below a megabyte, however many repositories there are.
"""

# ruff: noqa: S608 (statements are put together of what stands here)

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from fairlint.fleet.answer_formats import csv_lines
from fairlint.fleet.outward import file_name, findings_table
from fairlint.fleet.query import ask_with_names
from fairlint.rendering import html
from fairlint.reporters.page.words import name as plain_words
from fairlint.support import whole_files
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

ROWS = 500
"""Rows of a page."""
MARK = "findings.csv"
"""What shows that a folder holds such a site."""
_PACKAGE = "fairlint.fleet"
_LISTS: Mapping[str, str] = {
    "owner": "(SELECT *, unnest(if(len(owners) = 0, ['nobody'], owners)) AS owner FROM findings)",
    "rule": "findings",
    "attribute": "findings",
}
"""What findings are listed by → where they come from."""
_TITLES = {"rule": "rule || ' ' || findings.name"}
"""What findings are listed by → how that is called, where it is not as in the table."""
_REPOSITORIES = """
    SELECT repository, status, files, findings, suppressed, not_read, commit
    FROM repositories WHERE run = $run
    ORDER BY findings DESC, not_read DESC, repository
"""
_FINDINGS = """
    SELECT * EXCLUDE (run, date) FROM findings WHERE run = $run
    ORDER BY repository, CASE severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, path, line
"""
_COVERAGE = """
    SELECT repository, cause, kind, count(DISTINCT path) AS files, min(path) AS path,
           any_value(reason) AS reason
    FROM coverage WHERE run = $run GROUP BY repository, cause, kind
    ORDER BY repository, files DESC, cause, kind
"""
_ERRORS = "SELECT repository, cause, reason FROM errors WHERE run = $run ORDER BY cause, repository"
_FINDING_COLUMNS = (
    ("severity", ""), ("rule", ""), ("place", ""), ("attribute", ""), ("what", "prose"), ("owners", ""),
)  # fmt: skip


class Cell(Record):
    """One cell of a table, with an address where it leads somewhere."""

    text: str
    link: str = ""


class Table(Record):
    """One table: its columns, each with a class, and its rows."""

    heading: str
    columns: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[Cell]]


class Address(Record):
    """Where pages of one kind stand, what they are called, and the way back from them."""

    below: str
    stem: str
    title: str
    crumbs: tuple[tuple[str, str], ...] = ()


class Site:
    """Writes the pages of one run into a folder."""

    def __init__(self, connection: Any, run: str, folder: Path) -> None:
        self._connection = connection
        self._run = run
        self._folder = folder
        self.pages = 0

    def write(self) -> None:
        """Write everything."""
        linked = self._write_repository_pages()
        repositories = self._rows(_REPOSITORIES)
        lists = {name: self._write_lists(name, source) for name, source in _LISTS.items()}
        back = (("Overview", "index.html"),)
        names = self._write_paged(
            Address(".", "repositories", "Repositories", back), self._repository_rows(linked),
            (("repository", ""), ("status", ""), ("files", "n"), ("findings", "n"), ("suppressed", "n"),
             ("not read", "n"), ("commit", "")),
        )  # fmt: skip
        errors = [
            [Cell(row["repository"]), Cell(row["cause"]), Cell(row["reason"])] for row in self._rows(_ERRORS)
        ]
        if errors:
            columns = (("repository", ""), ("cause", ""), ("reason", ""))
            self._write_paged(Address(".", "errors", "Not checked", back), iter(errors), columns)
        self._write_index(list(repositories), lists, names[0], len(errors))
        lines = csv_lines(findings_table(self._connection, self._run))
        whole_files.write(self._folder / MARK, (line.encode("utf-8", "backslashreplace") for line in lines))

    def _write_index(
        self, repositories: list[dict[str, Any]], lists: Mapping[str, Table], first: str, errors: int
    ) -> None:
        findings = sum(row["findings"] for row in repositories)
        affected = sum(bool(row["findings"]) for row in repositories)
        tiles = [
            ("repositories", f"{len(repositories):,}"), ("with findings", f"{affected:,}"),
            ("findings", f"{findings:,}"), ("files", f"{sum(row['files'] for row in repositories):,}"),
            ("places not read", f"{sum(row['not_read'] for row in repositories):,}"),
            ("not checked", f"{errors:,}"),
        ]  # fmt: skip
        ways = [[Cell("All repositories", first)], [Cell("All findings as a table (CSV)", MARK)]]
        if errors:
            ways.append([Cell("Repositories that were not checked", "errors-1.html")])
        unread = [
            [
                Cell(row["cause"]),
                Cell(row["kind"]),
                Cell(f"{row['files']:,}"),
                Cell(f"{row['repositories']:,}"),
            ]
            for row in self._rows(
                "SELECT cause, kind, count(DISTINCT repository || chr(0) || path) AS files, "
                "count(DISTINCT repository) AS repositories FROM coverage WHERE run = $run GROUP BY ALL "
                f"ORDER BY files DESC, cause, kind LIMIT {ROWS}"
            )
        ]
        columns = (("cause", ""), ("kind", ""), ("files", "n"), ("repositories", "n"))
        tables = [Table("", (("", ""),), ways), *lists.values(), Table("What was not read", columns, unread)]
        noun = "finding" if findings == 1 else "findings"
        lead = f"{findings:,} {noun} in {affected:,} of {len(repositories):,} repositories."
        self._write_page(
            Address(".", "index", "Fairness findings"), "index.html", tables, tiles=tiles, lead=lead
        )

    def _repository_rows(self, linked: Mapping[str, str]) -> Iterator[list[Cell]]:
        for row in self._rows(_REPOSITORIES):
            name = row["repository"]
            yield [
                Cell(name, f"repository/{linked[name]}" if name in linked else ""), Cell(row["status"]),
                *(Cell(f"{row[key]:,}") for key in ("files", "findings", "suppressed", "not_read")),
                Cell(row["commit"].removeprefix("sha256:")[: len("0123456789ab")]),
            ]  # fmt: skip

    def _write_repository_pages(self) -> dict[str, str]:
        """Return the pages of repositories with findings or gaps: repository → its first page."""
        coverage = _by_repository(self._rows(_COVERAGE))
        pending = next(coverage, None)
        linked: dict[str, str] = {}
        for name, rows in _by_repository(self._rows(_FINDINGS)):
            while pending is not None and pending[0] < name:
                linked[pending[0]] = self._write_repository(pending[0], [], pending[1])
                pending = next(coverage, None)
            gaps = []
            if pending is not None and pending[0] == name:
                gaps, pending = pending[1], next(coverage, None)
            linked[name] = self._write_repository(name, rows, gaps)
        while pending is not None:
            linked[pending[0]] = self._write_repository(pending[0], [], pending[1])
            pending = next(coverage, None)
        return linked

    def _write_repository(self, name: str, rows: list[dict[str, Any]], gaps: list[dict[str, Any]]) -> str:
        cells = (_finding_cells(row) for row in rows)
        columns = (("cause", ""), ("kind", ""), ("files", "n"), ("for example", ""), ("why", ""))
        unread = [
            [Cell(gap[key]) for key in ("cause", "kind")]
            + [Cell(f"{gap['files']:,}"), Cell(gap["path"]), Cell(gap["reason"])]
            for gap in gaps
        ]
        more = [Table("Not read", columns, unread)] if unread else []
        back = (("Overview", "../index.html"), ("Repositories", "../repositories-1.html"))
        address = Address("repository", file_name(name, ""), name, back)
        return self._write_paged(address, cells, _FINDING_COLUMNS, more)[0]

    def _write_lists(self, by: str, source: str) -> Table:
        """Return the lists of findings by something, and the table that leads there."""
        found = list(self._rows(
            f"SELECT {by} AS name, any_value({_TITLES.get(by, by)}) AS title, count(*) AS findings, "
            "count(DISTINCT repository) AS repositories "
            f"FROM {source} WHERE run = $run GROUP BY ALL ORDER BY findings DESC, name"
        ))  # fmt: skip
        rows = []
        for one in found[:ROWS]:
            statement = (
                f"SELECT * FROM {source} WHERE run = $run AND {by} = $name ORDER BY repository, path, line"
            )
            values = {"run": self._run, "name": one["name"]}
            answers = ask_with_names(self._connection.cursor(), statement, values)
            listed = (dict(zip(answers.columns, row, strict=True)) for row in answers.rows)
            cells = ([Cell(row["repository"]), *_finding_cells(row)] for row in listed)
            title = plain_words(one["title"]) if by == "attribute" else one["title"]
            back = (("Overview", "../index.html"),)
            address = Address(by, file_name(one["name"], ""), f"{by.capitalize()} {title}", back)
            names = self._write_paged(address, cells, (("repository", ""), *_FINDING_COLUMNS))
            numbers = [Cell(f"{one['findings']:,}"), Cell(f"{one['repositories']:,}")]
            rows.append([Cell(title, f"{by}/{names[0]}"), *numbers])
        columns = ((by, ""), ("findings", "n"), ("repositories", "n"))
        return Table(f"By {by}", columns, rows)

    def _write_paged(
        self,
        address: Address,
        rows: Iterator[list[Cell]],
        columns: Sequence[tuple[str, str]],
        more: Sequence[Table] = (),
    ) -> list[str]:
        """Write a table on as many pages as it needs; the names of these."""
        parts = []
        while part := list(islice(rows, ROWS)):
            parts.append(part)
        parts = parts or [[]]
        names = [f"{address.stem}-{number}.html" for number in range(1, len(parts) + 1)]
        for number, (name, part) in enumerate(zip(names, parts, strict=True), 1):
            tables = [Table("", columns, part), *(more if number == len(parts) else ())]
            self._write_page(address, name, tables, pages=names, page=number)
        return names

    def _write_page(self, address: Address, name: str, tables: Sequence[Table], **more: Any) -> None:
        values = {
            "pages": [],
            "page": 1,
            "tiles": [],
            "lead": "",
            "has_filter": bool(more.get("page")),
            **more,
        }
        text = _template().render(
            title=address.title, crumbs=address.crumbs, tables=tables, run=self._run,
            style=html.style(_PACKAGE), script=html.read_shipped_file(_PACKAGE, "filter.js"), places=False,
            **values,
        )  # fmt: skip
        folder = self._folder / address.below
        folder.mkdir(exist_ok=True)
        whole_files.write_into(str(folder), name, text.encode("utf-8", "backslashreplace"))
        self.pages += 1

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


def _finding_cells(row: Mapping[str, Any]) -> list[Cell]:
    place = f"{row['path']}:{row['line']}" + (f" (cell {row['cell']})" if row["cell"] else "")
    return [
        Cell(row["severity"]), Cell(f"{row['rule']} {row['name']}"), Cell(place),
        Cell(", ".join(map(plain_words, row["attributes"]))), Cell(f"{row['message']}. {row['advice']}"),
        Cell(", ".join(row["owners"]) or "nobody"),
    ]  # fmt: skip


def _by_repository(rows: Iterator[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    name, group = "", list[dict[str, Any]]()
    for row in rows:
        if group and row["repository"] != name:
            yield name, group
            group = []
        name = row["repository"]
        group.append(row)
    if group:
        yield name, group


@cache
def _template() -> Any:
    return html.environment(_PACKAGE, {"breakable": html.breakable, "prose": html.prose}).get_template(
        "page.html"
    )
