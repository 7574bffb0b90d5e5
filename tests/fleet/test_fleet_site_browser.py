"""The pages of a run in a real browser: wide and narrow, light and dark, and filters over all pages."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("selenium", reason="no selenium to drive a browser with")

from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(Path(__file__).parent))

from browser import NEEDED, browser, cut_on_paper, fetched, ground, load, overflowing, pale
from test_fleet_site import built

__all__ = ["browser"]  # a fixture

pytestmark = NEEDED


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("fleet"))
    try:
        yield built("site", 210).resolve()
    finally:
        os.chdir(before)


def pages(site: Path) -> list[Path]:
    kinds = (
        "index.html",
        "repositories-2.html",
        "repository/*-1.html",
        "owner/all-*-2.html",
        "rule/*-1.html",
    )
    return [min(site.glob(kind)) for kind in kinds]


def filter_rows(browser: Any, words: str) -> tuple[list[str], str]:
    """The rows that a filter leaves, by their first cell, and what it says."""
    browser.execute_script(
        "const field = document.getElementById('filter'); field.value = arguments[0];"
        "field.dispatchEvent(new Event('input'))",
        words,
    )
    return shown_rows(browser)


def shown_rows(browser: Any) -> tuple[list[str], str]:
    said = "return document.getElementById('matches').textContent"
    WebDriverWait(browser, 60).until(lambda one: "row" in one.execute_script(said))
    rows: list[str] = browser.execute_script(
        "return [...document.querySelectorAll('table.fleet tbody tr')].filter(row => !row.hidden)"
        ".map(row => row.cells[0].textContent)"
    )
    return rows, str(browser.execute_script(said))


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_and_can_be_read(browser: Any, site: Path, width: int, scheme: str) -> None:
    for page in pages(site):
        load(browser, page, width, scheme=scheme)
        assert not browser.get_log("browser"), page
        assert not overflowing(browser, width), page
        assert not pale(browser), page
        assert all(address.startswith(("file:", "data:")) for address in fetched(browser))
        assert (ground(browser) == "rgb(251, 250, 247)") == (scheme == "light")
        if width == 1280:
            assert not cut_on_paper(browser), page


def test_a_filter_looks_through_all_pages(browser: Any, site: Path) -> None:
    load(browser, site / "repositories-2.html", 1280)
    rows, said = filter_rows(browser, "SHOP00003 checked")
    assert rows == ["shop00003"]
    assert said == "1 row"
    assert "repository/shop00003" in browser.execute_script("return document.querySelector('td a').href")
    rows, said = filter_rows(browser, "shop")
    assert len(rows) == 210
    assert said == "210 rows"
    rows, said = filter_rows(browser, "no such")
    assert not rows
    assert said == "0 rows"
    browser.execute_script(
        "const field = document.getElementById('filter'); field.value = '';"
        "field.dispatchEvent(new Event('input'))"
    )
    assert len(browser.find_elements("css selector", "table.fleet tbody tr")) == 50
    assert not browser.get_log("browser")


def test_only_so_many_rows_are_shown_at_once(browser: Any, site: Path) -> None:
    load(browser, min(site.glob("owner/all-*-2.html")), 390)
    rows, said = filter_rows(browser, "shop")
    assert len(rows) == 500
    assert said == "630 rows, of which 500 are shown"


def test_a_rule_leads_to_its_findings_of_a_repository(browser: Any, site: Path) -> None:
    load(browser, next(site.glob("rule/*-1.html")), 1280)
    browser.get(browser.execute_script("return document.querySelector('td a').href"))
    rows, said = shown_rows(browser)
    assert rows == ["error"] * 3
    assert said == "3 rows"


def test_a_page_without_what_lies_beside_it_says_so(browser: Any, site: Path, tmp_path: Path) -> None:
    alone = tmp_path / "repositories-1.html"
    alone.write_bytes((site / "repositories-1.html").read_bytes())
    load(browser, alone, 1280)
    browser.execute_script(
        "const field = document.getElementById('filter'); field.value = 'x';"
        "field.dispatchEvent(new Event('input'))"
    )
    said = "return document.getElementById('matches').textContent"
    WebDriverWait(browser, 60).until(lambda one: "cannot be loaded" in one.execute_script(said))
