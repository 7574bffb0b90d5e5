"""Decisions: what happens to a person depends on the group; thresholds and quotas by group."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from fairlint.detectors import scores
from fairlint.detectors.context import Context
from fairlint.detectors.outcomes import (
    TURNED_AWAY,
    Outcome,
    Sink,
    decision_sink,
    exits,
    function_sink,
    gives_text,
    looks_up,
    outcome,
    relevant,
    sink,
    tests_of,
    ways_to,
)
from fairlint.detectors.use_builder import is_limit, make_use, shape_of
from fairlint.lexicon.model import Evidence
from fairlint.records import Record, replace
from fairlint.semantics import operations
from fairlint.semantics.amounts import Amount, is_missing, known
from fairlint.semantics.comparison import Comparison, amount_distance, compare_groups, group_points
from fairlint.semantics.effects import any_word, lexicon
from fairlint.semantics.sites import Site
from fairlint.semantics.specialization import Naming, Specialization, is_scale
from fairlint.semantics.values import (
    Choice,
    Const,
    Event,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Value,
    either,
    walk,
)
from fairlint.syntax.tree import Node
from fairlint.uses import GroupPoints, Kind, Shape, Use


def observe(site: Site, naming: Naming, context: Context) -> Use | None:
    """The decision that the site makes by group, if it does."""
    best: Use | None = None
    for function in site.functions:
        use = _observe_in(function, site, naming, context)
        if use is not None and (best is None or _rank(use) > _rank(best)):
            best = use
    return best


def _rank(use: Use) -> tuple[bool, bool, bool, int]:
    adds = use.points is not None and use.points.op != "set"
    return (use.effect in {"decide", "score"}, use.effect == "score", adds, use.weight)


def _observe_in(function: str, site: Site, naming: Naming, context: Context) -> Use | None:
    """What the site decides in one of the functions that it has a say in."""
    events = exits(site, function, context)
    own = _own(events, site, context)
    if not own:
        return None

    def ask(hypothesis: Specialization) -> Outcome:
        return outcome(events, site, hypothesis, context)

    if (measured := _returned_amount(site, events, naming, context)) is not None:
        return measured
    comparison = compare_groups(
        naming, ask, _distance, enough=1.0, cost=tests_of(events), ways=lambda: ways_to(events, site, naming)
    )
    if not comparison.tells:
        return None
    differing = _differing(comparison)
    is_idle = looks_up(site, naming) or _hands_on(site, own, comparison, context)
    found = Sink("show") if is_idle else decision_sink(site, own, differing, context)
    if found.effect == "none":
        return None
    if found.effect == "decide" and (cut := find_threshold(site, events, naming, context)) is not None:
        return make_use(
            site,
            naming,
            context,
            kind=cut.kind,
            effect=found.effect,
            shape=shape_of(site, naming),
            event=_last(events, site),
            points=cut.points,
            target=cut.other,
            sink=found,
            last="the cut-off decides here",
            span=cut.node.span,
        )
    if comparison.by_scale and not comparison.differs and found.evidence is not None:
        reason = f"{found.evidence.reason}, for groups that cannot be named"
        is_check = found.evidence.reason == TURNED_AWAY  # `if race not in KNOWN: raise ...`
        found = Sink("check") if is_check else Sink(found.effect, Evidence(found.weight - 2, reason))
    kind: Kind = "filter" if _skips(comparison) else "decision"
    return make_use(
        site,
        naming,
        context,
        kind=kind,
        effect=found.effect,
        shape=_shape(comparison.by_scale, site, naming),
        event=_last(events, site),
        outcomes=_outcomes(comparison, kind),
        sink=found,
        leaves_out=comparison.leaves_out,
        last="the outcome is decided here",
    )


def _outcomes(comparison: Comparison[Outcome], kind: Kind) -> dict[str, str]:
    """What happens to each group; nothing where nobody can say, or where all fare alike in words."""
    if comparison.by_scale and not comparison.differs:
        return {}
    told = comparison.in_words(_readable)
    if kind == "filter":
        told = {group: "left out" if text.endswith("skipped") else "kept" for group, text in told.items()}
    return told if len(set(told.values())) > 1 else {}


_YES = {"return True": True, "return 1": True}
_NO = {"return False": False, "return 0": False, "return None": False, "return": False}


def _hands_on(site: Site, events: list[Event], comparison: Comparison[Outcome], context: Context) -> bool:
    """Whether a function without a telling name only gives the flag that it reads."""
    if function_sink(context, events[0].function, site.attribute) or any(
        event.kind != "return" for event in events
    ):
        return False
    if any(read.mention.form != "flag" for read in site.reads.values()):
        return False
    told = {**_YES, **_NO}
    answers = {group: [told.get(act) for act in answer] for group, answer in comparison.by_group.items()}
    named = {read.mention.group for read in site.reads.values()}
    return len(named) == 1 and all(answer == [group in named] for group, answer in answers.items())


_OTHERS = re.compile(r"\b[a-z]+@\d+(?:=[^,\]]*)?")
"""What depends on other things, as values name it."""
_GROUP = re.compile(r"(?<=[ (\[])=(?=[\w-])")
"""What stands before a group's name where the attribute itself is returned or handed on."""
_ENTRIES = re.compile(r"(?:…|'')(?:, (?:…|''))*(?=[,\]])")


def _readable(answer: Outcome) -> str:
    """What happens, in words that stand in the code; the entries of a list that say nothing of the group are
    left out.
    """
    return _GROUP.sub("", _ENTRIES.sub("…", _OTHERS.sub("…", "; ".join(answer))))


def _shape(by_scale: bool, site: Site, naming: Naming) -> Shape:
    if is_limit(site, naming, by_scale=by_scale):
        return "cutoff"
    return "scale" if by_scale else shape_of(site, naming)


def _distance(answers: list[Outcome]) -> float:
    return float(len(set(answers)) - 1)


def _differing(comparison: Comparison[Outcome]) -> set[str]:
    """The acts that not every group meets."""
    answers = [*comparison.compared, *([comparison.other] if comparison.leaves_out else [])]
    if comparison.by_scale and not comparison.differs:
        return {act for answer in answers for act in answer}
    common = set(answers[0]).intersection(*answers[1:]) if answers else set()
    return {act for answer in answers for act in answer} - common


def _own(events: list[Event], site: Site, context: Context) -> list[Event]:
    """The events that the site has a say in: what is made of a statistic later decides about nobody."""
    is_statistic = scores.describes(site, context)
    inside = {id(event) for event in site.guarded} if is_statistic else site.own
    return [
        event for event in events if id(event) in inside or context.timeline.is_left_by(event, site.branches)
    ]


def _last(events: list[Event], site: Site) -> Event:
    own = [event for event in events if site.has(event)]
    return min(own, key=lambda event: event.node.span.start) if own else events[0]


def _skips(comparison: Comparison[Outcome]) -> bool:
    answers = set(comparison.compared)
    return any(answer[-1] == "skipped" for answer in answers)


def joins(value: Value, attribute: str, others: AbstractSet[str], context: Context) -> bool:
    """Whether one condition in `value` tests `attribute` together with one of `others`."""
    attributes = context.dependence.attributes
    if attribute not in attributes(value) or attributes(value).isdisjoint(others):
        return False
    for part in walk(value):
        if isinstance(part, Operation) and part.op in {"and", "or"}:
            sides = [attributes(argument) for argument in part.arguments]
            if any(attribute in side for side in sides) and any(
                side & others and attribute not in side for side in sides
            ):
                return True
    return False


# ------------------------------------------------------------------------------------------------ returned
# numbers


def _returned_amount(site: Site, events: list[Event], naming: Naming, context: Context) -> Use | None:
    """A number that a scoring function returns by group is a score, not a yes or no."""
    function = events[0].function
    role = function_sink(context, function, site.attribute)
    returns = [] if gives_text(function, context) else _numbers_returned(events)
    if not returns or role not in {"score", "decide", "predicate", "measure", ""}:
        return None

    def ask(hypothesis: Specialization) -> Amount | None:
        for event in returns:
            if relevant(event, site, hypothesis):
                return hypothesis.amount(event.value)
        return None

    comparison = compare_groups(
        naming, ask, amount_distance, cost=tests_of(returns), ways=lambda: ways_to(returns, site, naming)
    )
    answers = [answer for answer in comparison.by_group.values() if answer is not None]
    factors = [part for answer in answers for product in answer for part in product]
    how = scores.how_it_enters(answers, by_test=comparison.by_scale)
    if any(map(is_scale, factors)):
        comparison = replace(comparison, by_scale=True)
    if not answers or not (comparison.differs or comparison.by_scale):
        return None
    if not _is_number_by_group(answers, role, by_scale=comparison.by_scale):
        return None
    if any(factor[:1] in {"'", '"', "["} for factor in factors):
        return None
    points = group_points(comparison, plain_op="set", written=[event.value for event in returns])
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
        event=_last(events, site),
        points=points,
        target=name,
        sink=sink("score", 2 if role else 1, f"`{name}` returns the score"),
        last="the score is returned here",
    )
    return replace(use, detail=how) if how else use


def _numbers_returned(events: list[Event]) -> list[Event]:
    """The events, where all of them return something that may be a number; none otherwise."""
    values = [event.value for event in events]
    if any(event.kind != "return" for event in events) or all(map(_is_truth, values)):
        return []
    is_flag = any(isinstance(value, Const) and isinstance(value.value, bool) for value in values)
    return [] if is_flag else events


def _is_number_by_group(answers: list[Amount], role: str, *, by_scale: bool) -> bool:
    """Whether what a function returns is an amount, and no yes or no, label or code."""
    numbers = [known(answer) for answer in answers]
    if not by_scale and all(number in {0.0, 1.0} for number in numbers):
        return False
    if role != "score" and not any(map(scores.is_computed, answers)):
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


# ------------------------------------------------------------------------------------------------ thresholds


class _Cut(Record):
    kind: Kind
    points: GroupPoints
    other: str
    table: str
    node: Node


def find_threshold(site: Site, events: list[Event], naming: Naming, context: Context) -> _Cut | None:
    """A comparison at the site one side of which is a number that depends on the group."""
    cut = context.once_of(_own_threshold, site, naming)
    return cut or _threshold((event.value for event in events), site, naming, context)


def _own_threshold(site: Site, naming: Naming, context: Context) -> _Cut | None:
    guards = {id(guard): guard.test for event in site.events for guard in event.guards}
    return _threshold((*guards.values(), *(event.value for event in site.events)), site, naming, context)


def _threshold(values: Iterable[Value], site: Site, naming: Naming, context: Context) -> _Cut | None:
    depending = (value for value in values if site.asks(value))
    for part in walk(*depending):
        if isinstance(part, Operation) and part.op in {"<", ">="}:
            for place in (0, 1):
                side, other = part.arguments[place], part.arguments[1 - place]
                if (cut := _cut(side, other, site, naming, context)) is not None:
                    return cut
    return None


def _cut(side: Value, other: Value, site: Site, naming: Naming, context: Context) -> _Cut | None:
    attributes = context.dependence.attributes
    if not isinstance(side, Choice | Lookup) or site.attribute not in attributes(side):
        return None
    if isinstance(other, Const | Protected):
        return None
    counted = isinstance(other, Lookup) and site.attribute in attributes(other)
    if site.attribute in attributes(other) and not counted:
        return None
    comparison = compare_groups(naming, lambda hypothesis: hypothesis.amount(side), amount_distance)
    if not comparison.differs:
        return None
    if comparison.by_scale or any(
        known(amount) is None and not is_missing(amount)
        for amount in comparison.by_group.values()
        if amount is not None
    ):
        return None
    points = group_points(comparison, plain_op="set")
    if points is None:
        return None
    text = other.key if isinstance(other, Opaque) else _name_of(other, context)
    name = side.table.name if isinstance(side, Lookup) else ""
    is_quota = counted or any_word(text, lexicon()["counted"]) or any_word(name, lexicon()["quota"])
    return _Cut(
        "quota" if is_quota else "threshold",
        points,
        text,
        name,
        side.node if isinstance(side, Lookup) else site.start,
    )


def _name_of(value: Value, context: Context) -> str:
    match value:
        case Lookup(table=table):
            return table.name
        case Operation(node=node):
            return " ".join(context.source.text(node.span).split())[:60]
        case _:
            return ""
