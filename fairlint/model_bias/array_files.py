"""Files of arrays, `.npz`."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any


def pack_arrays(arrays: Mapping[str, Any]) -> bytes:
    """Return the content of a file of arrays by name."""
    import numpy  # noqa: PLC0415 (an extra)

    file = io.BytesIO()
    numpy.savez(file, **arrays)
    return file.getvalue()
