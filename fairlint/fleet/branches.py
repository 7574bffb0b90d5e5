"""Writes a branch into a repository of this machine, whose files, index and other branches stay as they are.

Objects are made by a repository of fairlint's own, as they are read (`fairlint/support/git.py`); in the one
that gets the branch git is asked only to name the commit. No hook is run and nothing is pushed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from fairlint.support.git import Allowance, FailedError, GitError, Objects, git_output, object_id
from fairlint.support.records import Record

PLAIN = "100644"
"""The mode of a file that is not to be run."""
IDENTITY = ("fairlint", "fairlint@localhost")
"""Whose commit it is where git knows no name of the user's."""


class Change(Record):
    """A file that is made or changed: `before` is None where there is none."""

    path: str
    before: str | None
    after: str


class NotWrittenError(Exception):
    """Why a repository gets no branch, in one clause."""


def write_branch(repository: Path, commit: str, branch: str, changes: Iterable[Change], message: str) -> None:
    """Write a branch with one commit on top of another. Raises NotWrittenError, also where it is there."""
    is_bare = not (repository / ".git").exists()
    folder, allowance = str(repository), Allowance()
    try:
        with Objects(folder, allowance, is_bare=is_bare) as objects:
            objects.asked("read-tree", commit)
            for one in changes:
                _check_unchanged(objects, commit, one)
                made = objects.asked("hash-object", "-w", "--stdin", given=one.after.encode())
                place = f"{PLAIN},{made.decode().strip()},{one.path}"
                objects.asked("update-index", "--add", "--cacheinfo", place)
            tree = objects.asked("write-tree").decode().strip()
            who = _identity(folder, allowance, is_bare=is_bare)
            new = objects.asked(
                "-c", f"user.name={who[0]}", "-c", f"user.email={who[1]}",
                "commit-tree", "--no-gpg-sign", "-p", commit, "-F", "-", tree, given=message.encode(),
            ).decode().strip()  # fmt: skip
        name, nothing = f"refs/heads/{branch}", "0" * len(new)
        git_output(folder, "update-ref", name, new, nothing, allowance=allowance, is_bare=is_bare)
    except GitError as error:
        told = str(error)
        reason = f"there is a branch '{branch}' already" if "already exists" in told else told
        raise NotWrittenError(reason) from None


def _check_unchanged(objects: Objects, commit: str, change: Change) -> None:
    """Raise NotWrittenError where a file is not what the change takes it for."""
    known = objects.entries(commit, [change.path]).get(change.path)
    if change.before is None and known is not None:
        raise NotWrittenError(f"it has {change.path} already")
    if change.before is not None and (
        known is None
        or known.mode != PLAIN
        or known.object != object_id(change.before.encode(), length=len(commit))
    ):
        raise NotWrittenError(f"its {change.path} is another than in the run")


def _identity(folder: str, allowance: Allowance, *, is_bare: bool) -> list[str]:
    """Return the name and the address that git has for the user."""
    found = []
    for key, default in zip(("name", "email"), IDENTITY, strict=True):
        variable = os.environ.get(f"GIT_AUTHOR_{key.upper()}", "")
        try:
            told = variable or git_output(
                folder, "config", "--get", f"user.{key}", allowance=allowance, is_bare=is_bare
            )
        except FailedError:
            told = ""
        found.append(told.strip() or default)
    return found
