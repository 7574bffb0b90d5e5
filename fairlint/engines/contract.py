"""What every engine has in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

from fairlint.support.errors import UsageError

REACHED_WITHIN = 5.0
"""Seconds in which a cluster has to answer."""
_Task_contra = TypeVar("_Task_contra", contravariant=True)
_Result = TypeVar("_Result")


class Engine(Protocol[_Task_contra, _Result]):
    """What does tasks."""

    at_once: int
    """So many tasks are worth being submitted at once."""
    shared: str
    """A folder that all its workers see, for files that several of them need; empty where there is none."""

    def submit(self, tasks: Sequence[_Task_contra]) -> None:
        """Take a batch of tasks; returns at once."""

    def wait(self) -> list[_Result]:
        """Return the results that have come, at least one. Only while tasks are out."""

    def cancel(self) -> None:
        """End all work, and what was started for it."""


def check_reachable(address: str) -> None:
    """Raise UsageError where nothing listens at the address of a cluster."""
    import socket  # noqa: PLC0415 (clusters only)

    parts = urlsplit(address if "://" in address else f"//{address}")
    try:
        port = parts.port
    except ValueError:
        port = None
    if not parts.hostname or not port:
        scheme = f"{parts.scheme}://" if parts.scheme else ""
        raise UsageError(f"--engine {address}: needs a host and a port, as {scheme}HOST:PORT")
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
