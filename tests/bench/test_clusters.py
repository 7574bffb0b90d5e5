"""The scripts of the page on clusters: they parse, and their parts are the whole."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fairlint.backends.requests import key_of
from fairlint.bench.asking.shards import requests_in, shard_of
from fairlint.bench.suites import suite_of
from fairlint.cli.bench import COMMAND
from fairlint.cli.bench_plan import plan_of

PAGE = (Path(__file__).parent.parent.parent / "docs" / "clusters.md").read_text("utf-8")
BASH = shutil.which("bash") or ""

pytestmark = pytest.mark.skipif(not BASH, reason="there is no bash")


def block(title: str) -> str:
    found = re.search(rf'^```\w+ title="{re.escape(title)}"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def ran(script: str, folder: Path, **variables: str) -> list[list[str]]:
    """The words of each call of a program that the script makes; none is really run."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    calls = folder / "calls"
    calls.unlink(missing_ok=True)
    # the n-th sleep waits for the n-th srun, which runs beside the script
    seen = f"$(grep -c ^srun {calls}) -ge $(grep -c ^sleep {calls})"
    does = {
        "scontrol": "echo node1; echo node2",
        "sleep": f"until [ {seen} ]; do command -p sleep 0.05; done",
    }
    for name in ("fairlint", "srun", "scontrol", "sleep"):
        file = programs / name
        said = does.get(name, ":")
        file.write_text(f'#!{BASH}\ncall=$(printf "%q " {name} "$@")\necho "$call" >> {calls}\n{said}\n')
        file.chmod(0o755)
    environment = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", **variables}
    subprocess.run([BASH, "-c", script], check=True, cwd=folder, env=environment, timeout=60)
    return [shlex.split(line) for line in calls.read_text().splitlines()]


@pytest.mark.parametrize("title", ["bench.sbatch", "bench-ray.sbatch"])
def test_scripts_parse(title: str, tmp_path: Path) -> None:
    file = tmp_path / title
    file.write_text(block(title))
    subprocess.run([BASH, "-n", file], check=True, timeout=60)


def asked_by(calls: list[list[str]]) -> Any:
    """The only call of fairlint, whose options are good ones."""
    (call,) = (one for one in calls if one[0] == "fairlint")
    assert call[1] == "bench"
    return COMMAND.parse(call[2:])


def test_the_array_asks_every_request_once(tmp_path: Path) -> None:
    script = block("bench.sbatch")
    (first, last) = map(int, re.findall(r"--array=(\d+)-(\d+)", script)[0])
    suite = suite_of("btm")
    whole = suite.requests()
    found: list[str] = []
    for task in range(first, last + 1):
        options = asked_by(ran(script, tmp_path, SLURM_ARRAY_TASK_ID=str(task)))
        assert options.resume
        shard = shard_of(options.shard)
        assert (shard.part, shard.of) == (task, last)
        found += [key_of(one) for one in requests_in(shard, whole, suite)]
    assert sorted(found) == sorted(map(key_of, whole))


def test_the_array_does_not_hang_on_how_many_jobs_it_has(tmp_path: Path) -> None:
    """Some jobs are submitted again: their parts are the same."""
    again = ran(
        block("bench.sbatch"),
        tmp_path,
        SLURM_ARRAY_TASK_ID="3",
        SLURM_ARRAY_TASK_COUNT="1",
        SLURM_ARRAY_TASK_MAX="3",
    )
    assert asked_by(again).shard == "3/8"


def test_the_pods_ask_every_part_once(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    job = yaml.safe_load(block("bench.yaml"))
    assert (job["kind"], job["apiVersion"]) == ("Job", "batch/v1")
    spec = job["spec"]
    assert spec["completionMode"] == "Indexed"
    (container,) = spec["template"]["spec"]["containers"]
    assert container["command"][-1] == "-euc"
    (script,) = container["args"]
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in spec["template"]["spec"]["volumes"]}
    parts = []
    for index in range(spec["completions"]):
        options = asked_by(ran(f"set -eu\n{script}", tmp_path, JOB_COMPLETION_INDEX=str(index)))
        assert options.resume
        assert options.output == container["volumeMounts"][0]["mountPath"]
        parts.append(options.shard)
    assert parts == [f"{one}/{spec['completions']}" for one in range(1, spec["completions"] + 1)]


@pytest.mark.parametrize(("machines", "rays"), [("1", 1), ("2", 2)])
def test_the_job_with_ray_starts_one_ray_on_each_machine(tmp_path: Path, machines: str, rays: int) -> None:
    calls = ran(
        block("bench-ray.sbatch"), tmp_path, SLURM_JOB_NODELIST="node[1-2]", SLURM_JOB_NUM_NODES=machines
    )
    runs = [call for call in calls if call[0] == "srun"]
    assert sum("ray" in call for call in runs) == rays
    (bench,) = (call for call in runs if "fairlint" in call)
    options = COMMAND.parse(bench[bench.index("fairlint") + 2 :])
    assert (options.engine, options.tensor_parallel) == ("ray:node1:6379", "8")
    assert options.pipeline_parallel == machines


def test_every_command_of_the_page_is_one() -> None:
    commands = re.findall(r"^(?:head)?\$ +fairlint bench (.*?)(?: +#.*)?$", PAGE, re.MULTILINE)
    assert len(commands) >= 8
    for command in commands:
        words = shlex.split(command)
        if words[0] not in {"show", "merge"}:
            options = COMMAND.parse(words)
            if not options.devices:
                assert plan_of(options).models, command
