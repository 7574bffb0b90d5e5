"""Reports on a terminal: as wide as it is, with links where it knows them, a bar for who waits; in ASCII."""

from __future__ import annotations

import fcntl
import io
import os
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "reporters"))

import made

from fairlint.cli import progress
from fairlint.cli.terminals import is_ci, knows_links
from fairlint.findings.uses import GroupPoints
from fairlint.reporters import ReportOptions, concise, signs, text
from fairlint.reporters.printable import width
from fairlint.reporters.wrapping import wrap_text
from fairlint.rules.loading import load_rules
from fairlint.syntax.source import Source

ROOT = Path(__file__).parent.parent.parent
UNFAIR = """\
def rate(applicant):
    score = applicant.years
    if applicant.gender == "male":
        score += 5
    return score
"""
KITTY = {"TERM": "xterm-kitty"}
LINK = re.compile(r"\x1b]8;;([^\x1b]*)\x1b\\(.*?)\x1b]8;;\x1b\\")


def on_terminal(
    *command: str, folder: Path, columns: int = 80, environment: Mapping[str, str] | None = None
) -> str:
    """What a command writes to a terminal: standard output and error together."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    known = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        **(environment or {}),
    }
    streams: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    process = subprocess.Popen([sys.executable, *command], cwd=folder, env=known, **streams)
    os.close(theirs)
    told = b""
    while select.select([ours], [], [], 120)[0]:
        try:
            piece = os.read(ours, 65_536)
        except OSError:  # Linux says so at the end
            break
        if not piece:
            break
        told += piece
    os.close(ours)
    assert process.wait(60) in {0, 1}
    return told.decode()


def bare(line: str) -> str:
    """A line as it is seen."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", LINK.sub(r"\2", line))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(UNFAIR)
    return tmp_path


# ------------------------------------------------------------------------------------------------------ width


@pytest.mark.parametrize("columns", [60, 100])
def test_running_text_is_as_wide_as_the_terminal(folder: Path, columns: int) -> None:
    told = on_terminal("-m", "fairlint", "--isolated", "a.py", columns=columns, folder=folder)
    lines = [bare(line) for line in told.splitlines()]
    assert max(map(width, lines[:-1])) <= columns
    why = next(at for at, line in enumerate(lines) if "= evidence:" in line)
    assert re.match(r"      \S", lines[why + 1])  # it goes on, to the right of its title


def test_what_is_piped_is_not_broken(folder: Path) -> None:
    command = [sys.executable, "-m", "fairlint", "--isolated", "a.py"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "40"}
    told = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert any(len(line) > 120 for line in told.stdout.splitlines())
    assert "\x1b" not in told.stdout + told.stderr


@pytest.mark.parametrize(
    ("given", "columns", "first", "lines"),
    [
        ("one two three", 30, None, ["one two three"]),
        ("aaaaaaaaaa bbbbbbbbbb cccccccccc", 24, None, ["aaaaaaaaaa bbbbbbbbbb", "cccccccccc"]),
        ("aaaaaaaaaa bbbbbbbbbb cccccccccc", 40, 20, ["aaaaaaaaaa", "bbbbbbbbbb cccccccccc"]),
        ("女女女女女 女女女女女 女", 22, None, ["女女女女女 女女女女女", "女"]),
        ("女" * 25, 20, None, ["女" * 10, "女" * 10, "女" * 5]),
        ("e\u0301" * 22, 20, None, ["e\u0301" * 20, "e\u0301" * 2]),
        ("", 20, None, [""]),
    ],
)
def test_lines_are_measured_in_cells(given: str, columns: int, first: int | None, lines: list[str]) -> None:
    assert wrap_text(given, columns, first=first) == lines


def test_colours_take_no_room() -> None:
    options: dict[str, Any] = {"width": 60, "wrap": True}
    plain = "".join(text.report(made.score_report(), ReportOptions(**options)))
    painted = "".join(text.report(made.score_report(), ReportOptions(color=True, **options)))
    assert bare(painted) == plain


def test_a_long_headline_goes_on_indented() -> None:
    source = Source("a.py", made.SCORE.encode(), "python")
    report = made.report((source, made.finding(source, "points += 5", message="word " * 40)))
    lines = "".join(text.report(report, ReportOptions(width=50, wrap=True))).splitlines()
    assert lines[0].startswith("error[FL201]: word word")
    assert lines[1].startswith("    word")
    assert max(map(len, lines)) <= 50


# ------------------------------------------------------------------------------------------------------ links


@pytest.mark.parametrize(
    ("environment", "known"),
    [
        ({}, False),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"VTE_VERSION": "6800"}, True),
        ({"VTE_VERSION": "5001"}, False),
        ({"TERM_PROGRAM": "vscode"}, True),
        ({"TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"WT_SESSION": "x"}, True),
        ({"WT_SESSION": "x", "CI": "true"}, False),
        ({"WT_SESSION": "x", "TMUX": "/tmp/x"}, False),
        ({"TERM": "dumb", "TERM_PROGRAM": "vscode"}, False),
        ({"FORCE_HYPERLINK": "1"}, True),
        ({"FORCE_HYPERLINK": "0", "TERM_PROGRAM": "vscode"}, False),
    ],
)
def test_links_are_for_terminals_that_know_them(environment: dict[str, str], known: bool) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert knows_links(Terminal(), environment) is known
    assert knows_links(io.StringIO(), {**environment, "FORCE_HYPERLINK": "1"}) is False
    assert knows_links(None, environment) is False


def test_places_and_rules_are_links(folder: Path) -> None:
    command = ("-m", "fairlint", "--isolated", "a.py")
    told = on_terminal(*command, folder=folder, environment=KITTY)
    links = {shown: address for address, shown in LINK.findall(told)}
    assert links["a.py:3:8"] == f"file://{folder.resolve()}/a.py"
    assert links["FL201"].endswith("/FL201-points-by-group.md")
    assert "rule: fairlint rule FL201 (points-by-group" in bare(told)
    told = on_terminal(*command, "--format", "concise", folder=folder, environment=KITTY)
    assert len(LINK.findall(told)) == 2
    for environment in ({"NO_COLOR": "1"}, {"CI": "true"}, {"TERM": "dumb"}):
        assert "\x1b]8" not in on_terminal(*command, folder=folder, environment=KITTY | environment)
    (folder / "out.txt").unlink(missing_ok=True)
    on_terminal(*command, "--output", "out.txt", folder=folder, environment=KITTY | {"FORCE_COLOR": "1"})
    assert "\x1b" not in (folder / "out.txt").read_text()


def test_hostile_paths_end_no_link(tmp_path: Path) -> None:
    name = "a\x1b\\b\x07.py"
    (tmp_path / name).write_text(UNFAIR)
    source = Source(name, made.SCORE.encode(), "python")
    report = made.report((source, made.finding(source, "points += 5")))
    options = ReportOptions(links=True, root=str(tmp_path), load_rules=load_rules)
    told = "".join(concise.report(report, options))
    assert told.count("\x1b") == 8
    assert "\x07" not in told
    assert f"file://{tmp_path}/a%1B%5Cb%07.py" in told
    missing = made.report((made.Source("<stdin>", b"x", "python"), report.findings[0]))
    assert "file://" not in "".join(concise.report(missing, ReportOptions(links=True, root="/nowhere")))


# -------------------------------------------------------------------------------------------------- encodings


def test_signs_have_like_ones_where_an_encoding_lacks_them() -> None:
    assert signs.plain("a → b … 65–74 ×1.1 “x” 女") == 'a -> b ... 65-74 x1.1 "x" \\u5973'
    assert signs.text_in_encoding("a → b ×", "latin-1") == "a -> b ×"
    assert signs.text_in_encoding("a → b ×", "utf-8") == "a → b ×"


def test_an_ascii_terminal_gets_aligned_frames_and_tables() -> None:
    code = 'if 申請者.性別 == "男性": points += 5\n'
    source = Source("a.py", code.encode(), "python")
    points = GroupPoints("multiply", {"男性": 1.5, "65–74": 2.0}, 1.0)
    report = made.report(
        (source, made.finding(source, "points += 5", message="a → b", judged=made.use(points=points)))
    )
    told = "".join(text.report(report, ReportOptions(encoding="ascii")))
    lines = signs.plain(told).splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("1 | if"))
    assert lines[at + 1].index("^") == lines[at].index("points += 5")
    rows = [line for line in lines if re.search(r"x(1\.5|2|1)$", line)]
    assert len(rows) == 3
    assert len({len(line) for line in rows}) == 1


WORDS = (["--show-uses"], ["--format", "concise"], ["--statistics"], ["--format", "markdown"])


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        *((name, []) for name in ("ascii", "latin-1", "cp1252", "utf-8:strict")),
        *(("ascii:strict", words) for words in WORDS),
    ],
)
def test_no_encoding_ends_a_run(encoding: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "女 → é.py").write_text(UNFAIR.replace("score +=", "score  # → 女\n        score +="))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "fairlint", "--isolated", *words, ".", "missing → 女"]
    for arguments in (command[:-1], command):
        done = subprocess.run(arguments, cwd=tmp_path, env=environment, capture_output=True, check=False)
        assert done.returncode in {1, 2}
        assert b"Error" not in done.stdout + done.stderr
        if encoding.startswith("ascii"):
            assert (done.stdout + done.stderr).isascii()


# --------------------------------------------------------------------------------------------------- progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("CI", "TEAMCITY_VERSION", "TERM"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_a_bar_is_for_those_who_wait() -> None:
    pytest.importorskip("tqdm")
    now = 0.0
    stream = Terminal()
    bar = progress.Bar(stream, lambda: now)
    bar(1, 10)
    now = 0.9
    bar(2, 10)
    assert stream.getvalue() == ""
    now = 1.1
    bar(3, 10)
    assert "3 of 10 files" in stream.getvalue()
    bar.close()
    assert stream.getvalue().rsplit("\r", 1)[-1].strip() == ""
    late = Terminal()
    bar = progress.Bar(late, lambda: now)
    now = 9.0
    bar(10, 10)  # the last file needs no bar
    bar.close()
    assert late.getvalue() == ""


def test_no_bar_where_nobody_looks(alone: pytest.MonkeyPatch) -> None:
    alone.setattr(sys, "stderr", Terminal())
    assert progress.bar(quiet=False) is not None
    assert progress.bar(quiet=True) is None
    alone.setenv("CI", "1")
    assert progress.bar(quiet=False) is None
    alone.setenv("CI", "false")
    assert progress.bar(quiet=False) is not None
    alone.setenv("TERM", "dumb")
    assert progress.bar(quiet=False) is None
    alone.delenv("TERM")
    alone.setattr(sys, "stderr", io.StringIO())
    assert progress.bar(quiet=False) is None
    assert is_ci({"TEAMCITY_VERSION": "1"})


def test_a_run_with_several_processes_shows_a_bar_and_takes_it_away(tmp_path: Path) -> None:
    pytest.importorskip("tqdm")
    for at in range(60):
        (tmp_path / f"f{at:02}.py").write_text(UNFAIR + "# gender\ndef other(x):\n    return x\n" * 80)
    program = (
        "import sys; from fairlint.cli import main, progress; progress.DELAY = 0.0\n"
        "code = main(['--isolated', '--format', 'concise', '.'])\n"
        "import threading; assert threading.active_count() == 1\n"
        "assert 'fairlint.processes.parallel' in sys.modules; sys.exit(code)"
    )
    told = on_terminal("-c", program, folder=tmp_path)
    assert " of 60 files" in told
    done = [int(found) for found in re.findall(r"(\d+) of 60 files", told)]
    assert done == sorted(done)
    report = told[told.rindex("\r\x1b[K") + 4 :] if "\r\x1b[K" in told else told[told.rindex("files,") :]
    lines = [bare(line) for line in report.splitlines() if line.strip()]
    assert sum("FL201" in line for line in lines) == 60
    assert lines[-1].startswith("Found 60 findings")


def test_a_short_run_loads_no_bar(folder: Path) -> None:
    program = (
        "import sys; from fairlint.cli import main; code = main(['--isolated', '-q', 'a.py'])\n"
        "assert 'tqdm' not in sys.modules; sys.exit(code)"
    )
    assert "FL201" in on_terminal("-c", program, folder=folder)
