"""Checkouts whose authors have no say: where they begin, and whether a file lies in one of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from fairlint.config.settings import BASELINE, COMMAND_LINE, NAMES, Settings
from fairlint.support.errors import UsageError
from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_file, repository_of

if TYPE_CHECKING:
    from pathlib import Path


def checkouts(paths: Iterable[str | os.PathLike[str]]) -> tuple[str, ...]:
    """Return the repositories that some paths are in, or else their folders, without symbolic links.

    Where one of them is in the repository around the current folder, that is one, too: a submodule is named
    in it.
    """
    here = repository_of(os.getcwd())  # noqa: PTH109 (start-up)
    real = [os.path.realpath(path) for path in paths] or [here]
    folders = (path if os.path.isdir(path) else os.path.dirname(path) for path in real)  # noqa: PTH112, PTH120 (as above)
    found = {repository_of(folder) for folder in folders}
    around = {here} if any(map(_is_in(here), found)) else set()
    return tuple(sorted(found | around))


def _is_in(folder: str) -> Callable[[str], bool]:
    beginning = folder.rstrip(os.sep) + os.sep
    return lambda real: (real + os.sep).startswith(beginning)


def checkout_of(path: str | os.PathLike[str], folders: Sequence[str]) -> str:
    """Return which of some checkouts has a say in what is read at a path; empty for none.

    It has one where the path lies in it, and where it goes through it: a link there leads wherever its author
    wants.
    """
    whole = os.path.abspath(path)  # noqa: PTH100 (start-up)
    while True:
        real = os.path.realpath(whole)
        found = next((one for one in folders if _is_in(one)(real)), "")
        above = os.path.dirname(whole)  # noqa: PTH120 (as above)
        if found or above == whole:
            return found
        whole = above


def check(settings: Settings, config: str | os.PathLike[str] | None) -> None:
    """Raise a UsageError where what a run is told lies in a checkout that is not trusted.

    `config` is the configuration file that was named.
    """
    named: list[tuple[str, str | Path]] = [] if config is None else [("--config", os.fspath(config))]
    if settings.baseline:
        named.append(("--baseline", os.path.join(settings.root, settings.baseline)))  # noqa: PTH118 (start-up)
    if settings.cache_dir and settings.origins.get("cache-dir") == (COMMAND_LINE,):
        named.append(("--cache-dir", settings.cache_dir))
    for key, origins in settings.origins.items():
        named += [(f"'{key}' of {origin}", origin) for origin in origins if os.path.isfile(origin)]  # noqa: PTH113 (start-up)
    for key, paths in (("vocabulary", settings.vocabulary), ("library-models", settings.library_models)):
        named += [(f"'{key}'", one) for one in paths if isinstance(one, str | os.PathLike)]
    for told, path in named:
        if folder := checkout_of(path, settings.untrusted):
            raise UsageError(
                f"{told} {os.fspath(path)}: lies in {folder}, whose author has no say in an --untrusted run"
            )


def policies_in(folder: str) -> list[str]:
    """Return the configuration files and the baseline that stand in a folder."""
    paths = {name: os.path.join(folder, name) for name in (*NAMES, BASELINE)}  # noqa: PTH118 (start-up)
    found = [path for path in paths.values() if os.path.lexists(path)]
    project = paths[NAMES[1]]
    if project in found:
        try:
            is_ours = b"fairlint" in read_file(project, LARGEST_SETTINGS)
        except NotReadableError:
            is_ours = True
        found = found if is_ours else [path for path in found if path != project]
    return found


def baseline_beside(path: str, folders: Sequence[str]) -> str:
    """Return the usual baseline nearest to a file in its checkout; empty where there is none."""
    folder = os.path.dirname(os.path.realpath(path))  # noqa: PTH120 (start-up)
    while checkout_of(folder, folders):
        file = os.path.join(folder, BASELINE)  # noqa: PTH118 (as above)
        if os.path.lexists(file):
            return file
        folder = os.path.dirname(folder)  # noqa: PTH120 (as above)
    return ""
