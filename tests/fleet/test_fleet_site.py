"""The pages of a run: whole, linked, small, and safe whatever names they show."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fleet_rows import finding, row

from fairlint.cli import main
from fairlint.fleet import site_pages
from fairlint.fleet.parts import write_part
from fairlint.fleet.store import Run, Store, open_store

pytest.importorskip("duckdb")
EVIL = "</td><script>alert(1)</script>"


@pytest.fixture(autouse=True)
def _stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def make_store(findings: int) -> Store:
    made = open_store(Path("store"), is_new=True)
    made.write_run(Run("r1", "2026-01-01", "2026-01-01", is_finished=True))
    names = ["shop", EVIL, "none"]
    write_part(made.parts / "run=r1" / "date=2026-01-01" / "part-0", {
        "repositories": [
            row("repositories", repository=name, data_run="r1", status="checked", findings=findings)
            for name in names
        ],
        "findings": [
            finding(name, f"x:{at}", line=at, message=f"{EVIL} {at}", owners=[EVIL])
            for name in ("shop", EVIL) for at in range(findings)
        ],
        "coverage": [row("coverage", repository="shop", path="a.ts", cause="unread", kind="TypeScript")],
        "errors": [row("errors", repository="gone", cause="gone", reason=EVIL)],
    })  # fmt: skip
    return made


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.links += [
            value for name, value in attrs if name == "href" and value and not value.startswith("data:")
        ]


def read(path: Path) -> _Links:
    page = _Links()
    page.feed(path.read_text())
    return page


def test_all_pages_are_reached_and_none_runs_what_it_shows() -> None:
    make_store(3)
    assert main(["fleet", "site", "--store", "store", "--output", "site"]) == 0
    seen: set[Path] = set()
    waiting = [Path("site/index.html").resolve()]
    while waiting:
        path = waiting.pop()
        seen.add(path)
        page = read(path)
        assert page.scripts == 1
        assert "<script>alert" not in path.read_text()
        assert not re.search(r"(?:https?:)?//[a-z]", " ".join(page.links))
        for link in page.links:
            target = (path.parent / link.partition("#")[0]).resolve()
            assert target.exists(), link
            if target.suffix == ".html" and target not in seen:
                waiting.append(target)
    assert seen == {path.resolve() for path in Path("site").rglob("*.html")}
    assert "9 findings in 3 of 3 repositories" in Path("site/index.html").read_text()


def test_pages_stay_small() -> None:
    make_store(1_200)
    assert main(["fleet", "site", "--store", "store", "--output", "site"]) == 0
    pages = list(Path("site").rglob("*.html"))
    assert max(path.stat().st_size for path in pages) < 1_000_000
    assert len(list(Path("site/repository").glob("shop-*.html"))) == 3


def make_large_store(repositories: int, folder: str = "store") -> None:
    """Several findings a repository, each with an owner of its own and one that all have."""
    made = open_store(Path(folder), is_new=True)
    made.write_run(Run("r1", "2026-01-01", "2026-01-01", is_finished=True))
    names = [f"shop{at:05}" for at in range(repositories)]
    write_part(made.parts / "run=r1" / "date=2026-01-01" / "part-0", {
        "repositories": [
            row("repositories", repository=name, data_run="r1", status="checked", findings=3)
            for name in names
        ],
        "findings": [
            finding(name, f"x:{at}", line=at, message="m" * 300, owners=["@all", f"@own-{name}"])
            for name in names for at in range(3)
        ],
        "coverage": [
            row("coverage", repository=name, path=f"{at}.ts", cause="unread", kind="TypeScript")
            for name in names for at in range(3)
        ],
        "errors": [row("errors", repository=f"gone{name}", cause="gone", reason="gone") for name in names],
    })  # fmt: skip


def built(folder: str, repositories: int) -> Path:
    """A site with pages of a tenth of the rows."""
    make_large_store(repositories, f"{folder}-store")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_pages, "ROWS", 50)
        assert main(["fleet", "site", "--store", f"{folder}-store", "--output", folder]) == 0
    return Path(folder)


def test_no_page_grows_with_the_number_of_repositories() -> None:
    some, many = built("some", 70), built("many", 210)
    for pattern in ("*.html", "*.js"):
        sizes = [
            max(path.stat().st_size for path in folder.rglob(pattern)) for folder in (some, many)
        ]  # fmt: skip
        assert sizes[1] < sizes[0] + 300, "but for the links to other pages, which are few"
        assert sizes[1] < 1_000_000
    index = [(folder / "index.html").stat().st_size for folder in (some, many)]
    assert index[1] < index[0] + 200


def test_all_rows_are_on_the_pages_and_beside_them_once() -> None:
    site = built("site", 110)
    for stem, count in (("repositories", 110), ("errors", 110), ("owners", 111)):
        pages = sorted(site.glob(f"{stem}-*.html"), key=lambda path: int(path.stem.partition("-")[2]))
        assert len(pages) == 3
        shown = [name for page in pages for name in re.findall(r"<tr><td[^>]*>(.*?)</td>", page.read_text())]
        assert len(shown) == len(set(shown)) == count
        beside = []
        for number, page in enumerate(pages, 1):
            call = re.fullmatch(
                r"fairlintRows\((\d+), (.*)\);\n", page.with_suffix(".js").read_text(), re.DOTALL
            )
            assert call is not None
            assert int(call[1]) == number
            beside += json.loads(call[2])
        assert [re.findall(r"<td[^>]*>(.*?)</td>", one)[0] for one in beside] == shown
    (everybody,) = site.glob("owner/all-*-1.html")
    assert ">330<" in (site / "owners-1.html").read_text()
    assert "Next</a>" in everybody.read_text()


def test_the_same_rows_give_the_same_pages_whatever_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    first = {path.relative_to("a"): path.read_bytes() for path in built("a", 40).rglob("*") if path.is_file()}
    plain = write_part

    def backwards(folder: Path, rows: dict[str, list[dict[str, object]]]) -> None:
        plain(folder, {name: some[::-1] for name, some in rows.items()})

    monkeypatch.setattr(sys.modules[__name__], "write_part", backwards)
    again = {path.relative_to("b"): path.read_bytes() for path in built("b", 40).rglob("*") if path.is_file()}
    assert first == again


def test_a_very_long_text_is_cut_on_the_page_and_whole_in_the_table() -> None:
    made = open_store(Path("store"), is_new=True)
    made.write_run(Run("r1", "2026-01-01", "2026-01-01", is_finished=True))
    long = "<&" * 20_000
    write_part(made.parts / "run=r1" / "date=2026-01-01" / "part-0", {
        "repositories": [row("repositories", repository="shop", data_run="r1", findings=400)],
        "findings": [finding("shop", f"x:{at}", line=at, message=long, owners=[long]) for at in range(400)],
    })  # fmt: skip
    assert main(["fleet", "site", "--store", "store", "--output", "site"]) == 0
    assert max(path.stat().st_size for path in Path("site").rglob("*.html")) < 1_000_000
    assert "…" in next(Path("site/repository").glob("*-1.html")).read_text()
    assert long in Path("site/findings.csv").read_text()


def test_pages_say_names_as_people_write_them() -> None:
    made = open_store(Path("store"), is_new=True)
    made.write_run(Run("r1", "2026-01-01", "2026-01-01", is_finished=True))
    told = finding("shop", "x", message="`pay` depends on it, gap 4.5")
    told |= {"attribute": "marital_status", "attributes": ["marital_status"]}
    write_part(made.parts / "run=r1" / "date=2026-01-01" / "part-0", {
        "repositories": [row("repositories", repository="shop", data_run="r1", status="checked", findings=1)],
        "findings": [told],
    })  # fmt: skip
    assert main(["fleet", "site", "--store", "store", "--output", "site"]) == 0
    index = Path("site/index.html").read_text()
    assert "1 finding in 1 of 1 repositories" in index
    assert ">FL201 points-" in index.replace("<wbr>", "")
    assert ">marital status</a>" in index.replace("<wbr>", "")
    assert "<code>pay</code> depends on it, gap 4.5" in next(Path("site/rule").iterdir()).read_text()


def test_a_folder_of_something_else_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    make_store(1)
    Path("mine").mkdir()
    Path("mine/index.html").write_text("mine")
    assert main(["fleet", "site", "--store", "store", "--output", "mine"]) == 2
    assert "holds something else" in capsys.readouterr().err
    assert Path("mine/index.html").read_text() == "mine"
    assert main(["fleet", "site", "--store", "store", "--output", "site"]) == 0
    assert main(["fleet", "site", "--store", "store", "--output", "site"]) == 0
