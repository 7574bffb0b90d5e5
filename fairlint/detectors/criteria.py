"""Optional criteria: `if gender: people = [p for p in people if p.gender == gender]` searches for people.

Whoever fills in the form may leave a criterion out. What they look for is no rule that the code has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from fairlint.detectors.context import Context
from fairlint.detectors.sinks import Sink, sink
from fairlint.detectors.user_input import is_form_parameter, is_from_user_choice, is_user_choice
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.effects import any_word, lexicon
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const, Lookup, Opaque, Operation, Protected, Value
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import Record, field, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Span
from fairlint.vocabulary.words import split_words

MOST_TESTS = 100
"""Tests that are looked at for one event."""
MOST_PARTS = 400
"""Parts of values in which comparisons are looked for."""
_COMPARES = frozenset({"==", "in", "<", ">="})

Key = tuple[str, str]


class _Asked(Record, frozen=False):
    """What the tests on the way to an event ask for."""

    given: set[Key] = field(default_factory=set)
    """Of which values they ask whether there is one."""
    compared: list[Operation] = field(default_factory=list)
    """Where they compare the attribute with something that is not written down."""
    is_rule: bool = False
    """Whether they compare it with a group or a number, too."""


def is_search(site: Site, event: Event, context: Context, *, typed: bool) -> bool:
    """Whether an event leaves people out by criteria alone that somebody may give or not.

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
    """What the loop around an event calls what it goes through: `job` asks for `job.min_age` itself."""
    target = event.loop.target if isinstance(event.loop, tree.Loop) else None
    parts = () if target is None else tree.walk(target)
    return frozenset(part.id for part in parts if isinstance(part, tree.Name))


def search_sink(site: Site, event: Event, context: Context, *, typed: bool) -> Sink | None:
    """What it amounts to that an event leaves out those whom somebody does not look for; None where it does
    more than that.

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
    """What it amounts to that whoever searches for people may ask for a group, where that decides who is
    shown.
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
    """The field, where it is one in which people choose among people: at work, among those who apply."""
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
    """Whether a file is about work that people apply for, and not only about candidates for whatever."""
    return any_word(context.source.text(Span(0, len(context.source.data))), lexicon()["work"])


def _is_steered_choice(site: Site, event: Event, context: Context) -> bool:
    """Whether people are kept by a group that somebody at the screen says, or because of what they say."""
    if event.kind != "filter":
        return False
    tests = [guard.test for guard in event.guards if not guard.implied and site.asks(guard.test)]
    asked = [read for test in tests for read in site.dependence.reads(test, site.attribute)]
    compared = list(site.dependence.reads(event.value, site.attribute))
    of_rows = [read for read in compared if not _is_looked_for(read, context)]
    if not compared or len(asked) + len(compared) == len(of_rows):
        return False
    if not of_rows and any(isinstance(side, Const) for side in _comparison_sides(event.value)):
        return False  # whoever is at the screen is asked about, and no rows
    return all(_is_looked_for(read, context) for read in asked)


def _comparison_sides(test: Value) -> Iterator[Value]:
    """What the comparisons compare of which a test is joined."""
    if isinstance(test, Operation) and test.op in {"and", "or", "not"}:
        for part in test.arguments:
            yield from _comparison_sides(part)
    elif isinstance(test, Operation):
        yield from test.arguments


def _is_looked_for(read: Protected, context: Context) -> bool:
    """Whether a read is of what somebody has chosen on the screen or in what holds a search."""
    holder = split_words(read.receiver.rpartition(".")[2])
    is_of_record = isinstance(read.node, tree.Field | tree.Index)  # one of the people who were sent
    if is_of_record and lexicon()["searched_by"].isdisjoint(holder):
        return False
    is_choice = is_from_user_choice(read, context) or is_form_parameter(read, context)
    return is_choice or not lexicon()["searches"].isdisjoint(holder)


def _read_criteria(test: Value, asked: _Asked, site: Site, context: Context) -> None:
    stack, left = [test], MOST_TESTS
    while stack and left:
        left -= 1
        part = stack.pop()
        match part:
            case Operation(op="and" | "or" | "not", arguments=parts):
                stack.extend(parts)
            case Protected() | Opaque():
                asked.given.add(_criterion_key(part))
            case (
                Operation(op="==", arguments=(held, Const() as said))
                | Operation(op="==", arguments=(Const() as said, held))
            ):
                if not site.asks(held) or _says_nothing(said, site, context):
                    asked.given.add(_criterion_key(held))
                else:
                    asked.is_rule = True
            case Operation(op="in", arguments=(Const(value=str() as name), Opaque(key=holder))):
                asked.given.add((holder, name))
            case Operation(op=op, arguments=parts) if site.asks(part):
                if op in _COMPARES and not any(isinstance(one, Const) for one in parts):
                    asked.compared.append(part)
                else:
                    asked.is_rule = True
            case _:
                asked.is_rule = asked.is_rule or site.asks(part)
    asked.is_rule = asked.is_rule or bool(stack)


def _says_nothing(said: Const, site: Site, context: Context) -> bool:
    """Whether a text or nothing stands for no choice: `None`, `"All"`."""
    if said.value is None or said.value == "":
        return True
    if not isinstance(said.value, str):
        return False
    group = context.vocabulary.group_of(site.attribute, said.value)
    return group is None or context.vocabulary.is_missing(site.attribute, group)


def _criterion_key(value: Value) -> Key:
    match value:
        case Protected(receiver=receiver, mention=mention):
            return receiver, mention.identifier
        case Opaque(key=key):
            return "", key
        case _:
            return "", ""


def _is_optional(compared: Operation, given: set[Key], context: Context, *, typed: bool) -> bool:
    return any(
        _criterion_key(one) in given
        and _criterion_key(one) != ("", "")
        and (not typed or _is_typed_criterion(one))
        for side in compared.arguments
        for one in _made_of(side, context)
    )


def _made_of(value: Value, context: Context) -> Iterator[Value]:
    """A value, and what a call has made it of: `int(age)`."""
    yield value
    if (call := context.facts.call_giving(value)) is not None:
        yield from call.arguments
    if (origin := context.facts.origins.get(id(value))) is not None:
        yield origin[1]
    if isinstance(place := context.facts.place_of(value), tree.Index):
        yield from context.facts.values_of(place.value)  # `age_range[0]`


def _is_typed_criterion(value: Value) -> bool:
    """Whether a criterion stands by itself, or in what is called a form, a filter, or the like."""
    holder = value.receiver if isinstance(value, Protected) else ""
    if isinstance(value, Opaque):
        holder = value.key.rpartition(".")[0]
    return not holder or not lexicon()["searched_by"].isdisjoint(split_words(holder))


# ---------------------------------------------------------------------------------------- what is compared


def compared_with(site: Site, context: Context) -> frozenset[str]:
    """With what the tests of a site compare the attribute: a `rule` that is written down, what a record of
    another kind `asks` for, what somebody would `like`, another `person`, what the same record holds beside
    it (`own`), what was met before (`met`), `nothing`, or `something` that nobody knows.
    """
    return context.once_at(_find_comparison_sorts, site)


def _find_comparison_sorts(site: Site, context: Context) -> frozenset[str]:
    tests = {id(guard.test): guard.test for guard in context.guards(site)}
    values = [*tests.values(), *(event.value for event in site.events)]
    asked = (
        part for part in islice(walk(*filter(site.asks, values)), MOST_PARTS) if _is_comparison(part, site)
    )
    return frozenset(
        "met" if _is_filled_with(part, site, context) else _comparison_sort(side, part, site, context)
        for part in asked
        if isinstance(part, Operation)
        for side in part.arguments
        if site.asks(side)
    )


def _is_comparison(part: Value, site: Site) -> bool:
    return isinstance(part, Operation) and part.op in {*_COMPARES, "asks"} and site.asks(part)


def _comparison_sort(side: Value, asked: Operation, site: Site, context: Context) -> str:
    if asked.op == "asks":
        return "asks"  # `is_minority(person.race)`
    if _is_wish(side):
        return "like"
    for other in (one for one in asked.arguments if one is not side):
        if isinstance(other, Const):  # before the reads are asked for, of which a long chain has many
            return "nothing" if _says_nothing(other, site, context) else "rule"
        if _is_wish(other):
            return "like"
        read = _first_read(side, site, context)
        if isinstance(other, Protected) and other.mention.attribute == site.attribute:
            if other.receiver == read.receiver:
                return "own"
            left, right = (context.is_person(one.receiver, one.mention) for one in (read, other))
            is_same_field = read.mention.identifier == other.mention.identifier
            return "person" if (left and right) or (left == right and is_same_field) else "asks"
        if any(_is_stated_value(part, site, context) for part in islice(walk(other), MOST_PARTS)):
            return "rule"
        if context.conventions.is_constant(_criterion_key(other)[1].rpartition(".")[2]):
            return "rule"  # `in HIGH_RISK`, which another file holds
        if set(read.mention.words) <= set(split_words(_criterion_key(other)[1].rpartition(".")[2])):
            return "asks"  # `job.required_nationality`
    return "something"


def _first_read(side: Value, site: Site, context: Context) -> Protected:
    """The first read of the attribute in a value, which many sites may stand behind."""
    known = context.once(_known_reads, "")
    key = (id(side), site.attribute)
    if key not in known:
        known[key] = site.dependence.reads(side, site.attribute)[0]
    return known[key]


def _known_reads(_function: str, _context: Context) -> dict[tuple[int, str], Protected]:
    return {}


def _is_wish(side: Value) -> bool:
    """Whether a value is read from what somebody would like: `preferences.min_age`, `user.partner_gender`."""
    if not isinstance(side, Protected | Opaque):
        return False
    name = split_words(_criterion_key(side)[1].rpartition(".")[2])
    is_of_other = len(name) > 1 and not lexicon()["wished_of"].isdisjoint(name)
    return is_of_other or not lexicon()["wishes"].isdisjoint(split_words(" ".join(_criterion_key(side))))


def _is_stated_value(part: Value, site: Site, context: Context) -> bool:
    """Whether something is written down with which a person could be compared: not the "" in `code or ""`."""
    return isinstance(part, Const) and not _says_nothing(part, site, context)


def _is_filled_with(asked: Operation, site: Site, context: Context) -> bool:
    """Whether a list or set is filled with the attribute as it is met: `seen.add(person.race)`."""
    if asked.op != "in" or not isinstance(asked.node, tree.Compare):
        return False
    return (path_of(asked.node.right), site.attribute) in context.once(_find_filled_names, "")


def _find_filled_names(_: str, context: Context) -> frozenset[tuple[str | None, str]]:
    """By name, what is called on with an attribute or has it as a key, and with which."""
    attributes = context.dependence.attributes
    called = [
        (call.name.rpartition(".")[0], given)
        for call in context.facts.calls
        if "." in call.name
        for given in call.arguments
    ]
    keyed = [
        (path_of(target.value), key)
        for assign in context.execution.syntax.places(tree.Assign)
        for target in assign.targets
        if isinstance(target, tree.Index)
        for key in context.facts.values_of(target.index)
    ]
    return frozenset(
        (holder, attribute)
        for holder, given in (*called, *keyed)
        if holder
        for attribute in attributes(given)
    )


def is_between_people(site: Site, context: Context) -> bool:
    """Whether the site only matches people with one another, or a record with what is there already."""
    found = compared_with(site, context)
    return bool(found - {"nothing"}) and found <= {"nothing", "own", "person", "met"}


def two_people(site: Site, context: Context) -> Operation | None:
    """Where the attribute of one person is compared with that of another, or with what is made of it; no wish
    and nothing that somebody searches for.
    """
    tests = {id(guard.test): guard.test for guard in context.guards(site)}
    values = [*tests.values(), *(event.value for event in site.events)]
    for part in islice(walk(*filter(site.asks, values)), MOST_PARTS):
        if not (isinstance(part, Operation) and part.op in {"==", "strcmp"}):
            continue
        first, second = (list(site.dependence.reads(one, site.attribute)) for one in part.arguments)
        receivers = [{read.receiver for read in side} for side in (first, second)]
        if not (first and second) or not receivers[0].isdisjoint(receivers[1]):
            continue
        reads = (*first, *second)
        if not any(_is_wish(one) or _is_looked_for(one, context) for one in reads):
            return part
    return None


def are_of_one_person(compared: Operation, site: Site, context: Context) -> bool:
    """Whether two records are compared that may be of one person: by a date of birth or the like, too, or to
    find duplicates.
    """
    names = {context.function_at(node.span) for node in (site.start, compared.node)}
    if any(any_word(name.rpartition(".")[2], lexicon()["linking"]) for name in names):
        return True
    reads = [read for one in compared.arguments for read in site.dependence.reads(one, site.attribute)]
    receivers = {path_of(read.node.value) for read in reads if isinstance(read.node, tree.Field | tree.Index)}
    receivers |= {read.receiver for read in reads}
    return any(
        not receivers.isdisjoint(left) and not receivers.isdisjoint(right)
        for name in names
        for left, right in context.once(_find_identity_comparisons, name)
    )


def _find_identity_comparisons(
    function: str, context: Context
) -> frozenset[tuple[frozenset[str], frozenset[str]]]:
    """The records on both sides of each comparison in a function of something that stands for one person."""
    node = context.function_named(function)
    identifying = lexicon()["identifying"]
    found: set[tuple[frozenset[str], frozenset[str]]] = set()
    for part in (part for each in (() if node is None else node.body) for part in tree.walk(each)):
        match part:
            case tree.Compare(op=op, left=left, right=right):
                words = identifying | lexicon()["naming"] if op == "==" else identifying
            case tree.Call(function=tree.Name(), arguments=(left, right, *_)):
                words = identifying | lexicon()["naming"]  # `strcmp(a->name, b->name)`
            case _:
                continue
        held: dict[str, tuple[set[str], set[str]]] = {}
        for side, node_of_side in enumerate((left, right)):
            for holder, name in _fields_with_holders(node_of_side):
                held.setdefault(name, (set(), set()))[side].add(holder)
        both = [sides for name, sides in held.items() if all(sides) and any_word(name, words)]
        found |= {(frozenset(one), frozenset(other)) for one, other in both}
    return frozenset(found)


def _fields_with_holders(node: tree.Node) -> Iterator[tuple[str, str]]:
    """What is read in an expression, with what it is read of: `a.email`, `a["email"]`."""
    for part in tree.walk(node):
        match part:
            case tree.Field(value=value, name=name):
                yield path_of(value) or "", name
            case tree.Index(value=value, index=tree.Literal(value=str() as name)):
                yield path_of(value) or "", name
            case tree.Call(
                function=tree.Field(value=value, name="get"),
                arguments=(tree.Literal(value=str() as name), *_),
            ):
                yield path_of(value) or "", name


def is_taste(site: Site, context: Context) -> bool:
    """Whether the site only compares with what somebody would like: no rule that the code has."""
    found = compared_with(site, context)
    return "like" in found and found <= {"like", "nothing", "own"}


def names_nobody(site: Site, context: Context) -> bool:
    """Whether nothing says with what the site compares the attribute."""
    return compared_with(site, context).isdisjoint({"rule", "asks"})


def is_limit_of_nobody(site: Site, context: Context) -> bool:
    """Whether a number is only held against a limit that is not written down, and nothing but the words
    around speaks of a person: no name, no record and no function that it is read in.
    """
    if not compared_with(site, context) <= {"asks", "something", "own", "nothing"}:
        return False
    return not any(
        read.mention.form != "number"
        or read.mention.weight > 0
        or any(context.is_person(one, read.mention) for one in (read.receiver, read.type) if one)
        for read in site.reads.values()
    )


def is_about_spelling(site: Site, naming: GroupTerms, context: Context) -> bool:
    """Whether a name of a school, a place or the like is searched for the word for such a thing: that says
    how the name is written, and nothing of whose it is.
    """
    if context.attribute(site.attribute).kind == "protected":
        return False
    return any(
        mention.attribute == site.attribute and mention.group is None
        for word in naming.written
        for mention in context.vocabulary.mentions(word)
    )


def is_among_unknown(site: Site, naming: GroupTerms, context: Context) -> bool:
    """Whether something that nobody knows is looked up in what is called after the attribute:
    `uri not in concepts["diagnosis"]`.
    """
    return not naming.named and context.once_at(_find_looked_up, site)


def _find_looked_up(site: Site, context: Context) -> bool:
    tests = {id(guard.test): guard.test for guard in context.guards(site)}
    values = [*tests.values(), *(event.value for event in site.events if event.kind == "filter")]
    asked = [
        part for part in islice(walk(*filter(site.asks, values)), MOST_PARTS) if _is_comparison(part, site)
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


def picks_no_value(site: Site, context: Context) -> bool:
    """Whether a site about a place, a school, or another proxy asks for none of its values.

    It compares it with what nobody knows, or finds out what a table from elsewhere holds for one that is
    read of no person: `total += quotas.get(college, 0)`. Such a table says that somebody picked values if it
    lists them, or is a constant of the code.
    """
    if context.attribute(site.attribute).kind != "proxy" or not names_nobody(site, context):
        return False
    held = islice(walk(*(event.value for event in site.events)), MOST_PARTS)
    tables = [part.table for part in held if isinstance(part, Lookup) and site.asks(part.subject)]
    if not tables:
        return bool(compared_with(site, context))
    if any(
        table.entries or context.conventions.is_constant(table.name.rpartition(".")[2]) for table in tables
    ):
        return False
    return not any(
        context.is_person(read.receiver, read.mention) for read in site.reads.values() if read.receiver
    )
