"""The Uses on a line that is asked about: each with its finding, or with why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from fairlint.checking.checker import Checker
from fairlint.checking.explained_line import Line, start_and_end, touch_flags
from fairlint.checking.file_result import FileResult
from fairlint.checking.reparsed_source import Parsed
from fairlint.checking.selection import is_too_mild, is_too_unsure, matches_any_name
from fairlint.findings.finding import FlowStep
from fairlint.findings.levels import FULL_WEIGHT, NOTE_WEIGHT, Severity
from fairlint.findings.report import Suppressed
from fairlint.findings.uses import BY_LAW, SPOKEN_FOR
from fairlint.rules.judging import BY_ANSWER, MILD_TAGS, SILENT_EFFECTS, Verdict, judge
from fairlint.support.records import Record, replace
from fairlint.syntax.source import Position, Source

if TYPE_CHECKING:
    from fairlint.findings.uses import Use

EFFECTS: Mapping[str, str] = {
    "decide": "a person's outcome depends on it",
    "score": "a person's score depends on it",
    "learn": "a model learns from it",
    "assume": "it is assumed where it was not given",
    "test": "tests are made of it",
    "show": "it is shown, counted, or given to code that fairlint does not know",
    "check": "it is checked",
    "store": "it is kept or passed on",
    "none": "nothing is seen to depend on it",
}
"""What comes of a use, in words."""
TAGS: Mapping[str, str] = {
    "explains": "the formula explains something that is neither granted nor judged",
    "unnamed": "nothing says with which groups it is compared",
    "by-shape": "no name or text calls what the groups get an outcome",
    BY_ANSWER: "nothing but an answer, or an amount that nobody knows, tells the groups apart",
}

_NAME_IT = "where a name here means a protected attribute, add it to `strong` under [attributes.NAME]"
REMEDIES: Mapping[str, str] = {
    "gap": "make it readable; the rest of the file is checked",
    "comment": "nothing: comments and running text decide nothing",
    "no-name": _NAME_IT,
    "no-hit": _NAME_IT,
    "not-lowered": _NAME_IT,
    "no-use": "nothing, unless an outcome, a score or a model depends on it, here or in other code",
    "effect": "nothing, unless an outcome or a score depends on it, here or in other code",
    "lawful": "where no law sets it, `lawful-ages` says which limits are lawful",
    "weight": "where a person is meant, let the names say so (`applicant.{attribute}`); else nothing",
    "spoken-for": "fairlint explain {path}:{line}",
    "no-rule": "no rule is about such a use; if it changes an outcome or a score, look at what depends on it",
    "jurisdiction": "--jurisdiction all counts what any law names",
    "domain": "--domain says what the code is used for",
    "select": "take {rule} into `select`",
    "ignore": "take {rule} out of `ignore`",
    "per-file-ignores": "take {rule} out of `per-file-ignores` for this path",
    "min-severity": "--min-severity {severity} shows it",
    "min-confidence": "--min-confidence {confidence} shows it",
    "suppressed": "--no-suppressions tells it",
    "excluded": "name the file, or change `exclude`",
}
"""Code of a reason → what one could do."""


class Reason(Record):
    """Why nothing is reported: a short code for programs, the reason, and what one could do."""

    code: str
    text: str
    remedy: str


class Account(Record):
    """A Use that touches the line, and what became of it."""

    use: Use
    path: str
    cell: int | None
    start: Position
    end: Position
    flow: tuple[FlowStep, ...]
    verdict: Verdict | None
    """What the rule says that judges the use."""
    reasons: tuple[Reason, ...]
    """Why there is no finding; empty where there is one."""
    milder: str
    """Why the severity is not the rule's own."""


def make_reason(code: str, text: str, **facts: object) -> Reason:
    """Return a reason with its remedy."""
    return Reason(code, text, REMEDIES[code].format(**facts))


def accounts_of_line(
    asked: Line, checked: FileResult, checker: Checker, source: Source
) -> tuple[Account, ...]:
    """Return the Uses that touch the line, findings first, then in the order of the code."""
    told = checked.source or source
    uses = [*checked.uses, *(use for _, use in checked.elsewhere)]
    touching = [use for use in uses if any(touch_flags(use, asked, told))]
    if asked.column is not None:
        narrow = [use for use in touching if any(touch_flags(use, asked, told, in_column=True))]
        touching = narrow or touching
    aside = {id(one.finding.use): one for one in checked.suppressed}
    accounts = [_account_of_use(use, uses, told, checker, aside.get(id(use))) for use in touching]
    accounts.sort(key=lambda account: (bool(account.reasons), account.start.line != asked.number))
    return tuple(accounts)


def _account_of_use(
    use: Use, uses: Sequence[Use], told: Source, checker: Checker, aside: Suppressed | None
) -> Account:
    start, end = start_and_end(told, use.span)
    verdict, reasons = verdict_and_reasons(use, uses, told, checker)
    if aside is not None:
        why = aside.reason or "it gives no reason"
        reasons.append(make_reason("suppressed", f"the comment in line {aside.line} suppresses it: {why}"))
    flow = []
    for step in use.flow:
        place, behind = start_and_end(told, step.span)
        flow.append(FlowStep(place.path, place.position, behind, step.message, place.cell))
    milder = _why_milder(use, verdict) if verdict else ""
    return Account(
        use, start.path, start.cell, start.position, end, tuple(flow), verdict, tuple(reasons), milder
    )


def with_names(account: Account, parsed: Parsed) -> Account:
    """Return the account, where no outcome is seen with the names in the code that may stand for one."""
    if not any(reason.code == "effect" for reason in account.reasons):
        return account
    from fairlint.detectors.unseen_outcomes import remedy, unseen  # noqa: PLC0415 (loads the analysis)

    named = remedy(unseen(account.use, parsed.context()))
    reasons = (
        replace(one, remedy=named) if named and one.code == "effect" else one for one in account.reasons
    )
    return replace(account, reasons=tuple(reasons))


def verdict_and_reasons(
    use: Use, uses: Sequence[Use], told: Source, checker: Checker
) -> tuple[Verdict | None, list[Reason]]:
    """Return what becomes of a Use: the verdict, and all reasons why it is not reported, the first
    one first.
    """
    path = told.place(use.span.start).path
    if path != told.path:
        checker = checker.at(path)
    reasons = [*protection_reasons(use.attribute, use.domain, checker), *_why_silent(use, uses, told)]
    if reasons:
        return None, reasons
    verdict = judge(use, checker.rules, law=checker.settings.law)
    if verdict is None:
        return None, [make_reason("no-rule", "no rule is about such a use")]
    return verdict, [*_filter_reasons(verdict, path, checker)]


def protection_reasons(attribute: str, domain: str, checker: Checker) -> Iterator[Reason]:
    """Yield why no law protects an attribute, or none in this field."""
    settings, protected_in = checker.settings, checker.vocabulary.protected_in
    words = attribute.replace("_", " ")
    if not protected_in(attribute, settings.law):
        text = f"no law of `{settings.law}` names {words} (the setting jurisdiction)"
        yield make_reason("jurisdiction", text)
    elif settings.domain != "all":
        if not protected_in(attribute, settings.law, settings.domain):
            text = f"{words} is a lawful factor in {settings.domain} (the setting domain)"
            yield make_reason("domain", text)
    elif not any(protected_in(attribute, settings.law, place) for place in (domain, "")):
        about = f"this code is about {domain}" if domain else "nothing here says what the code is for"
        yield make_reason("domain", f"{words} is barred in some fields only, and {about}")


def _why_silent(use: Use, uses: Sequence[Use], told: Source) -> Iterator[Reason]:
    """Yield why no rule is asked about a Use."""
    if BY_LAW in use.tags and use.effect in SILENT_EFFECTS:
        yield make_reason(
            "lawful", f"a limit of {use.attribute.replace('_', ' ')} that the law itself sets decides here"
        )
    elif use.effect in SILENT_EFFECTS:
        yield make_reason("effect", "fairlint sees no outcome or score that depends on it")
    if use.weight < NOTE_WEIGHT:
        text = f"too little evidence of a person: {use.weight}, and a note takes {NOTE_WEIGHT}"
        yield make_reason("weight", text, attribute=use.attribute)
    if SPOKEN_FOR in use.tags:
        speaker = _find_speaker(use, uses)
        place = told.place((speaker or use).span.start)
        named = speaker.attribute.replace("_", " ") if speaker else "another attribute"
        line = place.position.line
        path = place.path if place.cell is None else f"{place.path}:cell {place.cell}"
        if use.kind == "prompt":
            text = f"it is part of the prompt that is reported in line {line}"
        else:
            text = f"it is tested together with {named}, whose finding (line {line}) speaks for both"
        yield make_reason("spoken-for", text, path=path, line=line)


def _find_speaker(use: Use, uses: Iterable[Use]) -> Use | None:
    """Return the Use that speaks for another one: the nearest that names its attribute as joined; of a
    prompt, which may be put together in another function, also the nearest of its own.
    """
    if use.kind == "prompt":
        prompts = (other for other in uses if other.kind == "prompt" and SPOKEN_FOR not in other.tags)
        speakers = [other for other in prompts if use.attribute in (other.attribute, *other.joined)]
    else:
        speakers = [one for one in uses if use.attribute in one.joined and one.function == use.function]
    return min(speakers, key=lambda other: abs(other.span.start - use.span.start), default=None)


def _filter_reasons(verdict: Verdict, path: str, checker: Checker) -> Iterator[Reason]:
    """Yield which settings keep a finding out of the report."""
    settings, rule = checker.settings, verdict.rule
    if settings.select and not matches_any_name(rule, settings.select):
        yield make_reason("select", f"`select` leaves {rule.code} out", rule=rule.code)
    if matches_any_name(rule, settings.ignore):
        yield make_reason("ignore", f"`ignore` names {rule.code}", rule=rule.code)
    if any(
        patterns.match(path) and matches_any_name(rule, names) for patterns, names in checker.per_file_ignores
    ):
        yield make_reason("per-file-ignores", f"`per-file-ignores` names {rule.code} for it", rule=rule.code)
    if is_too_unsure(verdict, settings):
        text = (
            f"a confidence of {verdict.confidence} is less than `min-confidence` ({settings.min_confidence})"
        )
        yield make_reason("min-confidence", text, confidence=verdict.confidence)
    if is_too_mild(verdict, settings):
        text = f"a {verdict.severity} is milder than `min-severity` ({settings.min_severity})"
        yield make_reason("min-severity", text, severity=verdict.severity)


def _why_milder(use: Use, verdict: Verdict) -> str:
    """Return why a verdict is a note where its rule says more."""
    own: Severity = verdict.rule.severity
    if verdict.severity == own:
        return ""
    telling = MILD_TAGS if verdict.severity == "note" else {BY_ANSWER}
    why = [TAGS.get(tag, f"the code is tagged {tag}") for tag in sorted(use.tags & telling)]
    if use.context.name:
        why.insert(0, f"its context is {use.context.name} ({use.context.weight})")
    if use.weight < FULL_WEIGHT:
        why.insert(0, f"{use.weight} speaks for a person, and {own} takes {FULL_WEIGHT}")
    told = "; ".join(why) or f"{verdict.rule.code} is no more than that for a use of this kind"
    return f"a {verdict.severity}, not {own}: {told}"
