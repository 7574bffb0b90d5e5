"""Patterns of paths, and what the settings leave out by them."""

# Path objects would take longer than the walk itself.

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import groupby

from fairlint.config import PathPattern, Settings
from fairlint.sources.ignore_rules import Rules, TooManyRulesError, rules_of
from fairlint.support.errors import UsageError

EXCLUDED = frozenset({
    ".bzr", ".cache", ".direnv", ".eggs", ".fairlint_cache", ".git", ".hg", ".hypothesis",
    ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pants.d", ".pyenv", ".pytest_cache", ".pytype",
    ".ruff_cache", ".svn", ".tox", ".venv", "__pycache__", "__pypackages__", "buck-out", "node_modules",
    "site-packages",
})  # fmt: skip
"""Folders that hold nobody's own code. A folder with a `pyvenv.cfg` is left out too."""
OF_OTHERS = "code of others, by its name"
"""Why those are left out."""
GIT = ".git"


class Exclusion:
    """What the settings of one configuration leave out."""

    def __init__(self, settings: Settings) -> None:
        self.names = EXCLUDED if settings.exclude is None else frozenset[str]()
        self.root = with_separator(os.path.realpath(settings.root))
        self._settings = settings
        patterns = (*(settings.exclude or ()), *settings.extend_exclude)
        self._patterns = PathPatterns(patterns, settings.root) if patterns else None

    def reason(self, real: str, name: str, *, folder: bool) -> str:
        """Return why a path is left out, empty where it is not."""
        return OF_OTHERS if name in self.names else self.own_reason(real, folder=folder)

    def own_reason(self, real: str, *, folder: bool) -> str:
        """As `reason`, for the patterns that somebody has written."""
        if self._patterns is None or not self._patterns.match_real(real, folder=folder):
            return ""
        later = PathPatterns(self._settings.extend_exclude, self._settings.root)
        return "`extend-exclude`" if later.match_real(real, folder=folder) else "`exclude`"


class PathPatterns:
    """Patterns as in `.gitignore`, relative to a folder, or each to its own (`PathPattern`)."""

    def __init__(self, patterns: Iterable[str], root: str | os.PathLike[str]) -> None:
        self._rules: list[tuple[str, Rules]] = []
        by_folder = groupby(patterns, lambda one: one.folder if isinstance(one, PathPattern) else root)
        try:
            for folder, several in by_folder:
                rules = rules_of(os.fsencode(pattern) for pattern in several)
                self._rules.append((with_separator(os.path.realpath(folder)), rules))
        except TooManyRulesError:
            raise UsageError(
                "the patterns of paths in the configuration are more than can be looked at"
            ) from None

    def match(self, path: str) -> bool:
        """Return whether a file, or a folder above it, is meant."""
        return self.match_real(os.path.realpath(path), folder=False)

    def match_real(self, real: str, *, folder: bool) -> bool:
        """As `match`, for a path without symbolic links; one outside the root is never meant."""
        for base, rules in reversed(self._rules):
            if real.startswith(base):
                verdict = rules.verdict_below(real[len(base) :], folder=folder)
                if verdict is not None:
                    return verdict
        return False


def with_separator(folder: str) -> str:
    """Return a folder's path with a separator at its end."""
    return folder.rstrip(os.sep) + os.sep
