"""The evidence of a name: every reason for and against, each with its weight."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fairlint.support.records import replace
from fairlint.vocabulary.bags import EMPTY, World, bag_of, join_bags
from fairlint.vocabulary.context import MOST_SIBLINGS, Context, shorten_text
from fairlint.vocabulary.field_evidence import aim_evidence, fields_evidence
from fairlint.vocabulary.model import Evidence, Mention, Surroundings
from fairlint.vocabulary.person_evidence import company_evidence, flag_of_person, no_person, person_evidence
from fairlint.vocabulary.words import singular, split_words


def weigh_mention(
    context: Context,
    mention: Mention,
    around: Surroundings,
    *,
    groups: tuple[str, ...],
    attributes: Callable[[str], frozenset[str]],
    title: str,
    not_of: frozenset[str],
    not_values: frozenset[str],
    beside: tuple[str, ...] = (),
) -> tuple[Evidence, ...]:
    """Return the reasons for and against.

    `groups` are those that `around.values` spell, `attributes` says what a sibling names, `not_of`
    and `not_values` are the attribute's own words for what is no person, and no value of a person.
    Of `beside`, where there are any, one has to stand near.
    """
    weights = context.weights
    evidence: list[Evidence] = []
    if mention.weight:
        evidence.append(Evidence(mention.weight, _name_reason(mention, title)))
    telling = [group for group in groups if group not in context.weak_groups]
    if telling:
        evidence.append(Evidence(weights["group"], f"the code compares it with the group '{telling[0]}'"))
    elif mention.strength == "proxy" and around.values:
        evidence.append(Evidence(weights["values"], f"compared with '{shorten_text(around.values[0])}'"))
    named = len(evidence)
    own = frozenset(mention.words) | frozenset(split_words(mention.identifier))
    person = person_evidence(context, mention, around, own)
    evidence += person
    evidence += no_person(context, mention, around, own, not_of, not_values)
    if beside:
        evidence.append(company_evidence(context, mention, around, beside))
    evidence += fields_evidence(context, mention, around, own, attributes, of_record=bool(person))
    aims, judged = aim_evidence(context, around, own)
    evidence += flag_of_person(context, mention, around, attributes)
    evidence += aims
    speaking = [item.weight for item in evidence[named:] if item.weight > 0]
    evidence += judged
    sure = any(item.weight >= weights["sure_person"] for item in person) or any(
        item.weight == weights["data_set"] and "data set" in item.reason for item in evidence
    )
    spoken = any(item.weight >= weights["about"] for item in (*person, *aims))
    spoken = spoken or any(module.partition(".")[0] in context.table_modules for module in around.imports)
    spoken_for = max(speaking, default=0) >= weights["about"] or sum(speaking) > weights["about"]
    believed = bool(telling) or mention.group is not None or spoken_for
    evidence += _thing_evidence(context, mention, around, sum(speaking), spoken_for=spoken_for)
    if speaking:  # then the names that the function itself uses may lower it, and nothing farther away
        around = replace(around, path="", prose="", function="", imports=())
    evidence += _other_worlds(context, mention, around, own, sure=sure, spoken=spoken, believed=believed)
    return tuple(evidence)


def _thing_evidence(
    context: Context, mention: Mention, around: Surroundings, speaking: int, *, spoken_for: bool
) -> Iterator[Evidence]:
    """Yield the reason against a name that programs and things have as well as people, unless enough speaks
    for a person.
    """
    weights, shown = context.weights, shorten_text(mention.identifier)
    if _may_be_switch(context, mention) and speaking < weights["about"] and not _is_served(context, around):
        yield Evidence(weights["switch"], f"`{shown}` may be a switch: little near is a person's")
    elif not spoken_for and _is_shared(context, mention, around):
        yield Evidence(weights["shared"], f"`{shown}` may be a thing's: little near is a person's")


def _may_be_switch(context: Context, mention: Mention) -> bool:
    """Return whether a name is a truth that says nothing of people by itself: `disabled`."""
    return mention.group is not None and mention.weight == context.weights["ambiguous"]


def _is_served(context: Context, around: Surroundings) -> bool:
    """Return whether something is read of a record of somebody who is served: of a `client` that a function
    is handed and calls nothing on, where no word says that it is a part of a program (`http_client`).
    """
    if not around.passed:
        return False
    names = [split_words(name) for name in (around.receiver, around.receiver_type) if name]
    if any(not context.programs.words.isdisjoint(words[:-1]) for words in names):
        return False
    return any(words and singular(words[-1]) in context.served.words for words in names)


def _is_shared(context: Context, mention: Mention, around: Surroundings) -> bool:
    """Return whether parts of programs have what a name says, too: nodes children, tasks dependents."""
    if mention.group is not None:
        return bool(around.receiver) and mention.weight == context.weights["likely"]
    return not context.shared.isdisjoint((" ".join(mention.words), " ".join(map(singular, mention.words))))


def _other_worlds(
    context: Context,
    mention: Mention,
    around: Surroundings,
    own: frozenset[str],
    *,
    sure: bool,
    spoken: bool,
    believed: bool,
) -> list[Evidence]:
    """Return the reasons against.

    Where anything speaks for a person, these are facts about the object that is read and what it is
    compared with alone: what merely stands near by is no reason.
    """
    values = join_bags(bag_of(value) for value in around.values[:20] if len(value) <= 30)
    compared = join_bags((values, *map(bag_of, around.limits[:20])))
    near = join_bags((bag_of(around.receiver), bag_of(around.receiver_type), compared))
    far, path = join_bags(map(bag_of, around.fields[:MOST_SIBLINGS])), EMPTY
    if not believed:
        near = join_bags((near, bag_of(around.function), *map(bag_of, around.imports)))
        others = frozenset(around.members)
        siblings = [name for name in around.siblings[:MOST_SIBLINGS] if name not in others]
        far, path = join_bags(map(bag_of, (*siblings, around.prose))), bag_of(around.path)
    found: list[Evidence] = []
    if all(map(context.words_of_worlds.isdisjoint, (near.words, far.words, path.words))):
        return found
    for world in context.worlds:
        if world.attributes and mention.attribute not in world.attributes:
            continue
        if mention.attribute in world.exempt or (around.in_model and not world.of_models):
            continue
        if world.names and world.names.isdisjoint(mention.words):
            continue
        lexicon = world.lexicon if spoken else world.loose
        near_hits = near.hits(lexicon, own)
        far_hits = [hit for hit in far.hits(lexicon, own) if hit not in near_hits]
        hits = [*near_hits, *far_hits]
        named = [hit for hit in path.hits(lexicon, own) if hit not in hits]
        weight = -1 if named else 0  # what a file is called is not enough by itself
        if hits:
            hits += named
            distinct = len({singular(hit) for hit in hits})
            distinct += bool(compared.hits(lexicon, own))  # what it is compared with says what it is
            weight = _world_weight(world, len(near_hits), distinct, sure)
        if weight:
            found.append(Evidence(weight, f"{world.reason} ({', '.join((hits or named)[:3])})"))
    return found


def _world_weight(world: World, near: int, distinct: int, sure: bool) -> int:
    if not distinct:
        return 0
    if sure:
        return 0 if not near and distinct < 2 else -1
    if not near and distinct < 2:
        return world.alone
    return round(world.weight * (1 + 0.5 * min(distinct - 1, 2)))


def _name_reason(mention: Mention, title: str) -> str:
    shown = shorten_text(mention.identifier)
    if mention.weight < 0 and mention.strength == "proxy":
        return f"`{shown}` is at most a proxy ({title})"
    if mention.weight < 0:
        return f"`{shown}` names a person's {title} only where a person is near"
    if mention.group is not None:
        return f"`{shown}` names the group '{mention.group}' ({title})"
    return f"`{shown}` names a person's {title}"
