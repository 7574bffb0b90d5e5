"""What a walk over folders knows on its way: what is named, ignored, excluded and taken."""

# Path objects would take longer than the walk itself.
# ruff: noqa: PTH110, PTH118, PTH119, PTH120, PTH206

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fairlint.config import Configurations, Settings
from fairlint.findings.report import LeftOut, NotAnalysed
from fairlint.sources.files_to_check import Discovery, File, Folder, shown_path, suffix_language, suffixes_of
from fairlint.sources.ignore_rules import Rules, TooManyRulesError, read_rules
from fairlint.sources.path_patterns import GIT, OF_OTHERS, Exclusion, with_separator
from fairlint.support.files import NotReadableError, read_beginning, read_file
from fairlint.support.records import Record

if TYPE_CHECKING:
    from fairlint.support.tracked import Tracked
    from fairlint.syntax.language import Language

IGNORED = "git ignores it"
VENV = "a virtual environment"
DOUBTFUL = frozenset({OF_OTHERS, IGNORED, VENV})
"""Reasons that say nothing of what git tracks."""
LONGEST_FIRST_LINE = 4_096
"""Bytes in which a script says what runs it: no system looks at more."""
LARGEST_RULES = 200_000
"""Bytes of a `.gitignore` that is read."""


class Walk:
    """The state of one walk."""

    def __init__(
        self, configurations: Configurations, languages: Sequence[Language], *, tells: bool = False
    ) -> None:
        self.configurations = configurations
        self.languages = languages
        self.suffixes = suffixes_of(languages)
        self.found = Discovery()
        self.tells = tells
        self.exclusions: dict[int, Exclusion] = {}
        """By the identity of the settings."""
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
        self.folder_links: list[tuple[str, str, str, Settings, tuple[Ignore, ...]]] = []
        """Links whose names say no language, for they may lead to folders; with what is in force."""
        self.tracking: dict[str, Tracked | None] = {}
        """What git tracks in repositories that are not trusted, None where nobody can say."""
        self.noted: set[str] = set()
        """Folders of which it is noted what has no say there."""
        self.doubtful: list[tuple[str, LeftOut]] = []
        """Real paths of what is left out by ignore rules, or by what a folder is called or holds."""

    def exclusion(self, settings: Settings) -> Exclusion:
        """Return what settings leave out."""
        known = self.exclusions.get(id(settings))
        if known is None:
            known = self.exclusions[id(settings)] = Exclusion(settings)
        return known

    def language_in(self, entry: os.DirEntry[str], settings: Settings) -> str | None:
        """Return the language of what was met in a folder."""
        if settings.untrusted and entry.is_file(follow_symlinks=False):
            return self.language_of(entry.path, settings)
        return suffix_language(entry.name, self.suffixes)

    def language_of(self, path: str, settings: Settings) -> str | None:
        """Return the language of a file that is named, or whose author may want it to go by another."""
        by_suffix = suffix_language(os.path.basename(path), self.suffixes)
        if settings.untrusted:  # whoever runs it goes by its first line
            return self.of_shebang(path, any_name=True) or by_suffix
        return by_suffix or self.of_shebang(path)

    def of_shebang(self, path: str, *, any_name: bool = False) -> str | None:
        """Return the language that the first line of a file without a suffix says; of any file with
        `any_name`.
        """
        words = _interpreter_names(path, any_name=any_name)
        said = (one.name for word in words for one in self.languages if word.startswith(one.interpreters))
        return next(said, None)

    def take(self, path: str, shown: str, real: str, language: str) -> None:
        """Take a file that was named, or that a link leads to."""
        if real not in self.named and not self.is_walked(real):
            self.named.add(real)
            name = os.path.basename(path) if shown.endswith(os.path.basename(path)) else ""
            settings = self.configurations.of(os.path.dirname(real))
            folder = Folder(path.removesuffix(name), shown.removesuffix(name), settings)
            self.found.files.append(File(folder, sys.intern(name), language))

    def is_walked(self, real: str) -> bool:
        """Return whether a file was taken with its folder."""
        folder, name = os.path.split(real)
        if folder not in self.names_in:
            self.names_in[folder] = {self.found.files[at].name for at in self.walked.get(folder, ())}
        return name in self.names_in[folder]

    def skip(self, shown: str, reason: str) -> None:
        """Note what was asked for and cannot be checked."""
        self.found.skipped.append(NotAnalysed(shown, 1, reason, "skipped"))

    def leave_out(self, shown: str, reason: str, settings: Settings) -> None:
        """Note what is left out, where that is asked."""
        if self.tells:
            where = f" of {shown_path(str(settings.source))}" if settings.source and "`" in reason else ""
            self.found.left_out.append((shown, f"{reason}{where}"))

    def other_reason(self, real: str, ignores: tuple[Ignore, ...], *, folder: bool) -> str:
        """Return why a path is left out that no setting leaves out; empty where it is not."""
        if self.ignored(real, ignores, folder=folder):
            return IGNORED
        return VENV if folder and _is_venv(real) else ""

    def doubt(self, real: str, shown: str, reason: str, settings: Settings) -> None:
        """Note what is left out and git may track."""
        if reason in DOUBTFUL and not settings.untrusted and not real.endswith(f"{os.sep}{GIT}"):
            self.doubtful.append((real, LeftOut(shown, reason)))

    def is_code(self, name: str) -> bool:
        """Return whether a file's suffix says a known language."""
        return suffix_language(name, self.suffixes) is not None

    @staticmethod
    def ignored(real: str, ignores: tuple[Ignore, ...], *, folder: bool, below: bool = False) -> bool:
        """Return whether git leaves a path out; `below` says that the folders above it were not looked at."""
        for ignore in reversed(ignores):
            if real.startswith(ignore.base):
                judge = ignore.rules.verdict_below if below else ignore.rules.verdict
                verdict = judge(real[len(ignore.base) :], folder=folder)
                if verdict is not None:
                    return verdict
        return False

    def excluded_itself(self, real: str, settings: Settings | None, *, folder: bool) -> str:
        """Return why a named path, or a folder above it, is excluded: by the settings in force where it
        stands, and by those above them in the repository, which would not have come down to it.
        """
        while settings is not None:
            exclusion = self.exclusion(settings)
            if not real.startswith(exclusion.root):
                is_named_so = os.path.basename(real) in exclusion.names and not settings.untrusted
                return OF_OTHERS if is_named_so else ""
            parts = real[len(exclusion.root) :].split(os.sep)
            for depth, part in enumerate(parts, 1):
                above = exclusion.root + os.sep.join(parts[:depth])
                is_folder = folder or depth < len(parts)
                reason = exclusion.own_reason(above, folder=is_folder)
                if not settings.untrusted:
                    reason = exclusion.reason(above, part, folder=is_folder)
                if reason:
                    return reason
            real, folder = exclusion.root.rstrip(os.sep), True
            settings = self.configurations.above(settings)
        return ""

    def ignore_file(self, path: str, folder: str) -> list[Ignore]:
        """Return the rules of one file; one that is a link, as git has it, or cannot be read has none."""
        try:
            rules = read_rules(read_file(path, LARGEST_RULES, follow=False))
        except (NotReadableError, TooManyRulesError) as error:
            if os.path.lexists(path):
                self.skip(shown_path(path), f"{error}: its rules are not used")
            return []
        return [Ignore(with_separator(folder), rules)] if rules.rules else []

    def ignores_above(self, folder: str) -> Iterator[Ignore]:
        """Yield the rules in force for `folder` from above it: the repository's, outermost first."""
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


def _is_venv(path: str) -> bool:
    return os.path.exists(f"{path}{os.sep}pyvenv.cfg")


def _interpreter_names(path: str, *, any_name: bool) -> list[str]:
    """Return the programs that the first line of a file without a suffix names; of any file with
    `any_name`.
    """
    if "." in os.path.basename(path).lstrip(".") and not any_name:
        return []
    try:
        first = read_beginning(path, LONGEST_FIRST_LINE).partition(b"\n")[0]
    except NotReadableError:
        return []
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    return [word.rpartition("/")[2] for word in words]


class Ignore(Record):
    """The rules of one `.gitignore` and the folder they are for."""

    base: str
    """Real path of the folder that the rules are relative to, with a separator at its end."""
    rules: Rules


class Waiting(Record):
    """A folder that is to be walked: its path, what reports call what is inside, and what is in force."""

    path: str
    inside: str
    real: str
    ignores: tuple[Ignore, ...]
    settings: Settings
    """Of the folder that it is in."""
    aside: str = ""
    """Why its author would leave it out, who has no say."""
