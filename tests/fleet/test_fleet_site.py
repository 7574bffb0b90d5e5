"""The pages of a run: whole, linked, small, and safe whatever names they show."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fleet_rows import finding, row

from fairlint.cli import main
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
            target = (path.parent / link).resolve()
            assert target.exists() or link.startswith("#"), link
            if target.suffix == ".html" and target not in seen:
                waiting.append(target)
    assert seen == {path.resolve() for path in Path("site").rglob("*.html")}
    assert "9 findings in 3 of 3 repositories" in Path("site/index.html").read_text()


def test_pages_stay_small() -> None:
    make_store(1_200)
    assert main(["fleet", "site", "--store", "store", "--output", "site"]) == 0
    pages = list(Path("site").rglob("*.html"))
    assert max(path.stat().st_size for path in pages) < 1_000_000
    assert len(list(Path("site/repository").glob("shop-*"))) == 3


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
