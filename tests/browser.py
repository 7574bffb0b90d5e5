"""A real browser for tests of pages, and what is asked of every page in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

NEEDED = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="no chromium with its chromedriver here"),
]


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


def load(browser: Any, file: Path, width: int, *, scheme: str = "light") -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    for kind in ("browser", "performance"):
        browser.get_log(kind)  # what was before is none of this page's
    browser.get(file.as_uri())


def overflowing(browser: Any, width: int) -> list[str]:
    """What reaches over the right edge, the page itself among it."""
    browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    found: list[str] = browser.execute_script(
        """
        const inside = one => one.closest('.scroll') !== null;
        return [...document.querySelectorAll('main *, header *')]
          .filter(one => !inside(one) && one.getBoundingClientRect().right > innerWidth + 1)
          .map(one => one.outerHTML.slice(0, 120));
        """
    )
    wide = browser.execute_script("return document.documentElement.scrollWidth") > width
    return [*found, *(["the page"] if wide else [])]


def fetched(browser: Any) -> list[str]:
    """The addresses that have been asked for."""
    return [
        told["params"]["request"]["url"]
        for entry in browser.get_log("performance")
        if (told := json.loads(entry["message"])["message"])["method"] == "Network.requestWillBeSent"
    ]


def ground(browser: Any) -> str:
    found: str = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    return found


def pale(browser: Any) -> list[str]:
    """Texts that stand out from their ground by less than 4.5 to 1 (WCAG 2.2, criterion 1.4.3)."""
    browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    found: list[str] = browser.execute_script(
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
    return found


def cut_on_paper(browser: Any) -> list[str]:
    """Tables that are wider than the paper."""
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    found: list[str] = browser.execute_script(
        """return [...document.querySelectorAll('table')]
          .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
          .map(one => one.textContent.trim().slice(0, 60))"""
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    return found
