"""Answers that are replayed are judged and scored without what bounds are computed with."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fairlint.bench.runs.results import NO_BOUNDS

WITHOUT = """
import sys
for name in ("numpy", "scipy", "torch", "transformers", "pandas"):
    sys.modules[name] = None
from fairlint.__main__ import run
if __name__ == "__main__":
    run()
"""
ANSWER = "def rate(person):\n    return 2 if person.gender == 'female' else 1\n"


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.fixture
def started(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """fairlint in a process of its own, without these packages unless it is to be `whole`."""
    (tmp_path / "without.py").write_text(WITHOUT)
    for name in ("one", "other"):
        kept = [
            {"text": ANSWER, "job": job, "attribute": "gender", "list": "female"}
            for job in ("nurse", "secretary", "dancer")
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in kept))

    def run(*words: str, whole: bool = False) -> subprocess.CompletedProcess[str]:
        begin = ("-m", "fairlint") if whole else ("without.py",)
        return subprocess.run(
            [sys.executable, *begin, *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    return run


def test_replaying_needs_neither_numpy_nor_scipy(
    started: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    done = started("bench", "--model", "replay:one.jsonl", "--output", "run", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert "numpy and scipy are not installed, so that no figure has an interval" in done.stdout
    assert started("bench", "show", "run").returncode == 0
    assert len(lines(tmp_path / "run" / "responses.jsonl")) == 3
    alone = json.loads((tmp_path / "run" / "metrics.json").read_bytes())
    assert (tmp_path / "run" / "report.html").exists()
    done = started("bench", "judge", "--quiet", "run", whole=True)
    assert (done.returncode, done.stderr) == (0, "")
    whole = json.loads((tmp_path / "run" / "metrics.json").read_bytes())
    assert alone["overall"]["interval"] is None
    assert whole["overall"]["interval"] is not None
    assert whole["scores"][0]["leaning"]["group"] == "female"
    assert (alone["notes"], whole["notes"]) == ([NO_BOUNDS], [])
    for figure in ("fair_score", "refusal_rate", "entropy"):
        assert alone["overall"][figure] == whole["overall"][figure]


def test_what_needs_them_says_so(
    started: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    models = ("--model", "replay:one.jsonl", "--model", "replay:other.jsonl")
    done = started("bench", *models, "--output", "two", "--quiet")
    assert done.returncode == 0
    assert done.stderr.startswith(
        "fairlint: warning: the runs are not compared, for numpy and scipy are not "
    )
    assert len(list(tmp_path.glob("two/*/report.html"))) == 2
    for words in (("compare", "two"), ("show", "two", "--output", "page.html"), ("judge", "two")):
        done = started("bench", *words)
        assert done.returncode == 2
        assert done.stderr == 'fairlint: error: numpy is not installed: pip install "fairlint[bench]"\n'
