"""Downloads a package of the index that pip is set up for.

Wheels alone: of a source distribution pip would run code to learn what it needs.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from fairlint.fleet.limits import Cause, NotCheckedError

_REASONS: tuple[tuple[re.Pattern[str], Cause, str], ...] = (
    (re.compile(r"No module named pip"), "refused", "pip is not installed beside fairlint"),
    (re.compile(r"No space left"), "no space", "no space is left for its download"),
    (re.compile(r"File too large"), "too large", "its download is too large"),
    (re.compile(r"MemoryError"), "memory", "pip did not have enough memory"),
    (
        re.compile(r"Connection|[Tt]imed? ?out|Name or service|NewConnectionError|SSLError"),
        "not reachable",
        "the index did not answer",
    ),
    (
        re.compile(r"\(from versions: none\)"),
        "refused",
        "there is no wheel of it, or no such package: of a source distribution pip would run code",
    ),
    (re.compile(r"No matching distribution|Could not find a version"), "gone", "there is no such version"),
)


def download_package(name: str, folder: Path, seconds: float) -> Path:
    """Download the wheel of a package into an empty folder. Raises NotCheckedError where there is none."""
    command = [
        sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
        "--no-input", "--disable-pip-version-check", "--no-color", "--dest", str(folder), "--", name,
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, check=False, cwd=folder)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise NotCheckedError("time", f"its download takes longer than {seconds:g} s") from None
    except OSError as error:
        raise NotCheckedError("error", f"pip cannot be run: {error.strerror or error}") from None
    found = sorted(path for path in folder.iterdir() if path.is_file())
    if done.returncode or not found:
        told = done.stderr.decode("utf-8", "replace")
        for pattern, cause, reason in _REASONS:
            if pattern.search(told):
                raise NotCheckedError(cause, reason)
        lines = [line for line in told.splitlines() if line.strip()]
        raise NotCheckedError("error", f"pip: {lines[-1] if lines else 'it failed'}")
    return found[0]
