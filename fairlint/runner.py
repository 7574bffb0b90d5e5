"""Paths in, a Report out: the order in which the rooms do their work, and what happens when one fails.

A file goes through: bytes, UTF-8, the search for any protected word, tree, Uses, findings. Most files end at
the search, so everything behind it is imported only for those that do not.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from fairlint import plugins
from fairlint.config import Settings, UsageError, load_settings
from fairlint.findings import SEVERITIES, Finding, FlowStep, NotAnalysed, Report
from fairlint.records import Record, field
from fairlint.sources.discovery import File, PathPatterns, discover, suffix_language
from fairlint.sources.reading import NotReadableError, read_file, to_utf8
from fairlint.sources.source import Source

if TYPE_CHECKING:
    from fairlint.rules import Rule, Verdict
    from fairlint.syntax.tree import Gap
    from fairlint.uses import Use
    from fairlint.vocabulary import Vocabulary

MAX_GAPS = 5
"""Gaps of one file that are named one by one; the rest are counted."""
ENOUGH_FOR_PROCESSES = 400_000
"""Bytes to parse from which more processes save more time than they cost."""
COLLECT_AFTER = 500_000
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
    hidden: int = 0
    failed: bool = False
    source: Source | None = None
    """Kept where there are findings to show."""


class Mentioning(Record):
    """A source in which the search found something, the bytes it was read from, and where."""

    source: Source
    raw: bytes
    hits: Sequence[int]


def check_paths(paths: Iterable[str | os.PathLike[str]], settings: Settings | None = None) -> Report:
    """Checks files and folders.

    Without `settings`, the configuration file in force for the first path is read. A path that does not
    exist, or nothing to check, is a UsageError.
    """
    names = [os.fspath(path) for path in paths]
    if settings is None:
        settings = load_settings(names)
    checker = Checker(settings)
    found = discover(names, settings, checker.suffixes)
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
) -> Report:
    """Checks one piece of code: text, bytes in any encoding, or a Source such as `read_response` gives.

    The language is taken from the path's suffix where it is not given, and is Python where neither says.
    """
    checker = Checker(settings if settings is not None else Settings())
    if isinstance(text, Source):
        return _report([checker.check(text)])
    language = language or suffix_language(path, checker.suffixes) or "python"
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return _report([checker.check_bytes(path, raw, language)])


def _report(results: Sequence[Checked]) -> Report:
    results = sorted(results, key=lambda result: result.path)
    return Report(
        findings=tuple(sorted((finding for one in results for finding in one.findings), key=_order)),
        uses=tuple((one.path, use) for one in results for use in one.uses),
        not_analysed=tuple(gap for one in results for gap in one.not_analysed),
        files=sum(one.read for one in results),
        hidden_notes=sum(one.hidden for one in results),
        failed=any(one.failed for one in results),
        sources={one.path: one.source for one in results if one.source is not None},
    )


def _order(finding: Finding) -> tuple[str, int, int, str]:
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

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def check_file(self, file: File) -> Checked:
        """Reads and checks one file."""
        pending = self.read(file)
        return pending if isinstance(pending, Checked) else self.analyse(pending)

    def read(self, file: File) -> Checked | Mentioning:
        """Reads one file: a finished result, or a source that mentions something."""
        try:
            raw = read_file(file.path, self.settings.max_file_size)
        except NotReadableError as error:
            return _unread(file.shown, str(error))
        return self.prepare(file.shown, raw, file.language)

    def prepare(self, path: str, raw: bytes, language: str) -> Checked | Mentioning:
        """As `read`, for bytes in hand."""
        try:
            data = to_utf8(raw, language)
        except NotReadableError as error:
            return _unread(path, str(error))
        hits = self.search(data, language)
        return Mentioning(Source(path, data, language), raw, hits) if hits else Checked(path)

    def check_bytes(self, path: str, raw: bytes, language: str) -> Checked:
        """Checks bytes that were not read from a file."""
        pending = self.prepare(path, raw, language)
        return pending if isinstance(pending, Checked) else self.analyse(pending)

    def check(self, source: Source) -> Checked:
        """Checks a Source, whose own gaps are named in the result."""
        hits = self.search(source.data, source.language) if source.language is not None else ()
        if hits:
            return self.analyse(Mentioning(source, source.data, hits))
        return Checked(source.path, not_analysed=_named_gaps(source, source.gaps))

    def analyse(self, pending: Mentioning) -> Checked:
        """Parses a source, observes its Uses and judges them. What breaks concerns this source alone."""
        source = pending.source
        limit = sys.getrecursionlimit()
        try:
            sys.setrecursionlimit(max(limit, DEPTH))
            return self._analyse(source, pending.raw, pending.hits)
        except UsageError:
            raise
        except Exception as error:  # told in the report, and the run fails in the end
            return _broken_down(source.path, error)
        finally:
            sys.setrecursionlimit(limit)

    def _analyse(self, source: Source, raw: bytes, hits: Sequence[int]) -> Checked:
        from fairlint.relevance import Relevance  # noqa: PLC0415 (only files that mention something come here)

        parse = self.parsers.get(source.language or "")
        if parse is None:
            raise UsageError(f"{source.path}: no parser for the language '{source.language}'")
        tree = parse(source.data, Relevance(source.data, source.language, hits).keep)
        result = Checked(source.path, not_analysed=_named_gaps(source, (*source.gaps, *tree.gaps)))
        for detector in self.detectors:
            result.uses.extend(detector(source, tree, self.vocabulary, self.settings))
        result.uses.sort(key=lambda use: (use.span.start, use.span.end, use.attribute))
        self._judge(source, raw, result)
        return result

    def _judge(self, source: Source, raw: bytes, result: Checked) -> None:
        """Fills in the findings that `result.uses` give."""
        judged = [(use, verdict) for use in result.uses if (verdict := self._verdict(use))]
        shown = []
        for use, verdict in judged:
            if not self._wanted(verdict.rule, source.path):
                continue
            if SEVERITIES.index(verdict.severity) < SEVERITIES.index(self.settings.min_severity):
                result.hidden += 1
                continue
            shown.append((use, verdict))
        if not shown:
            return
        from fairlint.fingerprints import Fingerprints, line_hashes  # noqa: PLC0415 (only for findings)

        lines = [source.position(use.span.start).line for use, _ in shown]
        hashes = line_hashes(raw.decode("utf-8", "replace"), lines)
        fingerprints = Fingerprints()
        for (use, verdict), line in zip(shown, lines, strict=True):
            text = source.line(line)
            fingerprint = fingerprints.make(verdict.rule.code, use.function, use.attribute, text)
            result.findings.append(_finding(source, use, verdict, fingerprint, hashes.get(line, "")))
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
        if settings.select and not _named(rule, settings.select):
            return False
        if _named(rule, settings.ignore):
            return False
        return not any(
            patterns.match(path) and _named(rule, rules) for patterns, rules in self.per_file_ignores
        )

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary, with what plugins and the user add to it."""
        from fairlint.vocabulary import default_vocabulary  # noqa: PLC0415 (loads the attribute data)

        tables = (*plugins.attribute_tables(), *self.settings.vocabulary_tables())
        try:
            return default_vocabulary().extended(tables) if tables else default_vocabulary()
        except ValueError as error:
            where = f"{self.settings.source}: " if self.settings.source else ""
            raise UsageError(f"{where}{error}") from None

    @cached_property
    def search(self) -> Callable[[bytes, str | None], Sequence[int]]:
        """Gives the offsets at which a source of some language may name a protected attribute, in order."""
        from fairlint.sightings import Sightings  # noqa: PLC0415 (not before there is a file to search)

        return Sightings(self.vocabulary)

    @cached_property
    def parsers(self) -> Mapping[str, plugins.Parse]:
        """Language -> what parses it."""
        return {language.name: language.parse for language in plugins.languages().values()}

    @cached_property
    def suffixes(self) -> Mapping[str, str]:
        """Suffix -> language."""
        return {suffix: language.name for suffix, language in plugins.languages().items()}

    @cached_property
    def detectors(self) -> tuple[plugins.Detector, ...]:
        """What observes Uses."""
        return plugins.detectors()

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All rules, in the order they judge in. A name in the settings that fits none is a UsageError."""
        rules = plugins.load_rules()
        wanted = (*self.settings.select, *self.settings.ignore)
        for name in (*wanted, *(name for names in self.settings.per_file_ignores.values() for name in names)):
            if not any(_named(rule, (name,)) for rule in rules):
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


def _named(rule: Rule, names: Iterable[str]) -> bool:
    return any(name == rule.name or rule.code.startswith(name.upper()) for name in names)


def _finding(source: Source, use: Use, verdict: Verdict, fingerprint: str, line_hash: str) -> Finding:
    return Finding(
        rule=verdict.rule.code,
        name=verdict.rule.name,
        severity=verdict.severity,
        confidence=verdict.confidence,
        path=source.path,
        start=source.position(use.span.start),
        end=source.position(use.span.end),
        message=verdict.message,
        advice=verdict.rule.advice,
        use=use,
        flow=tuple(
            FlowStep(
                source.path, source.position(step.span.start), source.position(step.span.end), step.message
            )
            for step in use.flow
        ),
        fingerprint=fingerprint,
        line_hash=line_hash,
    )


def _unread(path: str, reason: str) -> Checked:
    return Checked(path, not_analysed=[NotAnalysed(path, 1, reason)], read=False)


def _broken_down(path: str, error: BaseException | None) -> Checked:
    """The result for a source whose analysis failed. With FAIRLINT_DEBUG set, the traceback is shown too."""
    if error is not None and os.environ.get("FAIRLINT_DEBUG"):
        import traceback  # noqa: PLC0415

        traceback.print_exception(error)
    reason = "its process died" if error is None else " ".join(f"{type(error).__name__}: {error}".split())
    return Checked(path, not_analysed=[NotAnalysed(path, 1, f"internal error: {reason[:200]}")], failed=True)


def _named_gaps(source: Source, gaps: Iterable[Gap]) -> list[NotAnalysed]:
    """One entry a gap, in the order of their lines, at most one a line and few a file."""
    by_line: dict[int, str] = {}
    for gap in sorted(gaps, key=lambda gap: gap.span.start):
        by_line.setdefault(source.position(gap.span.start).line, gap.reason)
    named = [NotAnalysed(source.path, line, reason) for line, reason in by_line.items()]
    if len(named) <= MAX_GAPS:
        return named
    rest = len(named) - MAX_GAPS + 1
    more = NotAnalysed(
        source.path, named[-rest].line, f"{rest} more places that could not be read, from here on"
    )
    return [*named[:-rest], more]


def _check_files(checker: Checker, files: Sequence[File]) -> Iterator[Checked]:
    """Checks files: all are read and searched here, and analysed here too unless that is much work.

    Reading and searching is quick enough that threads only make it slower (measured).
    """
    pending: list[Mentioning] = []
    for file in files:
        result = checker.read(file)
        if isinstance(result, Checked):
            yield result
        else:
            pending.append(result)
    if sum(len(one.raw) for one in pending) >= ENOUGH_FOR_PROCESSES and len(pending) > 1:
        from fairlint import processes  # noqa: PLC0415 (few runs need them)

        if processes.available():
            yield from processes.analyse(checker, pending, _broken_down)
            return
    yield from map(checker.analyse, pending)
