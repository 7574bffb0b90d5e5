"""Asks git, so that nothing that a repository brings along is run, whatever its `.git` says.

A `.git` may be a stranger's: an unpacked archive, a shared folder. What it configures can have git run
programs, and which commands heed which keys changes from version to version. So git is asked few things where
the repository lies, by commands that look at no file of the working tree: what a revision is, which branch is
checked out, which files are tracked, and which addresses of remotes are configured; `fleet adopt --branches`
has it name a commit, without a hook. All else is asked in an
empty repository of fairlint's own that borrows the objects: it has no configuration, no attributes, no hooks
and no remotes, and objects are data.
"""

from __future__ import annotations

import math
import os
import re
import stat
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from fairlint.support.files import NotReadableError, read_file, repository_of
from fairlint.support.records import Record

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory
    from typing import Self

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH102, PTH112, PTH113, PTH116, PTH117, PTH118, PTH120, PTH123

PATIENCE = 60.0
"""Seconds that git may take for all that it is asked in one run."""
LARGEST_LINK = 10_000
"""Bytes of a `.git` that says where the repository is."""
LARGEST_SHALLOW = 10_000_000
"""Bytes of the list of commits where a history was cut off."""
MOST_NAMES = 5_000
"""Names in a `.git` that are looked at before git does."""
AT_ONCE = 30_000
"""Characters of paths that one command is given: Windows takes no more."""
BATCH = 50_000_000
"""Bytes of objects that are read at once."""

LINK, MODULE = "120000", "160000"
"""What the mode of an entry says of it: a symbolic link, another repository."""

OURS = {
    "core.alternateRefsCommand": "",
    "core.askPass": "",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.quotePath": "false",
    "core.sshCommand": "false",
    "credential.helper": "",
    "diff.external": "",
    "gc.auto": "0",
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
}
"""What counts in a repository instead of what it configures itself. Only `ls-files` needs one of them,
`core.fsmonitor`; the others are a second lock.
"""
CONFIGURED = [part for key, value in OURS.items() for part in ("-c", f"{key}={value}")]
BARE_ALLOWED = ("-c", "safe.bareRepository=all")
"""For a folder that a person has named as a repository. git still refuses one that another user owns."""
KEPT = frozenset({"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH"})
"""Variables of the user that say how git finds a repository and its own programs; those that begin with
`GIT_CONFIG` are the user's configuration, which says whose folders to trust. No other is handed on: in a hook
of git they name another index or repository than the one that is asked about.
"""
ALWAYS = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_ASKPASS": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
FATAL = "fatal: "
"""How the line begins in which git says why it gave up; others may stand above it."""
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_WHERE = re.compile(rb"gitdir: ([^\r\n]+)")


class GitError(Exception):
    """Why git did not answer, in one line."""


class Allowance:
    """The time that git has in one run: what it takes for one question is gone for the next."""

    def __init__(self, until: float = math.inf, seconds: float = PATIENCE) -> None:
        self._until = until
        """When the run ends, by the clock `time.monotonic`."""
        self._seconds = self._left = seconds

    @property
    def left(self) -> float:
        """Seconds; 0 where there are none."""
        return max(0.0, min(self._left, self._until - time.monotonic()))

    def spend(self, seconds: float) -> None:
        """So many seconds were taken."""
        self._left -= seconds

    def over(self) -> GitError:
        """Return why git is not waited for any longer."""
        if time.monotonic() >= self._until:
            return GitError("git did not answer before the run's time was over (the setting timeout)")
        return GitError(f"git takes longer than {self._seconds:g} s")


class Entry(Record):
    """What a tree holds under a path: its mode, and the object's id."""

    mode: str
    object: str


def git_output(
    folder: str, *arguments: str, allowance: Allowance | None = None, is_bare: bool = False
) -> str:
    """Return what git prints in a folder of a repository, which has no say in what is run.

    A GitError where git is not there, fails or takes too long. Only for commands that look at no file of the
    working tree and change nothing but a reference. Bytes that are not UTF-8 are as `os.fsdecode` gives them.
    With `is_bare` the folder itself is the repository, whatever it lies in.
    """
    root = os.path.realpath(folder) if is_bare else repository_of(folder)
    _refuse_pipes(root, root if is_bare else os.path.join(root, ".git"))
    environment = git_environment()
    above = environment.get("GIT_CEILING_DIRECTORIES", "")
    ceiling = os.path.dirname(root)
    environment["GIT_CEILING_DIRECTORIES"] = f"{above}{os.pathsep}{ceiling}" if above else ceiling
    command = ["--no-pager", *CONFIGURED, *(BARE_ALLOWED if is_bare else ()), *arguments]
    return os.fsdecode(command_output(command, folder, environment, allowance or Allowance()))


def tracked_paths(folder: str, *, allowance: Allowance | None = None) -> list[str]:
    """Return the files below a folder that git tracks, relative to it; links and other repositories among
    them.
    """
    return git_output(folder, "ls-files", "--cached", "-z", allowance=allowance).split("\0")[:-1]


def revision(
    folder: str,
    name: str,
    kind: str = "commit",
    *,
    allowance: Allowance | None = None,
    is_bare: bool = False,
) -> str | None:
    """Return the id of what a revision of the repository is, peeled to a kind of object; None if there is
    none.
    """
    try:
        told = git_output(
            folder,
            "rev-parse",
            "--verify",
            "--quiet",
            f"{name}^{{{kind}}}",
            allowance=allowance,
            is_bare=is_bare,
        )
    except FailedError:
        git_output(
            folder, "rev-parse", "--git-dir", allowance=allowance, is_bare=is_bare
        )  # is it the repository that is wrong?
        return None
    found = told.strip()
    return found if _ID.fullmatch(found) else None


def branch(folder: str, *, allowance: Allowance | None = None) -> str | None:
    """Return the branch that is checked out, be it without a commit; None where a commit alone is."""
    try:
        told = git_output(folder, "symbolic-ref", "--quiet", "HEAD", allowance=allowance)
    except FailedError:
        return None
    return told.strip().removeprefix("refs/heads/") or None


def remotes(folder: str, *, allowance: Allowance | None = None) -> Mapping[str, str]:
    """Return the remotes that the repository configures, each with its first address as it is
    written there.
    """
    wanted = ("config", "--local", "--no-includes", "--null", "--get-regexp", r"^remote\..*\.url$")
    try:
        told = git_output(folder, *wanted, allowance=allowance)
    except FailedError:  # also where there is none
        return {}
    found: dict[str, str] = {}
    for line in told.split("\0")[:-1]:
        key, _, address = line.partition("\n")
        found.setdefault(key[len("remote.") : -len(".url")], address)
    return found


def is_empty(folder: str, *, allowance: Allowance | None = None) -> bool:
    """Return whether the repository has neither a commit that is checked out nor any other."""
    if revision(folder, "HEAD", allowance=allowance) is not None:
        return False
    return not git_output(folder, "for-each-ref", "--count=1", allowance=allowance)


class FailedError(GitError):
    """git itself said no; `told` is all that it and the programs that it started said."""

    def __init__(self, reason: str, told: str = "") -> None:
        super().__init__(reason)
        self.told = told


class Objects:
    """The objects of the repository around a folder, read where nothing else of it counts; with `is_bare` of
    the folder itself.
    """

    def __init__(self, folder: str, allowance: Allowance | None = None, *, is_bare: bool = False) -> None:
        self.root = os.path.realpath(folder) if is_bare else repository_of(folder)
        self._is_bare = is_bare
        self._allowance = allowance or Allowance()
        self._own = ""
        self._environment: dict[str, str] = {}
        self._folder: TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        from tempfile import TemporaryDirectory  # noqa: PLC0415 (few runs ask git)

        asks = ("rev-parse", "--git-path", "objects", "--show-object-format")
        told = git_output(self.root, *asks, allowance=self._allowance, is_bare=self._is_bare)
        where, _, form = told[:-1].rpartition("\n")
        objects = os.path.realpath(os.path.join(self.root, where))
        try:
            self._folder = TemporaryDirectory(prefix="fairlint-git-", ignore_cleanup_errors=True)
            self._own = self._folder.name
            make_repository(self._own, is_sha256=form == "sha256")
            self._cut_off(os.path.join(os.path.dirname(objects), "shallow"))
        except GitError:
            self._remove_folder()
            raise
        except OSError as error:
            self._remove_folder()
            raise GitError(f"no folder for git can be made: {error.strerror}") from None
        self._environment = {
            **git_environment(own=True),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_DIR": self._own,
            "GIT_OBJECT_DIRECTORY": objects,
            "HOME": self._own,
            "XDG_CONFIG_HOME": self._own,
        }
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove_folder()

    def _remove_folder(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def _cut_off(self, path: str) -> None:
        """Take over where the history was cut off, so that git does not look for more."""
        if not os.path.lexists(path):
            return
        try:
            data = read_file(path, LARGEST_SHALLOW, follow=False)
        except NotReadableError as error:
            raise GitError(f"{path}: {error}") from None
        with open(os.path.join(self._own, "shallow"), "wb") as file:
            file.write(data)

    def asked(self, *arguments: str, given: bytes = b"") -> bytes:
        """Return what git prints; a GitError as in `asked`."""
        command = ["--no-pager", *arguments]
        return command_output(command, self._own, self._environment, self._allowance, given)

    def entries(self, tree: str, paths: Iterable[str]) -> Mapping[str, Entry]:
        """Return what a tree holds under paths from the repository's root, with forward slashes; no
        folders.
        """
        found: dict[str, Entry] = {}
        for some in _path_batches(sorted(set(paths))):
            found |= _parse_tree_listing(self.asked("ls-tree", "-z", "--full-tree", tree, "--", *some))
        return {path: found[path] for path in paths if path in found}

    def below(self, tree: str, paths: Sequence[str]) -> Mapping[str, Entry]:
        """Return what a tree holds at or below paths, as `entries` is given them; all of it where there are
        none.
        """
        found: dict[str, Entry] = {}
        for some in _path_batches(sorted(set(paths))) if paths else [[]]:
            found |= _parse_tree_listing(self.asked("ls-tree", "-r", "-z", "--full-tree", tree, "--", *some))
        return found

    def sizes(self, names: Iterable[str]) -> Mapping[str, int]:
        """Return the bytes of each object by its id, without those that are missing."""
        return self._object_sizes(sorted(set(names)))

    def contents(self, names: Iterable[str], largest: int) -> Iterator[tuple[str, bytes]]:
        """Yield the bytes of objects, by their ids, without those that are missing, damaged or too large."""
        waiting: list[str] = []
        total = 0
        for name, size in self._object_sizes(sorted(set(names))).items():
            if size > largest:
                continue
            if waiting and total + size > BATCH:
                yield from self._read(waiting)
                waiting, total = [], 0
            waiting.append(name)
            total += size
        yield from self._read(waiting)

    def _object_sizes(self, names: Sequence[str]) -> Mapping[str, int]:
        told = self._cat_file_batch("--batch-check", names).decode("ascii", "replace").splitlines()
        facts = [line.split(" ") for line in told]
        return {one[0]: int(one[2]) for one in facts if len(one) == 3 and one[2].isdigit()}

    def _read(self, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        told = self._cat_file_batch("--batch", names)
        at = 0
        while (end := told.find(b"\n", at)) > 0:
            facts = told[at:end].decode("ascii", "replace").split(" ")
            at = end + 1
            if len(facts) != 3:
                continue
            name, kind, size = facts[0], facts[1], int(facts[2])
            data = told[at : at + size]
            at += size + 1
            if object_id(data, kind, len(name)) == name:
                yield name, data

    def _cat_file_batch(self, how: str, names: Sequence[str]) -> bytes:
        """Return what `cat-file` says of objects. A damaged one ends it: those beside it are asked
        for again.
        """
        told = b""
        waiting = list(names)
        while waiting:
            given = "".join(f"{name}\n" for name in waiting).encode()
            try:
                return told + self.asked("cat-file", how, given=given)
            except FailedError:
                if len(waiting) == 1:
                    return told
            half = len(waiting) // 2
            told += self._cat_file_batch(how, waiting[:half])
            waiting = waiting[half:]
        return told


def _parse_tree_listing(told: bytes) -> dict[str, Entry]:
    """Return what git says that a tree holds."""
    found: dict[str, Entry] = {}
    for line in os.fsdecode(told).split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        mode, kind, name = facts.split(" ")
        if kind != "tree":
            found[path] = Entry(mode, name)
    return found


def object_id(data: bytes, kind: str = "blob", length: int = 40) -> str:
    """Return the id that git gives to these bytes; `length` is that of the repository's ids."""
    import hashlib  # noqa: PLC0415 (few runs ask git)

    made = hashlib.sha1(usedforsecurity=False) if length == 40 else hashlib.sha256()
    made.update(f"{kind} {len(data)}\0".encode())
    made.update(data)
    return made.hexdigest()


def _path_batches(paths: Sequence[str]) -> Iterator[list[str]]:
    """Paths, as many at once as a command takes."""
    some: list[str] = []
    length = 0
    for path in paths:
        size = len(os.fsencode(path)) + 3
        if some and length + size > AT_ONCE:
            yield some
            some, length = [], 0
        some.append(path)
        length += size
    if some:
        yield some


def make_repository(folder: str, *, is_sha256: bool = False) -> None:
    """Make the least that git takes for a repository, in a folder that is there."""
    for name in ("objects", "refs"):
        os.mkdir(os.path.join(folder, name))
    extension = "[extensions]\n\tobjectFormat = sha256\n" if is_sha256 else ""
    files = {
        "HEAD": "ref: refs/heads/none\n",
        "config": f"[core]\n\trepositoryFormatVersion = {int(is_sha256)}\n\tbare = true\n{extension}",
    }
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="ascii", newline="\n") as file:
            file.write(text)


def git_environment(*, own: bool = False) -> dict[str, str]:
    """Return what git is told by variables; in a repository of our `own`, no configuration of the user's."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in KEPT or (name.startswith("GIT_CONFIG") and not own)
    }
    return {**kept, **ALWAYS}


def command_output(
    arguments: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    allowance: Allowance,
    given: bytes = b"",
) -> bytes:
    """Return what git prints. A GitError where it is not there or takes too long, FailedError where it says
    no.
    """
    program = program_path("git")
    left = allowance.left
    if not left:
        raise allowance.over()
    begun = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S603
            [program, *arguments],
            cwd=folder,
            env=environment,
            input=given,
            capture_output=True,
            timeout=left,
            check=False,
        )
    except (OSError, ValueError) as error:
        raise GitError(f"git cannot be run: {getattr(error, 'strerror', None) or error}") from None
    except subprocess.TimeoutExpired:
        raise allowance.over() from None
    finally:
        allowance.spend(time.monotonic() - begun)
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip()
        lines = told.splitlines() or ["it failed"]
        raise FailedError(f"git: {next((line for line in lines if line.startswith(FATAL)), lines[0])}", told)
    return done.stdout


def program_path(title: str) -> str:
    """Return where a program such as git is. Relative folders do not count, nor does the current one: it may
    be a stranger's.
    """
    name = f"{title}.exe" if os.name == "nt" else title
    for folder in os.get_exec_path():
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise GitError(f"{title} cannot be run: it is in no folder of PATH")


def _refuse_pipes(root: str, place: str) -> None:
    """Raise GitError where a `.git` holds what git would wait for: a pipe, a device, a socket."""
    for folder in _git_folders(place):
        for path in _special_paths(folder):
            try:
                mode = os.stat(path).st_mode
            except (OSError, ValueError):
                continue
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                raise GitError(f"{os.path.relpath(path, root)} is no plain file")


def _git_folders(place: str) -> Iterator[str]:
    """Yield the folders in which git keeps what it knows of one repository: its own, and what worktrees
    share.
    """
    if os.path.isdir(place):
        yield place
        link = os.path.join(place, "commondir")
        common = _link_content(link).strip(b"\r\n")
        if common:
            yield os.path.join(place, os.fsdecode(common))
    elif found := _WHERE.match(_link_content(place)):
        inner = os.path.join(os.path.dirname(place), os.fsdecode(found.group(1)))
        if os.path.isdir(inner):
            yield from _git_folders(inner)


def _link_content(path: str) -> bytes:
    """Return the bytes of a small file that says where another thing is; none where there is none."""
    if not os.path.lexists(path):
        return b""
    try:
        return read_file(path, LARGEST_LINK)
    except NotReadableError as error:
        raise GitError(f"{path}: {error}") from None


def _special_paths(folder: str) -> Iterator[str]:
    """Yield what lies in a repository's own folder, but for the objects themselves; of links, and
    odd things.
    """
    left = MOST_NAMES
    waiting = ["", "info", os.path.join("objects", "info"), os.path.join("objects", "pack"), "refs"]
    while waiting and left > 0:
        below = waiting.pop()
        try:
            with os.scandir(os.path.join(folder, below)) as scan:
                for entry in scan:
                    left -= 1
                    if not entry.is_file(follow_symlinks=False) and not entry.is_dir(follow_symlinks=False):
                        yield entry.path
                    elif below.startswith("refs") and entry.is_dir(follow_symlinks=False):
                        waiting.append(os.path.join(below, entry.name))
        except (OSError, ValueError):
            continue
