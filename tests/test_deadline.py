"""Time: what hangs is given up after a while and named, and everything else is checked."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairlint import Report, Settings, check_paths, check_source
from fairlint.checking import runner
from fairlint.cli import main
from fairlint.detectors import Detector, registry
from fairlint.detectors.context import Context
from fairlint.findings.report import NotAnalysed
from fairlint.findings.uses import Use
from fairlint.processes import deadline, parallel
from fairlint.processes.deadline import TooLongByClockError, TooLongError, within

ROOT = Path(__file__).parent.parent
SCORE = """\
def rate(applicant):
    points = 0
    if applicant.gender == "f":
        points += 5
    return points
"""
SOON = 0.3
"""Seconds after which work is given up here."""
LIMIT = 1.0
"""The same for files: what does not hang takes far less, also on a busy machine."""
FOREVER = 3600.0
SIGNS: dict[str, int] = {}

needs_fork = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")


def sleeps() -> None:
    time.sleep(FOREVER)


def spins() -> None:
    while True:
        pass


def swallows() -> None:
    """Hangs on although it was interrupted once."""
    try:
        spins()
    except BaseException:
        spins()


def backtracks() -> None:
    """Hangs in C, in an engine that looks for signals now and then."""
    re.match(r"(?:a|a)*b", "a" * 60)


def holds() -> None:
    """Hangs in C, where no signal's handler runs and no other thread: only the end of the process helps."""
    pow(3, 10**10, 7**300_000)


def stops() -> None:
    """Somebody stops the process, and nobody lets it go on."""
    os.kill(os.getpid(), signal.SIGSTOP)


def by_timer(work: Callable[[], None]) -> None:
    within(SOON, work)


def by_thread(work: Callable[[], None]) -> None:
    """Where signals do not arrive."""
    in_a_thread(lambda: by_timer(work))


def in_a_thread(work: Callable[[], None]) -> None:
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except TooLongError as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    if raised:
        raise raised[0]


@pytest.mark.parametrize(
    ("limited", "work"),
    [
        (by_timer, sleeps), (by_timer, spins), (by_timer, swallows), (by_timer, backtracks),
        (by_thread, spins), (by_thread, swallows),
    ],
)  # fmt: skip
def test_what_takes_longer_is_interrupted(
    limited: Callable[[Callable[[], None]], None], work: Callable[[], None]
) -> None:
    with pytest.raises(TooLongError):
        limited(work)


def of_processor(work: Callable[[], None]) -> None:
    within(FOREVER, work, processor=SOON)


def of_processor_by_thread(work: Callable[[], None]) -> None:
    in_a_thread(lambda: of_processor(work))


@pytest.mark.parametrize("limited", [of_processor, of_processor_by_thread])
@pytest.mark.parametrize("work", [spins, swallows])
def test_what_takes_more_of_the_processor_is_interrupted(
    limited: Callable[[Callable[[], None]], None], work: Callable[[], None]
) -> None:
    with pytest.raises(TooLongError) as told:
        limited(work)
    assert not isinstance(told.value, TooLongByClockError)


@pytest.mark.parametrize("in_thread", [False, True])
def test_time_that_somebody_else_has_the_processor_does_not_count(*, in_thread: bool) -> None:
    def waits() -> str:
        time.sleep(4 * SOON)  # as a process that is not let run
        return "done"

    told: list[str] = []

    def run() -> None:
        told.append(within(FOREVER, waits, processor=SOON))

    in_a_thread(run) if in_thread else run()
    assert told == ["done"]


def test_the_clock_ends_what_takes_nothing_of_the_processor() -> None:
    with pytest.raises(TooLongByClockError):
        within(SOON, sleeps, processor=FOREVER)


def test_other_threads_are_not_counted() -> None:
    done = threading.Event()

    def spin() -> None:
        while not done.is_set():
            pass

    other = threading.Thread(target=spin)
    other.start()
    try:
        assert within(FOREVER, lambda: time.sleep(3 * SOON), processor=SOON) is None
    finally:
        done.set()
        other.join()


@pytest.mark.parametrize("seconds", [0, 60])
def test_what_does_not_take_longer_gives_what_it_gives(seconds: float) -> None:
    assert within(seconds, lambda: "done") == "done"
    with pytest.raises(KeyError):
        within(seconds, lambda: SIGNS["x"])
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_program_that_has_a_timer_keeps_it() -> None:
    rang: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: rang.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, SOON / 2)
        with pytest.raises(TooLongError):
            within(SOON, spins)
        assert rang == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


LOOKED_ON = """
import signal, sys, threading
from fairlint.processes.deadline import TooLongByClockError, TooLongError, within

def spins():
    while True:
        pass

def swallows():
    try:
        spins()
    except BaseException:
        return "swallowed"

signal.signal(signal.SIGALRM, lambda *_: None)  # the program has a timer of its own
assert within(60, lambda: "done") == "done"
try:
    within(0.2, spins)
except TooLongError:
    pass
assert within(0.2, swallows) == "swallowed"
seen = []
sys.setprofile(lambda *event: seen.append(event))
(lambda: None)()
sys.setprofile(None)
print(len(seen) > 0)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there is no such timer")
def test_a_program_can_be_profiled_after_a_limit(here: Path) -> None:
    """Python 3.11 hung at the first call that a profiler or debugger looked at."""
    done = subprocess.run(
        [sys.executable, "-c", LOOKED_ON],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


# Files -----------------------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def hang(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Adds a detector that hangs in every source with the word `hangs`."""
    check_source(SCORE)  # what is loaded once takes its time

    def added(work: Callable[[], None]) -> None:
        monkeypatch.setattr(deadline, "GUARD", 2 if work in IDLE else 1000)

        def observe(context: Context) -> list[Use]:
            if b"hangs" in context.source.data:
                work()
            return []

        shipped = registry.detectors()
        monkeypatch.setattr(registry, "detectors", lambda: (*shipped, Detector("hanging", observe)))

    return added


IDLE = (sleeps, stops)
"""What takes nothing of the processor, so that only the clock can tell."""


def named(path: str, work: Callable[[], None] = spins) -> NotAnalysed:
    reason = f"takes longer than {LIMIT:g} s (the setting file-timeout)"
    if work in IDLE:
        reason = f"has not ended after {2 * LIMIT:g} s on the clock (2 times the setting file-timeout)"
    return NotAnalysed(path, 1, reason, "time")


def some_files(here: Path, hanging: tuple[int, ...] = (2, 3)) -> None:
    for number in range(8):
        (here / f"f{number}.py").write_text(SCORE + ("# hangs\n" if number in hanging else ""))


def assert_others_checked(report: Report, work: Callable[[], None]) -> None:
    assert report.not_analysed == (named("f2.py", work), named("f3.py", work))
    assert [finding.path for finding in report.findings] == [f"f{number}.py" for number in (0, 1, 4, 5, 6, 7)]
    assert not report.failed


@pytest.mark.parametrize("work", [sleeps, backtracks])
def test_a_file_that_hangs_is_named_and_the_others_are_checked(
    here: Path, hang: Callable[..., None], work: Callable[[], None]
) -> None:
    hang(work)
    some_files(here)
    assert_others_checked(check_paths(["."], Settings(file_timeout=LIMIT)), work)


def test_a_source_that_hangs_is_named(hang: Callable[..., None]) -> None:
    hang(spins)
    report = check_source(f"{SCORE}# hangs\n", settings=Settings(file_timeout=LIMIT))
    assert report.not_analysed == (named("<string>"),)
    assert check_source(SCORE, settings=Settings(file_timeout=LIMIT)).findings


@needs_fork
@pytest.mark.parametrize("work", [sleeps, holds, stops])
@pytest.mark.parametrize("count", [1, 3])
def test_a_process_that_hangs_is_ended(
    here: Path,
    hang: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    work: Callable[[], None],
    count: int,
) -> None:
    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 0)
    monkeypatch.setattr(parallel, "available", lambda **_: True)
    monkeypatch.setattr(parallel, "_process_count", lambda: count)
    monkeypatch.setattr(parallel, "GRACE", 0.5)
    hang(work)
    some_files(here)
    assert_others_checked(check_paths(["."], Settings(file_timeout=LIMIT)), work)


@needs_fork
def test_a_file_is_checked_although_its_process_was_stopped_once(
    here: Path, hang: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = here / "stopped"

    def stops_once() -> None:
        if not marker.exists():
            marker.touch()
            stops()

    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 0)
    monkeypatch.setattr(parallel, "available", lambda **_: True)
    monkeypatch.setattr(parallel, "GRACE", 0.5)
    hang(stops_once)
    monkeypatch.setattr(deadline, "GUARD", 5)
    some_files(here)
    report = check_paths(["."], Settings(file_timeout=LIMIT))
    assert marker.exists()
    assert (len(report.findings), report.not_analysed) == (8, ())


@needs_fork
def test_a_file_has_the_time_of_its_process_and_not_of_the_clock(
    here: Path, hang: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a machine where something else has the processor most of the time."""
    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 0)
    monkeypatch.setattr(parallel, "available", lambda **_: True)
    monkeypatch.setattr(parallel, "GRACE", 0.0)
    hang(lambda: time.sleep(2 * LIMIT))
    some_files(here)
    serial = check_paths(["."], Settings(file_timeout=LIMIT, jobs=1))
    assert (len(serial.findings), serial.not_analysed) == (8, ())
    assert check_paths(["."], Settings(file_timeout=LIMIT)) == serial


@needs_fork
def test_the_limit_changes_nothing_where_it_is_not_reached(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_files(here, ())
    serial = check_paths(["."], Settings(file_timeout=60))
    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 0)
    monkeypatch.setattr(parallel, "available", lambda **_: True)
    assert (
        serial
        == check_paths(["."], Settings(file_timeout=0))
        == check_paths(["."], Settings(file_timeout=60))
    )


@needs_fork
def test_a_process_that_is_stopped_amid_a_message_is_replaced(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve, marker = parallel._serve_pieces, here / "stopped"

    def stopped_once(*arguments: Any) -> None:
        if not marker.exists():
            marker.touch()
            stops()
        serve(*arguments)

    (here / "large.py").write_text(SCORE + "# long\n" * 500_000)
    (here / "small.py").write_text(SCORE)
    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 0)
    monkeypatch.setattr(parallel, "available", lambda **_: True)
    monkeypatch.setattr(parallel, "_process_count", lambda: 1)
    monkeypatch.setattr(parallel, "STALLED", 1)
    monkeypatch.setattr(parallel, "_serve_pieces", stopped_once)
    report = check_paths(["."], Settings(file_timeout=0))
    assert marker.exists()
    assert [finding.path for finding in report.findings] == ["large.py", "small.py"]
    assert report.not_analysed == ()


@needs_fork
@pytest.mark.parametrize(("jobs", "asked"), [(0, [0]), (1, []), (3, [3])])
def test_as_many_processes_as_are_asked_for(
    here: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, asked: list[int]
) -> None:
    some_files(here, ())
    alone = check_paths(["."], Settings())
    analyse, counts = parallel.analyse, list[int]()

    def counted(*arguments: Any, most: int, **more: Any) -> Any:
        counts.append(most)
        return analyse(*arguments, most=most, **more)

    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 0)
    monkeypatch.setattr(parallel, "available", lambda **_: True)
    monkeypatch.setattr(parallel, "analyse", counted)
    assert check_paths(["."], Settings(jobs=jobs)) == alone
    assert counts == asked


# The whole run ---------------------------------------------------------------------------------------------


RUN = 3.0
"""Seconds for a run of which most files take none."""


def left(path: str, seconds: float = RUN) -> NotAnalysed:
    return NotAnalysed(path, 1, f"the run takes longer than {seconds:g} s (the setting timeout)", "time")


@pytest.mark.parametrize("file_timeout", [0, 60])
def test_what_the_run_has_no_time_for_is_named(
    here: Path, hang: Callable[..., None], file_timeout: float
) -> None:
    hang(sleeps)
    some_files(here)
    report = check_paths(["."], Settings(timeout=RUN, file_timeout=file_timeout))
    assert report.not_analysed == tuple(left(f"f{number}.py") for number in range(2, 8))
    assert [finding.path for finding in report.findings] == ["f0.py", "f1.py"]
    assert report.files == 2
    assert not report.failed


@needs_fork
@pytest.mark.parametrize("work", [sleeps, holds, stops])
@pytest.mark.parametrize("count", [1, 3])
def test_a_run_of_several_processes_ends_in_time(
    here: Path,
    hang: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    work: Callable[[], None],
    count: int,
) -> None:
    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 0)
    monkeypatch.setattr(parallel, "available", lambda **_: True)
    monkeypatch.setattr(parallel, "_process_count", lambda: count)
    monkeypatch.setattr(parallel, "GRACE", 0.5)
    monkeypatch.setattr(parallel, "BATCH", 1)
    hang(work)
    some_files(here)
    report = check_paths(["."], Settings(timeout=RUN, file_timeout=0))
    assert {gap.path for gap in report.not_analysed} >= {"f2.py", "f3.py"}
    assert report.not_analysed == tuple(left(gap.path) for gap in report.not_analysed)
    assert [gap.path for gap in report.not_analysed] == sorted(gap.path for gap in report.not_analysed)
    found = {finding.path for finding in report.findings}
    assert found
    assert len(found) + len(report.not_analysed) == 8
    assert not report.failed


def test_a_run_may_end_before_all_files_are_known(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some_files(here)
    monkeypatch.setattr(runner, "discover", lambda *_: sleeps())
    report = check_paths(["."], Settings(timeout=SOON))
    assert report.not_analysed == (left(".", SOON),)
    assert report.files == 0


def test_the_report_of_a_run_that_was_cut_has_the_usual_shape(
    here: Path, hang: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    hang(sleeps)
    some_files(here)
    assert main(["--isolated", "--timeout", str(RUN), "--format", "json", "."]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [gap["cause"] for gap in told["not_analysed"]] == ["time"] * 6
    assert told["summary"] == {
        "files": 2,
        "findings": 2,
        "suppressed": 0,
        "stale": 0,
        "unchanged": 0,
        "by_context": {},
    }


PLUGIN = """
from fairlint.detectors import Detector

def observe(context):
    if b"hangs" in context.source.data:
        pow(3, 10**10, 7**300_000)
    return ()

def fairlint_detectors():
    return [Detector("hanging", observe)]
"""


INTERRUPTIBLE = """
import signal, sys
from fairlint.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and one behind nohup this
sys.exit(main())
"""


@pytest.fixture
def plugged_in(here: Path) -> dict[str, str]:
    """The environment of a program beside which a plugin is installed that hangs within C."""
    metadata = here / "packages" / "hanging-1.0.dist-info"
    metadata.mkdir(parents=True)
    (here / "packages" / "hanging_plugin.py").write_text(PLUGIN)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: hanging\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[fairlint]\nhanging = hanging_plugin\n")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(here / "packages")])}


@needs_fork
def test_what_a_plugin_hangs_in_is_named_even_alone(here: Path, plugged_in: dict[str, str]) -> None:
    (here / "rate.py").write_text(f"{SCORE}# hangs\n")
    done = subprocess.run(
        [sys.executable, "-m", "fairlint", "--file-timeout", str(LIMIT), "rate.py"],
        env=plugged_in,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert f"rate.py:1: takes longer than {LIMIT:g} s (the setting file-timeout)" in done.stdout
    assert done.returncode == 2  # there was nothing else to check


@needs_fork
@pytest.mark.parametrize(
    ("sent", "code"),
    [(signal.SIGKILL, -9), (signal.SIGHUP, 129), (signal.SIGTERM, 143), (signal.SIGINT, 130)],
)
def test_processes_end_with_their_parent(
    here: Path, plugged_in: dict[str, str], sent: signal.Signals, code: int
) -> None:
    for number in range(4):
        (here / f"f{number}.py").write_text(f"{SCORE}# hangs\n")
    (here / "report.txt").write_text("the last one\n")
    running = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "--file-timeout", "600", "--output", "report.txt", "."],
        env=plugged_in,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert _becomes(lambda: len(_in_session(running.pid)) > 1)
    running.send_signal(sent)
    told, err = running.communicate(timeout=60)
    assert _becomes(lambda: not _in_session(running.pid))
    assert running.returncode == code
    assert (told, err) == ("", "fairlint: interrupted\n" if sent == signal.SIGINT else "")
    assert sorted(path.name for path in here.iterdir()) == sorted(
        ["f0.py", "f1.py", "f2.py", "f3.py", "packages", "report.txt"]
    )
    assert (here / "report.txt").read_text() == "the last one\n"


def _becomes(true: Callable[[], bool]) -> bool:
    """Whether something becomes true within a while."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if true():
            return True
        time.sleep(0.05)
    return False


def _in_session(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, at = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(at) == session and state != "Z":
            found.append(int(folder.name))
    return found


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--file-timeout=-1", "--file-timeout must be a number of seconds, 0 for no limit, not -1"),
        ("--file-timeout=soon", "--file-timeout must be a number of seconds, 0 for no limit, not 'soon'"),
        ("--timeout=nan", "--timeout must be a number of seconds, 0 for no limit, not nan"),
        ("--file-steps=0", "--file-steps must be a whole number from 1 on, not 0"),
        ("--file-steps=1.5", "--file-steps must be a whole number from 1 on, not 1.5"),
        ("--file-nesting=181", "--file-nesting must be a whole number from 1 to 180, not 181"),
        ("--jobs=-1", "--jobs must be a whole number, 0 for one a core, not -1"),
        ("-jmany", "--jobs must be a whole number, 0 for one a core, not 'many'"),
        ("--file-nesting=deep", "--file-nesting must be a whole number from 1 to 180, not 'deep'"),
        ("--file-memory=-1", "--file-memory must be a number of bytes, or text such as '5 MB', not -1"),
        ("--file-memory=1", "--file-memory must be 20 MB or more, which a small file takes, or 0, not 1"),
        ("--file-memory=much", "--file-memory must be a number of bytes, or text such as '5 MB', not 'much'"),
    ],
)
def test_a_limit_that_is_none_is_told(option: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--isolated", option, "x.py"]) == 2
    assert told in capsys.readouterr().err
