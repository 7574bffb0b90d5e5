"""Two people beside one another: what becomes of them if they are of one group, and if they are not.

`if sender.gender != target.gender: raise` treats every group alike and decides by the group all the same. So
the two are compared as those who are of the same group are with those who are not.
"""

from __future__ import annotations

from collections.abc import Iterable

from fairlint.detectors import decisions, filters, rankings, scores
from fairlint.detectors.compared_people import are_of_one_person, two_people
from fairlint.detectors.context import Context
from fairlint.detectors.use_builder import answer_tags, mark_unnamed_groups
from fairlint.findings.uses import Use
from fairlint.semantics.groups.group_terms import ALIKE, UNLIKE, GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.interpreter import norms
from fairlint.semantics.names.effects import any_word, lexicon
from fairlint.semantics.values.symbolic import Const, Operation, Protected, Value
from fairlint.support.records import replace
from fairlint.vocabulary.model import Evidence

_LOUD = frozenset({"decide", "score"})


def observe(site: Site, naming: GroupTerms, context: Context) -> Use | None:
    """Return what the site makes of two people because of their groups, if it decides or scores."""
    compared = two_people(site, context)
    if compared is None or are_of_one_person(compared, site, context):
        return None
    domain = context.domain(site)
    reads = site.reads.values()
    if any(any_word(one.receiver, lexicon()["recorded"]) for one in reads):
        return None
    if domain not in lexicon()["offered"] and not _is_of_person(reads, context):
        return None
    called = site.attribute.replace("_", " ")
    groups = (f"{ALIKE} {called}", f"{UNLIKE} {called}")
    beside = replace(naming.attribute, groups={}, core_groups=groups, coarse_groups=frozenset(), bands={})
    naming = replace(naming, attribute=replace(beside, ordered=False), beside=groups)
    for asked in (rankings.observe, scores.observe, filters.observe, decisions.observe):
        use = asked(site, replace(naming, named={}, written={}), context)
        if use is not None and use.effect in _LOUD and not (use.kind == "filter" and _is_norm(site, context)):
            reason = Evidence(0, "two people are compared with one another")
            if not all(map(_is_plain, compared.arguments)):
                use = replace(use, outcomes={})  # `wanted = "f" if user.gender == "m" else "m"`
            use = replace(
                use, points=None, groups=(), evidence=(*use.evidence, reason), tags=use.tags | answer_tags()
            )
            is_taste = domain == "dating" and site.attribute in lexicon()["taste"]
            return mark_unnamed_groups(use) if is_taste else use
    return None


def _is_norm(site: Site, context: Context) -> bool:
    """Return whether those of somebody's own group are only chosen for a figure of theirs: that is told."""
    own = (event for event in context.events if event.function in site.functions)
    values = (
        one for event in own for one in (event.value, *(guard.test for guard in event.guards.latest(1)))
    )
    return any(norms.norm_in(value, site.attribute) is not None for value in values)


def _is_of_person(reads: Iterable[Protected], context: Context) -> bool:
    """Return whether one side is surely a person by its name or type."""
    return any(
        context.is_person(holder, read.mention, surely=True)
        for read in reads
        for holder in (read.receiver, read.type)
        if holder
    )


def _is_plain(side: Value) -> bool:
    """Return whether a side of a comparison is somebody's group as it is, or nothing in place of it."""
    match side:
        case Operation(op="or", arguments=(first, *others)):
            return _is_plain(first) and all(isinstance(one, Const) for one in others)
        case _:
            return isinstance(side, Protected)
