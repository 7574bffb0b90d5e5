"""What is told of one line, for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from fairlint.findings.levels import FULL_WEIGHT, NOTE_WEIGHT
from fairlint.reporters.encoding import Json, without_surrogates
from fairlint.reporters.json import points_object

if TYPE_CHECKING:
    from fairlint.checking.explain import Explanation, Name
    from fairlint.checking.explained_uses import Account, Reason
    from fairlint.vocabulary.model import Evidence


def document(told: Explanation) -> Mapping[str, Json]:
    """Return everything that is told of the line."""
    return {
        "path": without_surrogates(told.source.path),
        "cell": told.cell,
        "line": told.line,
        "column": told.column,
        "text": without_surrogates(told.text),
        "function": without_surrogates(told.function),
        "thresholds": {"note": NOTE_WEIGHT, "full": FULL_WEIGHT},
        "names": [_name_facts(name, told) for name in told.names],
        "uses": [_account_facts(account) for account in told.accounts],
        "unused": [
            {
                "name": without_surrogates(unused.name.written),
                "attribute": unused.name.attribute,
                "weight": unused.weight,
                "evidence": _evidence_facts(unused.evidence),
                "reason": _reason_facts(unused.reason),
            }
            for unused in told.unused
        ],
        "reasons": [_reason_facts(reason) for reason in told.reasons],
        "nearest": told.nearest,
    }


def _name_facts(name: Name, told: Explanation) -> Json:
    mention = name.mention
    return {
        "name": without_surrogates(name.written),
        "column": told.column_of(name.span.start),
        "end_column": told.column_of(name.span.end),
        "where": name.where,
        "attribute": name.attribute or None,
        "group": name.group or None,
        "strength": mention.strength if mention else None,
        "weight": mention.weight if mention else None,
        "unknown_because": None if name.attribute else name.reason or "no known name",
    }


def _account_facts(account: Account) -> Json:
    use, verdict = account.use, account.verdict
    return {
        "path": without_surrogates(account.path),
        "cell": account.cell,
        "line": account.start.line,
        "column": account.start.column,
        "end_line": account.end.line,
        "end_column": account.end.column,
        "attribute": use.attribute,
        "kind": use.kind,
        "effect": use.effect,
        "shape": use.shape,
        "groups": [without_surrogates(group) for group in use.groups],
        "points": points_object(use.points),
        "outcomes": {
            without_surrogates(group): without_surrogates(text) for group, text in use.outcomes.items()
        },
        "target": None if use.target is None else without_surrogates(use.target),
        "domain": use.domain or None,
        "tags": sorted(use.tags),
        "weight": use.weight,
        "evidence": _evidence_facts(use.evidence),
        "context": use.context.name or None,
        "context_evidence": _evidence_facts(use.context.evidence),
        "flow": [
            {
                "path": without_surrogates(step.path),
                "cell": step.cell,
                "line": step.start.line,
                "column": step.start.column,
                "message": without_surrogates(step.message),
            }
            for step in account.flow
        ],
        "reported": not account.reasons,
        "rule": verdict.rule.code if verdict else None,
        "severity": verdict.severity if verdict else None,
        "confidence": verdict.confidence if verdict else None,
        "message": without_surrogates(verdict.message) if verdict else None,
        "advice": verdict.advice if verdict else None,
        "milder": account.milder or None,
        "reasons": [_reason_facts(reason) for reason in account.reasons],
    }


def _evidence_facts(evidence: Iterable[Evidence]) -> Json:
    return [{"weight": item.weight, "reason": without_surrogates(item.reason)} for item in evidence]


def _reason_facts(reason: Reason) -> Json:
    return {
        "code": reason.code,
        "reason": without_surrogates(reason.text),
        "remedy": without_surrogates(reason.remedy),
    }
