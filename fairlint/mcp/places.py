"""What an agent may ask about: files in the folders that the server was started for, links resolved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class OutsideError(Exception):
    """A path that leads elsewhere; the message says so."""


def inside(path: str, roots: Sequence[Path]) -> Path:
    """Return the whole path, without links, of what is in one of the folders; relative to the first
    of them.
    """
    try:
        whole = (roots[0] / path).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise OutsideError(f"{path!r} is no path: {error}") from None
    if not any(whole.is_relative_to(root) for root in roots):
        allowed = ", ".join(map(str, roots))
        raise OutsideError(f"{path!r} is outside of {allowed}")
    return whole
