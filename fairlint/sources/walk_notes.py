"""What a walk notes of folders besides files: kinds that are not read, submodules, what has no say."""

# Path objects would take longer than the walk itself.
# ruff: noqa: PTH114, PTH119, PTH120

from __future__ import annotations

import os
import stat

from fairlint.config import Settings
from fairlint.findings.report import LeftOut
from fairlint.sources.files_to_check import shown_path
from fairlint.sources.path_patterns import GIT, OF_OTHERS, Exclusion
from fairlint.sources.unread import SCRIPT, kind_of
from fairlint.sources.walk import LARGEST_RULES, LONGEST_FIRST_LINE, Ignore, Walk
from fairlint.support.files import NotReadableError, read_beginning, read_file

POLICY = "it decides what is reported"
SUBMODULES = ".gitmodules"


def note_unread(  # noqa: PLR0917 (all that is known of one entry)
    walk: Walk,
    entry: os.DirEntry[str],
    real: str,
    shown: str,
    settings: Settings,
    ignores: tuple[Ignore, ...],
) -> None:
    """Note a file that is not read and may decide about people, unless it would be left out; and a link, for
    it may lead to a folder.
    """
    if entry.is_symlink():
        walk.folder_links.append((real, shown, walk.repository, settings, ignores))
    folder, _, name = shown.rpartition("/")
    kind = kind_of(name, folder.rpartition("/")[2])
    if not kind and "." not in name and _is_script(entry):
        kind = SCRIPT
    if not kind or walk.exclusion(settings).reason(real, name, folder=False):
        return
    if not walk.ignored(real, ignores, folder=False):
        walk.found.unread.setdefault(kind, []).append(shown)


def note_submodules(walk: Walk, names: set[str], base: str, inside: str, exclusion: Exclusion) -> None:
    """Name the submodules of a repository that are not there: their code is part of it."""
    if SUBMODULES not in names:
        return
    try:
        text = read_file(base + SUBMODULES, LARGEST_RULES, follow=False)
    except NotReadableError:
        return
    for line in text.decode("utf-8", "replace").splitlines():
        key, _, name = (part.strip() for part in line.partition("="))
        is_named = key == "path" and name and ".." not in name.split("/")
        if is_named and not exclusion.reason(base + name, name, folder=True) and _is_empty(base + name):
            walk.skip(f"{inside}{name}", "a submodule that is not checked out")


def note_unheeded_rules(
    walk: Walk, real: str, shown: str, reason: str, exclusion: Exclusion, *, is_folder: bool
) -> tuple[str, str]:
    """Of what would be left out of a checkout that is not trusted: why it still is, and why it would be.

    What the user leaves out stays out, and so do git's own folder and, where git says that it tracks
    nothing in it, a folder of others' code.
    """
    from fairlint.sources.tracked_files import (  # noqa: PLC0415 (few walks come here)
        holds_code,
        inside,
        is_gits_own,
        tracked_in,
    )

    if own := exclusion.own_reason(real, folder=is_folder):
        return own, ""
    if reason == OF_OTHERS and is_folder:
        if os.path.basename(real) == GIT and is_gits_own(real):
            if holds_code(real, walk.is_code):
                walk.found.tracked.append(LeftOut(f"{shown}/", "git's own folder"))
            return reason, ""
        if walk.repository not in walk.tracking:
            walk.tracking[walk.repository] = tracked_in(walk.repository)
        tracked = walk.tracking[walk.repository]
        if tracked is not None and not tracked.at(inside(real, walk.repository)):
            if holds_code(real, walk.is_code):
                walk.found.tracked.append(LeftOut(f"{shown}/", f"{reason}; git tracks nothing in it"))
            return reason, ""
    return "", reason


def note_policy(walk: Walk, folder: str, *, above: bool = True) -> None:
    """Note the files of a checkout that would say what is told in a folder: here, and above it."""
    from fairlint.config.untrusted import checkout_of, policies_in  # noqa: PLC0415 (as above)

    while folder not in walk.noted:
        walk.noted.add(folder)
        top = checkout_of(folder, walk.configurations.run.untrusted)
        for path in policies_in(folder) if top else ():
            walk.found.unheeded.append(LeftOut(shown_path(path), POLICY))
        if not above or folder == top or not top:
            return
        folder = os.path.dirname(folder)


def _is_empty(folder: str) -> bool:
    """Return whether there is a folder, and nothing in it."""
    try:
        with os.scandir(folder) as scan:
            return next(scan, None) is None and not os.path.islink(folder)
    except (OSError, ValueError):
        return False


def _is_script(entry: os.DirEntry[str]) -> bool:
    """Return whether what was met in a folder says in its first line what runs it, and may be run."""
    try:
        mode = entry.stat(follow_symlinks=False).st_mode
        return bool(
            stat.S_ISREG(mode)
            and mode & 0o111
            and read_beginning(entry.path, LONGEST_FIRST_LINE)[:2] == b"#!"
        )
    except (OSError, NotReadableError):
        return False
