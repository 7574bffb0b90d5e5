"""Tables of what fairlint takes from published documents: rows, and the tests, checks and files they name."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent


class Row(NamedTuple):
    """A row of a page; of faults `now` is `fault`."""

    name: str
    now: str
    where: str
    shown: str

    @property
    def spans(self) -> list[str]:
        return re.findall(r"`([^`]+)`", f"{self.where} {self.shown}")

    @property
    def tests(self) -> list[str]:
        return [span for span in self.spans if span.startswith("tests/")]

    @property
    def checks(self) -> list[str]:
        return [span.removeprefix("check: ") for span in self.spans if span.startswith("check: ")]

    @property
    def files(self) -> list[tuple[str, str]]:
        """Files of the repository, and the function of each that is named."""
        found = [
            span.partition("::")[::2] for span in self.spans if not span.startswith(("check: ", "fairlint "))
        ]
        return [(file, name) for file, name in found if "/" in file and re.search(r"\.(py|toml|md)$", file)]


@cache
def rows(page: Path) -> tuple[Row, ...]:
    """The rows of all tables of a page; those of faults have a letter and no state."""
    found = []
    for line in page.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 5 and cells[0].isdecimal():
            found.append(Row(cells[0], cells[2], cells[3], cells[4]))
        elif len(cells) == 3 and re.fullmatch("[A-Z]", cells[0]):
            found.append(Row(cells[0], "fault", "", cells[2]))
    return tuple(found)


@cache
def functions_of(file: Path) -> frozenset[str]:
    """The names of a module's functions."""
    return frozenset(
        node.name for node in ast.parse(file.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)
    )


def check_counts(page: Path, items: int, faults: str) -> None:
    """Assert that a page has a row for each item and fault, and counts the items by what is said of them."""
    known = [row for row in rows(page) if row.now != "fault"]
    assert [row.name for row in known] == [str(number) for number in range(1, items + 1)]
    assert [row.name for row in rows(page) if row.now == "fault"] == list(faults)
    counts = Counter(row.now for row in known)
    assert set(counts) == {"same", "differs", "missing", "beyond"}
    verb = "is" if counts["missing"] == 1 else "are"
    told = (
        f"Of {items} items, {counts['same']} are the same here, {counts['differs']} differ, "
        f"{counts['missing']} {verb} missing, and {counts['beyond']} go beyond the documents."
    )
    assert told in " ".join(page.read_text("utf-8").split())


def check_files(row: Row) -> None:
    """Assert that the files and functions that a row names exist."""
    for file, name in row.files:
        path = ROOT / file if (ROOT / file).exists() else ROOT / "fairlint" / file
        assert path.is_file(), file
        assert not name or name in functions_of(path), name
