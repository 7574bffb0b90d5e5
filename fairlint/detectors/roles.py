"""What a function's name, or its library, says that it does about people."""

from __future__ import annotations

from fairlint.detectors.context import Context
from fairlint.semantics.names.effects import lexicon
from fairlint.syntax import tree
from fairlint.vocabulary.model import Mention, Surroundings
from fairlint.vocabulary.words import singular, split_words

SHORTEST_GROUP = 5
"""Characters of a word that names a group wherever it stands in a name."""


def function_sink(context: Context, function: str, attribute: str) -> str:
    """Return what a function's name says it does about `attribute`: decide, score, check, show, measure, or
    nothing.
    """
    if context.once(_is_check, function):
        return "check"
    own, name = function.rpartition(".")[2], said_name(function)
    by_class = _role_of(name, attribute, context) if name != own else ""
    return by_class if by_class in {"decide", "score", "predicate"} else _role_of(own, attribute, context)


def is_class_of_group(function: str, attribute: str, context: Context) -> bool:
    """Return whether a method speaks for its class, and that is called after a group and no outcome: the
    `formula` of `class divorced(Variable)`.
    """
    name = said_name(function)
    if name == function.rpartition(".")[2] or not lexicon()["outcome"].isdisjoint(split_words(name)):
        return False
    return _role_of(name, attribute, context) == "mention"


def _role_of(name: str, attribute: str, context: Context) -> str:
    """Return what a name says that a function does."""
    words = split_words(name)
    lexicon_ = lexicon()
    if not lexicon_["measure"].isdisjoint(words):
        return "measure"
    mentions = [mention for mention in context.vocabulary.mentions(name) if mention.attribute == attribute]
    if any(mention.group is not None for mention in mentions):
        return "mention"
    if not (lexicon_["score"] - lexicon_["weak_score"]).isdisjoint(words):
        return "score"
    if any(mention.strength != "proxy" for mention in mentions):
        return "mention"
    if any(_is_group(attribute, word, context) for word in words):
        return "mention"
    if not lexicon_["check"].isdisjoint(words):
        return "check"
    deciding = lexicon_["outcome"].intersection(words)
    if deciding and deciding <= lexicon_["vague_outcome"] and not lexicon_["show"].isdisjoint(words):
        return "show"
    if deciding - lexicon_["of_things"] or (deciding and _is_of_people(words, attribute, context)):
        return "decide"
    if words and words[0] in lexicon()["predicates"]:
        return "predicate"
    if not lexicon_["show"].isdisjoint(words):
        return "show"
    return ""


def said_name(function: str) -> str:
    """Return the name that says what a function does: the class's, of a method that is called alike in all
    classes of a kind, as `formula`, `__call__` or `run`.
    """
    owner, _, name = function.rpartition(".")
    words = [word for word in split_words(name) if not word.isdecimal()]
    return owner.rpartition(".")[2] if owner and lexicon()["named_by_class"].issuperset(words) else name


def _is_check(function: str, context: Context) -> bool:
    """Return whether a library calls a function to see whether data can be true, as its decorator says."""
    node = context.function_named(function)
    decorators = () if node is None else node.decorators
    calls = (one if isinstance(one, tree.Call) else tree.Call(one.span, one, ()) for one in decorators)
    return any(context.may(call, "checks") for call in calls)


def _is_of_people(words: tuple[str, ...], attribute: str, context: Context) -> bool:
    """Return whether what a function selects, assigns or evaluates are people, or how one is treated: not the
    picture in `select_picture`.
    """
    of = objects(words)
    if not of or singular(of[-1]) in lexicon()["treatment"] or are_people(of, attribute, context):
        return True
    return bool(context.vocabulary.domain_of(Surroundings(function="_".join(of))))


def objects(words: tuple[str, ...]) -> list[str]:
    """Return the words for what a function selects, assigns or evaluates."""
    until = next((at for at, word in enumerate(words) if at and word in lexicon()["behind"]), len(words))
    return [word for word in words[:until] if word not in lexicon()["of_things"]]


def are_people(of: list[str], attribute: str, context: Context) -> bool:
    """Return whether words end in one for people, or for what is decided about them."""
    head, lexicon_ = singular(of[-1]), lexicon()
    mention = Mention(attribute, attribute, (attribute,), "ambiguous", "value", None, 2)
    return head in lexicon_["score"] | lexicon_["person_sets"] | lexicon_["outcome_text"] or (
        context.is_person(head, mention)
    )


def _is_group(attribute: str, word: str, context: Context) -> bool:
    """Return whether a word of a name says a group of an attribute: `_disabled_dependent`."""
    group = context.vocabulary.group_of(attribute, word) if len(word) >= SHORTEST_GROUP else None
    return group not in {None, "other"} and not context.vocabulary.is_missing(attribute, str(group))
