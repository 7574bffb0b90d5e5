"""What was found about a prompt, for people to read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from fairlint.counterfactual.prompts.agreement import Agreement
from fairlint.counterfactual.prompts.audited import (
    CHANNELS,
    Audited,
    Changed,
    Mitigated,
    change_text,
    mass_text,
    points,
    verdict_text,
)
from fairlint.counterfactual.prompts.bindings import binding_lines
from fairlint.counterfactual.prompts.differences import Contrast
from fairlint.counterfactual.prompts.effect_changes import EffectChange
from fairlint.counterfactual.prompts.effects import Effect
from fairlint.counterfactual.prompts.names import matching_lines, sources_lines
from fairlint.counterfactual.prompts.planning import (
    Audit,
    announced_difference,
    announced_effect,
    count_tests,
    has_enough_cases,
    line_with_own_sex,
)
from fairlint.counterfactual.prompts.probabilities import Mass
from fairlint.counterfactual.prompts.shares import Flips, Rate
from fairlint.reporters.printable import printable

WIDTH = 100
"""Columns after which a sentence goes on in the next line."""
OUTCOME_WORDS = {
    "decision": "",
    "refused": "refusals",
    "unreadable": "unreadable answers",
    "outside": "other answers",
}


def audit_lines(told: Audited) -> Iterator[str]:
    """Yield the lines of a report."""
    audit, asked = told.audit, told.asked
    yield f"{printable(audit.template.path)}:{audit.template.line}  {audit.cases:,} cases"
    yield from (f"  {printable(line)}" for line in binding_lines(audit.template, audit.slots))
    yield (
        f"  asked     {printable(str(asked['model']))} ({printable(str(asked['revision']))}), temperature "
        f"{_setting(asked['temperature'])}, {asked['date']}"
    )
    yield f"  answers   {answers_text(told.answers, audit.form.words, told.mass)}"
    if told.mass is not None:
        yield f"  mass      {mass_text(told.mass)}"
    if told.agreement is not None:
        yield f"  agreement {agreement_text(told.agreement)}"
    yield f"  tokens    {asked['prompt_tokens']:,} read, {asked['new_tokens']:,} written{_money(asked)}"
    yield from _names_lines(audit)
    yield from _own_sex_lines(audit)
    for channel in audit.channels:
        yield ""
        yield f"{channel}: {CHANNELS[channel]}"
        yield from _table([one for one in told.effects if one.contrast.channel == channel])
        for changed in told.changed:
            if changed.channel == channel:
                yield _changed_line(changed)
        for (where, _), rates in told.rates.items():
            if where == channel:
                yield from _rate_lines(rates, is_decision=audit.form.kind == "label")
        yield from _name_lines([one for one in told.effects if one.contrast.channel == channel])
    for mitigated in told.mitigated:
        yield from _mitigated_lines(mitigated, audit)
    yield from _left_out_lines(audit)
    yield ""
    included = ", those of mitigations included" if told.mitigated else ""
    yield from wrap(
        "Effects are points of a hundred, less the placebo, with bounds adjusted over all comparisons"
        f"{included}. Threshold: {100 * told.threshold:g}.",
        WIDTH,
    )


def plan_lines(audit: Audit, cost: Sequence[str], threshold: float) -> Iterator[str]:
    """Yield what an audit would ask, and what it could see."""
    yield f"{printable(audit.template.path)}:{audit.template.line}  {audit.cases:,} cases, {audit.form.words}"
    yield from (f"  {printable(line)}" for line in binding_lines(audit.template, audit.slots))
    for attribute, groups in audit.plan.groups.items():
        yield f"  {attribute}: {', '.join(map(printable, groups))}"
    yield from _names_lines(audit)
    yield from _own_sex_lines(audit)
    for channel in audit.channels:
        cells = [cell for cell in audit.cells if cell.channel == channel and not cell.mitigation]
        seen = _announced_text(audit, channel, threshold)
        yield f"  {channel}: {len(cells):,} questions; {seen}, of {count_tests(audit)} comparisons"
    for one in audit.mitigations:
        count = sum(cell.mitigation == one.name for cell in audit.cells)
        yield f"  with {one.name}: {count:,} questions; {one.title}"
    if audit.mitigations:
        for channel in audit.channels:
            least = announced_difference(audit, channel)
            seen = "no difference" if least is None else f"a difference of {100 * least:.1f} points or more"
            if audit.allowed and has_enough_cases(audit, channel):
                seen = "a difference, of which nobody knows before how small it may be"
            yield f"  {channel}: a mitigation can be seen to make {seen}"
    yield from (f"  {line}" for line in cost)
    yield from _left_out_lines(audit)
    for cell in [cell for cell in audit.cells if cell.case == audit.cells[0].case and cell.draw == 0]:
        shown = ", ".join(f"{name}: {group}" for name, group in cell.groups)
        yield ""
        changed = cell.mitigation and f", with {cell.mitigation}"
        yield f"case {cell.case}, {cell.channel}, {shown}, {cell.arm}{changed}"
        for message in cell.messages:
            yield from (f"    {printable(line)}" for line in message.content.splitlines())
    yield ""
    yield "No model was asked."


def _names_lines(audit: Audit) -> Iterator[str]:
    """Yield where names are from, if any are asked about."""
    if "name" in audit.channels:
        lines = [*matching_lines(audit.plan.names), *sources_lines(audit.plan.names)]
        for line in lines:
            yield from wrap(f"  {printable(line)}", WIDTH, subsequent_indent=" " * 12)


def answers_text(answers: Mapping[str, int], words: str, mass: Mass | None) -> str:
    """Return how many answers there are of each kind."""
    if mass is not None:
        known = f"{sum(answers.values()):,}: the probabilities of {words}"
        lacking = answers.get("unreadable", 0)
        return f"{known}, none known of {lacking:,}" if lacking else known
    return (
        f"{sum(answers.values()):,}: {answers.get('read', 0):,} {words}, "
        f"{answers.get('refused', 0):,} refused, {answers.get('unreadable', 0):,} unreadable"
    )


def agreement_text(one: Agreement) -> str:
    """Return how well answers agree with labels, or with those to the prompt as it is."""
    against = "the labels" if one.against == "labels" else f"the answers to {one.against}"
    shown = (
        f"{100 * one.share:.1f} % with {against} ({100 * one.low:.1f} to {100 * one.high:.1f}, "
        f"{one.cases:,} cases)"
    )
    if one.difference is None:
        return shown
    bounds = (
        "no bounds"
        if one.difference_low is None or one.difference_high is None
        else f"{points(one.difference_low)} to {points(one.difference_high)}"
    )
    return f"{shown}, {points(one.difference)} against the prompt as it is ({bounds})"


def _announced_text(audit: Audit, channel: str, threshold: float) -> str:
    """Return what can be seen with so many cases, as far as it is known before anybody is asked."""
    if not has_enough_cases(audit, channel):
        return "too few cases to see any effect"
    if audit.allowed:
        return (
            "how small an effect can be seen is not known before, since nobody knows how probabilities vary"
        )
    least = announced_effect(audit, channel, threshold)
    if least is None:
        return "too few cases to see any effect"
    return f"can see {100 * least:.1f} points or more with 80 %"


def _mitigated_lines(told: Mitigated, audit: Audit) -> Iterator[str]:
    """Yield what a mitigation changes and costs."""
    yield ""
    yield f"with {told.mitigation.name}: {told.mitigation.title}"
    yield f"  answers   {answers_text(told.answers, audit.form.words, told.mass)}"
    if told.mass is not None:
        yield f"  mass      {mass_text(told.mass)}"
    agreement = "none to compare with" if told.agreement is None else agreement_text(told.agreement)
    yield from wrap(f"  agreement {agreement}", WIDTH, subsequent_indent=" " * 12)
    changes = {one.contrast: one for one in told.changes}
    for channel in audit.channels:
        effects = [one for one in told.effects if one.contrast.channel == channel]
        if effects:
            yield f"  {channel}"
            yield from _compared_lines(effects, changes)
        for changed in told.changed:
            if changed.channel == channel:
                yield from wrap(f"  {_changed_line(changed)}", WIDTH, subsequent_indent=" " * 6)


def _setting(value: object) -> str:
    return "of the model" if value is None else f"{value}"


def _money(asked: object) -> str:
    costs = asked.get("costs") if isinstance(asked, dict) else None
    return "" if costs is None else f", costs {costs:,.2f}"


def _shown_effects(effects: Sequence[Effect]) -> list[Effect]:
    """Return decisions, and refusals and unreadable answers where there are some."""
    return [one for one in effects if one.contrast.outcome == "decision" or one.change or one.placebo]


def _attribute_text(contrast: Contrast) -> str:
    what = OUTCOME_WORDS[contrast.outcome]
    return f"{contrast.attribute}{what and f', {what}'}"


def _contrast_text(contrast: Contrast) -> str:
    against = contrast.others[0] if len(contrast.others) == 1 else "the others"
    return f"{contrast.group} against {against}"


def _table(effects: Sequence[Effect]) -> Iterator[str]:
    """Yield a line for each contrast."""
    rows = [
        (
            _attribute_text(one.contrast),
            _contrast_text(one.contrast),
            points(one.mean),
            _bounds_text(one),
            f"{one.cases:,}",
            verdict_text(one),
        )
        for one in _shown_effects(effects)
    ]
    heads = ("attribute", "group", "effect", "bounds", "cases", "")
    right = {at for at, head in enumerate(heads) if head in {"effect", "cases"}}
    widths = [max(len(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
    for row in (heads, *rows):
        shown = [
            printable(cell).rjust(width) if at in right else printable(cell).ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"  {'  '.join(shown)}".rstrip()


def _compared_lines(effects: Sequence[Effect], changes: Mapping[Contrast, EffectChange]) -> Iterator[str]:
    """Yield, for each contrast, a line about its effect and one about what differs from the prompt as it is:
    side by side they are wider than a terminal.
    """
    there = {id(one) for one in _shown_effects(effects)}
    for one in effects:
        change = changes.get(one.contrast)
        if id(one) not in there and (change is None or not change.before):
            continue
        yield f"    {printable(_attribute_text(one.contrast))}: {printable(_contrast_text(one.contrast))}"
        bounds = _bounds_text(one).replace("none", "no bounds")
        yield (
            f"      effect      {points(one.mean)} ({bounds}), {one.cases:,} cases: "
            f"{printable(verdict_text(one))}"
        )
        if change is not None:
            bounds = _difference_bounds(change)
            yield f"      difference  {points(change.difference)} ({bounds}): {change_text(change)}"


def _difference_bounds(one: EffectChange) -> str:
    """Return the adjusted bounds of the difference to the prompt as it is."""
    if one.adjusted_low is None or one.adjusted_high is None:
        return "no bounds"
    return f"{points(one.adjusted_low)} to {points(one.adjusted_high)}"


def _bounds_text(one: Effect) -> str:
    """Return the adjusted bounds; none where too few cases differ for any test."""
    if (one.adjusted_low, one.adjusted_high) == (-1.0, 1.0):
        return "none"
    return f"{points(one.adjusted_low)} to {points(one.adjusted_high)}"


def _changed_line(changed: Changed) -> str:
    kind = "name" if changed.channel == "name" else "value"
    placebos = {
        "again": "the same prompt again",
        "name": f"another {kind} of the group",
        "rewrite": "a rewrite",
    }
    parts = [
        f"{_share(flips)} with {placebos[name]}" for name, flips in changed.in_placebos.items() if flips.pairs
    ]
    return f"  {changed.attribute}: {_share(changed.between_groups)} of answers change; {', '.join(parts)}"


def _share(flips: Flips) -> str:
    return "none" if flips.share is None else f"{100 * flips.share:.1f} %"


def _rate_lines(rates: Sequence[Rate], *, is_decision: bool) -> Iterator[str]:
    """Yield the lowest and highest rate of a set of groups, and their ratio."""
    compared = [one for one in rates if not one.is_small]
    small = sum(one.is_small for one in rates)
    if len(compared) < 2:
        return
    low, high = compared[0], compared[-1]
    what = "favourable" if is_decision else "above the median"
    names = " × ".join(name for name, _ in low.groups)
    ratio = "-" if low.ratio is None else f"{float(low.ratio):.3f}"
    yield (
        f"  {names}: {what} for {_group_text(low)} {100 * float(low.selected):.1f} % of {low.answers:,}, "
        f"{_group_text(high)} {100 * float(high.selected):.1f} % of {high.answers:,}; impact ratio {ratio}"
        + (f"; {small} groups below 2 % left out" if small else "")
    )


def _group_text(rate: Rate) -> str:
    return printable(" ".join(group for _, group in rate.groups))


def _name_lines(effects: Sequence[Effect]) -> Iterator[str]:
    """Yield how much the effect of a name depends on which name it is."""
    for one in effects:
        if one.contrast.outcome == "decision" and one.names and not one.is_constant:
            low = min(one.names, key=lambda each: each.without)
            high = max(one.names, key=lambda each: each.without)
            yield (
                f"  {one.contrast.attribute}, {one.contrast.group}: {points(low.without)} without "
                f"{printable(low.name)} to {points(high.without)} without {printable(high.name)}, of "
                f"{len(one.names)} {'first names' if one.contrast.channel == 'name' else 'values'}"
            )


def _own_sex_lines(audit: Audit) -> Iterator[str]:
    if line := line_with_own_sex(audit):
        yield from wrap(
            f"  note      the prompt says a sex itself, whoever the person is: {printable(line)}",
            WIDTH,
            subsequent_indent=" " * 12,
        )


def _left_out_lines(audit: Audit) -> Iterator[str]:
    by_channel: dict[str, list[str]] = {}
    for one in audit.left_out:
        by_channel.setdefault(one.channel, []).append(f"case {one.case}, {one.why}")
    for channel, whys in by_channel.items():
        what = "1 case" if len(whys) == 1 else f"{len(whys):,} cases"
        yield f"  {channel}: {what} left out, such as {printable(whys[0])}"
