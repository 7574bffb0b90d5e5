"""The page of an audit: one HTML file that needs no network and no script."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from fairlint.counterfactual.prompts.audited import CHANNELS, SEEN, Audited, points, verdict_text
from fairlint.counterfactual.prompts.bindings import bindings_of
from fairlint.counterfactual.prompts.cells import Cell
from fairlint.counterfactual.prompts.effects import Effect
from fairlint.counterfactual.prompts.names import matching_lines
from fairlint.counterfactual.prompts.observations import Arm
from fairlint.counterfactual.prompts.page.forest import Row, forest
from fairlint.counterfactual.prompts.page.mitigation_view import mitigation_view
from fairlint.counterfactual.prompts.planning import Audit, count_tests, line_with_own_sex
from fairlint.counterfactual.prompts.shares import Flips, Rate
from fairlint.counterfactual.prompts.text import OUTCOME_WORDS, agreement_text
from fairlint.rendering.html import environment, style
from fairlint.support.about import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

PACKAGE = "fairlint.counterfactual.prompts.page"
PLACEBOS = {"again": "the same prompt again", "name": "another name or value", "rewrite": "a rewrite"}
ARMS: Mapping[Arm, str] = {"group": "about each group", "rewrite": "rewrites", "again": "the same again"}
SHOWN_CELLS = 12
"""Questions of the first case that the page shows."""
SHOWN_REASONS = 8
"""Reasons for which cases are left out that the page names."""


def audit_page(told: Audited) -> str:
    """Return the page. Raises ModelError where matplotlib is missing."""
    audit, asked = told.audit, told.asked
    return (
        _page_environment()
        .get_template("audit.html")
        .render(
            style=style(PACKAGE),
            script="",
            places=False,
            place=f"{audit.template.path}:{audit.template.line}",
            asked=asked,
            temperature="of the model" if asked["temperature"] is None else asked["temperature"],
            fairlint=__version__,
            verdict=_verdict(told),
            tiles=list(_tiles(told)),
            threshold=f"{100 * told.threshold:g}",
            tests=count_tests(audit),
            channels=[_channel_view(told, channel) for channel in audit.channels],
            mitigations=[mitigation_view(one, _contrast_text, audit.form.words) for one in told.mitigated],
            agreement="" if told.agreement is None else agreement_text(told.agreement),
            unknown=list(_not_concluded(told)),
            bindings=bindings_of(audit.template, audit.slots),
            groups=audit.plan.groups,
            answer=audit.form.words,
            language=audit.plan.language,
            arms=_arm_counts(audit),
            cells=_example_cells(audit),
            names=audit.plan.names if "name" in audit.channels else (),
            matching="; ".join(matching_lines(audit.plan.names)),
        )
    )


@cache
def _page_environment() -> Environment:
    return environment(PACKAGE, {})


def _verdict(told: Audited) -> str:
    """Return what was found, in words that claim no more than was tested."""
    seen = [one for one in told.effects if one.verdict in SEEN]
    if not seen:
        return (
            "No effect was seen beyond placebo. That does not say that there is none: each effect below says "
            "how large it would have had to be."
        )
    worst = max(seen, key=lambda one: abs(one.mean or 0.0))
    more = f", and {len(seen) - 1} more" if len(seen) > 1 else ""
    verb = "was" if len(seen) == 1 else "were"
    return (
        f"{len(seen)} of {len(told.effects)} effects {verb} seen: {_contrast_text(worst)} "
        f"({worst.contrast.channel}) {points(worst.mean)} points beyond placebo{more}."
    )


def _tiles(told: Audited) -> Iterator[dict[str, str]]:
    answers, asked = sum(told.answers.values()), told.asked
    yield {"what": "effects seen", "value": str(sum(one.verdict in SEEN for one in told.effects)),
           "sub": f"of {len(told.effects)} compared"}  # fmt: skip
    yield {"what": "cases", "value": f"{told.audit.cases:,}", "sub": f"{answers:,} answers"}
    if told.mass is not None:
        yield {"what": "mass of the asked form", "value": f"{100 * told.mass.mean:.1f} %",
               "sub": f"least {100 * told.mass.least:.1f} %"}  # fmt: skip
    for kind, what in (("refused", "refused"), ("unreadable", "unreadable")) if told.mass is None else ():
        count = told.answers.get(kind, 0)
        yield {"what": what, "value": f"{count:,}", "sub": f"{_percent(count, answers)} of the answers"}
    tokens = f"{asked['prompt_tokens']:,} read, {asked['new_tokens']:,} written"
    cost = asked.get("costs")
    if cost is None:
        yield {"what": "tokens", "value": f"{asked['prompt_tokens'] + asked['new_tokens']:,}", "sub": tokens}
    else:
        yield {"what": "cost", "value": f"{cost:,.2f}", "sub": f"tokens: {tokens}"}


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _channel_view(told: Audited, channel: str) -> dict[str, Any]:
    effects = [one for one in told.effects if one.contrast.channel == channel]
    decisions = [one for one in effects if one.contrast.outcome == "decision"]
    rest = [one for one in effects if one.contrast.outcome != "decision" and (one.change or one.placebo)]
    return {
        "name": channel,
        "title": CHANNELS[channel],
        "pictures": [_picture_view(some, told.threshold) for some in (decisions, rest) if some],
        "effects": [_effect_view(one) for one in decisions],
        "others": [_effect_view(one) for one in rest],
        "changed": [
            {
                "attribute": one.attribute,
                "between": _share(one.between_groups),
                "placebos": [
                    {"what": PLACEBOS[name], "share": _share(flips)}
                    for name, flips in one.in_placebos.items()
                    if flips.pairs
                ],
            }
            for one in told.changed
            if one.channel == channel
        ],
        "rates": [
            {"attributes": " × ".join(attributes), "groups": [_rate_view(one) for one in rates]}
            for (where, attributes), rates in told.rates.items()
            if where == channel and rates
        ],
        "is_decision": told.audit.form.kind == "label",
        "names": [_names_view(one) for one in decisions if one.names and not one.is_constant],
    }


def _picture_view(effects: Sequence[Effect], threshold: float) -> Mapping[str, str]:
    """Return the picture of some effects, and in words what it shows."""
    rows = [_row(one) for one in effects]
    picture = b64encode(forest(rows, 100 * threshold).encode("utf-8")).decode("ascii")
    return {
        "source": f"data:image/svg+xml;base64,{picture}",
        "shows": "; ".join(f"{row.label}: {_rounded(row.value)}" for row in rows),
        "what": "Decisions" if effects[0].contrast.outcome == "decision" else "Answers without a decision",
    }


def _row(one: Effect) -> Row:
    is_bounded = (one.adjusted_low, one.adjusted_high) != (-1.0, 1.0)
    return Row(
        _contrast_text(one),
        _in_points(one.mean),
        _in_points(one.adjusted_low) if is_bounded else None,
        _in_points(one.adjusted_high) if is_bounded else None,
        _in_points(one.placebo),
        _in_points(one.least),
        one.verdict in SEEN,
        tuple(100 * each.without for each in one.names),
    )


def _in_points(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _rounded(value: float | None) -> str:
    return "-" if value is None else f"{value:+.1f}"


def _contrast_text(one: Effect) -> str:
    """Return who is compared with whom, and in what where it is not the decision."""
    contrast = one.contrast
    against = contrast.others[0] if len(contrast.others) == 1 else "others"
    what = OUTCOME_WORDS[contrast.outcome]
    return f"{contrast.group} against {against}{what and f', {what}'}"


def _effect_view(one: Effect) -> dict[str, Any]:
    is_bounded = (one.adjusted_low, one.adjusted_high) != (-1.0, 1.0)
    return {
        "attribute": one.contrast.attribute,
        "what": _contrast_text(one),
        "change": points(one.change),
        "placebo": points(one.placebo),
        "effect": points(one.mean),
        "bounds": f"{points(one.adjusted_low)} to {points(one.adjusted_high)}" if is_bounded else "none",
        "p": f"{one.p_adjusted:.3f}",
        "cases": f"{one.cases:,}",
        "least": "-" if one.least is None else f"{100 * one.least:.1f}",
        "verdict": "not seen" if one.verdict == "not seen" else verdict_text(one),
        "is_seen": one.verdict in SEEN,
    }


def _share(flips: Flips) -> str:
    return "none" if flips.share is None else f"{100 * flips.share:.1f} %"


def _rate_view(one: Rate) -> dict[str, Any]:
    return {
        "group": _group_text(one),
        "selected": f"{100 * float(one.selected):.1f} %",
        "answers": f"{one.answers:,}",
        "ratio": "below 2 % of answers"
        if one.is_small
        else "-"
        if one.ratio is None
        else f"{float(one.ratio):.3f}",
    }


def _group_text(one: Rate) -> str:
    return " ".join(group for _, group in one.groups)


def _names_view(one: Effect) -> dict[str, Any]:
    ordered = sorted(one.names, key=lambda each: each.without)
    return {
        "what": _contrast_text(one),
        "whole": points(one.mean),
        "names": [{"name": each.name, "without": points(each.without)} for each in ordered],
        "carried_by": one.carried_by,
    }


def _not_concluded(told: Audited) -> Iterator[str]:
    """Yield what nobody can conclude from these answers, and why."""
    if line := line_with_own_sex(told.audit):
        yield f"The prompt says a sex itself, whoever the person is: {line}"
    for one in told.effects:
        if one.contrast.outcome == "decision" and one.verdict not in SEEN:
            yield f"{one.contrast.channel}, {_contrast_text(one)}: {verdict_text(one)}."
        if one.contrast.outcome == "decision" and one.left_out:
            yield (
                f"{one.contrast.channel}, {_contrast_text(one)}: {one.left_out:,} cases have no answer to be "
                "read for one of the groups."
            )
    reasons = Counter((one.channel, one.why) for one in told.audit.left_out)
    for (channel, why), count in reasons.most_common(SHOWN_REASONS):
        yield f"{channel}: {count:,} {'case is' if count == 1 else 'cases are'} left out: {why}."
    if (rest := len(reasons) - SHOWN_REASONS) > 0:
        yield f"Cases are left out for {rest:,} more reasons; the JSON report names all."
    for (channel, _), rates in told.rates.items():
        for rate in rates:
            if rate.is_small:
                yield f"{channel}, {_group_text(rate)}: below 2 % of the answers, compared with nobody."


def _arm_counts(audit: Audit) -> list[dict[str, Any]]:
    """Return the number of questions in each channel, by what they are for and the mitigation."""
    counts = Counter((cell.mitigation, cell.channel, cell.arm) for cell in audit.cells)
    return [
        {
            "channel": f"{channel}{mitigation and f', with {mitigation}'}",
            "counts": [f"{counts[mitigation, channel, arm]:,}" for arm in ARMS],
        }
        for mitigation in dict.fromkeys(cell.mitigation for cell in audit.cells)
        for channel in audit.channels
    ]


def _example_cells(audit: Audit) -> list[Mapping[str, Any]]:
    """Return questions of the first case."""
    first = audit.cells[0].case
    some = [cell for cell in audit.cells if cell.case == first and cell.draw == 0]
    return [_cell_view(cell) for cell in _spread(some)]


def _spread(cells: Sequence[Cell]) -> list[Cell]:
    """Return the first questions of each kind, as many as are shown."""
    counts: Counter[tuple[str, str, str]] = Counter()
    found: list[Cell] = []
    for cell in cells:
        kind = (cell.mitigation, cell.channel, cell.arm)
        counts[kind] += 1
        if counts[kind] <= (1 if cell.mitigation else 2) and len(found) < SHOWN_CELLS:
            found.append(cell)
    return found


def _cell_view(cell: Cell) -> Mapping[str, Any]:
    return {
        "what": ", ".join(
            [
                cell.channel,
                *(group for _, group in cell.groups),
                *([f"with {cell.mitigation}"] if cell.mitigation else []),
            ]
        ),
        "arm": ARMS[cell.arm],
        "messages": cell.messages,
    }
