"""The laws that findings refer to, by the jurisdiction that has them, and why a finding refers to none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from fairlint.findings.finding import Finding
from fairlint.laws import Law, belonging, laws_in_force, register
from fairlint.laws.law import ANYWHERE, BINDING
from fairlint.reporters import ReportOptions
from fairlint.reporters.page import words
from fairlint.support.records import Record

_PLACES = {
    "us": " in the United States", "eu": " in the European Union", "uk": " in the United Kingdom",
    ANYWHERE: "",
}  # fmt: skip


class LawLine(Record):
    """A line about law: a text, and laws after it. `is_listed` where the page lists them."""

    text: str
    laws: tuple[Law, ...] = ()
    is_listed: bool = False


class Scope(Record):
    """Under which law and for which field the settings ask findings to be judged."""

    jurisdiction: str = ANYWHERE
    field: str = ""
    is_known: bool = True
    """False where files have different settings."""


def scope_of(options: ReportOptions) -> Scope:
    """Return the jurisdiction and the field of a run."""
    provenance = options.provenance
    field = options.facts.get("Domain", ANYWHERE)
    return Scope(
        jurisdiction=options.facts.get("Jurisdiction", options.jurisdiction),
        field="" if field == ANYWHERE else field,
        is_known=provenance is None or len(provenance.settings) <= 1,
    )


def law_lines(finding: Finding, of_rule: Sequence[str], scope: Scope) -> tuple[LawLine, ...]:
    """Return what a finding says about law: the laws that may apply, or why none is named."""
    listed = [LawLine(f"{place}: ", laws, is_listed=True) for place, laws in by_place(finding.laws)]
    if listed:
        field = _field_of(finding, scope) if any(law.fields for one in listed for law in one.laws) else ""
        return (*listed, LawLine(field)) if field else tuple(listed)
    use = finding.use
    if not use.attributes or use.effect == "none":
        return ()
    if not scope.is_known:
        return (LawLine("fairlint’s register names no law for this finding."),)
    if scope.field and use.domain and scope.field != use.domain:
        head = f"None for both fields: the code is about {use.domain}, and the settings say {scope.field}."
        return (
            LawLine(head),
            *(_if_field(finding, of_rule, scope, one) for one in (scope.field, use.domain)),
        )
    return (LawLine(_reason(finding, scope, scope.field or use.domain)),)


def _field_of(finding: Finding, scope: Scope) -> str:
    """Return which field the laws of a finding are about, and what says so."""
    field, own = scope.field if scope.is_known else "", finding.use.domain
    if field and own and field != own:
        return f"Fields: {field}, from the settings, and {own}, from the code."
    if field or own:
        origin = (
            "the settings and the code" if field and own else "the settings alone" if field else "the code"
        )
        return f"Field: {field or own}, from {origin}."
    return ""


def _if_field(finding: Finding, of_rule: Sequence[str], scope: Scope, field: str) -> LawLine:
    """Return the laws that would be named if the code was about one field alone."""
    from fairlint.vocabulary import default_vocabulary  # noqa: PLC0415 (few findings need it)

    vocabulary, use = default_vocabulary(), finding.use
    ids = belonging(
        of_rule,
        {name: vocabulary.laws_of(name) for name in use.attributes},
        effect=use.effect,
        fields=(field,),
        jurisdiction=scope.jurisdiction,
    )
    if not ids:
        return LawLine(_reason(finding, scope, field))
    return LawLine(f"If it is about {field}: ", tuple(laws_in_force(ids)))


def _reason(finding: Finding, scope: Scope, field: str) -> str:
    """Return why no law is named at a finding."""
    use = finding.use
    about = words.join_phrase([words.name(one) for one in use.attributes])
    fitting = [
        law
        for law in register().values()
        if law.status in BINDING
        and law.holds_in(scope.jurisdiction)
        and law.is_about_field(field)
        and set(use.attributes) & set(law.attributes)
    ]
    where = (f" in {field}" if field else "") + _PLACES.get(scope.jurisdiction, "")
    if not fitting:
        return f"No law in fairlint’s register names {about}{where}."
    if not field and all(law.fields for law in fitting):
        fields = words.join_phrase(sorted({one for law in fitting for one in law.fields}))
        return f"Depends on the field, which fairlint does not know: its register has laws for {fields}."
    return f"fairlint’s register names no law for {finding.rule} and {about}{where}."


class Named(Record):
    """A law, the rules whose findings refer to it, and how many findings and suppressed ones do."""

    law: Law
    rules: tuple[str, ...]
    findings: int
    aside: int


def by_place(ids: Iterable[str]) -> tuple[tuple[str, tuple[Law, ...]], ...]:
    """Return the laws with these ids, by place; both in the order of the ids."""
    found: dict[str, list[Law]] = {}
    for law in laws_in_force(dict.fromkeys(ids)):
        found.setdefault(law.place, []).append(law)
    return tuple((place, tuple(laws)) for place, laws in found.items())


def laws_of(
    findings: Sequence[Finding], suppressed: Sequence[Finding]
) -> tuple[tuple[str, tuple[Named, ...]], ...]:
    """Return the laws of some findings, by place; places and laws with the most findings first."""
    number = Counter(id_ for one in findings for id_ in one.laws)
    aside = Counter(id_ for one in suppressed for id_ in one.laws)
    rules: dict[str, set[str]] = {}
    for one in (*findings, *suppressed):
        for id_ in one.laws:
            rules.setdefault(id_, set()).add(one.rule)
    return tuple(
        (
            place,
            tuple(Named(law, tuple(sorted(rules[law.id])), number[law.id], aside[law.id]) for law in laws),
        )
        for place, laws in by_place(id_ for id_, _ in (number + aside).most_common())
    )
