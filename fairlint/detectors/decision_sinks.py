"""What is decided at a site: the sink of the events that differ between groups."""

from __future__ import annotations

from fairlint.detectors.consequential_acts import is_demand, is_idle, is_source
from fairlint.detectors.context import Context
from fairlint.detectors.criteria import search_sink
from fairlint.detectors.loops import append_sink, skip_sink
from fairlint.detectors.outcomes import TURNED_AWAY, act_text
from fairlint.detectors.printed_outcomes import (
    calls_under_site,
    said_by_target,
    says_more_than_may,
    tells_outcome,
)
from fairlint.detectors.returned_sinks import Returned, return_sink
from fairlint.detectors.roles import function_sink
from fairlint.detectors.sinks import Sink, checks_itself, is_complaint, only_looks, sink, sink_of_library_call
from fairlint.semantics.groups.asking import asks_directly
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.effects import any_word, lexicon
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import Const, Operation, Protected, Sequence, Value
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.vocabulary.words import split_words

GROUP_REFUSED = "members of a group are refused by an error"


def looks_up(site: Site, naming: GroupTerms) -> bool:
    """Return whether somebody is found by what stands for one person, such as the name that a user has given.

    To be asked after a comparison, which meets the groups that the code names.
    """
    is_direct = asks_directly(site.test, site.attribute, site.dependence)
    return is_direct and not naming.named and (naming.attribute.identifies or _is_by_birthday(site))


def _is_by_birthday(site: Site) -> bool:
    """Return whether a date of birth has to be the one that is asked for."""
    asked = [part for part in walk(site.test) if isinstance(part, Operation) and site.asks(part)]
    compared = [part for part in asked if part.op not in {"and", "or", "not", "&", "|"}]
    return all(read.mention.form == "date" for read in site.reads.values()) and all(
        part.op in {"==", "in"} and not any(isinstance(side, Const | Sequence) for side in part.arguments)
        for part in compared
    )


def decision_sink(site: Site, events: list[Event], differing: set[str], context: Context) -> Sink:
    """Return what the differing outcomes amount to. `differing` holds the outcomes that not every
    group has.
    """
    function = events[0].function
    role = function_sink(context, function, site.attribute)
    best = Sink("none")
    returned = Returned([text.removeprefix("return ") for text in differing if text.startswith("return ")])
    for event in events:
        found = _event_sink(site, event, role, returned, differing, context)
        if found is not None and _sink_rank(found) > _sink_rank(best):
            best = found
    return best


def _sink_rank(found: Sink) -> tuple[int, ...]:
    return (found.weight, found.effect == "decide", found.effect != "none")


def _event_sink(  # noqa: PLR0917 (one of many events of which the rest is the same)
    site: Site, event: Event, role: str, returned: Returned, differing: set[str], context: Context
) -> Sink | None:
    match event.kind:
        case "return":
            return return_sink(site, event, role, returned, differing, context)
        case "raise" if checks_itself(event, site.reads.values(), context):
            return Sink("check")
        case "raise":
            if role in {"check", "mention"}:
                is_refused = _refuses_a_group(event, site, context)
                return sink("decide", 1, GROUP_REFUSED) if is_refused else Sink("check")
            is_refusal = any_word(context.source.text(event.node.span), lexicon()["refusal"])
            if is_complaint(event, context) and not is_refusal and not _is_cut(site):
                return Sink("check")
            is_telling = is_refusal or role in {"decide", "score", "predicate"}
            reason = "people are refused by an error" if is_refusal else TURNED_AWAY
            return sink("decide", 2 if is_telling else 1, reason)
        case "continue" | "append" if (
            searched := search_sink(site, event, context, typed=role == "decide")
        ) is not None:
            return searched
        case "continue" | "break":
            return skip_sink(event, context)
        case "append":
            return append_sink(site, event, role, context)
        case "call" if (found := sink_of_library_call(event.node, context)) is not None:
            return Sink("decide", found.evidence, "name")
        case "call" if only_looks(event, context):
            return _shown_sink(site, event, context)
        case "call" if role == "decide" and is_demand(event, site):
            return sink("decide", 2, f"`{event.target}` makes it a condition")
        case "call":
            return _call_sink(site, event)
        case "assign" if is_source(event, role):
            return sink("decide", 1, f"what `{event.function.rpartition('.')[2]}` goes by is chosen here")
        case "assign":
            return sink("decide", 2, f"sets the outcome `{event.target}`")
        case _:
            return None


def _shown_sink(site: Site, event: Event, context: Context) -> Sink:
    """Return what it amounts to that a program shows or prints something."""
    if site.node is event.node:
        return Sink("show")  # what is shown is the attribute itself
    if context.domain(site) and _are_told_yes_and_no(site, context):
        return sink("decide", 4, "some get a yes and others a no")
    others = [one for one in calls_under_site(site) if one is not event]
    said = said_by_target([event, *others], context)
    if is_idle(event, context) and not tells_outcome(event, site, said, context):
        found = sink("decide", 2, "some get a message that others do not get")
        return replace(found, said="answer" if says_more_than_may(site) else "shape")
    return sink("decide", 2, "a decision is announced")


def _call_sink(site: Site, event: Event) -> Sink:
    """Return what it amounts to that something is called by a name that decides."""
    found = sink("decide", 2, f"calls `{event.target}`")
    return replace(found, said="shape") if _only_hands_on(event, site) else found


def _only_hands_on(event: Event, site: Site) -> bool:
    """Return whether a call meets all alike and is given the attribute as it is: what it does with it stands
    elsewhere.
    """
    if isinstance(event.node, tree.Lambda):
        return False  # what it answers is a test
    if any(site.asks(guard.test) for guard in event.guards if not guard.implied):
        return False
    given = event.value.items if isinstance(event.value, Sequence) else (event.value,)
    asked = [one for one in given if site.asks(one)]
    return bool(asked) and all(isinstance(one, Protected) for one in asked)


def _refuses_a_group(event: Event, site: Site, context: Context) -> bool:
    """Return whether an error meets the members of a known group for that alone: no value that cannot be
    (`gender not in KNOWN`), and no two that do not go together (`male and pregnant`).
    """
    tests = [guard for guard in event.guards if not guard.implied]
    return bool(tests) and all(guard.holds and _is_membership(guard.test, site, context) for guard in tests)


def _is_membership(test: Value, site: Site, context: Context) -> bool:
    """Return whether a test asks for nothing but a known group: `gender == "F"`, `caste in ("SC", "ST")`."""
    match test:
        case Operation(op="==" | "in", arguments=(Protected(mention=mention), Const() as const)):
            told: tuple[Value, ...] = (const,)
        case Operation(op="in", arguments=(Protected(mention=mention), Sequence(items=told))):
            pass
        case _:
            return False
    named = (
        context.vocabulary.group_of(site.attribute, one.value)
        if isinstance(one, Const) and isinstance(one.value, str)
        else None
        for one in told
    )
    return mention.attribute == site.attribute and all(
        group not in {None, "other"} and not context.vocabulary.is_missing(site.attribute, str(group))
        for group in named
    )


def _are_told_yes_and_no(site: Site, context: Context) -> bool:
    """Return whether a site announces an outcome to some, and to others that it is not to be: `Eligible`,
    `Not eligible`.
    """
    lists = lexicon()
    said = [set(split_words(act_text(one.node, context))) for one in site.guarded if one.kind == "call"]
    refusing = [words for words in said if not words.isdisjoint(lists["refusal"] | lists["says_no"])]
    announcing = lists["outcome_text"] - lists["talk"]
    return any(not words.isdisjoint(announcing | lists["refusal"]) for words in refusing) and any(
        not words.isdisjoint(announcing) for words in said if words not in refusing
    )


def _is_cut(site: Site) -> bool:
    return all(read.mention.form in {"number", "date"} for read in site.reads.values())
