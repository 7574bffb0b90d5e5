"""`python -m fairlint.bench.ecosystem lm-eval`: the folder that lm-evaluation-harness finds the tasks in."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

FOLDERS = {"lm-eval": Path(__file__).parent / "lm_eval_task"}
"""Harness → the folder with its tasks."""


def main(arguments: Sequence[str]) -> int:
    """Print the folder of the harness that is named; 2, and what is known, for any other."""
    folder = FOLDERS.get(arguments[0]) if len(arguments) == 1 else None
    if folder is None:
        sys.stderr.write(f"usage: python -m fairlint.bench.ecosystem {'|'.join(FOLDERS)}\n")
        return 2
    sys.stdout.write(f"{folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
