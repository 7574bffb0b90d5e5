"""What users of other tools type is answered with what serves here, and never with what writes files."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairlint.cli import COMMANDS, main
from fairlint.cli.check_command import COMMAND

WRITING = {name for _, group in COMMAND.groups for option in group if option.writes for name in option.names}
HINTS = [
    (["chekc"], "chekc: no such command, file or folder; did you mean 'check'?"),
    (["baselin", "create"], "did you mean 'baseline'?"),
    (["rules"], "did you mean 'fairlint rule --all'?"),
    (["help"], "did you mean 'fairlint --help'?"),
    (["version"], "did you mean 'fairlint --version'?"),
    (["nothere"], "nothere: no such file or folder"),
    (["--verbose"], "`fairlint explain FILE:LINE` says why"),
    (["--list-rules"], "`fairlint rule --all` lists the rules"),
    (["--disable", "FL2"], "use --ignore to disable rules"),
    (["--output-format", "json"], "use --format to choose the format"),
    (["--formt", "json"], "unknown option --formt; did you mean '--format'? (see"),
    (["baseline", "check"], "`fairlint baseline create` writes one"),
]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fairlint.toml").write_text("")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "told"), HINTS, ids=lambda one: " ".join(one) if isinstance(one, list) else ""
)
def test_a_wrong_word_is_one_line_with_what_serves(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("name", sorted(name for name in WRITING if name.startswith("--")))
def test_nothing_that_writes_is_suggested(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in (name[:-1], f"{name}x", name.replace("e", "i")):
        if wrong not in WRITING and main([wrong]) == 2:
            assert not any(f"'{one}'" in capsys.readouterr().err for one in WRITING)


def test_the_short_options_of_other_linters_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    assert main(["-f", "json", "-o", "report.json", "a.py"]) == 0
    assert (tmp_path / "report.json").read_text().startswith("{")
    assert capsys.readouterr().out == ""


def test_a_file_called_as_a_command_is_nearly_is_checked(tmp_path: Path) -> None:
    (tmp_path / "chekc").mkdir()
    (tmp_path / "chekc" / "a.py").write_text("x = 1\n")
    assert main(["chekc"]) == 0
    assert "check" in COMMANDS


def test_the_table_around_the_keys_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fairlint.toml").write_text('[tool.fairlint]\nselect = ["FL2"]\n')
    (tmp_path / "a.py").write_text("x = 1\n")
    assert main(["a.py"]) == 2
    assert "the keys stand without the table '[tool.fairlint]' in this file" in capsys.readouterr().err


def test_a_data_set_that_nobody_knows_has_a_hint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("numpy")
    (tmp_path / "a.py").write_text("def f(person):\n    return person.age > 3\n")
    assert main(["counterfactual", "a.py:f", "--data", "adlt"]) == 2
    assert "adlt: no such file or data set; did you mean 'adult'?" in capsys.readouterr().err
