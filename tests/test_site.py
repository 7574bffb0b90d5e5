"""The site is whole: links lead somewhere, each page has its place, nothing comes from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import pytest

from fairlint.rules.loading import load_rules
from fairlint.vocabulary import default_vocabulary

ROOT = Path(__file__).parent.parent
LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
"""What a browser loads by itself."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("material") is None, reason="mkdocs-material is not installed"),
]


class Loaded(HTMLParser):
    """The addresses of what a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in LOADS and given.get("rel") != "canonical":
            self.found.append(given.get(LOADS[tag]) or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_each_rule_has_its_page_and_its_row(site: Path) -> None:
    table = (site / "rules.html").read_text("utf-8")
    for rule in load_rules():
        page = Path(rule.path).with_suffix(".html").name
        assert f'href="rules/{page}"' in table
        assert rule.sources()[0].title.split(",")[0].split("'")[0] in (site / "rules" / page).read_text(
            "utf-8"
        )


def test_each_attribute_is_in_the_vocabulary(site: Path) -> None:
    page = (site / "vocabulary.html").read_text("utf-8")
    assert [name for name in default_vocabulary().attributes if f"<code>{name}</code>" not in page] == []


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        loaded = Loaded()
        loaded.feed(path.read_text("utf-8"))
        assert [address for address in loaded.found if re.match(r"(\w+:)?//", address)] == [], path.name
