"""What every engine has in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from urllib.parse import urlsplit

from fairlint.fleet.jobs import Answer, Job, answer_head, failure
from fairlint.support.errors import UsageError

REACHED_WITHIN = 5.0
"""Seconds in which a cluster has to answer."""


class Engine(Protocol):
    """What runs jobs."""

    at_once: int
    """So many jobs are worth being submitted at once."""
    shared: str
    """A folder that all its workers see, for files that several of them need; empty where there is none."""

    def submit(self, jobs: Sequence[Job]) -> None:
        """Take a batch of jobs; returns at once."""

    def wait(self) -> list[Answer]:
        """Return the answers that have come, at least one. Only while jobs are out."""

    def cancel(self) -> None:
        """End all work, and what was started for it."""


def check_reachable(address: str) -> None:
    """Raise UsageError where nothing listens at the address of a cluster."""
    import socket  # noqa: PLC0415 (clusters only)

    parts = urlsplit(address)
    try:
        port = parts.port
    except ValueError:
        port = None
    if not parts.hostname or not port:
        raise UsageError(f"--engine {address}: needs a host and a port, as {parts.scheme}://HOST:PORT")
    try:
        socket.create_connection((parts.hostname, port), timeout=REACHED_WITHIN).close()
    except OSError as error:
        raise UsageError(f"--engine {address}: cannot be reached: {error.strerror or error}") from None


def cluster_loss(name: str, error: BaseException) -> UsageError:
    """Return the error with which a run ends whose cluster is no longer there: it can go on later."""
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    return UsageError(
        f"--engine {name}: the cluster is lost: {reason}; the same command with --resume continues"
    )


def lost_answer(job: Job, error: BaseException) -> Answer:
    """Return the answer to a job that a cluster has given up."""
    lines = str(error).strip().splitlines() or [""]
    return {
        **failure("died", f"{type(error).__name__}: {lines[0]}"),
        **answer_head(job),
        "seconds": 0.0,
        "cpu_seconds": 0.0,
    }
