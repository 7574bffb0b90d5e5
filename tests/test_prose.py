"""The pages that users read keep to short sentences, plain words and a length that can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from prose import ROOT, faults, limits, median, pages_for_users, pages_held, sentences, words

EDITORS = sorted((ROOT / "docs" / "editors").glob("*.md"))


@pytest.mark.parametrize(
    "page", [*pages_held(), *EDITORS], ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_a_page_is_in_plain_english(page: Path) -> None:
    assert list(faults([page])) == []


@pytest.mark.parametrize("page", [ROOT / "README.md", *pages_for_users()], ids=lambda page: page.name)
def test_the_sentences_of_a_page_are_short(page: Path) -> None:
    assert median([page]) <= limits()["median"]


def test_the_readme_fits_on_two_screens() -> None:
    readme = ROOT / "README.md"
    assert words(readme) <= limits()["readme"]
    assert len(readme.read_text("utf-8").split()) <= limits()["readme"]  # with its code


def test_the_pages_for_users_can_be_read() -> None:
    assert sum(map(words, pages_for_users())) <= limits()["docs"]


def test_what_is_counted(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A title\n\nOne two. Three `code here` four: five.\n\n```python\nnot counted\n```\n")
    assert [one.words for one in sentences(page)] == [2, 2, 4]
    assert words(page) == 9


@pytest.mark.parametrize("text", ["It hangs on that.", "Whoever reads it.", "This was told.", "word " * 41])
def test_a_fault_is_named_with_its_line(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prose.ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(f"Fine.\n\n{text}\n")
    (fault,) = faults([page])
    assert fault.startswith("page.md:3: ")
