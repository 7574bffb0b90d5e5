"""What happens to a person at a site, and whether that is a decision, a score, or mere talk."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial
from itertools import islice
from zlib import crc32

from fairlint.detectors.context import Context
from fairlint.detectors.criteria import search_sink
from fairlint.detectors.loops import append_sink, skip_sink
from fairlint.detectors.roles import are_people, function_sink, objects, said_name
from fairlint.detectors.sinks import (
    Sink,
    checks_itself,
    decision_verbs,
    holds_outcome,
    is_complaint,
    names_a_group,
    only_looks,
    sink,
    sink_of_library_call,
)
from fairlint.detectors.user_input import is_user_choice
from fairlint.semantics.groups.asking import asks_directly
from fairlint.semantics.groups.conditions import all_conditions_hold
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.path_search import PathCondition
from fairlint.semantics.groups.results import LinearSum, Result, Unknown
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.names.effects import (
    MAY_ANNOUNCE,
    announces,
    announces_outcome,
    announcing_words,
    any_word,
    classify_target,
    lexicon,
)
from fairlint.semantics.values.amounts import known_number, readable
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.marks import hidden_mark
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    Choice,
    Const,
    Lookup,
    Operation,
    Protected,
    Scalar,
    Sequence,
    Value,
)
from fairlint.semantics.values.traversal import either, walk
from fairlint.support.records import Record, field, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside
from fairlint.vocabulary.words import split_words

_AMOUNT = re.compile(r"(?<![\w%.])\d")
_SIGN = re.compile(r"[$€£₹৳₦¥][ \t]*\d|\d[ \t]*[€£₹৳₦¥]")
"""An amount of money."""
LONGEST_PRINTED = 160
"""Characters of a printed text that announces an outcome."""
_LONGEST_ACT = 8_000
"""Characters of an act that are kept; a longer one is cut in its middle."""
MOST_CALLS = 40
"""Calls of a chain that are looked through for what others are told."""
MOST_WORDS = 25
"""Different words of a sentence that says what somebody may do; longer ones tell stories."""
_GOES_TO = "→ "
"""Stands before the page that somebody is sent to."""
EVENT_COSTS = 3
"""Steps for what is asked of each event that a site may lead to, whatever groups do there."""
TURNED_AWAY = "people are turned away by an error"
GROUP_REFUSED = "members of a group are refused by an error"
GOES_ON = ("goes on",)


def relevant(event: Event, site: Site, hypothesis: Specialization) -> bool:
    """Whether the event happens for the person, given that the site is reached."""
    hypothesis.naming.steps.spend()
    happens = all_conditions_hold(site.conditions(event), hypothesis)
    if happens:
        hypothesis.naming.reached.add(id(event))
    return happens


def gets_there(site: Site, hypothesis: Specialization) -> bool:
    """Whether a person whose number is known gets to the site: `if age < 18: raise ...` stands before it."""
    if hypothesis.number is None:
        return True
    return all(hypothesis.truth(gate.test) is gate.holds for gate in site.gates_on())


def ways_to(events: list[Event], site: Site, naming: GroupTerms) -> Iterator[PathCondition]:
    """What has to hold for each of the site's own events that has not happened to any group yet.

    The last is the first, as it stands behind most.
    """
    unmet = [event for event in reversed(events) if site.has(event) and id(event) not in naming.reached]
    return (site.conditions(event).all() for event in unmet)


def exits(site: Site, function: str, context: Context) -> list[Event]:
    """The events of `function` that can end what happens at the site, and the acts that it guards, in
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
    """Those of some acts that do something to somebody, by their identity."""
    decided = {
        event.target
        for event in acts
        if event.kind == "assign" and (_is_outcome_target(event, site, context) or _is_source(event, role))
    }
    said = _said_by_target(acts, context)
    context.steps.spend(len(acts))
    for event in acts:
        if (
            (event.kind in {"call", "append"} and not is_idle(event, context))
            or (role == "decide" and _is_demand(event, site))
            or _tells_outcome(event, site, said, context)
            or _is_told_otherwise(event, site, context)
            or (
                event.kind == "assign"
                and event.target in decided
                and not _is_bare_attribute(event.value)
                and not _changes_nothing(event, site, context)
            )
        ):
            yield id(event), event


def _is_demand(event: Event, site: Site) -> bool:
    """Whether a call makes a test on the attribute a condition: `self.require(p.age < 30, "too old")`."""
    if event.kind != "call" or not any_word(event.target.rpartition(".")[2], lexicon()["demands"]):
        return False
    given = event.value.items if isinstance(event.value, Sequence) else ()
    test = next((one for one in given if site.asks(one)), None)
    if isinstance(test, Protected):
        return test.mention.form == "flag"
    return isinstance(test, Operation)


def _changes_nothing(event: Event, site: Site, context: Context) -> bool:
    """Whether what is given was there before, for all who get to the site."""
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
    """Calls that change nothing for anybody."""
    if event.kind != "call" or sink_of_library_call(event.node, context) is not None:
        return False
    if event.target.partition(".")[0] in lexicon()["logs"]:
        return True
    if only_looks(event, context):
        return not _printed_outcome(event)
    return not any_word(event.target.rpartition(".")[2], decision_verbs())


Said = tuple[frozenset[str], frozenset[str]]
"""The words by which a call announces an outcome, in what it is given as sentences and in any text."""


def _said_by_target(acts: list[Event], context: Context) -> dict[str, list[Counter[frozenset[str]]]]:
    """How many of some acts announce what, by what is called, as sentences and in any text."""
    found: dict[str, list[Counter[frozenset[str]]]] = {}
    for event in acts:
        if event.kind == "call":
            counted = found.setdefault(event.target, [Counter(), Counter()])
            for counts, words in zip(counted, _announced_by(event, context), strict=True):
                counts[words] += 1
    return found


def _announced_by(event: Event, context: Context) -> Said:
    """What a call announces, which is the same for every site that it hangs on."""
    known = context.once(_announcement_cache, "")
    if id(event) not in known:
        known[id(event)] = _announced_in(_sentences_in_call(event)), _announced_in(_texts_in_call(event))
    return known[id(event)]


def _announcement_cache(_function: str, _context: Context) -> dict[int, Said]:
    return {}


def _tells_outcome(
    event: Event, site: Site, said: Mapping[str, list[Counter[frozenset[str]]]], context: Context
) -> bool:
    """Whether a call that stands alone is given texts that announce an outcome: `send(template="rejected")`.

    What people of all groups are sent announces nothing apart. A bare word counts where another act is the
    same call with another: `send(name, "rejected")`, `send(name, "approved")`.
    """
    if event.kind != "call" or event.target.partition(".")[0] in lexicon()["logs"]:
        return False
    if not isinstance(context.execution.syntax.parent(event.node), tree.Expression):
        return False
    if len({announcing_words(text) for text in _chosen_texts(event, site)}) > 1:
        return True
    alike, alike_in_words = said[event.target]
    own, own_in_words = _announced_by(event, context)
    if own and (len(alike) > 1 or alike.total() == 1):
        return True
    return bool(own_in_words) and len(alike_in_words) > 1


def _is_told_otherwise(event: Event, site: Site, context: Context) -> bool:
    """Whether a program tells whoever sits at it what they may do or are given, and others something else:
    `print("Priority: high")` in one branch, `print("Priority: normal")` in another.
    """
    if event.kind != "call" or not only_looks(event, context) or not site.has(event):
        return False
    if event.target.partition(".")[0] in lexicon()["logs"]:
        return False
    own = _words_by_text(event)
    alike = (one for one in _calls_under_site(site) if one is not event and one.target == event.target)
    others = [said for one in alike if (said := _words_by_text(one)) != own]
    if others and any(" " in text and _is_permission_text(words) for text, words in own.items()):
        return True
    return any(
        _is_denial(words, said) for other in others for words in own.values() for said in other.values()
    )


def _calls_under_site(site: Site) -> Iterator[Event]:
    return islice((one for one in site.guarded if one.kind == "call"), MOST_CALLS)


def _words_by_text(event: Event) -> dict[str, frozenset[str]]:
    """The texts that a call is given, and their words."""
    return {text.strip(): frozenset(split_words(text)) for text in _texts_in_call(event)}


def _is_denial(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a text says what another one denies: `Retires`, `Does not retire`."""
    apart = one ^ other
    return bool(one & other) and bool(apart) and apart <= lexicon()["says_no"] | lexicon()["auxiliary"]


def _says_more_than_may(site: Site) -> bool:
    """Whether what a site tells says what somebody gets, or what others do not: more than "You can"."""
    said = [words for one in _calls_under_site(site) for words in _words_by_text(one).values()]
    return any(not words.isdisjoint(lexicon()["permits"]) for words in said) or any(
        _is_denial(one, other) for one in said for other in said
    )


def _is_permission_text(words: frozenset[str]) -> bool:
    """Whether a sentence says what somebody may do or is given, and complains about no input."""
    lists = lexicon()
    is_permission = not words.isdisjoint(lists["permits"])
    is_permission |= not words.isdisjoint(lists["may"]) and words.isdisjoint(lists["looks"])
    return (
        is_permission
        and len(words) <= MOST_WORDS
        and words.isdisjoint(lists["complaint"] | lists["typed_wrong"])
    )


def _announced_in(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in announcing_words(text))


def _texts_in_call(event: Event) -> Iterator[str]:
    """All texts that a call is given."""
    return (
        part.value for part in walk(event.value) if isinstance(part, Const) and isinstance(part.value, str)
    )


def _chosen_texts(event: Event, site: Site) -> Iterator[str]:
    """The texts of which a call is given one by group."""
    for part in walk(event.value):
        ends: Iterable[Value] = ()
        if isinstance(part, Choice) and site.asks(part.test):
            ends = either(part)
        elif isinstance(part, Lookup) and site.asks(part.subject):
            ends = (one for _, entry in part.table.entries for one in either(entry))
        yield from (one.value for one in ends if isinstance(one, Const) and isinstance(one.value, str))


def _sentences_in_call(event: Event) -> Iterator[str]:
    """The texts that a call is given by name, or that are more than a name."""
    given = [part.value for part in walk(event.value) if isinstance(part, Const)]
    yield from (text for text in given if isinstance(text, str) and " " in text.strip())
    named = event.node.keywords if isinstance(event.node, tree.Call) else ()
    for _, value in named:
        if isinstance(value, tree.Literal) and isinstance(value.value, str):
            yield value.value


def _is_outcome_target(event: Event, site: Site, context: Context) -> bool:
    """An assignment to something that holds a decision, or of a text that announces one."""
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
    """Whether a score is given by a word: `priority = "high"`."""
    texts = [one.value for one in either(value) if isinstance(one, Const)]
    words = [text for text in texts if isinstance(text, str)]
    if any(map(announces_outcome, words)):
        return True
    levels = lexicon()["levels"]
    return bool(words) and len(words) == len(texts) and all(any_word(text, levels) for text in words)


def _is_deed_field(target: str) -> bool:
    """Whether a field says what was done to somebody: `patient.treated`, not a table's column."""
    holder, dot, name = target.rpartition(".")
    return bool(holder and dot) and name.lower() in lexicon()["done"]


def _is_field_of_treatment(event: Event, site: Site, context: Context) -> bool:
    """Whether a field of a person says how they are treated, and is written out: `nurse.shift = "night"`."""
    holder, dot, name = event.target.rpartition(".")
    words = split_words(name)
    if not (holder and dot and words and words[-1] in lexicon()["treatment"]):
        return False
    read = next(iter(site.reads.values()))
    is_written = all(isinstance(one, Const) for one in either(event.value))
    return is_written and holder == read.receiver and context.is_person(holder, read.mention, surely=True)


def _is_named_after(entry: str, context: Context) -> bool:
    """Whether an entry or a column is called after an attribute."""
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


def _is_source(event: Event, role: str) -> bool:
    """Whether what a judging function goes by is chosen: a file, or what is loaded from one."""
    if role not in {"score", "decide"} or not isinstance(event.node, tree.Assign) or event.node.value is None:
        return False
    texts = [part.value for part in tree.walk(event.node.value) if isinstance(part, tree.Literal)]
    return any(isinstance(text, str) and text.rpartition(".")[2] in lexicon()["data_files"] for text in texts)


def _printed_outcome(event: Event) -> bool:
    announcing = lexicon()["outcome_text"] - lexicon()["talk"]
    return _says_price(event) or any(
        any_word(text, announcing) or _says_may(text) or _says_level(text) for text in _print_texts(event)
    )


def _says_may(text: str) -> bool:
    """Whether a text tells its reader what is allowed, and not where to look: `You cannot marry`."""
    lists = lexicon()
    words = [word for word in split_words(text) if word not in lists["says_no"] - lists["may"]]
    return any(
        who == "you" and verb in lists["may"] and act not in lists["looks"] | lists["may_use"]
        for who, verb, act in zip(words, words[1:], words[2:], strict=False)
    )


def _says_level(text: str) -> bool:
    """Whether a text says how much of something that is judged somebody has: `Priority level: HIGH`."""
    words, lists = split_words(text), lexicon()
    return not lists["judged_by_level"].isdisjoint(words) and not lists["levels"].isdisjoint(words)


def _print_texts(event: Event) -> Iterator[str]:
    """The texts that a call prints, but for long ones, which tell stories."""
    for part in walk(event.value):
        if isinstance(part, Const) and isinstance(part.value, str) and len(part.value) < LONGEST_PRINTED:
            yield part.value


def prints_prices(events: list[Event]) -> bool:
    """Whether all that happens is that somebody is told what to pay, or what is paid."""
    return all(event.kind == "call" and _says_price(event) for event in events)


def _says_price(event: Event) -> bool:
    """Whether a call prints what somebody gets or pays: `Premium: Rs 4 per thousand`, `Entry is free`.

    What is only worked out and shown (`Fare: %d`) is told where it is worked out.
    """
    lists = lexicon()
    given = event.value.items if isinstance(event.value, Sequence) else (event.value,)
    is_known = all(isinstance(one, Const) for one in given)
    for text in _print_texts(event):
        words = set(split_words(text))
        is_amount = _AMOUNT.search(text) is not None
        if is_amount and not words.isdisjoint(lists["score"] - lists["weak_score"]):
            return True
        if is_known and (
            not words.isdisjoint(lists["price_text"])
            or ("free" in words and not words.isdisjoint(lists["priced"]))
            or (is_amount and (_SIGN.search(text) is not None or not words.isdisjoint(lists["money"])))
        ):
            return True
    return False


Outcome = tuple[str, ...]


def values_of(events: list[Event]) -> list[Value]:
    """What the events give, return or change."""
    return [event.value for event in events]


def tests_of(events: list[Event]) -> int:
    """How many tests lead to the events."""
    return sum(1 + len(event.guards) for event in events)


def outcome(events: list[Event], site: Site, hypothesis: Specialization, context: Context) -> Outcome:
    """What happens to the person: the acts on the way and how it ends.

    What a variable is given is no act of its own where the variable is what is returned.
    """
    acts: list[tuple[str, str]] = []
    last: Event | None = None
    for event in events:
        if not relevant(event, site, hypothesis):
            continue
        own = site.has(event)
        asked = told_apart(event, site, hypothesis) if own else hypothesis
        described = describe(event, asked, context, own=own)
        if event.kind in {"return", "raise", "continue", "break"}:
            is_told = own and site.attribute in context.dependence.attributes(event.value)
            given = event.node.value if is_told and isinstance(event.node, tree.Return) else None
            name = path_of(given) if given is not None else None
            return (*(act for target, act in acts if not target or target != name), described)
        if last is not None and _is_given_anew(last, event, context):
            acts.pop()
        acts.append((event.target if event.kind == "assign" else "", described))
        last = event
    return tuple(act for _, act in acts) or GOES_ON


def _is_given_anew(before: Event, event: Event, context: Context) -> bool:
    """Whether something is given another value before anything is done with the one it has."""
    if before.kind != "assign" or event.kind != "assign" or before.target != event.target:
        return False
    between = context.source.data[before.node.span.end : event.node.span.start]
    return before.run == event.run and before.node.span.end <= event.node.span.start and b"(" not in between


def told_apart(event: Event, site: Site, hypothesis: Specialization) -> Specialization:
    """The hypothesis for what an event does, where other sites have a say in it, too: not by them."""
    if not site.has_branch_elsewhere(event.value):
        return hypothesis
    return hypothesis.putting_aside(site.is_elsewhere)


def describe(event: Event, hypothesis: Specialization, context: Context, *, own: bool) -> str:
    """One act in the code's words, with what is known about its value.

    What a function of the file calls is told with what it was given there. An act that is not the site's
    `own` may differ by group for reasons that another site gives; its text stands for it.
    """
    match event.kind:
        case "return" | "assign" if own and hypothesis.naming.attribute.name in context.dependence.attributes(
            event.value
        ):
            result = hypothesis.evaluate(event.value)
            is_count = context.conventions.computed is not None or context.facts.is_count(event.value)
            is_number = is_count and isinstance(result, Const) and isinstance(result.value, bool)
            value = f"{result.value:d}" if is_number else _display_value(result, hypothesis)  # type: ignore[union-attr]
            return f"return {value}" if event.kind == "return" else f"{event.target} = {value}"
        case "call" if event.way or (
            own and hypothesis.naming.attribute.name in context.dependence.attributes(event.value)
        ):
            values = event.value.items if isinstance(event.value, Sequence) else ()
            shown = ", ".join(_display_value(hypothesis.evaluate(item), hypothesis) for item in values)
            return f"{event.target}({shown})"
        case "continue":
            return "skipped"
        case "append" if (row := _of_row(event)) is not None:
            return f"{event.target} gets {row!r}"
        case _:
            return act_text(event.node, context)


def _of_row(event: Event) -> Scalar:
    """What joins a list, where it stands in a row of a table that is gone through."""
    value = event.value
    if not isinstance(value, Const) or value.node is None or inside(value.node, event.node):
        return None
    return value.value


def act_text(node: Node, context: Context) -> str:
    """An act as the code writes it, on one line; what differs far behind stays apart."""
    known = context.once(_known_acts, "")
    if id(node) not in known:
        known[id(node)] = _format_act(node, context)
    return known[id(node)]


def _known_acts(_function: str, _context: Context) -> dict[int, str]:
    return {}


def _format_act(node: Node, context: Context) -> str:
    given = node.value if isinstance(node, tree.Return) and not node.is_yield else None
    text = " ".join(context.source.text((given or node).span).split()).removesuffix(";")
    text = text if given is None else f"return {text}"
    if len(text) <= _LONGEST_ACT:
        return text
    half = _LONGEST_ACT // 2
    return f"{text[:half]}…{hidden_mark(crc32(text.encode()))}{text[-half:]}"


def _display_value(result: Result, hypothesis: Specialization) -> str:
    match result:
        case Const(value=value, label=label):
            return label or repr(value)
        case LinearSum(amount=amount) if (plain := known_number(amount)) is not None:
            return f"{plain:g}"
        case LinearSum(amount=amount):
            return readable(amount)
        case Unknown(key="?"):
            return "…"
        case _:
            return hypothesis.key(result)


def gives_text(function: str, context: Context) -> bool:
    """Whether a function says of itself that it gives a text: a rank's name is no rank."""
    node = context.function_named(function)
    return node is not None and context.conventions.is_text(node.returns)


def looks_up(site: Site, naming: GroupTerms) -> bool:
    """Whether somebody is found by what stands for one person, such as the name that a user has given.

    To be asked after a comparison, which meets the groups that the code names.
    """
    is_direct = asks_directly(site.test, site.attribute, site.dependence)
    return is_direct and not naming.named and (naming.attribute.identifies or _is_by_birthday(site))


def _is_by_birthday(site: Site) -> bool:
    """Whether a date of birth has to be the one that is asked for."""
    asked = [part for part in walk(site.test) if isinstance(part, Operation) and site.asks(part)]
    compared = [part for part in asked if part.op not in {"and", "or", "not", "&", "|"}]
    return all(read.mention.form == "date" for read in site.reads.values()) and all(
        part.op in {"==", "in"} and not any(isinstance(side, Const | Sequence) for side in part.arguments)
        for part in compared
    )


def decision_sink(site: Site, events: list[Event], differing: set[str], context: Context) -> Sink:
    """What the differing outcomes amount to. `differing` holds the outcomes that not every group has."""
    function = events[0].function
    role = function_sink(context, function, site.attribute)
    best = Sink("none")
    returned = _Returned([text.removeprefix("return ") for text in differing if text.startswith("return ")])
    for event in events:
        found = _event_sink(site, event, role, returned, differing, context)
        if found is not None and _sink_rank(found) > _sink_rank(best):
            best = found
    return best


def _sink_rank(found: Sink) -> tuple[int, bool, bool]:
    return (found.weight, found.effect == "decide", found.effect != "none")


class _Returned(Record, frozen=False, slots=False):
    """What not every group is returned, as it is written."""

    texts: list[str]
    known: dict[str, Sink] = field(default_factory=dict)
    """What it amounts to, by the function that returns it."""

    @cached_property
    def strings(self) -> list[str]:
        """Those that are texts."""
        return [text for text in self.texts if text[:1] in "'\""]


def _event_sink(  # noqa: PLR0917 (one of many events of which the rest is the same)
    site: Site, event: Event, role: str, returned: _Returned, differing: set[str], context: Context
) -> Sink | None:
    match event.kind:
        case "return":
            return _return_sink(site, event, role, returned, differing, context)
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
        case "call" if role == "decide" and _is_demand(event, site):
            return sink("decide", 2, f"`{event.target}` makes it a condition")
        case "call":
            return _call_sink(site, event)
        case "assign" if _is_source(event, role):
            return sink("decide", 1, f"what `{event.function.rpartition('.')[2]}` goes by is chosen here")
        case "assign":
            return sink("decide", 2, f"sets the outcome `{event.target}`")
        case _:
            return None


def _shown_sink(site: Site, event: Event, context: Context) -> Sink:
    """What it amounts to that a program shows or prints something."""
    if site.node is event.node:
        return Sink("show")  # what is shown is the attribute itself
    if context.domain(site) and _are_told_yes_and_no(site, context):
        return sink("decide", 4, "some get a yes and others a no")
    others = [one for one in _calls_under_site(site) if one is not event]
    said = _said_by_target([event, *others], context)
    if is_idle(event, context) and not _tells_outcome(event, site, said, context):
        found = sink("decide", 2, "some get a message that others do not get")
        return replace(found, said="answer" if _says_more_than_may(site) else "shape")
    return sink("decide", 2, "a decision is announced")


def _call_sink(site: Site, event: Event) -> Sink:
    """What it amounts to that something is called by a name that decides."""
    found = sink("decide", 2, f"calls `{event.target}`")
    return replace(found, said="shape") if _only_hands_on(event, site) else found


def _only_hands_on(event: Event, site: Site) -> bool:
    """Whether a call meets all alike and is given the attribute as it is: what it does with it stands
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
    """Whether an error meets the members of a known group for that alone: no value that cannot be (`gender
    not in KNOWN`), and no two that do not go together (`male and pregnant`).
    """
    tests = [guard for guard in event.guards if not guard.implied]
    return bool(tests) and all(guard.holds and _is_membership(guard.test, site, context) for guard in tests)


def _is_membership(test: Value, site: Site, context: Context) -> bool:
    """Whether a test asks for nothing but a known group: `gender == "F"`, `caste in ("SC", "ST")`."""
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
    """Whether a site announces an outcome to some, and to others that it is not to be: `Eligible`, `Not
    eligible`.
    """
    lists = lexicon()
    said = [set(split_words(act_text(one.node, context))) for one in site.guarded if one.kind == "call"]
    refusing = [words for words in said if not words.isdisjoint(lists["refusal"] | lists["says_no"])]
    announcing = lists["outcome_text"] - lists["talk"]
    return any(not words.isdisjoint(announcing | lists["refusal"]) for words in refusing) and any(
        not words.isdisjoint(announcing) for words in said if words not in refusing
    )


_ANSWERS = frozenset({"0", "1", "-1"})
_TRUTHS = frozenset({repr(True), repr(False), repr(None), "true", "false"})


def _return_sink(  # noqa: PLR0917 (as above)
    site: Site, event: Event, role: str, returned: _Returned, differing: set[str], context: Context
) -> Sink | None:
    function = event.function
    if role == "mention":
        return Sink("show")
    if role in {"", "show"} and is_user_choice(event.value, site.attribute, context):
        return Sink("show")
    strings = returned.strings
    if not returned.texts:
        return None
    if role == "check" and not strings:
        return Sink("check")
    if role == "score" and not strings and gives_text(function, context):
        return Sink("show")
    if _is_called_after(event, site.attribute, context):
        return Sink("show")
    if function not in returned.known:
        found = _returned_sink(function, role, returned, site.attribute, differing, context)
        returned.known[function] = found
    return returned.known[function]


def _returned_sink(  # noqa: PLR0917 (as above)
    function: str, role: str, returned: _Returned, attribute: str, differing: set[str], context: Context
) -> Sink:
    """What all that a function returns amounts to, whichever of its returns is looked at."""
    name = said_name(function) or "the file"
    if returned.strings:
        return _text_sink(returned.strings, name, role, attribute, context)
    found = _plain_sink(returned.texts, name, role, are_answers=not context.conventions.or_gives_value)
    said = _announced_apart(function, differing, context) if found.effect == "none" else frozenset()
    if said and all(word.startswith(_GOES_TO) for word in said):
        return sink("decide", 1, f"`{name}` sends people to different pages")
    return sink("decide", 2, f"`{name}` returns what announces the outcome") if said else found


def _is_called_after(event: Event, attribute: str, context: Context) -> bool:
    """Whether the variable that is returned bears the attribute's own name: it holds a code of the group."""
    given = event.node.value if isinstance(event.node, tree.Return) else None
    name = (path_of(given) or "").rpartition(".")[2] if isinstance(given, tree.Name | tree.Field) else ""
    return any(
        mention.attribute == attribute and mention.group is None and mention.strength != "proxy"
        for mention in context.vocabulary.mentions(name)
    )


def _text_sink(strings: list[str], name: str, role: str, attribute: str, context: Context) -> Sink:
    """What it is that different texts are returned."""
    is_said = any(map(announces_outcome, strings))
    if is_said and role in {"decide", "score", "predicate"}:
        return sink("decide", 2, f"returned by `{name}` as the outcome")
    if all(_says_group(text, attribute, context) for text in strings):
        return Sink("show")  # the group in other words
    if is_said and role != "show":
        found = sink("decide", 2, f"returned by `{name}` as the outcome")
        return found if any(map(announcing_words, strings)) else replace(found, said="answer")
    if role == "score" or (role == "decide" and not _may_be_of_things(name, attribute, context)):
        return sink("decide", 2, f"`{name}` returns a decision")
    if role == "decide":
        found = sink("decide", 2, f"`{name}` may return a decision")
        return replace(found, said="answer" if _is_treatment(name) else "shape")
    if role == "" and _is_treatment(name) and not any(names_a_group(text, context) for text in strings):
        return sink("decide", 1, f"`{name}` says how a person is treated")
    return Sink("show")


def _says_group(text: str, attribute: str, context: Context) -> bool:
    """Whether a returned text, with its quotes, is a name of a group or of whoever is of it: `"father"`."""
    said = text.strip("'\"")
    if not said or context.vocabulary.group_of(attribute, said) is not None:
        return True
    words = split_words(said)
    return attribute == "gender" and bool(words) and lexicon()["gendered"].issuperset(words)


def _may_be_of_things(name: str, attribute: str, context: Context) -> bool:
    """Whether what decides by its name does so of things as often as of people: `classify_mapping`."""
    words, lexicon_ = split_words(name), lexicon()
    if lexicon_["outcome"].intersection(words) - lexicon_["of_things"]:
        return False
    of = objects(words)
    return bool(of) and not are_people(of, attribute, context)


def _is_treatment(name: str) -> bool:
    """Whether a function's name says that it gives the way in which a person is treated: `choose_plan`."""
    words = split_words(name)
    return bool(words) and (words[-1] in lexicon()["treatment"] or words[0] in lexicon()["treats"])


def _announced_apart(function: str, differing: set[str], context: Context) -> frozenset[str]:
    """The words of what is returned, where it announces one outcome for some and another, or none, for
    others.
    """
    said_by = context.once(find_announcements, function)
    told = {said for act, said in said_by.items() if act in differing}
    return frozenset().union(*told) if len(told) > 1 else frozenset()


def find_announcements(function: str, context: Context) -> dict[str, frozenset[str]]:
    """The words of the outcomes that the returns of a function announce, by what they return."""
    return {
        act_text(event.node, context): _announcing_words(event.node.value, context)
        for event in context.timeline.ends(function, 0)
        if isinstance(event.node, tree.Return) and event.node.value is not None
    }


def _announcing_words(value: Node, context: Context) -> frozenset[str]:
    """The words of a returned expression that announce an outcome: of its texts, keys, and names."""
    lists = lexicon()
    announcing = (lists["outcome_text"] - lists["talk"]) | lists["refusal"]
    found: set[str] = set()
    for part in tree.walk(value):
        match part:
            case tree.Literal(value=str() as text):
                found |= announcing_words(text)
            case tree.Literal(value=int() as code):
                found |= lists["refusal"] & {str(code)}
            case tree.Call(arguments=(page, *_)) if context.may(part, "sends on"):
                found.add(f"{_GOES_TO}{context.source.text(page.span)}")
            case tree.Name(id=name) | tree.Field(name=name):
                found |= announcing.intersection(split_words(name))
            case tree.Collection(items=items):
                keyed = [(item.key.value, item.value) for item in items if isinstance(item.key, tree.Literal)]
                found |= _named_verdicts(keyed, context)
            case tree.Call(keywords=keywords):
                found |= _named_verdicts(keywords, context)
            case _:
                pass
    return frozenset(found)


def _named_verdicts(keyed: Iterable[tuple[object, Node]], context: Context) -> set[str]:
    """What is said under keys that name an outcome: `approved=False`."""
    return {
        f"{key}={context.source.text(value.span)}"
        for key, value in keyed
        if isinstance(key, str) and any_word(key, decision_verbs()) and isinstance(value, tree.Literal)
    }


def _plain_sink(returned: list[str], name: str, role: str, *, are_answers: bool) -> Sink:
    """What it is that different numbers, truth values or other things are returned.

    `are_answers` is for languages in which 0 and 1 say no and yes.
    """
    is_truth = any(text in _TRUTHS for text in returned)
    if role in {"decide", "score", "predicate"}:
        found = sink("decide", 2, f"`{name}` returns a decision")
        says_state = role == "predicate" and split_words(name)[0] in lexicon()["states"]
        return replace(found, said="answer") if says_state else found
    if role == "show" or (role == "" and not is_truth and any_word(name, lexicon()["binning"])):
        return Sink("show")
    if role == "" and not is_truth and classify_target(name) == "count":
        return Sink("show")  # how many of the people are of the group
    if is_truth or any(map(_is_number, returned)):
        found = sink("decide", 1, f"`{name}` returns a different result")
        is_answer = are_answers and all(text in _ANSWERS for text in returned if _is_number(text))
        return found if is_truth or is_answer else replace(found, said="shape")
    return Sink("none")


def _is_cut(site: Site) -> bool:
    return all(read.mention.form in {"number", "date"} for read in site.reads.values())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
