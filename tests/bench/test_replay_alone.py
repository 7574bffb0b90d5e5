"""Answers that are replayed are collected and judged without what figures are computed with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

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


def test_replaying_needs_neither_numpy_nor_scipy(tmp_path: Path) -> None:
    (tmp_path / "without.py").write_text(WITHOUT)
    kept = [
        {"text": ANSWER, "job": job, "attribute": "gender", "list": "female"}
        for job in ("nurse", "secretary")
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(one) + "\n" for one in kept))
    words = ["bench", "--model", "replay:answers.jsonl", "--output", "run", "--quiet"]

    def started(*begin: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *begin, *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    done = started("without.py")
    assert done.returncode == 2
    (told,) = done.stderr.splitlines()
    assert 'no figures yet, for numpy is not installed: pip install "fairlint[bench]"; 2 of 2 answers' in told
    assert len(lines(tmp_path / "run" / "responses.jsonl")) == 2
    assert all(one["valid"] for one in lines(tmp_path / "run" / "outcomes.jsonl"))
    words.append("--resume")
    before = (tmp_path / "run" / "outcomes.jsonl").read_bytes()
    done = started("-m", "fairlint")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "run" / "outcomes.jsonl").read_bytes() == before
