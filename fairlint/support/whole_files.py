"""The one way to write a file: as a whole or not at all, and never through a link that leads elsewhere.

What is written stands under a name that nobody can guess in the target's own folder, until it takes the
target's place at one stroke. Folders are opened one by one below the place that a path belongs to, so a
folder that becomes a link in the meantime leads nowhere.

A link in a repository may lead to another file of the repository, which is written then. One that leads out
of it is refused: who ships the link would choose what is overwritten. Outside of repositories the same holds
for the current folder, and elsewhere for the folder that the file is named in.
"""

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH100, PTH102, PTH104, PTH109, PTH118, PTH120, PTH123, PTH206

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

TYPE_CHECKING = False  # importing typing would take as long as writing some files
if TYPE_CHECKING:
    from io import BufferedWriter

DRAFT = re.compile(r"\..*\.[0-9a-f]{16}\.draft")
"""What a file is called until it takes its target's place; what a killed process leaves."""
_LONGEST = 200
"""Bytes of a target's name that its draft's begins with: 255 is the most that file systems take."""
_DEVICES = ("/dev/", "/proc/")
"""Where names stand for devices and open files: nobody's repository holds them."""
_OPEN_ALREADY = re.compile(r"/(?:dev|proc/self)/fd/(\d+)|/dev/std(?:(out)|err)")
_HAS_FOLDERS = {os.open, os.stat, os.unlink, os.mkdir} <= os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_BINARY", 0)


class LeadsOutError(OSError):
    """A link leads out of the place that a path belongs to, or into git's own folder."""

    def __init__(self, path: str, real: str, base: str) -> None:
        super().__init__(
            errno.ELOOP, f"a link leads to {real}, out of what {base} keeps: name that file itself", path
        )


def write(
    path: str | os.PathLike[str],
    pieces: Iterable[bytes],
    *,
    durable: bool = False,
    private: bool = False,
    whatever_is_there: bool = False,
) -> None:
    """Write the pieces to a file as a whole, with the mode of the file that it replaces.

    A pipe or a device is written to directly. `durable` brings the file and its name to the disk before it
    returns, `private` lets nobody but the user read a new file. Between the first look at the target and
    the end it has to stay what it was, but for `whatever_is_there`, where several processes write the same.
    An OSError for whatever the system refuses, LeadsOutError among them; nothing is left behind then.
    """
    with open_replacement(
        path, durable=durable, private=private, whatever_is_there=whatever_is_there
    ) as file:
        for piece in pieces:
            file.write(piece)


def write_text(path: str | os.PathLike[str], text: str, *, durable: bool = False) -> None:
    """As `write`, of a text in UTF-8; halves of surrogate pairs are written as escapes."""
    write(path, (text.encode("utf-8", "backslashreplace"),), durable=durable)


@contextmanager
def open_replacement(
    path: str | os.PathLike[str],
    *,
    durable: bool = False,
    private: bool = False,
    whatever_is_there: bool = False,
) -> Iterator[BufferedWriter]:
    """Yield a file to write to that takes the target's place where the block ends well; as `write`."""
    named = os.path.abspath(os.fspath(path))
    if _is_special(named):
        with open(_descriptor_of(named), "wb") as file:
            yield file
        return
    base, parts = place_of(named)
    name = parts.pop()
    with (
        _open_folder_chain(base, parts) as folder,
        _open_draft(folder, name, durable, private, whatever_is_there) as file,
    ):
        yield file


def write_into(folder: str, name: str, data: bytes, *, private: bool = False) -> None:
    """Write a file into a folder that was looked at before, whatever is there under this name.

    The folder may be no link. As `write`, and without its look at the way that leads to the folder.
    """
    with _open_folder_chain(folder, ()) as into, _open_draft(into, name, False, private, True) as file:
        file.write(data)


@contextmanager
def _open_draft(
    folder: _Folder, name: str, durable: bool, private: bool, whatever_is_there: bool
) -> Iterator[BufferedWriter]:
    """Yield a new file that takes a name in a folder when it is done."""
    before = folder.status(name)
    if before is not None and not stat.S_ISREG(before.st_mode):
        if not (whatever_is_there and stat.S_ISLNK(before.st_mode)):
            raise _not_regular(before, name)
        before = None  # what takes a link's place leaves alone what it leads to
    draft = f".{os.fsdecode(os.fsencode(name)[:_LONGEST])}.{os.urandom(8).hex()}.draft"
    try:  # an interrupt may come as soon as the file is there
        descriptor = os.open(folder.path(draft), _NEW, 0o600 if private else 0o666, dir_fd=folder.descriptor)
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            if before is not None and not private and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
            if durable:
                os.fsync(file.fileno())
        if not whatever_is_there and not _is_same_file(before, folder.status(name)):
            raise OSError(errno.EBUSY, "something else took its place meanwhile", name)
        folder.replace(draft, name)
    except BaseException:
        with suppress(OSError):
            folder.remove(draft)
        raise
    if durable:
        folder.sync()


def place_of(path: str) -> tuple[str, list[str]]:
    """Return the place that a path belongs to, without links, and the way from there to the file that it
    names.

    The place is the repository that the path is named in, else the current folder where it lies below that,
    else the folder that it is named in. A LeadsOutError where a link leads the path out of its place.
    """
    named = os.path.abspath(path)
    parent = os.path.dirname(named)
    base = _base_folder(parent)
    root, real = os.path.realpath(base), os.path.realpath(named)
    inside = os.path.join(root, "")
    parts = [part for part in real[len(inside) :].split(os.sep) if part]
    # git runs what stands in its own folder, so nothing but that folder's name leads there
    leads_into_git = _holds_git(parts) and not _holds_git(named.split(os.sep))
    if not real.startswith(inside) or leads_into_git:
        raise LeadsOutError(named, real, root)
    return root, parts


def _holds_git(parts: Iterable[str]) -> bool:
    return any(part.lower() == ".git" for part in parts)


def _base_folder(parent: str) -> str:
    """Return the folder below which a path stays whose last folder is `parent`, as it is named."""
    above = parent
    while not os.path.lexists(os.path.join(above, ".git")):
        if above == (higher := os.path.dirname(above)):
            here = os.getcwd()
            return here if os.path.join(parent, "").startswith(os.path.join(here, "")) else parent
        above = higher
    return above


def _is_special(named: str) -> bool:
    """Return whether a path stands for a pipe, a device or a file that is open already."""
    if named.startswith(_DEVICES):
        return True
    try:
        found = os.lstat(named)
    except OSError:
        return False
    return any(is_kind(found.st_mode) for is_kind in (stat.S_ISFIFO, stat.S_ISCHR, stat.S_ISBLK))


def _descriptor_of(named: str) -> int:
    """Return what to write to for such a path. What is open already goes on where it is."""
    if (found := _OPEN_ALREADY.fullmatch(named)) is not None:
        return os.dup(int(found[1]) if found[1] else 1 if found[2] else 2)
    return os.open(named, os.O_WRONLY | getattr(os, "O_BINARY", 0))


def _not_regular(found: os.stat_result, named: str) -> OSError:
    if stat.S_ISDIR(found.st_mode):
        return IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), named)
    return OSError(errno.EINVAL, "not a regular file", named)


def _is_same_file(before: os.stat_result | None, now: os.stat_result | None) -> bool:
    """Return whether a name still stands for the file that it stood for, as it was."""
    if before is None or now is None:
        return before is now
    seen = [(one.st_dev, one.st_ino, one.st_mode, one.st_size, one.st_mtime_ns) for one in (before, now)]
    return seen[0] == seen[1]


@contextmanager
def folder_for(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield a new folder that takes the place of the one that `path` names where the block ends well.

    It is made beside that place, under a name that nobody can guess; what was there before goes at the end.
    An OSError as of `write`.
    """
    import shutil  # noqa: PLC0415 (start-up)

    base, parts = place_of(os.path.abspath(os.fspath(path)))
    target = os.path.join(base, *parts)
    made, before = (f"{target}.{os.urandom(8).hex()}.draft" for _ in range(2))
    try:
        os.mkdir(made)
        yield made
        try:
            if os.path.lexists(target):
                os.rename(target, before)
            os.rename(made, target)
        except BaseException:  # an interrupt, too
            if os.path.lexists(before) and not os.path.lexists(target):
                os.rename(before, target)
            raise
        shutil.rmtree(before, ignore_errors=True)
    finally:
        shutil.rmtree(made, ignore_errors=True)


class _Folder:
    """A folder that is open, so that its path may become another's without harm; else its path."""

    def __init__(self, path: str, descriptor: int | None) -> None:
        self._path = path
        self.descriptor = descriptor

    def path(self, name: str) -> str:
        """Return what the system is told to find a name in the folder."""
        return name if self.descriptor is not None else os.path.join(self._path, name)

    def replace(self, name: str, target: str) -> None:
        """Give a file another name in the folder, in place of what has it."""
        os.replace(self.path(name), self.path(target), src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def remove(self, name: str) -> None:
        """Take a file out of the folder."""
        os.unlink(self.path(name), dir_fd=self.descriptor)

    def status(self, name: str) -> os.stat_result | None:
        """Return what stands under a name in the folder, a link itself; None where nothing does."""
        try:
            return os.stat(self.path(name), dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def sync(self) -> None:
        """Bring the names in the folder to the disk, where the system can."""
        if self.descriptor is not None:
            with suppress(OSError):
                os.fsync(self.descriptor)


@contextmanager
def _open_folder_chain(base: str, parts: Iterable[str]) -> Iterator[_Folder]:
    """Yield the folder that lies on a way below a base, opened step by step through no link."""
    if not _HAS_FOLDERS:
        yield _Folder(os.path.join(base, *parts), None)
        return
    descriptor = _opened_folder(base, None)
    try:
        for part in parts:
            below = _opened_folder(part, descriptor)
            os.close(descriptor)
            descriptor = below
        yield _Folder(base, descriptor)
    finally:
        os.close(descriptor)


def _opened_folder(path: str, above: int | None) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | _NO_LINK
    try:
        return os.open(path, flags, dir_fd=above)
    except PermissionError:  # it may be written and not listed
        return os.open(path, flags | getattr(os, "O_PATH", 0), dir_fd=above)
