"""Checks one source at a time: what happens to it in order, and what is said when a part of that fails.

A source goes through: bytes, UTF-8, the search for any protected word, tree, Uses, findings. Most end at the
search, so everything behind it is imported only for those that do not.
"""

from __future__ import annotations

import gc
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from fairlint.checking.file_result import Candidate, FileResult
from fairlint.checking.forms import html_forms, places_asked_by_forms
from fairlint.checking.incomplete import (
    broken_down,
    lost_headers,
    lost_imports,
    named_gaps,
    stopped_at_line,
    unread_file_result,
)
from fairlint.checking.judging import judge_uses
from fairlint.checking.limits import interruption_result, out_of_time_result, too_large_result
from fairlint.checking.loading import (
    load_judging_rules,
    load_models,
    load_search,
    load_vocabulary,
    open_project,
    project_reader,
)
from fairlint.checking.project_facts import (
    found_headers,
    functions_to_keep,
    may_lose_changes,
    new_dependencies,
    parse_with_headers,
    paths_read,
    record_reads,
    sort_out_imported,
    syntax_errors,
    with_others,
)
from fairlint.checking.selection import (
    matches_any_name,
    named_rules,
)
from fairlint.config import Settings
from fairlint.findings.uses import Use
from fairlint.plugins import manager
from fairlint.rules.rule_files import is_shipped_name
from fairlint.sources.files_to_check import NOTEBOOK, File, suffixes_of
from fairlint.sources.path_patterns import PathPatterns
from fairlint.sources.reading import to_utf8
from fairlint.support.errors import UsageError
from fairlint.support.files import (
    MAX_FILE_SIZE,
    NotReadableError,
    kinds_in,
    read_file,
    repository_of,
    too_large,
)
from fairlint.support.records import replace
from fairlint.syntax.registry import languages
from fairlint.syntax.source import MARK, Source

if TYPE_CHECKING:
    from fairlint.checking.session import Session
    from fairlint.detectors import Detector
    from fairlint.project.data_files import DataFile
    from fairlint.project.dependencies import Dependencies, Naming, Reading
    from fairlint.project.links import Links
    from fairlint.project.module_graph import ModuleGraph
    from fairlint.rules.rule import Rule
    from fairlint.semantics.names.library import Models
    from fairlint.syntax.language import Language
    from fairlint.syntax.tokens import Tokens
    from fairlint.syntax.tree import Tree
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
        uses_only: bool = False,
    ) -> None:
        self.settings = settings
        self._texts = texts or {}
        """Real paths, each with what counts instead of what is on disk."""
        self.in_project = in_project
        """Whether modules that a source imports are looked for on disk."""
        self.crew = crew
        """The Checkers of the run, of which this one has a number."""
        self.uses_only = uses_only
        """Whether Uses are all that is asked for: no rule judges them."""
        self.number = number
        limit = time.monotonic() + settings.timeout if settings.timeout else math.inf
        self.until = limit if crew is None else crew.until
        """When the time for all sources is up."""
        self._basis: Dependencies | None = None
        """What the source that is analysed hangs on, where results are kept."""
        self.form_basis: Dependencies | None = None
        """The pages that were looked for to know whether a source asks about people, as above."""

    def at(self, path: str) -> Checker:
        """Return the Checker under whose settings a file is judged that this one has looked at, too."""
        if self.crew is None:
            return self
        there = self.crew.of_file(path)
        if self.crew.known is not None and self._basis is not None:
            self._basis.settings[path] = self.crew.known.judged_with(there, path)
        return there

    def check_settings(self) -> None:
        """Raise a UsageError for what is wrong with settings and shows only where they are used."""
        settings = self.settings
        if settings.library_models:
            _ = self.models
        if not all(map(is_shipped_name, set(chain(*named_rules(settings).values())))):
            _ = self.rules
        if settings.vocabulary or settings.attributes or settings.home_country:
            _ = self.vocabulary

    def load_all(self) -> None:
        """Make everything that the analysis needs."""
        from fairlint.detectors import observation  # noqa: F401, PLC0415 (only large runs need it that early)

        _ = self.languages, self.detectors, self.rules, self.vocabulary
        if manager.analyse():
            _ = self.models

    def read(self, file: File) -> FileResult | Candidate:
        """Read one file: a finished result, or a source that mentions something."""
        limit = self.settings.max_file_size
        if time.monotonic() >= self.until:
            return out_of_time_result(self, file.shown)
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
        self.form_basis = None
        prepared = self.prepare(file.shown, raw, file.language, partial(self._is_known_intact, file))
        results.begun(file, self._looked_at(file.shown))
        return prepared

    def _looked_at(self, path: str) -> Dependencies | None:
        """Return what was looked at to know what a file imports; None where that cannot be told."""
        from fairlint.project.dependencies import Dependencies  # noqa: PLC0415 (only where results are kept)

        bases = [
            Dependencies(name, *one.dependencies_of(one.real(path)))
            for name, one in self._projects_by_language.items()
        ]
        bases = [one for one in bases if one.summaries()]
        found = None if len(bases) > 1 else next(iter(bases), Dependencies())
        if self.form_basis is None or found is None:
            return found
        return replace(found, language=self.form_basis.language, read={**found.read, **self.form_basis.read})

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
                    return interruption_result(self, path, error)
            else:
                prepared = self._prepare_source(path, raw, language, is_known_intact)
        except NotReadableError as error:
            return unread_file_result(path, error)
        except UsageError:
            raise
        except MemoryError:
            return too_large_result(self, path)
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
        if not source.data or is_known_intact():
            return False
        project = self._project_with(source) if self.in_project else None
        return not (language.is_intact if project is None else project.is_intact)(source.data)

    def _looked_through(self, source: Source) -> tuple[Sequence[int], Links | None]:
        """Return where a source may name a protected attribute, and the modules it is to be looked
        at with.
        """
        project = self._project_with(source) if self.in_project else None
        if project is None:
            return self.hits(source), None
        project.begin(source.data)
        path = project.real(source.path)
        hits = self.hits(source) if source.parts else project.hits(path, source.data)
        if ASKS_FORM in source.data:
            asked = places_asked_by_forms(self, source, path)
            hits = sorted({*hits, *asked}) if asked else hits
        from fairlint.project.links import follow_imports  # noqa: PLC0415 (few sources import others)

        return hits, follow_imports(project, path, source.data, hits)

    def hits(self, source: Source) -> Sequence[int]:
        """Return where a source may name a protected attribute."""
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
        """Check bytes that were not read from a file."""
        pending = self.prepare(path, raw, language)
        return pending if isinstance(pending, FileResult) else self.analyse(pending)

    def check(self, source: Source) -> FileResult:
        """Check a Source, whose own gaps are named in the result."""
        hits = self.hits(source) if source.language is not None else ()
        if hits or (source.language is not None and MARK in source.data):
            return self.analyse(Candidate(source, source.data, hits))
        return FileResult(source.path, not_analysed=named_gaps(source, source.gaps))

    def analyse(self, pending: Candidate) -> FileResult:
        """Parse a source, observes its Uses and judges them. What breaks or hangs concerns it alone."""
        from fairlint.processes import memory  # noqa: PLC0415 (only what mentions something comes here)
        from fairlint.processes.deadline import TooLongError, guard, within  # noqa: PLC0415 (as above)
        from fairlint.syntax.depth import deep_calls  # noqa: PLC0415 (as above)

        source, settings = pending.source, self.settings
        left = self.until - time.monotonic()
        if left <= 0:
            return out_of_time_result(self, source.path)
        most = settings.file_memory and settings.file_memory + TREE * len(source.data)
        try:
            with deep_calls(settings.file_nesting), memory.limit_memory(most):
                return within(
                    min(left, guard(settings.file_timeout)),
                    lambda: self._result(pending),
                    processor=settings.file_timeout,
                )
        except TooLongError as error:
            return stopped_at_line(interruption_result(self, source.path, error), error, source)
        except UsageError:
            raise
        except Exception as error:
            if not memory.is_refusal(error):  # told in the report, and the run fails in the end
                return broken_down(source.path, error)
            stopped = stopped_at_line(too_large_result(self, source.path), error, source)
        gc.collect()  # gives back what the error held
        return stopped

    def _result(self, pending: Candidate) -> FileResult:
        """Return the result for a source; of one that names nothing protected, what cannot be parsed."""
        source, hits, links = pending.source, pending.hits, pending.links
        language = self.languages.get(source.language or "")
        names_nothing = not hits and links is None and MARK not in source.data
        if names_nothing and language is not None and not self.settings.parses_all:
            return syntax_errors(source, language)
        return self._analyse(source, pending.raw, hits, *(() if links is None else (links,)))

    def _analyse(
        self, source: Source, raw: bytes, hits: Sequence[int], links: Links | None = None
    ) -> FileResult:

        language = self.languages.get(source.language or "")
        if language is None:
            raise UsageError(f"{source.path}: no parser for the language '{source.language}'")
        basis = self._basis = new_dependencies(self, language)
        wanted = hits if links is None else sorted((*hits, *links.uses))
        keep = functions_to_keep(self, source, language, wanted)
        headers = found_headers(self, source, language, basis)
        source, tree = parse_with_headers(source, language, keep, headers)
        lost = IN_LIBRARY in source.data and may_lose_changes(source.data)
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
                texts=template_texts(source.data, path, root, record_reads(read, also_read)),
                forms=html_forms(self, source, path, read) if ASKS_FORM in source.data else (),
            )
            source = replace(source, companions=texts_of(source.data, path, root, read, names))
            lost = lost and may_lose_changes(source.data, path, root, read, names)
            modules = () if links is None else links.modules
            loaded.append(project.data_files(path, source.data))
            loaded += [project.data_files(link.path, link.data, path) for link in modules]
            also_read += paths_read(loaded)
            if basis is not None:
                basis.modules, basis.folders = project.dependencies_of(path)
        tree = replace(tree, loses_changes=True) if lost else tree
        gaps = [*source.gaps, *tree.gaps]
        result = FileResult(source.path, basis=basis, also_read=tuple(dict.fromkeys(also_read)))
        result.not_analysed += lost_headers(source, headers)
        result.not_analysed += lost_imports(source, links)
        source, tree = with_others(source, tree, links, loaded, language.tree)
        from fairlint.detectors.observation import observe  # noqa: PLC0415 (as above)

        known = (self.vocabulary, self.settings, self.models, self.detectors)
        for found in observe(source, tree, *known, uses_only=self.uses_only):
            if isinstance(found, Use):
                result.uses.append(found)
            else:
                gaps.append(found)
        result.uses.sort(key=lambda use: (use.span.start, use.span.end, use.attribute))
        own = [gap for gap in gaps if source.place(gap.span.start).path == source.path]
        result.not_analysed[:0] = named_gaps(source, own)
        result.failed = any(gap.cause == "plugin" for gap in own)
        if links is not None or headers is not None:
            sort_out_imported(self, source, result)
        self._judge(source, raw, tree, result)
        result.read = not tree.is_unread or bool(result.uses)
        result.names = self.vocabulary.renamed
        if source.parts and (result.uses or result.elsewhere):
            result.source = source  # nobody can make it again from one file
        return result

    def _judge(self, source: Source, raw: bytes, tree: Tree, result: FileResult) -> None:
        """Have the rules judge the Uses of a source, where they are asked for."""
        if not self.uses_only:
            judge_uses(self, source, raw, tree, result)

    def is_excluded_path(self, path: str) -> bool:
        """Return whether patterns of the settings leave a file out."""
        patterns = (*(self.settings.exclude or ()), *self.settings.extend_exclude)
        return bool(patterns) and PathPatterns(patterns, self.settings.root).match(path)

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
        return load_vocabulary(self)

    @cached_property
    def models(self) -> Models:
        """What is known of libraries, with what plugins and the user add to it."""
        return load_models(self)

    @cached_property
    def _projects_by_language(self) -> dict[str, ModuleGraph]:
        return {}

    def _project_with(self, source: Source) -> ModuleGraph | None:
        """Return where the imports of a source are looked up; None where it has none that could be
        followed.
        """
        language = self.languages.get(source.language or "")
        if language is None or language.modules is None or language.tokens is None:
            return None
        if language.imports_by not in source.data:
            return None
        if language.name not in self._projects_by_language:
            self._projects_by_language[language.name] = self._project_of(language)
        return self._projects_by_language[language.name]

    def keep_facts(self) -> None:
        """Keep for later runs what this one has found in texts."""
        for project in self._projects_by_language.values():
            project.index.keep_facts()

    @cached_property
    def repository(self) -> str:
        """The repository of the settings' folder."""
        return repository_of(os.fspath(self.settings.root))

    def reader(self, language: Language) -> Callable[[str, int], bytes | None]:
        """Give the text of a file of the project, as UTF-8; None for what cannot be read or is too large."""
        return project_reader(self.repository, language)

    def _project_of(self, language: Language) -> ModuleGraph:
        """Return where a language's imports are looked up."""
        return open_project(self, language)

    @cached_property
    def search(self) -> Callable[[bytes, Tokens | None], Sequence[int]]:
        """Gives the offsets at which a source may name a protected attribute, in order."""
        return load_search(self)

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
        return load_judging_rules(self.settings)

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


def _whole_notebook(limit: int) -> int:
    from fairlint.sources.notebooks import OUTPUTS_SHARE  # noqa: PLC0415 (few runs meet one)

    return limit * OUTPUTS_SHARE
