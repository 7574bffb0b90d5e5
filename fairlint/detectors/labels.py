"""Training: labels, weights and rows that a model learns from depend on a group."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fairlint.detectors.consequential_acts import relevant
from fairlint.detectors.context import Context
from fairlint.detectors.sinks import sink
from fairlint.detectors.use_builder import make_use, shape_of
from fairlint.findings.uses import Kind, Use
from fairlint.semantics.groups.comparison import Comparison, compare_groups
from fairlint.semantics.groups.group_points import amount_distance, group_points
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.names.effects import any_word, classify_target
from fairlint.semantics.values.amounts import Amount
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.lift import each_leaf
from fairlint.semantics.values.symbolic import (
    MISSING,
    Choice,
    Const,
    Lookup,
    Operation,
    Protected,
    Table,
    Value,
)
from fairlint.semantics.values.traversal import walk
from fairlint.syntax import tree
from fairlint.vocabulary.load import word_lists

KINDS: dict[str, Kind] = {"label": "label", "weight": "weight"}
"""What a model is told besides its features, and the kind of Use it is."""


def observe(site: Site, naming: GroupTerms, context: Context) -> Use | None:
    """Return the label, weight or choice of rows that the site makes by group, if a model learns from it."""
    for event in site.events:
        if event.kind != "learn":
            continue
        found = _row_filter_use(site, event, naming, context) if event.target == "rows" else None
        if event.target in KINDS and not (
            _is_guess_of_group(event, site.attribute, context) or _only_reads(site, context)
        ):
            found = _label_or_weight_use(site, event, naming, context)
        if found is not None:
            return found
    return None


def _is_guess_of_group(event: Event, attribute: str, context: Context) -> bool:
    if event.target == "label":
        return is_group_label(event.value, attribute, context)
    return is_attribute(event.value, attribute, context)


def _only_reads(site: Site, context: Context) -> bool:
    """Return whether the groups part ways in a function that only reads the attribute, as its name says."""
    name = site.functions[0].rpartition(".")[2] if site.functions else ""
    outcomes = word_lists("features")["outcomes"]
    return not any_word(name, outcomes) and any(
        mention.attribute == site.attribute and mention.group is None and mention.strength != "proxy"
        for mention in context.vocabulary.mentions(name)
    )


def is_group_label(label: Value, attribute: str, context: Context) -> bool:
    """Return whether who learns a label guesses the group: it is the attribute, or says nothing but the
    group.
    """
    if is_attribute(label, attribute, context):
        return True
    names = context.once(_kept_as, "").get(id(label), ())
    return context.attribute(attribute).form == "value" and _is_recoding_of_group(label, names)


def is_attribute(value: Value, attribute: str, context: Context) -> bool:
    """Return whether a value is an attribute, or the code of a group that was told by name before or is still
    called so: who learns it guesses the group.
    """
    names = context.once(_kept_as, "").get(id(value), ())
    if any(one.attribute == attribute for name in names for one in context.vocabulary.mentions(name)):
        return True
    match value:
        case Protected():
            return True
        case Lookup(subject=Choice() | Lookup() as told):
            leaves = [
                leaf for leaf in _text_leaves(told) if not context.vocabulary.is_missing(attribute, leaf)
            ]
            return bool(leaves) and all(
                context.vocabulary.group_of(attribute, leaf) or context.vocabulary.groups_in(leaf)
                for leaf in leaves
            )
        case _:
            return False


def _is_recoding_of_group(value: Value, names: Iterable[str]) -> bool:
    """Return whether a value says the group alone, under names that say no outcome: `label = sex ==
    "male"`.
    """
    outcomes = word_lists("features")["outcomes"]
    if any(any_word(name, outcomes) or classify_target(name) in {"outcome", "score"} for name in names):
        return False
    inside = [part for part in walk(value) if not isinstance(part, Const) and part is not MISSING]
    reads = [part for part in inside if isinstance(part, Protected)]
    is_made = all(isinstance(part, Protected | Choice | Lookup | Operation | Table) for part in inside)
    return is_made and len({read.mention.identifier for read in reads}) == 1


def _kept_as(_: str, context: Context) -> dict[int, list[str]]:
    """By the identity of a value that depends on a group, the names of what keeps it."""
    found: dict[int, list[str]] = {}
    for event in context.events:
        if event.kind == "assign" and isinstance(event.value, Choice | Lookup | Operation):
            found.setdefault(id(event.value), []).extend(re.findall(r"\w+", event.target)[-1:])
    return found


def _text_leaves(value: Value) -> Iterator[str]:
    """Yield the texts that a value is one of; an empty one for what is no text."""
    for leaf in each_leaf(value, with_defaults=False):
        yield leaf.value if isinstance(leaf, Const) and isinstance(leaf.value, str) else ""


def _label_or_weight_use(site: Site, event: Event, naming: GroupTerms, context: Context) -> Use | None:
    """Return what a model is told about people, where it is not the same for all groups."""

    def ask(hypothesis: Specialization) -> Amount | None:
        return hypothesis.amount(event.value)

    comparison: Comparison[Amount | None] = compare_groups(naming, ask, amount_distance)
    if not (comparison.differs or comparison.by_scale):
        return None
    what = "the label" if event.target == "label" else "the weight"
    return make_use(
        site,
        naming,
        context,
        kind=KINDS[event.target],
        effect="learn",
        shape="scale" if comparison.by_scale else shape_of(site, naming),
        event=event,
        points=group_points(comparison, plain_op="set"),
        target=_training_call_text(event, context),
        sink=sink("learn", 3, f"is {what} that `{_training_call_text(event, context)}` is given"),
        leaves_out=comparison.leaves_out,
        last="a model is given it here",
    )


def _row_filter_use(site: Site, event: Event, naming: GroupTerms, context: Context) -> Use | None:
    """Return the rows that are left out before a model learns."""

    def ask(hypothesis: Specialization) -> bool:
        return relevant(event, site, hypothesis) and hypothesis.truth(event.value)

    comparison = compare_groups(naming, ask, lambda answers: float(len(set(answers)) - 1), enough=1.0)
    if not (comparison.differs or comparison.by_scale) or _keeps_all(comparison):
        return None
    return make_use(
        site,
        naming,
        context,
        kind="filter",
        effect="learn",
        shape="cutoff" if naming.cuts and not naming.written else "filter",
        event=event,
        outcomes=comparison.in_words(lambda kept: "kept" if kept else "left out"),
        target=_training_call_text(event, context),
        sink=sink("learn", 3, f"chooses the rows that `{_training_call_text(event, context)}` is given"),
        last="a model is given the rest here",
    )


def _keeps_all(comparison: Comparison[bool]) -> bool:
    """Return whether all codes that the code knows are kept: what others there may be, nobody can say."""
    codes = comparison.by_group
    return len(codes) > 1 and all(codes.values()) and all(code.isdigit() for code in codes)


def _training_call_text(event: Event, context: Context) -> str:
    """Return what teaches the model, as written: `model.fit`."""
    node = event.node.function if isinstance(event.node, tree.Call) else event.node
    return " ".join(context.source.text(node.span).split())[:60]
