"""Decisions: what happens to a person depends on the group; thresholds and quotas by group."""

from __future__ import annotations

import math
import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import partial

from fairlint.detectors import scores
from fairlint.detectors.asked_in_vain import is_asked_in_vain
from fairlint.detectors.consequential_acts import exits, gets_there, relevant, ways_to
from fairlint.detectors.context import Context
from fairlint.detectors.criteria import is_among_unknown, is_between_people, names_nobody, search_outcome
from fairlint.detectors.decision_sinks import decision_sink, looks_up
from fairlint.detectors.outcomes import (
    GOES_ON,
    TURNED_AWAY,
    Outcome,
    act_text,
    outcome,
    tests_of,
    told_apart,
    values_of,
)
from fairlint.detectors.printed_outcomes import prints_prices
from fairlint.detectors.recoding import is_flag, only_decodes, only_recodes
from fairlint.detectors.returned_sinks import find_announcements, gives_text
from fairlint.detectors.roles import function_sink
from fairlint.detectors.sinks import Sink, decision_verbs, only_looks, sink
from fairlint.detectors.thresholds import Cut, find_threshold
from fairlint.detectors.use_builder import is_limit, make_use, mark_unnamed_groups, shape_of
from fairlint.findings.uses import FOR_INSTANCE, Kind, Shape, Use
from fairlint.semantics.groups.asking import asks_directly
from fairlint.semantics.groups.comparison import Comparison, compare_amounts, compare_groups, group_points
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import OTHER, GroupTerms, Specialization, Valuation, is_scale
from fairlint.semantics.interpreter import norms, operations
from fairlint.semantics.names.effects import any_word, classify_target, lexicon
from fairlint.semantics.values.amounts import Amount, known_number
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    Columns,
    Const,
    Event,
    Filtered,
    Guard,
    Guards,
    Operation,
    Protected,
    Value,
    along,
    either,
    walk,
)
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.model import Evidence
from fairlint.vocabulary.words import split_words

MEASURED = "people are measured against their own group, so the cut-off"
"""What is told of a limit for a rank or a mean within a group."""


PASSED_A_STEP = 4
"""Conditions that are passed in one step."""
NOBODY_FROM = {"age": 99}
"""A limit from which on a number cannot be true: what becomes of it is a check, and nobody's outcome."""
_TRUTH_VALUES = frozenset({"true", "false"})
MOST_BARRED = 8
"""How many ends that a group cannot meet are passed over, one after the other."""


def observe(site: Site, naming: GroupTerms, context: Context) -> Use | None:
    """The decision that the site makes by group, if it does."""
    if _skips_nothing(site, context):
        return None
    best: Use | None = None
    for function in dict.fromkeys((context.function_at(site.node.span), *site.functions)):
        use = _observe_in(function, site, naming, context)
        if use is not None and (best is None or _use_rank(use) > _use_rank(best)):
            best = use
    return best


def _use_rank(use: Use) -> tuple[bool, bool, bool, int]:
    adds = use.points is not None and use.points.op != "set"
    return (use.effect in {"decide", "score"}, use.effect == "score", adds, use.weight)


def _observe_in(function: str, site: Site, naming: GroupTerms, context: Context) -> Use | None:
    """What the site decides in one of the functions that it has a say in."""
    events = exits(site, function, context)
    own = [event for event in _own_events(events, site, context) if not _is_selection(event, site)]
    if not own:
        return None

    def ask(hypothesis: Specialization) -> Outcome:
        return outcome(events, site, hypothesis, context)

    if _only_says(function, site, own, context):
        return None
    if (measured := _returned_amount(site, events, naming, context)) is not None:
        return measured
    said = context.once(find_announcements, function)

    def distance(answers: list[Outcome]) -> float:
        return _outcome_distance(answers, said)

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
        return by_cut_off(cut, found, site, naming, context, event=_representative_event(events, site))
    if not comparison.tells:
        return _search_use(site, own, naming, context)
    is_unnamed = comparison.by_scale and not comparison.differs
    differing = _differing_acts(comparison, own, context)
    is_idle = _is_idle(site, own, comparison, naming, context)
    found = Sink("show") if is_idle else _sink_of(naming, site, own, differing, context)
    if found.effect == "none":
        return None
    if found.effect == "decide" and (cut := find_threshold(site, events, naming, context)) is not None:
        return by_cut_off(cut, found, site, naming, context, event=_representative_event(events, site))
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
        event=_representative_event(events, site),
        outcomes=_outcomes_by_group(
            _restrict_to_possible(comparison, events, site, naming, context),
            kind,
            _unrelated_ends(site, events, context),
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
    """The Use, whose outcomes are told as an instance where they hang on something else, too."""
    return replace(use, tags=use.tags | {FOR_INSTANCE}) if comparison.hangs and use.outcomes else use


def _is_reportable_cut(cut: Cut) -> bool:
    """Whether a limit is told where all fare alike in what is known: counts begin below a quota."""
    return cut.points is None or cut.kind == "quota"


def _naming_for_events(own: list[Event], naming: GroupTerms) -> GroupTerms:
    """What is asked of the groups: where people are told prices, children count, too."""
    return naming.for_amounts() if prints_prices(own) else naming


def _only_says(function: str, site: Site, own: list[Event], context: Context) -> bool:
    """Whether a function only gives the attribute in another way, or answers where nothing comes of it."""
    if _only_recodes(site, own, context):
        return True
    return all(event.kind == "return" for event in own) and context.once(is_asked_in_vain, function)


def _is_idle(
    site: Site, own: list[Event], comparison: Comparison[Outcome], naming: GroupTerms, context: Context
) -> bool:
    """Whether what happens moves nobody: somebody is looked up, a value handed on, or bad data refused."""
    return (
        looks_up(site, naming)
        or _hands_on(site, own, comparison, context)
        or _refuses_codes(comparison, own, naming, context)
        or _says_the_group(site, own, comparison, context)
    )


def _says_the_group(site: Site, own: list[Event], comparison: Comparison[Outcome], context: Context) -> bool:
    """Whether all groups are told the same, but for the group itself: `You may vote, and you are male`; any
    other code is called invalid.
    """
    answers = list(comparison.by_group.values())
    if len(answers) < 2 or any(event.kind != "call" for event in own):
        return False
    kept = frozenset() if any(only_looks(event, context) for event in own) else _TRUTH_VALUES
    said = {_without_groups(answer, site.attribute, kept, context) for answer in answers}
    if comparison.other and not any_word(" ".join(comparison.other), lexicon()["misfit"]):
        said.add(_without_groups(comparison.other, site.attribute, kept, context))
    return len(said) == 1


def _without_groups(
    answer: Outcome, attribute: str, kept: frozenset[str], context: Context
) -> tuple[str, ...]:
    """The words of an outcome that name no group and nobody of it, or that are `kept`: the truth that a
    function is given is no name, although a flag's group may be called so.
    """
    gendered = lexicon()["gendered"] if attribute == "gender" else frozenset[str]()
    words = split_words(" ".join(answer))
    return tuple(
        [
            word
            for word in words
            if word in kept or (word not in gendered and context.vocabulary.group_of(attribute, word) is None)
        ]
    )


def _refuses_codes(
    comparison: Comparison[Outcome], own: list[Event], naming: GroupTerms, context: Context
) -> bool:
    """Whether all groups that the code names fare alike, and any other code is an error of the data:
    `raise ValueError(f"unknown code {code}")`.
    """
    if len(naming.named) < 2 or len(set(comparison.by_group.values())) != 1 or not comparison.other:
        return False
    return any(
        event.kind == "raise"
        and act_text(event.node, context) == comparison.other[-1]
        and any_word(context.source.text(event.node.span), lexicon()["misfit"])
        for event in own
    )


def _sink_of(naming: GroupTerms, site: Site, own: list[Event], differing: set[str], context: Context) -> Sink:
    """What the differing acts amount to, where they are about a person and no code of a column."""
    if _is_code(site, context) or (not naming.beside and is_between_people(site, context)):
        return Sink("show")
    return decision_sink(site, own, differing, context)


def by_cut_off(
    cut: Cut, found: Sink, site: Site, naming: GroupTerms, context: Context, *, event: Event
) -> Use | None:
    """What is decided by a comparison with a limit that depends on the group.

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
    """Who is skipped because of what somebody looks for, where that decides who is shown."""
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
        event=_representative_event(left_out, site),
        sink=found,
        last="people are kept or left out here",
    )


def _is_code(site: Site, context: Context) -> bool:
    """Whether a site stands in a row that a model is given: `row.append(1 if sex == "M" else 0)` is no more
    than the column's code there, and that is told.
    """
    codes, span = context.once(_encoding_spans, ""), site.node.span
    at = bisect_right(codes, (span.start, sys.maxsize)) - 1
    return at >= 0 and span.end <= codes[at][1]


def _encoding_spans(_: str, context: Context) -> list[tuple[int, int]]:
    """Where the columns are worked out that models of the file are given, in order."""
    given = [event.value for event in context.events if event.kind == "learn" and event.target == "features"]
    held = [column for table in given if isinstance(table, Columns) for column in table.held]
    return sorted({(one.node.span.start, one.node.span.end) for one in held if one.form == "encoded"})


def _unrelated_ends(site: Site, events: list[Event], context: Context) -> frozenset[str]:
    """The ends that somebody may meet later for another reason, and that say nothing of the site."""
    ends = [event for event in events if event.kind in {"return", "raise"}]
    return _only_beside(ends, site, context)


def _only_beside(events: list[Event], site: Site, context: Context) -> frozenset[str]:
    """What some events are, as it is written, that come about for a reason beside the site's alone."""
    known: dict[Guards, bool] = {}

    def beside(before: bool, _: Guards, guard: Guard) -> bool:
        return before or not (guard.implied or site.is_around(guard) or site.asks(guard.test))

    apart, own = set[str](), set[str]()
    for event in events:
        is_apart = not site.has(event) and along(event.guards, known, begun=False, step=beside)
        (apart if is_apart else own).add(act_text(event.node, context))
    context.steps.spend((len(events) + len(known)) // PASSED_A_STEP)
    return frozenset(apart - own)


def _restrict_to_possible(
    comparison: Comparison[Outcome], events: list[Event], site: Site, naming: GroupTerms, context: Context
) -> Comparison[Outcome]:
    """The comparison in which nobody meets an end that stands behind a test of another site which the group
    does not pass: `if gender not in ("male", "female"): raise ...` is no end of a man.
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
    """What happens behind a site to some of those who get there, for another reason."""
    acts = [event for event in events if event.kind not in {"return", "raise", "continue", "break"}]
    return _only_beside(acts, site, context)


def _drop_acts(answer: Outcome, acts: frozenset[str]) -> Outcome:
    return tuple([one for one in answer if one not in acts]) or GOES_ON


def _is_unreachable_end(event: Event, site: Site, hypothesis: Specialization, context: Context) -> bool:
    """Whether an end cannot come for a group, whatever else holds, by a test that another site makes."""
    if event.kind not in {"return", "raise"} or site.has(event):
        return False
    for guard in event.guards:
        if site.is_elsewhere(guard.site) and asks_directly(guard.test, site.attribute, context.dependence):
            hypothesis.world.used = 0
            if hypothesis.truth(guard.test) is not guard.holds and not hypothesis.world.used:
                return True
    return False


def _outcomes_by_group(
    comparison: Comparison[Outcome], kind: Kind, passing: frozenset[str]
) -> dict[str, str]:
    """What happens to each group; nothing where nobody can say, or where all fare alike in words."""
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
    """What is done with everybody in the same words (`out.append(status)`), where each has more than that."""
    answers = [*comparison.told.values(), comparison.other]
    shared = frozenset(answers[0]).intersection(*answers)
    acts = frozenset([one for one in shared if not one.startswith(_ENDS)])
    if all(not acts.issuperset(answer) for answer in answers):
        return acts
    return frozenset()


def _is_selection(event: Event, site: Site) -> bool:
    """Whether people are returned who were chosen by the attribute before: the choice is told by itself."""
    return event.kind == "return" and any(
        isinstance(one, Filtered) and site.asks(one.test) for one in either(event.value)
    )


def _only_recodes(site: Site, own: list[Event], context: Context) -> bool:
    """Whether a function that is not called after a score gives the attribute in another way."""
    if any(event.kind != "return" for event in own):
        return False
    if all(_is_input_value(end, event, context) for event in own for end in either(event.value)):
        return True
    if all(map(_is_later_age, own)):
        return True
    role = function_sink(context, own[0].function, site.attribute)
    if role == "decide" and all(_is_flag(end) for event in own for end in either(event.value)):
        return False  # `def eligible(person): return person.is_pregnant`
    return role != "score" and only_recodes(site, own, context)


def _is_flag(value: Value) -> bool:
    return isinstance(value, Protected) and value.mention.form == "flag"


def _is_later_age(event: Event) -> bool:
    """Whether a function gives a number of a person as it will be: `return person.age + 1`."""
    match event.value:
        case Operation(op="+", arguments=(Protected(mention=mention), Const(value=int() | float()))):
            return mention.form == "number"
        case _:
            return False


def _is_input_value(value: Value, event: Event, context: Context) -> bool:
    """Whether a function hands back what it was given: `def validate_preference(cls, v): ...; return v`."""
    function = context.function_named(event.function)
    given = {one.name for one in function.parameters} if function is not None else set()
    return isinstance(value, Protected) and isinstance(value.node, tree.Name) and value.node.id in given


_YES = {"return True": True, "return 1": True}
_NO = {"return False": False, "return 0": False, "return None": False, "return": False}


def _hands_on(site: Site, events: list[Event], comparison: Comparison[Outcome], context: Context) -> bool:
    """Whether a function without a telling name only gives the flag that it reads, perhaps beside others:
    `return person.disabled or person.blind`.
    """
    if function_sink(context, events[0].function, site.attribute) or any(
        event.kind != "return" for event in events
    ):
        return False
    test = getattr(site.node, "test", None)
    named = decision_verbs() - lexicon()["chosen"]
    if isinstance(test, Node) and any_word(context.source.text(test.span), named):
        return False  # `if not person.disabled or not is_eligible: return 0`
    is_yes = set(context.attribute(site.attribute).core_groups) == {"yes", "no"}
    if not is_yes and any(read.mention.form != "flag" for read in site.reads.values()):
        return False
    told = {**_YES, **_NO}
    answers = {group: [told.get(act) for act in answer] for group, answer in comparison.by_group.items()}
    flags = {read.mention.group or ("yes" if is_yes else None) for read in site.reads.values()}
    return len(flags) == 1 and all(
        answer == [True] if group in flags else len(answer) == 1 and answer[0] in {False, None}
        for group, answer in answers.items()
    )


_ENDS = ("return", "raise")
"""How what ends a function is written, which is told of everybody."""
_OTHERS = re.compile(r"\b[a-z]+@\d+(?:=[^,\]]*)?")
"""What depends on other things, as values name it."""
_GROUP = re.compile(r"(?<=[ (\[])=(?=[\w-])")
"""What stands before a group's name where the attribute itself is returned or handed on."""
_ENTRIES = re.compile(r"(?:…|'')(?:, (?:…|''))*(?=[,\]])")


def _readable_outcome(answer: Outcome) -> str:
    """What happens, in words that stand in the code; the entries of a list that say nothing of the group are
    left out.
    """
    return _GROUP.sub("", _ENTRIES.sub("…", _OTHERS.sub("…", "; ".join(dict.fromkeys(answer)))))


def _decision_shape(by_scale: bool, site: Site, naming: GroupTerms) -> Shape:
    if is_limit(site, naming, by_scale=by_scale):
        return "cutoff"
    return "scale" if by_scale else shape_of(site, naming)


def _outcome_distance(answers: list[Outcome], said: Mapping[str, frozenset[str]]) -> float:
    """How many outcomes there are, and half as much again where they announce different things; where
    nothing is announced, a little less if all end alike.
    """
    apart = len({_without_end(answer) for answer in answers}) - 1
    if apart and any(said.values()):
        told = {frozenset(word for act in answer for word in said.get(act, ())) for answer in answers}
        return apart + (0.5 if len(told) > 1 else 0.0)
    return apart * (1.5 if len({answer[-1] for answer in answers}) > 1 else 1.4)


def _without_end(answer: Outcome) -> Outcome:
    """What happens without a bare `return` or `continue` behind it: others get there by themselves."""
    return answer[:-1] if len(answer) > 1 and answer[-1] in {"return", "skipped"} else answer


def _differing_acts(comparison: Comparison[Outcome], own: list[Event], context: Context) -> set[str]:
    """The acts that not every group meets; all of the site's own, where nobody can say who meets which."""
    answers = [*comparison.compared, *([comparison.other] if comparison.leaves_out else [])]
    if comparison.by_scale and not comparison.differs:
        ends = {act_text(event.node, context) for event in own if event.kind == "return"}
        return ends | {act for answer in answers for act in answer}
    common = set(answers[0]).intersection(*answers[1:]) if answers else set()
    return {act for answer in answers for act in answer} - common


def _own_events(events: list[Event], site: Site, context: Context) -> list[Event]:
    """The events that the site has a say in: what is made of a statistic later decides about nobody, unless
    it is one of somebody's own group.
    """
    inside: AbstractSet[int] = site.own
    if scores.describes(site, context):
        inside = {id(event) for event in site.guarded}
        inside |= {id(event) for event in site.fed if norms.compares(event.value, site.attribute)}
    return [
        event for event in events if id(event) in inside or context.timeline.is_left_by(event, site.branches)
    ]


def _representative_event(events: list[Event], site: Site) -> Event:
    own = [event for event in events if site.has(event)]
    return min(own, key=lambda event: event.node.span.start) if own else events[0]


def _has_skip(comparison: Comparison[Outcome]) -> bool:
    answers = set(comparison.compared)
    return any(answer[-1] == "skipped" for answer in answers)


def _skips_nothing(site: Site, context: Context) -> bool:
    """Whether a round of a loop that a branch ends would go on as the branch does:
    `if sex == "f": sum += 1; continue` before `sum += 1`.
    """
    round_ = context.execution.syntax.parent(site.node)
    if not isinstance(site.node, tree.If) or not isinstance(round_, tree.Loop):
        return False
    place = next((place for place, one in enumerate(round_.body) if one is site.node), None)
    if place is None:
        return False
    rest = _statement_words(round_.body[place + 1 :], context)
    return all(
        isinstance(body[-1], tree.Continue) and _statement_words(body, context) == rest
        for body in _branch_bodies(site.node)
        if body
    )


def _branch_bodies(chain: tree.If) -> Iterator[tuple[Node, ...]]:
    """What each branch of a chain does; nothing where there is no `else`."""
    while True:
        yield chain.then
        match chain.otherwise:
            case (tree.If(is_elif=True) as following,):
                chain = following
            case otherwise:
                yield otherwise
                return


def _statement_words(body: tuple[Node, ...], context: Context) -> list[list[str]]:
    """The statements of a body as they are written, without the end of the round behind them."""
    inside = body[:-1] if body and isinstance(body[-1], tree.Continue) else body
    return [context.source.text(one.span).split() for one in inside]


def joins(values: Iterable[Value], attribute: str, others: AbstractSet[str], context: Context) -> bool:
    """Whether one condition in some values tests `attribute` together with one of `others`."""
    attributes = context.dependence.attributes
    both = (
        value
        for value in values
        if attribute in attributes(value) and not attributes(value).isdisjoint(others)
    )
    for part in walk(*both):
        if isinstance(part, Operation) and part.op in {"and", "or"}:
            sides = [attributes(argument) for argument in part.arguments]
            if any(attribute in side for side in sides) and any(
                side & others and attribute not in side for side in sides
            ):
                return True
    return False


# ------------------------------------------------------------------------------------------------ returned
# numbers


def _returned_amount(site: Site, events: list[Event], naming: GroupTerms, context: Context) -> Use | None:
    """A number that a scoring function returns by group is a score, not a yes or no."""
    function = events[0].function
    role = function_sink(context, function, site.attribute)
    returns = [] if gives_text(function, context) else _number_returns(events, role, context)
    if not returns or role not in {"score", "decide", "predicate", "measure", ""}:
        return None
    if role == "" and any(map(_is_count_return, returns)):
        return None

    def ask(hypothesis: Specialization) -> Amount | None:
        for event in returns if gets_there(site, hypothesis) else ():
            if relevant(event, site, hypothesis):
                asked = hypothesis if site.has(event) else told_apart(event, site, hypothesis)
                return asked.amount(event.value)
        return None

    comparison = compare_amounts(
        naming,
        ask,
        values_of(returns),
        cost=tests_of(returns),
        ways=lambda: ways_to(returns, site, naming),
    )
    answers = [answer for answer in comparison.by_group.values() if answer is not None]
    factors = [part for answer in answers for product in answer for part in product]
    how = scores.how_it_enters(answers, by_test=comparison.by_scale)
    if any(map(is_scale, factors)):
        comparison = replace(comparison, by_scale=True)
    if not answers or not (comparison.differs or comparison.by_scale):
        return None
    if shape_of(site, naming) == "table" and only_decodes(site, context):
        return None  # what is done with the name of the group is told there
    if not _is_number_by_group(answers, role, by_scale=comparison.by_scale):
        return None
    if any(factor[:1] in {"'", '"', "["} for factor in factors):
        return None
    points = group_points(comparison, plain_op="set", written=values_of(returns))
    if role == "" and points is None:
        return None
    name = function.rpartition(".")[2]
    use = make_use(
        site,
        naming,
        context,
        kind="score-update",
        effect="score",
        shape="scale" if comparison.by_scale else shape_of(site, naming),
        event=_representative_event(events, site),
        points=points,
        target=name,
        sink=sink("score", 2 if role else 1, f"`{name}` returns the score"),
        last="the score is returned here",
    )
    return scores.add_entry_detail(use, how, site, context)


def _is_count_return(event: Event) -> bool:
    """Whether what is returned is called a number or a count: `return room_no`."""
    given = event.node.value if isinstance(event.node, tree.Return) else None
    return given is not None and classify_target(path_of(given) or "") == "count"


def _number_returns(events: list[Event], role: str, context: Context) -> list[Event]:
    """The events, where all of them return something that may be a number; none otherwise.

    What a function that scores lists beside the score, or adds up in a list, is no outcome of its own.
    """
    events = [event for event in events if event.kind != "append" or role != "score"]
    values = [event.value for event in events]
    if any(event.kind != "return" for event in events) or all(map(_is_truth, values)):
        return []
    is_answer = any(isinstance(value, Const) and isinstance(value.value, bool) for value in values)
    return [] if is_answer or any(_returns_flag(event, context) for event in events) else events


def _returns_flag(event: Event, context: Context) -> bool:
    given = event.node.value if isinstance(event.node, tree.Return) else None
    return isinstance(given, tree.Name) and is_flag(given.id, event.function, context)


def _is_number_by_group(answers: list[Amount], role: str, *, by_scale: bool) -> bool:
    """Whether what a function returns is an amount, and no yes or no, label or code."""
    numbers = [known_number(answer) for answer in answers]
    if not by_scale and all(number in {0.0, 1.0} for number in numbers):
        return False
    if role != "score" and not any(map(scores.is_numeric_amount, answers)):
        return False  # a person's course or nothing, and no number
    # without a telling name, a number by group may be a label or a code
    return role != "" or (not by_scale and None in numbers)


def _is_truth(value: Value) -> bool:
    """Whether a value can only say yes or no."""
    for one in either(value):
        says = one.value in {0, 1, None} if isinstance(one, Const) else operations.mask_of(one) is not None
        if not says:
            return False
    return True
