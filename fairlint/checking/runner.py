"""Paths in, a Report out: what is checked, in how many processes, and what all of it tells together."""

from __future__ import annotations

import gc
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from fairlint.checking.checker import Checker
from fairlint.checking.end_dates import ending_ignores, restore_expired_findings
from fairlint.checking.file_result import Candidate, FileResult, SomeResults
from fairlint.checking.incomplete import broken_down
from fairlint.checking.judging import place_of, rename_attributes
from fairlint.checking.limits import out_of_time_result, too_long_result
from fairlint.checking.session import Session
from fairlint.config import Configurations, Settings
from fairlint.config.settings import COMMAND_LINE
from fairlint.findings.finding import Finding
from fairlint.findings.report import NotAnalysed, Report, Suppressed
from fairlint.findings.uses import LISTED, SENT
from fairlint.plugins import manager
from fairlint.sources.discovery import discover
from fairlint.sources.files_to_check import Discovery, File, suffix_language
from fairlint.support.records import Record, field, replace
from fairlint.syntax import DEFAULT
from fairlint.syntax.registry import languages
from fairlint.syntax.source import Source

if TYPE_CHECKING:
    from fairlint.findings.uses import Use
    from fairlint.processes.workers import FailureHandlers
    from fairlint.suppression.baseline import Baselines

ENOUGH_FOR_PROCESSES = 100_000
"""Bytes to parse from which more processes save more time than they cost."""
COLLECT_AFTER = 1_000_000
"""New objects after which cycles are looked for during a run."""
_MARK = "\ufeff".encode()


Watch = Callable[[int, int], None]


class _Gathered(Record, frozen=False):
    """What comes out of the sources of a run; of most there is nothing to keep."""

    results: list[FileResult] = field(default_factory=list)
    clean: int = 0
    done: int = 0
    total: int = 0
    watch: Watch | None = None
    keep: Callable[[FileResult], None] | None = None

    def add(self, result: FileResult) -> None:
        self.done += 1
        if self.keep is not None:
            self.keep(result)
        if self.watch is not None:
            self.watch(self.done, self.total)
        if result.is_clean:
            self.clean += 1
        else:
            self.results.append(result)


class _Run(Record):
    """What a run begins with. `found` is None where the time was up before all files were known."""

    names: Sequence[str]
    crew: Session
    found: Discovery | None
    baselines: Baselines | None = None


def check_paths(
    paths: Iterable[str | os.PathLike[str]],
    settings: Settings | Configurations | None = None,
    *,
    texts: Mapping[str, str | bytes] | None = None,
    watch: Watch | None = None,
    cache: bool = False,
) -> Report:
    """Check files and folders; their order makes no difference.

    Without `settings`, each file is checked under the configuration that is in force for it. A path that does
    not exist, or nothing to check, is a UsageError. `texts` says what counts instead of a file on disk, as
    the text that somebody is about to save: of the paths themselves, not of what they import.
    `watch` is told after each file how many of all are done. With `cache`, what an earlier run has found is
    taken from the cache folder where it still holds, and what this one finds is kept there.
    """
    run = _begin_run(paths, settings, texts)
    crew, found = run.crew, run.found
    if found is None:
        return _build_report([out_of_time_result(crew.first, path) for path in run.names])
    gathered = _Gathered(total=len(found.files), watch=watch)
    checked = tuple(file.shown for file in found.files)
    if cache and not texts and not _keeps_nothing(crew.settings):
        from fairlint.checking.result_cache import open_known_results  # noqa: PLC0415 (few who call this keep anything)

        crew.known, gathered.keep = open_known_results(crew), crew.keep
    with _rare_collections():
        _check_files(crew, _drain_files(found.files), gathered)
    if crew.known is not None:
        crew.known.close()
    return _finished_report(run, found, gathered.results, gathered.clean, checked)


def check_some(
    paths: Iterable[str | os.PathLike[str]],
    settings: Configurations,
    choose: Callable[[Sequence[File]], Sequence[File]],
) -> SomeResults:
    """Check those files that `choose` takes of all below the paths; imports are followed in all of them."""
    run = _begin_run(paths, settings)
    if run.found is None:
        return SomeResults([out_of_time_result(run.crew.first, path) for path in run.names])
    gathered = _Gathered()
    with _rare_collections():
        _check_files(run.crew, choose(run.found.files), gathered)
    return SomeResults(gathered.results, gathered.clean)


def settings_below(paths: Iterable[str | os.PathLike[str]], configurations: Configurations) -> list[Settings]:
    """Return all settings that files below the paths are checked under, those of the run first.

    A UsageError where some, or a baseline, cannot be used, and where there is nothing to check.
    """
    return [checker.settings for checker in _begin_run(paths, configurations).crew.checkers]


def join_results(
    paths: Iterable[str | os.PathLike[str]],
    settings: Configurations,
    results: Sequence[FileResult],
    clean: int,
) -> Report:
    """Return what `check_paths` would for the same paths, of what `check_some` gave for all their files."""
    run = _begin_run(paths, settings)
    if run.found is None:
        return _build_report([out_of_time_result(run.crew.first, path) for path in run.names])
    return _finished_report(run, run.found, results, clean, tuple(file.shown for file in run.found.files))


def _begin_run(
    paths: Iterable[str | os.PathLike[str]],
    settings: Settings | Configurations | None,
    texts: Mapping[str, str | bytes] | None = None,
) -> _Run:
    """Look for the files to check; whatever is wrong with settings is told before any is read."""
    names = sorted(os.fspath(path) for path in paths)
    if settings is None:
        settings = Configurations(names)
    elif isinstance(settings, Settings):
        settings = Configurations.of_settings(settings)
    crew = Session(settings, in_project=True, texts=_by_real_path(texts or {}))
    crew.first.check_settings()
    if manager.names():
        crew.first.load_all()  # what is wrong with them is told whether or not a file needs them
    found = _discover_files(crew, names)
    if found is None:
        return _Run(names, crew, None)
    for checker in _further_checkers(crew, found.files):
        checker.check_settings()
    return _Run(names, crew, found, _load_baselines(crew))


def _finished_report(
    run: _Run, found: Discovery, results: Sequence[FileResult], clean: int, checked: tuple[str, ...]
) -> Report:
    """Return what all results of a run tell together, with what the walk left out."""
    crew = run.crew
    skipped = [FileResult(one.path, not_analysed=[one], read=False) for one in found.skipped]
    report = replace(_build_report([*skipped, *results], clean), checked=checked)
    ignores = ending_ignores(checker.settings for checker in crew.checkers)
    if ignores:
        report = replace(report, ending_ignores=ignores)
    if found.tracked or found.unheeded:
        report = replace(report, left_out=tuple(found.tracked), unheeded=tuple(found.unheeded))
    if found.unread:
        report = replace(report, unread=_unread_paths(found, results))
    if crew.settings.untrusted:
        from fairlint.suppression.without_say import note_unheeded_reasons  # noqa: PLC0415 (few runs are told that)

        report = note_unheeded_reasons(report, crew.settings.untrusted, lambda path: crew.of_file(path).asked)
    if run.baselines is not None:
        report = run.baselines.without_old(report, run.names)
    return restore_expired_findings(report, lambda path: crew.of_file(path).settings)


def _unread_paths(found: Discovery, results: Sequence[FileResult]) -> dict[str, tuple[str, ...]]:
    """Return the files of each kind that nothing has read, neither by themselves nor where code
    names them.
    """
    read = {path for one in results for path in one.also_read}
    left = {
        kind: tuple(sorted(path for path in paths if os.path.realpath(path) not in read))
        for kind, paths in sorted(found.unread.items())
    }
    return {kind: paths for kind, paths in left.items() if paths}


def _keeps_nothing(settings: Settings) -> bool:
    """Return whether the command line says so: whatever else says where, `known_results` need not
    be loaded.
    """
    return settings.cache_dir == "" and settings.origins.get("cache-dir") == (COMMAND_LINE,)


def _by_real_path(texts: Mapping[str, str | bytes]) -> dict[str, bytes]:
    """Texts as bytes. Of those that are decoded, a mark says so: what they say of their encoding is over."""
    return {
        os.path.realpath(path): text if isinstance(text, bytes) else _MARK + _encode_utf8(text)
        for path, text in texts.items()
    }


def _encode_utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _further_checkers(crew: Session, files: Sequence[File]) -> list[Checker]:
    """Return those that some files need, besides the first."""
    if crew.configurations.is_one:
        return []
    several = {id(file.folder.settings): file.folder.settings for file in files}
    return [checker for settings in several.values() if (checker := crew.of(settings)) is not crew.first]


def _load_baselines(crew: Session) -> Baselines | None:
    """Return the findings of before, if there are any; what is wrong with them is told before files
    are read.
    """
    if not any(crew.configurations.baseline_of(checker.settings) for checker in crew.checkers):
        return None
    from fairlint.suppression.baseline import Baselines  # noqa: PLC0415 (few runs have one)

    baselines = Baselines(crew.configurations, lambda path: crew.of_file(path).asked)
    for checker in crew.checkers:
        baselines.load(checker.settings)
    return baselines


def check_source(
    text: str | bytes | Source,
    *,
    path: str = "<string>",
    language: str | None = None,
    settings: Settings | None = None,
    in_project: bool = False,
    uses_only: bool = False,
) -> Report:
    """Check one piece of code: text, bytes in any encoding, or a Source such as `read_response` gives.

    The language is taken from the path's suffix where it is not given, and is Python where neither says.
    `in_project` says that `path` is where the code belongs: what it imports from there is followed.
    `uses_only` leaves out what rules make of Uses, which takes time: findings, and the contexts of Uses that
    tell groups apart.
    """
    own = settings if settings is not None else Settings()
    checker = Checker(own, in_project=in_project, uses_only=uses_only)
    if manager.names():
        checker.load_all()
    if isinstance(text, Source):
        return restore_expired_findings(_build_report([checker.check(text)]), lambda _: checker.settings)
    language = language or suffix_language(path, checker.suffixes) or DEFAULT.name
    raw = _encode_utf8(text) if isinstance(text, str) else text
    return restore_expired_findings(
        _build_report([checker.check_bytes(path, raw, language)]), lambda _: checker.settings
    )


def read_response(text: str, *, path: str = "<answer>") -> Source:
    """Return the code in a model's answer, as a Source with the answer's own lines and columns.

    Its language is `python`, `c` or what a plugin brings, or None where there is no code in one of them.
    """
    from fairlint.sources import answers  # noqa: PLC0415 (few runs read answers)

    return answers.read_response(text, path=path, languages=languages().values())


def _build_report(results: Sequence[FileResult], clean: int = 0) -> Report:
    results = sorted(results, key=lambda result: result.path)
    used = {key for one in results for key in one.used}
    found = [*_each_once(results), *(told for one in results for key, told in one.unused if key not in used)]
    findings = tuple(_without_twins(sorted(found, key=attrgetter("sort_key"))))
    hidden = {key for one in results for key in one.hidden}
    lowered = [*(finding.lowered_by for finding in findings), *(key.lowered_by for key in hidden)]
    # what is asked of a plugin before any file
    troubles = [NotAnalysed(f"<plugin {name}>", 1, told, "plugin") for name, told in manager.troubles()]
    return Report(
        findings=findings,
        uses=tuple((path, use) for path, use in _unique_uses(results)),
        not_analysed=(*troubles, *(gap for one in results for gap in one.not_analysed)),
        suppressed=tuple(sorted(_unique_suppressions(results), key=attrgetter("finding.sort_key"))),
        files=clean + sum(one.read for one in results),
        hidden_notes=len(hidden),
        by_context=Counter(sorted(name for name in lowered if name)),
        failed=bool(troubles) or any(one.failed for one in results),
        sources=_sources_by_path(results),
    )


def _each_once(results: Sequence[FileResult]) -> Iterator[Finding]:
    """Yield all findings; what several files tell of a module that they import is told once."""
    seen: set[Hashable] = set()
    by_importer = {
        (_finding_key(finding), finding.severity)
        for one in results
        for finding in one.findings
        if finding.path != one.path
    }
    for one in results:
        for finding in one.findings:
            is_guess = LISTED in finding.use.tags  # whoever imports the list knows what becomes of it
            if finding.path == one.path and not (
                is_guess and (_finding_key(finding), finding.severity) in by_importer
            ):
                seen.add(_finding_key(finding))
                yield finding
    for one in results:
        for finding in one.findings:
            if finding.path != one.path and (key := _finding_key(finding)) not in seen:
                seen.add(key)
                yield finding


def _unique_suppressions(results: Sequence[FileResult]) -> Iterable[Suppressed]:
    """Return what was put aside, each once, as above."""
    return {_finding_key(one.finding): one for result in results for one in result.suppressed}.values()


def _without_twins(findings: list[Finding]) -> list[Finding]:
    """Return findings in order; what a notebook and a script of its name both tell is told once, and so is
    what a client sends to a service that is told of it, or what another file lists for its models.
    """
    has_cells = any(finding.cell is not None for finding in findings)
    tags = {tag for finding in findings for tag in finding.use.tags}
    if not (has_cells or SENT in tags or LISTED in tags):
        return findings
    from fairlint.findings.deduplication import of_clients, of_lists, of_twins  # noqa: PLC0415 (few runs meet any of these)

    told = of_twins(findings) if has_cells else findings
    told = of_clients(told) if SENT in tags else told
    return of_lists(told) if LISTED in tags else told


def _finding_key(finding: Finding) -> Hashable:
    use = finding.use
    said = use.kind if use.is_named_feature else finding.rule  # coded for one model and not for another
    return (finding.path, finding.start, finding.end, said, use.attribute)


def _unique_uses(results: Sequence[FileResult]) -> Iterator[tuple[str, Use]]:
    """Yield all Uses with the paths of their sources, as above."""
    for one in results:
        yield from ((one.path, rename_attributes(use, one.names)) for use in one.uses)
    if any(one.elsewhere for one in results):
        seen: set[Hashable] = {place_of(one.path, use, 0) for one in results for use in one.uses}
        for one in results:
            for key, use in one.elsewhere:
                if key not in seen:
                    seen.add(key)
                    yield one.path, rename_attributes(use, one.names)


def _sources_by_path(results: Sequence[FileResult]) -> dict[str, Source]:
    sources = {one.path: one.source for one in results if one.source is not None}
    for one in results:
        for finding in one.findings:
            if one.source is not None:
                sources.setdefault(finding.path, one.source)
    return sources


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Trees are many objects without cycles: looking for some all the time takes a third of the run."""
    before = gc.get_threshold()
    gc.set_threshold(COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _discover_files(crew: Session, names: Sequence[str]) -> Discovery | None:
    """Return the files to check; None if the time for the run is up before all are known."""
    find = partial(discover, names, crew.configurations, crew.first.languages.values())
    if crew.until == math.inf:
        return find()
    from fairlint.processes.deadline import TooLongError, within  # noqa: PLC0415 (few runs have a limit)

    try:
        return within(max(crew.until - time.monotonic(), 1e-6), find)
    except TooLongError:
        return None


def _drain_files(files: list[File]) -> Iterator[File]:
    """Yield the files in their order, each forgotten when it is given: there may be very many."""
    files.reverse()
    while files:
        yield files.pop()


def _check_files(crew: Session, files: Iterable[File], gathered: _Gathered) -> None:
    """Check files: all are read and searched here, and analysed here too unless that is much work.

    Reading and searching is quick enough that threads only make it slower (measured).
    """
    pending: list[Candidate] = []
    size = 0
    coming = _mentioning_sources(crew, files, gathered)
    for one in filter(None, coming):
        pending.append(one)
        size += len(one.raw)
        # A plugin's code may hang where only the end of its process helps.
        guarded = bool(crew.settings.file_timeout and manager.analyse())
        if guarded or (len(pending) > 1 and size >= ENOUGH_FOR_PROCESSES):
            lost = _for_processes(crew, alone=guarded)
            if lost is not None:
                from fairlint.processes import parallel  # noqa: PLC0415 (few runs need them)

                for result in parallel.analyse(crew, pending, coming, lost, most=crew.settings.jobs):
                    gathered.add(result)
                return
            _analyse_all(crew, pending, gathered)
            size = 0
    _analyse_all(crew, pending, gathered)


def _analyse_all(crew: Session, pending: list[Candidate], gathered: _Gathered) -> None:
    for one in pending:
        gathered.add(crew.analyse(one))
    pending.clear()


def _for_processes(crew: Session, *, alone: bool) -> FailureHandlers | None:
    """Return what comes of sources that a process does not survive; None where there can be no processes."""
    from fairlint.processes import parallel, workers  # noqa: PLC0415 (few runs need them)

    jobs = crew.settings.jobs
    if not parallel.available(alone=alone or jobs > 1) or (jobs == 1 and not alone):
        return None
    first = crew.first
    return workers.FailureHandlers(
        broken_down,
        partial(too_long_result, first),
        partial(too_long_result, first, by_clock=True),
        partial(out_of_time_result, first),
    )


def _mentioning_sources(
    crew: Session, files: Iterable[File], gathered: _Gathered
) -> Iterator[Candidate | None]:
    """Yield the sources in which the search found something; None for each file that is done."""
    for file in files:
        read = crew.read(file)
        if isinstance(read, FileResult):
            gathered.add(read)
            yield None
        else:
            yield read
