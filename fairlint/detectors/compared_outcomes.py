"""The outcomes of groups, made comparable and readable."""

from __future__ import annotations

from collections.abc import Mapping

from fairlint.detectors.context import Context
from fairlint.detectors.outcomes import GOES_ON, Outcome, act_text, outcome
from fairlint.findings.uses import Kind
from fairlint.semantics.groups.asking import asks_directly
from fairlint.semantics.groups.comparison import Comparison
from fairlint.semantics.groups.group_terms import OTHER, GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.groups.valuations import Valuation
from fairlint.semantics.values.events import Event, Guard, Guards, along
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import replace

PASSED_A_STEP = 4
"""Conditions that are passed in one step."""
MOST_BARRED = 8
"""How many ends that a group cannot meet are passed over, one after the other."""


def unrelated_ends(site: Site, events: list[Event], context: Context) -> frozenset[str]:
    """Return the ends that somebody may meet later for another reason, and that say nothing of the site."""
    ends = [event for event in events if event.kind in {"return", "raise"}]
    return _only_beside(ends, site, context)


def _only_beside(events: list[Event], site: Site, context: Context) -> frozenset[str]:
    """Return what some events are, as it is written, that come about for a reason beside the site's alone."""
    known: dict[Guards, bool] = {}

    def beside(before: bool, _: Guards, guard: Guard) -> bool:
        return before or not (guard.implied or site.is_around(guard) or site.asks(guard.test))

    apart, own = set[str](), set[str]()
    for event in events:
        is_apart = not site.has(event) and along(event.guards, known, begun=False, step=beside)
        (apart if is_apart else own).add(act_text(event.node, context))
    context.steps.spend((len(events) + len(known)) // PASSED_A_STEP)
    return frozenset(apart - own)


def restrict_to_possible(
    comparison: Comparison[Outcome], events: list[Event], site: Site, naming: GroupTerms, context: Context
) -> Comparison[Outcome]:
    """Return the comparison in which nobody meets an end that stands behind a test of another site which the
    group does not pass: `if gender not in ("male", "female"): raise ...` is no end of a man.
    """
    if comparison.by_range:
        return comparison

    def met(group: str, answer: Outcome) -> Outcome | None:
        hypothesis, left = Specialization(naming, group, None, Valuation()), events
        for _ in range(MOST_BARRED):
            ends = [one for one in left if act_text(one.node, context) == answer[-1]]
            if not ends or not all(_is_unreachable_end(one, site, hypothesis, context) for one in ends):
                return answer
            left = [one for one in left if one not in ends]
            answer = outcome(left, site, hypothesis, context)
        return None

    by_group = {group: met(group, answer) for group, answer in comparison.by_group.items()}
    other = met(OTHER, comparison.other) if comparison.is_open else comparison.other
    if other is None or None in by_group.values():
        return replace(comparison, turns=True)  # nobody says what they get
    unsure = _unsure_acts(events, site, context)
    sure = {group: _drop_acts(answer, unsure) for group, answer in by_group.items() if answer is not None}
    if len({*sure.values()}) < len({*by_group.values()}):
        return replace(comparison, by_group=by_group, other=other)
    return replace(comparison, by_group=sure, other=_drop_acts(other, unsure))


def _unsure_acts(events: list[Event], site: Site, context: Context) -> frozenset[str]:
    """Return what happens behind a site to some of those who get there, for another reason."""
    acts = [event for event in events if event.kind not in {"return", "raise", "continue", "break"}]
    return _only_beside(acts, site, context)


def _drop_acts(answer: Outcome, acts: frozenset[str]) -> Outcome:
    return tuple([one for one in answer if one not in acts]) or GOES_ON


def _is_unreachable_end(event: Event, site: Site, hypothesis: Specialization, context: Context) -> bool:
    """Return whether an end cannot come for a group, whatever else holds, by a test that another
    site makes.
    """
    if event.kind not in {"return", "raise"} or site.has(event):
        return False
    for guard in event.guards:
        if site.is_elsewhere(guard.site) and asks_directly(guard.test, site.attribute, context.dependence):
            hypothesis.world.used = 0
            if hypothesis.truth(guard.test) is not guard.holds and not hypothesis.world.used:
                return True
    return False


def outcomes_by_group(comparison: Comparison[Outcome], kind: Kind, passing: frozenset[str]) -> dict[str, str]:
    """Return what happens to each group; nothing where nobody can say, or where all fare alike in words."""
    if comparison.by_scale and not comparison.differs:
        return {}

    shared = _shared_acts(comparison)

    def apart(answer: Outcome) -> str:
        return _readable_outcome(tuple([one for one in answer if one not in shared]) or GOES_ON)

    def further(answer: Outcome) -> str:
        goes_on = answer and answer[-1] in passing and len(answer) == 1
        return _readable_outcome(GOES_ON) if goes_on else apart(answer)

    told = comparison.in_words(further) or comparison.in_words(apart)
    if kind == "filter":
        told = {group: "left out" if text.endswith("skipped") else "kept" for group, text in told.items()}
    return told if len(set(told.values())) > 1 else {}


def _shared_acts(comparison: Comparison[Outcome]) -> frozenset[str]:
    """Return what is done with everybody in the same words (`out.append(status)`), where each has more than
    that.
    """
    answers = [*comparison.told.values(), comparison.other]
    shared = frozenset(answers[0]).intersection(*answers)
    acts = frozenset([one for one in shared if not one.startswith(_ENDS)])
    if all(not acts.issuperset(answer) for answer in answers):
        return acts
    return frozenset()


_ENDS = ("return", "raise")
"""How what ends a function is written, which is told of everybody."""
_OTHERS = lazy_expression(r"\b[a-z]+@\d+(?:=[^,\]]*)?")
"""What depends on other things, as values name it."""
_GROUP = lazy_expression(r"(?<=[ (\[])=(?=[\w-])")
"""What stands before a group's name where the attribute itself is returned or handed on."""
_ENTRIES = lazy_expression(r"(?:…|'')(?:, (?:…|''))*(?=[,\]])")


def _readable_outcome(answer: Outcome) -> str:
    """Return what happens, in words that stand in the code; the entries of a list that say nothing of the
    group are left out.
    """
    return _GROUP.sub("", _ENTRIES.sub("…", _OTHERS.sub("…", "; ".join(dict.fromkeys(answer)))))


def outcome_distance(answers: list[Outcome], said: Mapping[str, frozenset[str]]) -> float:
    """Return how many outcomes there are, and half as much again where they announce different things; where
    nothing is announced, a little less if all end alike.
    """
    apart = len({_without_end(answer) for answer in answers}) - 1
    if apart and any(said.values()):
        told = {frozenset(word for act in answer for word in said.get(act, ())) for answer in answers}
        return apart + (0.5 if len(told) > 1 else 0.0)
    return apart * (1.5 if len({answer[-1] for answer in answers}) > 1 else 1.4)


def _without_end(answer: Outcome) -> Outcome:
    """Return what happens without a bare `return` or `continue` behind it: others get there by themselves."""
    return answer[:-1] if len(answer) > 1 and answer[-1] in {"return", "skipped"} else answer


def differing_acts(comparison: Comparison[Outcome], own: list[Event], context: Context) -> set[str]:
    """Return the acts that not every group meets; all of the site's own, where nobody can say who meets
    which.
    """
    answers = [*comparison.compared, *([comparison.other] if comparison.leaves_out else [])]
    if comparison.by_scale and not comparison.differs:
        ends = {act_text(event.node, context) for event in own if event.kind == "return"}
        return ends | {act for answer in answers for act in answer}
    common = set(answers[0]).intersection(*answers[1:]) if answers else set()
    return {act for answer in answers for act in answer} - common


def representative_event(events: list[Event], site: Site) -> Event:
    """Return the event that a finding is told about."""
    own = [event for event in events if site.has(event)]
    return min(own, key=lambda event: event.node.span.start) if own else events[0]
