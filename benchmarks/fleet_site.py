"""Measures the site of a run with many repositories: how long it takes to build, how large it is, and how
soon its pages are there in a browser.

    python benchmarks/fleet_site.py [--repositories 20000] [--keep FOLDER]

The fixtures are split into checkouts with CODEOWNERS and files of kinds that are not read, and scanned. Their
rows are repeated under other names, paths and owners; twelve repositories have the rows of a hundred, and one
in two hundred was not checked. The site is built twice, and has to be the same. Pages are opened from
`file://` in Chromium, where that and selenium are there. `--keep` leaves store and site in a folder.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from fleet import DAY, ROOT, measure, size_of

from fairlint.fleet.parts import part_folders
from fairlint.fleet.running import PART_REPOSITORIES
from fairlint.fleet.store import Run, Store, open_store
from fairlint.fleet.tables import TABLES

CHECKOUTS = 12
UNREAD = ("ts", "java", "go", "rb", "php", "kt")
"""Files of kinds that are not read, five of each a checkout."""
LARGE = 100
"""Copies of a checkout that are one repository."""
FAILED = 200
"""One in so many repositories was not checked."""
OWNERS = 200
"""Names that each owner of the fixtures gets."""
ROUNDS = 7


def make_checkouts(folder: Path) -> None:
    """Split the fixtures into checkouts, a third of them without owners."""
    files = sorted(
        path
        for kind in ("python", "c", "notebooks")
        for path in (ROOT / "fixtures" / kind).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    for number, path in enumerate(files):
        target = folder / f"shop{number % CHECKOUTS:02}" / path.relative_to(ROOT / "fixtures")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for number in range(CHECKOUTS):
        checkout = folder / f"shop{number:02}"
        if number % 3:
            (checkout / "CODEOWNERS").write_text(f"* @acme/team-{number}\n*.c @acme/c-{number} @acme/lead\n")
        for suffix in UNREAD:
            for file in range(5):
                (checkout / f"other{file}.{suffix}").write_text("\n")


def write_copies(store: Store, part: int, tables: Mapping[str, Any], numbers: range) -> None:
    """Write a part with a copy of all repositories a number, under other names, paths and owners."""
    arrow, compute, parquet = (import_module(f"pyarrow{name}") for name in ("", ".compute", ".parquet"))
    folder = store.parts / "run=r1" / f"date={DAY}" / f"part-{part:06}"
    folder.mkdir(parents=True)
    failed: list[str] = []
    for name, table in tables.items():
        copies = []
        for number in numbers:
            own = -1 if number < LARGE else number
            names = compute.binary_join_element_wise("github.com/acme", table["repository"], "/")
            copy = _replaced(table, "repository", compute.binary_join_element_wise(names, f"{own:05}", "-"))
            if "path" in copy.column_names:
                copy = _replaced(
                    copy, "path", compute.binary_join_element_wise(f"area{number}", copy["path"], "/")
                )
            if "owners" in copy.column_names:
                owners = [[f"{one}-{number % OWNERS}" for one in of] for of in copy["owners"].to_pylist()]
                copy = _replaced(copy, "owners", arrow.array(owners, copy.schema.field("owners").type))
            copies.append(copy)
        made = arrow.concat_tables(copies).sort_by("repository")
        if name == "repositories":
            made, failed = _repository_rows(arrow, made)
        if name == "errors":
            made = arrow.Table.from_pylist(
                [{"repository": one, "address": "", "cause": "time", "reason": "took more than 600 seconds"}
                 for one in failed], made.schema,
            )  # fmt: skip
        elif failed and name != "repositories":
            made = made.filter(compute.invert(compute.is_in(made["repository"], arrow.array(failed))))
        parquet.write_table(made, folder / f"{name}.parquet", compression="zstd")


def _replaced(table: Any, column: str, values: Any) -> Any:
    return table.set_column(table.schema.get_field_index(column), table.schema.field(column), values)


def _repository_rows(arrow: Any, table: Any) -> tuple[Any, list[str]]:
    """Return one row a repository, with sums over those that are one, and the names of some that failed."""
    rows: dict[str, dict[str, Any]] = {}
    for row in table.to_pylist():
        known = rows.setdefault(
            row["repository"], row | {"data_run": "r1", "files": 0, "findings": 0, "not_read": 0}
        )
        for name in ("files", "findings", "not_read"):
            known[name] += row[name]
    failed = []
    for number, (name, row) in enumerate(rows.items()):
        if number % FAILED == FAILED - 1:
            failed.append(name)
            row |= {
                "status": "failed",
                "commit": "",
                "files": 0,
                "findings": 0,
                "not_read": 0,
                "suppressed": 0,
            }
    return arrow.Table.from_pylist(list(rows.values()), table.schema), failed


def make_store(folder: Path, real: Store, count: int) -> Store:
    """Return a store with so many repositories, made of the rows of another."""
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    tables = {
        name: arrow.concat_tables(
            parquet.ParquetFile(part / f"{name}.parquet").read() for part in part_folders(real.parts)
        )
        for name in ("repositories", *(name for name in TABLES if name != "repositories"))
    }
    made = open_store(folder, is_new=True)
    made.write_run(Run("r1", DAY, "r1", is_finished=True))
    at_once = PART_REPOSITORIES // CHECKOUTS
    numbers = [range(LARGE)]
    last = LARGE + -(-(count - CHECKOUTS) // CHECKOUTS)
    numbers += [range(at, min(at + at_once, last)) for at in range(LARGE, last, at_once)]
    for part, some in enumerate(numbers):
        write_copies(made, part, tables, some)
    return made


def digest_of(site: Path) -> str:
    """Return a digest of all names and contents of a folder."""
    made = sha256()
    for path in sorted(site.rglob("*")):
        if path.is_file():
            made.update(path.relative_to(site).as_posix().encode() + b"\0")
            made.update(sha256(path.read_bytes()).digest())
    return made.hexdigest()


def largest(site: Path, pattern: str) -> Path:
    """Return the largest file of a pattern."""
    return max(site.rglob(pattern), key=lambda path: path.stat().st_size)


def measure_pages(site: Path) -> None:
    """Print how long pages take until everything of them is there, and how long a filter takes."""
    try:
        webdriver = import_module("selenium.webdriver")
    except ImportError:
        print("no selenium: pages are not opened")
        return
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu"):
        options.add_argument(flag)
    service = import_module("selenium.webdriver.chrome.service").Service(shutil.which("chromedriver"))
    with webdriver.Chrome(options=options, service=service) as browser:
        for page in (site / "index.html", site / "repositories-1.html", largest(site, "*.html")):
            seconds = []
            for _ in range(ROUNDS):
                browser.get(page.as_uri())
                seconds.append(browser.execute_script(
                    "return performance.getEntriesByType('navigation')[0].loadEventEnd / 1000"
                ))  # fmt: skip
            first, *others = seconds
            print(f"{page.name}: {first:.3f} s the first time, then {statistics.median(others):.3f} s")
        browser.set_script_timeout(60)
        browser.get((site / "repositories-1.html").as_uri())
        for words in ("shop07-01", "shop03-00999"):
            found = browser.execute_async_script(_FILTER, words)
            print(
                f"filter {words!r}: {found['seconds']:.2f} s, {found['text']!r}, {found['rows']} rows shown"
            )


_FILTER = """
const [words, done] = arguments;
const began = performance.now();
const field = document.getElementById('filter');
field.value = words;
field.dispatchEvent(new Event('input'));
const wait = () => {
  const told = document.getElementById('matches');
  if (!told || told.dataset.done !== words) return setTimeout(wait, 5);
  const rows = [...document.querySelectorAll('tbody tr')].filter(row => !row.hidden).length;
  done({seconds: (performance.now() - began) / 1000, text: told.textContent, rows});
};
wait();
"""


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repositories", type=int, default=20_000)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    work = (options.keep or Path(tempfile.mkdtemp(prefix="fairlint-fleet-site-"))).resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        if not (work / "store").is_dir():
            make_checkouts(work / "checkouts")
            measure(["fleet", "scan", str(work / "checkouts"), "--store", str(work / "real"), "-q"], work)
            make_store(work / "store", open_store(work / "real"), options.repositories)
        store = open_store(work / "store")
        rows = {name: sum(1 for _ in store.rows(name, columns=["repository"])) for name in TABLES}
        print(", ".join(f"{count:,} rows of {name}" for name, count in rows.items()))
        digests = []
        for name in ("site", "again"):
            seconds, spent, peak = measure(["fleet", "site", "--store", "store", "--output", name], work)
            print(f"built in {seconds:.1f} s, {spent:.1f} s CPU, {peak:.0f} MB at most", flush=True)
            digests.append(digest_of(work / name))
        shutil.rmtree(work / "again")
        site = work / "site"
        print("the same both times" if len(set(digests)) == 1 else "NOT the same both times")
        for pattern in ("*.html", "*.js"):
            files = [path.stat().st_size for path in site.rglob(pattern)]
            if files:
                print(
                    f"{len(files):,} {pattern}, {sum(files) / 1e6:.0f} MB, largest {max(files) / 1e3:.0f} kB"
                )
        print(f"{size_of(site) / 1e6:.0f} MB in all")
        measure_pages(site)
    finally:
        if not options.keep:
            shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
