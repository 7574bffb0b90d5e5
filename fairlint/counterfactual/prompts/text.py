"""What was found about a prompt, for people to read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairlint.counterfactual.prompts.audited import CHANNELS, Audited, Changed, points, verdict_text
from fairlint.counterfactual.prompts.bindings import binding_lines
from fairlint.counterfactual.prompts.effects import Effect
from fairlint.counterfactual.prompts.planning import Audit, announced_effect, count_tests
from fairlint.counterfactual.prompts.shares import Flips, Rate
from fairlint.reporters.printable import printable

OUTCOME_WORDS = {"decision": "", "refused": "refusals", "unreadable": "unreadable answers"}


def audit_lines(told: Audited) -> Iterator[str]:
    """Yield the lines of a report."""
    audit, asked = told.audit, told.asked
    yield f"{printable(audit.template.path)}:{audit.template.line}  {audit.cases:,} cases"
    yield from (f"  {printable(line)}" for line in binding_lines(audit.template, audit.slots))
    yield (
        f"  asked     {printable(str(asked['model']))} ({printable(str(asked['revision']))}), temperature "
        f"{_setting(asked['temperature'])}, {asked['date']}"
    )
    yield (
        f"  answers   {sum(told.answers.values()):,}: {told.answers.get('read', 0):,} {audit.form.words}, "
        f"{told.answers.get('refused', 0):,} refused, {told.answers.get('unreadable', 0):,} unreadable"
    )
    yield f"  tokens    {asked['prompt_tokens']:,} read, {asked['new_tokens']:,} written{_money(asked)}"
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
    yield from _left_out_lines(audit)
    yield ""
    yield (
        "Effects are points of a hundred, less the placebo, with bounds adjusted over all comparisons. "
        f"Threshold: {100 * told.threshold:g}."
    )


def plan_lines(audit: Audit, cost: Sequence[str], threshold: float) -> Iterator[str]:
    """Yield what an audit would ask, and what it could see."""
    yield f"{printable(audit.template.path)}:{audit.template.line}  {audit.cases:,} cases, {audit.form.words}"
    yield from (f"  {printable(line)}" for line in binding_lines(audit.template, audit.slots))
    for attribute, groups in audit.plan.groups.items():
        yield f"  {attribute}: {', '.join(map(printable, groups))}"
    for channel in audit.channels:
        cells = [cell for cell in audit.cells if cell.channel == channel]
        least = announced_effect(audit, channel, threshold)
        seen = (
            "too few cases to see any effect"
            if least is None
            else f"can see {100 * least:.1f} points or more"
        )
        tests = count_tests(audit)
        yield f"  {channel}: {len(cells):,} questions; {seen} with 80 %, of {tests} comparisons"
    yield from (f"  {line}" for line in cost)
    yield from _left_out_lines(audit)
    for cell in [cell for cell in audit.cells if cell.case == audit.cells[0].case and cell.draw == 0]:
        shown = ", ".join(f"{name}: {group}" for name, group in cell.groups)
        yield ""
        yield f"case {cell.case}, {cell.channel}, {shown}, {cell.arm}"
        for message in cell.messages:
            yield from (f"    {printable(line)}" for line in message.content.splitlines())
    yield ""
    yield "No model was asked."


def _setting(value: object) -> str:
    return "of the model" if value is None else f"{value}"


def _money(asked: object) -> str:
    costs = asked.get("costs") if isinstance(asked, dict) else None
    return "" if costs is None else f", costs {costs:,.2f}"


def _table(effects: Sequence[Effect]) -> Iterator[str]:
    """Yield a line for each contrast; refusals and unreadable answers only where there are some."""
    rows: list[tuple[str, ...]] = []
    for one in effects:
        contrast = one.contrast
        if contrast.outcome != "decision" and not (one.change or one.placebo):
            continue
        what = OUTCOME_WORDS[contrast.outcome]
        against = contrast.others[0] if len(contrast.others) == 1 else "the others"
        rows.append(
            (
                f"{contrast.attribute}{what and f', {what}'}",
                f"{contrast.group} against {against}",
                points(one.mean),
                _bounds_text(one),
                f"{one.cases:,}",
                verdict_text(one),
            )
        )
    heads: tuple[str, ...] = ("attribute", "group", "effect", "bounds", "cases", "")
    widths = [max(len(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
    for row in (heads, *rows):
        shown = [
            printable(cell).rjust(width) if at in {2, 4} else printable(cell).ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"  {'  '.join(shown)}".rstrip()


def _bounds_text(one: Effect) -> str:
    """Return the adjusted bounds; none where too few cases differ for any test."""
    if (one.adjusted_low, one.adjusted_high) == (-1.0, 1.0):
        return "none"
    return f"{points(one.adjusted_low)} to {points(one.adjusted_high)}"


def _changed_line(changed: Changed) -> str:
    placebos = {"again": "the same prompt again", "name": "another name of the group", "rewrite": "a rewrite"}
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
                f"{len(one.names)} first names"
            )


def _left_out_lines(audit: Audit) -> Iterator[str]:
    by_channel: dict[str, list[str]] = {}
    for one in audit.left_out:
        by_channel.setdefault(one.channel, []).append(f"case {one.case}, {one.why}")
    for channel, whys in by_channel.items():
        yield f"  {channel}: {len(whys):,} cases left out, such as {printable(whys[0])}"
