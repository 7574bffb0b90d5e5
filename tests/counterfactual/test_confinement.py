"""What the system refuses a program of the process executor: calls, by their arguments too, and paths."""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fairlint import UsageError
from fairlint.counterfactual.executors import process
from fairlint.counterfactual.executors.choosing import PYTHONS, choose, warning
from fairlint.counterfactual.executors.confinement import (
    CALLS,
    GUARANTEES,
    HIDING,
    LIMITS,
    READING,
    call_filter,
)
from fairlint.counterfactual.executors.executor import Call, Crashed, Failed, Outcome, Program, Value
from fairlint.counterfactual.executors.executor import Limits as Taken
from fairlint.counterfactual.executors.process import ProcessExecutor, lacking, protections

linux = pytest.mark.skipif(sys.platform != "linux", reason="seccomp and Landlock are Linux's")
REFUSED = Value("str", '"Operation not permitted"')


def run(source: str, executor: ProcessExecutor | None = None) -> Outcome | Failed:
    with executor or ProcessExecutor(workers=1) as running:
        found = running.run(Program(source, "f", Call("arguments", ("age",))), [[30]], Taken(seconds=20))
    return found if isinstance(found, Failed) else found[0]


def tried(expression: str, *lines: str) -> Outcome | Failed:
    """What an expression is, or the words of the system's error."""
    body = "".join(f"        {line}\n" for line in lines)
    return run(
        f"import os, fcntl, struct\ndef f(age):\n    try:\n{body}        return {expression}\n"
        "    except OSError as error:\n        return os.strerror(error.errno)\n"
    )


# ----------------------------------------------------------------------------------- calls by their arguments


@linux
@pytest.mark.parametrize(
    "expression",
    [
        "fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())",
        "fcntl.fcntl(0, 15, struct.pack('ii', 1, os.getpid()))",  # F_SETOWN_EX
        "fcntl.fcntl(0, fcntl.F_SETSIG, 0)",
        "fcntl.fcntl(0, fcntl.F_SETLEASE, fcntl.F_UNLCK)",
        "fcntl.fcntl(0, fcntl.F_NOTIFY, 0)",
        "fcntl.fcntl(0, fcntl.F_SETFL, os.O_ASYNC)",
        "fcntl.fcntl(0, fcntl.F_GETLK, bytes(32))",
        "fcntl.ioctl(0, 0x5452, struct.pack('i', 0))",  # FIOASYNC
        "fcntl.ioctl(0, 0x8901, struct.pack('i', os.getpid()))",  # FIOSETOWN
        "fcntl.ioctl(0, 0x8902, struct.pack('i', os.getpid()))",  # SIOCSPGRP
        "fcntl.ioctl(0, 0x5412, b'x')",  # TIOCSTI
        "os.kill(os.getpid(), 0)",
        "os.open(os.path.dirname(os.__file__), os.O_PATH)",
        "os.open(os.__file__, os.O_RDWR)",
    ],
)
def test_what_could_act_on_others_is_refused(expression: str) -> None:
    assert tried(expression) == REFUSED


@linux
@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("fcntl.fcntl(0, fcntl.F_GETFD)", "0"),
        ("fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK)", "0"),
        ("fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 9) > 8", "1"),
        ("(os.set_inheritable(0, True), os.get_inheritable(0))[1]", "1"),
        ("os.isatty(0)", "0"),
        ("len(open(os.__file__).read(3))", "3"),
        ("os.get_terminal_size(0)", '"Inappropriate ioctl for device"'),
    ],
)
def test_what_python_needs_is_allowed(expression: str, text: str) -> None:
    found = tried(expression)
    assert isinstance(found, Value)
    assert found.text == text


def answer(machine: str, call: int, *arguments: int, kernel: int | None = None) -> bool:
    """Whether a filter allows a call: what the kernel does with it."""
    known = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}[machine] if kernel is None else kernel
    given = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<IIQ6Q", call, known, 0, *given)
    steps, at, loaded = call_filter(machine), 0, 0
    assert len(steps) < 4096
    while True:
        code, if_so, if_not, value = steps[at]
        assert 0 <= if_so < 256
        assert 0 <= if_not < 256
        at += 1
        if code == 0x20:
            (loaded,) = struct.unpack_from("<I", data, value)
        elif code == 0x06:
            return value == 0x7FFF0000
        else:
            holds = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}[code]
            at += if_so if holds else if_not


NUMBERS = {
    "x86_64": {"read": 0, "fcntl": 72, "ioctl": 16, "openat": 257, "madvise": 28, "kill": 62, "prctl": 157},
    "aarch64": {
        "read": 63,
        "fcntl": 25,
        "ioctl": 29,
        "openat": 56,
        "madvise": 233,
        "kill": 129,
        "prctl": 167,
    },
}
BEYOND = 1 << 32


@pytest.mark.parametrize("machine", list(NUMBERS))
def test_the_filter_of_each_machine(machine: str) -> None:
    number = NUMBERS[machine]
    assert answer(machine, number["read"], 0, 1, 2)
    assert not answer(machine, number["read"], kernel=0x40000003)  # 32 bits
    assert not answer(machine, number["read"] | 0x40000000)  # x32
    assert not answer(machine, number["kill"])
    assert not answer(machine, number["prctl"])
    for command, holds in (
        (1, True),
        (1030, True),
        (8, False),
        (15, False),
        (10, False),
        (1024, False),
        (1026, False),
    ):
        assert answer(machine, number["fcntl"], 0, command, 0) is holds
        assert not answer(machine, number["fcntl"], 0, command | BEYOND, 0)
    assert answer(machine, number["fcntl"], 0, 4, 0o4000)
    assert not answer(machine, number["fcntl"], 0, 4, 0o24000)
    assert not answer(machine, number["fcntl"], 0, 4, 0o4000 | BEYOND)
    assert answer(machine, number["ioctl"], 0, 0x5401)
    assert not answer(machine, number["ioctl"], 0, 0x5452)
    assert not answer(machine, number["ioctl"], 0, 0x5401 | BEYOND)
    assert answer(machine, number["openat"], 0, 0, 0o2000000)
    for flag in (0o1, 0o2, 0o100, 0o1000, 0o2000, 0o10000000, 0o20000000, BEYOND):
        assert not answer(machine, number["openat"], 0, 0, flag)
    assert answer(machine, number["madvise"], 0, 0, 4)
    assert not answer(machine, number["madvise"], 0, 0, 100)


@pytest.mark.parametrize(
    ("machine", "header"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        ("aarch64", "/usr/include/asm-generic/unistd.h"),
    ],
)
def test_numbers_are_those_of_the_kernels_headers(machine: str, header: str) -> None:
    from fairlint.counterfactual.executors import confinement

    if not Path(header).exists():
        pytest.skip("no headers of the kernel")
    known: dict[str, int] = {}
    for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text()):
        known.setdefault(name, int(number))
    known.setdefault("newfstatat", known.get("fstatat", -1))
    column = {"x86_64": 0, "aarch64": 1}[machine]
    for name, numbers in confinement._CALLS.items():
        if column < len(numbers):
            assert known[name] == numbers[column], name


# ------------------------------------------------------------------------------------------------------ paths


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path / "outside.txt"
    path.write_text("kept")
    (tmp_path / "link").symlink_to(path)
    return path


@linux
@pytest.mark.parametrize(
    "expression",
    [
        "os.stat({!r}).st_size",
        "os.path.exists({!r})",
        "os.access({!r}, os.F_OK)",
        "os.readlink({!r} + '/../link')",
        "len(os.listdir('/proc'))",
        "os.stat('/proc/self').st_uid",
        "os.stat('/etc/passwd').st_size",
    ],
)
def test_what_lies_elsewhere_cannot_be_asked_for(expression: str, outside: Path) -> None:
    if HIDING not in protections():
        pytest.skip(lacking()[HIDING])
    assert tried(expression.format(str(outside))) in (
        Value("str", '"No such file or directory"'),
        Value("bool", "0"),
    )


@linux
def test_modules_are_found_in_what_is_seen() -> None:
    source = (
        "def f(age):\n    import decimal, datetime, zoneinfo, sqlite3, xml.etree.ElementTree, difflib\n"
        "    return datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc).isoformat()\n"
    )
    assert run(source) == Value("str", '"2020-01-01T00:00:00+00:00"')


# -------------------------------------------------------------------------------- where something is lacking

WITHOUT = {
    READING: "def _apply_landlock(libc, folders): return 'there is no Landlock here'",
    CALLS: "def _apply_seccomp(libc): return 'the container takes no filter'",
    HIDING: "def _hide_files(libc, folders): return 'no user namespace'",
}


@pytest.fixture
def without(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, ...]]:
    """A system that lacks something, or some things."""
    missing: tuple[str, ...] = request.param
    text = "\n".join([process._confinement_source(), *(WITHOUT[one] for one in missing)])
    monkeypatch.setattr(process, "_confinement_source", lambda: text)
    process._missing_guarantees.cache_clear()
    yield missing
    process._missing_guarantees.cache_clear()


@linux
@pytest.mark.parametrize("without", [(READING,), (CALLS,), (READING, CALLS, HIDING)], indirect=True)
def test_no_program_is_run_where_something_is_lacking(without: tuple[str, ...]) -> None:
    reason = next(told for one, told in (
        (READING, "there is no Landlock here"), (CALLS, "the container takes no filter")
    ) if one in without)  # fmt: skip
    starts: tuple[Callable[[], object], ...] = (lambda: choose("process"), ProcessExecutor().__enter__)
    for start in starts:
        with pytest.raises(UsageError, match=reason) as told:
            start()
        assert "--executor process-unsafe" in str(told.value)
        assert "\n" not in str(told.value)
    # nor where nobody asked before
    executor = ProcessExecutor(workers=1)
    found = executor.run(Program("def f(age): return 1", "f", Call("arguments", ("age",))), [[1]], Taken())
    assert isinstance(found, Failed)
    assert reason in found.message
    assert reason in warning("process-unsafe")
    assert run("def f(age): return age > 25", ProcessExecutor(workers=1, unsafe=True)) == Value("bool", "1")


@linux
@pytest.mark.parametrize("without", [(HIDING,)], indirect=True)
def test_paths_can_be_seen_where_nothing_can_be_mounted(without: tuple[str, ...], outside: Path) -> None:
    assert protections() == tuple(one for one in GUARANTEES if one not in without)
    assert tried(f"os.stat({str(outside)!r}).st_size") == Value("int", "4")
    assert tried(f"len(open({str(outside)!r}).read())") == Value("str", '"Permission denied"')


@linux
@pytest.mark.parametrize("without", [(READING, CALLS, HIDING)], indirect=True)
@pytest.mark.usefixtures("without")
def test_limits_of_resources_hold_alone() -> None:
    assert protections() == (LIMITS,)
    executor = ProcessExecutor(workers=1, unsafe=True)
    assert run("def f(age): return age > 25", executor) == Value("bool", "1")
    found = run("def f(age):\n    open('new', 'w').write('x' * 10**6)", executor)
    assert isinstance(found, Crashed)
    assert found.error == "OSError"
    call = Call("arguments", ("age",))
    greedy = Program("def f(age): return len(bytes(10**9))", "f", call)
    failed = executor.run(greedy, [[1]], Taken(seconds=20, memory=128 * 2**20))
    assert isinstance(failed, Failed)
    assert failed.cause == "memory"


def test_a_system_without_limits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "find_spec", lambda _name: None)
    process._missing_guarantees.cache_clear()
    for name in PYTHONS:
        with pytest.raises(UsageError, match="as Linux and macOS do"):
            choose(name)
    process._missing_guarantees.cache_clear()


@linux
def test_nothing_is_told_where_everything_holds() -> None:
    if any(lacking()[one] for one in process.NEEDED):
        pytest.skip("this system does not hold programs")
    assert warning("process-unsafe") == warning("process") == warning("monty") == ""
