"""What the rules, the law and comments make of the Uses of one file."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING

from fairlint.checking.file_result import BelowThreshold, FileResult
from fairlint.checking.selection import is_too_mild, is_too_unsure, matches_any_name
from fairlint.findings.finding import Unheeded
from fairlint.findings.report import Suppressed
from fairlint.findings.uses import Use
from fairlint.support.records import replace
from fairlint.syntax.source import MARK, Source

if TYPE_CHECKING:
    from fairlint.checking.checker import Checker
    from fairlint.rules.judging import Verdict
    from fairlint.suppression.comments import Problem, Suppression, Suppressions
    from fairlint.syntax.tree import Span, Tree


def judge_uses(checker: Checker, source: Source, raw: bytes, tree: Tree, result: FileResult) -> None:
    """Fill in the findings that `result.uses` give."""
    placed = [*((None, use) for use in result.uses), *result.elsewhere]
    comments = _suppression_comments(checker, source, tree)
    shown, aside = [], []
    for key, use in placed:
        path = source.place(use.span.start).path
        there = checker if path == source.path else checker.at(path)
        verdict = verdict_of(there, use)
        if verdict is None:
            continue
        comment = comments.of(use, verdict) if comments is not None else None
        if comment is not None:
            result.used.add(comments_key(source, comment, verdict.rule.code))
        if not is_wanted(there, verdict, path):
            continue
        if comment is not None and there.settings.untrusted:
            verdict = replace(verdict, unheeded=(*verdict.unheeded, _of_comment(source, comment)))
        elif comment is not None:
            aside.append((use_as_told(there, use), verdict, comment))
            continue
        if is_too_mild(verdict, there.settings):
            place = place_of(source.path, use, 0) if key is None else key
            result.hidden.append(BelowThreshold(place, verdict.rule.code, use.condition, verdict.lowered_by))
            continue
        shown.append((use_as_told(there, use), verdict))
    if comments is not None:
        shown += _comment_problems(checker, source, comments.problems)
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
            judged_so = _comment_problems(checker, source, [("unused", comment.span, code)])
            key = comments_key(source, comment, code)
            result.unused += ((key, one) for one in findings_of(places, judged_so))
    result.source = source


def _suppression_comments(checker: Checker, source: Source, tree: Tree) -> Suppressions | None:
    """Return the comments that put findings aside; None where there are none, or none count."""
    if MARK not in source.data or not checker.settings.suppressions:
        return None
    from fairlint.suppression.comments import Suppressions  # noqa: PLC0415 (few sources have some)

    return Suppressions(source, tree, checker.rules)


def _comment_problems(
    checker: Checker, source: Source, problems: Iterable[tuple[Problem, Span, str]]
) -> list[tuple[Use, Verdict]]:
    """Return what is wrong with comments of the source itself, judged; what is too mild is left out."""
    from fairlint.rules.judging import judge  # noqa: PLC0415 (as above)
    from fairlint.suppression.comments import problem_use  # noqa: PLC0415 (as above)

    found = []
    for problem, span, detail in problems:
        path = source.place(span.start).path
        use = problem_use(problem, span, detail)
        verdict = _with_laws(checker, use, judge(use, checker.rules)) if path == source.path else None
        if verdict and is_wanted(checker, verdict, path) and not is_too_mild(verdict, checker.settings):
            found.append((use, verdict))
    return found


def verdict_of(checker: Checker, use: Use) -> Verdict | None:
    """Return what the rules say about a Use under these settings; None where there is nothing to say."""
    from fairlint.rules.judging import judge  # noqa: PLC0415 (only files with Uses come here)

    # Asked for all domains, an attribute that only some protect counts where the code is about them.
    domains = (use.domain, "") if checker.settings.domain == "all" else (checker.settings.domain,)
    protected_in, jurisdiction = checker.vocabulary.protected_in, checker.settings.law
    names = use.attributes
    if not any(protected_in(name, jurisdiction, domain) for name in names for domain in domains):
        return None
    field = "" if checker.settings.domain == "all" else checker.settings.domain
    verdict = judge(use, checker.rules, use_as_told(checker, use), jurisdiction, field)
    return _with_laws(checker, use, verdict)


def _with_laws(checker: Checker, use: Use, verdict: Verdict | None) -> Verdict | None:
    """Return a verdict with the laws that the finding will be about."""
    if verdict is None:
        return None
    from fairlint.laws import belonging  # noqa: PLC0415 (only files with findings come here)

    settings = checker.settings
    by_attribute = {name: checker.vocabulary.laws_of(name) for name in use.attributes}
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


def use_as_told(checker: Checker, use: Use) -> Use:
    """Return a Use by the names that reports give attributes."""
    return rename_attributes(use, checker.vocabulary.renamed)


def is_wanted(checker: Checker, verdict: Verdict, path: str) -> bool:
    """Return whether the settings ask for such findings there, however grave."""
    settings, rule = checker.settings, verdict.rule
    if is_too_unsure(verdict, settings):
        return False
    if settings.select and not matches_any_name(rule, settings.select):
        return False
    if matches_any_name(rule, settings.ignore):
        return False
    return not any(
        patterns.match(path) and matches_any_name(rule, rules) for patterns, rules in checker.per_file_ignores
    )


def _of_comment(source: Source, comment: Suppression) -> Unheeded:
    """Return a comment whose author has no say."""
    place = source.place(comment.span.start)
    return Unheeded("comment", comment.reason, place.path, place.position.line, place.cell)


def comments_key(source: Source, comment: Suppression, code: str) -> Hashable:
    """Return a comment and a rule that it names, whatever file it was met in."""
    place = source.place(comment.span.start)
    return (place.path, place.cell, place.position, code)


def rename_attributes(use: Use, names: Mapping[str, str]) -> Use:
    """Return a Use whose attributes go by other names."""
    if not any(name in names for name in use.attributes):
        return use
    joined = tuple(names.get(name, name) for name in use.joined)
    return replace(use, attribute=names.get(use.attribute, use.attribute), joined=joined)


def place_of(path: str, use: Use, start: int) -> Hashable:
    """Return where a Use stands, however its file was come by."""
    return (path, use.span.start - start, use.span.end - start, use.attribute, use.kind)
