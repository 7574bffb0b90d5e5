"""Differences that decide nothing: codes, names of the group, what is only handed on or passed by."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from fairlint.detectors.asked_in_vain import is_asked_in_vain
from fairlint.detectors.context import Context
from fairlint.detectors.decision_sinks import looks_up
from fairlint.detectors.outcomes import Outcome, act_text
from fairlint.detectors.recoding import only_recodes
from fairlint.detectors.roles import function_sink
from fairlint.detectors.sinks import decision_verbs, only_looks
from fairlint.semantics.groups.comparison import Comparison
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.effects import any_word, lexicon
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import Columns, Const, Operation, Protected, Value
from fairlint.semantics.values.traversal import either, walk
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.words import split_words

_TRUTH_VALUES = frozenset({"true", "false"})


def only_says(function: str, site: Site, own: list[Event], context: Context) -> bool:
    """Return whether a function only gives the attribute in another way, or answers where nothing comes of
    it.
    """
    if _only_recodes(site, own, context):
        return True
    return all(event.kind == "return" for event in own) and context.once(is_asked_in_vain, function)


def is_idle_difference(
    site: Site, own: list[Event], comparison: Comparison[Outcome], naming: GroupTerms, context: Context
) -> bool:
    """Return whether what happens moves nobody: somebody is looked up, a value handed on, or bad data
    refused.
    """
    return (
        looks_up(site, naming)
        or _hands_on(site, own, comparison, context)
        or _refuses_codes(comparison, own, naming, context)
        or _says_the_group(site, own, comparison, context)
    )


def _says_the_group(site: Site, own: list[Event], comparison: Comparison[Outcome], context: Context) -> bool:
    """Return whether all groups are told the same, but for the group itself: `You may vote, and you are
    male`; any other code is called invalid.
    """
    answers = list(comparison.by_group.values())
    if len(answers) < 2 or any(event.kind != "call" for event in own):
        return False
    kept = frozenset() if any(only_looks(event, context) for event in own) else _TRUTH_VALUES
    said = {_without_groups(answer, site.attribute, kept, context) for answer in answers}
    if comparison.other and not any_word(" ".join(comparison.other), lexicon()["misfit"]):
        said.add(_without_groups(comparison.other, site.attribute, kept, context))
    return len(said) == 1


def _without_groups(
    answer: Outcome, attribute: str, kept: frozenset[str], context: Context
) -> tuple[str, ...]:
    """Return the words of an outcome that name no group and nobody of it, or that are `kept`: the truth that
    a function is given is no name, although a flag's group may be called so.
    """
    gendered = lexicon()["gendered"] if attribute == "gender" else frozenset[str]()
    words = split_words(" ".join(answer))
    return tuple(
        [
            word
            for word in words
            if word in kept or (word not in gendered and context.vocabulary.group_of(attribute, word) is None)
        ]
    )


def _refuses_codes(
    comparison: Comparison[Outcome], own: list[Event], naming: GroupTerms, context: Context
) -> bool:
    """Return whether all groups that the code names fare alike, and any other code is an error of the data:
    `raise ValueError(f"unknown code {code}")`.
    """
    if len(naming.named) < 2 or len(set(comparison.by_group.values())) != 1 or not comparison.other:
        return False
    return any(
        event.kind == "raise"
        and act_text(event.node, context) == comparison.other[-1]
        and any_word(context.source.text(event.node.span), lexicon()["misfit"])
        for event in own
    )


def is_code(site: Site, context: Context) -> bool:
    """Return whether a site stands in a row that a model is given: `row.append(1 if sex == "M" else 0)` is no
    more than the column's code there, and that is told.
    """
    codes, span = context.once(_encoding_spans, ""), site.node.span
    at = bisect_right(codes, (span.start, sys.maxsize)) - 1
    return at >= 0 and span.end <= codes[at][1]


def _encoding_spans(_: str, context: Context) -> list[tuple[int, int]]:
    """Return where the columns are worked out that models of the file are given, in order."""
    given = [event.value for event in context.events if event.kind == "learn" and event.target == "features"]
    held = [column for table in given if isinstance(table, Columns) for column in table.held]
    return sorted({(one.node.span.start, one.node.span.end) for one in held if one.form == "encoded"})


def _only_recodes(site: Site, own: list[Event], context: Context) -> bool:
    """Return whether a function that is not called after a score gives the attribute in another way."""
    if any(event.kind != "return" for event in own):
        return False
    if all(_is_input_value(end, event, context) for event in own for end in either(event.value)):
        return True
    if all(map(_is_later_age, own)):
        return True
    role = function_sink(context, own[0].function, site.attribute)
    if role == "decide" and all(_is_flag(end) for event in own for end in either(event.value)):
        return False  # `def eligible(person): return person.is_pregnant`
    return role != "score" and only_recodes(site, own, context)


def _is_flag(value: Value) -> bool:
    return isinstance(value, Protected) and value.mention.form == "flag"


def _is_later_age(event: Event) -> bool:
    """Return whether a function gives a number of a person as it will be: `return person.age + 1`."""
    match event.value:
        case Operation(op="+", arguments=(Protected(mention=mention), Const(value=int() | float()))):
            return mention.form == "number"
        case _:
            return False


def _is_input_value(value: Value, event: Event, context: Context) -> bool:
    """Return whether a function hands back what it was given: `def validate_preference(cls, v): ...; return
    v`.
    """
    function = context.function_named(event.function)
    given = {one.name for one in function.parameters} if function is not None else set()
    return isinstance(value, Protected) and isinstance(value.node, tree.Name) and value.node.id in given


_YES = {"return True": True, "return 1": True}
_NO = {"return False": False, "return 0": False, "return None": False, "return": False}


def _hands_on(site: Site, events: list[Event], comparison: Comparison[Outcome], context: Context) -> bool:
    """Whether a function without a telling name only gives the flag that it reads, perhaps beside others:
    `return person.disabled or person.blind`.
    """
    if function_sink(context, events[0].function, site.attribute) or any(
        event.kind != "return" for event in events
    ):
        return False
    test = getattr(site.node, "test", None)
    named = decision_verbs() - lexicon()["chosen"]
    if isinstance(test, Node) and any_word(context.source.text(test.span), named):
        return False  # `if not person.disabled or not is_eligible: return 0`
    is_yes = set(context.attribute(site.attribute).core_groups) == {"yes", "no"}
    if not is_yes and any(read.mention.form != "flag" for read in site.reads.values()):
        return False
    told = {**_YES, **_NO}
    answers = {group: [told.get(act) for act in answer] for group, answer in comparison.by_group.items()}
    flags = {read.mention.group or ("yes" if is_yes else None) for read in site.reads.values()}
    return len(flags) == 1 and all(
        answer == [True] if group in flags else len(answer) == 1 and answer[0] in {False, None}
        for group, answer in answers.items()
    )


def skips_nothing(site: Site, context: Context) -> bool:
    """Return whether a round of a loop that a branch ends would go on as the branch does:
    `if sex == "f": sum += 1; continue` before `sum += 1`.
    """
    round_ = context.execution.syntax.parent(site.node)
    if not isinstance(site.node, tree.If) or not isinstance(round_, tree.Loop):
        return False
    place = next((place for place, one in enumerate(round_.body) if one is site.node), None)
    if place is None:
        return False
    rest = _statement_words(round_.body[place + 1 :], context)
    return all(
        isinstance(body[-1], tree.Continue) and _statement_words(body, context) == rest
        for body in _branch_bodies(site.node)
        if body
    )


def _branch_bodies(chain: tree.If) -> Iterator[tuple[Node, ...]]:
    """Yield what each branch of a chain does; nothing where there is no `else`."""
    while True:
        yield chain.then
        match chain.otherwise:
            case (tree.If(is_elif=True) as following,):
                chain = following
            case otherwise:
                yield otherwise
                return


def _statement_words(body: tuple[Node, ...], context: Context) -> list[list[str]]:
    """Return the statements of a body as they are written, without the end of the round behind them."""
    inside = body[:-1] if body and isinstance(body[-1], tree.Continue) else body
    return [context.source.text(one.span).split() for one in inside]


def joins(values: Iterable[Value], attribute: str, others: AbstractSet[str], context: Context) -> bool:
    """Return whether one condition in some values tests `attribute` together with one of `others`."""
    attributes = context.dependence.attributes
    both = (
        value
        for value in values
        if attribute in attributes(value) and not attributes(value).isdisjoint(others)
    )
    for part in walk(*both):
        if isinstance(part, Operation) and part.op in {"and", "or"}:
            sides = [attributes(argument) for argument in part.arguments]
            if any(attribute in side for side in sides) and any(
                side & others and attribute not in side for side in sides
            ):
                return True
    return False
