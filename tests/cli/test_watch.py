"""`fairlint --watch` over real files, as a process that somebody interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from programs import CLEAN, SCORE

from fairlint.cli import main

ROOT = Path(__file__).parent.parent.parent
LATE = 60.0

pytestmark = pytest.mark.skipif(os.name != "posix", reason="ends by a signal")


class Watched:
    """A run that goes on, and what it has written so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.out: list[str] = []
        self.err: list[str] = []
        for stream, lines in ((process.stdout, self.out), (process.stderr, self.err)):
            assert stream is not None
            threading.Thread(target=lambda s=stream, to=lines: to.extend(s), daemon=True).start()

    def until(self, lines: list[str], text: str, count: int = 1) -> None:
        """Waits until a text has been written so many times."""
        end = time.monotonic() + LATE
        while "".join(lines).count(text) < count:
            assert time.monotonic() < end, ("".join(self.out), "".join(self.err))
            assert self.process.poll() is None, "".join(self.err)
            time.sleep(0.05)


@contextmanager
def watching(folder: Path, *words: str) -> Iterator[Watched]:
    """A run in a folder, which ends cleanly when it is interrupted."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-P", "-m", "fairlint", "--watch", "--format", "concise", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, env=env, stdout=pipe, stderr=pipe, text=True) as process:
        run = Watched(process)
        try:
            yield run
            process.send_signal(signal.SIGINT)
            assert process.wait(LATE) == 0
        finally:
            process.kill()
    assert "Traceback" not in "".join(run.err)
    assert "\x1b" not in "".join(run.out), "the screen is not cleared"


def replaced(path: Path, text: str) -> None:
    """Writes a file as most editors do."""
    draft = path.with_name(f".{path.name}.swp")
    draft.write_text(text)
    draft.replace(path)


def test_a_change_is_told_and_what_does_not_count_is_not(tmp_path: Path) -> None:
    (tmp_path / "hire.py").write_text(CLEAN)
    (tmp_path / "node_modules").mkdir()
    with watching(tmp_path) as run:
        run.until(run.out, "No findings")
        run.until(run.err, "fairlint: watching .; Ctrl-C ends it\n")
        (tmp_path / "notes.md").write_text("notes\n")
        (tmp_path / "node_modules" / "hire.py").write_text(SCORE)
        time.sleep(1)
        replaced(tmp_path / "hire.py", SCORE)
        run.until(run.out, "hire.py:4:8: FL201 error")
        assert "".join(run.err).count(" changed") == 1
        (tmp_path / "hire.py").write_text(SCORE.replace("+= 5", "+= 7"))
        run.until(run.out, "male +7")
        (tmp_path / "new.py").write_text(SCORE)
        run.until(run.out, "new.py:4:8: FL201 error")
        (tmp_path / "new.py").unlink()
        (tmp_path / "hire.py").unlink()
        run.until(run.err, "fairlint: error: no ")


def test_configuration_counts_wherever_it_is(tmp_path: Path) -> None:
    project, source = tmp_path / "project", tmp_path / "project" / "src"
    source.mkdir(parents=True)
    (project / ".git").mkdir()
    (source / "hire.py").write_text(SCORE)
    with watching(project, "src") as run:
        run.until(run.out, "FL201 error")
        (project / "fairlint.toml").write_text('ignore = ["FL2"]\n')
        run.until(run.out, "No findings")
        (project / "fairlint.toml").write_text("ignore = 7\n")
        run.until(run.err, "fairlint: error: ")
        (project / "fairlint.toml").write_text("")
        run.until(run.out, "FL201 error", 2)


def test_a_single_file_is_watched_and_its_neighbours_are_not_told(tmp_path: Path) -> None:
    (tmp_path / "hire.py").write_text(CLEAN)
    with watching(tmp_path, "hire.py") as run:
        run.until(run.out, "No findings")
        replaced(tmp_path / "hire.py", SCORE)
        run.until(run.out, "hire.py:4:8: FL201 error")
        (tmp_path / "other.py").write_text(SCORE)
        run.until(run.err, "other.py changed")
        run.until(run.out, "hire.py:4:8: FL201 error", 2)
        assert "other.py:4" not in "".join(run.out)


def test_a_report_that_is_written_beside_the_code_starts_no_run(tmp_path: Path) -> None:
    (tmp_path / "hire.py").write_text(SCORE)
    with watching(tmp_path, "--output", "report.py") as run:
        run.until(run.err, "1 error")
        (tmp_path / "hire.py").write_text(CLEAN)
        run.until(run.err, "No findings")
        time.sleep(2)
        assert "".join(run.err).count(" changed") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-"], "standard input"),
        (["--diff-file", "-"], "standard input"),
        (["--fix"], "--fix"),
        (["--add-ignore", "--reason", "x"], "--add-ignore"),
        (["nowhere.py"], "nowhere.py"),
    ],
)
def test_what_cannot_be_watched_is_one_line(
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--watch", *words]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
