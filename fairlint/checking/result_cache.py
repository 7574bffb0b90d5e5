"""Results of earlier runs that still hold.

A result is kept under what it was asked with (fairlint itself, the settings, the names that reports give the
file, where it is) and given again only if the file's bytes and all that it hung on besides (`basis`) are as
they were, by their contents. So none can be out of date: what is not the same is looked at again. Nothing is
kept of a file that was not finished, for want of time or memory, and nothing where there are plugins, whose
code may look at anything.
"""

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH100, PTH109, PTH114, PTH118, PTH120

from __future__ import annotations

import marshal
import os
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fairlint.cache.packing import NotPackableError, pack_value, unpack_value
from fairlint.cache.program import program
from fairlint.cache.store import USUAL, Store, is_usable, secret
from fairlint.checking.file_result import FileResult
from fairlint.checking.stripped_results import KINDS, strip_result
from fairlint.config.settings import COMMAND_LINE, PathPattern
from fairlint.plugins import manager
from fairlint.project.dependencies import (
    FOLDERS,
    LARGEST_MODULE,
    LISTED,
    MODULES,
    SETTINGS,
    Dependencies,
    Summary,
)
from fairlint.rules import rule_files
from fairlint.sources.reading import to_utf8
from fairlint.support import whole_files
from fairlint.support.about import __version__
from fairlint.support.digests import NOTHING, digest, digest_of_all, digest_of_digests, digest_of_names
from fairlint.support.errors import UsageError
from fairlint.support.files import kinds_in, names_in
from fairlint.support.records import Record, field_names, replace

if TYPE_CHECKING:
    from fairlint.checking.checker import Checker
    from fairlint.checking.session import Session
    from fairlint.config import Settings
    from fairlint.project.kept_facts import KeptFacts
    from fairlint.sources.files_to_check import File

USERS = frozenset({
    "bench", "bundle", "cli", "counterfactual", "fixes", "fleet", "mcp", "model_bias", "reporters",
    "server", "worker",
})  # fmt: skip
"""The packages that use results. None that makes one may import them, so that their code changes no result;
looking at their files would take a third of the time for all."""
MANY = 200
"""Results of a run that were not known, after which the folder is looked through."""
FEW = 12
"""Paths that an entry holds itself."""
Kept = tuple[str, str, tuple[str, ...] | str, bytes]
"""As `Summary`; many paths by the name of the entry that holds them."""
VARIABLE = "FAIRLINT_CACHE_DIR"
"""The variable that names the folder of results."""
_UNASKED = frozenset({"jobs", "timeout", "fail_on", "baseline", "cache_dir", "respect_gitignore", "origins"})
"""Settings that make no difference to what is found in a file; of origins see below."""


def folder_of(settings: Settings) -> str:
    """Return the folder that results are kept in; empty for none.

    What an option says goes before the environment, and that before a configuration file. A folder that a
    repository ships may be a link to anywhere, and is not used unless somebody names it. In a checkout that
    is not trusted none is.
    """
    is_option = settings.origins.get("cache-dir") == (COMMAND_LINE,)
    named = None if is_option else os.environ.get(VARIABLE)
    told = os.path.abspath(named) if named else settings.cache_dir
    if told == "":
        return ""
    folder = os.path.join(settings.root, told or USUAL)
    if settings.untrusted:
        from fairlint.config.untrusted import checkout_of  # noqa: PLC0415 (few runs are told that)

        if checkout_of(folder, settings.untrusted):
            return ""
    return folder if named or is_option or not os.path.islink(folder) else ""


def open_known_results(crew: Session) -> ResultCache | None:
    """Return what earlier runs have kept for one like this; None where nothing is to be kept."""
    folder = folder_of(crew.settings)
    if folder and (wrong := _in_the_way(folder)):
        if os.environ.get(VARIABLE) or "cache-dir" in crew.settings.origins:
            raise UsageError(f"{folder} {wrong}")
        return None
    key = secret() if folder and not manager.names() else None
    return None if key is None else ResultCache(Store(folder, key), crew)


def _in_the_way(folder: str) -> str:
    """Return why a folder cannot be a cache; empty where it can."""
    try:
        whole_files.place_of(folder)
    except whole_files.LeadsOutError:
        return f"cannot be a cache: a link leads to {os.path.realpath(folder)}, which is elsewhere: name that"
    return "" if is_usable(folder) else "holds other files and cannot be a cache: name a new or empty folder"


class ResultCache:
    """The results that earlier runs have kept, and those of this run that are to be."""

    def __init__(self, store: Store, crew: Session) -> None:
        self._store = store
        self._crew = crew
        self._program = program(__version__, rule_files.shipped_folder(), USERS)
        self._here = os.getcwd()
        self._real: dict[str, str] = {}
        self._asked: dict[int, bytes] = {}
        """By the number of a Checker: what its results hang on whatever the file."""
        self._now: dict[tuple[int, str, str, str], bytes] = {}
        """Checker, sort, language and path → what is there now; looked at once a run."""
        self._sums: dict[tuple[int, str, str, tuple[str, ...] | str], bytes] = {}
        """The same for several paths."""
        self._lists: dict[tuple[str, ...], str] = {}
        """Many paths → the name of their entry."""
        self._waiting: dict[str, _Waiting] = {}
        self._missed = 0

    def given(self, checker: Checker, file: File, raw: bytes) -> FileResult | None:
        """Return the result for a file that has these bytes, if it is known and still holds."""
        name, content = self._entry_name(checker, file), digest(raw)
        body, was_empty = self._store.read(name), False
        if body is not None:
            told: tuple[bytes, list[Kept], bytes | None] = _load_value(body)
            if told[0] == content and all(self._holds(checker, *one) for one in told[1]):
                return _restore_result(told[2], file, raw, checker)
            was_empty = told[0] == content and told[2] is None
        self._missed += 1
        self._waiting[file.shown] = _Waiting(name, content, was_empty=was_empty)
        return None

    def was_empty(self, file: File) -> bool:
        """Report whether an earlier run found nothing, no gap either, in the bytes that a file has."""
        waiting = self._waiting.get(file.shown)
        return waiting is not None and waiting.was_empty

    def begun(self, file: File, basis: Dependencies | None) -> None:
        """Note that a file was read, and looked through with the help of these."""
        if basis is None:
            self._waiting.pop(file.shown, None)
        elif file.shown in self._waiting:
            self._waiting[file.shown].basis = basis.summaries()

    def keep(self, result: FileResult) -> None:
        """Keep a result of this run."""
        waiting = self._waiting.pop(result.path, None)
        if waiting is None or not result.is_finished:
            return
        bases = waiting.basis if result.basis is None else (*waiting.basis, *result.basis.summaries())
        kept = [(sort, language, self._compact_paths(paths), seen) for sort, language, paths, seen in bases]
        try:
            body = None if _is_empty(result) else pack_value(strip_result(result), KINDS)
        except NotPackableError:
            return
        self._store.write(waiting.name, _dump_value((waiting.content, kept, body)))

    def _compact_paths(self, paths: tuple[str, ...]) -> tuple[str, ...] | str:
        """Return paths as an entry has them: many, which many files hang on, are an entry of their own."""
        if len(paths) <= FEW:
            return paths
        if paths not in self._lists:
            name = self._lists[paths] = digest(_encode_text("\0".join(paths))).hex()
            if self._paths_in(name) != paths:
                self._store.write(name, _dump_value(paths))
        return self._lists[paths]

    def _paths_in(self, name: str) -> tuple[str, ...] | None:
        body = self._store.read(name)
        return None if body is None else tuple(_load_value(body))

    def close(self) -> None:
        """Note that the run is over."""
        for checker in self._crew.checkers:
            checker.keep_facts()
        if self._missed:
            self._store.trim(now=self._missed >= MANY)

    def facts_of_texts(self, checker: Checker, language: str) -> KeptFacts:
        """Return what earlier runs have found in the texts of a language under a checker's vocabulary."""
        from fairlint.project.kept_facts import KeptFacts  # noqa: PLC0415 (not where all results still hold)

        words = repr((checker.vocabulary_tables, checker.settings.home_country))
        return KeptFacts(self._store, digest_of_all([self._program, language.encode(), words.encode()]))

    def asked_with(self, checker: Checker) -> bytes:
        """Return a digest of all that results hang on whatever the file: settings, words, models, the
        repository.
        """
        known = self._asked.get(checker.number)
        if known is None:
            settings = checker.settings
            told = {name: _setting_form(getattr(settings, name)) for name in field_names(settings)}
            told = {name: value for name, value in told.items() if name not in _UNASKED}
            told["law"] = settings.law  # what is said there hangs on who says it
            told["parses_all"] = settings.parses_all
            words = (checker.vocabulary_tables, checker.library_tables)
            known = self._asked[checker.number] = digest(repr((told, words, checker.repository)).encode())
        return known

    def judged_with(self, checker: Checker, path: str) -> bytes:
        """Return a digest of what a file is judged with that another one has led to."""
        return digest_of_all([self.asked_with(checker), _encode_text(os.path.realpath(path))])

    def _entry_name(self, checker: Checker, file: File) -> str:
        folder = os.path.dirname(file.path)
        if folder not in self._real:
            self._real[folder] = os.path.realpath(folder)
        link = os.path.realpath(file.path) if os.path.islink(file.path) else ""
        real = (self._real[folder], file.name, link)
        told = (self._here, file.shown, real, file.language)
        return digest_of_all([self._program, self.asked_with(checker), repr(told).encode()]).hex()

    def _holds(
        self, checker: Checker, sort: str, language: str, listed: tuple[str, ...] | str, seen: bytes
    ) -> bool:
        """Return whether at all these paths there is what was seen."""
        key = (checker.number, sort, language, listed)
        if key not in self._sums:
            paths = self._paths_in(listed) if isinstance(listed, str) else listed
            if paths is None:
                return False
            self._sums[key] = digest_of_digests(
                self._digest_at_path(checker, sort, language, path) for path in paths
            )
        return self._sums[key] == seen

    def _digest_at_path(self, checker: Checker, sort: str, language: str, path: str) -> bytes:
        """Return what is at a path now."""
        key = (checker.number, sort, language, path)
        known = self._now.get(key)
        if known is None:
            known = self._now[key] = self._looked_at(checker, sort, language, path)
        return known

    def _looked_at(self, checker: Checker, sort: str, language: str, path: str) -> bytes:
        if sort == SETTINGS:
            return self.judged_with(self._crew.of_file(path), path)
        if sort in {FOLDERS, LISTED}:
            return digest_of_names(names_in(path) if sort == FOLDERS else kinds_in(path))
        limit = LARGEST_MODULE if sort == MODULES else int(sort)
        known = checker.languages.get(language)
        data = None if known is None else checker.reader(known)(path, limit)
        return NOTHING if data is None else digest(data)


class _Waiting(Record, frozen=False):
    """A file whose result will be kept: under what, for which contents, and what it hangs on so far."""

    name: str
    content: bytes
    was_empty: bool = False
    """Whether an earlier run found nothing in the same contents."""
    basis: tuple[Summary, ...] = ()


def _dump_value(value: Any) -> bytes:
    return zlib.compress(marshal.dumps(value), 1)


def _load_value(body: bytes) -> Any:
    return marshal.loads(zlib.decompress(body))  # noqa: S302 (behind a seal)


def _encode_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _setting_form(value: object) -> object:
    """Return a setting in a form whose `repr` says all of it."""
    if isinstance(value, PathPattern):
        return (str(value), value.folder)
    if isinstance(value, Mapping):
        return [(_setting_form(key), _setting_form(held)) for key, held in value.items()]
    if isinstance(value, tuple):
        return [_setting_form(one) for one in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _is_empty(result: FileResult) -> bool:
    return result == FileResult(result.path, names=result.names, basis=result.basis)


def _restore_result(body: bytes | None, file: File, raw: bytes, checker: Checker) -> FileResult:
    if body is None:
        return FileResult(file.shown)
    result: FileResult = unpack_value(body, KINDS)
    source = result.source
    if source is not None and not source.parts:
        data = to_utf8(raw, checker.languages.get(file.language))
        result.source = replace(source, data=data)
    return result
