"""How much faster several processes answer than one, each with the whole model and one thread.

    python benchmarks/data_parallel.py [--model NAME] [--devices cpu,cpu] [--limit 16] [--rounds 2]

Processes on the cores of a CPU stand for cards; `--devices cuda:0,cuda:1` are cards. The same requests are
answered by one process and by several, taking turns. Two ratios are told: of wall time, which other programs
on the machine disturb, and of the processor time of the one process to that of the busiest of several, which
is the wall time that cores of their own would need. Memory that the cores share is in both. It is also told
whether answers are the same.

Exit status: 0 where one of the two reaches 0.8 times the number of processes and all answers are the same,
1 where not.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from fairlint.backends.model import ModelOptions
from fairlint.backends.registry import load
from fairlint.backends.requests import key_of
from fairlint.bench.asking.choice import Choice, requests_of
from fairlint.bench.asking.running import sampling_of
from fairlint.bench.suites import suite_of

SHARE = 0.8
TICK = os.sysconf("SC_CLK_TCK")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description="Time one process against several.")
    parser.add_argument("--model", default="", help="as fairlint bench takes it (default: the small one)")
    parser.add_argument("--suite", default="faircode:function")
    parser.add_argument("--devices", default="cpu,cpu", help="the first is also timed alone")
    parser.add_argument("--limit", type=int, default=16, help="prompts")
    parser.add_argument("--samples", type=int, default=2, help="answers a prompt")
    parser.add_argument("--max-new-tokens", type=int, default=160)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args(arguments)
    os.environ["OMP_NUM_THREADS"] = "1"
    return measure(options)


def measure(options: argparse.Namespace) -> int:
    """Both ways in turns."""
    suite = suite_of(options.suite)
    asked = requests_of(suite, Choice(samples=options.samples, limit=options.limit))
    devices = tuple(options.devices.split(","))
    models = {
        count: load(options.model, ModelOptions(devices=devices[:count], batch_size=options.batch_size))
        for count in (1, len(devices))
    }
    print(
        f"{models[1].name}, {len(asked)} answers of {suite.name}, at most {options.max_new_tokens} tokens, "
        f"{options.batch_size} at a time, one thread each; {os.cpu_count()} cores"
    )
    print(f"{'processes':>9}{'wall s':>9}{'CPU s':>9}{'busiest':>9}{'tokens':>8}{'load before':>13}")
    walls: list[float] = []
    busiest: list[float] = []
    texts: dict[int, dict[str, str]] = {}
    for _ in range(options.rounds):
        took: dict[int, tuple[float, float]] = {}
        for count, model in models.items():
            texts[count], took[count] = timed(model, suite, asked, options.max_new_tokens)
        walls.append(took[1][0] / took[len(devices)][0])
        busiest.append(took[1][1] / took[len(devices)][1])
    for model in models.values():
        model.close()
    same = sum(texts[1][key] == text for key, text in texts[len(devices)].items())
    target = SHARE * len(devices)
    best = max(median(walls), median(busiest) if set(devices) == {"cpu"} else 0.0)
    print(f"{same} of {len(asked)} answers are the same")
    print(
        f"wall time: {median(walls):.2f} times as fast (rounds: {', '.join(f'{one:.2f}' for one in walls)})"
    )
    print(f"busiest process: {median(busiest):.2f} ({', '.join(f'{one:.2f}' for one in busiest)})")
    print(f"{target:g} asked: {'met' if best >= target else 'missed'}")
    return 0 if best >= target and same == len(asked) else 1


def timed(model: Any, suite: Any, asked: Sequence[Any], limit: int) -> tuple[dict[str, str], Any]:
    """The texts by key; wall seconds, and the processor seconds of the busiest process."""
    load_before = os.getloadavg()[0]
    pids = [worker.process.pid for worker in model._workers]
    before = [seconds(pid) for pid in pids]
    begin = time.perf_counter()
    sampling = model.sampling(sampling_of(suite, max_new_tokens=limit))
    found = [one for some in model.answer(asked, sampling, suite.finished) for one in some]
    wall = time.perf_counter() - begin
    used = [seconds(pid) - earlier for pid, earlier in zip(pids, before, strict=True)]
    tokens = sum(one.new_tokens for one in found)
    print(
        f"{len(pids):9}{wall:9.1f}{sum(used):9.1f}{max(used):9.1f}{tokens:8}{load_before:13.1f}", flush=True
    )
    return {key_of(one.request): one.text for one in found}, (wall, max(used))


def seconds(pid: int) -> float:
    """Processor seconds of a process so far (proc(5): fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


if __name__ == "__main__":
    sys.exit(main())
