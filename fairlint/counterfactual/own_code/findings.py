"""The linter's findings with what was measured of the same function."""

from __future__ import annotations

from fairlint.counterfactual.measured import Changes, Measured
from fairlint.counterfactual.own_code.functions import Head
from fairlint.findings.finding import Finding
from fairlint.findings.fingerprints import Fingerprints, line_hashes
from fairlint.findings.report import Report
from fairlint.findings.uses import Use
from fairlint.rules.judging import judge
from fairlint.rules.loading import load_rules
from fairlint.support.records import replace
from fairlint.syntax.source import Position
from fairlint.vocabulary import default_vocabulary
from fairlint.vocabulary.model import Evidence

SEEN = 10
"""The weight of a change that a run has shown: it needs no other evidence."""


def add_measurements(report: Report, head: Head, measured: Measured, path: str, text: str) -> Report:
    """Return the report of the file, only of the function, with what was measured of each attribute."""
    by_attribute = {one.attribute: one for one in measured.attributes if one.attribute}
    inside = [one for one in report.findings if one.path == path and head.line <= one.start.line <= head.last]
    told = [_with_share(one, by_attribute, measured) for one in inside]
    spoken = {name for one in inside for name in one.use.attributes}
    silent = [
        found
        for name, one in by_attribute.items()
        if (one.changed or (one.followed and one.followed.changed))
        and name not in spoken
        and (found := _at_head(one, head, measured, path, text))
    ]
    return replace(report, findings=tuple(sorted((*told, *silent), key=lambda one: one.sort_key)))


def _with_share(finding: Finding, by_attribute: dict[str, Changes], measured: Measured) -> Finding:
    changes = next((by_attribute[name] for name in finding.use.attributes if name in by_attribute), None)
    if changes is None:
        return finding
    shown = shown_change(changes, measured)
    use = replace(finding.use, evidence=(*finding.use.evidence, Evidence(0, shown)))
    return replace(finding, message=f"{finding.message} ({shown})", use=use)


def shown_change(changes: Changes, measured: Measured) -> str:
    """Return one clause: for how many people of which data another value changes the outcome."""
    together = _shown_followed(changes)
    if changes.proved:
        alone = " alone" if together else ""
        told = f"proved to change nothing{alone}, as it is never read"
        return f"measured on {measured.population}: {told}{together}"
    share = changes.cip.value
    if share is None:
        return f"not measured on {measured.population}: no outcome can be compared"
    told = (
        f"measured on {measured.population}: another {changes.column} changes the outcome of "
        f"{100 * share:.1f} % of {changes.compared:,} people"
    )
    if changes.changed_with_dead > changes.changed and (dead := changes.cip_with_dead.value) is not None:
        told += f", {100 * dead:.1f} % where values count that the code asks for and nobody has"
    return told + together


def _shown_followed(changes: Changes) -> str:
    """Return the same where others follow the column; nothing where none does."""
    if changes.followed is None or (share := changes.followed.cip.value) is None:
        return ""
    names = " and ".join(changes.followed.columns)
    return f"; together with {names}, it changes the outcome of {100 * share:.1f} %"


def _at_head(changes: Changes, head: Head, measured: Measured, path: str, text: str) -> Finding | None:
    """Return a finding of what only the run has shown; None of an attribute that no rule is about."""
    assert changes.attribute is not None
    if changes.attribute not in default_vocabulary().attributes:
        return None  # a name of the description's own: no rule is about it
    shown = shown_change(changes, measured)
    use = Use(
        attribute=changes.attribute,
        attribute_kind=default_vocabulary().attribute(changes.attribute).kind,
        kind="decision",
        effect="decide",
        shape="read",
        span=head.span,
        groups=(),
        points=None,
        outcomes={},
        target=None,
        condition="",
        evidence=(Evidence(SEEN, shown),),
        flow=(),
        function=head.entry,
    )
    verdict = judge(use, load_rules())
    if verdict is None:
        return None
    line = text.splitlines()[head.line - 1]
    return Finding(
        rule=verdict.rule.code,
        name=verdict.rule.name,
        severity=verdict.severity,
        confidence=verdict.confidence,
        path=path,
        start=Position(head.line, head.column),
        end=Position(head.line, head.end_column),
        message=f"{verdict.message} ({shown})",
        advice=verdict.advice,
        use=use,
        flow=(),
        fingerprint=Fingerprints().make(verdict.rule.code, head.entry, changes.attribute, line),
        line_hash=line_hashes(text, [head.line]).get(head.line, ""),
        statement=head.line,
        lowered_by=verdict.lowered_by,
    )
