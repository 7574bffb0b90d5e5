"""The process that checks: reads jobs from standard input and writes an answer to each.

It is told the process that it ends with, and the module whose `answer` knows the jobs.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from typing import BinaryIO

from fairlint.processes.signals import end_with

HEAD = 4
"""Bytes that say how long a message is."""
LARGEST = 1_000_000_000
"""Bytes of memory that the process may have needed when it goes on; one that needed more makes room."""


def main() -> None:
    """Work until the parent ends, or asks nothing more."""
    parent = int(sys.argv[1])
    answer = import_module(sys.argv[2]).answer
    if os.name == "posix":
        end_with(parent, only=True)
    jobs = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a plugin prints is no answer
    while (job := _read_job(jobs)) is not None:
        told = json.dumps(answer(job)).encode()
        answers.write(len(told).to_bytes(HEAD, "big") + told)
        answers.flush()
        if _peak_memory() > LARGEST:
            return


def _read_job(jobs: BinaryIO) -> dict[str, object] | None:
    head = jobs.read(HEAD)
    if len(head) < HEAD:
        return None
    body = jobs.read(int.from_bytes(head, "big"))
    job: dict[str, object] = json.loads(body)
    return job


def _peak_memory() -> int:
    """Return the most memory that the process has had; 0 where the system does not say."""
    try:
        import resource  # noqa: PLC0415 (Windows has none)
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    main()
