"""From the paths a user names to the files to check: folders are walked, what is left out has a reason.

Paths are plain `str` here: a walk over a large tree makes hundreds of thousands of them, and names that are
not valid UTF-8 pass through as `os.fsdecode` gives them.
"""

# Path objects would take longer than the walk itself.
# ruff: noqa: PTH109, PTH110, PTH112, PTH114, PTH116, PTH118, PTH119, PTH120, PTH206

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from fairlint.config import Configurations, PathPattern, Settings
from fairlint.findings.report import LeftOut, NotAnalysed
from fairlint.sources.ignore_rules import Rules, TooManyRulesError, read_rules, rules_of
from fairlint.sources.unread import SCRIPT, counted_kinds, kind_of
from fairlint.support.errors import UsageError
from fairlint.support.files import (
    NotReadableError,
    leads_out,
    read_beginning,
    read_file,
    reading_error,
    repository_of,
)
from fairlint.support.records import Record, field
from fairlint.syntax import SHIPPED

if TYPE_CHECKING:
    from fairlint.support.tracked import Tracked
    from fairlint.syntax.language import Language

NOTEBOOK = "notebook"
"""What the suffix of a notebook says; the code in its cells has a language of its own."""
EXCLUDED = frozenset({
    ".bzr", ".cache", ".direnv", ".eggs", ".fairlint_cache", ".git", ".hg", ".hypothesis",
    ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pants.d", ".pyenv", ".pytest_cache", ".pytype",
    ".ruff_cache", ".svn", ".tox", ".venv", "__pycache__", "__pypackages__", "buck-out", "node_modules",
    "site-packages",
})  # fmt: skip
"""Folders that hold nobody's own code. A folder with a `pyvenv.cfg` is left out too."""
OF_OTHERS = "code of others, by its name"
"""Why those are left out."""
IGNORED = "git ignores it"
VENV = "a virtual environment"
GIT = ".git"
DOUBTFUL = frozenset({OF_OTHERS, IGNORED, VENV})
"""Reasons that say nothing of what git tracks."""
POLICY = "it decides what is reported"
SUBMODULES = ".gitmodules"
FOLLOWED = "it is followed where it is named itself"
LONGEST_FIRST_LINE = 4_096
"""Bytes in which a script says what runs it: no system looks at more."""
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
    settings: Settings
    """Those in force for the files in it."""


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

    @property
    def settings(self) -> Settings:
        """The settings in force for it."""
        return self.folder.settings


class Discovery(Record, frozen=False, slots=False):
    """What a walk found. `skipped` names what was asked for and cannot be checked."""

    files: list[File] = field(default_factory=list)
    skipped: list[NotAnalysed] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """Paths that settings leave out, each with the reason, where that was asked."""
    unknown: int = 0
    """Files in no known language."""
    unread: dict[str, list[str]] = field(default_factory=dict)
    """Kind → shown paths of files among those that may decide about people: see `unread.py`."""
    tracked: list[LeftOut] = field(default_factory=list)
    """What is told of all that is left out: see `Report.left_out`."""
    unheeded: list[LeftOut] = field(default_factory=list)
    """What has no say in a checkout that is not trusted: see `Report.unheeded`."""


def discover(
    paths: Sequence[str | os.PathLike[str]],
    settings: Settings | Configurations,
    languages: Iterable[Language] = SHIPPED,
    *,
    tells: bool = False,
) -> Discovery:
    """The files to check under `paths`, each once, in the order of their shown paths.

    Their order makes no difference. A path that does not exist, or nothing to check under all of them, is a
    UsageError. `tells` asks for what is left out.
    """
    configurations = Configurations.of_settings(settings) if isinstance(settings, Settings) else settings
    walk = _Walk(configurations, tuple(languages), tells=tells)
    excluded = False
    for path in sorted(os.fspath(path) for path in paths):
        excluded |= walk.add(path)
    walk.follow_links()
    found = walk.found
    if walk.doubtful:
        from fairlint.sources.tracked_files import tracked_omissions  # noqa: PLC0415 (few walks leave anything out)

        found.tracked += tracked_omissions(walk.doubtful, walk.is_code)
    if not found.files and not excluded:
        raise UsageError(_no_files_message(paths, found, walk.languages))
    found.files.sort(key=lambda file: file.shown)
    found.skipped.sort(key=lambda skipped: skipped.path)
    found.left_out.sort()
    found.tracked.sort(key=lambda one: one.path)
    found.unheeded.sort(key=lambda one: one.path)
    return found


def is_left_out(path: str, settings: Settings) -> bool:
    """Whether a walk would leave a file out: what is excluded, and what git ignores."""
    walk = _Walk(Configurations.of_settings(settings), ())
    real = os.path.realpath(path)
    folder = os.path.dirname(real)
    ignores = (*walk.ignores_above(folder), *walk.ignore_file(os.path.join(folder, ".gitignore"), folder))
    is_excluded = bool(walk.excluded_itself(real, settings, folder=False))
    return is_excluded or walk.ignored(real, ignores, folder=False, below=True)


def is_excluded_path(path: str, configurations: Configurations) -> bool:
    """Whether the settings exclude what is, or would be, at a path, by name."""
    settings = configurations.of_file(path)
    return bool(_Walk(configurations, ()).excluded_itself(os.path.realpath(path), settings, folder=False))


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


class _Exclusion:
    """What the settings of one configuration leave out."""

    def __init__(self, settings: Settings) -> None:
        self.names = EXCLUDED if settings.exclude is None else frozenset[str]()
        self.root = _with_separator(os.path.realpath(settings.root))
        self._settings = settings
        patterns = (*(settings.exclude or ()), *settings.extend_exclude)
        self._patterns = PathPatterns(patterns, settings.root) if patterns else None

    def reason(self, real: str, name: str, *, folder: bool) -> str:
        """Why a path is left out, empty where it is not."""
        return OF_OTHERS if name in self.names else self.own_reason(real, folder=folder)

    def own_reason(self, real: str, *, folder: bool) -> str:
        """As `reason`, for the patterns that somebody has written."""
        if self._patterns is None or not self._patterns.match_real(real, folder=folder):
            return ""
        later = PathPatterns(self._settings.extend_exclude, self._settings.root)
        return "`extend-exclude`" if later.match_real(real, folder=folder) else "`exclude`"


class _Walk:
    def __init__(
        self, configurations: Configurations, languages: Sequence[Language], *, tells: bool = False
    ) -> None:
        self.configurations = configurations
        self.languages = languages
        self.suffixes = suffixes_of(languages)
        self.found = Discovery()
        self.tells = tells
        self.exclusions: dict[int, _Exclusion] = {}
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
        self.folder_links: list[tuple[str, str, str, Settings, tuple[_Ignore, ...]]] = []
        """Links whose names say no language, for they may lead to folders; with what is in force."""
        self.tracking: dict[str, Tracked | None] = {}
        """What git tracks in repositories that are not trusted, None where nobody can say."""
        self.noted: set[str] = set()
        """Folders of which it is noted what has no say there."""
        self.doubtful: list[tuple[str, LeftOut]] = []
        """Real paths of what is left out by ignore rules, or by what a folder is called or holds."""

    def exclusion(self, settings: Settings) -> _Exclusion:
        known = self.exclusions.get(id(settings))
        if known is None:
            known = self.exclusions[id(settings)] = _Exclusion(settings)
        return known

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
        settings = self.configurations.of(os.path.dirname(real))
        if settings.force_exclude:
            reason = self.excluded_itself(real, settings, folder=stat.S_ISDIR(status.st_mode))
            if reason:
                self.leave_out(shown, reason, settings)
                self.doubt(real, shown, reason, settings)
                return True
        if stat.S_ISDIR(status.st_mode):
            self.folder(path, shown, real)
        elif not stat.S_ISREG(status.st_mode):
            self.skip(shown, "not a regular file")
        elif language := self.language_of(path, settings):
            self.take(path, shown, real, language)
            if settings.untrusted:
                self.note_policy(os.path.dirname(real))
        else:
            known = titles(self.languages)
            self.skip(shown, f"no known language: neither its suffix nor its first line says {known}")
        return False

    def language_in(self, entry: os.DirEntry[str], settings: Settings) -> str | None:
        """The language of what was met in a folder."""
        if settings.untrusted and entry.is_file(follow_symlinks=False):
            return self.language_of(entry.path, settings)
        return suffix_language(entry.name, self.suffixes)

    def language_of(self, path: str, settings: Settings) -> str | None:
        """The language of a file that is named, or whose author may want it to go by another."""
        by_suffix = suffix_language(os.path.basename(path), self.suffixes)
        if settings.untrusted:  # whoever runs it goes by its first line
            return self.of_shebang(path, any_name=True) or by_suffix
        return by_suffix or self.of_shebang(path)

    def of_shebang(self, path: str, *, any_name: bool = False) -> str | None:
        """The language that the first line of a file without a suffix says; of any file with `any_name`."""
        words = _interpreter_names(path, any_name=any_name)
        said = (one.name for word in words for one in self.languages if word.startswith(one.interpreters))
        return next(said, None)

    def take(self, path: str, shown: str, real: str, language: str) -> None:
        """Takes a file that was named, or that a link leads to."""
        if real not in self.named and not self.is_walked(real):
            self.named.add(real)
            name = os.path.basename(path) if shown.endswith(os.path.basename(path)) else ""
            settings = self.configurations.of(os.path.dirname(real))
            folder = Folder(path.removesuffix(name), shown.removesuffix(name), settings)
            self.found.files.append(File(folder, sys.intern(name), language))

    def is_walked(self, real: str) -> bool:
        """Whether a file was taken with its folder."""
        folder, name = os.path.split(real)
        if folder not in self.names_in:
            self.names_in[folder] = {self.found.files[at].name for at in self.walked.get(folder, ())}
        return name in self.names_in[folder]

    def skip(self, shown: str, reason: str) -> None:
        self.found.skipped.append(NotAnalysed(shown, 1, reason, "skipped"))

    def leave_out(self, shown: str, reason: str, settings: Settings) -> None:
        """Notes what is left out, where that is asked."""
        if self.tells:
            where = f" of {shown_path(str(settings.source))}" if settings.source and "`" in reason else ""
            self.found.left_out.append((shown, f"{reason}{where}"))

    def folder(self, path: str, shown: str, real: str) -> None:
        ignores: tuple[_Ignore, ...] = ()
        settings = self.configurations.of(real)
        if settings.respect_gitignore:
            ignores = tuple(self.ignores_above(real))
            if self.ignored(real, ignores, folder=True, below=True):
                ignores = ()  # it was asked for all the same, so what ignores the whole of it does not count
        inside = "" if shown in {".", _current_folder()} else shown.rstrip("/") + "/"
        self.repository = repository_of(real)
        if settings.untrusted:
            self.note_policy(os.path.dirname(real))
        stack = [_Waiting(path, inside, real, ignores, settings)]
        while stack:
            waiting = stack.pop()
            if waiting.real in self.walked:
                continue
            first = len(self.found.files)
            stack.extend(self.entries(waiting))
            self.walked[waiting.real] = range(first, len(self.found.files))
            self.names_in.pop(waiting.real, None)

    def entries(self, waiting: _Waiting) -> Iterator[_Waiting]:
        """Takes the files of one folder; yields the folders in it."""
        path, inside, real, ignores = waiting.path, waiting.inside, waiting.real, waiting.ignores
        try:
            with os.scandir(path) as scan:
                entries = list(scan)
        except OSError as error:
            self.skip(inside.rstrip("/") or ".", reading_error(error))
            return
        names = {entry.name for entry in entries}
        settings = self.configurations.inside(waiting.settings, real, names)
        if settings.respect_gitignore != waiting.settings.respect_gitignore:
            ignores = tuple(self.ignores_above(real)) if settings.respect_gitignore else ()
        if settings.respect_gitignore and ".gitignore" in names:
            ignores = (*ignores, *self.ignore_file(os.path.join(path, ".gitignore"), real))
        if settings.untrusted:
            self.note_policy(real, above=False)
        base = _with_separator(real)
        exclusion = self.exclusion(settings)
        self.note_submodules(names, base, inside, exclusion)
        folder: Folder | None = None
        for entry in entries:
            name = entry.name
            language = self.language_in(entry, settings)
            below = f"{base}{name}"
            shown = inside + name
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder and language is None:
                self.found.unknown += 1
                self.note_unread(entry, below, shown, settings, ignores)
                continue
            reason = exclusion.reason(below, name, folder=is_folder)
            if not reason:
                reason = self.other_reason(below, ignores, folder=is_folder)
            aside = waiting.aside
            if reason and settings.untrusted:
                reason, aside = self.without_say(below, shown, reason, exclusion, is_folder=is_folder)
            if reason:
                self.leave_out(f"{shown}/" if is_folder else shown, reason, settings)
                self.doubt(below, shown, reason, settings)
            elif is_folder:
                yield _Waiting(entry.path, f"{shown}/", below, ignores, settings, aside)
            elif entry.is_symlink():
                self.links.append((entry.path, shown, self.repository))
            elif language and entry.is_file(follow_symlinks=False):
                if below not in self.named:
                    folder = folder or Folder(entry.path.removesuffix(name), inside, settings)
                    self.found.files.append(File(folder, sys.intern(name), language))
                    if aside:
                        self.found.unheeded.append(LeftOut(shown, aside))
            else:
                self.skip(shown, "not a regular file")

    def other_reason(self, real: str, ignores: tuple[_Ignore, ...], *, folder: bool) -> str:
        """Why a path is left out that no setting leaves out; empty where it is not."""
        if self.ignored(real, ignores, folder=folder):
            return IGNORED
        return VENV if folder and _is_venv(real) else ""

    def note_unread(
        self,
        entry: os.DirEntry[str],
        real: str,
        shown: str,
        settings: Settings,
        ignores: tuple[_Ignore, ...],
    ) -> None:
        """Notes a file that is not read and may decide about people, unless it would be left out; and a link,
        for it may lead to a folder.
        """
        if entry.is_symlink():
            self.folder_links.append((real, shown, self.repository, settings, ignores))
        folder, _, name = shown.rpartition("/")
        kind = kind_of(name, folder.rpartition("/")[2])
        if not kind and "." not in name and _is_script(entry):
            kind = SCRIPT
        if not kind or self.exclusion(settings).reason(real, name, folder=False):
            return
        if not self.ignored(real, ignores, folder=False):
            self.found.unread.setdefault(kind, []).append(shown)

    def note_submodules(self, names: set[str], base: str, inside: str, exclusion: _Exclusion) -> None:
        """Names the submodules of a repository that are not there: their code is part of it."""
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
                self.skip(f"{inside}{name}", "a submodule that is not checked out")

    def doubt(self, real: str, shown: str, reason: str, settings: Settings) -> None:
        """Notes what is left out and git may track."""
        if reason in DOUBTFUL and not settings.untrusted and not real.endswith(f"{os.sep}{GIT}"):
            self.doubtful.append((real, LeftOut(shown, reason)))

    def is_code(self, name: str) -> bool:
        """Whether a file's suffix says a known language."""
        return suffix_language(name, self.suffixes) is not None

    def without_say(
        self, real: str, shown: str, reason: str, exclusion: _Exclusion, *, is_folder: bool
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
                if holds_code(real, self.is_code):
                    self.found.tracked.append(LeftOut(f"{shown}/", "git's own folder"))
                return reason, ""
            if self.repository not in self.tracking:
                self.tracking[self.repository] = tracked_in(self.repository)
            tracked = self.tracking[self.repository]
            if tracked is not None and not tracked.at(inside(real, self.repository)):
                if holds_code(real, self.is_code):
                    self.found.tracked.append(LeftOut(f"{shown}/", f"{reason}; git tracks nothing in it"))
                return reason, ""
        return "", reason

    def note_policy(self, folder: str, *, above: bool = True) -> None:
        """Notes the files of a checkout that would say what is told in a folder: here, and above it."""
        from fairlint.config.untrusted import checkout_of, policies_in  # noqa: PLC0415 (as above)

        while folder not in self.noted:
            self.noted.add(folder)
            top = checkout_of(folder, self.configurations.run.untrusted)
            for path in policies_in(folder) if top else ():
                self.found.unheeded.append(LeftOut(shown_path(path), POLICY))
            if not above or folder == top or not top:
                return
            folder = os.path.dirname(folder)

    def follow_links(self) -> None:
        """Takes the files that links lead to, if nothing else did. Links to folders are not followed."""
        for real, shown, repository, settings, ignores in self.folder_links:
            self.note_folder(real, shown, repository, settings, ignores)
        for path, shown, repository in sorted(self.links):
            if leads_out(path, repository):
                self.skip(shown, f"a symbolic link out of the repository; {FOLLOWED}")
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

    def note_folder(
        self, link: str, shown: str, repository: str, settings: Settings, ignores: tuple[_Ignore, ...]
    ) -> None:
        """Names a link to a folder with code that nothing else has walked, unless it is left out.

        A link to nothing may have been one.
        """
        real = os.path.realpath(link)
        is_broken = not os.path.lexists(real) and "." not in shown.rpartition("/")[2]
        if real in self.walked or not (is_broken or os.path.isdir(real)):
            return
        if link.startswith(_with_separator(real)):  # a circle
            return
        aside = self.excluded_itself(link, settings, folder=True) or self.excluded_itself(
            real, self.configurations.of(os.path.dirname(real)), folder=True
        )
        if aside or self.ignored(link, ignores, folder=False):
            return
        if is_broken:
            self.skip(shown, "a symbolic link to nothing")
        elif leads_out(link, repository):
            self.skip(shown, f"a symbolic link to a folder out of the repository; {FOLLOWED}")
        elif not self.ignored(real, ignores, folder=True, below=True):
            from fairlint.sources.tracked_files import holds_code  # noqa: PLC0415 (few walks come here)

            if holds_code(real, self.is_code):
                self.skip(shown, f"a symbolic link to a folder; {FOLLOWED}")

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

    def excluded_itself(self, real: str, settings: Settings | None, *, folder: bool) -> str:
        """Why a named path, or a folder above it, is excluded: by the settings in force where it stands, and
        by those above them in the repository, which would not have come down to it.
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

    def ignore_file(self, path: str, folder: str) -> list[_Ignore]:
        """The rules of one file; one that is a link, as git has it, or cannot be read has none."""
        try:
            rules = read_rules(read_file(path, LARGEST_RULES, follow=False))
        except (NotReadableError, TooManyRulesError) as error:
            if os.path.lexists(path):
                self.skip(shown_path(path), f"{error}: its rules are not used")
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
    """Patterns as in `.gitignore`, relative to a folder, or each to its own (`PathPattern`)."""

    def __init__(self, patterns: Iterable[str], root: str | os.PathLike[str]) -> None:
        self._rules: list[tuple[str, Rules]] = []
        by_folder = groupby(patterns, lambda one: one.folder if isinstance(one, PathPattern) else root)
        try:
            for folder, several in by_folder:
                rules = rules_of(os.fsencode(pattern) for pattern in several)
                self._rules.append((_with_separator(os.path.realpath(folder)), rules))
        except TooManyRulesError:
            raise UsageError(
                "the patterns of paths in the configuration are more than can be looked at"
            ) from None

    def match(self, path: str) -> bool:
        """Whether a file, or a folder above it, is meant."""
        return self.match_real(os.path.realpath(path), folder=False)

    def match_real(self, real: str, *, folder: bool) -> bool:
        """As `match`, for a path without symbolic links; one outside the root is never meant."""
        for base, rules in reversed(self._rules):
            if real.startswith(base):
                verdict = rules.verdict_below(real[len(base) :], folder=folder)
                if verdict is not None:
                    return verdict
        return False


def _with_separator(folder: str) -> str:
    return folder.rstrip(os.sep) + os.sep


def _is_empty(folder: str) -> bool:
    """Whether there is a folder, and nothing in it."""
    try:
        with os.scandir(folder) as scan:
            return next(scan, None) is None and not os.path.islink(folder)
    except (OSError, ValueError):
        return False


def _is_script(entry: os.DirEntry[str]) -> bool:
    """Whether what was met in a folder says in its first line what runs it, and may be run."""
    try:
        mode = entry.stat(follow_symlinks=False).st_mode
        return bool(
            stat.S_ISREG(mode)
            and mode & 0o111
            and read_beginning(entry.path, LONGEST_FIRST_LINE)[:2] == b"#!"
        )
    except (OSError, NotReadableError):
        return False


def _current_folder() -> str:
    return os.getcwd().replace(os.sep, "/")


def _is_venv(path: str) -> bool:
    return os.path.exists(f"{path}{os.sep}pyvenv.cfg")


def _interpreter_names(path: str, *, any_name: bool) -> list[str]:
    """The programs that the first line of a file without a suffix names; of any file with `any_name`."""
    if "." in os.path.basename(path).lstrip(".") and not any_name:
        return []
    try:
        first = read_beginning(path, LONGEST_FIRST_LINE).partition(b"\n")[0]
    except NotReadableError:
        return []
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    return [word.rpartition("/")[2] for word in words]


class _Ignore(Record):
    base: str
    """Real path of the folder that the rules are relative to, with a separator at its end."""
    rules: Rules


class _Waiting(Record):
    """A folder that is to be walked: its path, what reports call what is inside, and what is in force."""

    path: str
    inside: str
    real: str
    ignores: tuple[_Ignore, ...]
    settings: Settings
    """Of the folder that it is in."""
    aside: str = ""
    """Why its author would leave it out, who has no say."""
