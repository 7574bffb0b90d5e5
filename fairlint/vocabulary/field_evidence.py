"""What around a name speaks for a field of data about people, or for an aim in a domain."""

from __future__ import annotations

from collections.abc import Callable

from fairlint.vocabulary.bags import PROSE_LIMIT, bag_of, join_bags
from fairlint.vocabulary.context import MOST_SIBLINGS, Context, normalize_column
from fairlint.vocabulary.model import Evidence, Mention, Surroundings

_MOST_KEPT = 4096
_MANY_FACTS = 3
_LONGEST_LINE = 160
_MOST_LINES = 80


def _words_of(context: Context, domain: str, around: Surroundings) -> list[str]:
    """Return the words around that are a field's own, the nearest first."""
    near = (around.receiver, around.receiver_type, around.function, *around.siblings[:MOST_SIBLINGS])
    far = (around.prose, around.path, *around.imports)
    return [word for bag in map(bag_of, (*near, *far)) for word in bag.hits(context.domains[domain])]


def fields_evidence(
    context: Context,
    mention: Mention,
    around: Surroundings,
    own: frozenset[str],
    attributes: Callable[[str], frozenset[str]],
    *,
    of_record: bool,
) -> list[Evidence]:
    """Return what the names beside a mention say: fields of people's data, or a known data set.

    A bare name or address counts beside other facts alone, or `of_record`: a field of what may be a person's.
    """
    siblings = around.siblings[:MOST_SIBLINGS]
    if not siblings:
        return []
    weights = context.weights
    data_set = context.data_set_of((*siblings, mention.identifier), lambda name: bool(attributes(name)))
    if data_set is not None and _is_data_set_column(context, mention, data_set):
        return [Evidence(weights["data_set"], f"appears with columns of the data set {data_set}")]
    facts: list[str] = []
    told: set[str] = set()
    weak = context.weak_facts
    for sibling in siblings:
        if sibling == mention.identifier:
            continue
        said = (_field_words(context, sibling) - own) | (attributes(sibling) - {mention.attribute})
        if said:
            told |= said
            facts.append(sibling)
            if len(facts) == _MANY_FACTS and not told <= weak:
                break
    if told <= weak and not (of_record and not set(facts).isdisjoint(around.fields)):
        return []  # whatever a program handles has a name
    facts = facts[:_MANY_FACTS]
    many = len(facts) == _MANY_FACTS
    weight = weights["many_fields" if many else "few_fields"]
    return [Evidence(weight, f"appears with facts about a person ({', '.join(facts)})")]


def _field_words(context: Context, sibling: str) -> frozenset[str]:
    """Return the words by which a name is that of a fact about a person."""
    known = context.field_words.get(sibling)
    if known is None:
        if len(context.field_words) >= _MOST_KEPT:
            context.field_words.clear()
        words = bag_of(sibling)
        is_of_a_thing = sibling.startswith("__") or not words.words.isdisjoint(context.things)
        known = frozenset(words.hits(context.fields)) - (context.of_things if is_of_a_thing else frozenset())
        context.field_words[sibling] = known
    return known


def _is_data_set_column(context: Context, mention: Mention, data_set: str) -> bool:
    if mention.identifier in context.data_sets[data_set]:
        return True
    known = context.data_sets_folded[data_set]
    column = normalize_column(mention.identifier)
    return column in known or any(column.startswith(f"{name}_") for name in known)


def aim_evidence(
    context: Context, around: Surroundings, own: frozenset[str]
) -> tuple[list[Evidence], list[Evidence]]:
    """Return what the code is about; and that it judges, which is said of things, too."""
    weights = context.weights
    found: list[Evidence] = []
    function, kind = bag_of(around.function), bag_of(around.receiver_type)
    siblings = join_bags(map(bag_of, around.siblings[:MOST_SIBLINGS]))
    text = join_bags(map(bag_of, (around.prose, around.path)))
    telling = [hit for bag in (function, kind, siblings) for hit in bag.hits(context.telling, own)]
    told, verdict = ("", "") if telling else _telling_words(context, around.prose, own)
    if telling or verdict:
        word = _domain_word(context, telling[0] if telling else told, around)
        found.append(Evidence(weights["telling"], f"the code is about {word}"))
    elif told:
        found.append(Evidence(weights["domain"], f"its text is about {_domain_word(context, told, around)}"))
    else:
        parts = context.parts  # a program has workers, drivers and jobs
        for name, lexicon in context.domains_in(function, kind, siblings, text):
            near = (
                function.hits(lexicon, context.of_programs)
                or kind.hits(lexicon, parts)
                or siblings.hits(lexicon, parts)
            )
            far = text.hits(lexicon, parts)
            if near or len(far) > 1:
                about = _told_field(context, name, (near or far)[0], around)
                found.append(Evidence(weights["domain"], f"the code is about {about}"))
                break
    judged: list[Evidence] = []
    if hits := function.hits(context.verbs):
        judged = [Evidence(weights["verb"], f"the function is named after an assessment ({hits[0]})")]
    elif verdict:
        judged = [Evidence(weights["verb"], f"its text gives a verdict ({verdict})")]
    return found, judged


def _telling_words(context: Context, prose: str, own: frozenset[str]) -> tuple[str, str]:
    """Return a telling word in the text, best one with a verdict on the same line: "Loan rejected"."""
    told = ""
    for line in prose[:PROSE_LIMIT].splitlines()[:_MOST_LINES]:
        if len(line) > _LONGEST_LINE:
            continue
        bag = bag_of(line)
        if telling := bag.hits(context.telling, own):
            told = told or telling[0]
            if verdicts := bag.hits(context.verdicts):
                return telling[0], verdicts[0]
    return told, ""


def _domain_word(context: Context, word: str, around: Surroundings) -> str:
    bag = bag_of(word)
    for name, lexicon in context.domains.items():
        if bag.hits(lexicon):
            return _told_field(context, name, word, around)
    return f"people ({word})"


def _told_field(context: Context, domain: str, word: str, around: Surroundings) -> str:
    """Return a field and the word that tells it; another field, where this word only hints at its own."""
    hint = context.hints.get(domain)
    if hint is not None and word in hint.words and (other := context.domain_of(around)) not in ("", domain):
        domain, word = other, _words_of(context, other, around)[0]
    return f"{domain} ({word})"
