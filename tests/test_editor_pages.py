"""The pages on editors and agents: their configuration is well-formed, and names commands that there are."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from fairlint.cli import COMMANDS, main
from fairlint.mcp import compact, tools
from fairlint.worker.process import PATIENCE

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [DOCS / "agents.md", *sorted((DOCS / "editors").glob("*.md"))]
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"""(?:[`$] ?fairlint |args"?(?: =|:) \[|cmd = \{ "fairlint", )"?([a-z]+)\b""")
"""How a page names a command."""
READERS = {"json": json.loads, "toml": tomllib.loads}


def blocks(page: Path, kind: str) -> list[str]:
    return [block["text"] for block in BLOCK.finditer(page.read_text("utf-8")) if block["kind"] == kind]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_configuration_is_well_formed_and_names_commands(page: Path) -> None:
    for kind, read in READERS.items():
        for text in blocks(page, kind):
            read(text)
    text = page.read_text("utf-8")
    for command in NAMED.findall(text):
        assert command in COMMANDS


def test_every_editor_says_whether_it_was_tried() -> None:
    table = (DOCS / "editors" / "index.md").read_text("utf-8")
    for page in (DOCS / "editors").glob("*.md"):
        if page.name != "index.md":
            tried = re.search(rf"\({page.name}\) \| (yes|no)", table)
            assert tried is not None
            assert ("Not tried here" in page.read_text("utf-8")) == (tried[1] == "no")


def test_the_problem_matcher_reads_real_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hire.py").write_text(
        "def score(applicant):\n    points = 3\n    if applicant.gender == 'male':\n"
        "        points += 5\n    return points\n"
    )
    assert main(["--format", "concise", "."]) == 1
    line = capsys.readouterr().out.splitlines()[0]
    (tasks,) = (text for text in blocks(DOCS / "editors" / "vscode.md", "json") if "problemMatcher" in text)
    pattern = json.loads(tasks)["tasks"][0]["problemMatcher"]["pattern"]
    found = re.fullmatch(pattern["regexp"], line)
    assert found is not None
    assert (found[pattern["file"]], found[pattern["line"]]) == ("hire.py", "3")
    assert (found[pattern["severity"]], found[pattern["code"]]) == ("error", "FL201")
    assert found[pattern["message"]].startswith("`points` depends on gender")


def test_the_limits_on_the_page_are_those_of_the_code() -> None:
    text = (DOCS / "agents.md").read_text("utf-8")
    assert f"{tools.LARGEST:,} characters" in " ".join(text.split())
    assert f"a check takes {PATIENCE:g} seconds" in text
    assert f"{compact.MOST} at most" in text
