"""The report as a page in a real browser: wide and narrow, light and dark, on paper, and its filters."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium", reason="no selenium to drive a browser with")

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent))

import made
from browser import NEEDED, browser, cut_on_paper, fetched, ground, load, overflowing, pale

from fairlint import check_paths
from fairlint.config import Settings
from fairlint.findings import NotAnalysed, Report
from fairlint.records import replace
from fairlint.reporters import ReportOptions
from fairlint.reporters import page as pages
from fairlint.reporters.page import view
from fairlint.rules import load_rules
from fairlint.sources.source import Source

__all__ = ["browser"]  # a fixture

pytestmark = NEEDED

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = ("hiring_points.py", "put_aside.py", "calories.py", "queries.py", "loan_approval_contest.py")
ENDLESS = "Supercalifragilisticexpialidocious" * 8


def reports() -> dict[str, Report]:
    folder = ROOT / "fixtures" / "python"
    real = check_paths(
        [folder / name for name in PROGRAMS if (folder / name).exists()],
        Settings(min_severity="note", persona="auditor"),
    )
    source = Source(f"{ENDLESS}/{ENDLESS}.py", f"{ENDLESS} = 1\npoints += 5\n".encode(), "python")
    found = made.finding(source, "points += 5", message=f"`{ENDLESS}` {ENDLESS}", steps=((ENDLESS, ENDLESS),))
    long = made.report(
        (source, found), not_analysed=(NotAnalysed(ENDLESS, 1, ENDLESS, "syntax"),),
        suppressed=(replace(made.suppressed(ENDLESS), path=ENDLESS),),
    )  # fmt: skip
    return {"real": real, "long": long, "empty": Report(files=3)}


NAMES = ("real", "long", "empty", "listed")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made_reports = reports()
    options = ReportOptions(load_rules=load_rules, facts={"Checked": ENDLESS})
    for name, report in made_reports.items():
        (folder / f"{name}.html").write_text("".join(pages.report(report, options)), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(view, "MOST_WHOLE", 2)
        (folder / "listed.html").write_text("".join(pages.report(made_reports["real"], options)), "utf-8")
    return {name: folder / f"{name}.html" for name in NAMES}


@pytest.mark.parametrize("width", [1280, 820, 360])
@pytest.mark.parametrize("name", NAMES)
def test_the_page_never_scrolls_sideways(browser: Any, files: dict[str, Path], name: str, width: int) -> None:
    load(browser, files[name], width)
    assert overflowing(browser, width) == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_fetched_and_nothing_complains(browser: Any, files: dict[str, Path], name: str) -> None:
    load(browser, files[name], 1280)
    assert browser.title.startswith("fairlint report")
    assert browser.get_log("browser") == []  # the policy lets its own style and script through
    sent = fetched(browser)
    assert [url for url in sent if not url.startswith(("file:", "data:"))] == []
    assert files[name].as_uri() in sent


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["real", "long", "listed"])
def test_text_stands_out_from_its_ground(
    browser: Any, files: dict[str, Path], name: str, scheme: str
) -> None:
    load(browser, files[name], 1280, scheme=scheme)
    assert pale(browser) == []


def test_light_and_dark_can_be_chosen(browser: Any, files: dict[str, Path]) -> None:
    load(browser, files["real"], 1280, scheme="light")
    light = ground(browser)
    browser.find_element("css selector", "label:has(#theme-dark)").click()
    assert ground(browser) != light


def test_on_paper_everything_is_open_and_nothing_is_cut(browser: Any, files: dict[str, Path]) -> None:
    load(browser, files["real"], 718)  # A4 less its margins
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script("return document.querySelectorAll('details:not([open])').length") == 0
    assert cut_on_paper(browser) == []
    browser.execute_script("dispatchEvent(new Event('afterprint'))")
    assert browser.execute_script("return document.querySelectorAll('details:not([open])').length") > 0


def shown(browser: Any) -> list[str]:
    found: list[str] = browser.execute_script(
        "return [...document.querySelectorAll('.finding, .line')]"
        ".filter(one => one.getClientRects().length).map(one => one.dataset.rule)"
    )
    return found


@pytest.mark.parametrize("name", ["real", "listed"])
def test_findings_can_be_filtered(browser: Any, files: dict[str, Path], name: str) -> None:
    load(browser, files[name], 1280)
    whole = shown(browser)
    choose = (
        "const one = document.querySelector(`[name=${arguments[0]}]`); one.value = arguments[1];"
        "one.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    browser.execute_script(choose, "rule", whole[-1])
    assert set(shown(browser)) == {whole[-1]}
    told = browser.find_element("css selector", "#filters output").text
    assert told == f"{whole.count(whole[-1])} of {len(whole)} shown"
    browser.execute_script(choose, "path", "no such path")
    assert shown(browser) == []
    headings = "return document.querySelectorAll('section.file:not([hidden])').length"
    assert browser.execute_script(headings) == 0
    browser.find_element("css selector", "#filters button[type=reset]").click()
    browser.execute_script("return new Promise(done => setTimeout(done, 50))")
    assert shown(browser) == whole
    browser.execute_script(choose, "attribute", "age")
    assert 0 < len(shown(browser)) < len(whole)


def test_a_link_to_a_finding_opens_it(browser: Any, files: dict[str, Path]) -> None:
    load(browser, files["real"], 1280)
    closed = browser.execute_script("return document.querySelector('details:not([open])').id")
    browser.execute_script("location.hash = arguments[0]", closed)
    browser.execute_script("return new Promise(done => setTimeout(done, 50))")
    assert browser.execute_script("return document.getElementById(arguments[0]).open", closed)


def test_without_a_script_all_can_be_read_and_no_filter_is_offered(
    browser: Any, files: dict[str, Path], tmp_path: Path
) -> None:
    text = files["real"].read_text("utf-8")
    bare = tmp_path / "bare.html"
    bare.write_text(text[: text.index("<script>")] + "</body></html>", "utf-8")
    load(browser, bare, 1280)
    assert not browser.find_element("id", "filters").is_displayed()
    summary = browser.find_element("css selector", "details:not([open]) summary")
    summary.click()
    assert summary.find_element("xpath", "..").get_attribute("open") is not None
