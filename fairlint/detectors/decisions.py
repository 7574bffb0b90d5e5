"""Decisions: what happens to a person depends on the group; thresholds and quotas by group."""

from __future__ import annotations

import math
from collections.abc import Set as AbstractSet
from functools import partial

from fairlint.detectors import scores
from fairlint.detectors.compared_outcomes import (
    differing_acts,
    outcome_distance,
    outcomes_by_group,
    representative_event,
    restrict_to_possible,
    unrelated_ends,
)
from fairlint.detectors.compared_people import is_between_people, names_nobody
from fairlint.detectors.consequential_acts import exits, ways_to
from fairlint.detectors.context import Context
from fairlint.detectors.criteria import is_among_unknown, search_outcome
from fairlint.detectors.decision_sinks import decision_sink
from fairlint.detectors.idle_decisions import is_code, is_idle_difference, only_says, skips_nothing
from fairlint.detectors.outcomes import (
    GOES_ON,
    TURNED_AWAY,
    Outcome,
    act_text,
    outcome,
    tests_of,
)
from fairlint.detectors.printed_outcomes import prints_prices
from fairlint.detectors.returned_amounts import returned_amount
from fairlint.detectors.returned_sinks import find_announcements
from fairlint.detectors.sinks import Sink
from fairlint.detectors.thresholds import Cut, find_threshold
from fairlint.detectors.use_builder import is_limit, make_use, mark_unnamed_groups, shape_of
from fairlint.findings.uses import FOR_INSTANCE, Kind, Shape, Use
from fairlint.semantics.groups.comparison import Comparison, compare_groups
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.interpreter import norms
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import Filtered
from fairlint.semantics.values.traversal import either
from fairlint.support.records import replace
from fairlint.vocabulary.model import Evidence

MEASURED = "people are measured against their own group, so the cut-off"
"""What is told of a limit for a rank or a mean within a group."""
NOBODY_FROM = {"age": 99}
"""A limit from which on a number cannot be true: what becomes of it is a check, and nobody's outcome."""


def observe(site: Site, naming: GroupTerms, context: Context) -> Use | None:
    """Return the decision that the site makes by group, if it does."""
    if skips_nothing(site, context):
        return None
    best: Use | None = None
    for function in dict.fromkeys((context.function_at(site.node.span), *site.functions)):
        use = _observe_in(function, site, naming, context)
        if use is not None and (best is None or _use_rank(use) > _use_rank(best)):
            best = use
    return best


def _use_rank(use: Use) -> tuple[int, ...]:
    adds = use.points is not None and use.points.op != "set"
    return (use.effect in {"decide", "score"}, use.effect == "score", adds, use.weight)


def _observe_in(function: str, site: Site, naming: GroupTerms, context: Context) -> Use | None:
    """Return what the site decides in one of the functions that it has a say in."""
    events = exits(site, function, context)
    own = [event for event in _own_events(events, site, context) if not _is_selection(event, site)]
    if not own:
        return None

    def ask(hypothesis: Specialization) -> Outcome:
        return outcome(events, site, hypothesis, context)

    if only_says(function, site, own, context):
        return None
    if (measured := returned_amount(site, events, naming, context)) is not None:
        return measured
    said = context.once(find_announcements, function)

    def distance(answers: list[Outcome]) -> float:
        return outcome_distance(answers, said)

    naming = _naming_for_events(own, naming)
    people = replace(naming, nobody_from=NOBODY_FROM.get(site.attribute, math.inf))
    comparison = compare_groups(
        people,
        ask,
        distance,
        enough=1.5,
        cost=tests_of(events),
        ways=lambda: ways_to(events, site, naming),
        is_nothing=lambda answer: answer in {(), GOES_ON},
    )
    cut = find_threshold(site, events, naming, context) if not comparison.tells else None
    if cut is not None and _is_reportable_cut(cut):
        ends = {act_text(event.node, context) for event in own}
        found = (decision_sink if cut.is_norm else partial(_sink_of, naming))(site, own, ends, context)
        return by_cut_off(cut, found, site, naming, context, event=representative_event(events, site))
    if not comparison.tells:
        return _search_use(site, own, naming, context)
    is_unnamed = comparison.by_scale and not comparison.differs
    differing = differing_acts(comparison, own, context)
    is_idle = is_idle_difference(site, own, comparison, naming, context)
    found = Sink("show") if is_idle else _sink_of(naming, site, own, differing, context)
    if found.effect == "none":
        return None
    if found.effect == "decide" and (cut := find_threshold(site, events, naming, context)) is not None:
        return by_cut_off(cut, found, site, naming, context, event=representative_event(events, site))
    if is_unnamed and found.evidence is not None:
        reason = f"{found.evidence.reason}, for groups that cannot be named"
        is_check = found.evidence.reason == TURNED_AWAY  # `if race not in KNOWN: raise ...`
        lessened = replace(found, evidence=Evidence(found.weight - 2, reason))
        found = Sink("check") if is_check else lessened
    kind: Kind = "filter" if _has_skip(comparison) else "decision"
    shape = _decision_shape(comparison.by_scale, site, naming)
    use = make_use(
        site,
        naming,
        context,
        kind=kind,
        effect=found.effect,
        shape=shape,
        event=representative_event(events, site),
        outcomes=outcomes_by_group(
            restrict_to_possible(comparison, events, site, naming, context),
            kind,
            unrelated_ends(site, events, context),
        ),
        sink=found,
        leaves_out=comparison.leaves_out,
        last="the outcome is decided here",
    )
    use = _as_instance(use, comparison)
    is_unnamed = is_unnamed or is_among_unknown(site, naming, context)
    return (
        mark_unnamed_groups(use) if is_unnamed and shape != "cutoff" and names_nobody(site, context) else use
    )


def _as_instance(use: Use, comparison: Comparison[Outcome]) -> Use:
    """Return the Use, whose outcomes are told as an instance where they hang on something else, too."""
    return replace(use, tags=use.tags | {FOR_INSTANCE}) if comparison.hangs and use.outcomes else use


def _is_reportable_cut(cut: Cut) -> bool:
    """Return whether a limit is told where all fare alike in what is known: counts begin below a quota."""
    return cut.points is None or cut.kind == "quota"


def _naming_for_events(own: list[Event], naming: GroupTerms) -> GroupTerms:
    """Return what is asked of the groups: where people are told prices, children count, too."""
    return naming.for_amounts() if prints_prices(own) else naming


def _sink_of(naming: GroupTerms, site: Site, own: list[Event], differing: set[str], context: Context) -> Sink:
    """Return what the differing acts amount to, where they are about a person and no code of a column."""
    if is_code(site, context) or (not naming.beside and is_between_people(site, context)):
        return Sink("show")
    return decision_sink(site, own, differing, context)


def by_cut_off(
    cut: Cut, found: Sink, site: Site, naming: GroupTerms, context: Context, *, event: Event
) -> Use | None:
    """Return what is decided by a comparison with a limit that depends on the group.

    Of figures within a group nothing is told where only the code's shape makes it a decision.
    """
    if found.effect != "decide" or (cut.is_norm and found.said != "name"):
        return None
    use = make_use(
        site,
        naming,
        context,
        kind=cut.kind,
        effect=found.effect,
        shape=shape_of(site, naming),
        event=event,
        points=cut.points,
        outcomes=cut.called,
        target=cut.other,
        sink=found,
        last="the cut-off decides here",
        span=cut.node.span,
    )
    return replace(use, detail=MEASURED) if cut.is_norm and cut.kind == "threshold" else use


def _search_use(site: Site, own: list[Event], naming: GroupTerms, context: Context) -> Use | None:
    """Return who is skipped because of what somebody looks for, where that decides who is shown."""
    left_out = [event for event in own if event.kind in {"continue", "append"}]
    found = search_outcome(site, left_out, context) if left_out else None
    if found is None:
        return None
    return make_use(
        site,
        naming,
        context,
        kind="filter",
        effect=found.effect,
        shape="cutoff" if is_limit(site, naming, by_scale=True) else "filter",
        event=representative_event(left_out, site),
        sink=found,
        last="people are kept or left out here",
    )


def _is_selection(event: Event, site: Site) -> bool:
    """Return whether people are returned who were chosen by the attribute before: the choice is told by
    itself.
    """
    return event.kind == "return" and any(
        isinstance(one, Filtered) and site.asks(one.test) for one in either(event.value)
    )


def _decision_shape(by_scale: bool, site: Site, naming: GroupTerms) -> Shape:
    if is_limit(site, naming, by_scale=by_scale):
        return "cutoff"
    return "scale" if by_scale else shape_of(site, naming)


def _own_events(events: list[Event], site: Site, context: Context) -> list[Event]:
    """Return the events that the site has a say in: what is made of a statistic later decides about nobody,
    unless it is one of somebody's own group.
    """
    inside: AbstractSet[int] = site.own
    if scores.describes(site, context):
        inside = {id(event) for event in site.guarded}
        inside |= {id(event) for event in site.fed if norms.compares(event.value, site.attribute)}
    return [
        event for event in events if id(event) in inside or context.timeline.is_left_by(event, site.branches)
    ]


def _has_skip(comparison: Comparison[Outcome]) -> bool:
    answers = set(comparison.compared)
    return any(answer[-1] == "skipped" for answer in answers)
