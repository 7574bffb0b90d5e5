"""`python -m fairlint.bench.ecosystem lm-eval`: the folder that lm-evaluation-harness finds the tasks in."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fairlint.bench.ecosystem.lm_eval_tasks import lm_eval_folder
from fairlint.support.errors import UsageError

FOLDERS: Mapping[str, Callable[[], Path]] = {"lm-eval": lm_eval_folder}
"""Harness → what makes the folder with its tasks."""


def main(arguments: Sequence[str]) -> int:
    """Print the folder of the harness that is named; 2, and what is known, for any other."""
    folder = FOLDERS.get(arguments[0]) if len(arguments) == 1 else None
    if folder is None:
        sys.stderr.write(f"usage: python -m fairlint.bench.ecosystem {'|'.join(FOLDERS)}\n")
        return 2
    try:
        sys.stdout.write(f"{folder()}\n")
    except (UsageError, OSError) as error:
        sys.stderr.write(f"fairlint: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
