"""Decisions by a number that is returned, such as a count of places."""

from __future__ import annotations

from fairlint.detectors import scores
from fairlint.detectors.compared_outcomes import representative_event
from fairlint.detectors.consequential_acts import gets_there, relevant, ways_to
from fairlint.detectors.context import Context
from fairlint.detectors.outcomes import tests_of, told_apart, values_of
from fairlint.detectors.recoding import is_flag, only_decodes
from fairlint.detectors.returned_sinks import gives_text
from fairlint.detectors.roles import function_sink
from fairlint.detectors.sinks import sink
from fairlint.detectors.use_builder import make_use, shape_of
from fairlint.findings.uses import Use
from fairlint.semantics.groups.group_points import compare_amounts, group_points
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.results import is_scale
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.interpreter import operations
from fairlint.semantics.names.effects import classify_target
from fairlint.semantics.values.amounts import Amount, known_number
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const, Value
from fairlint.semantics.values.traversal import either
from fairlint.support.records import replace
from fairlint.syntax import tree


def returned_amount(site: Site, events: list[Event], naming: GroupTerms, context: Context) -> Use | None:
    """Return a number that a scoring function returns by group is a score, not a yes or no."""
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
        event=representative_event(events, site),
        points=points,
        target=name,
        sink=sink("score", 2 if role else 1, f"`{name}` returns the score"),
        last="the score is returned here",
    )
    return scores.add_entry_detail(use, how, site, context)


def _is_count_return(event: Event) -> bool:
    """Return whether what is returned is called a number or a count: `return room_no`."""
    given = event.node.value if isinstance(event.node, tree.Return) else None
    return given is not None and classify_target(path_of(given) or "") == "count"


def _number_returns(events: list[Event], role: str, context: Context) -> list[Event]:
    """Return the events, where all of them return something that may be a number; none otherwise.

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
    """Return whether what a function returns is an amount, and no yes or no, label or code."""
    numbers = [known_number(answer) for answer in answers]
    if not by_scale and all(number in {0.0, 1.0} for number in numbers):
        return False
    if role != "score" and not any(map(scores.is_numeric_amount, answers)):
        return False  # a person's course or nothing, and no number
    # without a telling name, a number by group may be a label or a code
    return role != "" or (not by_scale and None in numbers)


def _is_truth(value: Value) -> bool:
    """Return whether a value can only say yes or no."""
    for one in either(value):
        says = one.value in {0, 1, None} if isinstance(one, Const) else operations.mask_of(one) is not None
        if not says:
            return False
    return True
