"""Says what a run over some code consists of: the processor time of each phase, as a table in Markdown.

    python benchmarks/phases.py [--against CHECKOUT] [--rounds N] PATH...

A phase is the time in its functions without that of the phases within them. Measuring itself is a small part
of all phases alike. With another checkout, each cell says its seconds first, both measured in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PHASES: dict[str, tuple[tuple[str, str], ...]] = {
    "find files": (("fairlint.checking.runner", "_discover_files"),),
    "read": (("fairlint.checking.checker", "Checker._raw"), ("fairlint.checking.checker", "to_utf8")),
    "search": (("fairlint.search.prefilter", "Prefilter.__call__"),),
    "links of modules": (("fairlint.project.links", "follow_imports"),),
    "outline": (("fairlint.search.function_outline", "Relevance._wanted"),),
    "lower": (("fairlint.syntax.language", "Language.tree"),),
    "files of data, headers": (
        ("fairlint.project.module_graph", "ModuleGraph.data_files"),
        ("fairlint.project.module_graph", "ModuleGraph.loads_any"),
        ("fairlint.checking.checker", "found_headers"),
    ),
    "evaluate": (("fairlint.semantics.execution", "execute"),),
    "detectors": (("fairlint.detectors.observation", "observe"),),
    "rules, findings": (("fairlint.checking.checker", "judge_uses"),),
}
"""By phase: the functions that make it, each by module and name."""
PARSE, LOAD, REST = "parse", "load modules", "all else"


class Clock:
    """The processor time of phases within phases."""

    def __init__(self) -> None:
        self.taken: dict[str, float] = {}
        self._open = [REST]
        self._since = time.process_time()

    def _turn(self) -> None:
        now = time.process_time()
        self.taken[self._open[-1]] = self.taken.get(self._open[-1], 0.0) + now - self._since
        self._since = now

    def timed(self, phase: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, whose time is that of a phase."""

        def call(*arguments: Any, **keywords: Any) -> Any:
            if self._open[-1] == phase:
                return function(*arguments, **keywords)
            self._turn()
            self._open.append(phase)
            try:
                return function(*arguments, **keywords)
            finally:
                self._turn()
                self._open.pop()

        return call

    def shares(self) -> dict[str, float]:
        """Return the seconds of each phase so far."""
        self._turn()
        return self.taken


def measured(paths: Sequence[str]) -> dict[str, float]:
    """Return the seconds of each phase of a run of the fairlint of this process."""
    import tree_sitter  # noqa: PLC0415 (which fairlint is asked is decided by the path)

    clock = Clock()
    own = tree_sitter.Parser

    class TimedParser:
        """A parser whose work is a phase."""

        def __init__(self, *arguments: Any) -> None:
            self.parse = clock.timed(PARSE, own(*arguments).parse)

    tree_sitter.Parser = TimedParser  # type: ignore[misc,assignment]
    bootstrap: Any = import_module("importlib._bootstrap")
    bootstrap._find_and_load = clock.timed(LOAD, bootstrap._find_and_load)
    for phase, functions in PHASES.items():
        for module, name in functions:
            place: Any = import_module(module)
            *owner, last = name.split(".")
            for part in owner:
                place = getattr(place, part)
            if hasattr(place, last):
                setattr(place, last, clock.timed(phase, getattr(place, last)))
    from fairlint.cli import main as run  # noqa: PLC0415 (as above)

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        sys.stdout, kept = nowhere, sys.stdout
        options = ["--isolated", "--no-cache", "-j", "1", "--exit-zero", "--no-gitignore"]
        sys.argv = ["fairlint", *paths, *options]
        run()
        sys.stdout = kept
    return clock.shares()


def seconds_of(checkouts: Sequence[Path], path: str, rounds: int, byte_code: str) -> list[dict[str, float]]:
    """Return the median seconds of each phase under each checkout, the checkouts taking turns."""
    runs = [[_run(checkout, path, byte_code) for checkout in checkouts] for _ in range(rounds + 1)]
    del runs[0]  # writes byte code
    return [
        {name: statistics.median(one.get(name, 0.0) for one in several) for name in set().union(*several)}
        for several in zip(*runs, strict=True)
    ]


def _run(checkout: Path, path: str, byte_code: str) -> dict[str, float]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, __file__, "--measure", path],
        env={**environment, "PYTHONPATH": str(checkout), "PYTHONPYCACHEPREFIX": byte_code},
        stdout=subprocess.PIPE,
        check=True,
        cwd=tempfile.gettempdir(),
    )
    taken: dict[str, float] = json.loads(done.stdout)
    return taken


def table(columns: dict[str, list[dict[str, float]]]) -> str:
    """Return the phases of several trees as Markdown; of each, one checkout or two."""
    names = [REST, LOAD, *PHASES]
    names[names.index("lower") : names.index("lower")] = [PARSE]
    lines = [f"| seconds of CPU (share) | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    lines += [
        f"| {name} | {' | '.join(_cell(name, several) for several in columns.values())} |"
        for name in (*names[1:], REST)
    ]
    totals = (" → ".join(f"{sum(one.values()):.2f}" for one in several) for several in columns.values())
    return "\n".join([*lines, f"| total | {' | '.join(totals)} |"])


def _cell(name: str, several: Sequence[dict[str, float]]) -> str:
    return " → ".join(f"{one.get(name, 0.0):.2f}" for one in several) + (
        f" ({several[-1].get(name, 0.0) / sum(several[-1].values()):.0%})"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Say what a run over some code consists of.")
    parser.add_argument("--measure", action="store_true", help="measure this fairlint, as JSON")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="measure another checkout, too")
    parser.add_argument("--rounds", type=int, default=1, help="runs of which the median is taken")
    parser.add_argument("paths", nargs="+", metavar="PATH")
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measured(options.paths)))
        return 0
    checkouts = [*([options.against.resolve()] if options.against else []), ROOT]
    paths = [str(Path(path).resolve()) for path in options.paths]
    with tempfile.TemporaryDirectory() as byte_code:
        columns = {Path(path).name: seconds_of(checkouts, path, options.rounds, byte_code) for path in paths}
    print(table(columns))
    return 0


if __name__ == "__main__":
    sys.exit(main())
