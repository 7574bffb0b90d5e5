"""Fetches one commit of a repository on a server, so that nothing of the server's or the user's is run.

The commit goes into a repository of fairlint's own, without what came before it, without tags, submodules and
files that are too large to be read. There is no checkout, so no filter (as of LFS) and no hook is run. Only
HTTP and ssh are spoken, and nobody is asked for a name, a password or a key: ssh has what the user's agent
and `~/.ssh` hold, and HTTP a token, which git gets from its environment where the server of the token wants
one. Other programs that git would start are switched off.
"""

# Path objects would take longer, as in `git`.
# ruff: noqa: PTH102, PTH118

from __future__ import annotations

import os
import re
import shlex

from fairlint.support.git import (
    OURS,
    Allowance,
    FailedError,
    GitError,
    command_output,
    git_environment,
    make_repository,
    program_path,
)
from fairlint.support.records import Record

SCHEMES = ("https", "http")
"""How addresses begin that are asked."""
SSH = "ssh"
"""The scheme of addresses that ssh is used for; `git@host:path` is one, too."""
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
}
_SSH_OPTIONS = (
    "BatchMode=yes", "ClearAllForwardings=yes", "ConnectTimeout=30", "ControlMaster=no", "ControlPath=none",
    "EscapeChar=none", "ForwardAgent=no", "ForwardX11=no", "GSSAPIDelegateCredentials=no",
    "PermitLocalCommand=no", "ServerAliveCountMax=3", "ServerAliveInterval=20", "Tunnel=no",
    "UpdateHostKeys=no",
)  # fmt: skip
"""What holds besides the user's own configuration of ssh: no prompt, nothing passed on, nothing left behind.
Whether a host is known, `StrictHostKeyChecking` and `known_hosts` say.
"""
_TOKEN = "FAIRLINT_GIT_TOKEN"  # noqa: S105 (the name of a variable)
_REFERENCE = "refs/heads/fetched"
_HEAD = re.compile(r"([0-9a-f]{40}(?:[0-9a-f]{24})?)\tHEAD")
_REASONS = (
    (
        re.compile(
            r"could not read (?:Username|Password)|Authentication failed|error: 40[13]"
            r"|^\S+: Permission denied \(",
            re.MULTILINE,
        ),
        "private or gone",
    ),
    (re.compile(r"Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED"), "unknown server"),
    (re.compile(r"not found|error: 4(?:04|10)|does not appear to be a git repository"), "gone"),
    (re.compile(r"unable to access|early EOF|hung up|disconnect|timed? ?out|RPC failed"), "not reachable"),
    (
        re.compile(r"Could not resolve hostname|Connection (?:refused|reset|closed)|No route to host"),
        "not reachable",
    ),
    (re.compile(r"signal 25|File too large|pack exceeds"), "too large"),
    (re.compile(r"No space left"), "no space"),
    (re.compile(r"[Oo]ut of memory|malloc"), "memory"),
)


class Login(Record):
    """A name and a token that a server may have where it asks for them: `origin` is its scheme and host.

    The token is not in it, but in the variable that it names.
    """

    origin: str
    name: str
    variable: str


def head_commit(address: str, allowance: Allowance, login: Login | None = None) -> str:
    """Return the commit that a repository's HEAD is on a server; empty where it has none. A GitError as of
    `git`.
    """
    told = os.fsdecode(_ask_remote(address, os.sep, allowance, login, "ls-remote", "--", address, "HEAD"))
    found = _HEAD.search(told)
    return "" if found is None else found[1]


def fetch_commit(  # noqa: PLR0917 (what, where to, how much, and by whom)
    address: str, commit: str, folder: str, largest: int, allowance: Allowance, login: Login | None = None
) -> None:
    """Fetch one commit into a new repository in an empty folder, without files of more than `largest` bytes.

    A server that cannot leave files out sends them all.
    """
    repository = os.path.join(folder, ".git")
    os.mkdir(repository)
    make_repository(repository, is_sha256=len(commit) != 40)
    _ask_remote(
        address, repository, allowance, login,
        "fetch", "--quiet", "--depth=1", f"--filter=blob:limit={largest}", "--no-tags",
        "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance",
        "--", address, f"+{commit}:{_REFERENCE}",
    )  # fmt: skip


def failure_cause(error: GitError) -> str:
    """Return why a repository could not be fetched, in one or two words; empty where nobody can say."""
    text = str(error)
    if "takes longer than" in text or "did not answer before" in text:
        return "time"
    texts = (text, error.told) if isinstance(error, FailedError) else (text,)
    return next((cause for one in texts for pattern, cause in _REASONS if pattern.search(one)), "")


def _ask_remote(
    address: str, folder: str, allowance: Allowance, login: Login | None, *arguments: str
) -> bytes:
    """Return what git prints about an address. Only its own kind of transport is switched on."""
    is_ssh = address.startswith(f"{SSH}://") or "://" not in address
    schemes = (SSH,) if is_ssh else SCHEMES
    given = {**_SWITCHED_OFF, **{f"protocol.{scheme}.allow": "always" for scheme in schemes}}
    environment = {
        **git_environment(own=True),
        "GIT_ALLOW_PROTOCOL": ":".join(schemes),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_DIR": folder,
        "GIT_LFS_SKIP_SMUDGE": "1",
        "HOME": folder,
        "LC_ALL": "C",
        "SSH_ASKPASS_REQUIRE": "never",
        "XDG_CONFIG_HOME": folder,
    }
    environment.pop("SSH_ASKPASS", None)
    token = ""
    if is_ssh:
        environment |= {"GIT_SSH_COMMAND": _ssh_command(), "GIT_SSH_VARIANT": "ssh"}
    elif login is not None:
        token = os.environ.get(login.variable, "").strip()
        environment[_TOKEN] = token
        given[f"credential.{login.origin}.helper"] = _helper(login.name)
    settings = [part for key, value in given.items() for part in ("-c", f"{key}={value}")]
    try:
        return command_output(["--no-pager", *settings, *arguments], folder, environment, allowance)
    except FailedError as error:
        reason = _ssh_reason(error.told) or str(error) if is_ssh else str(error)
        raise FailedError(_without_secrets(reason, token), _without_secrets(error.told, token)) from None


def _ssh_command() -> str:
    options = [part for option in _SSH_OPTIONS for part in ("-o", option)]
    return shlex.join([program_path("ssh"), *options])


def _ssh_reason(told: str) -> str:
    """Return the line in which ssh or the server says why it does not give a repository: git says only that
    it does not.
    """
    lines = [line for line in told.splitlines() if any(pattern.search(line) for pattern, _ in _REASONS)]
    return f"ssh: {lines[0]}" if lines else ""


def _helper(name: str) -> str:
    """Return what git asks for a name and a password, and only for the server that it is configured for: it
    has the token from the environment, where no list of processes shows it.
    """
    words = f'username=%s\\npassword=%s\\n\' {shlex.quote(name)} "${_TOKEN}"'
    return f'!f() {{ test "$1" = get && printf \'{words}; }}; f'


def _without_secrets(text: str, token: str = "") -> str:
    """Return a message without the token, and without what stands between `//` and `@` in an address."""
    hidden = text.replace(token, "…") if token else text
    return re.sub(r"//[^/@\s]*@", "//", hidden)
