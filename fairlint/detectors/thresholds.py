"""Cut-offs and quotas by group: a comparison one side of which is another for each group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from fairlint.detectors.context import Context
from fairlint.detectors.scores import how_it_enters
from fairlint.findings.uses import GroupPoints, Kind
from fairlint.semantics.groups.comparison import Comparison
from fairlint.semantics.groups.group_points import compare_amounts, group_points
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.interpreter.norms import norm_in
from fairlint.semantics.names.effects import any_word, classify_target, lexicon
from fairlint.semantics.values.amounts import Amount, is_missing, known_number
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import (
    Choice,
    Const,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Value,
    Within,
)
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import Record
from fairlint.syntax.tree import Node

_Limits = tuple[Comparison[Amount | None], dict[str, None], dict[str, None], set[float], set[str]]
"""A comparison of limits, and the groups and numbers that were met then."""


MOST_PARTS = 60
"""Parts of a number of places in which a group's share is looked for."""


PASSED_A_STEP = 8
"""Parts of values that are passed in one step."""


class Cut(Record):
    """A limit that hangs on the group."""

    kind: Kind
    points: GroupPoints | None
    """The limits as numbers, where they are known."""
    called: Mapping[str, str]
    """Where they are not: what the code calls the limit of each group; empty for an unknown table."""
    other: str
    table: str
    node: Node
    is_norm: bool = False
    """Whether people are measured against their own group."""


def find_threshold(site: Site, events: list[Event], naming: GroupTerms, context: Context) -> Cut | None:
    """Return a comparison at the site one side of which depends on the group."""
    cut = context.once_of(_own_threshold, site, naming)
    return cut or find_threshold_in((event.value for event in events), site, naming, context)


def _own_threshold(site: Site, naming: GroupTerms, context: Context) -> Cut | None:
    tests = [guard.test for guard in context.guards(site)]
    return find_threshold_in((*tests, *(event.value for event in site.events)), site, naming, context)


def find_threshold_in(
    values: Iterable[Value], site: Site, naming: GroupTerms, context: Context
) -> Cut | None:
    """Return a comparison in some values one side of which depends on the group."""
    depending = (value for value in values if site.asks(value))
    for passed, part in enumerate(walk(*depending)):
        if passed % PASSED_A_STEP == 0:
            context.steps.spend()
        if isinstance(part, Operation) and part.op in {"<", ">="}:
            for place in (0, 1):
                side, other = part.arguments[place], part.arguments[1 - place]
                cut = _by_norm(side, other, site, context) or _cut_of_comparison(
                    side, other, site, naming, context
                )
                if cut is not None:
                    return cut
    return None


def _cut_of_comparison(
    side: Value, other: Value, site: Site, naming: GroupTerms, context: Context
) -> Cut | None:
    counted = isinstance(other, Lookup) and site.asks(other)
    held = _group_share(side, site) if counted and isinstance(side, Operation) else side
    if not isinstance(held, Choice | Lookup) or not site.asks(side) or isinstance(other, Const | Protected):
        return None
    if site.asks(other) and not counted:
        return None
    comparison = _compare_limits(side, naming, context)
    amounts = [amount for amount in (*comparison.by_group.values(), comparison.other) if amount is not None]
    text = other.key if isinstance(other, Opaque) else _name_of(other, context)
    name = held.table.name if isinstance(held, Lookup) else ""
    is_count = any_word(text, lexicon()["counted"])
    if not _is_telling_comparison(
        comparison, amounts, is_told=_is_hurdle(text, name) or (counted and is_count)
    ):
        return None
    points = (
        group_points(comparison, plain_op="set")
        if comparison.differs and _are_known_amounts(amounts)
        else None
    )
    if points is None and _are_known_amounts(amounts):
        return None
    is_quota = counted or is_count or any_word(name, lexicon()["quota"])
    return Cut(
        "quota" if is_quota else "threshold",
        points,
        _limit_names(comparison) if points is None else {},
        text,
        name,
        held.node if isinstance(held, Lookup) else site.start,
    )


def _is_telling_comparison(
    comparison: Comparison[Amount | None], amounts: list[Amount], *, is_told: bool
) -> bool:
    """Return whether limits differ, or come from a table that nobody knows and of which names tell what it
    holds.
    """
    if comparison.differs:
        return not comparison.by_scale
    return is_told and bool(how_it_enters(amounts, by_test=False))


def _group_share(side: Operation, site: Site) -> Lookup | None:
    """Return the share of a group in a number of places: `len(people) * SHARES[person.race]`."""
    parts = islice(walk(side), MOST_PARTS)
    return next((part for part in parts if isinstance(part, Lookup) and site.asks(part.subject)), None)


def _by_norm(side: Value, other: Value, site: Site, context: Context) -> Cut | None:
    """Return a limit for what measures people against their own group, or the places that each group has.

    People of one place or school are measured against one another for many reasons.
    """
    known = context.once(_known_norms, "")
    key = (id(side), site.attribute)
    if key not in known:
        known[key] = norm_in(side, site.attribute)
    norm = known[key]
    if norm is None or context.attribute(site.attribute).kind == "proxy":
        return None
    text = other.key if isinstance(other, Opaque) else _name_of(other, context)
    counted = site.attribute in context.dependence.attributes(other)
    if norm.figure == "size" and not (counted or any_word(text, lexicon()["counted"])):
        return None  # too few to say anything of them
    kind: Kind = "quota" if norm.figure != "figure" else "threshold"
    node = site.start if norm.figure == "size" else norm.node
    return Cut(kind, None, {}, text, "", node, is_norm=True)


def _known_norms(_function: str, _context: Context) -> dict[tuple[int, str], Within | None]:
    return {}


def _compare_limits(side: Value, naming: GroupTerms, context: Context) -> Comparison[Amount | None]:
    """Return the limits of all groups: each site of a function asks about the same ones."""
    known = context.once(_known_limits, "")
    labels = tuple(sorted(naming.code_labels.items(), key=str))
    asked = (naming.attribute.name, bool(naming.attribute.bands), labels, naming.data_set, naming.lawful)
    key = (id(side), asked, tuple(naming.named), frozenset(naming.cuts))
    if key not in known:
        comparison = compare_amounts(naming, lambda hypothesis: hypothesis.amount(side), [side])
        met = (dict(naming.named), dict(naming.written), set(naming.cuts), set(naming.unexplained))
        known[key] = (comparison, *met)
    comparison, named, written, cuts, unexplained = known[key]
    naming.unexplained.update(unexplained)
    naming.named.update(named)
    naming.written.update(written)
    naming.cuts.update(cuts)
    return comparison


def _known_limits(_function: str, _context: Context) -> dict[tuple[object, ...], _Limits]:
    return {}


def _are_known_amounts(amounts: list[Amount]) -> bool:
    return all(known_number(amount) is not None or is_missing(amount) for amount in amounts)


def _is_hurdle(compared: str, table: str) -> bool:
    """Return whether an unknown table holds limits of a score, and no counts: `score >=
    cutoffs[person.gender]`.
    """
    return classify_target(compared) == "score" or any_word(table, lexicon()["hurdle"])


def _limit_names(comparison: Comparison[Amount | None]) -> dict[str, str]:
    """Return what the code calls the limit of each group; nothing where it is a sum, or the same for all."""
    if not comparison.differs:
        return {}
    named = {group: _only_name(amount) for group, amount in comparison.told.items()}
    return named if all(named.values()) else {}


def _only_name(amount: Amount | None) -> str:
    number = None if amount is None else known_number(amount)
    if number is not None:
        return f"{number:g}"
    match list((amount or {}).items()):
        case [((name,), 1.0)]:
            return name
        case _:
            return ""


def _name_of(value: Value, context: Context) -> str:
    match value:
        case Lookup(table=table):
            return table.name
        case Operation(node=node):
            return " ".join(context.source.text(node.span).split())[:60]
        case _:
            return ""
