"""The report as a page in a real browser: wide and narrow, light and dark, on paper, and its filters."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium", reason="no selenium to drive a browser with")

from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent))

import made
from browser import NEEDED, browser, cut_on_paper, fetched, ground, load, overflowing, pale

from fairlint import check_paths
from fairlint.config import Settings
from fairlint.findings.finding import Finding, Identity
from fairlint.findings.report import NotAnalysed, Report
from fairlint.reporters import ReportOptions
from fairlint.reporters import page as pages
from fairlint.reporters.decisions import KINDS, Decision, Decisions, about
from fairlint.reporters.decisions import load as load_decisions
from fairlint.reporters.json_reading import Earlier
from fairlint.reporters.page import view
from fairlint.reporters.statistics import of_report
from fairlint.rules.loading import load_rules
from fairlint.support.records import replace
from fairlint.syntax.source import Source

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
    unread = {"TypeScript": tuple(f"{ENDLESS}{at}.ts" for at in range(60))}
    first, *others = real.findings
    before = replace(real, findings=(replace(first, use=replace(first.use, groups=())), *others[:4]))
    empty = Report(files=3, unread=unread)
    return {"real": real, "long": long, "empty": empty, "decided": real, "before": before}


def given(report: Report, before: Report) -> dict[str, Any]:
    """Decisions of each kind, with long texts, and an earlier report."""

    def entry(finding: Finding, kind: str, until: str) -> Decision:
        return about(finding, finding.path, Decision("", finding.identity, kind, ENDLESS, until, ENDLESS))

    kinds = (*KINDS, "accepted")
    days = ("2999-01-01", "", "", "2020-01-01")
    entries = [
        entry(one, kind, until) for one, kind, until in zip(report.findings, kinds, days, strict=False)
    ]
    gone = replace(entries[0], path=f"{ENDLESS}.py", identity=Identity("gone"))
    findings, aside = of_report(before)
    return {
        "decisions": Decisions("d.json", (*entries, gone)),
        "since": Earlier(f"{ENDLESS}.json", tuple(findings), tuple(aside), 1, "1 May 2026"),
    }


NAMES = ("real", "long", "empty", "listed", "decided")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made_reports = reports()
    options = ReportOptions(load_rules=load_rules, facts={"Checked": ENDLESS})
    for name, report in made_reports.items():
        if name == "decided":
            options = ReportOptions(
                load_rules=load_rules, root=str(ROOT), **given(report, made_reports["before"])
            )
        (folder / f"{name}.html").write_text("".join(pages.report(report, options)), "utf-8")
    options = ReportOptions(load_rules=load_rules)
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
@pytest.mark.parametrize("name", ["real", "long", "listed", "decided"])
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


@pytest.mark.parametrize("name", ["real", "decided"])
def test_on_paper_no_card_is_broken_and_its_fields_are_lines(
    browser: Any, files: dict[str, Path], name: str
) -> None:
    load(browser, files[name], 718)
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    found: dict[str, Any] = browser.execute_script(
        """
        const style = (one, name) => getComputedStyle(document.querySelector(one))[name];
        return {
          card: style('.finding', 'breakInside'), head: style('h3', 'breakAfter'),
          line: style('.decision [data-key]', 'borderBottomStyle'),
          side: style('.decision [data-key]', 'borderLeftStyle') === 'none'
            || style('.decision [data-key]', 'borderLeftWidth') === '0px',
          bars: style('.counts .bars', 'display'), ink: style('.bar rect', 'printColorAdjust'),
          fields: [...document.querySelectorAll('.decision')].every(one => one.getClientRects().length > 0),
          bar: style('#decisions', 'display'),
        }"""
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert found == {
        "card": "avoid", "head": "avoid", "line": "solid", "side": True, "bars": "table-cell", "ink": "exact",
        "fields": True, "bar": "none",
    }  # fmt: skip


def test_no_word_of_a_group_is_broken(browser: Any, files: dict[str, Path]) -> None:
    load(browser, files["real"], 1280)
    broken: list[str] = browser.execute_script(
        """
        for (const one of document.querySelectorAll('details')) one.open = true;
        const lines = node => {
          const found = document.createRange();
          found.selectNodeContents(node);
          return new Set([...found.getClientRects()].map(one => Math.round(one.top))).size;
        };
        return [...document.querySelectorAll('.told tbody th')]
          .filter(one => !one.textContent.includes(' ') && lines(one) > 1).map(one => one.textContent);
        """
    )
    assert broken == []


FILL = """
const [place, kind, by, until, remark] = arguments;
const one = document.querySelectorAll('fieldset.decision')[place];
one.closest('details').open = true;
one.querySelector(`input[value="${kind}"]`).click();
for (const [name, value] of Object.entries({by, until, remark})) {
  const field = one.querySelector(`[data-key=${name}]`);
  field.value = value;
  field.dispatchEvent(new Event('input', {bubbles: true}));
}
"""


def downloaded(browser: Any, folder: Path, name: str) -> Path:
    """The file that the page's button makes."""
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    browser.find_element("css selector", "#decisions button").click()
    WebDriverWait(browser, 60).until(lambda _: (folder / name).exists() and (folder / name).stat().st_size)
    return folder / name


def test_decisions_are_filled_in_downloaded_and_read_back(
    browser: Any, files: dict[str, Path], tmp_path: Path
) -> None:
    load(browser, files["real"], 1280)
    assert not browser.find_element("id", "decisions").is_displayed()
    browser.execute_script(FILL, 0, "accepted", 'Ada "L" مريم', "2999-12-31", "two\nlines \u007f")
    browser.execute_script(FILL, 1, "to be fixed", "", "", "")
    assert browser.find_element("css selector", "#decisions output").text == "2 decisions changed."
    told = load_decisions(str(downloaded(browser, tmp_path, "fairlint-decisions.json")))
    assert browser.get_log("browser") == []
    assert not browser.find_element("id", "decisions").is_displayed()
    report = reports()["real"]
    assert {one.identity for one in told.entries} <= {one.identity for one in report.findings}
    whole = next(one for one in told.entries if one.by)
    assert (whole.kind, whole.by, whole.until) == ("accepted", 'Ada "L" مريم', "2999-12-31")
    assert whole.remark == "two\nlines \u007f"
    page = "".join(pages.report(report, ReportOptions(load_rules=load_rules, root=str(ROOT), decisions=told)))
    assert page.count('value="accepted" checked') == page.count('value="to be fixed" checked') == 1


def test_what_is_kept_in_the_file_stays_in_it(browser: Any, files: dict[str, Path], tmp_path: Path) -> None:
    load(browser, files["decided"], 1280)
    report = reports()
    before = given(report["decided"], report["before"])["decisions"].entries
    place = browser.execute_script(
        "return [...document.querySelectorAll('fieldset.decision')].findIndex(one => !one.dataset.was)"
    )
    browser.execute_script(FILL, place, "false positive", "Eve", "", "")
    told = load_decisions(str(downloaded(browser, tmp_path, "d.json")))
    assert set(map(repr, before)) < set(map(repr, told.entries))
    assert len(told.entries) == len(before) + 1
    browser.execute_script("document.querySelector('[data-lost]').click()")
    (tmp_path / "d.json").unlink()
    told = load_decisions(str(downloaded(browser, tmp_path, "d.json")))
    assert len(told.entries) == len(before)


@pytest.mark.parametrize(
    ("kind", "until"), [("accepted", "2027-02-30"), ("accepted", "30.6.2027"), ("", "2027-06-30")]
)
def test_fields_that_no_file_could_hold_are_not_downloaded(
    browser: Any, files: dict[str, Path], kind: str, until: str
) -> None:
    load(browser, files["real"], 1280)
    browser.execute_script(FILL, 0, kind, "Ada", until, "")
    assert "1 incomplete" in browser.find_element("css selector", "#decisions output").text
    assert not browser.find_element("css selector", "#decisions button").is_enabled()
    browser.execute_script(FILL, 0, "", "", "", "")
    assert not browser.find_element("id", "decisions").is_displayed()


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
    assert "shown" in told
    counts = re.findall(r"(\d+)(?: of (\d+))?", told)  # of findings and, apart from them, of suppressed ones
    assert sum(int(one) for one, _ in counts) == whole.count(whole[-1])
    assert sum(int(all_ or one) for one, all_ in counts) == len(whole)
    browser.execute_script(choose, "path", "no such path")
    assert shown(browser) == []
    headings = "return document.querySelectorAll('section.group:not([hidden])').length"
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
