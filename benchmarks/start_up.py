"""Counts what a run over one small file costs before and beside its work: modules, and CPU time.

    python benchmarks/start_up.py [--rounds N]

A run that keeps nothing, one whose result is in the cache, and one that a resident process carries out take
turns with `python -c pass`, whose CPU time is 1. Of the resident process, the client's time and that of both
together are told. Nothing is loaded from outside this checkout, and the resident process is ended. It also
counts the modules of fairlint of which a function is called, which no way to load them later could spare.
From Python 3.15 on, a run that loads every module late (`-X lazy_imports=all`) is one of them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from speed import ROOT, SMALL_FILE

MODULES = """\
import sys
before = set(sys.modules)
from fairlint.cli import main
main(sys.argv[1:])
print(len(set(sys.modules) - before), file=sys.stderr)
"""
CALLED = """\
import sys
called = set()
def note(frame, event, _):
    if event == "call" and frame.f_code.co_flags & 2:  # a function's own names: no module or class
        called.add(frame.f_code.co_filename)
from fairlint.cli import main
sys.setprofile(note)
main(sys.argv[1:])
sys.setprofile(None)
known = [one for name, one in sys.modules.items() if name.partition(".")[0] == "fairlint"]
files = [one.__file__ for one in known if getattr(one, "__file__", None)]
print(len(files), sum(file in called for file in files), file=sys.stderr)
"""
LATE = ("-X", "lazy_imports=all")
PATIENCE = 60.0
TICKS = os.sysconf("SC_CLK_TCK")


class Place:
    """A folder with the small file, and an environment without anything of the user's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "small.py"
        self.file.write_text(SMALL_FILE)
        (folder / "home").mkdir()
        (folder / "run").mkdir(mode=0o700)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder / "home"),
            "PYTHONPATH": str(ROOT),
            "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
            "XDG_RUNTIME_DIR": str(folder / "run"),
        }

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run Python there."""
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def cpu_seconds(self, *words: str) -> float:
        """The CPU time of one run of Python."""
        process = subprocess.Popen(
            [sys.executable, *words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
        return used.ru_utime + used.ru_stime

    def daemon(self) -> int:
        """The resident process, 0 where there is none."""
        told = self.run("-m", "fairlint", "daemon", "status").stdout
        return int(told.split()[1].rstrip(",")) if told.startswith("process") else 0


def spent_seconds(process: int) -> float:
    """The CPU time of a process and of those that it has waited for."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def measure(place: Place, rounds: int) -> None:
    """Take turns, and print the table."""
    check = ("-m", "fairlint", "--isolated", "small.py")
    commands = {
        "python -c pass": ("-c", "pass"),
        "keeping nothing": (*check, "--no-cache"),
        "from the cache": check,
        "resident, its client": (*check, "--no-cache", "--daemon"),
    }
    if hasattr(sys, "set_lazy_imports"):
        commands["keeping nothing, loaded late"] = (*LATE, *check, "--no-cache")
    if sys.platform != "linux":
        del commands["resident, its client"]
    for _ in range(3):
        for words in commands.values():
            place.cpu_seconds(*words)
    until = time.monotonic() + PATIENCE
    while "resident, its client" in commands and not (process := place.daemon()) and time.monotonic() < until:
        time.sleep(0.1)
    begun = spent_seconds(process) if "resident, its client" in commands else 0.0
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, words in commands.items():
            times[name].append(place.cpu_seconds(*words))
    middle = {name: statistics.median(taken) for name, taken in times.items()}
    if "resident, its client" in commands:
        work = (spent_seconds(process) - begun) / rounds
        middle["resident, with its process"] = middle["resident, its client"] + work
        place.run("-m", "fairlint", "daemon", "stop")
    loaded = {
        name: place.run(
            *words[: words.index("-m")], "-c", MODULES, *words[words.index("-m") + 2 :]
        ).stderr.strip()
        for name, words in commands.items()
        if name.startswith(("keeping nothing", "from the cache"))
    }
    modules, called = place.run("-c", CALLED, *check[2:], "--no-cache").stderr.split()
    for name, seconds in middle.items():
        print(
            f"{name:28} {seconds * 1e3:6.1f} ms  {seconds / middle['python -c pass']:5.2f} x"
            f"  {loaded.get(name, ''):>4}"
        )
    print(f"{modules} modules of fairlint are loaded, and a function of {called} is called")


def main() -> None:
    """Measure in a folder that is removed."""
    parser = argparse.ArgumentParser(description="Measure what a run over one small file costs.")
    parser.add_argument("--rounds", type=int, default=25)
    with tempfile.TemporaryDirectory(prefix="fl-", dir="/tmp" if os.name == "posix" else None) as folder:
        measure(Place(Path(folder)), parser.parse_args().rounds)


if __name__ == "__main__":
    main()
