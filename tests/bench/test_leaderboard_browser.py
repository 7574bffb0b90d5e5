"""The leaderboard in a real browser: read, sorted and filtered by keyboard, light or dark, wide or narrow."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")
pytest.importorskip("selenium", reason="no selenium to drive a browser with")

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent))

from browser import NEEDED, browser, fetched, load, overflowing, pale
from report_data import biased, fair, garbage, on_disk, usage_view, view

from fairlint.bench.leaderboard.site import update

pytestmark = NEEDED

__all__ = ["browser"]  # a fixture

LONG = "an-organisation/A-Model-With-A-Name-That-Goes-On-And-On-Instruct-2601-GGUF-Q4_K_M-7B"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("board")
    runs = [
        on_disk(one, folder / "runs" / str(place))
        for place, one in enumerate((
            view(biased, LONG), view(fair, "fair-350M"), view(garbage, "noise-3B"), usage_view("tiny"),
        ))
    ]  # fmt: skip
    update(folder / "site", runs)
    return {
        "index": folder / "site" / "index.html",
        "run": next((folder / "site" / "runs").glob("an-organisation*")),
        "answers": next((folder / "site" / "answers").glob("an-organisation*/job-gender-1.html")),
    }


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("name", ["index", "run", "answers"])
def test_no_page_scrolls_sideways_fetches_or_complains(
    browser: Any, pages: dict[str, Path], name: str, width: int
) -> None:
    load(browser, pages[name], width)
    assert overflowing(browser, width) == []
    assert browser.get_log("browser") == []
    assert [url for url in fetched(browser) if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "run", "answers"])
def test_text_stands_out_from_its_ground(
    browser: Any, pages: dict[str, Path], name: str, scheme: str
) -> None:
    load(browser, pages[name], 1280, scheme=scheme)
    assert pale(browser) == []


def models(browser: Any) -> list[str]:
    found: list[str] = browser.execute_script(
        """return [...document.querySelectorAll('section.table tbody tr')]
          .filter(one => one.getClientRects().length)
          .map(one => one.querySelector('th').textContent.trim())"""
    )
    return found


def test_a_table_is_sorted_from_the_keyboard_and_says_so(browser: Any, pages: dict[str, Path]) -> None:
    load(browser, pages["index"], 1280)
    begin = models(browser)
    valid = browser.find_element(
        "xpath", "//section[@class='table'][.//th[contains(., 'FairScore')]]//button[.='Valid']"
    )
    head = valid.find_element("xpath", "..")
    valid.send_keys("\ue007")
    assert head.get_attribute("aria-sort") == "descending"
    valid.send_keys("\ue007")
    assert head.get_attribute("aria-sort") == "ascending"
    after = models(browser)
    assert sorted(after) == sorted(begin)
    assert after.index("noise-3B") < after.index("fair-350M")


def test_filters_leave_rows_out_and_say_how_many(browser: Any, pages: dict[str, Path]) -> None:
    load(browser, pages["index"], 1280)
    assert len(models(browser)) == 4
    for name, value, left in (
        ("valid", "0.9", {LONG, "fair-350M", "tiny"}),
        ("suite", "btm", {"tiny"}),
        ("organisation", "an-organisation", {LONG}),
        ("size", "up to 1 B", {"fair-350M"}),
    ):
        browser.execute_script(
            """const one = document.querySelector(`[name=${arguments[0]}]`);
            one.value = arguments[1]; one.dispatchEvent(new Event('input', {bubbles: true}));""",
            name,
            value,
        )
        assert set(models(browser)) == left
        assert f"{len(left)} of 4 runs" in browser.find_element("css selector", "#filters output").text
        browser.execute_script("document.getElementById('filters').reset()")
        browser.execute_async_script("setTimeout(arguments[0], 50)")
        assert len(models(browser)) == 4


def test_a_figure_leads_to_answers_and_back(browser: Any, pages: dict[str, Path]) -> None:
    load(browser, pages["index"], 1280)
    browser.find_element("css selector", "td a[href*='job-gender-1']").click()
    assert "gender" in browser.title
    browser.find_element("link text", "Leaderboard").click()
    assert browser.current_url == pages["index"].as_uri()
