"""What the commands share that go on until somebody ends them, and those that need an extra."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fairlint.support.errors import UsageError

_USUAL = (700, 10, 10)


def needs_streams() -> None:
    """Raise UsageError where nobody can ask, or hear what is answered."""
    for name, stream in (("input", sys.stdin), ("output", sys.stdout)):
        if stream is None:
            raise UsageError(f"standard {name} is closed: there is nobody to talk to")


@contextmanager
def needs(package: str, extra: str) -> Iterator[None]:
    """Import what an extra brings; a UsageError says which. Garbage is looked for as usual."""
    import gc  # noqa: PLC0415 (a built-in module)

    gc.set_threshold(*_USUAL)  # short runs have none
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in {package, "lsprotocol", "attrs", "cattrs", "anyio"}:
            raise
        raise UsageError(f'{error.name} is not installed: pip install "fairlint[{extra}]"') from None
