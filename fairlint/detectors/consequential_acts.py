"""Which events at a site have consequences for a person, and what each of them does."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

from fairlint.detectors.context import Context
from fairlint.detectors.printed_outcomes import (
    is_told_otherwise,
    printed_outcome,
    said_by_target,
    tells_outcome,
)
from fairlint.detectors.roles import function_sink
from fairlint.detectors.sinks import (
    decision_verbs,
    holds_outcome,
    names_a_group,
    only_looks,
    sink_of_library_call,
)
from fairlint.semantics.groups.conditions import all_conditions_hold
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.path_search import PathCondition
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.names.effects import (
    MAY_ANNOUNCE,
    announces,
    announces_outcome,
    any_word,
    classify_target,
    lexicon,
)
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const, Operation, Protected, Sequence, Value
from fairlint.semantics.values.traversal import either
from fairlint.syntax import tree
from fairlint.vocabulary.words import split_words

EVENT_COSTS = 3
"""Steps for what is asked of each event that a site may lead to, whatever groups do there."""


def relevant(event: Event, site: Site, hypothesis: Specialization) -> bool:
    """Return whether the event happens for the person, given that the site is reached."""
    hypothesis.naming.steps.spend()
    happens = all_conditions_hold(site.conditions(event), hypothesis)
    if happens:
        hypothesis.naming.reached.add(id(event))
    return happens


def gets_there(site: Site, hypothesis: Specialization) -> bool:
    """Return whether a person whose number is known gets to the site: `if age < 18: raise ...` stands before
    it.
    """
    if hypothesis.number is None:
        return True
    return all(hypothesis.truth(gate.test) is gate.holds for gate in site.gates_on())


def ways_to(events: list[Event], site: Site, naming: GroupTerms) -> Iterator[PathCondition]:
    """Return what has to hold for each of the site's own events that has not happened to any group yet.

    The last is the first, as it stands behind most.
    """
    unmet = [event for event in reversed(events) if site.has(event) and id(event) not in naming.reached]
    return (site.conditions(event).all() for event in unmet)


def exits(site: Site, function: str, context: Context) -> list[Event]:
    """Return the events of `function` that can end what happens at the site, and the acts that it guards, in
    order.

    Of the function that the site stands in, what it calls belongs to it.
    """
    home = context.function_at(site.node.span)
    is_home = function == home
    own = list(site.events) if is_home else site.in_function(function)
    loop = next((one.loop for one in own if one.function == function), None)
    start, depth = (site.node.span.start, len(site.way)) if is_home else (0, sys.maxsize)
    found = {
        id(event): event
        for event in context.timeline.ends(function, start)
        if event.kind in {"return", "raise"} or event.loop is loop
    }
    followers = context.timeline.acts_left_by(site.branches, site.way, context.functions.get(home))
    left = [one for one in followers if one.loop is loop and (is_home or one.function == function)]
    acts = [*own, *left]
    context.steps.spend(len(left))
    reached = [one for one in acts if (one.way[depth] if len(one.way) > depth else one.node).span.end > start]
    found.update(
        _consequential_acts(reached, site, context, function_sink(context, function, site.attribute))
    )
    context.steps.spend(1 + EVENT_COSTS * len(found))
    return context.timeline.in_order(found.values(), depth)


def _consequential_acts(
    acts: list[Event], site: Site, context: Context, role: str
) -> Iterator[tuple[int, Event]]:
    """Yield those of some acts that do something to somebody, by their identity."""
    decided = {
        event.target
        for event in acts
        if event.kind == "assign" and (_is_outcome_target(event, site, context) or is_source(event, role))
    }
    said = said_by_target(acts, context)
    context.steps.spend(len(acts))
    for event in acts:
        if (
            (event.kind in {"call", "append"} and not is_idle(event, context))
            or (role == "decide" and is_demand(event, site))
            or tells_outcome(event, site, said, context)
            or is_told_otherwise(event, site, context)
            or (
                event.kind == "assign"
                and event.target in decided
                and not _is_bare_attribute(event.value)
                and not _changes_nothing(event, site, context)
            )
        ):
            yield id(event), event


def is_demand(event: Event, site: Site) -> bool:
    """Return whether a call makes a test on the attribute a condition: `self.require(p.age < 30,
    "too old")`.
    """
    if event.kind != "call" or not any_word(event.target.rpartition(".")[2], lexicon()["demands"]):
        return False
    given = event.value.items if isinstance(event.value, Sequence) else ()
    test = next((one for one in given if site.asks(one)), None)
    if isinstance(test, Protected):
        return test.mention.form == "flag"
    return isinstance(test, Operation)


def _changes_nothing(event: Event, site: Site, context: Context) -> bool:
    """Return whether what is given was there before, for all who get to the site."""
    before = context.timeline.change_before(event.target, event.function, event.node.span.start)
    return (
        before is not None
        and before.kind == "assign"
        and before.run == event.run
        and isinstance(before.value, Const)
        and isinstance(event.value, Const)
        and before.value.value == event.value.value
        and all(map(site.is_around, before.guards))
    )


def is_idle(event: Event, context: Context) -> bool:
    """Return calls that change nothing for anybody."""
    if event.kind != "call" or sink_of_library_call(event.node, context) is not None:
        return False
    if event.target.partition(".")[0] in lexicon()["logs"]:
        return True
    if only_looks(event, context):
        return not printed_outcome(event)
    return not any_word(event.target.rpartition(".")[2], decision_verbs())


def _is_outcome_target(event: Event, site: Site, context: Context) -> bool:
    """Return an assignment to something that holds a decision, or of a text that announces one."""
    if _is_bare_attribute(event.value):
        return False  # the attribute is kept, whatever the table is called
    kind = classify_target(event.target)
    if any(map(partial(_is_named_after, context=context), event.target.split("[")[1:])):
        return False  # the attribute is kept in another form, whatever the table is called
    if _is_deed_field(event.target) or _is_field_of_treatment(event, site, context):
        return True
    if kind == "outcome":
        given = event.node.value if isinstance(event.node, tree.Assign) else None
        is_of_group = given is not None and names_a_group(path_of(given) or "", context)
        return not is_of_group and holds_outcome(event.target, site.attribute, context)
    if kind == "score":
        return _is_level(event.value)
    return kind in MAY_ANNOUNCE and announces(event.value)


def _is_level(value: Value) -> bool:
    """Return whether a score is given by a word: `priority = "high"`."""
    texts = [one.value for one in either(value) if isinstance(one, Const)]
    words = [text for text in texts if isinstance(text, str)]
    if any(map(announces_outcome, words)):
        return True
    levels = lexicon()["levels"]
    return bool(words) and len(words) == len(texts) and all(any_word(text, levels) for text in words)


def _is_deed_field(target: str) -> bool:
    """Return whether a field says what was done to somebody: `patient.treated`, not a table's column."""
    holder, dot, name = target.rpartition(".")
    return bool(holder and dot) and name.lower() in lexicon()["done"]


def _is_field_of_treatment(event: Event, site: Site, context: Context) -> bool:
    """Return whether a field of a person says how they are treated, and is written out: `nurse.shift =
    "night"`.
    """
    holder, dot, name = event.target.rpartition(".")
    words = split_words(name)
    if not (holder and dot and words and words[-1] in lexicon()["treatment"]):
        return False
    read = next(iter(site.reads.values()))
    is_written = all(isinstance(one, Const) for one in either(event.value))
    return is_written and holder == read.receiver and context.is_person(holder, read.mention, surely=True)


def _is_named_after(entry: str, context: Context) -> bool:
    """Return whether an entry or a column is called after an attribute."""
    return any(found.strength != "proxy" for found in context.vocabulary.mentions(entry.strip("'\"]")))


def _is_bare_attribute(value: Value) -> bool:
    """Whether a value is a read, or a list of reads, and nothing is asked of them but whether there is one:
    `[rules["caste"]]`.
    """
    ends = [
        inner
        for end in either(value)
        for item in (end.items if isinstance(end, Sequence) else (end,))
        for inner in either(item)
    ]
    is_listed = any(isinstance(end, Sequence) for end in either(value))
    others = [end for end in ends if not isinstance(end, Protected)]
    return len(others) < len(ends) and all(
        is_listed and isinstance(end, Const) and end.value is None for end in others
    )


def is_source(event: Event, role: str) -> bool:
    """Return whether what a judging function goes by is chosen: a file, or what is loaded from one."""
    if role not in {"score", "decide"} or not isinstance(event.node, tree.Assign) or event.node.value is None:
        return False
    texts = [part.value for part in tree.walk(event.node.value) if isinstance(part, tree.Literal)]
    return any(isinstance(text, str) and text.rpartition(".")[2] in lexicon()["data_files"] for text in texts)
