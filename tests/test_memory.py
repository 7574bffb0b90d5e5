"""Memory: a file that takes too much is named, everything else is checked, and what it took is given back."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fairlint import Settings, check_paths, check_source
from fairlint.checking import runner
from fairlint.detectors import Detector, registry
from fairlint.detectors.context import Context
from fairlint.findings.report import NotAnalysed
from fairlint.findings.uses import Use
from fairlint.processes import parallel

ROOT = Path(__file__).parent.parent
SCORE = """\
def rate(applicant):
    points = 0
    if applicant.gender == "f":
        points += 5
    return points
"""
MOST = 150_000_000

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limit")


def named(path: str) -> NotAnalysed:
    return NotAnalysed(path, 1, "takes more than 150 MB of memory (the setting file-memory)", "memory")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for number in range(8):
        (tmp_path / f"f{number}.py").write_text(SCORE + ("# grows\n" if number in {2, 3} else ""))
    return tmp_path


ALONE = f"""
import os
import resource
from fairlint import Settings, check_paths, check_source
from fairlint.detectors import Detector, registry

def grows(context):
    held = []
    while b"grows" in context.source.data:
        held.append(bytes(1_000_000))
    return ()

def taken():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")

shipped = registry.detectors()
registry.detectors = lambda: (*shipped, Detector("growing", grows))
settings = Settings(file_memory={MOST})
check_source({SCORE!r}, settings=settings)
limits, before = resource.getrlimit(resource.RLIMIT_AS), taken()
report = check_paths(["."], settings)
print(len(report.findings), *(gap.path + ":" + gap.cause for gap in report.not_analysed), report.failed)
assert resource.getrlimit(resource.RLIMIT_AS) == limits
assert taken() - before < {MOST // 5}, taken() - before
"""


@pytest.mark.usefixtures("here")
def test_in_one_process_it_is_given_back() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout.split() == ["6", "f2.py:memory", "f3.py:memory", "False"], done.stderr


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("count", [1, 3])
def test_in_several_processes_it_costs_one_of_them(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def grows(context: Context) -> list[Use]:
        held = []
        while b"grows" in context.source.data:
            held.append(bytes(1_000_000))
        return []

    shipped = registry.detectors()
    monkeypatch.setattr(registry, "detectors", lambda: (*shipped, Detector("growing", grows)))
    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 0)
    monkeypatch.setattr(parallel, "available", lambda **_: True)
    monkeypatch.setattr(parallel, "_process_count", lambda: count)
    report = check_paths(["."], Settings(file_memory=MOST))
    assert report.not_analysed == (named("f2.py"), named("f3.py"))
    assert [finding.path for finding in report.findings] == [f"f{number}.py" for number in (0, 1, 4, 5, 6, 7)]
    assert not report.failed


REFUSED = (
    MemoryError(),
    OSError(errno.ENOMEM, "Cannot allocate memory"),
    ImportError("/lib/x.so: failed to map segment from shared object"),
    ImportError("libx.so: cannot open shared object file: Cannot allocate memory"),
    SystemError("error return without exception set"),
)


@pytest.mark.parametrize("error", REFUSED, ids=repr)
def test_whatever_says_that_memory_was_refused_is_no_breakdown(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What loads a library then says in its own words that it had none."""

    def refused(_: Context) -> list[Use]:
        raise error

    shipped = registry.detectors()
    monkeypatch.setattr(registry, "detectors", lambda: (*shipped, Detector("growing", refused)))
    report = check_source(SCORE, settings=Settings(file_memory=MOST))
    assert [gap.cause for gap in report.not_analysed] == ["memory"]
    assert not report.failed


def test_a_library_that_is_missing_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: Context) -> list[Use]:
        raise ImportError("no module named x")

    shipped = registry.detectors()
    monkeypatch.setattr(registry, "detectors", lambda: (*shipped, Detector("growing", refused)))
    assert check_source(SCORE, settings=Settings(file_memory=MOST)).failed


@pytest.mark.parametrize("size", [10**26, sys.maxsize])
def test_more_memory_than_there_can_be_is_no_limit(size: int) -> None:
    report = check_source(SCORE, settings=Settings(file_memory=size))
    assert (len(report.findings), report.failed) == (1, False)
