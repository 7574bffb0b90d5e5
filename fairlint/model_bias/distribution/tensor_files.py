"""Files of tensors, which are there whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairlint.support import whole_files
from fairlint.support.errors import UsageError


def write(path: Path, told: Any) -> None:
    """Write what torch can save. Raises UsageError where the disk is full or the folder cannot be written."""
    import torch  # noqa: PLC0415 (an extra)

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_files.open_replacement(path) as file:
            torch.save(told, file)
    except (OSError, RuntimeError) as error:
        # torch has a RuntimeError of its own, which says nothing, for a full disk
        why = error if isinstance(error, OSError) else error.__context__
        if not isinstance(why, OSError):
            raise
        raise UsageError(f"{path} cannot be written: {why.strerror or why}") from None


def read(path: Path) -> Any:
    """Return what `write` wrote. Raises UsageError where it cannot be read."""
    import torch  # noqa: PLC0415 (an extra)

    try:
        return torch.load(path, weights_only=True, map_location="cpu")
    except Exception as error:
        raise UsageError(f"{path} cannot be read: {' '.join(str(error).split())[:200]}") from None
