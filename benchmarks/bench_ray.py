"""Measures what `fairlint bench --engine ray` costs beside `--engine local`, for a tiny model.

    python benchmarks/bench_ray.py [--answers 200] [--rounds 1]

A CodeGen with random weights answers on one core. Prints the seconds of a processor that all processes of a
run took, the driver's among them, and whether answers, outcomes and figures are the same. Needs Linux.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fleet_clusters import (
    LOOKED_EVERY,
    START,
    Process,
    adopt_orphans,
    end_rest,
    processes_below,
)

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "bench"))


def seconds_of_run(folder: Path, engine: str, answers: int) -> dict[str, float]:
    """Return the seconds of a processor that a run took, by what the processes are."""
    options = ["--model", "tiny-codegen", "--limit", str(answers), "--samples", "1", "--max-new-tokens", "24"]
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    run = subprocess.Popen(
        [sys.executable, "-c", START, "bench", *options, "--engine", engine, "--output", engine, "-q"],
        cwd=folder, stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    seen: dict[int, Process] = {}
    actors: set[int] = set()
    while run.poll() is None:
        seen |= processes_below(os.getpid())
        actors |= {pid for pid, one in seen.items() if "ray::Actor" in one.words}
        time.sleep(LOOKED_EVERY)
    seen |= processes_below(os.getpid())
    if run.returncode:
        raise SystemExit(f"a run ends with {run.returncode}")
    end_rest()
    spent = dict.fromkeys(("driver", "actor", "rest"), 0.0)
    for pid, one in seen.items():
        kind = "driver" if pid == run.pid else "actor" if pid in actors else "rest"
        spent[kind] += one.seconds
    return spent


def content_of(folder: Path) -> list[list[str]]:
    """Return the lines of a run's files, in order."""
    names = ("responses.jsonl", "outcomes.jsonl", "run.json", "metrics.json")
    return [sorted((folder / name).read_text("utf-8").splitlines()) for name in names]


def main() -> None:
    """Print both, each round."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    import tiny_models  # noqa: PLC0415 (of the tests)

    adopt_orphans()
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work)
            tiny_models.codegen(folder / "tiny-codegen")
            local = 0.0
            for engine in ("local", "ray"):
                began = time.monotonic()
                parts = seconds_of_run(folder, engine, options.answers)
                spent, clock = sum(parts.values()), time.monotonic() - began
                local = local or spent
                told = ", ".join(f"{name} {seconds:.1f}" for name, seconds in parts.items())
                print(f"{engine}: {spent:.1f} s CPU ({told}), {spent / local:.2f} of local, {clock:.0f} s")
            print(
                "the same" if content_of(folder / "local") == content_of(folder / "ray") else "NOT the same"
            )


if __name__ == "__main__":
    main()
