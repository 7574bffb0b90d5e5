"""Pages of a site: a table on as many pages as it takes, none of them large, and its rows beside them.

    rule/FL201-1.html, rule/FL201-2.html, …   the table, with the way to its other pages
    rule/FL201-1.js, rule/FL201-2.js, …       the same rows for the filter, which looks through all pages

A page is full after so many rows or bytes, and a very long text is cut, so no page grows with the number of
repositories.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from fairlint.rendering import html
from fairlint.support import whole_files
from fairlint.support.records import Record

ROWS = 500
"""Rows of a page."""
BYTES = 500_000
"""Bytes of rows after which a page is full."""
LONGEST_TEXT = 2_000
"""Characters of a cell or a title; what is longer ends in an ellipsis, and `findings.csv` has it all."""
AROUND = 2
"""Pages before and behind one that it leads to, besides the first and the last."""
IN_MEMORY = 16_000_000
"""Bytes of pages that wait for the last one before they go to a temporary file."""
REMEMBERED = 20_000
"""Short texts whose markup is remembered, for most are there again in the next row."""
_PACKAGE = "fairlint.fleet"
_SCRIPT = "filter.js"

Columns = Sequence[tuple[str, str]]
"""Names of columns, each with a class: `n` for numbers, `prose` for sentences."""


class Cell(Record):
    """One cell of a table, with an address where it leads somewhere."""

    text: str
    link: str = ""


class Table(Record):
    """One table: its columns, its rows as markup, and where there is more of it."""

    heading: str
    columns: Columns
    rows: str
    more: Cell | None = None


class Address(Record):
    """Where pages of one kind stand, what they are called, and the way back from them."""

    below: str
    stem: str
    title: str
    crumbs: tuple[tuple[str, str], ...] = ()


class PageWriter:
    """Writes the pages of one run into a folder, and counts them."""

    def __init__(self, folder: Path, run: str) -> None:
        self._folder = folder
        self._run = run
        self.pages = 0

    def write_paged(
        self, address: Address, rows: Iterable[Sequence[Cell]], columns: Columns, more: Sequence[Table] = ()
    ) -> str:
        """Write a table on as many pages as it takes, and more tables on the last; the name of the first."""
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as waiting:
            sizes = [
                waiting.write("".join(page).encode()) for page in _pages_of_rows(_row_markups(rows, columns))
            ]
            waiting.seek(0)
            count = len(sizes) or 1
            for number in range(1, count + 1):
                listed = waiting.read(sizes[number - 1]).decode() if sizes else ""
                tables = [Table("", columns, listed), *(more if number == count else ())]
                name = f"{address.stem}-{number}"
                self.write_page(
                    address,
                    f"{name}.html",
                    tables,
                    page=number,
                    pages=count,
                    turns=list(_turns(number, count)),
                )
                if count > 1:
                    self._write(address, f"{name}.js", _script_of_rows(number, listed))
        return f"{address.stem}-1.html"

    def write_page(self, address: Address, name: str, tables: Sequence[Table], **more: Any) -> None:
        """Write one page."""
        values = {"page": 0, "pages": 0, "turns": (), "tiles": (), "lead": "", "ways": (), **more}
        text = _template().render(
            title=_shortened(address.title), crumbs=address.crumbs, tables=tables, run=self._run,
            stem=address.stem, style=html.style(_PACKAGE), script=html.read_shipped_file(_PACKAGE, _SCRIPT),
            places=False, loads=values["pages"] > 1, **values,
        )  # fmt: skip
        self._write(address, name, text.encode("utf-8", "backslashreplace"))
        self.pages += 1

    def _write(self, address: Address, name: str, data: bytes) -> None:
        folder = self._folder / address.below
        folder.mkdir(exist_ok=True)
        whole_files.write_into(str(folder), name, data)


def table_of(
    heading: str, columns: Columns, rows: Iterable[Sequence[Cell]], more: Cell | None = None
) -> Table:
    """Return a table that stands on a page beside others."""
    return Table(heading, columns, "".join(_row_markups(rows, columns)), more)


def _script_of_rows(number: int, rows: str) -> bytes:
    """Return what gives the filter the rows of a page. A row ends where a line does, and nowhere else."""
    data = json.dumps(rows.removesuffix("\n").split("\n"), ensure_ascii=False)
    return f"fairlintRows({number}, {data});\n".encode()


def _pages_of_rows(rows: Iterable[str]) -> Iterator[list[str]]:
    """Yield the rows of each page."""
    page, size = list[str](), 0
    for row in rows:
        page.append(row)
        size += len(row.encode())
        if len(page) == ROWS or size >= BYTES:
            yield page
            page, size = [], 0
    if page:
        yield page


def _turns(page: int, count: int) -> Iterator[int]:
    """Yield the pages that one leads to, and 0 for each gap between them."""
    shown = sorted({1, count, *range(max(page - AROUND, 1), min(page + AROUND, count) + 1)})
    for before, number in zip([0, *shown], shown, strict=False):
        if number > before + 1:
            yield 0
        yield number


def _row_markups(rows: Iterable[Sequence[Cell]], columns: Columns) -> Iterator[str]:
    kinds = [kind for _, kind in columns]
    for row in rows:
        cells = (
            f"<td{_attributes(name, kind)}>{_cell_markup(cell, kind)}</td>"
            for cell, kind, (name, _) in zip(row, kinds, columns, strict=True)
        )
        yield f"<tr>{''.join(cells)}</tr>\n"


@cache
def _attributes(name: str, kind: str) -> str:
    return (f' class="{kind}"' if kind else "") + (f' data-of="{name}"' if name else "")


def _cell_markup(cell: Cell, kind: str) -> str:
    text = _shortened(cell.text)
    if kind == "n":
        return text
    made = str(html.prose(text)) if kind == "prose" else _breakable(text)
    return f'<a href="{html.escaped(cell.link)}">{made}</a>' if cell.link else made


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


@lru_cache(REMEMBERED)
def _breakable(text: str) -> str:
    return str(html.breakable(text))


@cache
def _template() -> Any:
    return html.environment(_PACKAGE, {"breakable": html.breakable}).get_template("page.html")
