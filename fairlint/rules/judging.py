"""Judging: which rule a use comes under, with which severity and confidence."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.findings.finding import Unheeded
from fairlint.findings.levels import CONFIDENCES, FULL_WEIGHT, NOTE_WEIGHT, Confidence, Severity
from fairlint.findings.uses import SPOKEN_FOR, ContextName, Use
from fairlint.rules.messages import render_message
from fairlint.rules.rule import ANY_LAW, Rule, condition_holds
from fairlint.support.records import Record

CONFIDENCE_WEIGHTS: tuple[tuple[int, Confidence], ...] = ((8, "high"), (6, "medium"), (0, "low"))
"""The confidence that so much evidence allows, strongest first."""
SILENT_EFFECTS = frozenset({"show", "check", "store"})
"""Effects that no rule judges: nobody's outcome or score moves here."""
MILD_TAGS = frozenset({"explains", "unnamed", "by-shape"})
"""Code that only explains, compares with what nobody knows, or whose shape alone looks like a decision, gets
notes at most."""
BY_NAME = "by-name"
"""Tags a Use that only the bare name of a call speaks for: its confidence is medium at most."""
BY_ANSWER = "by-answer"
"""Tags a decision that nothing but a yes or no speaks for, and a score of which nobody knows what groups get:
too little for an error."""


class Verdict(Record):
    """What a rule says about a Use."""

    rule: Rule
    severity: Severity
    confidence: Confidence
    message: str
    advice: str
    lowered_by: ContextName = ""
    """The context that makes a note of what would be more."""
    unheeded: tuple[Unheeded, ...] = ()
    """As in a Finding."""
    laws: tuple[str, ...] = ()
    """As in a Finding."""


def judge(
    use: Use, rules: Sequence[Rule], told: Use | None = None, law: str = ANY_LAW, field: str = ""
) -> Verdict | None:
    """Return what the first of `rules` that selects `use` says about it, or None where there is nothing to
    say.

    `told` is the same Use as messages tell it, where an attribute goes by another name there; `law` the
    jurisdiction whose laws advice may name, `field` the field that they have to be about, if one is known.

    `rules` are in the order of `load_rules`. Give all of them and drop unwanted findings afterwards: without
    the rule that fits best, a more general one would speak up in its place.
    """
    weight = use.weight
    if weight < NOTE_WEIGHT or use.effect in SILENT_EFFECTS or SPOKEN_FOR in use.tags:
        return None
    for rule in rules:
        if rule.selects(use):
            mild = weight < FULL_WEIGHT or not MILD_TAGS.isdisjoint(use.tags)
            context = use.context.name if use.context.heeded else ""
            said = () if context == use.context.name else (Unheeded("context", use.context.name),)
            return Verdict(
                rule,
                "note" if mild or context else _severity_of_use(rule, use),
                _confidence_of_use(rule, use),
                render_message(rule.message, told or use) + _justification_text(use),
                rule.advice_for(use, law, field),
                "" if mild or rule.severity == "note" else context,
                said,
            )
    return None


def _severity_of_use(rule: Rule, use: Use) -> Severity:
    if any(condition_holds(condition, use) for condition in rule.note_when):
        return "note"
    return "warning" if rule.severity == "error" and BY_ANSWER in use.tags else rule.severity


def _justification_text(use: Use) -> str:
    """Return what would have to justify the difference, where the Use has a context."""
    return f" ({use.context.name}: {use.context.justification})" if use.context.name else ""


def _confidence_of_use(rule: Rule, use: Use) -> Confidence:
    by_weight = next(level for least, level in CONFIDENCE_WEIGHTS if use.weight >= least)
    most: Confidence = "medium" if BY_NAME in use.tags else "high"
    return min(rule.confidence, by_weight, most, key=CONFIDENCES.index)
