"""What a batch of calls costs in the executor `process`, beside another checkout of fairlint.

    git worktree add ../before main
    python benchmarks/executor_speed.py --against ../before [--rounds 10]

Two programs: one that is called once, which costs what a process costs to start, and one that gives 20,000
people an outcome each. The checkouts take turns and medians are compared: a busy machine is one for both.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
ASKED = """
import json, time
from fairlint.counterfactual.executors.executor import Call, Limits, Program
from fairlint.counterfactual.executors.process import ProcessExecutor
call = Call("arguments", ("age",))
one = Program("def f(age): return age > 25", "f", call), [[30]], 20
many = Program("def f(age): return str(age) + 'x'", "f", call), [[age] for age in range(20_000)], 3
found = []
with ProcessExecutor(workers=1) as executor:
    for program, people, times in (one, many):
        start = time.perf_counter()
        for _ in range(times):
            assert len(executor.run(program, people, Limits(seconds=60))) == len(people)
        found.append((time.perf_counter() - start) / times)
print(json.dumps(found))
"""


def asked(checkout: Path) -> list[float]:
    """Seconds of each program, by the fairlint of a checkout."""
    command = [sys.executable, "-c", ASKED]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
    found: list[float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Prints a line for each program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--against", type=Path, required=True, help="the other checkout")
    parser.add_argument("--rounds", type=int, default=10)
    told = parser.parse_args()
    rounds = [(asked(told.against), asked(ROOT)) for _ in range(told.rounds)]
    for place, what in enumerate(("one call", "20,000 people")):
        before = median(one[place] for one, _ in rounds)
        now = median(one[place] for _, one in rounds)
        print(f"{what}: {1000 * now:.0f} ms, before {1000 * before:.0f} ms: {now / before:.2f} times")


if __name__ == "__main__":
    main()
