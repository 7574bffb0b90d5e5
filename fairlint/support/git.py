"""Asks git, so that a stranger's repository cannot have it run anything."""

from __future__ import annotations

import subprocess

PATIENCE = 120.0
"""Seconds that git may take."""
SAFE = ("-c", "core.quotePath=false", "-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit")


class GitError(Exception):
    """Why git did not answer, in one line."""


def asked(folder: str, *arguments: str) -> str:
    """What git prints in a folder; a GitError where it is not there, fails or takes too long."""
    command = ["git", *SAFE, *arguments]
    try:
        done = subprocess.run(  # noqa: S603
            command, cwd=folder, capture_output=True, timeout=PATIENCE, check=False
        )
    except OSError as error:
        raise GitError(f"git cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git takes longer than {PATIENCE:g} s") from None
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it failed"]
        raise GitError(f"git: {told[0]}")
    return done.stdout.decode("utf-8", "replace")
