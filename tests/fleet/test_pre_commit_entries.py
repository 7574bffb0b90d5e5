"""The entry of fairlint in a `.pre-commit-config.yaml`: all else of the file stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from fairlint.fleet.pre_commit import NotExtendedError, config_text, with_hook

PLAIN = """\
# Ours.
default_language_version: {python: python3.12}

repos:
  - repo: https://github.com/astral-sh/ruff-pre-commit
    rev: v0.8.0  # newest
    hooks:
      - id: ruff
        args: [--fix]
      # - id: ruff-format

  # what follows is another matter
exclude: ^vendor/
"""
SAMPLE = """\
---
repos:
-   repo: https://github.com/pre-commit/pre-commit-hooks
    rev: v5.0.0
    hooks:
    -   id: trailing-whitespace
    -   id: check-yaml"""
TEXTS = """\
repos:
- repo: local
  hooks:
  - id: note
    name: note
    language: system
    entry: |
      sh -c '
        echo one
      '

ci:
  autofix_prs: false
"""


def lines_added(text: str) -> list[str]:
    """The lines that are new; all others are the same, in the same order."""
    old, new = text.split("\n"), with_hook(text).split("\n")
    start = next(at for at, line in enumerate([*old, None]) if at >= len(old) or line != new[at])
    count = len(new) - len(old)
    assert new[:start] + new[start + count :] == old
    return new[start : start + count]


@pytest.mark.parametrize(
    ("text", "first", "above"),
    [
        (PLAIN, "  - repo: local", "      # - id: ruff-format"),
        (SAMPLE, "-   repo: local", "    -   id: check-yaml"),
        (f"{SAMPLE}\n\n\n", "-   repo: local", "    -   id: check-yaml"),
        (TEXTS, "- repo: local", "      '"),
    ],
)
def test_an_entry_is_added_and_all_else_stays(text: str, first: str, above: str) -> None:
    added = lines_added(text)
    assert added[0] == first
    new = with_hook(text)
    assert f"{above}\n{first}\n" in new
    hooks: dict[str, Any] = yaml.safe_load(new)["repos"][-1]["hooks"][0]
    assert (hooks["id"], hooks["entry"]) == ("fairlint", "fairlint check --force-exclude")
    assert with_hook(new) == new


def test_a_file_that_is_not_there_is_made() -> None:
    assert [one["repo"] for one in yaml.safe_load(with_hook(""))["repos"]] == ["local"]


def test_a_file_with_a_hook_of_fairlint_stays() -> None:
    text = "repos: [{repo: 'https://example.org/fairlint', rev: v1, hooks: [{id: fairlint-changed}]}]\n"
    assert with_hook(text) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "not known"),
        ("repos: [{repo: local, hooks: []}]\n", "no list of 'repos'"),
        ("repos: []\n", "no list of 'repos'"),
        ("exclude: x\n", "no list of 'repos'"),
        ("- repo: x\n", "no list of 'repos'"),
        ("# nothing\n", "no list of 'repos'"),
        ("repos:\r\n  - repo: x\r\n", "as on Windows"),
        ("repos:\n  - repo: x\n---\nrepos: []\n", "no YAML"),
        ("repos:\n\t- repo: x\n", "no YAML"),
        ("a: &a [1]\nb: [*a, *a]\nrepos:\n  - repo: x\n    hooks: []\n", "no YAML"),
        ("[" * 3000, "no YAML"),
        ("repos: !!python/object:os.system\n  - repo: x\n", "no YAML"),
        ("repos:\n  - repo: x\n    hooks: []\nrepos:\n  - repo: y\n    hooks: []\n", "layout"),
    ],
)
def test_what_cannot_be_extended_surely_is_left(text: str | None, told: str) -> None:
    with pytest.raises(NotExtendedError, match=told):
        with_hook(text)


def test_what_is_no_text_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / ".pre-commit-config.yaml"
    assert config_text() == ""
    path.write_text(PLAIN)
    assert config_text() == PLAIN
    for data in (b"", b"\xff\xfe", b"#" * 200_000):
        path.write_bytes(data)
        assert config_text() is None
