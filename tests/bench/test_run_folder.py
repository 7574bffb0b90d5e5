"""Runs survive what happens to long runs: kills, full disks, a second start, other settings."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from written_runs import SETTINGS, answer

from fairlint.run_folders import jsonl, run_folder
from fairlint.run_folders.jsonl import LineStore, RunFolderError, read_records
from fairlint.run_folders.run_folder import (
    RunFolder,
    RunSettings,
    open_run,
    read_run,
    request_key,
    write_text,
)

ROOT = Path(__file__).parent.parent.parent


def message(caught: pytest.ExceptionInfo[RunFolderError]) -> str:
    text = str(caught.value)
    assert "\n" not in text
    return text


def files(folder: Path) -> dict[str, bytes]:
    """All files but the one that says who writes."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "run.pid"}


def keys(path: Path) -> list[str]:
    return [record["key"] for record in read_records(path)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "out" / "run"


def fill(folder: Path, count: int = 3) -> None:
    with open_run(folder, SETTINGS) as run:
        run.responses.append(answer(number) for number in range(count))


# Writing and reading back.


def test_a_run_is_read_as_it_was_written(folder: Path) -> None:
    odd = answer(0) | {"key": "odd", "text": "a\u2028b\x00c\r\nd\ud800 \x85"}
    odd |= {"points": {"female": -1.5}, "none": None}
    outcome = {"key": "k1", "valid": True, "outcomes": []}
    with open_run(folder, SETTINGS) as run:
        assert not run.resumed
        run.responses.append([answer(1), odd])
        run.responses.append([])
        run.responses.append([answer(2)])
        assert list(run.responses.done()) == ["k1", "odd", "k2"]
        run.outcomes.append([outcome])
        assert [record["key"] for record in run.to_judge()] == ["odd", "k2"]

    read = read_run(folder)
    assert list(read.responses()) == [answer(1), odd, answer(2)]
    assert list(read.outcomes()) == [outcome]
    assert read.settings["model"] == "example/model"
    assert read.settings["options"] == SETTINGS.options
    assert {"format", "fairlint", "seed", "prompts_hash"} <= set(read.settings)
    assert (folder / "responses.jsonl").read_bytes().count(b"\n") == 3


def test_the_same_run_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with open_run(tmp_path / name, SETTINGS) as run:
            for number in range(5):
                run.responses.append([answer(number)])
    for name in ("run.json", "responses.jsonl", "outcomes.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_opening_again_goes_on_and_changes_nothing(folder: Path) -> None:
    fill(folder)
    before = files(folder)
    with open_run(folder, SETTINGS) as run:
        assert run.resumed
        assert run.repairs == ()
        assert list(run.responses.done()) == ["k0", "k1", "k2"]
        assert files(folder) == before
        run.responses.append([answer(3)])
    assert keys(folder / "responses.jsonl") == ["k0", "k1", "k2", "k3"]


def test_a_batch_is_brought_to_the_disk_before_append_returns(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_run(folder, SETTINGS) as run:
        synced: list[int] = []
        monkeypatch.setattr(os, "fsync", lambda _: synced.append((folder / "responses.jsonl").stat().st_size))
        run.responses.append([answer(1), answer(2)])
        assert synced == [(folder / "responses.jsonl").stat().st_size]


@pytest.mark.parametrize(
    ("batch", "reason"),
    [
        ([answer(9), answer(1)], "'k1' is already there"),
        ([answer(9), answer(9)], "'k9' is already there"),
        ([answer(9), {"text": "no key"}], 'no text under "key"'),
        ([answer(9), {"key": ""}], 'no text under "key"'),
        ([answer(9), {"key": "nan", "points": float("nan")}], "no JSON"),
        ([answer(9), {"key": "set", "points": {1}}], "no JSON"),
    ],
)
def test_a_refused_batch_leaves_the_file_as_it_was(
    folder: Path, batch: list[dict[str, Any]], reason: str
) -> None:
    fill(folder)
    before = files(folder)
    with open_run(folder, SETTINGS) as run:
        with pytest.raises(RunFolderError) as caught:
            run.responses.append(batch)
        assert reason in message(caught)
        assert files(folder) == before
        run.responses.append([answer(9)])
    assert keys(folder / "responses.jsonl") == ["k0", "k1", "k2", "k9"]


def test_keys_tell_requests_and_samples_apart() -> None:
    assert request_key("faircode", "nurse", sample=3) == request_key("faircode", "nurse", sample=3)
    different = [
        request_key("a", "b", sample=1),
        request_key("a", "b", sample=2),
        request_key("ab", sample=1),
        request_key("a", "b", "", sample=1),
    ]
    assert len(set(different)) == 4
    assert request_key("faircode", "job", "nurse", "gender", sample=3) == KEY_OF_OLD


KEY_OF_OLD = "f09df29167c34f1fbc08f534-3"
"""A key must stay what it is, or no older run could be resumed."""


# Damage.


def test_a_line_cut_off_at_any_byte_is_repaired(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    with LineStore(path) as store:
        store.append(answer(number) for number in (1, 2))
        start = path.stat().st_size
        store.append([answer(3)])
    whole = path.read_bytes()
    for cut in range(start, len(whole)):
        path.write_bytes(whole[:cut])
        assert keys(path) == (["k1", "k2", "k3"] if cut == len(whole) - 1 else ["k1", "k2"])
        with LineStore(path) as store:
            if cut == start:
                assert store.repairs == ()
            elif cut == len(whole) - 1:
                assert store.repairs == (f"{path}: ended line 3, which lacked its line end",)
            else:
                assert store.repairs == (f"{path}: cut off unfinished line 3 ({cut - start} bytes)",)
            if "k3" not in store.done():
                store.append([answer(3)])
        assert path.read_bytes() == whole


@given(st.binary(min_size=1, max_size=40).filter(lambda tail: b"\n" not in tail))
def test_rubbish_without_a_line_end_is_cut_off(tail: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lines.jsonl")
        with LineStore(path) as store:
            store.append([answer(1)])
        whole = path.read_bytes()
        path.write_bytes(whole + tail)
        with LineStore(path) as store:
            assert store.repairs
        assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"key": "x"', "not JSON"),
        (b"", "not JSON"),
        (b'["key"]', "not a JSON object"),
        (b'{"text": "x"}', 'no text under "key"'),
        (b'{"key": 5}', 'no text under "key"'),
        (b'{"key": "x\xff"}', "not UTF-8"),
        (b'{"key": "x", "points": NaN}', "NaN is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"key": "k0"}', "key 'k0' is already in line 1"),
    ],
)
@pytest.mark.parametrize("at", [1, 3])
def test_broken_lines_are_named_and_stay(folder: Path, line: bytes, reason: str, at: int) -> None:
    fill(folder)
    path = folder / "responses.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:at], line + b"\n", *lines[at:]]))
    before = files(folder)
    with pytest.raises(RunFolderError) as caught:
        open_run(folder, SETTINGS)
    assert message(caught).startswith(f"{path}:{at + 1}: ")
    assert reason in message(caught)
    with pytest.raises(RunFolderError) as caught:
        list(read_run(folder).responses())
    assert f"{path}:{at + 1}: " in message(caught)
    assert files(folder) == before

    path.write_bytes(b"".join(lines))
    with open_run(folder, SETTINGS) as run:  # the failed attempts left no lock
        assert len(run.responses) == 3


def test_a_change_from_outside_is_noticed(folder: Path) -> None:
    with open_run(folder, SETTINGS) as run:
        run.responses.append([answer(1)])
        with (folder / "responses.jsonl").open("ab") as file:
            file.write(b'{"key": "k2"}\n')
        with pytest.raises(RunFolderError) as caught:
            run.responses.append([answer(2)])
        assert "changed by another program" in message(caught)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_instead_of_a_file_does_not_hang(folder: Path) -> None:
    fill(folder)
    (folder / "outcomes.jsonl").unlink()
    os.mkfifo(folder / "outcomes.jsonl")
    with pytest.raises(RunFolderError, match="not a plain file"):
        open_run(folder, SETTINGS)


# Killed writers.

WRITER = """
import sys
from pathlib import Path
sys.path[:0] = [{root!r}, {tests!r}]
import written_runs as t
with t.open_run(Path(sys.argv[1]), t.SETTINGS) as run:
    print("open", flush=True)
    number = 0
    while number < {limit}:
        batch = [t.answer(n) for n in range(number, number + 5) if f"k{{n}}" not in run.responses.done()]
        number += 5
        if not batch:
            continue
        run.responses.append(batch)
        print(batch[-1]["key"], flush=True)
        if number % 15 == 0:
            run.outcomes.append({{"key": record["key"]}} for record in run.to_judge())
        run.write_text("metrics.json", str(number) * 1000)
"""


def start(folder: Path, limit: int = 10**9) -> subprocess.Popen[str]:
    code = WRITER.format(root=str(ROOT), tests=str(Path(__file__).parent), limit=limit)
    return subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True)


def killed_after(folder: Path, seconds: float) -> list[str]:
    """What a writer said it had written before it was killed."""
    writer = start(folder)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "open\n"
    time.sleep(seconds)
    writer.kill()
    said = writer.stdout.read().split("\n")[:-1]
    writer.stdout.close()
    assert writer.wait() == -signal.SIGKILL
    return said


def check_kills(folder: Path, kills: int) -> None:
    chance = random.Random(kills)
    for _ in range(kills):
        said = killed_after(folder, chance.uniform(0, 0.05))
        with open_run(folder, SETTINGS) as run:
            assert set(said) <= run.responses.done()
            assert list(run.responses.done()) == [f"k{number}" for number in range(len(run.responses))]
            assert run.outcomes.done() <= run.responses.done()
            assert list(run.responses.records()) == [answer(number) for number in range(len(run.responses))]
            metrics = folder / "metrics.json"
            if metrics.exists():
                number, rest = divmod(len(metrics.read_text()), 1000)
                assert rest == 0
                assert metrics.read_text() == metrics.read_text()[:number] * 1000
        assert not list(folder.glob("*.draft"))
    assert len(keys(folder / "responses.jsonl")) > 0


def test_a_line_without_an_end_is_not_taken_into_memory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(folder)
    monkeypatch.setattr(jsonl, "LONGEST_LINE", 1_000)
    with (folder / "responses.jsonl").open("a") as file:
        file.write('{"key": "long", "text": "' + "x" * 2_000 + '"}\n')
    with pytest.raises(RunFolderError, match=r"responses.jsonl: line \d+ is larger than 1,000 bytes"):
        list(read_run(folder).responses())


def test_a_killed_run_goes_on_with_nothing_lost_or_doubled(folder: Path) -> None:
    check_kills(folder, 3)


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again(folder: Path) -> None:
    check_kills(folder, 30)


@pytest.mark.slow
def test_kills_while_the_folder_is_made_or_opened(tmp_path: Path) -> None:
    begun = time.monotonic()
    killed_after(tmp_path / "first", 0)
    usual = time.monotonic() - begun
    chance = random.Random(1)
    for number in range(20):
        folder = tmp_path / f"run{number // 2}"  # each is made once and opened once
        writer = start(folder)
        time.sleep(chance.uniform(0.7, 1.1) * usual)
        writer.kill()
        writer.wait()
        assert writer.stdout is not None
        writer.stdout.close()
        with open_run(folder, SETTINGS) as run:
            assert list(run.responses.records()) == [answer(number) for number in range(len(run.responses))]


@pytest.mark.slow
def test_kills_in_the_middle_of_large_writes(folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        f"sys.path[:0] = [{str(ROOT)!r}]\n"
        "from fairlint.run_folders.jsonl import LineStore\n"
        "with LineStore(Path(sys.argv[1])) as store:\n"
        "    print('open', flush=True)\n"
        "    number = len(store)\n"
        "    while True:\n"
        "        store.append({'key': str(n), 'text': 'x' * 4_000_000} for n in range(number, number + 3))\n"
        "        print(number + 2, flush=True)\n"
        "        number += 3\n"
    )
    folder.mkdir(parents=True)
    path = folder / "large.jsonl"
    chance = random.Random(2)
    for _ in range(8):
        writer = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        time.sleep(chance.uniform(0, 0.06))
        writer.kill()
        said = writer.stdout.read().split()
        writer.stdout.close()
        writer.wait()
        with LineStore(path) as store:
            assert list(store.done()) == [str(number) for number in range(len(store))]
            assert set(said) <= store.done()


def test_what_a_killed_write_text_left_is_removed(folder: Path) -> None:
    fill(folder)
    (folder / ".report.html.0123456789abcdef.draft").write_text("<html>")
    with open_run(folder, SETTINGS):
        pass
    assert {path.name for path in folder.iterdir()} == {
        "run.json", "run.lock", "requests.jsonl", "responses.jsonl", "outcomes.jsonl"
    }  # fmt: skip


@pytest.mark.parametrize("left", ["run.lock", ".run.json.0123456789abcdef.draft"])
def test_a_run_killed_before_its_settings_were_written_begins_anew(folder: Path, left: str) -> None:
    folder.mkdir(parents=True)
    (folder / left).write_text("{")
    with open_run(folder, SETTINGS) as run:
        assert not run.resumed


# Two writers.


def test_a_second_writer_is_told_who_writes(folder: Path) -> None:
    writer = start(folder)
    assert writer.stdout is not None
    try:
        assert writer.stdout.readline() == "open\n"
        with pytest.raises(RunFolderError) as caught:
            open_run(folder, SETTINGS)
        assert message(caught) == f"{folder}: process {writer.pid} writes to this run folder"
        assert read_run(folder).settings["seed"] == 7
        list(read_run(folder).responses())
    finally:
        writer.kill()
        writer.stdout.close()
        writer.wait()
    with open_run(folder, SETTINGS):
        pass


def test_one_process_cannot_open_a_folder_twice(folder: Path) -> None:
    with open_run(folder, SETTINGS) as run:
        with pytest.raises(RunFolderError, match=f"process {os.getpid()} writes"):
            open_run(folder, SETTINGS)
        run.responses.append([answer(1)])
    run.close()
    with pytest.raises(RunFolderError, match="closed"):
        run.responses.append([answer(2)])
    with open_run(folder, SETTINGS) as again:
        assert list(again.responses.done()) == ["k1"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_neither_writes_nor_unlocks(folder: Path) -> None:
    with open_run(folder, SETTINGS) as run:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                run.responses.append([answer(1)])
            except RunFolderError:
                run.close()
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        with pytest.raises(RunFolderError, match="writes to this run folder"):
            open_run(folder, SETTINGS)
        run.responses.append([answer(1)])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_lock_ends_with_its_process_whatever_its_children_do(folder: Path) -> None:
    fill(folder)
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(Path(__file__).parent)!r}]\n"
        "import os, time, written_runs as t; from pathlib import Path\n"
        f"run = t.open_run(Path({str(folder)!r}), t.SETTINGS)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os.close(1); time.sleep(60)\n"
        "print(child, flush=True)\n"
        "os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    try:
        with open_run(folder, SETTINGS) as run:
            assert run.resumed
    finally:
        os.kill(int(done.stdout), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("locks", [True, False])
def test_of_many_that_start_at_once_one_writes(folder: Path, locks: bool) -> None:
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(Path(__file__).parent)!r}]\n"
        "import os, time, written_runs as t; from pathlib import Path\n"
        f"{'' if locks else WITHOUT_LOCKS}"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "try:\n"
        f"    run = t.open_run(Path({str(folder)!r}), t.SETTINGS)\n"
        "    print('writes', flush=True); sys.stdin.readline(); os._exit(0)\n"
        "except t.RunFolderError as error: print(error, flush=True)\n"
    )
    for _ in range(2):  # the second time there is the lock of a process that has ended
        starters = [
            subprocess.Popen(
                [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for _ in range(5)
        ]
        said: list[str] = []
        for _ in ("ready", "what came of it"):
            said = [starter.stdout.readline().strip() for starter in starters if starter.stdout]
            for starter in starters:
                assert starter.stdin is not None
                with suppress(BrokenPipeError):  # those that were refused have ended
                    starter.stdin.write("go on\n")
                    starter.stdin.flush()
        for starter in starters:
            starter.communicate()
        winner = starters[said.index("writes")].pid
        others = [line for line in said if line != "writes"]
        assert len(others) == 4
        assert all(f"process {winner} " in line for line in others), others


WITHOUT_LOCKS = """\
import errno, fcntl, os
def refuse(*_): raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
fcntl.flock = refuse
"""


@pytest.fixture(params=["ENOSYS", "ENOLCK"])
def no_locks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    number: int = getattr(errno, request.param)

    def refuse(*_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)


@pytest.mark.usefixtures("no_locks")
def test_without_system_locks_a_file_keeps_the_second_out(folder: Path) -> None:
    with open_run(folder, SETTINGS), pytest.raises(RunFolderError) as caught:
        open_run(folder, SETTINGS)
    assert f"process {os.getpid()} on " in message(caught)
    assert "run.pid" in message(caught)
    with open_run(folder, SETTINGS) as run:
        assert run.resumed
    assert not (folder / "run.pid").exists()


@pytest.mark.usefixtures("no_locks")
def test_without_system_locks_a_dead_process_does_not_matter(folder: Path) -> None:
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(Path(__file__).parent)!r}]\n"
        "import written_runs as t; from pathlib import Path\n"
        f"{WITHOUT_LOCKS}"
        f"run = t.open_run(Path({str(folder)!r}), t.SETTINGS)\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    left = (folder / "run.pid").read_text()
    open_run(folder, SETTINGS).close()

    (folder / "run.pid").write_text(left.replace(left.splitlines()[1], "elsewhere"))
    with pytest.raises(RunFolderError, match="on elsewhere writes"):
        open_run(folder, SETTINGS)


def test_without_filelock_it_is_said_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "filelock", None)
    with pytest.raises(RunFolderError, match=r'filelock is not installed: pip install "fairlint\[bench\]"'):
        open_run(folder, SETTINGS)


# Other settings.


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (replace(SETTINGS, samples=5), "samples is 10 there, 5 now"),
        (replace(SETTINGS, seed=1, samples=3), "seed is 7 there, 1 now; samples is 10 there, 3 now"),
        (replace(SETTINGS, options={"attributes": ["gender"], "top_p": 0.95}),
         'options.attributes is ["gender", "race"] there, ["gender"] now'),
        (replace(SETTINGS, options={}), "options.top_p is 0.95 there, not set now"),
        (replace(SETTINGS, model="m" * 500), "model is example/model there, " + "m" * 59 + "… now"),
    ],
)  # fmt: skip
def test_other_settings_are_refused_by_name(folder: Path, other: RunSettings, told: str) -> None:
    fill(folder)
    before = files(folder)
    with pytest.raises(RunFolderError) as caught:
        open_run(folder, other)
    assert message(caught).startswith(f"{folder}: holds a run with other settings: ")
    assert told in message(caught)
    assert files(folder) == before


def test_another_version_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(folder)
    with monkeypatch.context() as patch:
        patch.setattr(run_folder, "__version__", "9.9")
        with pytest.raises(RunFolderError, match=r"fairlint is [\d.]+ there, 9\.9 now"):
            open_run(folder, SETTINGS)
        patch.setattr(run_folder, "FORMAT", 2)
        with pytest.raises(
            RunFolderError, match=r"run\.json: written in format 1; fairlint 9\.9 reads format 2"
        ):
            open_run(folder, SETTINGS)
        with pytest.raises(RunFolderError, match="written in format 1"):
            read_run(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "[" * 100_000, "\udcff"])
def test_broken_settings_are_told_and_kept(folder: Path, content: str) -> None:
    fill(folder)
    (folder / "run.json").write_text(content, errors="surrogateescape")
    before = files(folder)
    for attempt in (lambda: open_run(folder, SETTINGS), lambda: read_run(folder)):
        with pytest.raises(RunFolderError) as caught:
            attempt()
        assert message(caught).startswith(f"{folder / 'run.json'}: ")
    assert files(folder) == before


def test_settings_that_are_no_json_are_refused(folder: Path) -> None:
    for settings in (replace(SETTINGS, temperature=float("inf")), replace(SETTINGS, options={"x": {1}})):
        with pytest.raises(RunFolderError, match="cannot be stored as JSON"):
            open_run(folder, settings)
    assert not folder.exists()


@pytest.mark.parametrize("name", ["thesis.tex", "responses.jsonl"])
def test_a_folder_of_other_things_is_left_alone(folder: Path, name: str) -> None:
    folder.mkdir(parents=True)
    (folder / name).write_text("dear")
    with pytest.raises(RunFolderError, match=f"holds {name} but no run.json"):
        open_run(folder, SETTINGS)
    with pytest.raises(RunFolderError, match=r"no run folder: it has no run\.json"):
        read_run(folder)
    assert files(folder) == {name: b"dear"}


# Disks.


def test_a_disk_that_fills_up_keeps_whole_lines(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(folder, 1)
    size = (folder / "responses.jsonl").stat().st_size
    raw = [
        len(json.dumps(answer(n), ensure_ascii=False, separators=(",", ":")).encode()) + 1 for n in (1, 2, 3)
    ]
    write = os.write
    for room in range(0, sum(raw), 7):
        copy = folder.with_name(f"copy{room}")
        shutil.copytree(folder, copy)
        with open_run(copy, SETTINGS) as run, monkeypatch.context() as patch:
            left = [room]

            def full(handle: int, data: bytes, left: list[int] = left) -> int:
                if not left[0]:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                done = write(handle, data[: left[0]])
                left[0] -= done
                return done

            patch.setattr(os, "write", full)
            with pytest.raises(RunFolderError) as caught:
                run.responses.append(answer(n) for n in (1, 2, 3))
            assert message(caught) == f"{copy / 'responses.jsonl'}: cannot write: No space left on device"
            with pytest.raises(RunFolderError, match="open the run folder again"):
                run.responses.append([answer(4)])
        whole = sum(sum(raw[:n]) <= room for n in (1, 2, 3))
        assert (copy / "responses.jsonl").stat().st_size == size + sum(raw[:whole])
        finish(copy, whole)


def finish(folder: Path, whole: int) -> None:
    with open_run(folder, SETTINGS) as run:
        assert run.repairs == ()
        assert list(run.responses.done()) == [f"k{n}" for n in range(whole + 1)]
        run.responses.append(answer(n) for n in range(4) if f"k{n}" not in run.responses.done())
    assert list(read_run(folder).responses()) == [answer(n) for n in range(4)]


def test_what_could_not_be_synced_does_not_count(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(folder, 1)
    with open_run(folder, SETTINGS) as run, monkeypatch.context() as patch:

        def fail(_: int) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        patch.setattr(os, "fsync", fail)
        with pytest.raises(RunFolderError, match="cannot write: Input/output error"):
            run.responses.append([answer(1)])
    finish(folder, 0)


def test_an_interrupt_while_writing_doubles_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_run(folder, SETTINGS) as run:
        run.responses.append([answer(0)])
        write = os.write
        with monkeypatch.context() as patch:

            def interrupted(handle: int, data: bytes) -> int:
                write(handle, data)
                raise KeyboardInterrupt

            patch.setattr(os, "write", interrupted)
            with pytest.raises(KeyboardInterrupt):
                run.responses.append([answer(1)])
        with pytest.raises(RunFolderError, match="open the run folder again"):
            run.responses.append([answer(1)])
    finish(folder, 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_the_system_s_full_device(folder: Path) -> None:
    with open_run(folder, SETTINGS) as run:
        run.responses.append([answer(0)])
        own, full = run.responses._file, os.open("/dev/full", os.O_WRONLY)
        run.responses._size = 0  # what the device says of itself
        os.dup2(full, own)
        os.close(full)
        with pytest.raises(RunFolderError, match="cannot write: No space left on device"):
            run.responses.append([answer(1)])
    finish(folder, 0)


def test_a_limit_of_the_system_on_file_sizes(folder: Path) -> None:
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(Path(__file__).parent)!r}]\n"
        "import resource, written_runs as t; from pathlib import Path\n"
        f"with t.open_run(Path({str(folder)!r}), t.SETTINGS) as run:\n"
        "    run.responses.append([t.answer(0)])\n"
        "    limit = (run.path / 'responses.jsonl').stat().st_size + 250\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))\n"
        "    try: run.responses.append(t.answer(n) for n in (1, 2, 3))\n"
        "    except t.RunFolderError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{folder / 'responses.jsonl'}: cannot write: File too large\n"
    whole = len(keys(folder / "responses.jsonl")) - 1
    assert 0 < whole < 3
    finish(folder, whole)


@pytest.fixture
def guarded() -> Iterator[Path]:
    """A folder in a place where a plain user may look; the test then runs as one."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    was = os.geteuid()
    yield place
    os.seteuid(was)
    for folder in (place, *place.iterdir()):
        folder.chmod(0o755)
    shutil.rmtree(place)


def as_plain_user() -> None:
    if os.geteuid() == 0:
        os.seteuid(65534)


def test_a_read_only_folder_is_read_but_not_written(guarded: Path) -> None:
    folder = guarded / "run"
    fill(folder)
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    guarded.chmod(0o555)
    as_plain_user()
    with pytest.raises(RunFolderError) as caught:
        open_run(folder, SETTINGS)
    assert message(caught) == f"{folder / 'run.lock'}: cannot write: Permission denied"
    with pytest.raises(RunFolderError, match="new: cannot make the folder: Permission denied"):
        open_run(guarded / "new", SETTINGS)
    with pytest.raises(RunFolderError, match=r"report\.html: cannot write: Permission denied"):
        write_text(folder / "report.html", "x")
    assert list(read_run(folder).responses()) == [answer(n) for n in range(3)]


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    for path in (tmp_path / "run", tmp_path / "run" / "deeper"):
        with pytest.raises(RunFolderError) as caught:
            open_run(path, SETTINGS)
        assert "Not a directory" in message(caught)
    assert (tmp_path / "run").read_text() == "mine"


# Results.


def test_results_are_replaced_whole_or_not_at_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_run(folder, SETTINGS) as run:
        assert run.write_text("report.html", "old é\n").read_bytes() == "old é\n".encode()
        names = set(files(folder))
        with monkeypatch.context() as patch:

            def fail(_: int) -> None:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

            patch.setattr(os, "fsync", fail)
            with pytest.raises(RunFolderError, match=r"report\.html: cannot write: No space left"):
                run.write_text("report.html", "new\n")
        assert (folder / "report.html").read_text() == "old é\n"
        assert set(files(folder)) == names
        with (folder / "report.html").open(encoding="utf-8") as reader:
            run.write_text("report.html", "new\n")
            assert reader.read() == "old é\n"  # the old file was replaced, not written over
        assert (folder / "report.html").read_text() == "new\n"
        assert set(files(folder)) == names


@pytest.mark.parametrize("name", ["run.json", "responses.jsonl", "run.lock", "../x", "a/b", "", "."])
def test_results_cannot_take_the_place_of_the_run(folder: Path, name: str) -> None:
    with open_run(folder, SETTINGS) as run:
        assert isinstance(run, RunFolder)
        before = files(folder)
        with pytest.raises(RunFolderError, match="no name for a file of results"):
            run.write_text(name, "x")
        assert files(folder) == before
