"""Standard streams that are closed or broken, and a current folder that is gone: one line, exit code 2."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import SCORE

from fairlint.checking import runner
from fairlint.cli import main, output

ROOT = Path(__file__).parent.parent.parent

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a shell closes them")


def in_shell(command: str, here: Path) -> subprocess.CompletedProcess[bytes]:
    """What comes of a command; `fairlint` in it is this one."""
    fairlint = f"'{sys.executable}' -m fairlint"
    return subprocess.run(
        ["bash", "-c", command.replace("fairlint", fairlint)],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "hire.py").write_text(SCORE)
    (tmp_path / "clean.py").write_text("x = 1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("fairlint hire.py >&-", "standard output cannot be written: it is closed"),
        ("fairlint clean.py >&-", "standard output cannot be written: it is closed"),
        ("fairlint --show-files . >&-", "standard output cannot be written: it is closed"),
        ("fairlint rule --all >&- <&-", "standard output cannot be written: it is closed"),
        ("fairlint - <&-", "standard input cannot be read: it is closed"),
        ("fairlint --diff-file - . <&-", "standard input cannot be read: it is closed"),
        ("fairlint server <&-", "standard input is closed: there is nobody to talk to"),
        ("fairlint mcp >&-", "standard output is closed: there is nobody to talk to"),
    ],
)
def test_a_closed_stream_is_one_line(command: str, told: str, here: Path) -> None:
    done = in_shell(command, here)
    assert done.stderr.decode() == f"fairlint: error: {told}\n"
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("fairlint hire.py >&- 2>&- <&-", 2),
        ("fairlint hire.py 2>&-", 1),
        ("fairlint clean.py 2>&-", 0),
        ("fairlint none.py 2>&-", 2),
        ("fairlint --output report hire.py >&- 2>&- <&-", 1),
        ("fairlint --output report hire.py 2> >(:)", 1),
    ],
)
def test_the_exit_code_is_right_where_nobody_hears_an_error(command: str, code: int, here: Path) -> None:
    done = in_shell(command, here)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    if "report" in command:
        assert (here / "report").read_text().startswith("error[FL201]")


@pytest.mark.parametrize(("name", "code"), [("hire.py", 1), ("clean.py", 0)])
def test_what_nobody_reads_to_its_end_has_its_exit_code(name: str, code: int, here: Path) -> None:
    done = in_shell(f"fairlint {name} | true; exit ${{PIPESTATUS[0]}}", here)
    assert (done.returncode, done.stderr) == (code, b"")


@pytest.mark.parametrize(
    "command",
    [
        "fairlint",
        "fairlint clean.py",
        "fairlint baseline create .",
        "fairlint --show-settings",
        "fairlint clean",
    ],
)
def test_a_folder_that_is_gone_is_one_line(command: str, here: Path) -> None:
    done = in_shell(f"mkdir gone; cd gone; rmdir ../gone; {command}", here)
    assert done.stderr.decode() == "fairlint: error: the current folder is no longer there\n"
    assert done.returncode == 2


def test_a_text_of_half_characters_is_written(here: Path) -> None:
    (here / os.fsdecode(b"h\xff.py")).write_text(SCORE)
    for form in ("text", "concise", "json", "markdown", "github"):
        done = in_shell(f"fairlint --format {form} .", here)
        assert (done.returncode, done.stderr.count(b"\n")) == (1, 0), form


@pytest.mark.parametrize("error", [BrokenPipeError, ConnectionResetError])
def test_another_pipe_that_breaks_is_not_taken_for_standard_output(
    error: type[OSError], here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the one to a process that was killed: exit code 0 would say that nothing was found."""

    def breaks(*_: object, **__: object) -> None:
        raise error(32, "Broken pipe")

    monkeypatch.chdir(here)
    monkeypatch.setattr(runner, "discover", breaks)
    assert main(["."]) == 2
    assert capsys.readouterr().err.startswith(f"fairlint: error: internal error: {error.__name__}")


def test_pieces_that_cannot_be_made_are_not_taken_for_standard_output() -> None:
    def pieces() -> object:
        yield "one"
        raise BrokenPipeError

    write: Callable[[object], None] = output.write_stdout  # type: ignore[assignment]
    with pytest.raises(BrokenPipeError):
        write(pieces())
