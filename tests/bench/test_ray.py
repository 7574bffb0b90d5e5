"""Models in actors of a Ray that is really started: the answers of this machine, none lost, none twice."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fairlint.backends import registry
from fairlint.backends.model import ModelError, ModelOptions
from fairlint.backends.ray_model import Place, places_of, wanted_devices
from fairlint.cli import main

ROOT = Path(__file__).parent.parent.parent
RAY = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs Ray")
REALLY = (
    RAY,
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc"),
)
PROGRAM = "import sys; from fairlint.cli import main; sys.exit(main(sys.argv[1:]))"
ASKED = 60
BENCH = ["bench", "--suite", "faircode:function", "--limit", "30", "--samples", "2", "-q"]
CREW = """
import time
from fairlint.backends import registry
from fairlint.backends.model import Response

class Crew:
    name = "crew"
    revision = "1"
    settings = {"backend": "crew"}

    def sampling(self, wanted):
        return wanted

    def answer(self, requests, sampling, finished):
        for request in requests:
            time.sleep(0.1)
            text = f"    return {request.seed % 7} if {request.parameter}.gender else 1\\n"
            yield [Response(request, text, request.header, "end", 1, 2)]

    def close(self):
        pass

def fairlint_models():
    return {"crew": lambda where, options: Crew()}
"""


def really(test: Any) -> Any:
    """Mark a test that starts a Ray."""
    for mark in REALLY:
        test = mark(test)
    return test


@pytest.fixture(autouse=True)
def _stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("RAY_ADDRESS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def crew(tmp_path: Path) -> Path:
    """A folder with a plugin whose model loads at once and takes its time to answer."""
    folder = tmp_path / "packages"
    metadata = folder / "crew-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "crew_of_ray.py").write_text(CREW)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: crew\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[fairlint]\ncrew = crew_of_ray\n")
    return folder


def started(packages: Path, *words: str) -> subprocess.Popen[bytes]:
    paths = [str(ROOT), str(packages), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *BENCH, "--model", "crew:x", *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def ended(process: subprocess.Popen[bytes], seconds: float = 400) -> tuple[int, str]:
    """The exit code, and what was said, without Ray's own words."""
    try:
        _, said = process.communicate(timeout=seconds)
    finally:
        process.kill()
    return process.returncode, said.decode()


def below(pid: int) -> Iterator[tuple[int, str]]:
    """All processes that a process has started, with their first words."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        parents.setdefault(parent, []).append(int(folder.name))
    waiting = [pid]
    while waiting:
        for child in parents.get(waiting.pop(), []):
            waiting.append(child)
            try:
                words = (Path("/proc") / str(child) / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            yield child, words.split("\0")[0]


def until(met: Callable[[], object], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end
        time.sleep(0.05)


def records(folder: str, name: str) -> list[str]:
    path = Path(folder, name)
    return sorted(path.read_text("utf-8").splitlines()) if path.exists() else []


def check_same(folder: str, as_in: str) -> None:
    """Whether two folders hold the same run: the order in which answers came is not a part of it."""
    for name in ("requests.jsonl", "responses.jsonl", "outcomes.jsonl"):
        assert records(folder, name) == records(as_in, name)
    keys = [json.loads(line)["key"] for line in records(folder, "responses.jsonl")]
    assert len(keys) == len(set(keys)) == ASKED
    for name in ("run.json", "metrics.json"):
        assert Path(folder, name).read_bytes() == Path(as_in, name).read_bytes()


@pytest.fixture
def local(crew: Path) -> str:
    """The folder of the run of this machine."""
    assert ended(started(crew, "--output", "local"))[0] == 0
    return "local"


IN_RAY = ("--engine", "ray", "--devices", "cpu,cpu", "--batch-size", "5", "--output", "ray")


@pytest.mark.filterwarnings("ignore")
@really
def test_weights_in_actors_give_the_run_of_this_machine(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    sys.path.insert(0, str(Path(__file__).parent))
    import tiny_models

    tiny_models.codegen(tmp_path / "tiny-codegen")
    asked = [*BENCH, "--model", "tiny-codegen", "--max-new-tokens", "12", "--batch-size", "8"]
    assert main([*asked, "--output", "local"]) == 0
    assert main([*asked, "--output", "ray", "--engine", "ray", "--devices", "cpu,cpu"]) == 0
    check_same("ray", "local")


@really
@pytest.mark.parametrize("whose", ["actor", "driver", "head"])
def test_whatever_is_killed_no_answer_is_lost_or_there_twice(whose: str, crew: Path, local: str) -> None:
    process = started(crew, *IN_RAY)
    try:
        until(lambda: len(records("ray", "responses.jsonl")) >= 10 or process.poll() is not None)
        assert process.poll() is None
        killed = {
            "actor": [pid for pid, word in below(process.pid) if word.startswith("ray::Actor")][:1],
            "driver": [process.pid],
            "head": [pid for pid, word in below(process.pid) if word.endswith(("gcs_server", "raylet"))],
        }[whose]
        assert killed
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        code, said = ended(process)
    finally:
        process.kill()
    if whose == "actor":
        assert code == 0, said
    else:
        assert code != 0
        assert len(records("ray", "responses.jsonl")) >= 10  # without a head, actors may answer to the end
        if whose == "head":
            assert "--resume" in said or "The program will terminate" in said, said  # which Ray does itself
        assert ended(started(crew, *IN_RAY, "--resume"))[0] == 0
    check_same("ray", local)


@really
def test_an_interrupt_ends_all_and_says_how_to_go_on(crew: Path) -> None:
    process = started(crew, *IN_RAY)
    until(lambda: len(records("ray", "responses.jsonl")) >= 10 or process.poll() is not None)
    mine = [pid for pid, _ in below(process.pid)]
    assert mine
    os.killpg(process.pid, signal.SIGINT)  # as a terminal sends it
    code, said = ended(process)
    assert code == 130, said
    assert "answers are kept in ray; to go on: fairlint bench" in said
    assert "Traceback" not in said
    until(lambda: not any(Path("/proc", str(pid)).exists() for pid in mine), 30)


@RAY
def test_a_ray_that_is_not_there_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    began = time.monotonic()
    assert main([*BENCH, "--engine", "ray:127.0.0.1:9"]) == 2
    assert time.monotonic() - began < 30  # importing Ray and scipy is most of it
    said = capsys.readouterr().err
    assert said == "fairlint: error: --engine 127.0.0.1:9: cannot be reached: Connection refused\n"
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    assert main([*BENCH, "--engine", "ray"]) == 2
    assert "127.0.0.1:9: cannot be reached" in capsys.readouterr().err


def test_without_ray_its_extra_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main([*BENCH, "--engine", "ray"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_dry_run_says_what_would_be_started(capsys: pytest.CaptureFixture[str]) -> None:
    models = ["--model", "codegen-350M", "--model", "vllm:qwen2.5-coder", "--model", "openai:m"]
    for more, told in (
        ([], "codegen-350M-mono: an actor for each GPU, or one on the CPUs where there are no GPUs"),
        (["--devices", "cpu,cpu"], "codegen-350M-mono: an actor on each of cpu, cpu"),
        (["--tensor-parallel", "2"], "vLLM's own actors, one a GPU"),
        ([], "m: no actor: nothing is loaded, so it is asked from here"),
    ):
        assert main([*BENCH, *models, "--engine", "ray:head:6379", "--dry-run", *more]) == 0
        out = capsys.readouterr().out
        assert "Ray: at head:6379" in out
        assert told in out


def test_engines_that_are_none_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for engine in ("mp", "ray:", "dask", "tcp://head:1"):
        assert main([*BENCH, "--engine", engine]) == 2
        assert f"{engine}" in capsys.readouterr().err
    assert main([*BENCH, "--engine", "local", "--dry-run"]) == 0


def test_a_model_that_vllm_spreads_is_in_actors_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[ModelOptions] = []

    def load_with_vllm(_: str, options: ModelOptions) -> None:
        asked.append(options)

    monkeypatch.setattr(registry, "reach", lambda _: None)
    monkeypatch.setattr("fairlint.backends.available.backends", lambda: {"vllm": load_with_vllm})
    several: list[dict[str, Any]] = [{"tensor_parallel": 2}, {"pipeline_parallel": 2}, {"cards": 2}]
    for spread in several:
        registry.load("vllm:qwen2.5-coder", ModelOptions(cluster="ray:head:6379", **spread))
    assert [one.engine for one in asked] == ["ray:head:6379"] * 3


def test_each_card_of_a_cluster_gets_an_actor() -> None:
    def told(there: dict[str, float], **options: Any) -> list[tuple[str, int, int]]:
        places: list[Place] = places_of(there, ModelOptions(cluster="ray", **options))
        return [(one.device, one.cards, one.threads) for one in places]

    cards = {"CPU": 16.0, "GPU": 4.0}
    assert told(cards) == [("auto", 1, 0)] * 4
    assert told(cards, cards=2) == [("auto", 2, 0)] * 2
    assert told(cards, devices=("cuda:0", "cuda:7")) == [("cuda", 1, 0)] * 2
    assert told(cards, device="cpu") == [("cpu", 0, 16)]
    assert told({"CPU": 8.0}) == [("cpu", 0, 8)]
    assert told({"CPU": 8.0}, devices=wanted_devices("2")) == [("cpu", 0, 4)] * 2
    for there, options in (({"CPU": 8.0}, {"device": "cuda"}), (cards, {"cards": 5})):
        with pytest.raises(ModelError, match="GPUs are needed, and Ray has"):
            told(there, **options)
    for text in ("0", "cpu,", ""):
        with pytest.raises(ModelError, match="names with commas between, a number from 1, or all"):
            wanted_devices(text)
