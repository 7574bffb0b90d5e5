"""The resident process that carries out runs, tried with real processes: a run shows no difference."""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from fairlint import __main__ as entry
from fairlint.cli.daemon import IDLE, idle_seconds
from fairlint.daemon import messages, places, stamps

ROOT = Path(__file__).parent.parent
PATIENCE = 60.0
UNFAIR = "def rate(person):\n    return 5 if person.gender == 'male' else 2\n"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is a daemon on Linux only")


class World:
    """A folder of sockets, and the processes that belong to it."""

    def __init__(self, runtime: Path, work: Path) -> None:
        self.runtime = runtime
        self.work = work
        self.program = ROOT
        self.started: list[subprocess.Popen[bytes]] = []
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(work / "home"),
            "XDG_RUNTIME_DIR": str(runtime),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LC_ALL": "C.UTF-8",
        }

    def command(self, *words: str) -> list[str]:
        code = (
            f"import sys; sys.path.insert(0, {str(self.program)!r}); from fairlint.__main__ import run; run()"
        )
        return [sys.executable, "-c", code, *words]

    def run(
        self, *words: str, daemon: bool = True, given: bytes = b"", variables: Mapping[str, str] | None = None
    ) -> tuple[int, bytes, bytes]:
        done = subprocess.run(
            self.command(*words),
            cwd=self.work,
            env={**self.environment, "FAIRLINT_DAEMON": str(int(daemon)), **(variables or {})},
            input=given,
            capture_output=True,
            check=False,
            timeout=PATIENCE,
        )
        return done.returncode, done.stdout, done.stderr

    def popen(self, *words: str, stdin: int | None = None, stdout: int) -> subprocess.Popen[bytes]:
        made = subprocess.Popen(
            self.command(*words),
            cwd=self.work,
            env=self.environment,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
        )
        self.started.append(made)
        return made

    def sockets(self) -> list[Path]:
        return list(self.runtime.glob("fairlint/*.sock"))

    def processes(self) -> list[int]:
        """All that were started with this folder of sockets and go on."""
        mark = f"XDG_RUNTIME_DIR={self.runtime}\0".encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes() + b"\0":
                    found.append(int(folder.name))
            except OSError:
                continue
        return found

    def daemon(self) -> int:
        """The daemon, once it listens."""
        await_(self.sockets)
        code, told, _ = self.run("daemon", "status")
        assert code == 0
        return int(told.split()[1].rstrip(b","))

    def start(self, **variables: str) -> int:
        self.run("--version", variables=variables)
        return self.daemon()

    def runs(self) -> int:
        return int(self.run("daemon", "status")[1].partition(b" runs")[0].rpartition(b" ")[2])


def await_(holds: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    runtime = Path(tempfile.mkdtemp(prefix="fl-", dir="/tmp"))
    made = World(runtime, tmp_path)
    (tmp_path / "home").mkdir()
    (tmp_path / "rate.py").write_text(UNFAIR)
    yield made
    for process in made.processes():
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    for run in made.started:
        run.wait(PATIENCE)
        for pipe in (run.stdin, run.stdout, run.stderr):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
    shutil.rmtree(runtime)


RUNS = {
    "text": ("rate.py",),
    "colour": ("--color", "always", "rate.py"),
    "json": ("check", "--format", "json", "."),
    "uses": ("--show-uses", "rate.py"),
    "usage error": ("--format", "nonsense", "rate.py"),
    "no such file": ("nowhere.py",),
    "stdin": ("-", "--stdin-filename", "given.py"),
    "settings": ("--show-settings",),
    "hook": ("hook",),
    "help": ("--help",),
}


def test_runs_tell_the_same_as_without_a_daemon(world: World) -> None:
    world.environment["SOURCE_DATE_EPOCH"] = "1700000000"
    world.start()
    before = world.runs()
    for words in RUNS.values():
        given = UNFAIR.encode()
        assert world.run(*words, given=given) == world.run(*words, given=given, daemon=False)
    assert world.runs() == before + len(RUNS)


def test_the_environment_and_the_folder_of_a_run_are_its_own(world: World) -> None:
    world.start()
    actions = {"GITHUB_ACTIONS": "true"}
    told = world.run("--no-cache", "rate.py", variables=actions)
    assert told == world.run("--no-cache", "rate.py", variables=actions, daemon=False)
    assert b"::error" in told[1]
    before, other = world.runs(), world.work / "other"
    other.mkdir()
    (other / "fine.py").write_text("x = 1\n")
    world.work = other
    assert world.run(".")[0] == 0
    assert world.runs() == before + 1


def test_the_option_asks_for_a_daemon_and_is_no_error_where_there_is_none(world: World) -> None:
    code, _, told = world.run("--daemon", "rate.py", daemon=False)
    assert (code, told) == (1, b"")
    world.daemon()
    world.run("--daemon", "rate.py", daemon=False)
    assert world.runs() == 1


def on_terminal(world: World, *words: str, daemon: bool) -> bytes:
    """What a terminal of 70 columns shows."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 70, 0, 0))
    environment = {**world.environment, "TERM": "xterm-kitty", "FAIRLINT_DAEMON": str(int(daemon))}
    with subprocess.Popen(
        world.command(*words),
        cwd=world.work,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65_536):
                shown += piece
        except OSError:
            pass
        process.wait(PATIENCE)
    os.close(ours)
    return shown


def test_a_terminal_shows_the_same(world: World) -> None:
    world.start()
    before = world.runs()
    shown = on_terminal(world, "--no-cache", "rate.py", daemon=True)
    assert b"\x1b[" in shown
    assert shown == on_terminal(world, "--no-cache", "rate.py", daemon=False)
    assert world.runs() == before + 1


def test_files_are_written_as_the_users_mask_says(world: World) -> None:
    world.start()
    modes = []
    for name, daemon in (("a", True), ("b", False)):
        done = subprocess.run(
            ["sh", "-c", 'umask 027; exec "$@"', "sh", *world.command("-o", name, "rate.py")],
            cwd=world.work,
            env={**world.environment, "FAIRLINT_DAEMON": str(int(daemon))},
            check=False,
        )
        assert done.returncode == 1
        modes.append((world.work / name).stat().st_mode)
    assert modes[0] == modes[1]


def test_an_idle_daemon_ends(world: World) -> None:
    world.start(FAIRLINT_DAEMON_IDLE="1")
    await_(lambda: not world.sockets() and not world.processes())


def test_a_daemon_is_ended_when_told(world: World) -> None:
    process = world.start()
    code, told, _ = world.run("daemon", "stop")
    assert (code, told.count(b"\n")) == (0, 1)
    await_(lambda: process not in world.processes())
    assert world.run("daemon", "status") == (0, b"no daemon is running\n", b"")


def test_a_changed_configuration_is_seen(world: World) -> None:
    world.start()
    assert world.run("rate.py")[0] == 1
    (world.work / "fairlint.toml").write_text('ignore = ["FL2"]\n')
    assert world.run("rate.py") == world.run("rate.py", daemon=False)
    assert world.run("rate.py")[0] == 0


def test_a_changed_program_has_another_daemon(world: World, tmp_path: Path) -> None:
    program = tmp_path / "program"
    for name in ("fairlint", "rules"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, program / name, ignore=ignored)
    for path in program.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    world.program = program
    world.run("rate.py")
    first = world.start()
    changed = program / "fairlint" / "reporters" / "summary.py"
    changed.write_text(changed.read_text().replace("Found", "Counted"))
    code, told, _ = world.run("rate.py")
    assert code == 1
    assert b"Counted 1 finding" in told
    await_(lambda: first not in world.processes())
    os.utime(changed, (1_700_000_000, 1_700_000_000))
    world.run("rate.py")
    assert world.daemon() != first


def test_a_killed_daemon_is_replaced(world: World) -> None:
    first = world.start()
    os.kill(first, signal.SIGKILL)
    await_(lambda: first not in world.processes())
    assert world.sockets()
    assert world.run("rate.py") == world.run("rate.py", daemon=False)
    await_(world.processes)
    await_(lambda: b"process" in world.run("daemon", "status")[1])
    assert world.daemon() != first


def test_several_that_start_at_once_have_one_daemon(world: World) -> None:
    world.environment["FAIRLINT_DAEMON"] = "1"
    for run in [world.popen("--version", stdout=subprocess.DEVNULL) for _ in range(4)]:
        assert run.wait(PATIENCE) == 0
    process = world.daemon()
    await_(lambda: world.processes() == [process])


@pytest.mark.parametrize("how", ["open to others", "a link", "its parent is open"])
def test_a_folder_that_others_may_use_is_refused(world: World, how: str, tmp_path: Path) -> None:
    folder = world.runtime / "fairlint"
    if how == "open to others":
        folder.mkdir()
        folder.chmod(0o755)
    elif how == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        world.runtime.chmod(0o777)
    assert world.run("rate.py") == world.run("rate.py", daemon=False)
    assert not list(tmp_path.glob("elsewhere/*"))
    assert not world.processes()
    assert world.run("daemon", "status")[0] == 2


def test_a_folder_of_another_user_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert places.is_private(str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert not places.is_private(str(tmp_path))


def test_another_user_at_the_other_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    assert messages.peer_of(ours) == os.getpid()
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert messages.peer_of(ours) is None
    ours.close()
    theirs.close()


def waiting_run(world: World) -> subprocess.Popen[bytes]:
    """A run in the daemon that waits for standard input."""
    before = world.runs()
    world.environment["FAIRLINT_DAEMON"] = "1"
    run = world.popen("-", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    await_(lambda: world.runs() == before + 1)
    time.sleep(0.5)
    return run


def test_an_interrupted_run_says_so_and_ends(world: World) -> None:
    process = world.start()
    run = waiting_run(world)
    run.send_signal(signal.SIGINT)
    run.wait(PATIENCE)  # before the end of standard input ends it
    assert run.communicate(timeout=PATIENCE) == (b"", b"fairlint: interrupted\n")
    assert run.returncode == 130
    await_(lambda: world.processes() == [process])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_ends_with_its_client(world: World, number: signal.Signals) -> None:
    process = world.start()
    run = waiting_run(world)
    run.send_signal(number)
    run.communicate(timeout=PATIENCE)
    assert run.returncode == -number
    await_(lambda: world.processes() == [process])


def test_a_daemon_that_is_killed_during_a_run_is_told(world: World) -> None:
    process = world.start()
    run = waiting_run(world)
    os.kill(process, signal.SIGKILL)
    run.wait(PATIENCE)
    await_(lambda: not world.processes())
    out, told = run.communicate(timeout=PATIENCE)
    assert (run.returncode, out, told.count(b"\n")) == (2, b"", 1)


def test_a_reader_that_has_gone_is_no_error(world: World) -> None:
    world.start()
    codes = []
    for daemon in ("1", "0"):
        world.environment["FAIRLINT_DAEMON"] = daemon
        reading, writing = os.pipe()
        os.close(reading)
        run = world.popen("rate.py", stdout=writing)
        os.close(writing)
        told = run.communicate(timeout=PATIENCE)[1]
        codes.append((run.returncode, told))
    assert codes[0] == codes[1]


def test_elsewhere_than_on_linux_a_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert entry._run_in_daemon() is None
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "variable", "wanted"),
    [
        (["rate.py"], "1", True),
        (["--daemon", "rate.py"], "", True),
        (["check", "rate.py"], "1", True),
        (["rate.py"], "0", False),
        (["--watch", "rate.py"], "1", False),
        (["bench", "list"], "1", False),
        (["daemon", "stop"], "1", False),
    ],
)
def test_only_checks_are_handed_over(
    words: list[str], variable: str, *, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["fairlint", *words])
    monkeypatch.setenv("FAIRLINT_DAEMON", variable)
    monkeypatch.delenv("FAIRLINT_DEBUG", raising=False)
    assert entry._wants_daemon() is wanted


def test_a_run_comes_as_it_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODD", "a=b\n=\udcff")
    run = messages.Run(messages.pack_run(b"program", 0o027, ["fairlint", "a b", "", "\udcff.py"]))
    assert (run.identity, run.umask) == (b"program", 0o027)
    assert run.arguments == ["fairlint", "a b", "", "\udcff.py"]
    assert run.environment == dict(os.environb)


def test_a_change_of_data_or_code_is_a_change_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "words.toml").write_text("a = 1\n")
    known = stamps.program_stamps((str(tmp_path),))
    assert stamps.__file__ in known
    assert not stamps.has_changed(known)
    (tmp_path / "words.toml").write_text("a = 12\n")
    assert stamps.has_changed(known)


@pytest.mark.parametrize(("told", "seconds"), [("", IDLE), ("5", 5.0), ("-1", IDLE), ("1e9", IDLE)])
def test_the_time_without_a_run_can_be_set(told: str, seconds: float) -> None:
    assert idle_seconds(told) == seconds
