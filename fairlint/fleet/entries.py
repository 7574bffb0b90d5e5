"""What a list names: repositories in folders and on servers, archives, and packages of an index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from fairlint.fleet.forges import HOST, WORDS, parse_query, server_address
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record
from fairlint.support.remote_git import SCHEMES, SSH

if TYPE_CHECKING:
    from fairlint.fleet.owned_repositories import Lookup

Kind = Literal["folder", "git", "archive", "package"]
LARGEST_LIST = 200_000_000
"""Bytes of a list: some millions of repositories."""
PACKAGES = "pypi:"
"""How a name of a package begins."""
ARCHIVES = (".whl", ".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_PACKAGE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:==[A-Za-z0-9][A-Za-z0-9.!+_-]*)?")
_OWNED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9_][A-Za-z0-9_.-]*")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://|:)")
_SSH = re.compile(r"([^@/:]*)@([^@/:]*):(.*)")
_SSH_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_SSH_PATH = re.compile(r"[A-Za-z0-9_~./][A-Za-z0-9_~./+%-]*")


class Entry(Record):
    """One line of a list. `name` is what the tables call it, `address` where it is found."""

    name: str
    kind: Kind
    address: str


def read_entries(place: str, host: str = "", lookup: Lookup | None = None) -> tuple[list[Entry], int]:
    """Return the entries of a list, of a folder of checkouts or of an owner, each once, and how many were
    there again.

    A line that names nothing that could be looked for is a UsageError with its number, and so is an owner
    whose repositories the server does not list.
    """
    path = Path(place)
    if host and not HOST.fullmatch(host):
        raise UsageError(f"--host takes the name of a server, such as github.com, not '{host}'")
    if place.partition(":")[0] in WORDS:
        try:
            found = list(_line_entries(place, host, lookup))
        except ValueError as error:
            raise UsageError(f"{error}") from None
        if not found:
            raise UsageError(f"{place}: has no repository to check")
        return found, 0
    if path.is_dir():
        found = list(_folder_entries(path))
        if not found:
            raise UsageError(f"{place}: a folder without folders or archives in it")
        return found, 0
    try:
        text = read_file(path, LARGEST_LIST).decode("utf-8-sig")
    except NotReadableError as error:
        raise UsageError(f"{place}: {error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{place}: is not UTF-8 text") from None
    known: dict[str, Entry] = {}
    again = 0
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        try:
            for entry in _line_entries(words, host, lookup):
                again += entry.name in known
                known.setdefault(entry.name, entry)
        except ValueError as error:
            raise UsageError(f"{place}:{number}: {error}") from None
    if not known:
        raise UsageError(f"{place}: names nothing to check")
    return list(known.values()), again


def _line_entries(words: str, host: str, lookup: Lookup | None) -> Iterator[Entry]:
    """Yield what a line names: one entry, or all repositories of an owner."""
    query = parse_query(words, host)
    if query is None:
        yield parse_entry(words, host)
        return
    from fairlint.fleet.owned_repositories import Lookup, chosen_repositories  # noqa: PLC0415 (few lists ask)

    server = server_address(query.host)
    for name in chosen_repositories(query, lookup or Lookup()):
        yield Entry(f"{query.host}/{name}", "git", f"{server}/{name}")


def entry_words(entry: Entry) -> str:
    """Return a line of a list that names an entry."""
    return f"{PACKAGES}{entry.address}" if entry.kind == "package" else entry.address


def parse_entry(words: str, host: str = "") -> Entry:
    """Return the entry that a line names; a ValueError says in one clause why it names none."""
    if words.startswith("-"):
        raise ValueError(f"'{words}' begins with a dash: write ./{words} for a folder of that name")
    if not words.isprintable():
        raise ValueError("holds characters that cannot be shown")
    if words.startswith(PACKAGES):
        return _package_entry(words)
    scheme = _SCHEME.match(words)
    if scheme is not None:
        return _remote_entry(words, scheme[1].lower())
    if short := _SSH.fullmatch(words):
        return _ssh_entry(words, *short.groups())
    if _OWNED.fullmatch(words) and not Path(words).exists():
        if not host:
            raise ValueError(f"'{words}' is no path; for a repository of a server name that by --host")
        return Entry(f"{host}/{words}", "git", f"{server_address(host)}/{words}")
    return _local_entry(words)


def _package_entry(words: str) -> Entry:
    name = words.removeprefix(PACKAGES)
    if not _PACKAGE.fullmatch(name):
        raise ValueError(f"'{name}' is no name of a package, as pypi:requests or pypi:requests==2.32.0")
    plain, pinned, version = name.partition("==")
    title = re.sub(r"[-_.]+", "-", plain).lower()
    return Entry(f"{PACKAGES}{title}{pinned}{version}", "package", f"{title}{pinned}{version}")


def _remote_entry(words: str, scheme: str) -> Entry:
    if scheme == "file":
        return _local_entry(words.removeprefix("file://"))
    if scheme not in {*SCHEMES, SSH}:
        known = ", ".join((*SCHEMES, SSH))
        raise ValueError(f"'{scheme}:' is switched off: name a folder or an address with one of {known}")
    try:
        parts = urlsplit(words)
        host = parts.netloc
    except ValueError:
        raise ValueError("is no address") from None
    if scheme == SSH:
        user, _, server = host.rpartition("@")
        if parts.query or parts.fragment:
            raise ValueError(f"'{words}' is no address of a repository")
        return _ssh_entry(f"{SSH}://{host}{parts.path}", user, server, parts.path)
    if "@" in host:
        raise ValueError("an address with a name or a password: a list is no place for them")
    if not HOST.fullmatch(host) or parts.query or parts.fragment:
        raise ValueError(f"'{words}' is no address of a repository")
    path = parts.path.rstrip("/")
    return Entry(f"{host}{path.removesuffix('.git')}".rstrip("/"), "git", f"{scheme}://{host}{path}")


def _ssh_entry(address: str, user: str, host: str, path: str) -> Entry:
    """Return the entry of an address for ssh. What ssh or the server could take for an option is refused."""
    if ":" in user:
        raise ValueError("an address with a name or a password: a list is no place for them")
    is_plain = HOST.fullmatch(host) and _SSH_PATH.fullmatch(path) and path.strip("/")
    if not is_plain or (user and not _SSH_USER.fullmatch(user)):
        raise ValueError(f"'{address}' is no address of a repository")
    return Entry(f"{host}/{path.strip('/').removesuffix('.git')}", "git", address)


def _local_entry(words: str) -> Entry:
    path = words.rstrip("/") or "/"
    is_archive = path.lower().endswith(ARCHIVES) and not Path(path).is_dir()
    return Entry(path.removeprefix("./"), "archive" if is_archive else "folder", str(Path(path).absolute()))


def _folder_entries(folder: Path) -> Iterator[Entry]:
    """Yield a folder's own folders and archives; links are left out, for they may lead anywhere."""
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name.startswith("."):
            continue
        if path.is_dir():
            yield Entry(path.name, "folder", str(path.absolute()))
        elif path.is_file() and path.name.lower().endswith(ARCHIVES):
            yield Entry(path.name, "archive", str(path.absolute()))
