"""From the paths a user names to the files to check: folders are walked, what is left out has a reason.

Paths are plain `str` here: a walk over a large tree makes hundreds of thousands of them, and names that are
not valid UTF-8 pass through as `os.fsdecode` gives them.
"""

# Path objects would take longer than the walk itself.
# ruff: noqa: PTH109, PTH112, PTH116, PTH118, PTH120

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fairlint.config import Configurations, Settings
from fairlint.findings.report import LeftOut
from fairlint.sources.files_to_check import Discovery, File, Folder, shown_path, suffix_language, titles
from fairlint.sources.path_patterns import with_separator
from fairlint.sources.unread import counted_kinds
from fairlint.sources.walk import Ignore, Waiting, Walk
from fairlint.sources.walk_notes import note_policy, note_submodules, note_unheeded_rules, note_unread
from fairlint.support.errors import NothingToCheckError, UsageError
from fairlint.support.files import (
    leads_out,
    reading_error,
    repository_of,
)
from fairlint.syntax import SHIPPED

if TYPE_CHECKING:
    from fairlint.syntax.language import Language

FOLLOWED = "it is followed where it is named itself"


def discover(
    paths: Sequence[str | os.PathLike[str]],
    settings: Settings | Configurations,
    languages: Iterable[Language] = SHIPPED,
    *,
    tells: bool = False,
) -> Discovery:
    """Return the files to check under `paths`, each once, in the order of their shown paths.

    Their order makes no difference. A path that does not exist, or nothing to check under all of them, is a
    UsageError. `tells` asks for what is left out.
    """
    configurations = Configurations.of_settings(settings) if isinstance(settings, Settings) else settings
    walk = Walk(configurations, tuple(languages), tells=tells)
    excluded = False
    for path in sorted(os.fspath(path) for path in paths):
        excluded |= _add(walk, path)
    _follow_links(walk)
    found = walk.found
    if walk.doubtful:
        from fairlint.sources.tracked_files import tracked_omissions  # noqa: PLC0415 (few walks leave anything out)

        found.tracked += tracked_omissions(walk.doubtful, walk.is_code)
    if not found.files and not excluded:
        raise NothingToCheckError(_no_files_message(paths, found, walk.languages))
    found.files.sort(key=lambda file: file.shown)
    found.skipped.sort(key=lambda skipped: skipped.path)
    found.left_out.sort()
    found.tracked.sort(key=lambda one: one.path)
    found.unheeded.sort(key=lambda one: one.path)
    return found


def is_left_out(path: str, settings: Settings) -> bool:
    """Return whether a walk would leave a file out: what is excluded, and what git ignores."""
    walk = Walk(Configurations.of_settings(settings), ())
    real = os.path.realpath(path)
    folder = os.path.dirname(real)
    ignores = (*walk.ignores_above(folder), *walk.ignore_file(os.path.join(folder, ".gitignore"), folder))
    is_excluded = bool(walk.excluded_itself(real, settings, folder=False))
    return is_excluded or walk.ignored(real, ignores, folder=False, below=True)


def is_excluded_path(path: str, configurations: Configurations) -> bool:
    """Return whether the settings exclude what is, or would be, at a path, by name."""
    settings = configurations.of_file(path)
    return bool(Walk(configurations, ()).excluded_itself(os.path.realpath(path), settings, folder=False))


def _no_files_message(
    paths: Iterable[str | os.PathLike[str]], found: Discovery, languages: Iterable[Language]
) -> str:
    skipped = found.skipped
    if len(skipped) == 1:
        return f"no file to check: {skipped[0].path}: {skipped[0].reason}"
    where = ", ".join(os.fspath(path) for path in paths)
    if not skipped:
        there = f"; not read: {counted_kinds(found.unread)}" if found.unread else ""
        return f"no {titles(languages)} file to check in {where}{there}"
    first = skipped[0]
    return f"no file to check in {where}: {len(skipped)} left out, the first {first.path}: {first.reason}"


def _add(walk: Walk, path: str) -> bool:
    """Take one path the user named. True if the settings exclude it."""
    shown = shown_path(path)
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        missing = isinstance(error, FileNotFoundError | NotADirectoryError | ValueError)
        if missing and not os.path.lexists(path):
            raise UsageError(f"{path}: no such file or folder") from None
        walk.skip(shown, reading_error(error))
        return False
    real = os.path.realpath(path)
    settings = walk.configurations.of(os.path.dirname(real))
    if settings.force_exclude:
        reason = walk.excluded_itself(real, settings, folder=stat.S_ISDIR(status.st_mode))
        if reason:
            walk.leave_out(shown, reason, settings)
            walk.doubt(real, shown, reason, settings)
            return True
    if stat.S_ISDIR(status.st_mode):
        _folder(walk, path, shown, real)
    elif not stat.S_ISREG(status.st_mode):
        walk.skip(shown, "not a regular file")
    elif language := walk.language_of(path, settings):
        walk.take(path, shown, real, language)
        if settings.untrusted:
            note_policy(walk, os.path.dirname(real))
    else:
        known = titles(walk.languages)
        walk.skip(shown, f"no known language: neither its suffix nor its first line says {known}")
    return False


def _folder(walk: Walk, path: str, shown: str, real: str) -> None:
    ignores: tuple[Ignore, ...] = ()
    settings = walk.configurations.of(real)
    if settings.respect_gitignore:
        ignores = tuple(walk.ignores_above(real))
        if walk.ignored(real, ignores, folder=True, below=True):
            ignores = ()  # it was asked for all the same, so what ignores the whole of it does not count
    inside = "" if shown in {".", _current_folder()} else shown.rstrip("/") + "/"
    walk.repository = repository_of(real)
    if settings.untrusted:
        note_policy(walk, os.path.dirname(real))
    stack = [Waiting(path, inside, real, ignores, settings)]
    while stack:
        waiting = stack.pop()
        if waiting.real in walk.walked:
            continue
        first = len(walk.found.files)
        stack.extend(_entries(walk, waiting))
        walk.walked[waiting.real] = range(first, len(walk.found.files))
        walk.names_in.pop(waiting.real, None)


def _entries(walk: Walk, waiting: Waiting) -> Iterator[Waiting]:
    """Take the files of one folder; yields the folders in it."""
    path, inside, real, ignores = waiting.path, waiting.inside, waiting.real, waiting.ignores
    try:
        with os.scandir(path) as scan:
            entries = list(scan)
    except OSError as error:
        walk.skip(inside.rstrip("/") or ".", reading_error(error))
        return
    names = {entry.name for entry in entries}
    settings = walk.configurations.inside(waiting.settings, real, names)
    if settings.respect_gitignore != waiting.settings.respect_gitignore:
        ignores = tuple(walk.ignores_above(real)) if settings.respect_gitignore else ()
    if settings.respect_gitignore and ".gitignore" in names:
        ignores = (*ignores, *walk.ignore_file(os.path.join(path, ".gitignore"), real))
    if settings.untrusted:
        note_policy(walk, real, above=False)
    base = with_separator(real)
    exclusion = walk.exclusion(settings)
    note_submodules(walk, names, base, inside, exclusion)
    folder: Folder | None = None
    for entry in entries:
        name = entry.name
        language = walk.language_in(entry, settings)
        below = f"{base}{name}"
        shown = inside + name
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and language is None:
            walk.found.unknown += 1
            note_unread(walk, entry, below, shown, settings, ignores)
            continue
        reason = exclusion.reason(below, name, folder=is_folder)
        if not reason:
            reason = walk.other_reason(below, ignores, folder=is_folder)
        aside = waiting.aside
        if reason and settings.untrusted:
            reason, aside = note_unheeded_rules(walk, below, shown, reason, exclusion, is_folder=is_folder)
        if reason:
            walk.leave_out(f"{shown}/" if is_folder else shown, reason, settings)
            walk.doubt(below, shown, reason, settings)
        elif is_folder:
            yield Waiting(entry.path, f"{shown}/", below, ignores, settings, aside)
        elif entry.is_symlink():
            walk.links.append((entry.path, shown, walk.repository))
        elif language and entry.is_file(follow_symlinks=False):
            if below not in walk.named:
                folder = folder or Folder(entry.path.removesuffix(name), inside, settings)
                walk.found.files.append(File(folder, sys.intern(name), language))
                if aside:
                    walk.found.unheeded.append(LeftOut(shown, aside))
        else:
            walk.skip(shown, "not a regular file")


def _follow_links(walk: Walk) -> None:
    """Take the files that links lead to, if nothing else did. Links to folders are not followed."""
    for real, shown, repository, settings, ignores in walk.folder_links:
        _note_folder(walk, real, shown, repository, settings, ignores)
    for path, shown, repository in sorted(walk.links):
        if leads_out(path, repository):
            walk.skip(shown, f"a symbolic link out of the repository; {FOLLOWED}")
            continue
        try:
            status = os.stat(path)
        except OSError as error:
            walk.skip(shown, reading_error(error))
            continue
        language = suffix_language(shown.rpartition("/")[2], walk.suffixes)
        if stat.S_ISREG(status.st_mode) and language:
            walk.take(path, shown, os.path.realpath(path), language)
        elif not stat.S_ISDIR(status.st_mode):
            walk.skip(shown, "not a regular file")


def _note_folder(  # noqa: PLR0917 (all that is known of one link)
    walk: Walk, link: str, shown: str, repository: str, settings: Settings, ignores: tuple[Ignore, ...]
) -> None:
    """Name a link to a folder with code that nothing else has walked, unless it is left out.

    A link to nothing may have been one.
    """
    real = os.path.realpath(link)
    is_broken = not os.path.lexists(real) and "." not in shown.rpartition("/")[2]
    if real in walk.walked or not (is_broken or os.path.isdir(real)):
        return
    if link.startswith(with_separator(real)):  # a circle
        return
    aside = walk.excluded_itself(link, settings, folder=True) or walk.excluded_itself(
        real, walk.configurations.of(os.path.dirname(real)), folder=True
    )
    if aside or walk.ignored(link, ignores, folder=False):
        return
    if is_broken:
        walk.skip(shown, "a symbolic link to nothing")
    elif leads_out(link, repository):
        walk.skip(shown, f"a symbolic link to a folder out of the repository; {FOLLOWED}")
    elif not walk.ignored(real, ignores, folder=True, below=True):
        from fairlint.sources.tracked_files import holds_code  # noqa: PLC0415 (few walks come here)

        if holds_code(real, walk.is_code):
            walk.skip(shown, f"a symbolic link to a folder; {FOLLOWED}")


def _current_folder() -> str:
    return os.getcwd().replace(os.sep, "/")
