"""Paths in, a Report out: the order of the work, and what happens when a part of it fails.

A file goes through: bytes, UTF-8, the search for any protected word, tree, Uses, findings. Most files end at
the search, so everything behind it is imported only for those that do not.
"""

from __future__ import annotations

import gc
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING

from fairlint import plugins
from fairlint.config import Settings, UsageError, load_settings
from fairlint.files import MAX_FILE_SIZE, NotReadableError, leads_out, read_file, repository_of
from fairlint.findings import SEVERITIES, Finding, FlowStep, NotAnalysed, Report
from fairlint.guests import GuestError
from fairlint.records import Record, field, replace
from fairlint.sources.discovery import (
    NOTEBOOK,
    Discovery,
    File,
    PathPatterns,
    discover,
    suffix_language,
    suffixes_of,
)
from fairlint.sources.reading import to_utf8
from fairlint.sources.source import Place, Position, Source
from fairlint.syntax import DEFAULT
from fairlint.uses import Use

if TYPE_CHECKING:
    from fairlint.causes import Cause
    from fairlint.detectors import Detector
    from fairlint.lexicon import Vocabulary
    from fairlint.parallel import Lost
    from fairlint.project import Links, Project
    from fairlint.rules import Rule, Verdict
    from fairlint.semantics.library import Models
    from fairlint.sources.notebooks import JsonPlaces
    from fairlint.syntax.language import Language, Tokens
    from fairlint.syntax.tree import Gap, Span
    from fairlint.uses import ContextName, Step

MAX_GAPS = 5
"""Gaps of one file that are named one by one; the rest are counted."""
ENOUGH_FOR_PROCESSES = 100_000
"""Bytes to parse from which more processes save more time than they cost."""
COLLECT_AFTER = 1_000_000
"""New objects after which cycles are looked for during a run."""
TREE = 200
"""Bytes of memory that a byte of code may take before it counts: what is read at all can be parsed."""


class Hidden(Record):
    """A finding that is too mild to show."""

    place: Hashable
    rule: str
    condition: str
    lowered_by: ContextName


class Checked(Record, frozen=False, slots=False):
    """What came out of one source."""

    path: str
    findings: list[Finding] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    not_analysed: list[NotAnalysed] = field(default_factory=list)
    read: bool = True
    hidden: list[Hidden] = field(default_factory=list)
    failed: bool = False
    source: Source | None = None
    """Kept where there are findings to show."""
    elsewhere: list[tuple[Hashable, Use]] = field(default_factory=list)
    """Uses in modules that the source imports, each with its place: other files may tell of them too."""

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to tell, but that it was read."""
        told = (self.findings, self.uses, self.not_analysed, self.hidden, self.elsewhere)
        return self.read and not (self.failed or any(told))


class _Gathered(Record, frozen=False):
    """What comes out of the sources of a run; of most there is nothing to keep."""

    results: list[Checked] = field(default_factory=list)
    clean: int = 0

    def add(self, result: Checked) -> None:
        if result.is_clean:
            self.clean += 1
        else:
            self.results.append(result)


class Mentioning(Record):
    """A source in which the search found something, the bytes it was read from, and where.

    `links` are the modules of the project that it is to be looked at with.
    """

    source: Source
    raw: bytes
    hits: Sequence[int]
    links: Links | None = None

    @property
    def name(self) -> str:
        """The path of the source."""
        return self.source.path

    @property
    def size(self) -> int:
        """How many bytes there are to analyse."""
        return len(self.raw)


def check_paths(paths: Iterable[str | os.PathLike[str]], settings: Settings | None = None) -> Report:
    """Checks files and folders.

    Without `settings`, the configuration file in force for the first path is read. A path that does not
    exist, or nothing to check, is a UsageError.
    """
    names = [os.fspath(path) for path in paths]
    if settings is None:
        settings = load_settings(names)
    checker = Checker(settings, in_project=True)
    if settings.library_models:
        _ = checker.models  # whatever is wrong with them is told before anything is read
    if plugins.names():
        checker.load_all()  # what is wrong with them is told whether or not a file needs them
    found = _discovered(checker, names)
    if found is None:
        return _report([checker.out_of_time(path) for path in names])
    gathered = _Gathered()
    for skipped in found.skipped:
        gathered.add(Checked(skipped.path, not_analysed=[skipped], read=False))
    with _rare_collections():
        _check_files(checker, _each(found.files), gathered)
    return _report(gathered.results, gathered.clean)


def check_source(
    text: str | bytes | Source,
    *,
    path: str = "<string>",
    language: str | None = None,
    settings: Settings | None = None,
    in_project: bool = False,
) -> Report:
    """Checks one piece of code: text, bytes in any encoding, or a Source such as `read_response` gives.

    The language is taken from the path's suffix where it is not given, and is Python where neither says.
    `in_project` says that `path` is where the code belongs: what it imports from there is followed.
    """
    checker = Checker(settings if settings is not None else Settings(), in_project=in_project)
    if plugins.names():
        checker.load_all()
    if isinstance(text, Source):
        return _report([checker.check(text)])
    language = language or suffix_language(path, checker.suffixes) or DEFAULT.name
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return _report([checker.check_bytes(path, raw, language)])


def read_response(text: str, *, path: str = "<answer>") -> Source:
    """The code in a model's answer, as a Source with the answer's own lines and columns.

    Its language is `python`, `c` or what a plugin brings, or None where there is no code in one of them.
    """
    from fairlint.sources import answers  # noqa: PLC0415 (few runs read answers)

    return answers.read_response(text, path=path, languages=plugins.languages().values())


def _report(results: Sequence[Checked], clean: int = 0) -> Report:
    results = sorted(results, key=lambda result: result.path)
    findings = tuple(_without_twins(sorted(_each_once(results), key=_order)))
    hidden = {key for one in results for key in one.hidden}
    lowered = [*(finding.lowered_by for finding in findings), *(key.lowered_by for key in hidden)]
    # what is asked of a plugin before any file
    troubles = [NotAnalysed(f"<plugin {name}>", 1, told, "plugin") for name, told in plugins.troubles()]
    return Report(
        findings=findings,
        uses=tuple((path, use) for path, use in _uses(results)),
        not_analysed=(*troubles, *(gap for one in results for gap in one.not_analysed)),
        files=clean + sum(one.read for one in results),
        hidden_notes=len(hidden),
        by_context=Counter(sorted(name for name in lowered if name)),
        failed=bool(troubles) or any(one.failed for one in results),
        sources=_sources(results),
    )


def _each_once(results: Sequence[Checked]) -> Iterator[Finding]:
    """All findings; what several files tell of a module that they import is told once."""
    seen: set[Hashable] = set()
    for one in results:
        for finding in one.findings:
            if finding.path == one.path:
                seen.add(_key(finding))
                yield finding
    for one in results:
        for finding in one.findings:
            if finding.path != one.path and (key := _key(finding)) not in seen:
                seen.add(key)
                yield finding


def _without_twins(findings: list[Finding]) -> list[Finding]:
    """Findings in order; what a notebook and a script of its name both tell is told once."""
    if all(finding.cell is None for finding in findings):
        return findings
    from fairlint.folding import of_twins  # noqa: PLC0415 (few runs meet a notebook)

    return of_twins(findings)


def _key(finding: Finding) -> Hashable:
    return (finding.path, finding.start, finding.end, finding.rule, finding.use.attribute)


def _uses(results: Sequence[Checked]) -> Iterator[tuple[str, Use]]:
    """All Uses with the paths of their sources, as above."""
    for one in results:
        yield from ((one.path, use) for use in one.uses)
    if any(one.elsewhere for one in results):
        seen: set[Hashable] = {_place_of(one.path, use, 0) for one in results for use in one.uses}
        for one in results:
            for key, use in one.elsewhere:
                if key not in seen:
                    seen.add(key)
                    yield one.path, use


def _place_of(path: str, use: Use, start: int) -> Hashable:
    """Where a Use stands, however its file was come by."""
    return (path, use.span.start - start, use.span.end - start, use.attribute, use.kind)


def _sources(results: Sequence[Checked]) -> dict[str, Source]:
    sources = {one.path: one.source for one in results if one.source is not None}
    for one in results:
        for finding in one.findings:
            if one.source is not None:
                sources.setdefault(finding.path, one.source)
    return sources


def _order(finding: Finding) -> tuple[str, int, int, int, str]:
    return finding.sort_key


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Trees are many objects without cycles: looking for some all the time takes a third of the run."""
    before = gc.get_threshold()
    gc.set_threshold(COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class Checker:
    """Checks sources one by one under fixed settings. Everything expensive is made when first needed."""

    def __init__(self, settings: Settings, *, in_project: bool = False) -> None:
        self.settings = settings
        self.in_project = in_project
        """Whether modules that a source imports are looked for on disk."""
        self.until = time.monotonic() + settings.timeout if settings.timeout else math.inf
        """When the time for all sources is up."""

    def load_all(self) -> None:
        """Makes everything that the analysis needs."""
        from fairlint.detectors import observation  # noqa: F401, PLC0415 (only large runs need it that early)

        _ = self.languages, self.detectors, self.rules, self.vocabulary
        if plugins.analyse():
            _ = self.models

    def read(self, file: File) -> Checked | Mentioning:
        """Reads one file: a finished result, or a source that mentions something."""
        limit = self.settings.max_file_size
        if time.monotonic() >= self.until:
            return self.out_of_time(file.shown)
        try:
            size = _whole_notebook(limit) if file.language == NOTEBOOK else limit
            raw = read_file(file.path, size, setting=MAX_FILE_SIZE)
        except NotReadableError as error:
            return _unread(file.shown, error)
        return self.prepare(file.shown, raw, file.language)

    def prepare(self, path: str, raw: bytes, language: str) -> Checked | Mentioning:
        """As `read`, for bytes in hand."""
        try:
            if plugins.analyse():
                from fairlint.deadline import TooLongError, within  # noqa: PLC0415 (plugins are rare)

                try:
                    prepared = within(self.settings.file_timeout, lambda: self._prepared(path, raw, language))
                except TooLongError as error:
                    return self.too_long(path, " ".join(getattr(error, "__notes__", ())))
            else:
                prepared = self._prepared(path, raw, language)
        except NotReadableError as error:
            return _unread(path, error)
        except UsageError:
            raise
        except MemoryError:
            return self._too_large(path)
        except Exception as error:  # as below
            return _broken_down(path, error)
        return prepared

    def _prepared(self, path: str, raw: bytes, language: str) -> Checked | Mentioning:
        data = to_utf8(raw, self.languages.get(language))
        source = self._notebook(path, data) if language == NOTEBOOK else Source(path, data, language)
        hits, links = self._looked_through(source)
        if hits or links is not None:
            return Mentioning(source, data if source.parts else raw, hits, links)
        return Checked(path)

    def _looked_through(self, source: Source) -> tuple[Sequence[int], Links | None]:
        """Where a source may name a protected attribute, and the modules it is to be looked at with."""
        project = self._project_with(source) if self.in_project else None
        if project is None:
            return self.hits(source), None
        project.begin(source.data)
        path = project.real(source.path)
        hits = self.hits(source) if source.parts else project.hits(path, source.data)
        return hits, project.links(path, source.data, hits)

    def hits(self, source: Source) -> Sequence[int]:
        """Where a source may name a protected attribute."""
        language = self.languages.get(source.language or "")
        return self.search(source.data, language.tokens if language is not None else None)

    def _notebook(self, path: str, data: bytes) -> Source:
        from fairlint.sources import notebooks  # noqa: PLC0415 (few runs meet one)

        languages = self.languages.values()
        if notebooks.may_skip(data, languages) and not self.search(notebooks.searchable(data), None):
            return Source(path, b"", DEFAULT.name)
        return notebooks.read_notebook(path, data, self.settings.max_file_size, languages)

    def check_bytes(self, path: str, raw: bytes, language: str) -> Checked:
        """Checks bytes that were not read from a file."""
        pending = self.prepare(path, raw, language)
        return pending if isinstance(pending, Checked) else self.analyse(pending)

    def check(self, source: Source) -> Checked:
        """Checks a Source, whose own gaps are named in the result."""
        hits = self.hits(source) if source.language is not None else ()
        if hits:
            return self.analyse(Mentioning(source, source.data, hits))
        return Checked(source.path, not_analysed=_named_gaps(source, source.gaps))

    def analyse(self, pending: Mentioning) -> Checked:
        """Parses a source, observes its Uses and judges them. What breaks or hangs concerns it alone."""
        from fairlint import memory  # noqa: PLC0415 (only what mentions something comes here)
        from fairlint.deadline import TooLongError, within  # noqa: PLC0415 (as above)
        from fairlint.syntax.depth import deep_calls  # noqa: PLC0415 (as above)

        source, settings = pending.source, self.settings
        left = self.until - time.monotonic()
        if left <= 0:
            return self.out_of_time(source.path)
        extra = () if pending.links is None else (pending.links,)
        most = settings.file_memory and settings.file_memory + TREE * len(source.data)
        try:
            with deep_calls(), memory.limited(most):
                return within(
                    min(left, settings.file_timeout or math.inf),
                    lambda: self._analyse(source, pending.raw, pending.hits, *extra),
                )
        except TooLongError as error:
            stopped = self.too_long(source.path, " ".join(getattr(error, "__notes__", ())))
            return _at_line(stopped, error, source)
        except UsageError:
            raise
        except MemoryError as error:
            stopped = _at_line(self._too_large(source.path), error, source)
        except Exception as error:  # told in the report, and the run fails in the end
            return _broken_down(source.path, error)
        gc.collect()  # gives back what the error held
        return stopped

    def out_of_time(self, path: str) -> Checked:
        """The result for what the run has no time for."""
        reason = f"the run takes longer than {self.settings.timeout:g} s (the setting timeout)"
        return Checked(path, not_analysed=[NotAnalysed(path, 1, reason, "time")], read=False)

    def too_long(self, path: str, where: str = "") -> Checked:
        """The result for what was interrupted; `where` says in which plugin."""
        if time.monotonic() >= self.until:
            return self.out_of_time(path)
        reason = f"takes longer than {self.settings.file_timeout:g} s (the setting file-timeout) {where}"
        gap = NotAnalysed(path, 1, reason.strip(), "plugin" if where else "time")
        return Checked(path, not_analysed=[gap], read=False, failed=bool(where))

    def _too_large(self, path: str) -> Checked:
        size = self.settings.file_memory
        reason = f"takes more than {size / 1e6:g} MB of memory (the setting file-memory)"
        if not size:
            reason = "there was not enough memory"
        return Checked(path, not_analysed=[NotAnalysed(path, 1, reason, "memory")], read=False)

    def _analyse(
        self, source: Source, raw: bytes, hits: Sequence[int], links: Links | None = None
    ) -> Checked:
        from fairlint.function_outline import keep_relevant  # noqa: PLC0415 (only files that mention something)

        language = self.languages.get(source.language or "")
        if language is None:
            raise UsageError(f"{source.path}: no parser for the language '{source.language}'")
        parse = language.tree
        wanted = hits if links is None else sorted((*hits, *links.uses))
        keep = keep_relevant(source.data, language, wanted)
        tree = parse(source.data, keep)
        if len(source.parts) > 1 and tree.gaps:
            from fairlint.parsing import parse_cells  # noqa: PLC0415 (few sources are damaged notebooks)

            tree = parse_cells(source, tree, parse, keep)
        if self.in_project and (project := self._project_with(source)) is not None:
            project.begin(source.data)
            tree = replace(tree, own=project.own_packages(project.real(source.path), source.data))
        gaps = [*source.gaps, *tree.gaps]
        result = Checked(source.path)
        if links is not None:
            from fairlint.parsing import with_modules  # noqa: PLC0415 (few sources import others)

            result.not_analysed += _lost_imports(source, links)
            source, tree = with_modules(source, tree, links, parse)
        from fairlint.detectors.observation import observe  # noqa: PLC0415 (as above)

        for found in observe(source, tree, self.vocabulary, self.settings, self.models, self.detectors):
            if isinstance(found, Use):
                result.uses.append(found)
            else:
                gaps.append(found)
        result.uses.sort(key=lambda use: (use.span.start, use.span.end, use.attribute))
        own = [gap for gap in gaps if source.place(gap.span.start).path == source.path]
        result.not_analysed[:0] = _named_gaps(source, own)
        result.failed = any(gap.cause == "plugin" for gap in own)
        if links is not None:
            self._sort_out(source, result)
        self._judge(source, raw, result)
        if source.parts and (result.uses or result.elsewhere):
            result.source = source  # nobody can make it again from one file
        return result

    def _sort_out(self, source: Source, result: Checked) -> None:
        """Keeps of the Uses in imported modules those that the source has a hand in, apart from its own."""
        uses, result.uses = result.uses, []
        for use in uses:
            part = source.part(use.span.start)
            if part is None or part.path == source.path:
                result.uses.append(use)
                continue
            has_a_hand = any(source.place(step.span.start).path == source.path for step in use.flow)
            if has_a_hand and not self._is_excluded(part.path):
                result.elsewhere.append((_place_of(part.path, use, part.start), use))

    def _is_excluded(self, path: str) -> bool:
        patterns = (*(self.settings.exclude or ()), *self.settings.extend_exclude)
        return bool(patterns) and PathPatterns(patterns, self.settings.root).match(path)

    def _judge(self, source: Source, raw: bytes, result: Checked) -> None:
        """Fills in the findings that `result.uses` give."""
        placed = [*((None, use) for use in result.uses), *result.elsewhere]
        judged = [(key, use, verdict) for key, use in placed if (verdict := self._verdict(use))]
        shown = []
        for key, use, verdict in judged:
            if not self._wanted(verdict.rule, source.place(use.span.start).path):
                continue
            if is_too_mild(verdict, self.settings):
                place = _place_of(source.path, use, 0) if key is None else key
                result.hidden.append(Hidden(place, verdict.rule.code, use.condition, verdict.lowered_by))
                continue
            shown.append((use, verdict))
        if not shown:
            return
        from fairlint.fingerprints import Fingerprints, line_hashes  # noqa: PLC0415 (only for findings)

        places = _Places(source, raw)
        hashes = places.hashes([use.span for use, _ in shown], line_hashes)
        fingerprints = Fingerprints()
        for (use, verdict), line_hash in zip(shown, hashes, strict=True):
            text = source.line(source.position(use.span.start).line)
            fingerprint = fingerprints.make(verdict.rule.code, use.function, use.attribute, text)
            result.findings.append(_finding(places, use, verdict, fingerprint, line_hash))
        from fairlint.folding import near_by  # noqa: PLC0415 (only for findings)

        result.findings[:] = near_by(result.findings)
        result.source = source

    def _verdict(self, use: Use) -> Verdict | None:
        from fairlint.rules import judge  # noqa: PLC0415 (only files with Uses come here)

        # Asked for all domains, an attribute that only some protect counts where the code is about them.
        domains = (use.domain, "") if self.settings.domain == "all" else (self.settings.domain,)
        protected_in, jurisdiction = self.vocabulary.protected_in, self.settings.jurisdiction
        names = use.attributes
        if not any(protected_in(name, jurisdiction, domain) for name in names for domain in domains):
            return None
        return judge(use, self.rules)

    def _wanted(self, rule: Rule, path: str) -> bool:
        settings = self.settings
        if settings.select and not is_named(rule, settings.select):
            return False
        if is_named(rule, settings.ignore):
            return False
        return not any(
            patterns.match(path) and is_named(rule, rules) for patterns, rules in self.per_file_ignores
        )

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary, with what plugins and the user add to it."""
        from fairlint.lexicon import default_vocabulary  # noqa: PLC0415 (loads the attribute data)

        shipped = default_vocabulary()
        tables = (
            *plugins.attribute_tables(lambda table: shipped.extended([table]).attributes),
            *self.settings.vocabulary_tables(),
        )
        try:
            return shipped.extended(tables) if tables else shipped
        except ValueError as error:
            where = f"{self.settings.source}: " if self.settings.source else ""
            raise UsageError(f"{where}{error}") from None

    @cached_property
    def models(self) -> Models:
        """What is known of libraries, with what plugins and the user add to it."""
        from fairlint.models import loading  # noqa: PLC0415 (as above)

        brought = plugins.library_models(lambda table: loading.read("", table))
        own = self.settings.library_tables()
        try:
            return loading.models(brought, own) if brought or own else loading.shipped()
        except loading.ModelError as error:
            raise UsageError(str(error)) from None

    @cached_property
    def _projects(self) -> dict[str, Project]:
        return {}

    def _project_with(self, source: Source) -> Project | None:
        """Where the imports of a source are looked up; None where it has none that could be followed."""
        language = self.languages.get(source.language or "")
        if language is None or language.modules is None or language.tokens is None:
            return None
        if language.imports_by not in source.data:
            return None
        if language.name not in self._projects:
            self._projects[language.name] = self._project_of(language)
        return self._projects[language.name]

    def _project_of(self, language: Language) -> Project:
        """Where a language's imports are looked up."""
        from fairlint.project import Project  # noqa: PLC0415 (few sources import others)

        repository = repository_of(os.fspath(self.settings.root))

        def read(path: str, limit: int) -> bytes | None:
            if path.startswith(repository) and leads_out(path, repository):
                return None  # a link; nobody has named it
            try:
                return to_utf8(read_file(path, limit), language)
            except NotReadableError:
                return None

        def finds(expression: str) -> Callable[[bytes], bool]:
            from fairlint.lexicon.keyword_automaton import found_in  # noqa: PLC0415 (a small run does without)

            return found_in(expression)

        def gives_models(module: str) -> bool:
            return self.models.gives_models(module.partition(".")[0])

        from fairlint.prefilter import asks  # noqa: PLC0415 (as above)

        root = os.fspath(self.settings.root)
        return Project(root, language, read, self.search, finds, gives_models, asks)

    @cached_property
    def search(self) -> Callable[[bytes, Tokens | None], Sequence[int]]:
        """Gives the offsets at which a source may name a protected attribute, in order."""
        from fairlint.prefilter import Prefilter  # noqa: PLC0415 (not before there is a file to search)

        return Prefilter(self.vocabulary)

    @cached_property
    def languages(self) -> Mapping[str, Language]:
        """Languages by name."""
        return plugins.languages()

    @cached_property
    def suffixes(self) -> Mapping[str, str]:
        """Suffix -> language."""
        return suffixes_of(self.languages.values())

    @cached_property
    def detectors(self) -> tuple[Detector, ...]:
        """What observes Uses."""
        return plugins.detectors()

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All rules, in the order they judge in. A name in the settings that fits none is a UsageError."""
        rules = plugins.load_rules()
        wanted = (*self.settings.select, *self.settings.ignore)
        for name in (*wanted, *(name for names in self.settings.per_file_ignores.values() for name in names)):
            if not any(is_named(rule, (name,)) for rule in rules):
                where = f"{self.settings.source}: " if self.settings.source else ""
                raise UsageError(f"{where}no rule is called '{name}'; `fairlint rule --all` lists them")
        return rules

    @cached_property
    def per_file_ignores(self) -> tuple[tuple[PathPatterns, tuple[str, ...]], ...]:
        """Patterns of paths, each with the rules that stay silent there."""
        root = self.settings.root
        return tuple(
            (PathPatterns((key,), root), names) for key, names in self.settings.per_file_ignores.items()
        )


def is_too_mild(verdict: Verdict, settings: Settings) -> bool:
    """Whether a finding is hidden: an auditor is shown what only its context makes mild."""
    is_mild = SEVERITIES.index(verdict.severity) < SEVERITIES.index(settings.min_severity)
    return is_mild and not (verdict.lowered_by and settings.persona == "auditor")


def is_named(rule: Rule, names: Iterable[str]) -> bool:
    """Whether a rule is meant by one of these codes, beginnings of codes, or names."""
    return any(name == rule.name or rule.code.startswith(name.upper()) for name in names)


class _Places:
    """The places of one source as reports name them."""

    def __init__(self, source: Source, raw: bytes) -> None:
        self.source = source
        self._raw = raw
        self._json: JsonPlaces | None = None

    def ends(self, span: Span) -> tuple[Place, Position]:
        """Where a span begins, and the position it ends at, which is in the same part."""
        place = self.source.place(span.start)
        last = self.source.place(max(span.end - 1, span.start))
        if (last.path, last.cell) != (place.path, place.cell):
            return place, place.position
        end = self.source.place(span.end).position
        if self.source.part(span.end) != self.source.part(span.start):
            end = Position(last.position.line, last.position.column + 1)
        return place, end

    def hashes(
        self, spans: Sequence[Span], line_hashes: Callable[[str, Iterable[int]], Mapping[int, str]]
    ) -> list[str]:
        """GitHub's hash of the line that each span begins in."""
        lines: dict[str, list[int]] = {}
        places = []
        for span in spans:
            place, region = self.source.place(span.start), self.region(span)
            line = place.position.line if region is None else region[0].line
            lines.setdefault(place.path, []).append(line)
            places.append((place.path, line))
        known = {path: line_hashes(self._text(path), wanted) for path, wanted in lines.items()}
        return [known[path].get(line, "") for path, line in places]

    def _text(self, path: str) -> str:
        """The whole text of a file that the source is put together from."""
        raw = self._raw
        if path != self.source.path:
            parts = self.source.parts
            ends = [*(part.start for part in parts[1:]), len(self.source.data)]
            raw = next(
                self.source.data[part.start : end]
                for part, end in zip(parts, ends, strict=True)
                if part.path == path
            )
        return raw.decode("utf-8", "replace")

    def region(self, span: Span) -> tuple[Position, Position] | None:
        """Where a span stands in the file itself, if that is JSON."""
        part = self.source.part(span.start)
        if part is None or part.cell is None:
            return None
        if self._json is None:
            from fairlint.sources.notebooks import JsonPlaces  # noqa: PLC0415 (few runs meet a notebook)

            self._json = JsonPlaces(self._raw)
        last = max(span.end - 1, span.start)  # its end may be where the next string begins
        start = self._json.position(part.cell, span.start - part.start)
        return start, self._json.position(part.cell, last - part.start, behind=True)


def _finding(places: _Places, use: Use, verdict: Verdict, fingerprint: str, line_hash: str) -> Finding:
    place, end = places.ends(use.span)
    return Finding(
        rule=verdict.rule.code,
        name=verdict.rule.name,
        severity=verdict.severity,
        confidence=verdict.confidence,
        path=place.path,
        start=place.position,
        end=end,
        message=verdict.message,
        advice=verdict.advice,
        use=use,
        flow=tuple(_step(places, step) for step in use.flow),
        fingerprint=fingerprint,
        line_hash=line_hash,
        cell=place.cell,
        region=places.region(use.span),
        lowered_by=verdict.lowered_by,
    )


def _step(places: _Places, step: Step) -> FlowStep:
    place, end = places.ends(step.span)
    return FlowStep(place.path, place.position, end, step.message, place.cell, places.region(step.span))


def _whole_notebook(limit: int) -> int:
    from fairlint.sources.notebooks import OUTPUTS_SHARE  # noqa: PLC0415 (few runs meet one)

    return limit * OUTPUTS_SHARE


def _unread(path: str, error: NotReadableError) -> Checked:
    return Checked(
        path, not_analysed=[NotAnalysed(path, error.line, str(error), "skipped")], read=error.is_known
    )


def _broken_down(path: str, error: BaseException | None) -> Checked:
    """The result for a source whose analysis failed. With FAIRLINT_DEBUG set, the traceback is shown too."""
    if error is not None and isinstance(error.__cause__, KeyboardInterrupt):
        raise error.__cause__  # Python 3.11 wraps it amid the making of a class
    if error is not None and os.environ.get("FAIRLINT_DEBUG"):
        import traceback  # noqa: PLC0415

        traceback.print_exception(error)
    if isinstance(error, GuestError):
        return Checked(path, not_analysed=[NotAnalysed(path, 1, str(error), "plugin")], failed=True)
    told = f"{type(error).__name__}: {error} {' '.join(getattr(error, '__notes__', ()))}"
    reason = "its process died" if error is None else " ".join(told.split())
    gap = NotAnalysed(path, 1, f"internal error: {reason[:200]}", "died" if error is None else "error")
    return Checked(path, not_analysed=[gap], failed=True)


def _lost_imports(source: Source, links: Links) -> Iterator[NotAnalysed]:
    """What could not be followed."""
    cut = "which is not followed: it, or all imports together, are too large"
    first = {module: at for at, module in sorted(links.left_out, reverse=True)}
    lost: list[tuple[int, str, Cause]] = [
        *((at, f"imports {module}, which is not there", "import") for at, module in links.missing),
        *((at, f"imports {module}, {cut}", "limit") for module, at in first.items()),
    ]
    if links.circle is not None:
        at, way = links.circle
        lost.append((at, f"a cycle of imports: {way}", "import"))
    for at, reason, cause in sorted(lost):
        place = source.place(at)
        yield NotAnalysed(source.path, place.position.line, reason, cause, place.cell)


def _named_gaps(source: Source, gaps: Iterable[Gap]) -> list[NotAnalysed]:
    """One entry a gap, in the order of their lines: of one cause at most one a line and few a file."""
    alike: dict[Cause, dict[tuple[int, int | None], str]] = {}
    for gap in sorted(gaps, key=lambda gap: gap.span.start):
        place = source.place(gap.span.start)
        alike.setdefault(gap.cause, {}).setdefault((place.position.line, place.cell), gap.reason)
    named: list[NotAnalysed] = []
    for cause, lines in alike.items():
        own = [NotAnalysed(source.path, line, reason, cause, cell) for (line, cell), reason in lines.items()]
        rest = len(own) - MAX_GAPS + 1
        if rest > 1:
            reason = f"{rest} more places that could not be read, from here on"
            own[-rest:] = [replace(own[-rest], reason=reason)]
        named += own
    return sorted(named, key=lambda gap: (gap.cell or 0, gap.line))


def _at_line(stopped: Checked, error: BaseException, source: Source) -> Checked:
    """What is said of a source that took too much, with the line where that ended, if it can be told."""
    from fairlint.syntax.stopped import span_at  # noqa: PLC0415 (few sources take too much)

    span = span_at(error, len(source.data))
    if span is None:
        return stopped
    place = source.place(span.start)
    stopped.not_analysed = [
        replace(
            gap,
            line=place.position.line,
            cell=place.cell,
            reason=f"{gap.reason}; it was stopped at this line",
        )
        for gap in stopped.not_analysed
    ]
    return stopped


def _discovered(checker: Checker, names: Sequence[str]) -> Discovery | None:
    """The files to check; None if the time for the run is up before all are known."""
    find = partial(discover, names, checker.settings, checker.languages.values())
    if checker.until == math.inf:
        return find()
    from fairlint.deadline import TooLongError, within  # noqa: PLC0415 (few runs have a limit)

    try:
        return within(max(checker.until - time.monotonic(), 1e-6), find)
    except TooLongError:
        return None


def _each(files: list[File]) -> Iterator[File]:
    """The files in their order, each forgotten when it is given: there may be very many."""
    files.reverse()
    while files:
        yield files.pop()


def _check_files(checker: Checker, files: Iterable[File], gathered: _Gathered) -> None:
    """Checks files: all are read and searched here, and analysed here too unless that is much work.

    Reading and searching is quick enough that threads only make it slower (measured).
    """
    pending: list[Mentioning] = []
    size = 0
    coming = _mentioning(checker, files, gathered)
    for one in filter(None, coming):
        pending.append(one)
        size += len(one.raw)
        # A plugin's code may hang where only the end of its process helps.
        guarded = bool(checker.settings.file_timeout and plugins.analyse())
        if guarded or (len(pending) > 1 and size >= ENOUGH_FOR_PROCESSES):
            lost = _for_processes(checker, alone=guarded)
            if lost is not None:
                from fairlint import parallel  # noqa: PLC0415 (few runs need them)

                for result in parallel.analyse(checker, pending, coming, lost):
                    gathered.add(result)
                return
            _analyse_all(checker, pending, gathered)
            size = 0
    _analyse_all(checker, pending, gathered)


def _analyse_all(checker: Checker, pending: list[Mentioning], gathered: _Gathered) -> None:
    for one in pending:
        gathered.add(checker.analyse(one))
    pending.clear()


def _for_processes(checker: Checker, *, alone: bool) -> Lost | None:
    """What comes of sources that a process does not survive; None where there can be no processes."""
    from fairlint import parallel  # noqa: PLC0415 (few runs need them)

    if not parallel.available(alone=alone):
        return None
    return parallel.Lost(_broken_down, checker.too_long, checker.out_of_time)


def _mentioning(checker: Checker, files: Iterable[File], gathered: _Gathered) -> Iterator[Mentioning | None]:
    """The sources in which the search found something; None for each file that is done."""
    for file in files:
        read = checker.read(file)
        if isinstance(read, Checked):
            gathered.add(read)
            yield None
        else:
            yield read
