"""Fetches one commit of a repository on a server, so that nothing of the server's or the user's is run.

The commit goes into a repository of fairlint's own, without what came before it, without tags, submodules and
files that are too large to be read. There is no checkout, so no filter (as of LFS) and no hook is run. Only
HTTP is spoken: ssh and other programs that git would start are switched off, and nobody is asked for a name
or a password.
"""

# Path objects would take longer, as in `git`.
# ruff: noqa: PTH102, PTH118

from __future__ import annotations

import os
import re

from fairlint.support.git import (
    OURS,
    Allowance,
    FailedError,
    GitError,
    command_output,
    git_environment,
    make_repository,
)

SCHEMES = ("https", "http")
"""How addresses begin that are asked."""
SLOWEST = {"http.lowSpeedLimit": "1000", "http.lowSpeedTime": "60"}
"""Bytes a second, and for how many seconds a server may send fewer."""
_SWITCHED_OFF = {
    **OURS,
    **SLOWEST,
    "fetch.fsckObjects": "false",  # objects are read one by one, and their sums are compared
    "fetch.unpackLimit": "1",  # one file, so that the limit of a file's size is the limit of all
    "fetch.writeCommitGraph": "false",
    "http.cookieFile": "",
    "http.emptyAuth": "false",
    "safe.bareRepository": "all",  # the one that was made here
    "transfer.bundleURI": "false",
    **{f"protocol.{scheme}.allow": "always" for scheme in SCHEMES},
}
_REFERENCE = "refs/heads/fetched"
_HEAD = re.compile(r"([0-9a-f]{40}(?:[0-9a-f]{24})?)\tHEAD")
_REASONS = (
    (
        re.compile(r"could not read (?:Username|Password)|Authentication failed|error: 40[13]"),
        "private or gone",
    ),
    (re.compile(r"not found|error: 4(?:04|10)|does not appear to be a git repository"), "gone"),
    (re.compile(r"unable to access|early EOF|hung up|disconnect|timed? ?out|RPC failed"), "not reachable"),
    (re.compile(r"signal 25|File too large|pack exceeds"), "too large"),
    (re.compile(r"No space left"), "no space"),
    (re.compile(r"[Oo]ut of memory|malloc"), "memory"),
)


def head_commit(address: str, allowance: Allowance) -> str:
    """Return the commit that a repository's HEAD is on a server; empty where it has none. A GitError as of
    `git`.
    """
    told = os.fsdecode(_ask_remote(os.sep, allowance, "ls-remote", "--", address, "HEAD"))
    found = _HEAD.search(told)
    return "" if found is None else found[1]


def fetch_commit(address: str, commit: str, folder: str, largest: int, allowance: Allowance) -> None:
    """Fetch one commit into a new repository in an empty folder, without files of more than `largest` bytes.

    A server that cannot leave files out sends them all.
    """
    repository = os.path.join(folder, ".git")
    os.mkdir(repository)
    make_repository(repository, is_sha256=len(commit) != 40)
    _ask_remote(
        repository, allowance, "fetch", "--quiet", "--depth=1", f"--filter=blob:limit={largest}",
        "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance",
        "--", address, f"+{commit}:{_REFERENCE}",
    )  # fmt: skip


def failure_cause(error: GitError) -> str:
    """Return why a repository could not be fetched, in one or two words; empty where nobody can say."""
    text = str(error)
    if "takes longer than" in text or "did not answer before" in text:
        return "time"
    return next((cause for pattern, cause in _REASONS if pattern.search(text)), "")


def _ask_remote(folder: str, allowance: Allowance, *arguments: str) -> bytes:
    settings = [part for key, value in _SWITCHED_OFF.items() for part in ("-c", f"{key}={value}")]
    environment = {
        **git_environment(own=True),
        "GIT_ALLOW_PROTOCOL": ":".join(SCHEMES),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_DIR": folder,
        "GIT_LFS_SKIP_SMUDGE": "1",
        "HOME": folder,
        "LC_ALL": "C",
        "XDG_CONFIG_HOME": folder,
    }
    environment.pop("SSH_ASKPASS", None)
    try:
        return command_output(["--no-pager", *settings, *arguments], folder, environment, allowance)
    except FailedError as error:
        raise FailedError(_without_secrets(str(error))) from None


def _without_secrets(text: str) -> str:
    """Return a message without what stands between `//` and `@` in an address."""
    return re.sub(r"//[^/@\s]*@", "//", text)
