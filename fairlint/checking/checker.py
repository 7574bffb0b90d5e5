"""Checks one source at a time: what happens to it in order, and what is said when a part of that fails.

A source goes through: bytes, UTF-8, the search for any protected word, tree, Uses, findings. Most end at the
search, so everything behind it is imported only for those that do not.
"""

from __future__ import annotations

import gc
import math
import os
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from fairlint.checking.file_result import BelowThreshold, Candidate, FileResult
from fairlint.checking.incomplete import (
    broken_down,
    lost_headers,
    lost_imports,
    named_gaps,
    stopped_at_line,
    unread_file_result,
)
from fairlint.checking.selection import (
    is_too_mild,
    is_too_unsure,
    matches_any_name,
    named_rules,
    rule_severity,
)
from fairlint.config import Settings
from fairlint.findings.finding import Unheeded
from fairlint.findings.report import NotAnalysed, Suppressed
from fairlint.findings.uses import Use
from fairlint.plugins import manager
from fairlint.rules.rule_files import is_shipped_name
from fairlint.sources.discovery import NOTEBOOK, File, PathPatterns, suffixes_of
from fairlint.sources.reading import to_utf8
from fairlint.support.errors import UsageError
from fairlint.support.files import (
    MAX_FILE_SIZE,
    NotReadableError,
    kinds_in,
    leads_out,
    read_file,
    repository_of,
    too_large,
)
from fairlint.support.records import replace
from fairlint.syntax.registry import languages
from fairlint.syntax.source import MARK, Source

if TYPE_CHECKING:
    import re

    from fairlint.checking.session import Session
    from fairlint.detectors import Detector
    from fairlint.processes.deadline import TooLongError
    from fairlint.project.data_files import DataFile
    from fairlint.project.dependencies import Dependencies, Naming, Reading
    from fairlint.project.header_files import Found
    from fairlint.project.links import Links
    from fairlint.project.module_graph import ModuleGraph
    from fairlint.rules.judging import Verdict
    from fairlint.rules.rule import Rule
    from fairlint.semantics.names.library import Models
    from fairlint.suppression.comments import Problem, Suppression, Suppressions
    from fairlint.syntax.language import Keep, Language
    from fairlint.syntax.tokens import Tokens
    from fairlint.syntax.tree import Form, Span, Tree
    from fairlint.vocabulary import Vocabulary

IN_LIBRARY = b"pandas"
"""What names the library of which it matters what the project asks for."""
ASKS_FORM = b"form."
"""Stands wherever all fields of a form are taken at once."""
TREE = 200
"""Bytes of memory that a byte of code may take before it counts: what is read at all can be parsed."""


def _is_unknown() -> bool:
    return False


class Checker:
    """Checks sources one by one under fixed settings. Everything expensive is made when first needed."""

    def __init__(
        self,
        settings: Settings,
        *,
        in_project: bool = False,
        texts: Mapping[str, bytes] | None = None,
        crew: Session | None = None,
        number: int = 0,
    ) -> None:
        self.settings = settings
        self._texts = texts or {}
        """Real paths, each with what counts instead of what is on disk."""
        self.in_project = in_project
        """Whether modules that a source imports are looked for on disk."""
        self.crew = crew
        """The Checkers of the run, of which this one has a number."""
        self.number = number
        limit = time.monotonic() + settings.timeout if settings.timeout else math.inf
        self.until = limit if crew is None else crew.until
        """When the time for all sources is up."""
        self._basis: Dependencies | None = None
        """What the source that is analysed hangs on, where results are kept."""
        self._pages: Dependencies | None = None
        """The pages that were looked for to know whether a source asks about people, as above."""

    def at(self, path: str) -> Checker:
        """The Checker under whose settings a file is judged that this one has looked at, too."""
        if self.crew is None:
            return self
        there = self.crew.of_file(path)
        if self.crew.known is not None and self._basis is not None:
            self._basis.settings[path] = self.crew.known.judged_with(there, path)
        return there

    def check_settings(self) -> None:
        """Raises a UsageError for what is wrong with settings and shows only where they are used."""
        settings = self.settings
        if settings.library_models:
            _ = self.models
        if not all(map(is_shipped_name, set(chain(*named_rules(settings).values())))):
            _ = self.rules
        if settings.vocabulary or settings.attributes or settings.home_country:
            _ = self.vocabulary

    def load_all(self) -> None:
        """Makes everything that the analysis needs."""
        from fairlint.detectors import observation  # noqa: F401, PLC0415 (only large runs need it that early)

        _ = self.languages, self.detectors, self.rules, self.vocabulary
        if manager.analyse():
            _ = self.models

    def read(self, file: File) -> FileResult | Candidate:
        """Reads one file: a finished result, or a source that mentions something."""
        limit = self.settings.max_file_size
        if time.monotonic() >= self.until:
            return self.out_of_time(file.shown)
        try:
            size = _whole_notebook(limit) if file.language == NOTEBOOK else limit
            raw = self._raw(file.path, size)
        except NotReadableError as error:
            return unread_file_result(file.shown, error)
        results = None if self.crew is None else self.crew.known
        if results is None:
            return self.prepare(file.shown, raw, file.language, partial(self._is_known_intact, file))
        known = results.given(self, file, raw)
        if known is not None:
            return known
        self._pages = None
        prepared = self.prepare(file.shown, raw, file.language, partial(self._is_known_intact, file))
        results.begun(file, self._looked_at(file.shown))
        return prepared

    def _looked_at(self, path: str) -> Dependencies | None:
        """What was looked at to know what a file imports; None where that cannot be told."""
        from fairlint.project.dependencies import Dependencies  # noqa: PLC0415 (only where results are kept)

        bases = [
            Dependencies(name, *one.dependencies_of(one.real(path)))
            for name, one in self._projects_by_language.items()
        ]
        bases = [one for one in bases if one.summaries()]
        found = None if len(bases) > 1 else next(iter(bases), Dependencies())
        if self._pages is None or found is None:
            return found
        return replace(found, language=self._pages.language, read={**found.read, **self._pages.read})

    def _raw(self, path: str, limit: int) -> bytes:
        raw = self._texts.get(os.path.realpath(path)) if self._texts else None
        if raw is None:
            return read_file(path, limit, setting=MAX_FILE_SIZE)
        if len(raw) > limit:
            raise NotReadableError(too_large(limit, MAX_FILE_SIZE))
        return raw

    def _is_known_intact(self, file: File) -> bool:
        """Report whether a file is known to have no syntax error: an earlier run found nothing in the same
        bytes, or its language has compiled it. In a checkout that is not trusted anybody may say the latter.
        """
        if self.crew is not None and self.crew.known is not None and self.crew.known.was_empty(file):
            return True
        language = self.languages.get(file.language)
        if language is None or language.byte_code is None or self.settings.untrusted or self._texts:
            return False
        from fairlint.sources.byte_code import has_byte_code  # noqa: PLC0415 (a small file that names something does without)

        return has_byte_code(file.path, language.byte_code)

    def prepare(
        self, path: str, raw: bytes, language: str, is_known_intact: Callable[[], bool] = _is_unknown
    ) -> FileResult | Candidate:
        """As `read`, for bytes in hand; `is_known_intact` says whether they need not be looked at again to
        know that there is no syntax error.
        """
        try:
            if manager.analyse():
                from fairlint.processes.deadline import TooLongError, guard, within  # noqa: PLC0415 (plugins are rare)

                most = self.settings.file_timeout
                try:
                    prepared = within(
                        guard(most),
                        lambda: self._prepare_source(path, raw, language, is_known_intact),
                        processor=most,
                    )
                except TooLongError as error:
                    return self._interruption_result(path, error)
            else:
                prepared = self._prepare_source(path, raw, language, is_known_intact)
        except NotReadableError as error:
            return unread_file_result(path, error)
        except UsageError:
            raise
        except MemoryError:
            return self._too_large(path)
        except Exception as error:  # as below
            return broken_down(path, error)
        return prepared

    def _prepare_source(
        self, path: str, raw: bytes, language: str, is_known_intact: Callable[[], bool]
    ) -> FileResult | Candidate:
        data = to_utf8(raw, self.languages.get(language))
        source = self._read_notebook(path, data) if language == NOTEBOOK else Source(path, data, language)
        hits, links = self._looked_through(source)
        if hits or links is not None or MARK in data or self._may_be_broken(source, is_known_intact):
            return Candidate(source, data if source.parts else raw, hits, links, self.number)
        return (
            FileResult(path, not_analysed=named_gaps(source, source.gaps))
            if source.gaps
            else FileResult(path)
        )

    def _may_be_broken(self, source: Source, is_known_intact: Callable[[], bool]) -> bool:
        """Report whether a source has to be parsed to say what in it cannot be analysed."""
        language = self.languages.get(source.language or "")
        if self.settings.parses_all or language is None or language.is_intact is None:
            return self.settings.parses_all
        return bool(source.data) and not is_known_intact() and not language.is_intact(source.data)

    def _looked_through(self, source: Source) -> tuple[Sequence[int], Links | None]:
        """Where a source may name a protected attribute, and the modules it is to be looked at with."""
        project = self._project_with(source) if self.in_project else None
        if project is None:
            return self.hits(source), None
        project.begin(source.data)
        path = project.real(source.path)
        hits = self.hits(source) if source.parts else project.hits(path, source.data)
        if ASKS_FORM in source.data:
            asked = self._asked_by_forms(source, path)
            hits = sorted({*hits, *asked}) if asked else hits
        from fairlint.project.links import follow_imports  # noqa: PLC0415 (few sources import others)

        return hits, follow_imports(project, path, source.data, hits)

    def _asked_by_forms(self, source: Source, path: str) -> list[int]:
        """Where a source takes a whole form, if a page that it names asks for a protected attribute."""
        from fairlint.project.html_forms import places_of_whole  # noqa: PLC0415 (few sources take a whole form)

        language = self.languages.get(source.language or "")
        if language is None:
            return []
        basis = self._pages = self._new_basis(language)
        read: Reading = self.reader(language)
        forms = self._html_forms(source, path, read if basis is None else basis.recording_reads(read))
        names = (name for form in forms for name in form.fields)
        if not any(self.vocabulary.mentions(name) for name in names):
            return []
        return list(places_of_whole(source.data))

    def _html_forms(self, source: Source, path: str, read: Reading) -> tuple[Form, ...]:
        from fairlint.project.html_forms import forms_of_named_pages  # noqa: PLC0415 (as above)

        return forms_of_named_pages(source.data, path, os.fspath(self.settings.root), read)

    def hits(self, source: Source) -> Sequence[int]:
        """Where a source may name a protected attribute."""
        language = self.languages.get(source.language or "")
        tokens = language.tokens if language is not None else None
        if tokens is not None and len(source.parts) > 1:
            from fairlint.sources.notebooks import has_text_over_cells  # noqa: PLC0415 (few runs meet one)

            tokens = None if has_text_over_cells(source, tokens) else tokens
        return self.search(source.data, tokens)

    def _read_notebook(self, path: str, data: bytes) -> Source:
        from fairlint.sources import notebooks  # noqa: PLC0415 (few runs meet one)

        settings = self.settings
        return notebooks.read_notebook(
            path,
            data,
            settings.max_file_size,
            self.languages.values(),
            settings.file_nesting,
            is_trusted=not settings.untrusted,
        )

    def check_bytes(self, path: str, raw: bytes, language: str) -> FileResult:
        """Checks bytes that were not read from a file."""
        pending = self.prepare(path, raw, language)
        return pending if isinstance(pending, FileResult) else self.analyse(pending)

    def check(self, source: Source) -> FileResult:
        """Checks a Source, whose own gaps are named in the result."""
        hits = self.hits(source) if source.language is not None else ()
        if hits or (source.language is not None and MARK in source.data):
            return self.analyse(Candidate(source, source.data, hits))
        return FileResult(source.path, not_analysed=named_gaps(source, source.gaps))

    def analyse(self, pending: Candidate) -> FileResult:
        """Parses a source, observes its Uses and judges them. What breaks or hangs concerns it alone."""
        from fairlint.processes import memory  # noqa: PLC0415 (only what mentions something comes here)
        from fairlint.processes.deadline import TooLongError, guard, within  # noqa: PLC0415 (as above)
        from fairlint.syntax.depth import deep_calls  # noqa: PLC0415 (as above)

        source, settings = pending.source, self.settings
        left = self.until - time.monotonic()
        if left <= 0:
            return self.out_of_time(source.path)
        most = settings.file_memory and settings.file_memory + TREE * len(source.data)
        try:
            with deep_calls(settings.file_nesting), memory.limit_memory(most):
                return within(
                    min(left, guard(settings.file_timeout)),
                    lambda: self._result(pending),
                    processor=settings.file_timeout,
                )
        except TooLongError as error:
            return stopped_at_line(self._interruption_result(source.path, error), error, source)
        except UsageError:
            raise
        except Exception as error:
            if not memory.is_refusal(error):  # told in the report, and the run fails in the end
                return broken_down(source.path, error)
            stopped = stopped_at_line(self._too_large(source.path), error, source)
        gc.collect()  # gives back what the error held
        return stopped

    def out_of_time(self, path: str) -> FileResult:
        """The result for what the run has no time for."""
        reason = f"the run takes longer than {self.settings.timeout:g} s (the setting timeout)"
        return FileResult(path, not_analysed=[NotAnalysed(path, 1, reason, "time")], read=False)

    def _interruption_result(self, path: str, error: TooLongError) -> FileResult:
        """The result for what was interrupted."""
        from fairlint.processes.deadline import TooLongByClockError  # noqa: PLC0415 (few sources take too long)

        where = " ".join(getattr(error, "__notes__", ()))  # in which plugin
        return self.too_long(path, where, by_clock=isinstance(error, TooLongByClockError))

    def too_long(self, path: str, where: str = "", *, by_clock: bool = False) -> FileResult:
        """The result for what took too long, of the processor's time or by the clock; `where` in a plugin."""
        from fairlint.processes.deadline import GUARD, guard  # noqa: PLC0415 (as above)

        if time.monotonic() >= self.until:
            return self.out_of_time(path)
        most = self.settings.file_timeout
        reason = f"takes longer than {most:g} s (the setting file-timeout) {where}"
        if by_clock:
            limit = f"{guard(most):g} s on the clock ({GUARD} times the setting file-timeout)"
            reason = f"has not ended after {limit} {where}"
        gap = NotAnalysed(path, 1, reason.strip(), "plugin" if where else "time")
        return FileResult(path, not_analysed=[gap], read=False, failed=bool(where))

    def _too_large(self, path: str) -> FileResult:
        size = self.settings.file_memory
        shown = f"{size / 1e6:g} MB" if size >= 10_000 else f"{size} bytes"
        reason = f"takes more than {shown} of memory (the setting file-memory)"
        if not size:
            reason = "there was not enough memory"
        return FileResult(path, not_analysed=[NotAnalysed(path, 1, reason, "memory")], read=False)

    def _result(self, pending: Candidate) -> FileResult:
        """Return the result for a source; of one that names nothing protected, what cannot be parsed."""
        source, hits, links = pending.source, pending.hits, pending.links
        language = self.languages.get(source.language or "")
        names_nothing = not hits and links is None and MARK not in source.data
        if names_nothing and language is not None and not self.settings.parses_all:
            return _syntax_errors(source, language)
        return self._analyse(source, pending.raw, hits, *(() if links is None else (links,)))

    def _analyse(
        self, source: Source, raw: bytes, hits: Sequence[int], links: Links | None = None
    ) -> FileResult:

        language = self.languages.get(source.language or "")
        if language is None:
            raise UsageError(f"{source.path}: no parser for the language '{source.language}'")
        basis = self._basis = self._new_basis(language)
        wanted = hits if links is None else sorted((*hits, *links.uses))
        keep = self._keep(source, language, wanted)
        headers = self._headers(source, language, basis)
        source, tree = _parse_with_headers(source, language, keep, headers)
        lost = IN_LIBRARY in source.data and self._loses_changes(source.data)
        loaded: list[Sequence[DataFile]] = []
        also_read: list[str] = []
        if self.in_project and (project := self._project_with(source)) is not None:
            project.begin(source.data)
            from fairlint.project.related_files import texts_of  # noqa: PLC0415 (only sources that import others)
            from fairlint.project.template_files import template_texts  # noqa: PLC0415 (as above)

            path, root = project.real(source.path), os.fspath(self.settings.root)
            read: Reading = self.reader(language)
            names: Naming = kinds_in
            if basis is not None:
                read, names = basis.recording_reads(read), basis.recording_listings(names)
            tree = replace(
                tree,
                own=project.own_packages(path, source.data),
                texts=template_texts(source.data, path, root, _record_reads(read, also_read)),
                forms=self._html_forms(source, path, read) if ASKS_FORM in source.data else (),
            )
            source = replace(source, companions=texts_of(source.data, path, root, read, names))
            lost = lost and self._loses_changes(source.data, path, root, read, names)
            modules = () if links is None else links.modules
            loaded.append(project.data_files(path, source.data))
            loaded += [project.data_files(link.path, link.data, path) for link in modules]
            also_read += _paths_read(loaded)
            if basis is not None:
                basis.modules, basis.folders = project.dependencies_of(path)
        tree = replace(tree, loses_changes=True) if lost else tree
        gaps = [*source.gaps, *tree.gaps]
        result = FileResult(source.path, basis=basis, also_read=tuple(dict.fromkeys(also_read)))
        result.not_analysed += lost_headers(source, headers)
        result.not_analysed += lost_imports(source, links)
        source, tree = _with_others(source, tree, links, loaded, language.tree)
        from fairlint.detectors.observation import observe  # noqa: PLC0415 (as above)

        for found in observe(source, tree, self.vocabulary, self.settings, self.models, self.detectors):
            if isinstance(found, Use):
                result.uses.append(found)
            else:
                gaps.append(found)
        result.uses.sort(key=lambda use: (use.span.start, use.span.end, use.attribute))
        own = [gap for gap in gaps if source.place(gap.span.start).path == source.path]
        result.not_analysed[:0] = named_gaps(source, own)
        result.failed = any(gap.cause == "plugin" for gap in own)
        if links is not None or headers is not None:
            self._sort_out(source, result)
        self._judge(source, raw, tree, result)
        result.read = not tree.is_unread or bool(result.uses)
        result.names = self.vocabulary.renamed
        if source.parts and (result.uses or result.elsewhere):
            result.source = source  # nobody can make it again from one file
        return result

    def _loses_changes(self, data: bytes, *place: Any) -> bool:
        from fairlint.project.requirement_files import loses_changes  # noqa: PLC0415 (few sources need it)

        return loses_changes(data, *place)

    def _headers(self, source: Source, language: Language, basis: Dependencies | None) -> Found | None:
        """What the source includes from the project; None where it includes nothing."""
        if not self.in_project or language.headers is None or b"include" not in source.data:
            return None
        reading = language.headers()
        if reading.named.search(source.data) is None:
            return None
        from fairlint.project.header_files import headers_of  # noqa: PLC0415 (few sources include others)

        folder, name = os.path.split(source.path)
        path = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118 (paths are texts here)
        read, root = self.reader(language), os.fspath(self.settings.root)
        if basis is None:
            return headers_of(source.data, path, root, reading, read)
        return headers_of(source.data, path, root, reading, read, noting=basis.recording_reads)

    def _keep(self, source: Source, language: Language, hits: Sequence[int]) -> Keep:
        """Which functions are worth lowering: all of them where a file of data that may be loaded names an
        attribute, for what becomes of that, no word in the code may say.
        """
        from fairlint.search.function_outline import keep_all, keep_relevant  # noqa: PLC0415 (few files come here)

        project = self._project_with(source) if self.in_project else None
        if project is not None and project.loads_any(project.real(source.path), source.data):
            return keep_all
        return keep_relevant(source.data, language, hits)

    def _new_basis(self, language: Language) -> Dependencies | None:
        """What will say what a result hangs on; None where none is kept."""
        if self.crew is None or self.crew.known is None:
            return None
        from fairlint.project.dependencies import Dependencies  # noqa: PLC0415 (only where results are kept)

        return Dependencies(language.name)

    def _sort_out(self, source: Source, result: FileResult) -> None:
        """Keeps of the Uses in imported modules those that the source has a hand in, apart from its own."""
        uses, result.uses = result.uses, []
        for use in uses:
            part = source.part(use.span.start)
            if part is None or part.path == source.path:
                result.uses.append(use)
                continue
            has_a_hand = any(source.place(step.span.start).path == source.path for step in use.flow)
            if has_a_hand and not self.at(part.path).is_excluded_path(part.path):
                result.elsewhere.append((place_of(part.path, use, part.start), use))

    def is_excluded_path(self, path: str) -> bool:
        """Whether patterns of the settings leave a file out."""
        patterns = (*(self.settings.exclude or ()), *self.settings.extend_exclude)
        return bool(patterns) and PathPatterns(patterns, self.settings.root).match(path)

    def _judge(self, source: Source, raw: bytes, tree: Tree, result: FileResult) -> None:
        """Fills in the findings that `result.uses` give."""
        placed = [*((None, use) for use in result.uses), *result.elsewhere]
        comments = self._suppression_comments(source, tree)
        shown, aside = [], []
        for key, use in placed:
            path = source.place(use.span.start).path
            there = self if path == source.path else self.at(path)
            verdict = there.verdict(use)
            if verdict is None:
                continue
            comment = comments.of(use, verdict) if comments is not None else None
            if comment is not None:
                result.used.add(comments_key(source, comment, verdict.rule.code))
            if not there.wants(verdict, path):
                continue
            if comment is not None and there.settings.untrusted:
                verdict = replace(verdict, unheeded=(*verdict.unheeded, _of_comment(source, comment)))
            elif comment is not None:
                aside.append((there.told(use), verdict, comment))
                continue
            if is_too_mild(verdict, there.settings):
                place = place_of(source.path, use, 0) if key is None else key
                result.hidden.append(
                    BelowThreshold(place, verdict.rule.code, use.condition, verdict.lowered_by)
                )
                continue
            shown.append((there.told(use), verdict))
        if comments is not None:
            shown += self._comment_problems(source, comments.problems)
        if not shown and comments is None:
            return
        from fairlint.checking.finding_builder import Places, findings_of  # noqa: PLC0415 (only for findings)

        places = Places(source, raw, tree)
        result.findings += findings_of(places, shown)
        for use, verdict, comment in aside:
            place = source.place(comment.span.start)
            for finding in findings_of(places, [(use, verdict)]):
                told = Suppressed(finding, comment.reason, place.path, place.position.line, place.cell)
                result.suppressed.append(replace(told, until=comment.until))
        if comments is not None and not result.not_analysed:
            for comment, code in comments.named(source.path):
                judged_so = self._comment_problems(source, [("unused", comment.span, code)])
                key = comments_key(source, comment, code)
                result.unused += ((key, one) for one in findings_of(places, judged_so))
        result.source = source

    def _suppression_comments(self, source: Source, tree: Tree) -> Suppressions | None:
        """The comments that put findings aside; None where there are none, or none count."""
        if MARK not in source.data or not self.settings.suppressions:
            return None
        from fairlint.suppression.comments import Suppressions  # noqa: PLC0415 (few sources have some)

        return Suppressions(source, tree, self.rules)

    def _comment_problems(
        self, source: Source, problems: Iterable[tuple[Problem, Span, str]]
    ) -> list[tuple[Use, Verdict]]:
        """What is wrong with comments of the source itself, judged; what is too mild is left out."""
        from fairlint.rules.judging import judge  # noqa: PLC0415 (as above)
        from fairlint.suppression.comments import problem_use  # noqa: PLC0415 (as above)

        found = []
        for problem, span, detail in problems:
            path = source.place(span.start).path
            use = problem_use(problem, span, detail)
            verdict = self._with_laws(use, judge(use, self.rules)) if path == source.path else None
            if verdict and self.wants(verdict, path) and not is_too_mild(verdict, self.settings):
                found.append((use, verdict))
        return found

    def verdict(self, use: Use) -> Verdict | None:
        """What the rules say about a Use under these settings; None where there is nothing to say."""
        from fairlint.rules.judging import judge  # noqa: PLC0415 (only files with Uses come here)

        # Asked for all domains, an attribute that only some protect counts where the code is about them.
        domains = (use.domain, "") if self.settings.domain == "all" else (self.settings.domain,)
        protected_in, jurisdiction = self.vocabulary.protected_in, self.settings.law
        names = use.attributes
        if not any(protected_in(name, jurisdiction, domain) for name in names for domain in domains):
            return None
        field = "" if self.settings.domain == "all" else self.settings.domain
        verdict = judge(use, self.rules, self.told(use), jurisdiction, field)
        return self._with_laws(use, verdict)

    def _with_laws(self, use: Use, verdict: Verdict | None) -> Verdict | None:
        """A verdict with the laws that the finding will be about."""
        if verdict is None:
            return None
        from fairlint.laws import belonging  # noqa: PLC0415 (only files with findings come here)

        settings = self.settings
        by_attribute = {name: self.vocabulary.laws_of(name) for name in use.attributes}
        fields = (use.domain, "" if settings.domain == "all" else settings.domain)
        found = belonging(
            verdict.rule.laws,
            by_attribute,
            effect=use.effect,
            fields=fields,
            jurisdiction=settings.law,
            country=settings.home_country,
        )
        return replace(verdict, laws=found)

    def told(self, use: Use) -> Use:
        """A Use by the names that reports give attributes."""
        return rename_attributes(use, self.vocabulary.renamed)

    def wants(self, verdict: Verdict, path: str) -> bool:
        """Whether the settings ask for such findings there, however grave."""
        settings, rule = self.settings, verdict.rule
        if is_too_unsure(verdict, settings):
            return False
        if settings.select and not matches_any_name(rule, settings.select):
            return False
        if matches_any_name(rule, settings.ignore):
            return False
        return not any(
            patterns.match(path) and matches_any_name(rule, rules)
            for patterns, rules in self.per_file_ignores
        )

    @cached_property
    def vocabulary_tables(self) -> tuple[Mapping[str, Any], ...]:
        """What the user adds to the vocabulary."""
        return self.settings.vocabulary_tables()

    @cached_property
    def library_tables(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """What the user says of libraries."""
        return self.settings.library_tables()

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary, with what plugins and the user add to it."""
        from fairlint.vocabulary import default_vocabulary  # noqa: PLC0415 (loads the attribute data)

        shipped = default_vocabulary()
        brought = manager.attribute_tables(lambda table: shipped.extended([table]).attributes)
        own, country = self.vocabulary_tables, self.settings.home_country
        if not own and not brought and not country:
            return shipped
        known = {} if self.crew is None else self.crew.vocabularies
        key = repr((own, country))
        if key not in known:
            seen = shipped.at_home(country) if country else shipped
            known[key] = self._extend_vocabulary(seen, (*brought, *own))
        return known[key]

    def _extend_vocabulary(self, shipped: Vocabulary, tables: Sequence[Mapping[str, Any]]) -> Vocabulary:
        try:
            return shipped.extended(tables)
        except ValueError as error:
            raise UsageError(f"{self.settings.named_by('attributes')}{error}") from None

    @cached_property
    def models(self) -> Models:
        """What is known of libraries, with what plugins and the user add to it."""
        from fairlint.library_models import loading  # noqa: PLC0415 (as above)

        brought = manager.library_models(lambda table: loading.read("", table))
        own = self.library_tables
        try:
            return loading.models(brought, own) if brought or own else loading.shipped_models()
        except loading.ModelError as error:
            raise UsageError(str(error)) from None

    @cached_property
    def _projects_by_language(self) -> dict[str, ModuleGraph]:
        return {}

    def _project_with(self, source: Source) -> ModuleGraph | None:
        """Where the imports of a source are looked up; None where it has none that could be followed."""
        language = self.languages.get(source.language or "")
        if language is None or language.modules is None or language.tokens is None:
            return None
        if language.imports_by not in source.data:
            return None
        if language.name not in self._projects_by_language:
            self._projects_by_language[language.name] = self._project_of(language)
        return self._projects_by_language[language.name]

    @cached_property
    def repository(self) -> str:
        """The repository of the settings' folder."""
        return repository_of(os.fspath(self.settings.root))

    def reader(self, language: Language) -> Callable[[str, int], bytes | None]:
        """Gives the text of a file of the project, as UTF-8; None for what cannot be read or is too large."""
        repository = self.repository

        def read(path: str, limit: int) -> bytes | None:
            if path.startswith(repository) and leads_out(path, repository):
                return None  # a link; nobody has named it
            try:
                return to_utf8(read_file(path, limit), language)
            except NotReadableError:
                return None

        return read

    def _project_of(self, language: Language) -> ModuleGraph:
        """Where a language's imports are looked up."""
        from fairlint.project.module_graph import ModuleGraph  # noqa: PLC0415 (few sources import others)

        def finds(expression: str) -> re.Pattern[bytes]:
            from fairlint.vocabulary.keyword_automaton import quick  # noqa: PLC0415 (a small run does without)

            return quick(expression)

        def set_search(expressions: Iterable[str]) -> Callable[[bytes], list[int]]:
            from fairlint.vocabulary.keyword_automaton import set_search  # noqa: PLC0415 (as above)

            return set_search(expressions)

        def gives_models(module: str) -> bool:
            return self.models.gives_models(module.partition(".")[0])

        from fairlint.search.prefilter import asks  # noqa: PLC0415 (as above)

        root = os.fspath(self.settings.root)
        read = self.reader(language)
        return ModuleGraph(root, language, read, self.search, finds, gives_models, asks, set_search)

    @cached_property
    def search(self) -> Callable[[bytes, Tokens | None], Sequence[int]]:
        """Gives the offsets at which a source may name a protected attribute, in order."""
        from fairlint.search.prefilter import Prefilter  # noqa: PLC0415 (not before there is a file to search)

        known = {} if self.crew is None else self.crew.searches
        vocabulary = self.vocabulary
        if id(vocabulary) not in known:
            known[id(vocabulary)] = Prefilter(vocabulary)
        return known[id(vocabulary)]

    @cached_property
    def languages(self) -> Mapping[str, Language]:
        """Languages by name."""
        return languages()

    @cached_property
    def suffixes(self) -> Mapping[str, str]:
        """Suffix -> language."""
        return suffixes_of(self.languages.values())

    @cached_property
    def detectors(self) -> tuple[Detector, ...]:
        """What observes Uses."""
        from fairlint.detectors import registry  # noqa: PLC0415 (only files with Uses come here)

        return registry.detectors()

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All rules, in the order they judge in. A name in the settings that fits none is a UsageError."""
        from fairlint.rules.loading import load_rules  # noqa: PLC0415 (as above)

        rules, settings = load_rules(), self.settings
        for key, names in named_rules(settings).items():
            for name in names:
                if not any(matches_any_name(rule, (name,)) for rule in rules):
                    from fairlint.rules.loading import nearest_rule  # noqa: PLC0415 (only where something is wrong)

                    told = f"{settings.named_by(key)}no rule is called '{name}'"
                    raise UsageError(f"{told}{nearest_rule(rules, name)}")
        if not settings.severity:
            return rules
        return tuple(replace(rule, severity=rule_severity(rule, settings.severity)) for rule in rules)

    @cached_property
    def asked(self) -> frozenset[str]:
        """The codes of the rules that are asked for."""
        settings = self.settings
        return frozenset(
            rule.code
            for rule in self.rules
            if not (settings.select and not matches_any_name(rule, settings.select))
            and not matches_any_name(rule, settings.ignore)
        )

    @cached_property
    def per_file_ignores(self) -> tuple[tuple[PathPatterns, tuple[str, ...]], ...]:
        """Patterns of paths, each with the rules that stay silent there."""
        root = self.settings.root
        return tuple(
            (PathPatterns((key,), root), names) for key, names in self.settings.per_file_ignores.items()
        )


def _of_comment(source: Source, comment: Suppression) -> Unheeded:
    """A comment whose author has no say."""
    place = source.place(comment.span.start)
    return Unheeded("comment", comment.reason, place.path, place.position.line, place.cell)


def comments_key(source: Source, comment: Suppression, code: str) -> Hashable:
    """A comment and a rule that it names, whatever file it was met in."""
    place = source.place(comment.span.start)
    return (place.path, place.cell, place.position, code)


def rename_attributes(use: Use, names: Mapping[str, str]) -> Use:
    """A Use whose attributes go by other names."""
    if not any(name in names for name in use.attributes):
        return use
    joined = tuple(names.get(name, name) for name in use.joined)
    return replace(use, attribute=names.get(use.attribute, use.attribute), joined=joined)


def _whole_notebook(limit: int) -> int:
    from fairlint.sources.notebooks import OUTPUTS_SHARE  # noqa: PLC0415 (few runs meet one)

    return limit * OUTPUTS_SHARE


def _paths_read(loaded: Sequence[Sequence[DataFile]]) -> list[str]:
    return [one.path for several in loaded for one in several if one.data is not None]


def _record_reads(read: Reading, paths: list[str]) -> Reading:
    """The same reader, which notes the paths of what it has read."""

    def noted(path: str, largest: int) -> bytes | None:
        data = read(path, largest)
        if data is not None:
            paths.append(os.path.realpath(path))
        return data

    return noted


def _with_others(
    source: Source,
    tree: Tree,
    links: Links | None,
    loaded: Sequence[Sequence[DataFile]],
    parse: Callable[..., Tree],
) -> tuple[Source, Tree]:
    """A source and its tree with the modules that are followed, and the files of data that all may load."""
    if links is not None:
        from fairlint.checking.parsing import with_modules  # noqa: PLC0415 (few sources import others)

        source, tree = with_modules(source, tree, links, parse)
    if any(loaded):
        from fairlint.checking.parsing import with_data  # noqa: PLC0415 (few sources load data)

        source, tree = with_data(source, tree, loaded[0], loaded[1:])
    return source, tree


def _syntax_errors(source: Source, language: Language) -> FileResult:
    """Return what of a source that names nothing protected could not be parsed.

    What is cut at a limit names nothing protected, either, so it is no loss.
    """
    from fairlint.search.function_outline import keep_all  # noqa: PLC0415 (few sources are broken)

    source, tree = _parse_with_headers(source, language, keep_all, None)
    lost = [gap for gap in tree.gaps if gap.cause == "syntax"]
    result = FileResult(source.path, not_analysed=named_gaps(source, [*source.gaps, *lost]))
    result.read = not (lost and tree.is_unread)
    return result


def _parse_with_headers(
    source: Source, language: Language, keep: Keep, headers: Found | None
) -> tuple[Source, Tree]:
    """A source with its headers behind it, and the tree of both."""
    if headers is not None and headers.headers:
        from fairlint.checking.parsing import with_headers  # noqa: PLC0415 (few sources include others)

        return with_headers(source, language, keep, headers.headers)
    tree = language.tree(source.data, keep)
    if len(source.parts) < 2:
        return source, tree
    from fairlint.checking.parsing import parse_cells  # noqa: PLC0415 (few sources are notebooks)

    return source, parse_cells(source, tree, language.tree, keep)


def place_of(path: str, use: Use, start: int) -> Hashable:
    """Where a Use stands, however its file was come by."""
    return (path, use.span.start - start, use.span.end - start, use.attribute, use.kind)
