"""What the commands share that go on until somebody ends them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fairlint.config import UsageError

_USUAL = (700, 10, 10)


@contextmanager
def needs(package: str, extra: str) -> Iterator[None]:
    """Imports what an extra brings; a UsageError says which. Garbage is looked for as usual."""
    import gc  # noqa: PLC0415 (a built-in module)

    gc.set_threshold(*_USUAL)  # short runs have none
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in {package, "lsprotocol", "attrs", "cattrs", "anyio"}:
            raise
        raise UsageError(f'{error.name} is not installed: pip install "fairlint[{extra}]"') from None
