"""What a checkout is of: its address, commit and branch, and how many of its files are not as committed.

Everything is asked of git as in `git.py`. Files are compared by their bytes and not by git's own `status` or
`diff`, which run what attributes and configuration name and believe what an index says.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from urllib.parse import quote

from fairlint.support.files import NotReadableError, read_file, repository_of
from fairlint.support.git import (
    LINK,
    MODULE,
    Allowance,
    Entry,
    GitError,
    Objects,
    branch,
    object_id,
    remotes,
    revision,
)
from fairlint.support.records import Record, replace

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH112, PTH113, PTH114, PTH115, PTH118, PTH119, PTH120

LARGEST = 100_000_000
"""Bytes of a file that is compared."""
LARGEST_COMMIT = 1_000_000
"""Bytes of a commit that is looked into for its date."""
MOST_BYTES = 1_000_000_000
"""Bytes of all files that are compared in one run."""
MOST_CHECKOUTS = 20
"""Repositories of one run that git is asked about."""
LONGEST_ADDRESS = 2_000
"""Characters of a remote's address."""
NO_GIT = "no git repository"
_SCHEMES = frozenset({"https", "http", "ssh", "git", "ftps", "ftp"})
_HOST = re.compile(r"(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_SHORT = re.compile(r"(?P<host>[A-Za-z0-9_.-]{2,}|\[[0-9A-Fa-f:.]+\]):(?P<path>[^:]+)")
"""How ssh is named for short, `host:path`; a single letter is a drive."""
_UP_TO_PATH, _UP_TO_QUERY = re.compile(r"[/?#]"), re.compile(r"[?#]")
_COMMITTED = re.compile(rb"^committer .* (\d+) [+-]\d{4}$", re.MULTILINE)
_LFS = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n.*?^oid sha256:([0-9a-f]{64})$", re.MULTILINE | re.DOTALL
)
LARGEST_POINTER = 1_024
"""Bytes of what git keeps instead of a file that LFS holds."""


class State(Record):
    """One checkout. What git does not know of it, or does not tell, is None, and `reason` says why."""

    folder: str
    """The repository's folder, or the one that was checked where it is in none; absolute."""
    address: str | None = None
    """That of `origin`, or of the first other remote, without names and passwords."""
    commit: str | None = None
    committed: str | None = None
    """When, as ISO 8601 writes it in UTC."""
    branch: str | None = None
    changed: tuple[str, ...] = ()
    """Files that are not as in the commit, relative to `folder`: those that it holds, and those checked."""
    uncompared: int = 0
    """Files that could not be compared."""
    reason: str = ""

    @property
    def is_dirty(self) -> bool | None:
        """Whether something is not as committed; None where nobody can say."""
        if self.changed:
            return True
        return None if self.uncompared or self.reason else False


def states(
    paths: Iterable[str], checked: Iterable[str], allowance: Allowance | None = None
) -> tuple[State, ...]:
    """Return the state of each repository that some paths or the files checked below them are in, in order.

    In a repository around a path its files below that path are compared, in one inside of it all files.
    """
    allowance = allowance or Allowance()
    named: dict[str, set[str]] = {}
    for path in paths:
        real = os.path.realpath(path)
        root = repository_of(real if os.path.isdir(real) else os.path.dirname(real))
        named.setdefault(root, set()).add(_path_below_root(real, root))
    files: dict[str, set[str]] = {}
    roots: dict[str, str] = {}
    for path in checked:
        folder = os.path.realpath(os.path.dirname(path) or os.curdir)
        if folder not in roots:
            roots[folder] = repository_of(folder)
        root = roots[folder]
        files.setdefault(root, set()).add(
            _path_below_root(os.path.join(folder, os.path.basename(path)), root)
        )
    found: list[State] = []
    budget = _Budget(allowance)
    for at, root in enumerate(sorted({*named, *files})):
        if at < MOST_CHECKOUTS:
            found.append(_checkout_state(root, named.get(root, {""}), files.get(root, set()), budget))
        else:
            found.append(State(root, reason=f"git is asked about {MOST_CHECKOUTS} repositories at most"))
    return tuple(found)


def public_address(text: str) -> str | None:
    """Return an address of a remote as a URL without names and passwords; None for what is no address
    elsewhere.

    >>> public_address("https://name:secret@example.org/team/code.git")
    'https://example.org/team/code.git'
    >>> public_address("git@example.org:team/code.git")
    'ssh://example.org/team/code.git'
    """
    if len(text) > LONGEST_ADDRESS or not text.isprintable():
        return None
    scheme, mark, rest = text.partition("://")
    if not mark:
        short = _SHORT.fullmatch(text.rpartition("@")[2])
        return None if short is None else f"ssh://{short['host']}/{_quote_path(short['path'].lstrip('/'))}"
    authority = _UP_TO_PATH.split(rest, maxsplit=1)[0]
    host, behind = authority.rpartition("@")[2], rest[len(authority) :]
    if scheme.lower() not in _SCHEMES or not _HOST.fullmatch(host) or "@" in behind:
        return None  # an @ behind the host: a password with a slash in it would be taken for a path
    return f"{scheme.lower()}://{host}{_quote_path(_UP_TO_QUERY.split(behind, maxsplit=1)[0])}"


def _quote_path(path: str) -> str:
    return quote(path, safe="/-._~%+")


def _path_below_root(real: str, root: str) -> str:
    """Return a path as git has it: from the repository's folder, with forward slashes; empty for
    the folder.
    """
    return "" if real == root else real[len(root.rstrip(os.sep)) + 1 :].replace(os.sep, "/")


class _Budget:
    """How much more may be compared: git's time counts, and bytes."""

    def __init__(self, allowance: Allowance) -> None:
        self.allowance = allowance
        self._bytes = MOST_BYTES

    def read(self, path: str) -> bytes:
        """Return the bytes of a file; a NotReadableError where that would be too much."""
        begun = time.monotonic()
        if not self.allowance.left or self._bytes <= 0:
            raise NotReadableError("there is too much to compare")
        data = read_file(path, LARGEST, follow=False)
        self._bytes -= len(data)
        self.allowance.spend(time.monotonic() - begun)
        return data


def _checkout_state(root: str, paths: set[str], checked: set[str], budget: _Budget) -> State:
    """Return the state of one repository, of which some paths were checked."""
    if not os.path.lexists(os.path.join(root, ".git")):
        return State(root, reason=NO_GIT)
    allowance = budget.allowance
    state = State(root)
    try:
        head = revision(root, "HEAD", allowance=allowance)
        known = remotes(root, allowance=allowance)
        first = known.get("origin", next((known[name] for name in sorted(known)), ""))
        state = State(root, public_address(first), head, None, branch(root, allowance=allowance))
        if head is None:
            return replace(state, changed=tuple(sorted(checked)), reason="no commit yet")
        with Objects(root, allowance) as objects:
            data = next((data for _, data in objects.contents([head], LARGEST_COMMIT)), b"")
            state = replace(state, committed=_commit_date(data.partition(b"\n\n")[0]))
            entries = objects.below(head, () if "" in paths else sorted(paths))
            differ, uncompared = _changed_entries(root, entries, budget)
            pointers = [entries[path].object for path in differ if path in entries]
            kept = dict(objects.contents(pointers, LARGEST_POINTER))
        changed = {path for path in differ if not _is_kept_elsewhere(path, root, entries[path], kept, budget)}
        changed |= checked - entries.keys()
    except GitError as error:
        return replace(state, reason=str(error))
    return replace(state, changed=tuple(sorted(changed)), uncompared=uncompared)


def _commit_date(head: bytes) -> str | None:
    found = _COMMITTED.search(head)
    return None if found is None else date_of(int(found[1]))


def date_of(seconds: int) -> str | None:
    """Return a time since 1970 as ISO 8601 writes it in UTC; None where no calendar has it."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (OverflowError, OSError, ValueError):
        return None


def _changed_entries(root: str, entries: Mapping[str, Entry], budget: _Budget) -> tuple[list[str], int]:
    """Return the entries that are not what lies there, and how many could not be compared."""
    folders: dict[str, bool] = {}
    differ: list[str] = []
    uncompared = 0
    for path, entry in entries.items():
        folder, _, _ = path.rpartition("/")
        if folder not in folders:
            whole = os.path.join(root, *folder.split("/"))
            folders[folder] = os.path.realpath(whole) == (whole.rstrip(os.sep) or os.sep)
        try:
            is_same = folders[folder] and _is_same(os.path.join(root, *path.split("/")), entry, budget)
        except (NotReadableError, OSError, ValueError, GitError):
            uncompared += 1
        else:
            if not is_same:
                differ.append(path)
    return differ, uncompared


def _is_same(path: str, entry: Entry, budget: _Budget) -> bool:
    """Return whether what lies at a path is what a commit holds there."""
    length = len(entry.object)
    if os.path.islink(path):
        target = os.fsencode(os.readlink(path)).replace(os.fsencode(os.sep), b"/")
        return entry.mode == LINK and object_id(target, length=length) == entry.object
    if entry.mode == MODULE:
        if not os.path.lexists(os.path.join(path, ".git")):
            return os.path.isdir(path) or not os.path.lexists(path)  # it was not asked for
        return revision(path, "HEAD", allowance=budget.allowance) == entry.object
    if entry.mode == LINK or not os.path.isfile(path):
        return False
    data = budget.read(path)
    if object_id(data, length=length) == entry.object:
        return True
    # git may write other line endings into a checkout than it keeps
    return b"\r\n" in data and object_id(data.replace(b"\r\n", b"\n"), length=length) == entry.object


def _is_kept_elsewhere(
    path: str, root: str, entry: Entry, kept: Mapping[str, bytes], budget: _Budget
) -> bool:
    """Return whether a file is what a pointer of LFS in the commit stands for."""
    found = _LFS.match(kept.get(entry.object, b""))
    if found is None:
        return False
    try:
        data = budget.read(os.path.join(root, *path.split("/")))
    except NotReadableError:
        return False
    return hashlib.sha256(data).hexdigest().encode() == found[1]
