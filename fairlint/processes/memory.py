"""A limit of memory for work in this process, where the system has one.

On Linux the system refuses what is asked for beyond the limit, and Python raises a MemoryError. Other threads
would be refused as well, so beside them there is no limit; nor is there one on other systems.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_REFUSED = (
    "failed to map segment",
    "annot allocate memory",
    "without exception set",
    "without setting an exc",
)
"""What the system says of a library that cannot be loaded, and Python of one that gives up."""


@contextmanager
def limit_memory(size: int) -> Iterator[None]:
    """Lets the process have `size` bytes more than it has now. 0 bytes are no limit."""
    if not size or sys.platform != "linux" or _has_threads():
        yield
        return
    import resource  # noqa: PLC0415 (other systems lack it)

    before, most = resource.getrlimit(resource.RLIMIT_AS)
    limits = [
        _address_space_size() + size,
        *(limit for limit in (before, most) if limit != resource.RLIM_INFINITY),
    ]
    resource.setrlimit(resource.RLIMIT_AS, (min(*limits, sys.maxsize), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, most))


def _has_threads() -> bool:
    threading = sys.modules.get("threading")  # start-up: without it there are none
    return threading is not None and threading.active_count() > 1


def is_refusal(error: Exception) -> bool:
    """Return whether an error says that memory was refused: it is a MemoryError only where Python itself
    asked.
    """
    if isinstance(error, ImportError | SystemError):
        return any(words in str(error) for words in _REFUSED)
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)


def _address_space_size() -> int:
    """Return the bytes of address space that the process has."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 (start-up)
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # no /proc here, so what it has is unknown: it starts small
        return 0
