"""What around a name speaks for a person or against one."""

from __future__ import annotations

from collections.abc import Callable

from fairlint.support.records import replace
from fairlint.vocabulary.bags import bag_of, join_bags
from fairlint.vocabulary.context import CLINICAL_DOMAIN, MOST_SIBLINGS, Context, shorten_text
from fairlint.vocabulary.model import ASKED, TABLE, TYPED, Evidence, Mention, Surroundings
from fairlint.vocabulary.words import singular, split_words

_AGENT_LENGTH = 5


def person_evidence(
    context: Context, mention: Mention, around: Surroundings, own: frozenset[str]
) -> list[Evidence]:
    """Return what names a person around a mention."""
    weights = context.weights
    if around.receiver == ASKED:
        return [Evidence(weights["likely_person"], "the question asks its reader for it")]
    found: list[Evidence] = []
    if around.receiver_type == TYPED:
        found.append(Evidence(weights["record"], "the program asks for it"))
        around = replace(around, receiver_type="")
    receiver = around.receiver.rpartition(".")[2] or around.receiver
    rest = "_".join(word for word in split_words(mention.identifier) if word not in mention.words)
    best, noun = max(
        (person_weight(context, receiver), f"receiver `{shorten_text(receiver)}`"),
        (person_weight(context, rest, agents=False), f"`{rest}`"),
        (_type_weight(context, around.receiver_type), f"its type `{shorten_text(around.receiver_type)}`"),
        key=lambda item: item[0],
    )
    if around.receiver == TABLE and best <= weights["record"]:
        best = weights["record"]
        found.append(Evidence(best, "it is a column of a table"))
    elif best:
        text = "is a person" if best > weights["record"] else "may hold data about a person"
        found.append(Evidence(best, f"{noun} {text}"))
    about = _function_topic(context, around.function, own if not best else frozenset())
    if about:
        weight = weights["about_again" if best >= weights["likely_person"] else "about"]
        shown = shorten_text(around.function)
        found.append(Evidence(weight, f"function `{shown}` is about a person ({about})"))
    elif not best and (hits := bag_of(around.prose).hits(context.sure, own)):
        found.append(Evidence(1, f"its text speaks of a person ({hits[0]})"))
    return found


def no_person(  # noqa: PLR0917 (each is another side of a mention)
    context: Context,
    mention: Mention,
    around: Surroundings,
    own: frozenset[str],
    not_of: frozenset[str],
    not_values: frozenset[str],
) -> list[Evidence]:
    """Return the reason against a person that what is read from, or compared with, gives by itself."""
    weights = context.weights
    holder = join_bags((bag_of(around.receiver), bag_of(around.receiver_type)))
    if things := sorted((holder.words & not_of) - context.record.words - own):
        return [Evidence(weights["not_of"], f"`{things[0]}` is no person")]
    if mention.group is not None and (asking := _asks_for(context, around.receiver)):
        reason = f"`{shorten_text(asking)}` holds what people have to be, and no person"
        return [Evidence(weights["not_beside"], reason)]
    if other := [value for value in around.values[:20] if bag_of(value).holds(not_values)]:
        return [Evidence(weights["not_of"], f"'{shorten_text(other[0])}' says nothing about a person")]
    return []


def _asks_for(context: Context, receiver: str) -> str:
    """Return what is read from, where it holds conditions: `rules` of `rules["is_woman"]`."""
    name = receiver.rpartition(".")[2]
    words = split_words(name)
    return name if words and singular(words[-1]) in context.conditions else ""


def person_weight(context: Context, name: str, *, agents: bool = True) -> int:
    """Return how surely a name is that of a person; 0 where nothing says so."""
    weights = context.weights
    if not name:
        return 0
    bag = bag_of(name)
    if bag.hits(context.sure):
        return weights["sure_person"]
    likely = bag.hits(context.likely)
    if any(word not in context.codeish_lexicon.words for word in likely):
        return weights["likely_person"]
    occupation = bag.hits(context.occupation)
    if any(word not in context.codeish_lexicon.words for word in occupation):
        return weights["likely_person"]
    if likely or occupation:
        return weights["record"]
    words = _words_to_noun(context, split_words(name)) if agents else ()
    if _is_agent(context, words):
        return weights["likely_person"]
    return weights["record"] if _is_trade_title(context, words) or bag.hits(context.record) else 0


def _type_weight(context: Context, name: str) -> int:
    """Return how surely a class is that of a person: what does something to parts of programs is none, as a
    `JoinPromoter`.
    """
    words = split_words(name)
    is_part = len(words) > 1 and words[-1] not in context.makers.words and words[-2] in context.programs.words
    return person_weight(context, name, agents=not is_part)


def _words_to_noun(context: Context, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words up to the noun that a name is about: `supervisors_of_cleaners` is about
    supervisors.
    """
    end = next((at for at, word in enumerate(words) if at and word in context.behind), len(words))
    return words[:end]


def _is_agent(context: Context, words: tuple[str, ...]) -> bool:
    """Return whether the last word looks like a person who does something: roofer, stylist, technician."""
    if not words:
        return False
    head = singular(words[-1])
    return (
        len(head) > _AGENT_LENGTH
        and head.endswith(context.suffixes)
        and head not in context.not_person.words
        and words[-1] not in context.not_person.words
    )


def _is_trade_title(context: Context, words: tuple[str, ...]) -> bool:
    """Return whether a noun that programs go by, too, stands behind a trade: a sales agent, no web agent."""
    if len(words) < 2 or singular(words[-1]) not in context.titles.words:
        return False
    trade = words[:-1]
    return context.programs.words.isdisjoint((*trade, *map(singular, trade)))


def _function_topic(context: Context, function: str, own: frozenset[str]) -> str:
    if not function:
        return ""
    bag = bag_of(function)
    for lexicon in (context.sure, context.likely, context.occupation):
        for hit in bag.hits(lexicon, own):
            if hit not in context.verbs.words and (
                lexicon is context.sure or hit not in context.codeish_lexicon.words
            ):
                return hit
    words = split_words(function)
    verbs = [at for at, word in enumerate(words) if word in context.verbs.words]
    named = _words_to_noun(context, words[verbs[0] + 1 :]) if verbs else ()
    if _is_agent(context, named) or _is_trade_title(context, named):
        return named[-1]
    return ""


def company_evidence(
    context: Context, mention: Mention, around: Surroundings, beside: tuple[str, ...]
) -> Evidence:
    """Return whether one of the words stands near without which a name means something else."""
    near = (around.receiver, around.receiver_type, around.function, *around.siblings[:MOST_SIBLINGS])
    shown = shorten_text(mention.identifier)
    for name in near:
        if name in {ASKED, TYPED} or (name != mention.identifier and bag_of(name).holds(beside)):
            return Evidence(context.weights["about"], f"`{shown}` appears with `{shorten_text(name)}`")
    return Evidence(context.weights["not_beside"], f"nothing near says that `{shown}` is a person's")


def flag_of_person(
    context: Context, mention: Mention, around: Surroundings, attributes: Callable[[str], frozenset[str]]
) -> list[Evidence]:
    """Return what says that a flag which may be a thing's is a person's: `is_black` beside `sex`."""
    if mention.group is None or mention.weight != context.weights["ambiguous"]:
        return []
    wanted, medicine = context.flag_beside - {mention.attribute}, context.domains[CLINICAL_DOMAIN]
    for name in (*around.siblings[:MOST_SIBLINGS], around.function):
        if name != mention.identifier and (attributes(name) & wanted or bag_of(name).hits(medicine)):
            shown = shorten_text(mention.identifier)
            return [Evidence(context.weights["likely"], f"`{shown}` appears with `{shorten_text(name)}`")]
    return []
