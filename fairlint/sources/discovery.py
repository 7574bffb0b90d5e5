"""From the paths a user names to the files to check: folders are walked, what is left out has a reason.

Paths are plain `str` here: a walk over a large tree makes hundreds of thousands of them, and names that are
not valid UTF-8 pass through as `os.fsdecode` gives them.
"""

# Path objects would take longer than the walk itself.
# ruff: noqa: PTH109, PTH110, PTH116, PTH118, PTH119, PTH120, PTH206

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from fairlint.config import Settings, UsageError
from fairlint.files import (
    NotReadableError,
    leads_out,
    read_beginning,
    read_file,
    reading_error,
    repository_of,
)
from fairlint.findings import NotAnalysed
from fairlint.records import Record, field
from fairlint.sources.ignore_rules import Rules, TooManyRulesError, read_rules, rules_of
from fairlint.syntax import SHIPPED

if TYPE_CHECKING:
    from fairlint.syntax.language import Language

NOTEBOOK = "notebook"
"""What the suffix of a notebook says; the code in its cells has a language of its own."""
EXCLUDED = frozenset({
    ".bzr", ".cache", ".direnv", ".eggs", ".git", ".hg", ".hypothesis", ".ipynb_checkpoints", ".mypy_cache",
    ".nox", ".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv",
    "__pycache__", "__pypackages__", "buck-out", "node_modules", "site-packages",
})  # fmt: skip
"""Folders that hold nobody's own code. A folder with a `pyvenv.cfg` is left out too."""
LARGEST_RULES = 200_000
"""Bytes of a `.gitignore` that is read."""


def suffixes_of(languages: Iterable[Language]) -> dict[str, str]:
    """Suffix -> language, or that it is a notebook."""
    known = {suffix: language.name for language in languages for suffix in language.suffixes}
    return {**known, ".ipynb": NOTEBOOK}


SUFFIXES: Mapping[str, str] = suffixes_of(SHIPPED)


class Folder(Record):
    """What the paths of the files in one folder begin with: those to open, and those that reports show."""

    path: str
    shown: str


class File(Record):
    """One file to check, and its language. There may be many, so their folders are kept once."""

    folder: Folder
    name: str
    language: str

    @property
    def path(self) -> str:
        """The path to open."""
        return self.folder.path + self.name

    @property
    def shown(self) -> str:
        """The path that reports show."""
        return self.folder.shown + self.name


class Discovery(Record, frozen=False, slots=False):
    """What a walk found. `skipped` names what was asked for and cannot be checked."""

    files: list[File] = field(default_factory=list)
    skipped: list[NotAnalysed] = field(default_factory=list)


def discover(
    paths: Sequence[str | os.PathLike[str]], settings: Settings, languages: Iterable[Language] = SHIPPED
) -> Discovery:
    """The files to check under `paths`, each once, in the order of their shown paths.

    A path that does not exist, or nothing to check under all of them, is a UsageError.
    """
    walk = _Walk(settings, tuple(languages))
    excluded = False
    for path in paths:
        excluded |= walk.add(os.fspath(path))
    walk.follow_links()
    found = walk.found
    if not found.files and not excluded:
        raise UsageError(_nothing(paths, found.skipped, walk.languages))
    found.files.sort(key=lambda file: file.shown)
    found.skipped.sort(key=lambda skipped: skipped.path)
    return found


def shown_path(path: str) -> str:
    """How reports name a file: relative to the current folder where it lies inside, with forward slashes."""
    here = os.getcwd()
    whole = os.path.normpath(os.path.join(here, path))
    prefix = _with_separator(here)
    return whole.removeprefix(prefix).replace(os.sep, "/")


def suffix_language(name: str, suffixes: Mapping[str, str] = SUFFIXES) -> str | None:
    """The language that a file's suffix says, upper case or not."""
    dot = name.rfind(".")
    return suffixes.get(name[dot:].lower()) if dot > 0 else None


def titles(languages: Iterable[Language]) -> str:
    """What the languages are called: `Python or C`."""
    *most, last = [language.title or language.name for language in languages]
    return f"{', '.join(most)} or {last}" if most else last


def _nothing(
    paths: Iterable[str | os.PathLike[str]], skipped: Sequence[NotAnalysed], languages: Iterable[Language]
) -> str:
    if len(skipped) == 1:
        return f"no file to check: {skipped[0].path}: {skipped[0].reason}"
    where = ", ".join(os.fspath(path) for path in paths)
    if not skipped:
        return f"no {titles(languages)} file to check in {where}"
    first = skipped[0]
    return f"no file to check in {where}: {len(skipped)} left out, the first {first.path}: {first.reason}"


class _Walk:
    def __init__(self, settings: Settings, languages: Sequence[Language]) -> None:
        self.settings = settings
        self.languages = languages
        self.suffixes = suffixes_of(languages)
        self.found = Discovery()
        self.names = EXCLUDED if settings.exclude is None else frozenset[str]()
        patterns = (*(settings.exclude or ()), *settings.extend_exclude)
        self.patterns = PathPatterns(patterns, settings.root) if patterns else None
        self.root = _with_separator(os.path.realpath(settings.root))
        self.repository = ""
        """That of the folder that is walked."""
        self.walked: dict[str, range] = {}
        """Real paths of folders, each with where the files stand that were taken from it."""
        self.named: set[str] = set()
        """Real paths of files that were taken by themselves, and not with their folder."""
        self.names_in: dict[str, set[str]] = {}
        """Names of the files that were taken from a folder, where that was asked."""
        self.links: list[tuple[str, str, str]] = []
        """Symbolic links (path, shown, the repository): looked at last, so that a file goes by its own name
        if it can."""

    def add(self, path: str) -> bool:
        """Takes one path the user named. True if the settings exclude it."""
        shown = shown_path(path)
        try:
            status = os.stat(path)
        except (OSError, ValueError) as error:
            missing = isinstance(error, FileNotFoundError | NotADirectoryError | ValueError)
            if missing and not os.path.lexists(path):
                raise UsageError(f"{path}: no such file or folder") from None
            self.skip(shown, reading_error(error))
            return False
        real = os.path.realpath(path)
        if self.settings.force_exclude and self.excluded_itself(real, stat.S_ISDIR(status.st_mode)):
            return True
        if stat.S_ISDIR(status.st_mode):
            self.folder(path, shown, real)
        elif not stat.S_ISREG(status.st_mode):
            self.skip(shown, "not a regular file")
        elif language := suffix_language(os.path.basename(path), self.suffixes) or self.of_shebang(path):
            self.take(path, shown, real, language)
        else:
            known = titles(self.languages)
            self.skip(shown, f"no known language: neither its suffix nor its first line says {known}")
        return False

    def of_shebang(self, path: str) -> str | None:
        """The language that the first line of a file without a suffix says."""
        words = _interpreters(path)
        said = (one.name for word in words for one in self.languages if word.startswith(one.interpreters))
        return next(said, None)

    def take(self, path: str, shown: str, real: str, language: str) -> None:
        """Takes a file that was named, or that a link leads to."""
        if real not in self.named and not self.is_walked(real):
            self.named.add(real)
            name = os.path.basename(path) if shown.endswith(os.path.basename(path)) else ""
            folder = Folder(path.removesuffix(name), shown.removesuffix(name))
            self.found.files.append(File(folder, sys.intern(name), language))

    def is_walked(self, real: str) -> bool:
        """Whether a file was taken with its folder."""
        folder, name = os.path.split(real)
        if folder not in self.names_in:
            self.names_in[folder] = {self.found.files[at].name for at in self.walked.get(folder, ())}
        return name in self.names_in[folder]

    def skip(self, shown: str, reason: str) -> None:
        self.found.skipped.append(NotAnalysed(shown, 1, reason, "skipped"))

    def folder(self, path: str, shown: str, real: str) -> None:
        ignores: tuple[_Ignore, ...] = ()
        if self.settings.respect_gitignore:
            ignores = tuple(self.ignores_above(real))
            if self.ignored(real, ignores, folder=True, below=True):
                ignores = ()  # it was asked for all the same, so what ignores the whole of it does not count
        inside = "" if shown in {".", _here()} else shown.rstrip("/") + "/"
        self.repository = repository_of(real)
        stack = [(path, inside, real, ignores)]
        while stack:
            path, inside, real, ignores = stack.pop()
            if real in self.walked:
                continue
            first = len(self.found.files)
            stack.extend(self.entries(path, inside, real, ignores))
            self.walked[real] = range(first, len(self.found.files))
            self.names_in.pop(real, None)

    def entries(
        self, path: str, inside: str, real: str, ignores: tuple[_Ignore, ...]
    ) -> Iterator[tuple[str, str, str, tuple[_Ignore, ...]]]:
        """Takes the files of one folder; yields the folders in it."""
        try:
            with os.scandir(path) as scan:
                entries = list(scan)
        except OSError as error:
            self.skip(inside.rstrip("/") or ".", reading_error(error))
            return
        if self.settings.respect_gitignore and any(entry.name == ".gitignore" for entry in entries):
            ignores = (*ignores, *self.ignore_file(os.path.join(path, ".gitignore"), real))
        base = _with_separator(real)
        folder: Folder | None = None
        for entry in entries:
            name = entry.name
            language = suffix_language(name, self.suffixes)
            below = f"{base}{name}"
            shown = inside + name
            if entry.is_dir(follow_symlinks=False):
                out = name in self.names or self.left_out(below, ignores, folder=True) or _is_venv(entry.path)
                if not out:
                    yield entry.path, f"{shown}/", below, ignores
            elif language is None or name in self.names or self.left_out(below, ignores, folder=False):
                continue
            elif entry.is_symlink():
                self.links.append((entry.path, shown, self.repository))
            elif entry.is_file(follow_symlinks=False):
                if below not in self.named:
                    folder = folder or Folder(entry.path.removesuffix(name), inside)
                    self.found.files.append(File(folder, sys.intern(name), language))
            else:
                self.skip(shown, "not a regular file")

    def follow_links(self) -> None:
        """Takes the files that links lead to, if nothing else did. Links to folders are not followed."""
        for path, shown, repository in sorted(self.links):
            if leads_out(path, repository):
                self.skip(
                    shown, "a symbolic link out of the repository; it is followed where it is named itself"
                )
                continue
            try:
                status = os.stat(path)
            except OSError as error:
                self.skip(shown, reading_error(error))
                continue
            language = suffix_language(shown.rpartition("/")[2], self.suffixes)
            if stat.S_ISREG(status.st_mode) and language:
                self.take(path, shown, os.path.realpath(path), language)
            elif not stat.S_ISDIR(status.st_mode):
                self.skip(shown, "not a regular file")

    def left_out(self, real: str, ignores: tuple[_Ignore, ...], *, folder: bool) -> bool:
        if self.patterns is not None and self.patterns.match_real(real, folder=folder):
            return True
        return self.ignored(real, ignores, folder=folder)

    @staticmethod
    def ignored(real: str, ignores: tuple[_Ignore, ...], *, folder: bool, below: bool = False) -> bool:
        """Whether git leaves a path out; `below` says that the folders above it were not looked at."""
        for ignore in reversed(ignores):
            if real.startswith(ignore.base):
                judge = ignore.rules.verdict_below if below else ignore.rules.verdict
                verdict = judge(real[len(ignore.base) :], folder=folder)
                if verdict is not None:
                    return verdict
        return False

    def excluded_itself(self, real: str, folder: bool) -> bool:
        """Whether a named path, or a folder above it up to the root, is excluded."""
        if not real.startswith(self.root):
            return os.path.basename(real) in self.names
        parts = real[len(self.root) :].split(os.sep)
        for depth, part in enumerate(parts, 1):
            above = self.root + os.sep.join(parts[:depth])
            is_folder = folder or depth < len(parts)
            if part in self.names or (self.patterns and self.patterns.match_real(above, folder=is_folder)):
                return True
        return False

    def ignore_file(self, path: str, folder: str) -> list[_Ignore]:
        """The rules of one file; one that is a link, as git has it, or cannot be read has none."""
        try:
            rules = read_rules(read_file(path, LARGEST_RULES, follow=False))
        except (NotReadableError, TooManyRulesError) as error:
            if os.path.lexists(path):
                self.skip(shown_path(path), f"{error}: its rules are not heeded")
            return []
        return [_Ignore(_with_separator(folder), rules)] if rules.rules else []

    def ignores_above(self, folder: str) -> Iterator[_Ignore]:
        """The rules in force for `folder` from above it: the repository's, outermost first."""
        chain = [folder]
        while not os.path.exists(f"{chain[-1]}{os.sep}.git"):
            parent = os.path.dirname(chain[-1])
            if parent == chain[-1]:
                return
            chain.append(parent)
        top = chain[-1]
        yield from self.ignore_file(os.path.join(top, ".git", "info", "exclude"), top)
        for outer in reversed(chain[1:]):
            yield from self.ignore_file(os.path.join(outer, ".gitignore"), outer)


class PathPatterns:
    """Patterns as in `.gitignore`, relative to a folder."""

    def __init__(self, patterns: Iterable[str], root: str | os.PathLike[str]) -> None:
        self._base = _with_separator(os.path.realpath(root))
        try:
            self._rules = rules_of(os.fsencode(pattern) for pattern in patterns)
        except TooManyRulesError:
            raise UsageError(
                "the patterns of paths in the configuration are more than can be looked at"
            ) from None

    def match(self, path: str) -> bool:
        """Whether a file, or a folder above it, is meant."""
        return self.match_real(os.path.realpath(path), folder=False)

    def match_real(self, real: str, *, folder: bool) -> bool:
        """As `match`, for a path without symbolic links; one outside the root is never meant."""
        if not real.startswith(self._base):
            return False
        return self._rules.verdict_below(real[len(self._base) :], folder=folder) is True


def _with_separator(folder: str) -> str:
    return folder.rstrip(os.sep) + os.sep


def _here() -> str:
    return os.getcwd().replace(os.sep, "/")


def _is_venv(path: str) -> bool:
    return os.path.exists(f"{path}{os.sep}pyvenv.cfg")


def _interpreters(path: str) -> list[str]:
    """The programs that the first line of a file without a suffix names."""
    if "." in os.path.basename(path).lstrip("."):
        return []
    try:
        first = read_beginning(path, 128).partition(b"\n")[0]
    except NotReadableError:
        return []
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    return [word.rpartition("/")[2] for word in words]


class _Ignore(Record):
    base: str
    """Real path of the folder that the rules are relative to, with a separator at its end."""
    rules: Rules
