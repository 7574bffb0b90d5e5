"""Judges the answers of docs/bench-example/ again, and writes their figures and reports anew.

    python benchmarks/bench_example.py [RUN...]

The answers are kept as the model gave them; what is made of them changes with the checker. Exit status: 0.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from fairlint.bench.judging.judging_all import judge_all
from fairlint.bench.report import html, markdown, read_view
from fairlint.bench.runs.judged_runs import metrics_of
from fairlint.bench.runs.results import as_text
from fairlint.run_folders.jsonl import KEY
from fairlint.run_folders.run_folder import read_run

EXAMPLE = Path(__file__).parent.parent / "docs" / "bench-example"
KEPT = ("run.json", "responses.jsonl")


def renew(run: Path) -> None:
    """Judge a run's answers and write what comes of them."""
    known = read_run(run)
    answers = list(known.responses())
    outcomes = {one[KEY]: one for one in judge_all(known.settings["suite"], answers, workers=0)}
    (run / "outcomes.jsonl").write_text(
        "".join(json.dumps(outcomes[one[KEY]], ensure_ascii=False) + "\n" for one in answers), "utf-8"
    )
    (run / "metrics.json").write_text(as_text(metrics_of(run)), "utf-8")
    view = read_view(run)
    (run / "report.html").write_text(html([view]), "utf-8")
    (run / "report.md").write_text(markdown([view]), "utf-8")


def take(source: Path) -> Path:
    """Copy a run's settings and answers into the example."""
    target = EXAMPLE / source.name
    target.mkdir(parents=True, exist_ok=True)
    for name in KEPT:
        shutil.copy(source / name, target / name)
    return target


def main(arguments: Sequence[str] | None = None) -> int:
    """Renew all runs of the example, or take others in first."""
    for source in map(Path, sys.argv[1:] if arguments is None else arguments):
        take(source)
    for run in sorted(one for one in EXAMPLE.iterdir() if one.is_dir()):
        renew(run)
        print(f"{run}: {json.loads((run / 'metrics.json').read_text('utf-8'))['answers']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
