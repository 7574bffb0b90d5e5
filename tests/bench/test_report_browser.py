"""The report in a real browser: nothing overflows, fetches or complains, light or dark, wide or narrow."""

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

from bias_data import bias_views
from browser import NEEDED, browser, cut_on_paper, fetched, ground, load, overflowing, pale
from report_data import SUBJECTS, biased, fair, garbage, usage_view, view

from fairlint.bench.report import Pair, RunView, html, html_of_suites
from fairlint.bench.report.studies import page_of, study

pytestmark = NEEDED

__all__ = ["browser"]  # a fixture

LONG = "an-organisation/A-Model-With-A-Name-That-Goes-On-And-On-Instruct-2601-GGUF-Q4_K_M" * 2
ENDLESS = "Supercalifragilisticexpialidocious" * 4


def pages() -> dict[str, list[RunView]]:
    wordy = {**SUBJECTS, ("medical", "gender"): (("", ENDLESS), ("", "Dialysis <b>&amp;</b>"))}
    many = [view(write, f"model {place}") for place, write in enumerate((biased, fair, garbage) * 3)]
    return {
        "one": [view(subjects=wordy)],
        "long": [view(model=LONG), view(garbage, model=ENDLESS)],
        "many": many,
        "usage": [usage_view(LONG), usage_view("tiny")],
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name, views in pages().items():
        pairs = [Pair(LONG, ENDLESS, -0.1, 0.02, 11)] if len(views) > 1 else []
        made[name] = folder / f"{name}.html"
        made[name].write_text(html(views, pairs), encoding="utf-8")
    known = bias_views(folder)
    for name, text in (
        ("twenty", page_of(study([view(biased, f"{LONG} {place}") for place in range(20)]))),
        ("bias", html([known["agents"]])),
        ("suites", html_of_suites([*known.values(), view()])),
    ):
        made[name] = folder / f"{name}.html"
        made[name].write_text(text, encoding="utf-8")
    return made


NAMES = ("one", "long", "many", "twenty", "usage", "bias", "suites")


@pytest.mark.parametrize("width", [1280, 700, 360])
@pytest.mark.parametrize("name", NAMES)
def test_the_page_never_scrolls_sideways(browser: Any, files: dict[str, Path], name: str, width: int) -> None:
    load(browser, files[name], width)
    assert overflowing(browser, width) == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_fetched_and_nothing_complains(browser: Any, files: dict[str, Path], name: str) -> None:
    load(browser, files[name], 1280)
    assert browser.title.startswith("fairlint bench")
    assert browser.get_log("browser") == []
    sent = fetched(browser)
    assert [url for url in sent if not url.startswith(("file:", "data:"))] == []
    assert files[name].as_uri() in sent  # the log does tell of requests


def test_light_and_dark_differ_and_can_be_chosen_without_a_script(
    browser: Any, files: dict[str, Path]
) -> None:
    load(browser, files["one"], 1280, scheme="light")
    light = ground(browser)
    load(browser, files["one"], 1280, scheme="dark")
    dark = ground(browser)
    assert light != dark
    browser.find_element("css selector", "label:has(#theme-light)").click()
    assert ground(browser) == light
    browser.find_element("css selector", "label:has(#theme-dark)").click()
    assert ground(browser) == dark


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(browser: Any, files: dict[str, Path], scheme: str) -> None:
    load(browser, files["long"], 1280, scheme=scheme)
    assert pale(browser) == []


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("name", NAMES)
def test_all_text_of_a_chart_is_inside_it(
    browser: Any, files: dict[str, Path], name: str, width: int
) -> None:
    load(browser, files[name], width)
    shown, outside = browser.execute_script(
        """
        const texts = [...document.querySelectorAll('svg text')].filter(one => one.getClientRects().length);
        const outside = texts.filter(one => {
          const box = one.getBoundingClientRect(), chart = one.ownerSVGElement.getBoundingClientRect();
          return box.left < chart.left - 1 || box.right > chart.right + 1
            || box.top < chart.top - 1 || box.bottom > chart.bottom + 1;
        });
        return [texts.length, outside.map(one => one.textContent)];
        """
    )
    assert shown > 5
    assert outside == []


def test_no_table_is_cut_off_on_paper(browser: Any, files: dict[str, Path]) -> None:
    load(browser, files["one"], 718)  # A4 less its margins
    assert cut_on_paper(browser) == []


def test_one_form_of_each_chart_is_shown(browser: Any, files: dict[str, Path]) -> None:
    for width, kind in ((1280, "wide"), (360, "narrow")):
        load(browser, files["many"], width)
        shown = browser.execute_script(
            """return [...document.querySelectorAll('.wide:not(th):not(td), .narrow')]
              .filter(one => one.getClientRects().length).map(one => one.classList.contains('wide'))"""
        )
        assert shown
        assert set(shown) == {kind == "wide"}
