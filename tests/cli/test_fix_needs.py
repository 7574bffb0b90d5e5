"""Fixes without libcst: one line says what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairlint.cli import fix, main


@pytest.mark.parametrize("option", ["--fix", "--unsafe-fixes", "--diff-fixes"])
def test_what_is_missing_is_said_in_one_line(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fix, "find_spec", lambda _: None)
    (tmp_path / "a.py").write_text("x = 1\n")
    assert main(["--isolated", option, "."]) == 2
    assert capsys.readouterr().err == f"fairlint: error: {option} needs libcst: pip install 'fairlint[fix]'\n"
