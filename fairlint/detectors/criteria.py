"""Optional criteria: `if gender: people = [p for p in people if p.gender == gender]` searches for people.

Whoever fills in the form may leave a criterion out. What they look for is no rule that the code has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from fairlint.detectors.compared_people import (
    COMPARES,
    MOST_PARTS,
    Key,
    compared_with,
    criterion_key,
    is_comparison,
    is_looked_for,
    says_nothing,
)
from fairlint.detectors.context import Context
from fairlint.detectors.sinks import Sink, sink
from fairlint.detectors.user_input import is_user_choice
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.effects import any_word, lexicon
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import Const, Opaque, Operation, Protected, Value
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import Record, field, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Span
from fairlint.vocabulary.words import split_words

MOST_TESTS = 100
"""Tests that are looked at for one event."""


class _Asked(Record, frozen=False):
    """What the tests on the way to an event ask for."""

    given: set[Key] = field(default_factory=set)
    """Of which values they ask whether there is one."""
    compared: list[Operation] = field(default_factory=list)
    """Where they compare the attribute with something that is not written down."""
    is_rule: bool = False
    """Whether they compare it with a group or a number, too."""


def is_search(site: Site, event: Event, context: Context, *, typed: bool) -> bool:
    """Return whether an event leaves people out by criteria alone that somebody may give or not.

    `typed` asks for criteria that stand in a parameter or a form, and in no record of another kind.
    """
    asked = _Asked()
    own = [guard.test for guard in event.guards if not guard.implied and site.asks(guard.test)]
    own += [event.value] if event.kind == "filter" else []
    for test in own:
        _read_criteria(test, asked, site, context)
    if asked.is_rule or not asked.compared:
        return False
    others = _Asked(asked.given)
    for guard in event.guards.latest(MOST_TESTS):
        _read_criteria(guard.test, others, site, context)
    gone_through = _gone_through(event)
    given = {one for one in asked.given if (one[0] or one[1]).partition(".")[0] not in gone_through}
    return all(_is_optional(one, given, context, typed=typed) for one in asked.compared)


def _gone_through(event: Event) -> frozenset[str]:
    """Return what the loop around an event calls what it goes through: `job` asks for `job.min_age`
    itself.
    """
    target = event.loop.target if isinstance(event.loop, tree.Loop) else None
    parts = () if target is None else tree.walk(target)
    return frozenset(part.id for part in parts if isinstance(part, tree.Name))


def search_sink(site: Site, event: Event, context: Context, *, typed: bool) -> Sink | None:
    """Return what it amounts to that an event leaves out those whom somebody does not look for; None where it
    does more than that.

    Where people choose among people, what they may ask for decides who is shown.
    """
    if not (
        is_search(site, event, context, typed=typed)
        or is_user_choice(event.value, site.attribute, context)
        or _is_steered_choice(site, event, context)
    ):
        return None
    if (domain := _domain_of_offers(site, (event,), context)) is None:
        return Sink("show")
    found = sink("decide", 1, "who is shown depends on what somebody looks for")
    is_taste = domain == "dating" and site.attribute in lexicon()["taste"]
    return replace(found, said="shape") if is_taste else found


def search_outcome(site: Site, events: Iterable[Event], context: Context) -> Sink | None:
    """Return what it amounts to that whoever searches for people may ask for a group, where that decides who
    is shown.
    """
    events = tuple(events)
    if site.attribute in lexicon()["taste"] and "like" in compared_with(site, context):
        found = sink("decide", 1, "who is shown depends on whom somebody would like to meet")
        return replace(found, said="shape")
    if _domain_of_offers(site, events, context) is None:
        return None
    sinks = (search_sink(site, event, context, typed=True) for event in events)
    return next((found for found in sinks if found is not None and found.effect == "decide"), None)


def _domain_of_offers(site: Site, events: Iterable[Event], context: Context) -> str | None:
    """Return the field, where it is one in which people choose among people: at work, among those
    who apply.
    """
    domain = context.domain(site)
    if domain in lexicon()["offered"]:
        return domain
    if domain != "hiring" or not context.once(_finds_work, ""):
        return None
    names = [read.receiver for read in site.reads.values()]
    for event in events:
        names += [event.function.rpartition(".")[2], event.target]
    return domain if any(any_word(name, lexicon()["sought"]) for name in names) else None


def _finds_work(_: str, context: Context) -> bool:
    """Return whether a file is about work that people apply for, and not only about candidates for
    whatever.
    """
    return any_word(context.source.text(Span(0, len(context.source.data))), lexicon()["work"])


def _is_steered_choice(site: Site, event: Event, context: Context) -> bool:
    """Return whether people are kept by a group that somebody at the screen says, or because of what they
    say.
    """
    if event.kind != "filter":
        return False
    tests = [guard.test for guard in event.guards if not guard.implied and site.asks(guard.test)]
    asked = [read for test in tests for read in site.dependence.reads(test, site.attribute)]
    compared = list(site.dependence.reads(event.value, site.attribute))
    of_rows = [read for read in compared if not is_looked_for(read, context)]
    if not compared or len(asked) + len(compared) == len(of_rows):
        return False
    if not of_rows and any(isinstance(side, Const) for side in _comparison_sides(event.value)):
        return False  # whoever is at the screen is asked about, and no rows
    return all(is_looked_for(read, context) for read in asked)


def _comparison_sides(test: Value) -> Iterator[Value]:
    """Yield what the comparisons compare of which a test is joined."""
    if isinstance(test, Operation) and test.op in {"and", "or", "not"}:
        for part in test.arguments:
            yield from _comparison_sides(part)
    elif isinstance(test, Operation):
        yield from test.arguments


def _read_criteria(test: Value, asked: _Asked, site: Site, context: Context) -> None:
    stack, left = [test], MOST_TESTS
    while stack and left:
        left -= 1
        part = stack.pop()
        match part:
            case Operation(op="and" | "or" | "not", arguments=parts):
                stack.extend(parts)
            case Protected() | Opaque():
                asked.given.add(criterion_key(part))
            case (
                Operation(op="==", arguments=(held, Const() as said))
                | Operation(op="==", arguments=(Const() as said, held))
            ):
                if not site.asks(held) or says_nothing(said, site, context):
                    asked.given.add(criterion_key(held))
                else:
                    asked.is_rule = True
            case Operation(op="in", arguments=(Const(value=str() as name), Opaque(key=holder))):
                asked.given.add((holder, name))
            case Operation(op=op, arguments=parts) if site.asks(part):
                if op in COMPARES and not any(isinstance(one, Const) for one in parts):
                    asked.compared.append(part)
                else:
                    asked.is_rule = True
            case _:
                asked.is_rule = asked.is_rule or site.asks(part)
    asked.is_rule = asked.is_rule or bool(stack)


def _is_optional(compared: Operation, given: set[Key], context: Context, *, typed: bool) -> bool:
    return any(
        criterion_key(one) in given
        and criterion_key(one) != ("", "")
        and (not typed or _is_typed_criterion(one))
        for side in compared.arguments
        for one in _made_of(side, context)
    )


def _made_of(value: Value, context: Context) -> Iterator[Value]:
    """Yield a value, and what a call has made it of: `int(age)`."""
    yield value
    if (call := context.facts.call_giving(value)) is not None:
        yield from call.arguments
    if (origin := context.facts.origins.get(id(value))) is not None:
        yield origin[1]
    if isinstance(place := context.facts.place_of(value), tree.Index):
        yield from context.facts.values_of(place.value)  # `age_range[0]`


def _is_typed_criterion(value: Value) -> bool:
    """Return whether a criterion stands by itself, or in what is called a form, a filter, or the like."""
    holder = value.receiver if isinstance(value, Protected) else ""
    if isinstance(value, Opaque):
        holder = value.key.rpartition(".")[0]
    return not holder or not lexicon()["searched_by"].isdisjoint(split_words(holder))


def is_about_spelling(site: Site, naming: GroupTerms, context: Context) -> bool:
    """Return whether a name of a school, a place or the like is searched for the word for such a thing: that
    says how the name is written, and nothing of whose it is.
    """
    if context.attribute(site.attribute).kind == "protected":
        return False
    return any(
        mention.attribute == site.attribute and mention.group is None
        for word in naming.written
        for mention in context.vocabulary.mentions(word)
    )


def is_among_unknown(site: Site, naming: GroupTerms, context: Context) -> bool:
    """Return whether something that nobody knows is looked up in what is called after the attribute:
    `uri not in concepts["diagnosis"]`.
    """
    return not naming.named and context.once_at(_find_looked_up, site)


def _find_looked_up(site: Site, context: Context) -> bool:
    tests = {id(guard.test): guard.test for guard in context.guards(site)}
    values = [*tests.values(), *(event.value for event in site.events if event.kind == "filter")]
    asked = [
        part for part in islice(walk(*filter(site.asks, values)), MOST_PARTS) if is_comparison(part, site)
    ]
    looked_up = [
        part.arguments[0]
        for part in asked
        if isinstance(part, Operation) and part.op == "in" and site.asks(part.arguments[1])
    ]
    return (
        len(looked_up) == len(asked)
        and any(isinstance(one, Opaque) for one in looked_up)
        and all(isinstance(one, Opaque | Protected) for one in looked_up)
    )
