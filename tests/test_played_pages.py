"""What the tutorial and its like show is what happens."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pages import PAGES, Said, agrees, played

ROOT = Path(__file__).parent.parent


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_a_page_say_what_is_shown(name: str) -> None:
    page = (ROOT / name).read_text("utf-8")
    played_blocks = list(played(page))
    assert played_blocks
    assert [said.said for said in played_blocks if not agrees(said)] == []


@pytest.mark.parametrize(
    ("shown", "said", "same"),
    [
        ("$ x\na\n", "$ x\na\n", True),
        ("$ x\na\n", "$ x\nb\n", False),
        ("$ x\na\n...\nd\n", "$ x\na\nb\nc\nd\n", True),
        ("$ x\na\n...\nd\n", "$ x\na\nb\nc\n", False),
        ("$ x\n...\n", "$ x\n", True),
        ("$ x\na\n", "$ x\na\nb\n", False),
    ],
)
def test_dots_stand_for_any_lines(shown: str, said: str, same: bool) -> None:
    assert agrees(Said(0, shown, said)) is same
