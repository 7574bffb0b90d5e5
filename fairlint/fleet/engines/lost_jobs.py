"""What becomes of a job that a cluster has given up."""

from __future__ import annotations

from fairlint.fleet.jobs import Answer, Job, answer_head, failure


def lost_answer(job: Job, error: BaseException) -> Answer:
    """Return the answer to a job that a cluster has given up."""
    lines = str(error).strip().splitlines() or [""]
    return {
        **failure("died", f"{type(error).__name__}: {lines[0]}"),
        **answer_head(job),
        "seconds": 0.0,
        "cpu_seconds": 0.0,
    }
