"""Ignore rules are those of git."""

from __future__ import annotations

import random
import runpy
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.sources.ignore_rules import read_rules

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "ignore_rules.py"


@pytest.mark.parametrize(
    ("rules", "path", "verdict"),
    [
        ("*.py[[:alpha:]]", "foo.pyc", True),
        ("*.py[[:alpha:]]", "foo.py1", None),
        ("x[z-a]", "xb", None),
        ("[!a-c]", "d", True),
        ("[]-]", "]", True),
        ("bar/**/", "bar/a", None),
        ("bar/**", "bar/a", True),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/1/2/b", True),
        ("/a", "b/a", None),
        ("*\n!a", "a", False),
        ("a \\ ", "a  ", True),
        ("a  ", "a", True),
        ("\ufeffa", "a", True),
        ("a\r\nb", "a", True),
        ("\\#a", "#a", True),
        ("#a", "#a", None),
        ("?", "é", None),
    ],
)
def test_patterns_mean_what_git_means(rules: str, path: str, verdict: bool | None) -> None:
    assert read_rules(rules.encode()).verdict(path, folder=False) is verdict


def test_a_slash_at_the_end_means_folders() -> None:
    rules = read_rules(b"gen/")

    assert rules.verdict("gen", folder=True)
    assert rules.verdict("gen", folder=False) is None
    assert rules.verdict("gen/a.py", folder=False) is None
    assert rules.verdict_below("gen/a.py", folder=False)


def test_nothing_below_a_folder_that_is_left_out_is_taken_back() -> None:
    assert read_rules(b"gen\n!gen/a.py").verdict_below("gen/a.py", folder=False)


@given(st.binary(max_size=60), st.text(alphabet="ab/.[]*\\!é", min_size=1, max_size=12))
def test_no_line_breaks_anything(data: bytes, path: str) -> None:
    assert read_rules(data).verdict_below(path, folder=False) in {True, False, None}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")
@pytest.mark.parametrize("seed", range(3))
def test_random_rules_mean_what_git_means(seed: int) -> None:
    compare = runpy.run_path(str(BENCHMARK))["compare"]

    assert compare(60, random.Random(seed)) == []
