"""What an attribute is compared with: another person, a wish, a constant, or nobody."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from fairlint.detectors.context import Context
from fairlint.detectors.user_input import is_form_parameter, is_from_user_choice
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.effects import any_word, lexicon
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const, Lookup, Opaque, Operation, Protected, Value
from fairlint.semantics.values.traversal import walk
from fairlint.syntax import tree
from fairlint.vocabulary.words import split_words

MOST_PARTS = 400
"""Parts of values in which comparisons are looked for."""
COMPARES = frozenset({"==", "in", "<", ">="})

Key = tuple[str, str]


def is_looked_for(read: Protected, context: Context) -> bool:
    """Return whether a read is of what somebody has chosen on the screen or in what holds a search."""
    holder = split_words(read.receiver.rpartition(".")[2])
    is_of_record = isinstance(read.node, tree.Field | tree.Index)  # one of the people who were sent
    if is_of_record and lexicon()["searched_by"].isdisjoint(holder):
        return False
    is_choice = is_from_user_choice(read, context) or is_form_parameter(read, context)
    return is_choice or not lexicon()["searches"].isdisjoint(holder)


def says_nothing(said: Const, site: Site, context: Context) -> bool:
    """Return whether a text or nothing stands for no choice: `None`, `"All"`."""
    if said.value is None or said.value == "":
        return True
    if not isinstance(said.value, str):
        return False
    group = context.vocabulary.group_of(site.attribute, said.value)
    return group is None or context.vocabulary.is_missing(site.attribute, group)


def criterion_key(value: Value) -> Key:
    """Return what identifies a criterion, wherever it is read."""
    match value:
        case Protected(receiver=receiver, mention=mention):
            return receiver, mention.identifier
        case Opaque(key=key):
            return "", key
        case _:
            return "", ""


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
        part for part in islice(walk(*filter(site.asks, values)), MOST_PARTS) if is_comparison(part, site)
    )
    return frozenset(
        "met" if _is_filled_with(part, site, context) else _comparison_sort(side, part, site, context)
        for part in asked
        if isinstance(part, Operation)
        for side in part.arguments
        if site.asks(side)
    )


def is_comparison(part: Value, site: Site) -> bool:
    """Report whether a part of a test compares what the site asks about."""
    return isinstance(part, Operation) and part.op in {*COMPARES, "asks"} and site.asks(part)


def _comparison_sort(side: Value, asked: Operation, site: Site, context: Context) -> str:
    if asked.op == "asks":
        return "asks"  # `is_minority(person.race)`
    if _is_wish(side):
        return "like"
    for other in (one for one in asked.arguments if one is not side):
        if isinstance(other, Const):  # before the reads are asked for, of which a long chain has many
            return "nothing" if says_nothing(other, site, context) else "rule"
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
        if context.conventions.is_constant(criterion_key(other)[1].rpartition(".")[2]):
            return "rule"  # `in HIGH_RISK`, which another file holds
        if set(read.mention.words) <= set(split_words(criterion_key(other)[1].rpartition(".")[2])):
            return "asks"  # `job.required_nationality`
    return "something"


def _first_read(side: Value, site: Site, context: Context) -> Protected:
    """Return the first read of the attribute in a value, which many sites may stand behind."""
    known = context.once(_known_reads, "")
    key = (id(side), site.attribute)
    if key not in known:
        known[key] = site.dependence.reads(side, site.attribute)[0]
    return known[key]


def _known_reads(_function: str, _context: Context) -> dict[tuple[int, str], Protected]:
    return {}


def _is_wish(side: Value) -> bool:
    """Return whether a value is read from what somebody would like: `preferences.min_age`,
    `user.partner_gender`.
    """
    if not isinstance(side, Protected | Opaque):
        return False
    name = split_words(criterion_key(side)[1].rpartition(".")[2])
    is_of_other = len(name) > 1 and not lexicon()["wished_of"].isdisjoint(name)
    return is_of_other or not lexicon()["wishes"].isdisjoint(split_words(" ".join(criterion_key(side))))


def _is_stated_value(part: Value, site: Site, context: Context) -> bool:
    """Return whether something is written down with which a person could be compared: not the "" in `code or
    ""`.
    """
    return isinstance(part, Const) and not says_nothing(part, site, context)


def _is_filled_with(asked: Operation, site: Site, context: Context) -> bool:
    """Return whether a list or set is filled with the attribute as it is met: `seen.add(person.race)`."""
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
    """Return whether the site only matches people with one another, or a record with what is there
    already.
    """
    found = compared_with(site, context)
    return bool(found - {"nothing"}) and found <= {"nothing", "own", "person", "met"}


def two_people(site: Site, context: Context) -> Operation | None:
    """Return where the attribute of one person is compared with that of another, or with what is made of it;
    no wish and nothing that somebody searches for.
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
        if not any(_is_wish(one) or is_looked_for(one, context) for one in reads):
            return part
    return None


def are_of_one_person(compared: Operation, site: Site, context: Context) -> bool:
    """Return whether two records are compared that may be of one person: by a date of birth or the like, too,
    or to find duplicates.
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
    """Return the records on both sides of each comparison in a function of something that stands for one
    person.
    """
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
    """Yield what is read in an expression, with what it is read of: `a.email`, `a["email"]`."""
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
    """Return whether the site only compares with what somebody would like: no rule that the code has."""
    found = compared_with(site, context)
    return "like" in found and found <= {"like", "nothing", "own"}


def names_nobody(site: Site, context: Context) -> bool:
    """Return whether nothing says with what the site compares the attribute."""
    return compared_with(site, context).isdisjoint({"rule", "asks"})


def is_limit_of_nobody(site: Site, context: Context) -> bool:
    """Return whether a number is only held against a limit that is not written down, and nothing but the
    words around speaks of a person: no name, no record and no function that it is read in.
    """
    if not compared_with(site, context) <= {"asks", "something", "own", "nothing"}:
        return False
    return not any(
        read.mention.form != "number"
        or read.mention.weight > 0
        or any(context.is_person(one, read.mention) for one in (read.receiver, read.type) if one)
        for read in site.reads.values()
    )


def picks_no_value(site: Site, context: Context) -> bool:
    """Return whether a site about a place, a school, or another proxy asks for none of its values.

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
