"""One model on several devices: the same answers, none lost, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import SUITES

from fairlint.backends import devices, registry
from fairlint.backends.devices import devices_of, share_of
from fairlint.backends.model import ModelError, ModelOptions, Response, Sampling
from fairlint.backends.requests import key_of
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.suite import Selection
from fairlint.plugins import manager
from fairlint.processes import parallel

ROOT = Path(__file__).parent.parent.parent
SUITE = suite_of("faircode:function")
ASKED = SUITE.requests(Selection(attributes="gender", samples=2, limit=20))
SHORT = Sampling(max_new_tokens=12)

pytestmark = pytest.mark.skipif(not parallel.can_be_fresh(), reason="processes cannot begin anew here")


CREW = """
import os, time
from fairlint.backends.model import ModelError, Response

class Crew:
    revision = "1"
    settings = {"backend": "crew"}
    written = 0

    def __init__(self, where, device):
        self.name = where or "crew"
        if self.name == "picky" and device == "bad":
            raise ModelError("--device bad cannot be used here")
        if self.name == "mixed":
            self.settings = {"backend": "crew", "device": device}

    def sampling(self, wanted):
        return wanted

    def answer(self, requests, sampling, finished):
        if sampling.max_new_tokens > 999:
            raise ModelError("crew writes 999 tokens at most")
        for request in requests:
            time.sleep(0.01)
            self.written += 2
            if self.name != "forgetful" or request.sample:
                yield [Response(request, f"answer {request.seed}", "", "end", 1, 2)]

    def close(self):
        pass

def fairlint_models():
    return {"crew": lambda where, options: Crew(where, options.device)}
"""


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a plugin whose model loads at once and says what is expected."""
    folder, module = tmp_path / "packages", f"crew_of_{tmp_path.name}"
    metadata = folder / "crew-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / f"{module}.py").write_text(CREW)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: crew\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[fairlint]\ncrew = {module}\n")
    monkeypatch.syspath_prepend(str(folder))
    manager._plugin_manager.cache_clear()
    yield folder
    manager._plugin_manager.cache_clear()


@pytest.fixture
def crew(packages: Path) -> Iterator[devices.SharedModel]:
    assert packages.is_dir()
    model = load("crew")
    yield model
    model.close()


def load(text: str, *where: str) -> devices.SharedModel:
    model = registry.load(text, ModelOptions(devices=where or ("a", "b")))
    assert isinstance(model, devices.SharedModel)
    return model


def answers(model: Any, asked: Any = ASKED, sampling: Sampling = SHORT) -> dict[str, str]:
    found: list[Response] = [one for some in model.answer(asked, sampling, SUITE.finished) for one in some]
    assert len(found) == len({key_of(one.request) for one in found})
    return {key_of(one.request): one.text for one in found}


EXPECTED = {key_of(one): f"answer {one.seed}" for one in ASKED}


def pids(model: devices.SharedModel) -> list[int]:
    return [worker.process.pid for worker in model._workers]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid: int, seconds: float = 20) -> bool:
    """Whether a process ends within some time."""
    until = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.05)
    return not is_running(pid)


def test_weights_on_two_devices_give_the_answers_of_one(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    import tiny_models

    folder = str(tiny_models.codegen(tmp_path / "tiny-codegen"))
    alone = registry.load(folder, ModelOptions(device="cpu"))
    shared = load(folder, "cpu", "cpu")
    try:
        assert (shared.name, shared.revision) == (alone.name, alone.revision)
        assert shared.settings == alone.settings, "a run goes on with any number of devices"
        assert shared.sampling(SHORT) == alone.sampling(SHORT)
        assert answers(shared) == answers(alone)
        assert all(worker.written for worker in shared._workers), "both have written"
        with pytest.raises(ModelError, match=r"tiny-codegen reads 2048 tokens at most"):
            answers(shared, sampling=Sampling(max_new_tokens=5000))
    finally:
        shared.close()


def test_all_are_answered_once_and_by_both(crew: devices.SharedModel) -> None:
    assert answers(crew) == EXPECTED
    assert crew.written == 2 * len(ASKED)
    assert all(worker.written for worker in crew._workers)
    mine = pids(crew)
    crew.close()
    assert not any(map(is_running, mine))


def test_a_process_that_is_killed_leaves_its_requests_to_the_others(crew: devices.SharedModel) -> None:
    batches = crew.answer(ASKED, SHORT, SUITE.finished)
    found = list(next(batches))
    os.kill(pids(crew)[0], signal.SIGKILL)
    found += [one for some in batches for one in some]
    assert {key_of(one.request): one.text for one in found} == EXPECTED
    assert len(found) == len(EXPECTED), "nothing is answered twice"
    assert crew.notes[0].startswith("the process on a has ended (signal 9")
    os.kill(pids(crew)[1], signal.SIGKILL)
    with pytest.raises(ModelError, match=r"has ended \(signal 9.*the last one; --resume goes on"):
        answers(crew)
    with pytest.raises(ModelError, match="all processes"):
        answers(crew)


def test_whoever_stops_reading_can_ask_again(crew: devices.SharedModel) -> None:
    batches: Any = crew.answer(ASKED, SHORT, SUITE.finished)
    next(batches)
    batches.close()
    assert answers(crew) == EXPECTED


def test_what_a_process_says_against_a_request_is_told(crew: devices.SharedModel) -> None:
    with pytest.raises(ModelError, match="crew writes 999 tokens at most"):
        answers(crew, sampling=Sampling(max_new_tokens=5000))
    assert answers(crew) == EXPECTED


@pytest.mark.usefixtures("packages")
def test_what_does_not_load_or_differs_says_where() -> None:
    with pytest.raises(ModelError, match=r"^bad: --device bad cannot be used here$"):
        load("crew:picky", "a", "bad")
    with pytest.raises(ModelError, match=r"the model is not the same on a and b"):
        load("crew:mixed")
    forgetful = load("crew:forgetful")
    with pytest.raises(ModelError, match=r"forgetful gave no answer to \d+ requests"):
        answers(forgetful)
    forgetful.close()


def test_only_models_of_this_machine_lie_on_devices() -> None:
    with pytest.raises(ModelError, match="--devices is for models that are loaded on this machine"):
        load("openai:m")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_however_the_program_ends_no_process_is_left(number: signal.Signals, packages: Path) -> None:
    program = f"""
    import sys
    sys.path[:0] = [{str(ROOT)!r}, {str(packages)!r}]
    from fairlint.backends import registry
    from fairlint.backends.model import ModelOptions, Sampling
    from fairlint.bench.suites import suite_of
    model = registry.load("crew", ModelOptions(devices=("a", "b")))
    suite = suite_of("faircode:function")
    try:
        for _ in model.answer(suite.requests(), Sampling(max_new_tokens=10), suite.finished):
            print(*[worker.process.pid for worker in model._workers], flush=True)
    finally:
        model.close()
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        cwd=ROOT, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    workers = [int(word) for word in process.stdout.readline().split()]
    assert len(workers) == 2
    if number is signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal sends it
    else:
        process.send_signal(number)
    process.stdout.close()
    process.wait(30)
    assert all(map(gone, workers))


def test_which_devices_are_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    assert devices_of("cpu, cpu") == ("cpu", "cpu")
    assert devices_of("cuda:0,cuda:3") == ("cuda:0", "cuda:3")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    assert devices_of("all") == ("cuda:0", "cuda:1", "cuda:2", "cuda:3")
    assert devices_of("2") == ("cuda:0", "cuda:1")
    for text, says in (("5", "there are 4 here"), ("0", "one at least"), ("cpu,", "commas between")):
        with pytest.raises(ModelError, match=says):
            devices_of(text)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    assert devices_of("3") == ("cpu", "cpu", "cpu")
    with pytest.raises(ModelError, match="one at least"):
        devices_of("all")


def test_vllm_sees_one_card_in_each_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,GPU-abc,6")
    assert [devices._system_card_id(number) for number in range(3)] == ["4", "GPU-abc", "6"]
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert devices._system_card_id(1) == "1"


@given(st.integers(1, 20_000), st.integers(1, 16))
def test_shares_are_fair(left: int, workers: int) -> None:
    """All is handed out, nobody waits from the start, and the last shares are small."""
    shares = []
    while left:
        shares.append(share_of(left, workers))
        left -= shares[-1]
        assert shares[-1] >= 1
    assert left == 0
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] <= devices.LEAST


def test_what_says_that_an_answer_is_complete_can_be_handed_on() -> None:
    import pickle

    for name in SUITES:
        suite = suite_of(name)
        finished = pickle.loads(pickle.dumps(suite.finished))
        request = suite.requests(Selection(samples=1, limit=1))[0]
        text = "def f(x):\n    return 1\n\n\ny = 2\n"
        assert finished(request, text) == suite.finished(request, text)
