"""Paths in, a Report out: the order of the work, and what happens when a part of it fails.

A file goes through: bytes, UTF-8, the search for any protected word, tree, Uses, findings. Most files end at
the search, so everything behind it is imported only for those that do not.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from fairlint import plugins
from fairlint.config import Settings, UsageError, load_settings
from fairlint.findings import SEVERITIES, Finding, FlowStep, NotAnalysed, Report
from fairlint.records import Record, field, replace
from fairlint.sources.discovery import NOTEBOOK, File, PathPatterns, discover, suffix_language, suffixes_of
from fairlint.sources.reading import NotReadableError, read_file, to_utf8
from fairlint.sources.source import Place, Position, Source
from fairlint.syntax import DEFAULT
from fairlint.uses import Use

if TYPE_CHECKING:
    from fairlint.detectors import Detector
    from fairlint.lexicon import Vocabulary
    from fairlint.parallel import Lost
    from fairlint.project import Links, Project
    from fairlint.rules import Rule, Verdict
    from fairlint.semantics.library import Models
    from fairlint.sources.notebooks import JsonPlaces
    from fairlint.syntax.language import Language, Tokens
    from fairlint.syntax.tree import Gap, Span
    from fairlint.uses import Step

MAX_GAPS = 5
"""Gaps of one file that are named one by one; the rest are counted."""
ENOUGH_FOR_PROCESSES = 100_000
"""Bytes to parse from which more processes save more time than they cost."""
COLLECT_AFTER = 1_000_000
"""New objects after which cycles are looked for during a run."""
DEPTH = 5_000
"""Python's limit of calls within calls during the analysis: trees are bounded, at a few hundred levels."""


class Checked(Record, frozen=False, slots=False):
    """What came out of one source."""

    path: str
    findings: list[Finding] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    not_analysed: list[NotAnalysed] = field(default_factory=list)
    read: bool = True
    hidden: list[Hashable] = field(default_factory=list)
    """The places of findings that are too mild to show."""
    failed: bool = False
    source: Source | None = None
    """Kept where there are findings to show."""
    elsewhere: list[tuple[Hashable, Use]] = field(default_factory=list)
    """Uses in modules that the source imports, each with its place: other files may tell of them too."""


class Mentioning(Record):
    """A source in which the search found something, the bytes it was read from, and where.

    `links` are the modules of the project that it is to be looked at with.
    """

    source: Source
    raw: bytes
    hits: Sequence[int]
    links: Links | None = None


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
    found = discover(names, settings, checker.languages.values())
    results = [Checked(skipped.path, not_analysed=[skipped], read=False) for skipped in found.skipped]
    with _rare_collections():
        results.extend(_check_files(checker, found.files))
    return _report(results)


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


def _report(results: Sequence[Checked]) -> Report:
    results = sorted(results, key=lambda result: result.path)
    return Report(
        findings=tuple(sorted(_each_once(results), key=_order)),
        uses=tuple((path, use) for path, use in _uses(results)),
        not_analysed=tuple(gap for one in results for gap in one.not_analysed),
        files=sum(one.read for one in results),
        hidden_notes=len({key for one in results for key in one.hidden}),
        failed=any(one.failed for one in results),
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

    def load_all(self) -> None:
        """Makes everything that the analysis needs."""
        from fairlint.detectors import observation  # noqa: F401, PLC0415 (only large runs need it that early)

        _ = self.languages, self.detectors, self.rules, self.vocabulary

    def read(self, file: File) -> Checked | Mentioning:
        """Reads one file: a finished result, or a source that mentions something."""
        limit = self.settings.max_file_size
        try:
            raw = read_file(file.path, _whole_notebook(limit) if file.language == NOTEBOOK else limit)
        except NotReadableError as error:
            return _unread(file.shown, error)
        return self.prepare(file.shown, raw, file.language)

    def prepare(self, path: str, raw: bytes, language: str) -> Checked | Mentioning:
        """As `read`, for bytes in hand."""
        try:
            data = to_utf8(raw, self.languages.get(language))
            source = self._notebook(path, data) if language == NOTEBOOK else Source(path, data, language)
        except NotReadableError as error:
            return _unread(path, error)
        hits, links = self._looked_through(source)
        if hits or links is not None:
            return Mentioning(source, data if source.parts else raw, hits, links)
        return Checked(path)

    def _looked_through(self, source: Source) -> tuple[Sequence[int], Links | None]:
        """Where a source may name a protected attribute, and the modules it is to be looked at with."""
        project = self._project_with(source) if self.in_project else None
        if project is None:
            return self.hits(source), None
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
        from fairlint.deadline import TooLongError, within  # noqa: PLC0415 (only what mentions something comes here)

        source, seconds = pending.source, self.settings.file_timeout
        limit = sys.getrecursionlimit()
        try:
            sys.setrecursionlimit(max(limit, DEPTH))
            extra = () if pending.links is None else (pending.links,)
            return within(seconds, lambda: self._analyse(source, pending.raw, pending.hits, *extra))
        except TooLongError:
            return _too_long(source.path, seconds)
        except UsageError:
            raise
        except Exception as error:  # told in the report, and the run fails in the end
            return _broken_down(source.path, error)
        finally:
            sys.setrecursionlimit(limit)

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
            if SEVERITIES.index(verdict.severity) < SEVERITIES.index(self.settings.min_severity):
                place = _place_of(source.path, use, 0) if key is None else key
                result.hidden.append((place, verdict.rule.code, use.condition))
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
        result.source = source

    def _verdict(self, use: Use) -> Verdict | None:
        from fairlint.rules import judge  # noqa: PLC0415 (only files with Uses come here)

        # Asked for all domains, an attribute that only some protect counts where the code is about them.
        domains = (use.domain, "") if self.settings.domain == "all" else (self.settings.domain,)
        protected_in, jurisdiction = self.vocabulary.protected_in, self.settings.jurisdiction
        if not any(protected_in(use.attribute, jurisdiction, domain) for domain in domains):
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

        tables = (*plugins.attribute_tables(), *self.settings.vocabulary_tables())
        try:
            return default_vocabulary().extended(tables) if tables else default_vocabulary()
        except ValueError as error:
            where = f"{self.settings.source}: " if self.settings.source else ""
            raise UsageError(f"{where}{error}") from None

    @cached_property
    def models(self) -> Models:
        """What is known of libraries, with what plugins and the user add to it."""
        from fairlint.models import loading  # noqa: PLC0415 (as above)

        more = (*plugins.library_models(), *self.settings.library_tables())
        try:
            return loading.models(more) if more else loading.shipped()
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

        def read(path: str, limit: int) -> bytes | None:
            try:
                return to_utf8(read_file(path, limit), language)
            except NotReadableError:
                return None

        def finds(expression: str) -> Callable[[bytes], bool]:
            from fairlint.lexicon.keyword_automaton import found_in  # noqa: PLC0415 (a small run does without)

            return found_in(expression)

        return Project(os.fspath(self.settings.root), language, read, self.search, finds)

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
        advice=verdict.rule.advice,
        use=use,
        flow=tuple(_step(places, step) for step in use.flow),
        fingerprint=fingerprint,
        line_hash=line_hash,
        cell=place.cell,
        region=places.region(use.span),
    )


def _step(places: _Places, step: Step) -> FlowStep:
    place, end = places.ends(step.span)
    return FlowStep(place.path, place.position, end, step.message, place.cell, places.region(step.span))


def _whole_notebook(limit: int) -> int:
    from fairlint.sources.notebooks import OUTPUTS_SHARE  # noqa: PLC0415 (few runs meet one)

    return limit * OUTPUTS_SHARE


def _unread(path: str, error: NotReadableError) -> Checked:
    return Checked(path, not_analysed=[NotAnalysed(path, error.line, str(error))], read=error.is_known)


def _broken_down(path: str, error: BaseException | None) -> Checked:
    """The result for a source whose analysis failed. With FAIRLINT_DEBUG set, the traceback is shown too."""
    if error is not None and os.environ.get("FAIRLINT_DEBUG"):
        import traceback  # noqa: PLC0415

        traceback.print_exception(error)
    told = f"{type(error).__name__}: {error} {' '.join(getattr(error, '__notes__', ()))}"
    reason = "its process died" if error is None else " ".join(told.split())
    return Checked(path, not_analysed=[NotAnalysed(path, 1, f"internal error: {reason[:200]}")], failed=True)


def _too_long(path: str, seconds: float) -> Checked:
    reason = f"takes longer than {seconds:g} s (the setting file-timeout)"
    return Checked(path, not_analysed=[NotAnalysed(path, 1, reason)], read=False)


def _lost_imports(source: Source, links: Links) -> Iterator[NotAnalysed]:
    """What could not be followed."""
    lost = [(at, f"imports {module}, which is not there") for at, module in links.missing]
    if links.circle is not None:
        at, way = links.circle
        lost.append((at, f"a cycle of imports: {way}"))
    for at, reason in sorted(lost):
        place = source.place(at)
        yield NotAnalysed(source.path, place.position.line, reason, place.cell)


def _named_gaps(source: Source, gaps: Iterable[Gap]) -> list[NotAnalysed]:
    """One entry a gap, in the order of their lines, at most one a line and few a file."""
    by_line: dict[tuple[int | None, int], str] = {}
    for gap in sorted(gaps, key=lambda gap: gap.span.start):
        place = source.place(gap.span.start)
        by_line.setdefault((place.cell, place.position.line), gap.reason)
    named = [NotAnalysed(source.path, line, reason, cell) for (cell, line), reason in by_line.items()]
    if len(named) <= MAX_GAPS:
        return named
    rest = len(named) - MAX_GAPS + 1
    first = named[-rest]
    reason = f"{rest} more places that could not be read, from here on"
    more = NotAnalysed(source.path, first.line, reason, first.cell)
    return [*named[:-rest], more]


def _check_files(checker: Checker, files: Sequence[File]) -> Iterator[Checked]:
    """Checks files: all are read and searched here, and analysed here too unless that is much work.

    Reading and searching is quick enough that threads only make it slower (measured).
    """
    done: list[Checked] = []
    pending: list[Mentioning] = []
    size = 0
    coming = _mentioning(checker, files, done)
    for one in filter(None, coming):
        pending.append(one)
        size += len(one.raw)
        # A plugin's code may hang where only the end of its process helps.
        guarded = bool(checker.settings.file_timeout and plugins.analyse())
        if guarded or (len(pending) > 1 and size >= ENOUGH_FOR_PROCESSES):
            lost = _for_processes(checker, alone=guarded)
            if lost is not None:
                from fairlint import parallel  # noqa: PLC0415 (few runs need them)

                yield from parallel.analyse(checker, pending, coming, lost)
                yield from done
                return
    yield from map(checker.analyse, pending)
    yield from done


def _for_processes(checker: Checker, *, alone: bool) -> Lost | None:
    """What comes of sources that a process does not survive; None where there can be no processes."""
    from fairlint import parallel  # noqa: PLC0415 (few runs need them)

    seconds = checker.settings.file_timeout
    if not parallel.available(alone=alone):
        return None
    return parallel.Lost(_broken_down, lambda path: _too_long(path, seconds))


def _mentioning(checker: Checker, files: Sequence[File], done: list[Checked]) -> Iterator[Mentioning | None]:
    """The sources in which the search found something; None for each file that is `done`."""
    for file in files:
        read = checker.read(file)
        if isinstance(read, Checked):
            done.append(read)
            yield None
        else:
            yield read
