"""The worker behind editors and agents: the same findings as a run, and an end whenever it is not wanted."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest
from programs import SCORE

from fairlint.checking.runner import check_paths
from fairlint.cli import main
from fairlint.config import Configurations
from fairlint.worker.jobs import answer
from fairlint.worker.process import Worker

ROOT = Path(__file__).parent.parent.parent
FIXTURES = sorted(
    path
    for path in (ROOT / "fixtures").rglob("*")
    if path.suffix in {".py", ".c", ".ipynb"} and path.is_file()
)[::12]
LONG = "".join(
    f"    if applicant.gender == 'male' and x{n} > {n}:\n        points += x{n}\n" for n in range(4000)
)
HUGE = f"def score(applicant):\n    points = 0\n{LONG}    return points\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_the_findings_of_a_buffer_are_those_of_a_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    run = check_paths([path], Configurations([path], changes={"min_severity": "note"}))
    text = path.read_text("utf-8")
    job = {"do": "check", "path": str(path), "text": text, "folder": str(ROOT), "min_severity": "note"}
    told = answer(job)
    assert [
        (one["rule"], one["path"], one["cell"], one["line"], one["message"]) for one in told["findings"]
    ] == [(one.rule, one.path, one.cell, one.start.line, one.message) for one in run.findings]
    assert len(told["not_analysed"]) == len(run.not_analysed)


def test_the_baseline_counts(here: Path) -> None:
    Path("hire.py").write_text(SCORE)
    job = {"do": "check", "path": str(here / "hire.py"), "text": f"# a comment\n{SCORE}"}
    assert answer(job)["findings"]
    assert main(["baseline", "create", "."]) == 0
    told = answer(job)
    assert told["findings"] == []
    assert told["suppressed"] == 1


def test_what_goes_wrong_is_an_answer(here: Path) -> None:
    assert answer({"do": "check", "path": "x.py", "folder": str(here / "nowhere")})["cause"] == "usage"
    assert answer({"do": "check", "path": "x.py", "min_severity": "loud"})["cause"] == "usage"
    assert answer({"do": "dance"})["cause"] == "error"
    assert answer({"do": "explain", "path": "nowhere.py", "line": 1})["cause"] == "usage"


def test_a_job_that_takes_too_long_is_given_up_and_the_next_one_is_done(here: Path) -> None:
    (here / "fairlint.toml").write_text("file-timeout = 600\nfile-steps = 500000000\n")
    small = {"do": "check", "path": str(here / "small.py"), "text": SCORE, "folder": str(here)}
    huge = {"do": "check", "path": str(here / "huge.py"), "text": HUGE, "folder": str(here)}

    async def play() -> None:
        worker = Worker()
        assert (await worker.ask(small))["findings"]
        worker._patience = 0.5
        assert (await worker.ask(huge))["cause"] == "time"
        worker._patience = 60
        assert (await worker.ask(small))["findings"]
        asked = asyncio.ensure_future(worker.ask(huge))
        await asyncio.sleep(0.5)
        asked.cancel()
        before = time.monotonic()
        assert (await worker.ask(small))["findings"]
        assert time.monotonic() - before < 60
        await worker.end()

    asyncio.run(play())


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_what_a_job_has_started_ends_with_its_process(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "sleeping_jobs.py").write_text(
        "import pathlib, subprocess\n"
        "def answer(job):\n"
        "    child = subprocess.Popen(['sleep', '600'])\n"
        "    pathlib.Path(job['note']).write_text(str(child.pid))\n"
        "    child.wait()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(here))
    note = here / "note"

    async def play() -> None:
        worker = Worker(jobs="sleeping_jobs")
        asked = asyncio.ensure_future(worker.ask({"note": str(note)}))
        while not (note.exists() and note.read_text()):
            await asyncio.sleep(0.05)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    asyncio.run(play())
    stat = Path("/proc", note.read_text(), "stat")
    until = time.monotonic() + 60
    while stat.exists() and stat.read_text().split()[2] != "Z":
        assert time.monotonic() < until
        time.sleep(0.05)


def test_an_end_that_is_cancelled_is_left_to_the_next(here: Path) -> None:
    (here / "a.py").write_text("x = 1\n")

    async def run() -> int | None:
        worker = Worker()
        await worker.ask({"kind": "ping"})
        process = worker._process
        assert process is not None
        first = asyncio.ensure_future(worker.end())
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await worker.end()
        return process.returncode

    assert asyncio.run(run()) == -9
