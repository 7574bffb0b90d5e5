"""The report in a real browser: nothing overflows, fetches or complains, light or dark, wide or narrow."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("scipy")
pytest.importorskip("selenium", reason="no selenium to drive a browser with")

sys.path.insert(0, str(Path(__file__).parent))

from report_data import SUBJECTS, biased, fair, garbage, usage_view, view

from fairlint.bench.report import Pair, RunView, html

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="no chromium with its chromedriver here"),
]

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
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver")
    service = pytest.importorskip("selenium.webdriver.chrome.service")
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
        "--disable-background-networking", f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=service.Service(str(DRIVER)))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name, views in pages().items():
        pairs = [Pair(LONG, ENDLESS, -0.1, 0.02, 11)] if len(views) > 1 else []
        made[name] = folder / f"{name}.html"
        made[name].write_text(html(views, pairs), encoding="utf-8")
    return made


def load(browser: Any, file: Path, width: int, *, scheme: str = "light") -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    for kind in ("browser", "performance"):
        browser.get_log(kind)  # what was before is none of this page's
    browser.get(file.as_uri())


NAMES = ("one", "long", "many", "usage")


@pytest.mark.parametrize("width", [1280, 700, 360])
@pytest.mark.parametrize("name", NAMES)
def test_the_page_never_scrolls_sideways(browser: Any, files: dict[str, Path], name: str, width: int) -> None:
    load(browser, files[name], width)
    browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    over = browser.execute_script(
        """
        const inside = one => one.closest('.scroll') !== null;
        return [...document.querySelectorAll('main *, header *')]
          .filter(one => !inside(one) && one.getBoundingClientRect().right > innerWidth + 1)
          .map(one => one.outerHTML.slice(0, 120));
        """
    )
    assert over == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_fetched_and_nothing_complains(browser: Any, files: dict[str, Path], name: str) -> None:
    load(browser, files[name], 1280)
    assert browser.title.startswith("fairlint bench")
    assert browser.get_log("browser") == []
    sent = [
        told["params"]["request"]["url"]
        for entry in browser.get_log("performance")
        if (told := json.loads(entry["message"])["message"])["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in sent if not url.startswith(("file:", "data:"))] == []
    assert files[name].as_uri() in sent  # the log does tell of requests


def ground(browser: Any) -> str:
    found: str = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    return found


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
    """At least 4.5 to 1, as WCAG 2.2 wants it for small text (criterion 1.4.3)."""
    load(browser, files["long"], 1280, scheme=scheme)
    browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    pale = browser.execute_script(
        """
        const context = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
        const rgba = colour => {
          context.clearRect(0, 0, 1, 1); context.fillStyle = colour; context.fillRect(0, 0, 1, 1);
          return [...context.getImageData(0, 0, 1, 1).data];
        };
        const light = ([r, g, b]) => [r, g, b]
          .map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
          .reduce((sum, c, place) => sum + c * [.2126, .7152, .0722][place], 0);
        const under = one => {
          for (; one; one = one.parentElement) {
            const found = rgba(getComputedStyle(one).backgroundColor);
            if (found[3] > 0) return found;
          }
        };
        const found = new Set();
        for (const one of document.querySelectorAll('body *')) {
          const written = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
          if (!written || one.tagName === 'title' || one.classList.contains('number')) continue;
          const style = getComputedStyle(one);
          const ink = rgba(one instanceof SVGElement ? style.fill : style.color);
          const [dim, bright] = [light(ink), light(under(one))].sort((a, b) => a - b);
          if ((bright + .05) / (dim + .05) < 4.5)
            found.add(one.tagName + '.' + (one.className.baseVal ?? one.className));
        }
        return [...found];
        """
    )
    assert pale == []


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
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    cut = browser.execute_script(
        """return [...document.querySelectorAll('table')]
          .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
          .map(one => one.textContent.trim().slice(0, 60))"""
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert cut == []


def test_one_form_of_each_chart_is_shown(browser: Any, files: dict[str, Path]) -> None:
    for width, kind in ((1280, "wide"), (360, "narrow")):
        load(browser, files["many"], width)
        shown = browser.execute_script(
            """return [...document.querySelectorAll('.wide:not(th):not(td), .narrow')]
              .filter(one => one.getClientRects().length).map(one => one.classList.contains('wide'))"""
        )
        assert shown
        assert set(shown) == {kind == "wide"}
