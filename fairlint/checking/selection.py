"""Selection: which rules and findings the settings let through."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from fairlint.config import Settings
from fairlint.findings.levels import CONFIDENCES, SEVERITIES, Severity

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding
    from fairlint.rules.judging import Verdict
    from fairlint.rules.rule import Rule


def named_rules(settings: Settings) -> dict[str, list[str]]:
    """Return the rules that settings name, by the fields that do."""
    return {
        "select": [*settings.select],
        "ignore": [*settings.ignore],
        "per_file_ignores": [name for names in settings.per_file_ignores.values() for name in names],
        "severity": [*settings.severity],
    }


def rule_severity(rule: Rule, wanted: Mapping[str, Severity]) -> Severity:
    """Return how grave a rule is: by the longest name that means it."""
    names = [name for name in wanted if matches_any_name(rule, (name,))]
    exact = [name for name in names if name == rule.name]
    return wanted[(exact or sorted(names, key=len))[-1]] if names else rule.severity


def is_too_mild(verdict: Verdict | Finding, settings: Settings) -> bool:
    """Return whether a finding is hidden: an auditor, and who does not trust the author, is shown what only
    its context makes mild.
    """
    is_mild = SEVERITIES.index(verdict.severity) < SEVERITIES.index(settings.min_severity)
    shows_all = settings.persona == "auditor" or bool(settings.untrusted)
    return is_mild and not (verdict.lowered_by and shows_all)


def is_too_unsure(verdict: Verdict, settings: Settings) -> bool:
    """Return whether a finding is not told, because fairlint is not sure enough that it has understood."""
    return CONFIDENCES.index(verdict.confidence) < CONFIDENCES.index(settings.min_confidence)


def matches_any_name(rule: Rule, names: Iterable[str]) -> bool:
    """Return whether a rule is meant by one of these codes, beginnings of codes, or names."""
    return matches_rule_name(rule.code, rule.name, names)


def matches_rule_name(code: str, name: str, names: Iterable[str]) -> bool:
    """As `is_named`, for the code and the name of a rule."""
    return any(one == name or code.startswith(one.upper()) for one in names)
