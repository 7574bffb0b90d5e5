"""What one repository may take of a machine, and the error for one that cannot be checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from fairlint.support.records import Record

Cause = Literal[
    "gone", "private or gone", "not reachable", "too large", "time", "memory", "no space", "damaged", "empty",
    "died", "refused", "changed", "error",
]  # fmt: skip
MEANINGS: dict[Cause, str] = {
    "gone": "there is no such path, repository or package",
    "private or gone": "the server wants a token or a key, or does not say whether it is there",
    "not reachable": "the server did not answer, or broke off",
    "too large": "more bytes or files than --max-size and --max-files allow",
    "time": "more seconds than --time allows",
    "memory": "more memory than --memory allows",
    "no space": "the disk is full",
    "damaged": "an archive or a repository that cannot be read",
    "empty": "a repository without a commit, or nothing that fairlint reads",
    "died": "the process that checked it was killed",
    "refused": "reading it would run code of its own, another user owns it, or ssh does not trust its server",
    "changed": "it became another while parts of it were checked",
    "error": "an internal error",
}
"""Why a repository was not checked, in words that programs may rely on."""


LEAST_MEMORY = 200_000_000
"""In less memory, not even git and pip can be started."""


class Limits(Record):
    """What one repository may take; 0 is no limit but for `seconds`."""

    seconds: float = 600.0
    memory: int = 4_000_000_000
    """Bytes that the process may have besides what it begins with, git's and pip's each, on Linux."""
    size: int = 2_000_000_000
    """Bytes of its files, and of what is downloaded."""
    files: int = 200_000
    largest: int = 5_000_000
    """Bytes of a file that is looked at."""


class NotCheckedError(Exception):
    """Why a repository was not checked, in one clause."""

    def __init__(self, cause: Cause, reason: str) -> None:
        super().__init__(" ".join(reason.split()))
        self.cause = cause


@contextmanager
def limit_file_size(size: int) -> Iterator[None]:
    """Lets this process and those that it starts write no file of more than `size` bytes, where there are
    such limits.
    """
    try:
        import resource  # noqa: PLC0415 (Windows has none)
    except ImportError:
        yield
        return
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    known = [one for one in (before, most) if one != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_FSIZE, (min([size, *known]) if size else before, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))
