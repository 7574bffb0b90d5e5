"""The linter's findings about a prompt, with what was measured of it."""

from __future__ import annotations

from fairlint.checking.runner import check_paths
from fairlint.config import Settings
from fairlint.counterfactual.prompts.audited import Audited, points, verdict_text
from fairlint.counterfactual.prompts.prompt import Prompt
from fairlint.findings.finding import Finding
from fairlint.findings.report import Report
from fairlint.support.records import replace
from fairlint.vocabulary.model import Evidence


def measured_report(told: Audited) -> Report:
    """Return the report on the prompt's file: only the findings about the prompt, with what was measured."""
    template = told.audit.template
    if not template.path.endswith(".py"):
        return Report()
    report = check_paths([template.path], Settings(min_severity="note"))
    found = [
        _with_effect(one, told)
        for one in report.findings
        if one.use.kind == "prompt" and _is_about(one, template)
    ]
    return replace(report, findings=tuple(found))


def _is_about(finding: Finding, prompt: Prompt) -> bool:
    lines = [finding.start.line, *(step.start.line for step in finding.flow)]
    own = prompt.finding_lines or range(prompt.line, prompt.last_line + 1)
    return any(line in own for line in lines)


def _with_effect(finding: Finding, told: Audited) -> Finding:
    shown = shown_effect(told, finding.use.attributes)
    use = replace(finding.use, evidence=(*finding.use.evidence, Evidence(0, shown)))
    return replace(finding, message=f"{finding.message} ({shown})", use=use)


def shown_effect(told: Audited, attributes: tuple[str, ...]) -> str:
    """Return one clause: what was measured of these attributes, or of all where none of them was varied."""
    decisions = [one for one in told.effects if one.contrast.outcome == "decision"]
    own = [one for one in decisions if one.contrast.attribute in attributes] or decisions
    if not own:
        return "measured: nothing could be compared"
    largest = max(own, key=lambda one: (one.verdict in {"biased", "one name"}, abs(one.mean or 0.0)))
    contrast = largest.contrast
    against = contrast.others[0] if len(contrast.others) == 1 else "others"
    return (
        f"measured on {largest.cases:,} cases with {told.asked['model']}: {contrast.group} against {against} "
        f"({contrast.channel}) {points(largest.mean)} points beyond placebo, {verdict_text(largest)}"
    )
